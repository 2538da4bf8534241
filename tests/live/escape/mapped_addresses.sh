#!/usr/bin/env bash
# Tries: a server of the host by other ways than a plain IPv4 connect: IPv6,
# v4-mapped IPv6, data with the first packet (fast open), several paths (MPTCP).
# Stops it: the own network namespace, which has no way out.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
coproc SERVER { exec "$S" serve "$SECRET"; }
read -r _ port <&"${SERVER[0]}"
server=$SERVER_PID # bash forgets it when the server ends
addr=$(awk '/\/32 host LOCAL/ && a !~ /^127\./ { print a; exit } { a = $2 }' /proc/net/fib_trie)
ways=("tcp 127.0.0.1" "tcp6 ::1" "mapped 127.0.0.1" "fastopen 127.0.0.1" "mptcp 127.0.0.1")
[ -z "$addr" ] || ways+=("tcp $addr" "mapped $addr" "fastopen $addr")
bare_policy
std_policy

t "the control: outside each way reaches it"
for way in "${ways[@]}"; do
	# shellcheck disable=SC2086
	outside "$S" reach $way "$port"
	[ "$out" = EPROTONOSUPPORT ] || [ "$out" = ENOPROTOOPT ] || want_out '^reached'
done

t "inside none does"
for way in "${ways[@]}"; do
	for b in p s; do
		# shellcheck disable=SC2086
		run_with "$b" "$S" reach $way "$port"
		stopped 'ECONNREFUSED|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM|EOPNOTSUPP|ENOPROTOOPT|EPROTONOSUPPORT'
	done
done

t "the control: the run's own loopback is reached in each of the plain ways"
run sh -c 'echo f > f; (sleep 2) | $0 serve f > ready & while ! [ -s ready ]; do sleep 0.05; done; read -r _ port < ready
for way in tcp mapped; do $0 reach $way 127.0.0.1 $port || exit 1; done; $0 reach tcp6 ::1 $port' "$S"
want_rc 0
want_out '^reached'

# shellcheck disable=SC1083,SC2093
exec {SERVER[1]}>&-
wait "$server" 2>/dev/null
done_
