#!/usr/bin/env bash
# What git would run outside of the sandbox stays as it is, wherever git's
# configuration says that it lies.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
export GIT_CONFIG_NOSYSTEM=1

if ! command -v git >/dev/null; then
	skip git "git is not installed"
	done_
fi
git init -q .
policy ''

# TEXT-of-the-configuration FILE: the run cannot write FILE, and a neighbour it can.
config=$(cat .git/config)
kept() {
	printf '%s\n%s\n' "$config" "$1" >.git/config
	run sh -c "echo bad > $2/pre-commit; echo free > beside"
	no_file "$2/pre-commit"
	want_text free beside
	rm -f beside
}

t "the control: a directory that no configuration names is writable"
mkdir .githooks 'odd hooks'
run sh -c 'echo new > .githooks/pre-commit'
want_rc 0
want_text new .githooks/pre-commit
rm .githooks/pre-commit

t "core.hooksPath, in every way that git reads it"
kept '[core]
	hooksPath = .githooks' .githooks
kept '[CORE] HOOKSPATH=.git/../.githooks/ ; comment' .githooks
kept '[core]
	hooksPath = "./.git"hooks' .githooks
kept '[core]
	hooksPath = .git\
hooks' .githooks
kept '[core]
	hooksPath = ~/project/.githooks' .githooks
kept "[core]
	hooksPath = $P/.githooks" .githooks
kept '[x "a]b\"c"]
	y = z
[core]
	hooksPath = odd hooks # comment' "'odd hooks'"

t "files that the configuration includes, at any depth"
mkdir -p conf
printf '[include]\n\tpath = two\n' >conf/one
printf '[core]\n\thooksPath = .githooks\n' >conf/two
kept '[include]
	path = ../conf/one' .githooks
kept '[includeIf "gitdir:/nowhere/"]
	path = ~/project/conf/one' .githooks
run sh -c 'echo bad >> conf/one; echo bad >> conf/two; mv conf away; echo free > conf/three'
want_text "$(printf '[core]\n\thooksPath = .githooks')" conf/two
want_text "$(printf '[include]\n\tpath = two')" conf/one
want_text free conf/three
printf '%s\n' "$config" >.git/config
run sh -c 'echo good >> conf/one'
want_rc 0
rm -r conf

t "the user's own configuration counts, too"
printf '[core]\n\thooksPath = .githooks\n' >"$HOME/.gitconfig"
kept '' .githooks
rm "$HOME/.gitconfig"

t "what turns git to another configuration is kept, and is not made"
run sh -c 'echo ../other > .git/commondir; echo x > .git/config.worktree; echo free > .git/other'
want_line 'blocked: write .*/\.git/commondir: rule .* at std/floor\.pol'
want_line 'blocked: write .*/\.git/config\.worktree: rule .* at std/floor\.pol'
no_file .git/commondir
no_file .git/config.worktree
want_text free .git/other
rm -f .git/other
printf '[core]\n' >.git/config.worktree
run sh -c 'echo bad >> .git/config.worktree; echo free > .git/description'
want_text '[core]' .git/config.worktree
want_text free .git/description
rm .git/config.worktree

t "a .git file, and the repository behind it"
mkdir sub && mv .git sub/real && echo 'gitdir: sub/real' >.git
git status --short >/dev/null || bad "the project is no repository"
run sh -c 'echo "gitdir: evil" > .git; rm -f .git; mv .git away; echo bad >> sub/real/config
	echo bad > sub/real/hooks/pre-commit; mv sub away; echo free > sub/real/description'
want_text 'gitdir: sub/real' .git
want_text "$config" sub/real/config
no_file sub/real/hooks/pre-commit
want_text free sub/real/description
rm .git && mv sub/real .git && rmdir sub

t "a .git that becomes a file is named"
mv .git aside
run sh -c 'echo "gitdir: aside" > .git'
want_rc 0
want_line '\.git/config has appeared'
rm -f .git
# a link would make another folder's names those of the floor
run sh -c 'ln -s aside .git'
want_rc 1
no_file .git
want_line 'blocked: write .*/\.git: rule .* at std/floor\.pol'
no_err appeared
run true
want_rc 0
no_err appeared
mv aside .git

t "a pipe in place of git's files holds nobody up"
mv .git aside && mkfifo .git
err=$(timeout 5 "$BIN/polrun" -b "$WORK/p.polb" true 2>&1 </dev/null)
rc=$?
want_rc 0
rm .git && mkdir pipes && mkfifo pipes/commondir && echo 'gitdir: pipes' >.git
err=$(timeout 5 "$BIN/polrun" -b "$WORK/p.polb" true 2>&1 </dev/null)
rc=$?
want_rc 0
rm -r .git pipes && mv aside .git

t "a .git that makes a folder a project stays, whatever is in it: without it the next run has the larger project around it"
mv .git aside
mkdir -p app/src next && mkdir .git app/.git
echo ref >app/.git/HEAD
cd app/src || exit 1
run sh -c 'echo bad >"$PWD/../../next/f"; echo free >"$PWD/../own"'
no_file ../../next/f
want_text free ../own
for way in 'mv ../.git ../x' 'rm -r ../.git' 'mkdir ../y && mv -T ../.git ../y' 'mv ../.git /tmp/'; do
	run sh -c "$way; echo free >../.git/description; mkdir -p new/.git; mv new/.git new/x && echo moved"
	want_line 'blocked: write .*/app/\.git: rule .* at std/floor\.pol'
	want_text free ../.git/description
	want_out '^moved$'
	rm -rf new
done
cd ../.. || exit 1
run sh -c 'mv app/.git app/x; rm -r app/.git; mv app other && echo moved'
want_file app/.git
no_out moved
run sh -c 'mkdir -p mine/.git; rmdir mine/.git; rmdir mine && echo removed'
want_out '^removed$'
mkdir -p app/src && cd app/src || exit 1
run sh -c 'echo bad >"$PWD/../../next/f"'
no_file ../../next/f
cd ../.. || exit 1
rm -rf .git app next && mv aside .git

done_
