#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# lab: web
# timing: waits for connections that a loaded machine makes late
# More blocks than the kernel's table takes at a start (doc/nft.md): it is made of fewer, and the
# gateway refuses what the table cannot tell apart.  Nothing is reached that the policy does not name.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"
blocks() { # 9,998 of them, with gaps of the same size
	awk 'BEGIN { for (i = 0; i < 9998; i++) {
		if (i % 101 == 0) printf "%s\t%s", i ? " port 443\n" : "", "'"$1"' "
		printf "%s11.%d.%d.0/25", i % 101 ? ", " : "", int(i / 256), i % 256 }
		print " port 443" }'
}
net_policy "$(blocks 'allow tcp')
	allow tcp 198.51.100.14 port 9000 as block
	allow tcp 2001:db8:60::60 port 9000 as six
	deny tcp 198.51.100.13 as no"
line() { grep -n " as $1\\b" "$WORK/p.pol" | cut -d: -f1; }

t "the table holds few elements of 10,000, and one rule for them"
(cd "$WORK" && tar xOf p.polb nft.json) >"$WORK/json"
n=$(grep -o '"prefix"\|"range"' "$WORK/json" | wc -l)
[ "$n" -le 300 ] || bad "$n blocks in the table"
grep -q '"comment":"(many)"' "$WORK/json" || bad "no rule for many blocks"
[ "$(stat -c %s "$WORK/json")" -lt 50000 ] || bad "the table is long"

t "what is allowed is reached, v4 and v6"
run "$D" tcp 198.51.100.14 9000 abc
want_out '^OK abc'
run "$D" tcp 2001:db8:60::60 9000 abc
want_out '^OK abc'

t "a neighbour that shares its unit in the table is refused by the gateway, and nothing leaves"
outside "$D" tcp 198.51.100.66 9000 abc
[ "$rc" -eq 0 ] && grep -q '^OK' <<<"$out" || bad "the control: $out"
forget
for to in 198.51.100.66 198.51.100.13 198.51.100.15; do
	refused_fast 'ECONNRESET|EOF|ECONNREFUSED' tcp "$to" 9000 abc
	nothing_left "$to"
done
run --explain-denials "$D" tcp 198.51.100.13 9000 abc
want_err "blocked: connect tcp 198.51.100.13:9000: rule no at p.pol:$(line no)"
run --explain-denials "$D" tcp 198.51.100.66 9000 abc
want_err "blocked: connect tcp 198.51.100.66:9000: rule network-mode"

t "what is far from every block is refused by the kernel at once, with the same record"
forget
for to in 203.0.113.1 93.184.216.34 2001:db8:66::66; do
	refused_fast ECONNREFUSED tcp "$to" 9000 abc
	nothing_left "$to"
done
run --explain-denials "$D" tcp 93.184.216.34 443
want_err "blocked: connect tcp 93.184.216.34:443: rule network-mode"

t "another port is refused where no block has it, the loopback stays the run's own"
refused_fast ECONNREFUSED tcp 198.51.100.14 22
refused_fast ECONNREFUSED tcp 127.0.0.1 1
run python3 -c 'import socket
s = socket.create_server(("127.0.0.1", 8080))
c = socket.create_connection(("127.0.0.1", 8080)); c.sendall(b"own"); print(s.accept()[0].recv(3))'
want_out "^b'own'"

t "10,000 blocks that are denied: none is reached, everything else is"
raw_policy "${NET_HEAD/network limited/network full}network {
$(blocks 'deny tcp')
	deny tcp 198.51.100.66 as hole
	deny 2001:db8:66::66 as six
}" d
run_with d "$D" tcp 198.51.100.14 9000 abc
want_out '^OK abc'
forget
run_with d --explain-denials "$D" tcp 198.51.100.66 9000 abc
want_out '^(ECONNRESET|EOF|ECONNREFUSED)'
want_err "blocked: connect tcp 198.51.100.66:9000: rule hole"
run_with d "$D" tcp 2001:db8:66::66 9000 abc
want_out '^(ECONNRESET|EOF|ECONNREFUSED)'
nothing_left 198.51.100.66
nothing_left 2001:db8:66::66

done_
