#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# timing: waits for processes that a loaded machine starts late
# A limited network: every bound of address and port that the policy's rules
# make gets in the kernel what the evaluator says, by the rule that it names;
# and so it is no longer where any one rule of the table is taken away.
# The addresses stand on the run's own interface lo, and the chain that redirects
# is taken away for that: what it does is seen where the gateway is (egress_*.sh).
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
lib=$(cd "$(dirname "$0")/../lib" && pwd)
for tool in nft ip pgrep python3; do
	command -v "$tool" >/dev/null || { skip "$tool" "not installed"; done_; exit; }
done

LIMITED="${HEAD/network disabled/network limited}file { allow read, exec \"$PROBES\" }
network {
	allow tcp 127.0.0.0/8 port 8000-8010 as lo
	deny tcp 127.0.0.0/8 port 8005 as hole
	allow 10.0.0.0/8, 192.0.2.7, 192.0.2.9 port 80, 443 as web
	deny tcp 10.1.0.0/16 port 22, 80-90 as d
	allow tcp 203.0.113.5, 203.0.113.77 port 1-65535 as points
	allow 2001:db8::/32 as six except 2001:db8:ffff::/48
	deny udp 2001:db8:1::/48 as nou
	ask tcp 198.51.100.0/24 as q
	deny tcp 127.0.0.0/8, ::1 port 52 as nodns
	deny udp 127.0.0.0/8, ::1 port 54 as nodata
	ask tcp 127.0.0.3 as who
	allow tcp port 9418 as git
}
"

# NAME: a run of the bundle whose probe waits for rows; sets ns, pid.
begin() {
	mkfifo "$WORK/rows" "$WORK/answers" 2>/dev/null
	"$BIN/polrun" -b "$WORK/$1.polb" "$PROBES/net_probe" <"$WORK/rows" >"$WORK/answers" 2>"$WORK/.err" &
	polrun=$!
	exec 7>"$WORK/rows" 8<"$WORK/answers"
	read -r -t 20 -u 8 line || true
	[ "${line:-}" = ready ] || bad "the probe did not begin: $(cat "$WORK/.err")"
	init=$(pgrep -P "$polrun" -x polinit)
	pid=$(pgrep -P "${init:-$$}" -x net_probe)
	# nothing below may happen in another namespace than the run's
	if [ -z "$init" ] || [ -z "$pid" ] ||
		[ "$(readlink "/proc/$pid/ns/net")" = "$(readlink /proc/self/ns/net)" ]; then
		bad "no probe in a namespace of its own"
		done_
		exit 1
	fi
	ns=(python3 "$lib/enter.py" "$pid")
}
end() {
	exec 7>&- 8<&-
	wait "$polrun"
	rc=$?
}

# ROWS: what the kernel does with each, and which rules counted how often.
measure() {
	local n
	n=$(grep -c . "$1")
	cut -d' ' -f1-3 "$1" >&7
	timeout 60 head -n "$n" <&8 | cut -d' ' -f1-4
	"${ns[@]}" nft -j list chain inet pol out | python3 -c '
import json, sys
count = {}
for o in json.load(sys.stdin)["nftables"]:
    for e in o.get("rule", {}).get("expr", []):
        if "counter" in e and o["rule"]["comment"] not in ("(pool)", "(dns)", "(gateway)"):
            id = o["rule"]["comment"]
            count[id] = count.get(id, 0) + e["counter"]["packets"]
for id in sorted(count):
    print("count", id, count[id])'
}
expected() {
	cut -d' ' -f1-4 "$1"
	"${ns[@]}" nft -j list chain inet pol out | python3 -c '
import json, sys
count = dict.fromkeys((o["rule"]["comment"] for o in json.load(sys.stdin)["nftables"]
                       if "rule" in o and o["rule"]["comment"] not in ("(replies)", "(pool)", "(dns)", "(gateway)")), 0)
for row in open(sys.argv[1]):
    count[row.split()[4]] = count.get(row.split()[4], 0) + 1
for id in sorted(count):
    print("count", id, count[id])' "$1"
}

t "every bound of the rules is decided as the evaluator says, by the rule that it names"
raw_policy "$LIMITED" p
"$BIN/net_oracle" --root HOME="$HOME" --root PROJECT_DIR="$P" "$WORK/p.pol" net tcp 127.0.0.1:1 >"$WORK/rows.txt" 2>"$WORK/.err" ||
	bad "net_oracle: $(cat "$WORK/.err")"
# ports 53 and 1 of the loopback are the gateway's, and nobody else listens there
grep -vE ' (127\.[0-9.]*|::1) 53 |^tcp [^ ]* 1 |\(dns\)' "$WORK/rows.txt" >"$WORK/.rows" && mv "$WORK/.rows" "$WORK/rows.txt"
for effect in allow deny; do
	[ "$(grep -c " $effect " "$WORK/rows.txt")" -ge 30 ] ||
		bad "too few rows: $(wc -l <"$WORK/rows.txt")"
done
begin p
cut -d' ' -f2 "$WORK/rows.txt" | sort -u | grep -vE '^(127\.|::1$)' |
	sed -E 's/(.*:.*)/addr add \1\/128 dev lo nodad/; t; s/(.*)/addr add \1\/32 dev lo/' |
	"${ns[@]}" ip -batch - || bad "no addresses"
"${ns[@]}" sh -c 'echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start' || bad "low ports"
"${ns[@]}" nft flush chain inet pol nat || bad "no chain that redirects"
measure "$WORK/rows.txt" >"$WORK/is"
expected "$WORK/rows.txt" >"$WORK/want"
diff "$WORK/want" "$WORK/is" >"$WORK/differ" || bad "$(head -n 20 "$WORK/differ")"
grep -q ' allow$' "$WORK/is" || bad "nothing is allowed"

t "without any one of its rules a row differs"
# two rows of each rule, family and protocol: a missing answer costs its time
awk '{ k = $5 $4 $1 ($2 ~ /:/) } ++n[k] <= 2' "$WORK/rows.txt" >"$WORK/few.txt"
"${ns[@]}" nft list ruleset | sed 's/packets [0-9]* bytes [0-9]*/packets 0 bytes 0/' >"$WORK/ruleset"
# no row has a name, a query for one, or a port of the gateway
grep -vE 'comment "\((pool|dns|gateway)\)"' "$WORK/ruleset" >"$WORK/.ruleset" && mv "$WORK/.ruleset" "$WORK/ruleset"
rules=$(grep -c 'comment "' "$WORK/ruleset")
[ "$rules" -ge 15 ] || bad "only $rules rules"
expected "$WORK/few.txt" >"$WORK/want"
for ((i = 1; i <= rules; i++)); do
	{
		echo 'flush ruleset'
		awk -v skip="$i" '/comment "/ && ++n == skip { next } { print }' "$WORK/ruleset"
	} | "${ns[@]}" nft -f - || bad "rule $i: not loaded"
	measure "$WORK/few.txt" >"$WORK/is"
	cmp -s "$WORK/want" "$WORK/is" || continue
	bad "nothing shows that this rule is missing: $(grep 'comment "' "$WORK/ruleset" | sed -n "${i}p")"
done
# the control: all of them again
{ echo 'flush ruleset'; cat "$WORK/ruleset"; } | "${ns[@]}" nft -f -
measure "$WORK/few.txt" >"$WORK/is"
cmp -s "$WORK/want" "$WORK/is" || bad "the whole table, loaded again: $(diff "$WORK/want" "$WORK/is" | head -n 9)"

end
[ "$rc" -eq 0 ] || bad "polrun ended with $rc: $(cat "$WORK/.err")"

t "a denial is logged under its rule"
# no rule leads outside: no gateway listens to the log
raw_policy "${LIMITED%%network \{*}network {
	deny tcp 127.0.0.0/8 port 8005 as hole
	deny udp 127.0.0.0/8 port 54 as nodata
}" inner
begin inner
"${ns[@]}" ip route add local 10.0.0.0/8 dev lo || bad "no route"
"${ns[@]}" sh -c 'echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start' || bad "low ports"
coproc LOG { exec "${ns[@]}" python3 "$lib/nflog.py"; }
log=$LOG_PID
read -r -t 20 line <&"${LOG[0]}" || bad "no NFLOG"
printf '%s\n' "tcp 127.0.0.1 8005" "tcp 127.0.0.1 8004" "udp 127.0.0.1 54" "tcp 10.0.0.1 81" >&7
for _ in 1 2 3 4; do read -r -t 20 -u 8 line; done
for id in hole nodata network-otherwise; do
	read -r -t 20 line <&"${LOG[0]}"
	[ "$line" = "$id" ] || bad "'$line' is not $id"
done
kill "$log" 2>/dev/null
wait "$log" 2>/dev/null
end
[ "$rc" -eq 0 ] || bad "polrun ended with $rc: $(cat "$WORK/.err")"

t "the listing is that of the documents in the bundle"
begin p
"${ns[@]}" nft -j list ruleset >"$WORK/run.json"
end
tar xOf "$WORK/p.polb" nft.json >"$WORK/nft.json"
python3 - "$WORK/nft.json" "$WORK/run.json" <<'EOS' || bad "they differ"
import json, sys
def objects(doc):
    out = []
    for o in doc["nftables"]:
        kind, v = next(iter(o.get("add", o).items()))
        if kind == "metainfo":
            continue
        v.pop("handle", None)
        for e in v.get("expr", []):
            if "counter" in e:
                e["counter"] = None
            if "l4proto" in str(e):  # its number where there is no /etc/protocols
                e["match"]["right"] = {6: "tcp", 17: "udp"}.get(e["match"]["right"], e["match"]["right"])
        out.append((kind, v))
    return out
sets, rest = {}, [[], []]
for side, text in enumerate([open(sys.argv[1]).read(), open(sys.argv[2]).read()]):
    for doc in text.splitlines():
        for kind, v in objects(json.loads(doc)):
            if kind in ("set", "element"):
                sets.setdefault(v["name"], [set(), set()])[side].update(
                    json.dumps(x, sort_keys=True) for x in v.get("elem", []))
            else:
                rest[side].append(json.dumps([kind, v], sort_keys=True))
assert sets and all(a == b and a for a, b in sets.values()), sets
assert rest[0] == rest[1], [x for x in zip(*rest) if x[0] != x[1]]
EOS

t "what no rule allows is refused at once, and no socket is gained"
run python3 -c '
import errno, socket
def name(f):
    try: f(); return "OK"
    except OSError as e: return errno.errorcode.get(e.errno, "no answer")
def sctp():
    for kind, to in ((socket.SOCK_STREAM, 8000), (socket.SOCK_SEQPACKET, 8001)):
        server = socket.socket(socket.AF_INET, kind, 132)
        server.bind(("127.0.0.1", to)); server.listen()
        s = socket.socket(socket.AF_INET, kind, 132); s.settimeout(2)
        s.connect(("127.0.0.1", to))
print(name(lambda: socket.create_connection(("10.0.0.1", 81), 2)))
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
print(name(lambda: s.sendto(b"x", ("10.0.0.1", 81))))
print(name(sctp))
print(name(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)))
print(name(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)))'
want_out '^ECONNREFUSED$'
no_out '^OK$'
[ "$(wc -l <<<"$out")" -eq 5 ] || bad "not five answers"
no_err 'network limited'
"$BIN/polrun" -b "$WORK/inner.polb" -v true 2>"$WORK/.err" || bad "polrun: $?"
grep -q 'network limited: no rule allows anything outside' "$WORK/.err" || bad "$(cat "$WORK/.err")"

t "what is neither tcp nor udp is dropped by the chain, and by nothing else"
begin p
ping() { # an echo of ICMP, as who owns the namespace
	out=$("${ns[@]}" python3 -c '
import errno, socket
s = socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); s.settimeout(5)
try: s.sendto(b"\10\0\367\376\0\0\0\1", ("127.0.0.1", 0)); print(len(s.recv(64)))
except OSError as e: print(errno.errorcode.get(e.errno, e))' 2>&1)
}
ping
want_out '^EPERM$'
"${ns[@]}" nft 'chain inet pol out { policy accept; }' || bad "the policy does not change"
ping
want_out '^28$'
end

t "a refused connection is explained by its rule, an allowed one is no denial"
run --explain-denials sh -c "$PROBES/net_probe tcp 127.0.0.1 8005; $PROBES/net_probe tcp 127.0.0.1 8004
python3 -c 'import socket; socket.socket().connect((\"10.1.2.3\", 80))'"
want_out '8005 deny ECONNREFUSED$'
want_out '8004 allow$'
want_line 'connect tcp 127.0.0.1:8005: rule hole at p.pol:[0-9]+'
want_line 'connect tcp 10.1.2.3:80: rule d at p.pol:[0-9]+'
no_err '8004'

# those of the loopback are all in the table: the gateway does not see them (egress_many.sh)
t "10,000 blocks load with the socket buffer that everybody has"
{
	printf '%s\nnetwork {\n' "${LIMITED%%network \{*}"
	awk 'BEGIN { for (i = 0; i < 100; i++) {
		printf "\tallow tcp "
		for (k = 0; k < 100; k++) printf "%s127.%d.%d.0/25", k ? ", " : "", i + 1, k * 2
		printf " port 443 as b%d\n", i } }'
	printf '\tallow tcp 127.0.0.1 port 8000 as lo\n}\n'
} >"$WORK/many.pol"
(cd "$WORK" && "$BIN/polc" compile many.pol -o many.polb >/dev/null 2>"$WORK/.err") ||
	bad "polc: $(head -n 3 "$WORK/.err")"
chmod 0600 "$WORK/many.polb"
python3 - "$WORK/many.polb" <<'EOS' || bad "a transaction is too long"
import struct, sys, tarfile
data = tarfile.open(sys.argv[1]).extractfile("nft.batch").read()
at = start = count = 0
while at < len(data):
    size, kind = struct.unpack_from("IH", data, at)
    at += size
    if kind == 17:
        assert at - start <= 200 * 1024, at - start
        start, count = at, count + 1
assert count > 1 and len(data) > 400000, (count, len(data))
EOS
run_with many "$PROBES/net_probe" tcp 127.0.0.1 8000
want_out ' allow$'
begin many
"${ns[@]}" nft -j list sets | python3 -c '
import json, sys
n = sum(len(o["set"].get("elem", [])) for o in json.load(sys.stdin)["nftables"] if "set" in o)
print(n)' >"$WORK/is"
end
[ "$(cat "$WORK/is")" -ge 10000 ] || bad "$(cat "$WORK/is") elements"

t "without messages polnft loads the rules, and without polnft there is no run"
(cd "$WORK" && "$BIN/polc" compile --no-nft-batch p.pol -o none.polb >/dev/null 2>&1) || bad "polc"
chmod 0600 "$WORK/none.polb"
run_with none sh -c "$PROBES/net_probe tcp 127.0.0.1 8005; $PROBES/net_probe tcp 127.0.0.1 8004"
want_out '8005 deny ECONNREFUSED$'
want_out '8004 allow$'
mkdir -p "$WORK/alone" && cp "$BIN/polrun" "$BIN/polinit" "$BIN/polgate" "$WORK/alone/"
"$WORK/alone/polrun" -b "$WORK/none.polb" true >"$WORK/.out" 2>"$WORK/.err"
rc=$? err=$(cat "$WORK/.err") out=''
want_rc 125
want_err "polnft is neither in"

t "polc says why it cannot try the rules where it may have no namespaces"
none() { # in a namespace that may have no others
	out=$(cd "$WORK" && unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces
		echo 0 >/proc/sys/user/max_net_namespaces
		exec "$@"' - "$BIN/polc" compile "$@" 2>&1)
	rc=$?
}
none p.pol -o l.polb
want_rc 1
want_out 'P0442'
want_out 'no-nft-batch'
no_file "$WORK/l.polb"
none --no-nft-batch p.pol -o l.polb
want_rc 0
want_file "$WORK/l.polb"

done_
