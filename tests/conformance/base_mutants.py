#!/usr/bin/env python3
"""Each word of std/base that gives or takes something away is gone once: a test must fail.

usage: base_mutants.py [--all] [-v]

The tests are those of base.pol itself and of tests/data/base.  A copy of polc finds the changed
library where an installed one does.  A mutant that passes them all is a failure, and so
is one that is no policy: both say nothing.  DRAWN of them are tried with SEED=, --all tries
each.  What no request shows (limits, variables) is held by the goldens of the folder levels, and
the network and io_uring by the floor, which says the same.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build/dev"))
OWN = [os.path.join(TOP, "tests/data/base", name) for name in ("open.pol", "plain.pol")]
LEAST, DRAWN = 100, 40
FLOOR = ("@io-uring",)  # the floor denies it as well
SECTIONS = ("file", "unix", "syscall", "command")


def mutants(text):
    """(what is changed, the text)."""
    end = text.index('\ntest "')
    for section in re.finditer(rf"^({'|'.join(SECTIONS)}) \{{(?:[^\n]+\}}$|.*?^\}})", text[:end], re.S | re.M):
        at = section.start()
        # a path, an alternative of one, a group, a call
        for m in re.finditer(r'"[^"\n]+"|@[a-z-]+|(?<=deny )bpf'
                             r"|userfaultfd|setns|open_by_handle_at|clone3",
                             section[0]):
            line = section[0][section[0].rfind("\n", 0, m.start()) + 1:m.start()]
            if "#" in line or "because" in line or m[0] in FLOOR:
                continue
            new = {'"': '"/no/such/place"', "@": "delete_module"}.get(m[0][0], "no-such")
            new = "delete_module" if section[1] == "syscall" else new
            yield m[0], text[:at + m.start()] + new + text[at + m.end():]
            for k in re.finditer(r"(?<=[{,])[a-z_-]+(?=[,}])", m[0]):
                k_at = at + m.start() + k.start()
                yield f"{k[0]} of {m[0]}", text[:k_at] + "no-such" + text[k_at + len(k[0]):]
        for old, new in ((" when scope == sandbox", ""), ('"/proc" when scope == host', '"/proc" when scope == sandbox'),
                         ("otherwise deny", "otherwise ask"), ("clone(flags), ", ""), (", unshare(flags)", ""),
                         ("medium ask", "medium allow"), ("high deny", "high ask"),
                         ("low allow", "low ask"), ("opaque ask", "opaque allow")):
            for m in re.finditer(re.escape(old), section[0]):
                yield f"{section[1]}: {old}", text[:at + m.start()] + new + text[at + m.end():]


def check(polc, library, file):
    done = subprocess.run([polc, "check", "--color=never", file], capture_output=True, text=True,
                          cwd=os.path.dirname(library))
    if done.returncode == 0:
        return None
    return done.stderr + done.stdout


def judge(work, n, text):
    """"passes", "fails", or what polc says of a text that is no policy."""
    top = os.path.join(work, str(n))
    library = os.path.join(top, "share/pol/stdlib-policies")
    os.makedirs(top + "/bin")
    shutil.copy(os.path.join(BUILD, "bin/polc"), top + "/bin/polc")
    shutil.copytree(os.path.join(TOP, "stdlib-policies"), library)
    with open(library + "/base.pol", "w", encoding="utf-8") as f:
        f.write(text)
    ret = "passes"
    for file in [library + "/base.pol", *OWN]:
        said = check(top + "/bin/polc", library, file)
        if said and "P0601" not in said:
            ret = said
        elif said:
            ret = "fails"
        if said:
            break
    shutil.rmtree(top)
    return ret


def main():
    with open(os.path.join(TOP, "stdlib-policies/base.pol"), encoding="utf-8") as f:
        text = f.read()
    all_of = list(mutants(text))
    few = len(all_of) < LEAST
    seed = int(os.environ.get("SEED") or random.randrange(1 << 30))
    print(f"SEED={seed}: {len(all_of)} mutants")
    if "--all" not in sys.argv[1:]:
        all_of = random.Random(seed).sample(all_of, min(DRAWN, len(all_of)))
    all_of.insert(0, ("nothing", text))
    with tempfile.TemporaryDirectory(dir="/var/tmp") as work, ThreadPoolExecutor(os.cpu_count()) as pool:
        said = list(pool.map(lambda x: judge(work, x[0], x[1][1]), enumerate(all_of)))
    failed = 0
    for (what, _), got in zip(all_of, said):
        if got == ("passes" if what == "nothing" else "fails"):
            if "-v" in sys.argv[1:]:
                print(f"ok   {what}: {got}")
            continue
        failed += 1
        print(f"FAIL without {what}: " + ("no test notices" if got == "passes" else got))
    if few:
        failed += 1
        print("FAIL so few mutants: the test says nothing")
    print(f"{max(len(all_of) - failed, 0)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
