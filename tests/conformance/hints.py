#!/usr/bin/env python3
"""What is said to make a line pass (`hint`) is true.

usage: hints.py [FILE.tsv] [--policy FILE.pol] [--list]

Each line of FILE (tests/data/daily.tsv) is asked of polquery, in both scopes.  What is not
allowed must have a hint, and so must each part of the line that is not.  If the hint is a
rule, it is written into a policy of the level `user`, compiled with the other, and the line
must be allowed then, in the same scope; a line that is denied never gets a rule.  A rule
for a part must make at least that part pass.

With POL_SLICE a seventh of the rules is tried.  --list prints all hints.  Prints each failure; the last line is "hints: N lines, N rules, N failures".
"""

import argparse
import concurrent.futures
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../lib")]
from bypass import TOP, answers, compiled  # noqa: E402
from daily import SCOPES, read  # noqa: E402
from slices import cut  # noqa: E402


def misses(line, scope, a):
    """What is wrong with an answer itself."""
    if a["effect"] == "allow":
        return ["has a hint though it is allowed"] if a["hint"] else []
    out = []
    if not a["hint"] or "\n" in a["hint"]:
        out.append("has no hint of one line")
    if a["hint_is_rule"] and a["effect"] != "ask":
        out.append("is denied, and a rule is suggested")
    for p in a.get("commands", []):
        if (p["effect"] == "allow") == bool(p["hint"]):
            out.append(f"part {p['text']!r} is {p['effect']} with the hint {p['hint']!r}")
    return out


def tried(policy, work, number, scope, hint, lines):
    """The answers of these lines with the rule."""
    user = os.path.join(work, f"{number}.pol")
    with open(user, "w", encoding="utf-8") as f:
        f.write("policy own { level user }\n" + hint + "\n")
    bundle = compiled(["--project", policy, "--user", user], work, f"try{number}")
    out = list(answers("try", bundle, lines, scope))
    os.remove(bundle)
    return out


def main():
    p = argparse.ArgumentParser()
    p.add_argument("file", nargs="?", default=os.path.join(TOP, "tests/data/daily.tsv"))
    p.add_argument("--policy", default=os.path.join(TOP, "tests/data/daily.pol"))
    p.add_argument("--list", action="store_true")
    args = p.parse_args()
    lines = [r["line"] for r in read(args.file)[0]]
    failed, rules = 0, {}

    def fail(scope, line, text):
        nonlocal failed
        failed += 1
        print(f"FAIL {scope}: {line.decode()!r} {text}")

    with tempfile.TemporaryDirectory() as work:
        bundle = compiled([args.policy], work, "hints")
        for scope in SCOPES:
            for line, a in zip(lines, answers("hints", bundle, lines, scope)):
                for text in misses(line, scope, a):
                    fail(scope, line, text)
                if args.list and a["effect"] != "allow":
                    print(f"{a['effect']:5} {scope:8} {line.decode()!r}\n      {a['hint']}")
                if a["hint_is_rule"]:
                    rules.setdefault((scope, a["hint"]), []).append(line)
        todo = cut(sorted(rules.items()))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [
                (scope, hint, of, pool.submit(tried, args.policy, work, i, scope, hint, of))
                for i, ((scope, hint), of) in enumerate(todo)
            ]
            for scope, hint, of, job in jobs:
                try:
                    got = job.result()
                except SystemExit as e:
                    fail(scope, of[0], f"gets a rule that does not compile: {hint}\n{e}")
                    continue
                for line, a in zip(of, got):
                    if a["effect"] != "allow":
                        fail(scope, line, f"gets {a['effect']} with {hint}: {a['hint']}")
    if not todo:
        failed += 1
        print("FAIL hints: no rule is suggested for any line")
    print(f"hints: {len(lines)} lines, {len(todo)} rules, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
