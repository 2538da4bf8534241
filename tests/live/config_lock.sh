#!/usr/bin/env bash
# git goes on when it could not write a configuration that the floor keeps, often with
# status 0 (here it may not write which branch another follows): polrun names the rule without being asked.  And programs that were built with
# a sanitizer run under std/dev/c.
# long: every fourth day, as root and as a user in turn
# places:
# shellcheck disable=SC2016,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

LINE="blocked: write $P/\.git/config( \\([^)]*\\))*: rule .* at std/floor\.pol:[0-9]+"
silent() { [ -z "$err" ] || bad "something is on stderr"; }
for c in 'user.email a@example.org' 'user.name n' 'init.defaultBranch main' 'advice.detachedHead false'; do
	# shellcheck disable=SC2086
	git config --global $c
done
git init -q "$WORK/origin" && git -C "$WORK/origin" commit -q --allow-empty -m one && git -C "$WORK/origin" branch y
rmdir "$P" 2>/dev/null
cd "$HOME" && git clone -q "$WORK/origin" "$P" && cd "$P" || exit 1
# by a key that no run changes the text is none that polrun reads, so that every change of it is refused
printf '[alias]\n\tst = "status" ; mine\n' >>.git/config
policy 'file { allow read "${HOME}/.gitconfig" }'

t "git checkout --track ends with 0, and the rule is named"
cp .git/config "$WORK/config"
run git checkout -q -b x --track origin/y
want_rc 0
want_line "$LINE"
cmp -s .git/config "$WORK/config" || bad "the configuration was written"
run git config --local some.name value
want_line "$LINE"
run -q git checkout -q -b x1 --track origin/y
want_rc 0
no_err '^polrun:'
run git checkout -q main
want_rc 0
silent

t "what git does without writing it says nothing"
run git status --short
silent
run git config --local user.name
no_err '^polrun:'
run git commit -q --allow-empty -m two
want_rc 0
silent
run sh -c ': > .git/other.lock; : > config.lock; rm .git/other.lock config.lock'
want_rc 0
silent

t "with --explain-denials it is named once"
run --explain-denials git checkout -q -b x2 --track origin/y
want_line "$LINE"

t "a repository below the project, and the report"
git clone -q "$WORK/origin" sub
printf '[alias]\n\tst = "status"\n' >>sub/.git/config
rm -f "$WORK/r.json"
run --report "$WORK/r.json" git -C sub checkout -q -b x --track origin/y
want_line "blocked: write $P/sub/\.git/config( \\([^)]*\\))*: "
grep -q '"subject": "[^"]*/sub/.git/config"' "$WORK/r.json" || bad "$(cat "$WORK/r.json")"

if [ "$VARIANT" != san ] && printf 'int main(void) { return 0; }\n' >a.c &&
	gcc -fsanitize=address a.c -o "$WORK/asan" 2>/dev/null && gcc -fsanitize=leak a.c -o "$WORK/lsan" 2>/dev/null; then
	t "programs with a sanitizer run under std/dev/c"
	mv "$WORK/asan" "$WORK/lsan" .
	raw_policy 'policy c { level user }
use std/dev/c
command { otherwise allow }' c
	run_with c ./lsan
	want_rc 0
	silent
	raw_policy 'policy c { level user }
use std/dev/c
command { otherwise allow }
limits { memory 64T }' c
	run_with c ./asan
	want_rc 0
	silent
	printf '#include <stdlib.h>\nint main(void) { char *volatile p = malloc(10); p[10] = 1; return 0; }\n' >b.c
	gcc -fsanitize=address b.c -o bad-one && run_with c ./bad-one
	[ "$rc" -ne 0 ] || bad "the fault was not found"
	want_err heap-buffer-overflow
	# the control: without the variable it fails
	raw_policy 'policy c { level user }
command { otherwise allow }
file { allow read, write, exec "${PROJECT_DIR}" }' d
	run_with d ./lsan
	[ "$rc" -ne 0 ] || bad "ptrace is not denied"
	want_line 'blocked: system call ptrace'
fi

done_
