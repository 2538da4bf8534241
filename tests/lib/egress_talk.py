"""A client that says exactly what a row says, for the tests of the egress gateway; runs inside.

Rows on the standard input; for each a line "ID VERDICT MS" on the standard output:
    ID tls HOST PORT [sni=NAME]… [split=N] [pause=MS] [records=N] [cut=N] [grease] [ech] [size=BYTES] [port=N] [list]
        a ClientHello (list: all names in one extension): split into segments of N bytes, with a pause between them, or into N records; cut: only
        its first N bytes, then nothing; size: padded to so many bytes
    ID hrr HOST PORT FIRST SECOND   a ClientHello for FIRST without a key, and one for SECOND when the server asks for it
    ID raw HOST PORT TEXT       TEXT with \\r \\n \\xNN \\s (a blank) and \\zN; (N letters); \\| waits for an answer there, so that one
        connection says several things
    ID ws HOST PORT [tls] TEXT…     a WebSocket to /socket; each text is sent when the echo of the one before has come
VERDICT: "served FIRST-BYTES" (hexadecimal for tls; the last status line for raw), "refused ERRNO" or "eof", "timeout"
"""
import base64
import errno
import hashlib
import os
import re
import socket
import ssl
import struct
import sys
import time

PATIENCE = 5


def extension(kind, data):
    return struct.pack(">HH", kind, len(data)) + data


def client_hello(names, options):
    """As OpenSSL would say it, with what the options add."""
    def listed(size, data):
        return len(data).to_bytes(size, "big") + data
    exts = b""
    if "grease" in options:
        exts += extension(0x1A1A, b"")
    entries = [b"\0" + listed(2, name.encode()) for name in names]
    for entry in [b"".join(entries)] if "list" in options else entries:
        exts += extension(0, listed(2, entry))
    exts += extension(10, listed(2, struct.pack(">HH", 29, 23)))
    exts += extension(13, listed(2, struct.pack(">HHHH", 0x0403, 0x0804, 0x0401, 0x0807)))
    exts += extension(11, b"\1\0") + extension(43, listed(1, struct.pack(">HH", 0x0304, 0x0303)))
    exts += extension(51, listed(2, struct.pack(">H", 29) + listed(2, os.urandom(32))))
    if "ech" in options:
        exts += extension(0xFE0D, b"\0" + struct.pack(">HHB", 1, 1, 7) + listed(2, os.urandom(32)) + listed(2, os.urandom(144)))
    body = struct.pack(">H", 0x0303) + os.urandom(32) + listed(1, os.urandom(32))
    suites = struct.pack(">HHHH", 0x1301, 0x1302, 0xC02B, 0xC02F)
    if "grease" in options:
        suites = b"\x2a\x2a" + suites
    body += listed(2, suites) + listed(1, b"\0")
    missing = int(options.get("size", 0)) - len(body) - len(exts) - 10
    if missing > 0:
        exts += extension(21, b"\0" * missing)
    body += listed(2, exts)
    return b"\1" + listed(3, body)


def in_records(handshake, count):
    size = max(1, min(16384, -(-len(handshake) // count)))
    parts = [handshake[i:i + size] for i in range(0, len(handshake), size)]
    return b"".join(b"\x16\x03\x01" + struct.pack(">H", len(p)) + p for p in parts)


def dial(host, port):
    s = socket.create_connection((host, int(port)), PATIENCE)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s


def say_hello(host, port, *words):
    options = dict(w.partition("=")[::2] for w in words)
    names = [w[4:] for w in words if w.startswith("sni=")]
    data = in_records(client_hello(names, options), int(options.get("records", 1)))
    data = data[:int(options.get("cut", len(data)))]
    step = int(options.get("split", len(data)))
    with dial(host, port) as s:
        for i in range(0, len(data), step):
            s.sendall(data[i:i + step])
            time.sleep(int(options.get("pause", 0)) / 1000)
        if "end" in options:
            s.shutdown(socket.SHUT_WR)
        got = s.recv(5)
    return "served " + got.hex() if got else "eof"


# A point of P-256, as a key that nobody has.
POINT = bytes.fromhex("046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
                      "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
RETRY = "cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c"


def record(s):
    head = s.recv(5, socket.MSG_WAITALL)
    return (head[0], s.recv(struct.unpack(">H", head[3:])[0], socket.MSG_WAITALL)) if len(head) == 5 else (0, b"")


def say_twice(host, port, first, second):
    def listed(size, data):
        return len(data).to_bytes(size, "big") + data
    random, session = os.urandom(32), os.urandom(32)

    def hello(name, share):
        exts = extension(0, listed(2, b"\0" + listed(2, name.encode()))) + extension(10, listed(2, b"\0\x17")) + \
            extension(13, listed(2, struct.pack(">HHH", 0x0403, 0x0804, 0x0503))) + extension(43, listed(1, b"\3\4")) + \
            extension(51, listed(2, share))
        body = b"\3\3" + random + listed(1, session) + listed(2, struct.pack(">HH", 0x1301, 0x1302)) + b"\1\0" + listed(2, exts)
        return in_records(b"\1" + listed(3, body), 1)
    with dial(host, port) as s:
        s.sendall(hello(first, b""))
        kind, data = record(s)
        if kind != 22 or data[6:38].hex() != RETRY:
            return "eof" if not kind else f"served no retry but {kind}"
        s.sendall(b"\x14\3\3\0\1\1" + hello(second, b"\0\x17" + listed(2, POINT)))
        kind = 20
        while kind == 20:
            kind, data = record(s)
        return "eof" if not kind else f"served {kind} {data[:2].hex()}"


def unescaped(text):
    def one(m):
        if m[1][:1] == b"z":
            return b"z" * int(m[1][1:-1])
        return {b"r": b"\r", b"n": b"\n", b"s": b" "}.get(m[1]) or bytes.fromhex(m[1][1:].decode())
    return re.sub(rb"\\(r|n|s|x..|z\d+;)", one, text.encode())


def say_raw(host, port, text):
    got = b""
    with dial(host, port) as s:
        for part in text.split("\\|"):
            s.sendall(unescaped(part))
            now = s.recv(65536)
            if not now:
                return "eof"
            got = now
    return "served " + got.split(b"\r\n")[0].decode("latin-1")


def exactly(s, n):
    data = b""
    while len(data) < n:
        more = s.recv(n - len(data))
        if not more:
            raise ConnectionResetError(errno.ECONNRESET, "eof")
        data += more
    return data


def say_ws(host, port, *texts):
    """As a client of RFC 6455; an answer that is no 101 is the verdict."""
    key = base64.b64encode(os.urandom(16))
    with dial(host, port) as s:
        if texts[0] == "tls":
            s, texts = ssl.create_default_context().wrap_socket(s, server_hostname=host), texts[1:]
        s.sendall(b"GET /socket HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                  b"Sec-WebSocket-Key: %s\r\n\r\n" % (host.encode(), key))
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += exactly(s, 1)
        status = head.split(b"\r\n")[0]
        if not status.startswith(b"HTTP/1.1 101 "):
            return "served " + status.decode("latin-1")
        assert base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()) in head
        got = []
        for text in texts:
            mask = os.urandom(4)
            s.sendall(bytes([0x81, 0x80 | len(text)]) + mask + bytes(c ^ mask[i % 4] for i, c in enumerate(text.encode())))
            kind, size = exactly(s, 2)
            assert kind == 0x81
            got.append(exactly(s, size).decode())
        return "served echo " + ",".join(got)


for line in sys.stdin:
    if not line.strip():
        continue
    name, what, *words = line.split()
    begun = time.monotonic()
    try:
        said = {"tls": say_hello, "hrr": say_twice, "raw": say_raw, "ws": say_ws}[what](*words)
    except socket.gaierror:
        said = "refused NXDOMAIN"
    except TimeoutError:
        said = "timeout"
    except OSError as e:
        said = "refused " + errno.errorcode.get(e.errno or 0, str(e))
    print(name, said, int((time.monotonic() - begun) * 1000), flush=True)
