#!/usr/bin/env bash
# lab: web
# long: every fourth day, as root and as a user in turn
# timing: time-outs must hold and others must go on, and a loaded machine is slow
# What clumsy and hostile programs and servers do: too slowly, never, broken off in every state, odd
# hellos and heads, urgent bytes, floods.  Each beside the control that is served.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"
here=$(cd "$(dirname "$0")/../lib" && pwd)
cp "$here/egress_bad.py" "$here/egress_talk.py" "$P/"
printf 'tok-%s\n' "$$" >"$WORK/secret"
chmod 0600 "$WORK/secret"
printf '127.0.0.1 localhost nasty.example t1.example t2.example t3.example t4.example t5.example\n::1 localhost\n' >"$LAB/hosts"
coproc NASTY { exec python3 "$here/egress_bad.py" serve "$WORK/heads" "$WORK/ready"; }
nasty_pid=$NASTY_PID
trap 'kill "$nasty_pid" 2>/dev/null' EXIT
within 10 test -e "$WORK/ready" || { t 'the servers'; bad 'they do not start'; }

inject() { printf '	allow tcp "%s" port %s inject header "X-Key" from secret TOKEN within 127.0.0.0/8\n' "$@"; }
net_policy "	allow tcp \"a.example\" port 80, 443 as site
	allow tcp \"*.wild.example\" port 443 as wild
	allow tcp \"slow.example\", \"nobody.example\", \"closed.example\" port 9000 as lost
	allow tcp \"nasty.example\" port 9101-9107 within 127.0.0.0/8 as nasty
	allow tcp \"nasty.example\" port 9108 peek http within 127.0.0.0/8 as heads
	allow tcp \"v1.example\" port 7 via \"http://127.0.0.1:9101\" as v1
	allow tcp \"v2.example\" port 7 via \"http://127.0.0.1:9102\" as v2
	allow tcp \"v3.example\" port 7 via \"http://127.0.0.1:9109\" as v3
	allow tcp \"v4.example\" port 7 via \"http://127.0.0.1:9107\" as v4
$(inject t1.example 9101; inject t2.example 9102; inject t3.example 9110; inject t4.example 9107; inject t5.example 9111)
	allow tcp \"model.example\" inject header \"Authorization\" \"Bearer \" from secret TOKEN as model
}
env { secret TOKEN from file \"$WORK/secret\" }
network {"
SLOWLY=1500
[ "$VARIANT" != san ] || SLOWLY=6000
# what ends after 10 and after 30 seconds, as it is seen by a program that has a processor, and by one that has little of one
TEN='first (9|1[0-2])\.[0-9] last 1[0-3]\.[0-9]' THIRTY='first (29|3[0-2])\.[0-9] last 3[0-3]\.[0-9]' LORIS=34
if [ "$SLOW" -gt 1 ]; then
	TEN='first (9|1[0-9])\.[0-9] last (1[0-9]|2[0-5])\.[0-9]' THIRTY='first (29|[34][0-9])\.[0-9] last [345][0-9]\.[0-9]'
	SLOWLY=15000 LORIS=60
fi
# The last number of each line that begins with one of the words is below the limit.
quick() { # LIMIT WORD…
	local limit=$1 word ms
	shift
	for word; do
		for ms in $(sed -n "s/^$word .* \([0-9]*\)$/\1/p" <<<"$out"); do
			[ "$ms" -le "$limit" ] || bad "$word took $ms ms"
		done
	done
}

t "an empty list allows nothing"
raw_policy "$NET_HEAD" nothing
for args in "dns a.example 1" "tcp 198.51.100.10 443" "tcp 2001:db8:10::10 80" "tcp a.example 443"; do
	# shellcheck disable=SC2086
	run_with nothing "$D" $args
	no_out '^(OK|NOERROR)'
done
run "$D" dns a.example 1
want_out '^NOERROR 198'

t "the server breaks off: in every state the program sees it at once"
run python3 egress_bad.py server_resets
want_rc 0
want_out '^echo 5 end '
# a server that resets at once may do so before the program, or polgate, has seen that it is
# connected: then connect() itself says it, and nobody is left who could answer in words
want_out '^accept (0 )?(reset|end) '
want_out '^bytes 0 reset '
want_out '^(half [0-9]+ reset|half reset) '
want_out '^end [04] reset '
want_out '^middle [0-9]+ reset '
for i in 1 2 3; do want_out "^via$i (0 )?reset "; done
want_out '^inject1 (HTTP/1.1 502|reset) '
for i in 2 3; do want_out "^inject$i HTTP/1.1 502 "; done
quick $SLOWLY accept bytes half end middle echo via1 via2 via3 inject1 inject2 inject3
# a proxy and a server that are silent: until the time is over, and no longer
want_out '^via4 (0 )?reset (9|1[01])[0-9]{3}$'
want_out '^inject4 HTTP/1.1 504 .*(9|1[01])[0-9]{3}$'

t "the program breaks off in every state: others go on, and nothing is left"
"$BIN/polrun" -b "$WORK/p.polb" sh -c 'python3 egress_bad.py client_resets 1; touch warm; while [ ! -e on ]; do sleep 0.05; done
	python3 egress_bad.py client_resets 15; touch over; while [ ! -e off ]; do sleep 0.05; done' >"$WORK/.out" 2>"$WORK/.err" </dev/null &
pid=$!
fds() { # of the gateway's two processes; only root may look
	local p n=0
	for p in $(pgrep -x polgate) $(pgrep -x polinject); do n=$((n + $(find "/proc/$p/fd" -mindepth 1 2>/dev/null | wc -l))); done
	echo "$n"
}
within 60 test -e "$P/warm" || bad "the first round does not end"
sleep 1 # attempts that were under way end
before=$(fds)
touch "$P/on"
within 120 test -e "$P/over" || bad "the rounds do not end"
within 15 eval '[ "$(fds)" -le $((before + 4)) ]' || bad "$(fds) descriptors, before $before"
touch "$P/off"
wait $pid
rc=$? out=$(<"$WORK/.out") err=$(<"$WORK/.err")
rm -f "$P/warm" "$P/on" "$P/over" "$P/off"
want_rc 0
for kind in tls http inject; do [ "$(grep -c "^$kind served " <<<"$out")" -eq 2 ] || bad "$kind: not served"; done
quick $SLOWLY tls http inject

t "hellos and heads by the byte, for ever: they end in time, and others go on"
run python3 egress_bad.py loris 60 $LORIS
want_rc 0
no_out 'a good one was refused'
want_out '^served [0-9]{2,} worst [0-9]+$'
quick $SLOWLY served
# ten seconds from the first byte, thirty without one, thirty for a whole request
for kind in tls http; do want_out "^$kind ended 60 of 60 $TEN said reset\$"; done
want_out "^never ended 60 of 60 $THIRTY said reset\$"
want_out "^inject ended 60 of 60 $THIRTY"' said (HTTP/1.1 408|reset|HTTP/1.1 408 reset)$'

t "so many that none is left: one that is complete is served at once"
run --report "$WORK/r.json" python3 egress_bad.py crowd tls 12 900
[ "$(sed -n 's/^held //p' <<<"$out")" -gt 8000 ] || bad "there is room for all of them: $out"
[ "$(grep -c '^good served ' <<<"$out")" -eq 5 ] || bad "not served: $out"
quick $((2 * SLOWLY)) good
grep -q 'this one was not complete' "$WORK/r.json" || bad "the report does not say it"

t "half requests where a header is injected: a whole one is served at once"
run --report "$WORK/r.json" python3 egress_bad.py crowd inject 2 400
[ "$(sed -n 's/^held //p' <<<"$out")" -eq 800 ] || bad "they are not held: $out"
[ "$(grep -c '^good served ' <<<"$out")" -eq 5 ] || bad "not served: $out"
quick $((SLOWLY * 2 / 3)) good
no_err 'too many'

t "the same where there is no place for all of them: the oldest gives way"
prlimit --nofile=1024:1024 "$BIN/polrun" --report "$WORK/r.json" -b "$WORK/p.polb" python3 egress_bad.py crowd inject 2 400 \
	>"$WORK/.out" 2>"$WORK/.err" </dev/null
out=$(<"$WORK/.out") err=$(<"$WORK/.err")
[ "$(grep -c '^good served ' <<<"$out")" -eq 5 ] || bad "not served: $out"
quick $((SLOWLY * 2 / 3)) good
grep -q 'this one was not complete' "$WORK/r.json" || bad "there was a place for all of them"

t "a half request connects to no server"
: >"$WORK/heads.connected"
mkfifo "$WORK/go"
"$BIN/polrun" -b "$WORK/p.polb" python3 egress_bad.py half 30 >"$WORK/.out" 2>"$WORK/.err" <"$WORK/go" &
pid=$!
exec 8>"$WORK/go"
within 20 grep -qx half "$WORK/.out" || bad "the half ones do not stay: $(<"$WORK/.err")"
[ ! -s "$WORK/heads.connected" ] || bad "$(wc -l <"$WORK/heads.connected") connections for half requests"
echo >&8
exec 8>&-
wait $pid
[ "$(wc -l <"$WORK/heads.connected")" -eq 1 ] || bad "the control: a whole request makes $(wc -l <"$WORK/heads.connected") connections"

t "urgent bytes: the gateway and the server read one head"
: >"$WORK/heads"
outside python3 "$here/egress_bad.py" urgent 127.0.0.1
# outside they hide and add bytes: such a server reads other hosts than were sent
grep -qx 'nast.example' "$WORK/heads" || bad "the control: $(paste -sd' ' "$WORK/heads")"
: >"$WORK/heads"
run python3 egress_bad.py urgent
want_out '^plain HTTP/1.1 200 OK '
for row in hidden header; do want_out "^$row (reset|time-out) "; done
! grep -vx 'nasty.example' "$WORK/heads" || bad "another host was read"
[ "$(grep -cx 'nasty.example' "$WORK/heads")" -ge 1 ] || bad "the server's log is blind"

t "odd hellos and heads"
cat >"$P/rows" <<'EOS'
own tls a.example 443 sni=a.example
sslv2 raw a.example 443 \x80\x2e\x01\x03\x01\x00\x15\x00\x00\x00\x10\x00\x00\x39\x00\x00\x38\x00\x00\x35\x00\x00\x16\x00\x00\x13\x00\x00\x0a\x00\x00\x33aaaaaaaaaaaaaaaa
two-lists tls a.example 443 sni=a.example sni=a.example
one-list tls a.example 443 sni=a.example sni=b.example list
two-equal tls a.example 443 sni=a.example sni=a.example list
tiny tls a.example 443 sni=a.example size=15000 records=15001
long tls a.example 443 sni=a.example size=65000 grease ech
empty raw a.example 443 \x16\x03\x01\x00\x00\x16\x03\x01\x00\x00\x16\x03\x01\x00\x00
alert raw a.example 443 \x15\x03\x01\x00\x02\x01\x00
late-own raw a.example 80 GET\s/\sHTTP/1.1\r\nX:\s\z17000;\r\nHost:\sa.example\r\n\r\n
late-other raw a.example 80 GET\s/\sHTTP/1.1\r\nX:\s\z17000;\r\nHost:\sb.example\r\n\r\n
early raw a.example 80 GET\s/\sHTTP/1.1\r\nHost:\sa.example\r\nX:\s\z15000;\r\n\r\n
after raw a.example 80 GET\s/\sHTTP/1.1\r\nHost:\sa.example\r\nX:\s\z17000;\r\nHost:\sb.example\r\n\r\n
two-equal-hosts raw a.example 80 GET\s/\sHTTP/1.1\r\nHost:\sa.example\r\nHost:\sa.example\r\n\r\n
bare raw a.example 80 GET\s/\sHTTP/1.1\nHost:\sb.example\n\nGET\s/\sHTTP/1.1\r\nHost:\sa.example\r\n\r\n
nul raw a.example 80 GET\s/\sHTTP/1.1\r\nHost:\sa.example\x00.b.example\r\n\r\n
http-own raw a.example 80 GET\s/\sHTTP/1.1\r\nHost:\sa.example\r\n\r\n
EOS
run sh -c 'python3 egress_talk.py <rows'
in=$out
outside sh -c 'python3 "$0/egress_talk.py" <"$0/rows"' "$P"
for row in own early http-own; do grep -q "^$row served" <<<"$in" || bad "$row: $(grep "^$row " <<<"$in")"; done
for row in sslv2 two-lists one-list two-equal tiny empty alert late-own late-other after two-equal-hosts bare nul; do
	grep -qE "^$row (refused (ECONNRESET|EPIPE)|eof) " <<<"$in" || bad "inside, $row: $(grep "^$row " <<<"$in")"
done
for row in own late-own late-other early http-own; do grep -q "^$row served" <<<"$out" || bad "outside, $row: $(grep "^$row " <<<"$out")"; done
grep -qE '^long (served|refused|eof)' <<<"$in" || bad "$(grep '^long' <<<"$in")"

t "a flood of queries, garbage and half queries: a name is answered all the same"
run python3 egress_bad.py flood 8
want_rc 0
read -r _ tries _ udp _ tcp _ worst < <(grep '^tries' <<<"$out")
# one queue has the datagrams of all programs: some of the good ones are lost, and asked again
[ "${tries:-0}" -ge 5 ] && [ $((${udp:-0} * 2)) -ge "${tries:-0}" ] || bad "by UDP: $out"
[ $((${tcp:-0} * 2)) -ge "${tries:-0}" ] || bad "by TCP: $out"
run python3 egress_bad.py flood 0
want_out '^tries 5 udp 5 tcp 5 worst [0-9]{1,3}$'

t "one that floods by UDP keeps no other waiting"
run python3 egress_bad.py flood_one 4 1
want_rc 0
read -r _ _ sent _ mine _ _ _ tries _ answered _ worst <<<"$out"
# the control: it is more than is answered
[ "${sent:-0}" -gt $((${mine:-0} * 5 / 4)) ] || bad "that is no flood: $out"
[ "${tries:-0}" -gt 10 ] && [ $((answered * 100)) -ge $((tries * 95)) ] || bad "$out"
printf '     %s\n' "$out"
done_
