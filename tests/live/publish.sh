#!/usr/bin/env bash
# Servers inside a run are reached from this machine's loopback with -P, and from nowhere without.
# timing: waits for servers to listen
# shellcheck disable=SC2016,SC2154,SC2086
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

# HOW [ADDRESS] PORT: web serves the project; hash answers each connection with what it sent, after
# its end; mega sends 1 MB for each line with a number; half answers after the end of what it gets
cat >srv.py <<'EOS'
import socket, sys, threading, time, hashlib, os
how, addr, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
def serve(c):
    if how == "web":
        c.recv(4096)
        body = b"hello from inside\n"
        c.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    elif how == "mega":
        n = int(c.makefile().readline())
        c.sendall(bytes([n % 251]) * (1 << 20))
    elif how == "half":
        got = b""
        while True:
            b = c.recv(65536)
            if not b:
                break
            got += b
        c.sendall(b"%d %s\n" % (len(got), hashlib.sha256(got).hexdigest().encode()))
    elif how == "last":
        c.sendall(b"y" * 300000)
        c.close()
        os._exit(0)
    c.close()
l = socket.create_server((addr, port), family=socket.AF_INET6 if ":" in addr else socket.AF_INET, backlog=128)
while True:
    c, _ = l.accept()
    threading.Thread(target=serve, args=(c,), daemon=True).start()
EOS
# Prints a port at which nothing listens; each time another one.
next=$((20000 + RANDOM % 8000))
free_port() {
	while next=$((next + 1)); (exec 3<>"/dev/tcp/127.0.0.1/$next") 2>/dev/null; do :; done
	port=$next
}
# ARGS…: a run in the background; its pid is in pid, its stderr in $WORK/.err
begin() {
	: >"$WORK/.err"
	"$BIN/polrun" -b "$WORK/p.polb" "$@" >"$WORK/.out" 2>"$WORK/.err" </dev/null &
	pid=$!
}
finish() {
	kill "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	rc=$?
	err=$(<"$WORK/.err")
}
get() { curl -gsS -m 5 "http://$1/" 2>&1; } # HOST:PORT
answers() { [ "$(get "$1")" = 'hello from inside' ]; }
refuses() { [[ $(get "$1") == 'curl: (7) '* ]]; }
listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
is_free() { ! listens "$1"; }
PY="/usr/bin/python3 srv.py"

policy ''
t "a server inside is reached from 127.0.0.1 and ::1 with -P, and not without"
free_port
begin -P "$port" $PY web 127.0.0.1 "$port"
within 10 answers "127.0.0.1:$port" || bad "not reached: $(get "127.0.0.1:$port")"
answers "[::1]:$port" || bad "not reached by ::1"
for host in $(hostname -I 2>/dev/null); do
	[[ $host == *:* ]] || refuses "$host:$port" || bad "reached at $host"
done
finish
[ -z "$err" ] || bad "said something"
refuses "127.0.0.1:$port" || bad "the port is still open after the run"
begin $PY web 127.0.0.1 "$port"
sleep 1
refuses "127.0.0.1:$port" || bad "reached without -P"
finish

t "another port outside, a server on ::1 alone, and one on all addresses"
free_port
begin -P "$port:8080" $PY web ::1 8080
within 10 answers "127.0.0.1:$port" || bad "not reached: $(get "127.0.0.1:$port")"
finish
begin -P "$port:8080" $PY web 0.0.0.0 8080
within 10 answers "127.0.0.1:$port" || bad "not reached: $(get "127.0.0.1:$port")"
finish

t "a port of the run below 1024: it can listen there, and on no lower one that is not published"
begin -P "$port:81" $PY web 127.0.0.1 81
within 10 answers "127.0.0.1:$port" || bad "not reached: $(get "127.0.0.1:$port") $(<"$WORK/.err")"
finish
run -P "$port:81" timeout 1 $PY web 127.0.0.1 80
want_err 'PermissionError'
run timeout 1 $PY web 127.0.0.1 81
want_err 'PermissionError'

t "two servers of the run on one port: each address leads to its own"
cat >two.sh <<EOS
/usr/bin/python3 srv.py hash 127.0.0.1 8080 &
exec /usr/bin/python3 srv.py web ::1 8080
EOS
begin -P "$port:8080" bash two.sh
within 10 answers "[::1]:$port" || bad "not reached by ::1: $(get "[::1]:$port")"
! answers "127.0.0.1:$port" || bad "127.0.0.1 leads to the server on ::1"
finish

t "where nothing listens inside, the connection is ended at once"
begin -P "$port" sleep 30
within 10 listens "$port" || bad "does not listen"
out=$(get "127.0.0.1:$port")
# curl may see the reset before it sees the connection
want_out "reset|Empty reply|curl: .7. "
finish

t "a port in use is named before anything runs, and words that are no port are refused"
begin -P "$port" sleep 30
within 10 listens "$port" || bad "does not listen"
run -P "$port" touch ran
want_rc 125
want_line "port $port of this machine is in use: -P PORT:$port publishes the run's port $port at another"
no_file ran
finish
for words in 0 '' 65536 1x :5 5: 127.0.0.1:80:80 0x50 -1 08; do
	run -P "$words" touch ran
	want_rc 125
	want_line "-P: '$words' is no port"
done
run -P 5000 -P 5000:6000 touch ran
want_line '-P: port 5000 of this machine is given twice'
no_file ran
if ! is_root; then
	run -P 80:8080 touch ran
	want_rc 125
	want_line "-P 80: ports below 1024 are root's: -P PORT:8080"
fi
no_file ran

t "the end of what one side sends is passed on, and what follows from the other arrives"
begin -P "$port:8080" $PY half 127.0.0.1 8080
within 10 listens "$port"
cat >half.py <<'EOS'
import socket, sys, hashlib, time
for i in range(100):
    c = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    data = b"abc" * 700001
    try:
        c.sendall(data)
        c.shutdown(socket.SHUT_WR)
        got = c.makefile().read()
    except OSError:
        time.sleep(0.1)
        continue
    print("same" if got == "%d %s\n" % (len(data), hashlib.sha256(data).hexdigest()) else "differs: " + got)
    break
EOS
out=$(/usr/bin/python3 half.py "$port")
want_out '^same$'
finish

t "fifty connections at once get a megabyte each, with the right bytes"
begin -P "$port:8080" $PY mega 127.0.0.1 8080
within 10 listens "$port"
cat >mega.py <<'EOS'
import socket, sys, threading, time
def one(n, ret):
    for i in range(100):
        try:
            c = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            c.sendall(b"%d\n" % n)
            got = c.makefile("rb").read()
        except OSError:
            got = b""
        if got:
            break
        time.sleep(0.1)
    ret[n] = got == bytes([n % 251]) * (1 << 20)
ret = {}
ts = [threading.Thread(target=one, args=(n, ret)) for n in range(int(sys.argv[2]))]
[t.start() for t in ts]
[t.join() for t in ts]
print(sum(ret.values()), "of", len(ret))
EOS
out=$(/usr/bin/python3 mega.py "$port" 50)
want_out '^50 of 50$'
finish

t "beyond 256 connections one waits, which is told once, and gets its turn"
begin -P "$port:8080" $PY mega 127.0.0.1 8080
within 10 listens "$port"
/usr/bin/python3 mega.py "$port" 1 >/dev/null
cat >many.py <<'EOS'
import socket, sys
to = ("127.0.0.1", int(sys.argv[1]))
held = [socket.create_connection(to) for i in range(300)]
late = held[-1]
late.settimeout(0.5)
late.sendall(b"7\n")
try:
    late.recv(1)
    print("early")
except TimeoutError:
    print("waits")
[h.close() for h in held[:-1]]
late.settimeout(20)
got = late.makefile("rb").read()
print("right" if got == bytes([7]) * (1 << 20) else "wrong")
EOS
out=$(ulimit -n 1024 && /usr/bin/python3 many.py "$port" 2>&1)
want_out '^waits$'
want_out '^right$'
finish
want_line '256 connections to published ports are open: further ones wait'

t "what the run has sent before its end arrives"
begin -P "$port:8080" $PY last 127.0.0.1 8080
within 10 listens "$port"
cat >last.py <<'EOS'
import socket, sys, time
for i in range(100):
    try:
        c = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        time.sleep(0.3)
        n = len(c.makefile("rb").read())
    except OSError:
        n = 0
    if n:
        break
    time.sleep(0.1)
print(n)
EOS
out=$(/usr/bin/python3 last.py "$port")
want_out '^300000$'
finish

t "the run reaches no port of this machine through it"
free_port
host=$port
/usr/bin/python3 srv.py web 127.0.0.1 "$host" &
server=$!
within 10 answers "127.0.0.1:$host" || bad "the host's own server is not there"
free_port
begin -P "$port" bash -c "exec 3<>/dev/tcp/127.0.0.1/$host && echo reached; exec 3<>/dev/tcp/127.0.0.1/$port && echo reached; sleep 1"
wait "$pid"
out=$(<"$WORK/.out")
no_out reached
kill "$server"

t "polrun killed: nothing listens any more"
begin -P "$port" $PY web 127.0.0.1 "$port"
within 10 answers "127.0.0.1:$port" || bad "not reached"
kill -KILL "$pid"
wait "$pid" 2>/dev/null
within 5 is_free "$port" || bad "somebody still listens"

t "a server that nobody outside reaches is told once, with the option that publishes it"
begin $PY web 127.0.0.1 5173
sleep 5.5
finish
want_line "the command listens on port 5173, which nobody outside reaches: polrun -P 5173, or a policy's network \\{ publish tcp port 5173 }, publishes it on this machine's loopback"
begin -q $PY web 127.0.0.1 5173
sleep 5
finish
[ -z "$err" ] || bad "-q: said something"
begin -P "$port:5173" $PY web 127.0.0.1 5173
sleep 5
finish
[ -z "$err" ] || bad "-P: said something"
run timeout 1.5 $PY web 127.0.0.1 5173
[ -z "$err" ] || bad "a short one: said something"
begin $PY web 127.0.0.1 40000
sleep 5
finish
[ -z "$err" ] || bad "a port that the kernel would choose: said something"

t "in a limited network with the gateway, and with the whole network"
with_network() { raw_policy "${HEAD/network disabled/$1}"; }
with_network 'network limited { allow tcp "example.com" port 443 }'
free_port
begin -P "$port" $PY web 127.0.0.1 "$port"
within 10 answers "127.0.0.1:$port" || bad "not reached: $(get "127.0.0.1:$port")"
finish
with_network 'network full'
begin -P "$port" $PY web 127.0.0.1 "$port"
within 10 answers "127.0.0.1:$port" || bad "not reached: $(get "127.0.0.1:$port")"
finish
want_line "network full: the run has this machine's ports itself, and -P publishes nothing"

t "a port that a rule denies is not this machine's with the whole network either"
with_network "network full { deny publish tcp port $port }"
begin $PY web 127.0.0.1 "$port"
sleep 2
refuses "127.0.0.1:$port" || bad "reached"
finish
free_port
begin -P "$port:8080" $PY web 127.0.0.1 8080
within 10 answers "127.0.0.1:$port" || bad "another one is not published: $(get "127.0.0.1:$port")"
finish

t "a range of a rule: a port is published while the run listens there, and told once"
free_port
a=$port
next=$((next + 1)) # a port that is denied
free_port
b=$port
free_port
policy "network { publish tcp port $a-$((a + 1)), $b  deny publish tcp port $((a + 1)), $port }"
cat >turns.sh <<EOS
/usr/bin/python3 srv.py web ::1 $a & one=\$!
/usr/bin/python3 srv.py web 0.0.0.0 $((a + 1)) &
while [ ! -e stop ]; do sleep 0.1; done
kill \$one
while [ ! -e again ]; do sleep 0.1; done
/usr/bin/python3 srv.py web 127.0.0.1 $a &
wait
EOS
begin bash turns.sh
within 10 answers "127.0.0.1:$a" || bad "not reached: $(get "127.0.0.1:$a")"
answers "[::1]:$a" || bad "not reached by ::1"
refuses "127.0.0.1:$((a + 1))" || bad "a denied port is reached"
refuses "127.0.0.1:$b" || bad "a port is open at which nothing listens"
touch stop
within 10 refuses "127.0.0.1:$a" || bad "still open"
touch again
within 10 answers "127.0.0.1:$a" || bad "not reached again: $(get "127.0.0.1:$a")"
finish
want_line "http://127.0.0.1:$a leads to the run"
[ "$(wc -l <<<"$err")" -eq 1 ] || bad "more than one line"
refuses "127.0.0.1:$a" || bad "open after the run"

t "a port of a range that is in use is told, and published when it gets free"
/usr/bin/python3 srv.py half 127.0.0.1 "$b" &
server=$!
within 10 listens "$b"
begin $PY web 127.0.0.1 "$b"
within 10 grep -q 'is in use' "$WORK/.err"
kill "$server"
within 10 answers "127.0.0.1:$b" || bad "not reached: $(get "127.0.0.1:$b")"
finish
want_line "port $b of this machine is in use: polrun -P PORT:$b publishes the run's port $b at another"
want_line "http://127.0.0.1:$b leads to the run"

t "-P beside rules: a denied port is refused with its rule, any other is published"
rm -f ran
for words in "$port" "$((a + 1)):8080" "8080:$port"; do
	run -P "$words" touch ran
	want_rc 125
	want_line "denied by rule 'deny publish tcp port [0-9, ]*' at p\.pol:[0-9]+"
done
no_file ran
free_port
begin -P "$port:$b" $PY web 127.0.0.1 "$b"
within 10 answers "127.0.0.1:$port" || bad "not reached: $(get "127.0.0.1:$port")"
refuses "127.0.0.1:$b" || bad "published twice"
finish
[ -z "$err" ] || bad "said something"

t "--plan refuses it alike, and a server on a denied port is told why nobody reaches it"
run --plan -P "$((a + 1))" true
want_out "^refused   -P $((a + 1)):$((a + 1)): denied by rule 'deny publish tcp port [0-9, ]*' at p\.pol:[0-9]+$"
no_out "lead to port $((a + 1))"
begin $PY web 127.0.0.1 "$((a + 1))"
sleep 5.5
finish
want_line "the command listens on port $((a + 1)), which nobody outside reaches: to publish it is denied by rule 'deny publish tcp port [0-9, ]*' at p\.pol:[0-9]+"

t "a managed policy: its deny wins over the project's publish"
cat >"$WORK/m.pol" <<EOS
policy m { level managed }
network { deny publish tcp port $b }
EOS
(cd "$WORK" && "$BIN/polc" compile --managed m.pol --project p.pol -o q.polb) >/dev/null 2>&1 || bad "polc compile"
chmod 0600 "$WORK/q.polb"
run_with q -P "$b" touch ran
want_rc 125
want_line "denied by rule 'deny publish tcp port $b' at m\.pol:2"
no_file ran
cp "$WORK/q.polb" "$WORK/p.polb"
begin $PY web 127.0.0.1 "$b"
sleep 2.5
refuses "127.0.0.1:$b" || bad "reached"
finish

t "of more ports than can be published by rules one line tells"
policy 'network { publish tcp port 3000-3999 }'
cat >lots.py <<'EOS'
import socket, time
all = [socket.create_server(("127.0.0.1", 3500 + i)) for i in range(40)]
time.sleep(30)
EOS
begin /usr/bin/python3 lots.py
within 10 grep -q 'nor is any further one' "$WORK/.err"
sleep 2
finish
[ "$(grep -c 'is not published' <<<"$err")" -eq 1 ] || bad "said more than once: $err"

t "--plan shows it and binds nothing"
policy 'network { publish tcp port 3000-3999 }'
run --plan -P "$port:80" true
want_rc 0
want_out "^publish   127\.0\.0\.1:$port and \[::1\]:$port lead to port 80 of the run$"
want_out '^publish   127\.0\.0\.1 and \[::1\] lead to ports 3000 to 3999 of the run where it listens$'

done_
