"""Clients of polquery serve, bad ones with a good one beside them.

    serve_clients.py CASE SOCKET     prints what went wrong, or nothing
"""
import json
import os
import resource
import socket
import struct
import sys
import threading
import time

LIMIT = 16 * 1024 * 1024
PATH = sys.argv[2]


class Client:
    def __init__(self):
        self.s = socket.socket(socket.AF_UNIX)
        self.s.settimeout(60)
        # with more at its door than it lets wait, a server says "again"
        until = time.monotonic() + 60
        while True:
            try:
                self.s.connect(PATH)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.01)
        self.buf = b""

    def send(self, data):
        self.s.sendall(data)

    def line(self):
        while b"\n" not in self.buf:
            got = self.s.recv(1 << 20)
            if not got:
                return None
            self.buf += got
        line, _, self.buf = self.buf.partition(b"\n")
        return json.loads(line)

    def ask(self, name="read_x", ident=1):
        self.send(json.dumps({"id": ident, "kind": "tool", "name": name}).encode() + b"\n")
        return self.line()


def want(ok, what):
    if not ok:
        print(what)


def is_good(client, within=5.0):
    """The good one: asked now, it has its own answers, and soon."""
    begun = time.monotonic()
    for i in range(3):
        a = client.ask(ident=i)
        want(a and a.get("id") == i and a.get("effect") == "allow", f"the good client got {a}")
        a = client.ask("shell", i)
        want(a and a.get("effect") == "deny", f"the good client's deny is {a}")
    took = time.monotonic() - begun
    want(took < within, f"the good client waited {took:.1f} s")


def half_line():
    good, bad = Client(), Client()
    bad.send(b'{"id":1,"kind":"to')
    is_good(good)
    bad.send(b'ol","name":"read_x"}\n')
    want(bad.line()["effect"] == "allow", "the rest of the line was not read")
    bad.send(b'{"id":2,"kind":"tool","name":"read_y"}')
    bad.s.shutdown(socket.SHUT_WR)
    want(bad.line()["id"] == 2, "a last line without newline has no answer")
    want(bad.line() is None, "the connection stays open")
    is_good(good)


def byte_by_byte():
    good, bad = Client(), Client()
    for c in b'{"id":1,"kind":"tool","name":"shell"}\n':
        bad.send(bytes([c]))
    want(bad.line()["effect"] == "deny", "byte by byte")
    is_good(good)


def huge():
    """100 MB on one line, from two at a time; memory stays bounded."""
    good = Client()
    bads = [Client(), Client()]

    def flood(c):
        for _ in range(100):
            c.send(b"x" * 1000000)
        c.send(b"\n")

    threads = [threading.Thread(target=flood, args=(c,)) for c in bads]
    for t in threads:
        t.start()
    is_good(good)
    for t in threads:
        t.join()
    for c in bads:
        want("more than" in c.line().get("error", ""), "no error for 100 MB")
        want(c.ask()["effect"] == "allow", "the line behind it is not answered")
    is_good(good)
    pid = struct.unpack("3i", good.s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    if os.environ.get("VARIANT") != "san":
        peak = [int(l.split()[1]) for l in open(f"/proc/{pid}/status") if l.startswith("VmHWM")]
        want(peak[0] < 160 * 1024, f"the server took {peak[0]} KiB")


def many_half_lines():
    """Lines of which none ends, 15 MB each: together more than there is room for."""
    good = Client()
    bads = [Client() for _ in range(8)]
    for c in bads:
        c.s.settimeout(30)
        for _ in range(15):
            c.send(b"y" * 1000000)
    is_good(good)
    for c in bads:
        c.send(b"\n")
        want("error" in c.line(), "half a line got a decision")
    is_good(good)


def silent():
    """More than there is room for, who say nothing."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    good = Client()
    is_good(good)
    crowd = []
    for i in range(300):
        crowd.append(Client())
        if i % 50 == 0:
            is_good(good)
    is_good(good)
    late = Client()
    is_good(late)
    gone = 0
    for c in crowd[:40]:
        c.s.setblocking(False)
        try:
            gone += c.s.recv(1) == b""
        except BlockingIOError:
            pass
    want(gone == 40, f"{gone} of the 40 oldest were sent away")


def thousand():
    """A thousand at once, each with a question: all that are not sent away are answered.

    The good one asks often enough: a slow server may take its questions before those of the
    clients that came before them, and all these then count as heard later than it.
    """
    resource.setrlimit(resource.RLIMIT_NOFILE, (2048, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    good = Client()
    crowd = []
    for i in range(1000):
        c = Client()
        crowd.append(c)
        try:
            c.send(json.dumps({"id": i, "kind": "tool", "name": "read_x"}).encode() + b"\n")
        except BrokenPipeError:
            pass
        if i % 50 == 49:
            is_good(good, 20)
    answered = 0
    for i, c in enumerate(crowd):
        try:
            a = c.line()
        except ConnectionResetError:
            a = None
        want(a is None or (a["id"] == i and a["effect"] == "allow"), f"client {i} got {a}")
        answered += a is not None
    want(answered >= 100, f"only {answered} of 1000 have an answer")
    is_good(good, 20)


def cpu_ticks(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def does_not_read():
    """Asks without end and never reads: it is not read from any more."""
    good, bad = Client(), Client()
    bad.s.setblocking(False)
    line = b'{"kind":"command","line":"' + b"true; " * 200 + b'"}\n'
    sent, idle = 0, 0
    while idle < 20 and sent < 1 << 28:
        try:
            sent += bad.s.send(line)
            idle = 0
        except BlockingIOError:
            idle += 1
            time.sleep(0.02)
    want(sent < 1 << 26, f"{sent} bytes were taken from who reads nothing")
    # nor is it looked at again and again
    pid = struct.unpack("3i", good.s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    before = cpu_ticks(pid)
    time.sleep(1)
    spent = cpu_ticks(pid) - before
    want(spent <= 4, f"the server took {spent} ticks while all were silent")
    is_good(good)


def heavy():
    """Lines that take long to decide, on more connections than children."""
    good = Client()
    deep = "sh -c '" + "env -- xargs timeout 5 " * 20000 + "true'"
    line = json.dumps({"id": "deep", "kind": "command", "line": deep}).encode() + b"\n"
    bads = [Client() for _ in range(20)]
    for c in bads:
        c.send(line + b'{"id":"then","kind":"tool","name":"read_x"}\n')
    is_good(good, 10)
    for c in bads[10:]:
        c.s.close()
    is_good(good, 10)
    for c in bads[:10]:
        a = c.line()
        want(a and a["id"] == "deep" and a.get("effect") in ("deny", "ask"), f"a long line got {str(a)[:200]}")
        a = c.line()
        want(a and a["id"] == "then", "the line behind a long one is not answered")


def nonsense():
    good, bad = Client(), Client()
    for text in (b"\x00\xff\n", b"\n", b"[]\n", b"{}\n", b'{"id":1,"id":2}\n', os.urandom(3000).replace(b"\n", b"") + b"\n"):
        bad.send(text)
        want("error" in bad.line(), f"{text[:20]} has no error")
    is_good(good)
    for _ in range(50): # connects, and is gone
        Client().s.close()
    for _ in range(50):
        c = Client()
        c.send(b'{"kind":"tool","name":"x"}\n' * 100)
        c.s.close()
    is_good(good)


QUESTION = {"kind": "net", "proto": "tcp", "host": "a.example", "port": 443, "program": None,
            "rule": {"id": "r", "level": "user", "file": "p.pol", "line": 3, "text": "ask tcp"},
            "reason": "because", "hold_ms": 30000}


def send(c, **what):
    c.send(json.dumps(what).encode() + b"\n")


def answerer():
    c = Client()
    send(c, answers="net")
    want(c.line() == {"answers": "net"}, "it may not answer")
    return c


def is_quiet(c, what):
    c.s.settimeout(0.1)
    try:
        print(what, c.line())
    except TimeoutError:
        pass
    c.s.settimeout(60)


def asks(c, hold=30000, behind=b""):
    c.send(json.dumps({"question": {**QUESTION, "hold_ms": hold}}).encode() + b"\n" + behind)


def questions():
    """Who asks waits, with the lines behind the question; who answers first counts."""
    good, asker = Client(), Client()
    asks(asker)
    want(asker.line() == {"effect": "deny"}, "a question that nobody answers is not denied")
    one, two = answerer(), answerer()
    asks(asker, behind=b'{"id":"then","kind":"tool","name":"read_x"}\n')
    first = one.line()
    number = first["question"]
    want(first == {**QUESTION, "question": number}, f"the question became {first}")
    want(two.line() == first, "the other answerer has not got it")
    is_quiet(asker, "an answer before it was given:")
    is_good(good)
    # an answerer is a client as the others are
    want(one.ask()["effect"] == "allow", "an answerer's own request")
    send(two, answer=number, effect="allow", **{"for": "session"})
    want(two.line() == {"answer": number, "taken": True}, "the answer is not taken")
    want(one.line() == {"answered": number}, "the other answerer is not told")
    want(asker.line() == {"effect": "allow", "for": "session"}, "the asker's answer")
    want(asker.line()["id"] == "then", "the line behind the question is not answered")
    send(one, answer=number, effect="deny")
    want(one.line() == {"answer": number, "taken": False}, "a second answer counts")
    is_quiet(asker, "a second answer:")
    for bad in ({"answers": "file"}, {"answer": number, "effect": "allow"}, {"question": {}}):
        send(asker, **bad)
        want("error" in asker.line(), f"{bad} has no error")
    # the asker hangs up
    asks(asker)
    number = one.line()["question"]
    two.line()
    asker.s.close()
    want(one.line() == {"answered": number} == two.line(), "the asker's end is not told")
    # time
    asker = Client()
    asks(asker, 300)
    begun = time.monotonic()
    want(asker.line() == {"effect": "deny"}, "too late is no deny")
    want(0.2 < time.monotonic() - begun < 20, f"after {time.monotonic() - begun:.1f} s")
    number = one.line()["question"]
    want(one.line() == {"answered": number}, "the end of the time is not told")
    # the last answerer leaves
    asks(asker)
    one.s.close()
    is_quiet(asker, "one of two answerers has left:")
    two.s.shutdown(socket.SHUT_WR)
    want(asker.line() == {"effect": "deny"}, "without answerers it is not denied")
    is_good(good)


def slow_answerer():
    """Takes questions and reads none: it is sent away, and nobody waits for it."""
    good, slow, quick = Client(), answerer(), answerer()
    asker = Client()
    big = {**QUESTION, "program": "p" * 12000}
    for i in range(60):
        asker.send(json.dumps({"question": big}).encode() + b"\n")
        number = quick.line()["question"]
        send(quick, answer=number, effect="deny")
        want(quick.line() == {"answer": number, "taken": True}, "the quick one's answer")
        want(asker.line() == {"effect": "deny"}, "the asker's answer")
    is_good(good)
    # what was sent before is still there, then the end
    got = 0
    while True:
        try:
            part = slow.s.recv(1 << 20)
        except ConnectionResetError:
            break
        if not part:
            break
        got += len(part)
    want(got < 60 * 12000, f"the slow one was kept, with {got} bytes")
    asks(asker)
    number = quick.line()["question"]
    quick.s.close()
    want(asker.line() == {"effect": "deny"}, "the slow one still counts as an answerer")


def heavy_answerer():
    """What an answerer is told does not run into the answer that its child writes."""
    slow, asker = answerer(), Client()
    deep = "sh -c '" + "env -- xargs timeout 5 " * 20000 + "true'"
    slow.send(json.dumps({"id": "deep", "kind": "command", "line": deep}).encode() + b"\n")
    time.sleep(0.05) # the child works; either order is right
    asks(asker)
    got = [slow.line(), slow.line()]
    want(sorted(("question" in a, a.get("id") == "deep") for a in got) == [(False, True), (True, False)], f"{str(got)[:300]}")
    send(slow, answer=[a["question"] for a in got if "question" in a][0], effect="deny")
    want("answer" in slow.line(), "the answer of the answerer")
    want(asker.line() == {"effect": "deny"}, "the asker's answer")


def many_questions():
    """More than there is room for, behind each other and at once; silent clients beside them."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    person = answerer()
    askers = [Client() for _ in range(70)]
    for c in askers:
        asks(c)
    numbers = [person.line()["question"] for _ in range(64)]
    want(len(set(numbers)) == 64, "numbers are used twice")
    for c in askers[64:]:
        want(c.line() == {"effect": "deny"}, "more than 64 are not denied")
    more = [answerer() for _ in range(15)]
    c = Client()
    send(c, answers="net")
    want("error" in c.line(), "17 answerers")
    # a crowd sends nobody away who asks or answers
    crowd = [Client() for _ in range(300)]
    is_good(Client())
    pid = struct.unpack("3i", person.s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    before = cpu_ticks(pid)
    time.sleep(1)
    want(cpu_ticks(pid) - before <= 4, f"the server took {cpu_ticks(pid) - before} ticks while all were silent")
    for n in numbers:
        send(person, answer=n, effect="allow", **{"for": "run"})
        want(person.line() == {"answer": n, "taken": True}, "an answer")
    for c in askers[:64]:
        want(c.line() == {"effect": "allow", "for": "run"}, "an asker's answer")
    for m in more:
        for _ in range(128):
            m.line()
    is_good(Client())
    for c in crowd:
        c.s.close()


def together():
    """Forty at a time, each with its own questions, in order."""
    def one(k):
        c = Client()
        c.send(b"".join(json.dumps({"id": [k, i], "kind": "tool", "name": "read_x" if i % 2 else "shell"}).encode() + b"\n" for i in range(500)))
        for i in range(500):
            a = c.line()
            if a["id"] != [k, i] or a["effect"] != ("allow" if i % 2 else "deny"):
                print(f"client {k}, question {i}: {a}")
                return
    threads = [threading.Thread(target=one, args=(k,)) for k in range(40)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


{f.__name__: f for f in (half_line, byte_by_byte, huge, many_half_lines, silent, does_not_read,
                         heavy, nonsense, together, thousand, questions, slow_answerer,
                         heavy_answerer, many_questions)}[sys.argv[1]]()
