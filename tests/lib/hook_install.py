"""polquery install and uninstall on settings of many layouts.

    hook_install.py POLQUERY BUNDLE HOME     prints what is wrong, or nothing

Each text is installed into twice and taken out again: nothing else of it may change, the
file's mode neither.
"""
import json
import os
import subprocess
import sys

polquery, bundle, home = sys.argv[1:4]
FILES = {"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json",
         "gemini-cli": ".gemini/settings.json", "qwen-code": ".qwen/settings.json", "cursor": ".cursor/hooks.json", "copilot-cli": ".copilot/hooks/polquery.json"}
EVENTS = {"claude-code": ["PreToolUse", "PreSkillShellCommand"], "codex": ["PreToolUse"], "gemini-cli": ["BeforeTool"], "qwen-code": ["PreToolUse"],
          "cursor": ["preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile",
                     "beforeTabFileRead"], "copilot-cli": ["preToolUse"]}
OTHER = '{ "hooks": [ { "type": "command", "command": "x \\" ]}" } ] }'
TEXTS = [
    '{}', '{}\n', '{"a":1}', '{"a": 1, "b": [1,2]}\n', '{"x":"\\u0068ooks","hooks ":1}',
    '{\n\t"a": {\n\t\t"b": "}{\\"]["\n\t}\n}\n', '{\r\n  "a": 1\r\n}\r\n',
    '\n\n  {\n      "z": null,\n      "y": [\n      ]\n  }\n\n',
    '{\n  "hooks": {\n    "Stop": [\n      %s\n    ]\n  },\n  "model": "opus"\n}\n' % OTHER,
    '{"hooks":{"PreToolUse":[%s],"BeforeTool":[%s],"preToolUse":[{"command":"z"}]}}' % (OTHER, OTHER),
    '{\n "hooks": {\n  "PreToolUse": [\n   %s,\n   %s\n  ],\n  "BeforeTool": [ %s ]\n }\n}' % (OTHER, OTHER, OTHER),
    '{"deep":' + '[' * 9 + '1,"]"' + ']' * 9 + ',"hooks":{"Z":[{}]}}',
    '{"a":"\\\\","b":"\\"","c":1.50,"d":1e3,"e":"\u00e9\u20ac"}',
]
WITH_COMMENTS = [
    '{ // c1\n  "a": 1 // c2, "hooks"\n  // c3 }\n}\n', '{/*{"hooks":*/"a":/*]*/1/*x*/}',
    '{\n  "hooks": { // h\n    "Z": [] /* ] */ // none\n  }\n}\n',
    '{\n  "hooks": {\n    "BeforeTool": [\n      // mine\n      %s // one, two\n    ]\n  }\n}\n' % OTHER,
    '{"url":"http://x//y", "b": "/* no */"}',
]
# what is empty, or a comment alone, is not what install made
SIMILAR = ['{ }', '{\n}\n', '{\n  "hooks": {}\n}', '{"version":1,"hooks":{}}', '{"hooks":{"PreToolUse":[],"BeforeTool":[ ]}}']
REFUSED = [
    '', '[]', '1', '{', '{"a":1,}', '{"hooks":[]}', '{"hooks":null}', '{"hooks":{"PreToolUse":{},"BeforeTool":1,"preToolUse":""}}',
    '{"hooks":{},"hooks":{}}', '{"a":1} x', '{"a":\x00}', '{"\\u0068ooks":{}}', '{"a":\x01"b"}', "{'a':1}",
    '\ufeff{}', '{"a":"\ud800"}', '{"a":%s1%s}' % ("[" * 40, "]" * 40), '{"hooks":{"PreToolUse":[1],"BeforeTool":[1],"preToolUse":[1]},"x":01}',
]


def run(*args):
    env = {"PATH": os.environ["PATH"], "HOME": home}
    return subprocess.run([polquery, *args], capture_output=True, text=True, env=env,
                          stdin=subprocess.DEVNULL, timeout=300)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, text):
    with open(path, "wb") as f:
        f.write(text.encode(errors="surrogatepass"))
    os.chmod(path, 0o640)


def bare(text):
    """The document without empty hooks, and without the version of Cursor's and Copilot's."""
    doc = json.loads(text)
    for e, groups in list(doc.get("hooks", {}).items()):
        if not groups:
            del doc["hooks"][e]
    if not doc.get("hooks", 1):
        del doc["hooks"]
    doc.pop("version", None)
    return doc


def one(agent, path, text, exact):
    write(path, text)
    got = run("install", agent, "--bundle", bundle, "--yes")
    new = read(path)
    if got.returncode not in (0, 1) or new == text.encode() or new.count(b"polquery -b") != len(EVENTS[agent]):
        return f"install: {got}: {new}"
    if os.stat(path).st_mode & 0o7777 != 0o640:
        return "another mode"
    again = run("install", agent, "--bundle", bundle, "--yes")
    if read(path) != new or "already" not in again.stdout:
        return f"twice: {again}"
    run("install", agent, "--bundle", bundle, "--require-signed", "--yes")  # refused: not signed
    if read(path) != new:
        return "a bundle that is not signed is installed"
    got = run("uninstall", agent, "--yes")
    back = read(path)
    if got.returncode != 0 or b"polquery" in back:
        return f"uninstall: {got}: {back}"
    if exact and agent not in ("cursor", "copilot-cli") and back != text.encode():
        return f"uninstalled it is {back}"
    if agent not in ("gemini-cli", "qwen-code") and bare(back) != bare(text):
        return f"uninstalled it says {back}"
    if run("uninstall", agent, "--yes").returncode != 0 or read(path) != back:
        return "uninstalled twice it is another"
    return None


count = 0
for agent, name in FILES.items():
    path = os.path.join(home, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    rows = [(t, True) for t in TEXTS] + [(t, False) for t in SIMILAR]
    if agent in ("gemini-cli", "qwen-code"):
        rows += [(t, True) for t in WITH_COMMENTS]
    for text, exact in rows:
        wrong = one(agent, path, text, exact)
        count += 1
        if wrong:
            print(f"{agent}: {text!r}: {wrong}")
    for text in REFUSED + ([] if agent in ("gemini-cli", "qwen-code") else WITH_COMMENTS[:2]):
        for verb in (("install", agent, "--bundle", bundle, "--yes"), ("uninstall", agent, "--yes")):
            write(path, text)
            got = run(*verb)
            count += 1
            if read(path) != text.encode(errors="surrogatepass"):
                print(f"{agent}: {verb[0]}: {text!r} is changed to {read(path)}")
            elif verb[0] == "install" and (got.returncode != 2 or "nothing is changed" not in got.stderr):
                print(f"{agent}: install: {text!r}: {got}")
    os.remove(path)
if count < 150:
    print(f"only {count}")
