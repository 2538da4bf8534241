#!/usr/bin/env bash
# Tries: to run what was written by a program that loads it: the dynamic loader,
# LD_PRELOAD, an interpreter's modules, mmap(PROT_EXEC).
# Stops it: noexec of every tree without an exec rule, which stops mapping for
# execution as well. (An interpreter reads its scripts: no wall of the kernel.)
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
lib=$(ldconfig -p 2>/dev/null | sed -nE 's/.*libm\.so\.6.*x86-64.* => (.*)/\1/p' | head -n 1)
: "${lib:=/lib/x86_64-linux-gnu/libm.so.6}"
loader=/lib64/ld-linux-x86-64.so.2
cp "$lib" "$P/mine.so" && cp /bin/true "$P/prog" && cp "$F" "$P/static"
bare_policy 'file { scratch "${HOME}", "/dev/shm" }'
policy "$ADD file { allow exec \"$P\" }" x

t "the control: with an exec rule each way works"
run_with x ./prog
want_rc 0
run_with x "$loader" ./prog
want_rc 0
run_with x env LD_PRELOAD=./mine.so cat /proc/self/maps
want_rc 0
want_out 'mine\.so'
run_with x "$F" map static
worked

t "without one none does, in no tree that can be written"
for dir in "$P" /tmp "$HOME" /dev/shm; do
	run sh -c "d=$dir; [ \$d = $P ] || cp prog static mine.so \$d; \$d/prog; echo 1:\$?
		$loader \$d/prog; echo 2:\$?; \$d/static read /etc/passwd; echo 3:\$?
		LD_PRELOAD=\$d/mine.so cat /proc/self/maps; $F map \$d/static; echo 4:\$?
		LD_LIBRARY_PATH=\$d $loader --preload \$d/mine.so /bin/cat /proc/self/maps"
	want_out '^1:126'
	want_out '^2:127'
	want_out '^3:126'
	want_out '^4:1'
	want_err 'mine\.so.*cannot be preloaded'
	no_out '^OK|x[ps] .*/mine\.so'
done

t "a second name does not help: descriptor, link, script"
run sh -c 'exec 9<static; /proc/self/fd/9 read /etc/passwd; echo 1:$?
	ln -s $PWD/static /tmp/l; /tmp/l read /etc/passwd; echo 2:$?
	printf "#!$PWD/static read\n" > s; chmod +x s; ./s; echo 3:$?'
want_out '^1:126'
want_out '^2:126'
want_out '^3:126'

done_
