"""What lies below folders, as text: every name with its kind, mode, owner, bytes, time and
attributes.  Of directories neither size nor time.  --same leaves out owners and times, to compare
what a run saw with what lies outside.  The caller's own state is left out."""
import hashlib
import os
import stat
import sys

same = sys.argv[1] == "--same"
files = {}  # a file's first name, by its inode: other names point to it


def attributes(path):
    found = []
    for name in sorted(os.listxattr(path, follow_symlinks=False)):
        if name.startswith("user."):
            found.append(f" {name}={os.getxattr(path, name, follow_symlinks=False)!r}")
    return "".join(found)


def content(path, shown, st):
    if st.st_nlink > 1 and files.setdefault((st.st_dev, st.st_ino), shown) != shown:
        return f" the file {files[st.st_dev, st.st_ino]}"
    try:
        with open(path, "rb") as f:
            digest = hashlib.sha256(f.read()).hexdigest()[:16]
    except PermissionError:
        digest = "unreadable"
    return f" {st.st_size} {digest}" + ("" if same else f" {st.st_mtime_ns}")


def show(path, shown):
    st = os.lstat(path)
    line = f"{shown}: {stat.filemode(st.st_mode)}" + ("" if same else f" {st.st_uid}:{st.st_gid}")
    if stat.S_ISREG(st.st_mode):
        line += content(path, shown, st)
    elif stat.S_ISLNK(st.st_mode):
        line += " -> " + os.readlink(path)
    else:
        line += f" {st.st_rdev}"
    print((line + attributes(path)).encode("utf-8", "surrogateescape").decode("ascii", "backslashreplace"))


for top in sys.argv[1 + same:]:
    show(top, ".")
    for at, dirs, names in os.walk(top):
        dirs[:] = sorted(d for d in dirs if not (at == top and d in (".local", ".cache")))
        for name in sorted(dirs + names):
            path = os.path.join(at, name)
            show(path, os.path.relpath(path, top))
