#!/usr/bin/env bash
# What exists in projects below is kept, although the search at the start of a run does not find it: a run before has
# closed folders, or has made more repositories than the search lists.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
export GIT_CONFIG_NOSYSTEM=1

W=$HOME/beside
policy 'file { allow read, write "${HOME}/beside" }'
run mkdir .git # the control: a run that can be made
want_rc 0

KEPT=(app/.pol/team.polb app/.pol/signers app/CLAUDE.md app/.claude/settings.json app/.github/hooks/x
	b/app/.git/config b/app/.git/hooks/post-commit b/app/AGENTS.md b/app/opencode.json)
OPEN=(app/file app/new/CLAUDE.md app/.github/workflows/x b/app/.git/description b/app/GEMINI.md)
fresh() { # DIR
	chmod -R u+rwx "$P" "$W" 2>/dev/null
	rm -rf "$P" "$W"
	mkdir -p "$P/.git" "$1/own" "$W"
	for f in "${KEPT[@]}"; do mkdir -p "$1/${f%/*}" && echo real >"$1/$f"; done
	mkdir -p "$1/app/new" "$1/app/.github/workflows" "$1/e/.git"
	echo real >"$1/e/CLAUDE.md"
	cd "$P" || exit 1
}
# DIR: a run that opens what is closed and writes in every way
attack() {
	run sh -c 'cd "$1" || exit 1; shift; chmod 755 b b/app app app/.pol app/.claude b/app/.git 2>/dev/null
		for f; do (echo EVIL >>"$f"); (echo EVIL >"$f"); ln -f own/x "$f"; rm -f "$f"; mv "$f" "$f.x"; echo y >own/y; mv own/y "$f"; done 2>/dev/null
		mv e/.git e/old; rmdir e/.git; echo EVIL >e/CLAUDE.md
		mv app app2; mv b c; mv b/app b/c; rm -rf app/.pol; echo free >own/f
		for f in '"${OPEN[*]}"'; do echo free >"$f"; done' - "$1" "${KEPT[@]}"
	chmod -R u+rwx "$1"
	for f in "${KEPT[@]}" e/CLAUDE.md; do want_text real "$1/$f"; done
	[ -d "$1/e/.git" ] || bad "the empty .git that makes e a project is gone"
	want_text free "$1/own/f"
	for f in "${OPEN[@]}"; do want_text free "$1/$f"; done
}
for dir in "$P" "$W"; do
	t "${dir##*/}: the control: what the search finds"
	fresh "$dir"
	attack "$dir"
	for way in 'chmod 0 app b/app' 'chmod 111 app b b/app' 'chmod 0 b' \
		'i=0; while [ $i -lt 200 ]; do mkdir -p 0d$i/.git; i=$((i+1)); done' \
		'i=0; while [ $i -lt 200 ]; do mkdir -p 0d$i/.pol; i=$((i+1)); done'; do
		t "${dir##*/}: after a run that did: $way"
		fresh "$dir"
		run sh -c "cd '$dir' && $way"
		want_rc 0
		attack "$dir"
		# root looks into closed folders
		case $way in chmod*) is_root || want_err 'not all of .* was searched' ;; *) want_err 'not all of .* was searched' ;; esac
	done
done

t "a project that the run itself makes is its own"
fresh "$P"
run sh -c 'chmod 0 app; mkdir -p n/.git n/.pol n/.claude && echo 1 >n/CLAUDE.md && echo 2 >n/CLAUDE.md && echo 1 >n/.pol/x &&
	echo 1 >n/.git/config && echo 2 >n/.git/config && echo 1 >n/.claude/x && mv n m && rm -r m && echo made'
want_out '^made$'
chmod -R u+rwx "$P"

cd "$HOME" && rm -rf "$P" "$W"
done_
