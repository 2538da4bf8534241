#!/usr/bin/env bash
# lab: web
# long: every fourth day, as root and as a user in turn
# timing: waits for servers that a loaded machine starts late
# The run's own loopback is free; a service on the host's loopback is reached by the rule that names it,
# and by no other.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"
cat >"$WORK/server.py" <<'EOS'
import socket, sys, threading
def serve(a, port):
    s = socket.socket(socket.AF_INET6 if ":" in a else socket.AF_INET); s.bind((a, port)); s.listen()
    while True:
        c, _ = s.accept(); c.sendall(b"host %d at %s" % (port, a.encode())); c.close()
for a in "127.0.0.1", "::1":
    for port in 5432, 5433, 6379:
        threading.Thread(target=serve, args=(a, port), daemon=True).start()
sys.stdin.read()
EOS
coproc SERVER { exec python3 "$WORK/server.py"; }
server_pid=$SERVER_PID
for port in 5432 5433 6379; do
	within 10 opens 127.0.0.1 $port && within 10 opens ::1 $port || bad "no server at $port"
done
own='import socket, sys, threading
def serve(a, port):
    s = socket.socket(socket.AF_INET6 if ":" in a else socket.AF_INET); s.bind((a, port)); s.listen()
    c, _ = s.accept(); c.sendall(b"own"); c.close()
a, port = sys.argv[1], int(sys.argv[2])
t = threading.Thread(target=serve, args=(a, port), daemon=True); t.start()
import time
for i in range(100):
    try: c = socket.create_connection((a, port), 2); break
    except OSError: time.sleep(0.02)
print(c.recv(9).decode())'

t "the own loopback is free in every port, and the host's is another"
net_policy '	allow tcp "a.example" port 443 as site'
for at in 127.0.0.1 127.1.2.3 ::1; do
	run python3 -c "$own" $at 5432
	want_out '^own'
done
for at in 127.0.0.1 ::1; do
	outside "$D" tcp $at 5432 -
	want_out '^OK host 5432'
	refused_fast ECONNREFUSED tcp $at 5432 -
done
run sh -c 'getent hosts localhost; getent ahostsv4 localhost'
want_out '(127\.0\.0\.1|::1) +'

t "a rule that names localhost: that port, by name and by address"
net_policy '	allow tcp "localhost" port 5432 within 127.0.0.0/8 as db'
run "$D" tcp localhost 5432 -
want_out '^OK host 5432'
run "$D" tcp 127.0.0.1 5432 -
want_out '^OK host 5432'
# whatever loopback address is dialled, it is the host's localhost, and of that what `within` names
for at in 127.1.2.3 ::1 localhost; do
	run "$D" tcp $at 5432 -
	want_out '^OK host 5432 at 127.0.0.1 '
done
outside "$D" tcp ::1 5432 -
want_out '^OK host 5432 at ::1 '
run --explain-denials sh -c "$D tcp 127.0.0.1 6379 -; $D tcp localhost 5433 -"
no_out '^OK'
run python3 -c "$own" 127.0.0.1 6379
want_out '^own'
run python3 -c "$own" 127.0.0.1 5433
want_out '^own'

# On a port that no rule names the run's own loopback answers: nobody listens there, and nothing of the
# policy says no, so nothing is reported as blocked.
refused_fast ECONNREFUSED tcp localhost 5433 -
run --explain-denials "$D" tcp localhost 5433 -
no_err 'blocked'
run python3 -c "$own" localhost 5433
want_out '^own'

t "without within such a rule is an error, and the plan names the host's loopback"
printf '%snetwork {\n\tallow tcp "localhost" port 5432\n}\n' "$NET_HEAD" >"$WORK/bad.pol"
out=$(cd "$WORK" && "$BIN/polc" check bad.pol 2>&1)
rc=$?
[ "$rc" -ne 0 ] || bad "it is accepted"
want_out 'within'
run --plan true
out+=$err
want_out "port 5432: the host.s own \(rule db at p.pol:"

t "a deny without a host: localhost passes where both the name and the address are its exceptions"
net_policy '	allow tcp "localhost" port 5432, 5433 within 127.0.0.0/8 as db
	deny tcp port 5432 except "localhost", 127.0.0.1 as no5432
	deny tcp port 5433 except "localhost" as no5433'
run "$D" tcp localhost 5432 -
want_out '^OK host 5432'
refused_fast ECONNREFUSED tcp localhost 5433 -
refused_fast ECONNREFUSED tcp 127.0.0.1 5433 -

t "another name of the loopback does not lead there"
net_policy '	allow tcp "localhost" port 5432 within 127.0.0.0/8 as db
	allow tcp "loop.example" port 5432 as name'
run --explain-denials "$D" tcp loop.example 5432 -
no_out '^OK'
want_err 'which leads to 127.0.0.1'
outside "$D" tcp loop.example 5432 -
want_out '^OK host'

# shellcheck disable=SC1083,SC2093
exec {SERVER[1]}>&-
wait "$server_pid" 2>/dev/null
done_
