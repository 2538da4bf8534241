# Helpers of the tests of staged runs; sourced after live.sh.
# shellcheck shell=bash disable=SC2034,SC2154
STATE=$HOME/.local/state/pol

# Everything below the folders, as text (snap.py).
snap() { python3 "$(dirname "${BASH_SOURCE[0]}")/snap.py" "$@"; }

staged() { run --stage "$@"; }

verb() { # review, commit or discard, and what it takes; sets out, err, rc
	"$BIN/polrun" "$@" >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$?
	out=$(<"$WORK/.out")
	err=$(<"$WORK/.err")
}
# shellcheck disable=SC2120
review() { verb review "$@"; }

# SIZE DIR: a small file system at DIR, which a run by root can have as a tree and as its state: a tmpfs
# where the kernel's can (mapped owners, Linux 6.3; attributes of users, 6.6), else ext4 in a file.
small_fs() {
	mount -t tmpfs -o "size=$1" none "$2" || return 1
	python3 -c 'import os, sys
os.setxattr(sys.argv[1], "user.x", b"")
os.removexattr(sys.argv[1], "user.x")' "$2" 2>/dev/null && return 0
	umount "$2" && truncate -s "$1" "$2.img" &&
		mke2fs -q -F -t ext4 -m 0 -O ^has_journal "$2.img" && mount -o loop "$2.img" "$2"
}

# NAME: a staged run has written it at the top of its first tree.
has_upper() { compgen -G "$STATE/stage/*/*/upper/$1" >/dev/null; }
can_review() {
	review
	[ "$rc" -eq 0 ]
}
