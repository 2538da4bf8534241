#!/usr/bin/env python3
"""Lines with the verdicts that they must get, asked of polquery.

usage: bypass.py FILE.tsv [--variants N] [--seed S] [--verbose]

FILE has the columns ruleset, command, expected, why; a rule set is a policy of
tests/data/rulesets (a file, or a folder with a file for each level).  Prints
each miss, and ends with the sums.  A verdict milder than expected is a failure
of security, a stricter one of usability.

With --variants, N lines are made from the file's by changes that a shell does
not see (quotes, blanks, the order of options) or that run the same and more (a
group, a substitution, a nested shell).  What is expected then is a bound from
below, except for the first kind, where it stays what it was.
"""

import argparse
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile

ORDER = {"allow": 0, "ask": 1, "deny": 2}
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build/dev"))
WORLD = {"cwd": "/home/dev/app", "project": "/home/dev/app", "home": "/home/dev"}


def unescape(text):
    def one(m):
        c = m.group(1)
        if c[0] == "x":
            return bytes([int(c[1:], 16)])
        return {"n": b"\n", "t": b"\t", "r": b"\r", "\\": b"\\"}[c]

    out, at = b"", 0
    for m in re.finditer(r"\\(x[0-9a-fA-F]{2}|[ntr\\])", text):
        out += text[at : m.start()].encode() + one(m)
        at = m.end()
    return out + text[at:].encode()


def rows_of(path):
    rows, head = [], None
    with open(path, encoding="utf-8") as f:
        for at, text in enumerate(f.read().split("\n")):
            if not text or text.startswith("#"):
                continue
            cells = text.split("\t")
            if head is None:
                head = cells
                if head[:3] != ["ruleset", "command", "expected"]:
                    sys.exit(f"{path}: the header row is not ruleset, command, expected")
                continue
            if len(cells) < 3 or cells[2] not in ORDER:
                sys.exit(f"{path}: a row without its columns: {text!r}")
            rows.append(
                {
                    "set": cells[0],
                    "line": unescape(cells[1]),
                    "want": cells[2],
                    "why": cells[3] if len(cells) > 3 else "",
                    "ran": cells[4] if len(cells) > 4 else "",
                    "at": at,
                    "exact": True,
                }
            )
    if not rows:
        sys.exit(f"{path}: no rows")
    return rows


# --- asking ---------------------------------------------------------------------


def sources(name):
    base = os.path.join(TOP, "tests/data/rulesets", name)
    if os.path.isdir(base):
        levels = []
        for level in ("managed", "project", "user"):
            file = os.path.join(base, level + ".pol")
            if os.path.exists(file):
                levels += ["--" + level, file]
        return levels
    return [base + ".pol"]


def ask(name, lines, work):
    """The decisions of one rule set, in the order of the lines."""
    bundle = os.path.join(work, name.replace("/", "_") + ".polb")
    made = subprocess.run(
        [os.path.join(BUILD, "bin/polc"), "compile", *sources(name), "-o", bundle],
        capture_output=True,
    )
    if made.returncode:
        sys.exit(f"{name} does not compile:\n{made.stderr.decode()}")
    text = b""
    for i, line in enumerate(lines):
        request = {"id": i, "kind": "command", **WORLD}
        try:
            request["line"] = line.decode()
        except UnicodeDecodeError:
            request["line_hex"] = line.hex()
        text += json.dumps(request).encode() + b"\n"
    done = subprocess.run(
        [os.path.join(BUILD, "bin/polquery"), "--bundle", bundle],
        input=text,
        capture_output=True,
    )
    answers = [json.loads(x) for x in done.stdout.split(b"\n") if x]
    if done.returncode or len(answers) != len(lines):
        sys.exit(
            f"{name}: polquery gave {len(answers)} answers to {len(lines)} questions,"
            f" exit {done.returncode}\n{done.stderr.decode()}"
        )
    for i, a in enumerate(answers):
        if a.get("id") != i or "effect" not in a:
            sys.exit(f"{name}: no decision for {lines[i]!r}: {a}")
    return answers


# --- variants -------------------------------------------------------------------

# A literal command that rows of several sets deny, and other ways to write it.
SPELLINGS = [
    "rm -fr {}", "rm -r -f {}", "rm --recursive --force {}", "rm -f -r -- {}",
    "rm -Rf {}", "/bin/rm -rf {}", "/usr/bin/rm -rf {}", "rm   -rf   {}",
    "rm\t-rf\t{}", "rm -rvf {}", "rm --rec --for {}", "rm {} -rf", "rm -r {} -f",
    "rm -rf {} other", "rm -rf ./{}", "./../../../bin/rm -rf {}",
]
BARE_SPELLINGS = [
    "'rm' -rf {}", '"rm" -rf {}', "r''m -rf {}", "\\rm -rf {}", "rm '-rf' {}",
    "rm -\"rf\" {}", "r\\\nm -rf {}", "rm \\\n-rf {}", "$'rm' -rf {}", "rm -{{r,f}} {}",
    "$'\\162\\155' -rf {}", "command rm -rf {}", "nice rm -rf {}", "X=1 rm -rf {}",
    "timeout -s 9 5 nice rm -rf {}", "env X=1 rm -rf {}", "! rm -rf {}",
    "rm 2>/dev/null -rf {}", "</dev/null rm -rf {}", "exec rm -rf {}",
    "nohup rm -rf {} &", "time rm -rf {}", "builtin command rm -rf {}",
]
# What runs the line, and perhaps more.
AROUND = [
    "( {}\n)", "{{ {}\n}}", "if {}\nthen :; fi", "while {}\ndo break; done",
    "until {}\ndo break; done", "for i in 1; do {}\ndone", "! {{ {}\n}}",
    "case x in x) {}\n;; esac", "true && {{ {}\n}}", "true; {}", "{{ {}\n}} | cat",
    "{{ {}\n}} &", "f() {{ {}\n}}; f", ": \"$({}\n)\"", "x=$({}\n)",
    "{{ {}\n}} 2>/dev/null", "echo ok\n{}", "{}\necho ok",
]
BASH_AROUND = ["cat <({}\n)", "coproc {{ {}\n}}", "function f {{ {}\n}}; f", "[[ -n $({}\n) ]]"]
SHELLS = ["bash -c {}", "sh -c {}", "eval {}", "env bash -c {}", "timeout 9 bash -c {}",
          "nohup bash -lc {}", "xargs -n1 bash -c {}", "trap {} EXIT"]
POSIX_SHELLS = ["sh -c {}", "eval {}", "env sh -c {}", "timeout 9 sh -c {}", "trap {} EXIT"]

# An operator that quoting and blanks do not touch in these lines.
RESERVED = set("if then elif else fi for in do done while until case esac select function "
               "coproc time { } [[ ]] !".split())
SIMPLE = re.compile(rb"^[A-Za-z0-9 ._/=:@+,-]+$")


def respelled(row, r):
    """`rm -rf WORD` where it stands, written in another way that runs as much."""
    line = row["line"].decode()
    hits = list(re.finditer(r"(?<![\w./\\-])rm -rf ([A-Za-z]+)(?![\w./-])", line))
    if not hits or row["want"] != "deny":
        return None
    m = r.choice(hits)
    before = line[: m.start()]
    quoted = any(before.count(q) % 2 for q in "'\"") or "<<" in before or "=" in before
    forms = SPELLINGS if quoted or before.rstrip()[-1:] not in ("", ";", "&", "|", "(", "{") else (
        SPELLINGS + BARE_SPELLINGS
    )
    if row["set"] == "R1@dash":
        forms = [f for f in forms if "$'" not in f and "{{" not in f and "builtin" not in f]
    return before + r.choice(forms).format(m.group(1)) + line[m.end() :]


def blanks(row, r):
    """Words of a plain line, quoted and spaced in other ways."""
    # bash's `time` knows its -p only unquoted
    if not SIMPLE.match(row["line"]) or b"time " in row["line"]:
        return None
    out = []
    for i, word in enumerate(row["line"].decode().split()):
        ways = [word]
        # a quoted reserved word is none
        plain = not (i == 0 and "=" in word) and word not in RESERVED
        if plain and "=" not in word and not word.startswith("~") and "{" not in word:
            k = r.randrange(len(word))
            ways += [f"'{word}'", f'"{word}"', f"{word[:k]}''{word[k:]}", f"{word[:k]}\\{word[k:]}"]
        out.append(r.choice(ways))
    return r.choice(["", " ", "\t"]) + r.choice([" ", "  ", "\t", " \\\n "]).join(out) + r.choice(["", " ", "\n", " # x"])


def around(row, r):
    line = row["line"].decode()
    # around it, what is no line may become one
    if "alias" in line or "\x00" in line or "[parse]" in row["why"]:
        return None
    posix = row["set"] == "R1@dash"
    forms = AROUND if posix else AROUND + BASH_AROUND
    return r.choice(forms).format(line)


def nested(row, r):
    line = row["line"].decode()
    # the nested shell reads another dialect, or other text, than the line's
    if row["set"] not in ("R1", "R3", "R7", "R8", "R1@dash") or row["want"] != "deny":
        return None
    if "alias" in line or "\n" in line or "\r" in line:
        return None
    forms = POSIX_SHELLS if row["set"] == "R1@dash" else [f for f in SHELLS if "sh -c" not in f or "bash" in f]
    return r.choice(forms).format(shlex.quote(line))


def variants(rows, count, seed):
    r = random.Random(seed)
    rows = [x for x in rows if x["set"] != "R1@zsh"]
    made, seen = [], set()
    while len(made) < count:
        row = r.choice(rows)
        try:
            row["line"].decode()
        except UnicodeDecodeError:
            continue
        ways, exact = [], True
        for _ in range(r.randint(1, 3)):
            way = r.choice([respelled, blanks, around, nested])
            now = {**row, "line": row["line"]}
            text = way(now, r)
            if text is None:
                continue
            ways.append(way.__name__)
            exact = exact and way is blanks
            row = {**row, "line": text.encode()}
        key = (row["set"], row["line"])
        if not ways or key in seen:
            continue
        seen.add(key)
        made.append({**row, "exact": row["exact"] and exact, "why": "+".join(ways) + " of " + row["why"]})
    return made


# --- scoring --------------------------------------------------------------------


def main():
    p = argparse.ArgumentParser()
    p.add_argument("file")
    p.add_argument("--variants", type=int, default=0)
    p.add_argument("--seed", type=int, default=int(os.environ.get("SEED", "0")) or random.randrange(1 << 32))
    p.add_argument("--verbose", action="store_true")
    args = p.parse_args()
    rows = rows_of(args.file)
    if args.variants:
        rows = variants(rows, args.variants, args.seed)
        print(f"SEED={args.seed}")
    security = usability = exact = 0
    with tempfile.TemporaryDirectory() as work:
        for name in sorted({x["set"] for x in rows}):
            own = [x for x in rows if x["set"] == name]
            for row, answer in zip(own, ask(name, [x["line"] for x in own], work)):
                got, want = answer["effect"], row["want"]
                if got == want or (not row["exact"] and ORDER[got] > ORDER[want]):
                    exact += 1
                    if args.verbose:
                        print(f"ok   {name}\t{want}\t{row['line']!r}")
                    continue
                worse = ORDER[got] < ORDER[want]
                security += worse
                usability += not worse
                kind = "SECURITY" if worse else "usability"
                print(f"{kind} {name}: {row['line']!r}\n    {got}, expected {want}: {row['why']}"
                      f"\n    {answer.get('reason', '')}")
    print(f"bypass: security {security}, usability {usability}, exact {exact} of {len(rows)}")
    # four of 279 may be stricter than the table
    return 1 if security or (not args.variants and usability * 279 > 4 * len(rows)) else 0


if __name__ == "__main__":
    sys.exit(main())
