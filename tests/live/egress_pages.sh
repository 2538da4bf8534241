#!/usr/bin/env bash
# lab: web
# long: every fourth day, as root and as a user in turn
# What was looked at is what is sent.  A program can keep the pages of what it has sent in its hand
# (sendfile, splice, vmsplice) and change them while they wait in the gateway's socket.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"
cp "$(dirname "$0")/../lib/egress_talk.py" "$P/"
# the server says what it has got
net_policy '	allow tcp "echo.example" port 7 peek tls as tls
	allow tcp "echo.example" port 9000 peek http as http'
cat >"$P/pages.py" <<'EOS'
# HOST PORT: sends what names echo.example from pages that name evil.example some time later, in
# each way and after several times; a line for each way: how often which of the two came back.
import ctypes, io, mmap, os, socket, sys, threading, time
sys.stdin = io.StringIO()
import egress_talk
host, port = sys.argv[1], int(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)
class Piece(ctypes.Structure):
    _fields_ = [("p", ctypes.c_void_p), ("n", ctypes.c_size_t)]

def inner():  # a server of the run: looks, waits, and reads
    def serve(c):
        c.recv(4096, socket.MSG_PEEK); time.sleep(0.02); c.sendall(c.recv(4096)); c.close()
    s = socket.create_server(("127.0.0.1", port))
    threading.Thread(target=lambda: [serve(s.accept()[0]) for _ in iter(int, 1)], daemon=True).start()

def send(s, how, fd, page, n):
    if how == "send":
        return s.sendall(page[:n])
    if how == "sendfile":
        return os.sendfile(s.fileno(), fd, 0, n)
    r, w = os.pipe()
    if how == "splice":
        os.splice(fd, w, n, 0)
    else:
        v = Piece(ctypes.addressof(ctypes.c_char.from_buffer(page)), n)
        assert libc.vmsplice(w, ctypes.byref(v), 1, 0) == n, os.strerror(ctypes.get_errno())
    os.splice(r, s.fileno(), n)
    os.close(r); os.close(w)

if host == "127.0.0.1":
    inner()
for how in sys.argv[3:]:
    counts = {"echo": 0, "evil": 0, "no": 0}
    for delay in [0.1, 0.3, 0.5, 0.8, 1, 1.3, 1.6, 2, 2.5, 3, 4, 6, 10] * 2:
        data = egress_talk.in_records(egress_talk.client_hello(["echo.example"], {}), 1) if port == 7 else \
            b"GET / HTTP/1.1\r\nHost: echo.example\r\n\r\n"
        fd = os.open("page", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        os.ftruncate(fd, 4096)
        page = mmap.mmap(fd, 4096)
        page[:len(data)] = data
        at = data.index(b"echo")
        try:
            with socket.create_connection((host, port), 5) as s:
                send(s, how, fd, page, len(data))
                time.sleep(delay / 1000)
                page[at:at + 4] = b"evil"
                got = s.recv(65536)
        except OSError:
            got = b""
        os.close(fd)
        counts["evil" if b"evil.example" in got else "echo" if b"echo.example" in got else "no"] += 1
    print(how, port, *counts.values(), flush=True)
EOS

t "the control: a server that looks and then reads is given another name"
run python3 pages.py 127.0.0.1 9000 send sendfile splice vmsplice
want_out '^send 9000 26 0 0$'
for how in sendfile splice vmsplice; do
	want_out "^$how 9000 [0-9]+ [1-9][0-9]* 0$"
done

for port in 9000 7; do
	[ $port = 7 ] && what=TLS || what=HTTP
	t "$what: no way to send shows the server another name than the gateway has seen"
	run python3 pages.py echo.example $port send sendfile splice vmsplice
	want_out "^send $port 26 0 0$"
	for how in sendfile splice vmsplice; do
		want_out "^$how $port [1-9][0-9]* 0 [0-9]+$" # not all: the page may change before it is looked at
	done
done
done_
