#!/usr/bin/env bash
# Tries: to change or watch the machine by netlink: links, routes, netfilter,
# audit, device events, other processes' sockets.
# Stops it: the own network namespace and no capability in it; the filter
# lets NETLINK_ROUTE pass and nothing else.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
bare_policy
std_policy
name=@pol-escape-$$-$RANDOM
coproc SERVER { exec "$S" serve "$SECRET" "$name"; }
read -r _ _ <&"${SERVER[0]}"
server=$SERVER_PID # bash forgets it when the server ends

t "the control: the own interfaces are listed"
for b in p s; do
	run_with "$b" "$S" netlink links
	worked
	n=$(grep -oE '^[0-9]+ found' <<<"$out")
	[ "${n%% *}" -eq "$("$BIN/polrun" -b "$WORK/p.polb" sh -c 'grep -c : /proc/net/dev' 2>/dev/null)" ] ||
		bad "$n"
done

t "none of them is changed"
if is_root; then
	outside "$S" netlink set
	worked
else
	outside unshare -Urn "$S" netlink set
	worked
fi
run "$S" netlink set
stopped EPERM
run_with s "$S" netlink set
stopped EPERM

t "the host's sockets are not listed"
outside "$S" netlink sockets
if [ "$rc" -eq 0 ]; then
	outer=$(grep -oE '^[0-9]+ found' <<<"$out")
	run "$S" netlink sockets
	[ "$(grep -oE '^[0-9]+' <<<"$out")" != "${outer%% *}" ] || bad "as many as outside: $outer"
fi

t "other protocols"
for protocol in 4 6 7 9 10 12 15 16; do
	run_with s "$S" netlink "$protocol"
	stopped 'EPERM|EACCES|EAFNOSUPPORT'
	run "$S" netlink "$protocol"
	stopped 'EPERM|EACCES|EAFNOSUPPORT'
done
run_with s "$S" netlink 0
worked

# shellcheck disable=SC1083,SC2093
exec {SERVER[1]}>&-
wait "$server" 2>/dev/null
done_
