#!/usr/bin/env bash
# Tries: to become somebody by a program with the set-user-ID bit, by setuid(2)
# and its kin, by a map of one's own.
# Stops it: no_new_privs; nosuid on every tree; one uid and one gid in the user
# namespace; no capabilities.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
bare_policy
suid=$PROBES/who_suid
[ -u "$suid" ] || { skip who_suid "only root can prepare one"; done_; exit; }

t "the control: outside the bit gives root"
if is_root; then
	outside setpriv --reuid 65534 --clear-groups "$suid"
	want_out '^uid 65534 euid 0 '
else
	outside "$suid"
	want_out "^uid $(id -u) euid 0 "
	want_out 'capabilities 0*[1-9a-f]'
fi

t "inside it gives nothing"
run "$PROBES/who_probe"
plain=$out
run "$suid"
want_rc 0
[ "$out" = "$plain" ] || bad "with the bit: $out, without: $plain"
no_out 'uid 0|gid 0'
want_out 'capabilities 0+$'
run sh -c 'cp $0 mine; chmod 6755 mine; ls -l mine' "$suid"
rm -f "$P/mine"

t "no call gives another user"
for call in "setuid 0" "setuid 1" "setgid 0" "setreuid 0 0" "setresuid 0 0 0" \
	"setresgid 0 0 0" "setgroups 0 0" "setgroups 1 +4" "capset +8 +24"; do
	# shellcheck disable=SC2086
	run "$C" $call
	[ "${call%% *}" != capset ] || continue
	stopped 'EPERM|EINVAL'
done
# the ids themselves: keeping them is allowed
run sh -c '"$0" setuid "$(id -u)"' "$C"
worked
run "$N" ambient
stopped EPERM

t "programs of the system that have the bit"
for prog in /usr/bin/su /usr/bin/passwd /usr/bin/mount /usr/bin/sudo; do
	[ -u "$prog" ] || continue
	run sh -c "$prog --help >/dev/null 2>&1 & grep -E '^(Uid|CapEff)' /proc/\$!/status; wait"
	no_out 'Uid:.*[[:space:]]0[[:space:]]'
done

done_
