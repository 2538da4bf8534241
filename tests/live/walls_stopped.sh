#!/usr/bin/env bash
# Stops that come at the worst moment: before the command has begun, and while a
# CONT waits to be taken, which a stop throws away.  strace(1) holds polrun there.
# long: every fourth day, as root and as a user in turn
# timing: waits for runs to begin and to end
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/walls.sh
. "$(dirname "$0")/../lib/walls.sh"

if ! strace -o /dev/null true 2>/dev/null; then
	skip strace "there is no strace, or it may trace nothing"
	done_
	exit
fi

# The process that is traced; strace has had others to try things with.
has_polrun() {
	traced=$(ps -o pid=,comm= --ppid "$pid" | awk '$2 == "polrun" { print $1 }')
	[ -n "$traced" ]
}
traced() {
	within 30 has_polrun && return
	bad "polrun is not there"
	traced=$pid
}

# polrun ends by itself, in STATUS.
over() {
	within 30 is_over "$traced"
	kill -KILL "$traced" 2>/dev/null && bad "it goes on, or is stopped for good"
	wait "$pid"
	rc=$? err=$(cat "$WORK/.err")
	want_rc "$1"
}

begun() { # took: after so many ms
	local from=${EPOCHREALTIME/[.,]/}
	within 30 test -s "$WORK/began"
	took=$(((${EPOCHREALTIME/[.,]/} - from) / 1000))
}

# WHERE ACTION: a run that strace holds.
held() {
	cat >"$P/line.sh" <<-EOF2
		exec ./probe r .env "$P/got"
	EOF2
	: >"$WORK/began"
	# who looks for leaks may not be traced
	ASAN_OPTIONS=detect_leaks=0 strace -q -o "$WORK/trace" -e "trace=$1" ${2:+-e "inject=$1:$2"} "$BIN/polrun" \
		-b "$WORK/project.polb" --report "$WORK/report" sh line.sh >"$WORK/began" \
		2>"$WORK/.err" </dev/null &
	pid=$!
}

# The first of polrun's calls that watches, and one before the command is told to begin.
# The first ones are made while the sandbox is set up: no timer continues polrun then, since
# nothing of the run goes on without it.
for where in inotify_init1 inotify_add_watch signalfd4; do
	continued() { [ "$where" = signalfd4 ] || kill -CONT "$traced"; }

	t "polrun is stopped before the command begins, at $where"
	made
	held "$where" signal=STOP:when=1
	traced
	sleep 0.4 # time: the command may not begin
	[ ! -s "$WORK/began" ] || bad "the command has begun"
	mv .env old
	echo SECRET >.env
	continued
	over 123
	want_line 'run ended: outside of it .*/\.env '
	[ ! -s "$WORK/began" ] || bad "the command has begun"
	no_file got

	t "the control: nothing is changed, and the run goes on, at $where"
	made
	held "$where" signal=STOP:when=1
	traced
	if [ "$where" = signalfd4 ]; then
		begun
		[ "$took" -ge 400 ] || bad "it was not stopped"
	else
		sleep 0.4 # time: the command may not begin
		[ ! -s "$WORK/began" ] || bad "it was not stopped"
		continued
		begun
	fi
	want_text refused "$WORK/began"
	kill -TERM "$traced"
	over 143
done

# poll(2) of a run that does nothing: the last that strace has seen begin.
made
held poll ''
traced
begun
sleep 0.2 # time: it does nothing
kill -KILL "$traced"
wait "$pid" 2>/dev/null
polls=$(grep -c '^poll(' "$WORK/trace")

# The first of the timers rings while strace holds polrun, and the STOP after it takes
# away its CONT: the next one counts.
lost() {
	made
	held poll "delay_exit=1600000:when=$polls"
	traced
	begun
	touch .env
	sleep 1.3 # time: the timer rings, and strace holds polrun for 1.6 s
	kill -STOP "$traced"
}
t "a stop takes the CONT away that was to wake polrun: a change does"
lost
mv .env old
echo SECRET >.env
over 123
want_line 'run ended: outside of it .*/\.env '

t "a stop takes the CONT away that was to wake polrun: the next timer does"
lost
sleep 3 # time: for the next timer
kill -TERM "$traced"
over 143
no_file got
done_
