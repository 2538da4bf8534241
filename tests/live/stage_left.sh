#!/usr/bin/env bash
# What a commit of a staged run puts in place is named and listed as after a run that is not staged, and is
# decided as in a run that would begin now: git's settings, links, repositories and projects below can have
# changed since the staged run began.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=tests/lib/stage.sh
. "$(dirname "$0")/../lib/stage.sh"
if ! command -v git >/dev/null; then
	skip git "git is not installed"
	done_
	exit
fi
policy ''
unset "${!GIT_@}"
export GIT_CONFIG_NOSYSTEM=1
anew() {
	"$BIN/polquery" left seen --all >/dev/null
	rm -rf "${P:?}"/* "$P"/.[!.]*
	git init -q "$P"
	mkdir -p "$P"/{hk,tools,oth,dir,data}
	echo old >"$P/tools/x.sh"
	chmod +x "$P/tools/x.sh"
}
listed() { "$BIN/polquery" left list | sed -n "s|^.*$P/\([^ ]*\) .*|\1|p" | sort; }
# FILE…: the rest of the stage is committed, and these are refused by a rule of the floor or by one named t
refused() {
	review
	want_rc 1
	verb commit
	want_rc 1
	for f in "$@"; do
		grep -A1 -E "^(create|modify) +$P/$f:" <<<"$out" | grep -qE '^ +refused: no rule allows .*\(rule ' ||
			bad "$f is not refused by a rule"
	done
	want_file "$P/free"
	want_out "refused: $#, left: $#\$"
	verb discard
}

t "what a run makes is listed after a commit as after a run that is not staged"
make='git init -q app; printf "[core]\n\tfsmonitor = x\n" >>app/.git/config; mkdir oth/.pol dir/.vscode; echo x >oth/.pol/a.pol
	echo x >dir/.vscode/tasks.json; echo x >.agent9.json; git init -q --bare bare; echo x >plain'
anew
run sh -c "$make"
want_rc 0
all=$(listed)
said=$(grep -c '^polrun: .*\(has appeared\|was made or changed\)' <<<"$err")
[ "$(wc -l <<<"$all")" -eq 5 ] && [ "$said" -eq 5 ] || bad "the control: five are listed: $all"
anew
staged sh -c "$make"
want_rc 0
no_err 'has appeared|was made or changed'
verb commit
want_rc 0
[ "$(grep -c '^polrun: .*\(has appeared\|was made or changed\)' <<<"$err")" -eq 5 ] || bad "the commit does not say five"
[ "$(listed)" = "$all" ] || bad "listed: $(listed), and without --stage: $all"
run true
want_err '^polrun: 4 things that runs have left in .* wait to be looked at' # an unknown name is said once
anew
staged sh -c 'echo x >plain'
verb commit
want_rc 0
no_err .
[ -z "$(listed)" ] || bad "the control: an ordinary name is listed"

t "a repository above all: .git of the project"
rm -rf "$P/.git"
staged git init -q .
verb commit
want_rc 0
want_err "^polrun: $P/.git/(config|hooks) has appeared"
listed | grep -q '^.git/' || bad "it is not listed"

t "a commit in parts: each part is listed, and the stage may fill what it has made itself"
anew
staged sh -c "$make; echo x >app/.envrc; echo x >oth/.pol/b.pol; mkdir app/.vscode; echo x >app/.vscode/tasks.json"
verb commit app/.git/HEAD app/.vscode oth/.pol/a.pol
want_rc 0
listed | grep -q '^oth/.pol' || bad "it is not listed"
"$BIN/polquery" left seen --all >/dev/null
verb commit
want_rc 0
for f in app/.git/config app/.envrc app/.vscode/tasks.json oth/.pol/b.pol; do want_file "$P/$f"; done
listed | grep -q '^bare' || bad "it is not listed"

t "a commit that is killed: what it has put in place is listed by who comes next"
anew
staged sh -c 'git init -q app; mkdir big; i=0; while [ $i -lt 600 ]; do echo x >big/$i; i=$((i + 1)); done'
want_rc 0
"$BIN/polrun" commit >/dev/null 2>&1 </dev/null &
pid=$!
until [ -e "$P/big/0" ] || is_over $pid; do :; done
kill -KILL $pid 2>/dev/null
wait $pid 2>/dev/null
listed | grep -q '^app/.git' || bad "it is not listed: $(listed)"
verb commit
want_rc 0
want_file "$P/big/599"

write='echo x >hk/pre-commit; echo x >tools/x.sh; echo x >free'
t "the control: what no setting names is committed"
anew
staged sh -c "$write"
verb commit
want_rc 0
want_text x "$P/hk/pre-commit"

t "a folder of hooks that a setting of git names meanwhile"
anew
staged sh -c "$write"
git -C "$P" config core.hooksPath hk
refused hk/pre-commit
no_file "$P/hk/pre-commit"
want_text x "$P/tools/x.sh"

t "a folder of hooks that is absent, and is named meanwhile"
anew
rmdir "$P/hk"
staged sh -c "mkdir hk; $write"
git -C "$P" config core.hooksPath hk
refused hk hk/pre-commit
no_file "$P/hk"

t "a program that a setting of git names meanwhile"
anew
staged sh -c "$write"
git -C "$P" config core.fsmonitor tools/x.sh
refused tools/x.sh
want_text old "$P/tools/x.sh"
want_text x "$P/hk/pre-commit"

t "a setting of the user's own"
anew
staged sh -c "$write"
git config --file "$HOME/.gitconfig" core.hooksPath hk
refused hk/pre-commit
rm "$HOME/.gitconfig"

t "a repository that appears meanwhile: its own settings, its hooks"
anew
staged sh -c 'mkdir -p app/hk app/.git/hooks; echo x >app/.git/hooks/pre-commit; echo x >app/hk/pre-commit; echo x >free'
git init -q "$P/app"
git -C "$P/app" config core.hooksPath hk
rm -rf "$P/app/.git/hooks"
verb commit
want_rc 1
want_file "$P/free"
no_file "$P/app/hk/pre-commit"
no_file "$P/app/.git/hooks/pre-commit"
verb discard
anew
staged sh -c 'mkdir -p app/.git/hooks app/hk; echo x >app/.git/hooks/pre-commit; echo x >app/hk/pre-commit'
verb commit
want_rc 0
want_file "$P/app/hk/pre-commit" # the control

t "a project that appears meanwhile: what has its names there is listed"
anew
staged sh -c 'mkdir -p app/.vscode; echo x >app/.envrc; echo x >app/.vscode/tasks.json'
git init -q "$P/app"
verb commit
[ "$(listed | grep -c '^app/\(.envrc\|.vscode\)$')" -eq 2 ] || bad "not listed: $(listed)"

policy 'file { deny write "${PROJECT_DIR}/conf/keys" as kept }' linked
t "a link by which a rule reaches another name meanwhile"
anew
run_with linked --stage sh -c 'echo x >data/keys; echo x >free'
ln -s data "$P/conf"
review
want_out '^ +refused: .*\(rule kept '
refused data/keys
no_file "$P/data/keys"
anew
run_with linked --stage sh -c 'echo x >data/keys; ln -s data other'
verb commit
want_rc 0
want_text x "$P/data/keys" # the control
anew
ln -s data "$P/conf"
run_with linked sh -c 'echo x >data/keys' # a run that begins then
[ "$rc" -ne 0 ] || bad "it was written"

done_
