"""The rows of a corpus with the whole standard library below each rule set: what must
hold stands in bypass.py."""

import os
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import bypass


# Their verdicts are of this scope: in a sandbox the kernel stands behind the decision.
HOST = {"R-files"}


def expected(row, alone, scope):
    """A row's verdict is of the scope host.  In a sandbox the rule set alone may be milder, where the
    kernel stands behind the text; there the library must not be milder than the rule set."""
    order = bypass.ORDER
    milder = scope == "sandbox" and order[alone["effect"]] < order[row["want"]]
    return dict(row, want=alone["effect"]) if milder else row


def uses():
    """All of the standard library that grants or asks something of its own."""
    top = os.path.join(bypass.TOP, "stdlib-policies")
    return sorted(f"std/{d}/{f[:-4]}" for d in ("dev", "cmd")
                  for f in os.listdir(os.path.join(top, d)) if f.endswith(".pol"))


def policy(work):
    path = os.path.join(work, "library.pol")
    with open(path, "w", encoding="utf-8") as f:
        f.write("policy library { level user }\n" + "".join(f"use {u}\n" for u in uses()))
    return path


def rules(path):
    """The ids of its rules."""
    text = subprocess.run([bypass.BUILD + "/bin/polc", "dump", "--after", "resolve", path],
                          capture_output=True, check=True, encoding="utf-8").stdout
    found, inside = set(), False
    for line in text.split("\n"):
        if head := re.match(r"# (\S+): level ", line):
            inside = head[1].startswith(("std/dev/", "std/cmd/"))
        elif inside and (rule := re.search(r" # ([^ ,]+)(, \w+)?$", line)):
            found.add(rule[1])
    return found


def locked(name, work):
    """The rule set at a managed level, its sections locked."""
    out = []
    for word in bypass.sources(name):
        if word.endswith(".pol") and (len(out) == 0 or out[-1] == "--managed"):
            with open(word, encoding="utf-8") as f:
                text = f.read()
            text = re.sub(r"\{ level (project|user) \}", "{ level managed }", text)
            text = re.sub(r"^(command|file) \{", r"locked \1 {", text, flags=re.M)
            word = os.path.join(work, name + "-locked.pol")
            with open(word, "w", encoding="utf-8") as f:
                f.write(text)
        out.append(word)
    return out


def by_rule(answer):
    """A rule decides it, and no scalar."""
    return bool(answer["rules"]) and not re.search(r"-(otherwise|opaque)(-\w+)?$", answer["rules"][0]["id"])


def changes(alone, answer):
    """The parts of the line that the library changed, before and after; None where the
    two answers do not have the same parts."""
    before, after = alone["commands"], answer["commands"]
    if [x["text"] for x in before] != [x["text"] for x in after] or answer["commands_more"]:
        return None
    return [(x, y) for x, y in zip(before, after) if x["effect"] != y["effect"]]


# Their code is not read.  The library lets a sandbox run it, whose walls hold what it does.
LANGUAGES = {"perl", "ruby", "php", "lua", "luajit", "Rscript", "julia"}
# A shell or wrapper of which a table says so; what it runs is a part of its own.
TRANSPARENT = "it runs another command, and nothing else"


def is_code(answer):
    return any(x["words"] and x["words"][0] in LANGUAGES for x in answer["commands"])


def judge(row, alone, answer, library):
    """None, "opened", "asked", "SECURITY" or "usability"."""
    order, got, want = bypass.ORDER, answer["effect"], row["want"]
    if order[got] == order[want] or (order[got] > order[want] and got == alone["effect"]):
        return None
    parts = changes(alone, answer)
    if order[got] > order[want]:
        if got == "ask" and parts and any(y["effect"] == "ask" and y["rule"] in library for _, y in parts):
            return "asked"
        return "usability"
    if want == "deny" and by_rule(alone) or not parts:
        return "SECURITY"
    milder = [y for x, y in parts if order[y["effect"]] < order[x["effect"]]]
    fine = milder and all(y["rule"] in library or y["why"] == TRANSPARENT for y in milder)
    return "opened" if fine else "SECURITY"


def denied_ran(row):
    import bypass_oracle

    ran = bypass_oracle.ran(row) if b"\0" not in row["line"] else None
    return (ran or set()) & bypass_oracle.DENIED[row["set"]]


def main(rows, verbose):
    import bypass_oracle

    counts = dict.fromkeys(("SECURITY", "usability", "opened", "asked", None), 0)
    opened = []

    def tell(kind, scope, name, row, answer):
        counts[kind] += 1
        if kind in ("SECURITY", "usability") or (verbose and kind):
            print(f"{kind} {name} ({scope}): {row['line']!r}\n    {answer['effect']}, expected"
                  f" {row['want']}: {row['why']}\n    "
                  + ", ".join(r["at"] + " " + r["id"] for r in answer["rules"][:3]))

    with tempfile.TemporaryDirectory() as work:
        below = ["--user", policy(work)]
        library = rules(below[1])
        for name in sorted({x["set"] for x in rows}):
            own = [x for x in rows if x["set"] == name]
            lines = [x["line"] for x in own]
            alone = bypass.compiled(bypass.sources(name), work, name)
            both = bypass.compiled(bypass.sources(name) + below, work, name + "-library")
            tight = bypass.compiled(locked(name, work) + below, work, name + "-locked")
            for scope in ("host",) if name in HOST else ("host", "sandbox"):
                for row, one, answer in zip(own, bypass.answers(name, alone, lines, scope),
                                            bypass.answers(name, both, lines, scope)):
                    row = expected(row, one, scope)
                    kind = judge(row, one, answer, library)
                    if kind == "opened" and name in bypass_oracle.DENIED and not (
                            scope == "sandbox" and is_code(answer)):
                        opened.append(row)
                    tell(kind, scope, name, row, answer)
                for row, one, answer in zip(own, bypass.answers(name, alone, lines, scope),
                                            bypass.answers(name, tight, lines, scope)):
                    row = expected(row, one, scope)
                    if bypass.ORDER[answer["effect"]] < bypass.ORDER[row["want"]]:
                        tell("SECURITY", scope + ", locked", name, row, answer)
    run = list({row["line"]: row for row in opened}.values()) if shutil.which("bwrap") else []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for row, ran in zip(run, pool.map(denied_ran, run)):
            if ran:
                print(f"SECURITY {row['set']}: {row['line']!r} is opened, and runs {ran}")
                counts["SECURITY"] += 1
    if not counts["opened"] or not counts["asked"]:
        print("the library changes nothing: the test says nothing")
        counts["SECURITY"] += 1
    total = sum(counts.values())
    print(f"{len(run)} lines that the library opened were run by a shell")
    print(f"bypass: security {counts['SECURITY']}, usability {counts['usability']}, exact"
          f" {counts[None]} of {total} with the library, opened {counts['opened']}, asked"
          f" {counts['asked']}")
    return 1 if counts["SECURITY"] or counts["usability"] * 279 > 4 * total else 0

