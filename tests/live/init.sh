#!/usr/bin/env bash
# polc init: a policy that passes its own check in each kind of project, counts at once,
# and names no folder that does not say the same.
# week: once a week, as root and as a user in turn
# shellcheck disable=SC2016,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
export XDG_STATE_HOME=$WORK/state
git config --global user.email a@example.org
git config --global user.name a
git config --global init.defaultBranch main

polc() { # COMMAND…
	"$BIN/polc" "$@" >"$WORK/.o" 2>"$WORK/.e" </dev/null
	rc=$? out=$(cat "$WORK/.o") err=$(cat "$WORK/.e")
}
fresh() { # FILE…: an empty repository with these files, and go there
	rm -rf "$WORK/home/new"
	mkdir "$WORK/home/new" && cd "$WORK/home/new" && git init -q . || exit 1
	[ $# -eq 0 ] || touch "$@"
}
verdict() { # LINE EFFECT
	local got
	got=$("$BIN/polc" explain --discover command "$1" 2>&1 | sed -n '1s/:.*//p')
	[ "$got" = "$2" ] || bad "$1: $got, want $2"
}

t "each kind of project: what is written is clean, and its tests pass"
while read -r line files; do
	# shellcheck disable=SC2086
	fresh $files
	polc init
	want_rc 0
	polc check .pol/policy.pol
	want_rc 0
	want_out '^0 errors, 0 warnings; [1-9][0-9]* tests passed, 0 failed'
	grep -qxF "    command \"${line//_/ }\" => allow" .pol/policy.pol || bad "no test of $line"
done <<'EOT'
npm_test package.json
pnpm_test package.json pnpm-lock.yaml
yarn_test package.json yarn.lock
bun_test package.json bun.lock
pytest pyproject.toml
uv_run_pytest pyproject.toml uv.lock
poetry_run_pytest pyproject.toml poetry.lock
cargo_test Cargo.toml
go_test_./... go.mod
mvn_-o_test pom.xml
./gradlew_test build.gradle.kts gradlew
cmake_--build_build CMakeLists.txt
meson_test_-C_build meson.build
make Makefile
make Makefile package.json go.mod
git_status
EOT

t "it counts without another word: the control is the project before"
fresh Makefile
verdict 'git commit -m x' ask
polc init
verdict 'git commit -m x' allow
verdict 'git push' ask

t "no repository, and a folder with a strange name"
mkdir "$WORK/home/1 \"x\$(y)" && cd "$WORK/home/1 \"x\$(y)" || exit 1
touch Makefile
polc init
want_rc 0
polc check .pol/policy.pol
want_rc 0
cd "$WORK" || exit 1
polc init "$WORK/home/1 \"x\$(y)"
want_rc 1
want_err 'the project has a policy'

t "what is there stays: a policy of another name, a link, a folder that cannot be written"
fresh Makefile
mkdir .pol
echo 'command { deny "x" }' >.pol/other.yml
polc init
want_rc 1
no_file .pol/policy.pol
rm -rf .pol
mkdir "$WORK/elsewhere"
ln -s "$WORK/elsewhere" .pol
polc init
want_rc 2
no_file "$WORK/elsewhere/policy.pol"
polc init nowhere
want_rc 2
polc init Makefile
want_rc 2
polc init . .
want_rc 2

t "a worktree: git commit works in a run, and the repository's hooks and settings stay closed"
fresh Makefile
git add Makefile && git commit -qm first && git worktree add -q "$WORK/home/tree"
cd "$WORK/home/tree" || exit 1
polc init
want_rc 0
! grep -q 'leads to a repository' .pol/policy.pol || bad "$(cat .pol/policy.pol)"
"$BIN/polc" compile .pol/policy.pol -o "$WORK/tree.polb" >/dev/null 2>&1 || bad "compile"
touch second
"$BIN/polrun" -y -b "$WORK/tree.polb" -c 'git add second && git commit -qm second' >"$WORK/.o" 2>&1 ||
	bad "$(cat "$WORK/.o")"
[ "$(git log --format=%s | head -n 1)" = second ] || bad "no commit: $(git log)"
"$BIN/polrun" -y -b "$WORK/tree.polb" sh -c "echo x >$WORK/home/new/.git/hooks/post-commit
	echo x >>$WORK/home/new/.git/config" >/dev/null 2>&1
no_file "$WORK/home/new/.git/hooks/post-commit"
! grep -qx x "$WORK/home/new/.git/config" || bad "the settings were written"

t "a submodule"
fresh Makefile
git add Makefile && git commit -qm first
git -c protocol.file.allow=always submodule -q add "$WORK/home/new/.git" sub 2>"$WORK/.e" || bad "$(cat "$WORK/.e")"
cd sub || exit 1
polc init
want_rc 0
! grep -q 'leads to a repository' .pol/policy.pol || bad "$(cat .pol/policy.pol)"

t "a .git file that leads elsewhere, and a repository that does not know this tree"
for to in "$HOME" "$WORK/home/new/.git"; do
	rm -rf "$WORK/home/evil" && mkdir "$WORK/home/evil" && cd "$WORK/home/evil" || exit 1
	echo "gitdir: $to" >.git
	polc init
	want_rc 0
	grep -q 'leads to a repository elsewhere' .pol/policy.pol || bad "$(cat .pol/policy.pol)"
done

t "a folder that came with the project, or lies beside it, says nothing of the repository of another one"
# WHERE: of the folder; "gitdir" and "commondir" are what the packed folder says
packed() { # WHERE
	rm -rf "$WORK/home/packed" && mkdir -p "$WORK/home/packed/evil" && cd "$WORK/home/packed/evil" || exit 1
	mkdir -p "$1/objects" "$1/refs"
	echo "gitdir: $1" >.git
	echo 'ref: refs/heads/main' >"$1/HEAD"
	echo "$PWD/.git" >"$1/gitdir"
	printf '[core]\n\tworktree = %s\n' "$PWD" >"$1/config"
}
fresh Makefile
for where in fake ../fake ../fake/worktrees/evil fake/worktrees/evil; do
	packed "$where"
	echo "$WORK/home/new/.git" >"$where/commondir"
	polc init
	want_rc 0
	grep -q 'leads to a repository elsewhere' .pol/policy.pol || bad "$where: $(cat .pol/policy.pol)"
done
# a link of the project that leads to the other repository
packed fake
rm -rf fake && ln -s "$WORK/home/new/.git" fake
polc init
grep -q 'leads to a repository elsewhere' .pol/policy.pol || bad "$(cat .pol/policy.pol)"
# the control: a folder beside the project that says it of itself
packed ../fake
rm ../fake/gitdir
polc init
! grep -q 'leads to a repository' .pol/policy.pol || bad "$(cat .pol/policy.pol)"

t "an agent cannot say it"
policy 'command { otherwise allow  allow "polc **" }'
run polc init
want_rc 126

done_
