#!/usr/bin/env bash
# pid 1 of Debian's root in a test boot: what systemd would have mounted, the
# live tests, the sum, the switch.
#   inside.sh TREE BOOT VARIANT
set -uo pipefail
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=dumb
tree=$1 boot=$2 variant=$3
cd "$tree" || exit 1
. tests/lib/count.sh
finish() {
	echo "POL-VM-END $(count_end)"
	sync
	echo o >/proc/sysrq-trigger
	sleep 10
}
trap finish EXIT

mkdir -p /dev/pts /dev/shm
ln -s /proc/self/fd /dev/fd
for i in 0 1 2; do ln -s "fd/$i" "/dev/$(echo stdin stdout stderr | cut -d' ' -f$((i + 1)))"; done
mount -t devpts -o gid=5,mode=620,ptmxmode=666 devpts /dev/pts
mount -t tmpfs -o mode=1777 shm /dev/shm
mount -t tmpfs -o mode=0755 run /run
mount -t cgroup2 cgroup /sys/fs/cgroup
mount -t securityfs security /sys/kernel/security
mkdir -p /lib/modules
mount --bind "$tree/build/vm/modules" /lib/modules
depmod
modprobe loop
hostname vm
# what an installed Debian has and debootstrap does not write
echo '127.0.0.1 localhost vm' >/etc/hosts
echo 'nameserver 127.0.0.1' >/etc/resolv.conf
ip link set lo up
# an address as hosts have one
ip link add wire type veth peer name other && ip addr add 192.0.2.9/24 dev wire && ip link set wire up && ip link set other up
mount -o remount,rw / 2>/dev/null
ln -sf /proc/mounts /etc/mtab
# as systemd sets it
echo '|/bin/false' >/proc/sys/kernel/core_pattern

read -r p f </ramdisk.sum
count_passed=$p count_failed=$f
printf -- '-- kernel %s, security modules %s\n' "$(uname -r)" \
	"$(cat /sys/kernel/security/lsm)"
for who in root poltest; do
	printf -- '-- polrun --doctor as %s\n' "$who"
	setpriv --reuid "$who" --regid "$who" --clear-groups build/vm/bin/polrun --doctor
done

while IFS= read -r given; do export "${given?}"; done <build/vm/turns

required="userns netns seccomp listener root user python3 pty outer small"
[ "$boot" = bare ] || required+=" landlock"
[ ! -d build/lab ] || required+=" lab"

live() { # [TEST]
	# a processor that qemu emulates is ten times slower
	POL_TEST_REQUIRE=$required POL_TEST_FAST=1500 POL_LIVE_TIMEOUT=2400 VARIANT=$variant \
		BUILD=$tree/build/vm tests/run/live.sh "$@" 2>&1 </dev/null | tee /run/live.log
	count_add_line "$(tail -n 1 /run/live.log)" "${PIPESTATUS[0]}" "live tests"
}

scope=/proc/sys/kernel/yama/ptrace_scope
each() { local test; for test in "$@"; do live "$test"; done; }
mapfile -t chosen <build/vm/chosen
case $boot in
stock) if [ ${#chosen[@]} -gt 0 ]; then each "${chosen[@]}"; else live; fi ;;
yama) # 1 is what other distributions set; 3 cannot be undone
	[ ${#chosen[@]} -gt 0 ] || chosen=(vm/yama)
	for n in 1 2 3; do
		echo "$n" >"$scope"
		each "${chosen[@]}"
	done
	;;
bare)
	[ ${#chosen[@]} -gt 0 ] || chosen=(vm streams files syscalls refusals network_full confine egress_kill egress_ask egress_inject)
	each "${chosen[@]}"
	;;
*)
	echo "FAIL: no boot '$boot'"
	count_fail
	;;
esac
