#!/usr/bin/env python3
"""polc explain of a bundle says what it says of its sources, as text and as JSON.

usage: explain.py FILE.tsv [--each N]

Takes up to N lines (5) of each rule set, spread over the file (the columns of
bypass.py), and asks for each the sources and the bundle that was compiled of
them; then one request of each other kind.  For a fifth of them what stands
beside the decision is tried as well (explain_keys.py).  Prints each difference;
the last line is "explain: N requests, N differ".
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(sys.path[0], "../lib"))
import bypass  # noqa: E402
import explain_keys  # noqa: E402
import slices  # noqa: E402

POLC = os.path.join(bypass.BUILD, "bin/polc")
ROOTS = ["--root", "HOME=/home/dev", "--root", "PROJECT_DIR=/home/dev/app", "--root", "TMPDIR=/tmp"]
OTHERS = [
    ["file", "read", "/home/dev/.ssh/id_rsa"],
    ["file", "write", "/home/dev/app/x"],
    ["net", "udp", "10.0.0.1:53"],
    ["unix", "/run/docker.sock"],
    ["syscall", "socket(AF_PACKET, SOCK_RAW, 0)"],
    ["tool", "web_search"],
    ["argv", "--", "git", "push", "origin"],
]


def explain(policy, request, form):
    words = [POLC, "explain", "--color=never", "--format", form, *ROOTS, *policy, *request]
    done = subprocess.run(words, capture_output=True)
    return done.returncode, done.stdout, done.stderr


def differs(name, bundle, request):
    """What is wrong, or None; a request that neither answers is no answer."""
    for form in ("text", "json"):
        want = explain(bypass.sources(name), request, form)
        got = explain([bundle], request, form)
        if want[0] not in (0, 1, 3):
            return f"the sources give exit {want[0]}: {want[2].decode(errors='replace')}"
        if want[:2] != got[:2]:
            return f"{form}: exit {want[0]} and {got[0]}\n{want[1].decode()}\n{got[1].decode()}{got[2].decode()}"
        if form == "json" and request[0] == "command" and "commands" not in json.loads(want[1]):
            return "no tree of commands"
    return None


def spread(rows, n):
    """N of them; a week's days have others each (tests/lib/slices.py)."""
    if slices.DAY != "":
        day = int(slices.DAY)
        return spread_all(rows, 7 * n)[day::7]
    return spread_all(rows, n)


def spread_all(rows, n):
    if len(rows) <= n:
        return rows
    return [rows[i * len(rows) // n] for i in range(n)]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("file")
    p.add_argument("--each", type=int, default=5)
    args = p.parse_args()
    sets = collections.defaultdict(list)
    for row in bypass.rows_of(args.file):
        # an argument of a program holds no NUL
        if b"\0" not in row["line"]:
            sets[row["set"]].append(row["line"])
    asked = bad = 0
    tried = collections.Counter()
    with tempfile.TemporaryDirectory() as work:
        for name in sorted(sets):
            bundle = os.path.join(work, name + ".polb")
            subprocess.run(
                [POLC, "compile", *bypass.sources(name), "-o", bundle],
                check=True, capture_output=True,
            )
            requests = [["command", line] for line in spread(sets[name], args.each)]
            policy = explain_keys.Policy(POLC, ROOTS, bypass.sources(name), os.path.join(work, "changed"))
            for i, request in enumerate(requests + (OTHERS if name == "R7" else [])):
                asked += 1
                why = differs(name, bundle, request)
                if not why and (i % 5 == 0 or request[0] != "command"):
                    why = explain_keys.check(policy, request, tried)
                if why:
                    bad += 1
                    print(f"{name}: {request}\n  {why}", flush=True)
    print(", ".join(f"{key} {tried[key]}" for key in explain_keys.CHECKS), "tried")
    print(f"explain: {asked} requests, {bad} differ")
    return 1 if bad or not asked or not all(tried[key] for key in ("without", "assertions", "why_not")) else 0


if __name__ == "__main__":
    sys.exit(main())
