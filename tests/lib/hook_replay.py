"""Replays an agent's messages to its hook, and holds the answers against the forms
that the agent documents.

    hook_replay.py AGENT FILE PROJECT POLQUERY-ARGS…    prints what is wrong, or nothing
    (POLQUERY-ARGS without the "hook AGENT")
"""
import json
import os
import re
import subprocess
import sys

agent, table, project = sys.argv[1:4]
command = sys.argv[4:] + ["hook", agent]
only = ""
if "--" in command:  # what every message must be answered with
    at = command.index("--")
    only = command[at + 1]
    command = command[:at] + ["hook", agent]


def read(out, event):
    """(effect, reason) of an answer in the agent's own form."""
    doc = json.loads(out)
    if agent in ("claude-code", "codex", "qwen-code"):
        if agent == "codex" and event != "PermissionRequest" and doc == {}:
            return "allow", ""
        if event == "PermissionRequest" and doc == {}:
            return "ask", "no answer"
        assert set(doc) == {"hookSpecificOutput"}, doc
        doc = doc["hookSpecificOutput"]
        if event == "PermissionRequest":
            assert set(doc) == {"hookEventName", "decision"} and doc["hookEventName"] == event, doc
            assert doc["decision"]["behavior"] in ("allow", "deny"), doc
            return doc["decision"]["behavior"], doc["decision"].get("message", "")
        assert set(doc) == {"hookEventName", "permissionDecision", "permissionDecisionReason"}, doc
        assert doc["hookEventName"] == event, doc
        effect, reason = doc["permissionDecision"], doc["permissionDecisionReason"]
        # Codex takes a deny with a reason, and nothing else
        assert agent != "codex" or effect == "deny", doc
        assert agent != "qwen-code" or effect != "ask", doc
        return effect, reason
    if agent == "copilot-cli":
        assert set(doc) == {"permissionDecision", "permissionDecisionReason"}, doc
        return doc["permissionDecision"], doc["permissionDecisionReason"]
    if agent in ("gemini-cli", "opencode", "pi"):
        assert set(doc) <= {"decision", "reason"}, doc
        assert doc["decision"] in ("allow", "deny") or (doc["decision"], agent) == ("ask", "pi"), doc
        return doc["decision"], doc.get("reason", "")
    assert set(doc) <= {"permission", "user_message", "agent_message"}, doc
    assert doc.get("user_message") == doc.get("agent_message"), doc
    return doc["permission"], doc.get("agent_message", "")


# what the client sets for its hooks; Codex starts them in the session's directory
START = {"claude-code": "CLAUDE_PROJECT_DIR", "gemini-cli": "GEMINI_PROJECT_DIR", "qwen-code": "QWEN_PROJECT_DIR", "cursor": "CURSOR_PROJECT_DIR", "copilot-cli": "COPILOT_PROJECT_DIR"}
surroundings = dict(os.environ, **({START[agent]: project} if agent in START else {}))

count = 0
for number, row in enumerate(open(table), 1):
    if row.startswith("#"):
        continue
    effect, pattern, message = row.rstrip("\n").split("\t")
    message = message.replace("@P@", project)
    got = subprocess.run(command, input=message.encode(), capture_output=True, timeout=60,
                         env=surroundings, cwd=project)
    count += 1
    where = f"{table}:{number}"
    if got.returncode == 2:
        said = "block", got.stderr.decode()
        if got.stdout or not said[1].startswith("polquery: "):
            print(f"{where}: blocked with {got.stdout} and {said[1]}")
    elif got.returncode == 0 and not got.stderr:
        try:
            said = read(got.stdout, json.loads(message).get("hook_event_name"))
        except (AssertionError, ValueError, KeyError) as e:
            print(f"{where}: the answer is not in the agent's form: {e}")
            continue
    else:
        print(f"{where}: status {got.returncode}: {got.stderr.decode()}")
        continue
    if only:
        # what it would allow else says why not; the others may say more
        if said[0] not in ("deny", "block") or (effect == "allow" and not re.search(only, said[1])):
            print(f"{where}: {said}, not a deny with '{only}'")
    elif said[0] != effect or (said[0] != "allow" and not re.search(pattern, said[1])):
        print(f"{where}: {said}, not {effect} with '{pattern}'")
    if said[0] in ("deny", "block", "ask") and not said[1].strip():
        print(f"{where}: no reason")
if count < 10:
    print(f"{table}: only {count} messages")
