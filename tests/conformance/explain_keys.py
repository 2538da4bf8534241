"""What polc explain says beside the decision, against the evaluator: the policy is changed as the
answer says, and asked again.

without     the rule that decides is taken out of its file: who decides then?
idle        a rule that counts for nothing is taken out: nothing changes
assertions  one is added whose set has the request: the verdict is that of the effect
why_not     what is proposed is pasted: the request is allowed, and was not before
"""

import json
import os
import re
import shutil
import subprocess

STRICT = {"allow": 0, "ask": 1, "deny": 2, "hide": 3}
SET = {  # an assertion whose set has the request of OTHERS or any line
    "command": 'command "*:*"',
    "file": 'file read, write, exec "/"',
    "net": "net any",
}


class Policy:
    """The files of a rule set, copied, so that they may be changed."""

    def __init__(self, polc, roots, sources, work):
        self.polc, self.roots, self.work = polc, roots, work
        self.levels, self.texts = [], {}
        level = None
        for word in sources:
            if word.startswith("--"):
                level = word
                continue
            name = os.path.basename(word)
            with open(word, encoding="utf-8") as f:
                self.texts[name] = f.read().split("\n")
            self.levels.append((level, name))
            level = None

    def explain(self, request, texts=None, options=()):
        """The answer in JSON, or None where the policy is refused."""
        shutil.rmtree(self.work, ignore_errors=True)
        os.mkdir(self.work)
        words = [self.polc, "explain", "--color=never", "--format", "json", *self.roots, *options]
        texts = texts or self.texts
        for level, name in self.levels + [("--user", n) for n in texts if n not in self.texts]:
            with open(os.path.join(self.work, name), "w", encoding="utf-8") as f:
                f.write("\n".join(texts[name]))
            words += ([level] if level else []) + [name]
        done = subprocess.run([*words, *request], capture_output=True, cwd=self.work)
        return json.loads(done.stdout) if done.returncode in (0, 1, 3) and done.stdout else None

    def statement(self, rule):
        """(file, index of its line) of a rule that stands alone on one line of a copied file, or None."""
        at = rule.get("at")
        name, line = at.rsplit(":", 1) if at else ("", "0")
        if name not in self.texts:
            return None
        text = re.sub(r"\s*#[^\"]*$", "", self.texts[name][int(line) - 1]).strip()
        return (name, int(line) - 1) if re.sub(r"\s+", " ", text) == rule["text"] else None

    def without(self, place):
        name, line = place
        texts = {n: list(t) for n, t in self.texts.items()}
        texts[name][line] = ""
        return texts


def blank(lines, at):
    """Takes the statement that begins in line AT out: a list goes on behind a comma."""
    goes_on = True
    while goes_on:
        goes_on = lines[at].rstrip().endswith(",")
        lines[at] = ""
        at += 1


def who(answer):
    return answer["effect"], answer["by"]["id"] if answer["by"] else None


def wrong_without(p, request, answer):
    place = answer["by"] and p.statement(answer["by"])
    if not place or not answer["without"]:
        return None, False
    again = p.explain(request, p.without(place))
    if not again:
        return None, False
    want = answer["without"]["effect"], answer["without"]["id"]
    return (None if who(again) == want else f"without {answer['by']['id']}: {want}, and it is {who(again)}"), True


def wrong_idle(p, request, answer):
    places = [(r, p.statement(r)) for r in answer["rules"] if r.get("idle")]
    for rule, place in places:
        again = p.explain(request, p.without(place)) if place else None
        if again and who(again) != who(answer):
            return f"{rule['id']} is idle ({rule['idle']}), and without it {who(answer)} is {who(again)}", True
    return None, any(place for _, place in places)


def wrong_assertion(p, request, answer):
    kind = "command" if request[0] in ("command", "argv") else request[0]
    if kind not in SET or len(answer.get("commands") or [0]) != 1:
        return None, False
    for word, least in (("never", 2), ("always ask", 1)):
        texts = {n: list(t) for n, t in p.texts.items()}
        texts[p.levels[0][1]] += [f"assert {word} {SET[kind]}", ""]
        again = p.explain(request, texts)
        if not again:
            return f"'assert {word} {SET[kind]}' is refused", True
        got = [a["verdict"] for a in again["assertions"] if a["text"].startswith(f"assert {word} ")]
        if got == ["undecided"]:  # a word that is not literal
            return None, False
        want = "holds here" if STRICT[answer["effect"]] >= least else "against it"
        if got != [want]:
            return f"assert {word}: {got}, and {answer['effect']} is {want}", True
    return None, True


def wrong_why_not(p, request, _):
    answer = p.explain(request, options=["--why-not"])
    why = answer["why_not"] if answer else None
    if not why:
        return "no why_not", True
    if (why["answer"] == "allowed") != (answer["effect"] == "allow"):
        return f"why_not says {why['answer']} of {answer['effect']}", True
    if why["answer"] != "rules":
        return None, False
    texts = {n: list(t) for n, t in p.texts.items()}
    to = [n for level, n in p.levels if level == "--" + why["level"]] or ["pasted.pol"]
    own = texts.setdefault(to[0], [f"policy pasted {{ level {why['level']} }}"])
    for s in why["statements"]:
        if s["in_place_of"]:
            name, line = s["in_place_of"].rsplit(":", 1)
            blank(texts[name], int(line) - 1)
        own.append(s["text"])
    own.append("")
    again = p.explain(request, texts)
    if not again or again["effect"] != "allow":
        said = "refused" if not again else f"{who(again)}"
        return f"with {[s['text'] for s in why['statements']]} it is {said}", True
    return None, True


CHECKS = {"without": wrong_without, "idle": wrong_idle, "assertions": wrong_assertion, "why_not": wrong_why_not}


def check(p, request, tried):
    """What is wrong, or None; tried[key] counts the checks that had something to try."""
    answer = p.explain(request)
    if not answer:
        return "no answer"
    for key, wrong in CHECKS.items():
        why, did = wrong(p, request, answer)
        tried[key] += did
        if why:
            return f"{key}: {why}"
    return None
