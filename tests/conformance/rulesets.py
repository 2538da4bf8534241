#!/usr/bin/env python3
"""What `polc diff` says about single changes of the rule sets R1 to R9, one golden a set.

usage: rulesets.py [--update] [--ask] [NAME…]

tests/data/rulesets/edits/NAME.edits has 30 changes that an author might make.  Each begins with
"## EXPECTED: what changes"; then "-" lines are text of the rule set that stands there exactly
once, and the "+" lines after them what replaces it ("@ FILE" before them names the file of a set
that is a folder).  EXPECTED is written by hand: alike, wider (each finding widens), narrower
(none does), both, or undecided.

NAME.found beside it is the golden: each change as its lines, the answer, its exit status.
--update writes it.  --ask asks `explain` about the request of each finding under both policies.
With POL_SLICE each set's edits that are the day's (slices.py).
"""
import argparse
import concurrent.futures
import difflib
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests/lib"))
import slices  # noqa: E402

SETS = os.path.join(TOP, "tests/data/rulesets")
POLC = os.path.join(os.environ.get("BUILD", os.path.join(TOP, "build/dev")), "bin/polc")
EDITS = 30
# Directories that exist nowhere, so that no symbolic link of this machine has a say.
ROOTS = ["--root", "HOME=/nonexistent/dev", "--root", "PROJECT_DIR=/nonexistent/dev/app",
         "--root", "TMPDIR=/nonexistent/tmp"]
LEVELS = ["managed", "user", "project"]


class Bad(Exception):
    pass


def read(path):
    with open(path) as f:
        return f.read()


def read_edits(name):
    """[(expected, title, [(file, old, new)])]"""
    edits, path = [], os.path.join(SETS, "edits", name + ".edits")
    where, pairs = "", []
    for n, line in enumerate(read(path).splitlines(), 1):
        head = re.fullmatch(r"## (alike|undecided|(?:wider|narrower|both)\??): (.+)", line)
        if head:
            pairs, where = [], ""
            edits.append((head[1], head[2], pairs))
        elif line.startswith("@ "):
            where = line[2:]
        elif line.startswith("-") and edits:
            if not pairs or pairs[-1][2] or pairs[-1][0] != where:
                pairs.append((where, [], []))
            pairs[-1][1].append(line[1:])
        elif line.startswith("+") and pairs:
            pairs[-1][2].append(line[1:])
        elif line.strip() and not line.startswith("# "):
            raise Bad(f"{path}:{n}: not a line of a table of edits")
    if len(edits) != EDITS or len({e[1] for e in edits}) != EDITS:
        raise Bad(f"{path}: {len(edits)} edits of different titles instead of {EDITS}")
    return edits


def sources(name):
    """{file: text} of a rule set"""
    if os.path.isdir(os.path.join(SETS, name)):
        return {os.path.basename(p): read(p) for p in sorted(glob.glob(os.path.join(SETS, name, "*.pol")))}
    return {name + ".pol": read(os.path.join(SETS, name + ".pol"))}


def edited(name, old, title, pairs):
    new = dict(old)
    for where, was, becomes in pairs:
        where, was = where or name + ".pol", "\n".join(was)
        if new.get(where, "").count(was) != 1:
            raise Bad(f"{name}: {title}: not exactly once in {where or name}: {was}")
        new[where] = new[where].replace(was, "\n".join(becomes))
    if new == old:
        raise Bad(f"{name}: {title}: changes nothing")
    return new


def polc(where, *words):
    p = subprocess.run([POLC, *words], cwd=where, capture_output=True, text=True, timeout=120)
    return p.returncode, p.stdout + p.stderr


def verdict(status, answer):
    """What the answer comes to, in the words of the tables"""
    if status == 0 and answer == "the two policies decide alike\n":
        return "alike"
    last = re.search(r"^(\d+) differences?, (\d+) widening, (\d+) undecided$", answer, re.M)
    if status == 5 and last and last[1] == "0":
        return "undecided"
    if status != 1 or not last:
        return f"status {status}"
    which = "narrower" if last[2] == "0" else "wider" if last[1] == last[2] else "both"
    return which + ("" if last[3] == "0" else "?")


def ask(where, old, new):
    """What `explain` says otherwise than the findings: each request, under both policies"""
    wrong = []
    found = json.loads(polc(where, "diff", "--format", "json", *ROOTS, *old, new)[1])["findings"]
    for f in found:
        for side, policy in ("old", old), ("new", old[:-1] + [new]):
            if not f["request"] or f[side]["effect"] is None:
                continue
            status, said = polc(where, "explain", *ROOTS, *policy, *f["request"])
            if not said.startswith(f[side]["effect"] + ":"):
                wrong.append(f"{side} says {f[side]['effect']}, explain {said.splitlines()[0]}: {f['request']}")
    return wrong


def try_edit(name, number, edit, asks):
    """(what the golden should hold, what is wrong)"""
    expected, title, pairs = edit
    old = sources(name)
    new = edited(name, old, title, pairs)
    changed = [f for f in old if old[f] != new[f]]
    if len(changed) != 1:
        raise Bad(f"{name}: {title}: {len(changed)} files change")
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="pol-rulesets.") as where:
        os.mkdir(os.path.join(where, "new"))
        for f, text in old.items():
            with open(os.path.join(where, f), "w") as out:
                out.write(text)
        with open(os.path.join(where, "new", changed[0]), "w") as out:
            out.write(new[changed[0]])
        # the other levels belong to both sides
        words = [w for f in old if f != changed[0] for w in ("--" + f[:-4], f)] + changed
        status, answer = polc(where, "diff", "--color=never", *ROOTS, *words, "new/" + changed[0])
        wrong = ask(where, words, "new/" + changed[0]) if asks and status == 1 else []
    lines = difflib.unified_diff(old[changed[0]].splitlines(), new[changed[0]].splitlines(), n=0, lineterm="")
    shown = [line for line in list(lines)[2:] if not line.startswith("@@")]
    if verdict(status, answer) != expected:
        wrong.append(f"expected '{expected}', got '{verdict(status, answer)}'\n{answer}")
    text = "\n".join([f"## {number}. {title}", *shown]) + f"\n{answer}status {status}\n\n"
    return text, [f"FAIL rulesets/{name}: {number}. {title}: {w}" for w in wrong]


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--update", action="store_true")
    a.add_argument("--ask", action="store_true")
    a.add_argument("names", nargs="*")
    a = a.parse_args()
    names = sorted(os.path.basename(p)[:-6] for p in glob.glob(os.path.join(SETS, "edits/*.edits")))
    passed = failed = 0
    jobs = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name in a.names or names:
            edits = list(enumerate(read_edits(name), 1))
            golden = os.path.join(SETS, "edits", name + ".found")
            known = re.findall(r"^## .*?^status \d+\n\n", read(golden), re.M | re.S) if os.path.exists(golden) else []
            known += [""] * (EDITS - len(known))
            todo = [(n, pool.submit(try_edit, name, n, e, a.ask)) for n, e in
                    (edits if a.update else slices.cut(edits))]
            jobs.append((golden, known, todo))
        for golden, known, todo in jobs:
            got = []
            for n, future in todo:
                text, wrong = future.result()
                got.append(text)
                if text != known[n - 1] and not a.update:
                    wrong.append(f"FAIL {os.path.relpath(golden, TOP)}\n" + "".join(difflib.unified_diff(
                        known[n - 1].splitlines(True), text.splitlines(True), "golden", "now")))
                passed, failed = passed + (not wrong), failed + bool(wrong)
                print("".join(w.rstrip() + "\n" for w in wrong), end="")
            if a.update:
                with open(golden, "w") as f:
                    f.write("".join(got))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Bad as e:
        print(f"FAIL rulesets: {e}\n0 passed, 1 failed")
        sys.exit(1)
