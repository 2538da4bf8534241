#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# What a command that failed did not find inside.
# shellcheck disable=SC2016,SC2088,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

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

done_
