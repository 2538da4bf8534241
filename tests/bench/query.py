#!/usr/bin/env python3
"""Round trips of polquery: a request written, the answer read, then the next.

    query.py RUNS BIN BUNDLE    RUNS times 50 of each kind, at pipes and at a socket
                                (serve), in turn with `cat`, which is what two pipes
                                and two processes cost
"""
import json
import os
import socket
import subprocess
import sys
import tempfile
import time

WHERE = {"cwd": "/home/dev/app", "project": "/home/dev/app", "home": "/home/dev"}
REQUESTS = [
    ("a command", dict(WHERE, id=1, kind="command", line="git push origin main")),
    ("an argv", dict(WHERE, id=1, kind="argv", argv=["npm", "run", "test"])),
    ("a file", dict(WHERE, id=1, kind="file", op="write", path="/home/dev/app/src/a.ts")),
    ("a tool", dict(id=1, kind="tool", name="web_search")),
    ("a system call", dict(id=1, kind="syscall", name="ptrace")),
    ("no JSON", None),
]


def start(command):
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)


def connect(path):
    s = socket.socket(socket.AF_UNIX)
    for _ in range(200):
        try:
            s.connect(path)
            return s
        except OSError:
            time.sleep(0.05)
    sys.exit("query.py: nobody listens")


def ask(to, back, line):
    begun = time.perf_counter_ns()
    os.write(to, line)
    answer = os.read(back, 65536)
    while not answer.endswith(b"\n"):
        answer += os.read(back, 65536)
    return (time.perf_counter_ns() - begun) / 1000


def main():
    runs, bindir, bundle = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    pipes = {"polquery": start([f"{bindir}/polquery", "-b", bundle]), "cat": start(["cat"])}
    work = tempfile.TemporaryDirectory()
    server = start([f"{bindir}/polquery", "-b", bundle, "serve", f"{work.name}/s"])
    served = connect(f"{work.name}/s")
    peers = {name: (p.stdin.fileno(), p.stdout.fileno()) for name, p in pipes.items()}
    peers["serve"] = (served.fileno(), served.fileno())
    peers = {name: peers[name] for name in ("polquery", "serve", "cat")}
    lines = [(name, (json.dumps(r) if r else "what?").encode() + b"\n") for name, r in REQUESTS]
    took = {(name, peer): [] for name, _ in lines for peer in peers}
    for _ in range(runs * 50):
        for name, line in lines:
            for peer, (to, back) in peers.items():
                took[name, peer].append(ask(to, back, line))
    # links are followed in scope host: each word costs a look at the disk
    here = os.path.realpath(work.name)
    words = dict(kind="command", scope="host", cwd=here, project=here,
                 line="cat " + " ".join(f"w{i}" for i in range(9000)))
    many = sorted(ask(*peers["polquery"], json.dumps(words).encode() + b"\n") for _ in range(min(runs, 20)))
    server.terminate()
    server.wait()
    for p in pipes.values():
        p.stdin.close()
        p.wait()
    print("\n| round trip, µs | median | p99 | serve: median | p99 | cat: median | p99 |\n"
          "|---|---|---|---|---|---|---|")
    for name, _ in lines:
        cells = []
        for peer in peers:
            v = sorted(took[name, peer])
            cells += [f"{v[len(v) // 2]:.1f}", f"{v[len(v) * 99 // 100]:.1f}"]
        print(f"| {name} | " + " | ".join(cells) + " |")
    print(f"\n`cat` with 9,000 words, scope host: {many[len(many) // 2] / 1000:.1f} ms")


main()
