#!/usr/bin/env bash
# Every mount of the view has the flags that the policy gives it and no more,
# and there is no mount that no rule and no fixed part of the view explains.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

mkdir -p x .git/hooks sub/hidden sub/ro && echo a >sub/f
policy 'file { allow exec "${PROJECT_DIR}/x"
	hide "${PROJECT_DIR}/sub/hidden"
	deny write "${PROJECT_DIR}/sub/ro"
	allow read, write "'"$WORK/out"'" }'

# PLACE WANTED…: the options of the mount that one sees at PLACE.
flags() {
	local place=$1 have w
	shift
	have=,$(awk -v p="$place" '$5 == p { o = $6 } END { print o }' <<<"$out"),
	for w in "$@"; do
		case $w in
		!*) [[ $have != *",${w#!},"* ]] || bad "$place has $w: $have" ;;
		*) [[ $have == *",$w,"* ]] || bad "$place has not $w: $have" ;;
		esac
	done
}

t "each place has its flags"
run cat /proc/self/mountinfo
want_rc 0
flags / ro nosuid nodev noexec
flags /usr ro nosuid nodev '!noexec'
flags /etc ro nosuid nodev noexec
flags /etc/passwd ro nosuid nodev noexec
# names in it are decided one by one: polrun makes the writing calls
flags "$P" ro nosuid nodev noexec
flags "$P/x" ro nosuid nodev '!noexec'
flags "$P/sub/hidden" ro nosuid nodev noexec
flags "$WORK/out" rw nosuid nodev noexec
flags /tmp rw nosuid nodev noexec
flags /proc rw nosuid nodev noexec
flags /proc/sys ro nosuid nodev noexec
flags /dev/pts rw nosuid noexec

t "there are no other mounts, and none is writable that no rule makes so"
run cat /proc/self/mountinfo
want_out " $P "
known="^(/|/usr|/etc|/etc/(passwd|group)|$P(/x|/sub/hidden)?|$WORK/out|/tmp|/proc(/.*)?|/dev/(null|zero|full|random|urandom|tty|pts))\$"
extra=$(awk '{ print $5 }' <<<"$out" | grep -vE "$known" | tr '\n' ' ')
[ -z "$extra" ] || bad "mounts: $extra"
writable="^($WORK/out|/tmp|/proc|/dev/[a-z]+)\$"
# polrun's own mount of a tree that it decides lies below the one that the run sees
extra=$(awk '{ o[$5] = $6 } END { for (p in o) if (o[p] ~ /(^|,)rw(,|$)/) print p }' <<<"$out" | grep -vE "$writable" | tr '\n' ' ')
[ -z "$extra" ] || bad "writable: $extra"
# no propagation to or from anywhere, nothing but these file systems
extra=$(awk '{ for (i = 7; i < NF && $i != "-"; i++) print $5, $i }' <<<"$out")
[ -z "$extra" ] || bad "propagation: $extra"

t "what cannot be written really cannot, what can can"
run sh -c 'for d in / /usr /etc /dev /proc/sys /var /home sub/ro sub/hidden .git/hooks; do
	mkdir "$d/pol-new" 2>/dev/null && echo "made $d"; done
	mkdir sub/new x/new /tmp/new "$0" && echo made-own' "$WORK/out/new"
want_out '^made-own$'
no_out '^made /|^made sub|^made \.git'
rmdir sub/new x/new "$WORK/out/new"

if is_root && unshare -m true 2>/dev/null; then
	t "mounts of the host below a tree have the tree's flags"
	mkdir -p rw ro/deep
	policy 'file { deny write "${PROJECT_DIR}/ro" }' n
	out=$(unshare -m bash -c '
		mount -t tmpfs a rw && mount -t tmpfs b ro && mkdir ro/deep &&
		mount -t tmpfs c ro/deep && mknod ro/deep/null c 1 3 && chmod 666 ro/deep/null
		cp /bin/true rw/prog && chmod 6755 rw/prog && chmod 777 rw ro ro/deep
		exec "$@"' - "$BIN/polrun" -b "$WORK/n.polb" sh -c '
		echo > ro/new && echo bad1; echo > ro/deep/new && echo bad2
		echo > ro/deep/null && echo bad3; rw/prog && echo bad4
		echo > rw/new && echo good
		stat -f -c "%n %T" rw ro ro/deep; cat /proc/self/mountinfo' 2>/dev/null </dev/null)
	want_out '^good$'
	want_out '^ro/deep tmpfs$'
	no_out '^bad'
	flags "$P/rw" nosuid nodev noexec
	flags "$P/ro" nosuid nodev noexec
	flags "$P/ro/deep" nosuid nodev noexec
fi

done_
