#!/usr/bin/env bash
# Tries: to have the kernel run a program of ours outside: core_pattern,
# modprobe, hotplug, binfmt_misc, a cgroup's release agent; and sysrq.
# Stops it: the own uid is nobody to these files; /proc/sys is read-only, sysrq
# masked, /sys not there; no capability mounts them anew.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
bare_policy 'file { allow read, write "/proc", "/sys" }'
std_policy
files="/proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/kernel/hotplug
/proc/sys/kernel/poweroff_cmd /proc/sys/kernel/cap_last_cap /proc/sys/fs/suid_dumpable
/proc/sys/fs/binfmt_misc/register /proc/sys/kernel/sysrq /proc/sys/vm/drop_caches
/proc/sys/net/ipv4/ip_forward /proc/sys/user/max_user_namespaces
/proc/sysrq-trigger /proc/irq/default_smp_affinity /proc/bus/pci/devices /proc/kmsg"

if is_root; then
	t "the control: outside root may write them"
	outside "$F" write /proc/sys/kernel/core_pattern
	worked
fi
t "inside they can be read at most"
run cat /proc/sys/kernel/core_pattern
want_rc 0
want_out .
for b in p s; do
	# shellcheck disable=SC2086
	run_with "$b" sh -c 'p=$1; shift; for f; do [ ! -e "$f" ] || "$p" write "$f"; "$p" chmod "$f" "$(stat -c %a "$f" 2>/dev/null || echo 444)"; done' \
		- "$F" $files
	want_out '^(EROFS|EACCES|EPERM|ENOENT)$'
	no_out '^OK'
done
run "$F" write /proc/self/comm x
worked

t "/sys is not there, and no mount brings it"
for fs in sysfs debugfs tracefs securityfs cgroup cgroup2 binfmt_misc bpf configfs; do
	run "$C" mount @none @/tmp "@$fs" 0 0
	stopped EPERM
done
run "$F" list /sys
stopped ENOENT
run "$F" list /proc/sys
worked

t "the machine's own calls"
# magic numbers are wrong on purpose: only the permission is asked
for call in "reboot 1 2 3" "swapon @/nowhere 0" "acct @/nowhere" "init_module 0 0 @" \
	"finit_module -1 @ 0" "delete_module @none 0" "kexec_load 0 0 0 99" "iopl 3" \
	"ioperm 0 1 1" "sethostname @$(hostname) 0" "syslog 3 +16 16"; do
	for b in p s; do
		# shellcheck disable=SC2086
		run_with "$b" "$C" $call
		stopped 'EPERM|ENOSYS|ENODEV'
	done
done
# shellcheck disable=SC2043
for call in "bpf 0 +64 64" "userfaultfd 0" "perf_event_open +128 0 -1 -1 0"; do
	# shellcheck disable=SC2086
	run_with s "$C" $call
	stopped EPERM
done

done_
