#!/usr/bin/env python3
"""Random lines over random links: what a line really writes and reads, beside what is said of it.

    line_paths.py BIN WORK RUNS SEED [EXPLAINED]

In each round a project with denied and hidden names, and links to them, is made; LINES random lines
(redirections of every kind, programs that write, links, "..", patterns) are drawn over its names.
polquery answers for scope host, polc explain and the hook of Claude Code answer every EXPLAINED-th line.  Then bash runs each
line on a fresh copy, in a polrun that denies nothing in the copy.  A line that is allowed and that
changes a denied name or prints what is hidden is a failure, and so is an answer of polc explain or of the
hook that is not polquery's.  (What the kernel denies of the same lines under the policy is conform_files'.)  Prints
the seed of each failure; a line too strict by the text is only counted.
"""
import json
import os
import random
import shutil
import subprocess
import sys

LINES = 40
SECRET = "TOPSECRET"
POLICY = """policy t { %s}
command { allow "{cat|echo|tee|cp|mv|rm|touch|ln|chmod|sed|dd|truncate|find|xargs|install|cd|ls|head|exec} **" }
file {
    allow read, exec "/usr", "/bin", "/lib", "/lib64", "/sbin"
    allow read "/etc"
    allow read, write "${PROJECT_DIR}"
    %s
    scratch "${TMPDIR}"
}
network disabled
env { keep PATH, HOME, TERM, LANG, PWD, USER }
"""
DENIES = """deny write "${PROJECT_DIR}/guarded", "${PROJECT_DIR}/CLAUDE.md"
    hide "${PROJECT_DIR}/.env" """
# %w: a path that is written, %d: a directory, %r: a path that is read
FORMS = """echo x > %w
echo x >> %w
echo x >| %w
echo x &> %w
echo x &>> %w
echo x >& %w
echo x 1<> %w
exec 3<> %w; echo x >&3
cat <<E > %w\nx\nE
cat <<< x > %w
echo x > >(cat > %w)
echo x | tee %w
echo x | tee -a c/y %w
cp c/x %w
cp c/x.md %w
cp -r c/. %d
cp -r d %d
cp -t %d c/f
mv c/x %w
mv c/f %d
mv %d c/new
rm -f %w
rm -rf %d
touch -d 2001-01-01 %w
ln -f c/x %w
ln -sfn c %w
chmod 600 %w
chmod -R 700 %d
sed -i s/K/B/ %w
dd if=c/x of=%w
truncate -s 0 %w
find %d -delete
install c/x %w
cd %d && echo x > %w
cd %d && echo x | tee f
cd %d && rm -f f
(cd %d; echo x > ../%w)
cat %r
cat < %r
head -1 c/x %r
cat c/* %r
sed -n p %r
cd %d && cat %r
{ cat; } < %r
find %d -exec cp c/x {} \\;
find %d -name f | xargs rm -f
find %d -type f | xargs cat
find %r -exec cat {} +
ls %d | xargs -I{} cat %d/{}
echo %r | xargs cat
cp c/x.m* %d
cp d/* %d
mv d/C* %d
for f in %d/*; do cp c/x "$f"; done
f=%w; cp c/x "$f"
for i in 1; do echo x; done > %w
if cat c/x; then echo x; fi > %w""".replace("\\n", "\n").split("\n")


def joined(forms):
    """Lines of a here document belong to the form before them."""
    out = []
    for line in forms:
        if line in ("x", "E"):
            out[-1] += "\n" + line
        else:
            out.append(line)
    return out


def make_world(rnd, top):
    """The project; the same for the same draws."""
    shutil.rmtree(top, ignore_errors=True)
    for name in ("a/b", "c", "d", "guarded/sub"):
        os.makedirs(os.path.join(top, name))
    for name, text in (("a/f", "x"), ("c/x", "x"), ("c/x.md", "x"), ("c/f", "x"), ("d/f", "x"),
                       ("d/CLAUDE.md", "x"), ("guarded/f", "KEEP"), ("guarded/sub/f", "KEEP"),
                       ("CLAUDE.md", "KEEP"), (".env", SECRET)):
        with open(os.path.join(top, name), "w", encoding="ascii") as f:
            f.write(text + "\n")
    if rnd.random() < 0.3:
        os.unlink(os.path.join(top, "CLAUDE.md"))
    dirs = ["", "a", "a/b", "c"]
    for i in range(rnd.randint(2, 6)):
        at = rnd.choice(dirs)
        to = rnd.choice(["guarded", "guarded/sub", "guarded/f", "guarded/new", "CLAUDE.md", ".env", "a",
                         "a/b", "c/x", "", "l0", "l1/../f"])
        to = os.path.join(os.path.relpath(".", at or "."), to) if rnd.random() < 0.8 else os.path.join(top, to)
        os.symlink(to, os.path.join(top, at, "l%d" % i))
    return top


def spell(rnd, path, top):
    """The path in another spelling of the shell."""
    kind = rnd.random()
    if kind < 0.1:
        path = "./" + path
    elif kind < 0.2:
        path = top + "/" + path
    elif kind < 0.25:
        path = "$PWD/" + path
    elif kind < 0.4 and len(path) > 1:
        i = rnd.randrange(len(path))
        if path[i] not in "/.":
            path = path[:i] + rnd.choice(["[%s]" % path[i], "?", "*"]) + path[i + 1:]
    elif kind < 0.45:
        path = "'%s'" % path
    elif kind < 0.5 and "/" in path:
        path = path.replace("/", "//", 1)
    return path


def draw_path(rnd, top):
    names = ["a", "b", "c", "d", "f", "guarded", "guarded", "sub", "CLAUDE.md", ".env", "new", "..", ".",
             "l0", "l1", "l2", "l3", "l4", "l0", "l1", "l2"]
    parts, depth = [], 0
    for _ in range(rnd.choice([1, 1, 2, 2, 3, 4])):
        name = rnd.choice(names)
        parts.append(name)
    path = "/".join(parts)
    return spell(rnd, path, top)


def draw_line(rnd, forms, top):
    line = rnd.choice(forms)
    while "%" in line.replace("%%", ""):
        for key in ("%w", "%d", "%r"):
            line = line.replace(key, draw_path(rnd, top), 1)
    return line


def ask_hook(bin_dir, bundle, top, line):
    """What the hook says of the line, as Claude Code calls it."""
    message = {"session_id": "s", "cwd": top, "permission_mode": "default", "hook_event_name": "PreToolUse",
               "tool_name": "Bash", "tool_input": {"command": line}}
    got = subprocess.run([bin_dir + "/polquery", "-b", bundle, "hook", "claude-code"], input=json.dumps(message),
                         env=dict(os.environ, CLAUDE_PROJECT_DIR=top), cwd=top, capture_output=True, text=True,
                         check=False).stdout
    return json.loads(got).get("hookSpecificOutput", {}).get("permissionDecision", "error") if got else "error"


def ask(bin_dir, bundle, top, lines):
    text = "".join(json.dumps({"kind": "command", "scope": "host", "line": line, "cwd": top,
                               "project": top}) + "\n" for line in lines)
    out = subprocess.run([bin_dir + "/polquery", "-b", bundle], input=text, capture_output=True,
                         text=True, check=False).stdout.splitlines()
    return [json.loads(answer).get("effect", "error") for answer in out]


# Restores the copy, runs one line, and prints what became of the denied names.
RUNNER = r"""
state() { (cd "$1" && find guarded CLAUDE.md .env -printf '%p %y %m %s %T@ %l\n' -type f -exec cksum {} \; 2>/dev/null | sort | cksum); }
top=$1 copy=$2 n=$3 dir=$4
for ((i = 0; i < n; i++)); do
	cd / && chmod -R u+rwX "$top" 2>/dev/null; rm -rf "$top" && cp -a "$copy" "$top" && cd "$top" || exit 9
	before=$(state "$top")
	timeout 10 bash "$dir/$i" >"$dir/out" 2>&1 </dev/null
	chmod u+rwx "$top"; after=$(state "$top")
	secret=no; grep -q TOPSECRET "$dir/out" && secret=yes
	[ "$before" = "$after" ] && kept=yes || kept=no
	echo "$i $kept $secret"
done
"""


def run_free(bin_dir, work, top, lines):
    """What the lines do where nothing is denied: (denied names kept, secret printed) of each."""
    outer = os.path.dirname(top)
    copy, told = outer + "/copy", outer + "/lines"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.rmtree(told, ignore_errors=True)
    shutil.copytree(top, copy, symlinks=True)
    os.mkdir(told)
    for i, line in enumerate(lines):
        with open("%s/%d" % (told, i), "w", encoding="ascii") as f:
            f.write(line + "\n")
    policy = work + "/free.pol"
    with open(policy, "w", encoding="ascii") as f:
        f.write((POLICY % ("base none ", "")).replace("command {", "command { otherwise allow "))
    got = subprocess.run([bin_dir + "/polrun", "-q", "--policy", policy, "--project", outer, "--",
                          "bash", "-c", RUNNER, "run", top, copy, str(len(lines)), told],
                         capture_output=True, text=True, check=False, cwd=outer)
    rows = [line.split() for line in got.stdout.splitlines()]
    if len(rows) != len(lines):
        sys.exit("FAIL the lines did not run: %s%s" % (got.stdout[-300:], got.stderr[-600:]))
    shutil.rmtree(top)
    shutil.copytree(copy, top, symlinks=True)
    return [(row[1] == "yes", row[2] == "yes") for row in rows]


def main():
    bin_dir, work, runs, seed = sys.argv[1], os.path.realpath(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    explained = int(sys.argv[5]) if len(sys.argv) > 5 else 8
    policy, bundle = work + "/line.pol", work + "/line.polb"
    with open(policy, "w", encoding="ascii") as f:
        f.write(POLICY % ("", DENIES))
    subprocess.run([bin_dir + "/polc", "compile", policy, "-o", bundle], check=True, capture_output=True)
    failed, count, seen = 0, 0, {"allow": 0, "ask": 0, "deny": 0, "error": 0, "broke": 0, "strict": 0, "read": 0}
    forms = joined(FORMS)
    for n in range(seed, seed + runs):
        rnd = random.Random(n)
        top = make_world(rnd, work + "/world/p")
        lines = [draw_line(rnd, forms, top) for _ in range(LINES)]
        answers = ask(bin_dir, bundle, top, lines)
        for i in range(n % explained, LINES, explained):
            got = subprocess.run([bin_dir + "/polc", "explain", "--scope", "host", bundle, "command", lines[i]],
                                 capture_output=True, text=True, check=False, cwd=top)
            if got.stdout.split(":")[0] != answers[i]:
                failed += 1
                print("FAIL seed %d: polquery says %s, polc explain %s: %r %s" %
                      (n, answers[i], got.stdout.split(":")[0], lines[i], got.stderr[:200]))
            got = ask_hook(bin_dir, bundle, top, lines[i])
            if got != answers[i]:
                failed += 1
                print("FAIL seed %d: polquery says %s, the hook %s: %r" % (n, answers[i], got, lines[i]))
        for line, answer, (kept, secret) in zip(lines, answers, run_free(bin_dir, work, top, lines)):
            count += 1
            seen[answer] += 1
            broke = not kept or secret
            seen["broke"] += not kept
            seen["read"] += secret
            seen["strict"] += answer != "allow" and not broke
            if answer == "allow" and broke:
                failed += 1
                print("FAIL seed %d: allowed, and %s: %r in %s" %
                      (n, "reads what is hidden" if secret else "writes what is denied", line,
                       sorted("%s -> %s" % (os.path.relpath(os.path.join(d, x), top), os.readlink(os.path.join(d, x)))
                              for d, ds, fs in os.walk(top) for x in ds + fs if os.path.islink(os.path.join(d, x)))))
    # a test that cannot fail: lines of each kind must have been drawn
    if count >= 400 and not all(seen[k] for k in ("allow", "ask", "deny", "broke", "read")):
        failed += 1
        print("FAIL too little was drawn: %s" % seen)
    print("line_paths: %d lines, seed %d, %s, %d failures" % (count, seed, seen, failed))
    sys.exit(failed != 0)


main()
