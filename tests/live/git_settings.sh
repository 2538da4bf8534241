#!/usr/bin/env bash
# Where git's settings say that its hooks and programs lie: git itself is asked first (outside), a
# run then plants a file there, and it must not be there afterwards.  The same without a git that
# polrun could ask.
# long: every fourth day, as root and as a user in turn
# places:
# shellcheck disable=SC2016,SC2034,SC2088,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

if ! command -v git >/dev/null; then
	skip git "git is not installed"
	done_
	exit
fi
policy ''
unset "${!GIT_@}"
export GIT_CONFIG_NOSYSTEM=1
IDENTITY=(-c user.name=a -c user.email=a@b -c protocol.file.allow=always)
D=$P
fresh() {
	rm -rf "${P:?}"/* "$P"/.[!.]* "$HOME/.gitconfig" "$HOME/.config" "$WORK/xdg"
	mkdir -p "$P/hk" "$WORK/xdg/git"
	git init -q "$P"
	git -C "$P" "${IDENTITY[@]}" commit -q --allow-empty -m x
	D=$P
}
# PATH for polrun: with git, and without any
paths=("$PATH" /nowhere)
PLANT='/bin/mkdir -p "$1"; { echo x >"$1/pre-commit"; } 2>/dev/null; echo x >free'
# TITLE [VAR=VALUE…]: the hooks folder that git sees in $D cannot be written, its neighbour can.
kept() {
	local title=$1 hooks path
	shift
	hooks=$(cd "$D" && env "$@" git rev-parse --git-path hooks) || bad "$title: git refuses"
	case $hooks in
	.git/hooks | */.git/hooks) bad "the control: $title: git sees $hooks only" ;;
	/*) ;;
	*) hooks=$D/$hooks ;;
	esac
	for path in "${paths[@]}"; do
		rm -f "$P/free"
		err=$(env "$@" PATH="$path" "$BIN/polrun" -b "$WORK/p.polb" /bin/sh -c "$PLANT" - "$hooks" 2>&1 </dev/null)
		[ ! -e "$hooks/pre-commit" ] || bad "$title: $hooks was written (PATH=$path)"
		[ -e "$P/free" ] || bad "$title: nothing can be written (PATH=$path)"
		rm -f "$hooks/pre-commit"
	done
}
# TEXT (printf's escapes): as the project's configuration
setting() {
	fresh
	printf "$1" >>"$P/.git/config"
	kept "$1"
}

t "the control: a folder that no setting names"
fresh
run sh -c "$PLANT" - "$P/hk"
want_file "$P/hk/pre-commit"
# nor one that was named and is not any more
setting '[core]\n\thooksPath = hk\n'
git -C "$P" config --unset core.hooksPath
run sh -c "$PLANT" - "$P/hk"
want_file "$P/hk/pre-commit"
setting '[core]\n\thooksPath = hk\n'
printf '# hooksPath = other\n' >>"$P/.git/config"
run sh -c "$PLANT" - "$P/other"
want_file "$P/other/pre-commit"

t "core.hooksPath, in every way that git reads it"
setting '[core]\n\thooksPath = hk\n'
setting '[core]hooksPath=hk'
setting '[cOrE]\tHOOKSpath\t=hk;x\n'
setting '[a] [core] x\n[b] y = z [core]\n[core] hookspath = hk # = x\n'
setting '[core]\r\n\thooksPath = hk\r\n'
setting '[core]\n\thooksPath = \\\n  hk\n'
setting '[core]\n\thooksPath = \\\r\n  h\\\r\nk\n'
setting '[core]\n\thooksPath = "h"k""\n'
setting '[core]\n\thooksPath = "h#;k" ; x\n'
setting '[core]\n\thooksPath = h\\"k\\tx\\\\y\n'
setting '[core]\n\thooksPath = h\tk\n'
setting '[core]\n\thooksPath = h  k \t \n'
setting '[core]\n\thooksPath = "h  k \t "\n'
setting '[core]\n\thooksPath = "hk\\\n x"y\n'
setting '[core]\n\thooksPath = hk=x\n'
setting '[core]\n\thooksPath = hk\v\n'
setting '[core]\n\thooksPath = \fhk\n'
setting '[core]\n\thooksPath = first\n\thooksPath = hk\n'
setting '[core]\n\thooksPath = hk\000x\n'
setting '# \000 \\\n[core]\n\thooksPath = hk\n'
setting '[x "\\"]\\\\ [y"]\n\tz = [core] \\\n[core]\n[core]\n\thooksPath = hk\n'
setting '[x]\n\ty = "a # \\\n; b"\n[core]\n\thooksPath = hk\n'
setting '[core]\n\thooksPath = ./x/../hk/.\n'
setting '[core]\n\thooksPath = absent/hk\n'
setting "[core]\n\thooksPath = $P/hk\n"
setting '[core]\n\thooksPath = ~/project/hk\n'
setting '[core]\n\thooksPath = %%(prefix)/..'"$P"'/hk\n'
fresh
{ printf '\357\273\277[core]\n\thooksPath = hk\n'; cat .git/config; } >c && mv c .git/config
kept 'a byte order mark'
if is_root && home=$(getent passwd "$(stat -c %U /)" | cut -d: -f6) && [ "$home" = /root ]; then
	fresh
	policy 'file { allow read, write "/root/pol-hooks" }' p
	rm -rf /root/pol-hooks && mkdir /root/pol-hooks
	printf '[core]\n\thooksPath = ~root/pol-hooks\n' >>.git/config
	kept '~name/'
	rm -rf /root/pol-hooks
	policy ''
fi

t "files that are included, whatever the condition, and what a run changes of it"
for when in include 'includeIf "gitdir:~/**"' 'includeIf "gitdir/i:**/PROJECT/.GIT"' 'includeIf "onbranch:evil"' \
	'includeIf "hasconfig:remote.*.url:https://evil/**"'; do
	for path in one "$P/.git/one" '~/project/.git/one'; do
		fresh
		printf '[%s]\n\tpath = %s\n' "$when" "$path" >>.git/config
		printf '[include]\n\tpath = "t\\\nwo"\n' >.git/one
		printf '[core]\n\thooksPath = hk\n' >.git/two
		cp .git/config "$WORK/config"
		git symbolic-ref HEAD refs/heads/evil
		git config remote.x.url https://evil/x
		hooks=$(git rev-parse --git-path hooks)
		[ "$hooks" = hk ] || bad "the control: $when: git sees $hooks"
		git symbolic-ref HEAD refs/heads/main
		cp "$WORK/config" .git/config
		for search in "${paths[@]}"; do
			err=$(PATH=$search "$BIN/polrun" -b "$WORK/p.polb" /bin/sh -c 'echo ref: refs/heads/evil >.git/HEAD
				{ echo x >>.git/one; echo x >>.git/two; } 2>/dev/null; '"$PLANT" - hk 2>&1 </dev/null)
			no_file hk/pre-commit
			want_file free
			want_text 'ref: refs/heads/evil' .git/HEAD
			! grep -q '^x' .git/one .git/two || bad "$when $path: an included file was written"
			rm -f free hk/pre-commit
		done
	done
done

t "where the environment leads"
for name in .gitconfig .config/git/config; do
	fresh
	mkdir -p "$HOME/.config/git"
	printf '[core]\n\thooksPath = hk\n' >"$HOME/$name"
	kept "~/$name"
done
fresh
printf '[core]\n\thooksPath = hk\n' >"$WORK/xdg/git/config"
kept XDG_CONFIG_HOME XDG_CONFIG_HOME="$WORK/xdg"
kept GIT_CONFIG_GLOBAL GIT_CONFIG_GLOBAL="$WORK/xdg/git/config"
kept GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM=0 GIT_CONFIG_SYSTEM="$WORK/xdg/git/config"
kept GIT_CONFIG_COUNT GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=a.b GIT_CONFIG_VALUE_0=c GIT_CONFIG_KEY_1=Core.HooksPath \
	GIT_CONFIG_VALUE_1=hk
kept 'an include of GIT_CONFIG_COUNT' GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=include.path \
	GIT_CONFIG_VALUE_0="$WORK/xdg/git/config"
kept GIT_CONFIG_PARAMETERS GIT_CONFIG_PARAMETERS="'a.b'='c' 'core.hookspath'='hk'"
kept 'the old GIT_CONFIG_PARAMETERS' GIT_CONFIG_PARAMETERS="'a.b=c' 'core.hooksPath=h k' 'd.e'"
kept 'GIT_CONFIG does not matter' GIT_CONFIG=/dev/null GIT_CONFIG_GLOBAL="$WORK/xdg/git/config"
mkdir -p mine
mv .git mine/repo
printf '[core]\n\thooksPath = hk\n' >>mine/repo/config
kept GIT_DIR GIT_DIR=mine/repo GIT_WORK_TREE=.
policy 'file { allow read, write "${HOME}/other" }' o
mkdir -p "$HOME/other"
cp -r mine/repo "$HOME/other/repo"
line='echo x >>"$1/config"; echo x >"$1/hooks/post-commit"; echo x >"$1/free"'
# the control: no repository has its hooks there
mkdir -p "$HOME/other/plain/hooks"
run_with o sh -c "$line" - "$HOME/other/plain"
want_file "$HOME/other/plain/hooks/post-commit"
# without the variable a search of the tree finds it
for name in NONE GIT_DIR GIT_COMMON_DIR; do
	export $name="$HOME/other/repo"
	run_with o sh -c "$line" - "$HOME/other/repo"
	unset $name
	no_file "$HOME/other/repo/hooks/post-commit"
	want_file "$HOME/other/repo/free"
	! grep -qx x "$HOME/other/repo/config" || bad "the configuration of $name was written"
	rm -f "$HOME/other/repo/free"
done
rm -rf "$HOME/other"

t "which folder a relative path means"
# a push into the repository runs its hooks in .git
setting '[core]\n\thooksPath = hk\n'
run sh -c 'mkdir -p .git/hk; echo x >.git/hk/post-receive; echo free >.git/free'
no_file .git/hk/post-receive
want_file .git/free
fresh
mkdir -p src/hk
git config core.worktree ../src
git config core.hooksPath hk
D=$P/src
kept core.worktree
# of the repository above the project
rm -rf "$P" && mkdir -p "$P/hk" && cd "$P" || exit
git init -q "$HOME"
git -C "$HOME" config core.hooksPath project/hk
D=$HOME
kept 'a repository above'
git -C "$HOME" config core.hooksPath project
run sh -c 'echo x >pre-commit; echo x >free2'
no_file "$P/pre-commit"
want_file "$P/free2"
rm -rf "$HOME/.git"
fresh
git config core.hooksPath .
run sh -c 'echo x >post-commit; mkdir update; echo x >free3'
no_file post-commit
no_file update
want_file free3
fresh
git worktree add -q "$P/wt" 2>/dev/null
mkdir wt/hk
git config core.hooksPath hk
D=$P/wt
kept 'a worktree in the project'
fresh
git init -q "$WORK/out/lib" && git -C "$WORK/out/lib" "${IDENTITY[@]}" commit -q --allow-empty -m x
git "${IDENTITY[@]}" submodule -q add "$WORK/out/lib" sub
git -C sub config core.hooksPath hk
mkdir sub/hk
D=$P/sub
kept 'a submodule'
fresh
git init -q --bare b.git
git -C b.git config core.hooksPath hk
D=$P/b.git
kept 'a bare repository'

t "a name before '..' leads where the kernel goes from it"
fresh
mkdir -p sub/deep sub/hk
ln -s sub/deep way
git config core.hooksPath way/../hk
kept 'a link'
run sh -c 'ln -sfn away way; mv way way2; mv sub/deep sub/d2; mv sub s2; echo free >sub/deep/free; echo free >hk/pre-commit'
[ "$(readlink way)" = sub/deep ] || bad "the link was changed"
want_text free sub/deep/free
want_text free hk/pre-commit # the control: this one git does not see
rm -f hk/pre-commit
git config include.path ../way/../one
: >sub/one
run sh -c 'echo x >>sub/one; echo free >one'
want_text '' sub/one
want_text free one
fresh
mkdir -p tools/deep other/deep other/hk
git config core.hooksPath tools/deep/../../hk
kept 'directories'
run sh -c 'for d in tools tools/deep; do mv $d away; ln -sfnT ../other/deep $d; rm -rf $d; done; echo free >tools/deep/free
	mkdir tools/more; echo free >tools/free; echo free >other/hk/pre-commit'
[ -d tools/deep ] && [ ! -L tools/deep ] || bad "a directory was replaced"
want_text free tools/deep/free
want_text free tools/free
want_file tools/more
want_text free other/hk/pre-commit
want_line 'blocked: write .*/project/tools/deep( .*)?: rule .* at std/floor\.pol'
mv tools away && ln -s other/deep tools # the control: git outside sees another folder then
[ "$(cd tools/deep/../../hk 2>/dev/null && pwd -P)" != "$P/hk" ] || bad "the control: it is the same"
rm tools
# one that is absent is not made
git config core.hooksPath absent/../hk
run sh -c 'ln -s other/deep absent; mkdir absent; echo free >free2'
no_file absent
want_text free free2
# a link in a tree that nothing else keeps from being written, to one that the run only reads
rm -rf "$HOME/t2" "$HOME/t3"
mkdir -p "$HOME/t2" "$HOME/t3/deep" "$HOME/t3/hk"
ln -s "$HOME/t3/deep" "$HOME/t2/way"
policy 'file { allow read, write "${HOME}/t2"  allow read "${HOME}/t3" }' trees
git config core.hooksPath "$HOME/t2/way/../hk"
[ "$(cd "$(git rev-parse --git-path hooks)" && pwd -P)" = "$HOME/t3/hk" ] || bad "the control: git sees another folder"
run_with trees sh -c 'cd ~/t2; ln -sfn ~/t2/mine way; mv way way2; echo free >free; mkdir -p mine ../t2/hk'
[ "$(readlink "$HOME/t2/way")" = "$HOME/t3/deep" ] || bad "the link was changed"
want_text free "$HOME/t2/free"
want_file "$HOME/t2/hk"
rm -rf "$HOME/t2" "$HOME/t3"

if is_root; then
	t "a repository of another user's, in which git refuses to work until that is changed"
	setting '[core]\n\thooksPath = hk\n'
	chown -R 65534 "$P"
	! git -C "$P" rev-parse --git-path hooks >/dev/null 2>&1 || bad "the control: git works there"
	kept 'a safe directory' GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
	chown -R 65534 "$P"
	run sh -c "$PLANT" - "$P/hk"
	no_file "$P/hk/pre-commit"
	chown -R 0 "$P"
fi

t "a repository that is none yet"
setting '[core]\n\thooksPath = hk\n'
mv .git/HEAD .git/away
run sh -c 'mv .git/away .git/HEAD; '"$PLANT" - hk
no_file hk/pre-commit
want_file .git/HEAD

# --- programs ---------------------------------------------------------------------------

# KEY VALUE FILE: what the setting names is not written; without it it is.
program() {
	fresh
	mkdir -p tools
	echo one >tools/run.sh && chmod 755 tools/run.sh && echo one >tools/conv.py
	[ -e "$3" ] || cp -p tools/run.sh "$3"
	run sh -c "echo two >'$3'"
	want_text two "$3" # the control
	echo one >"$3"
	git config "$1" "$2"
	for search in "${paths[@]}"; do
		err=$(PATH=$search "$BIN/polrun" -b "$WORK/p.polb" /bin/sh -c "echo bad >'$3'; /bin/mv tools away; echo x >tools/free" 2>&1 </dev/null)
		want_text one "$3"
		want_file tools/free
		rm -f tools/free
	done
}

t "programs that the settings name"
program core.fsmonitor tools/run.sh tools/run.sh
program core.fsmonitor ./tools/run.sh tools/run.sh
program filter.x.clean 'python3 tools/conv.py --mode=a %f' tools/conv.py
program filter.x.process "sh -c '. tools/conv.py'" tools/conv.py
program diff.x.textconv 'A=b tools/run.sh' tools/run.sh
program merge.x.driver "$P/tools/run.sh %O %A %B" tools/run.sh
program gpg.ssh.program '~/project/tools/run.sh' tools/run.sh
program credential.helper '!f() { cat tools/conv.py; }; f' tools/conv.py
program alias.st '!./tools/run.sh' tools/run.sh
program some.newer.setting tools/run.sh tools/run.sh
program mergetool.x.path tools/run.sh tools/run.sh
program pager.log 'sh tools/conv.py' tools/conv.py
program alias.b 'bisect run sh tools/conv.py' tools/conv.py

t "programs that a command names as only a shell reads it"
program core.fsmonitor '$PWD/tools/run.sh' tools/run.sh
program core.fsmonitor '"$(git rev-parse --show-toplevel)/tools/run.sh"' tools/run.sh
program core.fsmonitor '`pwd`/tools/run.sh' tools/run.sh
program core.fsmonitor '${HOME}/project/tools/run.sh' tools/run.sh
program core.fsmonitor 'cd tools && ./run.sh' tools/run.sh
program core.fsmonitor '"tools/my run.sh"' 'tools/my run.sh'
program core.fsmonitor 'tools/my\ run.sh' 'tools/my run.sh'
program core.fsmonitor 'a=tools; $a/run.sh' tools/run.sh
program core.fsmonitor 'PATH=tools:$PATH run.sh' tools/run.sh
program core.fsmonitor 'tools/r*.sh' tools/run.sh
program core.fsmonitor '"$(x=$(cat tools/conv.py); echo $x)"' tools/conv.py
program alias.z '!cd tools; sh ./conv.py' tools/conv.py
program alias.z '!"${GIT_PREFIX:-.}/tools/run.sh"' tools/run.sh
fresh
mkdir tools
git config core.fsmonitor tools/absent
run sh -c 'echo bad >tools/absent; echo x >tools/free'
no_file tools/absent
want_file tools/free
echo one >tools/absent
GIT_SSH_COMMAND='tools/absent -v' run sh -c 'echo bad >tools/absent; echo x >tools/free'
want_text one tools/absent
rm tools/absent
# also as what a command runs, in an alias, and as a setting that an alias gives
git config --unset core.fsmonitor
for setting in '!sh tools/absent' 'difftool -y -x ./tools/absent' 'grep -O./tools/absent x' 'submodule foreach ../tools/absent' \
	'-c core.fsmonitor=tools/absent status' "-c core.fsmonitor='tools/absent' status" "-c 'core.fsmonitor=sh tools/absent' status" \
	'!nice sh -c "sh tools/absent"' '!echo a $(sh tools/absent)' '!if true; then sh tools/absent; fi' \
	'!exec sh tools/absent' '!env A=1 sh tools/absent' '!bash -o pipefail tools/absent'; do
	git config alias.z "$setting"
	run sh -c 'echo bad >tools/absent; echo x >tools/free'
	no_file tools/absent
	want_file tools/free
	rm -f tools/free
done
git config alias.z "-c core.hooksPath='hk2' commit"
run sh -c 'mkdir hk2; echo bad >hk2/pre-commit; echo x >tools/free'
no_file hk2/pre-commit
want_file tools/free
git config --unset alias.z
run sh -c 'echo good >tools/absent; mkdir hk2' # the control
want_text good tools/absent
git config core.fsmonitor tools/absent
rm -rf tools/absent hk2
echo one >tools/absent
# what only looks like one
git config --unset core.fsmonitor
echo one >README.md
mkdir -p refs/heads && echo one >refs/heads/main && chmod 755 refs/heads/main
git config branch.main.description 'fix README.md and x/y'
git config commit.template tools/absent
git config branch.main.merge refs/heads/main
run sh -c 'echo two >README.md; echo two >tools/absent; echo two >refs/heads/main'
want_text two README.md
want_text two tools/absent
want_text two refs/heads/main

# --- asking -------------------------------------------------------------------------------

t "which program is asked"
fresh
mkdir -p bin "$WORK/out/bin"
cp "$PROBES/git_probe" bin/git
cp "$PROBES/git_probe" "$WORK/out/bin/git"
chmod 755 bin/git "$WORK/out/bin/git"
export LD_LIBRARY_PATH=$P/bin GIT_TRACE=$WORK/out/trace
PATH=$WORK/out/bin:$PATH run true
want_rc 0
want_text '- -' git-was-started # the control: it has not got the user's LD_LIBRARY_PATH and GIT_TRACE
no_file git-has-started        # nor can it start anything
rm -f git-was-started
PATH=$P/bin:bin:$PATH run true
want_rc 0
no_file git-was-started
chmod 777 "$WORK/out/bin/git"
PATH=$WORK/out/bin:$PATH run true
no_file git-was-started
unset LD_LIBRARY_PATH GIT_TRACE
rm -rf "$WORK/out/bin"

t "an answer is kept for as long as nothing changes"
setting '[core]\n\thooksPath = hk\n'
rm -rf "$HOME/.local"
run true
run true
was=$(cd "$HOME/.local/state/pol" && ls -i git-* 2>/dev/null)
[ -n "$was" ] || bad "no answer is kept: $(ls -A "$HOME/.local/state/pol")"
run true
[ "$was" = "$(cd "$HOME/.local/state/pol" && ls -i git-*)" ] || bad "git was asked again"
sed -i s/hk/kh/ .git/config && mkdir kh
run sh -c 'echo x >kh/pre-commit; echo x >hk/pre-commit'
no_file kh/pre-commit
want_file hk/pre-commit
[ "$was" != "$(cd "$HOME/.local/state/pol" && ls -i git-*)" ] || bad "git was not asked again"
rm -f hk/pre-commit
run sh -c 'echo bad >"$1"; ls "$1"' - "$HOME/.local/state/pol/$(cd "$HOME/.local/state/pol" && ls git-*)"
[ "$rc" -ne 0 ] || bad "a run sees what git answered"

t "a git that does not answer holds nobody up"
fresh
mkfifo "$WORK/xdg/pipe"
printf '[core]\n\thooksPath = hk\n' >>.git/config
export GIT_CONFIG_GLOBAL=$WORK/xdg/pipe
started=$SECONDS
run sh -c "$PLANT" - hk
unset GIT_CONFIG_GLOBAL
[ $((SECONDS - started)) -lt 20 ] || bad "it took $((SECONDS - started)) seconds"
no_file hk/pre-commit
want_file free
printf '[broken\n' >>.git/config
rm -f free
run sh -c "$PLANT" - hk
no_file hk/pre-commit
want_file free

done_
