#!/usr/bin/env bash
# lab: web
# long: every fourth day, as root and as a user in turn
# timing: waits for connections that a loaded machine makes late
# A name of the outside that leads inside: to the loopback, to private and special addresses, to the
# host's own.  Only `within` may name such an address.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"
NAMES=$(awk '!/^#/ { print $2 }' "$LAB/names/guarded" | sort -u)
net_policy "	allow tcp $(sed 's/.*/"&"/' <<<"$NAMES" | paste -sd,), \"a.example\" port 9000, 443 as names"
# Servers on the host itself, as somebody's database.
cat >"$WORK/server.py" <<'EOS'
import socket, sys, threading
def serve(a):
    s = socket.socket(socket.AF_INET6 if ":" in a else socket.AF_INET); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if ":" in a: s.setsockopt(socket.IPPROTO_IPV6, 78, 1)  # IPV6_FREEBIND: no interface has it
    s.bind((a, 9000)); s.listen()
    while True:
        c, _ = s.accept(); c.sendall(b"host " + a.encode()); c.close(); open(sys.argv[1], "a").write(a + "\n")
for a in "127.0.0.1", "127.8.8.8", "::1", "203.0.113.2", "2001:db8:0:1::2", "198.51.100.70", "2001:db8:70::70":
    threading.Thread(target=serve, args=(a,), daemon=True).start()
sys.stdin.read()
EOS
coproc SERVER { exec python3 "$WORK/server.py" "$WORK/reached"; }
server_pid=$SERVER_PID
for at in 127.0.0.1 127.8.8.8 ::1 203.0.113.2 2001:db8:0:1::2 198.51.100.70 2001:db8:70::70; do
	within 10 opens $at 9000 || bad "no server at $at"
done

t "the control: outside each of these names leads to its server"
for name in loop loopnet loop6 host host6 routed routed6; do
	outside "$D" tcp $name.example 9000 -
	want_out '^OK host '
done
for name in ten private172 private192 cgnat meta meta6 metaali ula pool nat64 sixtofour; do
	outside "$D" tcp $name.example 9000 x
	want_out '^OK x'
done

t "inside none does, at once; the record says where it leads"
: >"$WORK/reached"
forget
run "$D" tcp a.example 9000 x
want_out '^OK x'
# one run for all of them
# shellcheck disable=SC2086
run --report "$WORK/report.json" sh -c 'for n in "$@"; do printf "%s " $n; '"$D"' tcp $n 9000 x; done' - $NAMES
python3 -c '
import json, sys
for d in json.load(open(sys.argv[1]))["denials"]: print(d["rule"]["id"], d["subject"])' "$WORK/report.json" >"$WORK/denied"
while read -r name; do
	[ "$name" != mixed.example ] || continue
	grep -qE "^$name (ECONNRESET|EOF|ECONNREFUSED) [0-9]{1,3} ms" <<<"$out" || bad "$(grep "^$name " <<<"$out")"
	address=$(awk -v n="$name" '$2 == n { print $1 }' "$LAB/names/guarded")
	address=${address#::ffff:}
	grep -qxF "names tcp $name:9000, which leads to $address" "$WORK/denied" ||
		bad "no record of $name: $(grep -F "$name" "$WORK/denied")"
done <<<"$NAMES"
[ ! -s "$WORK/reached" ] || bad "reached: $(cat "$WORK/reached")"
lab_ask left | grep -vE ' udp 53 ' | awk '$1 !~ /^(198\.51\.100\.10|2001:db8:10::10)$/' >"$WORK/left"
[ ! -s "$WORK/left" ] || bad "packets left: $(cat "$WORK/left")"

t "a name with a good and a guarded address: the guarded one is never dialled"
forget
run "$D" tcp mixed.example 9000 x
nothing_left 10.1.2.3
outside "$D" tcp 10.1.2.3 9000 x
some_left 10.1.2.3

t "what within names, and only that"
net_policy '	allow tcp "ten.example" port 9000 within 10.1.2.0/24 as ten
	allow tcp "private192.example" port 9000 within 10.0.0.0/8 as other
	allow tcp "ula.example" port 9000 within fd12::/16 as ula
	allow tcp "host.example" port 9000 within 203.0.113.2/32 as host
	allow tcp "routed.example" port 9000 within 198.51.100.70/32 as routed' within
run_with within --explain-denials sh -c 'for n in ten private192 ula host routed; do printf "%s " $n; '"$D"' tcp $n.example 9000 x; done'
want_out '^ten OK x'
want_out '^private192 (ECONNRESET|EOF|ECONNREFUSED)'
want_out '^ula OK x'
want_out '^host OK host'
want_out '^routed OK host'
want_err 'private192.example:9000, which leads to 192.168.7.7: rule other'
lab_name moving.example 10.9.9.9
net_policy '	allow tcp "moving.example" port 9000 within 10.1.2.0/24 as ten' within
run_with within "$D" tcp moving.example 9000 x
no_out '^OK'
nothing_left 10.9.9.9

t "a deny rule of addresses holds for the address that a name leads to"
net_policy '	allow tcp "v4.example", "v6.example", "dns64.example", "a.example" port 9000 as names
	deny tcp 198.51.100.11, 2001:db8:10::11 as blocked' denied
forget
run_with denied --explain-denials sh -c 'for n in v4 v6 dns64 a; do printf "%s " $n; '"$D"' tcp $n.example 9000 x; done'
want_out '^v4 (ECONNRESET|EOF|ECONNREFUSED)'
want_out '^v6 (ECONNRESET|EOF|ECONNREFUSED)'
want_out '^dns64 (ECONNRESET|EOF|ECONNREFUSED)' # the same server, through the network's translator
want_out '^a OK x'
want_err 'blocked: connect tcp v4.example:9000.*rule blocked at denied.pol:'
nothing_left 198.51.100.11
nothing_left 2001:db8:10::11
nothing_left 64:ff9b::c633:640b
net_policy '	allow tcp "dns64.example" port 9000 as names' through
run_with through "$D" tcp dns64.example 9000 x
want_out '^OK x'

t "rules of addresses: a block is dialled, the host's own and the loopback only where the block names them"
net_policy '	allow tcp 198.51.100.8/29 port 9000 as block
	allow tcp 10.1.2.3 port 9000 as ten
	allow tcp port 7 as any' blocks
forget
run_with blocks sh -c "for a in 198.51.100.10 198.51.100.20 10.1.2.3 10.1.2.4; do $D tcp \$a 9000 x; done; for a in 198.51.100.60 169.254.169.254 203.0.113.2 10.1.2.3; do $D tcp \$a 7 x; done"
mapfile -t got < <(sed 's/ .*//' <<<"$out")
[ "${got[*]:0:4}" = 'OK ECONNREFUSED OK ECONNREFUSED' ] || bad "blocks: ${got[*]:0:4}"
[ "${got[4]:-}" = OK ] || bad "any address: ${got[4]:-}"
for i in 5 6 7; do [[ ${got[i]:-OK} != OK ]] || bad "a guarded address by a rule for any: ${got[i]:-}"; done
nothing_left 169.254.169.254
nothing_left 198.51.100.20

if is_root; then # who else cannot give the lab's host an address
	t "an address that the host gets while the run goes is its own from then on"
	net_policy '	allow tcp "moving.example" port 9000 as moving' later
	python3 -c '
import socket
s = socket.socket(); s.setsockopt(0, 15, 1)  # IP_FREEBIND: no interface has it yet
s.bind(("198.51.100.13", 9000)); s.listen()
while True: c, _ = s.accept(); c.sendall(b"host later"); c.close()' &
	later_pid=$!
	lab_name moving.example 198.51.100.13
	(within 20 test -e "$P/first" && ip addr add 198.51.100.13/32 dev lo && touch "$P/moved") &
	run_with later --explain-denials sh -c "$D tcp moving.example 9000 x; touch first; while [ ! -e moved ]; do sleep 0.05; done; $D tcp moving.example 9000 x"
	want_out '^OK x'
	want_out '^ECONNRESET'
	no_out 'host later'
	want_err 'moving.example:9000, which leads to 198.51.100.13: '
	outside "$D" tcp moving.example 9000 x
	want_out '^OK host later'
	kill $later_pid
	ip addr del 198.51.100.13/32 dev lo
	rm -f "$P/first" "$P/moved"
fi

# shellcheck disable=SC1083,SC2093
exec {SERVER[1]}>&-
wait "$server_pid" 2>/dev/null
done_
