#!/usr/bin/env bash
# The tests on another kernel: Debian's own, booted by qemu without KVM.
#   BUILD=FOLDER tests/vm/run.sh [BOOT…]     BOOT: stock, yama, bare (default: all)
#   POL_VM_PACKAGE=linux-image-cloud-amd64   the kernel's package
#   POL_VM_WORK=/var/tmp/pol-vm              kernel and root, made once, kept
#   T=NAME,NAME                              these live tests (files, vm, escape)
#   RACE_TURNS=N, KILLS=N …                  how much they try (tests/lib/turns.sh)
# A boot is an initramfs, which tests polrun on the RAM disk and then enters a
# Debian root on a disk of its own; qemu throws away what is written there.
# Last line: N passed, N failed, N skipped.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/turns.sh
: "${BUILD:=$PWD/build/rel}" "${VARIANT:=rel}"
work=${POL_VM_WORK:-/var/tmp/pol-vm}
package=${POL_VM_PACKAGE:-linux-image-cloud-amd64}
# What the guest needs beyond a minimal Debian: polc's libraries, and what the
# live tests and the examples run.
include=(python3 openssh-client git make gcc libc6-dev libsodium23 libjson-c5 libyaml-0-2
	libseccomp2 libnftables1 libpcre2-8-0 nftables procps kmod iproute2 apparmor curl strace vim
	libssl3 libevent-core-2.1-7 python3-pip
	# clients and servers of the closed network (tests/lab), and what ./dev test has unpacked is linked with
	openssl dnsmasq-base bind9-dnsutils libfcgi0ldbl libwrap0 netbase wget nodejs)
tree=$PWD

die() {
	echo "FAIL: $*"
	count_fail
	count_end
	exit 1
}

for p in qemu-system-x86_64 debootstrap mke2fs cpio apt-get dpkg-deb; do
	command -v "$p" >/dev/null || die "no $p: ./dev vm installs what is missing"
done
[ "$(id -u)" -eq 0 ] || die "debootstrap and mke2fs -d need root"
mkdir -p "$work" || exit 1

# FOLDER PACKAGE: unpacked below FOLDER, without being installed.
unpack() {
	local deb
	mkdir -p "$1.new/deb" &&
		(cd "$1.new/deb" && apt-get -qq -o APT::Sandbox::User=root download "$2") &&
		for deb in "$1.new/deb"/*.deb; do dpkg-deb -x "$deb" "$1.new" || return 1; done &&
		rm -rf "$1.new/deb" && mv "$1.new" "$1"
}

kernel_package() { # the newest package that the meta package stands for
	apt-cache depends --important "$package" 2>/dev/null |
		sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p' | head -n 1
}

make_root() { # Debian as a disk image; the sum names what it holds
	local base=$work/root-new image=$1
	rm -rf --one-file-system "$base"
	debootstrap --variant=minbase --include="$(IFS=,; echo "${include[*]}")" bookworm \
		"$base" "${POL_MIRROR:-http://deb.debian.org/debian}" >"$work/debootstrap.log" 2>&1 ||
		return 1
	chroot "$base" useradd --no-create-home --home-dir /nonexistent \
		--shell /usr/sbin/nologin poltest || return 1
	rm -rf "$base"/var/cache/apt/archives/*.deb "$base"/var/lib/apt/lists/*
	mke2fs -q -t ext4 -d "$base" -L root "$image.new" 3G >/dev/null || return 1
	rm -rf --one-file-system "$base"
	mv "$image.new" "$image"
}

real=$(kernel_package)
[ -n "$real" ] || real=$package
kernel=$work/$real
[ -d "$kernel" ] || unpack "$kernel" "$real" || die "cannot fetch $real by apt"
[ -d "$work/busybox" ] || unpack "$work/busybox" busybox-static ||
	die "cannot fetch busybox-static by apt"
root=$work/root-$(printf '%s\n' "${include[@]}" | sha256sum | cut -c1-12).ext4
[ -e "$root" ] || make_root "$root" || die "cannot make the root: $(tail -n 3 "$work/debootstrap.log")"

stage=$(mktemp -d "$work/stage.XXXXXX") || exit 1
trap 'rm -rf --one-file-system "$stage"' EXIT
trap 'exit 130' INT TERM

# The tree as it is, at its own path, and
# the programs; the tests that only a machine of its own may run (they set
# sysctls) join the live tests there.
git ls-files -co --exclude-standard | while IFS= read -r f; do [ ! -f "$f" ] || echo "$f"; done |
	cpio -pdm --quiet "$stage/tree" || die "cannot copy the tree"
mkdir -p "$stage/tree/build/vm/tests" "$stage/tree/tests/live/vm" "$stage/tree/build/vm/share/pol"
ln -s ../../../../stdlib-policies "$stage/tree/build/vm/share/pol/"
cp -r "$BUILD/bin" "$stage/tree/build/vm/" && cp -r "$BUILD/tests/probes" "$BUILD/tests/conformance" "$stage/tree/build/vm/tests/" ||
	die "no programs in $BUILD"
cp tests/vm/guest/*.sh "$stage/tree/tests/live/vm/"
# not on the kernel's command line, which takes 2,048 bytes
tr ',' '\n' <<<"${T:-}" | grep . >"$stage/tree/build/vm/chosen"
turns_given >"$stage/tree/build/vm/turns"
# The servers of the closed network, which ./dev test unpacks; without them its tests say that they are skipped.
if [ -x "${POL_LAB:=$tree/build/lab}/root/usr/sbin/nginx" ]; then
	mkdir "$stage/tree/build/lab" && cp -r "$POL_LAB/root" "$stage/tree/build/lab/" || die "cannot copy the lab"
fi
# Messages of nf_tables that were captured on this kernel, for the other one.
# shellcheck disable=SC2016
printf '%s\n' 'policy captured { base none }' 'command { otherwise allow }' 'network limited {' \
	'allow tcp 127.0.0.0/8, 192.0.2.0/24 port 8000-8010 as lo' 'deny tcp 127.0.0.0/8 port 8005 as hole' \
	'allow 10.0.0.0/8, 2001:db8::/32 port 80, 443 as web' 'deny udp 10.1.0.0/16 port 443 as d' '}' \
	'file { allow read "/" allow exec "/" allow read, write, exec "${PROJECT_DIR}" }' 'env { keep PATH }' >"$stage/captured.pol"
"$BUILD/bin/polc" compile --no-sources "$stage/captured.pol" -o "$stage/tree/tests/live/vm/captured.polb" \
	>/dev/null 2>&1 || die "cannot compile a limited network here"
# The modules that the kernel asks modprobe for when rules of nf_tables come, the lab's cable, and disks in files.
version=$(basename "$(echo "$kernel"/lib/modules/*)")
modules=$stage/tree/build/vm/modules/$version
mkdir -p "$modules"
cp "$kernel/lib/modules/$version"/modules.{builtin,builtin.modinfo,order} "$modules/"
(cd "$kernel/lib/modules/$version" && find kernel/net kernel/lib kernel/crypto kernel/drivers/net/veth.ko kernel/drivers/block/loop.ko -name '*.ko' -print0 |
	cpio -pdm0 --quiet "$modules") || die "no modules in $real"
mke2fs -q -t ext4 -d "$stage/tree" -L tree "$stage/tree.ext4" 512M >/dev/null || die "mke2fs"

make_initramfs() {
	local fs=$stage/initramfs m
	mkdir -p "$fs"/{bin,proc,sys,dev,tmp,root,t,modules}
	cp "$work/busybox/bin/busybox" "$fs/bin/"
	cp tests/vm/init "$fs/init"
	for m in virtio_ring virtio virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci virtio_blk overlay; do
		find "$kernel/lib/modules" -name "$m.ko" -exec cp {} "$fs/modules/" \;
	done
	cp "$BUILD/bin/polrun" "$BUILD/bin/polinit" "$BUILD/tests/probes/ns_probe" "$fs/t/"
	printf '%s\n' 'policy t { base none }' 'command { otherwise allow }' \
		'file { allow read, exec "/bin" allow read, write "${PROJECT_DIR}" }' \
		>"$fs/t/p.pol"
	"$BUILD/bin/polc" compile "$fs/t/p.pol" -o "$fs/t/p.polb" >/dev/null 2>&1 || return 1
	(cd "$fs" && find . | cpio -o -H newc --quiet | gzip -1) >"$stage/initrd.gz"
}
make_initramfs || die "cannot make the initramfs"

vmlinuz=$(find "$kernel/boot" -name 'vmlinuz-*' | head -n 1)
[ -n "$vmlinuz" ] || die "$real holds no kernel"

boot() { # NAME KERNEL-ARGUMENTS…
	local name=$1 log=$work/$1.log status
	shift
	printf '== boot %s (%s)\n' "$name" "$real"
	timeout --kill-after=10 "${POL_VM_TIMEOUT:-3000}" qemu-system-x86_64 -accel tcg,thread=multi \
		-cpu max -smp 2 -m 2048 -nodefaults -no-reboot -display none -serial "file:$log" \
		-kernel "$vmlinuz" -initrd "$stage/initrd.gz" -snapshot \
		-drive "file=$root,format=raw,if=virtio" \
		-drive "file=$stage/tree.ext4,format=raw,if=virtio" \
		-append "console=ttyS0 quiet panic=-1 pol.tree=$tree pol.boot=$name pol.variant=$VARIANT $*" \
		</dev/null >"$work/$name.qemu" 2>&1
	status=$?
	tr -d '\r' <"$log" >"$log.txt"
	sed '/^POL-VM-END /d' "$log.txt"
	count_add_line "$(sed -n 's/^POL-VM-END //p' "$log.txt" | tail -n 1)" "$status" "boot $name"
	[ ! -s "$work/$name.qemu" ] || cat "$work/$name.qemu"
}

boots=("$@")
[ ${#boots[@]} -gt 0 ] || boots=(stock yama bare)
for b in "${boots[@]}"; do
	case $b in
	stock | yama) boot "$b" ;;
	# no Landlock: the kernel has it, the machine does not switch it on
	bare) boot bare lsm=lockdown,yama,apparmor ;;
	*) die "no boot '$b'" ;;
	esac
done
count_end
