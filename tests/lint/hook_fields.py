"""Is it written down of each field of a hook's message who controls it, and does the hook take the
root of a session only from what the client controls?  Prints what is wrong, or nothing."""
import re

rows = [r.rstrip("\n").split("\t") for r in open("stdlib-policies/agent/fields.tsv") if not r.startswith("#")]
tools = open("runtime/hooks/hook_tools.c").read()
root = open("runtime/hooks/hook_root.c").read()
names = {"CLAUDE": "claude-code", "CODEX": "codex", "GEMINI": "gemini-cli", "CURSOR": "cursor", "QWEN": "qwen-code",
         "OPENCODE": "opencode", "COPILOT": "copilot-cli", "PI": "pi"}

for row in rows:
    if len(row) != 4 or row[3] not in ("client", "client start", "model"):
        print(f"fields.tsv: {row} is no row")
around = tools[tools.index("hook_around["):]
around = around[:around.index("};")]
for key, texts in re.findall(r'\[HOOK_(\w+)\] = ((?:"[^"]*"\s*)+)', around):
    known = set("".join(re.findall(r'"([^"]*)"', texts)).split())
    data = {r[2] for r in rows if r[0] == names.get(key) and r[1] == "message"}
    for field in sorted(known ^ data):
        print(f"{key}: {field} is in one of hook_tools.c and fields.tsv only")
starts = re.findall(r'\[HOOK_(\w+)\] = \{ (NULL|"\w+"), (true|false) \}', root)
if {key for key, _, _ in starts} != set(names):
    print("hook_root.c: its table is not found")
for key, variable, own in starts:
    said = {(r[1], r[2]) for r in rows if r[0] == names[key] and r[3] == "client start"}
    taken = set()
    if variable != "NULL":
        taken.add(("environment", variable.strip('"')))
    if own == "true":
        taken.add(("process", "cwd"))
    if key == "CURSOR":
        taken.add(("message", "workspace_roots"))  # hook_read.c, find_root()
    if key in ("OPENCODE", "PI"):
        taken.add(("message", "cwd"))  # of the plugin or the session, not of a tool; the same function
    if said != taken:
        print(f"{names[key]}: hook_root.c takes {sorted(taken)}, fields.tsv says {sorted(said)}")
# all that hook_root.c reads of a message
for field in sorted(set(re.findall(r"\bm->(\w+)", root)) - {"agent", "session", "root"}):
    print(f"hook_root.c reads '{field}' of the message")
