#!/usr/bin/env python3
"""Every #include "…" of this tree must be an arrow of tests/lint/layers.txt."""
import os
import re
import subprocess
import sys

ALLOWED = {}
for line in open("tests/lint/layers.txt"):
    line = line.split("#")[0].strip()
    if line:
        folder, _, rest = line.partition(":")
        ALLOWED[folder.strip()] = set(rest.split()) | {folder.strip()}

GENERATED = {"policy.tab.h", "policy.lex.h"}
EVAL_FORBIDDEN = ("compiler/sets/", "compiler/backend/", "runtime/decide/")
names = subprocess.run(
    ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--",
     "compiler", "runtime", "grammar", "doc/man"],
    capture_output=True, text=True, check=True).stdout.split()
bad = 0
for name in names:
    if not name.endswith((".c", ".h", ".l", ".y")) or not os.path.exists(name):
        continue
    folder = os.path.dirname(name)
    if folder not in ALLOWED:
        print(f"{name}: {folder} is not in layers.txt")
        bad = 1
        continue
    for number, text in enumerate(open(name, errors="replace"), 1):
        m = re.match(r'\s*#\s*include\s+"([^"]+)"', text)
        if not m or m.group(1) in GENERATED:
            continue
        target = os.path.dirname(m.group(1))
        if target not in ALLOWED[folder]:
            print(f"{name}:{number}: {folder} may not include {m.group(1)}")
            bad = 1
        if name == "compiler/ir/eval.c" and m.group(1).startswith(EVAL_FORBIDDEN):
            print(f"{name}:{number}: the evaluator may not include {m.group(1)}")
            bad = 1
sys.exit(bad)
