#!/usr/bin/env bash
# polrun --ask-socket: polquery's clients answer for the person when a rule asks about a
# connection.  Which answers count, who is never asked there, and that no run can answer itself.
# The server is on the host's own loopback, which "localhost" names.
# shellcheck disable=SC2034,SC2154
# long: every fourth day, as root and as a user in turn
# timing: waits for servers that a loaded machine starts late
. "$(dirname "$0")/../lib/live.sh"
lib=$(cd "$(dirname "$0")/../lib" && pwd)
STATE=$HOME/.local/state/pol
S=$WORK/run/ask.sock
mkdir -m 700 "$WORK/run"
NET=${HEAD/network disabled/network limited}
running=()
trap 'for p in "${running[@]}"; do kill "$p" 2>/dev/null; done' EXIT

# Says "hello" to each connection, and notes it in a file.
cat >"$WORK/hello.py" <<'EOT'
import os, socket, sys
s = socket.create_server(("127.0.0.1", 0), backlog=1000)
open(sys.argv[1] + ".new", "w").write(str(s.getsockname()[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
while True:
    c, _ = s.accept()
    open(sys.argv[1] + ".log", "a").write("x\n")
    try: c.sendall(b"hello\n")
    except OSError: pass
    c.close()
EOT
python3 "$WORK/hello.py" "$WORK/port" &
running+=($!)
within 10 test -e "$WORK/port" || { t 'a server'; bad 'it does not start'; }
PORT=$(cat "$WORK/port")
cat >"$P/dial.py" <<'EOT'
import socket, sys
for _ in range(int(sys.argv[2])):
    try:
        s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=60)
        print("got", s.recv(99).decode().strip() or "nothing", flush=True)
    except OSError as e:
        print("failed", e.strerror, flush=True)
EOT
# Connects to polquery's socket from inside, and asks to be an answerer.
cat >"$P/inside.py" <<'EOT'
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(b'{"answers":"net"}\n')
print("inside:", s.recv(99).decode())
EOT

RULE='ask tcp "localhost" port '$PORT' within 127.0.0.0/8 because "it reaches the host" as reaching'
ask_policy() { # RULES [MORE]
	raw_policy "${NET}network {
$1
}
${2:-}"
}
reached() {
	local n=0
	[ ! -e "$WORK/port.log" ] || n=$(grep -c . "$WORK/port.log")
	[ "$n" -eq "$1" ] || bad "the server was reached $n times, not $1"
}
fresh() {
	rm -rf "$STATE" "$WORK/port.log" "$WORK/asked"
	: >"$WORK/asked"
}
questions() { grep -c '"question"' "$WORK/asked"; }
want_questions() { [ "$(questions)" -eq "$1" ] || bad "$(questions) questions, not $1: $(cat "$WORK/asked")"; }
# In a session of its own, without a terminal.
ask_run() { # ARGS…
	setsid -w timeout 100 "$BIN/polrun" -b "$WORK/p.polb" --ask-socket "$S" "$@" >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$?
	out=$(cat "$WORK/.out")
	err=$(cat "$WORK/.err")
}
serve() {
	"$BIN/polquery" -b "$WORK/p.polb" serve "$S" 2>"$WORK/.serve" &
	server=$!
	running+=("$server")
	within 20 test -S "$S" || bad "polquery does not listen: $(cat "$WORK/.serve")"
}
person() { # SAYS…
	python3 "$lib/answerer.py" answer "$S" "$WORK/asked" "$@" &
	person=$!
	running+=("$person")
	within 20 grep -q answers "$WORK/asked" || bad 'the answerer is not accepted'
}
stop() { # PID
	kill "$1" 2>/dev/null
	wait "$1" 2>/dev/null
}
fake() { # SAYS…: a server that is not polquery
	rm -f "$S"
	python3 "$lib/answerer.py" server "$S" "$WORK/asked" "$@" &
	fake=$!
	running+=("$fake")
	within 20 test -S "$S" || bad 'the other server does not listen'
}

# --- where the socket may be -----------------------------------------------------------

refused() { # SOCKET PATTERN: polrun does not start
	S=$1 ask_run touch started
	want_rc 125
	want_line "$2"
	no_file "$P/started"
}

ask_policy "$RULE"
serve
t 'a socket that the run cannot reach: it starts'
ask_run touch started
want_rc 0
want_file "$P/started"
rm -f "$P/started"
run python3 inside.py "$S"
no_out 'inside:'

t 'a unix rule brings it in: the run would answer itself, and does not start'
ask_policy "$RULE" "unix { allow \"$S\" as giving }"
run python3 inside.py "$S"
if is_root; then
	no_out 'inside:' # polquery sees another user
else
	want_out 'inside:.*answers' # the control: without the option it is an answerer
fi
refused "$S" '--ask-socket .*answer its own questions: rule giving at p.pol'
ask_policy "$RULE" "unix { ask \"$S\" as giving }"
refused "$S" 'rule giving at p.pol'
ask_policy "$RULE" "unix { allow \"$WORK/*/ask.sock\" as wide }"
refused "$S" 'rule wide at p.pol'
ln -s run "$WORK/alias"
ask_policy "$RULE" "unix { allow \"$WORK/alias/ask.sock\" as alias }"
refused "$WORK/alias/ask.sock" 'rule alias at p.pol'
refused "$S" 'the socket in' # by the other of its names

t 'in a directory that the run sees'
ask_policy "$RULE"
refused "$P/ask.sock" 'the run sees its directory'
refused ask.sock 'the run sees its directory'
ask_policy "$RULE" "file { allow read \"$WORK/run\" }"
refused "$S" 'the run sees its directory'
mkdir -p "$WORK/shown/hidden"
ask_policy "$RULE" "file { allow read \"$WORK/shown\" }"
refused "$WORK/shown/hidden/ask.sock" 'the run sees its directory'
ask_policy "$RULE" "file { allow read \"$WORK/shown\" hide \"$WORK/shown/hidden\" }"
S=$WORK/shown/hidden/ask.sock ask_run true # the control: hidden in a tree that is shown
want_rc 0

t 'by a link that a run can have made'
ask_policy "$RULE"
ln -s "$WORK/run" "$P/link"
refused "$P/link/ask.sock" 'reached by a symbolic link'
refused link/ask.sock 'reached by a symbolic link'
rm "$P/link"

t 'what is no socket, or has no place'
refused "$WORK/port" 'it is no socket'
refused "$WORK/none/ask.sock" 'its directory does not exist'
ln -s /nonexistent/x "$WORK/run/dangling"
refused "$WORK/run/dangling" 'it leads nowhere'
refused "$WORK/run/$(printf 'a%.0s' {1..110})" 'longer than 107 bytes'
refused '' 'needs a value'
ask_run --ask-socket "$S" true
want_rc 125
want_line 'given twice'
stop "$server"

# --- answers -----------------------------------------------------------------------------

t 'the control: an allow lets it through, and nobody is asked'
fresh
ask_policy "${RULE/ask/allow}"
serve
person deny
ask_run python3 dial.py "$PORT" 1
want_out '^got hello$'
want_questions 0
reached 1
stop "$person"

t 'run: each field of the question; it holds until the run ends, and not longer'
fresh
ask_policy "$RULE"
person run deny
ask_run python3 dial.py "$PORT" 3
want_rc 0
[ "$(grep -c '^got hello$' <<<"$out")" -eq 3 ] || bad 'not three connections'
want_questions 1
reached 3
python3 - "$WORK/asked" "$PORT" <<'EOT' || bad "the question: $(cat "$WORK/asked")"
import json, sys
q = [json.loads(l) for l in open(sys.argv[1])][1]
assert q["kind"] == "net" and q["proto"] == "tcp" and q["host"] == "localhost", q
assert q["port"] == int(sys.argv[2]) and "python3" in q["program"] and "dial.py" in q["program"], q
r = q["rule"]
assert r["id"] == "reaching" and r["file"].endswith("p.pol") and r["line"] > 1, r
assert r["text"].startswith("ask tcp"), r
assert q["reason"] == "it reaches the host" and q["hold_ms"] == 30000, q
EOT
ask_run python3 dial.py "$PORT" 1
want_questions 2
want_out '^(got nothing|failed)'
reached 3
stop "$person"

t 'deny: the server is not reached, and the run goes on'
fresh
person deny
ask_run bash -c "python3 dial.py $PORT 2; echo after"
want_out '^(got nothing|failed)'
want_out '^after$'
want_questions 1
reached 0
stop "$person"

t 'session: the next run of the session is not asked; without a session it holds for the run'
fresh
person session
ask_run --session s1 python3 dial.py "$PORT" 1
want_out '^got hello$'
ask_run --session s1 python3 dial.py "$PORT" 1
want_out '^got hello$'
want_questions 1
ask_run --session s2 python3 dial.py "$PORT" 1
want_questions 2
"$BIN/polquery" approvals revoke --all >/dev/null
ask_run --session s1 python3 dial.py "$PORT" 1
want_questions 3
reached 4
stop "$person"

t 'nobody answers, nobody listens, the last one leaves, too late: no'
fresh
SECONDS=0
ask_run python3 dial.py "$PORT" 1
want_out '^(got nothing|failed)'
person leave
ask_run python3 dial.py "$PORT" 1
want_out '^(got nothing|failed)'
want_questions 1
[ "$SECONDS" -lt 20 ] || bad "it took $SECONDS s"
stop "$server"
ask_run python3 dial.py "$PORT" 1
want_out '^(got nothing|failed)'
want_line '--ask-socket: .*: the answer is no'
ask_policy "hold 1s $RULE"
serve
: >"$WORK/asked"
person silence
ask_run python3 dial.py "$PORT" 1
want_out '^(got nothing|failed)'
want_questions 1
within 10 grep -q answered "$WORK/asked" || bad 'the answerer is not told that it is over'
reached 0
stop "$person"

# Connects often, breaks all of it off when it is told to, and connects once more.
cat >"$P/breaks.py" <<'EOT'
import os, socket, struct, sys, time
def until(name):
    while not os.path.exists(name): time.sleep(0.02)
held = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(100)]
until("break")
for s in held:
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()
open("broken", "w").close()
until("answered")
time.sleep(1) # what the answer would let through has its time
print("got", socket.create_connection(("127.0.0.1", int(sys.argv[1]))).recv(99).decode().strip())
EOT
t 'the program breaks off while the question is open: its descriptors go at once, and a yes dials nothing for it'
fresh
ask_policy "$RULE"
person "run@$WORK/go"
"$BIN/polrun" -b "$WORK/p.polb" --ask-socket "$S" python3 breaks.py "$PORT" >"$WORK/.out" 2>"$WORK/.err" </dev/null &
bg=$!
fds() { # of the gateway; only root may look
	find "/proc/$(pgrep -x polgate -P "$bg")/fd" -mindepth 1 2>/dev/null | wc -l
}
within 30 grep -q '"question"' "$WORK/asked" || bad 'no question'
[ "$(id -u)" -ne 0 ] || within 10 eval '[ "$(fds)" -ge 100 ]' || bad "the gateway holds no 100 connections: $(fds)"
touch "$P/break"
within 20 test -e "$P/broken" || bad 'it does not break off'
within 10 eval '[ "$(fds)" -lt 50 ]' || bad "$(fds) descriptors of connections that are gone"
touch "$WORK/go" "$P/answered"
wait "$bg"
out=$(<"$WORK/.out") err=$(<"$WORK/.err")
want_rc 0
want_out '^got hello$'
want_questions 1
reached 1
rm -f "$P"/{break,broken,answered} "$WORK/go"
stop "$person"

t 'the run ends while the question is open: the answerer is told'
fresh
ask_policy "$RULE"
person silence
setsid -w "$BIN/polrun" -b "$WORK/p.polb" --ask-socket "$S" python3 dial.py "$PORT" 1 >/dev/null 2>&1 </dev/null &
bg=$!
within 30 grep -q '"question"' "$WORK/asked" || bad 'no question'
kill -TERM "$bg"
wait "$bg" 2>/dev/null
within 10 grep -q answered "$WORK/asked" || bad 'the answerer is not told'
stop "$person"

t 'who is never asked there: -y, --ask=deny, and what only a person may answer'
fresh
person run
ask_run -y python3 dial.py "$PORT" 1
want_out '^got hello$'
reached 1
ask_run --ask=deny python3 dial.py "$PORT" 1
want_out '^(got nothing|failed)'
printf 'policy m { }\nnetwork { %s }\n' "${RULE/reaching/theirs}" >"$WORK/m.pol"
ask_policy "${RULE/ask/allow}"
msg=$(cd "$WORK" && "$BIN/polc" compile --managed m.pol p.pol -o p.polb 2>&1) || bad "$msg"
chmod 0600 "$WORK/p.polb"
ask_run python3 dial.py "$PORT" 1
want_out '^(got nothing|failed)'
want_questions 0
reached 1
stop "$person"

t '500 connections are one question'
fresh
ask_policy "$RULE"
person run
ask_run python3 dial.py "$PORT" 500
want_questions 1
reached 500
stop "$person"
stop "$server"

t 'what another server says is no, but for the two texts'
for says in '{"effect":"allow"}\n' '{"effect": "allow","for":"run"}\n' '{"effect":"allow","for":"run"}' \
	'{"effect":"allow","for":"run"}\n{"effect":"allow","for":"run"}\n' 'yes\n' '{"effect":"allow","for":"ever"}\n' ''; do
	fresh
	fake "$says"
	ask_run python3 dial.py "$PORT" 1
	want_out '^(got nothing|failed)'
	want_line '--ask-socket: .*the answer is no'
	reached 0
	stop "$fake"
done
fresh
fake '{"effect":"al|low","for":|"run"}\n' # the control
ask_run python3 dial.py "$PORT" 1
want_out '^got hello$'
reached 1
stop "$fake"

if is_root; then
	t 'a server of another user answers nothing'
	fresh
	chmod 711 "$WORK"
	cp "$lib/answerer.py" "$WORK"
	chmod 755 "$WORK/answerer.py"
	mkdir -m 777 "$WORK/theirs"
	chmod 777 "$WORK/theirs" "$WORK/asked"
	S=$WORK/theirs/s
	setpriv --reuid 65534 --regid 65534 --clear-groups python3 "$WORK/answerer.py" server "$S" "$WORK/asked" '{"effect":"allow","for":"run"}\n' &
	running+=($!)
	fake=$!
	within 20 test -S "$S" || bad 'their server does not listen'
	ask_run python3 dial.py "$PORT" 1
	want_out '^(got nothing|failed)'
	want_line "--ask-socket: its server is another user's"
	reached 0
	stop "$fake"
fi
fresh
done_
