"""Is each name that the floor keeps a row of stdlib-policies/names.tsv with a source, and the other way round?  Does a row
judge each name that an agent was seen to look for in its project (tests/data/agent_names.tsv)?  Are the names that polrun
leaves out of its report (runtime/polrun/ordinary.def) none of those that are kept?  Prints what is wrong, or nothing."""
import fnmatch
import re
import sys

TABLE, FLOOR, SEEN = "stdlib-policies/names.tsv", "stdlib-policies/floor.pol", "tests/data/agent_names.tsv"
ORDINARY, EXPOSURE = "runtime/polrun/ordinary.def", "compiler/analysis/exposure.def"


def rows_of(path, columns):
    rows = []
    for n, line in enumerate(open(path, encoding="utf-8"), 1):
        if line.strip() and not line.startswith("#"):
            row = line.rstrip("\n").split("\t")
            if len(row) != columns or not all(row):
                print(f"{path}:{n}: {len(row)} columns, or an empty one")
            else:
                rows.append(row)
    return rows


def floor_names():
    """{(root, name): "kept" or "host"} of the literal names that floor.pol denies to write below the two roots."""
    text = re.sub(r"(?m)^\s*#.*$", "", open(FLOOR, encoding="utf-8").read())
    found = {}
    for names, rest in re.findall(r"deny write ((?:\"[^\"]*\",?\s*)+)(?:except (?:\"[^\"]*\",?\s*)+)?((?:when scope == host\s+)?)because", text):
        for root, name in re.findall(r'"\$\{(PROJECT_DIR|HOME)\}/([^"]*)"', names):
            if not set(name) & set("*{"):
                found[("project" if root == "PROJECT_DIR" else "home", name)] = "host" if rest else "kept"
    return found


def main():
    table = rows_of(TABLE, 6)
    judged = {}
    for root, name, how, fact, _, source in table:
        key = (root, name.rstrip("/"))
        if root not in ("project", "home") or how not in ("kept", "host", "told", "no") or (how == "host" and root != "home"):
            print(f"{TABLE}: {name}: {root} and {how} do not go together")
        if (fact == "-") != (how in ("told", "no")):
            print(f"{TABLE}: {name}: {how} with the fact {fact}")
        if key in judged:
            print(f"{TABLE}: {name} is there twice")
        judged[key] = (how, fact, source, name.endswith("/"))
    facts = set(re.findall(r"FACT\((\w+), WRITE", open(EXPOSURE, encoding="utf-8").read()))
    for key, (how, fact, _, _) in judged.items():
        if fact != "-" and fact not in facts:
            print(f"{TABLE}: {key[1]}: {fact} is no fact of {EXPOSURE}")
    kept = {key: row[0] for key, row in judged.items() if row[0] in ("kept", "host")}
    floor = floor_names()
    for key in sorted(set(kept) | set(floor)):
        if kept.get(key) != floor.get(key):
            print(f"{key[0]} {key[1]}: {floor.get(key, 'not kept')} in floor.pol, {kept.get(key, 'no row')} in names.tsv")

    seen = rows_of(SEEN, 3)
    versions = {row[0] for row in seen}
    for source, where, name in seen:
        # a row for it, or for the folder in which it lies
        if where == "project" and (where, name) not in judged and (where, name.split("/")[0]) not in judged:
            print(f"{source} looks for {name} in the project: a row of {TABLE} has to judge it")
    names = {(where, name) for _, where, name in seen}
    for (root, name), (_, _, source, folder) in judged.items():
        if re.search(r"@\d", source):
            if source not in versions:
                print(f"{TABLE}: {name}: {source} is not in {SEEN}")
            elif not any(s == source and w == root and (n == name or n.startswith(name + "/") or name.startswith(n + "/"))
                         for s, w, n in seen):
                print(f"{TABLE}: {name}: {source} was not seen to look for it")
    if not any(w == "project" for w, _ in names):
        print(f"{SEEN}: no agent looks for anything in a project")

    ordinary = dict.fromkeys(("DOT", "CONFIG"))
    text = open(ORDINARY, encoding="utf-8").read()
    for kind in ordinary:
        ordinary[kind] = re.findall(rf'^{kind}\("([^"]*)"\)$', text, re.M)
    for (root, name), (how, _, _, _) in judged.items():
        if root == "project" and how == "told" and any(fnmatch.fnmatchcase(name, p) for ps in ordinary.values() for p in ps):
            print(f"{ORDINARY}: {name} is to be told")
        if root == "project" and how == "kept" and "/" not in name:
            for pattern in ordinary["DOT"] if name.startswith(".") else ordinary["CONFIG"]:
                if fnmatch.fnmatchcase(name, pattern):
                    print(f"{ORDINARY}: the pattern {pattern} leaves out {name}, which the floor keeps")


if __name__ == "__main__":
    main()
    sys.exit(0)
