#!/usr/bin/env bash
# Where the project of a live test lies.  What Landlock and mounts protect depends on what is
# around a project, so tests that say "# places:" run in each of these in turn (tests/run/live.sh):
#   var    an ordinary directory; the policy of the test has no private HOME
#   home   below HOME, which the policy of the test makes private
#   tmp    below /tmp, which is the private TMPDIR of a run
#   shm    below /dev/shm, which is private, too
#   srv    in /srv, where a tmpfs is mounted
#   ext4   on another file system on a disk, mounted from a file
#   place.sh PLACE DIR OWNER COMMAND…   runs the command where DIR is there and is the owner's
# The mounts are made in a namespace of the command's own, and need root.  Without root it is
# what the place needs no mount for.
set -euo pipefail

PLACES=(var home tmp shm srv ext4)

# PLACE BASE: where the work directory of a test lies.
place_dir() {
	case $1 in
	var | home) printf '%s' "$2" ;;
	tmp) printf '/tmp/%s' "${2##*/}" ;;
	shm) printf '/dev/shm/%s' "${2##*/}" ;;
	srv) printf '/srv/%s' "${2##*/}" ;;
	ext4) printf '%s/ext4' "$2" ;;
	esac
}

# SCRIPT [TURN]: the places of its turn; without a number all of them.  PLACE=NAME: that one.
# A script that says "# places without: NAME…" does not work there.
places_of() {
	local all=() p without
	without=$(sed -n '/^# places without:/{s///p;q}' "$1")
	for p in "${PLACES[@]}"; do
		[[ " $without " == *" $p "* ]] || { [ "$(id -u)" -ne 0 ] && [[ $p == srv || $p == ext4 ]]; } || all+=("$p")
	done
	if [ -n "${PLACE:-}" ]; then
		printf '%s\n' "$PLACE"
	elif ! grep -q '^# places:' "$1"; then
		printf 'var\n'
	elif [ -n "${2:-}" ]; then
		printf '%s\n' "${all[$(($2 % ${#all[@]}))]}"
	else
		printf '%s\n' "${all[@]}"
	fi
}

[ "${BASH_SOURCE[0]}" = "$0" ] || return 0
if [ "${1:-}" != --mounted ] && { [ "$1" = srv ] || [ "$1" = ext4 ]; }; then
	exec unshare --mount --propagation private "$0" --mounted "$@"
fi
[ "$1" != --mounted ] || shift
place=$1 dir=$2 owner=$3
shift 3
case $place in
srv) mount -t tmpfs -o mode=755 pol-srv /srv ;;
ext4)
	mkdir -p "$(dirname "$dir")"
	truncate -s 1G "$dir.img"
	mkfs.ext4 -q -E lazy_itable_init=1 "$dir.img"
	mkdir -p "$dir"
	mount -o loop "$dir.img" "$dir"
	rm -f "$dir.img"
	;;
esac
mkdir -p "$dir"
chmod 0700 "$dir"
chown "$owner" "$dir"
exec "$@"
