#!/usr/bin/env python3
"""codes.def: unique, sorted, each in doc/diagnostics.md, each used."""
import re
import subprocess
import sys

rows = re.findall(r'^DIAG\((\w+),\s*"(P\d{4})",\s*(\w+),', open("compiler/diag/codes.def").read(), re.M)
doc = open("doc/diagnostics.md").read()
used = subprocess.run(["git", "grep", "-ohE", r"\bDIAG_[A-Z0-9_]+", "--", "compiler", "grammar"],
                      capture_output=True, text=True).stdout.split()
bad = 0
codes = [c for _, c, _ in rows]
if codes != sorted(set(codes)):
    print("codes.def is not sorted or holds a number twice")
    bad = 1
for name, code, _ in rows:
    if code not in doc:
        print(f"{code} ({name}) is not in doc/diagnostics.md")
        bad = 1
    if f"DIAG_{name}" not in used:
        print(f"{code} ({name}) is never reported")
        bad = 1
sys.exit(bad)
