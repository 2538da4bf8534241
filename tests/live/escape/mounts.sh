#!/usr/bin/env bash
# Tries: bind and move mounts, the new mount calls, another root, other file
# systems, to bring back what the view left out.
# Stops it: no capability is left and no user namespace gives new ones; std/base
# denies the calls too.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
bare_policy
std_policy
mkdir -p "$P/to"
calls=(
	"mount @$WORK/out @$P/to 0 0x1000 0"    # MS_BIND
	"mount @/usr @$P/to 0 0x2000 0"         # MS_MOVE
	"mount @tmpfs @$P/to @tmpfs 0 0"
	"mount @proc @$P/to @proc 0 0"
	"mount @sysfs @$P/to @sysfs 0 0"
	"mount @cgroup2 @$P/to @cgroup2 0 0"
	"mount @none @/ 0 0x44000 0"            # private, recursive
	"umount2 @/proc/sys 2"
	"umount2 @/etc 0"
	"chroot @$P/to"
	"pivot_root @/ @/"                      # EBUSY for whoever may
	"open_tree -100 @/usr 1"                # OPEN_TREE_CLONE
	"fsopen @tmpfs 0"
	"fspick -100 @/usr 0"
)

t "the control: in namespaces of one's own, with capabilities, they work"
if unshare -Urm true 2>/dev/null; then
	for call in "${calls[@]:0:3}" "${calls[@]:9:1}" "${calls[@]:11:2}"; do
		# shellcheck disable=SC2086
		outside unshare -Urm "$C" $call
		[[ $call != *0x2000* ]] || continue # /usr is no mount here
		want_out '^OK'
	done
else
	skip unshare "user namespaces by unshare(1) do not work here"
fi

t "inside each ends with EPERM, under std/base as well"
for call in "${calls[@]}"; do
	# shellcheck disable=SC2086
	run "$C" $call
	stopped EPERM
	# shellcheck disable=SC2086
	run_with s "$C" $call
	stopped EPERM
done
run "$F" list /proc/self/ns
worked

t "the mount table is what it was"
run sh -c "cat /proc/self/mountinfo > a; $C mount @$WORK/out @$P/to 0 0x1000 0; $C umount2 @/etc 2; cmp a /proc/self/mountinfo"
want_rc 0

done_
