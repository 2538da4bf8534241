#!/usr/bin/env python3
"""polc diff on realistic sizes: commands and files, egress, and recorded requests.

usage: diff_speed.py POLC WORKDIR.  Milliseconds of processor time (user and system), so that a
busy machine changes little; memory is the largest resident set.
"""
import json
import os
import statistics
import subprocess
import sys

polc, work = sys.argv[1], sys.argv[2]
peak = [] # resident sets, in KiB


def write(name, body):
    path = f"{work}/{name}.pol"
    with open(path, "w", encoding="ascii") as f:
        f.write("policy bench { level project }\n" + body)
    return path


def mixed(n, changed):
    """n rules, seven of ten of commands; `changed` of them with another effect."""
    commands, files = [], []
    for i in range(n * 7 // 10):
        deny = bool(i % 3) != (i < changed)
        commands.append(f'{"deny" if deny else "allow"} "tool{i} sub{i % 7}:*"')
    for i in range(n - len(commands)):
        files.append(f'allow read "/opt/tree{i}/data"')
    return ("command {\n\t" + "\n\t".join(commands) + "\n}\nfile {\n\t" + "\n\t".join(files) + "\n}\n")


def egress(n, changed):
    """n networks, each with a port; every tenth lies inside of another one."""
    rules = []
    for i in range(n):
        at = i - i % 10
        net = f"10.{at // 256 % 256}.{at % 256}.0/24" if i % 10 == 0 else f"10.{at // 256 % 256}.{at % 256}.{i % 10 * 16}/28"
        port = 1000 + i % 50 + (1 if i < changed else 0)
        rules.append(f'{"deny" if i % 3 == 1 else "allow"} {net} port {port}')
    return "network limited {\n\t" + "\n\t".join(rules) + "\n}\n"


def traffic(n, different):
    path = f"{work}/traffic{different}.jsonl"
    with open(path, "w", encoding="ascii") as f:
        for k in range(n):
            i = k % different
            row = {"record": 1, "by": "polquery", "kind": "command", "line": f"tool{i % 700} sub{i % 7} arg{i}",
                   "cwd": "/srv/app", "home": "/srv", "project": "/srv/app", "scope": "sandbox", "effect": "allow"}
            f.write(json.dumps(row, separators=(",", ":")) + "\n")
    return path


def once(argv, may=(0, 1)):
    """Milliseconds of processor time, and the status; `peak` gets its memory."""
    p = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    err = p.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    if p.returncode not in may:
        sys.exit(f"{' '.join(argv)} ended with {p.returncode}: {err[:400]}")
    peak.append(usage.ru_maxrss)
    return (usage.ru_utime + usage.ru_stime) * 1e3, p.returncode


def measure(label, argv, runs):
    peak.clear()
    took = [once(argv)[0] for _ in range(runs)]
    print(f"{label:46} {min(took):9.1f} {statistics.median(took):9.1f} {max(took):9.1f} {max(peak) / 1024:8.1f}", flush=True)


def main():
    print(f"{'command':46} {'min ms':>9} {'median ms':>9} {'max ms':>9} {'MiB':>8}")
    for n in (1000, 10000):
        old = write(f"mixed{n}", mixed(n, 0))
        measure(f"polc diff, {n} rules, one changed", [polc, "diff", old, write(f"mixed{n}-1", mixed(n, 1))], 5)
        measure(f"polc diff, {n} rules, ten changed", [polc, "diff", old, write(f"mixed{n}-10", mixed(n, 10))], 5)
    old = write("egress", egress(5000, 0))
    measure("polc diff, 5000 rules of egress, one changed", [polc, "diff", old, write("egress-1", egress(5000, 1))], 3)
    measure("polc diff, 5000 rules of egress, ten changed", [polc, "diff", old, write("egress-10", egress(5000, 10))], 3)
    for different in (1000, 4000, 100000):
        measure(f"polc diff, 100000 records, {different} different",
                [polc, "diff", f"{work}/mixed1000.pol", f"{work}/mixed1000-10.pol", "--traffic", traffic(100000, different)], 1)


if __name__ == "__main__":
    main()
