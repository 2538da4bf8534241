#!/usr/bin/env python3
"""Does layers.py refuse what it should?  In a scratch copy each guarded folder gets a file
with every include that it may not have; the copy as it was has to pass."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import layers

LINT = os.path.abspath("tests/lint/layers.py")


def run(where):
    """Status and lines of layers.py in the copy."""
    r = subprocess.run([sys.executable, LINT], cwd=where, capture_output=True, text=True)
    return r.returncode, sorted((r.stdout + r.stderr).splitlines())


def add(where, name, lines):
    os.makedirs(os.path.join(where, os.path.dirname(name)), exist_ok=True)
    with open(os.path.join(where, name), "w") as f:
        f.writelines(line + "\n" for line in lines)


def refused(where, name, lines, wanted):
    """A complaint where the copy with this file is not refused for just that."""
    add(where, name, lines)
    status, said = run(where)
    os.remove(os.path.join(where, name))
    if status != 0 and said == sorted(wanted):
        return []
    return [f"{name}: {len(wanted)} complaints are due, status {status} and these came:"] + said


def header_of(folder):
    return sorted(n for n in layers.sources() if os.path.dirname(n) == folder)[0]


def tests(where):
    allowed = layers.arrows()
    headers = {folder: header_of(folder) for folder in allowed}
    status, said = run(where)
    if status or said:
        return ["the copy as it is does not pass:"] + said
    bad = []
    for folder, targets in allowed.items():
        name = f"{folder}/forbidden.h"
        lines = [h for t, h in sorted(headers.items()) if t != folder and t not in targets]
        bad += refused(where, name, [f'#include "{h}"' for h in lines],
                       [f"{name}:{i}: {folder} may not include {h}"
                        for i, h in enumerate(lines, 1)])
    bad += refused(where, "runtime/base/odd.h", ['#include "runtime/base/none.h"'],
                   ["runtime/base/odd.h:1: there is no runtime/base/none.h"])
    bad += refused(where, "runtime/nowhere/odd.h", ['#include "runtime/base/err.h"'],
                   ["runtime/nowhere/odd.h: runtime/nowhere is not in layers.txt"])
    text = open("tests/lint/layers.txt").read()
    add(where, "tests/lint/layers.txt",
        text.replace("runtime/base:", "runtime/base: runtime/bundle").splitlines())
    status, said = run(where)
    for line in ("tests/lint/layers.txt: runtime/base does not include runtime/bundle",
                 "doc/architecture.md: runtime/base includes runtime/bundle, "
                 "which is not below it"):
        if not status or line not in said:
            bad.append(f"a circle of arrows: nothing says '{line}'")
    return bad


def main():
    with tempfile.TemporaryDirectory(prefix="pol-layers.") as where:
        subprocess.run(["git", "init", "-q", where], check=True)
        copied = [n for n in layers.files() if os.path.exists(n)]
        for name in copied + ["tests/lint/layers.txt", "doc/architecture.md"]:
            os.makedirs(os.path.join(where, os.path.dirname(name)), exist_ok=True)
            shutil.copy(name, os.path.join(where, name))
        bad = tests(where)
    print("\n".join(bad), end="\n" if bad else "")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
