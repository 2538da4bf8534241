#!/usr/bin/env bash
# timing: waits for processes that a loaded machine starts late
# The host's network: its loopback is reached, its abstract sockets are not, and
# no socket family is gained.
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
command -v python3 >/dev/null || { skip python3 "not installed"; done_; exit; }

abstract=pol-full-$$-$RANDOM
coproc SERVER { exec python3 -c '
import socket, sys, threading
tcp = socket.socket(); tcp.bind(("127.0.0.1", 0)); tcp.listen()
name = socket.socket(socket.AF_UNIX); name.bind("\0" + sys.argv[1]); name.listen()
def serve(s):
    while True:
        c, _ = s.accept(); c.sendall(b"reached\n"); c.close()
for s in (tcp, name):
    threading.Thread(target=serve, args=(s,), daemon=True).start()
print(tcp.getsockname()[1], flush=True)
sys.stdin.read()' "$abstract"; }
read -r port <&"${SERVER[0]}"
server=$SERVER_PID # bash forgets it when the server ends
cat >"$P/client.py" <<'EOS'
import errno, socket, sys
def ask(family, to):
    try:
        s = socket.socket(family); s.settimeout(5); s.connect(to); print(s.recv(9).decode().strip())
    except OSError as e:
        print(errno.errorcode.get(e.errno, e))
ask(socket.AF_INET, ("127.0.0.1", int(sys.argv[1])))
ask(socket.AF_UNIX, "\0" + sys.argv[2])
EOS
raw_policy "${HEAD/network disabled/network full}file { allow read, exec \"$PROBES\" }"
run true
if [ "$rc" -eq 125 ] && ! "$BIN/polrun" --doctor 2>/dev/null | grep -qE '^Landlock +ABI ([6-9]|[1-9][0-9])'; then
	t "a kernel without Landlock's scope refuses the run"
	want_err 'landlock-scope: network full needs'
	want_err 'would not hold'
else
	t "the control: outside both are reached"
	out=$(python3 "$P/client.py" "$port" "$abstract" 2>&1)
	[ "$out" = $'reached\nreached' ] || bad "$out"

	t "the host's network, and not its abstract sockets"
	run python3 client.py "$port" "$abstract"
	want_rc 0
	[ "$out" = $'reached\nEPERM' ] || bad "$out"
	run readlink /proc/self/ns/net
	[ "$out" = "$(readlink /proc/self/ns/net)" ] || bad "another namespace"

	t "abstract sockets of the run's own work"
	run python3 -c '
import socket
s = socket.socket(socket.AF_UNIX); s.bind("\0own-full"); s.listen()
socket.socket(socket.AF_UNIX).connect("\0own-full"); print("own")'
	want_out '^own$'

	t "no socket family is gained, and no setting of the host is changed"
	before=$(cat /proc/sys/net/ipv4/tcp_fastopen)
	run python3 -c '
import errno, socket
for family, kind, proto in ((17, 3, 0), (40, 1, 0), (38, 5, 0), (16, 3, 4), (2, 3, 1)):
    try: socket.socket(family, kind, proto); print("OK", family)
    except OSError as e: print(errno.errorcode[e.errno])
print("route", socket.socket(16, 3, 0) is not None)'
	no_out '^OK'
	want_out '^route True$'
	[ "$(cat /proc/sys/net/ipv4/tcp_fastopen)" = "$before" ] || bad "tcp_fastopen has changed"

	t "a connection to the host's loopback is no denial"
	run --explain-denials python3 client.py "$port" none
	no_err 'connect tcp'
fi

# shellcheck disable=SC1083,SC2093
exec {SERVER[1]}>&-
wait "$server" 2>/dev/null
done_
