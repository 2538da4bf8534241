#!/usr/bin/env bash
# Tries: to open and write by a ring, whose operations pass by every filter of
# system calls.
# Stops it: the floor, which has no rings at all; and where a managed policy
# gives them back, mounts and Landlock, which their operations meet as well.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
mkdir -p "$P/kept" && echo kept >"$P/kept/f"
bare_policy
std_policy
raw_policy "${HEAD/base none/base none  level managed}$ADD
file { deny write \"\${PROJECT_DIR}/kept\" }
file { scratch \"\${TMPDIR}\" }
syscall { final allow io_uring_setup, io_uring_enter, io_uring_register }" m

outside "$K" ring
if [ "$rc" -ne 0 ]; then
	skip io_uring "this kernel has none for us: $out"
	done_
	exit
fi
t "the control: outside a ring writes"
outside "$K" ring "$WORK/out/f" outside
worked
want_text outside "$WORK/out/f"

t "given back, inside it writes what the rules let it write, and nothing else"
run_with m sh -c "$K ring /tmp/own ring && cat /tmp/own"
worked
want_out ring
run_with m "$K" ring kept/f broken
stopped EROFS
want_text kept "$P/kept/f"
run_with m "$K" ring "$WORK/out/f" broken
stopped 'ENOENT|EROFS|EACCES'
want_text outside "$WORK/out/f"

t "given back, nothing passes by the broker: what it writes is read-only for a ring"
: >"$P/old"
run_with m sh -c "echo brokered >$P/made"
want_text brokered "$P/made"
for f in old new; do
	run_with m "$K" ring $f broken
	stopped EROFS
done
want_text "" "$P/old"
[ ! -e "$P/new" ] || bad "a ring made a file"

t "given back, it makes sockets that no filter sees, and that is said"
run_with m "$C" socket 40 1 0
stopped EAFNOSUPPORT
outside "$K" ring-socket 40 # AF_VSOCK
vsock=$rc
run_with m "$K" ring-socket 2
worked
run_with m "$K" ring-socket 40
[ "$rc" -eq "$vsock" ] || bad "outside $vsock, inside $rc: the warning is no more true"
out=$("$BIN/polc" check "$WORK/m.pol" 2>&1)
want_out "m.pol:.* 'network-mode' forbids less than it says \\(seccomp\\): io_uring_setup is allowed"
out=$("$BIN/polc" check "$WORK/p.pol" 2>&1)
no_out io_uring
printf '%s\nsyscall { allow io_uring_setup when entries == 4 }\n' "$(cat "$WORK/p.pol")" >"$WORK/cond.pol"
out=$("$BIN/polc" check "$WORK/cond.pol" 2>&1)
no_out "io_uring_setup is allowed" # the floor denies it all the same

t "else there is no ring, with std/base or without"
for b in p s; do for call in "io_uring_setup 4 +120" "io_uring_enter 0 0 0 0" "io_uring_register 0 0 0 0"; do
	# shellcheck disable=SC2086
	run_with $b "$C" $call
	stopped ENOSYS
done; done
run "$K" ring
stopped ENOSYS
run_with s "$K" ring
stopped ENOSYS

done_
