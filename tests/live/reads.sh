#!/usr/bin/env bash
# Names that a wildcard keeps from being read: by every call that opens a file, by every
# spelling, and while names, links and the memory of the call change.  The same calls read
# what lies beside them.
# places: its walls are of Landlock alone
# shellcheck disable=SC2016,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

command -v python3 >/dev/null || { skip python3 "it is not installed"; done_; exit; }

mkdir -p src/.envs/deep "$WORK/late" fresh
for f in .env src/.env.local src/.envs/deep/x; do echo SECRET >$f; done
for f in plain src/plain; do echo open >$f; done
printf '#!/bin/sh\necho STARTED\n' | tee src/.env.sh >src/run.sh
cp /bin/true src/.env.true
chmod 755 src/.env.sh src/run.sh src/.env.true
RUN_OPTIONS=(-y)
policy 'file { allow exec "${PROJECT_DIR}"
	hide "${PROJECT_DIR}/**/.env*" as hidden }' h
policy 'file { hide "**/.env*" as hidden }' any
policy 'file { allow exec "${PROJECT_DIR}" }' free

# Each way to open the file that is named: what is read by it.
cat >"$P/ways.py" <<'EOF'
import ctypes, os, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
name = sys.argv[1]
base, leaf = os.path.dirname(name) or ".", os.path.basename(name)
full = os.path.abspath(name)
def text(fd):
    try:
        return os.read(fd, 100).decode().strip()
    finally:
        os.close(fd)
def openat2(path, flags, resolve, at=-100):
    how = (ctypes.c_uint64 * 3)(flags, 0, resolve)
    fd = libc.syscall(437, at, path.encode(), ctypes.byref(how), 24)
    if fd < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return fd
def dirfd(d):
    return os.open(d, os.O_RDONLY | os.O_DIRECTORY)
def by_handle():
    h = (ctypes.c_uint32 * 34)(128)
    mount = ctypes.c_int()
    if libc.syscall(303, -100, name.encode(), h, ctypes.byref(mount), 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    fd = libc.syscall(304, dirfd("."), h, os.O_RDONLY)
    if fd < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return fd
def linked():
    os.link(name, "l.hard")
    return os.open("l.hard", os.O_RDONLY)
def soft():
    os.symlink(name, "l.soft")
    return os.open("l.soft", os.O_RDONLY)
def moved():
    os.rename(name, "l.moved")
    try:
        return os.open("l.moved", os.O_RDONLY)
    finally:
        os.rename("l.moved", name)
def swapped():
    open("l.other", "w").close()
    if libc.syscall(316, -100, name.encode(), -100, b"l.other", 2) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    try:
        return os.open("l.other", os.O_RDONLY)
    finally:
        libc.syscall(316, -100, name.encode(), -100, b"l.other", 2)
def through_path_fd(flags):
    return os.open("/proc/self/fd/%d" % os.open(name, os.O_PATH), flags)
def linked_path_fd():
    fd = os.open(name, os.O_PATH)
    if libc.linkat(-100, b"/proc/self/fd/%d" % fd, -100, b"l.path", 0x400) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return os.open("l.path", os.O_RDONLY)
def childs_cwd():
    p = subprocess.Popen(["sleep", "5"], cwd=base)
    try:
        return os.open("/proc/%d/cwd/%s" % (p.pid, leaf), os.O_RDONLY)
    finally:
        p.kill()
        p.wait()
def in_there():
    was = os.getcwd()
    os.chdir(base)
    try:
        return os.open(leaf, os.O_RDONLY)
    finally:
        os.chdir(was)
def mapped():
    import mmap
    fd = os.open(name, os.O_RDONLY)
    m = mmap.mmap(fd, 0, prot=mmap.PROT_READ)
    r, w = os.pipe()
    os.write(w, m[:4])
    return r
def sent():
    fd, (r, w) = os.open(name, os.O_RDONLY), os.pipe()
    os.sendfile(w, fd, 0, 100)
    return r
ways = {
    "open": lambda: os.open(name, os.O_RDONLY),
    "absolute": lambda: os.open(full, os.O_RDONLY),
    "dots": lambda: os.open("/usr/..//%s/../%s" % (os.path.dirname(full), os.path.relpath(full, os.path.dirname(os.path.dirname(full)))), os.O_RDONLY),
    "rdwr": lambda: os.open(name, os.O_RDWR),
    "create": lambda: os.open(name, os.O_RDONLY | os.O_CREAT),
    "nofollow": lambda: os.open(name, os.O_RDONLY | os.O_NOFOLLOW),
    "at": lambda: os.open(leaf, os.O_RDONLY, dir_fd=dirfd(base)),
    "cwd": lambda: os.open("/proc/self/cwd/" + name, os.O_RDONLY),
    "thread": lambda: os.open("/proc/thread-self/cwd/" + name, os.O_RDONLY),
    "root": lambda: os.open("/proc/self/root" + full, os.O_RDONLY),
    "dirfd": lambda: os.open("/proc/self/fd/%d/%s" % (dirfd(base), leaf), os.O_RDONLY),
    "child": childs_cwd,
    "chdir": in_there,
    "path": lambda: through_path_fd(os.O_RDONLY),
    "path rdwr": lambda: through_path_fd(os.O_RDWR),
    "link": linked,
    "link of a path": linked_path_fd,
    "symlink": soft,
    "rename": moved,
    "exchange": swapped,
    "mmap": mapped,
    "sendfile": sent,
}
more = {
    "openat2": lambda: openat2(name, 0, 0),
    "beneath": lambda: openat2(name, 0, 8),
    "in root": lambda: openat2(name, 0, 16),
    "no links": lambda: openat2(name, 0, 6),
    "handle": by_handle,
}
got, bad = [], []
for way, f in list(ways.items()) + (list(more.items()) if len(sys.argv) > 2 else []):
    try:
        got.append((way, text(f())))
    except OSError as e:
        bad.append((way, e.strerror))
print("READ", len([1 for _, s in got if s]), "of", len(ways), got)
print("NOT", bad)
try:
    libc.truncate(name.encode(), 0)
    os.close(os.open(name, os.O_RDONLY | os.O_TRUNC))
except OSError:
    pass
EOF

t "the control: all ways lead to a file beside the hidden one"
run_with h python3 ways.py src/plain
want_rc 0
want_out '^READ 22 of 22'
[ ! -s src/plain ] || bad "src/plain was not truncated"
echo open >src/plain
rm -f l.*
run_with free python3 ways.py src/.env.local
want_out '^READ 22 of 22'
want_out SECRET
rm -f l.*
for f in .env src/.env.local src/.envs/deep/x; do echo SECRET >$f; done

for policy in h any; do
	for name in .env src/.env.local src/.envs/deep/x; do
		t "$policy: no way leads to $name"
		run_with $policy python3 ways.py "$name" all
		want_rc 0
		want_out '^READ 0 of 22'
		no_out 'SECR'
		want_text SECRET "$name"
		rm -f l.*
	done
done

t "what is hidden is not listed, is seen where it lies, and is not started"
run_with h sh -c 'ls -a src; ls src/.envs; ls src/.envs/deep; stat -c %s src/.env.local; src/run.sh; src/.env.sh
	sh src/.env.sh; src/.env.true && echo RAN; /lib64/ld-linux-x86-64.so.2 src/.env.true && echo RAN
	cd src/.envs/deep && ls; cat x'
want_out '^\.env\.local$'
want_out '^7$'
want_out '^STARTED$'
[ "$(grep -c STARTED <<<"$out")" = 1 ] || bad "a hidden program was started"
no_out '^(deep|x|RAN|SECRET)$'
want_err 'hidden'
run_with free sh -c 'ls src/.envs; src/.env.sh; src/.env.true && echo RAN'
want_out '^deep$'
want_out '^STARTED$'
want_out '^RAN$'

t "a link whose name must not be read leads to nothing, by whatever way its name is reached"
mkdir -p conf
echo open >conf/dev
ln -s ../conf/dev src/.env.link
ln -s conf .env.dir
ln -s src/.env.link chain
ln -s "$P/.env.dir" "$WORK/late/way"
ln -s run.sh src/.env.run
ln -s conf/dev beside
cat >links.sh <<'L'
cat src/.env.link .env.dir/dev chain ./src/../src/.env.link "$PWD/.env.dir/./dev" /proc/self/cwd/.env.dir/dev
cat .env.dir/../.env.dir/dev <src/.env.link
ls .env.dir/
(exec 3<>src/.env.link && cat <&3)
(exec 3>>chain && cat </proc/self/fd/3)
src/.env.run; sh src/.env.run
cd src && cat .env.link
L
for policy in h any; do
	run_with $policy sh links.sh
	no_out .
	want_err 'chain: Permission denied'
	want_err 'hidden'
	run_with $policy sh -c 'cat conf/dev beside; ln -s ../conf fresh/to && cat fresh/to/dev; ls fresh/to; cd .env.dir && cat dev; rm -f ../fresh/to'
	[ "$(grep -c '^open$' <<<"$out")" = 4 ] || bad "$policy: what links lead to is not read by other names"
done
run_with free sh links.sh
[ "$(grep -c '^open$' <<<"$out")" = 10 ] || bad "without the rule the links lead not there"
[ "$(grep -c '^STARTED$' <<<"$out")" = 2 ] || bad "without the rule the program is not started"
rm -rf conf src/.env.link .env.dir chain "$WORK/late/way" src/.env.run beside

t "what is made during the run can be read and started"
run_with h sh -c 'cp src/run.sh src/new.sh; cat src/new.sh; src/new.sh; mkdir -p fresh/d; echo mine >fresh/d/f; cat fresh/d/f
	ls fresh/d; echo bad >fresh/d/.env; mv fresh/d/f fresh/.env1; ln src/run.sh fresh/.env2; ls -a fresh'
want_out '^mine$'
want_out 'echo STARTED'
want_out '^STARTED$'
no_out '^\.env'
no_file fresh/d/.env
rm -rf fresh/* src/new.sh

t "names of the kernel's, of the run's own and of the system are as they were"
run_with any sh -c 'ls / >/dev/null && ls /usr | grep -qx bin && head -c1 /dev/urandom | wc -c && echo x >/tmp/a && cat /tmp/a &&
	cat /proc/self/comm && ls /proc/self/fd >/dev/null && ls /dev | grep -qx null && cat </dev/null && echo FINE'
want_out '^FINE$'
want_rc 0

t "who opens a FIFO waits for its other end, and holds nobody else up"
mkfifo src/fifo .env-fifo
for p in h free; do
	run_with $p timeout 1 cat src/fifo
	want_rc 124
	run_with $p sh -c 'cat src/fifo & sleep 0.3; cat src/plain >/dev/null && echo meanwhile; echo through >src/fifo; wait'
	[ "$out" = $'meanwhile\nthrough' ] || bad "$p: $out"
done
(timeout 20 sh -c 'echo SECRET >.env-fifo' &) 2>/dev/null
run_with h timeout 5 cat .env-fifo
want_rc 1
no_out SECRET
run_with free timeout 5 cat .env-fifo
want_out SECRET
rm .env-fifo
# by no other name, and by no descriptor
policy 'file { deny read "${PROJECT_DIR}/in*/key" }' inbox
for p in inbox free; do
	run_with $p timeout 10 python3 -c '
import os
for f in ("fifo", "fifo2"): os.mkfifo(f)
os.mkdir("in")
fd = os.open("fifo2", os.O_RDWR)
for how in (lambda: os.link("fifo", "in/key"), lambda: os.rename("fifo2", "in/key")):
    try: how(); print("NAMED"); os.unlink("in/key")
    except OSError as e: print(e.strerror)'
	if [ $p = free ]; then
		[ "$(grep -c NAMED <<<"$out")" -eq 2 ] || bad "the control: $out"
	else
		[ "$(grep -c 'Permission denied' <<<"$out")" -eq 2 ] || bad "$out"
	fi
	rm -rf fifo fifo2 in
done
rm src/fifo

t "a descriptor that only reads is not opened again for writing"
policy 'file { allow exec "${PROJECT_DIR}"
	hide "${PROJECT_DIR}/**/.env*" as hidden
	deny write "${PROJECT_DIR}/src/plain" as kept }' k
run_with k python3 -c '
import os
fd = os.open("src/plain", os.O_RDONLY)
print(os.read(fd, 9))
for f in (os.O_RDWR, os.O_WRONLY, os.O_RDONLY | os.O_TRUNC):
    try:
        print("OPEN", os.open("/proc/self/fd/%d" % fd, f))
    except OSError as e:
        print(e.strerror)
d = os.open("src", os.O_RDONLY)
try:
    print("OPEN", os.open("plain", os.O_RDWR, dir_fd=d))
except OSError as e:
    print(e.strerror)
print("CONTROL", os.open("/proc/self/fd/%d" % os.open("plain", os.O_RDONLY), os.O_RDWR))'
want_rc 0
want_out 'open'
no_out '^OPEN'
want_out '^CONTROL'
want_text open src/plain

t "an exception of a hide, and a deny of reading alone"
policy 'file { deny read "${PROJECT_DIR}/**/*.key" except "${PROJECT_DIR}/src/pub.key" as keys }' d
echo SECRET >src/a.key
echo public >src/pub.key
run_with d sh -c 'cat src/a.key; cat src/pub.key; cat plain; echo x >src/b; cat src/b; mv src/a.key src/a; cat src/a'
no_out SECRET
want_out '^public$'
want_out '^open$'
want_out '^x$'
want_text SECRET src/a.key
rm -f src/b src/a.key src/pub.key

t "what has a name that may be read gets none that may not, and the run goes on"
policy 'file { deny read "${PROJECT_DIR}/**/*.key" as keys }' d
run_with d sh -c 'echo x >src/f; ln src/f src/f.key; echo "link $?"; ln src/f src/g; mv src/g src/g.key; echo "two names $?"
	rm src/f; exec 3<src/g; mv src/g src/g.key; echo "read $?"; exec 3<&- 3>>src/g; mv src/g src/g.key; echo "written $?"
	exec 3<&-; mv src/g src/g.key && echo MOVED; mkdir src/d.key src/d; echo y >src/d/y.key.not; mv src/d src/e.key && echo FOLDER; sleep 0.3'
want_rc 0
want_out '^link 1$'
want_out '^two names 1$'
want_out '^read 1$'
want_out '^written 1$'
want_out '^MOVED$'
want_out '^FOLDER$'
no_file src/f.key
rm -rf src/[gde].key src/d

t "a directory that is closed to the caller"
mkdir closed
chmod 0 closed
policy 'file { allow read, write "${PROJECT_DIR}/closed"
	hide "**/.env*" as hidden }' c
run_with c sh -c 'echo FINE'
want_out '^FINE$'
rmdir closed

# The host's part runs beside the run.
t "names that somebody outside makes, moves and links during the run"
rm -f go stop
run_host() { # SCRIPT: when the run has made `go`
	(
		for _ in $(seq 200); do [ -e "$P/go" ] && break; sleep 0.05; done
		eval "$1"
		touch "$P/stop"
	) &
}
run_host 'echo SECRET >src/.env.new; mkdir -p "$P/late/x"; echo SECRET >"$P/late/x/.env"; mv src/.envs src/.envq
	echo SECRET >part; mv part src/.env.moved; ln src/.env.local src/.env.linked'
run_with h timeout 30 sh -c 'touch go; while ! [ -e stop ]; do sleep 0.05; done
	cat src/.env.new late/x/.env src/.envq/deep/x src/.env.moved src/.env.linked; ls src/.envq; cat plain; echo it >late/y; cat late/y'
wait
no_out 'SECRET|^deep$'
want_out '^open$'
want_out '^it$'
mv src/.envq src/.envs
rm -rf late src/.env.new src/.env.moved src/.env.linked go stop

# What is asked about is text in memory and links, which others change.
cat >"$P/race.py" <<'EOF'
import ctypes, os, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
mode, turns = sys.argv[1], int(sys.argv[2])
sys.setswitchinterval(1e-5)
# what the kernel is asked for again is only looked at there
good = b"/dev/null\0\0\0\0\0\0" if mode == "kernel" else b"src/plain\0\0\0\0\0\0"
evil = b"src/.env.local\0"
buf = ctypes.create_string_buffer(good, 16)
end = False
def flip():
    n = 0
    while not end:
        n += 1
        if mode in ("memory", "kernel"):
            ctypes.memmove(buf, evil if n % 2 else good, 15)
        elif mode == "link":
            os.symlink("src/.env.local" if n % 2 else "src/plain", "lnk.new")
            os.rename("lnk.new", "lnk")
        else:
            os.symlink("src/.envs" if n % 2 else "src/.", "lnk.new")
            os.rename("lnk.new", "lnk")
if mode not in ("memory", "kernel"):
    os.symlink("src/plain" if mode == "link" else "src", "lnk")
    buf = ctypes.create_string_buffer(b"lnk" if mode == "link" else b"lnk/deep/x")
if mode == "folder":
    os.makedirs("src/deep")
    open("src/deep/x", "w").write("open")
t = threading.Thread(target=flip)
t.start()
read = denied = leaked = i = 0
while i < turns or (not (read and denied) and i < 20 * turns):  # a few may all meet one name
    i += 1
    fd = libc.syscall(2, buf, 0) if i % 2 else libc.syscall(257, -100, buf, 0)
    if fd < 0:
        denied += 1
        continue
    if os.read(fd, 100).startswith(b"SEC"):
        leaked += 1
    else:
        read += 1
    os.close(fd)
end = True
t.join()
print("LEAKED", leaked, "READ", "some" if read else "none", "DENIED", "some" if denied else "none", read, denied)
EOF
for mode in memory kernel link folder; do
	t "$mode: what is asked about changes while it is opened"
	rm -rf lnk* src/deep
	run_with h python3 race.py $mode "${RACE_TURNS:-4000}"
	want_rc 0
	want_out '^LEAKED 0 READ some DENIED some'
	rm -rf lnk* src/deep
	run_with free python3 race.py $mode 20000
	no_out '^LEAKED 0 '
	rm -rf lnk* src/deep
done
done_
