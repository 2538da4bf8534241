#!/usr/bin/env python3
"""Questions of a reviewer, asked of the examples and of the library's profiles.

tests/data/proofs.tsv has the expected answers.  `policy NAME OPTIONS…` names a policy; each
other line is an assertion, and the answers in the order of the policies:

  yes   proved, wherever the roots lie
  here  proved where the roots are, and a request with other roots is named
  no    refuted
  ?     undecided

Whatever the answer names, `explain` is asked about: the policy must let it through as the
answer says, and if it was refuted or holds only here the request is one that is milder.
--print shows the table as it is now.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = os.path.join(TOP, "tests/data/proofs.tsv")
POLC = os.path.join(os.environ.get("BUILD", os.path.join(TOP, "build/dev")), "bin/polc")
# Directories that exist nowhere, so that no symbolic link of this machine has a say.
ROOTS = {"HOME": "/nonexistent/dev", "PROJECT_DIR": "/nonexistent/dev/app", "TMPDIR": "/nonexistent/tmp"}
WORDS = {0: ("proved", "yes"), 1: ("refuted", "no"), 5: ("undecided", "?")}


def polc(*args):
    got = subprocess.run([POLC, *args], capture_output=True, text=True, cwd=TOP, check=False)
    return got.returncode, got.stdout, got.stderr


def read_table():
    policies, rows = {}, []
    for line in open(TABLE, encoding="utf-8"):
        fields = line.rstrip("\n").split("\t")
        if line.startswith("policy\t"):
            policies[fields[1]] = fields[2].split()
        elif line.strip() and not line.startswith("#"):
            rows.append((fields[0], fields[1].split()))
    return policies, rows


def roots_of(request):
    """The words of the options --root, and of the request without them"""
    roots, words = dict(ROOTS), list(request)
    while words[:1] == ["--root"]:
        name, place = words[1].split("=", 1)
        roots[name] = place
        words = words[2:]
    return [w for name, place in roots.items() for w in ("--root", f"{name}={place}")], words


def explained(options, finding):
    """What `explain` says otherwise than the finding"""
    order = ["allow", "ask", "deny", "hide"]
    effect, least = finding["policy"]["effect"], finding["assertion"]["effect"]
    roots, words = roots_of(finding["request"])
    said = polc("explain", *roots, *options, *words)[1].split(":")[0]
    if said != effect:
        return f"explain says {said}, the answer {effect}: {' '.join(finding['request'])}"
    if order.index(effect) >= order.index(least):
        return f"this is not against it: {' '.join(finding['request'])}"
    return None


def ask(options, assertion):
    """(the answer, what is wrong with it)"""
    status, out, err = polc("prove", "--format=json", *roots_of([])[0], *options, assertion)
    if status not in WORDS:
        return "error", [err.strip()]
    result = json.loads(out)["result"]
    word, answer = WORDS[status]
    wrong = [] if result["verdict"] == word else [f"exit {status}, but {result['verdict']}"]
    if answer == "yes" and result.get("elsewhere", []):
        answer = "here"
    if answer == "no" and not result.get("findings", []):
        wrong.append("refuted without a request")
    if answer == "?" and not result.get("undecided", []):
        wrong.append("undecided without a reason")
    wrong += [w for f in result.get("findings", []) + result.get("elsewhere", []) if (w := explained(options, f))]
    return answer, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--print", action="store_true")
    args = parser.parse_args()
    policies, rows = read_table()
    jobs = [(assertion, name, want) for assertion, wants in rows for name, want in zip(policies, wants, strict=True)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda j: ask(policies[j[1]], j[0]), jobs))
    bad = 0
    for (assertion, name, want), (answer, wrong) in zip(jobs, answers):
        if answer != want:
            wrong = [f"expected {want}, got {answer}", *wrong]
        bad += bool(wrong)
        for w in wrong:
            print(f"FAIL {name}: {assertion}: {w}")
    if args.print:
        for i, (assertion, wants) in enumerate(rows):
            print("\t".join([assertion, " ".join(a for a, _ in answers[i * len(wants):(i + 1) * len(wants)])]))
    share = sum(a == "?" for a, _ in answers)
    print(f"note: {share} of {len(jobs)} undecided")
    print(f"{len(jobs) - bad} passed, {bad} failed, 0 skipped")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
