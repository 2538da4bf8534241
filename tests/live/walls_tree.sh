#!/usr/bin/env bash
# When a wall has fallen all of the run's processes end, however they have hidden
# or whatever they wait for.  The control: they live before, and polrun's own end,
# by its command, is theirs as well.
# long: every fourth day, as root and as a user in turn
# timing: waits for runs to begin and to end
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/walls.sh
. "$(dirname "$0")/../lib/walls.sh"

# HOW: a run with such a process, which lives.
with_one() {
	made
	cp "$PROBES/stuck_probe" stuck
	begin "$view" r .env "./stuck $1 '$P/got' </dev/null >/dev/null 2>&1; sleep 0.1"
	within 30 alive "./stuck $1 $P/got" || bad "there is no such process"
}

for view in project anywhere; do
	for how in daemon stopped traced vfork pipe; do
		t "$view: a wall falls, and a process is left: $how"
		with_one "$how"
		mv .env old
		echo SECRET >.env
		ended '\.pol:' '\.env'
	done
	t "$view: a wall falls, and all of them are left"
	made
	cp "$PROBES/stuck_probe" stuck
	begin "$view" r .env "for how in daemon stopped traced vfork pipe; do
		./stuck \$how '$P/got' </dev/null >/dev/null 2>&1; done; sleep 0.1"
	halted
	mv .env old
	echo SECRET >.env
	ended '\.pol:' '\.env'
done

view=project
for how in daemon stopped traced vfork pipe; do
	t "the control: the command ends by itself, and a process is left: $how"
	with_one "$how"
	kill -TERM "$pid"
	wait "$pid"
	rc=$?
	want_rc 143
	! alive "$P/got" || bad "something of the run is left"
done

# Nobody ends a process whose question a file system has taken and does not answer
# (fuse, nfs): it is dead, runs nothing more, and polrun waits for it.
if is_root && [ -c /dev/fuse ] && unshare -m --propagation private true 2>/dev/null; then
	t "anywhere: a wall falls, and a process waits for a file system that does not answer"
	D=$(mktemp -d /opt/pol-walls.XXXXXX)
	chmod 755 "$D"
	made
	# shellcheck disable=SC2016
	around=(unshare -m --propagation private sh -c '
		"$PROBES/stuck_probe" fuse "$0" >"$0.said" & echo $! >"$0.pid"
		timeout 30 sh -c "until [ -s \"\$0.said\" ]; do sleep 0.01; done" "$0"
		exec "$@"' "$D")
	begin anywhere r .env "cat '$D/name' &"
	within 30 grep -q asked "$D.said" || bad "nothing waits: $(cat "$D.said")"
	mv .env old
	echo SECRET >.env
	within 30 is_gone "$P/got" || bad "the rest of the run goes on"
	kill -0 "$pid" 2>/dev/null || bad "polrun has not waited"
	kill "$(cat "$D.pid")"
	ended '\.pol:' '\.env'
	rm -rf "$D" "$D.said" "$D.pid"
	around=()
fi
done_
