#!/usr/bin/env bash
# timing: waits for servers that a loaded machine starts late
# What a unix rule brings into a run: the socket that it names, and nothing beside it.
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
command -v python3 >/dev/null || { skip python3 "not installed"; done_; exit; }

# PATH…: servers that say what their clients are, one at each path.
cat >"$WORK/server.py" <<'EOS'
import os, socket, struct, sys, threading
def serve(path):
    s = socket.socket(socket.AF_UNIX)
    if os.path.basename(path) in ("absolute", "allowed"):
        s.bind(path) # as services do: /proc/net/unix names it
    else:
        bind_below(s, path)
    os.chmod(path, 0o600)
    s.listen()
    def loop():
        while True:
            c, _ = s.accept()
            c.sendall(b"reached " + os.path.basename(path).encode() + b"\n")
            c.close()
    threading.Thread(target=loop, daemon=True).start()
def bind_below(s, path):
    old = os.getcwd()
    os.chdir(os.path.dirname(path)); s.bind(os.path.basename(path)); os.chdir(old)
for path in sys.argv[1:]:
    serve(path)
print("ready", flush=True)
sys.stdin.read()
EOS
cat >"$P/client.py" <<'EOS'
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(5)
path = sys.argv[1]
if len(path) > 100: # longer than an address: through a descriptor of its directory
    path = "/proc/self/fd/%d/%s" % (os.open(os.path.dirname(path), os.O_PATH), os.path.basename(path))
s.connect(path)
print(s.recv(100).decode())
EOS
D=$WORK/services
long=$D/$(printf 'a-long-name-%.0s' {1..9})
mkdir -p "$D" "$long" "$WORK/home/agent"
ln -s services "$WORK/link"
edge=$(printf '%*s' $((107 - ${#D} - 1)) '' | tr ' ' e)
coproc SERVER { exec python3 "$WORK/server.py" "$D/one" "$D/two" "$D/swap" "$long/far" "$D/$edge" "$WORK/home/agent/"{home,absolute,allowed}; }
read -r _ <&"${SERVER[0]}"
server=$SERVER_PID

t "the control: without a sandbox every server is reached"
for s in "$D/one" "$D/two" "$long/far" "$D/$edge" "$WORK/home/agent/home"; do
	out=$(python3 client.py "$s" 2>&1)
	want_out "^reached ${s##*/}"
done

t "without a rule no socket is there"
policy ''
run python3 client.py "$D/one"
want_rc 1
no_out reached
want_err 'No such file|FileNotFound'

t "a rule brings in exactly the socket that it names"
policy 'unix { allow "'"$D"'/one" }'
run python3 client.py "$D/one"
want_rc 0
want_out '^reached one'
run python3 client.py "$D/two"
want_rc 1
no_out reached
run ls -A "$D"
[ "$out" = one ] || bad "beside the socket: $out"
run sh -c "touch '$D/x' || rm -f '$D/one' || mv '$D' '$D.x' || chmod 666 '$D/one'"
want_rc 1
[ -S "$D/one" ] && [ "$(stat -c %a "$D/one")" = 600 ] || bad "the socket of the host has changed"

t "the plan shows it, with its rule"
run --plan true
want_out "socket +$D/one +\(rule unix-[0-9a-f]{8} at .*p.pol:"

t "names below HOME, names of 107 bytes and longer ones, and a link of the host"
policy 'unix { allow "${HOME}/agent/home", "'"$long"'/far", "'"$D/$edge"'", "'"$WORK"'/link/two" }'
run python3 client.py "$HOME/agent/home"
want_out '^reached home'
run python3 client.py "$long/far"
want_out '^reached far'
run python3 client.py "$D/$edge"
want_out '^reached e'
run python3 client.py "$WORK/link/two"
want_out '^reached two'
run python3 client.py "$D/one"
want_rc 1
no_out reached

t "a relative name, and the run's own root by way of /proc"
run sh -c "cd '$D' && python3 '$P/client.py' two && python3 '$P/client.py' '/proc/self/root$D/two'"
want_rc 0
[ "$(grep -c '^reached two' <<<"$out")" -eq 2 ] || bad "not reached twice"

t "a connected descriptor can be passed to another process of the run"
run python3 -c '
import os, socket, sys
a, b = socket.socketpair()
if os.fork() == 0:
    s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
    socket.send_fds(a, [b"x"], [s.fileno()])
    os._exit(0)
_, fds, _, _ = socket.recv_fds(b, 1, 1)
print(socket.socket(fileno=fds[0]).recv(100).decode())' "$D/two"
want_rc 0
want_out '^reached two'

echo "$D/two" >name
t "datagrams: with an address in each message, and after connect"
policy 'unix { allow "'"$D"'/mail" }'
cat >"$P/mail.py" <<'EOS'
import socket, sys
for text, connect in (b"sent", False), (b"connected", True):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    if connect:
        s.connect(sys.argv[1]); s.send(text)
    else:
        s.sendto(text, sys.argv[1])
EOS
cat >"$WORK/mailbox.py" <<'EOS'
import os, socket, sys, time
boxes = []
for name in "mail", "other":
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    s.bind(name); os.chmod(name, 0o600); s.setblocking(False); boxes.append(s)
open("boxes", "w").close()
while not os.path.exists("read"):
    time.sleep(0.02)
for s in boxes:
    try:
        while True: print(s.getsockname(), s.recv(100).decode(), flush=True)
    except BlockingIOError: pass
EOS
(cd "$D" && exec python3 "$WORK/mailbox.py" >"$WORK/mailbox") &
box=$!
within 20 test -e "$D/boxes"
run python3 mail.py "$D/other"
want_rc 1
run python3 mail.py "$D/mail"
want_rc 0
echo >"$D/read"
wait "$box"
out=$(cat "$WORK/mailbox")
want_out '^mail sent$'
want_out '^mail connected$'
no_out other

t "a deny of the name wins, by whatever name; so does a hide of the file"
policy 'unix { allow "'"$D"'/one", "'"$D"'/two"  deny "'"$WORK"'/link/one" }
file { hide "'"$D"'/two" }'
run python3 client.py "$D/one"
want_rc 1
no_out reached
run sh -c 'python3 client.py "$(cat name)"' # named, the file would be asked about
want_rc 1
no_out reached

t "a file, a directory and a name that is absent are not brought in, and -v says so"
mkdir -p "$D/dir" && echo secret >"$D/file"
policy 'unix { allow "'"$D"'/file", "'"$D"'/dir", "'"$D"'/absent" }'
run sh -c "cat '$D/file'; ls '$D/dir'"
no_out secret
[ "$rc" -ne 0 ] || bad "the directory is there"
run --plan true
want_out 'there is no socket of that name: an allow gives nothing'

t "a wildcard brings nothing in, and check says so"
policy 'unix { allow "'"$D"'/o*" }'
run python3 client.py "$D/one"
want_rc 1
no_out reached
out=$("$BIN/polc" check "$WORK/p.pol" 2>&1)
want_out 'an allow with a wildcard brings no socket in'

t "where all of the host can be read, what lies in /run and /tmp comes in by its name only"
policy 'file { allow read "/" } unix { allow "'"$D"'/one" }'
run python3 client.py "$D/one"
want_rc 0
want_out '^reached one'
run python3 client.py "$D/two"
want_rc 1
no_out reached

t "a deny hides a socket in the project, and ends the run when the host takes the name away"
S=$P/services
mkdir -p "$S" && ln "$D/one" "$S/denied" && ln "$D/two" "$S/other"
policy 'unix { deny "${PROJECT_DIR}/services/denied" }'
run sh -c 'cd services && exec python3 ../client.py denied' # otherwise the name is asked about
want_rc 1
no_out reached
want_err 'Permission denied'
run sh -c 'cd services && exec python3 ../client.py other' # entry only: no rule names it
want_rc 0
want_out '^reached two'
run sh -c 'ln services/denied x; mv services/denied x; mv services x; rm -f services/denied
	ls -A; ls -A services'
[ "$(grep -c '^denied$' <<<"$out")" -eq 1 ] && ! grep -q '^x$' <<<"$out" || bad "the name can be moved: $out"
run --explain-denials sh -c 'cd services && exec python3 ../client.py denied'
want_line 'connect .*/services/denied: rule unix-'
run sh -c "echo >ready; sleep 20" &
waiter=$!
within 20 test -e ready
mv "$S/denied" "$S/gone"
wait "$waiter"
rc=$(cat "$WORK/.rc" 2>/dev/null || echo "$rc")
is_root || want_rc 123
rm -rf "$S" ready

t "where all of the host can be read, what listens there at the start is hidden"
policy 'file { allow read "/" } unix { allow "'"$HOME"'/agent/allowed" }'
run sh -c 'cd "$HOME/agent" && exec python3 "'"$P"'/client.py" absolute'
no_out reached
[ "$rc" -ne 0 ] || bad "it was reached"
run sh -c 'cd "$HOME/agent" && exec python3 "'"$P"'/client.py" allowed'
want_rc 0
want_out '^reached allowed'
run --plan true
want_out "hidden +$HOME/agent/absolute +\(rule unix-otherwise"
no_out 'hidden +.*/agent/allowed'

t "a name that becomes or another socket after the start stays what it was"
policy 'unix { allow "'"$D"'/swap" }'
run sh -c "echo started >'$P/started'; while [ ! -e '$P/swapped' ]; do sleep 0.02; done
	python3 client.py '$D/swap'" &
waiter=$!
within 20 test -e "$P/started"
mv "$D/swap" "$D/swap.old" && ln -s two "$D/swap" && echo 1 >"$P/swapped"
wait "$waiter"
out=$(tr -d '\0' <"$WORK/.out")
want_out '^reached swap'
no_out 'reached two'
kill "$server"
done_
