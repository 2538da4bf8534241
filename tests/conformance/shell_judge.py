"""The laws of shell.py: what was read of a line against what the kernel saw of it."""
import re

from shell_sets import WRAPPERS

HOME = "/w/home"
REAL = {x.encode() for x in WRAPPERS}
# What the stub "body" reads of a here-document, as a command of its own.
STDIN, STDIN_READ = [b"p4", b"--stdin"], ["=7034", "=2d2d737464696e"]
# They run what their words say, which is not for the reader to find.
AGAIN = {b".", b"alias", b"bind", b"builtin", b"command", b"compgen", b"complete", b"enable", b"eval", b"exec",
         b"fc", b"hash", b"mapfile", b"readarray", b"source", b"trap", b"unalias", b"history",
         # of subscripts; of PS4
         b"[", b"declare", b"export", b"getopts", b"let", b"local", b"printf", b"read", b"readonly",
         b"set", b"test", b"typeset", b"unset", b"wait"}

# Nor are variables whose values bash evaluates, and descriptors kept in arrays.
NUMBERS = re.compile(r"RANDOM|SECONDS|OPTIND|HISTCMD|\{a\[")


class Reading:
    """One answer of shell_reader."""

    def __init__(self, status, at, again, why, cmds):
        self.parsed = status == "0"
        self.again = again != "0"
        self.at, self.why = at, why
        self.cmds = [c.split(" ")[1:] for c in cmds]
        self._texts = self._patterns = None

    def literals(self):
        """The texts of the commands whose words are all known: a NUL ends each word."""
        if self._texts is None:
            self._texts = set()
            for words in self.cmds:
                if all(w[0] == "=" and "," not in w for w in words):
                    self._texts.add("".join(w[1:] + "00" for w in words))
        return self._texts

    def patterns(self):
        if self._patterns is None:
            self._patterns = [words_regex(words) for words in self.cmds
                              if not all(w[0] == "=" and "," not in w for w in words)]
        return self._patterns

    def all_given(self):
        """Every "body" reads a text of the line."""
        bodies = sum(w[0] == "=626f6479" or "," in w[0] for w in self.cmds)
        return 0 < bodies <= sum(w[:2] == STDIN_READ for w in self.cmds)

    def evaluates(self):
        """Some command runs its words, or text of them, or may."""
        return self.again or any(w[0] != "=" or "," in w or bytes.fromhex(w[1:]) in AGAIN
                   for words in self.cmds for w in words[:1])


def words_regex(words):
    """The language of a command's words: of texts in which a NUL ends each word."""
    out = b""
    for word in words:
        part, empty, multi = b"", True, False
        for piece in word.split(","):
            kind, rest = piece[0], piece[1:]
            empty &= kind in "?*" or piece == "="
            multi |= kind == "*"
            if kind == "=":
                part += re.escape(bytes.fromhex(rest))
            elif kind == "[":
                part += b"(?:%s)" % b"|".join(re.escape(bytes.fromhex(x)) for x in rest.split("|")[:-1])
            elif kind == "~":
                part += re.escape(HOME.encode())
            else:
                part += b"[^\0]*" if kind == "?" else b".*"
        part += b"\0"
        out += b"(?:%s)?" % part if empty and multi else part
    return re.compile(out, re.S)


BEFORE = re.compile("=(%s|[0-9a-f]*3d[0-9a-f]*)$" % "|".join(x.encode().hex() for x in ("command", "exec", "env")))


def behind(words):
    """The words behind `command`, `exec` and `env A=x`."""
    while len(words) > 1 and BEFORE.match(words[0]):
        words = words[1:]
    return words


def show(word):
    def piece(p):
        texts = [repr(bytes.fromhex(x).decode("utf-8", "replace")) for x in p[1:].split("|")]
        return texts[0] if p[0] == "=" else "[" + "|".join(texts[:-1]) + "]" if p[0] == "[" else p
    return "+".join(piece(p) for p in word.split(","))


class Ran:
    """One execve that the kernel saw."""

    def __init__(self, line):
        path, *argv = line.split(" ")
        self.path = bytes.fromhex(path[1:])
        self.hex = "".join(w[1:] + "00" for w in argv)
        self.argv = [bytes.fromhex(w[1:]) for w in argv]


def uncovered(reading, ran, count=None):
    """Law 1: each argv is a command that was read.  The first that is not, or None."""
    for r in ran:
        if r.hex in reading.literals():
            if count is not None:
                count["programs of literal words"] += 1
                count["literal words that ran"] += len(r.argv)
            continue
        text = bytes.fromhex(r.hex)
        if any(p.fullmatch(text) for p in reading.patterns()):
            continue
        if r.argv[:2] == STDIN and not (reading.parsed and reading.all_given()):
            continue  # of a file or a pipe
        return r
    return None


# Where a line is from.  The generator makes no mistakes and no command that evaluates
# text again; changed, its lines may have mistakes that a shell does not see.
# Tricks run real programs that run others.
# Those with variables set and use them in every way; their second readings run nothing.
MADE, CHANGED, CORPUS, TRICK, VARS = range(5)


def judge(line, kind, reading, ran, syntax, reasons, count=None):
    """What is wrong with a reading of the line, or None.  syntax: of SHELL -n."""
    if syntax > 0 and reading.parsed and "shopt" not in line:
        return "the shell rejects it, and it is parsed"
    # of a mistake in backquotes bash -n says nothing
    if (kind == MADE and syntax == 0 and not reading.parsed and reading.why not in reasons
            and "`" not in line):
        return f"the shell accepts it, and it is unparsed: {reading.why} at {reading.at}"
    if kind == VARS:
        reading.cmds += [behind(c) for c in reading.cmds if c and BEFORE.match(c[0])]
    foreign = kind in (CORPUS, TRICK)
    if foreign and any(not x.path.startswith(b"/stub/") or x.path[6:] in REAL for x in ran):
        return None  # a real program may have run something
    r = uncovered(reading, ran, count)
    if r is not None and not (foreign and (reading.evaluates() or NUMBERS.search(line))):
        return (f"{'parsed' if reading.parsed else 'unparsed'}: ran {r.argv}, read "
                + " ; ".join(" ".join(show(x) for x in w) for w in reading.cmds))
    return None
