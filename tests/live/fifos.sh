#!/usr/bin/env bash
# A FIFO in a tree in which names are decided one by one: who opens it for writing waits for its reader, as outside, and
# polrun waits for nobody.  Each step is done outside and inside, and has to say the same.
# places: what lies around the project may have names that are decided, too
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

HEAD=${HEAD/'allow read, exec "/usr"'/"allow read, exec \"$PROBES\", \"/usr\""}
mkdir -p "$WORK/steps" "$WORK/plain"
cat >"$WORK/steps/fifo.py" <<'EOP'
import ctypes, errno, os, signal, subprocess, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
where = sys.argv[2] if len(sys.argv) > 2 else "."
p = os.path.join(where, "pipe")
def fresh():
    if os.path.lexists(p): os.unlink(p)
    os.mkfifo(p)
def word(e): return errno.errorcode.get(e, str(e))
def c_open(flags):
    fd = libc.open(p.encode(), flags, 0o644)
    return "opened" if fd >= 0 else word(ctypes.get_errno())
def child(f):
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(r)
        try: said = str(f())
        except OSError as e: said = word(e.errno)
        os.write(w, said.encode()); os._exit(0)
    os.close(w)
    return pid, r
def ready(r, s): # has it said something within s seconds?
    import select
    return bool(select.select([r], [], [], s)[0])
def said(r): return os.read(r, 1000).decode()
def write(text, how=os.O_WRONLY | os.O_CREAT | os.O_TRUNC):
    fd = os.open(p, how, 0o644); os.write(fd, text.encode()); os.close(fd)
    return "written"
def read():
    with open(p, "rb") as f: return f.read().decode()
def state(pid): return open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[0]

def nonblock(): # ENXIO without a reader, at once with one
    a = c_open(os.O_WRONLY | os.O_NONBLOCK)
    r = os.open(p, os.O_RDONLY | os.O_NONBLOCK)
    return a, c_open(os.O_WRONLY | os.O_NONBLOCK), c_open(os.O_WRONLY), os.get_blocking(os.open(p, os.O_WRONLY))
def both(): # O_RDWR waits for nobody
    fd = os.open(p, os.O_RDWR); os.write(fd, b"x"); return os.read(fd, 9)
def waits():
    pid, r = child(lambda: write("said"))
    early = ready(r, 0.3)
    text = read()
    return early, text, said(r)
def reader_first():
    pid, r = child(read)
    time.sleep(0.1)
    return write("said"), said(r)
def shell(): # noclobber, append, both ends
    subprocess.run("(sleep 0.2; cat '%s' >'%s/got') & echo a >'%s'; wait; (cat '%s' >>'%s/got') & echo b >>'%s'; wait" % (p, where, p, p, where, p), shell=True, timeout=20)
    return open(where + "/got").read().split()
def many(): # nobody's text is lost when those who wait are let go
    kids = [child(lambda i=i: write("%d\n" % i)) for i in range(60)]
    time.sleep(0.4)
    text = read()
    return sorted(map(int, text.split())) == list(range(60)), [said(r) for _, r in kids].count("written")
def again(): # hundreds, each after the other's answer
    back = p + "2"
    os.mkfifo(back)
    def writer():
        for i in range(150):
            write("%d" % i)
            with open(back) as f: assert f.read() == "ok%d" % i
        return "done"
    pid, r = child(writer)
    for i in range(150):
        assert read() == "%d" % i
        with open(back, "w") as f: f.write("ok%d" % i)
    os.unlink(back)
    return said(r)
def handled(restart):
    def f():
        hit = []
        signal.signal(signal.SIGUSR1, lambda *a: hit.append(1))
        signal.siginterrupt(signal.SIGUSR1, not restart)
        how = c_open(os.O_WRONLY)
        return how, len(hit)
    pid, r = child(f)
    time.sleep(0.3); os.kill(pid, signal.SIGUSR1)
    early = ready(r, 0.6)
    if not early: fd = os.open(p, os.O_RDONLY)
    return early, said(r)
def threads():
    def f():
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        hit = []
        signal.signal(signal.SIGUSR1, lambda *a: hit.append(1))
        signal.siginterrupt(signal.SIGUSR1, True)
        return c_open(os.O_WRONLY), len(hit)
    pid, r = child(f)
    time.sleep(0.3); os.kill(pid, signal.SIGUSR1)
    early = ready(r, 2)
    if not early: fd = os.open(p, os.O_RDONLY)
    return early, said(r)
def to_thread(): # to the very thread, of several
    def f():
        hit = []
        signal.signal(signal.SIGUSR1, lambda *a: hit.append(1))
        signal.siginterrupt(signal.SIGUSR1, False)
        me = threading.get_ident()
        def later():
            time.sleep(0.3); signal.pthread_kill(me, signal.SIGUSR1)
            time.sleep(0.3); os.open(p, os.O_RDONLY); time.sleep(60)
        threading.Thread(target=later, daemon=True).start()
        return c_open(os.O_WRONLY), len(hit)
    pid, r = child(f)
    return said(r)
def deadly():
    pid, r = child(lambda: write("x"))
    time.sleep(0.2); os.kill(pid, signal.SIGTERM)
    return os.WTERMSIG(os.waitpid(pid, 0)[1])
def ignored(): # goes on waiting
    def f():
        signal.signal(signal.SIGUSR1, signal.SIG_IGN); signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
        return write("x")
    pid, r = child(f)
    time.sleep(0.2); os.kill(pid, signal.SIGUSR1); os.kill(pid, signal.SIGUSR2); os.kill(pid, signal.SIGCONT)
    early = ready(r, 0.3)
    return early, read(), said(r)
def stopped(sig):
    pid, r = child(lambda: write("x"))
    time.sleep(0.2); os.kill(pid, sig)
    _, st = os.waitpid(pid, os.WUNTRACED)
    got = os.WIFSTOPPED(st) and os.WSTOPSIG(st) == sig
    os.kill(pid, signal.SIGCONT)
    early = ready(r, 0.3)
    return got, early, read(), said(r)
def stopped_threads():
    def f():
        r = []
        t = threading.Thread(target=lambda: r.append(write("x"))); t.start(); t.join()
        return r[0]
    pid, r = child(f)
    time.sleep(0.3); os.kill(pid, signal.SIGTSTP)
    for i in range(100):
        time.sleep(0.02)
        got, st = os.waitpid(pid, os.WUNTRACED | os.WNOHANG)
        if got: break
    os.kill(pid, signal.SIGCONT)
    early = ready(r, 0.3)
    return got == pid, early, read(), said(r)
def removed(): # it waits for the reader of this FIFO, not for whatever gets its name, and makes nothing
    pid, r = child(lambda: write("x"))
    time.sleep(0.2); os.unlink(p)
    early = ready(r, 0.3)
    made = os.path.lexists(p)
    os.mkfifo(p)
    rd = os.open(p, os.O_RDONLY | os.O_NONBLOCK)
    late = ready(r, 0.3)
    os.kill(pid, signal.SIGKILL)
    return early, made, late, os.WTERMSIG(os.waitpid(pid, 0)[1])
def renamed():
    pid, r = child(lambda: write("x"))
    time.sleep(0.2); os.rename(p, p + "2"); os.rename(p + "2", p)
    return read(), said(r)
def closed():
    os.chmod(p, 0o400)
    return c_open(os.O_WRONLY), c_open(os.O_RDWR), c_open(os.O_WRONLY | os.O_NONBLOCK)
def kinds():
    return c_open(os.O_WRONLY | os.O_DIRECTORY), c_open(os.O_WRONLY | os.O_CREAT | os.O_EXCL), c_open(os.O_RDONLY | os.O_NONBLOCK | os.O_TRUNC)
def link():
    os.symlink("pipe", p + "l")
    pid, r = child(lambda: write("x"))
    time.sleep(0.1)
    text = read()
    fd = os.open(p, os.O_RDWR)
    # another descriptor, by the one that is open; the first goes on
    again = os.open("/proc/self/fd/%d" % fd, os.O_WRONLY | os.O_NONBLOCK)
    os.write(again, b"y")
    r2 = os.read(fd, 9)
    os.unlink(p + "l")
    return text, r2, said(r)
def eof(): # the reader sees the end when the writer has closed, and the writer that nobody reads
    pid, r = child(lambda: write("x"))
    text = read()
    rd = os.open(p, os.O_RDONLY | os.O_NONBLOCK)
    wr = os.open(p, os.O_WRONLY)
    os.close(rd)
    try: os.write(wr, b"x"); e = "written"
    except OSError as x: e = word(x.errno)
    return text, os.WEXITSTATUS(os.waitpid(pid, 0)[1]), e
steps = dict(nonblock=nonblock, both=both, waits=waits, reader_first=reader_first, shell=shell, many=many, again=again,
    interrupted=lambda: handled(False), restarted=lambda: handled(True), threads=threads, to_thread=to_thread, deadly=deadly, ignored=ignored,
    tstp=lambda: stopped(signal.SIGTSTP), stop=lambda: stopped(signal.SIGSTOP), stopped_threads=stopped_threads,
    removed=removed, renamed=renamed, closed=closed, kinds=kinds, link=link, eof=eof)
for name in sys.argv[1].split(",") if sys.argv[1] != "all" else steps:
    fresh()
    pid, r = child(lambda: steps[name]())
    print(name, said(r) if ready(r, 30) else "NOTHING", flush=True)
    try: os.kill(pid, signal.SIGKILL)
    except OSError: pass
EOP
chmod -R a+rX "$WORK/steps"
outside=()
if is_root; then
	outside=(setpriv --reuid=61234 --regid=61234 --clear-groups)
	chmod 0711 "$WORK"
	chown 61234:61234 "$WORK/plain"
fi

t "who opens a FIFO for writing waits for its reader, is interrupted, and is let go, as outside"
policy "file { deny write \".env*\", \"\${PROJECT_DIR}/ctl*\"  allow read \"$WORK/steps\" }"
(cd "$WORK/plain" && timeout 300 "${outside[@]}" python3 "$WORK/steps/fifo.py" all) >"$WORK/plain.txt" 2>&1 || bad "outside: $?"
run timeout 300 python3 "$WORK/steps/fifo.py" all
want_rc 0
differ=$(diff "$WORK/plain.txt" - <<<"$out")
[ -z "$differ" ] || bad "outside (<) and inside (>): $differ"
[ "$(grep -cvE 'NOTHING|Error' "$WORK/plain.txt")" -eq 22 ] || bad "outside: $(<"$WORK/plain.txt")"

t "so it is where files are read by name, and polrun opens both ends"
policy "file { deny write \".env*\"  hide \"**/.secret*\"  allow read \"$WORK/steps\" }" named
run_with named timeout 300 python3 "$WORK/steps/fifo.py" all
want_rc 0
differ=$(diff "$WORK/plain.txt" - <<<"$out")
[ -z "$differ" ] || bad "outside (<) and inside (>): $differ"

t "so it is in the trees around the project that are the run's own"
run timeout 100 sh -c 'python3 "$1" waits,many,restarted,removed,nonblock "$TMPDIR"' sh "$WORK/steps/fifo.py"
want_rc 0
differ=$(diff <(grep -E '^(waits|many|restarted|removed|nonblock) ' "$WORK/plain.txt" | sort) <(sort <<<"$out"))
[ -z "$differ" ] || bad "outside (<) and inside (>): $differ"

t "however many wait, polrun answers others, and keeps a descriptor for each of at most 256"
cat >"$WORK/steps/crowd.py" <<'EOP'
import os, sys, time, signal, resource
resource.setrlimit(resource.RLIMIT_NPROC, (resource.getrlimit(resource.RLIMIT_NPROC)[1],) * 2)
os.mkfifo("pipe")
r, w = os.pipe()
def writer():
    try: fd = os.open("pipe", os.O_WRONLY)
    except OSError as e: os.write(w, (e.strerror + "\n").encode()); os._exit(1)
    os.write(fd, b"in\n"); os._exit(0)
kids = []
for i in range(300):
    pid = os.fork()
    if pid == 0: writer()
    kids.append(pid)
print("refused", sum(os.waitpid(-1, 0)[1] != 0 for i in range(44)), set(os.read(r, 100000).decode().split("\n")[:-1]))
time.sleep(0.3)
slow = 0
for i in range(200):
    begun = time.monotonic()
    open("other%d" % i, "w").close(); os.unlink("other%d" % i)
    slow = max(slow, time.monotonic() - begun)
print("others", slow < 1)
print("let go", sum(map(len, (line.split() for line in open("pipe")))), {os.waitpid(-1, 0)[1] for i in range(256)})
for i in range(300): # those who are killed leave no room taken
    pid = os.fork()
    if pid == 0: writer()
    os.kill(pid, signal.SIGKILL); os.waitpid(pid, 0)
pid = os.fork()
if pid == 0: writer()
print("after", open("pipe").read().strip(), os.waitpid(pid, 0)[1])
os.unlink("pipe"); sys.exit(3)
EOP
chmod a+r "$WORK/steps/crowd.py"
rm -f pipe
run python3 "$WORK/steps/crowd.py"
want_rc 3
want_out "^refused 44 \{'Resource temporarily unavailable'\}$"
want_out '^others True$'
want_out '^let go 256 \{0\}$'
want_out '^after in 0$'
want_err 'blocked: write .*/pipe \(44 times\): too many calls wait for the other end of a FIFO'

t "the rules decide its name: one that is denied is not opened, by no other name and by no change of the path"
mkfifo ctl free
is_root || chmod 0622 ctl free
policy "file { deny write \"\${PROJECT_DIR}/ctl*\"  allow read \"$WORK/steps\" }" ctl
policy "file { allow read \"$WORK/steps\" }" open
listen() { # POLICY COMMAND…: what the listener of the host at ctl got is in $got
	timeout 60 cat ctl >"$WORK/got" &
	run_with "$@"
	kill "$!" 2>/dev/null
	wait "$!" 2>/dev/null
	got=$(<"$WORK/got")
}
ways='echo a >ctl; ln ctl other && echo b >other; mv ctl other && echo c >other; ln -s ctl l; echo d >l; echo e >/proc/self/cwd/ctl; rm -f l other; echo done'
listen ctl timeout 5 sh -c "$ways"
want_out '^done$'
[ -z "$got" ] || bad "the listener got: $got"
[ -p ctl ] || bad "ctl has gone"
listen open timeout 5 sh -c "$ways"
[ -n "$got" ] || bad "the control: the listener got nothing"
rm -f ctl other l && mkfifo ctl
timeout 60 cat free >/dev/null &
listen ctl "$PROBES/flip_probe" write ./././free "$P/ctl" "${FLIP_MS:-1500}"
kill "$!" 2>/dev/null
want_out '^none in'
[ -z "$got" ] || bad "the listener got by a change: $got"

t "one that has a denied name beside an allowed one is not opened by that, and one without is"
policy "file { deny write \"\${PROJECT_DIR}/ctl\"  allow read \"$WORK/steps\" }" exact
ln ctl alias
listen exact timeout 5 sh -c 'echo x >alias'
[ -z "$got" ] || bad "the listener got: $got"
want_err 'ctl'
rm alias
ln free alias
timeout 60 cat free >"$WORK/free" &
run_with exact timeout 5 sh -c 'echo x >alias'
wait
[ "$(<"$WORK/free")" = x ] || bad "the control: nothing came out of the other one"
listen open timeout 5 sh -c 'echo x >ctl'
[ "$got" = x ] || bad "the control: the listener got: $got"

t "a run that can write one ends when somebody gives it a denied name, and while nobody does it goes on"
for to in ctl3 free3; do
	rm -f ready ctl3 free3 f && mkfifo f
	(within 20 test -e ready && mv f "$to") &
	timeout 60 sleep 50 <f >/dev/null 2>&1 &
	reader=$!
	run_with ctl timeout 20 sh -c 'exec 7>f; : >ready; sleep 3; echo late >&7; echo went on'
	kill "$reader" 2>/dev/null
	wait
	if [ "$to" = ctl3 ]; then
		want_rc 123
		no_out 'went on'
	else
		want_rc 0
		want_out 'went on'
	fi
done

t "on a read-only mount none is opened, which the kernel alone would do"
apart() { # a mount of this test's own, in which a FIFO lies
	local script='mkdir -p sub && mount -t tmpfs none sub && mkfifo -m 666 sub/pipe && mount -o bind,remount,'$1' sub; shift
		timeout 20 cat sub/pipe >got & "$@"; echo "$?"; kill $! 2>/dev/null; wait $! 2>/dev/null; cat got'
	if is_root; then unshare -m bash -c "$script" x "$@"; else unshare -rm bash -c "$script" x "$@"; fi
}
out=$(apart ro "$BIN/polrun" --project . -b "$WORK/open.polb" timeout 5 sh -c 'echo said >sub/pipe' 2>"$WORK/.err")
err=$(<"$WORK/.err")
want_out '^[12]$'
no_out said
want_err 'Read-only file system|sub/pipe'
out=$(apart rw "$BIN/polrun" --project . -b "$WORK/open.polb" timeout 5 sh -c 'echo said >sub/pipe' 2>"$WORK/.err")
err=$(<"$WORK/.err")
want_out '^0$'
want_out '^said$'
rm -f got

done_
