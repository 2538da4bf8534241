#!/usr/bin/env python3
"""A hook call as the agent makes it: from the process's start to its end, beside
other programs that an agent could start instead.

    hook.py RUNS BIN NAME=BUNDLE...     in turn (A B C A B C ...)
"""
import json
import os
import shutil
import statistics
import sys
import tempfile
import time

PROJECT = tempfile.TemporaryDirectory()
MESSAGE = json.dumps({
    "session_id": "s", "transcript_path": "/t", "cwd": PROJECT.name,
    "hook_event_name": "PreToolUse", "tool_name": "Bash",
    "tool_input": {"command": "git push origin main && npm run build"},
}).encode()
WARM = 5


def call(argv, env):
    """Milliseconds, and what it said; the message is in the pipe before."""
    to_read, to_write = os.pipe()
    out_read, out_write = os.pipe()
    os.write(to_write, MESSAGE)
    os.close(to_write)
    begun = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, env, file_actions=[
        (os.POSIX_SPAWN_DUP2, to_read, 0), (os.POSIX_SPAWN_DUP2, out_write, 1)])
    os.waitpid(pid, 0)
    took = (time.perf_counter() - begun) * 1e3
    os.close(to_read)
    os.close(out_write)
    said = os.read(out_read, 65536)
    os.close(out_read)
    return took, said


def main():
    runs, bindir, bundles = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    home = tempfile.TemporaryDirectory()  # where the session is recorded
    env = {"PATH": "/usr/bin:/bin", "HOME": home.name, "CLAUDE_PROJECT_DIR": PROJECT.name}
    commands = {"`/bin/true`": ["/bin/true"]}
    for bundle in bundles:
        name, path = bundle.split("=", 1)
        hook = [f"{bindir}/polquery", "-b", path, "hook", "claude-code"]
        commands[f"`polquery hook`, {name}"] = hook
        commands[f"the documented line, {name}"] = [
            "/bin/sh", "-c", "/usr/bin/timeout 20 " + " ".join(hook) + " || { echo polquery: no answer >&2; exit 2; }"]
        decision = call(hook, env)[1].decode()
        if '"permissionDecision":"allow"' not in decision:
            sys.exit(f"hook.py: not allowed, which they allow: {decision[:300]}")
    for name, argv in (("`jq .tool_input.command`", ["jq", ".tool_input.command"]),
                       ("`python3 -c pass`", ["python3", "-c", "pass"]),
                       ("`node -e 0`", ["node", "-e", "0"])):
        path = shutil.which(argv[0], path=env["PATH"])
        if path:
            commands[name] = [path] + argv[1:]
        else:
            print(f"{name}: not installed")
    took = {name: [] for name in commands}
    for i in range(runs + WARM):
        for name, argv in commands.items():
            ms = call(argv, env)[0]
            if i >= WARM:
                took[name].append(ms)
    print(f"\n| ms, start to end, {runs} in turn | min | p25 | median | p75 | p95 |\n"
          "|---|---|---|---|---|---|")
    for name, t in took.items():
        t.sort()
        print(f"| {name} | " + " | ".join(f"{v:.2f}" for v in (
            t[0], t[len(t) // 4], statistics.median(t), t[len(t) * 3 // 4],
            t[len(t) * 95 // 100])) + " |")


main()
