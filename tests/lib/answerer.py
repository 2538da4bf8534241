#!/usr/bin/env python3
"""Speaks for the person at polquery's socket, or pretends to be polquery.

    answerer.py answer SOCKET LOG SAYS…   an answerer of polquery serve
    answerer.py server SOCKET LOG SAYS…   a server of its own; SAYS are bytes with escapes

The N-th question gets the N-th of SAYS, those behind the last one the last: run, session, deny,
silence (nothing is said), leave (hangs up); SAY@FILE: as soon as FILE is there. LOG gets a line of JSON for each line that came.
"""
import json
import os
import socket
import sys
import time

role, path, log, says = sys.argv[1], sys.argv[2], open(sys.argv[3], "a", buffering=1), sys.argv[4:]
asked = 0


def next_said():
    global asked
    asked += 1
    said, _, path = says[min(asked, len(says)) - 1].partition("@")
    while path and not os.path.exists(path):
        time.sleep(0.02)
    return said


def answer():
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    s.sendall(b'{"answers":"net"}\n')
    for line in s.makefile():
        log.write(line)
        number = json.loads(line).get("question")
        if number is None:
            continue
        said = next_said()
        if said == "leave":
            return
        if said == "deny":
            s.sendall(b'{"answer":%d,"effect":"deny"}\n' % number)
        elif said in ("run", "session"):
            s.sendall(b'{"answer":%d,"effect":"allow","for":"%s"}\n' % (number, said.encode()))


def server():
    s = socket.socket(socket.AF_UNIX)
    s.bind(path + ".new")
    s.listen()
    os.chmod(path + ".new", 0o666)
    os.rename(path + ".new", path)
    kept = []
    while True:
        c, _ = s.accept()
        log.write(c.makefile().readline())
        said = next_said()
        if said == "silence":
            kept.append(c)
            continue
        try:
            for part in said.encode().decode("unicode_escape").encode().split(b"|"):
                c.sendall(part)
        except OSError:
            pass
        c.close()


{"answer": answer, "server": server}[role]()
