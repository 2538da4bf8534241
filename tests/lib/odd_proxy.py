"""Upstream proxies that answer CONNECT oddly, for tests/live/egress_via.sh.

    odd_proxy.py serve LOG READY   outside: one for each row of ANSWERS, on 127.0.0.1 from port 9301 on
    odd_proxy.py dial COUNT        inside: a connection to o1.example and so on; prints what came, and the seconds
"""
import socket
import sys
import threading
import time

YES = b"HTTP/1.1 200 OK\r\n\r\n"
NO = b"HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n"
# What it says; what comes behind the empty line is the destination's.  "slow": byte by byte.
ANSWERS = [
    ("whole", YES + b"EARLY"),
    ("slow", b"HTTP/1.1 200 Connection established\r\nX: y\r\n\r\nEARLY"),
    ("length", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nEARLY"),
    ("again", NO),
    ("informs", b"HTTP/1.1 100 Continue\r\n\r\n" + YES),
    ("other", b"ICY 200 OK\r\n\r\nEARLY"),
    ("long", b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 20000),
    ("lines", b"HTTP/1.1 200 OK\n\nEARLY"),
]


def head(s):
    data = b""
    while b"\r\n\r\n" not in data:
        more = s.recv(4096)
        if not more:
            return b""
        data += more
    return data


def answer(s, name, text, log):
    while data := head(s):
        with open(log, "a") as f:
            f.write(name + " " + data.split(b"\r\n")[0].decode() + "\n")
        for piece in ([bytes([b]) for b in text] if name == "slow" else [text]):
            s.sendall(piece)
            time.sleep(0.005 if name == "slow" else 0)
        if name != "again": # else it waits for another request
            break
    while data := s.recv(4096):
        s.sendall(data)


def serve(log, ready):
    def one(s, name, text):
        try:
            s.settimeout(60)
            answer(s, name, text, log)
        except OSError:
            pass
        s.close()

    def listen(listener, *row):
        while True:
            threading.Thread(target=one, args=(listener.accept()[0], *row), daemon=True).start()
    for i, row in enumerate(ANSWERS):
        listener = socket.create_server(("127.0.0.1", 9301 + i))
        threading.Thread(target=listen, args=(listener, *row), daemon=True).start()
    open(ready, "w").close()
    sys.stdin.read()


def dial(count):
    def one(i):
        began, got = time.monotonic(), b""
        try:
            with socket.create_connection((f"o{i}.example", 7), 15) as s:
                s.sendall(b"first")
                while len(got) < 10 and (more := s.recv(99)):
                    got += more
            end = "end"
        except ConnectionResetError:
            end = "reset"
        except OSError as e:
            end = type(e).__name__
        print(ANSWERS[i - 1][0], got.decode() or "-", end, int(time.monotonic() - began), flush=True)
    threads = [threading.Thread(target=one, args=(i,)) for i in range(1, int(count) + 1)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
