"""doc/programs.md: what the tables hold, and with what they are compared."""
import difflib
import textwrap

PAGE = "doc/programs.md"
HEAD = """# Programs that the library knows

{summary}
An option that a table does not know may take the next word or may not: for a deny rule and for a wrapper both readings
count. So a missing option costs a question, not a denial; a wrong one could hide a command. Therefore a test fails
when an option that takes a value is missing from a compared table, or has another kind of value there than in the help,
and when any one of them, deleted or changed, would not be noticed.

    ./dev test        compares those whose packages are small
    ./dev options     installs the packages of all rows and compares all of them

This page is made from the tables (`tests/run/options.py --page -w`); a test fails when it is stale.

## Compared

`options` counts spellings, `value` those that take one, `code` the places of code. A name in *italics* runs other programs.

| programs | options | value | code | Debian package |
|---|---|---|---|---|
"""
# The same numbers stand in the page about commands, between these marks.
OTHER = "doc/commands.md"
MARKS = ("<!-- numbers of options.py -->\n", "<!-- end -->\n")
SUMMARY = """The tables of `stdlib-policies/commands` say of {programs} programs which options they have, which of these take a value,
where they take code of another language, and where the command stands that they run. {compared} of them are compared with
the programs themselves: with what `--help` or the manual of the Debian package prints. With their subcommands these are
{rows} tables with {options} options, {valued} of them with a value, and {codes} places of code. {same} programs more are other
names of those, with the same table; {unchecked} are not compared.
"""
TAIL = """
## Not compared

"""


def shown(program, table):
    return f"*{program}*" if "wrapper" in table.kinds else program


def counts(table):
    both = list(table.options.items()) + list(table.globals.items())
    return len(both), sum(t != "N" for _, t in both), len(table.codes)


def span(numbers):
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low}–{high}"


def table_line(names, have, package):
    got = [counts(have[p]) for p in names]
    words = (", " if any(" " in p for p in names) else " ").join(shown(p, have[p]) for p in names)
    return f"| {words} | {' | '.join(span(x) for x in zip(*got))} | {package} |"


def summary(have, rows):
    listed = [p for row in rows.ROWS for p in row.programs()]
    sums = [sum(x) for x in zip(*(counts(have[p]) for p in listed))]
    return SUMMARY.format(programs=len([p for p in have if " " not in p]),
                          compared=len([p for p in listed if " " not in p]), rows=len(listed),
                          options=sums[0], valued=sums[1], codes=sums[2], same=len(rows.SAME),
                          unchecked=len(rows.UNCHECKED))


def text(have, rows):
    listed = [p for row in rows.ROWS for p in row.programs()]
    ret = HEAD.format(summary=summary(have, rows))
    lines = []
    for row in rows.ROWS:
        lines.append(table_line(row.programs(), have, row.package))
    ret += "\n".join(lines) + "\n"
    ret += "\nOther names: " + ", ".join(f"{p} ({q})" for p, q in sorted(rows.SAME.items())) + ".\n"
    ret += TAIL
    for why in dict.fromkeys(rows.UNCHECKED.values()):
        names = sorted((p for p, w in rows.UNCHECKED.items() if w == why), key=str.lower)
        ret += f"* **{why}** ({len(names)}): {', '.join(shown(p, have[p]) for p in names)}.\n"
    subs = sorted(p for p in have if " " in p and have[p].options and p not in listed)
    ret += f"* **Subcommands of programs that are not compared** ({len(subs)}): {', '.join(subs)}.\n"
    return "\n".join("\n".join(wrap(line)) for line in ret.splitlines()) + "\n"


def wrap(line):
    if not line.startswith(("*", "Other")) or len(line) <= 120:
        return [line]
    return textwrap.wrap(line, 118, break_long_words=False, break_on_hyphens=False,
                         subsequent_indent="  " * line.startswith("*"))


def pages(top, have, rows):
    """(file, what it holds, what it should hold)"""
    page, other = top / PAGE, top / OTHER
    yield page, page.read_text() if page.exists() else "", text(have, rows)
    old = other.read_text()
    head, _, rest = old.partition(MARKS[0])
    _, _, tail = rest.partition(MARKS[1])
    yield other, old, head + MARKS[0] + summary(have, rows) + MARKS[1] + tail


def write(top, have, rows):
    for path, old, new in pages(top, have, rows):
        if old != new:
            path.write_text(new)


def stale(top, have, rows):
    ret = []
    for path, old, new in pages(top, have, rows):
        ret += list(difflib.unified_diff(old.splitlines(), new.splitlines(), path.name,
                                         "what the tables say", lineterm="", n=0))[:20]
    return ret
