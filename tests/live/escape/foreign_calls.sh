#!/usr/bin/env bash
# Tries: the same calls under other numbers: 32-bit (int 0x80), x32, a 32-bit
# program.
# Stops it: the filter begins with the architecture and kills what is not
# x86_64, and numbers with the x32 bit.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
bare_policy 'file { allow exec "${PROJECT_DIR}" } syscall { deny getppid }'
# A 32-bit program of 12 bytes of code: exit(7).
{
	printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0'
	printf '\2\0\3\0\1\0\0\0\124\200\4\10\64\0\0\0\0\0\0\0\0\0\0\0\64\0\40\0\1\0\0\0\0\0\0\0'
	printf '\1\0\0\0\0\0\0\0\0\200\4\10\0\200\4\10\140\0\0\0\140\0\0\0\5\0\0\0\0\20\0\0'
	printf '\270\1\0\0\0\273\7\0\0\0\315\200'
} >"$P/thirty-two"
chmod 755 "$P/thirty-two"

outside "$P/thirty-two"
if [ "$rc" -eq 7 ]; then
	t "the control: outside the 32-bit door is open"
	outside "$K" int80
	worked
	t "inside its first call kills"
	run ./thirty-two
	want_rc 159
	t "int 0x80"
	run "$K" int80
	want_rc 159
	no_out OK
else
	# A kernel may have no such door (CONFIG_IA32_EMULATION, or a hypervisor that
	# hands no int 0x80 on): then it is shut outside as well.
	t "no control: this kernel has no 32-bit calls, nobody gets through, inside or outside"
	run ./thirty-two
	[ "$rc" -ne 7 ] || bad "it ran inside"
	t "no control: int 0x80 is a fault outside"
	outside "$K" int80
	want_rc 139
	no_out OK
	run "$K" int80
	[ "$rc" -eq 139 ] || want_rc 159
	no_out OK
fi
t "x32"
outside "$K" x32
[ "$rc" -ne 159 ] || bad "the control is killed, too"
run "$K" x32
want_rc 159
for nr in 0x40000000 0x400000ff 0xc0000027 0x7fffffff; do
	run "$C" "$nr"
	[ "$rc" -eq 159 ] || stopped ENOSYS
done
t "the control: the plain call works, a denied one has its errno"
run "$C" getpid
worked
run "$C" getppid
stopped EPERM

done_
