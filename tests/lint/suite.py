#!/usr/bin/env python3
"""Each test belongs to a group of tests/run/groups, and four weeks of days have all of them (live tests of
files twelve, as each user in each place)."""
import concurrent.futures
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, "tests/lib")
import slices  # noqa: E402

DAYS = 28
PARTS = (2, 3, 4, 5, 6, 7, 12, 14, 28)
# Runners that the suite has no group for, and why.
BY_HAND = {
    "everything": "it runs the groups",
    "bypass": "commands.sh runs it",
    "agents": "installs some hundred megabytes: ./dev agents",
    "agents_inside": "so does this, in the same way",
    "agents_session": "so does this",
    "clean-room": "makes a Debian of its own",
    "roots": "makes a Debian and an Ubuntu of its own: ./dev roots",
    "coverage": "counts, and fails never",
    "soak": "runs for minutes, with 200,000 connections: make soak",
    "fuzz": "runs as long as one likes: make fuzz",
}
bad = []


def listed(day):
    env = dict(os.environ, VARIANT="")
    env.pop("POL_SLICE", None)
    if day is not None:
        env["POL_SLICE"] = str(day)
    args = ["tests/run/everything.sh", "--list"] + (["--all"] if day is None else [])
    p = subprocess.run(args, capture_output=True, text=True, env=env)
    if p.returncode or p.stderr:
        bad.append(f"{' '.join(args)} of day {day}: {p.returncode} {p.stderr.strip()}")
    return set(p.stdout.splitlines())


def live_listed(day):
    """The live tests of a day of twelve weeks, in which each has its turn as each user in each place."""
    env = dict(os.environ, VARIANT="dev", POL_TEST_LIST="1", POL_SLICE=str(day % DAYS), POL_WEEKS=str(day // DAYS))
    p = subprocess.run(["tests/run/live.sh"], capture_output=True, text=True, env=env)
    if p.returncode or p.stderr:
        bad.append(f"live.sh of day {day}: {p.returncode} {p.stderr.strip()}")
    return {f"dev live {line}" for line in p.stdout.splitlines()}


with open("tests/run/groups") as f:
    rows = [line.split() for line in f if line.strip() and line[0] != "#"]
groups = {r[0]: r for r in rows}
for name, dev, san, runner, *_ in rows:
    if not os.access(f"tests/run/{runner}", os.X_OK):
        bad.append(f"group {name}: no tests/run/{runner}")
    for when in dev, san:
        time = re.fullmatch(r"(day|cut|long|conf)(@(2|4|7|14|28)\+([0-9]+))?(/[1-9])?|-", when)
        if not time or time[3] and int(time[4]) >= int(time[3]):
            bad.append(f"group {name}: '{when}' is no time")
        elif time[3] and time[1] != "day" and int(time[3]) > 4:
            bad.append(f"group {name}: '{when}' has fewer than seven turns in four weeks")
    if dev == "-":
        bad.append(f"group {name}: not in the variant dev")
    if {"cut", "long", "conf"} & {re.split("[@/]", when)[0] for when in (dev, san)}:
        with open(f"tests/run/{runner}") as f:
            if "POL_SLICE" not in f.read():
                bad.append(f"group {name}: {runner} does not look at POL_SLICE")
for path in glob.glob("tests/run/*.sh"):
    name = os.path.basename(path)
    if name not in {r[3] for r in rows} and not BY_HAND.get(name[:-3]):
        bad.append(f"{path} is of no group")

# every test, on some day in each variant
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    four_weeks = set().union(*pool.map(listed, range(DAYS)))
    twelve_weeks = four_weeks.union(*pool.map(live_listed, range(3 * DAYS)))
everything = listed(None)
for line in sorted(everything - twelve_weeks):
    # with the sanitizers they have a live test as one of the two users
    if line.startswith("san live ") and any(w.startswith(line.split(" as ")[0] + " as ") for w in four_weeks):
        continue
    bad.append(f"no day has: {line}")
for line in sorted(four_weeks - everything):
    bad.append(f"--all has not: {line}")
for variant in "dev", "san":
    for path in sorted(glob.glob("tests/unit/test_*.c") + glob.glob("tests/prop/prop_*.c") +
                       glob.glob("tests/conformance/conf_*.c")):
        group = "prop" if "/prop/" in path else "unit"
        if f"{variant} {group} {os.path.basename(path)[:-2]}" not in four_weeks:
            bad.append(f"{path}: on no day of {variant}")
    for path in sorted(glob.glob("tests/live/*.sh") + glob.glob("tests/live/*/*.sh")):
        if not any(line.startswith(f"{variant} live {path[11:-3]} as ") for line in four_weeks):
            bad.append(f"{path}: on no day of {variant}")

# a test that no runner finds by its folder is named by one
runners = ""
for path in glob.glob("tests/run/*") + glob.glob("tests/conformance/*") + glob.glob("tests/live/*.sh") + \
        ["Makefile", "tests/faults/faults.py"]:
    if os.path.isfile(path):
        with open(path, errors="replace") as f:
            runners += f.read()
for path in subprocess.run(["git", "ls-files", "tests"], capture_output=True, text=True,
                           check=True).stdout.split():
    folder, name = os.path.split(path)
    stem = name.rsplit(".", 1)[0]
    if folder in ("tests/conformance", "tests/doc", "tests/schema", "tests/libpol", "tests/faults") and \
            os.path.exists(path) and not name.startswith(("conf_", "table")) and not re.search(rf"\b{re.escape(stem)}", runners):
        bad.append(f"{path}: nothing runs it")
    if folder == "tests/unit" and name.endswith(".c") and not name.startswith("test_") or \
            folder == "tests/prop" and name.endswith(".c") and not name.startswith("prop_"):
        bad.append(f"{path}: no runner finds it by its name")

# the slices themselves, in both languages
for parts in PARTS:
    for i in range(30):
        found = []
        for day in range(DAYS):
            slices.DAY = str(day)
            if slices.in_slice(i, parts):
                found.append(day)
        if not found:
            bad.append(f"no day has the part {i} of {parts}")
script = f'. tests/lib/slice.sh; for p in {" ".join(map(str, PARTS))}; do for i in {{0..29}}; do ' \
         f'for POL_SLICE in {{0..{DAYS - 1}}}; do ' \
         'in_slice $i $p && echo $p $i $POL_SLICE; done; done; done'
shell = subprocess.run(["bash", "-c", script], capture_output=True, text=True).stdout.split("\n")[:-1]
ours = []
for parts in PARTS:
    for i in range(30):
        for day in range(DAYS):
            slices.DAY = str(day)
            if slices.in_slice(i, parts):
                ours.append(f"{parts} {i} {day}")
if shell != ours:
    bad.append("slice.sh and slices.py differ")
print("\n".join(bad))
sys.exit(bool(bad))
