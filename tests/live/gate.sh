#!/usr/bin/env bash
# The egress gateway alone (gate_host starts polgate as polrun does): what clumsy and hostile
# programs do to its connections, its DNS, its descriptors, and its records.
# lab: web proxy
# long: every fourth day, as root and as a user in turn
# timing: refusals of what is sent too slowly
. "$(dirname "$0")/../lib/egress.sh"

GATE=$WORK/gate
cp "$(dirname "$0")/gate.py" "$WORK/gate.py"
R=('allow a.example 1-65535' 'ask v4.example 1-65535' 'allow *.wild.example 443'
	'allow 198.51.100.11/32 1-65535' 'allow ten.example 7' 'allow dead6.example 7'
	'allow moving.example 7' 'allow 198.51.100.98/32 7')
events=$WORK/events
options=()
# ROW [ARGUMENT…]: gate.py inside; sets out, err, rc; the records are in $events.
gate() {
	timeout $((SLOW > 1 ? 300 : 60)) "$PROBES/gate_host" "${gate:-$BIN/polgate}" -o "$events" "${options[@]}" -- "${R[@]}" -- \
		python3 "$WORK/gate.py" "$@" >"$WORK/.out" 2>"$WORK/.err" </dev/null
	# shellcheck disable=SC2034
	rc=$? err=$(cat "$WORK/.err")
	out=$(cat "$WORK/.out")
	want_rc 0
}
# How many things the records that match stand for.
count() { awk -v p="$1" '$0 ~ p { split($0, a, "count="); split(a[2], b, " "); n += b[1] } END { print n + 0 }' "$events"; }
want_record() { [ "$(count "$1")" -eq "${2:-1}" ] || bad "$(count "$1") records, not ${2:-1}, of: $1: $(cat "$events")"; }

# records that are alike within a moment are one
few_records() { [ "$SLOW" -gt 1 ] || [ "$(wc -l <"$events")" -lt 2000 ] || bad "$(wc -l <"$events") records"; }

t "bytes: both ways at once, with a slow reader, all come back"
gate echo
want_out '^same$'
want_record '^closed rule rule=1 name=a.example .* up=3000000 down=3000000 '

t "half-close: the server first, and the command still speaks"
gate half
want_out '^bye$'
within 5 grep -qx 100000 "$LAB/log/half" || bad "the server did not get the rest"

t "a reset of the server reaches the command, and one of the command the server"
gate server_reset
want_out '^reset$'
want_record '^closed rule .* error=104 '
gate client_reset
want_out '^still here$'
want_record '^closed rule .* error=104 ' 3
want_record '^closed rule .* error=0 '

t "readers that never read hold up nobody else"
gate stuck 600
want_out '^through fast$'

t "TLS: in one piece, in pieces of one byte, in two records"
gate tls a.example 5000
want_out '^hello$'
gate tls a.example 1
want_out '^hello$'
gate tls_records
want_out '^hello$'

t "TLS for another name, or for none, is refused"
gate tls b.example 5000
want_out '^reset$'
want_record '^refused sni rule=1 name=a.example .* up=0 down=0 .* text=b.example$'
gate tls b.example 1
want_out '^reset$'
want_record '^refused sni '
gate tls none 5000
want_out '^reset$'
want_record '^refused sni .* text=TLS without a host name$'

t "HTTP: each request of a connection must name the host"
gate http a.example a.example
want_out '^a.example a.example$'
gate pipelined a.example a.example
want_out '^2$'
gate http b.example
want_out '^reset$'
want_record '^refused host rule=1 name=a.example .* up=0 down=0 .* text=b.example$'
gate http a.example b.example
want_out '^a.example reset$'
gate pipelined a.example b.example
no_out '^2$'
want_record '^refused host .* text=b.example$'

t "an urgent byte hides nothing, and is passed on in its place"
gate urgent_is_passed
want_out '^onetwo$'
gate urgent
no_out 'lab sni'
want_record '^refused '

t "what is sent too slowly ends after ten seconds"
gate slow 443 '\x16\x03\x01\x02\x00\x01' 3
want_record '^refused timeout rule=1 name=a.example '

t "DNS: addresses for what is allowed, over UDP, with EDNS, over TCP a byte at a time"
gate dns a.example
want_out '^0 1 0 1 0 1$'
gate dns a.example 28
want_out '^0 1 0 1 0 1$'
gate dns x.y.wild.example
want_out '^0 1 0 1 0 1$'

t "DNS: nothing for HTTPS and TXT, NXDOMAIN for other names, which is recorded once"
gate dns a.example 65
want_out '^0 0 0 0 0 0$'
gate dns a.example 16
want_out '^0 0 0 0 0 0$'
gate dns evil.example
want_out '^3 0 3 0 3 0$'
want_record '^no-name rule rule=0 name=evil.example ' 3
gate dns wild.example
want_out '^0 0 0 0 0 0$'
! asked_of_dns evil.example || bad "a query has left the host"

t "DNS: a flood of labels below a wildcard, garbage and half queries stop no other name"
options=(-p 2000)
gate dns_flood 20000
want_out '^0 1$'
few_records
options=()

t "addresses: only what a rule names, at once"
gate connect 198.51.100.11 7
want_out '^hello fast$'
gate connect 198.51.100.12 7
want_out '^reset fast$'
gate connect 2001:db8:10::10 7
want_out '^reset fast$'
gate connect 198.18.9.9 7
want_out '^reset fast$'
want_record '^refused no-name rule=-1 '
gate connect 169.254.169.254 80
want_out '^reset fast$'

t "a name that leads into the host's networks is refused"
gate connect ten.example 7
want_out '^reset fast$'
want_record '^refused guard rule=5 name=ten.example addr=::ffff:10.1.2.3 .* text=a private address$'

t "an address that does not answer: the next one is tried; a refusal is passed on"
gate connect dead6.example 7
want_out '^hello fast$'
gate connect 198.51.100.98 7
want_out '^reset fast$'
want_record '^unreached connect rule=8 .* error=111 '

t "the kernel's own refusals are recorded with the rule"
gate connect 198.51.100.11 9
want_out '^refused fast$'
want_record '^dropped rule rule=4 name=- addr=::ffff:198.51.100.11 port=9 '

t "a question: 500 connections are one"
# answered when all have asked: they are made, and polgate has had time to take them
rm -f "$P/all"
options=(-a yes -w "$P/all" -d 1500 -h 30000)
gate ask 500 v4.example 7 "$P/all"
want_out '^500$'
want_record '^ask ask rule=2 name=v4.example addr=- port=7 '
options=(-a no)
gate ask 50 v4.example
want_out '^0$'
want_record '^refused ask rule=2 name=v4.example ' 50
options=()
gate ask 3 v4.example
want_out '^0$'
want_record '^refused ask ' 3
no_record=$(count '^ask ')
[ "$no_record" -eq 0 ] || bad "somebody was asked"

t "a question that nobody answers ends by itself"
options=(-a yes -d 4000)
gate ask 2 v4.example
want_out '^0$'
want_record '^refused ask rule=2 ' 2
options=()

t "limits of a rule: connections, and bytes"
R=('allow a.example 7 connections=3' 'allow v4.example 7 bytes=100000')
gate many 5
want_out '^3 work$'
want_record '^refused limit rule=1 ' 2
gate connect v4.example 7
want_out '^hello fast$'
R=('allow v4.example 1-65535 bytes=100000' 'allow a.example 1-65535 bytes=100000')
gate echo 7 1000000
no_out same
want_record '^refused limit rule=2 '
R=('allow a.example 1-65535')

t "the host's loopback: by any of its names, unless the rule wants one"
R=('allow localhost 8080 within=127.0.0.0/8')
mkdir -p "$WORK/www"
python3 -m http.server --directory "$WORK/www" --bind 127.0.0.1 8080 >/dev/null 2>&1 &
server=$!
within 5 eval '(exec 3<>/dev/tcp/127.0.0.1/8080) 2>/dev/null' || bad "no server"
gate host_loopback 127.0.0.1:8080
want_out '^HTTP/1.0 200$'
want_record '^closed rule rule=1 name=localhost addr=::ffff:127.0.0.1 port=8080 '
R=('allow localhost 8080 within=127.0.0.0/8 peek=http')
gate host_loopback localhost:8080
want_out '^HTTP/1.0 200$'
gate host_loopback 127.0.0.1:8080
want_out '^reset$'
R=('allow localhost 8080')
gate host_loopback 127.0.0.1:8080
want_out '^reset$'
want_record '^refused guard rule=1 name=localhost '
kill "$server"
wait "$server" 2>/dev/null

t "an upstream proxy: names and addresses, with its password, also where the server speaks first"
R=('allow a.example 1-65535 via=http://198.51.100.50:3128 user=lab:geheim'
	'allow b.example 1-65535 via=http://198.51.100.50:3128 user=lab:wrong'
	'allow 198.51.100.11/32 7 via=http://198.51.100.50:3128 user=lab:geheim'
	'allow v4.example 7 via=http://198.51.100.98:3128'
	'allow ten.example 7')
gate connect a.example 7
want_out '^hello fast$'
want_record '^closed rule rule=1 name=a.example addr=::ffff:198.51.100.50 port=7 '
gate connect a.example 2525
want_out '^220 lab ready'
gate connect 198.51.100.11 7
want_out '^hello fast$'
gate tls a.example 1
want_out '^hello$'
[ "$(id -un)" != root ] || grep -q "CONNECT a.example:7 " "$LAB/log/proxy" || bad "the proxy was not asked for the name"

t "an upstream proxy that refuses, or is not there; what the rule says still holds"
gate connect b.example 7
want_out '^reset fast$'
want_record '^unreached connect rule=2 name=b.example .* text=the upstream proxy: HTTP/1.0 401$'
gate connect v4.example 7
want_out '^reset fast$'
want_record '^unreached connect rule=4 .* error=111 .* text=the upstream proxy$'
gate tls b.example 5000
want_out '^reset$'
gate http a.example b.example
want_out '^a.example reset$'
gate connect ten.example 7
want_record '^refused guard '
! grep -q geheim "$events" || bad "the password is in a record"
R=('allow a.example 1-65535')

t "a flood of refusals is few records, and none is lost"
gate refusals 5000
want_record '^refused rule rule=0 name=- addr=::ffff:198.51.100.77 port=7 ' 5000
few_records

t "without descriptors: what can be served is, and nothing turns in circles"
printf '#!/bin/sh\nexec /usr/bin/prlimit --nofile=120:120 %s/polgate\n' "$BIN" >"$GATE"
chmod 0755 "$GATE"
gate=$GATE GATE_HOLD=2 gate many 300
want_out '^[1-9][0-9]* work$'
want_record '^refused limit ' "$((300 - $(tr -cd 0-9 <<<"$out")))"
unset gate

done_
