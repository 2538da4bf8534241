#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# What root can do: inside no more than anybody, outside everything.  Who acts as the
# caller outside can do nearly as much to the caller's own runs.
# timing: waits for runs to begin and to end
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/walls.sh
. "$(dirname "$0")/../lib/walls.sh"
F=$PROBES/file_probe C=$PROBES/syscall_probe N=$PROBES/ns_probe
RUN_OPTIONS=(-y)
policy "file { allow read, exec \"$PROBES\" }" inside

t "inside: no capability, whoever began the run"
made
run_with inside "$N" caps
want_out '^effective 00* permitted 00* inheritable 00* bounding 0 '
for call in "mount @none @/tmp @tmpfs 0 0" "chroot @/tmp" "sethostname @x 1" "setuid 0" "reboot 1 2 3"; do
	# shellcheck disable=SC2086
	run_with inside "$C" $call
	[ "$rc" -ne 0 ] || bad "$call worked"
done
run_with inside sh -c 'id -u'
if is_root; then want_out '^1000$'; fi

t "inside: files of root's that nobody else may read"
run_with inside cat /etc/shadow
want_rc 1
run_with inside "$F" chmod /etc/passwd 644
want_out '^(EROFS|EPERM)$'
run_with inside cat /etc/passwd
want_rc 0
if is_root; then
	cat /etc/shadow >/dev/null || bad "the control: root outside cannot read it"
fi

t "inside: what it writes is the caller's, and runs as nobody else"
run_with inside sh -c 'echo x >new && chmod 755 new && chmod 4755 new'
want_rc 1
[ "$(stat -c '%u %a' "$P/new")" = "$(id -u) 755" ] || bad "new: $(stat -c '%u %a' "$P/new")"
run_with inside sh -c 'chown 1 new || chown 0 new || chgrp 1 new'
[ "$rc" -ne 0 ] || bad "it was given away"

# As root, or as the owner of the run's user namespace.
inner=''
inner() { # a process of the run: it has the run's mounts
	local p
	inner=''
	for p in /proc/[0-9]*; do
		[ "$(cat "$p/comm" 2>/dev/null)" != probe ] ||
			! tr '\0' ' ' <"$p/cmdline" | grep -qF "$P/got" || inner=${p#/proc/}
	done
	[ -n "$inner" ] || bad "no process of the run is found"
}
outside() { # ARGS of mount_probe
	out=$("$PROBES/mount_probe" "$@" 2>&1) || bad "outside: $out"
}
for view in project anywhere; do
	t "$view: outside: a wall is unmounted in the run's namespace: the run ends"
	made
	begin "$view" r .env
	inner
	outside enter "$inner" umount "$P/.env"
	ended '\.pol:' '\.env'

	t "$view: outside: the tree is made writable there: its names are decided all the same"
	made
	begin "$view" w locked/file
	inner
	outside enter "$inner" writable "$P"
	unharmed
	want_text refused "$WORK/began"
	want_text kept "$P/locked/file"
done
done_
