#!/usr/bin/env python3
"""Every #include "…" of this tree must be an arrow of tests/lint/layers.txt, and every arrow
must be used.  In runtime/ each arrow leads down in the picture of doc/architecture.md, so that
no folder reaches itself."""
import os
import re
import subprocess
import sys

GENERATED = {"policy.tab.h", "policy.lex.h", "kept_names.def"}


def arrows():
    """Folder -> the folders that it may include."""
    allowed = {}
    for line in open("tests/lint/layers.txt"):
        folder, _, rest = line.split("#")[0].partition(":")
        if folder.strip():
            allowed[folder.strip()] = set(rest.split())
    return allowed


def files():
    return subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--",
         "compiler", "runtime", "grammar", "doc/man"],
        capture_output=True, text=True, check=True).stdout.split()


def sources():
    return [n for n in files() if n.endswith((".c", ".h", ".l", ".y")) and os.path.exists(n)]


def includes(name):
    """(line number, path) of each, but for generated headers."""
    for number, text in enumerate(open(name, errors="replace"), 1):
        m = re.match(r'\s*#\s*include\s+"([^"]+)"', text)
        if m and m.group(1) not in GENERATED:
            yield number, m.group(1)


def rooms(page):
    """Folder of runtime/ -> its line in the page's picture, from the top."""
    picture = page.partition("### The rooms of the runtime")[2].split("```")[1]
    return {f"runtime/{room}": n for n, line in enumerate(picture.splitlines())
            for room in line.split()}


def page_faults(allowed):
    page = open("doc/architecture.md").read()
    rows = {r.rstrip("/") for r in re.findall(r"^\| `([a-z/]+)` \|", page, re.M) if "/" in r}
    for folder in sorted(f for f in allowed if f not in rows and os.path.dirname(f) not in rows):
        yield f"doc/architecture.md: {folder} has no row"
    for folder in sorted(rows - set(allowed)):
        yield f"doc/architecture.md: the row of {folder}, which is not in layers.txt"
    line = rooms(page)
    for folder in sorted(f for f in allowed if f.startswith("runtime/") and f not in line):
        yield f"doc/architecture.md: {folder} is not in the picture"
    for folder in sorted(f for f in line if f not in allowed):
        yield f"doc/architecture.md: there is no {folder}"
    for folder in sorted(f for f in line if f in allowed):
        for target in sorted(allowed[folder]):
            if target in line and line[target] <= line[folder]:
                yield f"doc/architecture.md: {folder} includes {target}, which is not below it"


def faults(allowed):
    used = set()
    for name in sources():
        folder = os.path.dirname(name)
        if folder not in allowed:
            yield f"{name}: {folder} is not in layers.txt"
            continue
        for number, path in includes(name):
            target = os.path.dirname(path)
            used.add((folder, target))
            if target != folder and target not in allowed[folder]:
                yield f"{name}:{number}: {folder} may not include {path}"
            elif not os.path.exists(path):
                yield f"{name}:{number}: there is no {path}"
    for folder, targets in allowed.items():
        for target in sorted(targets):
            if (folder, target) not in used:
                yield f"tests/lint/layers.txt: {folder} does not include {target}"
    yield from page_faults(allowed)


if __name__ == "__main__":
    found = list(faults(arrows()))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))
