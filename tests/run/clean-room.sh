#!/usr/bin/env bash
# ./dev demo and ./dev test in a Debian 12 root that holds nothing but apt.
#   tests/run/clean-room.sh [demo|test|both]     (root; needs debootstrap)
# The root is made once under $POL_CLEAN_ROOT (default /var/tmp/pol-clean-root)
# and copied for each run.  It is entered by pivot_root in a mount namespace of
# its own with a fresh /proc: behind chroot the kernel refuses user namespaces.
set -euo pipefail
cd "$(dirname "$0")/../.."
what=${1:-demo}
base=${POL_CLEAN_ROOT:-/var/tmp/pol-clean-root}

if [ ! -e "$base/usr/bin/apt-get" ]; then
	debootstrap --variant=minbase --include=ca-certificates,sudo bookworm "$base" \
		"${POL_MIRROR:-http://deb.debian.org/debian}"
fi
root=$(mktemp -d /var/tmp/pol-clean.XXXXXX)
trap 'rm -rf --one-file-system "$root"' EXIT
cp -a "$base/." "$root/"
git clone -q . "$root/srv/pol"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cat >"$root/srv/inside.sh" <<'EOF'
set -eu
export HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8
useradd -m -s /bin/bash dev
echo 'dev ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/dev
cp -r /srv/pol /home/dev/pol
chown -R dev:dev /home/dev/pol
as_dev() { setpriv --reuid dev --regid dev --init-groups env HOME=/home/dev USER=dev sh -c "$1"; }
case $1 in demo | both)
	echo "=== demo as root"; cd /srv/pol; ./dev demo
	echo "=== demo as an ordinary user"; as_dev 'cd ~/pol && ./dev demo'
	;;
esac
case $1 in test | both)
	echo "=== tests"; cd /srv/pol
	git config --global --add safe.directory '*' 2>/dev/null || true
	./dev test
	;;
esac
EOF
unshare --mount --pid --fork --propagation private bash -euc '
	root=$1
	mount --bind "$root" "$root"
	mkdir -p "$root/old"
	mount --rbind /sys "$root/sys"
	mount -t tmpfs -o mode=0755 dev "$root/dev"
	for n in null zero full random urandom tty; do
		touch "$root/dev/$n"; mount --bind "/dev/$n" "$root/dev/$n"
	done
	mkdir -p "$root/dev/pts" "$root/dev/shm"
	mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
	ln -s pts/ptmx "$root/dev/ptmx"
	ln -s /proc/self/fd "$root/dev/fd"
	mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
	cd "$root"
	pivot_root . old
	mount -t proc proc /proc
	umount -l /old
	exec sh /srv/inside.sh "$2"
' _ "$root" "$what" </dev/null
