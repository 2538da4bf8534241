#!/usr/bin/env python3
"""Words with more than one reading, in front of what runs something: no reading hides it.

usage: readings.py [--all] [--programs NAME,...] [--polquery PROGRAM] [-v]

For each table of stdlib-policies/commands: each place where code stands (an option's value,
an operand) and where a command begins; before it one word, or two, that a program may read
in several ways:

  unknown    an option, or a letter, that no table has: it takes the next word, or none
  cut        each beginning of each long option that is no option itself: that one, or another
  cluster    letters of which one is not known
  known      each option as it stands, with what it takes: nothing, "=value", the next word
  none       nothing: the place itself, and each beginning of its own option

A rule allows each program with all its words, "rm" is denied, what is opaque is denied.  In
some reading the place has code or runs `rm`, so each line must be denied; a place that is
not denied with nothing before it is none (at most one in twenty).
Interpreters may run their own code (contract 4.2), so only their commands are looked at.

RUNS= lines are drawn with SEED=, of each table as many; --all makes all of them, which for
git alone are millions.
"""
import argparse
import os
import random
import re
import shlex
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/lib"))
import bypass  # noqa: E402
import option_tables as tabs  # noqa: E402
from regex_sample import sample  # noqa: E402

UNKNOWN = ("--zq-unknown", "--zq")
VALUE = "zqv"
COMMAND = "rm q"


class Table:
    def __init__(self, name):
        self.name, self.kinds, self.flags = name, set(), set()
        self.options, self.globals = {}, {}   # name: N, V, A, E
        self.codes = []                       # (option, when) and (number of the operand, when)
        self.after, self.ends, self.queries, self.skip = [], [], set(), 0

    def all(self):
        return {**self.globals, **self.options}


def statement(t, i, tables):
    """The lines of one statement from behind its "{"; where it ends."""
    key, code, mark = "", [], 0

    def close(when=None):
        for table in tables:
            table.codes += [(c, when) for c in code]
        code.clear()

    while t[i] != "}":
        word = t[i]
        if word == "when":
            close(t[i + 1])
            i += 2
            continue
        if re.match(r"[-+].", word):
            arity = ("A" if word.endswith("::") else "V" if word.endswith(":") else
                     "E" if word.endswith(":?") else "N")
            for name in word.removesuffix(":?").rstrip(":").split("|"):
                if key == "code":
                    code.append(name)
                for table in tables:
                    own = table.globals if key == "global" else table.options
                    if key in ("options", "global"):
                        own[name] = arity
                    elif key == "code" and arity != "N":
                        own[name] = arity
                    elif key == "query":
                        table.queries.add(name)
                        own.setdefault(name, arity)
                    elif key == "after":
                        table.after.append(name)
                    elif key in ("moves", "runs", "leads"):
                        # with it the command begins elsewhere, or is its value
                        table.queries.update([name] if key != "moves" else [])
                        own.setdefault(name, arity if arity != "N" else "V")
        elif key == "code" and word == "operand":
            code.append(t[i + 1])
            i += 1
        elif key == "code" and word == "stdin":
            pass
        elif re.match(r'"', word):
            for table in tables:
                (table.after if key == "after" else table.ends).append(word.strip('"'))
        else:
            close()
            key = word
            if word == "skip":
                for table in tables:
                    table.skip = int(t[i + 1])
                i += 1
            for table in tables:
                table.flags.add(word)
        i += 1
        mark += 1
    close()
    return i


def read_tables():
    ret = {}
    for path in sorted((TOP / "stdlib-policies/commands").glob("*.pol")):
        t, i = tabs.tokens(path.read_text()), 0
        while i < len(t):
            if t[i] not in tabs.KINDS or not (t[i - 1] in "{}" or t[i - 1].startswith('"')):
                i += 1
                continue
            kind, names, i = t[i], [], i + 1
            while t[i] != "{":
                names += [t[i].strip('"')] if t[i] != "," else []
                i += 1
            tables = [ret.setdefault(n, Table(n)) for n in names]
            for table in tables:
                table.kinds.add(kind)
            i = statement(t, i + 1, tables)
    for table in ret.values():
        for c, _ in table.codes:
            if c[0] in "-+" and c not in table.options and c not in table.globals:
                table.options[c] = "V"
    return ret


def base_of(name, tables):
    """The tables of which this is a subcommand, the nearest first."""
    words = name.split(" ")
    return [tables[" ".join(words[:k])] for k in range(len(words) - 1, 0, -1)
            if " ".join(words[:k]) in tables]


class Place:
    """The words that must not be hidden, and what stands before them."""

    def __init__(self, table, words, kind, before=()):
        self.table, self.words, self.kind, self.before = table, list(words), kind, list(before)


def places(table, bases, rng):
    """Where the table says that something runs."""
    interpreter = "interpreter" in table.kinds or any("interpreter" in b.kinds for b in bases)
    shell = "shell" in table.flags
    known = {k: v for b in reversed(bases) for k, v in b.options.items()} | table.all()
    if shell:
        yield Place(table, ["-c", COMMAND], "code")
    elif not interpreter:
        for c, when in table.codes:
            texts = [COMMAND] if when in (None, "/^/") else [s for s in (sample(when, rng),) if s]
            for text in texts:
                if c == "any" or c.isdigit():
                    fill = [f"o{k}" for k in range(int(c) - 1 if c.isdigit() else 0)]
                    yield Place(table, fill + [text], "operand")
                    continue
                if c.endswith("*"):
                    yield Place(table, [c[:-1] + text], "code")
                    continue
                takes = known.get(c, "V")
                if takes in "VE":
                    yield Place(table, [c, text], "code")
                if takes == "N":
                    yield Place(table, [c], "code")
                elif c.startswith("--"):
                    yield Place(table, [f"{c}={text}"], "code")
                elif len(c) == 2:
                    yield Place(table, [c + text], "code")
                if "abbreviate" in table.flags or any("abbreviate" in b.flags for b in bases):
                    for k in range(3, len(c)) if c.startswith("--") else ():
                        if c[:k] not in known and takes in "VE":
                            yield Place(table, [c[:k], text], "own")
                        if c[:k] not in known and takes != "N":
                            yield Place(table, [f"{c[:k]}={text}"], "own")
    if "wrapper" in table.kinds and "shell" not in table.flags:
        if table.after:
            end = [e for e in table.ends if e != "+"][:1]
            for a in table.after:
                yield Place(table, [a, *COMMAND.split(), *end], "command")
        elif table.skip < 9 and not table.codes:
            yield Place(table, [f"o{k}" for k in range(table.skip)] + COMMAND.split(), "command")


def ambiguous(table, bases):
    """(kind, words): what stands before a place, which is there in some reading."""
    tables = [table, *bases]
    names = {o for t in tables for o in (*t.all(), *t.after)}
    stems = tuple(o[:-1] for o in names if o.endswith("*"))

    def is_known(option):
        """Has one of the tables it as it stands, or a stem of it?"""
        return option in names or option.startswith(stems)

    own = {k: v for b in reversed(bases) for k, v in b.options.items()} | table.all()
    yield "none", []
    for u in UNKNOWN:
        if not is_known(u):
            yield "unknown", [u]
            yield "unknown", [u, VALUE]
            yield "unknown", [f"{u}={VALUE}"]
    letters = [c for c in "QZJKYqjy" if not is_known("-" + c)]
    flags = [o[1] for o, t in own.items() if len(o) == 2 and o[0] == "-" and t == "N" and o not in
             table.queries and o[1].isalpha()]
    for c in letters[:1]:
        yield "unknown", ["-" + c]
        yield "unknown", ["-" + c, VALUE]
        for f in flags:
            if not is_known(f"-{f}{c}"):
                yield "cluster", [f"-{f}{c}"]
                yield "cluster", [f"-{f}{c}", VALUE]
                yield "cluster", [f"-{c}{f}"]
    # behind them nothing runs, or something of theirs does
    queries = set().union(*(t.queries for t in tables))
    if "shell" in table.flags:
        queries |= {"--version", "--help"}
    coded = {c for t in tables for c, _ in t.codes}
    for o, takes in own.items():
        if o in table.after or o.endswith("*") or o[0] != "-":
            continue
        if o.startswith("--"):
            for k in range(3, len(o)):
                if not is_known(o[:k]):
                    yield "cut", [o[:k]]
                    yield "cut", [o[:k], VALUE]
                    yield "cut", [f"{o[:k]}={VALUE}"]
        if o in queries or o in coded:
            continue
        if takes in "NAE":
            yield "known", [o]
        if takes in "VE":
            yield "known", [o, VALUE]
        if o.startswith("--") and takes != "N":
            yield "known", [f"{o}={VALUE}"]


class Drawn:
    """The lines of one table: each place with each of the words before it."""

    def __init__(self, table, tables, rng):
        bases = base_of(table.name, tables)
        self.name = table.name.split(" ")
        self.places = list(places(table, bases, rng))
        self.before = [(k, w, 0) for k, w in ambiguous(table, bases)] if self.places else []
        if bases and self.places:
            # an option that no table has, before the subcommand
            self.before += [(k + " early", w, 1) for k, w in ambiguous(bases[-1], [])
                            if k in ("unknown", "cut", "cluster")]

    def __len__(self):
        return len(self.places) * len(self.before)

    def line(self, i):
        """(kind of what stands before, place, the place alone, the line)."""
        place, (kind, words, early) = self.places[i % len(self.places)], self.before[i // len(self.places)]
        name = self.name
        before = name[:1] + words + name[1:] if early else name + words
        return kind, place, shlex.join(name + place.words), shlex.join(before + place.words)


def policy(work, tables):
    names = sorted({n.split(" ")[0] for n in tables})
    quoted = ["\\\\" + n if n in "[.:" else n for n in names if re.fullmatch(r"[A-Za-z0-9_.+-]+", n)]
    path = os.path.join(work, "readings.pol")
    with open(path, "w", encoding="utf-8") as f:
        f.write("policy readings { level managed }\ncommand {\n")
        for q in quoted:
            f.write(f'    allow "{q}:*"\n')
        f.write(f'    allow "{VALUE}:*"\n    deny "rm:*"\n    otherwise ask\n    opaque deny\n}}\n'
                "file { otherwise read allow otherwise exec allow }\n")
    return path


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--all", action="store_true")
    p.add_argument("--programs")
    p.add_argument("--polquery", help="another program in its place")
    p.add_argument("-v", "--verbose", action="store_true")
    args = p.parse_args()
    seed = int(os.environ.get("SEED") or time.time_ns() % 1000000000)
    runs = int(os.environ.get("RUNS") or 20000)
    rng = random.Random(seed)
    if args.polquery:
        bypass.POLQUERY = args.polquery.split()
    print(f"SEED={seed}" + ("" if args.all else f" RUNS={runs}"), flush=True)
    tables = read_tables()
    only = args.programs.split(",") if args.programs else None
    drawn = [Drawn(tables[n], tables, rng) for n in sorted(tables)
             if not only or n in only or n.split(" ")[0] in only]
    total, failed, bad, alone, counts = sum(map(len, drawn)), 0, set(), set(), {}
    if args.all or runs >= total:
        chosen = [d.line(i) for d in drawn for i in range(len(d))]
    else:
        # each table as often as any other: those of a few options are as good as git's
        having = [d for d in drawn if len(d)]
        chosen = [d.line(rng.randrange(len(d))) for d in rng.choices(having, k=runs)]
    with tempfile.TemporaryDirectory() as work:
        bundle = bypass.compiled([policy(work, tables)], work, "readings")

        def ask(texts):
            got = bypass.answers("readings", bundle, [t.encode() for t in texts])
            return dict(zip(texts, (a["effect"] for a in got)))

        for i in range(0, len(chosen), 50000):
            part = chosen[i:i + 50000]
            effect = ask(list(dict.fromkeys([c[2] for c in part] + [c[3] for c in part])))
            for kind, place, own, line in part:
                alone.add(own)
                if effect[own] != "deny":
                    bad.add(own)
                    continue
                counts[kind] = counts.get(kind, 0) + 1
                if effect[line] == "deny":
                    continue
                failed += 1
                if failed <= 40 or args.verbose:
                    print(f"FAIL {kind}, {place.kind}: {line}: {effect[line]}")
    for kind, n in sorted(counts.items()):
        print(f"     {n:8} {kind}")
    print(f"     {len(alone)} places, {len(bad)} of them run nothing by themselves; {total} lines")
    for t in sorted(bad) if args.verbose else ():
        print(f"note {t}")
    done = sum(counts.values())
    print(f"{done - failed} passed, {failed} failed")
    if len(bad) > len(alone) // 20:
        print("FAIL so many places run nothing: the test says nothing")
    return 1 if failed or not done or len(bad) > len(alone) // 20 else 0


if __name__ == "__main__":
    sys.exit(main())
