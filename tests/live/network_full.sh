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
packets = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); packets.bind("\0" + sys.argv[1] + "-packets"); packets.listen()
datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); datagrams.bind("\0" + sys.argv[1] + "-datagrams")
def serve(s):
    while True:
        c, _ = s.accept()
        try: c.sendall(b"reached\n")
        except OSError: pass # who came has gone
        c.close()
for s in (tcp, name):
    threading.Thread(target=serve, args=(s,), daemon=True).start()
print(tcp.getsockname()[1], flush=True)
sys.stdin.read()' "$abstract"; }
read -r port <&"${SERVER[0]}"
server=$SERVER_PID # bash forgets it when the server ends
# The wall where Landlock has no scope for abstract sockets: on an older
# kernel, or under something that knows no Landlock.  OUTER…
no_scope() {
	local full=$WORK/p.polb
	t "without Landlock's scope (${1##*/}): the host's network, and no way to its abstract sockets"
	out=$("$@" "$BIN/polrun" -v -b "$full" --report "$WORK/r.json" python3 client.py "$port" "$abstract" 2>"$WORK/.err")
	rc=$? err=$(cat "$WORK/.err")
	want_rc 0
	[ "$out" = $'reached\nEAFNOSUPPORT' ] || bad "$out"
	want_line 'network full: no unix socket can be made but connected pairs'
	grep -q "network: the host's; over: no unix socket" "$WORK/r.json" || bad "the report does not say it"
	"$@" "$BIN/polrun" -b "$full" --plan true 2>&1 | grep -q '^network .*no unix sockets but connected pairs' ||
		bad "the plan does not say it"
	t "the ways around it (${1##*/})"
	out=$("$@" "$BIN/polrun" -b "$full" python3 ways.py "$abstract" 2>"$WORK/.err")
	rc=$? err=$(cat "$WORK/.err")
	want_rc 0
	[ "$out" = "$(printf '%s\n' stream-pair packet-pair)" ] || bad "$out"
	no_err Traceback
	# the control: outside of it each way gets there
	out=$(python3 ways.py "$abstract")
	want_out '^datagram-pair-sends$'
	want_out '^datagram-pair-connects$'
	want_out '^socket-stream$'
	t "a unix socket on descriptor 0 (${1##*/}): connected or refused"
	out=$(python3 given.py "$full" "$@" 2>&1)
	want_out '^pair: 0 yes$'
	want_out '^unconnected: 125 $'
	want_out '^datagram: 125 $'
	want_out 'descriptor 0 is a unix socket without a connection'
}
cat >"$P/ways.py" <<'EOS'
import ctypes, socket, sys
name = "\0" + sys.argv[1]
def way(what, f):
    try: f(); print(what)
    except OSError: pass
def pair(kind):
    for how in (None, socket.SHUT_RD, socket.SHUT_WR, socket.SHUT_RDWR, "close"):
        a, b = socket.socketpair(socket.AF_UNIX, kind)
        a.sendall(b"x"); assert b.recv(1) == b"x"
        if how == "close": b.close()
        elif how is not None: a.shutdown(how)
        for s in (a, b):
            for to in (name, name + "-packets"):
                try: s.connect(to); print("connected", kind, how)
                except OSError: pass
                try: s.sendto(b"x", to); print("sent", kind, how) if kind != socket.SOCK_SEQPACKET else None
                except OSError: pass
def datagrams(kind, what):
    a, b = socket.socketpair(socket.AF_UNIX, kind)
    way(what + "-sends", lambda: a.sendto(b"x", name + "-datagrams"))
    way(what + "-connects", lambda: a.connect(name + "-datagrams"))
for kind, what in ((1, "socket-stream"), (5, "socket-packets"), (2, "socket-datagram"), (3, "socket-raw")):
    def f():
        s = socket.socket(socket.AF_UNIX, kind | socket.SOCK_NONBLOCK)
        s.connect(name + {1: "", 5: "-packets"}.get(kind, "-datagrams"))
    way(what, f)
way("stream-pair", lambda: pair(socket.SOCK_STREAM))
way("packet-pair", lambda: pair(socket.SOCK_SEQPACKET))
way("datagram-pair", lambda: datagrams(socket.SOCK_DGRAM, "datagram-pair"))
way("raw-pair", lambda: datagrams(socket.SOCK_RAW, "raw-pair"))
libc = ctypes.CDLL(None, use_errno=True)
fd = libc.syscall(425, 8, (ctypes.c_uint32 * 30)())
if fd >= 0: print("io_uring")
# a family of which only the lower half is AF_UNIX
if libc.syscall(41, ctypes.c_ulong(1 << 32 | 1), 1, 0) >= 0: print("upper half")
EOS
cat >"$P/given.py" <<'EOS'
import os, socket, subprocess, sys
def run(what, s):
    r = subprocess.run(sys.argv[2:] + [os.environ["BIN"] + "/polrun", "-b", sys.argv[1], "echo", "yes"],
                       stdin=s, capture_output=True, text=True)
    print(what + ":", r.returncode, r.stdout.strip())
    print(r.stderr)
a, b = socket.socketpair()
run("pair", a)
run("unconnected", socket.socket(socket.AF_UNIX))
run("datagram", socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0])
EOS
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
t "the control: outside both are reached"
out=$(python3 "$P/client.py" "$port" "$abstract" 2>&1)
[ "$out" = $'reached\nreached' ] || bad "$out"
if ! "$BIN/polrun" --doctor 2>/dev/null | grep -qE '^Landlock +ABI ([6-9]|[1-9][0-9])'; then
	no_scope env
else
	if [ -x "$PROBES/outer" ]; then
		no_scope "$PROBES/outer" no-landlock
	else
		skip outer "not built"
	fi
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
t "a rule that denies holds, and everything else is reached through the gateway"
here=$(ip -4 -o addr show scope global 2>/dev/null | awk '{ sub("/.*", "", $4); print $4; exit }')
if [ -z "$here" ]; then
	skip "a denied port" "the host has no address beside its loopback"
else
	cat >"$WORK/serve.py" <<'EOS'
import socket, sys, threading
servers = [socket.create_server((sys.argv[1], 0)) for _ in range(3)]
print(*(s.getsockname()[1] for s in servers), flush=True)
def serve(s):
    while True:
        c, _ = s.accept()
        c.sendall(b"hello")
        c.close()
for s in servers:
    threading.Thread(target=serve, args=(s,), daemon=True).start()
sys.stdin.read()
EOS
	coproc SERVE { exec python3 "$WORK/serve.py" "$here"; }
	read -r -t 20 one two three <&"${SERVE[0]}" || bad "no servers"
	raw_policy "${HEAD/network disabled/network full}network {
	allow tcp $here as host
	deny tcp port $one as no
	deny udp port 9 as nodata
}" denied
	run_with denied python3 -c '
import socket, sys
for port in sys.argv[2:]:
    try:
        print(socket.create_connection((sys.argv[1], int(port)), 10).recv(9).decode())
    except OSError as e:
        print(e.strerror)
try:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", (sys.argv[1], 99))
except OSError as e:
    print(e.strerror)' "$here" "$one" "$two" "$three"
	[ "$out" = "Connection refused
hello
hello
Operation not permitted" ] || bad "$out"
	eval "exec ${SERVE[1]}>&-"
	wait "$SERVE_PID" 2>/dev/null
fi

done_
