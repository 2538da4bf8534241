#!/usr/bin/env bash
# Tries: to write a denied name of a brokered project by calls that the filter
# might not report: bits that the kernel does not read, odd flags, descriptors
# that were opened for reading, calls that are newer than the filter.
# Stops it: the filter `broker`, which reports them, and the broker by name;
# where nothing is reported, the read-only mount.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
echo kept >"$P/.env" && echo free >"$P/a.txt"
raw_policy "$HEAD$ADD
file { deny write \"\${PROJECT_DIR}/**/.env*\" }" b
cat >"$P/try.py" <<'PY'
import ctypes, errno, fcntl, os, sys
libc = ctypes.CDLL(None, use_errno=True)
AT, P = (1 << 64) - 100, sys.argv[1].encode()
fd = os.open(P, os.O_RDONLY)

def call(nr, *a):
    r = libc.syscall(ctypes.c_long(nr), *[ctypes.c_uint64(x) if isinstance(x, int) else x for x in a])
    if r < 0:
        raise OSError(ctypes.get_errno(), "")

def flags():
    b = bytearray(8)
    fcntl.ioctl(fd, 0x80086601, b)
    fcntl.ioctl(fd, 0x40086602, bytes(b))

def linked():
    f = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600)
    call(265, AT, b"/proc/self/fd/%d" % f, AT, P + b".new", 0x400)

for name, f in {
    "truncate-only": lambda: call(257, AT, P, 0o1000),
    "upper-half": lambda: call(257, AT, P, 0xffffffff << 32 | 1),
    "open-upper-half": lambda: call(2, P, 1 << 32 | 2),
    "both-modes": lambda: call(257, AT, P, 3),
    "creat": lambda: call(85, P, 0o600),
    "openat2": lambda: call(437, AT, P, (ctypes.c_uint64 * 3)(2, 0, 0), 24),
    "reopen": lambda: os.close(os.open("/proc/self/fd/%d" % fd, os.O_RDWR)),
    "fchmod": lambda: os.fchmod(fd, 0o666),
    "futimens": lambda: os.utime(fd),
    "fsetxattr": lambda: os.setxattr(fd, "user.a", b"x"),
    "ioctl-flags": flags,
    "setxattrat": lambda: call(463, AT, P, 0, b"user.a", 0, 0),
    "file_setattr": lambda: call(469, AT, P, 0, 0, 0),
    "link-from": lambda: os.link(P, b"b"),
    "link-unnamed": linked,
    "rename-onto": lambda: os.rename("a.txt", P + b".x"),
}.items():
    try:
        f()
        print(name, "worked")
    except OSError as e:
        print(name, errno.errorcode[e.errno])
PY

t "the control: for an allowed name these work"
run_with b python3 try.py a.txt
for n in truncate-only upper-half open-upper-half creat reopen fchmod link-unnamed; do
	want_out "$n worked"
done

t "for a denied name nothing does"
rm -f "$P/b" "$P"/a.txt*
echo free >"$P/a.txt"
chown --reference="$P/.env" "$P/a.txt"
run_with b python3 try.py .env
no_out worked
[ "$(grep -cE '^[a-z0-9_-]+ (EACCES|EROFS|ENOSYS|EPERM|EOPNOTSUPP|ENOTTY)$' <<<"$out")" -eq 16 ] || bad "$out"
want_text kept "$P/.env"
want_text free "$P/a.txt"
[ "$(cd "$P" && ls -d .env* b 2>/dev/null)" = .env ] || bad "$(ls -a "$P")"

done_
