#!/usr/bin/env python3
"""Words with more than one reading, run: does a program do more with them than its table says?

usage: readings_jail.py [--lines N] [--programs NAME,...] [--polquery PROGRAM] [-v]

The lines of readings.py's generator, of each program that is here and has a table: each option,
each beginning of one, letters and options that no table has, with and without a value, before
operands; value and operands name a command that is denied, or a script that runs it.  And
each place where a table says that something runs.  A rule allows each program with all its words,
"rm" is denied, what is opaque is denied.  Lines that are allowed all the same are run by bash in
the jail of attacks.py, where "rm" is a stub that writes its words down: none may have run it.
Of those that are denied for a place some are run, too, and must be seen, or the jail would say
nothing.  Interpreters may run their own code (contract 4.2), and are left out.

N lines are drawn with SEED=, of each program as many.
"""
import argparse
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import attacks  # noqa: E402
import bypass  # noqa: E402
import readings  # noqa: E402

# What a value or an operand may be made to run: as a line, by a sign before it, as a script.
COMMANDS = ("rm pwned", "!rm pwned", "|rm pwned", "exec=rm pwned", "./x", "|./x")
OPERANDS = ([], ["f"], ["f", "list"], ["a.tar"], ["."])
# Lines of one jail, one after the other; seconds of each.
BATCH, SECONDS = 25, 1
CONTROLS = 30
# Each line alone, what its stubs wrote aside.
DRIVER = r"""
n=0
while IFS= read -r -d '' line; do
    n=$((n + 1))
    timeout -k 1 "$1" bash -c -- "$line" </dev/null >/dev/null 2>&1
    if [ -s /log/ran ]; then mv /log/ran "/log/ran.$n"; fi
done
"""


def here(tables):
    """Those of programs that are here, and that run no code of their own."""
    ret = {}
    for name in sorted(tables):
        bases = readings.base_of(name, tables)
        if any("interpreter" in t.kinds or "shell" in t.flags for t in [tables[name], *bases]):
            continue
        program = name.split(" ")[0]
        if program not in attacks.STUBS and shutil.which(program, path="/usr/bin:/bin"):
            ret[name] = tables[name]
    return ret


class Drawn:
    """The lines of one table: words before operands, and places where something runs."""

    def __init__(self, name, tables, rng):
        bases = readings.base_of(name, tables)
        self.words, self.early = name.split(" "), bool(bases)
        self.before = [w for _, w in readings.ambiguous(tables[name], bases)]
        self.places = [p.words for p in readings.places(tables[name], bases, rng)]

    def line(self, rng):
        value = rng.choice(COMMANDS)
        before = [w.replace(readings.VALUE, value) for w in rng.choice(self.before)]
        operands = list(rng.choice(OPERANDS))
        if rng.randrange(3) == 0:
            operands.insert(rng.randrange(len(operands) + 1), rng.choice(COMMANDS))
        if self.early and rng.randrange(4) == 0:
            return shlex.join(self.words[:1] + before + self.words[1:] + operands)
        return shlex.join(self.words + before + operands)

    def place(self, rng):
        return shlex.join(self.words + rng.choice(self.places)).replace("rm q", "rm pwned")


def run(work, lines):
    """The lines whose stubs wrote what they were given."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as own:
        argv = attacks.jail(work, own)
        try:
            subprocess.run([*argv, "bash", "-c", DRIVER, "driver", str(SECONDS)],
                           input=b"".join(line.encode() + b"\0" for line in lines),
                           capture_output=True, timeout=20 + 3 * SECONDS * len(lines))
        except subprocess.TimeoutExpired:
            print("note lines that ended with their jail")
        ret = []
        for n, line in enumerate(lines, 1):
            try:
                with open(f"{own}/log/ran.{n}", encoding="utf-8", errors="replace") as f:
                    ret += [line] if "pwned" in f.read() else []
            except FileNotFoundError:
                pass
        return ret


def run_all(work, lines):
    parts = [lines[i:i + BATCH] for i in range(0, len(lines), BATCH)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [line for found in pool.map(lambda part: run(work, part), parts) for line in found]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--lines", type=int, default=300)
    p.add_argument("--programs")
    p.add_argument("--polquery", help="another program in its place")
    p.add_argument("-v", "--verbose", action="store_true")
    args = p.parse_args()
    if args.polquery:
        bypass.POLQUERY = args.polquery.split()
    seed = int(os.environ.get("SEED") or time.time_ns() % 1000000000)
    print(f"SEED={seed} --lines {args.lines}", flush=True)
    rng, tables = random.Random(seed), readings.read_tables()
    only = args.programs.split(",") if args.programs else None
    drawn = [Drawn(n, tables, rng) for n in here(tables) if not only or n.split(" ")[0] in only]
    having = [d for d in drawn if d.places]
    lines = [rng.choice(drawn).line(rng) for _ in range(args.lines)]
    places = [rng.choice(having).place(rng) for _ in range(args.lines // 4)] if having else []
    lines, places = list(dict.fromkeys(lines)), list(dict.fromkeys(places))
    with tempfile.TemporaryDirectory(dir="/var/tmp") as work:
        bundle = bypass.compiled([readings.policy(work, tables)], work, "jail")
        said = [a["effect"] for a in bypass.answers("jail", bundle, [t.encode() for t in lines + places])]
        allowed = [t for t, e in zip(lines + places, said) if e == "allow"]
        denied = [t for t, e in zip(places, said[len(lines):]) if e != "allow"]
        attacks.prepare(work)
        through, seen = run_all(work, allowed), run_all(work, denied[:CONTROLS])
        # what an earlier line of its jail left may have run it
        through = [t for t in through if attacks.ran(work, t)]
    for t in through:
        print(f"FAIL {t}\n     it is allowed, and ran what is denied")
    for t in allowed if args.verbose else ():
        print(f"allow {t}")
    print(f"     {len(drawn)} tables of programs that are here, {len(lines) + len(places)} lines, "
          f"{len(allowed)} allowed and run; {len(seen)} of {len(denied[:CONTROLS])} denied ones are seen")
    nothing = len(allowed) < args.lines // 4 or not seen
    if nothing:
        print("FAIL too few lines are allowed, or the jail sees nothing: the test says nothing")
    print(f"{len(allowed) - len(through)} passed, {len(through) + nothing} failed")
    return 1 if through or nothing else 0


if __name__ == "__main__":
    sys.exit(main())
