#!/usr/bin/env python3
"""PSS of polrun and polinit while `sleep` runs.

usage: memory.py BINDIR BUNDLE PROJECT [PREFIX ...].  PREFIX changes the user (setpriv);
the reader stays root, since the supervisor lets nobody else look.
"""
import os
import subprocess
import sys
import time


def family(pid):
    out = [pid]
    for p in out:
        try:
            for tid in os.listdir(f"/proc/{p}/task"):
                with open(f"/proc/{p}/task/{tid}/children", encoding="ascii") as f:
                    out += [int(c) for c in f.read().split()]
        except OSError:
            pass
    return out


def main():
    bindir, bundle, project, prefix = *sys.argv[1:4], sys.argv[4:]
    with open(os.devnull, "r+b") as null:
        p = subprocess.Popen(prefix + [f"{bindir}/polrun", "-y", "-b", bundle, "sleep", "2"],
                             cwd=project, stdin=null, stdout=null, stderr=null)
    time.sleep(0.7)
    total = seen = 0
    for pid in family(p.pid):
        try:
            with open(f"/proc/{pid}/comm", encoding="ascii") as f:
                name = f.read().strip()
            with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as f:
                pss = next(int(line.split()[1]) for line in f if line.startswith("Pss:"))
        except OSError as e:
            sys.exit(f"process {pid}: {e.strerror}: run it as root")
        print(f"PSS {name:32} {pss:6} KiB")
        if name in ("polrun", "polinit"):
            total += pss
            seen += 1
    print(f"PSS polrun + polinit {total:19} KiB")
    p.wait()
    if seen < 2:
        sys.exit("polrun and polinit were not both there")


main()
