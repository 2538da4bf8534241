#!/usr/bin/env python3
"""codes.def: unique, sorted, each code reported somewhere, with one row of its
severity and words in doc/diagnostics.md, and shown by a golden."""
import pathlib
import re
import subprocess
import sys

# No policy text reaches these through polc.
NO_GOLDEN = {
    "P0015": "files are refused by their size when they are read, before the parser",
    "P0021": "flex gives up only where its own tables are broken",
    "P0116": "needs a library that others may write; tests/run/install.sh makes one",
    "P0128": "needs a record of the user's trust; tests/live/trust.sh makes one",
    "P0442": "needs a machine without namespaces; tests/live/network_limited.sh makes one",
    "P0503": "a back end of ours would have to name a member that the format lacks",
}

rows = re.findall(r'^DIAG\((\w+),\s*"(P\d{4})",\s*(\w+),\s*"((?:[^"\\]|\\.)*)"\)',
                  open("compiler/diag/codes.def").read(), re.M)
doc = re.findall(r"^\| (P\d{4}) \| (\w+) \| (.*?) \| (.+) \|$", open("doc/diagnostics.md").read(), re.M)
used = set(subprocess.run(["git", "grep", "-ohE", r"\bDIAG_[A-Z0-9_]+", "--", "compiler", "grammar"],
                          capture_output=True, text=True).stdout.split())
shown = set()
for kind in ("err", "compile"):
    for f in pathlib.Path("tests/golden").rglob("*." + kind):
        shown |= set(re.findall(r"\[(P\d{4})\]$", f.read_text(errors="replace"), re.M))

bad = []
codes = [c for _, c, _, _ in rows]
if not codes or codes != sorted(set(codes)):
    bad.append("codes.def is empty, not sorted, or holds a number twice")
if [c for c, *_ in doc] != codes:
    bad.append("doc/diagnostics.md has other codes, or another order, than codes.def: "
               + " ".join(sorted(set(codes) ^ {c for c, *_ in doc})))
said = {c: (s, m) for c, s, m, _ in doc}
for name, code, severity, summary in rows:
    if code in said and said[code] != (severity.lower(), summary.replace("|", "\\|")):
        bad.append(f"{code} ({name}): doc/diagnostics.md and codes.def differ")
    if f"DIAG_{name}" not in used:
        bad.append(f"{code} ({name}) is never reported")
    if code not in shown and code not in NO_GOLDEN:
        bad.append(f"{code} ({name}) is in no golden's .err or .compile")
    if code in shown and code in NO_GOLDEN:
        bad.append(f"{code} ({name}) has a golden: take it out of NO_GOLDEN")
for code in shown - set(codes):
    bad.append(f"{code} is in a golden and not in codes.def")
print("\n".join(bad), end="\n" if bad else "")
sys.exit(bool(bad))
