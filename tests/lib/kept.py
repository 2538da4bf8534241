#!/usr/bin/env python3
"""What a run may not write is as it was: folders before and after it, and the rules.

usage: kept.py save FILE TOP…
       kept.py check FILE ORACLE [OPTION…] -- TOP…
ORACLE is tests/conformance/file_oracle with the options that name the policy and its
roots.  `check` prints a line "FAIL NAME: what" for each name that differs and that the
rules do not let be written, then "N names, N differ, all allowed".
Of a file: kind, mode, owner, links, content, time, attributes.  Of a directory neither
size nor time, which change with its names.
"""
import hashlib
import json
import os
import stat
import subprocess
import sys


def attributes(path):
    found = {}
    for name in os.listxattr(path, follow_symlinks=False):
        if name.startswith("user."):
            found[name] = os.getxattr(path, name, follow_symlinks=False).hex()
    return found


def content(path, st):
    if stat.S_ISLNK(st.st_mode):
        return os.readlink(path)
    if not stat.S_ISREG(st.st_mode) or st.st_size > 1 << 20:
        return st.st_size
    try:
        with open(path, "rb") as f:
            return hashlib.sha256(f.read()).hexdigest()
    except PermissionError:
        return "closed: its mode is another"


def one(path):
    st = os.lstat(path)
    found = {"kind": stat.S_IFMT(st.st_mode), "mode": stat.S_IMODE(st.st_mode),
             "owner": [st.st_uid, st.st_gid]}
    try:
        found["attributes"] = attributes(path)
    except PermissionError:
        found["attributes"] = "closed: its mode is another"
    if not stat.S_ISDIR(st.st_mode):
        found.update(links=st.st_nlink, content=content(path, st), time=st.st_mtime_ns,
                     object=[st.st_dev, st.st_ino])
    return found


def walk(path, found):
    found[path] = one(path)
    if not stat.S_ISDIR(os.lstat(path).st_mode):
        return
    if not os.access(path, os.R_OK | os.X_OK):      # its mode is noted: it may be opened
        os.chmod(path, 0o700)
    for name in os.listdir(path):
        walk(os.path.join(path, name), found)


def look(tops):
    found = {}
    for top in tops:
        walk(top, found)
    return found


class Rules:
    """file_oracle: what the evaluator says of a name."""

    def __init__(self, command):
        self.p = subprocess.Popen(command + ["file", "read", "/"], text=True, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, errors="surrogateescape")
        for line in self.p.stdout:
            if line == "end\n":
                return
        sys.exit("FAIL the oracle says nothing")

    def allows(self, path):
        if "\n" in path:    # no line of the oracle's: its letters, which no pattern names
            path = path.replace("\n", "\x01")
        self.p.stdin.write("write %s\n" % path)
        self.p.stdin.flush()
        words = self.p.stdout.readline().split()
        return words[0] == "allow" and words[2] == "0"


def check(before, rules, tops):
    now = look(tops)
    differ = bad = 0
    for path in sorted(set(before) | set(now)):
        was, has = before.get(path), now.get(path)
        if was == has:
            continue
        differ += 1
        if rules.allows(path):
            continue
        bad += 1
        what = "it is gone" if has is None else "it is new" if was is None else ", ".join(
            "%s %r, was %r" % (k, has.get(k), was.get(k)) for k in was if has.get(k) != was.get(k))
        if bad <= 20:
            print(ascii("FAIL %s: %s" % (path, what))[1:-1])
    print("%d names, %d differ, %s" % (len(now), differ, "all allowed" if not bad else "%d not allowed" % bad))
    return bad


def main():
    verb, file, args = sys.argv[1], sys.argv[2], sys.argv[3:]
    if verb == "save":
        with open(file, "w") as f:
            json.dump(look(args), f)
        return 0
    with open(file) as f:
        before = json.load(f)
    end = args.index("--")
    return 1 if check(before, Rules(args[:end]), args[end + 1:]) else 0


if __name__ == "__main__":
    sys.exit(main())
