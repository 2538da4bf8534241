#!/usr/bin/env bash
# Walls in a crowd: several runs over one project, one of them the attacker; many
# thousand files that come and go beside a wall; many walls; too few watches.
# week: once a week, as root and as a user in turn
# timing: waits for runs to begin and to end
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/walls.sh
. "$(dirname "$0")/../lib/walls.sh"

# --- several runs -----------------------------------------------------------------

policy 'file { allow exec "${PROJECT_DIR}" }' other # it hides nothing

t "several runs over one project end when the wall of all falls"
made
pids=() reports=()
for k in 1 2 3 4; do
	begin "$([ $((k % 2)) -eq 0 ] && echo project || echo anywhere)" r .env
	cp "$WORK/.err" "$WORK/.err.$k" 2>/dev/null
	pids+=("$pid")
done
mv .env old && echo SECRET >.env
for pid in "${pids[@]}"; do
	within 30 is_over "$pid"
	kill -KILL "$pid" 2>/dev/null && bad "a run went on"
	wait "$pid"
	rc=$?
	want_rc 123
done

for line in 'mv .env old; echo SECRET >.env' 'rm -rf keys; mkdir keys' 'ln -sfn ../other sub/way'; do
	t "another run takes the wall away, which its own rules let it: $line"
	made
	begin project r .env
	"$BIN/polrun" -b "$WORK/other.polb" sh -c "$line" 2>"$WORK/.err2" || bad "the other run: $(cat "$WORK/.err2")"
	ended '\.pol:' ''
	t "another run with the same rules cannot: $line"
	made
	begin project r .env
	"$BIN/polrun" -b "$WORK/project.polb" sh -c "set -e; $line" 2>/dev/null && bad "the other run could"
	sleep 0.3 # time: nothing may come of it
	kill -0 "$pid" 2>/dev/null || bad "the run has ended: $(cat "$WORK/.err")"
	kill -TERM "$pid"
	wait "$pid"
	rc=$?
	want_rc 143
	no_file got
done

t "another run replaces a name that is only not to be written, which its own rules let it"
made
begin project w locked/file
"$BIN/polrun" -b "$WORK/other.polb" sh -c 'mv locked l2; mkdir locked; echo x >locked/file' 2>"$WORK/.err2" ||
	bad "the other run: $(cat "$WORK/.err2")"
unharmed

# --- much that is none of the run's business -----------------------------------------

# HOME is watched, since a hidden name in it was absent.
cat >"$WORK/churn.py" <<-'EOF2'
	import os, sys
	home, n = sys.argv[1], int(sys.argv[2])
	for i in range(n):
	    open(f"{home}/churn{i}", "w").close()
	for i in range(n):
	    os.unlink(f"{home}/churn{i}")
	for i in range(n // 100):
	    os.mkdir(f"{home}/churn")
	    os.rmdir(f"{home}/churn")
EOF2
churn_on() {
	python3 "$WORK/churn.py" "$HOME" 1000000 2>/dev/null &
	churning=$!
	within 30 test -e "$HOME/churn0" || bad "nothing comes and goes"
	sleep 0.5 # time: there are many by then
	kill -0 "$churning" || bad "nothing comes and goes"
}
churn_off() {
	kill "$churning"
	wait "$churning" 2>/dev/null
	find "$HOME" -maxdepth 1 -name 'churn*' -delete
}
many='file {'
for ((k = 0; k < 1000; k++)); do many+=" hide \"\${HOME}/late/n$k\""; done
anywhere_policy "$RULES $many }" many
anywhere_policy "$RULES limits { time 2s }" short

for view in anywhere many; do
	t "$view: 20,000 files that come and go end no run"
	made
	begin "$view" r .env
	python3 "$WORK/churn.py" "$HOME" 20000 || bad "nothing came and went"
	kill -0 "$pid" 2>/dev/null || bad "the run has ended: $(cat "$WORK/.err")"
	no_file got
	mv .env old
	echo SECRET >.env
	ended '\.pol:' '\.env'

	t "$view: a wall that falls among them ends the run"
	made
	begin "$view" r .env
	churn_on
	mv .env old
	echo SECRET >.env
	ended '\.pol:' '\.env'
	churn_off
done

t "among them a run is over at its time limit, and hears a signal"
made
begin short r .env
churn_on
within 30 is_over "$pid"
kill -KILL "$pid" 2>/dev/null && bad "the run went on"
wait "$pid"
rc=$?
want_rc 124
begin anywhere r .env
kill -TERM "$pid"
within 30 is_over "$pid"
kill -KILL "$pid" 2>/dev/null && bad "it heard no signal"
wait "$pid"
rc=$?
want_rc 143
churn_off

# --- many walls, few watches ------------------------------------------------------------

t "the last of 2,000 names that are denied"
hides='file {'
for ((k = 0; k < 2000; k++)); do hides+=" hide \"\${PROJECT_DIR}/d$((k % 20))/e$((k % 7))/n$k\""; done
policy "$RULES $hides }" hides
for last in d19/e4/n1999 d0/e0/n0; do
	made
	for ((k = 0; k < 140; k++)); do mkdir -p "d$((k % 20))/e$((k % 7))"; done
	for ((k = 0; k < 2000; k++)); do echo SECRET >"d$((k % 20))/e$((k % 7))/n$k"; done
	begin hides r "$last"
	mv "$last" new
	echo SECRET >"$last"
	ended '\.pol:' "/$last"
done

around=(unshare --user --map-root-user sh -c 'echo 9 >/proc/sys/user/max_inotify_watches && exec "$@"' -)
if "${around[@]}" true 2>/dev/null; then
	for line in 'mv .env old; sleep 0.2; echo SECRET >.env' 'mv keys k2; sleep 0.2; mkdir keys; echo SECRET >keys/key'; do
		t "a watch that cannot be had: the walls are looked at all the same: $line"
		made
		begin project r .env
		eval "$line"
		ended '\.pol:' ''
		grep -q 'every 50 ms' "$WORK/report" || bad "the report does not tell it"
	done
else
	skip user-namespaces 'no user namespace with a limit of its own'
fi
done_
