#!/usr/bin/env python3
"""What real shells do with the lines of a corpus: which denied programs ran.

usage: bypass_oracle.py FILE.tsv [--write]

Each line of a rule set that bash or dash reads is run in a jail without network, in
which the programs that some rule set denies are stubs that log themselves.  The
column `ran` names those that ran, "-" when none did, "?" where that depends on time
or on a program that is not here.  With --write the column is filled, else compared.
And whatever the column says: a line in which a program ran that its rule set denies
literally must not be expected to be milder than `ask`.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import bypass

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import slices  # noqa: E402

NAMES = (
    "rm sudo doas dd curl wget chmod ssh scp nc telnet npm terraform docker kubectl aws "
    "cargo make shutdown mkfs"
).split()
DENIED = {
    "R1": {"rm", "curl", "wget", "sudo", "doas", "dd", "chmod"},
    "R1@dash": {"rm", "curl", "wget", "sudo", "doas", "dd", "chmod"},
    "R3": {"dd", "mkfs", "shutdown"},
    "R-shells": {"rm"},
}
# which of several processes is first, or the end of the jail, decides
UNSURE = (b"&", b"coproc", b">(", b"| xargs", b"trap")


def missing():
    """The programs of the library's tables that are not on this machine."""
    names, folder = set(), os.path.join(bypass.TOP, "stdlib-policies/commands")
    for file in os.listdir(folder):
        with open(os.path.join(folder, file), encoding="utf-8") as f:
            for m in re.finditer(r"(?:program|wrapper|interpreter) ([^{\n]+) \{", f.read()):
                names.update(m[1].replace('"', "").replace(",", " ").split())
    said = subprocess.run(["bash", "-c", "compgen -bk"], capture_output=True, text=True, check=True)
    here = "/usr/local/bin:/usr/bin:/bin"
    return {n for n in names - set(said.stdout.split()) if not shutil.which(n, path=here)}


def jail(work):
    app, log = os.path.join(work, "app"), os.path.join(work, "log")
    os.makedirs(os.path.join(app, "src"))
    os.makedirs(log)
    for name in ("f", "list"):
        with open(os.path.join(app, name), "w") as f:
            f.write("d\n")
    stub = os.path.join(work, "stub")
    with open(stub, "w") as f:
        f.write('#!/bin/dash\necho "${0##*/}" >>/log/ran\n')
    os.chmod(stub, 0o755)
    args = ["bwrap", "--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev",
            "--tmpfs", "/tmp", "--tmpfs", "/home", "--bind", app, "/home/dev/app",
            "--bind", log, "/log", "--unshare-all", "--die-with-parent",
            "--chdir", "/home/dev/app", "--setenv", "HOME", "/home/dev",
            "--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin"]
    for link in ("bin", "sbin", "lib", "lib64"):
        args += ["--symlink", "usr/" + link, "/" + link]
    for name in NAMES:
        path = os.path.join("/usr/bin", name)
        if os.path.exists(path):
            args += ["--ro-bind", stub, os.path.realpath(path)]
    return args, os.path.join(log, "ran")


def ran(row):
    with tempfile.TemporaryDirectory(dir="/var/tmp") as work:
        args, log = jail(work)
        shell = "dash" if row["set"] == "R1@dash" else "bash"
        try:
            subprocess.run([*args, shell, "-c", "--", row["line"]], stdin=subprocess.DEVNULL,
                           capture_output=True, timeout=10)
        except subprocess.TimeoutExpired:
            return None
        if not os.path.exists(log):
            return set()
        with open(log) as f:
            return set(f.read().split())


def main():
    path, write = sys.argv[1], "--write" in sys.argv[2:]
    rows = bypass.rows_of(path)
    asked = [r for r in rows if r["set"] in DENIED and b"\0" not in r["line"]]
    if not write:
        asked = slices.cut(asked)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(ran, asked))
    wrong = compared = 0
    said, absent = {}, missing()
    # Debian's busybox-static prefers its own applets to programs in PATH: the stub for rm does
    # not run, though rm does.
    if not ran({"set": "R1", "line": b"busybox env rm d"}):
        absent.add("busybox")
    for row, got in zip(asked, answers):
        words = set(re.findall(r"[\w.+-]+", row["line"].decode("utf-8", "replace")))
        unsure = got is None or any(u in row["line"] for u in UNSURE) or not got and words & absent
        text = "?" if unsure else ",".join(sorted(got)) or "-"
        said[row["at"]] = text
        if got and row["want"] == "allow" and got & DENIED[row["set"]]:
            print(f"FAIL {row['line']!r} is to be allowed, and ran {got}")
            wrong += 1
        if not write and row["ran"] and "?" not in (text, row["ran"]):
            compared += 1
            if text != row["ran"]:
                print(f"FAIL {row['line']!r} ran {text}, the table says {row['ran']}")
                wrong += 1
    if write:
        with open(path, encoding="utf-8") as f:
            lines = f.read().split("\n")
        for at, text in said.items():
            cells = lines[at].split("\t")
            lines[at] = "\t".join(cells[:4] + [text])
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(lines))
    print(f"{len(asked)} lines were run, {compared} compared, {wrong} differ")
    return 1 if wrong or not asked else 0


if __name__ == "__main__":
    sys.exit(main())
