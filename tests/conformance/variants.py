"""Other ways to write a line of a corpus, of which the verdict is known.

A change that the shell does not see (quotes, blanks, a comment, braces, a safe assignment)
keeps the verdict.  A change that runs the same and perhaps more (a group, a substitution,
a wrapper, a nested shell) makes it a bound from below.
"""
import random
import re
import shlex

# A literal command that rows of several sets deny, and other ways to write it.
SPELLINGS = [
    "rm -fr {}", "rm -r -f {}", "rm --recursive --force {}", "rm -f -r -- {}",
    "rm -Rf {}", "/bin/rm -rf {}", "/usr/bin/rm -rf {}", "rm   -rf   {}",
    "rm\t-rf\t{}", "rm -rvf {}", "rm --rec --for {}", "rm {} -rf", "rm -r {} -f",
    "rm -rf {} other", "rm -rf ./{}", "./../../../bin/rm -rf {}", "rm -fRv -- {}",
    "rm --one-file-system --force -r {}", "rm --interactive=never -fr {}", "rm -f {} -R", "rm -ri --forc {}",
]
BARE_SPELLINGS = [
    "'rm' -rf {}", '"rm" -rf {}', "r''m -rf {}", "\\rm -rf {}", "rm '-rf' {}",
    "rm -\"rf\" {}", "r\\\nm -rf {}", "rm \\\n-rf {}", "$'rm' -rf {}", "rm -{{r,f}} {}",
    "$'\\162\\155' -rf {}", "command rm -rf {}", "nice rm -rf {}", "X=1 rm -rf {}",
    "timeout -s 9 5 nice rm -rf {}", "env X=1 rm -rf {}", "! rm -rf {}",
    "rm 2>/dev/null -rf {}", "</dev/null rm -rf {}", "exec rm -rf {}",
    "nohup rm -rf {} &", "time rm -rf {}", "builtin command rm -rf {}",
    "{{rm,-rf,{}}}", "{{rm,-{{r,f}},{}}}", "\\r\\m -r\\f {}", "$'r\\x6d' $'-\\162f' {}", "\"r\"'m' -r''f {}",
    "env -S 'rm -rf {}'", "env -vS'rm -rf {}'", "env -u X -C . rm -rf {}", "find . -exec rm -rf {} +",
    "xargs -n 1 rm -rf", "xargs -I% rm -rf %", "flock f rm -rf {}", "flock -n f -c 'rm -rf {}'",
    "setsid -w rm -rf {}", "stdbuf -oL rm -rf {}", "busybox rm -rf {}", "eval rm -rf {}", "eval 'rm -rf' {}",
    "sh -c 'rm -rf {}'", "bash -ec 'rm -rf {}'", "exec -a ls rm -rf {}", "A=b C+=d rm -rf {}",
    "{{fd}}>/dev/null rm -rf {}", "coproc rm -rf {}", "time -p nice rm -rf {}", "script -qc 'rm -rf {}' /dev/null",
]
# Another one, of the sets R1.
PUSHES = [
    "git push -f", "git push --force", "git push -uf origin", "git -C x push -f", "git push origin main -f",
    "git --no-pager push -qf", "git -c a.b=c push --force", "git push --verbose -f", "/usr/bin/git push -f",
    "git --git-dir=x --work-tree x push origin --force", "git -C x -C y push -nf", "timeout 5 git push -f",
    "env git push -f", "nice -n 5 git push -vf origin",
]
# What runs the line, and perhaps more.
AROUND = [
    "( {}\n)", "{{ {}\n}}", "if {}\nthen :; fi", "while {}\ndo break; done",
    "until {}\ndo break; done", "for i in 1; do {}\ndone", "! {{ {}\n}}",
    "case x in x) {}\n;; esac", "true && {{ {}\n}}", "true; {}", "{{ {}\n}} | cat",
    "{{ {}\n}} &", "f() {{ {}\n}}; f", ": \"$({}\n)\"", "x=$({}\n)",
    "{{ {}\n}} 2>/dev/null", "echo ok\n{}", "{}\necho ok", "if true; then {}\nfi",
    "if false; then :; elif true; then {}\nfi", "f() ( {}\n); f", "f() {{ g() {{ {}\n}}; g; }}; f",
    ": ${{u:-$({}\n)}}", "cat <<E_E\n$({}\n)\nE_E", "for i in $({}\n); do :; done", "export X=$({}\n)",
    "X=$({}\n) true", "{{ {{ {{ {}\n}}; }}; }}", "( ( {}\n) )",
]
BASH_AROUND = ["cat <({}\n)", "coproc {{ {}\n}}", "function f {{ {}\n}}; f", "[[ -n $({}\n) ]]",
               "time {{ {}\n}}", "for ((;;)); do {}\nbreak; done", "select x in a; do {}\nbreak; done <<<1",
               "coproc N {{ {}\n}}", "a=($({}\n))", "cat <<<\"$({}\n)\"", "(( $({}\n) ))", "true > >({}\n)",
               "case x in x) true ;& y) {}\n;; esac", "function f() if true; then {}\nfi; f", "a[$({}\n)]=1",
               "{{ {}\n}} |& cat", ": \"${{x/$({}\n)/}}\""]
SHELLS = ["bash -c {}", "sh -c {}", "eval {}", "env bash -c {}", "timeout 9 bash -c {}",
          "nohup bash -lc {}", "xargs -n1 bash -c {}", "trap {} EXIT", "bash -ec -- {}", "bash --norc -c {} a b",
          "bash -o pipefail -xc {}", "bash <<<{}", "bash -s a <<<{}", "exec bash -c {}", "command eval -- {}",
          "builtin eval {}", "trap -- {} DEBUG", "busybox env bash -c {}", "flock f bash -c {}", "bash -O extglob -c {}",
          "find . -exec bash -c {} \\;", "env -i bash -c {}", "setsid nice bash +x -c {}", "/bin/bash -c {}",
          "env A=b bash -c {}"]
POSIX_SHELLS = ["sh -c {}", "eval {}", "env sh -c {}", "timeout 9 sh -c {}", "trap {} EXIT", "sh -ec {}", "dash -c {} a",
                "exec sh -c {}", "command eval {}", "find . -exec sh -c {} \\;", "busybox env sh -c {}"]
HERE = ["bash <<'E_E'\n{}\nE_E", "bash -s x <<\\E_E\n{}\nE_E", "cat f; bash <<\"E_E\"\n{}\nE_E\n", "env bash <<'E_E' >f\n{}\nE_E"]
ALIAS = ["shopt -s expand_aliases\nalias zz={}\nzz", "shopt -s expand_aliases; alias -- zz={}\nzz", "shopt -s expand_aliases\nalias a=b zz={}\n\nzz x"]
# Before a plain command.
WRAPPERS = ["timeout 5", "timeout -k 1 5", "timeout --signal=KILL 5", "nice", "nice -n 5", "nice -5", "nohup", "stdbuf -oL",
            "command", "command --"]
OPAQUE_WRAPPERS = ["env", "env X=1", "env -u X", "env -i", "env --", "setsid", "setsid -w", "ionice -c3", "taskset 1", "chrt -i 0",
                   "setarch -R", "flock f", "strace -f", "find . -exec", "busybox nice", "exec", "xargs", "xargs -n1 -P 2"]

# An operator that quoting and blanks do not touch in these lines.
RESERVED = set("if then elif else fi for in do done while until case esac select function "
               "coproc time { } [[ ]] !".split())
BUILTINS = set("cd pushd popd export declare typeset local readonly eval exec trap source . alias unalias set unset shopt read "
               "builtin enable hash test [ let wait getopts return exit break continue times umask ulimit type compgen "
               "complete mapfile readarray history fc jobs bg fg disown shift bind caller dirs help kill logout suspend".split())
SIMPLE = re.compile(rb"^[A-Za-z0-9 ._/=:@+,-]+$")
EXACT = {"blanks", "assigned", "commented", "braced"}


def hexed(text):
    """$'…' with every byte written as a number or as itself."""
    return "$'" + "".join("\\%03o" % b if i % 3 == 0 or not chr(b).isalnum() else "\\x%02x" % b if i % 3 == 1 else chr(b)
                          for i, b in enumerate(text.encode())) + "'"


def quoted(text, r, bash):
    """The text as one word."""
    ways = [shlex.quote(text), '"' + re.sub(r'([\\"$`])', r"\\\1", text) + '"',
            "'" + text.replace("'", "'\"'\"'") + "'"]
    if bash:
        ways.append(hexed(text))
    return r.choice(ways)


def dialect_is_bash(row):
    return row["set"] != "R1@dash"


def plain_words(row):
    """The words of a plain command, or None."""
    if not SIMPLE.match(row["line"]):
        return None
    words = row["line"].decode().split()
    if not words or words[0] in RESERVED or "time" in words or "=" in words[0] or words[0].startswith("~"):
        return None
    return words


def respelled(row, r):
    """`rm -rf WORD`, or a forced push, where it stands, written in another way that runs as much."""
    line = row["line"].decode()
    if row["want"] != "deny":
        return None
    forms, bare, hits = SPELLINGS, BARE_SPELLINGS, list(re.finditer(r"(?<![\w./\\-])rm -rf ([A-Za-z]+)(?![\w./-])", line))
    if not hits:
        forms, bare, hits = PUSHES, [], list(re.finditer(r"(?<![\w./\\-])git push (?:-f|--force)()(?![\w./-])", line))
    if not hits:
        return None
    m = r.choice(hits)
    before = line[: m.start()]
    hidden = any(before.count(q) % 2 for q in "'\"") or "<<" in before or "=" in before
    if not hidden and before.rstrip()[-1:] in ("", ";", "&", "|", "(", "{"):
        forms = forms + bare
    if not dialect_is_bash(row):
        forms = [f for f in forms if not re.search(r"\$'|\{\{|builtin|bash|coproc|exec -a|\+=|time", f)]
    form = r.choice(forms)
    # the end of the command would be another's word
    if form.startswith(("find", "{{rm", "eval", "xargs", "script")) and line[m.end():].strip(" \n")[:1] not in ("", ";", "&", "|", ")"):
        return None
    return before + form.format(m.group(1)) + line[m.end():]


def blanks(row, r):
    """Words of a plain line, quoted and spaced in other ways."""
    # bash's `time` knows its -p only unquoted
    if not SIMPLE.match(row["line"]) or b"time " in row["line"]:
        return None
    out = []
    for i, word in enumerate(row["line"].decode().split()):
        ways = [word]
        # a quoted reserved word is none
        plain = not (i == 0 and "=" in word) and word not in RESERVED
        if plain and "=" not in word and not word.startswith("~") and "{" not in word:
            k = r.randrange(len(word))
            ways += [f"'{word}'", f'"{word}"', f"{word[:k]}''{word[k:]}", f"{word[:k]}\\{word[k:]}",
                     f'{word[:k]}"{word[k:]}"', f"'{word[:k]}'{word[k:]}", f"{word[:k]}\\\n{word[k:]}",
                     "".join("\\" + c for c in word), f'""{word}', f"{word}''"]
            if dialect_is_bash(row):
                ways += [hexed(word), f"$'{word}'", f"{word[:k]}{hexed(word[k:])}"]
        out.append(r.choice(ways))
    return r.choice(["", " ", "\t"]) + r.choice([" ", "  ", "\t", " \\\n "]).join(out) + r.choice(["", " ", "\n", " # x"])


def assigned(row, r):
    """A variable before a plain command, which every set holds to be safe."""
    words = plain_words(row)
    # what stands before `command` is the command's own
    if not words or words[0] in BUILTINS:
        return None
    return r.choice(["LANG=C", "LC_ALL=C", "TZ=UTC", "NO_COLOR=1", "CI=1", "TERM='dumb'", 'NODE_ENV="test"', "CI= TZ="]) + " " + " ".join(words)


def braced(row, r):
    """The words of a plain command out of braces."""
    words = plain_words(row)
    if not words or len(words) < 2 or not dialect_is_bash(row) or any("," in w or ".." in w or "=" in w for w in words):
        return None
    k = r.randrange(len(words) - 1)
    # `builtin` and its like find what they run by the word itself
    return " ".join(words[:k] + ["{" + ",".join(words[k:]) + "}"])


def commented(row, r):
    line = row["line"].decode()
    if "[parse]" in row["why"] or "<<" in line or line.endswith("\\") or "\x00" in line:
        return None
    return r.choice(["# rm -rf x\n{}", "{} # ; rm -rf x", "{}\n# it's \"", "\n\n{}", "{}\n\n", "{} #", "\t{}", " \\\n{}"]).replace("{}", line)


def wrapped(row, r):
    """A plain command behind wrappers."""
    words = plain_words(row)
    if not words or words[0] in BUILTINS or words[0] in ("command", "echo", "printf", "pwd", "true", "false"):
        return None
    # with these nobody knows where it runs, or all its words: a deny of one place may hold, no more
    keeps = row["want"] == "allow" or ("[place]" in row["why"] and row["want"] == "deny")
    wrappers = WRAPPERS if keeps else WRAPPERS + OPAQUE_WRAPPERS
    # nor does a deny hold that an option ends: xargs may append it (no "--" ends find's)
    if "a deny without" in row["why"]:
        wrappers = [w for w in wrappers if not w.startswith("xargs")]
    before = [r.choice(wrappers) for _ in range(r.randint(1, 3))]
    # `command` and `exec` are the shell's own
    before = [w for i, w in enumerate(before) if i == 0 or w.split()[0] not in ("command", "exec")]
    # what takes more words is the last
    for name in ("find", "xargs"):
        before.sort(key=lambda w, n=name: w.startswith(n))
    end = " \\;" if any(w.startswith("find") for w in before) else ""
    if sum(w.startswith(("find", "xargs")) for w in before) > 1:
        return None
    return " ".join(before + words) + end


def around(row, r):
    line = row["line"].decode()
    # around it, what is no line may become one
    if "alias" in line or "\x00" in line or "[parse]" in row["why"]:
        return None
    form = r.choice(AROUND + BASH_AROUND if dialect_is_bash(row) else AROUND)
    # where arithmetic evaluates what nobody knows, and in the text of a here-document (a shell may expand it
    # before the command or after), no variable of the line has a known value: it asks
    if (form.startswith("((") or "E_E" in form) and "[values]" in row["why"]:
        return None
    # the text of a here-document is read with other eyes
    if "E_E" in form and ("E_E" in line or "<<" in line or "\\" in line):
        return None
    return form.format(line)


def nested(row, r):
    line = row["line"].decode()
    # the nested shell reads another dialect, or other text, than the line's
    if row["set"] not in ("R1", "R3", "R7", "R8", "R1@dash") or row["want"] != "deny":
        return None
    if "alias" in line or "\n" in line or "\r" in line or "[parse]" in row["why"]:
        return None
    bash = dialect_is_bash(row)
    if not bash:
        return r.choice([f for f in POSIX_SHELLS if not ("find" in f and "{}" in line)]).format(quoted(line, r, bash))
    k = r.randrange(8)
    if k == 0 and "E_E" not in line and "<<" not in line:
        return r.choice(HERE).format(line)
    if k == 1 and "<<" not in line and "\\" not in line and not line.endswith(" "):
        return r.choice(ALIAS).format(quoted(line, r, bash))
    if k == 2 and plain_words(row):
        return r.choice(["env -S {}", "env --split-string={}", "env -vS {}", "env -S{}"]).format(quoted(line, r, bash))
    if k == 3 and plain_words(row):
        return r.choice(["eval {}", "builtin eval {}", "command eval {}", "eval -- {}", "eval eval {}", "eval true \\; {}"]).format(line)
    # find puts a name in the place of {}, wherever it stands
    return r.choice([f for f in SHELLS if ("sh -c" not in f or "bash" in f) and not ("find" in f and "{}" in line)]
                    ).format(quoted(line, r, bash))


WAYS = [respelled, blanks, around, nested, wrapped, assigned, braced, commented]


def variants(rows, count, seed):
    r = random.Random(seed)
    rows = [x for x in rows if x["set"] != "R1@zsh"]
    made, seen = [], set()
    while len(made) < count:
        row = r.choice(rows)
        try:
            row["line"].decode()
        except UnicodeDecodeError:
            continue
        ways, exact = [], True
        for _ in range(r.randint(1, 3)):
            way = r.choice(WAYS)
            text = way({**row, "line": row["line"]}, r)
            if text is None:
                continue
            ways.append(way.__name__)
            exact = exact and way.__name__ in EXACT
            row = {**row, "line": text.encode()}
        key = (row["set"], row["line"])
        if not ways or key in seen:
            continue
        seen.add(key)
        made.append({**row, "exact": row["exact"] and exact, "why": "+".join(ways) + " of " + row["why"]})
    return made
