#!/usr/bin/env python3
"""Every #include "…" of this tree must be an arrow of tests/lint/layers.txt, and every arrow
must be used.  In runtime/ no folder may reach itself by its arrows."""
import os
import re
import subprocess
import sys

GENERATED = {"policy.tab.h", "policy.lex.h"}
EVAL_FORBIDDEN = ("compiler/sets/", "compiler/backend/", "runtime/decide/")


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


def reaches_itself(folder, allowed):
    seen, todo = set(), list(allowed[folder])
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            todo += allowed.get(at, ())
    return folder in seen


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
            if name == "compiler/ir/eval.c" and path.startswith(EVAL_FORBIDDEN):
                yield f"{name}:{number}: the evaluator may not include {path}"
    for folder, targets in allowed.items():
        for target in sorted(targets):
            if (folder, target) not in used:
                yield f"tests/lint/layers.txt: {folder} does not include {target}"
        if folder.startswith("runtime/") and reaches_itself(folder, allowed):
            yield f"tests/lint/layers.txt: {folder} reaches itself"


if __name__ == "__main__":
    found = list(faults(arrows()))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))
