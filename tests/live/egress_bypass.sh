#!/usr/bin/env bash
# lab: web
# long: every fourth day, as root and as a user in turn
# timing: a refusal must be quick, and a loaded machine is not
# Every way around a policy of names that is known: each is tried inside, where it must fail at
# once and send nothing, and outside, where it works.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"
cp "$(dirname "$0")/../lib/egress_talk.py" "$P/"
cp "$LAB/ca.pem" "$P/"
forget

net_policy '	allow tcp "a.example" port 80, 443, 8080 as site
	allow tcp "*.wild.example" port 443 as wild
	allow tcp "echo.example" port 7, 2525, 9000 as echo
	allow tcp 198.51.100.14 port 9000 as block'

# ROWS of egress_talk.py on the standard input: inside, then outside; $in and $outs hold what was said.
talk() {
	cat >"$WORK/rows"
	cp "$WORK/rows" "$P/rows"
	run sh -c 'python3 egress_talk.py <rows'
	in=$out
	outside sh -c 'python3 "$0/egress_talk.py" <"$0/rows"' "$P"
	outs=$out
	[ "$(wc -l <<<"$in")" -eq "$(wc -l <"$WORK/rows")" ] || bad "not every row was answered inside: $err"
}
# ID PATTERN [PATTERN]: what was said inside, and outside
said() {
	grep -qE "^$1 ($2)" <<<"$in" || bad "inside, $1: $(grep "^$1 " <<<"$in"); want $2"
	grep -qE "^$1 ($3)" <<<"$outs" || bad "outside, $1: $(grep "^$1 " <<<"$outs"); want $3"
}
REFUSED='refused ECONNRESET|refused EPIPE|eof' # after the connection was accepted
SERVED='served'

t "addresses: of other hosts, of an allowed name, of metadata, private ones"
for to in 198.51.100.66 198.51.100.10 2001:db8:66::66 169.254.169.254 fd00:ec2::254 100.100.100.200 10.1.2.3 fd12::5 203.0.113.1 64:ff9b::a01:203; do
	outside "$D" tcp "$to" 443
	want_out '^OK '
done
forget
for to in 198.51.100.66 198.51.100.10 2001:db8:66::66 169.254.169.254 fd00:ec2::254 100.100.100.200 10.1.2.3 fd12::5 203.0.113.1 64:ff9b::a01:203; do
	refused_fast ECONNREFUSED tcp "$to" 443
	nothing_left "$to"
done
run "$D" tcp 198.51.100.14 9000 x
want_out '^OK x'
some_left 198.51.100.14 tcp 9000
refused_fast ECONNREFUSED tcp 198.51.100.14 443
refused_fast ECONNREFUSED tcp 198.51.100.13 9000
# an address written as something else is still an address
refused_fast 'ECONNREFUSED|NXDOMAIN' tcp ::ffff:198.51.100.66 443
nothing_left 198.51.100.66
nothing_left 198.51.100.14 tcp 443

t "addresses that stand for names: none is guessed"
forget
run python3 -c '
import socket
def dial(a, port):
    s = socket.socket(socket.AF_INET6 if ":" in a else socket.AF_INET); s.settimeout(3)
    try:
        s.connect((a, port)); s.sendall(b"x"); return "open " + repr(s.recv(9))
    except OSError as e: return "no"
known = {socket.gethostbyname("a.example"), socket.gethostbyname("echo.example")}
print("known", socket.create_connection((socket.gethostbyname("echo.example"), 9000), 3) is not None)
tried = 0
for i in [*range(0, 40), *range(32768, 32808), *range(65536, 65576), 131071]:
    a = "198.%d.%d.%d" % (18 + (i >> 16), i >> 8 & 255, i & 255)
    if a not in known:
        tried += 1
        for port in 443, 9000, 7:
            r = dial(a, port)
            if r != "no": print(a, port, r)
for i in range(1, 40):
    r = dial("fd70:6f6c::%x" % (i + 50000), 443)
    if r != "no": print(i, r)
print("tried", tried > 100)'
want_out '^known True'
want_out '^tried True'
no_out 'open'
outside "$D" tcp 198.18.0.77 9000 x
want_out '^OK x'

t "DNS: 100,000 labels below an allowed wildcard, and no query leaves"
: >"$LAB/log/dns"
run python3 -c '
import socket, struct, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(3); s.connect(("127.0.0.1", 53))
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
def query(i, name, kind=1):
    return struct.pack(">HHHHHH", i & 65535, 256, 1, 0, 0, 0) + b"".join(bytes([len(l)]) + l.encode() for l in name.split(".")) + struct.pack(">BHH", 0, kind, 1)
codes = {}
begun = time.monotonic()
for i in range(0, 100000, 50):
    for k in range(i, i + 50): s.send(query(k, "t%d-secret.wild.example" % k))
    for k in range(50):
        r = s.recv(512); codes[r[3] & 15] = codes.get(r[3] & 15, 0) + 1
print("answers", sum(codes.values()), codes, "in", round(time.monotonic() - begun, 1))
s.send(query(1, "a.example")); r = s.recv(512); print("a.example", r[3] & 15, r[7])
s.send(query(2, "evil.example")); print("evil", s.recv(512)[3] & 15)
for kind in 16, 10, 5, 15, 255, 33, 65399:
    s.send(query(3, "data.wild.example", kind)); r = s.recv(512); print("type", kind, r[3] & 15, r[7])
    s.send(query(3, "data.evil.example", kind)); r = s.recv(512); print("evil type", kind, r[3] & 15, r[7])
'
want_rc 0
want_out '^answers 100000 '
want_out '^a.example 0 1'
want_out '^evil 3'
[ "$(grep -cE '^type [0-9]+ [0-9]+ 0$' <<<"$out")" -eq 7 ] || bad "a wildcard's name has other records"
[ "$(grep -cE '^evil type [0-9]+ [0-9]+ 0$' <<<"$out")" -eq 7 ] || bad "a refused name has records"
no_out '^evil type [0-9]+ 0 '
! asked_of_dns secret || bad "a label went out"
! asked_of_dns data. || bad "a query went out"
# outside such a query does go out
outside "$D" dns x-secret.wild.example 16
asked_of_dns x-secret || bad "the control: the log of DNS is blind"

t "DNS: another server, DNS over TLS, over HTTPS, over TCP"
: >"$LAB/log/dns"
run dig +short +tries=1 +time=3 @198.51.100.53 a.example
want_out '^198\.1[89]\.'
run dig +short +tcp +tries=1 +time=3 @198.51.100.8 a.example
no_out '^198\.51'
! asked_of_dns a.example || bad "a query went out"
refused_fast NXDOMAIN dns use-application-dns.net 1
refused_fast NXDOMAIN tcp dns.google 443
refused_fast ECONNREFUSED tcp 198.51.100.8 853
refused_fast ECONNREFUSED tcp a.example 853
for to in "dns.google 443" "198.51.100.8 853" "a.example 853" "198.51.100.53 53"; do
	# shellcheck disable=SC2086
	outside "$D" tcp $to
	want_out '^OK '
done
outside dig +short +tcp @198.51.100.8 a.example
want_out '^198\.51\.100\.10'

t "DNS: no record of HTTPS or SVCB, so no key for an encrypted ClientHello"
run "$D" dns a.example 65
want_out '^NOERROR [0-9]+ ms'
run "$D" dns a.example 64
want_out '^NOERROR [0-9]+ ms'
outside "$D" dns a.example 65
want_out 'type65'

t "one address, two names: SNI and Host must be the name that was looked up"
forget
: >"$LAB/log/web"
talk <<'EOS'
sni-own tls a.example 443 sni=a.example
sni-other tls a.example 443 sni=b.example
sni-none tls a.example 443
sni-two tls a.example 443 sni=a.example sni=b.example
sni-below tls a.example 443 sni=x.a.example
sni-longer tls a.example 443 sni=a.example.evil.example
sni-dot tls a.example 443 sni=a.example.
sni-case tls a.example 443 sni=A.ExAmPlE
wild-own tls q.wild.example 443 sni=q.wild.example
wild-other tls q.wild.example 443 sni=r.wild.example
host-own raw a.example 80 GET\s/\sHTTP/1.1\r\nHost:\sa.example\r\n\r\n
host-port raw a.example 80 GET\s/\sHTTP/1.1\r\nHost:\sa.example:80\r\n\r\n
host-other raw a.example 80 GET\s/\sHTTP/1.1\r\nHost:\sb.example\r\n\r\n
host-two raw a.example 80 GET\s/\sHTTP/1.1\r\nHost:\sa.example\r\nHost:\sb.example\r\n\r\n
host-folded raw a.example 80 GET\s/\sHTTP/1.1\r\nHost:\sa.example\r\n\sb.example\r\n\r\n
host-blank raw a.example 80 GET\s/\sHTTP/1.1\r\nHost\s:\sb.example\r\n\r\n
host-none raw a.example 80 GET\s/\sHTTP/1.0\r\n\r\n
uri-other raw a.example 80 GET\shttp://b.example/\sHTTP/1.1\r\nHost:\sa.example\r\n\r\n
uri-own raw a.example 80 GET\shttp://a.example/\sHTTP/1.1\r\nHost:\sa.example\r\n\r\n
keep-own raw a.example 80 GET\s/\sHTTP/1.1\r\nHost:\sa.example\r\n\r\n\|GET\s/?2\sHTTP/1.1\r\nHost:\sa.example\r\n\r\n
keep-other raw a.example 80 GET\s/\sHTTP/1.1\r\nHost:\sa.example\r\n\r\n\|GET\s/?2\sHTTP/1.1\r\nHost:\sb.example\r\n\r\n
pipelined raw a.example 80 GET\s/\sHTTP/1.1\r\nHost:\sa.example\r\n\r\nGET\s/?3\sHTTP/1.1\r\nHost:\sb.example\r\n\r\n
smuggle raw a.example 80 POST\s/\sHTTP/1.1\r\nHost:\sa.example\r\nContent-Length:\s5\r\nTransfer-Encoding:\schunked\r\n\r\n0\r\n\r\nGET\s/?4\sHTTP/1.1\r\nHost:\sb.example\r\n\r\n
connect raw a.example 80 CONNECT\sevil.example:443\sHTTP/1.1\r\nHost:\sevil.example:443\r\n\r\n
connect-own raw a.example 8080 CONNECT\sa.example:443\sHTTP/1.1\r\nHost:\sa.example:443\r\n\r\n
h2-plain raw a.example 80 PRI\s*\sHTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00
not-tls raw a.example 443 SSH-2.0-x\r\n
http-443 raw a.example 443 GET\s/\sHTTP/1.1\r\nHost:\sa.example\r\n\r\n
tls-80 tls a.example 80 sni=a.example
EOS
said sni-own "$SERVED" "$SERVED"
said sni-other "$REFUSED" "$SERVED"
said sni-none "$REFUSED" "$SERVED"
said sni-two "$REFUSED" ''
said sni-below "$REFUSED" "$SERVED"
said sni-longer "$REFUSED" "$SERVED"
said sni-dot "$REFUSED|$SERVED" ''
said sni-case "$SERVED" "$SERVED"
said wild-own "$SERVED" "$SERVED"
said wild-other "$REFUSED" "$SERVED"
said host-own "$SERVED HTTP/1.1 200" "$SERVED HTTP/1.1 200"
said host-port "$SERVED HTTP/1.1 200" "$SERVED HTTP/1.1 200"
said host-other "$REFUSED" "$SERVED HTTP/1.1 200"
for row in host-two host-folded host-blank host-none; do said $row "$REFUSED" ''; done
said uri-other "$REFUSED" "$SERVED HTTP/1.1 200"
said uri-own "$SERVED HTTP/1.1 200" "$SERVED HTTP/1.1 200"
said keep-own "$SERVED HTTP/1.1 200" "$SERVED HTTP/1.1 200"
said keep-other "$REFUSED" "$SERVED HTTP/1.1 200"
said pipelined "$REFUSED|$SERVED" "$SERVED HTTP/1.1 200"
said smuggle "$REFUSED" ''
said connect "$REFUSED" ''
said connect-own "$REFUSED" ''
said h2-plain "$REFUSED" ''
said not-tls "$REFUSED" ''
said http-443 "$REFUSED" "$SERVED HTTP/1.1 400"
said tls-80 "$REFUSED" ''
no_in=$(awk '{ if ($NF > 3000) print }' <<<"$in")
[ -z "$no_in" ] || bad "slow: $no_in"

t "one address, two names: nothing of the other name reached the server"
run sh -c 'python3 egress_talk.py <rows'
: >"$LAB/log/web"
run sh -c 'python3 egress_talk.py <rows'
within 5 grep -q '|a.example|80|GET /?2' "$LAB/log/web" || bad "the control: the server's log is blind"
! grep 'b\.example' "$LAB/log/web" || bad "$(grep 'b\.example' "$LAB/log/web")"
nothing_left 198.51.100.66
outside curl -s -o /dev/null http://b.example/
within 5 grep -q '|b.example|' "$LAB/log/web" || bad "the control"

t "a browser's client: an address of another name, and another Host over TLS"
run sh -c 'a=$('"$D"' dns a.example 1 | cut -d" " -f2); echo "at $a"; curl -sS --cacert ca.pem --max-time 5 --resolve b.example:443:$a https://b.example/'
[ "$rc" -ne 0 ] || bad "b.example by a.example's address"
want_out '^at 198\.1[89]\.'
no_out 'host='
run sh -c 'a=$('"$D"' dns a.example 1 | cut -d" " -f2); curl -sS --cacert ca.pem --max-time 5 --resolve a.example:443:$a https://a.example/'
want_out 'host=a.example'
outside sh -c 'curl -sS --max-time 5 --resolve b.example:443:198.51.100.10 https://b.example/'
want_out 'host=b.example'
# inside of TLS nobody sees the Host, but the connection goes to a.example only
run curl -sS --cacert ca.pem --max-time 5 -H 'Host: evil.example' https://a.example/
want_out 'sni=a.example .* at=(198.51.100.10|2001:db8:10::10) '
nothing_left 198.51.100.66

t "ClientHellos in pieces: allowed and refused as whole ones"
talk <<'EOS'
bytes tls a.example 443 sni=a.example split=1
bytes-no tls a.example 443 sni=b.example split=1
records tls a.example 443 sni=a.example records=2
records-no tls a.example 443 sni=b.example records=2
many tls a.example 443 sni=a.example records=100 split=7
many-no tls a.example 443 sni=b.example records=100 split=7
pause tls a.example 443 sni=a.example split=40 pause=50
pause-no tls a.example 443 sni=b.example split=40 pause=50
grease tls a.example 443 sni=a.example grease ech
grease-no tls a.example 443 sni=b.example grease ech
large tls a.example 443 sni=a.example size=15000
large-no tls a.example 443 sni=b.example size=15000
huge-no tls a.example 443 sni=b.example size=60000
cut tls a.example 443 sni=b.example cut=60 end
EOS
for row in bytes records many pause grease large; do
	said $row 'served 160303' 'served 160303'
	said $row-no "$REFUSED" 'served 160303'
done
said huge-no "$REFUSED" ''
said cut "$REFUSED" ''

t "a second ClientHello, which the server asks for, names the same host"
# a server that refuses every other name, and goes by the last one that it hears
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=host.example -keyout "$WORK/own.key" -out "$WORK/own.pem" 2>/dev/null
openssl s_server -accept 203.0.113.2:8443 -servername host.example -servername_fatal -cert "$WORK/own.pem" -key "$WORK/own.key" -cert2 "$WORK/own.pem" -key2 "$WORK/own.key" \
	-tls1_3 -groups P-256 -quiet >/dev/null 2>&1 </dev/null &
tls_pid=$!
within 10 opens 203.0.113.2 8443 || bad "no server"
cp "$WORK/p.polb" "$WORK/kept.polb"
net_policy '	allow tcp "host.example" port 8443 within 203.0.113.2/32 as own'
talk <<'EOS'
twice hrr host.example 8443 host.example host.example
other hrr host.example 8443 host.example evil.example
EOS
said twice 'served 22 0200' 'served 22 0200'
said other "$REFUSED" 'served 21 0270' # unrecognized_name: so the server has heard it
kill $tls_pid
cp "$WORK/kept.polb" "$WORK/p.polb"

t "datagrams: QUIC and others are refused at once"
forget
cat >"$P/udp.py" <<'EOS'
import errno, socket, sys, time
for to in sys.argv[1:]:
    a, port = to.rsplit("/", 1)
    s = socket.socket(socket.AF_INET6 if ":" in a else socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(2)
    b = time.monotonic()
    try: s.connect((a, int(port))); s.send(b"quic"); r = "answer " + s.recv(9).decode()
    except OSError as e: r = errno.errorcode.get(e.errno or 0, "timeout")
    print(to, r, int((time.monotonic() - b) * 1000))
EOS
run sh -c 'python3 udp.py 198.51.100.66/443 2001:db8:66::66/443 198.51.100.10/443 198.51.100.66/9000 $('"$D"' dns a.example 1 | cut -d" " -f2)/443; echo; '"$D"' dns a.example 1'
[ "$(grep -cE ' (EPERM|EACCES|ECONNREFUSED) [0-9]{1,2}$' <<<"$out")" -eq 5 ] || bad "not every datagram was refused"
want_out '^198\.1[89]\.[0-9.]*/443 EPERM'
for to in 198.51.100.66 2001:db8:66::66 198.51.100.10; do nothing_left "$to" udp; done
outside python3 "$P/udp.py" 198.51.100.66/443 2001:db8:66::66/443
[ "$(grep -c 'answer quic' <<<"$out")" -eq 2 ] || bad "the control"

t "a name's answer changes to a guarded address after it was allowed"
net_policy '	allow tcp "moving.example" port 9000 as moving' moving
lab_name moving.example 198.51.100.13
run_with moving "$D" tcp moving.example 9000 x
want_out '^OK x'
for to in 10.1.2.3 169.254.169.254 127.0.0.1 203.0.113.2; do
	lab_name moving.example "$to"
	forget
	run_with moving --explain-denials "$D" tcp moving.example 9000 x
	want_out '^(ECONNRESET|EOF|ECONNREFUSED)'
	want_err "blocked: connect tcp moving.example:9000, which leads to $to: "
	nothing_left "$to"
done
# in one run: looked up once, dialled twice
lab_name moving.example 198.51.100.13
forget
(
	within 20 test -e "$P/first" && lab_name moving.example 10.1.2.3 && touch "$P/moved"
) &
run_with moving sh -c "$D tcp moving.example 9000 x; touch first; while [ ! -e moved ]; do sleep 0.05; done; sleep 1; $D tcp moving.example 9000 x"
wait $!
want_out '^OK x'
want_out '^(ECONNRESET|EOF|ECONNREFUSED)'
nothing_left 10.1.2.3
lab_name moving.example 198.51.100.13

t "unix sockets of the host: by path, and abstract"
cat >"$WORK/unix.py" <<'EOS'
import os, socket, sys, threading
def serve(name):
    s = socket.socket(socket.AF_UNIX); s.bind(name); s.listen()
    while True: c, _ = s.accept(); c.sendall(b"reached"); c.close()
for n in sys.argv[1], "\0" + sys.argv[2]: threading.Thread(target=serve, args=(n,), daemon=True).start()
sys.stdin.read()
EOS
coproc UNIX { exec python3 "$WORK/unix.py" "$WORK/sock" lab-abstract; }
unix_pid=$UNIX_PID
dial_unix='import socket, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1].replace("@", "\0")); print(s.recv(9).decode())'
within 5 test -S "$WORK/sock" || bad "no server"
for to in "$WORK/sock" @lab-abstract; do
	outside python3 -c "$dial_unix" "$to"
	want_out reached
	run python3 -c "$dial_unix" "$to"
	no_out reached
	want_rc 1
done
eval "exec ${UNIX[1]}>&-"
wait "$unix_pid" 2>/dev/null

t "other families, raw sockets, MPTCP, SCTP, fast open"
forget
run python3 -c '
import errno, socket
def tell(what, f):
    try: f(); print(what, "made")
    except OSError as e: print(what, errno.errorcode.get(e.errno or 0, "timeout"))
for what, args in (("vsock", (40, 1, 0)), ("packet", (17, 3, 0)), ("netfilter", (16, 3, 12)), ("alg", (38, 5, 0)), ("bluetooth", (31, 3, 1)),
                   ("tipc", (30, 1, 0)), ("xdp", (44, 3, 0)), ("rds", (21, 5, 0)), ("smc", (43, 1, 0)), ("raw", (2, 3, 1)), ("raw6", (10, 3, 58)),
                   ("mptcp", (2, 1, 262)), ("udplite", (2, 2, 136)), ("ping", (2, 2, 1))):
    tell(what, lambda: socket.socket(*args))
tell("route", lambda: socket.socket(16, 3, 0))
def sctp():
    s = socket.socket(2, 1, 132); s.settimeout(1); s.connect(("198.51.100.66", 9000))
tell("sctp", sctp)
def fast(a):
    s = socket.socket(socket.AF_INET6 if ":" in a else socket.AF_INET); s.settimeout(2); s.sendto(b"x" * 64, 0x20000000, (a, 9000)); s.recv(1)
tell("fastopen", lambda: fast("198.51.100.66"))
tell("fastopen6", lambda: fast("2001:db8:66::66"))
def ping():
    s = socket.socket(2, 2, 1); s.settimeout(1); s.sendto(b"\x08\0\0\0\0\0\0\0", ("198.51.100.66", 0)); s.recv(9)
tell("pinged", ping)'
no_out '^(vsock|packet|netfilter|alg|bluetooth|tipc|xdp|rds|smc|raw|raw6|mptcp|udplite|ping|fastopen|fastopen6|pinged) (made|timeout)'
no_out '^sctp made'
for k in mptcp udplite ping sctp; do
	want_out "^$k EPROTONOSUPPORT"
done
[ "$(grep -c . <<<"$out")" -eq 19 ] || bad "not every family was tried"
want_out '^route made'
nothing_left 198.51.100.66
nothing_left 2001:db8:66::66
# a kernel with SCTP sends from outside
outside python3 -c '
import socket
s = socket.socket(2, 1, 132); s.settimeout(1)
try: s.connect(("198.51.100.66", 9000))
except OSError: pass
print("tried")'
[ "$out" != tried ] || some_left 198.51.100.66 sctp
if is_root; then # who else may send one outside depends on the machine
	outside python3 -c '
import socket
s = socket.socket(2, 3, 1); s.settimeout(3); s.sendto(b"\x08\0\xf7\xff\0\0\0\0", ("198.51.100.66", 0)); print(len(s.recv(99)))'
	want_rc 0
	some_left 198.51.100.66 icmp
fi

t "listening: nobody outside reaches a server of the run"
run sh -c 'python3 -c "
import socket, threading
s = socket.socket(socket.AF_INET6); s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0); s.bind((\"::\", 4444)); s.listen()
c = socket.create_connection((\"127.0.0.1\", 4444), 3); print(\"own\", c is not None)
open(\"listens\", \"w\").close()
s.settimeout(2)
try:
    s.accept(); s.accept(); print(\"reached\")
except OSError: print(\"nobody\")"' &
run_pid=$!
within 20 test -e "$P/listens" || bad "no server in the run"
for to in 127.0.0.1 203.0.113.2 ::1 2001:db8:0:1::2; do
	"$D" tcp $to 4444 | grep -q '^ECONNREFUSED' || bad "the run's server is reached by $to"
done
wait $run_pid
out=$(cat "$WORK/.out")
want_out '^own True'
want_out '^nobody'
rm -f "$P/listens"

t "a connection that the caller has open is not the run's"
speak='import os, sys
try: os.write(9, b"leak"); print("wrote")
except OSError as e: print("no", e.strerror)'
exec 9<>/dev/tcp/198.51.100.60/9000
outside python3 -c "$speak"
want_out '^wrote'
run python3 -c "$speak"
want_out '^no Bad file'
exec 9>&-

t "what /proc and the routing tables tell of the host"
run sh -c 'cat /proc/net/tcp /proc/net/tcp6 /proc/net/arp /proc/net/route /proc/net/fib_trie /proc/net/if_inet6 /proc/net/dev /proc/net/unix 2>/dev/null; ip addr 2>/dev/null'
no_out '203\.0\.113|20010db8|CB007102|027100CB| out:'
outside cat /proc/net/fib_trie
want_out '203\.0\.113\.2'

t "the gateway's own ports: no name, no second listener"
refused_fast ECONNREFUSED tcp 127.0.0.1 1
refused_fast ECONNREFUSED tcp ::1 1
run python3 -c '
import errno, socket
def tell(what, f):
    try: f(); print(what, "done")
    except OSError as e: print(what, errno.errorcode.get(e.errno or 0, "timeout"))
def bind(a, port, kind=1):
    s = socket.socket(socket.AF_INET6 if ":" in a else socket.AF_INET, kind)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    s.bind((a, port))
    if kind == 1: s.listen()
for a in "127.0.0.1", "0.0.0.0", "127.0.0.2", "::1", "::":
    for port in 1, 53:
        tell("bind %s %d" % (a, port), lambda: bind(a, port)); tell("udp %s %d" % (a, port), lambda: bind(a, port, 2))
tell("control", lambda: bind("127.0.0.1", 5353))'
no_out '^(bind|udp) .* done'
want_out '^control done'
run sh -c "$D tcp 127.0.0.1 53 'GET / HTTP/1.0\\r\\n\\r\\n'"
no_out 'HTTP/'

done_
