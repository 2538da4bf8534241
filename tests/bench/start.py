#!/usr/bin/env python3
"""Start-up of polrun beside bubblewrap.

usage: start.py RUNS BINDIR BUNDLE PROJECT [WHAT [SIGNERS NAME=SIGNED...]].  The commands run in turn
(A B C A B C ...), so that the machine's speed drifts over all of them alike.

Two lines are bubblewrap's, both with the namespaces of the run.  "same view"
has every tree, private directory and mask that `polrun --plan` lists; "same
trees" leaves the masks out and shows more than the policy allows.
"""
import os
import re
import shutil
import statistics
import sys
import tempfile
import time

WARM = 5


def plan(polrun, bundle):
    """The files of --plan: (operations, path), and the absent names that are masked."""
    text = os.popen(f"'{polrun}' -y -b '{bundle}' --plan /bin/true").read()
    rows, absent, inside, base = [], [], False, ""
    for line in text.splitlines():
        if not line.startswith(" "):
            inside = line == "files"
            continue
        gathered = re.match(r"  [a-z ]+?\s+absent below (\S+)", line)
        row = re.match(r"  ([a-z ]+?)\s+(/\S*)", line)
        if inside and gathered:
            base = gathered[1]
        elif inside and row:
            rows.append(row.groups())
        elif inside and line.startswith(" " * 19):
            absent += [f"{base}/{name}" for name in line.split()]
    if not rows or not absent:
        sys.exit("polrun --plan lists no files: has its form changed?")
    return rows, absent


def bwrap(rows, masks, empty, project):
    """Its command line; `masks` are absent names, None leaves every mask out."""
    argv = ["bwrap", "--unshare-user", "--unshare-pid", "--unshare-net",
            "--unshare-ipc", "--unshare-uts", "--disable-userns", "--die-with-parent"]
    anywhere = any(path == "/" for _, path in rows)
    if anywhere:
        argv += ["--ro-bind", "/", "/"]
    argv += ["--proc", "/proc", "--dev", "/dev"]
    for link in () if anywhere else ("/bin", "/sbin", "/lib", "/lib32", "/lib64"):
        if os.path.islink(link):
            argv += ["--symlink", os.readlink(link), link]
    names = []
    for what, path in rows:
        ops = what.split()
        if path == "/" or ops[0] == "devices":
            continue
        if ops[0] in ("scratch", "empty"):
            argv += ["--tmpfs", path]
        elif ops[0] == "hidden":
            names.append(path)
        elif "write" in ops:
            argv += ["--bind", path, path]
        elif "read" in ops:
            argv += ["--ro-bind", path, path]
    for path in [] if masks is None else names + masks:
        if os.path.isdir(path):
            argv += ["--tmpfs", path, "--remount-ro", path]
        else:
            argv += ["--ro-bind", empty, path]
    return argv + ["--chdir", project, "--", "/bin/true"]


def once(argv, streams):
    start = time.perf_counter()
    pid = os.posix_spawnp(argv[0], argv, os.environ, file_actions=streams)
    _, status = os.waitpid(pid, 0)
    return (time.perf_counter() - start) * 1e3, status


def load():
    return open("/proc/loadavg", encoding="ascii").read().split()[0]


def main():
    runs, bindir, bundle, project = int(sys.argv[1]), *sys.argv[2:5]
    if len(sys.argv) > 5 and sys.argv[5]:
        print(sys.argv[5])
    os.chdir(project)
    null = os.open(os.devnull, os.O_RDWR)
    streams = [(os.POSIX_SPAWN_DUP2, null, fd) for fd in range(3)]
    polrun = f"{bindir}/polrun"
    commands = {"fork + exec /bin/true": ["/bin/true"],
                "polrun": [polrun, "-y", "-b", bundle, "/bin/true"]}
    for name, signed in (a.split("=", 1) for a in sys.argv[7:]):
        commands[f"polrun, {name}"] = [polrun, "-y", "-b", signed,
                                       "--allowed-signers", sys.argv[6], "/bin/true"]
    rows, absent = plan(polrun, bundle)
    empty = tempfile.NamedTemporaryFile()  # until the end
    os.fchmod(empty.fileno(), 0)
    if shutil.which("bwrap"):
        masks = len(absent) + sum(what == "hidden" for what, _ in rows)
        commands[f"bubblewrap, same view ({masks} masks)"] = bwrap(rows, absent, empty.name,
                                                                  project)
        commands["bubblewrap, same trees, no masks"] = bwrap(rows, None, empty.name, project)
    times = {name: [] for name in commands}
    before = load()
    for i in range(runs + WARM):
        for name, argv in commands.items():
            took, status = once(argv, streams)
            if status != 0:
                os.posix_spawnp(argv[0], argv, os.environ)
                sys.exit(f"{name} ended with {status}")
            if i >= WARM:
                times[name].append(took)
    print(f"uid {os.getuid()}, kernel {os.uname().release}, {os.cpu_count()} processors, "
          f"load {before} to {load()}, {runs} interleaved runs, ms")
    print(f"{'command':36} {'min':>7} {'p5':>7} {'p25':>7} {'median':>7} {'p75':>7} {'p95':>7}")
    for name, t in times.items():
        t.sort()
        q = [t[0]] + [t[int(len(t) * p)] for p in (.05, .25)]
        q += [statistics.median(t)] + [t[int(len(t) * p)] for p in (.75, .95)]
        print(f"{name:36} " + " ".join(f"{v:7.2f}" for v in q))
    for mine, ours in times.items():
        for name, t in times.items():
            if mine.startswith("polrun") and name.startswith("bubblewrap"):
                print(f"{mine} / {name}: {statistics.median(ours) / statistics.median(t):.2f}")


main()
