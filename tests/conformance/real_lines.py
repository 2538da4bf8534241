#!/usr/bin/env python3
"""real_lines.py FILE: lines that people wrote, and what of them is unparsed.

Under two in a hundred may be, and each of those is rejected by `bash -n` as well,
or its reason stands in the list of doc/commands.md.  A reason that is listed and
that no line has is too much.
"""
import collections
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD", TOP + "/build/dev"))
MOST = 0.02


def listed():
    """The reasons in the list: a part of doc/commands.md below its own heading."""
    with open(TOP + "/doc/commands.md") as f:
        text = f.read().split("\n## Lines that are not read\n")
    if len(text) != 2:
        sys.exit("FAIL doc/commands.md has no part 'Lines that are not read'")
    return set(re.findall(r"^\| `(.*?)` \|", text[1].split("\n## ")[0], re.M))


def readings(lines):
    """(line, the reason why it is unparsed or None) for each."""
    asked = "".join(f"bash {x.hex()} \n" for x in lines)
    done = subprocess.run([BUILD + "/tests/conformance/shell_reader"], input=asked, encoding="utf-8",
                          stdout=subprocess.PIPE, check=True)
    answers = iter(done.stdout.split("\n"))
    for line in lines:
        status, n, _, _, why = (next(answers) + " ").split(" ", 4)
        for _ in range(int(n)):
            next(answers)
        yield line, None if status == "0" else why.strip()


def rejected(line):
    return subprocess.run(["/bin/bash", "-n", "-c", b"--", line], stdin=subprocess.DEVNULL,
                          capture_output=True).returncode != 0


def main():
    with open(sys.argv[1], "rb") as f:
        lines = [x for x in f.read().split(b"\n") if x and b"\0" not in x]
    unparsed = [(line, why) for line, why in readings(lines) if why]
    accepted = [(line, why) for line, why in unparsed if not rejected(line)]
    reasons = collections.Counter(why for _, why in accepted)
    known, fail = listed(), 0
    for line, why in accepted:
        if why not in known:
            print(f"FAIL bash reads it, and here it is unparsed for a reason that is not listed: {why}"
                  f"\n     {line!r}")
            fail += 1
    for why in known - set(reasons):
        print(f"FAIL listed, and no line has it: {why}")
        fail += 1
    for why, n in reasons.most_common():
        print(f"     {n:6} {why}")
    share = len(unparsed) / max(len(lines), 1)
    print(f"     {len(unparsed)} of {len(lines)} lines are unparsed ({100 * share:.2f} %), "
          f"{len(accepted)} of them bash reads")
    if share >= MOST:
        print("FAIL too many are unparsed")
        fail += 1
    print(f"{len(lines) - fail} passed, {fail} failed")
    return fail > 0


if __name__ == "__main__":
    sys.exit(main())
