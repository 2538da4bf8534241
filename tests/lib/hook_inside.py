"""What a hook with --run hands back, run by the shells that agents use, beside the line
that the agent asked for.

    hook_inside.py POLQUERY BUNDLE AGENT same  <LINES     prints what differs, or nothing
    hook_inside.py POLQUERY BUNDLE AGENT line LINE        prints the line that is handed back
    hook_inside.py POLQUERY BUNDLE AGENT effect LINE      prints the effect and the reason
    hook_inside.py POLQUERY BUNDLE AGENT random N SEED    of N lines of random pieces, those that polrun
                                                          would get with other bytes; the polrun beside
                                                          POLQUERY writes its last word to $POL_GOT

LINES are Python strings, one a line.  Everything happens in the working directory.
"""
import ast
import json
import os
import shutil
import subprocess
import sys

polquery, bundle, agent, verb = sys.argv[1:5]
FORMS = {"claude-code": ("PreToolUse", "Bash"), "codex": ("PreToolUse", "Bash"),
         "gemini-cli": ("BeforeTool", "run_shell_command")}
START = {"claude-code": "CLAUDE_PROJECT_DIR", "gemini-cli": "GEMINI_PROJECT_DIR"}
EXTRA = {"timeout": 1000, "description": "d \u00e9 \" \\"} if agent == "claude-code" else {}


def answer(line):
    """(effect, reason, the line that is handed back or None)."""
    event, tool = FORMS[agent]
    doc = {"cwd": os.getcwd(), "hook_event_name": event, "tool_name": tool,
           "tool_input": dict(EXTRA, command=line)}
    if agent == "claude-code":
        doc["permission_mode"] = "default"
    env = dict(os.environ)
    if agent in START:
        env.setdefault(START[agent], os.getcwd())
    run = subprocess.run([polquery, "hook", agent, "--run", bundle], input=json.dumps(doc),
                         capture_output=True, text=True, timeout=60, env=env)
    if run.returncode != 0:
        return "block", run.stderr, None
    out = json.loads(run.stdout)
    special = out.get("hookSpecificOutput", {})
    new = special.get("tool_input" if agent == "gemini-cli" else "updatedInput")
    if new is not None:
        assert set(new) == {"command"} | set(EXTRA), new
        assert all(new[k] == v for k, v in EXTRA.items()), new
    if agent == "gemini-cli":
        return out["decision"], out.get("reason", ""), new and new["command"]
    return special["permissionDecision"], special["permissionDecisionReason"], new and new["command"]


def run(command):
    """(status, stdout, stderr), and what the folder holds afterwards; it is emptied before."""
    for name in os.listdir("made"):
        path = os.path.join("made", name)
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    got = subprocess.run(command, input=b"from stdin\n", capture_output=True, timeout=60)
    files = {}
    for name in sorted(os.listdir("made")):
        with open(os.path.join("made", name), "rb") as f:
            files[name] = f.read()
    return got.returncode % 256 if got.returncode >= 0 else 128 - got.returncode, got.stdout, got.stderr, files


def rebuilt(line, inside):
    """Is this what polrun gets, in each shell?  "&" at the end may stand outside."""
    got = os.environ["POL_GOT"]
    for shell in ("bash", "dash", "zsh"):
        if not shutil.which(shell) or (shell == "dash" and "builtin" in inside):
            continue
        if os.path.exists(got):
            os.remove(got)
        # what stands around the line may be in the background
        subprocess.run([shell, "-c", inside + "\nwait"], capture_output=True, timeout=60)
        with open(got, "rb") as f:
            said = f.read()
        if said != line.encode() and not (inside.endswith(" &") and said + b"&" == line.encode().rstrip(b" \t\n")):
            return f"{shell}: {line!r}: polrun gets {said}, of {inside!r}"
    return None


PIECES = ["'", '"', "\\", "$", "`", "!", "!!", "&", "&&", "|", ";", "\n", " ", "\t", "#", "*", "~", "{a,b}", "(", ")", "<", ">",
          "<<E\n", "E\n", "$'", "$((", "))", "''", "\u00e9", "\u2028", "echo ", "cd src", "cd ", "x", "-c", "--", "%s", "\r", "="]

if verb == "random":
    import random
    seed = int(sys.argv[6])
    rand = random.Random(seed)
    asked = 0
    for _ in range(int(sys.argv[5])):
        text = "".join(rand.choice(PIECES) for _ in range(rand.randint(1, 12)))
        inside = answer(text)[2]
        if inside:
            asked += 1
            wrong = rebuilt(text, inside)
            if wrong:
                print(f"seed {seed}: {wrong}")
    if asked * 8 < int(sys.argv[5]):
        print(f"seed {seed}: only {asked} lines are handed back")
elif verb == "line":
    print(answer(sys.argv[5])[2] or "")
elif verb == "effect":
    print(*answer(sys.argv[5])[:2])
else:
    shells = [s for s in ("bash", "dash", "zsh") if shutil.which(s)]
    if agent == "claude-code":  # its shell is one of these
        shells.remove("dash")
    count = 0
    for row in sys.stdin:
        if not row.strip():
            continue
        text = ast.literal_eval(row)
        effect, reason, inside = answer(text)
        if effect != "allow" or not inside:
            print(f"{text!r}: {effect}, {reason}")
            continue
        wanted = run(["/bin/bash", "-c", "--", text])  # as polrun runs it
        for s in shells:
            got = run([s, "-c", inside])
            count += 1
            if got != wanted:
                print(f"{s}: {text!r}: {got}, not {wanted}; the line is {inside}")
    if count < 20:
        print(f"only {count} runs")
