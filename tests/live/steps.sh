#!/usr/bin/env bash
# shellcheck shell=bash
# One check for each row of the step table (runtime/sandbox/steps.def): the
# name of a test begins with the rows that it watches.  `make step-mutants`
# switches rows off and expects these to fail; doc/enforcement.md lists them.
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
# A command that names what is hidden is asked about; here the walls are tried.
RUN_OPTIONS=(-y)

F=$PROBES/file_probe N=$PROBES/ns_probe
# The project is written name by name; W is a tree that the run writes itself.
W=$WORK/out/w
mkdir -p "$W/a/b/c" "$W/to" "$P/a/b/c" "$P/hid" "$P/to" "$HOME/.secret"
echo s >"$P/hid/s" && echo f >"$P/hidfile" && echo n >"$P/near"
echo host >"$WORK/out/host"

# shellcheck disable=SC2016
policy 'file {
	allow read, exec "'"$PROBES"'"
	scratch "${HOME}", "/dev/shm"
	deny write "${PROJECT_DIR}/a/b/c", "${HOME}/.locked"
	hide "${PROJECT_DIR}/hid", "${PROJECT_DIR}/hidfile", "${HOME}/.secret"
	allow read, write "'"$W"'"
	hide "'"$W"'/a/b/c"
}
limits { disk 8M  files 200 }'
# shellcheck disable=SC2016
policy 'file {
	allow read, exec "'"$PROBES"'"
	allow exec "${PROJECT_DIR}"
	deny write "${PROJECT_DIR}/a/b/c"
	allow read, write, exec "'"$W"'"
}' x

inside() { run "$@"; }

t "ns-mnt ns-pid setgroups run-uid open base mkdir mkfile symlink tree scratch proc no-new-privs seccomp exec: a run begins and ends"
inside /bin/sh -c 'echo begun; exit 7'
want_rc 7
want_out '^begun$'

t "ns-mnt ns-pid ns-net ns-ipc ns-uts: no namespace is the caller's"
for ns in mnt pid net ipc uts user; do
	outer=$(readlink "/proc/self/ns/$ns")
	inside readlink "/proc/self/ns/$ns"
	want_rc 0
	[ "$out" != "$outer" ] || bad "the $ns namespace is the caller's"
done

t "setgroups: groups cannot be dropped inside"
inside cat /proc/self/setgroups
want_out '^deny$'

t "dumpable: pid 1 is closed to the command"
inside "$F" read /proc/1/environ
want_out '^EACCES$'
inside "$N" mem 1
want_out '^EACCES$'
inside "$F" read /proc/self/environ
want_out '^OK$'

t "keyring: the caller's keys are not found"
out=$("$N" with-key pol-step "$N" keysearch pol-step 2>&1)
want_out '^OK$'
out=$("$N" with-key pol-step "$BIN/polrun" -b "$WORK/p.polb" "$N" keysearch pol-step 2>"$WORK/.err")
want_out '^(ENOKEY|EACCES|EKEYREVOKED)$'

t "disk: scratch trees have one size"
inside dd if=/dev/zero of=/tmp/big bs=64k count=64
want_rc 0
inside dd if=/dev/zero of=/tmp/big bs=64k count=256
want_rc 1
want_err 'No space'

t "masks: what stands for a hidden name cannot be changed"
inside "$F" chmod "$HOME/.secret" 700
want_out '^EROFS$'
inside sh -c "mkdir \$HOME/mine && $F chmod \$HOME/mine 711"
want_out '^OK$'

t "hide-dir hide-file: nothing is read, the neighbour is"
inside "$F" read hid/s
want_out '^EACCES$'
inside "$F" list hid
want_out '^EACCES$'
inside "$F" read hidfile
want_out '^EACCES$'
inside "$F" read near
want_out '^OK$'

t "lock-name: a denied name in a tree of the run's own"
inside "$F" create "$HOME/.locked"
want_out '^EEXIST$'
inside "$F" rename "$HOME/.locked" "$HOME/x"
want_out '^EBUSY$'
inside "$F" create "$HOME/.other"
want_out '^OK$'

t "tree-broker broker: a directory in which a name is denied is read-only but for what polrun does"
inside "$F" create a/b/c/x
want_out '^EACCES$'
inside "$F" create a/b/y
want_out '^OK$'
inside "$F" flags a/b
want_out '^EROFS$'
inside "$F" flags "$W"
want_out '^OK$'

t "broker-noexec: what polrun opened for writing is no program"
rm -f "$P/a/b/m"
run_with x "$F" mapw a/b/m
want_out '^EPERM$'
run_with x "$F" mapw "$W/m"
want_out '^OK$'
cp "$F" "$P/a/b/prog"
run_with x sh -c 'chmod 755 a/b/prog && a/b/prog read near'
want_out '^OK$'
rm -f "$P/a/b/m" "$W/m" "$P/a/b/prog"

t "tree-ro: a denied tree and a system tree"
inside "$F" chmod /usr/bin/env 755
want_out '^EROFS$'
inside "$F" create a/b/x
want_out '^OK$'

t "tree-noexec: what was written does not run, not by mmap either"
inside sh -c "cp $F /tmp/f && $F exec /tmp/f"
want_out '^EACCES$'
inside sh -c "cp $F /tmp/f && $F map /tmp/f"
want_out '^EPERM$'
inside "$F" map /usr/bin/env
want_out '^OK$'

t "tree-nosuid tree-nodev: flags of every tree"
inside sh -c "grep -E ' ($P|/usr|/tmp) ' /proc/self/mountinfo | grep -vcE ' r[ow],nosuid,nodev'"
want_out '^0$'
if is_root; then
	mknod "$P/null" c 1 3 && chmod 0666 "$P/null"
	inside "$F" read null
	want_out '^EACCES$'
	rm -f "$P/null"
fi

t "pin-dir: a directory above a denied one stays where it is"
inside "$F" rename "$W/a" "$W/moved"
want_out '^EBUSY$'
inside "$F" exchange "$W/a" "$W/to"
want_out '^EBUSY$'
inside "$F" rename "$W/to" "$W/moved"
want_out '^OK$'
mv "$W/moved" "$W/to"

t "cover: rename and link work across pinned directories"
: >"$W/a/b/linkme"
[ "$me" != root ] || chown -R "$(stat -c %u "$P")" "$W"
inside "$F" link "$W/a/b/linkme" "$W/to/linked"
want_out '^OK$'
inside "$F" rename "$W/a/b/linkme" "$W/to/renamed"
want_out '^OK$'

t "text: passwd begins with the run's user"
inside sh -c 'test "$(head -n 1 /etc/passwd | cut -d: -f3)" = "$(id -u)" && test "$(head -n 1 /etc/group | cut -d: -f3)" = "$(id -g)"'
want_rc 0

t "dev devpts: six devices and own terminals"
inside ls /dev
[ "$(tr '\n' ' ' <<<"$out")" = "fd full null ptmx pts random shm stderr stdin stdout tty urandom zero " ] ||
	bad "/dev holds $out"
inside ls /dev/pts
[ "$out" = ptmx ] || bad "/dev/pts holds '$out'"
inside "$F" write /dev/null x
want_out '^OK$'

if command -v python3 >/dev/null && [ "$(cat /proc/sys/kernel/pty/max)" -ge 4096 ] &&
	[ "$(ulimit -Hn)" -ge 4200 ]; then
	t "devpts: a run that takes all terminals that it gets leaves some to the next run"
	cat >"$P/terminals.py" <<'EOS'
import os, resource, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (4200, 4200))
fds = []
try:
    while len(fds) < int(sys.argv[1]):
        fds.append(os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY))
except OSError as e:
    pass
print(len(fds), flush=True)
open("terminals", "w").close() if len(sys.argv) > 2 else None
while len(sys.argv) > 2 and os.path.exists("terminals"):
    time.sleep(0.05)
EOS
	"$BIN/polrun" -q -y -b "$WORK/x.polb" python3 terminals.py 4096 wait >"$WORK/out/terminals" 2>&1 </dev/null &
	pid=$!
	within 30 test -e "$P/terminals" || bad "no terminals were taken"
	[ "$(cat "$WORK/out/terminals")" = 1024 ] || bad "it got $(cat "$WORK/out/terminals")"
	run_with x python3 terminals.py 100
	want_out '^100$'
	rm -f "$P/terminals"
	wait "$pid"
fi

t "proc: only the run's processes"
inside sh -c 'ls -d /proc/[0-9]* | wc -l'
[ "$out" -le 5 ] || bad "$out processes"

t "userns-max: no user namespace, by any call"
inside "$N" userns
want_out '^ENOSPC$'
inside "$N" userns-clone3
want_out '^ENOSPC$'

t "inotify-max: half of what the user may have"
for name in max_inotify_instances max_inotify_watches max_fanotify_groups max_fanotify_marks; do
	[ -e /proc/sys/user/$name ] || continue
	inside cat /proc/sys/user/$name
	want_out "^$(($(cat /proc/sys/user/$name) / 2))\$"
done

if command -v python3 >/dev/null && [ -e /proc/sys/user/max_fanotify_groups ]; then
	t "inotify-max: a run that takes all fanotify groups that it gets leaves some to the programs outside"
	cat >"$P/groups.py" <<'EOS'
# fanotify_init(FAN_REPORT_FID), which needs no privilege
import ctypes, errno, os, platform, sys, time
call = {'x86_64': 300, 'aarch64': 262}[platform.machine()]
libc, n = ctypes.CDLL(None, use_errno=True), 0
while n < int(sys.argv[1]) and libc.syscall(call, 0x200, 0) >= 0:
    n += 1
print(n, errno.errorcode.get(ctypes.get_errno()), flush=True)
open('groups-taken', 'w').close() if len(sys.argv) > 2 else None
while len(sys.argv) > 2 and os.path.exists('groups-taken'):
    time.sleep(0.05)
EOS
	few=$(($(cat /proc/sys/user/max_fanotify_groups) / 4))
	cp "$P/groups.py" "$WORK/out/groups.py"
	[[ $(python3 "$WORK/out/groups.py" "$few") == "$few "* ]] || bad "the control: there are not so many outside"
	rm -f "$P/groups-taken"
	"$BIN/polrun" -q -y -b "$WORK/p.polb" python3 groups.py 100000 wait >"$WORK/out/groups" 2>&1 </dev/null &
	pid=$!
	within 30 test -e "$P/groups-taken" || bad "no groups were taken"
	[ "$me" = root ] || grep -q 'EMFILE' "$WORK/out/groups" || bad "$(cat "$WORK/out/groups")"
	[[ $(python3 "$WORK/out/groups.py" "$few") == "$few "* ]] || bad "none is left outside"
	rm -f "$P/groups-taken"
	wait "$pid"
fi

t "tcp-fastopen mptcp tcp-reno: settings of the own network"
inside cat /proc/sys/net/ipv4/tcp_fastopen
want_out '^0$'
inside cat /proc/sys/net/ipv4/tcp_congestion_control
want_out '^reno$'
if [ -e /proc/sys/net/mptcp/enabled ]; then
	inside cat /proc/sys/net/mptcp/enabled
	want_out '^0$'
fi

t "proc-sys proc-kcore proc-keys proc-sysrq proc-timers: masks of /proc"
for f in kcore keys sysrq-trigger timer_list; do
	[ ! -e "/proc/$f" ] && continue
	inside grep -cE " /proc/$f ro," /proc/self/mountinfo
	want_out '^1$'
done
inside grep -cE ' /proc/sys ro,' /proc/self/mountinfo
want_out '^1$'
if [ -r /proc/keys ]; then
	inside "$F" read /proc/keys
	want_out '^EACCES$'
fi

t "root-ro: no new names in /"
inside "$F" mkdir /new
want_out '^EROFS$'
inside "$F" mkdir "$(dirname "$WORK")/new"
want_out '^EROFS$'

t "pivot detach: one root, and it is the run's"
inside sh -c "awk '\$5 == \"/\"' /proc/self/mountinfo | wc -l"
want_out '^1$'
inside "$F" read "$WORK/out/host"
want_out '^ENOENT$'

t "cwd: the caller's directory"
inside pwd -P
[ "$out" = "$P" ] || bad "in $out"

t "lo: the own loopback is up"
inside grep -c 127.0.0.1 /proc/net/fib_trie
want_rc 0

t "nft: a limited network's rules"
raw_policy "${HEAD/network disabled/network limited}file { allow read, exec \"$PROBES\" }
network { allow tcp 127.0.0.0/8 port 8000 as web  deny tcp 127.0.0.0/8 port 8001  deny udp 127.0.0.0/8 port 8000 }" n
run_with n "$PROBES/net_probe" tcp 127.0.0.1 8000
want_out ' allow$'
run_with n "$PROBES/net_probe" tcp 127.0.0.1 8001
want_out ' deny ECONNREFUSED$'
run_with n "$PROBES/net_probe" udp 127.0.0.1 8000
want_out ' deny EPERM$'

t "routes: an address is reached in the namespace, where the gateway takes the connection"
raw_policy "${HEAD/network disabled/network limited}file { allow read, exec \"$PROBES\" }
network { allow tcp \"a.example\" port 443  allow tcp 203.0.113.7 port 443 as far }" r
run_with r bash -c 'exec 3<>/dev/tcp/203.0.113.7/443 && echo taken'
want_out '^taken$'
run_with r bash -c 'exec 3<>/dev/tcp/203.0.113.8/443 && echo taken'
no_out taken

t "securebits bounding ambient capset no-new-privs: nothing is left"
inside "$N" caps
want_out '^effective 000000000 permitted 000000000 inheritable 000000000 bounding 0 securebits cf nnp 1 '
inside grep -E '^Cap(Eff|Prm|Inh|Bnd|Amb):' /proc/1/status
no_out '[1-9a-f][0-9a-f]*$'

t "securebits bounding capset: a program may ask to keep its capabilities, as ping does, and has none after it"
inside "$N" keep-caps
want_rc 0
want_out '^kept 1, CAP_NET_RAW EPERM, effective 0+ permitted 0+ inheritable 0+ bounding 0 securebits df nnp 1 '
# uid 0 inside: root of a user namespace
if unshare -r true 2>/dev/null; then
	out=$(unshare -r "$BIN/polrun" -q -y -b "$WORK/p.polb" sh -c 'id -u && "$0" keep-caps' "$N" 2>&1)
	want_out '^0$'
	want_out '^kept 1, CAP_NET_RAW EPERM, effective 0+ permitted 0+ inheritable 0+ bounding 0 securebits df nnp 1 '
fi

t "landlock: a descriptor is not opened again with more rights"
echo before >"$WORK/out/in"
chmod 0666 "$WORK/out/in"
out=$("$BIN/polrun" -b "$WORK/p.polb" "$F" write /proc/self/fd/0 after <"$WORK/out/in" 2>"$WORK/.err")
# an ordinary user's own file goes through a pipe: it is opened, and not reached
is_root && want_out '^EACCES$'
want_text before "$WORK/out/in"

t "rlimit: signals and timers, which count for the user"
inside "$N" rlimit 11
[ "${out%% *}" -le 4096 ] || bad "the run may have $out queued signals"
if command -v python3 >/dev/null && [ "$(ulimit -i)" -gt 8192 ]; then
	inside timeout 20 python3 -c 'import ctypes, signal
signal.pthread_sigmask(signal.SIG_BLOCK, {40})
n = 0
while n < 100000 and ctypes.CDLL(None).sigqueue(ctypes.CDLL(None).getpid(), 40, None) == 0: n += 1
print(n)'
	[ "$out" -gt 1000 ] && [ "$out" -le 4096 ] || bad "$out signals were queued"
fi

t "rlimit: memory that is locked for the user, and message queues: half of what the caller may have"
for resource in 8 12; do # RLIMIT_MEMLOCK RLIMIT_MSGQUEUE
	outside=$("$N" rlimit $resource) outside=${outside%% *}
	inside "$N" rlimit $resource
	if [ "$outside" = -1 ] || [ "${#outside}" -gt 18 ]; then
		want_out "^$outside "
	else
		want_out "^$((outside / 2)) $((outside / 2))\$"
	fi
done
if command -v python3 >/dev/null && [[ $(ulimit -l) != unlimited ]]; then
	cat >"$P/locks.py" <<'EOS'
# SHM_LOCK of KiB, which needs no privilege; waits while `locked` is there
import ctypes, errno, os, sys, time
libc, n, want = ctypes.CDLL(None, use_errno=True), 0, int(sys.argv[1])
ids = []
while n < want:
    ids.append(libc.shmget(0, 64 << 10, 0o1600))
    if libc.shmctl(ids[-1], 11, None) < 0:
        break
    n += 64
print(n, errno.errorcode.get(ctypes.get_errno()), flush=True)
if len(sys.argv) > 2:
    open('locked', 'w').close()
while len(sys.argv) > 2 and os.path.exists('locked'):
    time.sleep(0.05)
for i in ids:
    libc.shmctl(i, 0, None)
EOS
	few=$(($(ulimit -l) / 4 / 64 * 64))
	cp "$P/locks.py" "$WORK/out/locks.py"
	rm -f "$P/locked"
	[[ $(python3 "$WORK/out/locks.py" "$few") == "$few "* ]] || bad "the control: so much cannot be locked outside"
	"$BIN/polrun" -q -y -b "$WORK/p.polb" python3 locks.py 1000000 wait >"$WORK/out/locks" 2>&1 </dev/null &
	pid=$!
	within 30 test -e "$P/locked" || bad "nothing was locked"
	grep -q ENOMEM "$WORK/out/locks" || bad "$(cat "$WORK/out/locks")"
	[[ $(python3 "$WORK/out/locks.py" "$few") == "$few "* ]] || bad "none is left outside"
	rm -f "$P/locked"
	wait "$pid"
fi

t "rlimit: files"
inside "$N" rlimit 7
want_out '^200 200$'

t "signals: umask and an ignored SIGHUP are the caller's"
out=$( (umask 0027; trap '' HUP; "$BIN/polrun" -b "$WORK/p.polb" sh -c 'umask; grep SigIgn /proc/self/status' 2>"$WORK/.err"))
want_out '^0027$'
want_out 'SigIgn:.*1$'
inside grep SigIgn /proc/self/status
want_out 'SigIgn:.0*$'

t "close: no descriptor but 0 to 2"
exec 9<"$WORK/out/host"
inside "$N" fds
exec 9<&-
want_out '^EBADF$'

t "seccomp-unix: abstract sockets of the host, where Landlock has no scope for them"
raw_policy "${HEAD/network disabled/network full}" full
cat >"$P/abstract.py" <<'EOS'
import errno, os, socket, sys
def name(f):
    try: f(); return "OK"
    except OSError as e: return errno.errorcode[e.errno]
print(name(lambda: socket.socket(socket.AF_UNIX).connect("\0" + sys.argv[1])))
EOS
name=pol-steps-$$
coproc ABSTRACT { exec python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX); s.bind("\0" + sys.argv[1]); s.listen()
print(flush=True); sys.stdin.read()' "$name"; }
read -r -t 20 <&"${ABSTRACT[0]}" || bad "no server"
out=$("$PROBES/outer" no-landlock "$BIN/polrun" -b "$WORK/full.polb" python3 abstract.py "$name" 2>"$WORK/.err")
want_out '^EAFNOSUPPORT$'
[ "$(python3 "$P/abstract.py" "$name")" = OK ] || bad "the control"
eval "exec ${ABSTRACT[1]}>&-"

t "seccomp: a denied call"
policy "file { allow read, exec \"$PROBES\" } syscall { deny sethostname with EACCES }" s
run_with s "$N" sethostname x
want_out '^EACCES$'
inside "$N" sethostname x
want_out '^EPERM$'

# (the sanitizers need calls that this filter denies: that variant has none)
if [ "$VARIANT" != san ]; then
	t "seccomp-init: pid 1 has a filter of its own"
	# pid 1 loads it while the command starts
	inside sh -c 'for i in $(seq 100); do
		! grep -E "^Seccomp:.*2$" /proc/1/status || exit 0; sleep 0.05; done'
	want_out '2$'
fi

if is_root; then
	t "groups: root's supplementary groups are not the run's"
	out=$(setpriv --groups 4242 "$BIN/polrun" -b "$WORK/p.polb" grep '^Groups' /proc/self/status 2>"$WORK/.err")
	want_out '^Groups:[[:space:]]*$'

	t "idmap run-uid: the project is the run's, what root owns elsewhere is not"
	inside sh -c 'test "$(stat -c %u .)" = "$(id -u)" && touch mine && stat -c %u /etc'
	want_rc 0
	want_out '^65534$'
	[ "$(stat -c %u "$P/mine")" = "$(stat -c %u "$P")" ] || bad "made as another user"

	t "private tree-private: mounts do not travel"
	# shellcheck disable=SC2016
	out=$(unshare -m bash -c 'mount --make-rshared /; n() { grep -c . /proc/self/mountinfo; }
		before=$(n)
		"$1/polrun" -b "$2/p.polb" sh -c "touch up; timeout 30 sh -c \"until [ -e go ]; do sleep 0.01; done\"; test -e to/seen && echo travelled" 2>/dev/null &
		timeout 30 sh -c "until [ -e up ]; do sleep 0.01; done"
		during=$(n)
		mount -t tmpfs none to && touch to/seen; touch go
		wait $!
		echo "$before $during"' - "$BIN" "$WORK" 2>&1)
	no_out travelled
	[ "${out% *}" = "${out#* }" ] || bad "mounts on the host: $out"
fi

# The build with switches waits before the clone: time to exchange a place.
if [ -n "${POL_TEST_PAUSE:-}" ]; then
	swap() { # DIR: replaced by another one of its name while polrun waits
		sleep 0.2 # time: polrun waits for half a second before the clone
		mv "$1" "$1.old"
		mkdir "$1"
	}
	if ! is_root; then
		t "open-check: a tree that is exchanged after the decision is refused"
		swap "$P" &
		inside true
		wait $!
		want_rc 125
		want_err 'exchanged'
		rmdir "$P" && mv "$P.old" "$P"
	fi
	t "tree-check: a place that is exchanged after the decision is refused"
	swap "$P/hid" &
	inside true
	wait $!
	want_rc 125
	want_err 'exchanged'
	rmdir "$P/hid" && mv "$P/hid.old" "$P/hid"
fi

done_
