#!/usr/bin/env python3
"""From the path of a signed bundle to "ready to decide", beside what others need
to verify a file.

usage: open.py RUNS BINDIR OPEN WORKDIR.  OPEN is tests/bench/open.c, built.  What
runs in the process is a loop of its own; the programs run in turn.
"""
import os
import shutil
import statistics
import subprocess
import sys
import time


def policy(n):
    """n rules: seven of ten of commands, the rest of files and the network."""
    yield "policy bench { level user }"
    for i in range(n):
        if i % 10 < 7:
            yield f'command {{ {"deny" if i % 3 else "allow"} "tool{i} sub{i % 7}:*" }}'
        else:
            yield f'file {{ allow read "/opt/tree{i}/data" }}'


def line(name, t):
    print(f"{name:48} " + " ".join(f"{v:7.3f}" for v in t))


def quantiles(t):
    t = sorted(t)
    return [t[0]] + [t[int(len(t) * p)] for p in (.05, .25)] + [statistics.median(t)] + \
           [t[int(len(t) * p)] for p in (.75, .95)]


def main():
    runs, bindir, prog, work = int(sys.argv[1]), *sys.argv[2:5]
    os.chdir(work)
    polc = f"{bindir}/polc"
    call = dict(check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                stdin=subprocess.DEVNULL)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "bench-key"], **call)
    with open("bench-key.pub", encoding="ascii") as key, open("bench-list", "w",
                                                               encoding="ascii") as f:
        f.write("bench " + key.read())
    os.chmod("bench-list", 0o644)
    print(f"{'ms':48} " + " ".join(f"{w:>7}" for w in
                                   ("min", "p5", "p25", "median", "p75", "p95")))
    for n in (10, 100, 1000, 10000):
        with open("bench.pol", "w", encoding="ascii") as f:
            f.write("\n".join(policy(n)) + "\n")
        subprocess.run([polc, "compile", "bench.pol", "-o", "plain.polb"], **call)
        subprocess.run([polc, "sign", "--key", "bench-key", "-o", "signed.polb",
                        "plain.polb"], **call)
        size = os.stat("signed.polb").st_size >> 10
        for name, args in ((f"open, unsigned, {n} rules", ["plain.polb"]),
                           (f"open, signed, {n} rules ({size} KiB)",
                            ["signed.polb", "bench-list"])):
            out = subprocess.run([prog, str(runs)] + args, capture_output=True, text=True,
                                 check=True).stdout
            line(name, map(float, out.split()))
        if n == 100:
            shutil.copyfile("signed.polb", "hundred.polb")
    peers(runs, polc, call)


def peers(runs, polc, call):
    """Each verifies one file of the size of a bundle of 100 rules, as a process."""
    subprocess.run("tar xf hundred.polb -O manifest.json >bench-manifest && "
                   "tar xf hundred.polb -O --wildcards 'signatures/*' >bench-sig",
                   shell=True, check=True)
    commands = {
        "process: /bin/true": (["/bin/true"], None),
        "process: polc verify, 100 rules": (
            [polc, "verify", "--allowed-signers", "bench-list", "hundred.polb"], None),
        "process: ssh-keygen -Y verify, its manifest": (
            ["ssh-keygen", "-Y", "verify", "-f", "bench-list", "-I", "bench", "-n",
             "polc-bundle", "-s", "bench-sig"], "bench-manifest"),
    }
    if shutil.which("minisign"):
        for f in ("mini.pub", "mini.key"):
            if os.path.exists(f):
                os.unlink(f)
        subprocess.run(["minisign", "-G", "-W", "-p", "mini.pub", "-s", "mini.key"], **call)
        subprocess.run(["minisign", "-S", "-s", "mini.key", "-m", "hundred.polb"], **call)
        commands["process: minisign -V, the whole bundle"] = (
            ["minisign", "-V", "-q", "-p", "mini.pub", "-m", "hundred.polb"], None)
    times = {name: [] for name in commands}
    for i in range(runs + 5):
        for name, (argv, stdin) in commands.items():
            with open(stdin or os.devnull, "rb") as f:
                start = time.perf_counter()
                subprocess.run(argv, **{**call, "stdin": f})
                took = (time.perf_counter() - start) * 1e3
            if i >= 5:
                times[name].append(took)
    for name, t in times.items():
        line(name, quantiles(t))


main()
