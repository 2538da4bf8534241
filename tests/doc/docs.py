#!/usr/bin/env python3
"""Runs what the documents show.

In README.md, doc/*.md and examples/*/README.md, between lines of three
backquotes:
  a block whose first statement is `policy …`, or that is marked `yaml` and
  written to no file, is checked by polc check;
  a block marked `console` is run: `$ ` begins a command, `> ` goes on with it,
  the other lines are what it prints (stdout and stderr).  '…' in a line stands
  for any text, a line of '…' alone for any lines;
  a block marked `sh` is for copying: it is run whole, says nothing and succeeds.
Comments direct it, each for the block below it or where it stands:
  <!-- file: NAME -->  the block is written to NAME (and checked as above)
  <!-- run: COMMAND -->  run before the next block, output not compared
  <!-- needs: PROGRAM -->  the next block is left out where PROGRAM is missing
A document's commands share one directory, one HOME and one shell.  README.md and
doc/tutorial.md have no such comments: who types what is visible gets what is shown.
"""
import glob
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import slices  # noqa: E402

BIN = os.path.join(os.environ["BUILD"], "bin")
TOP = os.getcwd()
TYPED = ("README.md", "doc/tutorial.md")
REQUIRE = os.environ.get("POL_TEST_REQUIRE", "")
passed = failed = skipped = 0


def result(name, ok, said=""):
    global passed, failed
    if ok:
        passed += 1
        print(f"ok   {name}")
    else:
        failed += 1
        print(f"FAIL {name}")
        if said:
            print(said)


def skip(name, why):
    global skipped, failed
    if REQUIRE:
        failed += 1
        print(f"FAIL {name}: required, but: {why}")
    else:
        skipped += 1
        print(f"skip {name}: {why}")


class Shell:
    """One bash for a document; each command's output up to a marker."""

    def __init__(self, work):
        env = {"PATH": f"{BIN}:{os.environ.get('PATH', '/usr/bin:/bin')}",
               "HOME": f"{work}/home", "LANG": "C.UTF-8", "TERM": "dumb",
               "GIT_CONFIG_NOSYSTEM": "1", "TOP": TOP}
        self.p = subprocess.Popen(
            ["bash", "--noprofile", "--norc"], cwd=f"{work}/home/project", env=env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True)  # without a terminal polrun asks nobody

    def run(self, command):
        mark = "--end-of-output--"
        text = f"{{ {command}\n}} </dev/null\nprintf '\\n{mark}\\n'\n"
        self.p.stdin.write(text.encode())
        self.p.stdin.flush()
        out = []
        for line in self.p.stdout:
            line = line.decode(errors="replace").rstrip("\n")
            if line == mark:
                break
            out.append(line)
        # the marker's own newline, and one that the command ended with
        while out and out[-1] == "":
            out.pop()
        return out

    def close(self):
        self.p.stdin.close()
        self.p.wait(timeout=20)


def matches(want, got):
    if not want:
        return not got
    if want[0].strip() == "…":
        return any(matches(want[1:], got[i:]) for i in range(len(got) + 1))
    if not got:
        return False
    pattern = ".*".join(re.escape(part) for part in want[0].rstrip().split("…"))
    return re.fullmatch(pattern, got[0].rstrip()) is not None and \
        matches(want[1:], got[1:])


def console(shell, name, lines):
    commands = []
    for line in lines:
        if line.startswith("$ "):
            commands.append([line[2:], []])
        elif line.startswith("> ") and commands and not commands[-1][1]:
            commands[-1][0] += "\n" + line[2:]
        elif commands:
            commands[-1][1].append(line)
    if not commands:
        result(name, False, "no line begins with '$ '")
    for command, want in commands:
        while want and want[-1] == "":
            want.pop()
        got = shell.run(command)
        result(f"{name}: {command.splitlines()[0]}", matches(want, got),
               "  wanted:\n" + "\n".join("    " + x for x in want) +
               "\n  got:\n" + "\n".join("    " + x for x in got))


def typed(shell, name, lines):
    got = shell.run("\n".join(lines) + "\nrc=$?; [ $rc = 0 ] || echo status $rc")
    result(f"{name}: {lines[0]}", not got, "\n".join(got))


def first_statement(lines):
    for line in lines:
        line = line.strip()
        if line and not line.startswith("#"):
            return line
    return ""


def check_policy(name, text, work, suffix="pol"):
    path = os.path.join(work, f"block.{suffix}")
    with open(path, "w") as f:
        f.write(text)
    p = subprocess.run([f"{BIN}/polc", "check", path], capture_output=True, text=True)
    result(f"{name}: polc check", p.returncode == 0, p.stderr)


def document(path):
    work = tempfile.mkdtemp(prefix="pol-docs.", dir="/var/tmp")
    os.makedirs(f"{work}/home/project")
    shell = None
    lang, block, wants_file, needs = None, [], None, None
    try:
        for number, line in enumerate(open(path), 1):
            line = line.rstrip("\n")
            note = re.fullmatch(r"<!-- (file|run|needs): (.*) -->", line)
            if lang is None and note and path in TYPED:
                result(f"{path}:{number}: nothing is prepared out of sight", False, line)
            elif lang is None and note:
                if note[1] == "file":
                    wants_file = note[2]
                elif note[1] == "needs":
                    needs = note[2]
                else:
                    shell = shell or Shell(work)
                    shell.run(note[2])
            elif line.startswith("```") and lang is None:
                lang, block, begin = line[3:].strip(), [], number
            elif line.startswith("```"):
                name = f"{path}:{begin}"
                if lang == "console":
                    shell = shell or Shell(work)
                    if needs and not shutil.which(needs):
                        # no skip: the block is about a program of its own
                        print(f"left out {name}: no {needs} here")
                    else:
                        console(shell, name, block)
                elif lang == "sh" and path in TYPED:
                    shell = shell or Shell(work)
                    typed(shell, name, block)
                elif lang == "yaml" and not wants_file:
                    check_policy(name, "\n".join(block) + "\n", work, "yml")
                elif first_statement(block).startswith("policy "):
                    check_policy(name, "\n".join(block) + "\n", work)
                if wants_file:
                    shell = shell or Shell(work)
                    with open(f"{work}/home/project/{wants_file}", "w") as f:
                        f.write("\n".join(block) + "\n")
                lang = wants_file = needs = None
            elif lang is not None:
                block.append(line)
        if lang is not None:
            result(path, False, f"the block of line {begin} does not end")
    finally:
        if shell:
            shell.close()
        shutil.rmtree(work, ignore_errors=True)


# --- links -------------------------------------------------------------------

def links(path):
    bad = []
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", open(path).read()):
        if not os.path.exists(os.path.join(os.path.dirname(path), target)):
            bad.append(f"  {target} is not there")
    result(f"{path}: links", not bad, "\n".join(bad))


def claims(path):
    """The threat model names a test for each claim: the tests are there, and each row
    of its tables and each point of what is left names one."""
    lines = open(path).read().splitlines()
    text = "\n".join(lines)
    faults = [f"there is no test {name}" for name in re.findall(r"`([\w/-]+\.sh)`", text)
              if not any(map(os.path.exists, (name, f"tests/live/{name}")))]
    named = False
    left = lines.index("## What is left")
    points = re.split(r"\n(?=\* )", "\n".join(lines[left + 2:]))
    for n, line in enumerate(lines, 1):
        if line.startswith("|") and not lines[n - 2].startswith("|"):
            named = line.rstrip("| ").endswith("tests")
        elif named and line.startswith("|") and not line.startswith("|---") and \
                not re.search(r"\.sh`|\.c`|`make ", line.rstrip("| ").rsplit("|", 1)[1]):
            faults.append(f"line {n} names no test")
    faults += [f"'{p[:60]}' names no test" for p in points if not re.search(r"\.(sh|tsv)`", p)]
    result(f"{path}: each claim has a test", not faults, "  " + "\n  ".join(faults))


# --- JSON formats ------------------------------------------------------------

def schema_case(validator, name, command, cwd, report=None):
    p = subprocess.run(command, capture_output=True, text=True, cwd=cwd,
                       stdin=subprocess.DEVNULL)
    try:
        data = json.loads(open(report).read() if report else p.stdout)
    except (OSError, ValueError) as e:
        result(name, False, f"  {e}\n  {p.stderr}")
        return None
    faults = [f"  {'/'.join(map(str, e.path))}: {e.message[:200]}"
              for e in validator.iter_errors(data)]
    result(name, not faults, "\n".join(faults))
    return data


def schemas():
    try:
        import jsonschema
    except ImportError:
        skip("JSON formats", "no python3-jsonschema here")
        return
    work = tempfile.mkdtemp(prefix="pol-docs.", dir="/var/tmp")
    project = f"{work}/home/project"
    os.makedirs(project)
    os.environ["HOME"] = f"{work}/home"
    polc, polrun = f"{BIN}/polc", f"{BIN}/polrun"
    v = {}
    for path in sorted(glob.glob("doc/schema/*.json")):
        schema = json.load(open(path))
        jsonschema.Draft7Validator.check_schema(schema)
        v[os.path.basename(path)[:-5]] = jsonschema.Draft7Validator(schema)
    # each schema must be able to fail
    for name, validator in v.items():
        result(f"schema {name} refuses what it should",
               not validator.is_valid({}) and not validator.is_valid([]))
    good, bad = f"{TOP}/examples/node-project/policy.pol", f"{work}/bad.pol"
    with open(bad, "w") as f:
        f.write('policy x { level nowhere }\nfile { alow read "/x" }\n')
    for name, args in (("a good policy", [good]), ("all of it", ["-v", good]),
                       ("errors", [bad]),
                       ("a policy each", [f"{TOP}/examples/reference/{n}.yml"
                                          for n in ("native", "cloud")])):
        schema_case(v["check"], f"check --format json: {name}",
                    [polc, "check", "--format", "json"] + args, work)
    bundle = f"{work}/p.polb"
    subprocess.run([polc, "compile", good, "-o", bundle], capture_output=True)
    for request in (["command", "npm publish"], ["command", "a | b"],
                    ["argv", "--", "ls"], ["file", "write", f"{project}/x"],
                    ["net", "tcp", "a.example:1"], ["unix", "/run/x"],
                    ["syscall", "ptrace"], ["syscall", "9999"], ["tool", "x"]):
        for where in (good, bundle):
            schema_case(v["explain"], "explain --format json: " + " ".join(request) +
                        (" (bundle)" if where == bundle else ""),
                        [polc, "explain", "--format", "json", where] + request, project)
            told = schema_case(v["explain"], "explain --why-not --format json: " + " ".join(request) +
                               (" (bundle)" if where == bundle else ""),
                               [polc, "explain", "--why-not=managed", "--format", "json", where] + request,
                               project)
            result("explain --why-not: answers", bool(told) and told["why_not"]["level"] == "managed" and
                   (told["effect"] == "allow") == (told["why_not"]["answer"] == "allowed"))
    nested = schema_case(v["explain"], "explain --format json: a command in a command",
                         [polc, "explain", "--format", "json", good, "command",
                          "sudo nice ls"], project)
    result("explain --format json: each names the one that it is in, the first by 0",
           [c["of"] for c in nested["commands"]] == [None, 0, 1])
    for words, want in ((["command", "git push --force"], ["against it"]),
                        (["command", "make all"], ["holds here"]),
                        (["command", 'git push "$x"'], ["undecided"] * 5),
                        (["tool", "b"], [])):
        told = schema_case(v["explain"], "explain --format json: assertions, " + " ".join(words),
                           [polc, "explain", "--format", "json",
                            f"{TOP}/tests/golden/cli/asserted.pol"] + words, project)
        result("explain --format json: the verdicts of assertions",
               bool(told) and [x["verdict"] for x in told["assertions"]] == want)
    managed = f"{TOP}/examples/reference/managed.yml"
    with open(f"{work}/user.pol", "w") as f:
        f.write('policy u { level user }\nsetting "context.storage" = "local"\n'
                'setting "a.b" = [1, {c = true}]\n')
    for name in ("context.storage", "a.b", "agents.enforcedAgents", "runner.mode", "no.such"):
        schema_case(v["explain-setting"], f"explain setting {name} --format json",
                    [polc, "explain", "--format", "json", "--project", managed,
                     f"{work}/user.pol", "setting", name], work)
    for words in (["env", "PATH"], ["env", "nobody"], ["limit", "time"], ["limit", "no"], ["mount", "/x"]):
        schema_case(v["explain-value"], f"explain {' '.join(words)} --format json",
                    [polc, "explain", "--format", "json", good] + words, work)
    schema_case(v["inspect"], "inspect --format json",
                [polc, "inspect", "--format", "json", bundle], work)
    for args in ([], ["--section", "file"], ["-v"]):
        for where in (good, bundle):
            schema_case(v["effective"], "effective --format json " + " ".join(args) +
                        (" (bundle)" if where == bundle else ""),
                        [polc, "effective", "--format", "json", where] + args, work)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{work}/key"])
    with open(f"{work}/key.pub") as key, open(f"{work}/signers", "w") as f:
        f.write('"who else" ' + key.read())
    subprocess.run([polc, "sign", "--key", f"{work}/key", bundle])
    os.chmod(f"{work}/signers", 0o644)
    schema_case(v["inspect"], "inspect --format json: signed",
                [polc, "inspect", "--format", "json", bundle], work)
    schema_case(v["verify"], "verify --format json",
                [polc, "verify", "--format", "json", "--allowed-signers",
                 f"{work}/signers", bundle], work)
    golden = f"{TOP}/tests/golden/cli"
    compile_ = [polc, "compile", "--no-nft-batch"]
    texts = ('tools { ask "b" }\n', 'tools { allow "b" }\ncommand { allow /^(a+) \\1$/ }\n', 'tools { ask "b" }\n')
    for n, text in enumerate(texts):
        with open(f"{work}/c{n}.pol", "w") as f:
            f.write("policy c { level managed base none }\n" + text)
        subprocess.run(compile_ + [f"{work}/c{n}.pol", "-o", f"{work}/c{n}.polb", "--serial", str(n + 1)] +
                       (["--sign", f"{work}/key", "--against", f"{work}/c0.polb"] if n else []), capture_output=True)
    for n, wants in ((1, True), (2, False)):
        data = schema_case(v["inspect"], f"inspect --format json: change statement {n}",
                           [polc, "inspect", "--format", "json", f"{work}/c{n}.polb"], work)
        result(f"inspect --format json: what is in it {n}", data and all(
            bool(data["changes"][key]) == wants for key in ("kinds", "undecided", "may_widen", "findings", "doubts")))
        schema_case(v["verify"], f"verify --format json: change statement {n}",
                    [polc, "verify", "--format", "json", "--allowed-signers", f"{work}/signers",
                     f"{work}/c{n}.polb"], work)
    for old, new in ((good, bundle), (good, f"{golden}/diff.pol"),
                     (f"{golden}/diff.pol", f"{golden}/diff.new.pol"),
                     (f"{golden}/diff-undecided.pol", f"{golden}/diff-undecided.new.pol")):
        schema_case(v["diff"], f"diff --format json {os.path.basename(old)} "
                    f"{os.path.basename(new)}",
                    [polc, "diff", "--format", "json", old, new], work)
    for name in ("ceiling-beyond", "ceiling-within", "ceiling-undecided"):
        data = schema_case(v["check"], f"check --format json: {name}",
                           [polc, "check", "--format", "json", f"{golden}/{name}.pol",
                            "--against", f"{golden}/{name}.most.pol"], work)
        result(f"check --format json: {name} says so",
               data and [a["result"]["verdict"] for a in data["against"]] == [name[8:]])
    for want, name, assertion in (("proved", "prove", "never tool \"x*\""), ("refuted", "prove", "only tool \"b\""),
                                  ("undecided", "prove-opaque", "never command \"b\"")):
        data = schema_case(v["prove"], f"prove --format json: {assertion}",
                           [polc, "prove", "--format", "json", f"{golden}/{name}.pol", assertion], work)
        result(f"prove --format json: {assertion} is {want}",
               data and data["result"]["verdict"] == want)
    exposed = f"{TOP}/tests/golden/exposure"
    for name in ("mixed", "base-none", "wide"):
        data = schema_case(v["exposure"], f"exposure --format json: {name}",
                           [polc, "exposure", "--format", "json", f"{exposed}/{name}.pol"], work)
        result(f"exposure --format json: {name}: the score is the sum, and no value is shown",
               data and all(r["score"] == sum(f["score"] for f in r["findings"])
                            for r in data["roles"]) and "not-to-be-shown" not in json.dumps(data))
    with open(f"{work}/r.pol", "w") as f:
        f.write('policy r { level user }\ncommand { otherwise allow  deny "wc:*" }\n'
                'file { allow read, write "${PROJECT_DIR}" }\nlimits { time 1s }\n')
    run_bundle, report = f"{work}/r.polb", f"{work}/report.json"
    subprocess.run([polc, "compile", f"{work}/r.pol", "-o", run_bundle],
                   capture_output=True)
    for name, args in (("a success", ["true"]), ("a denied command", ["wc", "x"]),
                       ("a line", ["-c", "a | b"]), ("not found", ["nosuchprogram"]),
                       ("a signal", ["sh", "-c", "kill -9 $$"]),
                       ("denials", ["--explain-denials", "sh", "-c",
                                    "echo x >/usr/x; cat /etc/shadow; unshare -U true"]),
                       ("what it left", ["sh", "-c", "mkdir -p new/.git b/objects b/refs; touch b/HEAD"]),
                       ("the time limit", ["sleep", "5"])):
        schema_case(v["report"], f"--report: {name}",
                    [polrun, "-b", run_bundle, "--report", report] + args, project,
                    report)
        if os.path.exists(report):
            os.unlink(report)
    state = f"{work}/home/.local/state/pol"
    os.makedirs(state, exist_ok=True)
    os.chmod(state, 0o700)
    with open(f"{state}/approvals", "w", opener=lambda n, f: os.open(n, f, 0o600)) as f:
        f.write("pol-approvals 1\n")
        for session in ("id:agent-1", "tty:" + "0" * 8 + 3 * "-0000" + "-" + 12 * "0" + ":1:2"):
            f.write("\t".join(("a" * 64, session, "1", "b" * 64, "pushing",
                               "git push")) + "\n")
    schema_case(v["approvals"], "polquery approvals list --format json",
                [f"{BIN}/polquery", "approvals", "list", "--format", "json"], work)
    stat = "echo x >staged; ln -s staged link; rm -f gone; chmod 755 ."
    subprocess.run([polrun, "-b", run_bundle, "--stage", "sh", "-c", stat], capture_output=True, cwd=project)
    review = schema_case(v["review"], "review --format json", [polrun, "review", "--format", "json"], project)
    result("review --format json names what was staged", review and
           {os.path.basename(c["path"]) for c in review["changes"]} >= {"staged", "link"}, repr(review))
    schema_case(v["report"], "--report: a staged run",
                [polrun, "-b", run_bundle, "--stage", "--report", report, "sh", "-c", stat], project, report)
    left = schema_case(v["left"], "polquery left list --format json",
                       [f"{BIN}/polquery", "left", "list", "--format", "json"], work)
    result("polquery left list names what was left", left and
           sorted(i["kind"] for i in left["left"]) == ["bare-repository", "repository"], f"  {left}")
    os.makedirs(f"{work}/home/.claude", exist_ok=True)
    for name, text in (("nothing", "{}"), ("a hook", json.dumps({"hooks": {"PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command":
                f"/usr/bin/timeout 20 {BIN}/polquery -b {run_bundle} hook claude-code || exit 2"}]}]}}))):
        with open(f"{work}/home/.claude/settings.json", "w") as f:
            f.write(text)
        schema_case(v["doctor"], f"polquery --format json doctor: {name}",
                    [f"{BIN}/polquery", "--format", "json", "doctor"], work)
    message_schemas(v, ["-b", bundle, "--allowed-signers", f"{work}/signers"], work)
    query_schemas(v, ["-b", bundle, "--allowed-signers", f"{work}/signers"], project)
    shutil.rmtree(work, ignore_errors=True)


def traffic_schemas(v, args, good, work):
    """What polquery records, and what diff says of it; a copy of each record with a key
    too many, and without one, is refused by the schema and by diff."""
    record, bundle = f"{work}/r.jsonl", args[1]
    lines = "".join(json.dumps(dict(q, id=1)) + "\n" for q in good)
    subprocess.run([f"{BIN}/polquery", *args, "--record", record], input=lines, text=True,
                   capture_output=True)
    records = [json.loads(line) for line in open(record)] if os.path.exists(record) else []
    result("each kind of request is recorded",
           {r["kind"] for r in records} == {"command", "argv", "file", "net", "unix", "syscall", "tool"})
    for r in records:
        faults = [e.message[:200] for e in v["traffic"].iter_errors(r)]
        result(f"a record of {r['kind']}", not faults, f"  {r}\n  {faults}")
        for bad in (dict(r, more=1), dict(r, record=2), {k: r[k] for k in r if k != "effect"}):
            with open(f"{work}/bad.jsonl", "w") as f:
                f.write(json.dumps(bad) + "\n")
            p = subprocess.run([f"{BIN}/polc", "diff", bundle, bundle, "--traffic", f"{work}/bad.jsonl"],
                               capture_output=True, text=True)
            result(f"a bad record of {r['kind']} is refused by schema and diff",
                   not v["traffic"].is_valid(bad) and p.returncode == 2 and
                   "bad.jsonl:1: " in p.stderr and not p.stdout, f"  {bad}\n  {p}")
    golden = f"{TOP}/tests/golden/cli"
    for new in (bundle, f"{golden}/diff.new.pol"):
        schema_case(v["diff"], f"diff --traffic --format json {os.path.basename(new)}",
                    [f"{BIN}/polc", "diff", "--format", "json", bundle, new, "--traffic", record], work)


def query_schemas(v, args, project):
    """Requests and answers of polquery: what the schema of requests takes and
    refuses is what polquery takes and refuses."""
    here = {"cwd": project, "home": os.path.dirname(project)}
    good = [dict(here, id=1, kind="command", line="npm publish"),
            dict(here, id=[1, None], kind="command", line="a | b"),
            dict(here, kind="argv", argv=["ls", ""], role="x"),
            dict(here, kind="argv", argv=["ls"], scope="host", tmpdir="/tmp",
                 session_dir="/s", project=project),
            dict(here, kind="file", op="write", path=f"{project}/x"),
            dict(kind="net", proto="tcp", host="a.example", port=1),
            dict(here, kind="unix", path="@x"), dict(here, kind="unix", path="/run/x"),
            dict(kind="syscall", name="ptrace", args=[0, -1, 2**64 - 1]),
            dict(kind="tool", name="x", args={"a": [1.5]}),
            dict(kind="setting", name="context.storage")]
    bad = [{}, dict(kind="x"), dict(kind="tool"), dict(kind="tool", name=1),
           dict(kind="tool", name="x", op="read"), dict(kind="argv", argv=[]),
           dict(kind="argv", argv=[1]), dict(kind="file", op="x", path="/x"),
           dict(kind="file", op="read", path="x"), dict(kind="unix", path="@"),
           dict(kind="net", proto="tcp", host="a", port=0),
           dict(kind="net", proto="tcp", host="a", port=1.5),
           dict(kind="syscall", name="read", args=[2**64]),
           dict(kind="syscall", name="read", args=[0] * 7),
           dict(kind="tool", name="x", scope="all"), dict(kind="tool", name="x", y=1)]
    lines = "".join(json.dumps(r) + "\n" for r in good + bad)
    p = subprocess.run([f"{BIN}/polquery"] + args, input=lines.encode(),
                       capture_output=True, cwd=project)
    answers = p.stdout.decode().splitlines()
    if len(answers) != len(good) + len(bad):
        result("polquery answers each line", False, f"  {answers}\n  {p.stderr}")
        return
    for request, answer in zip(good + bad, map(json.loads, answers)):
        faults = [e.message[:200] for e in v["query-decision"].iter_errors(answer)]
        if v["query-request"].is_valid(request) != (request in good):
            faults.append("the schema of requests does not say so")
        # only the role is no matter of form
        if ("error" in answer) != (request in bad or "role" in request):
            faults.append(f"answered {answer}")
        if answer["id"] != request.get("id"):
            faults.append("another id")
        result("polquery " + json.dumps(request)[:60], not faults, "  " + "\n  ".join(faults))
    traffic_schemas(v, args, good, project)


def message_schemas(v, args, work):
    """The lines of polquery serve that are no requests: what the schema takes and refuses is
    what polquery takes and refuses, and what it says is as the other schema says."""
    net = dict(kind="net", proto="tcp", host="a.example", port=443, program="curl (curl), pid 7",
               rule=dict(id="r", level="user", file="p.pol", line=7, text="ask tcp"),
               reason="because", hold_ms=20000)
    nothing = dict(net, program=None, reason=None, host="2001:db8::1", proto="udp",
                   rule=dict(id="r", level="default", file=None, line=None, text=None))
    good = [dict(answers="net"), dict(question=net), dict(question=nothing)]
    good += [dict(answer=i, effect="allow", **{"for": w}) for i in (1, 2**53) for w in ("run", "session")]
    good += [dict(answer=9, effect="deny"), dict(answer=9, effect="deny", **{"for": "run"})]
    bad = [dict(answers="file"), dict(answers="net", id=1), dict(question={}), dict(question=[]),
           dict(question=net, id=1), dict(question=dict(net, x=1)),
           dict(question=dict(net, rule=dict(net["rule"], x=1))), dict(answer=0, effect="deny"),
           dict(answer=2**53 + 1, effect="deny"), dict(answer="1", effect="deny"), dict(answer=1),
           dict(answer=1, effect="allow"), dict(answer=1, effect="ask", **{"for": "run"}),
           dict(answer=1, effect="deny", **{"for": "session"})]
    bad += [dict(question={k: w for k, w in net.items() if k != key}) for key in net]
    bad += [dict(question=dict(net, **{k: w})) for k, w in (
        ("kind", "command"), ("proto", "icmp"), ("host", None), ("port", 0), ("port", "443"),
        ("program", 1), ("rule", None), ("reason", []), ("hold_ms", 30001), ("hold_ms", 0))]
    bad += [dict(question=dict(net, rule=dict(net["rule"], **{k: w}))) for k, w in (
        ("id", None), ("level", "root"), ("file", 1), ("line", 0), ("text", {}))]
    path = f"{work}/ask.sock"
    p = subprocess.Popen([f"{BIN}/polquery"] + args + ["serve", path], stderr=subprocess.PIPE)
    until = time.monotonic() + 60
    while not os.path.exists(path) and p.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    try:
        clients = []
        for _ in range(3):
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(60)
            s.connect(path)
            clients.append((s, s.makefile()))

        def exchange(client, message):
            client[0].sendall(json.dumps(message).encode() + b"\n")

        def heard(client):
            told = json.loads(client[1].readline())
            if "error" not in told:
                faults = [e.message[:200] for e in v["query-told"].iter_errors(told)]
                result("polquery serve says " + str(told)[:60], not faults, "  " + "\n  ".join(faults))
            return told
        person, asker, other = clients
        exchange(person, good[0])
        heard(person)
        for message in good + bad:
            asks = message in good and "question" in message
            exchange(asker if asks else person, message)
            told = heard(person)
            if asks: # it is answered, so that the next can be asked
                exchange(person, dict(answer=told["question"], effect="deny"))
                heard(asker), heard(person)
            result("polquery serve: " + json.dumps(message)[:60],
                   ("error" in told) == (message in bad) and
                   v["query-message"].is_valid(message) == (message in good), f"  {told}")
        exchange(other, good[0])
        heard(other)
        exchange(asker, good[1])
        number = heard(person)["question"]
        exchange(other, dict(answer=number, effect="allow", **{"for": "session"}))
        heard(other), heard(other), heard(asker)
        result("polquery serve: the other answerer is told",
               heard(person) == {"answered": number})
    except (OSError, ValueError, KeyError) as e:
        result("polquery serve: messages", False, f"  {e!r}")
    p.terminate()
    p.communicate()


def main():
    names = sys.argv[1:] or slices.cut(sorted(
        glob.glob("README.md") + glob.glob("doc/*.md") + glob.glob("examples/*/README.md")))
    for name in names:
        document(name)
        links(name)
        if name == "doc/threat-model.md":
            claims(name)
    if not sys.argv[1:] and slices.in_slice(0):
        schemas()
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


sys.exit(main())
