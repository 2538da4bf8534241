#!/usr/bin/env bash
# Repositories and policies in the other trees that the rules let be written: the repository that
# the project's own .git file leads to, a second project, and a tree at a second place.
# long: every fourth day, as root and as a user in turn
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b

if ! command -v git >/dev/null; then
	skip git "git is not installed"
	done_
fi
HEAD=$HEAD'env { keep += GIT_CONFIG_NOSYSTEM, GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL, GIT_COMMITTER_NAME, GIT_COMMITTER_EMAIL }
'
state=$HOME/.local/state/pol
fresh() {
	rm -rf "${P:?}"/* "$P"/.[!.]* "$WORK/ran" "$state"
	git init -q . && git commit -q --allow-empty -m one
}
# What the run plants: git outside runs it, and it leaves a mark.
printf '#!/bin/sh\necho ran >>%s\n' "$WORK/ran" >"$WORK/out/evil"
chmod 755 "$WORK/out/evil"
PLANT="[core]
	fsmonitor = $WORK/out/evil"
# CONFIG: appends to it, as a run would
plant() { printf 'printf "%%s\\n" "%s" >>%s' "$PLANT" "$1"; }
# FOLDER: git there, outside
outside_git() {
	rm -f "$WORK/ran"
	git -C "$1" status >/dev/null 2>&1
}
# PATTERN: a write is refused by the floor, and nothing else has appeared.
refused() {
	want_line "blocked: write .*/$1: rule .* at std/floor\.pol"
	no_err 'has appeared'
}
# ATTACK-folder CONFIG: the control first, outside; then inside.
attack() {
	local was
	was=$(cat "$2")
	sh -c "$(plant "$2")"
	outside_git "$1"
	[ -e "$WORK/ran" ] || bad "the control: git in $1 does not run what $2 names"
	printf '%s\n' "$was" >"$2"
	run sh -c "$(plant "$2")"
	[ "$rc" -ne 0 ] || bad "a run wrote $2"
	outside_git "$1"
	[ ! -e "$WORK/ran" ] || bad "git in $1 ran what a run put into $2"
	want_text "$was" "$2"
}

t "the repository of a worktree or a submodule, which the rules let be written"
# $main is the repository; the project, and $HOME/other, are worktrees of it
led() {
	cd "$WORK" || exit 1
	rm -rf "${P:?}" "$HOME/main" "$HOME/other" "$WORK/ran" "$state"
	git init -q "$HOME/main"
	git -C "$HOME/main" commit -q --allow-empty -m one
	git -C "$HOME/main" -c protocol.file.allow=always submodule add -q "$WORK/out/lib" sub 2>/dev/null
	git -C "$HOME/main" commit -q -m sub
	git -C "$HOME/main" worktree add -q "$P" -b here 2>/dev/null
	git -C "$HOME/main" worktree add -q "$HOME/other" -b there 2>/dev/null
	cd "$P" || exit 1
	main=$HOME/main/.git
}
git init -q "$WORK/out/lib" && git -C "$WORK/out/lib" commit -q --allow-empty -m one
policy 'file { allow read, write "${HOME}/main/.git" }'
led
attack "$HOME/main/sub" "$main/modules/sub/config"
run sh -c "$(plant "$main/config.worktree"); echo free >$main/free"
refused 'main/\.git/config\.worktree'
no_file "$main/config.worktree"
want_text free "$main/free"
run sh -c "echo e >$main/commondir"
refused 'main/\.git/commondir'
no_file "$main/commondir"
run sh -c "echo bad >$main/modules/sub/hooks/post-checkout; mv $main/modules/sub $main/gone; mv $main/modules $main/gone
	for f in commondir gitdir; do echo ../../e >$main/worktrees/other/\$f; done; rm -rf $main/worktrees/other
	mv $main/worktrees $main/gone"
no_file "$main/modules/sub/hooks/post-checkout"
no_file "$main/gone"
want_text ../.. "$main/worktrees/other/commondir"
want_text "$HOME/other/.git" "$main/worktrees/other/gitdir"
run sh -c "echo x >$main/worktrees/other/config.worktree"
refused 'worktrees/other/config\.worktree'
# the control: git works in the worktree, and what it makes is told
run sh -c 'echo x >f && git add f && git commit -qm f && git checkout -q -b more && git branch more2 &&
	git worktree add -q inner -b inner && git worktree remove inner && git tag v && git gc -q'
want_rc 0
[ "$(git -C "$HOME/main" log --format=%s -1 more)" = f ] || bad "no commit"
run sh -c "git worktree add -q inner2 -b inner2; git init -q --bare $main/modules/new"
want_rc 0
want_line "main/\.git/worktrees/inner2 has appeared"
want_line "main/\.git/modules/new has appeared"
run sh -c "echo bad >>$main/worktrees/inner2/gitdir; echo bad >>$main/modules/new/config"
! grep -q bad "$main/worktrees/inner2/gitdir" "$main/modules/new/config" || bad "what a run has made is open in the next one"
# a wider rule, and a bare repository with worktrees
policy 'file { allow read, write "${HOME}/main" }'
led
attack "$HOME/main/sub" "$main/modules/sub/config"
run sh -c "echo ../../e >$main/worktrees/other/commondir; $(plant "$main/config"); echo free >$HOME/main/free"
want_text ../.. "$main/worktrees/other/commondir"
! grep -q fsmonitor "$main/config" || bad "a run wrote $main/config"
want_text free "$HOME/main/free"
cd "$WORK" || exit 1
rm -rf "$P" "$HOME/main" "$HOME/other"
git init -q "$WORK/seed" && git -C "$WORK/seed" commit -q --allow-empty -m one
git clone -q --bare "$WORK/seed" "$HOME/main/store.git"
git -C "$HOME/main/store.git" worktree add -q "$P" -b here 2>/dev/null
git -C "$HOME/main/store.git" worktree add -q "$HOME/other" -b there 2>/dev/null
cd "$P" || exit 1
run sh -c "cd $HOME/main/store.git; echo ../../e >worktrees/other/commondir; echo ../../e >worktrees/other/gitdir
	echo x >worktrees/other/config.worktree; echo x >config.worktree; echo free >free"
want_text ../.. "$HOME/main/store.git/worktrees/other/commondir"
want_text "$HOME/other/.git" "$HOME/main/store.git/worktrees/other/gitdir"
no_file "$HOME/main/store.git/worktrees/other/config.worktree"
no_file "$HOME/main/store.git/config.worktree"
want_text free "$HOME/main/store.git/free"
# the same where a submodule is the project
cd "$WORK" || exit 1
rm -rf "$P" "$HOME/main" "$HOME/other" "$WORK/seed"
git init -q "$HOME/main"
git -C "$HOME/main" commit -q --allow-empty -m one
git -C "$WORK/out/lib" -c protocol.file.allow=always submodule add -q "$WORK/out/lib" deep 2>/dev/null
git -C "$WORK/out/lib" commit -q -m deep
git -C "$HOME/main" -c protocol.file.allow=always submodule add -q "$WORK/out/lib" sub 2>/dev/null
git -C "$HOME/main/sub" -c protocol.file.allow=always submodule update -q --init 2>/dev/null
mv "$HOME/main/sub" "$P"
main=$HOME/main/.git/modules/sub
echo "gitdir: $main" >"$P/.git"
git config -f "$main/config" core.worktree "$P"
cd "$P" || exit 1
echo "gitdir: $main/modules/deep" >deep/.git
git config -f "$main/modules/deep/config" core.worktree "$P/deep"
policy 'file { allow read, write "${HOME}/main/.git/modules/sub" }'
mkdir -p "$main/modules/deep/hooks"
rm deep/.git # it is found without the name that leads to it, too
run sh -c "echo bad >>$main/modules/deep/config; echo bad >$main/modules/deep/hooks/post-checkout; echo free >$main/free"
! grep -qx bad "$main/modules/deep/config" || bad "a run wrote it"
no_file "$main/modules/deep/hooks/post-checkout"
want_text free "$main/free"
run sh -c 'echo x >f && git add f && git commit -qm f'
want_rc 0
rm -rf "$HOME/main" "$WORK/out/lib"

t "another tree that the rules let be written"
mkdir -p "$P" && cd "$P" && fresh
policy 'file { allow read, write "${HOME}/second"  mount "${HOME}/ws" at "/workspace" read, write }'
other_trees() {
	rm -rf "$HOME/second" "$HOME/ws" "$state"
	for d in second ws; do
		mkdir -p "$HOME/$d/.pol"
		git init -q "$HOME/$d"
		git init -q "$HOME/$d/deep/er"
		echo mine | tee "$HOME/$d/.pol/a.pol" "$HOME/$d/CLAUDE.md" >"$HOME/$d/deep/er/AGENTS.md"
	done
}
other_trees
run sh -c 'for d in '"$HOME"'/second /workspace; do for f in .git/hooks/x .git/config .git/commondir .git/config.worktree .pol/a.pol .pol/b.pol \
	CLAUDE.md deep/er/.git/config deep/er/.git/hooks/x deep/er/AGENTS.md; do echo bad 2>/dev/null >>$d/$f && echo "wrote $d/$f"; done
	echo free >$d/free; echo free >$d/.git/free; done'
no_out wrote
for d in second ws; do
	want_text free "$HOME/$d/free"
	want_text free "$HOME/$d/.git/free"
	want_text mine "$HOME/$d/.pol/a.pol"
	no_file "$HOME/$d/.git/commondir"
done
# git works there, and what appears is told, and kept in the next run
run sh -c "cd $HOME/second && echo x >f && git add f && git commit -qm f && git init -q new && mkdir -p p/.pol && git init -q /workspace/new"
want_rc 0
for f in second/new/.git second/p/.pol ws/new/.git; do want_line "/$f has appeared"; done
run sh -c "echo bad >>$HOME/second/new/.git/config; echo bad >>/workspace/new/.git/config"
! grep -qx bad "$HOME/second/new/.git/config" "$HOME/ws/new/.git/config" || bad "it is open"
# a link in place of the tree
mv "$HOME/second" "$HOME/real" && ln -s real "$HOME/second"
run sh -c "echo bad >>$HOME/second/.git/config; echo bad >>$HOME/real/.git/config"
! grep -qx bad "$HOME/real/.git/config" || bad "it is open through a link"
rm -rf "$HOME/second" "$HOME/real"
# the control: without the search nothing keeps them
mkdir -p "$HOME/second/.git/hooks"
mkdir -p "$HOME/second/other/hooks" && run sh -c "echo free >$HOME/second/other/config && echo free >$HOME/second/other/hooks/x"
want_rc 0
# a search that ends before its end is said
other_trees
(cd "$HOME/second" && for i in $(seq 140); do mkdir -p "r/$i/.git"; done)
run true
want_line 'not all of .*/second was searched for repositories \(it is too large\): what the configurations of those below'
no_err '/(ws|project) was searched'
rm -rf "$HOME/second" "$HOME/ws"

done_
