#!/usr/bin/env bash
# Tries: to stop a program outside by a lease on a file that the run may only read.
# Stops it: the floor, which has no leases of files or of directories.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
cat >"$P/lease.py" <<'E2'
import errno, fcntl, os, signal, sys, time
signal.signal(signal.SIGIO, signal.SIG_IGN)
path, op, kind = sys.argv[1], int(sys.argv[2], 0), getattr(fcntl, sys.argv[3])
fd = os.open(path, os.O_RDONLY)
try:
    fcntl.fcntl(fd, op, kind)
except OSError as e:
    print(errno.errorcode[e.errno])
    sys.exit(1)
print('OK', flush=True)
open('taken', 'w').close() if len(sys.argv) > 4 else None
time.sleep(float(sys.argv[4]) if len(sys.argv) > 4 else 0)
E2
echo kept >"$P/kept"
policy "$ADD file { deny write \"\${PROJECT_DIR}/kept\" }"
std_policy 'file { deny write "${PROJECT_DIR}/kept" }'
raw_policy "${HEAD/base none/base none  level managed}$ADD
file { deny write \"\${PROJECT_DIR}/kept\" }
syscall { final allow fcntl(*, F_SETLEASE) }" m

t "the control: outside a lease is taken"
outside python3 lease.py kept 0x400 F_WRLCK
worked

t "the control: given back by a managed policy, it is taken inside, and a program outside waits"
rm -f taken
"$BIN/polrun" -q -y -b "$WORK/m.polb" python3 lease.py kept 0x400 F_WRLCK 4 >/dev/null 2>&1 </dev/null &
pid=$!
within 30 test -e taken || bad "no lease was taken"
outside timeout 1 cat kept
want_rc 124
kill -TERM "$pid"
wait "$pid" 2>/dev/null
rm -f taken

t "else there is none, for reading or writing, also under another upper half"
for b in p s; do
	for kind in F_RDLCK F_WRLCK; do
		run_with $b python3 lease.py kept 0x400 $kind
		stopped EPERM
		run_with $b python3 lease.py "$P" 0x410 $kind
		stopped 'EPERM'
	done
	# fcntl(3, F_SETLEASE | 1 << 32, F_RDLCK)
	run_with $b "$C" fcntl 0 0x100000400 0
	stopped 'EPERM'
done

t "what is read, and made, is so as before"
run sh -c 'exec 7<kept; cat <&7 && : >other'
want_rc 0
want_out '^kept$'

t "locks, which programs need, work as before"
run python3 -c "
import fcntl
f = open('made', 'w')
fcntl.flock(f, fcntl.LOCK_EX)
fcntl.lockf(f, fcntl.LOCK_EX)
print(fcntl.fcntl(f, fcntl.F_GETFL) >= 0)"
want_rc 0
want_out '^True$'

done_
