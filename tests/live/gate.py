"""What a hostile or clumsy program does with the gateway: one function a row of tests/live/gate.sh,
run inside of gate_host (tests/live/probes/gate_host.c).  Prints what it saw; the row compares.

    gate.py ROW [ARGUMENT...]
"""
import os
import random
import select
import socket
import struct
import subprocess
import sys
import threading
import time


def dial(name, port, timeout=10):
    family = socket.AF_INET6 if ":" in name else socket.AF_INET
    s = socket.socket(family, socket.SOCK_STREAM)
    s.settimeout(timeout)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    s.connect((name if name[0].isdigit() else socket.gethostbyname(name), port))
    return s


def rest(s):
    data = b""
    while more := s.recv(65536):
        data += more
    return data


def outcome(call):
    """What a socket call ends with: its bytes, or the name of the error."""
    try:
        return call()
    except ConnectionResetError:
        return "reset"
    except ConnectionRefusedError:
        return "refused"
    except TimeoutError:
        return "time-out"
    except OSError as e:
        return e.__class__.__name__


def first(s, n=65536):
    return outcome(lambda: s.recv(n))


def echo(port="7", size="3000000"):
    """All bytes come back while both directions are busy, also to a slow reader."""
    s, n = dial("a.example", int(port)), int(size)
    out = random.Random(1).randbytes(n)
    threading.Thread(target=lambda: outcome(lambda: (s.sendall(out), s.shutdown(socket.SHUT_WR))), daemon=True).start()
    back = b""
    while isinstance(more := first(s, 20000), bytes) and more:
        back += more
        if len(back) % 7 == 0:
            time.sleep(0.002)
    print("same" if back == out else f"{len(back)} of {n}")


def half():
    """The server closes its half first, and still gets what the command sends afterwards."""
    s = dial("a.example", 9004)
    assert rest(s) == b"bye\n"
    s.sendall(b"x" * 100000)
    s.close()
    print("bye")


def server_reset():
    s = dial("a.example", 9003)
    s.sendall(b"hello")
    print(first(s))


def client_reset():
    """A reset by the command reaches the server; then all is as before."""
    for port in 7, 9001, 9002:
        s = dial("a.example", port)
        s.sendall(b"x" * 1000)
        time.sleep(0.05)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        s.close()
    s = dial("a.example", 7)
    s.sendall(b"still here")
    print(s.recv(100).decode())


def stuck(count="600"):
    """Readers that never read hold up nobody else (more than there are pipes)."""
    held = []
    address = socket.gethostbyname("a.example")
    for _ in range(int(count)):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.connect((address, 9001))
        held.append(s)
    until = time.monotonic() + 50
    while time.monotonic() < until:  # until all buffers are full the server itself is slow
        began = time.monotonic()
        try:
            s = dial("a.example", 7)
            s.sendall(b"through")
            got = s.recv(100)
        except OSError:
            continue
        if time.monotonic() - began < 0.5:
            print(got.decode(), "fast")
            return
    print("slow")


def hello(name):
    import ssl
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    connection = context.wrap_bio(incoming, outgoing, server_hostname=name)
    try:
        connection.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def tls(name, pieces, urgent="no"):
    """A hello in pieces of so many bytes; what comes back begins with a record of the server."""
    s, data, n = dial("a.example", 443), hello(None if name == "none" else name), int(pieces)
    try:
        for i in range(0, len(data), n):
            s.sendall(data[i:i + n])
            if n < 10:
                time.sleep(0.0005)
    except OSError:
        pass
    got = first(s, 3)
    print("hello" if got[:1] == b"\x16" else got)


def tls_records():
    """One hello in two records, cut within the name."""
    data = hello("a.example")
    body = data[5:]
    cut = body.index(b"a.example") + 3
    s = dial("a.example", 443)
    for part in body[:cut], body[cut:]:
        s.sendall(data[:3] + struct.pack(">H", len(part)) + part)
        time.sleep(0.05)
    print("hello" if first(s, 1) == b"\x16" else "no")


def urgent():
    """An urgent byte in the middle of the host name must not hide it from the look at it."""
    s = dial("a.example", 80)
    s.sendall(b"GET / HTTP/1.1\r\nHost: ")
    s.send(b"b", socket.MSG_OOB)
    s.sendall(b"a.example\r\n\r\n")
    print(first(s))


def urgent_is_passed():
    s = dial("a.example", 7)
    s.send(b"one", socket.MSG_OOB)
    s.sendall(b"two")
    s.shutdown(socket.SHUT_WR)
    print(rest(s).decode())


def http(*requests):
    """Requests of one connection; "HOST" or "HOST/close"; the hosts that the server answered for."""
    s, seen = dial("a.example", 80), []
    for r in requests:
        s.sendall(f"GET / HTTP/1.1\r\nHost: {r}\r\n\r\n".encode())
        data = outcome(lambda: s.recv(65536))
        if not isinstance(data, bytes) or not data:
            seen.append(data or "end")
            break
        while b"lab sni" not in data:
            data += s.recv(65536)
        seen.append(data.split(b"host=")[1].split()[0].decode())
    print(*seen)


def host_loopback(host):
    """Plain HTTP to the host's loopback by its address: no name is asked for."""
    def go():
        s = dial("127.0.0.1", 8080)
        s.sendall(f"GET / HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
        return s.recv(12)
    got = outcome(go)
    print(got.decode() if isinstance(got, bytes) else got)


def pipelined(one, two):
    s = dial("a.example", 80)
    s.sendall("".join(f"GET / HTTP/1.1\r\nHost: {h}\r\n\r\n" for h in (one, two)).encode())
    s.settimeout(5)
    data = b""
    while data.count(b"lab sni") < 2 and isinstance(more := first(s), bytes) and more:
        data += more
    print(data.count(b"lab sni"))


def slow(port, text, wait):
    """Sends a byte now and then: the gateway does not wait longer than it says."""
    s, began = dial("a.example", int(port)), time.monotonic()
    try:
        for c in text.encode().decode("unicode_escape").encode("latin1"):
            s.sendall(bytes([c]))
            time.sleep(float(wait))
    except OSError:
        pass
    print(first(s), int(time.monotonic() - began))


def many(count, port="7"):
    """So many connections are open at once, and each works."""
    import resource
    n = int(count)
    resource.setrlimit(resource.RLIMIT_NOFILE, (n + 100, n + 100))
    address = socket.gethostbyname("a.example")
    held = []
    for i in range(n):
        s = socket.socket()
        s.settimeout(20)
        outcome(lambda s=s: s.connect((address, int(port))))
        held.append(s)
    good = 0
    for i, s in enumerate(held):
        outcome(lambda s=s, i=i: s.sendall(b"%d" % i))
    for i, s in enumerate(held):
        good += first(s, 100) == b"%d" % i
    print(good, "work")
    sys.stdout.flush()
    if os.environ.get("GATE_HOLD"):
        time.sleep(float(os.environ["GATE_HOLD"]))


def ask(count, name="ask.example", port="7", ready=None):
    """So many connections to what is asked about; how many were let through.  When all are made there is the file ready."""
    address, ok, made, lock = socket.gethostbyname(name), [0], [0], threading.Lock()

    def one():
        try:
            s = socket.create_connection((address, int(port)), 40)
            s.sendall(b"x")
            with lock:
                made[0] += 1
                if ready and made[0] == int(count):
                    open(ready, "w").close()
            if s.recv(1) == b"x":
                with lock:
                    ok[0] += 1
        except OSError:
            pass
    threads = [threading.Thread(target=one) for _ in range(int(count))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print(ok[0])


def refusals(count):
    """So many refused connections, as fast as it goes."""
    seen = {}
    for _ in range(int(count)):
        s = socket.socket()
        s.settimeout(5)
        r = outcome(lambda: s.connect(("198.51.100.77", 7)) or s.recv(1))
        seen[r] = seen.get(r, 0) + 1
        s.close()
    print(seen)


def query(name, kind=1, edns=False, ident=7):
    q = struct.pack(">HHHHHH", ident, 0x100, 1, 0, 0, 1 if edns else 0)
    for label in name.split("."):
        q += bytes([len(label)]) + label.encode()
    q += b"\0" + struct.pack(">HH", kind, 1)
    return q + (b"\0\0\x29\x04\xd0\0\0\0\0\0\0" if edns else b"")


def dns_udp(q, server="9.9.9.9"):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(3)
    s.sendto(q, (server, 53))
    return s.recv(4096)


def dns(name, kind="1"):
    for edns in False, True:
        r = dns_udp(query(name, int(kind), edns))
        print(r[3] & 15, struct.unpack(">H", r[6:8])[0], end=" ")
    s = socket.create_connection(("127.0.0.1", 53), 3)
    q = query(name, int(kind))
    for b in struct.pack(">H", len(q)) + q:  # a byte at a time
        s.sendall(bytes([b]))
    r = s.recv(4096)[2:]
    print(r[3] & 15, struct.unpack(">H", r[6:8])[0])


def dns_flood(count):
    """Labels below a wildcard, garbage, and half queries over TCP; then another name still answers."""
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.connect(("127.0.0.1", 53))
    s.settimeout(0)
    rand = random.Random(2)
    for i in range(int(count)):
        try:
            s.send(query(f"l{i}.wild.example"))
            if i % 10 == 0:
                s.send(rand.randbytes(rand.randrange(1, 300)))
        except OSError:
            pass
        if i % 16 == 15:
            # as fast as it answers
            select.select([s], [], [], 0.05)
            try:
                while True:
                    s.recv(4096)
            except OSError:
                pass
    held = [socket.create_connection(("127.0.0.1", 53), 5) for _ in range(100)]
    for h in held:
        try:
            h.sendall(b"\1\0abc")
        except OSError:
            pass
    r = dns_udp(query("a.example"))
    print(r[3] & 15, struct.unpack(">H", r[6:8])[0])


def connect(host, port):
    """Where a connection ends, and how soon."""
    began = time.monotonic()
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    s = socket.socket(family)
    s.settimeout(20)

    def go():
        s.connect((host if host[0].isdigit() or ":" in host else socket.gethostbyname(host), int(port)))
        s.sendall(b"hello")
        return s.recv(100)
    r = outcome(go)
    print(r if isinstance(r, str) else r.decode(), "fast" if time.monotonic() - began < 1 else "slow")


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
