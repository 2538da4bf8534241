#!/usr/bin/env bash
# Tries: one more seccomp filter, or a listener of one's own, to get rid of the
# first one or to answer in the supervisor's place.
# Stops it: the kernel: filters only add, a chain of tasks has one listener.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
bare_policy 'syscall { deny getppid as no-parent }'

t "the control: outside one's own filter and listener can be had"
outside "$K" filter "$C" getppid
worked
outside "$N" listener
worked

t "a filter that allows everything allows nothing"
run "$K" filter "$C" getppid
stopped EPERM
run "$K" filter "$C" getpid
worked

t "a second listener is refused"
run "$N" listener
stopped EBUSY
run --explain-denials "$N" listener
stopped EBUSY
run "$C" prctl 22 0 0 0 0
[ "$rc" -ne 0 ] || bad "the filter was taken off"
run "$C" getppid
stopped EPERM

done_
