#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# What a command that failed did not find inside: settings in the real HOME, variables that are not
# kept, programs and files behind links, code in a tree from which nothing is executed.  A command
# that worked is told nothing.
# shellcheck disable=SC2016,SC2088,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

tty() { python3 "$(dirname "${BASH_SOURCE[0]}")/../lib/at_tty.py" "$BIN/polrun" "$@" >"$WORK/.out" 2>&1 </dev/null
	rc=$? out=$(<"$WORK/.out") err=''; }
silent() { [ -z "$err" ] || bad "something is on stderr"; }
# NAME: a program that fails, found by its name
fails() { printf '#!/bin/sh\nexit "${STATUS:-3}"\n' >"$WORK/bin/$1" && chmod 755 "$WORK/bin/$1"; }
mkdir -p "$WORK/bin"
chmod 711 "$WORK"
for program in npm aws twine; do fails $program; done
export PATH=$WORK/bin:$PATH
PROGRAMS='file { scratch "${HOME}" allow read, exec "'$WORK'/bin" }'
HIDDEN='file { hide "${HOME}/.pypirc" as mine }'

t "settings that exist in the real HOME, and that the program is known to read"
policy "$PROGRAMS env { keep += STATUS }"
raw_policy 'policy b { level user }
use std/profile/project
file { allow read, exec "'"$WORK"'/bin" }
env { keep += STATUS }' base
echo 'registry=x' >"$HOME/.npmrc"
mkdir -p "$HOME/.aws" && echo '[default]' >"$HOME/.aws/config"
run npm install
want_rc 3
want_line '~/\.npmrc \(npm reads it\) exists outside of the sandbox, where HOME is private and empty: rule .*; to let it pass: allow read "\$\{HOME\}/\.npmrc"'
run_with base npm install
want_line '~/\.npmrc \(npm reads it\) .*: rule .* at std/base\.pol:[0-9]+; to let it pass: allow read "\$\{HOME\}/\.npmrc"'
run_with base -c 'cd . && aws s3 ls'
want_line '~/\.aws/config \(aws reads it\) .*; to let it pass: allow read "\$\{HOME\}/\.aws/config"'
# whichever program looks for it
echo 'cat ~/.npmrc; exit 3' >looks.sh
run_with base --explain-denials sh looks.sh
want_line 'blocked: read .*/\.npmrc: rule .* at std/base\.pol'
# what is said is enough
raw_policy 'policy o { level user }
use std/profile/project
file { allow read, exec "'"$WORK"'/bin" allow read "${HOME}/.npmrc" }' open
run_with open -y sh -c 'cat ~/.npmrc'
want_out '^registry=x$'
run_with open npm install
want_rc 3
no_err npmrc

t "not said: after success, under -q, of another program, of what does not exist, of a verb that fetches nothing"
STATUS=0 run npm install
want_rc 0
silent
run -q npm install
no_err polrun
run npm test
no_err npmrc
run sh -c 'exit 3'
no_err npmrc
rm "$HOME/.npmrc"
run npm install
no_err npmrc

t "a cache that its tool cannot use without writing in it, where the network is off"
for program in yarn uv gradlew; do fails $program; done
raw_policy 'policy l { level user }
use std/profile/local
file { allow read, exec "'"$WORK"'/bin" }
env { keep += STATUS }' local
for row in yarn:.cache/yarn:yarn uv:.cache/uv:uv gradlew:.gradle/caches:gradle; do
	IFS=: read -r program cache name <<<"$row"
	run_with local "$program" install
	no_err 'std/cache'
	mkdir -p "$HOME/$cache" && echo x >"$HOME/$cache/x"
	run_with local "$program" sync install
	want_rc 3
	want_line "~/$cache \($program writes in it whenever it reads it\) .*: use std/cache/$name\$"
	STATUS=0 run_with local "$program" sync install
	silent
	run_with local -q "$program" sync install
	no_err 'std/cache'
	# what is said is enough, and less is not
	raw_policy 'policy l { level user }
use std/profile/local
file { allow read, exec "'"$WORK"'/bin" allow read "${HOME}/'"$cache"'" }' less
	run_with less "$program" sync install
	want_line "use std/cache/$name"
	raw_policy 'policy l { level user }
use std/profile/local, std/cache/'"$name"'
file { allow read, exec "'"$WORK"'/bin" }' more
	run_with more -c "test -r ~/$cache/x && echo y >~/$cache/y && $program sync install"
	want_rc 3
	want_file "$HOME/$cache/y"
	no_err 'std/cache'
	# a tool that may fetch has other reasons to fail
	raw_policy 'policy l { level user }
use std/profile/local
file { allow read, exec "'"$WORK"'/bin" }
network full' fetch
	run_with fetch "$program" sync install
	no_err 'std/cache'
	rm -r "${HOME:?}/$cache"
done
run_with local yarn test
no_err 'std/cache'

t "settings where XDG_CONFIG_HOME says, if it is kept"
mkdir -p "$HOME/.xdg/git" && printf '[user]\n\tname = xdg\n' >"$HOME/.xdg/git/config"
XDG_CONFIG_HOME=$HOME/.xdg run_with local git commit -m x
want_line '~/\.xdg/git/config \(git reads it\) exists outside of the sandbox, .*; to let it pass: allow read "\$\{HOME\}/\.xdg/git/config"'
run_with local git commit -m x
want_rc 128
no_err xdg
raw_policy 'policy x { level user }
use std/profile/local
file { allow read "${HOME}/.xdg/git/config" }' xdg
XDG_CONFIG_HOME=$HOME/.xdg run_with xdg git config --global user.name
want_out '^xdg$'
rm -r "$HOME/.xdg"

t "that a file exists which a rule of a policy hides is not said"
echo x >"$HOME/.pypirc"
run_with base twine upload x
want_line '~/\.pypirc \(twine reads it\)'
raw_policy 'policy m { level user }
use std/profile/project
file { allow read, exec "'"$WORK"'/bin" }
'"$HIDDEN" mine
run_with mine twine upload x
no_err pypirc
rm "$HOME/.pypirc"
rm -rf "$HOME/.aws"

t "a variable of the caller that is not kept, where the command or a file that it names has its name"
policy ''
printf 'import os\nos.environ["THE_API_KEY"]\n' >app.py
export THE_API_KEY=value-of-it OTHER_SETTING=value-of-it
run /usr/bin/python3 app.py
want_rc 1
want_line 'THE_API_KEY is set outside and not kept, and app\.py names it: env \{ keep \+= THE_API_KEY \}'
no_err 'value-of-it'
no_err OTHER_SETTING
run -c 'test -n "$OTHER_SETTING" -a -n "$THE_API_KEY" || exit 4'
want_rc 4
want_line '(OTHER_SETTING and THE_API_KEY|THE_API_KEY and OTHER_SETTING) are set outside and not kept, and the command names them: env'
run /usr/bin/python3 -c 'import os; os.environ["OTHER_SETTING"]'
want_line 'OTHER_SETTING is set outside and not kept, and the command names it'
export OLDPWD=/usr # each shell sets it for itself
run -c 'echo $OLDPWD $OTHER_SETTING; exit 4'
want_line 'OTHER_SETTING is set outside and not kept, and the command names it'
no_err OLDPWD
policy 'env { keep += THE_API_KEY }' kept
run_with kept /usr/bin/python3 app.py
want_rc 0
silent
run_with kept -c '[ "$THE_API_KEY" = other ] || exit 4'
no_err 'not kept'

t "not said: after success, under -q, of names in no place where they are asked for"
run -c 'echo "$THE_API_KEY"'
want_rc 0
silent
run -q /usr/bin/python3 app.py
no_err polrun
echo 'raise SystemExit("OTHER_SETTING is the name of a setting")' >words.py
run /usr/bin/python3 words.py
want_rc 1
no_err 'not kept'
run sh -c 'exit 5'
no_err 'not kept'
THE_API_KEY='' run /usr/bin/python3 app.py
no_err 'not kept'
for x in 'grep THE_API_KEY words.py' 'test -n "$THE_API_KEY"'; do
	run -c "$x"
	want_rc 1
	no_err 'not kept'
done

t "credentials are named to a person where no file names them"
run -v sh -c 'exit 5'
want_line 'THE_API_KEY is set outside and not kept: env \{ keep \+= THE_API_KEY \}'
tty -b "$WORK/p.polb" sh -c 'exit 5'
want_out 'THE_API_KEY is set outside and not kept'
tty -b "$WORK/p.polb" true
no_out polrun

t "a file that the run cannot read, a link and a FIFO are not looked into"
mkdir -p "$WORK/elsewhere" && echo 'key = "$THE_API_KEY"' >"$WORK/elsewhere/app.cfg"
ln -s "$WORK/elsewhere/app.cfg" link.cfg
echo '$THE_API_KEY' >.env
mkfifo fifo
policy 'file { hide "${PROJECT_DIR}/.env" as no-env }' w
for x in "$WORK/elsewhere/app.cfg" link.cfg .env fifo; do
	run_with w -y sh -c 'exit 5' x "$x"
	want_rc 5
	no_err 'not kept'
done
echo '$THE_API_KEY' >plain.cfg
run_with w sh -c 'exit 5' x plain.cfg
want_line 'THE_API_KEY .* plain\.cfg names it'
unset THE_API_KEY OTHER_SETTING
rm -f fifo .env link.cfg

t "a link whose target is not shown is named as such: a file of the project, a program"
mkdir -p "$HOME/dotfiles" "$HOME/tools" "$HOME/.local/bin"
echo shown >"$HOME/dotfiles/conf"
ln -s "$HOME/dotfiles/conf" conf
printf '#!/bin/sh\necho ran\n' >"$HOME/tools/tool" && chmod 755 "$HOME/tools/tool"
ln -s ../../tools/tool "$HOME/.local/bin/tool"
policy 'file { scratch "${HOME}" allow read, exec "${HOME}/.local/bin" }'
policy 'file { scratch "${HOME}" allow read, exec "${HOME}/.local/bin", "${HOME}/tools" allow read "${HOME}/dotfiles/conf" }' all
run cat conf
want_rc 1
want_line 'conf is a link to ~/dotfiles/conf, which exists outside of the sandbox, .*; to let it pass: allow read "\$\{HOME\}/dotfiles/conf"'
run_with all cat conf
want_rc 0
want_out '^shown$'
for x in 'tool; exit $?' '~/.local/bin/tool'; do
	PATH=$HOME/.local/bin:$PATH run -c "$x"
	want_rc 127
	want_line '~/\.local/bin/tool is a link to ~/tools/tool, which exists outside of the sandbox, .*; to let it pass: allow read, exec "\$\{HOME\}/tools/tool"'
	PATH=$HOME/.local/bin:$PATH run_with all -c "$x"
	want_rc 0
	want_out '^ran$'
done
ln -sf "$HOME/nothing" dangling
run cat dangling
want_rc 1
no_err 'is a link'

t "code that is mapped from a tree without exec: --explain-denials names it"
if command -v cc >/dev/null; then
	echo 'int two(void) { return 2; }' >two.c
	cc -shared -fPIC -o two.so two.c
	policy ''
	policy 'file { allow exec "${PROJECT_DIR}" }' x
	map='import ctypes; print(ctypes.CDLL("./two.so").two())'
	run --explain-denials /usr/bin/python3 -c "$map"
	want_rc 1
	want_line 'blocked: exec .*/two\.so: rule file-otherwise-exec'
	run_with x --explain-denials /usr/bin/python3 -c "$map"
	want_rc 0
	want_out '^2$'
	no_err 'two\.so'
	# what only reads a mapping is not executed
	run --explain-denials /usr/bin/python3 -c 'import mmap; f = open("two.so", "rb"); mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ); raise SystemExit(3)'
	want_rc 3
	no_err 'two\.so'
else
	skip mapped "no C compiler"
fi

t "npm, pip and cargo are told not to try again, under each std/dev"
for dev in project node python rust go java c git; do
	raw_policy "policy d { level user } use std/dev/$dev" "$dev"
	run_with "$dev" -y env
	for name in NPM_CONFIG_FETCH_RETRIES PIP_RETRIES CARGO_NET_RETRY; do want_out "^$name=0\$"; done
done
done_
