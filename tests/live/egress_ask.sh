#!/usr/bin/env bash
# A rule that asks holds a connection while the person at the terminal is asked: once, for the
# session, no, too late, ^C, nobody; two at once; a program that opens many connections.
# The server is on the host's own loopback, which "localhost" names.
# shellcheck disable=SC2034
# long: every fourth day, as root and as a user in turn
# timing: waits for what programs print on a pseudo-terminal
. "$(dirname "$0")/../lib/live.sh"

# shellcheck source=tests/lib/asking.sh
. "$(dirname "$0")/../lib/asking.sh"

# Answers each connection with a line, and notes it in a file.
cat >"$WORK/server.py" <<'EOT'
import socket, sys, threading
a, b = socket.create_server(("127.0.0.1", 0), backlog=1000), socket.create_server(("127.0.0.1", 0))
open(sys.argv[1] + ".new", "w").write(f"{a.getsockname()[1]} {b.getsockname()[1]}")
import os; os.rename(sys.argv[1] + ".new", sys.argv[1])
def serve(s, name):
    while True:
        c, _ = s.accept()
        open(sys.argv[1] + ".log", "a").write(name + "\n")
        try: c.sendall(f"hello from {name}\n".encode())
        except OSError: pass
        c.close()
threading.Thread(target=serve, args=(b, "two"), daemon=True).start()
serve(a, "one")
EOT
python3 "$WORK/server.py" "$WORK/ports" &
server=$!
trap 'kill "$server" 2>/dev/null' EXIT
within 10 test -e "$WORK/ports" || { t 'a server'; bad 'it does not start'; }
read -r ONE TWO <"$WORK/ports"

ask_policy() { # RULES
	raw_policy "${HEAD/network disabled/network limited}network {
$1
}"
}
# shellcheck disable=SC2089
REACH='ask tcp "localhost" port '$ONE', '$TWO' within 127.0.0.0/8 because "it reaches the host" as reaching'
reached() { # how often since the last forget_all
	local n=0
	[ ! -e "$WORK/ports.log" ] || n=$(grep -c . "$WORK/ports.log")
	echo "$n"
}
want_reached() { # N
	[ "$(reached)" -eq "$1" ] || bad "the server was reached $(reached) times, not $1"
}
forget_all() {
	rm -f "$WORK/ports.log"
	forget
}
cat >"$P/dial.py" <<'EOT'
import socket, sys
for port in sys.argv[1:]:
    try:
        s = socket.create_connection(("127.0.0.1", int(port)), timeout=60)
        d = s.recv(99).decode().strip()
        print("got", d if d else "nothing", flush=True)
    except OSError as e:
        print("failed", e.strerror, flush=True)
EOT
cat >"$P/many.py" <<'EOT'
import socket, sys, threading
got = []
def one():
    try: got.append(socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=60).recv(99))
    except OSError as e: got.append(b"")
t = [threading.Thread(target=one) for _ in range(int(sys.argv[2]))]
[x.start() for x in t]; [x.join() for x in t]
print("all", sum(b"hello" in g for g in got), flush=True)
EOT

t 'the control: an allow lets it through, and nobody is asked'
forget_all
ask_policy "${REACH/ask/allow}"
run python3 dial.py "$ONE"
want_rc 0
want_out '^got hello from one$'
want_reached 1

t 'once: asked with target, program, rule and reason; it holds for this host and port until the run ends'
forget_all
ask_policy "$REACH"
term <<EOT
send $POL python3 dial.py $ONE $ONE $TWO; echo rc \$?
expect asks before this connection is made
expect to +tcp localhost:$ONE
expect program +python3
expect by +rule reaching at p.pol:[0-9]+
expect reason +it reaches the host
expect \[o\]nce, for this \[s\]ession, \[d\]eny, \[\?\] details:
send ?
expect session +
expect details:
send o
expect got hello from one
expect got hello from one
expect to +tcp localhost:$TWO
expect details:
send o
expect got hello from two
expect rc 0
send $POL python3 dial.py $ONE; echo rc \$?
expect details:
send o
expect got hello
expect rc 0
EOT
want_reached 4
no_file "$A"

# Sockets with the same port of its own, in another process, whose command line is to be taken for the caller's.
cat >"$P/other.py" <<'EOT'
import socket, sys, time
server = socket.create_server(("127.0.0.1", 0), backlog=99)
held = []
for i in range(10, 40):
    s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind((f"127.0.0.{i}", int(sys.argv[1])))
    s.connect(server.getsockname()); held.append(s)
open("others", "w").close()
time.sleep(60)
EOT
cat >"$P/from.py" <<'EOT'
import socket, sys
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(("127.0.0.1", int(sys.argv[2])))
s.connect(("127.0.0.1", int(sys.argv[1])))
print("got", s.recv(99).decode().strip() or "nothing", flush=True)
EOT
t 'the program that is shown is the one that connects, whoever has sockets of the same port'
forget_all
ask_policy "$REACH"
term <<EOT
send $POL bash -c 'python3 other.py 23456 & until [ -e others ]; do sleep 0.05; done; python3 from.py $ONE 23456; kill %1'; echo rc \$?
expect program +python3[.0-9]* \(python3 from.py
expect details:
send o
expect got hello from one
expect rc 0
EOT
rm -f "$P/others"
want_reached 1

t 'what a program is called writes nothing on the terminal but a short line of its own'
forget_all
printf '%s\n' 'exec python3 dial.py '"$ONE"' "$(printf "\033[2J\033]0;title\007\nprogram git (git fetch)\r\302\233 %4096s" end)"' >"$P/odd.sh"
term <<EOT
send $POL bash odd.sh; echo rc \$?
expect program +python3[^\r\n]*\\\\x1b\\[2J[^\r\n]*(\r\n {9}[+] [^\r\n]*){0,4}\r\n +by +rule
expect details:
send d
expect got nothing|failed
expect rc 1
EOT
want_reached 0

t 'deny: the program sees the end of the connection, and the server nothing; the run goes on'
forget_all
term <<EOT
send $POL --explain-denials python3 dial.py $ONE $ONE; echo rc \$?
expect details:
send d
expect got nothing|failed
expect got nothing|failed
expect blocked: connect tcp localhost:${ONE}[^\\r\\n]*it asks, and nobody said yes
expect rc 0
EOT
want_reached 0

t '^C and the end of the input are a no, and reach the question only'
forget_all
term <<EOT
send $POL bash -c 'python3 dial.py $ONE; echo after'; echo rc \$?
expect details:
key C-c
expect got nothing|failed
expect after
expect rc 0
send $POL bash -c 'python3 dial.py $ONE; echo after'; echo rc \$?
expect details:
key C-d
expect got nothing|failed
expect after
expect rc 0
EOT
want_reached 0

# What is done to the process that asks, as soon as its program stands still at the question:
# `walls` prints what confines it and its child, `kill` ends it.
cat >"$WORK/at_question.py" <<'EOT'
import os, re, signal, sys, time
def stats():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try: text = open(f"/proc/{pid}/stat").read()
        except OSError: continue
        # behind the name: state ppid pgrp session tty tpgid
        yield int(pid), text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
def asks():
    """The owner of the terminal of a stopped program of the test, once it is a child of polrun."""
    names = {pid: name for pid, name, _ in stats()}
    parents = {pid: int(f[1]) for pid, _, f in stats()}
    for pid, name, f in stats():
        # the port is this test's own: another one of the machine may stand at its question, too
        if f[0] == "T" and name.startswith("python3") and "dial.py\0" + sys.argv[2] in open(f"/proc/{pid}/cmdline").read() and \
                names.get(parents.get(int(f[5]))) == "polrun":
            return int(f[5])
until = time.monotonic() + 30
while not (asker := asks()) and time.monotonic() < until:
    time.sleep(0.1)
if asker and sys.argv[1] == "kill":
    os.kill(asker, signal.SIGKILL)
elif asker:
    for pid in [asker] + [pid for pid, _, f in stats() if int(f[1]) == asker]:
        print(" ".join(re.findall(r"^(?:Seccomp|NoNewPrivs):.*", open(f"/proc/{pid}/status").read(), re.M)).replace("\t", " "))
EOT
at_question() { python3 "$WORK/at_question.py" "$1" "$ONE"; }

t 'the processes that ask have walls of their own'
forget_all
ask_policy "hold 3s $REACH"
at_question walls >"$WORK/walls" &
watcher=$!
term <<EOT
send $POL python3 dial.py $ONE; echo rc \$?
expect details:
expect got nothing|failed
expect rc 0
EOT
wait "$watcher"
[ "$(grep -cx 'NoNewPrivs: 1 Seccomp: 2' "$WORK/walls")" -eq 2 ] || bad "not two processes with walls: $(cat "$WORK/walls")"

t 'the process that asks is killed: nothing is let through, and the run ends'
forget_all
ask_policy "$REACH"
at_question kill &
watcher=$!
term <<EOT
send $POL python3 dial.py $ONE; echo rc \$?
expect asks before
expect the process that asks about connections has ended, and with it the run
expect rc 125
EOT
wait "$watcher"
want_reached 0

t 'a script can read its terminal after ^C at a question, and after its command was killed there'
forget_all
ask_policy "$REACH"
# shellcheck disable=SC2016
printf '%s\n' "polrun -b $WORK/p.polb python3 dial.py $ONE" 'echo af""ter' 'read x; echo script-got=$x' >"$P/script.sh"
term <<EOT
send bash script.sh
expect details:
key C-c
expect after
send typed
expect script-got=typed
EOT
(until pid=$(pgrep -nf "^python3 dial.py $ONE\$") && grep -q '^State:.T' "/proc/$pid/status"; do sleep 0.1; done
	sleep 2; kill -KILL "$pid") 2>/dev/null &
watcher=$!
term <<EOT
send bash script.sh
expect details:
expect after
send typed
expect script-got=typed
EOT
wait "$watcher"
want_reached 0

t 'too late: refused after the time that the policy says'
forget_all
ask_policy "hold 1s $REACH"
term <<EOT
send $POL python3 dial.py $ONE; echo rc \$?
expect details:
expect got nothing|failed
expect rc 0
send echo typed\$((40+2))
expect typed42
EOT
want_reached 0

t 'for the session: the next run is not asked; revoked, it is again'
forget_all
ask_policy "$REACH"
term <<EOT
send $POL python3 dial.py $ONE; echo rc \$?
expect details:
send s
expect got hello from one
expect rc 0
send $POL python3 dial.py $ONE; echo rc \$?
absent details:
expect rc 0
send $POL python3 dial.py $TWO; echo rc \$?
expect details:
send d
expect rc 0
send polquery approvals list | cat
expect tcp localhost:$ONE
send polquery approvals revoke --all; echo rc \$?
expect rc 0
send $POL python3 dial.py $ONE; echo rc \$?
expect details:
send d
expect rc 0
EOT
want_reached 2

t 'two programs at once: two questions, one after the other'
forget_all
ask_policy "${REACH/port $ONE, $TWO/port $ONE}
${REACH/port $ONE, $TWO within 127.0.0.0\/8 because \"it reaches the host\" as reaching/port $TWO within 127.0.0.0\/8 as second}"
term <<EOT
send $POL bash -c 'python3 dial.py $ONE & python3 dial.py $TWO & wait'; echo rc \$?
expect details:
send o
expect got hello
expect details:
send o
expect got hello
expect rc 0
EOT
want_reached 2

t '500 connections of one program are one question'
forget_all
ask_policy "$REACH"
term <<EOT
send $POL python3 many.py $ONE 500; echo rc \$?
expect details:
send o
expect all 500
expect rc 0
EOT
want_reached 500

t 'a shell inside keeps its job, and the terminal'
forget_all
ask_policy "$REACH
}
command { allow \"bash:*\" opaque allow"
term <<EOT
send $POL bash --norc --noprofile -i
expect \\$
send PS1='inside> '
expect inside> $
send python3 dial.py $ONE
expect details:
send o
expect got hello from one
expect inside>
send jobs; echo seven\$((3+4))
absent Stopped
expect seven7
send exit
EOT
want_reached 1

t 'nobody there: refused at once, and recorded; -y answers'
forget_all
ask_policy "$REACH"
SECONDS=0
alone --report "$WORK/out/r.json" python3 dial.py "$ONE"
[ "$SECONDS" -lt 10 ] || bad "it took $SECONDS s"
want_out 'got nothing|failed'
python3 - "$WORK/out/r.json" "$ONE" <<'EOT' || bad 'the report does not name the rule that asked'
import json, sys
d = [x for x in json.load(open(sys.argv[1]))["denials"] if x["layer"] == "network"]
assert d and d[0]["rule"]["id"] == "reaching" and sys.argv[2] in d[0]["subject"], d
EOT
want_reached 0
alone --ask=deny python3 dial.py "$ONE"
want_out 'got nothing|failed'
want_reached 0
alone -y python3 dial.py "$ONE"
want_out 'got hello from one'
want_reached 1

t 'in the background of a terminal nobody is asked'
forget_all
term <<EOT
send $POL python3 dial.py $ONE & wait; echo rc \$?
expect got nothing|failed
expect rc 0
EOT
want_reached 0
forget_all

if command -v script >/dev/null; then
	t 'a run that has ended before it is asked about: nobody is asked, and polrun does not say that it did not stop'
	printf '%s\n' 'import socket, sys' 's = socket.socket()' 's.setblocking(False)' \
		's.connect_ex(("127.0.0.1", int(sys.argv[1])))' >"$P/leave.py"
	out=$(cd "$P" && timeout 60 script -qec "polrun -b '$WORK/p.polb' python3 leave.py $ONE; echo rc=\$?" /dev/null </dev/null)
	want_out 'rc=0'
	no_out 'did not stop'
	want_reached 0
	forget_all
fi

done_
