#!/usr/bin/env python3
"""Start-up of polrun beside bubblewrap with the same namespaces and binds.

usage: start.py RUNS BINDIR BUNDLE PROJECT.  The commands run in turn (A B C A B
C …), so that the machine's speed drifts over all of them alike.
"""
import os
import shutil
import statistics
import subprocess
import sys
import time

runs, bindir, bundle, project = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
os.chdir(project)
null = open(os.devnull, "r+b")

bwrap = ["bwrap", "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc",
         "--unshare-uts", "--disable-userns", "--die-with-parent",
         "--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc",
         "--symlink", "usr/bin", "/bin", "--symlink", "usr/sbin", "/sbin",
         "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
         "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp",
         "--bind", project, project, "--chdir", project, "--", "/bin/true"]
commands = {
    "fork+exec /bin/true": ["/bin/true"],
    "polrun /bin/true": [f"{bindir}/polrun", "-y", "-b", bundle, "/bin/true"],
}
if shutil.which("bwrap"):
    commands["bubblewrap /bin/true"] = bwrap

times = {name: [] for name in commands}
for i in range(runs + 5):
    for name, argv in commands.items():
        start = time.perf_counter()
        status = subprocess.call(argv, stdin=null, stdout=null, stderr=null)
        took = (time.perf_counter() - start) * 1e3
        if status != 0:
            subprocess.call(argv)
            sys.exit(f"{name} ended with {status}")
        if i >= 5:
            times[name].append(took)

print(f"uid {os.getuid()}, kernel {os.uname().release}, {runs} interleaved runs, ms")
print(f"{'command':24} {'p5':>8} {'median':>8} {'p95':>8}")
for name, t in times.items():
    t.sort()
    print(f"{name:24} {t[len(t) // 20]:8.2f} {statistics.median(t):8.2f} {t[-len(t) // 20]:8.2f}")
if "bubblewrap /bin/true" in times:
    ratio = [a / b for a, b in zip(times["polrun /bin/true"], times["bubblewrap /bin/true"])]
    print(f"polrun/bubblewrap, medians: "
          f"{statistics.median(times['polrun /bin/true']) / statistics.median(times['bubblewrap /bin/true']):.2f}")

# PSS of everything but the command itself while `sleep` runs.
p = subprocess.Popen([f"{bindir}/polrun", "-y", "-b", bundle, "sleep", "2"], stdin=null)
time.sleep(0.5)


def children(pid):
    out = []
    try:
        for tid in os.listdir(f"/proc/{pid}/task"):
            for c in open(f"/proc/{pid}/task/{tid}/children").read().split():
                out += [int(c)] + children(int(c))
    except OSError:
        pass
    return out


total = 0
for pid in [p.pid] + children(p.pid):
    try:
        name = open(f"/proc/{pid}/comm").read().strip()
        pss = sum(int(line.split()[1]) for line in open(f"/proc/{pid}/smaps_rollup") if line.startswith("Pss:"))
    except OSError as e:
        name, pss = f"pid {pid}: {e.strerror}", 0
    print(f"PSS {name:24} {pss:6} KiB")
    if name in ("polrun", "polinit"):
        total += pss
print(f"PSS polrun + polinit {total:10} KiB")
p.wait()
