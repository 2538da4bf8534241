"""A random tree of the host and a random policy that speaks of it.

Every directory of the tree holds the same kit, an object for each operation
that another one would spoil.  The content of a file is its
own path: whoever reads it says what was read.
"""
import os
import shutil
import stat

# exit(0), as the smallest program that the kernel starts
CODE = bytes.fromhex("b03c31ff0f05")
ELF = (b"\x7fELF\x02\x01\x01" + bytes(9) + bytes.fromhex("02003e0001000000") +
       (0x400078).to_bytes(8, "little") + (64).to_bytes(8, "little") + bytes(8) +
       bytes(4) + bytes.fromhex("40003800010000000000" "0000") +
       bytes.fromhex("0100000005000000") + bytes(8) +
       (0x400000).to_bytes(8, "little") * 2 + (120 + len(CODE)).to_bytes(8, "little") * 2 +
       (0x1000).to_bytes(8, "little") + CODE)
KIT = ["f.r", "f.w", "f.m", "f.l", "f.u"]
OPS = ("read", "write", "exec")
FLOOR_HOME = (".bashrc", ".profile", ".config/fish")
FLOOR_PROJECT = (".vscode", ".envrc", ".git/hooks", ".git/config")


def put(path, data, mode=0o644):
    with open(path, "wb") as f:
        f.write(data)
    os.chmod(path, mode)


class World:
    """The tree: three tops (HOME, the project, another one), dirs, links."""

    def __init__(self, rng, bases, uid):
        self.rng, self.uid = rng, uid
        self.made = []          # what to remove
        home_base, project_base, other_base = (rng.choice(bases) for _ in range(3))
        self.home = self.top(home_base, "home")
        where = rng.random()
        self.project = (self.sub(self.home, "proj") if where < 0.4 else
                        self.top(project_base, "proj"))
        self.place = "below HOME" if where < 0.4 else os.path.dirname(project_base)
        self.other = self.top(other_base, "other")
        self.tops = [self.home, self.project, self.other]
        self.dirs, self.links = [], {}
        for top in self.tops:
            self.grow(top, 3 if top == self.project else 2)
        self.dirs = sorted(set(self.dirs))
        for d in self.dirs:
            self.kit(d)
        for _ in range(rng.randint(1, 3)):
            self.link()
        for top, names in ((self.home, FLOOR_HOME), (self.project, FLOOR_PROJECT)):
            for name in names:
                if rng.random() < 0.2:
                    path = os.path.join(top, name)
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    put(path, path.encode())
        if uid is not None:
            for top in self.made:
                for at, dirs, files in os.walk(top):
                    for n in [at] + [os.path.join(at, n) for n in dirs + files]:
                        os.lchown(n, uid, uid)

    def top(self, base, name):
        path = os.path.join(base, "w.%d" % len(self.made), name)
        os.makedirs(path)
        self.made.append(os.path.dirname(path))
        return path

    @staticmethod
    def sub(top, name):
        path = os.path.join(top, name)
        os.mkdir(path)
        return path

    def grow(self, at, depth):
        self.dirs.append(at)
        for name in "abc":
            if depth and len(self.dirs) < 14 and \
               self.rng.random() < (0.75 if name == "a" else 0.3):
                path = os.path.join(at, name)
                os.makedirs(path, exist_ok=True)
                self.grow(path, depth - 1)

    @staticmethod
    def kit(d):
        for name in KIT:
            path = os.path.join(d, name)
            put(path, path.encode())
        put(os.path.join(d, "x"), ELF, 0o755)
        os.mkdir(os.path.join(d, "d.e"))

    def link(self):
        at = os.path.join(self.rng.choice(self.dirs), "lnk%d" % len(self.links))
        to = self.rng.choice(self.dirs)
        if self.rng.random() < 0.2:
            to = os.path.join(to, "f.r")
        os.symlink(to if self.rng.random() < 0.6 else
                   os.path.relpath(to, os.path.dirname(at)), at)
        self.links[at] = to

    def snapshot(self):
        """path → (kind, mode, owner, content, mtime), and (dev:ino) → path."""
        found, ids = {}, {}
        for top in self.made:
            for at, dirs, files in os.walk(top):
                if at == self.home and ".local" in dirs:
                    dirs.remove(".local")  # polrun's own state: no policy says write there
                for path in [at] + [os.path.join(at, n) for n in files + dirs]:
                    st = os.lstat(path)
                    data = None
                    if stat.S_ISREG(st.st_mode):
                        with open(path, "rb") as f:
                            data = f.read()
                    elif stat.S_ISLNK(st.st_mode):
                        data = os.readlink(path).encode()
                    # a directory's time changes with its entries
                    when = st.st_mtime_ns if data is not None else 0
                    found[path] = (stat.S_IFMT(st.st_mode), stat.S_IMODE(st.st_mode),
                                   st.st_uid, data, when)
                    ids.setdefault("%d:%d" % (st.st_dev, st.st_ino), path)
        return found, ids

    def remove(self):
        for top in self.made:
            shutil.rmtree(top, ignore_errors=True)


class Policy:
    """Texts at several levels; `seen` counts the kinds of rules."""

    def __init__(self, rng, world, probes, seen, wild):
        self.rng, self.world, self.seen = rng, world, seen
        self.wild = wild        # patterns take reading and executing away as well
        self.std = rng.random() < 0.3
        self.absent = set()     # full paths that rules name and nobody made
        self.mounts = {}        # place → the tree's own name
        for i in range(rng.choice((0, 0, 1, 1, 2))):
            self.mounts["/pol-m%d" % i] = rng.choice(world.dirs)
        self.anywhere = rng.random() < 0.3
        levels = [lv for lv in ("managed", "managed-file", "user")
                  if rng.random() < 0.35]
        self.texts = {}
        # the widest ground first, or nothing would be there to be judged
        for lv in levels + ["project"]:
            self.texts[lv] = [self.statement(lv) for _ in range(rng.randint(1, 4))]
        ground = [self.ground() for _ in range(rng.randint(1, 3))]
        self.texts["project"] += ground
        said = {}
        for at, tree in self.mounts.items():
            said[at] = rng.choice(levels + ["project"])
            ops = rng.choice(("read", "read, write", "read, write", "read, exec",
                              "read, write, exec"))
            self.texts[said[at]].append(
                'mount "%s" at "%s" %s' % (self.own(tree), at, ops))
            seen["mount"] += 1
        if self.anywhere:
            seen["anywhere"] += 1
            self.texts["project"].append(rng.choice((
                'allow read "/"', 'allow read "/"', "otherwise read allow",
                'allow read "/" except "%s"' % self.spell(rng.choice(world.dirs)))))
        first = (levels + ["project"])[0]
        self.texts[first].append('allow read, exec "%s"' % probes)
        self.lock = first.startswith("managed") and rng.random() < 0.3
        if self.lock:
            self.texts[first] += [g for g in ground if rng.random() < 0.8]
            seen["locked"] += 1
            # what the lock takes away is no name of the run's
            self.mounts = {at: tree for at, tree in self.mounts.items()
                           if said[at] == first}
        if rng.random() < 0.3:
            self.texts["project"].append("otherwise %s %s" % (
                rng.choice(OPS[1:] if self.anywhere else OPS), rng.choice(("deny", "ask"))))

    # --- places -----------------------------------------------------------------

    def spell(self, path):
        """One of the names of a path: by a mount's place, by its own."""
        for at, tree in self.mounts.items():
            if (path == tree or path.startswith(tree + "/")) and self.rng.random() < 0.5:
                self.seen["spelled by a place"] += 1
                return at + path[len(tree):]
        return self.own(path)

    def own(self, path):
        """By a root that is above it."""
        roots = [(self.world.home, "${HOME}"), (self.world.project, "${PROJECT_DIR}")]
        fit = [n + path[len(r):] for r, n in roots
               if path == r or path.startswith(r + "/")]
        return self.rng.choice(fit + [path])

    def place(self):
        """A full path: a directory, a file, an absent name, through a link."""
        rng, w = self.rng, self.world
        d = rng.choice(w.dirs)
        kind = rng.random()
        if kind < 0.45:
            return d
        if kind < 0.65:
            return os.path.join(d, rng.choice(KIT + ["x", "d.e"]))
        if kind < 0.8:
            path = os.path.join(d, rng.choice(("no", "no/deep", "n.c", "n.d")))
            self.absent.add(path)
            self.seen["absent"] += 1
            return path
        if kind < 0.9 and w.links:
            at, to = rng.choice(sorted(w.links.items()))
            self.seen["link"] += 1
            below = [x[len(to):] for x in w.dirs if x == to or x.startswith(to + "/")]
            return at + rng.choice(below or [""]) + rng.choice(("", "/f.w", "/no"))
        path = rng.choice(("/tmp", "/tmp/a", "/tmp/a/no", "/dev/shm/a", "/var/tmp/a"))
        return path

    def text(self, path):
        if path.startswith("/tmp/") and not path.startswith("/tmp/pol-"):
            return "${TMPDIR}" + path[4:]
        return "${TMPDIR}" if path == "/tmp" else self.spell(path)

    def pattern(self, effect, ops):
        rng = self.rng
        path = self.place()
        writes = effect == "allow" or (effect != "hide" and ops == ["write"])
        if rng.random() < (0.5 if self.wild else 0.8) or not (writes or self.wild):
            if rng.random() < 0.1:
                d, name = os.path.split(self.text(path))
                if d not in ("", "/") and "$" not in name:
                    self.seen["braces"] += 1
                    return "%s/{%s,zz}" % (d, name)
            if rng.random() < 0.1 and path not in self.absent:
                return self.text(path) + "/**"
            return self.text(path)
        self.seen["wildcard of reading"] += not writes
        if effect != "allow" and rng.random() < 0.25:
            self.seen["any-depth"] += 1
            return rng.choice(("*.w", "f.u", "n.c", ".env*", "no/deep", "f.?"))
        self.seen["wildcard"] += 1
        return self.text(path) + rng.choice(("/*", "/*.w", "/**/f.m", "/?.c", "/**/x",
                                             "/*/f.w", "/n.*"))

    def add_patterns(self, rng):
        """What may be written, and what not, by names that may not be there yet: drawn
        apart, so that the rest of a seed's policy stays what it is."""
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            effect = rng.choice(("allow", "allow", "deny"))
            d = self.own(rng.choice(self.world.dirs)) + rng.choice(("", "", "", "/n.g", "/no"))
            path = d + rng.choice(("/*", "/*.w", "/**/f.*", "/**/*.w", "/**/n.*", "/{f,n}.?",
                                   "/*/f.w", "/**/x", "/**/no/*", "/n.g/**/[fn].*"))
            if effect == "deny" and rng.random() < 0.4:
                path = rng.choice(("*.w", "n.c", ".env*", "no/deep", "f.?", "n.g/*"))
            self.seen["write by a pattern"] += 1
            self.texts[rng.choice(list(self.texts))].append('%s write "%s"' % (effect, path))
            if effect == "allow" and rng.random() < 0.7:
                self.texts["project"].append('allow read "%s"' % self.own(rng.choice(self.world.tops)))

    # --- statements ---------------------------------------------------------------

    def ground(self):
        rng, w = self.rng, self.world
        ops = rng.choice((["read"], ["read", "write"], ["read", "write"],
                          ["read", "write", "exec"], ["read", "exec"]))
        if rng.random() < 0.3:
            # one inside of another: what one gives, the other does not
            d = rng.choice([x for x in w.dirs if x != w.home])
            return 'allow read "%s"\n\tallow %s "%s"' % (
                self.spell(os.path.dirname(d) if d not in w.tops else d),
                ", ".join(ops), self.spell(d))
        top = rng.choice([w.project, w.project, w.project, w.other, w.other, w.home,
                          rng.choice(w.dirs)])
        return 'allow %s "%s"' % (", ".join(ops), self.spell(top))

    def options(self, effect, ops):
        out = ""
        if self.rng.random() < 0.2:
            self.seen["except"] += 1
            path = self.text(self.place())
            if self.rng.random() < 0.2:
                path += self.rng.choice(("/*", "/*.w"))
            out += ' except "%s"' % path
        return out

    def statement(self, level):
        rng = self.rng
        kind = rng.random()
        if kind < 0.15:
            self.seen["scratch rule"] += 1
            path = rng.choice(("${TMPDIR}", "${HOME}", "/dev/shm",
                               self.spell(rng.choice(self.world.dirs))))
            return 'scratch "%s"' % path
        effect = ("allow" if kind < 0.45 else "hide" if kind < 0.6 else
                  "ask" if kind < 0.65 else "deny")
        ops = rng.choice((["read"], ["write"], ["write"], ["exec"], ["read", "write"],
                          ["read", "write", "exec"], ["read", "exec"]))
        if effect == "deny" and rng.random() < 0.5:
            ops = ["write"]
        self.seen[effect] += 1
        words = [effect]
        if level.startswith("managed") and effect != "ask" and rng.random() < 0.25:
            self.seen["final"] += 1
            words = ["final"] + words
        if effect != "hide":
            words.append(", ".join(ops))
        pats = [self.pattern(effect, ops) for _ in range(rng.choice((1, 1, 1, 2)))]
        return " ".join(words) + " " + ", ".join('"%s"' % p for p in pats) + \
            self.options(effect, ops)

    def write(self, at):
        """The files of the policy, and the options that name them."""
        args = []
        for lv, stmts in self.texts.items():
            path = os.path.join(at, lv + ".pol")
            head = "" if self.std or lv != "project" else "policy t { base none }\n"
            lock = "locked " if self.lock and stmts is next(iter(self.texts.values())) \
                else ""
            with open(path, "w") as f:
                f.write(head + ("command { otherwise allow }\n" if lv == "project" else "")
                        + lock + "file {\n\t" + "\n\t".join(stmts) + "\n}\n")
            args += ["--" + lv, path]
        return args
