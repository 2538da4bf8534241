#!/usr/bin/env python3
"""Decisions about lines, with 10 to 10,000 rules, beside others that look for the
same word patterns in the whole line (peers.h).

usage: decide.py POLC DECIDE WORK.  POL_LINES names a file of lines (default
../shared/data/nl2bash.cm; without it lines are made).  DECIDE is
tests/bench/decide.c, built; `build` and `big` stand beside it.

Two kinds of rules, of which none is like another.  Prefixes: words, then
anything; one in five begins as lines of the file do.  Floating: half of them
prefixes, the others have a '*' inside of a word at any place, a third of these of
any program; half of their names are the file's.
"""
import collections
import os
import re
import statistics
import subprocess
import sys
import time

polc, decide, work = sys.argv[1:4]
here = os.path.dirname(os.path.abspath(decide))
SIZES = (10, 100, 1000, 10000)
KEPT = {10: "ten", 10000: "many"}  # for hook.py
PACKAGES = {"RE2::Set": "libre2-dev", "Hyperscan": "libhyperscan-dev"}


def made_lines():
    for i in range(2000):
        yield (f"prog{i % 1000} run a{i} --x={i}", f"find . -name 'a{i}' | xargs grep {i} > f{i}",
               f"cd d{i} && tar -xzf a{i}.tgz; echo $x{i}", f"git commit -m 'a {i}' {i} {i}")[i % 4]


def corpus():
    path = os.environ.get("POL_LINES", "../shared/data/nl2bash.cm")
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="surrogateescape") as f:
            return f.read().splitlines(), os.path.basename(path)
    return list(made_lines()), "lines that were made"


def begins(lines):
    """First two words that lines begin with, and longer words of theirs; frequent
    ones first."""
    plain = re.compile(r"([A-Za-z0-9._+]+) +([A-Za-z0-9._/@+][A-Za-z0-9._/@+-]*) +\S")
    pairs = collections.Counter(m.groups() for m in map(plain.match, lines) if m)
    words = collections.Counter(w for line in lines
                                for w in re.findall(r"(?<![^ ])[A-Za-z0-9._]{4,}(?![^ ])", line))
    return [p for p, _ in pairs.most_common()], [w for w, _ in words.most_common()]


def prefixes(n, pairs, _):
    """Pairs of an effect with words, and the same as text with '*'."""
    pairs = iter(pairs)
    for i in range(n):
        kind, pair = i % 5, None
        if kind == 4:
            pair = next(pairs, None)
        if pair:
            yield "ask" if i % 2 else "deny", " ".join(pair) + " *", " ".join(pair) + " *"
        elif kind in (0, 4):
            yield "allow", f"prog{i} run * **", f"prog{i} run *"
        elif kind == 1:
            yield "deny", f"git sub{i} *", f"git sub{i} *"
        elif kind == 2:
            yield "ask", f"tool{i} x *", f"tool{i} x *"
        else:
            yield "allow", f"npm run t{i} * **", f"npm run t{i} *"


def floating(n, pairs, words):
    """The same of rules of which two in five float."""
    pairs, words = iter(pairs), iter(words)
    for i in range(n):
        of_file = i % 2 == 0
        a, b = (next(pairs, None) if of_file else None) or (f"prog{i % 700}", f"w{i}")
        if i % 20 < 10:
            yield "deny", f"{a} {b} *", f"{a} {b} *"
        elif i % 20 < 13:
            yield "ask", f"{a} {b} x{i} *", f"{a} {b} x{i} *"
        else:
            word = (next(words, None) if of_file else None) or f"tok{i}"
            program = "*" if i % 20 >= 18 else a
            yield "deny", f"{program} ** *{word}* **", f"{program} *{word}*"


def write(n, kind, pairs, words):
    seen = set()
    with open(f"{work}/decide.pol", "w", encoding="ascii") as pol, \
            open(f"{work}/decide.patterns", "w", encoding="ascii") as pat:
        pol.write("policy bench { level project }\ncommand {\n\totherwise allow\n")
        for effect, rule, text in kind(n, pairs, words):
            assert text not in seen, text
            seen.add(text)
            pol.write(f'{effect} "{rule}"\n')
            pat.write(text + "\n")
        pol.write("}\n")


def compiled(runs):
    """Milliseconds and MiB of polc compile; then those of the automata alone."""
    took, peak = [], 0
    for _ in range(runs):
        begun = time.perf_counter()
        p = subprocess.Popen([polc, "compile", "decide.pol", "-o", "decide.polb"], cwd=work,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        err = p.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        took.append((time.perf_counter() - begun) * 1e3)
        peak = max(peak, usage.ru_maxrss / 1024)
        if p.returncode not in (0, 1) or not os.path.exists(f"{work}/decide.polb"):
            sys.exit(f"polc compile: {err[:400]}")
    out = [subprocess.run([f"{here}/build", "decide.pol"], cwd=work, check=True, text=True,
                          stdout=subprocess.PIPE).stdout.split() for _ in range(runs)]
    return (statistics.median(took), peak, statistics.median(float(o[0]) for o in out),
            int(out[0][2]) / 2**20)


def size_of(value):
    return f"{value:,.2f}" if value < 10 else f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def measure(n, name, growth):
    whole, peak, automata, member = compiled(5 if n < 10000 else 3)
    out = subprocess.run([decide, "decide.polb", "decide.pol", "decide.patterns", "lines"],
                         cwd=work, check=True, text=True, stdout=subprocess.PIPE,
                         encoding="utf-8", errors="surrogateescape").stdout
    notes = []
    for row in (line.split("\t") for line in out.splitlines()):
        if row[0] == "differs":
            notes.append(f"{row[1]} differs on {row[2]} lines")
        elif row[0] == "ours":
            hit, simple, simple_hit, less, more = map(int, row[1:6])
            notes.append(f"{hit} lines match a pattern; of {simple} simple ones {simple_hit}: "
                         f"ours matches less on {less}{' (' + row[6] + ')' if less else ''}, "
                         f"more on {more}")
        elif len(row) < 5:
            print(f"| {n:,} | {row[1]} | {row[2]} ||||||")
        else:
            nlines, (median, p90, p99, lo, hi, build, mib, after) = \
                int(row[2]), map(float, row[3:])
            growth.setdefault(row[1], []).append(median)
            built, mem = f"{size_of(build)} ms", f"{size_of(mib)}"
            if row[1] == "ours":
                built = f"{size_of(automata)} ms; all of `polc compile` {size_of(whole)} ms"
                mem = f"{size_of(member)} automata, {size_of(after)} open; compile {peak:.0f}"
            elif after > mib + 0.1:
                mem += f", then {size_of(after)}"
            print(f"| {n:,} | {row[1]} | {size_of(median)} | {size_of(p90)} | {size_of(p99)} | "
                  f"{size_of(lo)}–{size_of(hi)} | {built} | {mem} |")
    return f"{name}, {n:,} rules: " + "; ".join(notes)


def main():
    lines, source = corpus()
    with open(f"{work}/lines", "w", encoding="utf-8", errors="surrogateescape") as f:
        f.write("\n".join(lines) + "\n")
    pairs, words = begins(lines)
    notes = []
    for name, kind in (("prefixes", prefixes), ("floating", floating)):
        growth = {}
        print(f"\n{len(lines):,} lines ({source}), µs a line; rules: {name}\n\n"
              "| rules | | median | p90 | p99 | medians of five rounds | build | MiB |\n"
              "|---|---|---|---|---|---|---|---|")
        for n in SIZES:
            write(n, kind, pairs, words)
            notes.append(measure(n, name, growth))
            if n in KEPT and kind is prefixes:
                os.replace(f"{work}/decide.polb", f"{work}/{KEPT[n]}.polb")
        print("\nfrom 10 to 10,000 rules: " + ", ".join(
            f"{who} {v[-1] / v[0]:.2f}×" for who, v in growth.items() if len(v) == len(SIZES)))
        for who, package in PACKAGES.items():
            if who not in growth:
                print(f"{who}: not measured; it needs {package} when this is built")
        sys.stdout.flush()
    print("\n" + "\n".join(notes) + "\n")
    sys.stdout.flush()
    subprocess.run([f"{here}/big", f"{work}/ten.polb"], check=True)


main()
