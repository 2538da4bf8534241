#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# timing: waits for processes that a loaded machine starts late
# kill -9 of polrun at random moments leaves no process and nothing on the host.
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
policy ''
runs=${RUNS:-50}
mark=pol-kill9-$$-$RANDOM
cp /bin/sleep "$P/.keep" 2>/dev/null

# Everything that a run could leave: mounts, processes, names, modes, owners,
# links and contents outside of what it may write, System V objects.
state() {
	cat /proc/self/mountinfo
	# polrun's own record of a run that could not look any more is to stay
	find "$WORK/out" "$HOME" -not -path "$P/written*" -not -path "$HOME/.local*" -printf '%p %y %m %U:%G %l\n' | sort
	find "$WORK/out" "$HOME" -type f -not -path "$P/written*" -not -path "$HOME/.local*" \
		-printf '%T@ ' -exec cksum {} \; | sort
	find /tmp /var/tmp /dev/shm -maxdepth 1 -user "$(id -u)" -name "*$mark*" 2>/dev/null
	ls /sys/fs/cgroup 2>/dev/null
	cat /proc/sysvipc/shm /proc/sysvipc/msg | wc -l
}

# How long a start takes here: the moments lie on both sides of its end. It
# differs tenfold between machines, and between variants of the build.
start_us() {
	local from=${EPOCHREALTIME/./} pid
	"$BIN/polrun" -b "$WORK/p.polb" sh -c 'echo x > written; sleep 60' >/dev/null 2>&1 </dev/null &
	pid=$!
	while [ ! -e "$P/written" ] && kill -0 $pid 2>/dev/null; do sleep 0.002; done
	echo $((${EPOCHREALTIME/./} - from))
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
	rm -f "$P/written"
}

t "$runs random moments"
state >"$WORK/before"
start_us >/dev/null # the first one reads the programs from the disk
start=$(start_us)
started=0
for ((i = 0; i < runs; i++)); do
	"$BIN/polrun" -b "$WORK/p.polb" sh -c \
		"echo x > written; echo $mark > /tmp/f; mkdir -p ~/$mark; sleep 60 & sleep 90" $mark \
		>/dev/null 2>&1 </dev/null &
	pid=$!
	# from the exec to well after the command's start
	moment=$((start * (RANDOM % 200) / 100))
	sleep "$(printf '%d.%06d' $((moment / 1000000)) $((moment % 1000000)))"
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
	[ ! -e "$P/written" ] || started=$((started + 1))
	rm -f "$P/written"
done
[ "$started" -gt 0 ] || bad "no run was killed after its command had begun"
[ "$started" -lt "$runs" ] || printf '     (every run had begun)\n'
# they would end by themselves much later
within 10 is_gone "$mark" || { bad "processes are left"; pkill -KILL -f "$mark"; }
state >"$WORK/after"
diff "$WORK/before" "$WORK/after" >"$WORK/diff" || bad "changed: $(cat "$WORK/diff")"
printf '     %s of %s had begun, a start took %d us\n' "$started" "$runs" "$start"

t "the control: the same command runs to its end"
run sh -c 'echo x > written; exit 4'
want_rc 4
want_file "$P/written"

done_
