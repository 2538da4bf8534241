#!/usr/bin/env python3
"""Attack lines against allow-lists of real programs (tests/data/attacks.tsv).

usage: attacks.py [FILE.tsv] [--all] [--write]

The rule set allows whole programs and denies `rm`, `curl` and others.  Each line tries to have
one of the first run one of the latter, with the word "pwned" behind it.  A line that is allowed is run
by bash in a jail without network, with the real programs, in a repository of git with
files for each of them; what is denied there is a stub that writes its words down.  None that
is allowed may have run a stub so.  And each is decided as its row says (expected): an ask
that is none any more, or an allow, is seen though the jail cannot show what comes of it.

A row whose reason begins with "[known]" is one that gets through, and doc/commands.md says so
under its limits; one that no longer does fails, so that its mark goes.

A program of an interpreter is its own code (contract 4.2), so python and node have only their
script allowed.  The column `ran` says that the line does what it tries where nobody
decides: a part of those lines is run, too, and must be seen, or the jail would say nothing.
--all runs all of these; --write fills in what polquery says (expected) and what ran.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(sys.path[0], "../lib"))
import bypass  # noqa: E402
import slices  # noqa: E402

FILE = os.path.join(bypass.TOP, "tests/data/attacks.tsv")
STUBS = "rm curl wget sudo dd chmod".split()
CONTROLS = 60
LEAST = 1000
SETUP = r"""set -e
cd "$1" && mkdir app home home/.ssh && export HOME=$1/home GIT_CONFIG_NOSYSTEM=1
git config --global user.name u && git config --global user.email u@h
git config --global init.defaultBranch main && git config --global safe.directory '*'
git config --global protocol.file.allow always
cd app && git init -q . && mkdir src e h t evil
echo d >f; echo f >list; printf '%5000s' x >big; echo 1 >src/g; echo 'x filter=x diff=x merge=x' >at
printf 'f filter=x diff=x merge=x\n' >.gitattributes
printf 'all:\n\t@true\n%%.o: %%.c\n\t@true $(CC) $(CFLAGS)\n' >Makefile; : >a.c
echo 'print(1)' >x.py; echo 'print 1' >x.pl; echo 'console.log(1)' >a.js; echo '{"scripts":{"test":"true"}}' >package.json
printf '#!/bin/dash\nrm pwned\n' >x; cp x h/post-commit; cp x h/pre-commit; /bin/busybox true 2>/dev/null || :
for s in x h/post-commit h/pre-commit; do command chmod 755 $s; done
echo '[alias]z = !rm pwned' >evil.cfg; echo 'script-shell=./x' >rc; echo 'import os' >e/x.py
tar cf a.tar f list
git add -A && git commit -q -m one && git branch b && echo e >>f && git commit -q -a -m two
git checkout -q b && echo z >>f && git commit -q -a -m three && git checkout -q main
cd .. && git clone -q --bare app r.git && cd app && git remote add origin ../r.git && git fetch -q
echo new >>f
"""


def prepare(work):
    subprocess.run(["bash", "-c", SETUP, "setup", work], check=True, capture_output=True,
                   env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"})
    with open(work + "/stub", "w", encoding="utf-8") as f:
        f.write('#!/bin/dash\necho "${0##*/} $*" >>/log/ran\n')
    os.chmod(work + "/stub", 0o755)


def jail(work, own):
    """The words before a command that runs in a copy, in the folder `own`, of what was prepared."""
    for d in ("app", "home", "r.git"):
        subprocess.run(["cp", "-a", f"{work}/{d}", own], check=True)
    os.mkdir(own + "/log")
    argv = ["bwrap", "--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp",
            "--dir", "/home/dev", "--bind", own + "/app", "/home/dev/app", "--bind", own + "/r.git",
            "/home/dev/r.git", "--bind", own + "/home", "/home/dev/home", "--bind", own + "/log", "/log",
            "--unshare-all", "--die-with-parent", "--chdir", "/home/dev/app", "--clearenv",
            "--ro-bind", "/etc/passwd", "/etc/passwd", "--ro-bind", "/etc/alternatives", "/etc/alternatives",
            "--setenv", "HOME", "/home/dev/home", "--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin",
            "--setenv", "GIT_CONFIG_NOSYSTEM", "1", "--setenv", "TERM", "dumb"]
    for link in ("bin", "sbin", "lib", "lib64"):
        argv += ["--symlink", "usr/" + link, "/" + link]
    for name in STUBS:
        path = shutil.which(name, path="/usr/bin:/bin")
        if path:
            argv += ["--ro-bind", work + "/stub", os.path.realpath(path)]
    return argv


def ran(work, line):
    """Did a stub write its words?"""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as own:
        argv = jail(work, own)
        try:
            subprocess.run([*argv, "bash", "-c", "--", line], stdin=subprocess.DEVNULL,
                           capture_output=True, timeout=8)
        except subprocess.TimeoutExpired:
            pass
        try:
            with open(own + "/log/ran", encoding="utf-8", errors="replace") as f:
                return any("pwned" in text for text in f)
        except FileNotFoundError:
            return False


def write(path, rows, answers, found):
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    for row, a in zip(rows, answers):
        cells = lines[row["at"]].split("\t")
        lines[row["at"]] = "\t".join([*cells[:2], a["effect"], cells[3],
                                      "yes" if found.get(row["at"]) else "-"])
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("file", nargs="?", default=FILE)
    p.add_argument("--all", action="store_true")
    p.add_argument("--write", action="store_true")
    p.add_argument("--polquery", help="another program in its place")
    args = p.parse_args()
    if args.polquery:
        bypass.POLQUERY = args.polquery.split()
    rows = bypass.rows_of(args.file)
    # all are asked, the day's are run
    whole = args.all or args.write or args.file != FILE
    today = {r["at"] for r in (rows if whole else slices.cut(rows))}
    seed = int(os.environ.get("SEED") or random.randrange(1 << 30))
    print(f"SEED={seed}")
    answers = {}
    with tempfile.TemporaryDirectory(dir="/var/tmp") as work:
        for name in sorted({r["set"] for r in rows}):
            own = [r for r in rows if r["set"] == name]
            for r, a in zip(own, bypass.ask(name, [r["line"] for r in own], work)):
                answers[r["at"]] = a
        prepare(work)
        allowed = [r for r in rows if answers[r["at"]]["effect"] == "allow" and r["at"] in today]
        others = [r for r in rows if answers[r["at"]]["effect"] != "allow" and r["ran"] == "yes" and r["at"] in today]
        if args.write:
            others = [r for r in rows if answers[r["at"]]["effect"] != "allow"]
        elif not args.all:
            others = random.Random(seed).sample(others, min(CONTROLS, len(others)))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            did = dict(zip((r["at"] for r in allowed + others),
                           pool.map(lambda r: ran(work, r["line"].decode()), allowed + others)))
    if args.write:
        write(args.file, rows, [answers[r["at"]] for r in rows], did)
    through = [r for r in allowed if did[r["at"]]]
    known = [r for r in rows if r["why"].startswith("[known]")]
    bad = [r for r in through if r not in known]
    other = [] if args.write else [r for r in rows if answers[r["at"]]["effect"] != r["want"]]
    stale = [r for r in known if answers[r["at"]]["effect"] != "allow"]
    for r in stale:
        print(f"FAIL {r['line'].decode()}\n     it is marked as known, and is not allowed")
    for r in other:
        print(f"FAIL {r['line'].decode()}\n     {answers[r['at']]['effect']}, not {r['want']} as its row says")
    for r in bad:
        print(f"FAIL {r['line'].decode()}\n     it is allowed, and ran what is denied")
    missed = [r for r in others if not args.write and not did[r["at"]]]
    for r in missed:
        print(f"note {r['line'].decode()}\n     it ran nothing that is denied, the table says it does")
    print(f"     {len(rows)} lines, {len(allowed)} allowed, {sum(r['ran'] == 'yes' for r in rows)} do what they try, "
          f"{len(known)} known to get through")
    few = len(rows) < LEAST and args.file == FILE or (not args.write and 2 * len(missed) > len(others))
    if few:
        print("FAIL the lines are too few, or the jail sees nothing: the test says nothing")
    done = len(allowed) + len(others)
    failed = len(bad) + len(stale) + len(other) + few
    print(f"{done - len(bad)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
