#!/usr/bin/env bash
# Tries, where all of the host is read: to write it; to reach what is hidden by
# other names, through /proc, by another mount of the same file system, by moving
# the mask away; the host's own /run, /tmp, /sys, /dev, processes and programs
# with a set-user-ID bit.
# Stops it: the clone of / is read-only, nosuid, nodev and private; masks at every
# name that mounts give; the run's own trees lie over the host's.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
mkdir -p "$HOME/.secret/in" "$HOME/seen" "$HOME/bound" "$HOME/part"
echo the-secret >"$HOME/.secret/f" && echo the-secret >"$HOME/.secret/in/f"
echo plain >"$HOME/seen/f"
chmod -R go+rX "$WORK/home" && chmod 0711 "$WORK"
ALL='policy t { base none } command { otherwise allow } network disabled
env { keep PATH, HOME }
file { allow read "/"  allow exec "/usr", "/bin", "/lib", "/lib64", "'"$PROBES"'"
	allow read, write "${PROJECT_DIR}"  scratch "${TMPDIR}" '
raw_policy "$ALL }" q
raw_policy "$ALL"' hide "${HOME}/.secret" }'

t "the control: what nothing hides is read, by these names"
for path in "$HOME/.secret/f" "$HOME/seen/../.secret/f" "/proc/self/root$HOME/.secret/f"; do
	run_with q "$F" read "$path"
	want_out 'the-secret'
done

t "the hidden by other names"
for path in "$HOME/.secret/f" "$HOME/seen/../.secret/f" "/proc/self/root$HOME/.secret/f" \
	"/proc/self/cwd/../.secret/f" "/proc/thread-self/root$HOME/.secret/in/f"; do
	run "$F" read "$path"
	stopped 'EACCES|ENOENT'
done
run sh -c "ln -s '$HOME/.secret' /tmp/l && $F read /tmp/l/f"
stopped EACCES
run "$X" climb "$HOME/.secret/in" f
no_out 'the-secret|^OK'
[ "$rc" -ne 0 ] || bad "it climbed: $out"

t "the mask is moved, linked, exchanged, unmounted"
mkdir -p "$P/other"
run "$F" rename "$HOME/.secret" "$P/out"
stopped 'EROFS|EBUSY|EXDEV|EACCES'
run "$F" exchange "$HOME/.secret" "$HOME/seen"
stopped 'EROFS|EBUSY|EXDEV|EACCES'
run "$F" link "$HOME/seen/f" "$P/name"
stopped 'EROFS|EXDEV|EPERM|EACCES'
no_file "$P/name"
run "$F" create "$P/free"
worked
run "$C" umount2 "@$HOME/.secret" 2
stopped EPERM
run "$C" umount2 @/run 2
stopped EPERM
run "$C" open_tree -100 "@$HOME" 1
stopped EPERM

if is_root && unshare -m --propagation private true 2>/dev/null; then
	t "another mount of the same file system shows it by a second name"
	bound() { # BUNDLE COMMAND…: with the hidden tree bound to a name that is shown
		local b=$1
		shift
		out=$(unshare -m --propagation private sh -c '
			mount --bind "$HOME/.secret" "$HOME/bound" &&
			mount --bind "$HOME/.secret/in" "$HOME/part" && exec "$@"' sh \
			"$BIN/polrun" -b "$WORK/$b.polb" "$@" 2>"$WORK/.err" </dev/null)
		rc=$? err=$(cat "$WORK/.err")
	}
	for path in "$HOME/bound/f" "$HOME/bound/in/f" "$HOME/part/f"; do
		bound p "$F" read "$path"
		stopped EACCES
	done
	t "the control: without the hide these names show it"
	for path in "$HOME/bound/f" "$HOME/bound/in/f" "$HOME/part/f"; do
		bound q "$F" read "$path"
		want_out 'the-secret'
	done
	t "a mount that the host makes later does not come in"
	mkdir -p "$HOME/late"
	out=$(unshare -m --propagation shared sh -c '
		"$@" & polrun=$!
		timeout 30 sh -c "until [ -e ready ]; do sleep 0.01; done"
		mount -t tmpfs late "$HOME/late" && echo late >"$HOME/late/f"
		touch "$0/mounted"
		wait $polrun' "$P" "$BIN/polrun" -b "$WORK/p.polb" sh -c '
		touch ready
		timeout 30 sh -c "until [ -e mounted ]; do sleep 0.01; done"
		[ -e mounted ] || touch mounted.none
		cat "$HOME/late/f" || echo nothing' 2>/dev/null)
	rm -f "$P/ready" "$P/mounted"
	[ "$out" = nothing ] || bad "it came in: $out"
fi

# Only what is ours: without a sandbox root would really do it.  Of the system's
# directories ../anywhere.sh says the same.
t "the host's tree is written"
run "$F" append "$HOME/seen/f"
stopped 'EROFS|EACCES'
run "$F" chmod "$HOME/seen/f" 777
stopped 'EROFS|EPERM|EACCES'
for dir in "$HOME" "$HOME/seen" "$HOME/.."; do
	run "$F" create "$dir/pol-x"
	stopped 'EROFS|EACCES'
	run "$F" mkdir "$dir/pol-d"
	stopped 'EROFS|EACCES'
done

t "processes, settings and devices of the host"
run sh -c 'for p in /proc/[0-9]*; do cat $p/comm; done'
no_out 'systemd|bash|live.sh'
want_out .
# looked at only
run sh -c 'ls /sys/kernel /sys/class /run/* /dev/mem /dev/vda /dev/sda 2>/dev/null | grep .'
want_rc 1
run "$F" mknod "$P/null"
[ "$rc" -ne 0 ] || bad "a device was made"

t "what others left in /tmp"
echo the-secret >"/tmp/pol-esc.$$"
run "$F" read "/tmp/pol-esc.$$"
stopped ENOENT
rm -f "/tmp/pol-esc.$$"

done_
