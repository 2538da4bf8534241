#!/usr/bin/env bash
# lab: web
# long: every fourth day, as root and as a user in turn
# timing: waits for connections that a loaded machine makes late
# Limits of a rule: how many connections, how many bytes.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"

t "connections: the eleventh is refused, and named"
net_policy '	allow tcp "echo.example" port 9000 connections 10 as few
	allow tcp "echo.example" port 7 as many'
forget
run --explain-denials "$D" many 20 echo.example 9000
want_out '^ok 10 refused [0-9]+ ended [0-9]+$'
want_err 'echo.example:9000.* few at p.pol:'
run "$D" many 100 echo.example 7
want_out '^ok 100 refused 0 ended 0'
outside "$D" many 20 echo.example 9000
want_out '^ok 20 '

t "bytes: a download ends at the limit, another rule's does not"
net_policy '	allow tcp "echo.example" port 9001 bytes 1M as little
	allow tcp "a.example" port 80 as site'
forget
run --explain-denials python3 -c '
import socket
s = socket.create_connection(("echo.example", 9001), 5); n = 0
try:
    while n < 50 << 20:
        d = s.recv(65536)
        if not d: break
        n += len(d)
except OSError: pass
print("got", n)'
n=$(sed -n 's/^got //p' <<<"$out")
[ "${n:-0}" -gt 0 ] && [ "${n:-0}" -le 1048576 ] || bad "it got ${n:-nothing}"
want_err 'echo.example:9001.*little at p.pol:'
run sh -c 'curl -sS --max-time 20 http://a.example/big | wc -c'
want_out '^ *16777216$'
outside sh -c 'curl -sS --max-time 20 http://a.example/big | sha256sum'
sum=$out
run sh -c 'curl -sS --max-time 20 http://a.example/big | sha256sum'
[ "$out" = "$sum" ] || bad "the bytes are others"

t "bytes upwards count as well"
net_policy '	allow tcp "echo.example" port 9002 bytes 1M as little'
run python3 -c '
import socket
s = socket.create_connection(("echo.example", 9002), 5); n = 0
s.settimeout(5)
try:
    while n < 64 << 20: n += s.send(b"x" * 65536)
except OSError: pass
print("sent", n < 32 << 20)'
want_out '^sent True'
outside python3 -c '
import socket
s = socket.create_connection(("198.51.100.60", 9002), 5); s.sendall(b"x" * (4 << 20)); print("sent")'
want_out '^sent'

t "half-close, a reset of the server, a server that speaks first, a stream"
net_policy '	allow tcp "echo.example" port 2525, 9003, 9004 as echo
	allow tcp "model.example" port 443 as model'
cp "$LAB/ca.pem" "$P/"
run "$D" tcp echo.example 2525 -
want_out '^OK 220 lab ready'
run "$D" tcp echo.example 9003 x
want_out '^(ECONNRESET|EOF)'
: >"$LAB/log/half"
run python3 -c '
import socket
s = socket.create_connection(("echo.example", 9004), 5); print(s.recv(9)); print(s.recv(9))
s.sendall(b"y" * 100000); s.shutdown(1)'
want_out "^b'bye"
want_out "^b''"
within 5 grep -q '^100000$' "$LAB/log/half" || bad "what followed the half-close did not arrive: $(cat "$LAB/log/half" 2>&1)"
run sh -c 'curl -sSN --cacert ca.pem --max-time 10 https://model.example/events | while IFS= read -r l; do [ -z "$l" ] || printf "%s %s\n" "$(($(date +%s%N) / 1000000))" "$l"; done'
want_out 'DONE'
first=$(head -n 1 <<<"$out" | cut -d' ' -f1) last=$(tail -n 1 <<<"$out" | cut -d' ' -f1)
[ $((last - first)) -ge 300 ] || bad "the stream was held back: $((last - first)) ms"
done_
