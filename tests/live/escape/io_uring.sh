#!/usr/bin/env bash
# Tries: to open and write by a ring, whose operations pass by every filter of
# system calls.
# Stops it: mounts and Landlock, which the ring's operations meet as well;
# std/base has no rings at all.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
mkdir -p "$P/kept" && echo kept >"$P/kept/f"
bare_policy 'file { deny write "${PROJECT_DIR}/kept" }'
std_policy

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

t "inside it writes what the rules let it write, and nothing else"
run "$K" ring own ring
worked
want_text ring "$P/own"
run "$K" ring kept/f broken
stopped EROFS
want_text kept "$P/kept/f"
run "$K" ring "$WORK/out/f" broken
stopped 'ENOENT|EROFS|EACCES'
want_text outside "$WORK/out/f"

t "std/base: no ring"
for call in "io_uring_setup 4 +120" "io_uring_enter 0 0 0 0" "io_uring_register 0 0 0 0"; do
	# shellcheck disable=SC2086
	run_with s "$C" $call
	stopped ENOSYS
done
run_with s "$K" ring
stopped ENOSYS

done_
