#!/usr/bin/env bash
# Other repositories below the project: what git would run of them stays as it
# is and is not made, and repositories that a run makes are named, until somebody
# has seen it.
# long: every fourth day, as root and as a user in turn
# timing: runs are killed, and polrun is waited for
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b

if ! command -v git >/dev/null; then
	skip git "git is not installed"
	done_
fi
policy ''
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

t "a submodule's repository, seen from the top"
fresh
git init -q "$WORK/out/lib" && git -C "$WORK/out/lib" commit -q --allow-empty -m one
git -c protocol.file.allow=always submodule add -q "$WORK/out/lib" deps/lib 2>/dev/null
git commit -q -m sub
attack . .git/modules/deps/lib/config
run sh -c 'echo bad > .git/modules/deps/lib/hooks/post-checkout; echo bad > deps/lib/.git
	mv .git/modules away; rm -f .git/modules/deps/lib/config; echo free > deps/lib/new'
no_file .git/modules/deps/lib/hooks/post-checkout
want_file .git/modules/deps/lib/config
want_text free deps/lib/new
grep -q '^gitdir: ' deps/lib/.git || bad "deps/lib/.git: $(cat deps/lib/.git)"

t "a repository below the project, and one in its submodule"
fresh
git init -q vendor/x && git -C vendor/x commit -q --allow-empty -m one
attack vendor/x vendor/x/.git/config
run sh -c 'echo bad > vendor/x/.git/hooks/pre-commit; mv vendor gone; echo free > vendor/x/.git/description'
no_file vendor/x/.git/hooks/pre-commit
want_text free vendor/x/.git/description
run sh -c 'echo ../../evil > vendor/x/.git/commondir'
refused 'vendor/x/\.git/commondir'
no_file vendor/x/.git/commondir

t "one without hooks: git goes on working there"
fresh
git init -q --template= bare2 && git -C bare2 commit -q --allow-empty -m one
run sh -c 'cd bare2 && echo x >f && git add f && git -c user.name=a -c user.email=a@b commit -qm two'
want_rc 0
no_err 'blocked:'
run sh -c 'mkdir bare2/.git/hooks; mkdir bare2/.git/hooks2'
want_rc 0
refused 'bare2/\.git/hooks'
no_file bare2/.git/hooks
want_file bare2/.git/hooks2

t "a bare repository in an ordinary folder"
fresh
git init -q --bare docs
PLANT="$PLANT
	bare = false
	worktree = $P/docs"
attack docs docs/config
run sh -c 'echo bad > docs/hooks/pre-receive; echo free > docs/description'
no_file docs/hooks/pre-receive
want_text free docs/description

t "a .git file that leads out of the project, into a tree that the run can write"
fresh
policy 'file { allow read, write "${HOME}/other" }' o
other=$HOME/other
mkdir -p "$other" dep
PLANT="[core]
	fsmonitor = $WORK/out/evil"
git init -q "$other/store"
git -C "$other/store" commit -q --allow-empty -m one
echo "gitdir: $other/store/.git" >dep/.git
was=$(cat "$other/store/.git/config")
sh -c "$(plant "$other/store/.git/config")"
outside_git dep
[ -e "$WORK/ran" ] || bad "the control: git in dep does not run what its configuration names"
printf '%s\n' "$was" >"$other/store/.git/config"
run_with o sh -c "$(plant "$other/store/.git/config"); echo bad >$other/store/.git/hooks/post-checkout; echo free >$other/store/free"
want_text "$was" "$other/store/.git/config"
no_file "$other/store/.git/hooks/post-checkout"
want_text free "$other/store/free"
# nor where another's commondir leads
mkdir -p via/.git
cp -r "$other/store/.git/HEAD" via/.git/
echo "$other/store/.git" >via/.git/commondir
rm dep/.git
run_with o sh -c "$(plant "$other/store/.git/config")"
want_text "$was" "$other/store/.git/config"
# nor behind a link
rm -rf via
mkdir dep2
ln -s "$other/store/.git" dep2/.git
run_with o sh -c "$(plant "$other/store/.git/config")"
want_text "$was" "$other/store/.git/config"
# the control: it is what leads there that keeps a single file; a tree is searched (git_trees.sh)
policy 'file { allow read, write "${HOME}/other/store/.git/config" }' c
run_with c sh -c "$(plant "$other/store/.git/config")"
want_text "$was" "$other/store/.git/config"
rm dep2/.git
run_with c sh -c "$(plant "$other/store/.git/config")"
[ "$(cat "$other/store/.git/config")" != "$was" ] || bad "the control: it is kept without a link"
rm -rf "$other"

t "what the configuration of another repository names"
fresh
git init -q vendor/x
mkdir -p vendor/x/myhooks shared
git -C vendor/x config core.hooksPath myhooks
git -C vendor/x config include.path ../../../shared/inc
: >shared/inc
run sh -c 'echo bad >vendor/x/myhooks/pre-commit; echo bad >>shared/inc; echo free >shared/free; echo free >vendor/x/free'
no_file vendor/x/myhooks/pre-commit
want_text '' shared/inc
want_text free shared/free
want_text free vendor/x/free
# a setting of the user's that is relative is one of each repository
git -C vendor/x config --unset core.hooksPath
printf '[core]\n\thooksPath = .hooks\n' >"$HOME/.gitconfig"
mkdir -p vendor/x/.hooks .hooks
git init -q vendor/y
run sh -c 'echo free >vendor/y/free && mkdir vendor/y/.hooks; echo bad >vendor/x/.hooks/pre-commit; echo free >vendor/x/myhooks/pre-commit'
want_text free vendor/y/free
want_line 'blocked: write .*/vendor/y/\.hooks: rule .* at std/floor\.pol'
no_err 'has appeared'
no_file vendor/y/.hooks
no_file vendor/x/.hooks/pre-commit
want_text free vendor/x/myhooks/pre-commit
rm -f "$HOME/.gitconfig"
# one that holds the project: of it only the hooks' names are kept
git -C vendor/x config core.hooksPath ../..
run sh -c 'echo free >free2; echo bad >pre-commit'
want_text free free2
no_file pre-commit
no_err 'searched for repositories'
i=0
while [ $i -lt 600 ]; do
	i=$((i + 1))
	printf '[include]\n\tpath = inc%s\n' $i
done >>vendor/x/.git/config
run sh -c 'echo free >free3'
want_text free free3
want_line 'not all of .*/project was searched for repositories'

t "the administrative files of a worktree"
fresh
git worktree add -q "$WORK/out/tree" -b other 2>/dev/null
was=$(cat .git/worktrees/tree/commondir .git/worktrees/tree/gitdir)
run sh -c 'echo ../../evil > .git/worktrees/tree/commondir; echo /x > .git/worktrees/tree/gitdir'
[ "$(cat .git/worktrees/tree/commondir .git/worktrees/tree/gitdir)" = "$was" ] || bad "they were changed"
run sh -c 'echo x > .git/worktrees/tree/config.worktree; echo free > .git/worktrees/tree/free'
refused 'worktrees/tree/config\.worktree'
no_file .git/worktrees/tree/config.worktree
want_text free .git/worktrees/tree/free
# one that is there: git in the worktree runs what it names
git config extensions.worktreeConfig true
git -C "$WORK/out/tree" config --worktree user.name me || bad "no config.worktree"
attack "$WORK/out/tree" .git/worktrees/tree/config.worktree
was=$(cat .git/worktrees/tree/config.worktree)
run sh -c 'cd .git/worktrees/tree && rm -f config.worktree; mv config.worktree away; echo x >new; mv new config.worktree
	echo free >beside'
want_text "$was" .git/worktrees/tree/config.worktree
want_text free .git/worktrees/tree/beside
run mv .git/worktrees/tree .git/worktrees/gone
[ "$rc" -ne 0 ] || bad "the folder was moved away"
rm -rf "$WORK/out/tree"

t "a repository in a folder of .git: git started there works in it"
fresh
git worktree add -q "$WORK/out/tree" -b other 2>/dev/null
git init -q vendor/x
mkdir -p .git/objects/ab
for d in .git/info .git/own .git/objects/ab .git/objects/pack .git/logs/refs .git/worktrees/tree vendor/x/.git/info; do
	run sh -c "git init -q $d && git -C $d config core.fsmonitor $WORK/out/evil"
	want_rc 0
	outside_git "$d"
	[ -e "$WORK/ran" ] || bad "the control: git in $d does not run what a run put there"
	want_line "/project/$d/\.git has appeared: a repository"
	# and the next run finds it
	was=$(cat "$d/.git/config")
	run sh -c "echo bad >>$d/.git/config; echo free >$d/.git/free"
	want_text "$was" "$d/.git/config"
	want_text free "$d/.git/free"
	rm -rf "$d/.git"
done
run sh -c 'mkdir -p .git/own/objects .git/own/refs; echo "ref: refs/heads/main" >.git/own/HEAD; echo "gitdir: own" >.git/.git'
want_line '/project/\.git/own has appeared: a folder that git takes for a bare repository'
want_line '/project/\.git/\.git has appeared: a \.git file'
rm -rf .git/own .git/.git
# the control: git's own work there is not told
run sh -c 'git -c user.name=a -c user.email=a@b commit -q --allow-empty -m two && git branch objects/refs && git tag HEAD2 && git gc -q &&
	git update-ref refs/remotes/origin/HEAD HEAD && git update-ref refs/remotes/origin/branches/b HEAD'
want_rc 0
no_err 'has appeared'
rm -rf "$WORK/out/tree"

t "a repository below the project that is a gitlink of the index"
fresh
git init -q vendor/x && git -C vendor/x commit -q --allow-empty -m one
git add vendor/x 2>/dev/null && git commit -q -m gitlink
git ls-files -s | grep -q '^160000 .*vendor/x$' || bad "the control: vendor/x is no gitlink"
attack . vendor/x/.git/config
run sh -c 'rm -rf vendor/x/.git; mv vendor/x gone; mv vendor gone; echo free >vendor/x/free'
want_file vendor/x/.git/config
want_text free vendor/x/free
no_file gone

t "one that becomes a gitlink in a run stays as it is"
fresh
git init -q vendor/x && git -C vendor/x commit -q --allow-empty -m one
was=$(cat vendor/x/.git/config)
run sh -c "$(plant vendor/x/.git/config)
	git add vendor/x 2>/dev/null && $(plant vendor/x/.git/config)"
git ls-files -s | grep -q '^160000 .*vendor/x$' || bad "the control: the run made no gitlink"
want_text "$was" vendor/x/.git/config
no_err 'vendor/x.* has appeared'
outside_git .
[ ! -e "$WORK/ran" ] || bad "git outside ran what the run wanted"

# Git outside does run what such a repository names: that is why it is listed.
t "a gitlink that a run makes is listed, through its .git"
fresh
# FOLDER: makes a repository there that is a gitlink of the index and plants in it
gitlink() {
	echo "git init -q $1 && git -C $1 -c user.name=a -c user.email=a@b commit -q --allow-empty -m one &&
		git add $1 2>/dev/null && { $(plant "$1/.git/config"); }"
}
run sh -c "$(gitlink mine)"
want_rc 0
git ls-files -s | grep -q '^160000 .*mine$' || bad "the control: the run made no gitlink"
want_line '/project/mine/\.git has appeared: a repository, whose configuration git believes'
outside_git .
[ -e "$WORK/ran" ] || bad "the control: git at the top runs nothing of mine"
rm -rf mine
outside_git .
[ ! -e "$WORK/ran" ] || bad "git runs something when it is gone"
# with a .git that is a file
fresh
run sh -c "$(gitlink store) && mkdir dep && echo 'gitdir: ../store/.git' >dep/.git && git add dep 2>/dev/null"
git ls-files -s | grep -q '^160000 .*dep$' || bad "the control: the run made no gitlink"
want_line '/project/dep/\.git has appeared: a .git file'
want_line '/project/store/\.git has appeared: a repository'

t "a gitlink without a repository leads nowhere, until a run makes one there"
fresh
run sh -c 'mkdir empty && git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),empty"'
git ls-files -s | grep -q '^160000 .*empty$' || bad "the control: the run made no gitlink"
no_err 'empty.* has appeared'
outside_git .
[ ! -e "$WORK/ran" ] || bad "git runs something of an empty folder"
run sh -c "git init -q empty && $(plant empty/.git/config)"
want_line '/project/empty/\.git has appeared: a repository'
outside_git .
[ -e "$WORK/ran" ] || bad "the control: git at the top runs nothing of it"

t "what a run has made is kept in the next one, once it is a gitlink, too"
fresh
run sh -c 'git init -q mine && git -C mine -c user.name=a -c user.email=a@b commit -q --allow-empty -m one'
want_line '/project/mine/\.git has appeared'
git add mine 2>/dev/null
attack . mine/.git/config
run sh -c 'echo free >mine/free'
want_text free mine/free

t "the control: git makes repositories in a run, and they are named"
fresh
cp -r "$WORK/out/lib" lib
run sh -c 'git clone -q lib copy 2>&1 && git init -q mine && git init -q --bare bare && git -C copy pull -q'
want_rc 0
want_line '/project/copy/\.git has appeared: a repository, whose configuration git believes'
want_line '/project/mine/\.git has appeared'
want_line '/project/bare has appeared: a folder that git takes for a bare repository'
no_err '/project/lib/\.git has appeared'
run sh -c 'mkdir -p d/e && cp -r mine/.git d/e/.git && echo "gitdir: ../bare" >d/.git
	mkdir -p hid/objects hid/refs && echo "ref: refs/heads/x" >hid/HEAD
	mkdir -p .git/modules/new && cp -r bare/. .git/modules/new; ln -s ../bare d/e/f'
for what in 'd/e/\.git has appeared' 'd/\.git has appeared: a .git file' 'hid has appeared' \
	'\.git/modules/new has appeared: a submodule'; do
	want_line "$what"
done

# ARGS…: polquery left; sets out, err, rc.
left() {
	"$BIN/polquery" left "$@" >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$?
	out=$(cat "$WORK/.out") err=$(cat "$WORK/.err")
}
# N: so many things wait, and a run says so in one line.
waits() {
	run true
	if [ "$1" -eq 0 ]; then
		no_err 'to be looked at'
	else
		want_line "$1 things? that runs have left in $P waits? to be looked at: see polquery left list"
	fi
	no_err 'has appeared'
}

t "the report names them, and what was not searched"
fresh
report() { # PYTHON: of the report r
	python3 -c 'import json, sys; r = json.load(open(sys.argv[1]))
m = "\n".join(r["mechanisms"]); l = sorted((x["kind"], x["path"][len(sys.argv[2]) + 1:]) for x in r["left"])
assert '"$1"', (l, m)' "$WORK/r.json" "$P" 2>"$WORK/.py" || bad "the report: $(tail -n 1 "$WORK/.py")"
}
run --report "$WORK/r.json" sh -c 'git init -q a && git init -q --bare b && mkdir c && echo x >c/.git; echo x >.envrc'
report 'l == [("bare-repository", "b"), ("git-file", "c/.git"), ("repository", "a/.git")] and "searched" not in m'
want_line 'blocked: write .*/\.envrc: rule .* at std/floor\.pol'
no_file .envrc
run --report "$WORK/r.json" true
report 'l == [] and "searched" not in m'
run --report "$WORK/r.json" sh -c 'i=0; while [ $i -lt 140 ]; do mkdir -p r/$i/.git; i=$((i+1)); done'
report 'len(l) == 125 and "left: not all of " in m and "under: not all of the project" not in m'
run --report "$WORK/r.json" true
report 'l == [] and "left: not all of " in m and "under: not all of the project" in m'

t "they wait until a person has acknowledged them, or they are gone"
fresh
run sh -c 'git init -q a && git init -q --bare b && mkdir c && echo x >c/.git && git init -q "$(printf "n\\n%%d")"'
want_line '/project/a/\.git has appeared: a repository'
waits 4
left list
want_rc 0
want_out '^[0-9a-f]{12}  20..-.*Z  .*/project/a/\.git has appeared: a repository'
want_out '/project/b has appeared: a folder that git takes for a bare'
want_out '/project/c/\.git has appeared: a .git file'
want_out '/project/n\\x0a%d/\.git has appeared'
[ "$(wc -l <<<"$out")" -eq 4 ] || bad "not four lines"
# a terminal is no person
if command -v script >/dev/null; then
	script -qec "$BIN/polrun -b $WORK/p.polb true" /dev/null >/dev/null 2>&1 </dev/null
fi
waits 4
rm -rf a
waits 3
left list
id=$(sed -n 's/  .*c\/\.git has appeared.*//p' <<<"$out")
left seen "$id"
want_rc 0
want_out '/c/\.git has appeared'
want_out '^acknowledged: 1$'
waits 2
left seen "$id"
want_rc 1
want_err "there is no '$id' in the list"
left seen 0123 "$id"
want_rc 2
left list --format json
python3 - "$WORK/.out" "$P" <<'E2' || bad 'the JSON'
import json, sys
d = json.load(open(sys.argv[1]))
assert sorted(x["kind"] for x in d["left"]) == ["bare-repository", "repository"], d
assert all(x["project"] == sys.argv[2] and len(x["id"]) == 64 for x in d["left"]), d
assert d["more"] == d["running"] == 0 and d["unreadable"] == []
E2
left seen --all --project "$WORK"
want_out '^acknowledged: 0$'
waits 2
left seen --all
want_out '/project/b has appeared'
want_out '^acknowledged: 2$'
waits 0
left list
[ -z "$out" ] || bad "something is left"
left seen --all
want_rc 0

t "what was acknowledged and appears again is told again"
rm -rf b
run git init -q --bare b
waits 1
left seen --all
waits 0

t "no run, and no agent, can acknowledge"
fresh
run git init -q mine
raw_policy 'policy own { }
command { otherwise allow }
file { allow read, write "${PROJECT_DIR}", "${HOME}" allow read, exec "/" }' own
run_with own "$BIN/polquery" left seen --all
want_rc 126
want_err 'polquery left seen .*: denied by rule'
run_with own sh -c "$BIN/polquery left seen --all; rm -f $state/left-*; echo >$state/left-x; : >$state/records.lock"
for l in 'polquery left seen --all' "$BIN/polquery left list" 'timeout 5 polquery left seen 0123456789ab'; do
	[ "$("$BIN/polc" explain --scope host "$WORK/own.pol" command "$l" 2>&1 | sed -n '1s/:.*//p')" = deny ] ||
		bad "an agent may: $l"
done
[ "$("$BIN/polc" explain --scope host "$WORK/own.pol" command 'polquery doctor' 2>&1 | sed -n '1s/:.*//p')" = allow ] ||
	bad "the control: polquery doctor"
left list
want_out '/project/mine/\.git has appeared'
run_with own true
want_line '1 thing that runs have left in'
"$BIN/polquery" doctor >"$WORK/.out" 2>&1
out=$(cat "$WORK/.out")
want_out '^note: 1 thing that runs have left waits to be looked at: see polquery left list$'

t "a record that cannot be read is told, and not believed"
fresh
run git init -q mine
for f in "$state"/left-*; do record=$f; done
cp -p "$record" "$WORK/record"
for how in 'printf x >>"$record"; echo >>"$record"' 'sed -i 1d "$record"' 'sed -i "s/repository/thing/" "$record"' \
	'chmod 666 "$record"' 'rm "$record"; ln -s "$WORK/record" "$record"'; do
	cp -p "$WORK/record" "$record"
	eval "$how"
	run true
	want_line '1 thing that runs have left in .* waits to be looked at'
	left list
	want_out 'the record .*/left-[0-9a-f]*-.* cannot be read'
	no_out 'has appeared'
	rm -f "$record"
done
cp -p "$WORK/record" "$record"
# half of a last line does not count: a run that was killed while it wrote
printf 'left 12 ended na' >>"$record"
left list
want_out '/project/mine/\.git has appeared'
[ "$(wc -l <<<"$out")" -eq 1 ] || bad "not one line"
echo bad >"$state/left-0"
left list
want_out 'left-0 cannot be read'
left seen --all
want_out '^acknowledged: 2$'
for f in "$state"/left-*; do [ ! -e "$f" ] || bad "$f is left"; done

t "another project is not told"
fresh
run git init -q mine
mkdir "$WORK/home/second"
run --project "$WORK/home/second" true
no_err 'to be looked at'
waits 1
left list --project "$WORK/home/second"
[ -z "$out" ] || bad "it is told of another project"
left list --project "$P"
want_out '/project/mine/\.git has appeared'

t "a run that can write nothing says what waits, too"
raw_policy 'policy r { base none } command { otherwise allow } file { allow read, exec "/usr", "/bin", "/lib", "/lib64", "${PROJECT_DIR}" }' r
run_with r true
want_line '1 thing that runs have left in'
left seen --all
run_with r true
no_err 'to be looked at'

t "a polrun that was killed: the next one looks"
fresh
"$BIN/polrun" -b "$WORK/p.polb" sh -c 'git init -q mine; mkdir c; echo x >c/.git; echo up >up; sleep 30' \
	>/dev/null 2>&1 </dev/null &
within 30 test -e up || bad "the run has not begun"
# one that lives says for itself what it leaves
run true
no_err 'to be looked at'
left list --format json
want_out '"running": 1'
no_out mine
left seen --all
want_out '^acknowledged: 0$'
kill -9 $!
wait $! 2>/dev/null
sleep 0.3
waits 2
left list
want_out '/project/mine/\.git has appeared since a run of .* that was killed'
want_out '/project/c/\.git has appeared since a run of .* that was killed'
left seen --all
waits 0

t "a run that goes on holds nothing back of what others have left"
fresh
run git init -q mine
"$BIN/polrun" -b "$WORK/p.polb" sh -c 'echo up >up; sleep 30' >/dev/null 2>&1 </dev/null &
within 30 test -e up || bad "the run has not begun"
left seen --all
want_out '^acknowledged: 1$'
kill $!
wait $! 2>/dev/null
waits 0

t "many records are read, and of many things none is lost"
fresh
run sh -c 'i=0; while [ $i -lt 30 ]; do mkdir -p r/$i/.git; i=$((i+1)); done'
want_line 'and 10 more have appeared: see polquery left list'
left list
[ "$(wc -l <<<"$out")" -eq 30 ] || bad "not 30 lines"
for f in "$state"/left-*; do record=$f; done
for i in $(seq 200); do
	head -2 "$record" >"$record$i"
	printf 'left 12 ended name %s/f%s\n' "$P" "$i" >>"$record$i"
	: >"f$i"
done
chmod 600 "$state"/left-*
waits 230
[ "$(ls "$state"/left-* | wc -l)" -le 2 ] || bad "they were not put together: $(ls "$state")"
left seen --all
waits 0
# a thousand are kept by name, the others by number
run git init -q mine
for f in "$state"/left-*; do record=$f; done
for i in $(seq 1100); do
	printf 'left 12 ended name %s/f%s\n' "$P" "$i"
	: >"f$i"
done >>"$record"
waits 1101
left list
[ "$(wc -l <<<"$out")" -eq 1001 ] || bad "not 1001 lines"
want_out '^and 101 more in .*/project, whose names were not kept'
# whoever reads slowly holds up no run
rm -f "$WORK/pipe" && mkfifo "$WORK/pipe"
sh -c 'exec sleep 20' <"$WORK/pipe" &
reader=$!
"$BIN/polquery" left list >"$WORK/pipe" 2>/dev/null &
sleep 0.5
waits 1101
no_err 'will not be remembered'
kill $reader
wait 2>/dev/null
left seen --all
want_out '^acknowledged: 1101$'
waits 0
rm -f f*

t "where nothing can be remembered one line says so"
fresh
mkdir -p "$HOME/.local" && rm -rf "$HOME/.local/state" && : >"$HOME/.local/state"
run git init -q mine
want_rc 0
want_line 'will not be remembered'
want_line '/project/mine/\.git has appeared'
rm -f "$HOME/.local/state"

t "a search that ends before its end says so"
fresh
run sh -c 'i=0; while [ $i -lt 140 ]; do mkdir -p r/$i/.git; i=$((i+1)); done'
want_line 'not all of .*/project was searched for repositories that a run may have made .*too large'
run true
want_line 'not all of .*/project was searched for repositories \(it is too large\): what the configurations of those below'
fresh
run sh -c 'mkdir shut && git init -q shut/x && chmod 0 shut'
[ -n "$(find . -name shut -perm 0)" ] || bad "the folder is not shut"
is_root || want_line 'not all of .*/project was searched .*cannot be looked at'
if ! is_root; then
	# whoever owns it can open it: the run, too
	run true
	want_line 'not all of .*/project was searched for repositories \(a folder cannot be looked at\): what the configurations of those below'
	run sh -c 'chmod 711 shut && echo seen >shut/x/.git/description && chmod 311 shut'
	run true
	want_line 'not all of .*/project was searched for repositories \(a folder cannot be looked at\): what the configurations of those below'
fi
chmod 700 shut
run true
no_err 'was searched'
fresh
run sh -c 'i=0; while [ $i -lt 200 ]; do i=$((i+1)); mkdir $i; for j in a b c d e f g h i j; do mkdir $i/$j $i/$j/0 $i/$j/1 $i/$j/2 $i/$j/3 $i/$j/4 $i/$j/5 $i/$j/6 $i/$j/7 $i/$j/8; done; done; git init -q 1/a/8/x'
want_line 'not all of .*/project was searched .*too large'
run true
want_line 'not all of .*/project was searched for repositories \(it is too large\): what the configurations of those below'
fresh
if is_root && mkdir mnt && mount -t tmpfs none mnt 2>/dev/null; then
	git init -q mnt/x
	run true
	want_line 'not all of .*/project was searched for repositories \(a folder cannot be looked at\): what the configurations of those below'
	left list
	no_out .
	umount mnt
	run true
	no_err 'was searched'
fi

# The control is "a polrun that was killed" above.
t "a run that could not be started is none that was killed"
fresh
if is_root; then
	# the kernel maps no owners of this file system; root has no limit of processes
	mkdir mnt
	mount -t ramfs none mnt || bad "no mount"
	run true
	umount mnt
else
	run true
	want_rc 0
	# the sanitizer's search for leaks would need a process, too
	(
		ulimit -u 1
		export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
		exec "$BIN/polrun" -b "$WORK/p.polb" true
	) >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$?
fi
want_rc 125
git init -q later
left list
no_out .

t "names of the user's home, where a policy lets it be written"
fresh
printf '[user]\n\tname = me\n' >"$HOME/.gitconfig"
mkdir -p "$HOME/.local/bin" "$HOME/.claude" "$HOME/.config/git" "$HOME/.config/autostart" "$HOME/.config/systemd" "$HOME/.cargo"
for f in .bash_aliases .zlogout .xprofile .vimrc .cargo/config.toml; do echo mine >"$HOME/$f"; done
HEAD=${HEAD/', "${HOME}"'/} policy 'file { allow read "/"  allow read, write "${HOME}" }' h
run_with h sh -c 'for f in .gitconfig .bash_aliases .zlogout .xprofile .vimrc .cargo/config.toml .local/bin/ls .claude/x \
	.config/git/config .config/autostart/x .config/systemd/x; do echo bad 2>/dev/null >>"$HOME/$f" && echo "wrote $f"; done
	echo free >"$HOME/free" && echo free >"$HOME/.cargo/free" && echo free >"$HOME/.config/free"'
no_out wrote
want_text free "$HOME/free"
want_text free "$HOME/.cargo/free"
want_text free "$HOME/.config/free"
rm -rf "$HOME/.local" "$HOME/.claude" "$HOME/.config" "$HOME"/.[bzxvgc]*
# nor is any of them made; the control: their neighbours are
homes='.bash_aliases .gitconfig .config/git .config/autostart .config/systemd .local/bin .zlogout .xprofile
	.claude .cargo/config.toml .vimrc'
for f in $homes; do
	for line in "echo x >\$HOME/$f" "mkdir \$HOME/$f"; do
		run_with h sh -c "mkdir -p \$(dirname \$HOME/$f) && echo x >\$HOME/${f}x && $line"
		[ "$rc" -ne 0 ] || bad "$line worked"
		refused "${f//./\\.}"
		no_file "$HOME/$f"
		want_text x "$HOME/${f}x"
		rm -rf "$HOME"/.[!.]*
	done
done
run_with h sh -c 'cd && mkdir -p .config .local .cargo && for f in '"$(echo $homes)"'; do echo x >$f; done; echo free >.cargo/free'
for f in $homes; do no_file "$HOME/$f"; done
want_text free "$HOME/.cargo/free"
no_err 'has appeared'
want_line '[0-9]+ other requests were blocked'
rm -rf "$HOME"/.[!.]*
policy 'file { allow read, write "${HOME}/.cargo", "${HOME}/.local" }' h
mkdir -p "$HOME/.cargo" "$HOME/.local/bin"
echo mine >"$HOME/.cargo/config.toml"
run_with h sh -c 'echo bad >$HOME/.cargo/config.toml; echo bad >$HOME/.local/bin/ls; echo free >$HOME/.cargo/free; echo free >$HOME/.local/free'
want_text mine "$HOME/.cargo/config.toml"
no_file "$HOME/.local/bin/ls"
want_text free "$HOME/.cargo/free"
want_text free "$HOME/.local/free"
rm -rf "$HOME/.cargo" "$HOME/.local"
# the control: a home of the run's own takes them
raw_policy 'policy own { } command { otherwise allow  opaque allow } file { allow read, write "${PROJECT_DIR}" }' own
run_with own sh -c 'git config --global user.name x && mkdir -p ~/.local/bin && : >~/.local/bin/x && mkdir ~/.claude && echo done'
want_out '^done$'

t "names of the project: kept where they are, and not made where they are absent"
fresh
names='.devcontainer.json .yarnrc.yml .aider.conf.yml opencode.json CLAUDE.md AGENTS.md .github/copilot-instructions.md GEMINI.md CLAUDE.local.md AGENTS.override.md .cursorrules opencode.jsonc .yarnrc lefthook.yml mise.toml .crush.json'
mkdir .github .husky .zed .opencode .agents
for f in $names .husky/x .zed/x .opencode/x .agents/x; do echo mine >"$f"; done
run sh -c 'for f in '"$names"' .husky/x .husky/y .zed/y .opencode/x .opencode/y .agents/y .github/hooks; do echo bad 2>/dev/null >>$f && echo "wrote $f"; done; echo free >.github/free'
no_out wrote
want_text free .github/free
for f in $names; do rm -f "$f"; done
rm -rf .husky .zed .opencode .agents
run sh -c 'for f in '"$names"'; do echo x >$f; done; mkdir .husky .zed .opencode .agents .pi .qwen .kiro .helix .free'
for f in $names .husky .zed .opencode .agents .pi .qwen .kiro .helix; do no_file "$f"; done
want_file .free
[ "$(grep -c 'has appeared' <<<"$err")" -eq 1 ] && want_err '/\.free has appeared' || bad 'a kept name has appeared'
want_line '[0-9]+ other requests were blocked'
for f in $names .husky .zed .opencode .agents .pi .qwen .kiro .helix; do
	run sh -c "mkdir $f"
	want_rc 1
	refused "${f//./\\.}"
done

t "hooks that the user's environment leads git to"
unset GIT_CONFIG_NOSYSTEM
mkdir -p "$P/envhooks" "$P/free" "$WORK/xdg/git"
printf '[core]\n\thooksPath = envhooks\n' >"$WORK/xdg/git/config"
for setting in XDG_CONFIG_HOME="$WORK/xdg" GIT_CONFIG_GLOBAL="$WORK/xdg/git/config" GIT_CONFIG_SYSTEM="$WORK/xdg/git/config" \
	GIT_CONFIG_COUNT=1 GIT_CONFIG_GLOBAL=/dev/null; do
	export "${setting?}" GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=envhooks
	run sh -c 'echo x >free/f && echo x >/dev/null && echo x >envhooks/pre-commit'
	unset "${setting%%=*}"
	want_file "$P/free/f"
	if [ "$setting" = GIT_CONFIG_GLOBAL=/dev/null ]; then
		want_rc 0 # the control: nothing leads there
	else
		no_file "$P/envhooks/pre-commit"
	fi
	rm -f "$P/free/f" "$P/envhooks/pre-commit"
done
rm -rf "$P/envhooks" "$P/free"

done_
