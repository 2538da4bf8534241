#!/usr/bin/env bash
# A commit is not alone: a run beside it moves the directory into which the commit writes, and
# writes whatever appears under a name that it may write.  Neither makes a name that is denied,
# nor changes what was reviewed.
#   BESIDE=N (6)  how many commits each
# places:
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=tests/lib/stage.sh
. "$(dirname "$0")/../lib/stage.sh"
times=${BESIDE:-6}

# shellcheck disable=SC2016
policy 'file { deny write "${PROJECT_DIR}/locked/**/*.txt", "${PROJECT_DIR}/deploy/run.sh" as no-run }' strict
# shellcheck disable=SC2016
policy 'file { deny write "${PROJECT_DIR}/locked/**/*.txt" }'

beside() { # SCRIPT: in a run under the stricter bundle, until `stop` appears; it has begun when this returns
	rm -f stop begun
	printf 'import os, glob\nopen("begun", "w").close()\nn = 0\nwhile not os.path.exists("stop"):\n%s\nprint(n)\n' "$1" >beside.py
	"$BIN/polrun" -q -y -b "$WORK/strict.polb" python3 beside.py >"$WORK/beside.out" 2>&1 </dev/null &
	run_beside=$!
	for _ in {1..100}; do
		[ ! -e begun ] || break
		sleep 0.1
	done
	want_file begun
}
end_beside() { # it did something, and was not ended
	touch stop
	wait "$run_beside" || bad "the run beside ended with $?: $(<"$WORK/beside.out")"
	[ "$(tail -n 1 "$WORK/beside.out")" -gt 20 ] || bad "the run beside did nothing: $(<"$WORK/beside.out")"
}
STEP='    try:
        os.rename("g", "locked/g"); os.rename("locked/g", "g"); n += 2
    except OSError:
        pass'

t "the control: neither run writes what is denied, and the run beside moves the directory"
mkdir -p g locked deploy
run sh -c 'echo x >locked/a.txt'
want_rc 2
run_with strict sh -c 'echo x >deploy/run.sh'
want_rc 2
beside "$STEP"
sleep 0.5
end_beside

t "a directory that is moved meanwhile: what the commit makes has the name that was judged"
done=0
for ((i = 0; i < times; i++)); do
	rm -rf g locked/g && mkdir g
	staged sh -c 'yes "# pad" | head -c 20000000 >g/a.txt'
	want_rc 0
	beside "$STEP"
	for _ in {1..40}; do
		verb commit
		[ "$rc" -ne 0 ] || break
	done
	[ "$rc" -ne 0 ] || done=$((done + 1))
	end_beside
	[ -z "$(find locked -name '*.txt')" ] || bad "made: $(find locked -name '*.txt')"
	[ "$rc" -eq 0 ] || verb discard
done
[ "$done" -gt 0 ] || bad "no commit was done"
rm -rf g locked

t "what has another name for a moment is not written by a run that may not write the name it gets"
STEP='    for p in glob.glob("deploy/.*") + glob.glob("deploy/x*"):
        try:
            f = os.open(p, os.O_WRONLY); os.pwrite(f, b"EVIL", 0); os.close(f); n += 1
        except OSError:
            pass'
for ((i = 0; i < times; i++)); do
	rm -rf deploy && mkdir deploy
	[ $((i % 2)) -eq 0 ] || echo old >deploy/run.sh
	staged sh -c '(echo "#!/bin/sh fine"; yes "# pad" | head -c 20000000) >deploy/run.sh'
	want_rc 0
	echo free >deploy/x # the control: this one it writes
	beside "$STEP"
	for _ in {1..40}; do
		verb commit
		[ "$rc" -ne 0 ] || break
	done
	want_rc 0
	end_beside
	[ "$(head -n 1 deploy/run.sh)" = '#!/bin/sh fine' ] || bad "run.sh: $(head -c 40 deploy/run.sh)"
	[ "$(head -c 4 deploy/x)" = EVIL ] || bad 'the run beside did not write deploy/x'
done

# The staged run passes the descriptor of a file to a run in another project, over a socket that a rule allows.
mkdir -p "$WORK/other"
# shellcheck disable=SC2016
policy 'unix { allow "${PROJECT_DIR}/s" }' keeper
policy "file { allow read \"$WORK/other\" }
unix { allow \"$WORK/other/s\" }" giver
cat >"$WORK/other/keep.py" <<'E2'
import os, socket, sys, time
def wait_for(name):
    while not os.path.exists(name):
        time.sleep(0.02)
s = socket.socket(socket.AF_UNIX)
s.bind('s')
s.listen(1)
open('ready', 'w').close()
c = s.accept()[0]
fd = socket.recv_fds(c, 1, 1)[1][0]
if sys.argv[1] == 'closed':
    os.close(fd)
c.send(b'y')
wait_for('go')
if sys.argv[1] != 'closed':
    os.pwrite(fd, b'EVIL', 0)
if sys.argv[1] == 'written':
    os.close(fd)
open('wrote', 'w').close()
wait_for('end')
E2
cat >"$WORK/other/give.py" <<'E2'
import os, socket, sys
fd = os.open('kept', os.O_RDWR | os.O_CREAT, 0o644)
os.write(fd, b'fine\n')
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
socket.send_fds(s, [b'x'], [fd])
s.recv(1)
E2
passed() { # HOW: what the other run does with it: closed, before the staged run ends; written, and closed then; open
	rm -f kept "$WORK/other/"{s,ready,go,wrote,end}
	(cd "$WORK/other" && exec "$BIN/polrun" -q -b "$WORK/keeper.polb" python3 keep.py "$1") >"$WORK/beside.out" 2>&1 </dev/null &
	keeper=$!
	within 30 test -e "$WORK/other/ready" || bad "it does not listen: $(<"$WORK/beside.out")"
	run_with giver --stage python3 "$WORK/other/give.py" "$WORK/other/s"
	want_rc 0
	review
	want_out "^create  *$P/kept: file 0644, 5 bytes"
	touch "$WORK/other/go"
	within 30 test -e "$WORK/other/wrote" || bad 'it has not written'
	verb commit
}
unkept() {
	touch "$WORK/other/end"
	wait "$keeper" || bad "the other run ended with $?"
}
t "the control: a file that the other run has closed before is committed"
passed closed
want_rc 0
want_text fine kept
unkept
for how in written open; do
	t "what another run could write after the review is not committed: $how"
	passed "$how"
	want_rc 1
	want_out 'refused: another process ha[sd] it open for writing'
	no_file kept
	unkept
	verb discard
done

done_
