#!/usr/bin/env python3
"""The option tables of stdlib-policies/commands against the programs' own help.

  options.py                every program of ROWS that is installed
  options.py NAME...        only these
  options.py --mutate       each option with a value, taken out of the tables one
                            at a time, must be missed
  options.py --draft NAME   what the help says, as a table's lines

A row names the programs, the Debian package that the table is written from, and
where the options are read.  `fix` is what the help does not say, or not in a
form that can be read, and why; None: no option at all.  `flags` False: of flags
only one-letter ones must be in the table (there are too many others).  A
program whose file is not from its package has another version: only what both
know is compared.
"""
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/lib"))
import helptext  # noqa: E402

GNU = [("list", "{p} --help", {})]
H = [("list", "{p} -h", {})]
UPPER = {"meta": r"[A-Z<\[]"}
ANGLE = {"meta": r"[<\[]"}


def subs(words, command, reader="list", **kw):
    return [(reader, command.replace("{s}", w), kw) for w in words.split(",")]


GIT = """add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore
 check-mailmap checkout checkout-index cherry cherry-pick clean clone column commit commit-graph
 commit-tree config count-objects credential-cache describe diff difftool fast-export fetch fmt-merge-msg
 for-each-ref for-each-repo format-patch fsck gc grep hash-object help hook init interpret-trailers
 ls-files ls-remote ls-tree maintenance merge merge-base merge-file merge-tree mktag mktree
 multi-pack-index mv name-rev notes pack-objects pack-refs prune prune-packed pull push range-diff
 read-tree rebase reflog remote repack replace rerere reset restore revert rev-parse rm send-pack
 shortlog show-branch show-index show-ref sparse-checkout stash status stripspace switch
 symbolic-ref tag update-index update-ref update-server-info verify-commit verify-pack verify-tag
 worktree write-tree remote,add remote,set-url remote,update stash,push worktree,add worktree,list
 notes,add notes,append bundle,create commit-graph,write multi-pack-index,write maintenance,run
 sparse-checkout,set reflog,expire"""
GIT_MANUALS = "git-log git-diff git-submodule git-stash git-filter-branch git-bisect"
PODMAN = """attach build commit container,checkpoint cp create diff events exec export generate,systemd
 history image,prune images import info inspect kill load login logout logs manifest,add mount
 network,create pause play,kube pod,create port ps pull push rename restart rm rmi run save search
 secret,create start stats stop system,prune tag top unmount unpause update volume,create wait"""
KUBECTL = """annotate apply attach auth,can-i autoscale certificate,approve cordon cp create
 create,configmap create,secret,generic create,deployment delete describe diff drain edit exec
 explain expose get label logs patch port-forward proxy replace rollout,restart rollout,status run
 scale set,image set,env taint top,pod wait config,view config,set-context"""
GH = """alias,set api auth,login browse codespace,ssh extension,install gist,create issue,create
 issue,list pr,checkout pr,create pr,list pr,merge pr,view release,create release,upload repo,clone
 repo,create repo,fork run,list run,watch secret,set ssh-key,add workflow,run"""
PIP = "install download uninstall freeze inspect list show check config search cache index wheel hash"
APT = "man apt-get man apt"


def each(words, command, reader="list", **kw):
    return [(reader, command.replace("{s}", w.replace(",", " ")), kw) for w in words.split()]


MAN = {"indent": (3, 14), "end": r"\s{3,}|\t"}
BUILTIN = [("usage", "bash -c 'help -s {p}'", {})]

COREUTILS = ("cat cp mv rm ln mkdir rmdir touch chmod chown chgrp install shred truncate du df stat "
             "head tail cut tr wc sort uniq split csplit expand unexpand pr tee nl paste join comm "
             "fold fmt seq od base64 base32 basename dirname readlink realpath mktemp md5sum sha1sum "
             "sha256sum sha512sum b2sum cksum shuf tac uname who ls date tsort")
WGET_FLAGS = {"--max-redirect": "V", "--hsts-file": "V"}  # "=NUMBER" is left out

# names, package, where, {fix}, flags
ROWS = [
    (COREUTILS, "coreutils", GNU, {
        # a constant behind "=" says what the other spelling means
        "ls": {"-p": "N"}, "sort": {"--check": "A", "-c": "N", "-C": "N"},
        # the long one may do without, the short one takes nothing
        "tail": {"-f": "N"}, "du": {"--time": "A"},
        "od": {"-S": "A"},
        "pr": {"+F": None, "-COLUMN": None, "--columns": "V"},
        "date": {"--resolution": "N"},
        "fmt": {"-WIDTH": None},
    }, True),
    ("grep egrep fgrep", "grep", GNU, {"*": {"-NUM": None}}, True),
    ("sed", "sed", GNU, {}, True),
    ("diff cmp diff3 sdiff", "diffutils", GNU, {
        "diff": {"-c": "N", "-u": "N", "-C": "V", "-U": "V"},
    }, True),
    ("patch", "patch", GNU, {}, True),
    ("gawk", "gawk", [("list", "gawk --help", {"end": r"$"})], {}, True),
    ("mawk", "mawk", [("usage", "man mawk", {"only": r"SYNOPSIS.*?DESCRIPTION"})], {}, True),
    ("tar", "tar", GNU, {}, True),
    ("cpio", "cpio", GNU, {}, True),
    ("gzip", "gzip", GNU, {}, True),
    ("bzip2", "bzip2", GNU, {"bzip2": {"-1": "N"}}, True),
    ("xz", "xz-utils", [("list", "xz --long-help", {})],
     {"xz": {"--single-stream": "N"}}, True),
    ("zip", "zip", [("list", "man zip", MAN)], {"zip": {
        "-tt": "V", "--longoption": None, "-@": "N", "-s": "V", "--fifo": "N", "-9": "N",
        "--Q-flag": None, "-T": "N",
    }}, False),
    ("jq", "jq", H, {"jq": {  # the help leaves these to the manual
        "-f": "V", "--from-file": "V", "-L": "V", "--indent": "V",
    }}, True),
    ("rg", "ripgrep", H, {}, True),
    ("fdfind", "fd-find", H, {"fdfind": {
        "-x": None, "--exec": None, "-X": None, "--exec-batch": None,  # a command follows
    }}, True),
    ("curl", "curl", [("list", "curl --help all", ANGLE)], {}, True),
    ("wget", "wget", GNU, {"*": WGET_FLAGS}, True),
    ("rsync", "rsync", [("list", "rsync --help", {"indent": (0, 12)})],
     {"rsync": {"-h": "N", "--help": "N", "--no-OPTION": None}}, True),
    ("scp sftp", "openssh-client", [("usage", "{p}", {})], {}, True),
    ("make", "make", GNU, {}, True),
    ("ninja", "ninja-build", GNU, {}, True),
    ("m4", "m4", GNU, {}, True),
    ("bc", "bc", GNU, {}, True),
    ("dc", "dc", GNU, {}, True),
    ("man", "man-db", GNU, {"man": {"--nh": "N", "--nj": "N"}}, True),
    ("less", "less", [("less", "less --help", {})], {"less": {"+c": None}}, True),
    ("vim vi view ex", "vim", [("list", "vim -h", {})], {"*": {"-t": "V"}}, True),
    ("nano", "nano", H, {}, True),
    ("gdb", "gdb", [("single", "gdb --help", {})], {}, True),
    ("sqlite3", "sqlite3", [("single", "sqlite3 --help", {})], {}, True),
    ("psql", "postgresql-client", GNU, {}, True),
    ("redis-cli", "redis-tools", GNU, {}, True),
    ("mysql", "mariadb-client", GNU, {}, True),
    ("gpg", "gpg", GNU, {"gpg": {"-se": None}}, False),
    ("nc", "netcat-openbsd", [("usage", "nc -h", {})], {}, True),
    ("ncat", "ncat", H, {}, True),
    ("socat", "socat", H, {}, True),
    ("mail", "bsd-mailx", [("usage", "mail -h", {})], {}, True),
    ("ftp", "tnftp", [("usage", "ftp -h", {})], {}, True),
    ("crontab", "cron", [("usage", "crontab -h", {})],
     {"crontab": {"-e": "N", "-l": "N", "-r": "N"}}, True),
    ("at", "at", [("usage", "at -x", {})], {"at": {"-t": "V", "-c": "N"}}, True),
    ("screen", "screen", [("list", "man screen", MAN)], {"screen": {
        "-f": "N", "-fn": None, "-fa": None, "+b": None, "-l": "N", "-L": "N", "-A": "N",
        "-p": "V", "-d": None, "-D": None, "-r": None, "-ls": "N", "-list": "N", "-wipe": None,
        "-S": "V", "-s": "V", "-t": "V",
    }}, True),
    ("tmux", "tmux", [("usage", "tmux list-commands", {})], {}, True, [("usage", "tmux -h", {})]),
    ("systemctl journalctl", "systemd", GNU, {}, True),
    ("dpkg", "dpkg", GNU, {"dpkg": {
        "--assert-": None, "--validate-": None, "--force-": None, "--no-force-": None,
        "--refuse-": None, "-Dh": None, "--debug": "V",
    }}, True),
    ("apt-get", "apt", [("list", "man apt-get", MAN)], {"apt-get": {
        # the manual shows these without their values
        "-t": "V", "--target-release": "V", "--default-release": "V", "-a": "V",
        "--host-architecture": "V", "-P": "V", "--build-profiles": "V", "-o": "V",
        "--option": "V", "-c": "V", "--config-file": "V", "-q": "A", "--quiet": "A",
        "--with-source": "V", "-eany": None, "--error-on": "V", "-e": "V", "-d": "N",
    }}, False),
    ("file", "file", GNU, {}, True),
    ("perl", "perl", H, {"perl": {
        "-Idirectory": None, "-I": "V", "-M": "A", "-m": "A", "-F": "A",
    }}, True),
    ("ruby", "ruby", H, {"ruby": {
        "-Cdirectory": None, "-C": "V", "-Eex": None, "-E": "V", "-Fpattern": None, "-F": "A",
        "-Idirectory": None, "-I": "V", "-rlibrary": None, "-r": "V",
    }}, True),
    ("php", "php", H, {}, True),
    ("lua", "lua5.4", H, {}, True),
    ("node", "nodejs", GNU, {"node": {
        "--inspect": "A", "--inspect-brk": "A", "--inspect-wait": "A",
    }}, False),
    ("python3", "python3", [("list", "python3 -h", {"indent": (0, 0)})],
     {"python3": {"--help-env": "N", "--help-xoptions": "N", "--help-all": "N"}}, True),
    ("bash", "bash", GNU, {"bash": {
        # "-ilrsD or -c command or -O shopt_option", "-abefhkmnptuvxBCEHPT or -o option"
        "-ilrsD": None, "-abefhkmnptuvxBCEHPT": None, "-c": None, "-O": "V", "-o": "V",
        "--rcfile": "V", "--init-file": "V", "+O": "V", "+o": "V",
    }}, True),
    ("java", "openjdk-17-jre-headless", GNU, {"java": {
        "-D": "A", "-verbose": "A", "-?": "N", "-disable-": None, "-agentlib": None,
        "-agentpath": None, "-javaagent": None, "-XX*": "A", "-agentlib*": "A",
        "-agentpath*": "A", "-javaagent*": "A", "-splash": None, "--list-modules": "A",
    }}, False),
    ("javac", "openjdk-17-jdk-headless", GNU, {"javac": {
        "-Akey": None, "-J": "A", "-implicit": None, "-proc": None, "-g": None,
    }}, False),
    ("cmake ctest", "cmake", GNU, {
        "*": {"-Werror": None, "-Wno-error": None, "-usage": "N", "-h": "N", "-H": "N", "--help": None,
              "-help": "N", "--version": None, "-version": "N"},
    }, False),
    ("mvn", "maven", GNU, {}, True),
    ("git", "git", each(GIT, "git {s} -h") + each(GIT_MANUALS, "man {s}", **MAN),
     {"git": {"-static": None, "-M5": None, "-M05": None, "-L": None, "--remerge-diff": "N",
              "-0": "N", "-1": "N", "-2": "N", "-3": "N", "--version": "N",
              "--no-min-parents": "N", "--no-max-parents": "N", "--no-expand-tabs": "N",
              "-P": None, "-h": None,  # of git itself, another one of subcommands
              }}, False,
     [("list", "man git", MAN)]),
    ("gh", "gh", each(GH, "gh {s} --help"), {"gh": {"-h": None}}, False),
    ("podman", "podman", each(PODMAN, "podman {s} --help"),
     {"podman": {"-h": None}}, False),
    ("kubectl", "kubernetes-client", each(KUBECTL, "kubectl {s} --help", "kube") +
     [("kube", "kubectl options", {})], {}, False),
    ("pip pip3", "python3-pip", each(PIP, "pip3 {s} --help"), {}, False),
    ("read mapfile readarray complete compgen printf declare typeset export readonly bind "
     "fc enable hash", "bash", BUILTIN, {}, True),
]

# Not installed for the tests: large, or a service; compared where they are.
OPTIONAL = set("""vim vi view ex gdb psql redis-cli mysql gpg mail crontab at systemctl journalctl ruby php
 lua java javac cmake ctest mvn gh podman kubectl pip pip3 node python3""".split())
# Debian has had several releases of these: the table may know more than the one here.
SEVERAL = {"node", "rsync"}
LEAST = 40  # programs that must have been compared

# The same program under another name, or one that reads the same options.
SAME = {
    "gunzip": "gzip", "zcat": "gzip", "bunzip2": "bzip2", "bzcat": "bzip2", "unxz": "xz",
    "xzcat": "xz", "lzma": "xz", "unlzma": "xz", "lzcat": "xz", "netcat": "nc", "mailx": "mail",
    "gpg2": "gpg", "apt": "apt-get", "aptitude": "apt-get", "apt-cache": "apt-get",
    "apt-mark": "apt-get", "gmake": "make", "python": "python3", "python2": "python3",
    "pypy": "python3", "pypy3": "python3", "nodejs": "node", "luajit": "lua", "mariadb": "mysql",
    "batch": "at", "pico": "nano", "rnano": "nano", "fd": "fdfind", "awk": "mawk",
    **{f"python3.{n}": "python3" for n in range(9, 14)}, **{f"lua5.{n}": "lua" for n in range(1, 5)},
}

# Tables that no help in Debian 12 tells, and why.
NOT_DEBIAN = "Debian 12 has no such package"
NO_LIST = "its help lists no options, or not in a form that says what takes a value"
FAMILY = "several programs share the table; each knows more options than stand there"
UNCHECKED = {
    **dict.fromkeys("npm npx yarn yarnpkg pnpm".split(),
                    "any key of its configuration is an option, and the help names few"),
    **dict.fromkeys("bun deno uv uvx bunx pnpx helm terraform tofu gradlew hatch conda mamba "
                    "ruff".split(), NOT_DEBIAN),
    **dict.fromkeys("docker aws gradle nvim vimdiff gvim rvim rview gview vimx emacs emacsclient lldb go cargo "
                    "ffmpeg ffprobe ffplay pytest py.test black mypy flake8 poetry pipenv "
                    "ksh zsh fish csh tcsh".split(), "its package is large"),
    **dict.fromkeys("gcc cc g++ c++ clang clang++ cpp openssl convert magick mogrify identify "
                    "composite montage".split(), FAMILY),
    **dict.fromkeys("unzip telnet ed red more pg most tclsh wish expect gnuplot sh dash ash "
                    "rbash dd".split(), NO_LIST),
}


# --- the tables -------------------------------------------------------------------

def tokens(text):
    """Words of a policy, without comments; a regex or string is one token."""
    pattern = r"#[^\n]*|\"(?:[^\"\\]|\\.)*\"|(?<=when )/(?:[^/\\\n]|\\.)*/[ix]*|[{},]|[^\s{},]+"
    return [t for t in re.findall(pattern, text) if not t.startswith("#")]


def tables(paths, without):
    """{program: {"options" or "global": {option: takes}}} of all statements of the files."""
    ret = {}
    for path in paths:
        if path.name in without:
            continue
        t = tokens(path.read_text())
        i = 0
        while i < len(t):
            if t[i] not in ("program", "wrapper", "interpreter") or t[i - 1] not in ("{", "}") and \
               not t[i - 1].startswith('"'):
                i += 1
                continue
            names, i = [], i + 1
            while t[i] != "{":
                names += [t[i].strip('"')] if t[i] != "," else []
                i += 1
            key = ""
            for name in names:
                ret.setdefault(name, {})
            while t[i] != "}":
                word = t[i]
                if re.match(r"[-+]", word):
                    arity = "A" if word.endswith("::") else "V" if word.endswith(":") else "N"
                    for name in names:
                        for o in word.rstrip(":").split("|"):
                            if key in ("options", "global"):
                                ret[name].setdefault(key, {})[o] = arity
                elif not re.match(r"[\"/]", word):
                    key = word
                i += 1
    return ret


# --- comparing ---------------------------------------------------------------------

def program_file(program):
    p = subprocess.run(["bash", "-c", 'readlink -f -- "$(type -P -- "$1")"', "-", program],
                       stdout=subprocess.PIPE, env=helptext.ENV, check=False)
    return p.stdout.decode().strip()


def package_of(path):
    p = subprocess.run(["dpkg", "-S", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                       check=False)
    out = p.stdout.decode().split(":")[0]
    if not out and path.startswith("/usr/bin/"):
        return package_of(path[4:])
    return out


def row_of(program):
    for row in ROWS:
        if program in row[0].split():
            return row
    return None


def asked(program, row):
    """What the help says: {option: takes}."""
    entries = []
    for reader, command, kw in row[2]:
        entries += helptext.READERS[reader](helptext.run(command.replace("{p}", program)), **kw)
    want = helptext.merged(entries)
    fix = dict(row[3].get("*", {}), **row[3].get(program, {}))
    for option, t in fix.items():
        want.pop(option, None)
        if t:
            want[option] = t
    return want, entries


def differences(have, want, flags, lenient, several=False):
    ret = []
    for option, t in sorted(want.items()):
        got = have.get(option)
        if got is None and lenient:
            continue
        if t == "E":
            if got in ("V", "A"):
                ret.append(f"{option} takes a value only in places, the table says always")
        elif got is None:
            if t != "N" or flags or len(option) == 2:
                ret.append(f"{option} ({t}) is missing")
        elif got != t:
            ret.append(f"{option} is {t}, the table says {got}")
    if not lenient and not several:
        for option, got in sorted(have.items()):
            if got != "N" and option not in want:
                ret.append(f"{option} ({got}) is in the table and not in the help")
    return ret


def draft(program):
    row = row_of(program)
    want, entries = asked(program, row)
    done, out = set(), []
    for names, _ in entries:
        for takes in "NVA":
            same = [n for n in dict.fromkeys(names) if want.get(n) == takes and n not in done]
            if same and (takes != "N" or row[4] or any(len(n) == 2 for n in same)):
                out.append("|".join(same) + {"N": "", "V": ":", "A": "::"}[takes])
                done.update(same)
    for n, t in want.items():
        if n not in done and t != "E" and (t != "N" or row[4] or len(n) == 2):
            out.append(n + {"N": "", "V": ":", "A": "::"}[t])
    return " ".join(out), [n for n, t in want.items() if t == "E"]


def compare_is_lenient(program, row):
    """Is it another version than the package's?"""
    if row[2] is BUILTIN:
        return False
    package = package_of(program_file(program))
    return not package or not (package.startswith(row[1]) or row[1].startswith(package))


def compare(program, row, have):
    """Lines about what differs; None where the program is not here."""
    path = program_file(program)
    builtin = row[2] is BUILTIN
    if not path and not builtin:
        return None
    lenient = compare_is_lenient(program, row)
    want, _ = asked(program, row)
    if len(want) < 2 and not builtin:
        return ["its help could not be read"]
    both = have.get(program, {})
    ret = differences(both.get("options", {}), want, row[4], lenient, program in SEVERAL)
    if len(row) > 5:
        want, _ = asked(program, (row[0], row[1], row[5], {}, True))
        ret += ["global " + d for d in differences(both.get("global", {}), want, row[4], lenient, program in SEVERAL)]
    return ret


def check(names, have):
    failed = passed = skipped = 0
    todo = [(p, row) for row in ROWS for p in row[0].split() if not names or p in names]
    with ThreadPoolExecutor(4) as pool:
        results = pool.map(lambda x: compare(x[0], x[1], have), todo)
        for (p, row), lines in zip(todo, results):
            if lines is None and p in OPTIONAL:
                print(f"     {p} is not here, and not needed")
                continue
            if lines is None:
                print(f"skip options {p}: not installed ({row[1]})")
                skipped += 1
                continue
            for line in lines:
                print(f"     {p}: {line}")
            print("FAIL" if lines else "ok  ", f"options {p}")
            failed += bool(lines)
            passed += not lines
    if not names:
        lines = closed(have)
        if passed + failed < LEAST:
            lines.append(f"only {passed + failed} programs are here")
        for line in lines:
            print("     " + line)
        differ = subcommands(have)
        for line in differ:
            print("     " + line)
        print("FAIL" if differ else "ok  ", "options: subcommands of git")
        failed += bool(differ)
        passed += not differ
        print("FAIL" if lines else "ok  ", "options: every table is compared, or said to be not")
        failed += bool(lines)
        passed += not lines
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


def subcommand(name, have):
    """What differs between the table of "git rebase" and its help; None: it says nothing."""
    want = helptext.merged(helptext.READERS["list"](helptext.run(name + " -h")))
    if len(want) < 2:
        return None
    own, base = have[name].get("options", {}), have["git"]["options"]
    ret = []
    for option, t in sorted(want.items()):
        got = own.get(option, base.get(option))
        # one that neither has may take a value or not: both readings count
        if t in "VA" and got is not None and got != t:
            ret.append(f"{option} is {t}, the table says {got}")
    for option, got in sorted(own.items()):
        if got != "N" and want and want.get(option) not in (got, "E"):
            ret.append(f"{option} ({got}) is in the table, the help says {want.get(option)}")
    return ret


def subcommands(have):
    ret = []
    for name in sorted(n for n in have if n.startswith("git ") and have[n].get("options")):
        if lines := subcommand(name, have):
            ret += [f"{name}: {line}" for line in lines]
    return ret


def closed(have):
    """Every table has a row, is the same as one that has, or says why not."""
    ret = []
    for p in sorted(n for n in have if " " not in n):
        ways = [row_of(p) is not None, p in SAME, p in UNCHECKED]
        if sum(ways) != 1:
            ret.append(f"{p} is in {sum(ways)} of ROWS, SAME, UNCHECKED")
        elif p in SAME and have[p] != have.get(SAME[p]):
            ret.append(f"{p} has not the table of {SAME[p]}")
    for p in [q for row in ROWS for q in row[0].split()] + list(SAME) + list(UNCHECKED):
        if p not in have:
            ret.append(f"{p} has no table")
    return ret


def mutate(have):
    """Takes out each option with a value, and makes each a flag; both must be seen."""
    missed = done = skipped = 0
    for row in ROWS:
        for p in row[0].split():
            if program_file(p) == "" and row[2] is not BUILTIN:
                continue
            want, _ = asked(p, row)
            lenient = compare_is_lenient(p, row)
            if lenient:
                print(f"skip {p}: not the one of {row[1]}")
                skipped += 1
                continue
            table = have.get(p, {}).get("options", {})
            before = differences(table, want, row[4], lenient, p in SEVERAL)
            for o in [o for o, t in table.items() if t != "N"]:
                for changed in ({k: v for k, v in table.items() if k != o}, dict(table, **{o: "N"})):
                    done += 1
                    if differences(changed, want, row[4], lenient, p in SEVERAL) == before:
                        print(f"FAIL {p}: nothing sees {o} changed")
                        missed += 1
    print(f"{done - missed} passed, {missed} failed, {skipped} skipped")
    return 1 if missed else 0


def main():
    args = sys.argv[1:]
    if args[:1] == ["--draft"]:
        for p in args[1:]:
            text, either = draft(p)
            print(p, "{ options", text, "}", "# either:", *either)
        return 0
    have = tables(sorted((TOP / "stdlib-policies/commands").glob("*.pol")), ("wrappers.pol", "runners.pol"))
    if args == ["--mutate"]:
        return mutate(have)
    return check(args, have)


if __name__ == "__main__":
    sys.exit(main())
