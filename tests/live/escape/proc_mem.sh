#!/usr/bin/env bash
# Tries: another process's memory, by /proc/PID/mem and process_vm_writev.
# Stops it: the own pid namespace; pid 1 is not dumpable; std/base's filter.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
bare_policy
std_policy
sleep 60 &
host=$!

t "the control: what the user may do outside, and to its own child inside"
outside "$K" mem "$host"
worked
for trick in mem vm; do
	run "$K" "$trick"
	worked
done

t "memory of pid 1 and of the host's processes"
run "$K" mem 1
stopped EACCES
run "$K" vm 1
stopped EPERM
run "$K" mem "$host"
stopped ENOENT
run "$K" vm "$host"
stopped ESRCH

t "std/base: no memory of other processes by a call at all"
run_with s "$K" vm
stopped EPERM

kill "$host"
done_
