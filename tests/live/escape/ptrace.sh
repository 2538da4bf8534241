#!/usr/bin/env bash
# Tries: to trace pid 1 and the host's processes, and to take their descriptors.
# Stops it: the own pid namespace; pid 1 is not dumpable; std/base's filter.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
bare_policy
std_policy
sleep 60 &
host=$!

t "the control: a process of the user outside, an own child inside"
outside "$K" getfd "$host"
worked
for trick in trace getfd; do
	run "$K" "$trick"
	worked
	run "$K" "$trick" 1
	stopped EPERM
	run "$K" "$trick" "$host"
	stopped ESRCH
done

t "std/base: nobody traces"
for trick in trace getfd; do
	run_with s "$K" "$trick"
	stopped EPERM
done

kill "$host"
done_
