"""What a program says of its own options: from --help, a usage line, a manual.

Each reader returns a list of (names, takes): takes is "N" for nothing, "V" for
a value (attached or the next word), "A" for an attached value only, "E" for an
option that takes the next word or not.
"""
import functools
import re
import subprocess
from pathlib import Path

NPM = Path(__file__).resolve().parents[2] / "build/npm/node_modules"
# The same text on every machine: no colours, no pager, no settings of a user.
ENV = {
    # `dev options` installs the programs of npm there, in front of those of the machine
    "PATH": f"{NPM}/.bin:{NPM}/@oven/bun-linux-x64/bin:{NPM}/@deno/linux-x64-glibc:"
            "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LC_ALL": "C", "COLUMNS": "200", "MANWIDTH": "200", "PAGER": "cat", "GIT_PAGER": "cat",
    "HOME": "/nonexistent", "TERM": "dumb", "NO_COLOR": "1", "GROFF_NO_SGR": "1",
}
NAME = r"(?:--?[A-Za-z0-9?@#][A-Za-z0-9_.+-]*|\+[A-Za-z])"


@functools.lru_cache(maxsize=None)
def run(command):
    try:
        p = subprocess.run(command, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, env=ENV, timeout=30, cwd="/")
    except subprocess.TimeoutExpired:
        return ""
    text = re.sub(r"\x1b\[[0-9;]*m", "", p.stdout.decode("utf-8", "replace"))
    return re.sub(r".\x08", "", text).replace("\u2010", "-").replace("\u2212", "-")


def takes(rest, meta):
    """What follows an option's name: "=FILE", "[=WHEN]", " <n>", " [N]", "[N]"."""
    if rest.startswith("["):
        return "V" if re.match(r"\[[^\]]*\][A-Za-z]", rest) else "A"
    if rest.startswith("="):
        return "V"
    if rest.startswith("(="):
        return "A"
    rest = rest.strip()
    if not rest or rest.startswith("..."):
        return "N"
    if not re.match(meta, rest):
        return "N"
    return "E" if re.fullmatch(r"\[[^\]]*\](\.\.\.)?", rest) else "V"


def spelling(text, meta):
    """One spelling of an option: (names, takes); "--[no-]x" has two names."""
    text = text.strip()
    m = re.match(r"(--?)\[(no-?)\]([A-Za-z0-9][A-Za-z0-9_.-]*)", text)
    if m:
        return [m[1] + m[3], m[1] + m[2] + m[3]], takes(text[m.end():], meta)
    m = re.match(r"(--[A-Za-z0-9_.-]+)\[(-[a-z-]+)\]", text)
    if m:  # --foo[-bar]
        return [m[1], m[1] + m[2]], takes(text[m.end():], meta)
    m = re.match(NAME, text)
    if not m:
        return None
    name = m[0].rstrip(".") if len(m[0]) > 2 else m[0]
    return [name], takes(text[len(name):], meta)


def entry(spellings):
    """An option's spellings share what one of them says of the value."""
    got = [s for s in spellings if s]
    said = [t for _, t in got if t != "N"]
    t = "A" if "A" in said else said[0] if said else "N"
    alone = [n[0] for n, own in got if n[0].startswith("--no-") and own == "N" != t]
    pos = [n[0] for n, _ in got if n[0] not in alone]
    ret = [(pos, t)] if pos else []
    return ret + [([no], "N") for no in alone + [no for n, _ in got for no in n[1:]]]


def listing(text, indent=(1, 12), end=r"\s{2,}|\t| : |\s-\s", meta=r"", begin=None):
    """Lines "  -o, --output=FILE   what it does": GNU, argp, cobra, clap, optparse."""
    ret = []
    if begin:
        text = text[text.index(begin):] if begin in text else ""
    for line in text.expandtabs(8).splitlines():
        m = re.match(r" {%d,%d}([-+][-+A-Za-z0-9?@#\[].*)$" % indent, line)
        if not m:
            continue
        head = re.sub(r"^(-[^\s,-][^\s,]?|-[A-Za-z0-9] ?[^\s,]+),?\s{2,}(?=--)", r"\1, ", m[1])
        head = re.sub(r"(?<=\S),\s+(?=-)", ", ", head)
        if end:
            head = re.split(end, head, maxsplit=1)[0]
        parts = re.split(r",? or (?=-)|, ?(?=[-+])| ?\| ?(?=-)|/(?=--?[a-z])|\s+(?=--[a-z\[])", head)
        ret += entry([spelling(p, meta) for p in parts])
    return ret


def usage(text, meta=r"", only=None):
    """Synopses "[-abc] [-o file] [--long=X]"."""
    ret = []
    if only:
        text = re.search(only, text, re.S)
        text = text[0] if text else ""
    text = re.sub(r"\s+", " ", text)
    for m in re.finditer(r"\[ ?(-[^\[\]]*(?:\[[^\[\]]*\])?[^\[\]]*)\]", text):
        for part in re.split(r" ?\| ?(?=-)|, ?(?=-)| (?=-)", m[1].strip()):
            if re.fullmatch(r"-[A-Za-z0-9?@#]{2,}", part):
                ret += [(["-" + c], "N") for c in part[1:]]
            else:
                ret += entry([spelling(part, meta)])
    return ret


def kube(text):
    """Lines "  -f, --filename=[]:" and what it does, there or below: old cobra."""
    ret = []
    for m in re.finditer(r"^\s+((?:-\w, )?--[a-z0-9-]+)=(\[[^\]]*\]|'[^'\n]*'|[^\s:]*):(?=\s|$)", text, re.M):
        names = m[1].split(", ")
        ret.append((names, "N" if m[2] in ("false", "true") else "V"))
    return ret


def less(text):
    """Pairs "-b [N]  ....  --buffers=[N]", in which [N] must be there."""
    text = re.sub(r"(?<=\S) +\.{2,} +| +\.+  +", ", ", text[text.index("OPTIONS"):] if "OPTIONS" in text else "")
    return listing(re.sub(r"\[([^\]]*)\]", r"\1", text), end=r"\s{2,}|$")


def single(text, **kw):
    """A listing of a program that reads -name and --name alike."""
    ret = []
    for names, t in listing(text, **kw):
        bare = [n.lstrip("-") for n in names]
        ret.append((list(dict.fromkeys(names + ["-" + b for b in bare if len(b) > 1] +
                                       ["--" + b for b in bare if len(b) > 1])), t))
    return ret


def words(text):
    """Options among words, "-name PATTERN -nouser": a capital word behind one is its value."""
    ret = []
    for m in re.finditer(r"(?<![\w\[(+-])(-{1,2}[A-Za-z0-9][\w-]*)(?: ([A-Z]+\b)?)?", text):
        ret.append(([m[1]], "V" if m[2] and m[2] != "EXPR" else "N"))
    return ret


def attached(text, **kw):
    """A listing of a program whose values come behind "=" only."""
    return [(names, "A" if t == "V" else t) for names, t in listing(text, **kw)]


def yargs(text):
    """Entries "-m, --max-buffer   what it does  [number]": without [boolean] one takes a word.
    It reads --maxBuffer and --max-buffer alike."""
    ret = []
    for m in re.finditer(r"^ {2,6}(-[^\n]*(?:\n {8,}[^\n]*)*)", text.expandtabs(8), re.M):
        head = re.split(r"\s{2,}(?!-)", m[1], maxsplit=1)[0]
        names = re.findall(NAME, head)
        names += [re.sub("[A-Z]", lambda c: "-" + c[0].lower(), n) for n in names if n.startswith("--")]
        names += [n[:3] + re.sub("-([a-z])", lambda c: c[1].upper(), n[3:]) for n in names if n.startswith("--")]
        ret.append((list(dict.fromkeys(names)), "N" if "[boolean]" in m[1] or "[count]" in m[1] else "V"))
    return ret


READERS = {"attached": attached, "words": words, "list": listing, "usage": usage, "kube": kube, "less": less,
           "single": single, "yargs": yargs}


def merged(entries):
    """{option: takes}; "E" where the entries differ."""
    ret = {}
    for names, t in entries:
        for n in names:
            ret[n] = t if ret.get(n, t) == t else "E"
    return ret
