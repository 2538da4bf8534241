#!/usr/bin/env python3
"""polc diff beside other ways to compare: real patterns of paths, and rules of egress.

usage: diff_peers.py POLC WORKDIR INCLUDE RUNS.  INCLUDE is tests/bench/include of the rel build, which
says what the ways are.  Milliseconds of processor time; the peers' times begin with resolved
policies, those of polc with its start.
"""
import subprocess
import sys

import diff_speed
import paths

MAY = {0: "alike", 1: "differs", 5: "undecided"}
SIZES = (50, 100, 200, 400, 800)
polc, work, include, runs = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])


def beside(label, kind, old, new):
    """Runs the peers and polc in turn; of each the least time."""
    best = {}
    for _ in range(runs):
        said = subprocess.run([include, kind, old, new], capture_output=True, text=True, check=True).stdout
        for line in said.splitlines():
            name, ms, answer = line.split("\t")
            took = float("inf") if ms == "-" else float(ms)
            if name not in best or took < best[name][0]:
                best[name] = (took, answer)
        ms, status = diff_speed.once([polc, "diff", old, new], MAY)
        if "polc diff" not in best or ms < best["polc diff"][0]:
            best["polc diff"] = (ms, MAY[status])
    for name, (ms, answer) in best.items():
        print(f"{label:44} {name:20} {'-' if ms == float('inf') else format(ms, '.1f'):>9}  {answer}", flush=True)


def main():
    print(f"{'comparison':44} {'by':20} {'min ms':>9}")
    of = paths.rules()
    if of:
        for n in SIZES:
            part = of[::len(of) // n][:n]
            old = diff_speed.write(f"paths{n}", paths.policy(part))
            what, rules = paths.changes(part)[0]
            beside(f"{n} real patterns, {what}", "paths", old, diff_speed.write(f"paths{n}-0", paths.policy(rules)))
        old = diff_speed.write("paths", paths.policy(of))
        for k, (what, rules) in enumerate(paths.changes(of)):
            beside(f"{len(of)} real patterns, {what}", "paths", old, diff_speed.write(f"paths-{k}", paths.policy(rules)))
    else:
        print("apparmor-profiles is not installed: no real patterns")
    for n in (500, 5000):
        old = diff_speed.write(f"egress{n}", diff_speed.egress(n, 0))
        beside(f"{n} rules of egress, one changed", "egress", old, diff_speed.write(f"egress{n}-1", diff_speed.egress(n, 1)))


main()
