#!/usr/bin/env bash
# lab: web
# long: every fourth day, as root and as a user in turn
# timing: waits for connections that a loaded machine makes late
# A credential that never enters: the program speaks plain HTTP to a name, the gateway verified TLS outside,
# with the header added.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"
cp "$(dirname "$0")/../lib/egress_talk.py" "$P/"
install -m 0600 /dev/null "$WORK/secret"
TOKEN=tok-$RANDOM$RANDOM-$$
printf '%s\n' "$TOKEN" >"$WORK/secret"
net_policy "	allow tcp \"model.example\" inject header \"Authorization\" \"Bearer \" from secret TOKEN as model
	allow tcp \"v4.example\" port 9443 inject header \"X-Key\" from secret TOKEN as wrong
	allow tcp \"a.example\" port 80 as plain
}
env { secret TOKEN from file \"$WORK/secret\" }
network {"

t "the server receives the header over TLS, the program never has it"
: >"$LAB/log/web"
run curl -sS --max-time 10 http://model.example/
want_rc 0
want_out 'sni=model.example host=model.example .* port=443'
no_out "$TOKEN"
within 5 grep -qF "|Bearer $TOKEN|" "$LAB/log/web" || bad "the server's log: $(cat "$LAB/log/web")"
run curl -sS --max-time 10 -H 'Authorization: Bearer mine' http://model.example/?own
within 5 grep -q 'GET /?own' "$LAB/log/web" || bad "no second request"
! grep -q 'Bearer mine' "$LAB/log/web" || bad "the program's own header went out beside it"

t "a stream passes as it comes"
run sh -c 'curl -sSN --max-time 10 http://model.example/events | while IFS= read -r l; do [ -z "$l" ] || printf "%s %s\n" "$(($(date +%s%N) / 1000000))" "$l"; done'
want_out 'DONE'
first=$(head -n 1 <<<"$out" | cut -d' ' -f1) last=$(tail -n 1 <<<"$out" | cut -d' ' -f1)
[ $((${last:-0} - ${first:-0})) -ge 300 ] || bad "the stream was held back: $((last - first)) ms"

t "a server whose certificate is for another name gets nothing"
: >"$LAB/log/web"
run curl -sS --max-time 10 http://v4.example/
no_out 'wrong'
! grep -qF "$TOKEN" "$LAB/log/web" || bad "it got the secret"
outside curl -sSk --max-time 5 https://v4.example:9443/
want_out 'wrong'

t "the header goes to no other host, and to no second request of another host"
: >"$LAB/log/web"
cat >"$P/rows" <<'EOS'
own raw model.example 80 GET\s/\sHTTP/1.1\r\nHost:\smodel.example\r\n\r\n
other raw model.example 80 GET\s/\sHTTP/1.1\r\nHost:\sb.example\r\n\r\n
second raw model.example 80 GET\s/\sHTTP/1.1\r\nHost:\smodel.example\r\n\r\n\|GET\s/?2\sHTTP/1.1\r\nHost:\sb.example\r\n\r\n
two raw model.example 80 POST\s/\sHTTP/1.1\r\nHost:\smodel.example\r\nContent-Length:\s4\r\nTransfer-Encoding:\schunked\r\n\r\n0\r\n\r\n
lengths raw model.example 80 POST\s/\sHTTP/1.1\r\nHost:\smodel.example\r\nContent-Length:\s4\r\nContent-Length:\s5\r\n\r\nabcde
plain raw a.example 80 GET\s/\sHTTP/1.1\r\nHost:\sa.example\r\n\r\n
EOS
run sh -c 'python3 egress_talk.py <rows'
want_out '^own served HTTP/1.1 200'
want_out '^plain served HTTP/1.1 200'
for row in other second two lengths; do
	grep -E "^$row " <<<"$out" | grep -qE "^$row (refused|eof|served HTTP/1.1 [45])" || bad "$(grep "^$row " <<<"$out")"
done
! grep -q 'b\.example' "$LAB/log/web" || bad "another host was asked"
! grep '|a\.example|' "$LAB/log/web" | grep -qF "$TOKEN" || bad "another rule's host got it"

t "the secret is in no file, variable, process, report, plan or message"
run -v --explain-denials --report "$WORK/report.json" sh -c 'env; cat /proc/*/environ /proc/*/cmdline /proc/*/maps 2>/dev/null | tr "\0" "\n"; grep -rsl tok- / --exclude-dir=sys --exclude-dir=usr --exclude-dir=proc 2>/dev/null; cat '"$WORK/secret"'; curl -sS --max-time 10 http://model.example/'
want_out 'host=model.example'
printf '%s\n%s\n' "$out" "$err" | grep -qF "$TOKEN" && bad "it is there"
! grep -qF "$TOKEN" "$WORK/report.json" || bad "the report has it"
run --plan true
printf '%s\n%s\n' "$out" "$err" | grep -qF "$TOKEN" && bad "the plan has it"
grep -aqF "$TOKEN" "$WORK/p.polb" && bad "the bundle has it"

t "kill -9 of polinject ends the run: 125, and why; a run that ends leaves none"
for signal in 0 KILL; do
	rm -f "$P/up"
	"$BIN/polrun" -b "$WORK/p.polb" sh -c 'touch up; sleep 3' >"$WORK/.out" 2>"$WORK/.err" </dev/null &
	pid=$!
	within 20 test -e "$P/up" || bad "the run did not start"
	inject=$(pgrep -n -x polinject)
	[ -n "$inject" ] || bad "there is no polinject"
	kill -$signal "$inject"
	wait "$pid"
	rc=$? out=$(<"$WORK/.out") err=$(<"$WORK/.err")
	if [ $signal = 0 ]; then want_rc 0; else want_rc 125; fi
	within 5 sh -c "! kill -0 $inject 2>/dev/null" || bad "polinject goes on"
done
want_line 'gateway has ended'

t "a hundred requests at a time, and one after the other"
: >"$LAB/log/web"
run sh -c 'for i in $(seq 100); do curl -sS --max-time '$((20 * (SLOW > 1 ? 15 : 1)))' http://model.example/?n=$i & done; wait'
[ "$(grep -c 'host=model.example' <<<"$out")" -eq 100 ] || bad "not a hundred answers"
run sh -c 'curl -sS --max-time '$((20 * (SLOW > 1 ? 15 : 1)))' http://model.example/?[1-50]'
[ "$(grep -c 'host=model.example' <<<"$out")" -eq 50 ] || bad "not fifty answers"
[ "$(grep -cF "|Bearer $TOKEN|" "$LAB/log/web")" -eq 150 ] || bad "the header did not go out with each of them"

t "a request with a body, also one that waits for the server's word"
run sh -c 'head -c 300000 /dev/zero | curl -sS --max-time 10 --data-binary @- http://model.example/up'
want_rc 0
want_out 'host=model.example'
run sh -c 'head -c 3000000 /dev/zero | curl -sS --max-time 10 -H "Transfer-Encoding: chunked" -T - http://model.example/up'
want_rc 0

t "the records say what was asked, and why something was refused"
run curl -sSf --max-time 10 -H 'Host: b.example' http://model.example/
want_rc 22
want_line 'blocked: connect tcp model\.example:80, HTTP for b\.example'
no_err 'is not given'
run curl -sS --max-time 10 -H 'Host: b.example' http://model.example/
want_out 'polgate: the request is for another host'
run curl -sSf --max-time 10 http://v4.example/
want_rc 22
want_err 'v4\.example.*its certificate is not accepted'

t "what is no secret ends the start, and names the rule"
for value in '' ' ' 'two\nlines' 'b\303\274cher' '\033x'; do
	printf "$value" >"$WORK/secret"
	run true
	want_rc 125
	want_err 'TOKEN'
done
printf '%s\r\n' "$TOKEN" >"$WORK/secret"
run curl -sS --max-time 10 http://model.example/
want_rc 0
want_out 'host=model.example'

if is_root; then
	t "without certificate authorities there is no run"
	for text in '' 'no certificate'; do
		printf '%s' "$text" >"$WORK/ca"
		unshare -m sh -c 'mount --bind "$1" /etc/ssl/certs/ca-certificates.crt && exec "$2" -b "$3" true' - \
			"$WORK/ca" "$BIN/polrun" "$WORK/p.polb" >"$WORK/.out" 2>"$WORK/.err" </dev/null
		rc=$? out=$(<"$WORK/.out") err=$(<"$WORK/.err")
		want_rc 125
		want_line 'polinject: the file of certificate authorities has none'
	done
fi

t "a secret whose file the run could read ends the start, by whatever name; one in a private HOME does not"
mkdir -p "$WORK/real" "$HOME/keys" && ln -sfn real "$WORK/link"
install -m 0600 "$WORK/secret" "$WORK/real/token"
install -m 0600 "$WORK/secret" "$HOME/keys/token"
of_file() { # SECRET'S FILE, FILE RULES
	net_policy "	allow tcp \"model.example\" inject header \"Authorization\" \"Bearer \" from secret TOKEN
}
env { secret TOKEN from file \"$1\" }
file { $2 }
network {" seen
	run_with seen sh -c "cat $WORK/real/token $WORK/link/token $HOME/keys/token; curl -sS --max-time 10 http://model.example/"
	no_out "$TOKEN"
}
for file in "$WORK/real/token" "$WORK/link/token"; do
	for rules in "allow read \"$WORK/real\"" "allow read \"$WORK/real/t*\"" "allow read \"$WORK/link\"" "allow read \"$WORK/link/**\"" "allow read \"$WORK/link/token\"" \
		"scratch \"$WORK\" allow read \"$WORK/real\"" "scratch \"$WORK\" allow read \"$WORK/link\"" "allow read \"$HOME\"  allow read \"$WORK/link/token\""; do
		of_file "$file" "$rules"
		[ "$rc" -eq 125 ] || bad "$file with $rules: $rc"
		want_err 'the secret TOKEN.*the run itself could read its file'
	done
done
of_file "$HOME/keys/token" "allow read \"$HOME/keys\""
want_rc 125
want_err 'the run itself could read its file'
for rules in '' 'scratch "${HOME}"' "hide \"$HOME/keys\""; do
	of_file "$HOME/keys/token" "$rules"
	want_rc 0
	want_out 'host=model.example'
done

t "a secret that cannot be read ends the start, and names the rule"
rm -f "$WORK/secret"
run true
want_rc 125
want_err 'TOKEN|secret'
done_
