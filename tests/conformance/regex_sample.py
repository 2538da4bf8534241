"""A text that a regular expression of a table matches (`code … when /RE/`)."""
import re
try:
    from re import _parser as parser
except ImportError:
    import sre_parse as parser


def piece(ops, rng):
    """One text of parsed operations; None where that is not tried."""
    out = ""
    for op, arg in ops:
        name = str(op)
        if name == "LITERAL":
            out += chr(arg)
        elif name == "NOT_LITERAL":
            out += next(c for c in "aZ 0" if ord(c) != arg)
        elif name == "ANY":
            out += "x"
        elif name == "IN":
            got = one_of(arg, rng)
            if got is None:
                return None
            out += got
        elif name == "BRANCH":
            got = [piece(b, rng) for b in arg[1]]
            got = [g for g in got if g is not None]
            if not got:
                return None
            out += rng.choice(got)
        elif name == "SUBPATTERN":
            got = piece(arg[-1], rng)
            if got is None:
                return None
            out += got
        elif name in ("MAX_REPEAT", "MIN_REPEAT"):
            low, high, what = arg
            for _ in range(max(low, min(high, rng.randrange(3)))):
                got = piece(what, rng)
                if got is None:
                    return None
                out += got
        elif name == "AT":
            pass
        else:
            return None
    return out


def one_of(items, rng):
    said = re.compile("[" + "^" * (str(items[0][0]) == "NEGATE") + "".join(
        re.escape(chr(a)) if str(o) == "LITERAL" else f"{re.escape(chr(a[0]))}-{re.escape(chr(a[1]))}"
        for o, a in items if str(o) in ("LITERAL", "RANGE")) + "]")
    got = [c for c in map(chr, [*range(97, 123), *range(32, 97), *range(123, 127), 10]) if said.match(c)]
    return rng.choice(got) if got else None


def sample(text, rng, tries=50):
    """`text`: /RE/ or /RE/i."""
    body, _, flags = text[1:].rpartition("/")
    how = (re.I if "i" in flags else 0) | (re.X if "x" in flags else 0)
    try:
        ops, asked = parser.parse(body, how), re.compile(body, how)
    except re.error:
        return None
    for _ in range(tries):
        got = piece(ops, rng)
        # a blank in front keeps what is no option one
        if got is not None and "\0" not in got and asked.search(got):
            return got
    return None
