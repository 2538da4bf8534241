#!/usr/bin/env python3
"""Lines with the verdicts that they must get, asked of polquery.

usage: bypass.py FILE.tsv [--variants N] [--seed S] [--library] [--verbose]

FILE has the columns ruleset, command, expected, why; a rule set is a policy of
tests/data/rulesets (a file, or a folder with a file for each level).  Prints
each miss, and ends with the sums.  A verdict milder than expected is a failure
of security, a stricter one of usability.

With --variants, N lines are made from the file's (variants.py).

With --library each rule set has the whole standard library below it, at the level
`user`: std/base with its tables (always there), every std/dev/*, every std/cmd/*.
Each row is decided without the library and with it, in both scopes.  What it
gets milder or stricter than the table says must come from a rule of the library:

* A row that a rule denies stays denied.
* A row that is asked about, or that only `otherwise` denies, may become milder only where
  each part of the line that does has a rule of the library that says so, and where no program
  that the set denies by its name runs when a real shell runs the line (bypass_oracle.py,
  where bwrap is there).
* A row may become an ask only by an ask rule of the library, and never denied.

And with the rule set's sections locked no row is milder than the table says.  Breaking the
first two or the last is a failure of security, the third one of usability; the last
line also says how many rows the library opened, and of how many it asks.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from variants import variants  # noqa: E402

ORDER = {"allow": 0, "ask": 1, "deny": 2}
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build/dev"))
POLQUERY = [os.path.join(BUILD, "bin/polquery")]
WORLD = {"cwd": "/home/dev/app", "project": "/home/dev/app", "home": "/home/dev"}


def unescape(text):
    def one(m):
        c = m.group(1)
        if c[0] == "x":
            return bytes([int(c[1:], 16)])
        return {"n": b"\n", "t": b"\t", "r": b"\r", "\\": b"\\"}[c]

    out, at = b"", 0
    for m in re.finditer(r"\\(x[0-9a-fA-F]{2}|[ntr\\])", text):
        out += text[at : m.start()].encode() + one(m)
        at = m.end()
    return out + text[at:].encode()


def rows_of(path):
    rows, head = [], None
    with open(path, encoding="utf-8") as f:
        for at, text in enumerate(f.read().split("\n")):
            if not text or text.startswith("#"):
                continue
            cells = text.split("\t")
            if head is None:
                head = cells
                if head[:3] != ["ruleset", "command", "expected"]:
                    sys.exit(f"{path}: the header row is not ruleset, command, expected")
                continue
            if len(cells) < 3 or cells[2] not in ORDER:
                sys.exit(f"{path}: a row without its columns: {text!r}")
            rows.append(
                {
                    "set": cells[0],
                    "line": unescape(cells[1]),
                    "want": cells[2],
                    "why": cells[3] if len(cells) > 3 else "",
                    "ran": cells[4] if len(cells) > 4 else "",
                    "at": at,
                    "exact": True,
                }
            )
    if not rows:
        sys.exit(f"{path}: no rows")
    return rows


# --- asking ---------------------------------------------------------------------


def sources(name):
    base = os.path.join(TOP, "tests/data/rulesets", name)
    if os.path.isdir(base):
        levels = []
        for level in ("managed", "project", "user"):
            file = os.path.join(base, level + ".pol")
            if os.path.exists(file):
                levels += ["--" + level, file]
        return levels
    return [base + ".pol"]


def compiled(sources, work, name):
    bundle = os.path.join(work, name.replace("/", "_") + ".polb")
    made = subprocess.run(
        [os.path.join(BUILD, "bin/polc"), "compile", *sources, "-o", bundle],
        capture_output=True,
    )
    if made.returncode:
        sys.exit(f"{name} does not compile:\n{made.stderr.decode()}")
    return bundle


def ask(name, lines, work):
    """The decisions of one rule set, in the order of the lines."""
    return answers(name, compiled(sources(name), work, name), lines)


def answers(name, bundle, lines, scope="host"):
    text = b""
    for i, line in enumerate(lines):
        request = {"id": i, "kind": "command", **WORLD}
        try:
            request["line"] = line.decode()
        except UnicodeDecodeError:
            request["line_hex"] = line.hex()
        text += json.dumps(request).encode() + b"\n"
    done = subprocess.run(
        [*POLQUERY, "--bundle", bundle, "--scope", scope],
        input=text,
        capture_output=True,
    )
    answers = [json.loads(x) for x in done.stdout.split(b"\n") if x]
    if done.returncode or len(answers) != len(lines):
        sys.exit(
            f"{name}: polquery gave {len(answers)} answers to {len(lines)} questions,"
            f" exit {done.returncode}\n{done.stderr.decode()}"
        )
    for i, a in enumerate(answers):
        if a.get("id") != i or "effect" not in a:
            sys.exit(f"{name}: no decision for {lines[i]!r}: {a}")
    return answers


# --- scoring --------------------------------------------------------------------


def main():
    p = argparse.ArgumentParser()
    p.add_argument("file")
    p.add_argument("--variants", type=int, default=0)
    p.add_argument("--seed", type=int, default=int(os.environ.get("SEED", "0")) or random.randrange(1 << 32))
    p.add_argument("--library", action="store_true")
    p.add_argument("--verbose", action="store_true")
    args = p.parse_args()
    rows = rows_of(args.file)
    if args.library:
        import bypass_library

        return bypass_library.main(rows, args.verbose)
    if args.variants:
        rows = variants(rows, args.variants, args.seed)
        print(f"SEED={args.seed}")
    security = usability = exact = 0
    with tempfile.TemporaryDirectory() as work:
        for name in sorted({x["set"] for x in rows}):
            own = [x for x in rows if x["set"] == name]
            for row, answer in zip(own, ask(name, [x["line"] for x in own], work)):
                got, want = answer["effect"], row["want"]
                if got == want or (not row["exact"] and ORDER[got] > ORDER[want]):
                    exact += 1
                    if args.verbose:
                        print(f"ok   {name}\t{want}\t{row['line']!r}")
                    continue
                worse = ORDER[got] < ORDER[want]
                security += worse
                usability += not worse
                kind = "SECURITY" if worse else "usability"
                print(f"{kind} {name}: {row['line']!r}\n    {got}, expected {want}: {row['why']}"
                      f"\n    {answer.get('reason', '')}")
    print(f"bypass: security {security}, usability {usability}, exact {exact} of {len(rows)}")
    # four of 279 may be stricter than the table
    return 1 if security or (not args.variants and usability * 279 > 4 * len(rows)) else 0


if __name__ == "__main__":
    sys.exit(main())
