#!/usr/bin/env bash
# timing: waits for processes that a loaded machine starts late
# The network is off: no address of the host is reached, the own loopback is.
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
command -v python3 >/dev/null || { skip python3 "not installed"; done_; exit; }

# An address of this machine that is no loopback, and a server on it.
cat >"$WORK/server.py" <<'EOS'
import os, socket, sys, threading
tcp = socket.socket(); tcp.bind(("0.0.0.0", 0)); tcp.listen()
sock = socket.socket(socket.AF_UNIX); sock.bind(sys.argv[1]); sock.listen()
abstract = socket.socket(socket.AF_UNIX); abstract.bind("\0" + sys.argv[2]); abstract.listen()
def serve(s):
    while True:
        c, _ = s.accept(); c.sendall(b"reached\n"); c.close()
for s in (tcp, sock, abstract):
    threading.Thread(target=serve, args=(s,), daemon=True).start()
print(tcp.getsockname()[1], flush=True)
sys.stdin.read()
EOS
cat >"$P/client.py" <<'EOS'
import socket, sys
s = socket.socket(socket.AF_UNIX if sys.argv[1] == "unix" else socket.AF_INET,
                  socket.SOCK_DGRAM if sys.argv[1] == "udp" else socket.SOCK_STREAM)
s.settimeout(2)
if sys.argv[1] == "unix":
    s.connect(sys.argv[2].replace("@", "\0"))
else:
    s.connect((sys.argv[2], int(sys.argv[3])))
print(s.recv(100).decode() if sys.argv[1] != "udp" else "sent" if s.send(b"x") else "")
EOS
mkdir -p "$WORK/run"
abstract=pol-live-$$-$RANDOM
coproc SERVER { exec python3 "$WORK/server.py" "$WORK/run/sock" "$abstract"; }
read -r port <&"${SERVER[0]}"
server=$SERVER_PID # bash forgets it when the server ends
addr=$(awk '/\/32 host LOCAL/ && a !~ /^127\./ { print a; exit } { a = $2 }' /proc/net/fib_trie)
policy ''

t "the control: without a sandbox everything is reached"
out=$(python3 "$P/client.py" tcp 127.0.0.1 "$port" 2>&1)
want_out '^reached'
out=$(python3 "$P/client.py" unix "$WORK/run/sock" 2>&1)
want_out '^reached'
out=$(python3 "$P/client.py" unix "@$abstract" 2>&1)
want_out '^reached'

t "inside, the host's loopback is not the run's"
run python3 client.py tcp 127.0.0.1 "$port"
want_rc 1
no_out reached

t "the own loopback works"
run python3 -c '
import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
c = socket.socket(); c.connect(s.getsockname()); print("own loopback")'
want_rc 0
want_out '^own loopback'

t "an address of the host is not reached, and the rule is named"
run python3 client.py tcp "${addr:-192.0.2.1}" "$port"
want_rc 1
no_out reached
run --explain-denials python3 client.py tcp "${addr:-192.0.2.1}" "$port"
want_line "connect tcp ${addr:-192.0.2.1}:$port: rule network-mode"
run --explain-denials python3 client.py udp 192.0.2.7 53
want_rc 1
want_line 'connect udp 192.0.2.7:53: rule network-mode'

t "the interfaces are the own namespace's"
run sh -c 'cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d " "'
want_rc 0
[ "$out" = lo ] || bad "interfaces: $out"

t "a socket file outside of the trees is not there, and is named"
run python3 client.py unix "$WORK/run/sock"
want_rc 1
no_out reached
run --explain-denials python3 client.py unix "$WORK/run/sock"
want_line "connect $WORK/run/sock: rule unix-otherwise"

t "the host's abstract sockets are not reached"
run python3 client.py unix "@$abstract"
want_rc 1
no_out reached

t "sockets of the run's own work and are no denial"
run --explain-denials python3 -c '
import socket
s = socket.socket(socket.AF_UNIX); s.bind("/tmp/own"); s.listen()
c = socket.socket(socket.AF_UNIX); c.connect("/tmp/own"); print("own socket")'
want_rc 0
want_out '^own socket'
no_err blocked

# shellcheck disable=SC1083,SC2093
exec {SERVER[1]}>&-
wait "$server" 2>/dev/null
done_
