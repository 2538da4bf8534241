#!/usr/bin/env bash
# lab: web ssh proxy
# long: every fourth day, as root and as a user in turn
# timing: waits for connections that a loaded machine makes late
# An upstream proxy that wants a password, as companies have: everything that is allowed goes through it,
# nothing beside it, and the password is nowhere in the run.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"
cp "$LAB/ca.pem" "$LAB/known_hosts" "$P/"
install -m 0600 "$LAB/keys/ssh_user" "$P/key"
install -m 0600 /dev/null "$WORK/secret"
SSH="ssh -F none -i key -o UserKnownHostsFile=known_hosts -o BatchMode=yes -o ConnectTimeout=10"
via_policy() { # SECRET [NAME]
	printf '%s\n' "$1" >"$WORK/secret"
	net_policy "	via \"http://proxy.example:3128\" user from secret PROXY
	allow tcp \"a.example\" port 80, 443 as site
	allow tcp \"code.example\" port 22, 443 as code
	allow tcp \"v4.example\" port 9000 via none as direct
	allow tcp \"ten.example\" port 9000 as ten
}
env { secret PROXY from file \"$WORK/secret\" }
network {" "${2:-p}"
}
via_policy lab:geheim

t "the control: outside the proxy wants its password"
outside curl -sS --max-time 5 -x http://lab:geheim@proxy.example:3128 https://a.example/
want_out 'host=a.example'
outside curl -sS --max-time 5 -x http://proxy.example:3128 https://a.example/
[ "$rc" -ne 0 ] || bad "no password is wanted"

t "TLS, plain HTTP and ssh go through the proxy, and not beside it"
forget
: >"$LAB/log/proxy"
run curl -sS --cacert ca.pem --max-time 10 https://a.example/
want_out 'sni=a.example host=a.example'
run curl -sS --max-time 10 http://a.example/
want_out 'host=a.example'
# shellcheck disable=SC2086
run $SSH git@code.example echo hello
want_out '^hello$'
some_left 198.51.100.50 tcp 3128
for to in 198.51.100.10 2001:db8:10::10 198.51.100.20 2001:db8:20::20; do nothing_left $to; done
within 5 grep -q 'CONNECT a.example:443' "$LAB/log/proxy" || bad "the proxy's log: $(tail -n 5 "$LAB/log/proxy")"

t "explain says who looks the name up"
out=$("$BIN/polc" explain "$WORK/p.pol" net tcp a.example:443)
want_out 'exact: the gateway has the proxy look the name up and connect'
out=$("$BIN/polc" explain "$WORK/p.pol" net tcp v4.example:9000)
want_out 'exact: the gateway looks the name up itself'

t "via none goes beside it"
forget
run "$D" tcp v4.example 9000 hello
want_out '^OK hello'
some_left 198.51.100.11 tcp 9000
nothing_left 198.51.100.50

t "what is refused stays refused, and the proxy hears nothing of it"
forget
: >"$LAB/log/proxy"
refused_fast NXDOMAIN tcp evil.example 443
refused_fast NXDOMAIN tcp proxy.example 3128
refused_fast ECONNREFUSED tcp 198.51.100.50 3128
run sh -c 'a=$('"$D"' dns a.example 1 | cut -d" " -f2); curl -sS --cacert ca.pem --max-time 5 --resolve b.example:443:$a https://b.example/'
[ "$rc" -ne 0 ] || bad "another name through the proxy"
nothing_left 198.51.100.50
! grep -q 'CONNECT' "$LAB/log/proxy" || bad "$(tail -n 5 "$LAB/log/proxy")"

t "a wrong password is a connection that is not made, and said"
via_policy lab:falsch wrong
run_with wrong sh -c 'curl -sS --cacert ca.pem --max-time 10 https://a.example/ && exit 0; exit 7'
want_rc 7
no_out 'host='
want_err 'a\.example:443.*(407|proxy)'
via_policy lab:geheim

t "the password is in no file, variable, report or message of the run"
run -v --explain-denials --report "$WORK/report.json" sh -c 'env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr "\0" "\n"; grep -rsl "gehei[m]" / --exclude-dir=sys --exclude-dir=usr --exclude-dir=proc 2>/dev/null; cat '"$WORK/secret"'; curl -sS --max-time 10 http://a.example/'
want_out 'host=a.example'
printf '%s\n%s\n' "$out" "$err" | grep -q geheim && bad "it is there"
! grep -q geheim "$WORK/report.json" || bad "the report has it"

t "a secret that cannot be read ends the start, and names the rule"
rm -f "$WORK/secret"
run true
want_rc 125
want_err 'PROXY|secret'
t "a proxy that answers in pieces, with more behind it, or oddly: exactly its answer is taken, and asked it is once"
here=$(cd "$(dirname "$0")/../lib" && pwd)
cp "$here/odd_proxy.py" "$P/"
coproc ODD { exec python3 "$here/odd_proxy.py" serve "$WORK/odd" "$WORK/odd.ready"; }
odd_pid=$ODD_PID
within 10 test -e "$WORK/odd.ready" || bad "the proxies do not start"
rules=
for i in {1..8}; do rules+="	allow tcp \"o$i.example\" port 7 via \"http://127.0.0.1:$((9300 + i))\"
"; done
net_policy "$rules" odd
run_with odd python3 odd_proxy.py dial 8
for row in whole slow length; do want_out "^$row EARLYfirst end [0-2]\$"; done
for row in again informs other long; do want_out "^$row - reset [0-2]\$"; done
want_out '^lines - reset (9|1[0-2])$' # no end of the answer: until the time is over
for i in {1..8}; do [ "$(grep -c "CONNECT o$i.example:7 HTTP/1.1" "$WORK/odd")" -eq 1 ] || bad "o$i: $(grep "o$i" "$WORK/odd")"; done
kill "$odd_pid"
done_
