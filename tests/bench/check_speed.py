#!/usr/bin/env python3
"""polc at 10 to 10,000 rules, and with patterns that float.

usage: check_speed.py POLC WORKDIR.  Time is the median of RUNS; memory is the
largest resident set.
"""
import os
import resource
import statistics
import subprocess
import sys
import time

polc, work = sys.argv[1], sys.argv[2]


def plain(n):
    """n rules: seven of ten of commands, the rest of files."""
    commands = n * 7 // 10
    for i in range(commands):
        yield "command", f'{"deny" if i % 3 else "allow"} "tool{i} sub{i % 7}:*"'
    for i in range(n - commands):
        yield "file", f'allow read "/opt/tree{i}/data"'


def floating(n):
    """n denials of writing that hold at any depth: k of them in one automaton
    would need two to the k states."""
    for i in range(n):
        path = f"**/x{i}*y/**" if i % 2 else f"${{PROJECT_DIR}}/a{i}/**/b{i}/**"
        yield "file", f'deny write "{path}"'


def wild(n):
    """n commands with a '*' inside of a word and any words behind."""
    for i in range(n):
        yield "command", f'deny "w{i} ** *a{i}*b"'


def write(name, rules):
    sections = {}
    for section, text in rules:
        sections.setdefault(section, []).append(text)
    path = f"{work}/{name}.pol"
    with open(path, "w", encoding="ascii") as f:
        f.write("policy bench { level project }\n")
        for section, texts in sections.items():
            f.write(section + " {\n\t" + "\n\t".join(texts) + "\n}\n")
    return path


def write_yaml(name, rules):
    """The same in YAML, with an option more in each rule."""
    keys = {"allow read": ("allow", ", op: read"), "deny write": ("deny", ", op: write")}
    sections = {}
    for section, text in rules:
        head, pattern = text[:-1].split(' "', 1)
        word, more = keys.get(head, (head, ""))
        sections.setdefault(section, []).append(
            f"  - {{{word}: '{pattern}'{more}, because: it is a rule}}")
    path = f"{work}/{name}.yml"
    with open(path, "w", encoding="ascii") as f:
        f.write("policy: {name: bench, level: project}\n")
        for section, texts in sections.items():
            f.write(section + ":\n" + "\n".join(texts) + "\n")
    return path


def measure(label, argv, runs):
    took, peak = [], 0
    for _ in range(runs):
        start = time.perf_counter()
        p = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        err = p.stderr.read().decode(errors="replace")
        _, status, usage = os_wait(p)
        took.append((time.perf_counter() - start) * 1e3)
        peak = max(peak, usage.ru_maxrss)
        if status not in (0, 1):
            sys.exit(f"{' '.join(argv)} ended with {status}: {err[:400]}")
    print(f"{label:46} {min(took):9.1f} {statistics.median(took):9.1f} "
          f"{max(took):9.1f} {peak / 1024:8.1f}")


def os_wait(p):
    pid, status, usage = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    return pid, p.returncode, usage


def changes(n):
    """diff of n rules: with itself, with ten of them changed, with all; and of
    a bundle with its sources."""
    old = f"{work}/plain{n}.pol"
    rules = list(plain(n))
    ten = [(s, t.replace("allow", "ask", 1)) if i < 15 else (s, t)
           for i, (s, t) in enumerate(rules)]
    flipped = [(s, t.replace("allow", "XX").replace("deny", "allow").replace("XX", "deny")
                if s == "command" else t) for s, t in rules]
    measure(f"polc diff, {n} rules, the same", [polc, "diff", old, old], 7)
    measure(f"polc diff, {n} rules, ten changed",
            [polc, "diff", old, write(f"ten{n}", ten)], 7)
    if n <= 1000:
        measure(f"polc diff, {n} rules, {n * 7 // 10} changed",
                [polc, "diff", old, write(f"flipped{n}", flipped)], 3)
    subprocess.run([polc, "compile", old, "-o", f"{work}/plain{n}.polb"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    measure(f"polc diff, {n} rules, a bundle and its source",
            [polc, "diff", f"{work}/plain{n}.polb", old], 7)
    measure(f"polc effective, {n} rules", [polc, "effective", old], 5)


def main():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print(f"{'command':46} {'min ms':>9} {'median ms':>9} {'max ms':>9} {'MiB':>8}")
    for n in (10, 100, 1000, 10000):
        path = write(f"plain{n}", plain(n))
        measure(f"polc check, {n} rules", [polc, "check", path], 7)
        measure(f"polc compile, {n} rules",
                [polc, "compile", path, "-o", f"{work}/out.polb"], 3)
        measure(f"polc check, {n} rules in YAML",
                [polc, "check", write_yaml(f"plain{n}", plain(n))], 7)
    changes(1000)
    changes(10000)
    for name, rules in (("any-depth", floating(100)), ("any words", wild(100))):
        path = write(name.replace(" ", "-"), rules)
        measure(f"polc check, 100 {name}", [polc, "check", path], 5)
        measure(f"polc compile, 100 {name}",
                [polc, "compile", path, "-o", f"{work}/out.polb"], 3)


main()
