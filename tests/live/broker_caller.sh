#!/usr/bin/env bash
# What polrun makes for a caller is made as by the caller: its limit of file sizes counts, the walls that
# it has made for itself hold, and it is found from where the caller is, however that is called.
# places:
# shellcheck disable=SC2016,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

command -v python3 >/dev/null || { skip python3 "it is not installed"; done_; exit; }
RUN_OPTIONS=(-y)
BY_NAME='file { deny write "${PROJECT_DIR}/**/.env*"  scratch "/dev/shm" }'
policy "$BY_NAME" p
policy "$BY_NAME"' limits { file-size 64K }' small
policy 'file { hide "${PROJECT_DIR}/**/.env*" as hidden }' reads

# --- limits

cat >"$P/grow.py" <<'EOF'
import errno, os, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGXFSZ])
def grow(n):
    try:
        os.truncate("grown", n)
        r = "0"
    except OSError as e:
        r = errno.errorcode[e.errno]
    print(n, r, *(signal.Signals(s).name for s in signal.sigpending()))
    if signal.sigpending():
        signal.sigwait([signal.SIGXFSZ])
for n in map(int, sys.argv[1:]):
    grow(n)
EOF

t "truncate meets the limit of the policy, with its signal"
: >grown
run_with small python3 grow.py 65536 65537 100
want_rc 0
want_out '^65536 0$'
want_out '^65537 EFBIG SIGXFSZ$'
want_out '^100 0$'
[ "$(stat -c %s grown)" -eq 100 ] || bad "it has $(stat -c %s grown) bytes"
run_with p python3 grow.py 65537
want_out '^65537 0$'

t "a limit that the caller has set for itself, and a file that is larger already"
truncate -s 9000 grown
same='ulimit -f 8; python3 grow.py 8192 8193 0 8193'
outside=$(bash -c "$same")
truncate -s 9000 grown
run bash -c "$same"
want_rc 0
[ "$out" = "$outside" ] || bad "outside: $outside"
truncate -s 9000 grown
run bash -c 'ulimit -f 8; python3 grow.py 8500 8600'
want_out '^8500 0$'
want_out '^8600 EFBIG SIGXFSZ$'

t "who does not know the signal ends by it"
truncate -s 0 grown
run bash -c 'ulimit -f 8; python3 -c "import os, signal
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
os.truncate(\"grown\", 9000)"; echo "status $?"'
want_out '^status 153$'

# What is opened is there with its text, and of what is not there nothing is made, where there is no descriptor for it.
cat >"$P/no_room.py" <<'EOF'
import errno, os, resource, sys, time
def told(what, name, flags):
    try: fd = os.open(name, flags, 0o600)
    except OSError as e: r = errno.errorcode[e.errno]
    else:
        os.close(fd)
        r = "ok"
    print(what, r, *("absent" if not os.path.exists(n) else os.stat(n).st_size for n in [name]))
def tell(when):
    told(when + " trunc", "full", os.O_WRONLY | os.O_TRUNC)
    told(when + " creat", "new", os.O_WRONLY | os.O_CREAT)
    told(when + " excl", "new2", os.O_RDWR | os.O_CREAT | os.O_EXCL)
    told(when + " both", "full", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
open("full", "w").write("text")
fds = []
if sys.argv[1] == "own":
    resource.setrlimit(resource.RLIMIT_NOFILE, (40, 100))
    high = os.dup2(0, 39)
# polrun lets go of what was closed before only when it looks again
for i in range(1 if sys.argv[1] == "own" else 5):
    try:
        while True: fds.append(os.open("many%d" % len(fds), os.O_WRONLY | os.O_CREAT))
    except OSError as e: r = errno.errorcode[e.errno]
    time.sleep(0.2)
print(r, os.path.exists("many%d" % len(fds)))
tell("full")
os.close(fds.pop(5))
if sys.argv[1] == "own":
    os.dup2(0, 38)
    resource.setrlimit(resource.RLIMIT_NOFILE, (39, 100))
    tell("free below")
EOF

t "who has no room for a descriptor makes no file and empties none"
rm -rf many* new new2
outside=$(python3 no_room.py own)
rm -rf many* new new2
run python3 no_room.py own
want_rc 0
[ "$out" = "$outside" ] || bad "outside: $outside"
want_out '^full trunc EMFILE 4$'
want_out '^full creat EMFILE absent$'
want_out '^free below trunc ok 0$'
want_out '^free below creat ok 0$'
rm -rf many* new new2

t "so it is where polrun holds as many files as it can"
(ulimit -n 320 && run python3 no_room.py held && printf '%s\n' "$rc" "$out" "$err" >"$WORK/.held")
out=$(<"$WORK/.held")
want_out '^0$'
want_out '^EMFILE False$'
want_out '^full trunc EMFILE 4$'
want_out '^full excl EMFILE absent$'
rm -rf many* new new2

# --- walls

# ARGS of python: the walls, then what is tried behind them: in this process, in a child of it and in a program.
cat >"$P/walled.py" <<'EOF'
import ctypes, errno, os, resource, subprocess, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
def wall(handled):
    libc.prctl(38, 1, 0, 0, 0)
    fd = libc.syscall(444, ctypes.byref(ctypes.c_uint64(handled)), 8, 0)
    if fd < 0 or libc.syscall(446, fd, 0) != 0:
        sys.exit("no walls: %s" % os.strerror(ctypes.get_errno()))
    os.close(fd)
WRITES = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 13 | 1 << 14
READS = 1 << 2
d = sys.argv[2] if len(sys.argv) > 2 else "."
def said(f, *a):
    try:
        f(*a)
        return "worked"
    except OSError as e:
        return "failed"
ways = {
    "open": lambda: os.open(d + "/there", os.O_WRONLY),
    "create": lambda: os.open(d + "/new", os.O_WRONLY | os.O_CREAT, 0o600),
    "mkdir": lambda: os.mkdir(d + "/dir"),
    "symlink": lambda: os.symlink("x", d + "/link"),
    "link": lambda: os.link(d + "/there", d + "/hard"),
    "truncate": lambda: os.truncate(d + "/there", 0),
    "rename": lambda: os.rename(d + "/there", d + "/other"),
    "unlink": lambda: os.unlink(d + ("/other" if os.path.exists(d + "/other") else "/there")),
}
def all_ways(who):
    for name, f in ways.items():
        print(who, name, said(f), flush=True)
how = sys.argv[1]
if how == "again":
    all_ways("program")
elif how == "control":
    all_ways("self")
elif how == "read":
    print("before", said(open, d + "/there"))
    wall(READS)
    print("after", said(open, d + "/there"))
elif how == "raise":
    wall(WRITES)
    # whatever limit it raises
    for what in range(16):
        try:
            resource.setrlimit(what, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        except (OSError, ValueError):
            pass
    all_ways("self")
else:
    if how == "thread":
        t = threading.Thread(target=lambda: (wall(WRITES), all_ways("thread")))
        t.start()
        t.join()
        sys.exit()
    wall(WRITES)
    all_ways("self")
    if os.fork() == 0:
        if os.fork() == 0:
            all_ways("orphan")
        os._exit(0)
    os.wait()
    subprocess.run([sys.executable, __file__, "again", d])
EOF
has_landlock() { "$BIN/polrun" --doctor | grep -q '^Landlock  *ABI'; }
fill() { rm -rf in; mkdir in; echo text >in/there; }

if has_landlock; then
	t "the control: without walls of its own all of it works"
	fill
	run python3 walled.py control in
	want_rc 0
	no_out failed
	[ "$(grep -c worked <<<"$out")" -eq 8 ] || bad 'not all was tried'

	t "behind walls of its own nothing is written: by itself, its children, their programs and a thread"
	for how in itself raise thread; do
		fill
		mkdir -p "$WORK/o"
		echo text >"$WORK/o/there"
		outside=$(python3 walled.py "$how" "$WORK/o")
		! grep -q worked <<<"$outside" || bad "outside: $outside"
		run python3 walled.py "$how" in
		want_rc 0
		no_out worked
		want_out '^(self|thread) unlink failed$'
		[ "$how" != itself ] || want_out '^program unlink failed$'
		want_text text in/there
		[ "$(ls in)" = there ] || bad "in: $(ls in)"
	done
	run --explain-denials python3 walled.py itself in
	no_out worked

	t "others in the run write as before"
	fill
	run sh -c 'python3 walled.py itself in >/dev/null; python3 walled.py control in'
	want_rc 0
	no_out failed

	t "nothing is read behind them where polrun opens what is read"
	fill
	run_with reads python3 walled.py read in
	want_out '^before worked$'
	want_out '^after failed$'
else
	skip landlock "the kernel has none"
fi

# --- capabilities

if is_root && command -v setpriv >/dev/null; then
	CAPS=+chown,+dac_override,+fowner
	echo 'cat closed; echo more >>closed; chmod 666 closed; truncate -s 0 closed; cat closed2; echo more >>open && echo fine' \
		>"$P/rights.sh"
	for uid in 61234 0; do
		t "what polrun may do beyond the run, it does not do for it (user $uid)"
		for f in closed closed2; do echo secret >"$P/$f"; done
		: >"$P/open"
		chown -R "$uid:$uid" "$WORK/home"
		chown 61999:61999 "$P/closed" "$P/closed2"
		chmod 600 "$P/closed" "$P/closed2"
		chmod 711 "$WORK"
		for b in p reads; do install -m 600 -o "$uid" "$WORK/$b.polb" "$WORK/home/$b.polb"; done
		with=(setpriv --securebits +no_setuid_fixup)
		[ "$uid" = 0 ] ||
			with=(setpriv "--reuid=$uid" "--regid=$uid" --clear-groups --inh-caps "$CAPS" --ambient-caps "$CAPS")
		out=$("${with[@]}" sh -c 'cat closed && echo x >>closed && cat closed' 2>&1)
		want_out '^x$' # the control: without polrun it may
		echo secret >"$P/closed"
		for b in p reads; do
			"${with[@]}" "$BIN/polrun" -y -b "$WORK/home/$b.polb" sh rights.sh >"$WORK/.out" 2>"$WORK/.err" </dev/null
			rc=$? out=$(<"$WORK/.out") err=$(<"$WORK/.err")
			no_out secret
			want_text secret "$P/closed"
			[ "$(stat -c %a "$P/closed")" = 600 ] || bad 'its mode has changed'
			if [ "$uid" = 0 ]; then
				want_rc 125
				want_line 'capabilities that the run does not have'
			else
				want_out '^fine$'
			fi
		done
	done
	chown -R 0:0 "$WORK/home"
fi

# --- names

t "a directory or a file that is called \" (deleted)\" is one"
mkdir "gone (deleted)" gone
echo x >"gone (deleted)/f (deleted)"
run sh -c 'cd "gone (deleted)" && mkdir d && echo made >d/f && mv d/f "d/g (deleted)" && cd "d" && rm "g (deleted)" &&
	cd .. && rmdir d && echo made >new'
want_rc 0
want_text made "gone (deleted)/new"
run sh -c 'cd "gone (deleted)" && : >.env'
[ "$rc" -ne 0 ] || bad '.env was made'
no_file "gone (deleted)/.env"
run python3 -c 'import os
os.chdir("gone (deleted)")
d = os.open(".", os.O_RDONLY)
os.mkdir("by-fd", dir_fd=d)
f = os.open("f (deleted)", os.O_RDONLY)
os.fchmod(f, 0o640)
os.fchmod(d, 0o711)'
want_rc 0
want_file "gone (deleted)/by-fd"
[ "$(stat -c %a 'gone (deleted)/f (deleted)')" = 640 ] || bad 'its mode is not the new one'

t "one that was removed is none, also if another is called so"
mkdir -p two "two (deleted)"
run sh -c 'cd two && rmdir ../two && { : >f; } 2>/dev/null'
[ "$rc" -ne 0 ] || bad 'a file was made'
[ -z "$(ls "two (deleted)")" ] || bad "in the other: $(ls "two (deleted)")"

t "times of a descriptor that was opened for reading"
echo x >old
touch -d 2001-01-01 old gone
run python3 -c 'import os
for n in ("old", "gone"):
    os.utime(os.open(n, os.O_RDONLY), (1e9, 1e9))
f = os.open("made", os.O_WRONLY | os.O_CREAT)
os.utime(f, (1e9, 1e9))'
want_rc 0
for f in old gone made; do
	[ "$(stat -c %Y "$f")" = 1000000000 ] || bad "$f has $(stat -c %Y "$f")"
done
echo x >.env
before=$(stat -c %Y .env)
run python3 -c 'import os; os.utime(os.open(".env", os.O_RDONLY), (1e9, 1e9))'
[ "$rc" -ne 0 ] || bad 'the times of a denied name were set'
[ "$(stat -c %Y .env)" = "$before" ] || bad '.env has other times'
done_
