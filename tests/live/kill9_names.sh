#!/usr/bin/env bash
# kill -9 of polrun, or of one of its children, at random moments of a run that writes in a
# tree whose names are decided one by one: what the run may not write is byte for byte what
# it was, no name is left that is neither allowed nor the run's, no mount and no process.
#   KILLS=N (8 of each; 50: some minutes)  SEED=N
# long: every fourth day, as root and as a user in turn
# timing: waits for processes that a loaded machine starts late
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=tests/lib/kept.sh
. "$(dirname "$0")/../lib/kept.sh"

kills=${KILLS:-8}
seed=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
RANDOM=$seed
mark=pol-kill9-names-$$-$seed
mkdir -p "$WORK/out" "$HOME/beside" "$P/src/d.ts" "$P/src/deep/er"
for f in .env keep.txt src/x.py src/x.ts src/source.ts src/d.ts/f.ts src/deep/er/kept "$WORK/out/f" "$HOME/beside/f"; do
	echo "$f" >"$f"
done
raw_policy "policy t { base none }
command { otherwise allow }
file {
	allow read, exec \"/usr\", \"/bin\", \"/lib\", \"/lib64\", \"$PROBES\"
	allow read \"/etc\", \"$WORK/out\", \"\${PROJECT_DIR}\"
	allow write \"src/**/*.{ts,js}\"
	deny write \".env*\", \"\${PROJECT_DIR}/src/deep/absent\"
	hide \"\${PROJECT_DIR}/secret\"
	scratch \"\${TMPDIR}\"
}
network disabled" narrow
cp -a "$P" "$WORK/first"

# Allowed names and denied ones, by every call that the broker makes, until it is ended.
cat >"$WORK/out/line.sh" <<'EOF2'
while :; do
	for f in .env .env.new keep.txt src/x.py src/new.py src/deep/absent src/x.ts src/new.js src/deep/er/new.ts; do
		echo $$ >$f
	done
done 2>/dev/null &
exec "$0" call src "/$1"
EOF2
begin() {
	"$BIN/polrun" -b "$WORK/narrow.polb" sh -c '. '"$WORK"'/out/line.sh' "$PROBES/swap_probe" "$mark" \
		>/dev/null 2>&1 </dev/null &
	pid=$!
}

state() { # what a run could leave beside the trees that are compared
	sed 's/^[0-9]* [0-9]* //' /proc/self/mountinfo | sort
	find "$HOME" -mindepth 1 -maxdepth 1 -not -name .local | sort # its own record of such a run is to stay
	find /tmp /var/tmp /dev/shm -maxdepth 1 -name "*$mark*" 2>/dev/null
	ls /sys/fs/cgroup 2>/dev/null
}
has_written() { [ -e src/begun.ts ] || is_over "$pid"; }
nap() { sleep "$(printf '%d.%06d' $(($1 / 1000000)) $(($1 % 1000000)))"; } # time: the moment is random

# Without a process for each one that there is; grep's own line does not match.
all_gone() { ! grep -qs "${mark/k/[k]}" /proc/[0-9]*/cmdline; }

# All of its processes, the deepest first.
descendants() {
	local child
	local children=''
	read -r children 2>/dev/null <"/proc/$1/task/$1/children"
	for child in $children; do
		descendants "$child"
		echo "$child"
	done
}

anew() { # the project, as it was
	rm -rf "${P:?}" && cp -a "$WORK/first" "$P" && cd "$P" || exit 1
	kept_save "$P" "$WORK/out" "$HOME/beside"
}
anew
state >"$WORK/before"

# How long a start takes here: the moments lie on both sides of its end.
t "the control: it writes what it may, and only that"
for _ in 1 2; do # the first one reads the programs from the disk
	from=${EPOCHREALTIME/./}
	begin
	within 30 has_written
	start=$((${EPOCHREALTIME/./} - from))
	within 5 test -s src/deep/er/new.ts || bad "src/deep/er/new.ts was not written"
	kill -TERM $pid
	wait $pid
	rc=$?
	want_rc 143
	want_file src/new.js
	kept_check narrow
	[ "${kept_differ:-0}" -ge 4 ] || bad "hardly a name was written"
	anew
done

# WHO: polrun, or one of its children.
kill_at_random() {
	local who=$1 i moment victims begun=0 killed=0 names=0
	for ((i = 0; i < kills; i++)); do
		begin
		moment=$((start * (RANDOM % 200) / 100))
		nap $moment
		if [ "$who" = polrun ]; then
			kill -KILL $pid && killed=$((killed + 1))
		else
			mapfile -t victims < <(descendants $pid)
			if [ ${#victims[@]} -gt 0 ]; then
				kill -KILL "${victims[RANDOM % ${#victims[@]}]}" 2>/dev/null && killed=$((killed + 1))
			fi
			# the shell that writes may have been the one: the other process goes on
			nap 20000
			kill -TERM $pid 2>/dev/null
			within 30 is_over $pid || { bad "polrun goes on"; kill -KILL $pid; }
		fi
		wait $pid 2>/dev/null
		within 30 all_gone || { bad "moment $i ($moment us): processes are left"; break; }
		[ ! -e src/begun.ts ] || begun=$((begun + 1))
		kept_check narrow >/dev/null
		names=$((names + ${kept_differ:-0}))
		state >"$WORK/after"
		diff "$WORK/before" "$WORK/after" >"$WORK/diff" || bad "moment $i ($moment us) left: $(cat "$WORK/diff")"
		[ "$live_bad" -eq 0 ] || break
		anew
	done
	printf '     seed %s: %s of %s had begun, %s were killed, %s allowed names were written; a start took %d us\n' \
		"$seed" "$begun" "$kills" "$killed" "$names" "$start"
	[ "$begun" -gt 0 ] || bad "no run was killed after it had begun to write"
	[ "$killed" -gt 0 ] || bad "nothing was killed"
	[ "$names" -gt 0 ] || bad "nothing was written"
}
for who in polrun children; do
	t "$kills random moments: kill -9 of $who"
	kill_at_random $who
done

done_
