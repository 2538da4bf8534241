#!/usr/bin/env bash
# ${GIT_COMMON_DIR}: the repository of a worktree or a submodule is open under the policy that is there where
# nobody has written one, its hooks and its configuration are kept, and a .git file alone opens nothing.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2016,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

if ! command -v git >/dev/null; then
	skip git "git is not installed"
	done_
fi
export GIT_CONFIG_NOSYSTEM=1
git config --global user.email a@b.example
git config --global user.name a
main=$HOME/main wt=$HOME/wt
raw_policy 'use std/profile/project'
# $wt is a worktree of $main
fresh() {
	cd "$HOME" || exit 1
	rm -rf "$main" "$wt" "$HOME/victim"
	git init -q -b main "$main" && git -C "$main" commit -q --allow-empty -m one && git -C "$main" worktree add -q -b here "$wt"
	cd "$wt" || exit 1
}
commits() {
	run sh -c 'echo x >>f && git add f && git commit -qm f'
}

t "a worktree whose repository lies below HOME: git works, and is told nothing"
fresh
commits
want_rc 0
no_err '^polrun'
[ "$(git -C "$main" log -1 --format=%s here)" = f ] || bad "no commit"
run sh -c 'ls -A ../main'
[ "$out" = .git ] || bad "more of the repository's folder is shown than .git"

t "what git runs there is kept"
for name in hooks/post-commit config commondir config.worktree worktrees/wt/gitdir worktrees/wt/commondir; do
	before=$(cat "$main/.git/$name" 2>&1)
	run sh -c 'echo "[core] pager = x" >>"$1"' sh "../main/.git/$name"
	[ "$rc" -ne 0 ] || bad "$name: it ended with 0"
	[ "$(cat "$main/.git/$name" 2>&1)" = "$before" ] || bad "$name was written"
	run python3 -c 'import sys; open(sys.argv[1], "a").write("x")' "../main/.git/$name"
	[ "$rc" -ne 0 ] || bad "$name: python wrote it"
	[ "$(cat "$main/.git/$name" 2>&1)" = "$before" ] || bad "$name was written by python"
done
run sh -c 'mv ../main/.git/worktrees ../main/.git/w; mv ../main/.git/hooks ../main/.git/h; rm -rf ../main/.git/worktrees/wt; ln -s /tmp ../main/.git/hooks/x'
[ -d "$main/.git/worktrees/wt" ] && [ -d "$main/.git/hooks" ] && [ ! -e "$main/.git/hooks/x" ] || bad "it was moved"
# the control: beside them
run sh -c 'echo x >../main/.git/free && rm ../main/.git/free && git branch free'
want_rc 0

t "every judge says the same"
run sh -c 'git config core.pager x'
want_err 'blocked: write .*/main/\.git/config \(core\.pager\)'
judged() { # EFFECT PATH
	out=$("$BIN/polquery" -b "$WORK/p.polb" --scope host <<<"{\"id\":1,\"kind\":\"file\",\"op\":\"write\",\"path\":\"$2\"}")
	want_out "\"effect\": *\"$1\""
	out=$("$BIN/polc" explain "$WORK/p.pol" --scope host file write "$2" 2>&1)
	want_out "^$1"
}
for path in config hooks/post-commit rebase-merge worktrees/wt/config.worktree; do
	judged deny "$main/.git/$path"
done
# what makes a repository or a project of a folder in it, as in the project's own
for path in info/.git/config info/HEAD HEAD worktrees/wt/HEAD info/.pol/x.pol; do
	judged deny "$main/.git/$path"
done
judged allow "$main/.git/index"
judged deny "$main/f"

t "what goes on later in the repository's own folder is told"
run sh -c 'mkdir ../main/.git/rebase-merge && echo "exec x" >../main/.git/rebase-merge/git-rebase-todo'
want_err 'main/\.git/rebase-merge'
run sh -c 'd=$(git rev-parse --git-dir) && mkdir "$d/rebase-merge" && echo "exec x" >"$d/rebase-merge/git-rebase-todo"'
want_err 'main/\.git/worktrees/wt/rebase-merge'
rm -rf "$main/.git/worktrees/wt/rebase-merge"
rm -rf "$main/.git/rebase-merge"

t "a link in a repository is told: git writes through it what the subject of a commit says"
fresh
echo keep >"$HOME/file"
run sh -c 'ln -sf ../../../file ../main/.git/logs/HEAD; git commit -q --allow-empty -m "the subject"'
want_err 'main/\.git/logs/HEAD was made or moved: a link'
# the control: that is what it is about
git -C "$main" cherry-pick --allow-empty here >/dev/null 2>&1
grep -q 'the subject' "$HOME/file" || bad "git does not write through the link"
commits
no_err '^polrun: .*logs/HEAD'
rm "$main/.git/logs/HEAD" "$HOME/file"
# one that was there, in a folder that the run moves to its place
mkdir in && ln -s x in/HEAD
run sh -c 'mv ../main/.git/logs ../main/.git/l && mv in ../main/.git/logs'
want_err 'main/\.git/logs/HEAD was made or moved: a link'
fresh
git -C "$HOME" init -q "$HOME/victim" && git -C "$HOME/victim" commit -q --allow-empty -m v
cd "$HOME/victim" || exit 1
run sh -c 'ln -sf x .git/COMMIT_EDITMSG; ln -sf x .git/refs/heads/l; ln -s x in-the-project; mkdir .git/objects/pack/in; ln -s x .git/objects/pack/in/l'
want_err 'victim/\.git/COMMIT_EDITMSG was made or moved: a link'
want_err 'victim/\.git/refs/heads/l was made or moved: a link'
want_err 'victim/\.git/objects/pack/in/l was made or moved: a link'
no_err 'in-the-project'
# the control: a link that was there
rm -rf .git/refs/heads/l .git/objects/pack/in .git/COMMIT_EDITMSG
ln -s x .git/mine
run sh -c 'echo x >f && git add f && git commit -qm f; ls .git'
no_err ': a link'
cd "$wt" || exit 1

t "a submodule, also after git has moved the setting that names it"
fresh
git init -q "$HOME/victim" && git -C "$HOME/victim" commit -q --allow-empty -m v
git -C "$main" -c protocol.file.allow=always submodule add -q "$HOME/victim" sub
cd "$main/sub" || exit 1
commits
want_rc 0
no_err '^polrun'
git sparse-checkout set x && git sparse-checkout disable
commits
want_rc 0
run python3 -c 'open("../.git/modules/sub/hooks/post-commit", "w")'
[ "$rc" -ne 0 ] || bad "a hook was written"
run sh -c 'echo x >../.git/free; cat ../.git/config'
no_file ../.git/modules/sub/hooks/post-commit
no_file ../.git/free
no_out core

# --- what a .git file alone opens: nothing.  Each time the control is the same with the repository's word.

# The file of a repository that is not the project's.
closed() {
	# in the private HOME the folder is there for what is kept of the repository, and is the run's own
	run sh -c 'cat "$1"; echo x >>"$1"' sh "$HOME/victim/.git/description"
	no_out nothing
	want_text 'nothing' "$HOME/victim/.git/description"
}
victim() {
	fresh
	git init -q "$HOME/victim" && git -C "$HOME/victim" commit -q --allow-empty -m v
	git -C "$HOME/victim" worktree add -q -b own "$HOME/victim/own"
	echo nothing >"$HOME/victim/.git/description"
}
t "a folder from an archive whose .git names another repository"
victim
echo "gitdir: $HOME/victim/.git" >.git
closed
echo "gitdir: $HOME/victim/.git/worktrees/own" >.git
closed
# the control
echo "$wt/.git" >"$HOME/victim/.git/worktrees/own/gitdir"
run cat "$HOME/victim/.git/description"
want_rc 0
want_out nothing

t "a repository of the archive whose commondir names another one"
victim
mkdir -p m/.git/worktrees/x && echo "$wt/.git" >m/.git/worktrees/x/gitdir && echo "$HOME/victim/.git" >m/.git/worktrees/x/commondir
echo ref: refs/heads/x >m/.git/worktrees/x/HEAD
echo "gitdir: m/.git/worktrees/x" >.git
closed
rm -rf m/.git/worktrees && mkdir m/.git/modules && ln -s "$HOME/victim/.git/worktrees" m/.git/worktrees
echo "gitdir: m/.git/worktrees/own" >.git
closed

t "a configuration that does not say, or says it in a way that git reads otherwise"
victim
echo "gitdir: $HOME/victim/.git" >.git
closed
for text in '[core] worktree = W' '[core]\n\tworktree = "W"' '[core "x"]\n\tworktree = W' '[corex]\n\tworktree = W' \
	'[core]\n\tworktree = W # x' '[core]\n\tworktreex = W' '[core]\n\tworktree = W\n\tworktree = /tmp' '[core]\n\tworktree'; do
	# shellcheck disable=SC2059
	printf "${text//W/$wt}\n" >"$HOME/victim/.git/config"
	closed
done
# the control
printf '[core]\n\tworktree = %s\n' "$wt" >"$HOME/victim/.git/config"
run cat "$HOME/victim/.git/description"
want_rc 0

t "what a clone or an archive brings is no repository's word: a project, and a folder in one"
victim
mkdir -p "$HOME/victim/in"
for at in . in; do
	git init -q --bare "$HOME/victim/$at"
	rm -f "$HOME/victim/$at/HEAD"
	mkdir -p "$HOME/victim/$at/worktrees/x"
	echo "$wt/.git" >"$HOME/victim/$at/worktrees/x/gitdir"
	echo ../.. >"$HOME/victim/$at/worktrees/x/commondir"
	echo "gitdir: ../victim/$at/worktrees/x" >.git
	run cat "$HOME/victim/$at/description"
	[ "$rc" -ne 0 ] || bad "$at without HEAD is open"
	echo ref: refs/heads/main >"$HOME/victim/$at/HEAD"
	run cat "$HOME/victim/$at/description"
	[ "$rc" -ne 0 ] || bad "$at is open"
	run sh -c 'echo x >"$1"' sh "$HOME/victim/$at/written"
	no_file "$HOME/victim/$at/written"
done
# the control: a folder that is no project, and one whose .git leads to it
mv "$HOME/victim/in" "$HOME/in"
echo "gitdir: ../in/worktrees/x" >.git
run cat "$HOME/in/description"
want_rc 0
rm -rf "$HOME/victim" && mkdir "$HOME/victim" && mv "$HOME/in" "$HOME/victim/.bare" && echo "gitdir: ./.bare" >"$HOME/victim/.git"
echo "gitdir: ../victim/.bare/worktrees/x" >.git
run cat "$HOME/victim/.bare/description"
want_rc 0

t "the repository's word does not go by a link that leads to the project"
victim
echo "gitdir: $HOME/victim/.git/worktrees/own" >.git
ln -sfn "$wt" "$HOME/link"
echo "$HOME/link/.git" >"$HOME/victim/.git/worktrees/own/gitdir"
closed
echo "$wt/.git" >"$HOME/victim/.git/worktrees/own/gitdir"
run cat "$HOME/victim/.git/description"
want_rc 0
rm "$HOME/link"

t "a link, a name in the project's own path, HOME, and what belongs to somebody else"
victim
rm .git && ln -s "$HOME/victim/.git" .git
closed
rm .git
mkdir "$WORK/elsewhere" && printf 'gitdir: %s\n' "$HOME/victim/.git/worktrees/own" >"$WORK/elsewhere/f" && ln -s "$WORK/elsewhere/f" .git
echo "$wt/.git" >"$HOME/victim/.git/worktrees/own/gitdir"
closed
rm .git
# a repository that the project lies in, and one that HOME lies in
mkdir -p "$HOME/victim/.git/in" && cd "$HOME/victim/.git/in" && git init -q . && rm -rf .git
echo "gitdir: $HOME/victim/.git/worktrees/own" >.git
echo "$HOME/victim/.git/in/.git" >"$HOME/victim/.git/worktrees/own/gitdir"
closed
cd "$wt" || exit 1
if is_root; then
	victim
	echo "gitdir: $HOME/victim/.git/worktrees/own" >.git
	echo "$wt/.git" >"$HOME/victim/.git/worktrees/own/gitdir"
	for name in "$HOME/victim/.git" "$HOME/victim/.git/worktrees/own" "$HOME/victim/.git/worktrees/own/gitdir" .git; do
		run cat "$HOME/victim/.git/description"
		want_rc 0
		chown nobody "$name"
		closed
		chown 0 "$name"
	done
fi

t "a run cannot make the repository's word: nothing that it writes names another project"
fresh
git init -q "$HOME/victim"
rm -rf "$HOME/victim/.git"
run sh -c 'mkdir -p ../main/.git/worktrees/evil && cd ../main/.git/worktrees/evil && echo "$1/.git" >gitdir && echo ../.. >commondir && cp ../wt/HEAD .' sh "$HOME/victim"
# it may make a worktree's files of its own, and is told of it; the folder that they name has no .git that leads back
want_err 'main/\.git/worktrees/evil has appeared'
cd "$HOME/victim" || exit 1
run cat ../main/.git/HEAD
[ "$rc" -ne 0 ] || bad "the repository is open from there"

t "where the repository says nothing, the way is named"
victim
rm -f .git
git init -q --separate-git-dir "$HOME/victim/store" .
run git status
want_err '\.git points to .*/victim/store, which no rule makes readable'
raw_policy 'use std/profile/project
file { allow read, write "${HOME}/victim/store" }'
run git status
want_rc 0
cd / && rm -rf "$main" "$wt" "$HOME/victim"
t "a worktree that an earlier run has made is removed outside, and the line says so; a run removes its own"
fresh
cd "$main" || exit 1
run sh -c 'git worktree add -q own -b own && git worktree remove own'
want_rc 0
[ ! -e own ] && [ ! -e .git/worktrees/own ] || bad "the run's own worktree is still there"
run git worktree add -q made -b made
want_rc 0
kept=$(cat made/.git .git/worktrees/made/commondir)
run git worktree remove made
[ "$rc" -ne 0 ] || bad "it was removed"
want_err 'blocked: write .*/made/\.git: rule .*do it outside of the sandbox'
run sh -c 'mv made away; rm -f made/.git .git/worktrees/made/commondir; mkdir made/.git; git init -q made; ln -sf /tmp made/.git'
[ "$(cat made/.git .git/worktrees/made/commondir)" = "$kept" ] || bad "the worktree leads elsewhere"
git worktree remove made || bad "git outside cannot take away what is left"
[ ! -e made ] && [ ! -e .git/worktrees/made ] || bad "something is left of it"
done_
