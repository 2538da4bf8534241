"""What a run tries: each operation in each directory of the tree, by each of its names."""
from files_judge import at


def in_new(d):
    """In a directory that the run makes: names that patterns speak of."""
    g = d + "/n.g"
    out = [("mkdir", g, "")]
    out += [("create", g + "/" + n, "") for n in ("f.w", "f.m", "f.u", "n.c", "x", ".env")]
    out += [("append", g + "/f.w", ""), ("truncate", g + "/f.w", ""),
            ("chmod", g + "/f.w", "640"), ("mkdir", g + "/no", ""),
            ("mkdir", g + "/no/deep", ""), ("create", g + "/no/f.w", ""),
            ("rmdir", g + "/no/deep", ""), ("symlink", g + "/n.s", "to"),
            ("link", g + "/f.m", g + "/n.l"), ("rename", g + "/x", g + "/.env.x"),
            ("rename", d + "/n.m", g + "/f.v"), ("rename", g + "/f.v", d + "/n.m"),
            ("unlink", g + "/f.u", ""), ("list", g, ""),
            ("rename", g, d + "/n.h"), ("rename", d + "/n.h", g)]
    return out


def requests(w, policy, rng, plain):
    """(verb, path, other): each object is used once, moves of parents come last."""
    out, moves = [], []
    dirs = list(w.dirs) + [d for d in ("/tmp", "/tmp/a", "/dev/shm", "/dev/shm/a",
                                       "/var/tmp", "/var/tmp/a", "/usr", "/etc", "/")]
    for place, tree in sorted(policy.mounts.items()):
        for d in [d for d in w.dirs if at(d, tree)]:
            p = place + d[len(tree):] + "/"
            out += [("list", p[:-1], ""), ("read", p + "f.r", ""),
                    ("append", p + "f.w", ""), ("create", p + "n.p", ""),
                    ("mkdir", p + "n.q", ""), ("exec", p + "x", ""),
                    ("map", p + "x", ""), ("rename", p + "n.p", p + "n.o")]
    for at_, to in sorted(w.links.items()):
        out += [("list", at_, ""), ("read", at_ + "/f.r", ""), ("read", at_, ""),
                ("create", at_ + "/n.z", ""), ("append", at_ + "/f.w", "")]
    for d in dirs:
        p = (d if d != "/" else "") + "/"
        out += [("list", d, ""), ("read", p + "f.r", ""), ("write", p + "f.w", "X"),
                ("append", p + "f.w", ""), ("truncate", p + "f.w", ""),
                ("create", p + "n.c", ""), ("rename", p + "f.m", p + "n.m"),
                ("link", p + "f.l", p + "n.l"), ("unlink", p + "f.u", ""),
                ("mkdir", p + "n.d", ""), ("rmdir", p + "d.e", ""),
                ("symlink", p + "n.s", "to"), ("mkfifo", p + "n.f", ""),
                ("chmod", p + "f.r", "640"), ("utime", p + "f.r", ""),
                ("exec", p + "x", ""), ("map", p + "x", "")]
        if d in w.dirs:
            to = rng.choice(w.dirs)
            out.append(("rename", p + "f.l", to + "/n.y%d" % len(out)))
            moves.append((d, d + ".mv"))
            if not plain:
                out += [("setxattr", p + "f.w", ""), ("exchange", p + "f.r", p + "f.w")]
    for d in [] if plain else rng.sample(w.dirs, min(6, len(w.dirs))):
        out += in_new(d)
    for path in sorted(policy.absent) + [t + "/" + n for t in (w.home, w.project)
                                         for n in (".bashrc", ".vscode", ".envrc")]:
        out += [("mkdir", path, ""), ("create", path + "/in", ""),
                ("create", path, ""), ("rename", w.project + "/n.d", path)]
    out = [r for r in out if r[1] != r[2]]
    for a, b in sorted(moves, reverse=True):
        out += [("rename", a, b), ("rename", b, a)]
    return out
