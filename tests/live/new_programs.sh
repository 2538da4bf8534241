#!/usr/bin/env bash
# Programs in trees in which a wildcard takes reading or executing away: those that are there, and
# those that the run makes, are started by the names that the rules allow; no race, no link and no
# descriptor starts another one.
# places:
# shellcheck disable=SC2016,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

command -v python3 >/dev/null || { skip python3 "it is not installed"; done_; exit; }

RUN_OPTIONS=(-y)
policy 'file { allow exec "${PROJECT_DIR}"
	hide "**/.env*" as hidden }' h
policy 'file { allow exec "${PROJECT_DIR}"
	deny exec "**/*.no" as not_started }' e
policy 'file { allow exec "${PROJECT_DIR}" }' free
mkdir -p src later
cp /bin/echo src/.env.echo
cp /bin/echo src/echo.no
printf '#!/bin/sh\necho HIDDEN $1\n' | tee src/.env.sh >src/run.no
chmod 755 src/.env.* src/*.no

t "a program that the run makes is started, by its name, as it is now"
for policy in free h e; do
	run_with $policy sh -ec 'cp /bin/echo src/new; src/new one; mv src/new src/other; src/other two
		cp /bin/readlink src/me; src/me -f /proc/self/exe; rm src/me; ! src/me 2>/dev/null
		cp /bin/echo src/me; src/me three; (cd src; ./me four; PATH=.:$PATH; me five); /proc/self/cwd/src/me six
		ln -s me src/link; src/link seven; rm src/other src/me src/link'
	want_rc 0
	for word in one two three four five six seven; do want_out "^$word\$"; done
	want_out "^$P/src/me\$"
done

t "a script is read and started as it is now, and so is its interpreter"
for policy in free h e; do
	run_with $policy sh -ec 'printf "#!/bin/sh\necho first \$1\n" >src/s; chmod +x src/s; src/s a
		printf "echo second\n" >>src/s; src/s b; sed -i s/second/third/ src/s; src/s c; cat src/s
		cp /bin/sh src/shell; printf "#!$PWD/src/shell\necho fourth\n" >src/t; chmod +x src/t; src/t
		printf "#!$PWD/src/t\n" >src/u; chmod +x src/u; src/u; chmod -x src/s; src/s || echo CLOSED; rm src/s src/t src/u src/shell'
	want_rc 0
	for word in 'first a' second 'first c' third 'echo third' fourth CLOSED; do want_out "^$word\$"; done
done

t "what is copied to be started is the program for whoever looks at it"
run_with h sh -ec 'cp -p /bin/echo src/new; src/new ran; cmp src/new /bin/echo; cp src/new src/twin; src/twin copied
	find src/new -newer /bin/echo; stat -c "%a %s" /bin/echo src/new | uniq | wc -l; echo more >>src/new; cmp -s src/new /bin/echo || echo OTHER
	src/new again; ls src | grep -c new; cp /bin/true src/new; src/new nothing; rm src/new src/twin; ls src'
want_rc 0
for word in ran copied 1 OTHER again; do want_out "^$word\$"; done
no_out 'nothing|new$'
no_file src/new

t "nothing starts what a wildcard hides, or may not be executed"
for name in src/.env.echo src/.env.sh src/echo.no src/run.no; do
	case $name in *.no) policy=e ;; *) policy=h ;; esac
	run_with $policy python3 -c '
import ctypes, os, subprocess, sys
name = sys.argv[1]
full, leaf = os.path.abspath(name), os.path.basename(name)
os.symlink(full, "lnk")
libc = ctypes.CDLL(None, use_errno=True)
def call(*a):
    if os.fork() == 0:
        libc.syscall(*a)
        os._exit(126)
    os.wait()
argv = (ctypes.c_char_p * 3)(b"x", b"STARTED", None)
for way in (name, full, "./lnk", "/proc/self/cwd/" + name, "/proc/self/root" + full, "src/../" + name):
    try:
        subprocess.run([way, "STARTED"])
    except OSError as e:
        print(way, e.strerror)
call(322, os.open("src", os.O_RDONLY | os.O_DIRECTORY), leaf.encode(), argv, None, 0)
try:
    fd = os.open(name, os.O_PATH)
    call(322, fd, b"", argv, None, 0x1000)
    call(59, b"/proc/self/fd/%d" % fd, argv, None)
    call(59, b"/dev/fd/%d" % fd, argv, None)
except OSError as e:
    print(e.strerror)
os.unlink("lnk")
print("DONE", flush=True)
sys.exit(1)' "$name" # what was blocked is told of a command that fails
	want_rc 1
	want_out '^DONE$'
	no_out 'STARTED|HIDDEN'
	want_err "blocked: exec $P/$name"
	run_with free "./$name" STARTED
	want_out 'STARTED'
done

t "what has a name that may be started gets none that may not"
run_with e sh -c 'cp /bin/echo src/yes; src/yes control; mv src/yes src/yes.no; src/yes.no MOVED; ln src/yes src/link.no; src/link.no LINKED
	cp /bin/echo src/made.no; src/made.no MADE; rm -f src/yes; ls src'
want_out '^control$'
no_out 'MOVED|LINKED|MADE|^(yes|link|made)'

# The text of the path, or a link, changes while the kernel asks.
cat >"$P/race.py" <<'EOF'
import collections, ctypes, os, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
mode, turns, evil_name = sys.argv[1], int(sys.argv[2]), sys.argv[3].encode()
good, evil = b"src/ok\0".ljust(32, b"\0"), evil_name.ljust(32, b"\0")
buf = ctypes.create_string_buffer(good if mode == "memory" else b"lnk", 32)
argv = (ctypes.c_char_p * 3)(b"x", b"STARTED", None)
end = False
def flip():
    n = 0
    while not end:
        n += 1
        if mode == "memory":
            ctypes.memmove(buf, evil if n % 2 else good, 32)
        else:
            os.symlink(evil_name if n % 2 else b"src/ok", "lnk.new")
            os.rename("lnk.new", "lnk")
if mode == "link":
    os.symlink("src/ok", "lnk")
sys.setswitchinterval(1e-5)
t = threading.Thread(target=flip)
t.start()
pid = ctypes.c_int()
said = collections.Counter()
begun = time.monotonic()
# where the machine is busy the other thread may stand still for long
while said.total() < turns or (not (said[0] and len(said) > 1) and time.monotonic() < begun + 60):
    # the child has the parent's memory until it executes
    r = libc.posix_spawn(ctypes.byref(pid), buf, None, None, argv, None)
    said[r] += 1
    if r == 0:
        os.waitpid(pid.value, 0)
end = True
t.join()
print("RACED", said[0] > 0, len(said) > 1 or not said[0], dict(said))
EOF
printf '#!/bin/true\n' >src/ok
chmod 755 src/ok
turns=${RACE_TURNS:-1500}
for name in src/.env.echo src/.env.sh src/echo.no src/run.no; do
	case $name in *.no) policy=e ;; *) policy=h ;; esac
	for mode in memory link; do
		t "$policy: $turns starts while the $mode changes to $name"
		run_with $policy python3 race.py $mode "$turns" "$name"
		want_rc 0
		want_out '^RACED True True'
		no_out 'STARTED|HIDDEN'
		rm -f lnk lnk.new
	done
done
t "the control: without the rule the other one is started"
run_with free python3 race.py memory 300 src/.env.echo
want_out '^STARTED$'
rm -f lnk lnk.new

t "whether a program may be executed is answered as without the rule (AT_EXECVE_CHECK, Linux 6.14)"
cp /bin/echo src/asked
asks='import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
argv = (ctypes.c_char_p * 2)(b"x", None)
for flags in (0x10000, 0x10100, 0x20000):
    r = libc.syscall(322, -100, sys.argv[1].encode(), argv, None, flags)
    print("ASKED", "%x" % flags, r, os.strerror(ctypes.get_errno()) if r else "")'
run_with free python3 -c "$asks" src/asked
want_rc 0
free=$out
[ "$(grep -c ASKED <<<"$free")" = 3 ] || bad "$free"
for policy in h e; do
	run_with $policy python3 -c "$asks" src/asked
	want_rc 0
	[ "$out" = "$free" ] || bad "$policy: $out, and without the rule: $free"
done
run_with h python3 -c "$asks" src/.env.echo
no_out '^ASKED 10[01]00 0'
rm src/asked

t "more programs than there are files for copies, some of which still run or are read"
run_with h bash -c 'printf "#!/bin/bash\nsleep 2\n" >long; for i in $(seq 300); do echo "# $i ..............................."; done >>long
	echo "echo WHOLE" >>long; chmod +x long; ./long & cp /bin/sleep s; ./s 2 && echo SLEPT &
	for i in $(seq 120); do cp /bin/echo "p$i"; "./p$i" "$i"; done | sort -n | uniq | wc -l; wait; rm -f p* s long'
want_rc 0
want_out '^120$'
want_out '^WHOLE$'
want_out '^SLEPT$'

t "whoever was allowed to start a program finds it, while others start more than there are files"
run_with h python3 -c '
import collections, os, random, shutil, time
for i in range(120):
    shutil.copy("/bin/true", "src/t%d" % i)
begun = time.time()  # four seconds, and more programs than files however slow the machine is
for w in range(4):
    if os.fork():
        continue
    said = collections.Counter()
    while time.time() < begun + 4 or (sum(said.values()) <= 96 and time.time() < begun + 120):
        try:
            pid = os.posix_spawn("src/t%d" % random.randrange(120), ["t"], {})
            said[os.waitpid(pid, 0)[1]] += 1
        except OSError as e:
            said[e.strerror] += 1
    print("TURNS" if set(said) == {0} and said[0] > 96 else "BAD", dict(said), flush=True)
    os._exit(0)
for w in range(4):
    os.wait()
for i in range(120):
    os.unlink("src/t%d" % i)'
want_rc 0
[ "$(grep -c ^TURNS <<<"$out")" = 4 ] || bad "$out"

t "with nearly as many programs running as there are files for copies others wait; with as many, no other one is started"
run_with h python3 -c '
import collections, os, shutil, time
for i in range(96):
    shutil.copy("/bin/sleep", "src/s%d" % i)
for i in range(20):
    shutil.copy("/bin/true", "src/t%d" % i)
running = [os.posix_spawn("src/s%d" % i, ["s", "100"], {}) for i in range(94)]
for w in range(4):
    if os.fork():
        continue
    said = collections.Counter()
    for i in range(5):
        try:
            pid = os.posix_spawn("src/t%d" % (5 * w + i), ["t"], {})
            said[os.waitpid(pid, 0)[1]] += 1
        except OSError as e:
            said[e.strerror] += 1
    print("TURNS" if said == {0: 5} else "BAD", dict(said), flush=True)
    os._exit(0)
for w in range(4):
    os.wait()
running += [os.posix_spawn("src/s%d" % i, ["s", "100"], {}) for i in (94, 95)]
begun = time.monotonic()
try:
    os.posix_spawn("src/t0", ["t"], {})
except OSError as e:
    print("FULL", e.strerror, time.monotonic() - begun < 2, flush=True)
os.kill(running[3], 9)
print("THEN", os.waitpid(os.posix_spawn("src/t0", ["t"], {}), 0)[1], flush=True)
for pid in running:
    os.kill(pid, 9)
for name in os.listdir("src"):
    if name[0] in "st":
        os.unlink("src/" + name)
os._exit(1)'
want_rc 1
[ "$(grep -c ^TURNS <<<"$out")" = 4 ] || bad "$out"
want_out '^FULL Resource temporarily unavailable True$'
want_out '^THEN 0$'
want_err "blocked: exec $P/src/t0: no rule \\(Resource temporarily unavailable\\)"

t "programs are started while the run has as many files open for writing as it may"
(
	ulimit -n 512
	run_with h python3 -c '
import os, shutil, time
for i in range(110):
    shutil.copy("/bin/true", "src/t%d" % i)
r, w = os.pipe()
writers = []
for k in range(2):
    pid = os.fork()
    if not pid:
        files = []
        try:
            for i in range(600):
                files.append(open("src/w%d-%d" % (k, i), "w"))
        except OSError:
            os.write(w, b"x")
        time.sleep(60)
    writers.append(pid)
full = b""
while len(full) < 2:
    full += os.read(r, 2)
for i in range(110):
    os.waitpid(os.posix_spawn("src/t%d" % i, ["t"], {}), 0)
print("STARTED", flush=True)
for pid in writers:
    os.kill(pid, 9)
    os.waitpid(pid, 0)'
	printf '%s %s' "$out" "$err" >"$WORK/said"
)
[[ $(<"$WORK/said") == STARTED* ]] || bad "$(<"$WORK/said")"
rm -f src/t* src/w*

t "what somebody writes is not started, and what may not be executed or read is not either"
cp /bin/echo src/bits
chmod 644 src/bits
run_with h bash -c 'cp /bin/echo src/busy; exec 3>>src/busy; src/busy WRITTEN; exec 3>&-; src/busy control; src/bits EXECUTED
	chmod 755 src/bits; src/bits now; rm src/busy'
want_out '^control$'
want_out '^now$'
no_out 'WRITTEN|EXECUTED'
want_err 'Text file busy'

t "what cannot be copied is not started, and the reason is told"
policy 'file { allow exec "${PROJECT_DIR}"
	hide "**/.env*" as hidden }
limits { disk 2M }' small
# each takes a third of the disk: the copies of those that have ended make room
cp "$(readlink -f "$(command -v python3)")" src/large
run_with small sh -c 'src/large -c "print(\"LARGE\")"; echo "is $?"; cp /bin/echo src/fits; chmod 555 src/fits; src/fits fits; rm src/fits
	for i in 1 2 3 4 5 6 7 8; do cp /bin/echo src/e; head -c 700000 /dev/zero >>src/e; src/e "turn $i"; done; rm src/e; exit 1'
want_rc 1
want_out '^is 12[67]$'
want_out '^fits$'
want_out '^turn 8$'
[ "$(grep -c turn <<<"$out")" = 8 ] || bad "$out"
no_out LARGE
want_err "blocked: exec $P/src/large: no rule \\(No space left on device\\)"
run_with h src/large -c 'print("LARGE")'
want_out LARGE
rm src/large

cp /bin/echo src/large
truncate -s 64M src/large
t "while a large program is copied, others are answered"
run_with h python3 -c '
import mmap, os, struct, subprocess
shared = mmap.mmap(-1, 8)
count = lambda: struct.unpack("Q", shared[:8])[0]
pid = os.fork()
while not pid:
    os.close(os.open("src/ok", os.O_RDONLY))
    shared[:8] = struct.pack("Q", count() + 1)
opens = []
for i in range(2):
    before = count()
    subprocess.run(["src/large", "ran"])
    opens.append(count() - before)
# the second time there is a copy
print("MEANWHILE" if opens[0] > 3 * opens[1] else "BLOCKED", opens)
os.kill(pid, 9)
os.wait()'
want_rc 0
[ "$(grep -c '^ran$' <<<"$out")" = 2 ] || bad "$out"
want_out '^MEANWHILE'

t "large programs that are started at once, and a script that needs one"
run_with h python3 -c '
import os, shutil, subprocess
shutil.copy("src/large", "src/two")
shutil.copy("/bin/sh", "src/shell")
os.truncate("src/shell", 64 << 20)
with open("src/script", "w") as f:
    f.write("#!%s/src/shell\necho script\n" % os.getcwd())
os.chmod("src/script", 0o755)
started = [subprocess.Popen([p, str(i)]) for i in range(3) for p in ("src/large", "src/two", "src/script")]
print("STATUS", sum(p.wait() for p in started), flush=True)
for p in ("two", "shell", "script"):
    os.unlink("src/" + p)'
want_rc 0
[ "$(sort <<<"$out" | tr '\n' ' ')" = '0 0 1 1 2 2 STATUS 0 script script script ' ] || bad "$out"
rm src/large

t "callers that are killed while their program is copied leave nothing behind"
(
	ulimit -n 512
	run_with h python3 -c '
import os, random, shutil, signal, time
def start():
    pid = os.fork()
    if not pid:
        try:
            os.execv("src/large", ["large", "ran"])
        finally:
            os._exit(9)
    return pid
shutil.copy("/bin/true", "src/large")
os.truncate("src/large", 8 << 20)
killed = 0
for i in range(600):
    os.utime("src/large")
    pid = start()
    time.sleep(random.random() * 0.004)
    os.kill(pid, signal.SIGKILL)
    killed += os.waitpid(pid, 0)[1] == 9
print("KILLED" if killed > 50 else "BAD", killed)
print("STATUS", os.waitpid(start(), 0)[1], flush=True)
# and the run ends in the middle
os.utime("src/large")
start()
time.sleep(0.002)'
	printf '%s %s' "$out" "$err" >"$WORK/said"
)
[[ $(<"$WORK/said") == KILLED*STATUS\ 0* ]] || bad "$(<"$WORK/said")"

t "a large program that somebody outside changes meanwhile is started as a whole, or not at all"
cp "$(readlink -f "$(command -v python3)")" src/large
head=$(stat -c %s src/large)
truncate -s 32M src/large
rm -f stop
# in the program as it is at any time, what stands in the middle is never older than what stands at its end
python3 -c '
import os, random, sys, time
def put(at, whence, n):
    with open("src/large", "r+b") as f:
        f.seek(at, whence)
        f.write(b"%08d" % n)
until = time.monotonic() + 120
n = 0
while time.monotonic() < until and not os.path.exists("stop"):
    n += 1
    put(int(sys.argv[1]), 0, n)
    time.sleep(random.random() * 0.03)
    put(-8, 2, n)
    time.sleep(random.random() * 0.15)' "$head" &
run_with h timeout 60 python3 -c '
import collections, subprocess, sys, time
look = """f = open("/proc/self/exe", "rb")
f.seek(%s)
middle = f.read(8)
f.seek(-8, 2)
end = f.read(8)
print("TORN" if end > middle else "WHOLE", middle, end, flush=True)""" % sys.argv[1]
said = collections.Counter()
until = time.monotonic() + 8
while time.monotonic() < until:
    try:
        said[subprocess.run(["src/large", "-c", look]).returncode] += 1
    except OSError as e:
        said[e.strerror] += 1
print(dict(said), file=sys.stderr)' "$head"
touch stop
wait
want_out '^WHOLE'
no_out TORN
rm stop src/large

t "copies leave half of the disk to the files of the run"
policy 'file { allow exec "${PROJECT_DIR}"
	hide "**/.env*" as hidden
	scratch "/tmp" }
limits { disk 8M }' half
run_with half sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do cp /bin/true src/e$i; head -c 700000 /dev/zero >>src/e$i; src/e$i || echo "NOT $i"; done
	head -c 4000000 /dev/zero >/tmp/own && echo FITS; src/e1 && src/e10 && echo again; rm src/e*'
want_rc 0
want_out '^FITS$'
want_out '^again$'
no_out NOT

t "names that somebody outside makes and moves during the run"
rm -f go stop
(
	for _ in $(seq 200); do [ -e go ] && break; sleep 0.05; done
	cp /bin/echo src/.env.late
	cp /bin/echo src/late
	mv src/moves src/.env.moved
	cp /bin/echo part
	mv part src/turns
	echo 'echo changed' >>src/place
	echo 'echo seen' >>src/look
	echo >>src/size
	touch stop
) &
cp /bin/true src/moves
cp /bin/true src/turns
printf '#!/bin/sh\necho as it was\n' | tee src/look src/size >src/place
chmod 755 src/look src/place src/size
run_with h timeout 30 sh -c 'src/turns before; src/moves; src/place; src/look; src/size; touch go; while ! [ -e stop ]; do sleep 0.05; done
	sleep 0.1; stat -c "size %s" src/size
	src/.env.late LATE; src/.env.moved MOVED; src/late late; src/turns turned
	src/place; cat src/look'
wait
want_out "^size $(stat -c %s src/size)\$"
want_out '^changed$'
want_out '^echo seen$'
want_out '^late$'
want_out '^turned$'
no_out 'LATE|MOVED'
rm -f go stop src/.env.late src/.env.moved src/late src/turns src/bits src/ok src/place src/look src/size

t "a process that only looks and reads sees what somebody outside writes into a program"
printf '#!/bin/sh\necho as it was\n' >src/now
chmod 755 src/now
for policy in free h e; do
	rm -f go
	(
		for _ in $(seq 200); do [ -e go ] && break; sleep 0.05; done
		echo "# $policy" >>src/now
		touch stop
	) &
	run_with $policy timeout 30 python3 -c '
import os, subprocess, time
subprocess.run(["src/now"])
os.mkdir("go")
while not os.path.exists("stop"):
    time.sleep(0.05)
time.sleep(0.5)
print("size", os.stat("src/now").st_size, open("src/now").read().splitlines()[-1])
os.rmdir("go")'
	wait
	want_rc 0
	want_out '^as it was$'
	want_out "# $policy\$"
	want_out "^size $(stat -c %s src/now) "
	rm -f stop
done
rm src/now

t "nothing is left on the host"
[ "$(ls -A)" = "later
race.py
src" ] || bad "$(ls -A)"
mount | grep "$P" && bad "a mount is left"
done_
