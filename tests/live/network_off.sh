#!/usr/bin/env bash
# A command that asks for a network which the run has not got: polrun names the rule at
# once where the command is there to fetch or tries again, else after a failure, and never
# where nothing asked.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2016,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

OFF='^polrun: the network is off \(rule network-mode at p\.pol:[0-9]+\), and the command asks for it; to let it pass: network disabled \(level project\) stands: no rule counts$'
silent() { [ -z "$err" ] || bad "something is on stderr"; }
mkdir -p bin
cat >bin/npm <<'EOS'
#!/usr/bin/env python3
# WHAT…: tcp, tcp6, udp, resolver, loop (reached), sNUMBER seconds of sleep, eNUMBER exit
import socket, sys, time
where = {"tcp": (socket.AF_INET, socket.SOCK_STREAM, ("192.0.2.1", 443)),
         "tcp6": (socket.AF_INET6, socket.SOCK_STREAM, ("2001:db8::1", 443)),
         "udp": (socket.AF_INET, socket.SOCK_DGRAM, ("192.0.2.1", 53)),
         "resolver": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.53", 53))}
for a in sys.argv[1:]:
    if a in where:
        family, kind, to = where[a]
        s = socket.socket(family, kind)
        try:
            s.connect(to)
            s.send(b"x")
            s.send(b"x")
            print("connected")
        except OSError as e:
            print(e.strerror)
    elif a == "loop":
        with socket.create_server(("127.0.0.1", 0)) as l, socket.create_connection(l.getsockname()):
            print("reached")
    elif a[0] == "s" and a[1:]:
        time.sleep(float(a[1:]))
    elif a[0] == "e":
        sys.exit(int(a[1:]))
EOS
chmod +x bin/npm && cp bin/npm bin/other
export PATH=$P/bin:$PATH
EXEC='file { allow exec "${PROJECT_DIR}/bin" }'
policy "$EXEC"
# ARGS…: a run in the background; its pid is in pid, its stderr in $WORK/.err
begin() {
	: >"$WORK/.err" # the run opens it when its turn comes, and until then it has the last one's lines
	"$BIN/polrun" -b "$WORK/p.polb" "$@" >/dev/null 2>"$WORK/.err" </dev/null &
	pid=$!
}
said() { grep -qE "$OFF" "$WORK/.err"; }
finish() {
	kill -0 "$pid" 2>/dev/null || bad "the run had ended before"
	kill "$pid"
	wait "$pid" 2>/dev/null
	err=$(<"$WORK/.err")
}
times() { [ "$(grep -cE "$OFF" <<<"$err")" -eq "$1" ] || bad "not $1 times: $err"; }

t "a command that fetches: at its first request, while it runs"
begin npm install tcp s60
within 10 said || bad "not said"
finish
times 1

t "another command: when it tries again"
begin other tcp s1.5 udp s60
within 10 said || bad "not said"
finish
times 1

t "another command that tries once and goes on: nothing"
run other tcp s2.5
want_rc 0
want_out '^Network is unreachable$'
silent

t "after a failure: by IPv4, IPv6, UDP, and by a resolver on the loopback"
for x in tcp tcp6 udp resolver; do
	run other $x e3
	want_rc 3
	times 1
done
run other tcp s1.5 tcp s0.5 e3
want_rc 3
times 1

t "who may choose another mode is told which"
raw_policy "${HEAD/base none/base none  level user}$EXEC"
run other tcp e3
want_line 'asks for it; to let it pass: network limited \{ allow tcp "HOST" port 443 \} in place of p\.pol:[0-9]+$'
policy "$EXEC"

t "not said: without a request, on the loopback, under -q"
run other e3
want_rc 3
silent
run npm install loop e3
want_rc 3
want_out '^reached$'
silent
run -q npm install tcp s1 e3
want_rc 3
silent

t "the report has the requests, after success too"
rm -f "$WORK/r.json"
run --report "$WORK/r.json" other tcp udp
want_rc 0
silent
python3 - "$WORK/r.json" <<'EOS' || bad "$(cat "$WORK/r.json")"
import json, sys
d = json.load(open(sys.argv[1]))["denials"]
assert [(x["layer"], x["op"], x["subject"], x["errno"], x["rule"]["id"], x["hint"]) for x in d] == [
    ("network", "connect", "outside", "ENETUNREACH", "network-mode", "network disabled (level project) stands: no rule counts")] and d[0]["count"] >= 2, d
EOS
run --report "$WORK/r.json" other loop
grep -q '"denials": *\[\]' "$WORK/r.json" || bad "$(cat "$WORK/r.json")"

t "a program that draws on the terminal is not disturbed; a person is told at the end"
tty() { python3 "$(dirname "${BASH_SOURCE[0]}")/../lib/at_tty.py" \
	"$BIN/polrun" -b "$WORK/p.polb" "$@" >"$WORK/.out" 2>&1 </dev/null
	out=$(tr -d '\r' <"$WORK/.out") err=$out; }
tty -c 'npm install tcp s1; echo after; exit 3'
times 1
[ "$(grep -nE "$OFF" <<<"$out" | cut -d: -f1)" -lt "$(grep -n '^after' <<<"$out" | cut -d: -f1)" ] || bad "not at once"
tty -c 'stty raw -echo; npm install tcp s1; stty sane; echo after; exit 3'
times 1
[ "$(grep -nE "$OFF" <<<"$out" | cut -d: -f1)" -gt "$(grep -n '^after' <<<"$out" | cut -d: -f1)" ] || bad "it was disturbed"

t "network full: nothing of this is said"
raw_policy "${HEAD/network disabled/network full}
$EXEC" full
run_with full npm install e3
want_rc 3
no_err 'the network'

t "ping: with the network off it says itself what it lacks; in the host's network it does what it does outside"
if command -v ping >/dev/null; then
	run ping -c1 127.0.0.1
	want_rc 2
	no_err 'prctl'
	want_err 'ping: .*(cap_net_raw|Operation not permitted|Permission denied)'
	want_err '^polrun: blocked: system call socket\(.*: rule network-mode'
	read -r low high </proc/sys/net/ipv4/ping_group_range
	if [ "$low" -eq 0 ] && [ "$high" -eq 2147483647 ]; then
		run_with full ping -c1 127.0.0.1
		want_rc 0
		want_out ' 1 received'
	fi
fi

t "npm itself: the line comes at once, and with std/profile/project it ends soon"
if command -v npm >/dev/null && PATH=${PATH#*:} && command -v npm >/dev/null; then
	echo '{"name":"x","version":"1.0.0","dependencies":{"left-pad":"1.3.0"}}' >package.json
	"$BIN/polrun" npm install >"$WORK/.out" 2>"$WORK/.err" </dev/null &
	pid=$!
	said() { grep -qE '^polrun: the network is off \(rule network-mode at std/profile/project\.pol' "$WORK/.err"; }
	within 20 said || bad "not said: $(<"$WORK/.err")"
	within 20 is_gone "polrun npm install" || bad "it still waits"
	kill "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
fi

done_
