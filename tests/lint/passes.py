#!/usr/bin/env python3
"""The passes that the pages name are those of polc, in its order: the rows of the table in
doc/architecture.md, and the words of `dump` in doc/polc.md.  polc names them where one is
asked for that it does not have (compiler/cli/passes.c, compiler/backend/table.c)."""
import os
import re
import subprocess
import sys

POLC = os.environ.get("BUILD", "build/dev") + "/bin/polc"


def of_polc():
    said = subprocess.run([POLC, "dump", "--after", "?", "stdlib-policies/base.pol"],
                          capture_output=True, text=True).stderr
    return re.findall(r"\w+", said.partition("; there are ")[2])


def of_table(page):
    """The words in the first column, from the top."""
    section = page.partition("\n## Passes\n")[2].partition("\n## ")[0]
    return re.findall(r"`(\w+)`", " ".join(re.findall(r"^\|([^|]*)\|", section, re.M)))


def of_dump(page):
    return re.search(r"^\| `dump .*: `([a-z ]+)` \|$", page, re.M)[1].split()


wanted = of_polc()
if not wanted:
    print(f"{POLC} names no passes")
for name, found in (("doc/architecture.md", of_table(open("doc/architecture.md").read())),
                    ("doc/polc.md", of_dump(open("doc/polc.md").read()))):
    if found != wanted:
        print(f"{name} has the passes {' '.join(found)}; polc has {' '.join(wanted)}")
