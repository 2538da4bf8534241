#!/usr/bin/env bash
# lab: web ssh npm proxy
# long: every fourth day, as root and as a user in turn
# The lab itself, without a sandbox: what the tests of the egress gateway refuse is reached by
# everybody else, and what leaves the host is seen.
# shellcheck disable=SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"

t "names: exact, below a wildcard, an alias, none, both families"
outside "$D" dns a.example 1
want_out '^NOERROR 198.51.100.10 '
outside "$D" dns a.example 28 tcp
want_out '^NOERROR 2001:db8:10::10 '
outside "$D" dns x.y.wild.example 1
want_out '^NOERROR 198.51.100.10 '
outside "$D" dns alias.example 1
want_out '198.51.100.10 '
outside "$D" dns nothing.example 1
want_out '^NXDOMAIN'
outside "$D" dns a.example 65
want_out 'type65'
outside "$D" dns slow.example 1
want_out '^TIMEOUT'
lab_name moving.example 198.51.100.14
lab_name moving.example 198.51.100.13 2001:db8:10::11

t "every address answers, and every packet is counted"
sed '/^#/d; /198.51.100.9[89]/d; /dead/d' "$(dirname "$0")/../lab/addresses" >"$WORK/addresses"
forget
while read -r address; do
	outside "$D" tcp "$address" 9000 x
	want_out '^OK x '
done <"$WORK/addresses"
lab_ask left >"$WORK/left"
while read -r address; do
	grep -q "^$address tcp 9000 " "$WORK/left" || bad "no packet to $address was seen"
done <"$WORK/addresses"
nothing_left 198.51.100.99
nothing_left 198.51.100.66 tcp 443
[ "$(wc -l <"$WORK/addresses")" -gt 30 ] || bad "too few addresses"

t "what refuses, and what is silent"
outside "$D" tcp closed.example 80
want_out '^ECONNREFUSED [0-9]{1,2} ms$'
outside "$D" tcp nobody.example 80
want_out '^TIMEOUT'
some_left 198.51.100.99 tcp 80

t "web: two names on one address, its certificate for names only"
for url in https://a.example/ http://b.example/ https://v6.example:8443/ http://4.wild.example/; do
	outside curl -sS --max-time 5 "$url"
	want_rc 0
	host=${url#*//}
	want_out "host=${host%%[:/]*} "
done
outside curl -sS --max-time 5 https://198.51.100.10/
want_rc 60
outside curl -sS --max-time 5 https://a.example:9443/
want_rc 60
outside curl -sSN --max-time 5 https://model.example/events
want_out 'DONE'

t "ssh, a stream, a banner, datagrams"
install -m 0600 "$LAB/keys/ssh_user" "$WORK/key"
outside ssh -F none -i "$WORK/key" -o UserKnownHostsFile="$LAB/known_hosts" -o BatchMode=yes git@code.example echo hello
want_out '^hello$'
outside "$D" tcp echo.example 2525 -
want_out '^OK 220 lab ready'
outside "$D" tcp echo.example 9003 x
want_out '^ECONNRESET'
for address in 198.51.100.66 2001:db8:66::66; do
	outside python3 -c '
import socket, sys
s = socket.socket(socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(3)
s.connect((sys.argv[1], 443)); s.send(b"quic"); print(s.recv(99).decode())' "$address"
	want_out '^quic$'
done

t "a proxy with a password"
outside curl -sS --max-time 5 -x http://lab:geheim@proxy.example:3128 https://a.example/
want_out 'host=a.example'
outside curl -sS --max-time 5 -x http://lab:falsch@proxy.example:3128 https://a.example/
[ "$rc" -ne 0 ] || bad "the proxy wants no password"

t "the machine's own network is not here"
out=$(ip -o addr show; ip route)
no_out ' eth'
want_out '203.0.113.2/24'
done_
