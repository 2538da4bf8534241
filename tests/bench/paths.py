#!/usr/bin/env python3
"""Real patterns of paths: the rules of Debian's package apparmor-profiles, as file rules.

The package is installed where the bench runs, and nothing of it is kept here.  A rule's
pattern becomes one of ours: a class such as [0-9] becomes '?', since ours has no classes in
paths, and variables get their usual values.  All profiles become one policy; rules for every
path are left out ("/**"; and "/", which has all below it with us), since beside them no other
rule would matter.

usage: paths.py [N]      prints the first N rules and how many there are
"""
import os
import re
import subprocess
import sys

RULE = re.compile(r'^\s*((?:(?:audit|deny|owner|allow|file)\s+)*)("?)((?:/|@\{)[^"\s]*)\2\s+([a-zA-Z]+)\s*(?:->\s*\S+\s*)?,')
VARIABLES = {"HOME": "/{home/*,root}", "HOMEDIRS": "/home", "PROC": "/proc", "sys": "/sys", "run": "/{,var/}run",
             "pid": "*", "pids": "*", "tid": "*", "multiarch": "*-linux-gnu*"}


def installed():
    """The files of the package, or none."""
    said = subprocess.run(["dpkg-query", "-L", "apparmor-profiles"], capture_output=True, text=True, check=False)
    names = [n for n in said.stdout.splitlines() if "/apparmor.d/" in n or "/extra-profiles/" in n]
    return sorted(n for n in names if os.path.isfile(n))


def ours(pattern):
    """The same in our language, as one pattern or several; none if it has what ours does not know."""
    text = re.sub(r"@\{(\w+)\}/?", lambda m: VARIABLES.get(m.group(1), "@") + "/", pattern)
    text = re.sub(r"\[[^]]*\]", "?", text)
    text = re.sub(r"\*\*\*+", "**", text)
    text = re.sub(r"/\{([^{},]*),\}/", r"/{\1/,}", text)
    inner = re.search(r"\{([^{}]*\*\*[^{}]*)\}", text) # ours has no '**' inside of braces
    parts = [text[:inner.start()] + one + text[inner.end():] for one in inner.group(1).split(",")] if inner else [text]
    parts = [re.sub(r"/+", "/", one).rstrip("/") or "/" for one in parts]
    return [one for one in parts if not re.search(r"[@\\\"$^\[\]]", one)]


def operations(word):
    ops = [op for op, letters in (("read", "rm"), ("write", "wa"), ("exec", "xX")) if any(c in word for c in letters)]
    return ops or ["read"]


def rules():
    """(effect, operations, pattern) of each rule that differs from those before it."""
    seen = {}
    for name in installed():
        with open(name, encoding="utf-8", errors="replace") as f:
            for line in f:
                m = RULE.match(line)
                for text in ours(m.group(3)) if m else []:
                    if re.fullmatch(r"/(\*\*.*)?", text):
                        continue
                    deny = "deny" in m.group(1)
                    # only writing can be denied by a pattern with wildcards
                    ops = ["write"] if deny and re.search(r"[*?]", text) else operations(m.group(4))
                    seen[("deny" if deny else "allow", tuple(ops), text, m.group(4))] = True
    return [key[:3] for key in seen]


def policy(of):
    lines = (f'{effect} {", ".join(ops)} "{text}"' for effect, ops, text in of)
    return "file {\n\t" + "\n\t".join(lines) + "\n}\n"


def changes(of):
    """Changes of one rule that no other rule makes unimportant: (what it is, the rules after it)."""
    def top(text):
        return "/".join(text.split("/")[:3])
    deep = {top(text) for _, _, text in of if "**" in text}
    reads = [i for i, (effect, ops, text) in enumerate(of)
             if effect == "allow" and "read" in ops and top(text) not in deep]
    wild = [i for i in reads if re.search(r"[^*]/\*$", of[i][2])]
    plain = [i for i in reads if not re.search(r"[*?{]", of[i][2])]
    wide, more, less = wild[len(wild) // 2], plain[len(plain) // 2], plain[len(plain) // 3]

    def put(i, rule):
        return of[:i] + ([rule] if rule else []) + of[i + 1:]
    return [("a last '*' becomes '**'", put(wide, ("allow", of[wide][1], of[wide][2] + "*"))),
            ("another file may be read", put(more, ("allow", of[more][1], of[more][2] + ".new"))),
            ("a rule is removed", put(less, None))]


if __name__ == "__main__":
    ALL = rules()
    for r in ALL[:int(sys.argv[1]) if len(sys.argv) > 1 else 0]:
        print(*r)
    print(len(ALL), "rules,", len({r[2] for r in ALL}), "patterns")
