#!/usr/bin/env bash
# Sockets as descriptors 0 to 2: one of the caller's network would lead out of the run.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
if ! command -v python3 >/dev/null; then
	skip sockets "no python3"
	done_
	exit
fi
policy ''
raw_policy "${HEAD/network disabled/network full}" full

# outer.py KIND COMMAND… PORT: starts it with such a socket as standard input, and with the
# port of a server on the host.
cat >"$WORK/outer.py" <<'EOT'
import socket, subprocess, sys
server = socket.create_server(("127.0.0.1", 0))
kind, keep = sys.argv[1], None
if kind == "fresh": s = socket.socket()
elif kind == "six": s = socket.socket(socket.AF_INET6)
elif kind == "listening": s = socket.create_server(("127.0.0.1", 0))
elif kind == "datagrams": s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
elif kind == "netlink": s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
elif kind == "pair": s, keep = socket.socketpair()
else:
    door = socket.create_server(("127.0.0.1", 0))
    s = socket.create_connection(door.getsockname())
    keep, _ = door.accept()
    if kind == "accepted": s, keep = keep, s
sys.exit(subprocess.run(sys.argv[2:] + [str(server.getsockname()[1])], stdin=s).returncode)
EOT
# Gives up what descriptor 0 is connected to, and connects it to the host's server.
cat >"$P/again.py" <<'EOT'
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
to = b"\2\0" + int(sys.argv[1]).to_bytes(2, "big") + b"\x7f\0\0\1" + bytes(8)
libc.connect(0, bytes(16), 16)
print("reached" if libc.connect(0, to, 16) == 0 else os.strerror(ctypes.get_errno()))
EOT
given() { # KIND COMMAND…
	out=$(python3 "$WORK/outer.py" "$@" 2>"$WORK/.err")
	rc=$? err=$(<"$WORK/.err")
}

t "the control: without a sandbox, and in the host's own network, such a socket leads to the host's server"
for kind in fresh connected; do
	given "$kind" python3 again.py
	want_out '^reached$'
	given "$kind" "$BIN/polrun" -b "$WORK/full.polb" python3 again.py
	want_rc 0
	want_out '^reached$'
done

t "a socket of the caller's network is refused"
for kind in fresh six listening datagrams netlink connected accepted; do
	given "$kind" "$BIN/polrun" -b "$WORK/p.polb" python3 again.py
	want_rc 125
	want_line 'standard input is a socket of the caller'
done

t "a pair of unix sockets is passed on, and stays what it is"
given pair "$BIN/polrun" -b "$WORK/p.polb" python3 again.py
want_rc 0
want_out '^(Transport endpoint is already connected|Invalid argument)$'
done_
