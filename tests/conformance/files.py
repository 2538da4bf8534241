#!/usr/bin/env python3
"""Files against the kernel: the law L5 on random policies.

usage: files.py BIN PROBES WORK RUNS SECONDS SEED [plain].  For each run a random tree
and a random policy; polc compiles it, polrun runs a probe that tries each
operation everywhere, and each answer is compared with the decision, with what
polc reports about the deciding rule, and with what the host looks like later.
Ends with tables of what occurred and of what became of each operation: let through,
denied by the decisions, refused although they allow it (over, for a reported reason),
or of its own (it fails on the bare host, too, or names nothing).  1 where something
differs or never occurred.
"plain": as seeds before 21 drew it, with fewer patterns and requests.
"""
import atexit
import collections
import os
import random
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from files_judge import NAME_OPS, NEW_OPS, TWO, VERBS, Judge, Oracle, Plan, at, below  # noqa: E402
from files_requests import requests  # noqa: E402
from files_world import KIT, Policy, World  # noqa: E402

BIN, PROBES, WORK = sys.argv[1:4]
RUNS, SECONDS, SEED = int(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6])
PLAIN = "plain" in sys.argv[7:]
OUTSIDE = "/srv"
# What a set of runs has to have met (doc/semantics.md, "Files"; 06, "Layers").
NODES = ["allowed tree", "tree by names", "ro below rw", "rw below ro", "exec below noexec", "mask dir",
         "mask file", "pin", "absent", "wildcard", "any-depth", "scratch", "link",
         "made and locked", "project below HOME", "project below /tmp", "final",
         "locked", "except", "hide", "deny", "ask", "let through", "refused",
         "mount", "spelled by a place", "let through at a place", "refused at a place",
         "anywhere", "read by anywhere alone", "write by a pattern", "let write by a pattern",
         "denied by a pattern", "wildcard of reading"]
seen = collections.Counter()
verbs = collections.defaultdict(collections.Counter)    # verb → what became of its requests


class Differs(Exception):
    pass


def probe(args, reqs):
    text = "".join("\t".join(x for x in r if x) + "\n" for r in reqs)
    r = subprocess.run(args, input=text, text=True, capture_output=True)
    answers, cur = [], None
    for line in r.stdout.split("\n"):
        if line.startswith("= "):
            ids, *reals = line[2:].split("\t")
            cur = [(ids.split(), reals), []]
            answers.append(cur)
        elif cur is not None and line:
            cur[1].append(line)
    return r, [(objects, lines[:-1], lines[-1]) for objects, lines in answers]


class Run:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.seed = seed
        self.as_root = os.getuid() == 0
        bases = [WORK, WORK, "/tmp/pol-conf.%d" % os.getpid(),
                 "/tmp/pol-conf.%d" % os.getpid()]
        # memory is quick; before 6.3 its trees cannot be mapped for root's runs
        if not self.as_root or tuple(int(n) for n in re.findall(
                r"\d+", os.uname().release)[:2]) >= (6, 3):
            bases += ["/dev/shm/pol-conf.%d" % os.getpid()] * 6
        if os.access(OUTSIDE, os.W_OK):
            bases += [OUTSIDE + "/pol-conf.%d" % os.getpid()] * 2
        for b in bases:
            os.makedirs(b, exist_ok=True)
        self.w = World(self.rng, bases, None)
        self.dir = os.path.join(WORK, "policy")
        os.makedirs(self.dir, exist_ok=True)

    def fail(self, what):
        raise Differs(what)

    def go(self):
        w = self.w
        # drawn apart: what a number draws stays as it is
        wild = random.Random("reads %d" % self.seed).random() < 0.5
        self.p = Policy(self.rng, w, PROBES, seen, wild)
        if not PLAIN:
            self.p.add_patterns(random.Random("patterns %d" % self.seed))
        args = self.p.write(self.dir)
        polb = self.dir + "/p.polb"
        r = subprocess.run([BIN + "/polc", "compile"] + args + ["-o", polb], text=True,
                           capture_output=True)
        if r.returncode == 1 and "error" in r.stderr:
            seen["refused by polc"] += 1
            return
        if r.returncode != 0:
            self.fail("polc ends with %d: %s" % (r.returncode, r.stderr[-2000:]))
        # where answers are remembered is made by the run, and is none of the tree's
        state = self.dir + "/state"
        env = {"HOME": w.home, "PATH": "/usr/bin:/bin", "XDG_STATE_HOME": state,
               "XDG_CACHE_HOME": state, "XDG_CONFIG_HOME": state}
        run = [BIN + "/polrun", "-y", "-b", polb, "--project", w.project]
        kw = dict(text=True, capture_output=True, env=env, cwd=PROBES)
        plan = subprocess.run(run + ["--plan", PROBES + "/file_probe", "batch"], **kw)
        if plan.returncode == 125:
            self.refusal(plan.stderr)
            return
        if plan.returncode not in (0, 126):
            self.fail("--plan ends with %d: %s" % (plan.returncode, plan.stderr[-1500:]))
        self.plan = Plan(plan.stdout)
        roots = {"HOME": w.home, "PROJECT_DIR": w.project, "TMPDIR": "/tmp"}
        named = ["--root", "HOME=" + w.home, "--root", "PROJECT_DIR=" + w.project,
                 "--root", "TMPDIR=/tmp"]
        oracle = Oracle(BIN + "/file_oracle", named + args, roots)
        try:
            self.start, ids = w.snapshot()
            self.model = dict(self.start)
            self.judge = Judge(w, oracle, self.plan, self.start, ids, seen)
            self.judge.tree_name = self.own_name
            reqs = requests(w, self.p, self.rng, PLAIN)
            seen["requests"] += len(reqs)
            os.chdir(PROBES)
            os.environ["HOME"] = w.home
            for name in ("STATE", "CACHE", "CONFIG"):
                os.environ[f"XDG_{name}_HOME"] = state
            r, answers = probe(run + ["--", PROBES + "/file_probe", "batch"], reqs)
            if len(answers) != len(reqs):
                self.fail("%d of %d answers, exit %d: %s" % (
                    len(answers), len(reqs), r.returncode, r.stderr[-1500:]))
            self.made = set()
            for req, answer in zip(reqs, answers):
                self.req = req
                self.one(req, answer)
            self.req = ("the host afterwards",)
            self.compare(r.stderr)
            self.count()
        finally:
            oracle.close()

    # --- one answer -----------------------------------------------------------------

    def host_path(self, path, inside, dir_id, obj_id, verb):
        """The host's path of what a request is about, or None: the run's own."""
        ids, dirname = self.judge.ids, os.path.dirname(inside)
        if verb in NAME_OPS:
            if dir_id in ids:
                return os.path.join(ids[dir_id], os.path.basename(path))
            return inside if dirname in self.model and dirname not in self.start else None
        if obj_id in ids:
            return ids[obj_id]
        return inside if inside in self.model and inside not in self.start else None

    def inside(self, path, real_dir, real, verb):
        """What the run calls it without links: those that it sees, not the host's."""
        if verb not in NAME_OPS and real != "-":
            return self.own_name(real)
        if real_dir == "-":
            return self.own_name(path)
        return self.own_name(os.path.join(real_dir, os.path.basename(path)))

    def own_name(self, path):
        """What is below the place of a mount is what is below its tree."""
        for place, tree in self.p.mounts.items():
            if at(path, place):
                return tree + path[len(place):]
        return path

    def one(self, req, answer):
        verb, path, other = req
        (ids, reals), lines, result = answer
        paths = [path] + ([other] if verb in TWO else [])
        self.real = [self.inside(p, reals[2 * i], reals[2 * i + 1], verb)
                     for i, p in enumerate(paths)]
        host = [self.host_path(p, self.real[i], ids[2 * i], ids[2 * i + 1], verb)
                for i, p in enumerate(paths)]
        seen["let through" if result == "OK" else "refused"] += 1
        if self.own_name(path) != path:
            seen["%s at a place" % ("let through" if result == "OK" else "refused")] += 1
        if result == "OK":
            verbs[verb]["let through"] += 1
            self.let_through(verb, paths, host, lines)
            self.apply(verb, host)
        else:
            verbs[verb][self.refused(verb, paths, host, ids, result)] += 1

    def let_through(self, verb, paths, host, lines):
        j = self.judge
        if verb == "list" and host[0] is None:
            self.leaks(self.real[0], lines)
            return
        where = [h or r for h, r in zip(host, self.real)]
        for op, p in j.needs(verb, where, self.model):
            of_host = any(host) and not (verb in TWO and
                                         host[0 if at(p, where[0]) else -1] is None)
            ok, by = j.effective(op, p, of_host)
            if ok or (host[0] is None and j.effective(op, paths[0], False)[0]):
                seen["read by anywhere alone"] += op == "read" and j.by_root(p, by)
                seen["let write by a pattern"] += op == "write" and j.shape(by[-1]) == "wild"
                continue
            if not of_host and by == [-1] and j.is_own_after_all(p):
                seen["own after all"] += 1
                continue
            if not of_host and j.is_librarys_alone(op, p):
                seen["kept by the library alone"] += 1
                continue
            if j.is_under(op, p, by):
                seen["under"] += 1
            elif j.is_entry_only(verb, op, p, by, of_host):
                seen["entry only"] += 1
            elif verb == "rename" and p in j.plan.may:
                seen["under"] += 1
            else:
                self.fail("weaker: the kernel lets it through; %s of %s%s is denied by "
                          "%s" % (op, p, "" if of_host else " (own)",
                                  [self.name(n) for n in by]))
        if verb == "read" and lines and host[0] and lines[0].startswith("/") and \
           lines[0] != host[0]:
            self.fail("weaker: it read %s" % lines[0])

    def leaks(self, d, names):
        """An own directory shows what was made in it, and ways to the view."""
        own = any(below(n, d) for n in self.plan.nodes)
        if self.judge.effective("read", d, not own)[0]:
            return
        for n in names:
            p = (d if d != "/" else "") + "/" + n
            if p in self.made or any(at(x, p) for x in self.plan.nodes) or \
               p in self.w.links or d == "/" or \
               any(at(l, p) for l in self.w.links):
                continue
            self.fail("weaker: the list of %s shows %s" % (d, n))

    def refused(self, verb, paths, host, ids, result):
        """What became of it: "denied", "over", or "of its own": it fails everywhere."""
        j = self.judge
        paths = [self.own_name(p) for p in paths]
        if result == "EEXIST" and verb in NEW_OPS and self.real[0] in self.made or \
           result in ("ENOTSUP", "EOPNOTSUPP"):
            return "of its own"
        if any(h is None for h in host):
            # does the request name what the run would see of the host?
            if verb in NEW_OPS and ids[0] != "-" and paths[0] not in self.made and \
               result not in ("EEXIST", "ENOTDIR") and \
               os.path.dirname(paths[0]) not in self.start:
                return self.own(verb, paths[0], result)
            if not all(self.exists(verb, p, i) for i, p in enumerate(paths)):
                return "of its own"
            host = paths
            if any(os.path.realpath(os.path.dirname(p)) != os.path.dirname(p)
                   for p in host):
                return "of its own"
        elif not all(self.exists(verb, p, i) for i, p in enumerate(host)):
            return "of its own"
        if verb == "rename" and self.is_dir(host[0]) and at(host[1], host[0]):
            return "of its own"
        for op, p in j.needs(verb, host, self.model):
            ok, by = j.effective(op, p)
            if not ok:
                seen["denied"] += 1
                seen["denied by a pattern"] += op == "write" and \
                    j.shape(by[-1]) in ("wild", "any")
                return "denied"
        why = j.why_stricter(verb, host, self.model, result, self.req[2])
        if not why:
            self.fail("stricter without a reported reason: %s, every decision is allow"
                      % result)
        seen["over: " + why] += 1
        return "over"

    def own(self, verb, path, result):
        ok, by = self.judge.effective("write", path, False)
        # what may not be read or executed is not made where names are decided
        ok = ok and all(self.judge.effective(op, path, False)[0] for op in ("read", "exec"))
        node = self.plan.above(path)
        if ok and not self.judge.forced(path) and path not in self.plan.nodes and \
           "scratch" in self.plan.nodes.get(node, ""):
            self.fail("stricter without a reported reason: %s in the run's own tree"
                      % result)
        return "over" if ok else "denied"

    def is_dir(self, p):
        return p in self.model and self.model[p][0] == 0o040000

    def exists(self, verb, p, i):
        """Would the request work on the bare host?"""
        if verb in NEW_OPS or (i == 1 and verb != "exchange"):
            return self.is_dir(os.path.dirname(p)) and p not in self.model
        if p not in self.model or self.model[p][0] == 0o120000:
            return False
        if verb == "rmdir":
            return self.is_dir(p) and not any(below(q, p) for q in self.model)
        if verb in ("rename", "exchange"):
            return True
        return (verb == "list") == self.is_dir(p)

    # --- what the host should look like -------------------------------------------------

    def apply(self, verb, host):
        m, p = self.model, host[0]
        if verb in NEW_OPS or verb in ("link", "rename"):
            self.made.add(self.real[-1])
        if verb in ("rename", "exchange"):
            if host[0] is None and host[1] is None:
                return
            if (host[0] is None) != (host[1] is None):
                self.fail("weaker: a move between the host and the run's own tree")
        if verb == "exchange":
            a, b = host
            m[a], m[b] = m[b], m[a]
            for i, q in self.judge.ids.items():
                self.judge.ids[i] = b if q == a else a if q == b else q
            return
        if verb == "rename":
            for q in [q for q in m if at(q, host[0])]:
                m[host[1] + q[len(host[0]):]] = m.pop(q)
            for i, q in self.judge.ids.items():
                if at(q, host[0]):
                    self.judge.ids[i] = host[1] + q[len(host[0]):]
            return
        if p is None:
            return
        kinds = {"create": 0o100000, "mkdir": 0o040000, "symlink": 0o120000,
                 "mkfifo": 0o010000}
        if verb in kinds:
            m[p] = (kinds[verb], None, None, None, None)
        elif verb in ("unlink", "rmdir"):
            m.pop(p, None)
            # its inode may be given to something new
            for i in [i for i, q in self.judge.ids.items() if q == p]:
                del self.judge.ids[i]
        elif verb == "link":
            m[host[1]] = m[p]
        elif p in m and verb in ("write", "truncate", "chmod", "utime"):
            kind, mode, uid, data, when = m[p]
            if verb == "write":
                data = b"X" + data[1:]
            if verb == "truncate":
                data = b""
            m[p] = (kind, 0o640 if verb == "chmod" else mode, uid, data,
                    when if verb == "chmod" else None)

    def compare(self, stderr):
        now, _ = self.w.snapshot()
        for p in sorted(set(now) | set(self.model)):
            if p not in now:
                self.fail("the host has lost %s" % p)
            if p not in self.model:
                self.fail("the host has got %s" % p)
            for want, have, what in zip(self.model[p], now[p],
                                        ("kind", "mode", "owner", "content", "time")):
                if want is not None and want != have:
                    self.fail("%s of %s is %r, not %r" % (what, p, have, want))
            if now[p][2] != os.getuid():
                self.fail("the owner of %s is %d" % (p, now[p][2]))
        for d in ("/tmp", "/dev/shm", "/var/tmp"):
            for n in KIT + ["n.c", "n.d", "n.m", "a", "n.s", "n.f"]:
                if os.path.lexists(d + "/" + n):
                    self.fail("the host has got %s/%s" % (d, n))
        for p in self.plan.may:
            if p in now and p not in self.start and p not in stderr:
                self.fail("polrun does not name %s, which has appeared" % p)

    # --- words -----------------------------------------------------------------------------

    def name(self, n):
        r = self.judge.o.rules.get(n)
        return "otherwise" if r is None else "%s %s at line %d (%s)" % (
            r.level, r.id, r.line, r.notes)

    def refusal(self, text):
        for known in ("the mount at", "scratch", "lies in a tree of the host", "project", "idmap"):
            if known in text:
                seen["refused by polrun: " + known] += 1
                return
        self.fail("polrun refuses: " + text)

    def count(self):
        plan = self.plan
        where = {"project below HOME": below(self.w.project, self.w.home),
                 "project below /tmp": at(self.w.project, "/tmp"),
                 "project outside": at(self.w.project, OUTSIDE)}
        for k, v in where.items():
            seen[k] += v
        for path, what in plan.nodes.items():
            if not any(at(path, t) for t in self.w.made) and not at(path, "/tmp"):
                continue
            up = plan.above(os.path.dirname(path)) if path != "/" else ""
            above = plan.nodes.get(up, "")
            ro = "write" not in what
            if what == "hidden":
                seen["mask dir" if self.start.get(path, (0,))[0] == 0o040000 else
                     "mask file"] += above.startswith("read") or "scratch" in above
            elif what == "scratch":
                seen["scratch"] += 1
            elif what.startswith("read"):
                seen["allowed tree"] += 1
                seen["tree by names"] += "write*" in what
                seen["ro below rw"] += ro and "write" in above
                seen["rw below ro"] += not ro and above.startswith("read") and \
                    "write" not in above
                seen["exec below noexec"] += "exec" in what and \
                    above.startswith("read") and "exec" not in above
            seen["pin"] += (ro and "write" in above and
                            os.path.dirname(path) != up)
            seen["made and locked"] += path in plan.absent and ro

    def show(self, what):
        print("FAIL seed %d: %s" % (self.seed, what))
        print("  request: %s" % (getattr(self, "req", None),))
        print("  home %s project %s uid %d" % (self.w.home, self.w.project, os.getuid()))
        for lv, stmts in self.p.texts.items():
            for s in stmts:
                print("  %-12s %s" % (lv, s))
        for a, b in sorted(self.w.links.items()):
            print("  link         %s -> %s" % (a, b))
        if hasattr(self, "plan"):
            for a, b in sorted(self.plan.nodes.items()):
                if "/home/." not in a and "/etc/" not in a:
                    print("  plan         %-16s %s %s" % (b, a, self.plan.ro.get(a, "")))


def tidy():
    for b in ("/tmp", "/dev/shm", OUTSIDE):
        try:
            os.rmdir("%s/pol-conf.%d" % (b, os.getpid()))
        except OSError:
            pass


def main():
    atexit.register(tidy)
    begin, bad, done = time.time(), 0, 0
    os.umask(0o022)
    print("seed %d, %d runs or %.0f s, uid %d" % (SEED, RUNS, SECONDS, os.getuid()))
    for i in range(RUNS):
        # the slowest machine gets three times as long to meet everything
        spent = (time.time() - begin) / SECONDS
        if spent > 3 or (spent > 1 and all(seen[k] for k in NODES)):
            break
        r = Run(SEED + i)
        try:
            r.go()
        except Differs as e:
            bad += 1
            r.show(str(e))
        finally:
            r.w.remove()
        done += 1
        if bad >= 5:
            break
    for k, n in sorted(seen.items()):
        print("  %7d  %s" % (n, k))
    fates = ("let through", "denied", "over", "of its own")
    print("  %9s" % "" + "".join("%13s" % f for f in fates))
    for verb, n in sorted(verbs.items()):
        print("  %9s" % verb + "".join("%13d" % n[f] for f in fates))
    missing = [k for k in NODES if not seen[k]] if RUNS >= 200 and not bad else []
    if RUNS >= 200 and not bad:
        missing += [v + " " + f for v in sorted(VERBS) for f in fates[:2] if not verbs[v][f]]
    for k in missing:
        print("FAIL never occurred: " + k)
    print("%d runs, %d differ" % (done, bad))
    return 1 if bad or missing or not done else 0


if __name__ == "__main__":
    sys.exit(main())
