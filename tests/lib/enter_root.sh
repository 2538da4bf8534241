# Another system's root, made by debootstrap; sourced by the runners that test in one.
# shellcheck shell=bash

# ROOT COMMAND…: runs COMMAND in ROOT.  It is entered by pivot_root in a mount and process namespace
# of its own with a fresh /proc: behind chroot the kernel refuses user namespaces.
enter_root() {
	# shellcheck disable=SC2016
	unshare --mount --pid --fork --kill-child --propagation private bash -euc '
		root=$1
		shift
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
		for n in 0/stdin 1/stdout 2/stderr; do ln -s "/proc/self/fd/${n%/*}" "$root/dev/${n#*/}"; done
		mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
		cd "$root"
		pivot_root . old
		mount -t proc proc /proc
		umount -l /old
		exec "$@"
	' _ "$@" </dev/null
}
