#!/usr/bin/env bash
# lab: web
# long: every fourth day, as root and as a user in turn
# timing: waits for connections that a loaded machine makes late
# One record for each connection and each refusal: in the report, on standard error, in the totals.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"
net_policy '	allow tcp "echo.example" port 9000 as echo
	allow tcp "a.example" port 443 as site
	deny tcp "b.example" as no because "b is another team'"'"'s"
	allow tcp 198.51.100.14 port 9000 as block'
line() { grep -n " as $1\\b" "$WORK/p.pol" | cut -d: -f1; }
cp "$(dirname "$0")/../lib/egress_talk.py" "$P/"

t "the report: connections with bytes, refusals with their rules"
cat >"$P/rows" <<'EOS'
one raw echo.example 9000 12345
two tls a.example 443 sni=b.example
three raw 198.51.100.14 9000 abc
four raw evil.example 443 x
five raw b.example 443 x
six raw 198.51.100.66 443 x
seven raw echo.example 9001 x
eight raw 198.51.100.66 443 x
EOS
run --explain-denials --report "$WORK/report.json" sh -c 'python3 egress_talk.py <rows'
want_out '^one served 12345'
want_out '^two (refused|eof)'
want_out '^three served abc'
want_out '^four refused NXDOMAIN'
want_out '^five refused NXDOMAIN'
want_out '^six refused ECONNREFUSED'
want_out '^seven refused ECONNREFUSED'
want_err "blocked: resolve evil.example: rule network-mode"
want_err "blocked: resolve b.example: rule no at p.pol:$(line no): b is another team's"
want_err "blocked: connect tcp 198.51.100.66:443 .2 times.: rule network-mode"
want_err "blocked: connect tcp echo.example:9001 .2 times.: rule network-mode"
want_err "blocked: connect tcp a.example:443, .*b\.example.*: rule site at p.pol:$(line site)"
python3 - "$WORK/report.json" "$(line echo)" <<'EOS' >"$WORK/said" 2>&1 || bad "$(cat "$WORK/said")"
import json, sys
r = json.load(open(sys.argv[1]))
c = {(x["name"] or x["address"], x["port"]): x for x in r["connections"]}
e = c["echo.example", 9000]
assert e["address"] in ("198.51.100.60", "2001:db8:60::60"), e
assert e["bytes_up"] == 5 and e["bytes_down"] == 5 and e["reached"] and e["ms"] >= 0 and e["count"] == 1, e
assert e["rule"]["id"] == "echo" and e["rule"]["line"] == int(sys.argv[2]) and e["rule"]["file"].endswith("p.pol"), e
assert c["198.51.100.14", 9000]["bytes_down"] == 3 and c["198.51.100.14", 9000]["name"] is None, c
assert len(c) == 2, c
n = r["network"]
assert n["connections"] == 2 and n["bytes_up"] == 8 and n["bytes_down"] == 8 and n["refused"] >= 6 and n["unreached"] == 0, n
d = {(x["op"], x["subject"]): x for x in r["denials"] if x["layer"] == "network"}
assert d["connect", "tcp 198.51.100.66:443"]["count"] == 2, d
assert d["resolve", "evil.example"]["rule"]["id"] == "network-mode", d
assert d["resolve", "b.example"]["rule"]["id"] == "no", d
EOS

t "explain and polquery name the line and the rule to write that the run names"
# REQUEST HOST PORT: what a run of it says, without its number
same() {
	local said at would
	run -v --explain-denials "$D" tcp "$2" "$3"
	said=$(grep -m 1 "blocked: $1: " <<<"$err") || bad "the run does not name it: $err"
	at=$(sed -E 's/.*: rule ([^ ]+) at ([^ :]+:[0-9]+): .*/\1 \2/' <<<"$said")
	would=${said##*; to let it pass: }
	out=$("$BIN/polc" explain "$WORK/p.polb" net "tcp" "$2:$3" 2>&1)
	grep -qE "^  decided by ${at% *} \(.*\) at ([^ ]*/)?${at#* }: " <<<"$out" || bad "explain names another line than '$at': $out"
	grep -qxF "  to pass    $would" <<<"$out" || bad "explain has another hint than '$would': $out"
	out=$("$BIN/polquery" --scope sandbox -b "$WORK/p.polb" <<<"{\"kind\":\"net\",\"proto\":\"tcp\",\"host\":\"$2\",\"port\":$3}")
	grep -qE "\"rules\":\[\{\"id\":\"${at% *}\",[^}]*\"at\":\"([^\"]*/)?${at#* }\"" <<<"$out" || bad "polquery names another line than '$at': $out"
	grep -qF "\"hint\":\"${would//\"/\\\"}\"" <<<"$out" || bad "polquery has another hint than '$would': $out"
}
same "resolve evil.example" evil.example 443
same "connect tcp 198.51.100.66:443" 198.51.100.66 443
same "connect tcp echo.example:9001" echo.example 9001
same "resolve b.example" b.example 443

t "totals under -v, and nothing without"
run -v "$D" tcp echo.example 9000 12345
want_line 'network: 1 connection, 5 bytes out, 5 in; 0 refused'
run "$D" tcp echo.example 9000 12345
[ -z "$err" ] || bad "it speaks: $err"

t "a run that fails says what was blocked"
run sh -c "$D tcp evil.example 443; exit 1"
want_err 'evil.example'

t "names are data: none writes on the terminal"
run --explain-denials python3 -c '
import socket, struct
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(("127.0.0.1", 53))
for label in b"\x1b[31mred", b"a\nb", b"x" * 63, b"\xff\xfe", b"a.b":
    s.send(struct.pack(">HHHHHH", 7, 256, 1, 0, 0, 0) + bytes([len(label)]) + label + b"\7example\0" + struct.pack(">HH", 1, 1))
    s.settimeout(2)
    try: print(s.recv(512)[3] & 15)
    except OSError: print("none")'
grep -qP '\x1b|\xff' <<<"$err" && bad "an escape sequence reached the terminal"
[ "$(wc -l <<<"$out")" -eq 5 ] || bad "not five answers"

t "a name that no host has is refused with a record as well; the name of an address without one"
cat >"$P/ask.py" <<'EOS'
import socket, struct
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(("127.0.0.1", 53)); s.settimeout(3)
for labels in (b"se cret", b"example"), (b"a.b", b"wild", b"example"), (b"x", b"home", b"arpa"), (b"7", b"0", b"0", b"10", b"in-addr", b"arpa"), (b"a", b"example"):
    s.send(struct.pack(">HHHHHH", 7, 256, 1, 0, 0, 0) + b"".join(bytes([len(l)]) + l for l in labels) + b"\0" + struct.pack(">HH", 1, 1))
    print(b"|".join(labels).decode(), s.recv(512)[3] & 15)
EOS
run --explain-denials python3 ask.py
want_out '^a\|example 0$'
[ "$(grep -c ' 3$' <<<"$out")" -eq 4 ] || bad "not all others were refused"
want_err 'blocked: resolve se.cret\.example, which is no name of a host: '
want_err 'blocked: resolve a.b\.wild\.example, which is no name of a host: '
want_err 'blocked: resolve x\.home\.arpa: rule network-mode'
no_err 'in-addr'
done_
