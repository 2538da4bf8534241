#!/usr/bin/env python3
"""What the reader of shell text says of a line, against what the shell runs.

Each line is run by the real shell in a jail of stubs, where the kernel's view of
every execve is recorded.  Laws: every argv is one of the simple commands that
were read, and each word called literal is the word that ran; what the shell
rejects as a syntax error is unparsed.  How often an accepted line is unparsed is
counted.  SEED= and RUNS= repeat a run; --lines FILE takes lines from there.
"""
import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from shell_lines import Lines, PROGRAMS  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build/dev"))
SHELLS = {"bash": "/bin/bash", "posix": "/bin/dash"}
HOME = "/w/home"
STDIN, STDIN_READ = [b"p4", b"--stdin"], ["=7034", "=2d2d737464696e"]


def jail(stub):
    argv = ["bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/usr", "/usr"]
    for d in ("bin", "lib", "lib64"):
        argv += ["--symlink", "usr/" + d, "/" + d]
    argv += ["--ro-bind", stub, "/stub", "--ro-bind", BUILD + "/tests", "/b", "--tmpfs", "/w",
             "--proc", "/proc", "--dev", "/dev", "--clearenv"]
    for name, value in (("PATH", "/stub"), ("HOME", HOME), ("P", "p3"), ("v", "x y"), ("e", ""),
                        ("_q", "a*"), ("L", "["), ("R", "]"), ("LC_ALL", "C.UTF-8")):
        argv += ["--setenv", name, value]
    return argv + ["/b/conformance/shell_oracle"]


def stubs():
    d = tempfile.mkdtemp(prefix="shell-stubs-")
    os.chmod(d, 0o755)
    shutil.copy(BUILD + "/tests/probes/shell_stub", d + "/shell_stub")
    for name in PROGRAMS:
        os.symlink("shell_stub", d + "/" + name)
    return d


class Pipe:
    def __init__(self, argv):
        self.p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, head, line):
        self.p.stdin.write(b"%s %s\n" % (head.encode(), line.encode("utf-8", "surrogateescape").hex().encode()))
        self.p.stdin.flush()

    def answer(self):
        text = self.p.stdout.readline().decode()
        if not text:
            raise SystemExit("FAIL a program of the test ended")
        return text.rstrip("\n")


def words_regex(words):
    """The language of a command's words: of texts in which a NUL ends each word."""
    out = b""
    for word in words:
        part, empty, multi = b"", True, False
        for piece in word.split(","):
            kind, rest = piece[0], piece[1:]
            empty &= kind in "?*" or piece == "="
            multi |= kind == "*"
            if kind == "=":
                part += re.escape(bytes.fromhex(rest))
            elif kind == "~":
                part += re.escape(HOME.encode())
            else:
                part += b"[^\0]*" if kind == "?" else b".*"
        part += b"\0"
        out += b"(?:%s)?" % part if empty and multi else part
    return re.compile(out, re.S)


class Run:
    def __init__(self, args):
        self.dir = stubs()
        self.oracle = Pipe(jail(self.dir))
        self.reader = Pipe([BUILD + "/tests/conformance/shell_reader"])
        self.count = collections.Counter()
        self.why = collections.Counter()
        self.fail = 0
        self.verbose = args.verbose
        self.out = open(args.keep, "a") if args.keep else None

    def miss(self, dialect, line, text):
        self.fail += 1
        print(f"FAIL {dialect} {line!r}\n     {text}", flush=True)
        if self.out:
            self.out.write(f"{dialect}\t{line!r}\t{text}\n")
            self.out.flush()

    def one(self, dialect, line):
        self.oracle.ask(SHELLS[dialect], line)
        self.reader.ask("bash" if dialect == "bash" else "posix", line)
        status, n, at, why = (self.reader.answer() + " ").split(" ", 3)
        why = why.strip()
        cmds = [self.reader.answer().split(" ")[1:] for _ in range(int(n))]
        result, n, syntax = map(int, self.oracle.answer().split())
        ran = [[bytes.fromhex(w[1:]) for w in self.oracle.answer().split(" ")] for _ in range(n)]
        c = self.count
        c["lines"] += 1
        c["programs"] += len(ran)
        c["late"] += result < 0
        rejected = syntax != 0
        c["rejected by the shell"] += rejected
        c["unparsed"] += status != "0"
        if rejected and status == "0" and "shopt" not in line:
            self.miss(dialect, line, "the shell rejects it, and it is parsed")
        if status != "0" and not rejected:
            c["unparsed, and accepted by the shell"] += 1
            self.why[why] += 1
            if self.verbose:
                print(f"note {dialect} {line!r}: {why} at {at}")
        self.cover(dialect, line, status, cmds, ran)

    def cover(self, dialect, line, status, cmds, ran):
        patterns = [(words_regex(w), all(p[0] == "=" for x in w for p in x.split(",")), w) for w in cmds]
        for argv in ran:
            text = b"".join(w + b"\0" for w in argv)
            hits = [p for p in patterns if p[0].fullmatch(text)]
            if not hits and argv[:2] == STDIN and (status != "0" or not any(w[:2] == STDIN_READ for w in cmds)):
                continue  # of a file or a pipe
            if not hits:
                self.miss(dialect, line, f"{'parsed' if status == '0' else 'unparsed'}: ran {argv}, read "
                          + " ; ".join(" ".join(show(x) for x in w) for w in cmds))
                return
            self.count["programs of literal words"] += any(p[1] for p in hits)


def show(word):
    return "+".join(repr(bytes.fromhex(p[1:]).decode("utf-8", "replace")) if p[0] == "=" else p
                    for p in word.split(","))


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--lines")
    a.add_argument("--dialect", choices=("bash", "posix", "both"), default="both")
    a.add_argument("--keep")
    a.add_argument("-v", "--verbose", action="store_true")
    args = a.parse_args()
    seed = int(os.environ.get("SEED") or time.time_ns() % 1000000000)
    runs = int(os.environ.get("RUNS") or 300)
    if not shutil.which("bwrap"):
        print("skip: bwrap is not installed\n0 passed, 0 failed, 1 skipped")
        return 0
    run = Run(args)
    dialects = ("bash", "posix") if args.dialect == "both" else (args.dialect,)
    try:
        if args.lines:
            for line in open(args.lines, errors="surrogateescape"):
                for d in dialects:
                    text = line.rstrip("\n")
                    if args.lines.endswith(".esc"):
                        text = text.encode().decode("unicode_escape").encode("latin-1")
                        text = text.decode("utf-8", "surrogateescape")
                    run.one(d, text)
        else:
            print(f"SEED={seed} RUNS={runs}", flush=True)
            for d in dialects:
                gen = Lines(seed, "bash" if d == "bash" else "posix")
                for i in range(runs):
                    line = gen.line()
                    run.one(d, gen.mutate(line) if i % 3 == 2 else line)
    finally:
        shutil.rmtree(run.dir)
    for k, n in run.count.items():
        print(f"     {n:8} {k}")
    for k, n in run.why.most_common():
        print(f"     {n:8} unparsed: {k}")
    if not run.count["programs of literal words"] and not args.lines:
        print("FAIL no program was seen: the test says nothing")
        run.fail += 1
    print(f"{run.count['lines'] - run.fail} passed, {run.fail} failed")
    return run.fail > 0


sys.exit(main())
