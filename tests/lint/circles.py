#!/usr/bin/env python3
"""File circles: modules (name.c with name.h) that need each other.

A module needs those whose headers it includes and those that define a symbol which
its object has not (nm).  Each set of modules that reach each other is a circle, and
is a line of tests/lint/circles.txt.  A circle without a line is an error, and so is a
line without its circle: the list can only shrink.

    circles.py           what is wrong, nothing if all is right
    circles.py --why     each circle with its arrows, and where they come from
    circles.py --write   writes the list; its comment stays
"""
import collections
import os
import re
import subprocess
import sys

LIST = "tests/lint/circles.txt"
BUILD = os.environ.get("BUILD", "build/dev")


def module_of(name):
    """Parser and scanner are two; what bison and flex write into headers is data."""
    return name if name.endswith((".y", ".l")) else os.path.splitext(name)[0]


def sources():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--",
         "compiler", "runtime", "grammar/policy.*"],
        capture_output=True, text=True, check=True).stdout.split()
    return [n for n in listed if n.endswith((".c", ".h", ".l", ".y")) and os.path.exists(n)]


def objects(names):
    """Each object and its module."""
    ret = {f"{BUILD}/obj/{module_of(n)}.o": module_of(n) for n in names if n.endswith(".c")}
    ret[f"{BUILD}/obj/gen/policy.tab.o"] = "grammar/policy.y"
    ret[f"{BUILD}/obj/gen/policy.lex.o"] = "grammar/policy.l"
    return ret


def includes(names, add):
    known = set(names)
    for name in names:
        for text in open(name, errors="replace"):
            m = re.match(r'\s*#\s*include\s+"([^"]+)"', text)
            if m and m.group(1) in known:
                add(module_of(name), module_of(m.group(1)), "include")


def symbols(objs, add):
    defined, wanted, programs = {}, [], set()
    out = subprocess.run(["nm", "-A", "-P", "-g", *objs], capture_output=True, text=True,
                         check=True).stdout
    for line in out.splitlines():
        path, symbol, kind, *_ = line.replace(": ", " ", 1).split(" ")
        if kind == "U":
            wanted.append((objs[path], symbol))
        elif symbol == "main":
            programs.add(objs[path])
        elif kind not in "wv":
            defined[symbol] = objs[path]
    for module, symbol in wanted:
        # nothing but the program itself is linked with the object that has its main()
        if symbol in defined and defined[symbol] not in programs:
            add(module, defined[symbol], symbol)


def circles(arrows):
    """Tarjan's strongly connected components with more than one member."""
    index, low, stack, found = {}, {}, [], []

    def visit(m):
        index[m] = low[m] = len(index)
        stack.append(m)
        for to in arrows.get(m, ()):
            if to not in index:
                visit(to)
            if to in stack:
                low[m] = min(low[m], low[to])
        if low[m] == index[m]:
            members = []
            while not members or members[-1] != m:
                members.append(stack.pop())
            if len(members) > 1:
                found.append(sorted(members))

    sys.setrecursionlimit(10000)
    for m in sorted(arrows):
        if m not in index:
            visit(m)
    return sorted(found)


def written(members):
    """folder/{a,b} for those of one folder."""
    folders = collections.defaultdict(list)
    for m in members:
        folders[os.path.dirname(m)].append(os.path.basename(m))
    return " ".join(f"{f}/{{{','.join(n)}}}" if len(n) > 1 else f"{f}/{n[0]}"
                    for f, n in sorted(folders.items()))


def main():
    names = sources()
    objs = objects(names)
    missing = [o for o in objs if not os.path.exists(o)]
    if missing:
        print(f"not built: {' '.join(missing[:5])}")
        return 1
    arrows = collections.defaultdict(lambda: collections.defaultdict(list))

    def add(a, b, why):
        if a != b:
            arrows[a][b].append(why)

    includes(names, add)
    symbols(objs, add)
    found = circles({a: sorted(to) for a, to in arrows.items()})
    lines = [written(c) for c in found]
    if "--why" in sys.argv:
        for c, line in zip(found, lines):
            print(line)
            for a in c:
                for b in sorted(set(arrows[a]) & set(c)):
                    print(f"    {a} -> {b}: {' '.join(dict.fromkeys(arrows[a][b]))}")
        return 0
    if "--write" in sys.argv:
        comment = [t for t in open(LIST).read().splitlines() if t.startswith("#")]
        open(LIST, "w").write("".join(line + "\n" for line in comment + lines))
        return 0
    listed = [t for t in open(LIST).read().splitlines() if t and not t.startswith("#")]
    for line in lines:
        if line not in listed:
            print(f"a circle that is not in {LIST}: {line}")
    for line in listed:
        if line not in lines:
            print(f"{LIST} has a circle that is none any more: {line}")
    return int(set(lines) != set(listed))


sys.exit(main())
