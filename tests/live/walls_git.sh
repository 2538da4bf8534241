#!/usr/bin/env bash
# What comes of it when git outside changes its configuration while a run is alive
# that writes core.fsmonitor there for as long as it lives: the run goes on and writes
# nothing there.  If it was fast enough to open the file that git makes first, it has
# ended naming rule and file, and so does its report.
# WALLS_RUNS: how often each (2); how often the run was fast enough is printed.
# WALLS_ONLY: a regular expression over "VIEW: NAME", which of the rows.
# long: every fourth day, as root and as a user in turn
# timing: waits for runs to begin and to end
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/walls.sh
. "$(dirname "$0")/../lib/walls.sh"

printf '#!/bin/sh\necho ran >>%s\n' "$WORK/ran" >"$WORK/out/evil"
chmod 755 "$WORK/out/evil"
PLANT="
[core]
	fsmonitor = $WORK/out/evil" # each time it is appended it begins a line
outside_git() {
	rm -f "$WORK/ran"
	git status >/dev/null 2>&1
}

t "the control: git outside runs what stands there"
for file in .git/config .git/config.lock; do
	made
	./probe w "$file" got 1 "$PLANT" >"$WORK/began" &
	pid=$!
	cp .git/config was
	SECONDS=0
	while [ "$SECONDS" -lt 60 ]; do
		git config user.name X 2>/dev/null # the lock is there for a moment only
		outside_git
		[ ! -e "$WORK/ran" ] || break
		git config -l >/dev/null 2>&1 || cp was .git/config # it was written half
	done
	kill "$pid"
	wait "$pid" 2>/dev/null
	[ -e "$WORK/ran" ] || bad "git does not run what was written to $file"
done

# The run has ended, naming the file.  Git runs what the run wanted only where it was
# fast enough; `won` counts that.
consequence() {
	local first=$1
	within "$first" is_over "$pid"
	if ! is_over "$pid"; then
		! grep -q fsmonitor .git/config || bad "it was written, and the run goes on"
		outside_git
		no_file "$WORK/ran"
		rm -f got # of the file that git makes first
		unharmed
		return
	fi
	[ "$first" != 0 ] || bad "the run has ended"
	ended 'floor\.pol' '\.git/config'
	python3 -c 'import json, sys
w = json.load(open(sys.argv[1]))["wall_gone"]
assert w["path"] == sys.argv[2] and w["rule"]["file"].endswith("floor.pol"), w' \
		"$WORK/report" "$P/.git/config" 2>"$WORK/.py" || bad "the report: $(tail -n 1 "$WORK/.py")"
	outside_git
	if grep -q fsmonitor .git/config; then
		won=$((won + 1))
	elif [ -e "$WORK/ran" ]; then
		bad "git ran what nothing names"
	fi
}

# NAME | FILE that the run writes | PROCESSES | within how many seconds it may end | what a person
# does outside
table() {
	cat <<-'EOF2'
		git config|.git/config|1|0|git config user.name X
		git config, four at once|.git/config|4|0|git config user.name X
		git config, by the file that git makes first|.git/config.lock|1|3|git config user.name X
	EOF2
}
for view in project anywhere; do
	while IFS='|' read -r name file processes first line; do
		[[ "$view: $name" =~ ${WALLS_ONLY:-.} ]] || continue
		t "$view: $name, while a run writes core.fsmonitor to ${file##*/}"
		won=0
		for ((k = 0; k < runs && live_bad == 0; k++)); do
			made
			printf '%s' "$PLANT" >plant
			cat >line.sh <<-EOF2
				exec ./probe w $file "$P/got" $processes "\$(cat plant)"
			EOF2
			start "$view"
			bash -c "$line" >/dev/null 2>&1 || bad "outside: $line"
			consequence "$first"
		done
		printf '     the run was fast enough in %s of %s\n' "$won" "$k"
	done < <(table)
done

t "the control: while nothing is changed outside nothing is written"
made
echo "exec ./probe w .git/config '$P/got' 4 x" >line.sh
start project
sleep 0.3 # time: nothing may come of it
outside_git
no_file "$WORK/ran"
no_file got
kill -TERM "$pid"
wait "$pid"
rc=$?
want_rc 143

done_
