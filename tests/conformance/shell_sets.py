"""The rule sets that shell.py has polquery decide its lines with, and what they deny.

A set is the text of its section `command`, and a predicate over a program that ran: its
path, and its words without the first.  The predicate says only what is denied for sure, so
a line in which such a program ran may not have been allowed.
"""
import json
import os
import re
import subprocess

from bypass_library import uses
from shell_lines import PROGRAMS

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORLD = {"cwd": "/w/0", "project": "/w/0"}
# Real programs that run others, beside the stubs; what else a line names is a stub.
WRAPPERS = ("env timeout nice nohup setsid stdbuf xargs flock setarch ionice taskset chrt busybox "
            "find sh bash dash awk sed").split()
# What an allow rule is seen through.
TRANSPARENT = {b"timeout", b"nice", b"nohup", b"stdbuf", b"time"}
SHELLS = {b"bash", b"dash", b"sh"}
# Denied by name: of the stubs, and of people's lines.
NAMES = "p3 rm mv chmod sort tar ssh curl wget dd sudo doas".split()
READERS = "ls cat head tail wc grep echo printf pwd true".split()


def options(words):
    return words[:words.index(b"--")] if b"--" in words else words


def by_name(program, words):
    return program in {x.encode() for x in NAMES}


def by_words(program, words):
    if program == b"p1":
        return b"-f" in options(words)
    if program == b"p2":
        return words[:1] in ([b"a"], [b"b"])
    if program == b"say":
        return words == [b"1"] or b"--k=v" in options(words)
    return re.search(rb"^p4.* (HEAD|a\.b)", b" ".join([program] + words)) is not None


def not_listed(program, words):
    if program == b"p1":
        return b"-f" in options(words)
    if program == b"p2":
        return words[:1] not in ([b"a"], [b"b"], [b"c"])
    return program not in TRANSPARENT | {b"ok", b"say"}


def not_listed_in(program, words):
    """As in not_listed, with shells that need no permission."""
    return program not in SHELLS and not_listed(program, words)


def no_reader(program, words):
    return program not in TRANSPARENT | {x.encode() for x in READERS + ["git", "npm"]}


DENY = ", ".join(f'"{n}:*"' for n in NAMES)
FILES = """
file {
    otherwise read allow
    allow write "${PROJECT_DIR}", "/tmp", "/dev/null"
    otherwise exec allow
}
network limited { otherwise allow }
"""
SETS = {
    # everything but some programs
    "names": (f"deny {DENY}\n otherwise allow\n opaque ask", by_name),
    # everything but some words of some programs
    "words": (r"""deny "p1:*" with -f
        deny "p2 {a|b}:*"
        deny "say 1"
        deny "say:*" with --k
        deny /^p4.* (HEAD|a\.b)/
        otherwise allow
        opaque ask""", by_words),
    # nothing but some words of some programs
    "listed": ("""allow "p1 **" without -f
        allow "p2 {a|b|c} **"
        allow "ok", "ok **", "say **"
        otherwise deny
        opaque deny""", not_listed),
    # the same, and shells are no more than what they run
    "clear": ("""interpreter bash, dash, sh { transparent }
        allow "p1 **" without -f
        allow "p2 {a|b|c} **"
        allow "ok", "ok **", "say **", "eval **", "trap **", "exec **", "alias **", "set -{e|a}"
        allow "export **", "builtin **", "read **", ":", ": **", "true", "cd .", "shift"
        otherwise ask
        opaque ask""", not_listed_in),
    # as the set R1 of the corpus, for lines that people wrote
    "readers": ("""allow "{ls|cat|head|tail|wc|grep|echo|printf|pwd|true} **"
        allow "git {status|log|diff|show} **" without --output, --ext-diff, --textconv
        allow "npm test", "npm run {lint|build|test}"
        ask "git push:*"
        deny "rm:*", "curl:*"
        otherwise ask
        opaque ask""", no_reader),
    # all that the standard library allows, less what is denied by its name
    "library": (f"""allow "{{p1|p2|p4|ok|say}} **"
        deny {DENY}
        otherwise ask
        opaque ask""", by_name),
}


def source(name, dialect, base=""):
    """base: an inherited set; "base none" leaves out what is known of wrappers."""
    shell = "shell posix\n" if dialect == "posix" else ""
    use = "use " + ", ".join(uses()) + "\n" if name == "library" else ""
    return f"policy shell-{name} {{ level project {base} }}\n{use}command {{ {shell}{SETS[name][0]} }}\n{FILES}"


def compiled(build, name, dialect, work, base=""):
    """Its bundle."""
    pol = f"{work}/{name}-{dialect}.pol"
    with open(pol, "w") as f:
        f.write(source(name, dialect, base))
    done = subprocess.run([build + "/bin/polc", "compile", pol, "-o", pol + "b"], capture_output=True,
                          encoding="utf-8")
    if done.returncode:
        raise SystemExit(f"FAIL the rule set {name} does not compile:\n{done.stderr}")
    return pol + "b"


class Decider:
    """polquery with one set: what it says of a line, and whether the line kept to it."""

    def __init__(self, pipe, name, home):
        self.pipe, self.name, self.denied = pipe, name, SETS[name][1]
        self.world = {**WORLD, "home": home}

    def ask(self, n, line):
        self.pipe.ask(json.dumps({"id": n, "kind": "command", "line": line, **self.world}))

    def judge(self, n, ran, count):
        """What is wrong, or None."""
        text = self.pipe.answer()
        head = re.match(r'\{"id":%d,"effect":"(\w+)"' % n, text)
        if not head:
            return f"no decision of the set {self.name}: {text[:300]}"
        effect = head[1]
        # the stub "body" shows what it reads as the words of another
        bad = [r.argv for r in ran if r.argv and r.argv[1:2] != [b"--stdin"]
               and self.denied(os.path.basename(r.path), r.argv[1:])]
        count[f"{self.name}: {effect}"] += 1
        if not bad:
            return None
        count[f"{self.name}: ran something denied"] += 1
        return f"the set {self.name} allows it, and it ran {bad[0]}" if effect == "allow" else None


def says_nothing(name, count):
    """Nothing was allowed, or nothing that is denied ran."""
    return not (count[f"{name}: allow"] and count[f"{name}: ran something denied"])


assert set("p1 p2 p3 p4 ok say".split()) <= set(PROGRAMS)
