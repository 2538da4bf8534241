#!/usr/bin/env bash
# Two runs at once in one project, which write no name together that each of them denies: one moves a
# directory while the other moves a file into it.
# timing: both work for some seconds
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
policy 'file {
    allow read, write, exec "${PROJECT_DIR}"
    deny write "${PROJECT_DIR}/**/locked/*.txt"
}'
cat >race.py <<'E2'
import os, sys, time
got, begun = 0, time.monotonic()
def goes_on():
    spent = time.monotonic() - begun
    return spent < 6 or (got < 3 and spent < 60)
if sys.argv[1] == 'move':
    os.mkdir('w')
    for i in range(800):
        open('w/f%d' % i, 'w').close()
    open('ready', 'w').close()
    while goes_on() and not os.path.exists('locked/evil.txt'):
        try:
            os.rename('w', 'locked')
            got += 1
            if os.path.exists('locked/evil.txt'):
                break
            os.rename('locked', 'w')
        except OSError:
            pass
else:
    os.mkdir('stash')
    open('stash/evil.txt', 'w').close()
    while not os.path.exists('ready'):
        time.sleep(0.01)
    while goes_on():
        try:
            os.rename('stash/evil.txt', 'w/evil.txt')
            got += 1
            os.rename('w/evil.txt', 'stash/evil.txt')
        except OSError:
            pass
print(got)
E2
t "the control: one run alone is refused"
run sh -c 'mkdir locked && touch a && mv a locked/evil.txt'
[ "$rc" -ne 0 ] || bad "it was moved"
no_file locked/evil.txt
rm -rf locked

t "one moves a directory, and the other a file into it: never to a denied name, and both get on"
"$BIN/polrun" -q -b "$WORK/p.polb" python3 race.py move >moved 2>/dev/null </dev/null &
pid=$!
"$BIN/polrun" -q -b "$WORK/p.polb" python3 race.py put >put 2>/dev/null </dev/null
wait "$pid"
no_file locked/evil.txt
echo "# moved $(cat moved), put $(cat put)"
[ "$(cat moved)" -ge 3 ] && [ "$(cat put)" -ge 3 ] || bad "they stand still"
rm -rf w locked stash ready

t "a run that moves a directory with many names all the time keeps no other from making names"
cat >keep.py <<'E2'
import collections, os, sys, time
said = collections.Counter()
if sys.argv[1] == 'move':
    os.mkdir('w')
    for i in range(1000):
        open('w/f%d' % i, 'w').close()
    open('ready', 'w').close()
    calls = [lambda: os.rename('w', 'v'), lambda: os.rename('v', 'w')]
else:
    while not os.path.exists('ready'):
        time.sleep(0.01)
    calls = [lambda: os.close(os.open('x', os.O_CREAT | os.O_EXCL | os.O_WRONLY)), lambda: os.unlink('x')]
end = time.monotonic() + (8 if sys.argv[1] == 'move' else 6)
while time.monotonic() < end:
    for call in calls:
        try:
            call()
            said['done'] += 1
        except OSError as e:
            said[e.strerror] += 1
print(dict(said))
E2
"$BIN/polrun" -q -b "$WORK/p.polb" python3 keep.py move >moved 2>/dev/null </dev/null &
pid=$!
"$BIN/polrun" -q -b "$WORK/p.polb" python3 keep.py make >made 2>/dev/null </dev/null
wait "$pid"
echo "# moved $(cat moved), made $(cat made)"
grep -q 'done' made && ! grep -q 'Input/output' made || bad "it was kept: $(cat made)"
rm -rf w v ready x

# ROUNDS: a run moves a directory all the time, while commits of staged runs put a file into it
cat >mover.py <<'E2'
import os, time
os.mkdir('w')
for i in range(800):
    open('w/f%d' % i, 'w').close()
open('ready', 'w').close()
end, got = time.monotonic() + 60, 0
while not os.path.exists('stop') and time.monotonic() < end:
    try:
        os.rename('w', 'locked')
        got += 1
        if os.path.exists('locked/evil.txt'):
            print('EVIL', flush=True)
        os.rename('locked', 'w')
    except OSError:
        pass
print(got)
E2
t "a commit puts a file into a directory that a run moves: never at a denied name"
done=0
for round in $(seq 8); do
	rm -rf w locked ready stop
	"$BIN/polrun" -q -b "$WORK/p.polb" python3 mover.py >>moves 2>/dev/null </dev/null &
	pid=$!
	within 20 test -e ready || bad "it has not begun"
	for try in $(seq 40); do # the directory may have the other name
		"$BIN/polrun" -q --stage -b "$WORK/p.polb" sh -c 'echo x >w/evil.txt' 2>/dev/null </dev/null && break
		"$BIN/polrun" discard 2>/dev/null
	done
	for try in $(seq 40); do
		"$BIN/polrun" commit >/dev/null 2>&1 </dev/null && done=$((done + 1)) && break
	done
	touch stop
	wait "$pid"
	! ls locked/*.txt 2>/dev/null || bad "it is there"
	"$BIN/polrun" discard 2>/dev/null
done
echo "# committed $done, moves $(tr '\n' ' ' <moves)"
! grep -q EVIL moves || bad "a run has moved it to a denied name"
[ "$done" -ge 3 ] || bad "no commit got on"
rm -rf w locked ready stop moves

t "no run makes or opens the second name that a commit gives what it replaces for a moment"
rm -f ready stop out.txt
run sh -c 'echo x >.pol-stages; echo x >.pol-stage-1-1'
want_text x .pol-stages
no_file .pol-stage-1-1
echo x >.pol-stage-2-2
run sh -c 'cat .pol-stages; echo y >>.pol-stage-2-2; mv .pol-stage-2-2 z; mkdir .pol-stage-3-3'
want_text x .pol-stage-2-2
no_file z
no_file .pol-stage-3-3
rm -f .pol-stage*

t "a run that has a file open goes on while a commit puts another one in its place"
rm -f ready stop out.txt
echo old >log
"$BIN/polrun" -q -b "$WORK/p.polb" --stage sh -c 'echo new >log' 2>/dev/null </dev/null
"$BIN/polrun" -q -b "$WORK/p.polb" python3 -c 'import os, time
f = open("log", "a")
open("ready", "w").close()
while not os.path.exists("stop"): time.sleep(0.02)
time.sleep(0.5)' 2>/dev/null </dev/null &
pid=$!
within 20 test -e ready || bad "it has not begun"
sleep 0.3
"$BIN/polrun" commit >/dev/null 2>&1 </dev/null || bad "the commit is refused"
sleep 0.3
touch stop
wait "$pid" || bad "it was ended with $?"
want_text new log
rm -f ready stop log caught

# NAME…: two users, whose runs race in a tree that both write; in a mount namespace with such names in /var/lib/pol.
cat >users.sh <<'E2'
mount -t tmpfs none /var/lib && mkdir /var/lib/pol || exit
[ -z "$MODE" ] || install -m "$MODE" /dev/null /var/lib/pol/names.lock
as() {
	local user=$1
	shift
	HOME=$WORK/home.$user setpriv --reuid="$user" --regid="$user" --clear-groups \
		"$BIN/polrun" -b "$WORK/p.polb" "$@"
}
as 61234 python3 race.py move >moved 2>moved.err </dev/null &
as 61235 python3 race.py put >put 2>put.err </dev/null
wait
E2
users() {
	rm -rf w locked stash ready
	BIN=$BIN WORK=$WORK MODE=$1 unshare -m bash users.sh || bad "no namespace"
	echo "# moved $(cat moved), put $(cat put)"
}
if is_root; then
	chmod 0711 "$WORK" "$WORK/home"
	chmod 0777 "$P"
	chmod 0644 "$WORK/p.polb"
	for user in 61234 61235; do
		mkdir "$WORK/home.$user"
		chown "$user:$user" "$WORK/home.$user"
	done
	sed 's/^import/os_umask = __import__("os").umask(0)\nimport/' race.py >race0.py
	mv race0.py race.py

	t "two users whose runs have no common lock make the name: what the lock is for"
	users ''
	grep -q 'other users write the project, .*/var/lib/pol/names.lock is absent' moved.err ||
		bad "it is not told: $(cat moved.err)"
	[ -e locked/evil.txt ] || skip "two users" "they did not meet: $(cat moved put)"

	t "with a lock of the machine they do not, and both get on"
	users 0222
	no_file locked/evil.txt
	[ "$(cat moved)" -ge 3 ] && [ "$(cat put)" -ge 3 ] || bad "they stand still"
	! grep -q 'is absent' moved.err || bad "it is said to be absent: $(cat moved.err)"

	t "a lock that a run could take is not taken, and it is told"
	users 0666
	grep -q 'not ordered with runs of other users: /var/lib/pol/names.lock' moved.err ||
		bad "it is not told: $(cat moved.err)"
	rm -rf w locked stash ready
fi

t "no run opens the locks by which they are ordered, and by which they know of one another"
for lock in names open records; do
	lock=$HOME/.local/state/pol/$lock.lock
	[ -e "$lock" ] || bad "there is no $lock"
	[ "$(stat -c %a "$lock")" = 200 ] || bad "the mode of $lock lets a run open it"
done

done_
