#!/usr/bin/env python3
"""Files in a run beside files outside: calls that polrun makes for the command, reads and
writes, git and make in a C project, a staged run, and the start with many path rules.

usage: files.py RUNS BINDIR FILES WORKDIR.  FILES is tests/bench/files.c, built.  What is compared
runs in turn (A B C A B C ...), so that the machine's speed drifts over all alike; the figures
are medians, and of pairs the median of the ratios.
"""
import os
import shutil
import statistics
import subprocess
import sys
import time

HEAD = """policy bench { base none }
command { otherwise allow }
file {
    allow read, exec "/usr", "/bin", "/lib", "/lib64", "/sbin", "%s"
    allow read "/etc", "/dev/null"
    allow read, exec "${PROJECT_DIR}"
    scratch "${TMPDIR}"
    %s
}
network disabled
env { keep PATH, HOME }
"""
PLAIN = 'allow write "${PROJECT_DIR}/src", "${PROJECT_DIR}/obj"'
NATIVE = 'allow write "${PROJECT_DIR}/src", "${PROJECT_DIR}/.git", "${PROJECT_DIR}/obj"'
BROKERED = 'allow write "${PROJECT_DIR}/**"  deny write "**/.env*"'
ENV = {"PATH": "/usr/bin:/bin", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}


SOURCES = 60


class Bench:
    def __init__(self, runs, bindir, files, work):
        self.runs, self.bin, self.work = runs, bindir, os.path.realpath(work)
        self.home = os.path.join(self.work, "home")
        self.p = os.path.join(self.home, "project")
        shutil.rmtree(self.home, ignore_errors=True)
        os.makedirs(os.path.join(self.p, "src"))
        os.makedirs(os.path.join(self.p, "obj"))
        self.tools = os.path.join(self.work, "tools")
        os.makedirs(self.tools, exist_ok=True)
        self.files = shutil.copy(files, self.tools)
        self.env = {**ENV, "HOME": self.home}

    def compile(self, name, rules):
        path = os.path.join(self.work, name)
        with open(path + ".pol", "w", encoding="ascii") as f:
            f.write(HEAD % (self.tools, rules))
        subprocess.run([f"{self.bin}/polc", "compile", path + ".pol", "-o", path + ".polb"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.chmod(path + ".polb", 0o600)
        return [f"{self.bin}/polrun", "-q", "-b", path + ".polb", "--"]

    def call(self, argv):
        begun = time.perf_counter()
        r = subprocess.run(argv, cwd=self.p, env=self.env, stdin=subprocess.DEVNULL,
                           capture_output=True, text=True, check=False)
        if r.returncode:
            sys.exit(f"{argv}: {r.returncode}: {r.stderr}")
        return (time.perf_counter() - begun) * 1e3, r.stdout

    def calls(self, title, ways, unit=1e3):
        """What the program itself measures."""
        got = {name: [] for name, _ in ways}
        for _ in range(max(3, self.runs // 20)):
            for name, argv in ways:
                got[name].append(float(self.call(argv)[1].split()[0]) / unit)
        base = statistics.median(got[ways[0][0]])
        print(f"\n{title}")
        for name, t in got.items():
            m = statistics.median(t)
            print(f"  {name:44} {m:9.2f}   x {m / base:.2f}", flush=True)

    def whole(self, title, ways, before=None):
        """A whole command: by its own time, and by that of polrun with it."""
        own = {name: [] for name, _, _ in ways}
        wall = {name: [] for name, _, _ in ways}
        for i in range(max(5, self.runs // 10) + 1):
            for name, run, argv in ways:
                if before:
                    before()
                t, out = self.call(run + [self.files, "time"] + argv)
                if i:
                    own[name].append(float(out.split()[-1]) / 1e6)
                    wall[name].append(t)
        print(f"\n{title:44} {'itself':>11} {'':8} {'with its start':>14}")
        for name, _, _ in ways:
            line = f"  {name:44}"
            for t in (own, wall):
                ratio = statistics.median(a / b for a, b in zip(t[name], t[ways[0][0]]))
                line += f" {statistics.median(t[name]):9.2f}   x {ratio:4.2f}  "
            print(line, flush=True)

    def project(self):
        """A C project, under git."""
        for i in range(SOURCES):
            with open(f"{self.p}/src/f{i}.c", "w", encoding="ascii") as f:
                f.write(f"#include <stdio.h>\nint f{i}(int n) {{ return printf(\"%d\\n\", n + {i}); }}\n")
        with open(f"{self.p}/Makefile", "w", encoding="ascii") as f:
            f.write("O := $(patsubst src/%.c,obj/%.o,$(wildcard src/*.c))\nall: $(O)\n"
                    "obj/%.o: src/%.c\n\t@cc -O1 -c -o $@ $<\n")
        git = ["git", "-c", "user.name=b", "-c", "user.email=b@b", "-c", "init.defaultBranch=main"]
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
            self.call(git + words)

    def clean(self):
        for n in os.listdir(f"{self.p}/obj"):
            os.unlink(f"{self.p}/obj/{n}")


def main():
    b = Bench(int(sys.argv[1]), *sys.argv[2:5])
    b.project()
    plain, native, named = b.compile("plain", PLAIN), b.compile("native", NATIVE), b.compile("named", BROKERED)
    src = f"{b.p}/src"
    b.calls("open for writing and close, us", [
        ("outside", [b.files, "open", src, "2000"]),
        ("in a run, native", native + [b.files, "open", src, "2000"]),
        ("outside, a notification with CONTINUE", [b.files, "continue", src, "500"]),
        ("in a run, made by polrun", named + [b.files, "open", src, "500"])])
    b.calls("64 blocks of 64 KiB written and read, us", [
        ("outside", [b.files, "rewrite", src, "10"]),
        ("in a run, native", native + [b.files, "rewrite", src, "10"]),
        ("in a run, made by polrun", named + [b.files, "rewrite", src, "10"])])
    shell = ["sh", "-c"]
    for title, line, before in (("git status, ms", "git status --short", None),
                                (f"make -j2 of {SOURCES} C files, ms", "make -sj2", b.clean)):
        b.whole(title, [("outside", [], shell + [line]),
                        ("in a run, native, nothing decided", plain, shell + [line]),
                        ("in a run, native, some names in .git decided", native, shell + [line]),
                        ("in a run, names decided", named, shell + [line])], before)
    stage = native[:2] + ["--stage"] + native[2:]
    line = "for i in 1 2 3 4 5; do cp -r src obj/$i; rm -r obj/$i; done"
    b.whole("five copies of the tree, ms", [("in a run, native", native, shell + [line]),
                                            ("staged", stage, shell + [line])])
    rules = "\n".join(f'deny write "${{PROJECT_DIR}}/src/d{i % 97}/x{i}"' for i in range(10000))
    many = b.compile("many", BROKERED + "\n" + rules)
    hidden = b.compile("hidden", BROKERED + '\nhide "**/.env*"')
    b.whole("start, ms", [("3 path rules", named, ["true"]), ("10,000 path rules", many, ["true"]),
                          ("an any-depth hide", hidden, ["true"])])
    line = "for i in $(seq 40); do cp /bin/true src/p$i; src/p$i; src/p$i; done; rm src/p*"
    b.whole("40 new programs, started twice, ms", [
        ("outside", [], shell + [line]), ("in a run, names decided", named, shell + [line]),
        ("in a run, an any-depth hide", hidden, shell + [line])])


if __name__ == "__main__":
    main()
