#!/usr/bin/env bash
# What is new after a run and may be read or run by a program outside: names of the floor in folders below, where it does
# not keep them, and names that no list has.  What builds make themselves is not told.
# places:
# places without: tmp shm
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

policy ''
raw_policy 'policy build { level user }
use std/profile/project' build
told() { # PATTERN: exactly one line of polrun's about it
	[ "$(grep -cE -- "^polrun: .*$1" <<<"$err")" -eq 1 ] || bad "not one line about $1"
}
quiet() { no_err 'has appeared|was made or changed|new names|wait to be looked at'; }
run_in() { # COMMAND…: with a report
	rm -f "$WORK/r.json"
	run_with "${bundle:-p}" --report "$WORK/r.json" -- "$@"
	want_rc 0
}
reported() { # KIND PATH
	python3 -c '
import json, sys
sys.exit(not any(x["kind"] == sys.argv[2] and x["path"] == sys.argv[3] for x in json.load(open(sys.argv[1]))["left"]))' \
		"$WORK/r.json" "$1" "$P/$2" || bad "the report has no $1 $2"
}

t "an unknown name with a dot at the top, and one that looks like a configuration: one line each, once"
mkdir -p .github/workflows .claude src sub/.claude
echo a >.known.json; echo a >.github/workflows/old.yml; echo a >tool.toml
run_in sh -c 'echo x >.agent9.json; echo x >agent9.jsonc; echo x >WHATEVER.md; mkdir .agent9; echo x >.agent9/hooks
	echo b >>.known.json; echo b >>tool.toml; echo x >src/inner.json; echo x >.github/workflows/new.yml; echo x >out.txt; mkdir made.yml'
for name in .agent9.json agent9.jsonc WHATEVER.md .agent9 .github/workflows/new.yml; do
	told "/$name has appeared"
	reported unknown-name "$name"
done
[ "$(grep -c . <<<"$err")" -eq 5 ] || bad "other lines"
run_in true
quiet
out=$("$BIN/polquery" left list)
for name in .agent9.json .agent9 .github/workflows/new.yml; do want_out "/$name has appeared"; done
rm .agent9.json
out=$("$BIN/polquery" left list)
no_out '/.agent9.json'
"$BIN/polquery" left seen --all >/dev/null

t "of many, five are told, and the list has the rest"
run_in sh -c 'for i in 1 2 3 4 5 6 7 8 9; do echo x >.many$i; done'
[ "$(grep -c 'many[1-9] has appeared' <<<"$err")" -eq 5 ] || bad "not five lines"
want_err '^polrun: and 4 more have appeared: see polquery left list$'
[ "$("$BIN/polquery" left list | grep -c many)" -eq 9 ] || bad "the list has not nine"
"$BIN/polquery" left seen --all >/dev/null
rm .many*

t "a name of the floor in a folder below: made, changed, moved there, in a folder of its own; and once listed it waits"
mkdir -p a/.claude b c/.vscode d e
echo old >d/CLAUDE.md; echo '{}' >a/.claude/settings.json; echo x >b/text; echo old >e/CLAUDE.md
run_in sh -c 'echo x >b/AGENTS.md; echo "{}" >a/.claude/settings.json; mv b/text c/.vscode/tasks.json; echo x >>d/CLAUDE.md
	mkdir -p b/.github/hooks; echo x >b/.github/hooks/h.json; echo x >b/.mcp.json.txt; mkdir b/deep; mv b/AGENTS.md b/deep/CLAUDE.md'
for name in a/.claude c/.vscode d/CLAUDE.md b/.github/hooks b/deep/CLAUDE.md; do
	told "/$name was made or changed: "
	reported written-name "$name"
done
no_err '/e/CLAUDE.md|mcp.json.txt|b/AGENTS.md'
run_in true
want_err '^polrun: 5 things that runs have left in .* wait to be looked at'
"$BIN/polquery" left seen --all >/dev/null
# the controls: what is not written is not told, and at the top the same names cannot be written
run_in sh -c 'cat d/CLAUDE.md a/.claude/settings.json >/dev/null; for f in CLAUDE.md .claude/settings.json bunfig.toml AGENTS.MD
	do (echo x >$f) 2>/dev/null && echo "wrote $f"; done; true'
no_out wrote
quiet

t "a folder that is moved takes names along, which is not told (doc/threat-model.md)"
mkdir -p node_modules/x/.claude
echo old >node_modules/x/CLAUDE.md
run_in mv node_modules/x moved
quiet
run_in cp -r moved copied # the control: what is made is told
told '/copied/CLAUDE.md was made or changed: '
told '/copied/.claude was made or changed: '
rm -rf node_modules moved copied
"$BIN/polquery" left seen --all >/dev/null

t "variables that agents take from the project: made and changed"
run_in sh -c 'echo A=1 >.env'
told '/.env was made or changed: '
reported written-name .env
run_in sh -c 'cat .env >/dev/null'
no_err '/.env was'
run_in sh -c 'echo LD_PRELOAD=./x.so >>.env'
told '/.env was made or changed: '
"$BIN/polquery" left seen --all >/dev/null

t "settings and programs that jj, direnv and their like take from dot folders: made and changed, once a row"
mkdir -p .jj/repo/store .direnv/python/bin .pixi/envs
echo old >.jj/repo/config.toml; echo old >.direnv/python/bin/python; echo old >.direnv/a.rc
# the controls: what is only read, and the rest of these folders
run_in sh -c 'cat .jj/repo/config.toml .direnv/a.rc >/dev/null; echo x >.jj/repo/store/type; mkdir .pixi/envs/default'
quiet
run_in sh -c 'echo x >.jj/repo/config.toml; echo x >.direnv/python/bin/python; echo x >.direnv/a.rc; mkdir .devenv .bundle; echo x >.devenv/profile
	echo x >.pixi/config.toml; echo x >.bundle/config; echo x >.project'
for name in .jj/repo/config.toml .direnv .devenv .pixi/config.toml .bundle/config; do
	told "/$name was made or changed: "
	reported written-name "$name"
done
told '/.project has appeared'
"$BIN/polquery" left seen --all >/dev/null
rm -rf .jj .direnv .devenv .pixi .bundle .project

t "what packages and new repositories bring is not told one by one"
mkdir -p node_modules/a
run_in sh -c 'mkdir -p node_modules/p/.vscode vendor/q sub/node_modules/r; echo x >node_modules/p/CLAUDE.md; echo x >node_modules/p/.vscode/tasks.json
	echo x >vendor/q/AGENTS.md; echo x >sub/node_modules/r/.mcp.json'
quiet
if command -v git >/dev/null; then
	git init -q "$WORK/up" && git -C "$WORK/up" -c user.name=a -c user.email=a@b commit -q --allow-empty -m x
	run_in sh -c 'git init -q clone && mkdir -p clone/.claude clone/pkg && echo x >clone/CLAUDE.md && echo x >clone/.claude/settings.json && echo x >clone/pkg/AGENTS.md'
	told 'clone/.git has appeared'
	no_err 'CLAUDE|AGENTS|settings'
	"$BIN/polquery" left seen --all >/dev/null
fi

if command -v git >/dev/null; then
	t "what git goes on with when a rebase, git am or a cherry-pick has stopped: made and changed, in each repository and worktree"
	rm -rf ./* .agent9* .github .known.json
	export GIT_CONFIG_GLOBAL=$WORK/gitconfig GIT_CONFIG_SYSTEM=/dev/null
	printf '[user]\n\tname = a\n\temail = a@b\n[init]\n\tdefaultBranch = main\n' >"$GIT_CONFIG_GLOBAL"
	outside() { GIT_EDITOR=true git -C "$1" "${@:2}" >/dev/null 2>&1; }
	conflict() { # FOLDER: its branch x cannot be rebased on main without a person
		outside . init "$1"
		commit() { echo "$3" >"$1/$2" && outside "$1" add "$2" && outside "$1" commit -m "$3"; }
		commit "$1" f 1
		outside "$1" checkout -b x
		commit "$1" f 2
		commit "$1" g 3
		outside "$1" tag first
		outside "$1" checkout main
		commit "$1" f 4
		outside "$1" checkout x
	}
	in_run() { run_in sh -c 'git() { command git -c user.name=a -c user.email=a@b "$@" >/dev/null 2>&1; }; export GIT_EDITOR=true; '"$1; true"; }
	seen() { "$BIN/polquery" left seen --all >/dev/null; }
	conflict .
	outside . rebase main
	[ -s .git/rebase-merge/git-rebase-todo ] || bad "no rebase has stopped"
	in_run 'cat .git/rebase-merge/* >/dev/null; git status; git add f; mkdir -p src/sequencer src/rebase-merge; echo x >src/sequencer/todo; echo x >src/rebase-merge/strategy'
	quiet
	in_run 'echo "exec touch '"$WORK"'/ran" >>.git/rebase-merge/git-rebase-todo'
	told '/.git/rebase-merge was made or changed: git runs what it names later'
	reported written-name .git/rebase-merge
	out=$("$BIN/polquery" left list)
	want_out '/.git/rebase-merge was made or changed'
	# the control: that is what it is about
	echo 5 >f && outside . add f && outside . rebase --continue
	[ -e "$WORK/ran" ] || bad "git does not run what the list names"
	outside . rebase --abort
	outside . reset --hard first
	seen
	in_run 'git rebase main; [ -d .git/rebase-merge ] && echo ours >.git/rebase-merge/strategy'
	told '/.git/rebase-merge was made or changed: '
	seen
	in_run 'for i in 1 2 3; do echo 6 >f; git add f; git rebase --continue; done; [ -d .git/rebase-merge ] || echo done'
	want_out '^done$'
	quiet
	in_run 'git checkout main; git cherry-pick first~1 first'
	told '/.git/sequencer was made or changed: '
	outside . cherry-pick --abort
	seen
	conflict sub
	outside sub worktree add ../w main
	outside . init --bare .git/modules/m
	outside . worktree add w2
	mkdir -p .git/modules/m/rebase-apply .git/worktrees/w2/rebase-merge .git/branches
	in_run 'cd sub; command git format-patch -1 --stdout main >../p; git am ../p; mkdir .git/worktrees/w/sequencer; cd ..
		echo x >.git/modules/m/rebase-apply/apply-opt; echo x >.git/worktrees/w2/rebase-merge/strategy
		echo x >.git/branches/b'
	for name in .git/branches sub/.git/rebase-apply sub/.git/worktrees/w/sequencer .git/modules/m/rebase-apply .git/worktrees/w2/rebase-merge; do
		told "/$name was made or changed: git runs"
		reported written-name "$name"
	done
	seen
	unset GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM
	rm -rf .git
fi

t "what builds, package managers and editors make is not told"
bundle=build
rm -rf ./* .agent9* .github .known.json
mkdir src
run_in sh -c 'mkdir -p build dist target/debug node_modules/.bin .venv/bin .pytest_cache .mypy_cache .next .gradle .cache .deps .libs obj
	touch package-lock.json compile_commands.json tsconfig.tsbuildinfo .eslintcache .coverage .coverage.host.12 .ninja_log .depend a.o .a.o.d .a.o.cmd .foo.c.swp .DS_Store \
		.gitignore .dockerignore README.md CHANGELOG.md Cargo.lock yarn.lock pnpm-lock.yaml .pnp.cjs coverage.json junit-report.xml .nfs0001 .package-lock.json results.json \
		.config config.h config.status .version Makefile CMakeCache.txt src/package.json src/opencode.json.in'
quiet
if command -v make >/dev/null && command -v gcc >/dev/null; then
	rm -rf ./* .[a-z]*
	mkdir src
	printf 'int main(void) { return 0; }\n' >src/a.c
	printf 'a: src/a.c\n\tmkdir -p build\n\tgcc -MMD -MF .a.d -o build/a.o -c src/a.c\n\tgcc -o a build/a.o\n' >Makefile
	run_in make -s
	quiet
fi
if command -v npm >/dev/null; then
	rm -rf ./* .[a-z]*
	mkdir -p "$WORK/dep" && echo '{"name":"dep","version":"1.0.0"}' >"$WORK/dep/package.json" && echo x >"$WORK/dep/CLAUDE.md"
	(cd "$WORK/dep" && npm pack --silent >/dev/null 2>&1) && cp "$WORK/dep/dep-1.0.0.tgz" . && echo '{"name":"x","version":"1.0.0"}' >package.json
	run_in npm install --silent --no-audit --no-fund --offline ./dep-1.0.0.tgz
	[ -e node_modules/dep/CLAUDE.md ] || bad "npm installed nothing"
	quiet
fi
if command -v python3 >/dev/null; then
	rm -rf ./* .[a-z]*
	run_in python3 -m venv --without-pip .venv
	quiet
	printf 'x = 1\n' >m.py
	run_in python3 -m compileall -q .
	quiet
fi

t "another tree that a rule lets be written: names at the top of the projects that it had are told"
rm -rf ./* .[a-z]*
O=$HOME/other
mkdir -p "$O/.git" "$O/app/.git" "$O/b/app/.pol" "$O/src" "$O/old/.git"
echo old >"$O/old/CLAUDE.md"
policy 'file { allow read, write "${HOME}/other" }' two
printf 'cd "$1"; echo x >CLAUDE.md; mkdir .claude; echo x >.claude/s; echo x >app/opencode.json; ln -s ../src b/app/.vscode; mkdir app/.github; mkdir app/.github/hooks; echo x >src/x; echo x >old/x\n' >"$WORK/home/project/names"
bundle=two
run_in sh names "$O"
for name in CLAUDE.md .claude app/opencode.json b/app/.vscode app/.github/hooks; do
	told "/other/$name was made or changed"
done
[ "$(grep -c . <<<"$err")" -eq 5 ] || bad "other lines"
run_in sh -c 'echo x >"$1/app/x"' - "$O"
no_err 'was made or changed'
rm -rf "$O" names

t "too many names at the top: it says so"
bundle=p
rm -rf ./* .[a-z]*
mkdir .lots && (cd .lots && seq 5000 | xargs touch)
run_in sh -c 'echo x >.agent9'
want_err '^polrun: not all new names .* were looked at'

done_
