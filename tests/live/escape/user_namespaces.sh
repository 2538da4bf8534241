#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# Tries: a new user namespace, and with it every capability; other new
# namespaces; to enter those of pid 1.
# Stops it: the limit of the own user namespace (max_user_namespaces 0, on a
# read-only /proc/sys), no capabilities; std/base denies the calls too.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
bare_policy
std_policy
# NEWUSER NEWNS NEWPID NEWNET NEWIPC NEWUTS NEWCGROUP NEWTIME; with NEWUSER too
flags="0x10000000 0x20000 0x20000000 0x40000000 0x8000000 0x4000000 0x2000000 0x80"

t "the control: outside a user namespace can be made"
if unshare -U true 2>/dev/null; then
	outside "$N" unshare 0x10000000
	worked
	outside "$K" clone3 0x10020000
	worked
else
	skip unshare "user namespaces do not work here"
fi

t "inside none can, by no call"
for flag in $flags; do
	for with in 0 0x10000000; do
		run "$N" unshare $((flag | with))
		stopped 'EPERM|ENOSPC'
		run "$K" clone3 $((flag | with))
		stopped 'EPERM|ENOSPC'
	done
	run_with s "$N" unshare $((flag | 0x10000000))
	stopped EPERM
	run_with s "$K" clone3 "$flag"
	stopped ENOSYS
done
run "$K" clone3 0
worked

t "the limit stays"
run "$F" write /proc/sys/user/max_user_namespaces 100
stopped 'EROFS|EACCES'
run cat /proc/sys/user/max_user_namespaces
want_out '^0$'
run sh -c 'echo 0 1000 1 > /proc/self/uid_map; echo 0 0 1 > /proc/self/uid_map; id -u'
no_out '^0$'

t "namespaces of pid 1 cannot be entered"
for ns in mnt pid net user ipc uts; do
	run "$N" setns "/proc/1/ns/$ns"
	stopped EACCES
	run "$N" setns "/proc/self/ns/$ns"
	stopped 'EPERM|EINVAL'
	run_with s "$N" setns "/proc/self/ns/$ns"
	stopped EPERM
done

done_
