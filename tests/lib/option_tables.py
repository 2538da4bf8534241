"""The tables of stdlib-policies/commands, and how they differ from a program's help."""
import re

KINDS = ("program", "wrapper", "interpreter")

# Lines that only name options.
OTHERS = ("moves", "runs", "leads", "reads", "writes", "script-file", "recursive", "instead", "edits")

class Table:
    """What all statements about one program say, as the compiler joins them."""

    def __init__(self):
        self.kinds = set()
        self.flags = set()  # words of its own: "abbreviate"
        self.options = {}  # name: "N", "V", "A" or "E", either; those of `global` apart
        self.globals = {}
        self.after = set()
        self.codes = set()
        self.queries = set()
        self.others = set()  # of OTHERS
        self.clashes = []

    def add(self, key, name, arity, said):
        if key == "after":
            self.after.add(name)
            return
        if key == "code":
            self.codes.add(name)
        if key == "query":
            self.queries.add(name)
        if key in OTHERS and key not in ("recursive", "instead", "edits"):
            self.others.add(name)
        own = self.globals if key == "global" else self.options
        if not said:
            return
        if own.setdefault(name, arity) != arity:
            self.clashes.append(f"{name} is {own[name]} and {arity}")

    def close(self):
        """What no other line names takes a value, but for a query."""
        for o in self.codes | self.others:
            if o.startswith(("-", "+")) and o not in self.options and o not in self.globals:
                self.options[o] = "V"
        for o in self.queries:
            self.options.setdefault(o, "N")

    def same_options(self, other):
        return (self.options, self.globals) == (other.options, other.globals)


def tokens(text):
    """Words of a policy, without comments; a regex or string is one token."""
    pattern = r"#[^\n]*|\"(?:[^\"\\]|\\.)*\"|(?<=when )/(?:[^/\\\n]|\\.)*/[ix]*|[{},]|[^\s{},]+"
    return [t for t in re.findall(pattern, text) if not t.startswith("#")]


def read_line(tables, key, word):
    arity = ("A" if word.endswith("::") else "V" if word.endswith(":") else
             "E" if word.endswith(":?") else "N")
    # a word of `code`, `query` or OTHERS without a colon says nothing of values
    said = arity != "N" or key not in ("code", "query", *OTHERS)
    for name in word.removesuffix(":?").rstrip(":").split("|"):
        for table in tables:
            table.add(key, name, arity, said)


def read_body(t, i, tables):
    """The lines of one statement from its "{" on; where it ends."""
    key = ""
    while t[i] != "}":
        word = t[i]
        if re.match(r"[-+].", word):
            if key in ("options", "global", "query", *OTHERS, "code", "after"):
                read_line(tables, key, word)
        elif key == "code" and word in ("operand", "stdin"):
            what = " ".join(t[i:i + 2]) if word == "operand" else word
            for table in tables:
                table.codes.add(what)
        elif not re.match(r"[\"/]", word):
            key = word
            for table in tables:
                table.flags.add(word)
        i += 1
    return i


def read(paths):
    """{program: Table} of all files."""
    ret = {}
    for path in paths:
        t = tokens(path.read_text())
        i = 0
        while i < len(t):
            if t[i] not in KINDS or t[i - 1] not in ("{", "}") and not t[i - 1].startswith('"'):
                i += 1
                continue
            kind, names, i = t[i], [], i + 1
            while t[i] != "{":
                names += [t[i].strip('"')] if t[i] != "," else []
                i += 1
            tables = [ret.setdefault(name, Table()) for name in names]
            for table in tables:
                table.kinds.add(kind)
            i = read_body(t, i, tables)
    for table in ret.values():
        table.close()
    return ret


def taken_for(option, have, base):
    """A table's option that one which it has not would be short for, or None."""
    longer = [o for o in {**(base or {}), **have} if o != option and o.startswith(option)]
    return min(longer) if longer and option.startswith("--") else None


def differences(have, want, flags=True, lenient=False, several=False, base=None, after=()):
    """Lines about what the table `have` says otherwise than the help, `want`.

    flags: a flag of the help must be there.  lenient: the program is of another
    version; what only one of both knows is left out.  several: the table may
    know more.  base: the table of the program, of which this is a subcommand.
    after: words behind which a command stands.
    """
    ret = []
    for option, t in sorted(want.items()):
        got = have.get(option, (base or {}).get(option))
        if got is None and option in after:
            continue
        if got is None and (longer := taken_for(option, have, base)):
            ret.append(f"{option} ({t}) is missing, and would be read as {longer} cut short")
            continue
        if got is None and lenient:
            continue
        if t == "E":
            if got not in (None, "E"):
                how = "never" if got == "N" else "always"
                ret.append(f"{option} takes a value only in places, the table says {how}")
        elif got is None:
            if t != "N" or flags or len(option) == 2:
                ret.append(f"{option} ({t}) is missing")
        elif got != t and not (several and got == "E"):
            ret.append(f"{option} is {t}, the table says {got}")
    if not lenient and not several:
        for option, got in sorted(have.items()):
            if got not in "NE" and option not in want:
                ret.append(f"{option} ({got}) is in the table and not in the help")
    return ret


def mutants(have, want, lenient, several=False, after=(), base=None):
    """Tables with one option changed, each with the words that say so.  One that the
    program's table, `base`, has as well is not missing when it is deleted."""
    for o, t in have.items():
        if o in after or ((lenient or several) and o not in want):
            continue
        others = {"V": "NA", "A": "NV", "E": "NVA"}.get(t, "V" if o in want else "")
        # what no table has may take a value, or may not; or be short for another one
        hides = o in want and o not in (base or {}) and taken_for(o, have, base)
        if hides or t not in "NE" and not lenient and (base or {}).get(o) != t:
            yield f"{o} deleted", {k: v for k, v in have.items() if k != o}
        for other in others:
            if several and other == want.get(o):
                continue
            yield f"{o} as {other}", dict(have, **{o: other})
