#!/usr/bin/env python3
"""What the reader of shell text says of a line, against what the shell runs.

Each line is run by the real shell in a jail of stubs, where every execve is held
and its argv read.  Laws: every argv is one of the simple commands that were read,
and each word called literal is the word that ran; what the shell rejects as a
syntax error is unparsed; what it accepts is parsed, or unparsed for a reason that
doc/shell.md lists; with --decide, a line that a set of rules (shell_sets.py) allows
runs nothing that the set denies.
With --mutants, each production of the grammar that is switched off in a test
build of the reader must break one of these laws on some line (with POL_SLICE, each of
the day's).
SEED= and RUNS= (lines of each dialect) repeat a run; --lines FILE takes lines.
"""
import argparse
import collections
import multiprocessing
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(sys.path[0], "../lib"))
from shell_judge import CHANGED, CORPUS, HOME, MADE, TRICK, VARS, Ran, Reading, judge  # noqa: E402
from shell_lines import Corpus, Lines, PROGRAMS  # noqa: E402
from shell_sets import NAMES, SETS, WRAPPERS, Decider, compiled, says_nothing  # noqa: E402
from shell_tricks import Tricks  # noqa: E402
from shell_vars import Vars  # noqa: E402
from slices import in_slice  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build/dev"))
SHELLS = {"bash": "/bin/bash", "posix": "/bin/dash"}
AHEAD = 24  # lines that the programs may be asked before they have answered
FIXED_SEED = 20  # of the lines that find the productions


def jail(stub):
    argv = ["bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/usr", "/usr"]
    for d in ("bin", "lib", "lib64"):
        argv += ["--symlink", "usr/" + d, "/" + d]
    argv += ["--ro-bind", stub, "/stub", "--ro-bind", BUILD + "/tests", "/b", "--tmpfs", "/w",
             "--proc", "/proc", "--dev", "/dev", "--clearenv"]
    for name, value in (("PATH", "/stub"), ("HOME", HOME), ("P", "p3"), ("v", "x y"), ("e", ""),
                        ("_q", "a*"), ("L", "["), ("R", "]"), ("LC_ALL", "C.UTF-8"),
                        # what bash would look up for each line
                        ("SHELL", "/bin/sh"), ("TERM", "dumb")):
        argv += ["--setenv", name, value]
    return argv + ["/b/conformance/shell_oracle"]


def stubs(names):
    d = tempfile.mkdtemp(prefix="shell-stubs-")
    os.chmod(d, 0o755)
    shutil.copy(BUILD + "/tests/conformance/shell_stub", d + "/shell_stub")
    for name in WRAPPERS:
        path = shutil.which(name, path="/usr/bin:/bin")
        if path:
            os.symlink(os.path.realpath(path) if name != "busybox" else path, d + "/" + name)
    for name in names - set(WRAPPERS):
        os.symlink("shell_stub", d + "/" + name)
    return d


def reasons():
    """Why an accepted line may be unparsed: the table in doc/shell.md."""
    top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(top + "/doc/shell.md") as f:
        return set(re.findall(r"^\| `(.*?)` \|", f.read(), re.M))


class Pipe:
    """A program that answers lines, which a thread writes to it."""

    def __init__(self, argv):
        self.p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  encoding="utf-8", bufsize=1 << 16)
        self.q = queue.SimpleQueue()
        self.t = threading.Thread(target=self.feed, daemon=True)
        self.t.start()

    def feed(self):
        try:
            while (text := self.q.get()) is not None:
                self.p.stdin.write(text)
                if self.q.empty():
                    self.p.stdin.flush()
            self.p.stdin.close()
        except BrokenPipeError:
            pass

    def ask(self, text):
        self.q.put(text + "\n")

    def answer(self):
        text = self.p.stdout.readline()
        if not text:
            raise SystemExit(f"FAIL a program of the test ended: {self.p.args[0]}")
        return text[:-1]

    def end(self):
        """What it still says."""
        self.q.put(None)
        rest = self.p.stdout.read()
        self.p.wait()
        return rest


def to_hex(line):
    return line.encode("utf-8", "surrogateescape").hex()


class Run:
    """The lines of one dialect."""

    def __init__(self, args, dialect, stub):
        self.args, self.dialect = args, dialect
        self.count, self.why = collections.Counter(), collections.Counter()
        self.fail = []
        self.caught = {}
        self.reasons = reasons()
        self.oracle = Pipe(jail(stub))
        name = "shell_mutants" if args.mutants or args.off else "shell_reader"
        self.reader = Pipe([f"{BUILD}/tests/conformance/{name}"] + ([args.off] if args.off else []))
        self.deciders = []
        for name in SETS if args.decide else ():
            bundle = compiled(BUILD, name, dialect, stub, args.base)
            self.deciders.append(Decider(Pipe(args.polquery.split() + ["--bundle", bundle]), name, HOME))
        self.alive = {}  # productions that nothing has missed yet
        if args.mutants:
            self.reader.ask("list")
            for i in range(int(self.reader.answer())):
                n, name, only = self.reader.answer().split(" ")
                if only in ("both", dialect) and in_slice(i):
                    self.alive[n] = name
        self.n = 0

    def lines(self, lines):
        """Each line: (text, where it is from, whether productions are sought)."""
        waiting = collections.deque()
        for line, kind, seek in lines:
            if "\0" in line:
                continue  # no shell gets one
            if seek and not self.alive:
                continue
            self.n += 1
            off = sorted(self.alive) if seek else []
            self.oracle.ask(f"{SHELLS[self.dialect]} {to_hex(line)}")
            self.reader.ask(f"{self.dialect} {to_hex(line)} {','.join(off)}")
            decide = not re.search("[\ud800-\udfff]", line)
            for d in self.deciders if decide else ():
                d.ask(self.n, line)
            waiting.append((self.n, line, kind, off, decide))
            if len(waiting) >= AHEAD:
                self.one(*waiting.popleft())
        while waiting:
            self.one(*waiting.popleft())

    def reading(self, head):
        status, n, at, again, why = (head + " ").split(" ", 4)
        return Reading(status, at, again, why.strip(), [self.reader.answer() for _ in range(int(n))])

    def one(self, n, line, kind, off, decide):
        base = self.reading(self.reader.answer())
        others = {}
        while off and (head := self.reader.answer()) != "@":
            which, rest = head[1:].split(" ", 1)
            others[which] = self.reading(rest)
        result, programs, syntax = map(int, self.oracle.answer().split())
        ran = [Ran(self.oracle.answer()) for _ in range(programs)]
        c = self.count
        c["lines"] += 1
        c["lines of the corpora"] += kind == CORPUS
        c["lines with tricks"] += kind == TRICK
        c["lines with variables"] += kind == VARS
        c["programs"] += programs
        c["past the time"] += result < 0
        c["rejected by the shell"] += syntax > 0
        c["unparsed"] += not base.parsed
        if syntax == 0 and not base.parsed:
            c["unparsed, and accepted by the shell"] += 1
            self.why[base.why] += 1
            if self.args.verbose:
                print(f"note {self.dialect} {line!r}: {base.why} at {base.at}")
        if result < 0 and self.args.verbose:
            print(f"note {self.dialect} {line!r}: past the time")
        text = judge(line, kind, base, ran, syntax, self.reasons, c)
        if text:
            self.miss(line, text)
        for d in self.deciders if decide else ():
            if wrong := d.judge(n, ran, c):
                self.miss(line, wrong)
        for which, other in others.items():
            if which in self.alive and not text:
                wrong = judge(line, kind, other, ran, syntax, self.reasons)
                if wrong:
                    self.caught[self.alive.pop(which)] = (n, line, wrong)

    def miss(self, line, text):
        self.fail.append((line, text))
        if len(self.fail) <= 20:
            print(f"FAIL {self.dialect} {line!r}\n     {text}", flush=True)
        if self.args.keep:
            with open(self.args.keep, "a") as f:
                f.write(f"{self.dialect}\t{line!r}\t{text}\n")

    def result(self):
        self.count["ms of the shells"] = int(self.oracle.end().split()[-1])
        for p in [self.reader] + [d.pipe for d in self.deciders]:
            p.end()
        return self.count, self.why, len(self.fail), self.caught, set(self.alive.values())


def from_file(name):
    with open(name, errors="surrogateescape") as f:
        for line in f:
            text = line.rstrip("\n")
            if name.endswith(".esc"):
                text = text.encode().decode("unicode_escape").encode("latin-1")
                text = text.decode("utf-8", "surrogateescape")
            yield text, CHANGED, False


def generated(args, dialect, corpus, seed, runs):
    """Those that find the productions are the same every time."""
    if args.mutants:
        gen = Lines(FIXED_SEED, dialect)
        for i in range(args.mutants):
            yield (gen.line(), gen.short(), gen.rare(i // 3))[i % 3], MADE, True
        gen = Vars(FIXED_SEED, dialect)
        for i in range(args.mutants):
            yield gen.short(i // 2) if i % 2 else gen.line(), VARS, True
    gen, tricks, variables = Lines(seed, dialect), Tricks(seed, dialect), Vars(seed, dialect)
    for i in range(runs):
        k = 5 if args.vars else i % 6
        if k == 5:
            yield variables.line(), VARS, False
        elif k == 4:
            line = tricks.line()
            yield tricks.mutate(line) if tricks.chance(4) else line, TRICK, False
        elif k == 3 and corpus:
            line = corpus.line(gen.r)
            yield gen.mutate(line) if gen.chance(2) else line, CORPUS, False
        elif k == 2:
            yield gen.mutate(gen.short()), CHANGED, False
        else:
            yield gen.line() if k == 0 else gen.short(), MADE, False


def work(args, dialect, stub, corpus, seed, runs, pipe):
    try:
        run = Run(args, dialect, stub)
        run.lines(from_file(args.lines) if args.lines else
                  generated(args, dialect, corpus, seed, runs))
        pipe.send(run.result())
    finally:
        pipe.close()


def total(args, results):
    """Prints the sum of the dialects' results; the exit status."""
    count, why, fail, alive, caught = collections.Counter(), collections.Counter(), 0, set(), {}
    for c, w, f, found, left in results:
        count += c
        why += w
        fail += f
        alive |= left
        caught.update(found)
    for k, n in count.items():
        print(f"     {n:8} {k}")
    for k, n in why.most_common():
        print(f"     {n:8} unparsed: {k}")
    alive -= set(caught)
    if args.mutants:
        for name, (n, line, wrong) in sorted(caught.items()) if args.verbose else ():
            print(f"ok   without {name}, line {n} {line!r}: {wrong}")
        for name in sorted(alive):
            print(f"FAIL without {name} no law is broken")
        print(f"     {len(caught)} of {len(caught) + len(alive)} productions, each switched off, "
              "break a law")
        fail += len(alive)
    if not count["programs of literal words"] and not args.lines:
        print("FAIL no program was seen: the test says nothing")
        fail += 1
    for name in SETS if args.decide and not args.lines else ():
        # the readers are there for people's lines
        if says_nothing(name, count) and (name != "readers" or count["lines of the corpora"]):
            print(f"FAIL the set {name} allows nothing, or nothing that it denies ran: "
                  "the test says nothing")
            fail += 1
    print(f"{count['lines'] + len(caught) - fail} passed, {fail} failed")
    return fail > 0


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--lines", help="take them from a file")
    a.add_argument("--dialect", choices=("bash", "posix", "both"), default="both")
    a.add_argument("--keep", help="append what is wrong to a file")
    a.add_argument("--mutants", type=int, default=0, metavar="LINES",
                   help="switch off each production, on so many lines of each dialect")
    a.add_argument("--vars", action="store_true", help="only lines that set variables")
    a.add_argument("--off", help="read without this production")
    a.add_argument("--decide", action="store_true", help="have polquery decide the lines, too")
    a.add_argument("--polquery", default=BUILD + "/bin/polquery", help="another program in its place")
    a.add_argument("--base", default="", help="what the sets inherit, such as 'base none'")
    a.add_argument("-v", "--verbose", action="store_true")
    args = a.parse_args()
    seed = int(os.environ.get("SEED") or time.time_ns() % 1000000000)
    runs = int(os.environ.get("RUNS") or 300)
    if not shutil.which("bwrap"):
        print("skip: bwrap is not installed\n0 passed, 0 failed, 1 skipped")
        return 0
    print(f"SEED={seed} RUNS={runs}", flush=True)
    corpus = Corpus()
    stub = stubs(set(PROGRAMS) | set(NAMES) | corpus.programs())
    both = []
    try:
        for d in ("bash", "posix") if args.dialect == "both" else (args.dialect,):
            ours, theirs = multiprocessing.Pipe(False)
            p = multiprocessing.Process(target=work, args=(args, d, stub, corpus, seed, runs,
                                                           theirs))
            p.start()
            theirs.close()
            both.append((p, ours))
        results = []
        for p, pipe in both:
            try:
                results.append(pipe.recv())
            except EOFError:
                print("FAIL a part of the test ended")
                return 1
            p.join()
        return total(args, results)
    finally:
        for p, _ in both:
            p.terminate()
        shutil.rmtree(stub)


if __name__ == "__main__":
    sys.exit(main())
