#!/usr/bin/env bash
# timing: waits for a server that a loaded machine starts late
# What a service behind an allowed socket can pass to a run as descriptors (SCM_RIGHTS), and what a
# run can pass to it: doc/unix-sockets.md says that the first may be used, and that the second stays
# in the run's network.
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
command -v python3 >/dev/null || { skip python3 "not installed"; done_; exit; }
D=$WORK/services
mkdir -p "$D" "$WORK/data"
echo 'text of the host' >"$WORK/data/file"

# Passes what it is asked for; connects with what it is given to a server of the host.
cat >"$WORK/server.py" <<'EOS'
import os, socket, sys, threading
place, data = sys.argv[1:]
hello = socket.create_server(("127.0.0.1", 0))
port = hello.getsockname()[1]
def greet():
    while True:
        c, _ = hello.accept()
        c.sendall(b"hello of the host")
        c.close()
def serve(c):
    while True:
        word, fds, _, _ = socket.recv_fds(c, 20, 1)
        if not word:
            return
        if fds:
            try:
                s = socket.socket(fileno=fds[0])
                s.settimeout(5)
                s.connect(("127.0.0.1", port))
                c.sendall(s.recv(99))
            except OSError as e:
                c.sendall(type(e).__name__.encode())
            continue
        fd = (os.open(data + "/file", os.O_RDONLY) if word == b"file" else
              os.open(data, os.O_RDONLY | os.O_DIRECTORY) if word == b"directory" else
              socket.create_connection(("127.0.0.1", port)).detach() if word == b"connected" else
              socket.socket().detach())
        socket.send_fds(c, [str(port).encode()], [fd])
        os.close(fd)
threading.Thread(target=greet, daemon=True).start()
u = socket.socket(socket.AF_UNIX)
u.bind(place)
os.chmod(place, 0o666)
u.listen()
print("ready", flush=True)
while True:
    c, _ = u.accept()
    threading.Thread(target=serve, args=(c,), daemon=True).start()
EOS
cat >"$P/client.py" <<'EOS'
import os, socket, sys
c = socket.socket(socket.AF_UNIX)
c.connect(sys.argv[1])
def take(word):
    c.sendall(word)
    port, fds, _, _ = socket.recv_fds(c, 20, 1)
    return ("127.0.0.1", int(port)), fds[0]
def say(word, what):
    try: print(word, what(), flush=True)
    except OSError as e: print(word, type(e).__name__, flush=True)
def connected():
    _, fd = take(b"connected")
    return socket.socket(fileno=fd).recv(99).decode()
def free(own=None):
    to, fd = take(b"free")
    s = own or socket.socket(fileno=fd)
    s.settimeout(5)
    s.connect(to)
    return s.recv(99).decode()
def file():
    return os.read(take(b"file")[1], 99).decode().strip()
def below():
    fd = os.open("file", os.O_RDONLY, dir_fd=take(b"directory")[1])
    return os.read(fd, 99).decode().strip()
def passed_out():
    s = socket.socket()
    socket.send_fds(c, [b"x"], [s.fileno()])
    return c.recv(99).decode()
say("connected", connected); say("free", free); say("file", file); say("below", below)
say("own", lambda: free(socket.socket())); say("out", passed_out)
EOS
coproc SERVER { exec python3 "$WORK/server.py" "$D/s" "$WORK/data"; }
read -r _ <&"${SERVER[0]}"
server=$SERVER_PID

t "the control: without a sandbox each of them is of use"
out=$(python3 client.py "$D/s" 2>&1)
for word in connected free own out; do want_out "^$word hello of the host\$"; done
for word in file below; do want_out "^$word text of the host\$"; done

t "without a rule nothing is passed"
policy ''
run python3 client.py "$D/s"
want_rc 1
no_out 'of the host'

for mode in disabled limited; do
	t "network $mode: what is passed in can be used, but no file below a directory; what is passed out stays in the run's network"
	old=$HEAD
	[ "$mode" = disabled ] || HEAD=${HEAD/network disabled/network limited { allow tcp \"a.example\" port 443 \}}
	policy 'unix { allow "'"$D"'/s" }'
	HEAD=$old
	run python3 client.py "$D/s"
	want_rc 0
	for word in connected free; do want_out "^$word hello of the host\$"; done
	want_out '^file text of the host$'
	want_out '^below (PermissionError|FileNotFoundError)$'
	for word in own out; do want_out "^$word ConnectionRefusedError\$"; done
done
kill "$server"
done_
