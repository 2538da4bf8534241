#!/usr/bin/env bash
# The locks by which runs of one user know of one another: a run that does not get one is refused, and does
# not take itself for alone; nobody else can hold them.
# timing: holds a lock for some seconds
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
policy 'file {
    allow read, write, exec "${PROJECT_DIR}"
    deny write "${PROJECT_DIR}/**/locked/*.txt"
}'
STATE=$HOME/.local/state/pol
cat >hold.py <<'E2'
import fcntl, os, sys, time
fd = os.open(sys.argv[1], os.O_WRONLY)
fcntl.flock(fd, {'alone': fcntl.LOCK_EX, 'shared': fcntl.LOCK_SH}[sys.argv[2]])
open('holds', 'w').close()
time.sleep(float(sys.argv[3]))
E2
# HOW SECONDS: as another polrun would; sets pid
hold() {
	rm -f holds started
	python3 hold.py "$STATE/open.lock" "$1" "$2" &
	pid=$!
	within 20 test -e holds || bad "it does not hold the lock"
}
let_go() {
	kill "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
}
run true
want_rc 0

t "the control: a lock that another one has, too"
hold shared 60
run sh -c ': >started'
want_rc 0
want_file started
let_go

t "a lock that another run has alone for a moment: the run waits, and does not burn the processor"
hold alone 2
TIMEFORMAT='%U %S'
spent=$({ time run sh -c ': >started'; } 2>&1)
want_file started
awk '{ exit !($1 + $2 < 1) }' <<<"$spent" || bad "user and system: $spent"
let_go

t "a lock that another run keeps alone: the run is refused before the command starts, with the reason"
hold alone 60
run sh -c ': >started'
want_rc 125
want_line 'refused: another process of this user has had the lock .* alone for 5 seconds'
no_file started
let_go
run sh -c ': >started'
want_rc 0

t "the run of a polrun that is stopped keeps no other from beginning"
rm -f up go
"$BIN/polrun" -q -b "$WORK/p.polb" sh -c ': >up; while ! [ -e go ]; do sleep 0.05; done' </dev/null &
pid=$!
within 20 test -e up || bad "it has not begun"
kill -STOP "$pid"
run sh -c ': >started'
want_rc 0
kill -CONT "$pid"
touch go
wait "$pid"

# told: COMMAND…: it is not used, and that is said; then all is as before
not_taken() { # PATTERN
	run sh -c ': >started'
	want_rc 0
	want_line "(not ordered with other runs of the project|what other runs of the project leave open is not known): .*$1"
}
t "what another user could open or exchange is not taken, and it is told"
chmod 0622 "$STATE/names.lock"
not_taken 'names.lock: it must be a file of this user'
rm "$STATE/names.lock"
mkfifo -m 0200 "$STATE/names.lock"
not_taken "names.lock: No such device"
rm "$STATE/names.lock"
ln "$STATE/open.lock" "$STATE/names.lock"
run true
[ "$(grep -c '^polrun: .*\(names\|open\).lock: it must be' <<<"$err")" -eq 2 ] || bad "a file with two names"
rm "$STATE/names.lock"
chmod 0644 "$STATE/open.lock"
not_taken 'open.lock: it must be a file of this user'
chmod 0200 "$STATE/open.lock"
chmod 0777 "$STATE"
run sh -c ': >started'
[ "$(grep -c "^polrun: .*$STATE: somebody else can write it" <<<"$err")" -ge 2 ] || bad "not told"
chmod 0700 "$STATE"
run true
want_rc 0
no_err 'not ordered|is not known'
if is_root; then
	t "a lock of another user's"
	chown 61234 "$STATE/open.lock"
	not_taken 'open.lock: it must be a file of this user'
	chown 0 "$STATE/open.lock"
fi

done_
