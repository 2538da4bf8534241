#!/usr/bin/env bash
# Tries: bind and move mounts, the new mount calls, another root, other file
# systems, to bring back what the view left out.
# Stops it: no capability is left and no user namespace gives new ones; std/base
# denies the calls too.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
M=$PROBES/mount_probe
bare_policy
std_policy
mkdir -p "$P/to" "$P/other"

# CALL | what root of a namespace of its own does before it; what no namespace of one's
# own lets be done everywhere has none
calls=(
	"mount @$WORK/out @$P/to 0 0x1000 0|:"  # MS_BIND
	"mount @$P/to @$P/other 0 0x2000 0|mount -t tmpfs none $P/to" # MS_MOVE
	"mount @tmpfs @$P/to @tmpfs 0 0|:"
	"mount @proc @$P/to @proc 0 0|"
	"mount @sysfs @$P/to @sysfs 0 0|"
	"mount @cgroup2 @$P/to @cgroup2 0 0|"
	"mount @none @/ 0 0x44000 0|:"          # private, recursive
	"mount @none @$P/to 0 0x1021 0|mount -t tmpfs none $P/to" # MS_REMOUNT, read-only
	"umount2 @$P/to 0|mount -t tmpfs none $P/to"
	"umount2 @$P/to 2|mount -t tmpfs none $P/to" # MNT_DETACH
	"umount2 @/proc/sys 2|"
	"umount2 @/etc 0|"
	"chroot @$P/to|:"
	"pivot_root @$P/to @$P/to/old|mount -t tmpfs none $P/to; mkdir $P/to/old"
	"pivot_root @/ @/|"                     # EBUSY for whoever may
	"open_tree -100 @$WORK/out 1|:"         # OPEN_TREE_CLONE
	"open_tree -100 @/usr 1|"
	"467 -100 @$WORK/out 1 0 0|:"           # open_tree_attr, Linux 6.15
	"move_mount -100 @$P/to -100 @$P/other 0|mount -t tmpfs none $P/to"
	"fsopen @tmpfs 0|:"
	"fspick -100 @$P/to 0|mount -t tmpfs none $P/to"
	"fspick -100 @/usr 0|"
)
# VERB… of mount_probe | what it makes
chains=("new $P/to" "clone $WORK/out $P/to")

# how one becomes root of a namespace of one's own: by a user namespace, and as root
# also without one
ways=()
! unshare -Urm true 2>/dev/null || ways+=("unshare -Urm")
! is_root || ways+=("unshare -m --propagation private")
if [ "${#ways[@]}" -eq 0 ]; then
	skip unshare "user namespaces by unshare(1) do not work here"
fi
for way in "${ways[@]}"; do
	t "the control: with capabilities each works: $way"
	for call in "${calls[@]}"; do
		before=${call#*|}
		[ -n "$before" ] || continue
		# shellcheck disable=SC2086
		outside $way sh -c "$before
			exec \"\$@\"" - "$C" ${call%|*}
		[[ $call == 467* && $out == ENOSYS ]] || [[ $out == OK* ]] || bad "$call: $out $err"
	done
	for chain in "${chains[@]}"; do
		# shellcheck disable=SC2086
		outside $way "$M" $chain
		want_rc 0
		no_out '^E'
	done
	# shellcheck disable=SC2086
	outside $way sh -c "mount -t tmpfs none $P/to && $M pick $P/to && ! touch $P/to/x"
	want_rc 0
	no_out '^E'
	# of a context that somebody else has opened
	# shellcheck disable=SC2086
	outside $way "$M" context 0 "$M" new "$P/to" 0
	want_rc 0
	no_out '^E'
done
no_file "$P/to/old"

t "inside each ends with EPERM, under std/base as well"
for call in "${calls[@]}"; do
	for b in p s; do
		# shellcheck disable=SC2086
		run_with "$b" "$C" ${call%|*}
		if [[ $call == 467* ]]; then stopped 'EPERM|ENOSYS'; else stopped EPERM; fi
	done
done
run "$F" list /proc/self/ns
worked

# Without a descriptor that is one fsconfig(2) has nothing to refuse.
t "inside none of those that need the one before"
for chain in "${chains[@]}" 'pick /tmp'; do
	# shellcheck disable=SC2086
	run "$M" $chain
	want_rc 1
	no_out OK
	[ -z "$(grep -vE '^(EPERM [a-z_]+|(EBADF|EINVAL) fsconfig)$' <<<"$out")" ] || bad "another errno"
	# shellcheck disable=SC2086
	run_with s "$M" $chain
	want_rc 1
	[ -z "$(grep -v '^EPERM ' <<<"$out")" ] || bad "another errno under std/base"
done

if is_root; then
	t "inside a context that the caller has opened makes no mount"
	for b in p s; do
		outside "$M" context 0 "$BIN/polrun" -b "$WORK/$b.polb" -y "$M" new "$P/to" 0
		want_rc 1
		want_out ' move_mount$'
		no_out '^OK (fsmount|mount_setattr|move_mount)'
		[ "$(grep -c '^OK fsconfig' <<<"$out")" -le 1 ] || bad "the file system was made"
	done
fi

t "the mount table is what it was"
run sh -c "cat /proc/self/mountinfo > a; $C mount @$WORK/out @$P/to 0 0x1000 0; $C umount2 @/etc 2
	$M new $P/to; $M clone $WORK/out $P/to; $M pick /tmp; cmp a /proc/self/mountinfo"
want_rc 0

done_
