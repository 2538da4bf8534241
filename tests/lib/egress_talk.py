"""A client that says exactly what a row says, for the tests of the egress gateway; runs inside.

Rows on the standard input; for each a line "ID VERDICT MS" on the standard output:
    ID tls HOST PORT [sni=NAME]… [split=N] [pause=MS] [records=N] [cut=N] [grease] [ech] [size=BYTES] [port=N]
        a ClientHello: split into segments of N bytes, with a pause between them, or into N records; cut: only
        its first N bytes, then nothing; size: padded to so many bytes
    ID raw HOST PORT TEXT       TEXT with \\r \\n \\xNN and \\s (a blank); \\| waits for an answer there, so that one
        connection says several things
VERDICT: "served FIRST-BYTES" (hexadecimal for tls; the last status line for raw), "refused ERRNO" or "eof", "timeout"
"""
import errno
import os
import re
import socket
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
    for name in names:
        exts += extension(0, listed(2, b"\0" + listed(2, name.encode())))
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


def unescaped(text):
    return re.sub(rb"\\(r|n|s|x..)", lambda m: {b"r": b"\r", b"n": b"\n", b"s": b" "}.get(m[1]) or bytes.fromhex(m[1][1:].decode()),
                  text.encode())


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


for line in sys.stdin:
    if not line.strip():
        continue
    name, what, *words = line.split()
    begun = time.monotonic()
    try:
        said = {"tls": say_hello, "raw": say_raw}[what](*words)
    except socket.gaierror:
        said = "refused NXDOMAIN"
    except TimeoutError:
        said = "timeout"
    except OSError as e:
        said = "refused " + errno.errorcode.get(e.errno or 0, str(e))
    print(name, said, int((time.monotonic() - begun) * 1000), flush=True)
