#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# lab: web model
# timing: waits for connections that a loaded machine makes late
# HTTP beyond one request and its answer, through a port that is looked at and through a rule with inject: WebSocket,
# HTTP/2 without TLS, a body that waits, trailers, answers without a body or before it, streams.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"
cp "$(dirname "$0")/../lib/egress_talk.py" "$P/"
TOKEN=tok-$RANDOM$RANDOM-$$
install -m 0600 /dev/null "$WORK/secret"
echo "$TOKEN" >"$WORK/secret"
net_policy "	allow tcp \"a.example\" port 80, 443 as site
	allow tcp \"v4.example\" port 8088 peek http as looked
	allow tcp \"b.example\" port 8088 as unlooked
	allow tcp \"model.example\", \"api.openai.com\" inject header \"Authorization\" \"Bearer \" from secret TOKEN as model
}
env { secret TOKEN from file \"$WORK/secret\" }
network {"
# the hosts of both ways: plain HTTP for the program, and outside HTTP or TLS
WAYS="a.example model.example"

talk() { # ROW…: inside, and it fails, so that polrun says why; out has a line for each
	printf '%s\n' "$@" >"$P/rows"
	run --report "$WORK/report.json" sh -c 'python3 egress_talk.py <rows; exit 1'
}
row() { # ID PATTERN
	grep -qE "^$1 $2 [0-9]+$" <<<"$out" || bad "$1: want $2"
}
UPGRADE='Connection:\sUpgrade\r\nUpgrade:\s'
WS="${UPGRADE}websocket\r\nSec-WebSocket-Version:\s13\r\nSec-WebSocket-Key:\sAAAAAAAAAAAAAAAAAAAAAA==\r\n"

t "WebSocket: through TLS and through a port that is looked at; with inject it is refused in words, and recorded"
rows=('tls ws a.example 443 tls one two three' 'plain ws a.example 80 one two three')
printf '%s\n' "${rows[@]}" | outside python3 "$P/egress_talk.py"
talk "${rows[@]}" 'inject ws model.example 80 one'
row tls 'served echo one,two,three'
row plain 'served echo one,two,three'
row inject 'served HTTP/1.1 403 Forbidden'
want_line 'blocked: connect tcp model\.example:80, WebSocket does not pass a rule with inject.*rule model'
grep -q 'WebSocket does not pass' "$WORK/report.json" || bad "the report does not say so"

t "WebSocket: what a server does not upgrade is held to HTTP, and so is what is no WebSocket"
: >"$LAB/log/web"
talk "declined raw a.example 80 GET\s/\sHTTP/1.1\r\nHost:\sa.example\r\n$WS\r\n\\|GET\s/own\sHTTP/1.1\r\nHost:\sa.example\r\n\r\n" \
	"other raw a.example 80 GET\s/\sHTTP/1.1\r\nHost:\sa.example\r\n$WS\r\n\\|GET\s/stolen\sHTTP/1.1\r\nHost:\sb.example\r\n\r\n" \
	"h2c raw a.example 80 GET\s/\sHTTP/1.1\r\nHost:\sa.example\r\n${UPGRADE}h2c\r\nHTTP2-Settings:\sAAMAAABkAAQAoAAAAAIAAAAA\r\n\r\n\\|PRI\s*\sHTTP/2.0\r\n\r\nSM\r\n\r\n" \
	"mine raw model.example 80 GET\s/offer\sHTTP/1.1\r\nHost:\smodel.example\r\n${UPGRADE}h2c\r\nHTTP2-Settings:\sAAMA\r\n\r\n"
row declined 'served HTTP/1.1 200 OK'
row other '(refused ECONNRESET|eof)'
row h2c '(refused ECONNRESET|eof)'
# an offer that a server may decline is no reason to refuse: Java's client makes it with each request
row mine 'served HTTP/1.1 200 OK'
within 5 grep -q 'GET /own ' "$LAB/log/web" || bad "the control: the second request did not arrive"
! grep -q 'stolen' "$LAB/log/web" || bad "another host was asked"

t "HTTP/2 without TLS is refused where the port is looked at; the control: where it is not"
run curl -sS --http2-prior-knowledge --max-time 10 http://b.example:8088/
want_out 'host=b.example proto=HTTP/2.0'
run sh -c 'curl -sS --http2-prior-knowledge --max-time 10 http://v4.example:8088/; exit 1'
no_out 'lab host'
want_line 'blocked: connect tcp v4\.example:8088, HTTP/2 without TLS.*rule looked'
run sh -c 'curl -sS --http2-prior-knowledge --max-time 10 http://model.example/; exit 1'
no_out 'lab'
want_line 'blocked: connect tcp model\.example:80, HTTP/2 without TLS.*rule model'
# a client that only offers it gets HTTP/1.1
for host in $WAYS; do
	run curl -sS --http2 --max-time 10 "http://$host/"
	want_out "host=$host .*proto=HTTP/1.1"
done

t "a body that waits for the server's word, and one that the server does not want"
head -c 300000 /dev/zero >"$P/body"
truncate -s 80M "$P/large"
for host in $WAYS; do
	run curl -sSv --max-time 20 -H 'Expect: 100-continue' --data-binary @body "http://$host/take"
	want_rc 0
	want_out '^taken'
	want_err '< HTTP/1.1 100 Continue'
	# the answer comes before the body: more than this server takes
	for expect in 'Expect: 100-continue' 'Expect:'; do
		run curl -sS --max-time 20 -H "$expect" -o /dev/null -w '%{http_code} %{size_upload}' -T large "http://$host/take"
		want_out '^413 '
		[ "$(cut -d' ' -f2 <<<"$out")" -lt 80000000 ] || bad "the whole body went out behind the answer: $out"
	done
done

t "chunks, extensions of chunks and trailers arrive, and the connection goes on"
for host in $WAYS; do
	: >"$LAB/log/web"
	talk "one raw $host 80 POST\s/\sHTTP/1.1\r\nHost:\s$host\r\nTransfer-Encoding:\schunked\r\nTrailer:\sX-Sum\r\n\r\n3;a=b\r\nabc\r\n0\r\nX-Sum:\s1\r\n\r\n\\|GET\s/second\sHTTP/1.1\r\nHost:\s$host\r\n\r\n"
	row one 'served HTTP/1.1 200 OK'
	within 5 grep -q 'GET /second ' "$LAB/log/web" || bad "$host: no second request"
done

t "answers without a body: the next one is not taken for it"
for host in $WAYS; do
	: >"$LAB/log/web"
	run curl -sS --max-time 20 -o /dev/null -w '%{http_code} %{num_connects} %{size_download}\n' -I "http://$host/" \
		--next -sS -o /dev/null -w '%{http_code} %{num_connects} %{size_download}\n' "http://$host/none" \
		--next -sS -o /dev/null -w '%{http_code} %{num_connects} %{size_download}\n' -H 'If-None-Match: *' "http://$host/big" \
		--next -sS -w '%{http_code} %{num_connects} %{size_download}\n' "http://$host/"
	want_rc 0
	[ "$(grep -oE '^(200|204|304) [01] ' <<<"$out" | paste -sd,)" = '200 1 ,204 0 ,304 0 ,200 0 ' ] ||
		bad "$host: not four answers of one connection"
	want_out "host=$host"
done

t "two hundred requests of one connection, each answered by itself"
for host in $WAYS; do
	: >"$LAB/log/web"
	run curl -sS --max-time 60 -w '%{num_connects}\n' "http://$host/?[1-200]"
	[ "$(grep -c "host=$host" <<<"$out")" -eq 200 ] || bad "$host: not two hundred answers"
	[ "$(grep -cx 1 <<<"$out")" -eq 1 ] || bad "$host: $(grep -cx 1 <<<"$out") connections"
	[ "$(grep -c "|$host|.*GET /?[0-9]* " "$LAB/log/web")" -eq 200 ] || bad "$host: the server saw other requests"
done

# Each part is sent when the one before has come out of the run.
t "a stream of events passes part by part"
for host in a.example api.openai.com; do
	rm -f "$LAB"/model/seen/*
	: >"$LAB/model/log"
	"$BIN/polrun" -b "$WORK/p.polb" curl -sSN --max-time 60 --json \
		'{"input":[{"role":"user","content":[{"text":"PARTS 3"}]}],"tools":[{"name":"x"}]}' "http://$host/v1/responses" \
		2>"$WORK/.err" </dev/null | while IFS= read -r line; do
		for i in 1 2 3; do [[ $line != *part-$i* ]] || : >"$LAB/model/seen/$i"; done
		printf '%s\n' "$line"
	done >"$WORK/.out"
	out=$(<"$WORK/.out") err=$(<"$WORK/.err")
	want_out 'the end'
	[ "$(grep -c 'seen$' "$LAB/model/log")" -eq 3 ] || bad "$host: it was held back: $(grep '^part' "$LAB/model/log" | paste -sd,)"
done
! grep -rqF "$TOKEN" "$WORK/.out" "$WORK/.err" "$WORK/report.json" || bad "the secret came in"
done_
