#!/usr/bin/env python3
"""Everyday lines of agents, with the verdicts that a careful person would give.

usage: daily.py [FILE.tsv] [--policy FILE.pol] [--list asked|denied] [--class NAME] [--scope SCOPE]

FILE (tests/data/daily.tsv) has the columns class, sandbox, host, command.  Each line is asked
of polquery on the compiled policy, in both scopes.  Prints the shares of each class, counted
over the lines that the person allows, and each line whose verdict is milder than the person's.
Exit 1 if there is one, or if the shares of all lines are below the floor that FILE records.

--list also prints the lines that the person allows and the policy does not, with the reason.
"""

import argparse
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bypass import ORDER, TOP, answers, compiled, unescape  # noqa: E402

SCOPES = ("sandbox", "host")


def read(path):
    """The rows, and the floors of each scope: (least allowed, most denied)."""
    rows, floors, head = [], {}, None
    with open(path, encoding="utf-8") as f:
        for text in f.read().split("\n"):
            cells = text.split("\t")
            if text.startswith("# floor\t") and cells[1] in SCOPES:
                floors[cells[1]] = (float(cells[2]), float(cells[3]))
            if not text or text.startswith("#"):
                continue
            if head is None:
                head = cells
                if head != ["class", "sandbox", "host", "command"]:
                    sys.exit(f"{path}: the header row is not class, sandbox, host, command")
                continue
            if len(cells) != 4 or cells[1] not in ORDER or cells[2] not in ORDER:
                sys.exit(f"{path}: a row without its columns: {text!r}")
            rows.append(
                {"class": cells[0], "sandbox": cells[1], "host": cells[2], "line": unescape(cells[3])}
            )
    if not rows or set(floors) != set(SCOPES):
        sys.exit(f"{path}: no rows, or no floor for each scope")
    return rows, floors


def shares(rows, scope):
    """How many of the rows are allowed, asked and denied where the person allows."""
    count = dict.fromkeys(ORDER, 0)
    for r in rows:
        if r[scope] == "allow":
            count[r["got"][scope]["effect"]] += 1
    return count


def percent(count):
    total = sum(count.values())
    return [100.0 * count[e] / total if total else 0.0 for e in ("allow", "ask", "deny")]


def table(rows):
    """The shares of each class, and of all, in both scopes."""
    classes = list(dict.fromkeys(r["class"] for r in rows))
    print(f"{'':12} {'sandbox':>24}   {'host':>24}")
    print(f"{'class':12}" + " lines allow   ask  deny  " * 2)
    for name in classes + ["all"]:
        text = f"{name:12}"
        of = [r for r in rows if name in ("all", r["class"])]
        for scope in SCOPES:
            count = shares(of, scope)
            total = sum(count.values())
            cells = "".join(f"{p:6.1f}" for p in percent(count)) if total else "     -" * 3
            text += f" {total:5}{cells}  "
        print(text.rstrip())


def reason(answer):
    """The first part that has the effect of the line, and why."""
    for part in answer.get("commands", []):
        if part["effect"] == answer["effect"]:
            rule = f" [{part['rule']}]" if part.get("rule") else ""
            return f"{part['text']} — {part.get('why') or part.get('risk')}{rule}"
    return answer.get("reason", "")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("file", nargs="?", default=os.path.join(TOP, "tests/data/daily.tsv"))
    p.add_argument("--policy", default=os.path.join(TOP, "tests/data/daily.pol"))
    p.add_argument("--list", choices=("asked", "denied", "both"))
    p.add_argument("--class", dest="only")
    p.add_argument("--scope", choices=SCOPES)
    args = p.parse_args()
    rows, floors = read(args.file)
    if args.only:
        rows = [r for r in rows if r["class"] == args.only]

    with tempfile.TemporaryDirectory() as work:
        bundle = compiled([args.policy], work, "daily")
        for scope in SCOPES:
            for r, a in zip(rows, answers("daily", bundle, [r["line"] for r in rows], scope)):
                r.setdefault("got", {})[scope] = a

    failed = 0
    wanted = {"asked": ("ask",), "denied": ("deny",), "both": ("ask", "deny")}.get(args.list, ())
    for scope in SCOPES:
        for r in rows:
            a = r["got"][scope]
            if ORDER[a["effect"]] < ORDER[r[scope]]:
                failed += 1
                print(f"FAIL {scope}: {r['line'].decode()!r} gets {a['effect']}, a person says {r[scope]}")
            elif r[scope] == "allow" and a["effect"] in wanted and scope == (args.scope or scope):
                print(f"{a['effect']:5} {scope:8} {r['class']:10} {r['line'].decode()!r}\n      {reason(a)}")
    table(rows)
    if not args.only:
        for scope in SCOPES:
            allow, _, deny = percent(shares(rows, scope))
            least, most = floors[scope]
            if round(allow, 1) < least or round(deny, 1) > most:
                failed += 1
                print(
                    f"FAIL {scope}: {allow:.1f} % allowed and {deny:.1f} % denied;"
                    f" the floor is {least} % and {most} %"
                )
    print(f"daily: {len(rows)} lines, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
