#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# timing: waits for processes that a loaded machine starts late
# Signals, the terminal, pipes, the caller's process group.
# shellcheck disable=SC2034,SC2086,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
policy ''
R="$BIN/polrun -b $WORK/p.polb"

if command -v python3 >/dev/null && [ -e /dev/ptmx ]; then
	term() { # lines on stdin
		cat >"$WORK/script"
		out='' err=''
		local said
		said=$(timeout 60 python3 "$(dirname "$0")/../lib/term.py" "$WORK/script" 2>&1) ||
			bad "$said"
	}

	t "terminal: ^C ends sleep with 130"
	term <<EOS
send $R sleep 30
wait 0.7
key C-c
expect PROMPT>
send echo "rc=\$?."
expect rc=130\.
EOS

	t "terminal: ^C reaches a shell's trap, its status counts"
	term <<EOS
send $R sh -c 'trap "echo caught; exit 7" INT; echo rea""dy; while :; do sleep 0.1; done'
expect ready
key C-c
expect caught
expect PROMPT>
send echo "rc=\$?."
expect rc=7\.
EOS

	t "terminal: ^C is ignored with the command that ignores it"
	term <<EOS
send $R sh -c 'trap "" INT; echo rea""dy; sleep 1.5; echo sur""vived'
expect ready
key C-c
expect survived
EOS

	# The pause: a shell in the middle of vfork() cannot stop, in no job.
	t "terminal: ^Z stops both, fg continues both"
	term <<EOS
send $R sh -c 'echo rea""dy; sleep 1.5; echo fin""ished'
expect ready
wait 0.5
key C-z
expect Stopped
expect PROMPT>
send jobs
expect Stopped
send fg
expect finished
expect PROMPT>
send echo "rc=\$?."
expect rc=0\.
EOS

	t "terminal: ^Z and bg, then kill %1"
	term <<EOS
send $R sleep 33
wait 0.7
key C-z
expect Stopped
send bg
wait 0.3
send kill %1
wait 1
send jobs; wait %1; echo "rc=\$?."
expect (rc=143\.|rc=127\.)
EOS

	t "terminal: a new size arrives"
	term <<EOS
send $R sh -c 'trap "stty size" WINCH; echo rea""dy; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.2; done'
expect ready
size 31 117
expect 31 117
EOS

	t "terminal: ^C ends a script around it, ^Z stops it"
	printf '%s\n' '#!/bin/bash' 'for i in 1 2 3; do' "	$R sh -c 'echo ro\"\"und-\$0; exec sleep 20' \$i" 'done' \
		"$R true" >"$WORK/loop.sh"
	term <<EOS
send bash $WORK/loop.sh
expect round-1
key C-c
expect PROMPT>
send bash $WORK/loop.sh
expect round-1
wait 0.5
key C-z
expect Stopped
send fg
wait 0.5
key C-c
expect PROMPT>
send echo "rc=\$?."
expect rc=130\.
absent round-2
EOS

	t "terminal: where no shell could continue it ^Z stops nothing"
	term <<EOS
send exec $R sh -c 'echo rea""dy; sleep 2; echo went-o""n'
expect ready
wait 0.5
key C-z
expect went-on
EOS

	t "terminal: a program sees that it is in the foreground, and a neighbour in a pipeline keeps it"
	printf '%s\n' 'import os, sys' 'print("front", os.tcgetpgrp(2) == os.getpgrp(), file=sys.stderr)' >"$P/front.py"
	term <<EOS
send $R python3 front.py
expect front True
send $R python3 front.py | cat
expect front False
send $R sh -c 'sleep 1; echo o""ne; sleep 1; echo two' | (read x; echo got=\$x; read x </dev/tty; echo typed=\$x)
expect got=one
send hello
expect typed=hello
send $R sh -c 'read x; echo ins""ide=\$x' | cat
wait 1
send there
expect inside=there
EOS

	t "terminal: ^\\ quits with 131"
	term <<EOS
send $R sleep 30
wait 0.7
key C-\\
expect PROMPT>
send echo "rc=\$?."
expect rc=131\.
EOS

	t "terminal: the command reads the terminal, ^D ends it"
	term <<EOS
send $R cat
wait 0.5
send hello-there
expect hello-there\s+hello-there
key C-d
expect PROMPT>
EOS
else
	skip pty "python3 or /dev/ptmx is missing"
fi

t "TERM, HUP, USR1, USR2 are passed on; the status is the command's"
for sig in TERM HUP USR1 USR2; do
	rm -f "$WORK/.out" # the one before was ready too
	$R sh -c "trap 'echo got-$sig; exit 9' $sig; echo ready; while :; do sleep 0.1; done" \
		>"$WORK/.out" 2>"$WORK/.err" </dev/null &
	pid=$!
	within 30 grep -q ready "$WORK/.out"
	kill -$sig $pid
	wait $pid
	rc=$? out=$(cat "$WORK/.out") err=$(cat "$WORK/.err")
	want_rc 9
	want_out "^got-$sig\$"
done

if command -v python3 >/dev/null; then
	t "INT that somebody sends to polrun alone reaches the command"
	out=$(python3 - "$BIN/polrun" -b "$WORK/p.polb" sh -c 'echo ready; exec sleep 20' <<'EOS' 2>&1
import signal, subprocess, sys
p = subprocess.Popen(sys.argv[1:], restore_signals=True, start_new_session=True, stdout=subprocess.PIPE,
                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
p.stdout.readline(); p.send_signal(signal.SIGINT); print("rc", p.wait(30))
EOS
	)
	want_out '^rc 130$'
fi

t "a signal to polrun's process group reaches all of the run"
# shellcheck disable=SC2016
setsid bash -c 'echo $$ >"$1"; exec "${@:2}"' - "$WORK/.pgrp" $R \
	sh -c '(trap "echo child-got; exit" USR1; echo up; while :; do sleep 0.1; done) & trap "" USR1; wait' >"$WORK/.out" 2>&1 </dev/null &
within 30 grep -q up "$WORK/.out"
kill -USR1 -- "-$(cat "$WORK/.pgrp")"
within 30 grep -q child-got "$WORK/.out" || bad "$(cat "$WORK/.out")"
wait $!

t "kill 0 and timeout reach the run's processes, all of them"
start=$(date +%s)
run sh -c 'x=$(timeout 1 sh -c "sleep 20; :"); echo over $?'
want_rc 0
want_out '^over 124$'
run sh -c 'trap "echo ended; trap - TERM; kill 0" EXIT; sh -c "sleep 20; :" & exit 3' | cat
[ $(($(date +%s) - start)) -lt 15 ] || bad "too late"

t "timeout ends it"
start=$(date +%s)
timeout 1 $R sleep 9 2>/dev/null
rc=$?
want_rc 124
[ $(($(date +%s) - start)) -lt 5 ] || bad "too late"

t "pipes: end of file, and a reader that goes"
out=$(printf 'a\nb\n' | $R cat 2>/dev/null)
[ "$out" = $'a\nb' ] || bad "cat printed '$out'"
$R sh -c 'while :; do echo y; done' 2>/dev/null | head -n 1 >/dev/null
rc=${PIPESTATUS[0]}
want_rc 141
# what the command closes is closed: nobody else holds the pipe
start=$(date +%s)
$R sh -c 'exec >&- 2>&-; sleep 3' 2>/dev/null | cat >/dev/null
# the pipe ends at once, the pipeline with polrun
out=$( (
	$R sh -c 'exec >&-; sleep 2' 2>/dev/null
	:
) | (
	s=$(date +%s%N)
	cat
	echo $((($(date +%s%N) - s) / 1000000))
))
[ "$out" -lt 4000 ] || bad "the pipe stayed open: $out ms"

t "a bystander in the caller's process group lives"
cat >"$WORK/group.sh" <<EOS
sleep 20 & b=\$!
$R sh -c 'kill -KILL 0; kill -KILL -1; exit 5'
echo "rc=\$?"
kill -0 \$b && echo bystander lives
kill \$b
EOS
out=$(setsid bash "$WORK/group.sh" 2>&1)
want_out '^bystander lives$'
want_out '^rc=(5|1|126|137)$'

t "the supervisor and the init are confined themselves"
$R sleep 66.5 >/dev/null 2>&1 </dev/null &
pid=$!
is_confined() { # polrun, and the init after the command was forked
	local init
	init=$(cat /proc/$pid/task/$pid/children)
	grep -q '^Seccomp:.2$' /proc/$pid/status &&
		grep -q '^CapEff:.0000000000000000$' "/proc/${init%% *}/status" &&
		{ [ "$VARIANT" = san ] || grep -q '^Seccomp:.2$' "/proc/${init%% *}/status"; }
}
within 30 is_confined || bad "it is not confined"
out=$(cat /proc/$pid/status)
want_out '^NoNewPrivs:.1$'
want_out '^Seccomp:.2$'
init=$(cat /proc/$pid/task/$pid/children)
out=$(cat "/proc/${init%% *}/status")
want_out '^Name:.polinit$'
want_out '^NoNewPrivs:.1$'
want_out '^CapEff:.0000000000000000$'
[ "$VARIANT" = san ] || want_out '^Seccomp:.2$'
if is_root; then
	# the directories above the project, by which walls are found again, open nothing
	out=$(ls -l /proc/$pid/fd | while read -r line; do case $P/ in "${line##* -> }"/*) ;; *) echo "$line" ;; esac done)
	no_out '/(usr|etc|out|bin/polinit|home)$|\.polb'
	out=$(ls -l "/proc/${init%% *}/fd")
	[ "$(grep -c -- '->' <<<"$out")" -le 2 ] || bad "the init holds more than two descriptors"
fi
kill $pid
wait $pid 2>/dev/null
out=''

t "kill -9 of polrun leaves no process"
$R sh -c "echo up; exec sleep 88.$$" >"$WORK/.out" 2>/dev/null &
pid=$!
within 30 test -s "$WORK/.out" || bad "it did not start"
kill -KILL $pid
{ wait $pid; } 2>/dev/null
within 30 is_gone "sleep 88.$$" || bad "something is left"

done_
