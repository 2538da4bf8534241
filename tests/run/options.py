#!/usr/bin/env python3
"""The option tables of stdlib-policies/commands against the programs' own help.

  options.py                every program of a row, if it is installed
  options.py NAME...        only these
                            (with POL_SLICE the day's: tests/lib/slices.py)
  options.py --all          the same, and none may be missing
  options.py --mutate       each option of the tables deleted, and given another
                            kind of value, one at a time: all must be seen
  options.py --page [-w]    doc/programs.md, and its numbers in doc/commands.md, are what
                            the tables say; -w writes them
  options.py --draft NAME   what the help says, as a table's lines
  options.py --packages [npm]   the packages that are missing: Debian's, or npm's

The rows are in tests/lib/option_rows.py.  A program whose package `dev` installs
for the tests must be there.
"""
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/lib"))
import helptext  # noqa: E402
import option_page  # noqa: E402
import option_rows as rows  # noqa: E402
import option_tables as tabs  # noqa: E402
import slices  # noqa: E402

GIT_CORE = "/usr/lib/git-core"  # some subcommands are in packages of their own
LETTER = {"N": "", "V": ":", "A": "::", "E": ":?"}


# --- what is installed --------------------------------------------------------------

def needed():
    """Packages that are there when `./dev test` runs."""
    text = (TOP / "dev").read_text()
    ret = set(rows.ESSENTIAL)
    for name in ("BUILD_DEPS", "DEMO_DEPS", "TEST_DEPS"):
        body = re.search(rf"^{name}=\((.*?)\)", text, re.S | re.M)[1]
        ret.update(w for w in re.sub(r"#[^\n]*", "", body).split() if not w.startswith('"'))
    return ret


def program_files(programs):
    """{program: its file}, without those that are not here."""
    script = 'for p; do f=$(type -P -- "$p") && printf "%s\\t%s\\n" "$p" "$(readlink -f -- "$f")"; done'
    p = subprocess.run(["bash", "-c", script, "-", *programs], stdout=subprocess.PIPE,
                       env=helptext.ENV, check=False)
    return dict(line.split("\t") for line in p.stdout.decode().splitlines())


def owners(paths):
    """{file: package}; a file may be known under the name before /usr was merged."""
    asked = [q for p in paths for q in (p, p[4:] if p.startswith("/usr/") else p)]
    p = subprocess.run(["dpkg-query", "-S", *asked], stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL, check=False)
    ret = {}
    for line in p.stdout.decode().splitlines():
        package, _, path = line.rpartition(": ")
        if not package.startswith("diversion"):
            ret[path] = ret["/usr" + path] = package.split(":")[0].split(",")[0]
    return ret


class Here:
    """The programs of the rows on this machine."""

    def __init__(self):
        programs = sorted({base(p) for row in rows.ROWS for p in row.programs()})
        self.files = program_files(programs)
        self.owner = owners(self.files.values())
        self.needed = needed()

    def has(self, program, row):
        if program.startswith("git ") and not Path(GIT_CORE, "git-" + program.split()[1]).exists():
            return False
        return row.builtin() or base(program) in self.files

    def missing(self, program, row):
        """The packages without which it can't be compared."""
        ret = [p for p in row.plugins if not Path(f"/var/lib/dpkg/info/{p}.list").exists()]
        return ret if self.has(program, row) else [row.package, *ret]

    def must(self, row):
        return row.builtin() or row.package in self.needed

    def lenient(self, program, row):
        """Is it another version than the package's?"""
        if row.builtin():
            return False
        if row.npm:
            return not self.files[base(program)].startswith(f"{TOP}/build/npm/")
        package = self.owner.get(self.files[base(program)], "")
        return not package or not (package.startswith(row.package) or row.package.startswith(package)
                                   or package in row.also)


def base(program):
    return program.split()[0]


# --- comparing ----------------------------------------------------------------------

def asked(program, sources, fix=None):
    """What the help says: {option: takes}, and the entries that it was read from."""
    entries = []
    for reader, command, kw in sources:
        entries += helptext.READERS[reader](helptext.run(command.replace("{p}", program)), **kw)
    want = helptext.merged(entries)
    for option, t in (fix or {}).items():
        want.pop(option, None)
        if t:
            want[option] = t
    return want, entries


class Comparison:
    """One program's tables and its help."""

    def __init__(self, here, have, program, row):
        self.row, self.program = row, program
        self.lenient = here.lenient(program, row)
        self.several = program in rows.SEVERAL
        self.table = have.get(program) or tabs.Table()
        self.base = have[base(program)].options if " " in program else None
        self.want, _ = asked(program, row.sources, row.fix_of(program))
        self.want_global = asked(program, row.globals)[0] if row.globals else None

    def options(self, table):
        # a subcommand has what its own table says, and the rest of its program's
        return tabs.differences(table, self.want, self.row.flags, self.lenient, self.several,
                                self.base, self.table.after)

    def globals(self, table):
        return ["global " + d for d in tabs.differences(table, self.want_global, self.row.flags,
                                                        self.lenient, self.several)]

    def unread(self):
        return len(self.want) < 2 and not self.row.builtin() and not self.row.few

    def lines(self):
        if self.unread():
            return ["its help could not be read"]
        ret = self.options(self.table.options)
        if self.row.globals:
            ret += self.globals(self.table.globals)
        return ret + [f"{c} in two statements" for c in self.table.clashes]

    def missed(self):
        """Mutants that nothing sees, and how many there were."""
        ret, done = [], 0
        before = self.options(self.table.options)
        for what, changed in tabs.mutants(self.table.options, self.want, self.lenient,
                                          self.several, self.table.after, self.base):
            done += 1
            if self.options(changed) == before:
                ret.append(what)
        if self.row.globals:
            before = self.globals(self.table.globals)
            for what, changed in tabs.mutants(self.table.globals, self.want_global, self.lenient,
                                              self.several):
                done += 1
                if self.globals(changed) == before:
                    ret.append("global " + what)
        return ret, done


def least(n):
    """Of what the whole must have, what a day's part must."""
    return n if slices.DAY == "" else n // 14


def closed(have):
    """Every table has a row, is the same as one that has, or says why not."""
    ret = []
    listed = [p for row in rows.ROWS for p in row.programs()]
    for p in sorted(have):
        # one that only says which of its options name files lists none
        if " " in p and not set(have[p].options) - have[p].others:
            continue
        ways = [p in listed, p in rows.SAME, p in rows.UNCHECKED or " " in p and base(p) in rows.SUBCOMMANDS and p not in listed]
        if sum(ways) != 1:
            ret.append(f"{p} is in {sum(ways)} of ROWS, SAME, UNCHECKED")
        elif p in rows.SAME and not have[p].same_options(have[rows.SAME[p]]):
            ret.append(f"{p} has not the table of {rows.SAME[p]}")
        ret += [f"{p}: {c} in two statements" for c in have[p].clashes]
    for p in listed + list(rows.SAME) + list(rows.UNCHECKED):
        if p not in have:
            ret.append(f"{p} has no table")
    for p in rows.SUBCOMMANDS:
        if not any(q.startswith(p + " ") and have[q].options for q in have):
            ret.append(f"{p} has no subcommand with a table")
    return ret


# What reads options for a program, and takes any beginning of a long one.
READS_LONG = re.compile(rb"\b(getopt_long|argp_parse)\b")
READS_SCRIPT = re.compile(rb"\b(argparse|optparse|Getopt::Long)\b|\bgetopt (--|-o)")


def takes_beginnings(path):
    with open(path, "rb") as f:
        text = f.read()
    if text[:4] != b"\x7fELF":
        return text[:2] == b"#!" and READS_SCRIPT.search(text)
    # the name of a function that it is linked with
    return any(READS_LONG.fullmatch(s) for s in text.split(b"\0"))


def abbreviations(have, files):
    """A program that takes beginnings of its options has a table that says so."""
    return [f"{p} takes its long options cut short, the table does not say 'abbreviate'"
            for p, table in sorted(have.items())
            # Debian's name for whichever editor is installed
            if p not in ("editor", "sensible-editor")
            if p in files and "abbreviate" not in table.flags
            and any(o.startswith("--") for o in (*table.options, *table.globals))
            and takes_beginnings(files[p])]


# --- the runs -----------------------------------------------------------------------

class Count:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def result(self, name, lines):
        for line in lines:
            print("     " + line)
        print("FAIL" if lines else "ok  ", name)
        self.failed += bool(lines)
        self.passed += not lines

    def skip(self, name, why):
        print(f"skip {name}: {why}")
        self.skipped += 1

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        return 1 if self.failed else 0


def compared(have, names, everything, count):
    """The comparisons that can be made here; what is missing is said."""
    here, todo = Here(), []
    for row in rows.ROWS if names else slices.cut(rows.ROWS):
        for p in row.programs():
            if names and p not in names:
                continue
            missing = here.missing(p, row)
            if not missing:
                todo.append((p, row))
            elif everything or here.must(row):
                count.skip(f"options {p}", f"not installed ({' '.join(missing)})")
    # most of the time is the programs'
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda x: Comparison(here, have, *x), todo))
    # what is of no package and lists nothing is something else of that name
    for c in [c for c in made if c.lenient and c.unread()]:
        made.remove(c)
        if everything or here.must(c.row):
            count.skip(f"options {c.program}", f"another program of that name ({c.row.package})")
    return made


def check(have, names=(), everything=False):
    count = Count()
    made = compared(have, names, everything, count)
    for c in made:
        count.result("options " + c.program, c.lines())
    if not names:
        lines = closed(have)
        if len(made) < least(rows.LEAST):
            lines.append(f"only {len(made)} programs are here, {least(rows.LEAST)} are expected")
        count.result("options: every table is compared, or said to be not", lines)
        files = program_files([p for p in have if " " not in p])
        lines = abbreviations(have, files)
        # the check must see one that is gone
        bare = {"tar": tabs.Table()}
        bare["tar"].options["--file"] = "V"
        if "tar" in files and not abbreviations(bare, files):
            lines.append("tar without 'abbreviate' is not seen")
        count.result("options: what is cut short", lines)
        mutate(made, count)
        count.result("options: what the documents say of the tables (options.py --page -w)",
                     option_page.stale(TOP, have, rows))
    return count.end()


def mutate(made, count):
    total = 0
    for c in made:
        missed, done = c.missed()
        total += done
        if missed:
            count.result(f"options {c.program}: each change of its table is seen",
                         [f"nothing sees {m}" for m in missed])
    count.result(f"options: {total} changes of the tables, one at a time, are seen",
                 [] if total > least(1000) or len(made) < least(rows.LEAST) else [f"only {total} changes"])


def draft(program, have):
    row = rows.row_of(program)
    want, entries = asked(program, row.sources, row.fix_of(program))
    table = have.get(program) or tabs.Table()
    done, out = set(table.after), []
    for names, _ in entries:
        for takes in "NVA":
            same = [n for n in dict.fromkeys(names) if want.get(n) == takes and n not in done]
            if same and (takes != "N" or row.flags or any(len(n) == 2 for n in same)):
                out.append("|".join(same) + LETTER[takes])
                done.update(same)
    for n, t in want.items():
        if n not in done and t != "E" and (t != "N" or row.flags or len(n) == 2):
            out.append(n + LETTER[t])
    either = [n for n, t in want.items() if t == "E"]
    return f"{program} {{ options {' '.join(out)} }} # either: {' '.join(either)}"


def main():
    args = sys.argv[1:]
    have = tabs.read(sorted((TOP / "stdlib-policies/commands").glob("*.pol")))
    if args[:1] == ["--draft"]:
        for p in args[1:]:
            print(draft(p, have))
        return 0
    if args in (["--packages"], ["--packages", "npm"]):
        here = Here()
        for package in sorted({package for row in rows.ROWS if row.npm == (len(args) > 1)
                               for p in row.programs() for package in here.missing(p, row)}):
            print(package)
        return 0
    if args[:1] == ["--page"]:
        if args[1:] == ["-w"]:
            option_page.write(TOP, have, rows)
        lines = option_page.stale(TOP, have, rows)
        print("\n".join(lines))
        return bool(lines)
    if args == ["--mutate"]:
        count = Count()
        mutate(compared(have, (), False, count), count)
        return count.end()
    return check(have, [a for a in args if a != "--all"], "--all" in args)


if __name__ == "__main__":
    sys.exit(main())
