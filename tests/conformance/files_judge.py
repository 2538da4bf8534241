"""What a request may and must do, from the decisions and what polrun reports.

Two questions about each answer of the kernel.  It let something through: then
every decision that the operation needs is an allow (but for what is reported
as under and entry only).  It refused what is allowed: then one of the reasons
that doc/semantics.md calls over holds, and polc or polrun named it.
"""
import os
import re
import subprocess

NAME_OPS = {"create", "mkdir", "symlink", "mkfifo", "unlink", "rmdir", "rename", "link",
            "exchange"}
TWO = {"rename", "link", "exchange"}
NEW_OPS = {"create", "mkdir", "symlink", "mkfifo"}
VERBS = NAME_OPS | {"read", "list", "exec", "map", "write", "append", "truncate", "chmod",
                    "utime", "setxattr"}
NEEDS = {"read": "read", "list": "read", "exec": "exec", "map": "exec"}


# Names of which patterns speak.
SAMPLES = ("f.r", "f.w", "f.m", "f.l", "f.u", "x", "d.e", "n.c", "n.d", "n.x", "z.c", "no",
           "no/deep", "no/f.w", ".env", ".envrc", "n.g/f.w")


def below(path, top):
    return path.startswith(top + "/")


def at(path, top):
    return path == top or below(path, top)


class Rule:
    def __init__(self, words):
        self.level, self.effect, ops, self.flag, self.shape, line, self.id = words
        self.ops = [o for i, o in enumerate(("read", "write", "exec"))
                    if int(ops) >> i & 1]
        self.line, self.places, self.notes = int(line), [], []
        self.excepts = set()    # those of the places that are its exceptions


class Oracle:
    """tests/conformance/file_oracle, asked as decisions are wanted."""

    def __init__(self, exe, args, roots):
        self.p = subprocess.Popen([exe] + args + ["file", "read", "/"], text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.rules, self.known = {}, {}
        for line in self.p.stdout:
            words = line.rstrip("\n").split(" ")
            if words[0] == "rule":
                self.rules[int(words[1])] = Rule(words[2:9])
            elif words[0] in ("place", "except") and (words[2] == "/" or
                                                      words[2] in roots):
                root = "" if words[2] == "/" else roots[words[2]]
                rule, place = self.rules[int(words[1])], root + words[3] or "/"
                rule.places.append(place)
                if words[0] == "except":
                    rule.excepts.add(place)
            elif words[0] == "note":
                self.rules[int(words[1])].notes.append((words[2], " ".join(words[3:])))
            elif words[0] == "end":
                break

    def ask(self, op, path):
        """(effect, rule or -1, only the run's own, matched rules)"""
        key = (op, path)
        if key not in self.known:
            self.p.stdin.write("%s %s\n" % key)
            self.p.stdin.flush()
            w = self.p.stdout.readline().split()
            if len(w) != 4:
                raise RuntimeError("the oracle has no answer for %s %s" % key)
            self.known[key] = (w[0], int(w[1]), w[2] == "1",
                               [] if w[3] == "-" else [int(n) for n in w[3].split(",")])
        return self.known[key]

    def close(self):
        self.p.stdin.close()
        self.p.wait()
        self.p.stdout.close()


class Plan:
    """The files of `polrun --plan`: path → words, and what may appear."""

    def __init__(self, text):
        self.nodes, self.ro, self.may, self.absent = {}, {}, set(), set()
        part = text.split("\nfiles\n", 1)[-1].split("\nlimits\n", 1)[0]
        group = None
        for line in part.split("\n"):
            m = re.match(r"  (\S.*?) +absent below (/\S*)", line)
            if m:
                group = (m[1], "" if m[2] == "/" else m[2])
                continue
            m = re.match(r"  (\S.*?) +(/\S*)(.*)$", line)
            if m:
                group = None
                self.nodes[m[2]] = m[1]
                by = re.search(r"read-only because of rule (\S+) at (\S+):(\d+)", m[3])
                if by:
                    self.ro[m[2]] = (by[1], int(by[3]))
            elif group and line.startswith("   "):
                for name in line.split():
                    path = group[1] + "/" + name
                    (self.may if group[0] == "may appear" else self.absent).add(path)
                    if group[0] != "may appear":
                        self.nodes[path] = group[0]

    def above(self, path):
        best = ""
        for n in self.nodes:
            if at(path, n) and len(n) > len(best):
                best = n
        return best


class Judge:
    def __init__(self, world, oracle, plan, start, ids, seen):
        self.w, self.o, self.plan, self.seen = world, oracle, plan, seen
        self.start = start
        self.ids = ids
        self.alias = []         # (a rule's place, what it is, an allow follows it, rule)
        self.linked = set()     # rules whose place goes through a link
        self.kept = set()       # links on the way of rules that restrict
        for n, r in oracle.rules.items():
            for place in r.places:
                self.walk(n, r, place)

    # --- links ----------------------------------------------------------------------

    def foreign(self, path):
        """Nobody inside of any run can have made the link."""
        effect, _, own, _ = self.o.ask("write", path)
        if at(path, self.w.project) or (effect == "allow" and not own):
            return False
        for r in self.o.rules.values():
            if r.effect == "allow" and "write" in r.ops and r.flag != "s" and \
               r.shape == "literal" and any(
                   at(path, p) and p not in r.excepts and
                   self.o.ask("write", p)[0] == "allow" for p in r.places):
                return False
        return not own or any(at(path, d) for d in self.private())

    def private(self):
        """What every run has of its own."""
        return ["/tmp", "/var/tmp", "/dev/shm"] + \
            ([self.w.home] if self.own_home() or not self.anywhere() else [])

    def walk(self, n, rule, place):
        follow = (rule.effect == "allow") != (place in rule.excepts)
        done, rest, hops = "", place.strip("/").split("/"), 0
        while rest and hops < 40:
            step = rest.pop(0)
            if step in ("", "."):
                continue
            if step == "..":
                done = os.path.dirname(done)
                continue
            done += "/" + step
            if done not in self.w.links:
                continue
            hops += 1
            if (rule.effect == "allow") == (place in rule.excepts):
                self.kept.add(done)
            follow = follow and self.foreign(done)
            to = self.w.links[done]
            rest = to.strip("/").split("/") + rest
            done = "" if to.startswith("/") else os.path.dirname(done)
        if hops:
            self.linked.add(n)
            self.alias.append((place, done or "/", follow, n))

    # --- decisions ------------------------------------------------------------------

    def effective(self, op, path, host=True):
        """(allowed, rules that say so): every name of the object counts."""
        effect, rule, own, _ = self.o.ask(op, path)
        allowed = effect == "allow" and not (own and host)
        denied = effect != "allow" and rule >= 0
        by = [rule]
        for link, real, follow, n in self.alias if host else ():
            if not at(path, real):
                continue
            effect, rule, own, matched = self.o.ask(op, link + path[len(real):])
            if n not in matched:
                continue
            if effect != "allow" and rule >= 0:
                # it binds the target where its own path goes through the link
                if self.o.rules[n].effect != "allow":
                    denied, by = True, by + [rule]
            elif effect == "allow" and follow and not own:
                allowed, by = True, by + [rule]
        return allowed and not denied, by

    def is_under(self, op, path, by):
        """Reported: a floor's name that is absent at the start."""
        return op == "write" and any(at(path, p) for p in self.plan.may) and \
            all(n >= 0 and self.o.rules[n].flag == "f" for n in by)

    def is_entry_only(self, verb, op, path, by, host):
        """Reported: loaded by the dynamic linker."""
        return host and by[0] >= 0 and verb == "map" and op == "exec" and any(
            "linker" in text for n in by if n >= 0
            for x, text in self.o.rules[n].notes if x == "entry")

    def is_own_after_all(self, path):
        """In a scratch tree, below what an allow names and the host does not have."""
        named = any(at(path, p) and not self.host_may_have(p, path)
                    for r in self.o.rules.values() for p in r.places
                    if r.effect == "allow" and r.flag != "s" and r.shape == "literal")
        return named and any(at(path, p) for r in self.o.rules.values()
                             for p in r.places if r.flag == "s")

    def is_librarys_alone(self, op, path):
        """In a scratch tree, and only std/base and the floor deny it: they mean the host's."""
        against = [r for r in (self.o.rules[n] for n in self.o.ask(op, path)[3] if n >= 0)
                   if r.effect != "allow"]
        return bool(against) and all(r.level == "default" for r in against) and \
            any(at(path, p) for r in self.o.rules.values() for p in r.places if r.flag == "s")

    def host_may_have(self, place, path):
        """Is there something at the place, which `path` could lie below?"""
        kind = self.start.get(os.path.realpath(place), (0,))[0]
        return kind == 0o040000 or (kind != 0 and path == place)

    def shape(self, n):
        return self.o.rules[n].shape if n >= 0 else ""

    # --- what it touches ----------------------------------------------------------------

    def needs(self, verb, paths, model):
        """(op, path) of each decision that the operation needs."""
        if verb in NEEDS:
            out = [(NEEDS[verb], paths[0])]
            return out + ([("read", paths[0])] if verb == "map" else [])
        out = [("write", p) for p in paths]
        if verb == "rename":
            a, b = paths
            # a name that is absent stays where it is, and is not made there
            inner = sorted(p for p in model if below(p, a))
            out += [("write", p) for p in inner]
            out += [("write", b + p[len(a):]) for p in inner]
        return out

    # --- stricter --------------------------------------------------------------------------

    def opens(self, op, path):
        """Does an allow at or above it name something that exists?  One with a wildcard
        opens nothing for reading, and for writing what it says."""
        names = [path] + [l + path[len(r):] for l, r, f, _ in self.alias
                          if f and at(path, r)]
        for name in names:
            if self.o.ask(op, name)[:2] == ("allow", -1) and self.shows_root(name):
                return True     # by otherwise
            for n in self.o.ask(op, name)[3]:
                r = self.o.rules[n]
                if r.effect != "allow" or r.flag == "s":
                    continue
                if r.shape == "literal" and \
                   any(at(name, p) and self.shows(p, name) for p in r.places):
                    return True
                if r.shape == "wild" and op == "write" and \
                   any(x == "exact" for x, _ in r.notes) and \
                   any(at(name, p) and self.shows(self.nearest(p), name) for p in r.places):
                    self.seen["written by a wildcard's rule"] += 1
                    return True
        return False

    def is_reached(self, path):
        """Is it shown with its directory, or is there a rule that opens it below one that is
        not?  Only names that are there are opened, and by no wildcard."""
        while path != "/":
            if path in self.start and any(
                    path in r.places and r.flag != "s" and
                    (r.effect == "allow") != (path in r.excepts)
                    for r in self.o.rules.values() if r.shape == "literal"):
                return True
            path = os.path.dirname(path)
            if path in self.start and not self.effective("read", path)[0]:
                return False
        return True

    def by_root(self, path, by):
        """Is it the allow of all of the host, or `otherwise`, that lets it be read?"""
        n = by[-1]
        return n < 0 or (self.o.rules[n].effect == "allow" and
                         "/" in self.o.rules[n].places)

    def shows_root(self, name):
        """Of the host's root, and not of what lies over it."""
        roots = [self.w.project] + ([] if self.own_home() else [self.w.home])
        return any(at(name, d) for d in roots) or not any(
            at(name, d) for d in ("/tmp", "/var/tmp", "/dev", "/proc", "/sys", "/run"))

    def own_home(self):
        return self.plan.nodes.get(self.w.home) in ("scratch", "empty")

    def anywhere(self):
        return self.o.ask("read", "/")[0] == "allow" and \
            self.o.ask("read", "/.\x01")[0] == "allow"

    def shows(self, place, name):
        """Is the host's object there?  Not below what is private in every run."""
        if place == "/":
            return self.shows_root(name)
        real = os.path.realpath(place)
        return real in self.start and not any(at(d, real) and at(name, d)
                                              for d in self.private())

    def nearest(self, place):
        """The directory at or above it that was there at the start."""
        while place and os.path.realpath(place) not in self.start:
            place = os.path.dirname(place) if place != "/" else ""
        return place or "/"

    def reported(self, n):
        return any(x == "over" or "(over)" in text
                   for x, text in self.o.rules[n].notes)

    def forced(self, path):
        """The reason why polrun made the tree of `path` read-only, if it may."""
        node = self.plan.above(path)
        if node not in self.plan.ro:
            return None
        id_, line = self.plan.ro[node]
        for n, r in self.o.rules.items():
            if (r.id, r.line) != (id_, line):
                continue
            if path == node and r.shape != "literal" and self.start.get(path, (0,))[0] == 0o100000:
                return "a single file, where a wildcard denies"
            if not self.reported(n):
                continue
            linked = n in self.linked
            if r.shape != "literal" or linked or \
               any(p not in self.start for p in r.places):
                return r.shape if r.shape != "literal" else \
                    "link" if linked else "absent"
        return None

    def not_started(self, path):
        """What must not be executed is not made where what is written can be."""
        ok, by = self.effective("exec", path)
        if ok or "exec" not in self.plan.nodes.get(self.plan.above(path), ""):
            return False
        return any(
            "not made" in text and (x == "over" or "(over)" in text)
            for n, r in self.o.rules.items()
            if n in by or any(at(path, p) for p in r.excepts if r.effect == "allow")
            for x, text in r.notes)

    def renamed(self, op, path):
        """A link on the way of a deny gives the object another name, and what is denied
        by that name is denied for the object."""
        for link, real, _, by in self.alias:
            effect, n, _, _ = self.o.ask(op, link + path[len(real):]) \
                if at(path, real) else ("allow", -1, 0, 0)
            if effect != "allow" and n >= 0 and \
               (self.reported(n) or self.o.rules[by].effect != "allow" or
                link in self.o.rules[by].excepts):
                return True
        return False

    def shadowed(self, path):
        """A scratch rule below an allow: what the host has there is not shown."""
        for n, r in self.o.rules.items():
            for p in r.places if r.flag == "s" and self.reported(n) else ():
                if at(path, p) and self.plan.nodes.get(p) in ("scratch", "empty") and \
                   not any(below(q, p) and at(path, q) for x in self.o.rules.values()
                           for q in x.places if q not in x.excepts and x.effect == "allow" and x.flag != "s"
                           and x.shape == "literal"):
                    return True
        return False

    # --- links of the run's own ------------------------------------------------------------

    def led(self, verb, paths, model, text):
        """(name, text) of each link that would get a name."""
        if verb == "symlink":
            return [(paths[0], text)]
        if verb != "rename":
            return []
        a, b = paths
        return [(b + p[len(a):], (m[3] or b"to").decode())
                for p, m in model.items() if at(p, a) and m[0] == 0o120000]

    def gives_away(self, link, text):
        """Is a name denied below the link that is not denied below its target?"""
        known = not re.search(r"[^/.][^/]*/+\.\.(/|$)", text)
        to = os.path.normpath(os.path.join(os.path.dirname(link), text)) if known else None
        places = [p for r in self.o.rules.values() for p in r.places]
        # also what only an exception gives back below the one of the two
        tails = [""] + [p[len(t):] for t in (to, link) if t for p in self.w.dirs + places
                        if below(p, t)] + ["/q", "/q/n.g"]
        names = tails[1:-2] + [t + "/" + n for t in tails for n in SAMPLES]
        for name in names:
            effect, rule, _, _ = self.o.ask("write", link + name)
            if effect != "allow" and rule >= 0 and \
               (not to or self.o.ask("write", to + name)[0] == "allow"):
                return True
        return False

    def led_from_denied(self, path):
        """Does a link at a name that must not be written lead to the path, or above it?  Then the run
        would write by another name what the rule keeps; polrun names the link."""
        for link, text in self.w.links.items():
            real = os.path.realpath(os.path.join(os.path.dirname(link), text))
            if at(path, real) and not self.effective("write", link + path[len(real):])[0]:
                return True
        return False

    def why_stricter(self, verb, paths, model, errno, text):
        """The name of the reason for which an allowed operation may fail."""
        for op, path in self.needs(verb, paths, model):
            if op == "write" and path in self.kept:
                return "a link on the way of a rule"
            if op == "write" and self.led_from_denied(path):
                return "a link in a directory that must not be written"
            # what must not be read is masked
            if self.renamed(op, path) or self.renamed("read", path):
                return "a denial under a link's name"
            if self.shadowed(path):
                return "a scratch tree over the host's"
            if any(r.effect != "allow" and any(at(path, p) for p in r.places) and
                   any(x == "over" and "exception" in text for x, text in r.notes)
                   for r in self.o.rules.values()):
                return "an exception by a wildcard"
            # what is hidden is not mounted, and nothing in it is opened later
            if any(r.effect != "allow" and (self.reported(n) or "read" in r.ops) and
                   p not in self.start and at(path, p)
                   for n, r in self.o.rules.items() for p in r.excepts):
                return "an exception of an absent name"
            # a link at a name that a rule reaches through another link
            if verb == "symlink" and any(at(path, real) for _, real, _, _ in self.alias):
                return "a denial under a link's name"
            if op == "write" and self.not_started(path):
                return "a name that is not to be executed"
            if op == "write" and self.forced(path):
                return "read-only by " + self.forced(path)
            if op != "read" and not self.effective("read", path)[0]:
                return "nothing lets it be read"
            if not self.opens(op, path) or not self.is_reached(path):
                return "allow by a wildcard or of an absent name"
            if op != "read" and not self.opens("read", path):
                return "allow by a wildcard or of an absent name"
        if errno == "EACCES" and any(self.gives_away(*l)
                                     for l in self.led(verb, paths, model, text)):
            return "a link that gives a denied name away"
        # of such a link more names are told apart than one question looks at (DECIDE_LINK_PAIRS)
        if errno == "EACCES" and any(to and below(self.w.project, to) for _, to in
                                     self.led(verb, paths, model, text)):
            return "a link to a directory above the project"
        if verb in NAME_OPS:
            if any(at(x, p) for n in self.plan.nodes for x in (n, self.tree_name(n))
                   for p in paths):
                return "a mounted name"
            if verb in TWO and errno == "EXDEV" and \
               self.plan.above(paths[0]) != self.plan.above(paths[1]):
                return "two trees"
        return None
