"""Clumsy and hostile ends of connections, for tests/live/egress_bad.sh.

    egress_bad.py serve LOG READY   outside: servers on 127.0.0.1 that break off in every state
    egress_bad.py ROW [ARGUMENT...] inside: a client; prints what it saw
"""
import os
import random
import selectors
import socket
import ssl
import struct
import sys
import threading
import time

HOST = "nasty.example"


def reset(s):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()


# --- servers -----------------------------------------------------------------------------------

def reset_at_once(s):
    reset(s)


def reset_after_bytes(s):
    s.recv(1000)
    reset(s)


def half_then_reset(s):
    s.sendall(b"bye\n")
    s.shutdown(socket.SHUT_WR)
    s.recv(1000)
    reset(s)


def reset_after_the_end(s):
    while s.recv(1000):
        pass
    s.sendall(b"late")
    time.sleep(0.1)
    reset(s)


def echo(s):
    while data := s.recv(65536):
        s.sendall(data)


def reset_in_the_middle(s):
    s.sendall(b"x" * 1000000)
    reset(s)


def silent(s):
    while s.recv(65536):
        pass


def log_head(s):
    """Notes the Host that it reads, as a server that does not ask for urgent bytes in their place."""
    data = b""
    while b"\r\n\r\n" not in data and (more := s.recv(65536)):
        data += more
    hosts = [line[5:].strip() for line in data.split(b"\r\n") if line.lower().startswith(b"host:")]
    with open(LOG, "a") as f:
        f.write(f"{b' '.join(hosts).decode('latin-1') or 'none'}\n")
    s.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


def counted(s):
    """Notes that it was connected to, and waits."""
    with open(LOG + ".connected", "a") as f:
        f.write("one\n")
    silent(s)


def half_answer(s):
    s.recv(1000)
    s.sendall(b"HTTP/1.1 200 Conn")
    time.sleep(0.1)
    reset(s)


def garbage(s):
    s.recv(1000)
    s.sendall(b"\x16\x03\x03\xff\xff" + b"garbage" * 100)
    time.sleep(0.1)


PORTS = {9101: reset_at_once, 9102: reset_after_bytes, 9103: half_then_reset, 9104: reset_after_the_end, 9105: echo,
         9106: reset_in_the_middle, 9107: silent, 9108: log_head, 9109: half_answer, 9110: garbage, 9111: counted}


def serve(log, ready):
    global LOG
    LOG = log

    def one(s, handler):
        try:
            s.settimeout(60)
            handler(s)
        except OSError:
            pass
        s.close()

    def listen(listener, handler):
        while True:
            s, _ = listener.accept()
            threading.Thread(target=one, args=(s, handler), daemon=True).start()
    for port, handler in PORTS.items():
        listener = socket.create_server(("127.0.0.1", port), backlog=512)
        threading.Thread(target=listen, args=(listener, handler), daemon=True).start()
    open(ready, "w").close()
    sys.stdin.read()


# --- clients -----------------------------------------------------------------------------------

def dial(host, port, timeout=15):
    s = socket.create_connection((host, int(port)), timeout)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s


def outcome(call):
    try:
        return call()
    except ConnectionResetError:
        return "reset"
    except BrokenPipeError:
        return "reset"
    except ConnectionRefusedError:
        return "refused"
    except TimeoutError:
        return "time-out"


def rest(s):
    """How many bytes come, and how it ends."""
    n = 0
    while isinstance(data := outcome(lambda: s.recv(65536)), bytes):
        if not data:
            return f"{n} end"
        n += len(data)
    return f"{n} {data}"


def timed(name, call):
    began = time.monotonic()
    said = outcome(call)
    print(name, said if isinstance(said, str) else said.decode("latin-1").split("\r\n")[0], int((time.monotonic() - began) * 1000), flush=True)


def request(host, path="/"):
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()


def hello(name):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    connection = context.wrap_bio(incoming, outgoing, server_hostname=name)
    try:
        connection.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def good(kind):
    """One connection as it should be: True if it was served."""
    def go():
        host = "model.example" if kind == "inject" else "a.example"
        with dial(host, 443 if kind == "tls" else 80) as s:
            s.sendall(hello(host) if kind == "tls" else request(host))
            got = s.recv(65536)
            return got[:1] == b"\x16" if kind == "tls" else got.startswith(b"HTTP/1.1 200")
    return outcome(go)


def server_resets():
    """Each end of the server is the program's, and nothing waits."""
    def talk(port, *steps):
        s = dial(HOST, port)
        for step in steps:
            step(s)
        return rest(s)

    def send(s):
        s.sendall(b"hello")

    def end(s):
        s.shutdown(socket.SHUT_WR)

    def read_bye(s):
        assert s.recv(4) == b"bye\n" and s.recv(4) == b""
        s.sendall(b"more")
        time.sleep(0.3)
        for _ in range(3):
            s.sendall(b"more")
            time.sleep(0.1)
    timed("accept", lambda: talk(9101))
    timed("bytes", lambda: talk(9102, send))
    timed("half", lambda: talk(9103, read_bye))
    timed("end", lambda: talk(9104, send, end))
    timed("middle", lambda: talk(9106))
    timed("echo", lambda: talk(9105, send, end))
    for i in range(1, 5):
        timed(f"via{i}", lambda i=i: rest(dial(f"v{i}.example", 7)))
    for i in range(1, 5):
        def ask(i=i):
            s = dial(f"t{i}.example", 80)
            s.sendall(request(f"t{i}.example"))
            return s.recv(65536)
        timed(f"inject{i}", ask)


def client_resets(count):
    """Gives up in every state, many times; then an ordinary connection is as quick as ever."""
    def give_up(host, port, data, wait, end=False, read=0):
        s = dial(host, port)
        if data:
            s.sendall(data)
        if end:
            s.shutdown(socket.SHUT_WR)
        while read > 0 and (more := s.recv(read)):
            read -= len(more)
        time.sleep(wait)
        reset(s)
    whole = hello("a.example")
    rows = [("a.example", 443, whole[:20], 0.02), ("a.example", 443, b"", 0.02), ("a.example", 443, whole, 0),
            ("a.example", 80, b"GET / HTTP/1.1\r\nHo", 0.02), ("a.example", 80, request("a.example"), 0),
            ("slow.example", 9000, b"x", 0.1), ("nobody.example", 9000, b"x", 0.1), ("closed.example", 9000, b"x", 0),
            ("v4.example", 7, b"x", 0.1), ("t4.example", 80, request("t4.example"), 0.1), ("t4.example", 80, b"GE", 0.05),
            ("model.example", 80, request("model.example"), 0), (HOST, 9105, b"x" * 1000, 0.02), (HOST, 9105, b"x", 0, False, 1),
            (HOST, 9107, b"x", 0.02, True), (HOST, 9103, b"", 0.02, False, 4), (HOST, 9105, b"x" * 50000, 0, True, 10)]

    def one(i):
        try:
            give_up(*rows[i % len(rows)])
        except OSError:
            pass
    for _ in range(int(count)):
        threads = [threading.Thread(target=one, args=(i,)) for i in range(len(rows))]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    time.sleep(0.5)
    for kind in "tls", "http", "inject":
        timed(kind, lambda kind=kind: "served" if good(kind) is True else "no")


class Slow:
    """Connections that say what they should, a byte a second or never, and when each was ended."""

    def __init__(self, count, host, port, text, step=1.0):
        self.text, self.step, self.ended, self.said, self.reset = text, step, [], [], set()
        self.selector = selectors.DefaultSelector()
        self.count = count
        for _ in range(count):
            s = dial(host, port)
            s.setblocking(False)
            self.selector.register(s, selectors.EVENT_READ, time.monotonic())
        self.next = time.monotonic()
        self.sent = 0

    def turn(self):
        now = time.monotonic()
        if now >= self.next and self.sent < len(self.text):
            for key in list(self.selector.get_map().values()):
                try:
                    key.fileobj.send(self.text[self.sent:self.sent + 1])
                except ConnectionResetError:  # told once: what is read later is only an end
                    self.reset.add(key.fileobj)
                except OSError:
                    pass
            self.sent += 1
            self.next = now + self.step
        for key, _ in self.selector.select(0):
            got = outcome(lambda key=key: key.fileobj.recv(100))
            self.said.append("reset" if got == b"" and key.fileobj in self.reset else got)
            self.selector.unregister(key.fileobj)
            key.fileobj.close()
            self.ended.append(now - key.data)

    def tell(self, name):
        kinds = {s if isinstance(s, str) else s[:12].decode("latin-1") for s in self.said}
        print(name, "ended", len(self.ended), "of", self.count, "first", round(min(self.ended, default=-1), 1), "last",
              round(max(self.ended, default=-1), 1), "said", *sorted(kinds), flush=True)


def loris(count, seconds):
    """Slow ones of each kind; others go on meanwhile."""
    n = int(count)
    slow = {"tls": Slow(n, "a.example", 443, hello("a.example")), "http": Slow(n, "a.example", 80, request("a.example") * 9),
            "never": Slow(n, "a.example", 443, b""), "inject": Slow(n, "model.example", 80, request("model.example") * 9)}
    worst, served, until, tick = {}, 0, time.monotonic() + float(seconds), 0.0
    while time.monotonic() < until:
        for s in slow.values():
            s.turn()
        if time.monotonic() >= tick:
            tick = time.monotonic() + 0.5
            for kind in "tls", "http", "inject":
                began = time.monotonic()
                if good(kind) is not True:
                    print("a good one was refused:", kind)
                served += 1
                worst[kind] = max(worst.get(kind, 0), int((time.monotonic() - began) * 1000))
        time.sleep(0.02)
    for name, s in slow.items():
        s.tell(name)
    print("served", served, "worst", max(worst.values()))


def crowd(kind, processes, each):
    """So many connections at once that nothing is ever said on; a good one is served all the same."""
    host, port = ("model.example", 80) if kind == "inject" else ("a.example", 443)
    go, ready = os.pipe(), os.pipe()
    address = socket.gethostbyname(host)
    for _ in range(int(processes)):
        if os.fork() == 0:
            held = []
            for _ in range(int(each)):
                try:
                    s = socket.create_connection((address, port), 30)
                    s.send(b"\x16" if port == 443 else b"G")
                    held.append(s)
                except OSError:
                    pass
            os.write(ready[1], b"%6d" % len(held))
            os.close(go[1])
            os.read(go[0], 1)
            os._exit(0)
    os.close(go[0])
    print("held", sum(int(os.read(ready[0], 6)) for _ in range(int(processes))), flush=True)
    for _ in range(5):
        timed("good", lambda: "served" if good("inject" if kind == "inject" else "tls") is True else "no")


def half(count):
    """So many requests without an end, then a whole one."""
    held = [dial("t5.example", 80) for _ in range(int(count))]
    for i, s in enumerate(held):
        s.sendall(request("t5.example")[:i])
    time.sleep(1)
    print("half", flush=True)
    sys.stdin.readline()
    whole = dial("t5.example", 80)
    whole.sendall(request("t5.example"))
    time.sleep(1)


def urgent(where=HOST):
    """Heads with bytes that TCP calls urgent: a server that does not ask for them in their place does not see them."""
    def say(name, *parts):
        def go():
            s = dial(where, 9108)
            for part in parts:
                if isinstance(part, tuple):
                    s.send(part[0], socket.MSG_OOB)
                else:
                    s.sendall(part)
            return s.recv(100)
        timed(name, go)
    head, tail = b"GET / HTTP/1.1\r\nHost: ", b"\r\n\r\n"
    say("plain", head + HOST.encode() + tail)
    # the right name, if the urgent byte counts
    say("within", head + b"nast", (b"y",), b".example" + tail)
    say("last", head + b"nasty.exampl", (b"e",), tail)
    say("first", (b"G",), head[1:] + HOST.encode() + tail)
    say("end", head + HOST.encode() + tail[:3], (b"\n",))
    say("two", head + b"nas", (b"t",), (b"y",), b".example" + tail)
    # the right name, if it does not
    say("hidden", head + b"nast", (b"Z",), b"y.example" + tail)
    say("header", head + HOST.encode() + b"\r\n", (b"H",), b"ost: b.example" + tail)


def flood(seconds):
    """Queries, garbage and half queries, by UDP and TCP; a good one is answered all the same."""
    def queries(i):
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.connect(("127.0.0.1", 53))
        s.setblocking(False)
        rand = random.Random(i)
        good_one = struct.pack(">HHHHHH", 7, 256, 1, 0, 0, 0) + b"\1x\4wild\7example\0\0\1\0\1"
        loop = struct.pack(">HHHHHH", 7, 256, 1, 0, 0, 0) + b"\xc0\x0c\0\1\0\1"
        while time.monotonic() < until:
            for data in good_one, loop, rand.randbytes(rand.randrange(1, 600)), good_one[:-3], b"":
                try:
                    s.send(data)
                except OSError:
                    time.sleep(0.0005)

    def streams(i):
        rand = random.Random(i)
        while time.monotonic() < until:
            held = []
            for _ in range(60):
                try:
                    s = socket.create_connection(("127.0.0.1", 53), 1)
                    s.send(rand.choice([b"\1\0abc", b"\xff\xff" + b"x" * 5000, b"\0\0", rand.randbytes(60), b"\0\x1d" + rand.randbytes(29) * 20]))
                    held.append(s)
                except OSError:
                    pass
            time.sleep(0.05)
    until = time.monotonic() + float(seconds)
    for i in range(2):
        for work in queries, streams:
            if os.fork() == 0:
                work(i)
                os._exit(0)
    tries, worst, answered, by_tcp = 0, 0, 0, 0
    while time.monotonic() < until - 0.5 or tries < 5:
        began = time.monotonic()
        tries += 1
        try:
            answered += socket.gethostbyname("a.example").startswith("198.1")
        except OSError:
            pass
        query = struct.pack(">HHHHHH", 9, 256, 1, 0, 0, 0) + b"\1a\7example\0\0\1\0\1"
        try:
            with socket.create_connection(("127.0.0.1", 53), 3) as s:
                s.sendall(struct.pack(">H", len(query)) + query)
                by_tcp += s.recv(600)[9:10] == b"\1"
        except OSError:
            pass
        worst = max(worst, int((time.monotonic() - began) * 1000))
        time.sleep(0.1)
    print("tries", tries, "udp", answered, "tcp", by_tcp, "worst", worst)


def flood_one(seconds, sockets, processes=2):
    """Queries as fast as they can be sent, from so many sockets; single ones of others, asked once each."""
    query = struct.pack(">HHHHHH", 7, 256, 1, 0, 0, 0) + b"\1x\4wild\7example\0\0\1\0\1"
    until = time.monotonic() + float(seconds)

    def new():
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.connect(("127.0.0.1", 53))
        return s

    def fast(out):
        own, sent, answered = [new() for _ in range(int(sockets))], 0, 0
        for s in own:
            s.setblocking(False)
        while time.monotonic() < until:
            for s in own:
                for _ in range(100):
                    try:
                        sent += s.send(query) > 0
                    except OSError:
                        pass
                try:
                    while s.recv(600):
                        answered += 1
                except OSError:
                    pass
        os.write(out, b"%9d %9d\n" % (sent, answered))
    out, into = os.pipe()
    for _ in range(int(processes)):
        if os.fork() == 0:
            fast(into)
            os._exit(0)
    tries, answered, worst = 0, 0, 0
    time.sleep(0.3)
    while time.monotonic() < until - 0.3:
        tries += 1
        with new() as s:
            s.settimeout(2)
            began = time.monotonic()
            s.send(query)
            try:
                answered += s.recv(600)[7] == 1
            except TimeoutError:
                pass
            worst = max(worst, int((time.monotonic() - began) * 1000))
        time.sleep(0.02)
    for _ in range(int(processes)):
        os.wait()
    os.write(into, b"0 0\n")
    flood = [sum(n) for n in zip(*(map(int, line.split()) for line in os.read(out, 100).splitlines()))]
    print("flood sent", flood[0], "answered", flood[1], "in", seconds, "others", tries, "answered", answered, "worst", worst)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
