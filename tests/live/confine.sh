#!/usr/bin/env bash
# The supervisor's own walls: a build that opens a path by name, executes, forks
# or connects once the command runs dies; what it needs works.
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
probe() {
	out=$("$PROBES/confine_probe" "$1" 2>&1)
	rc=$?
}

# the sanitizers open files themselves, so their walls are wider
if [ "$VARIANT" != san ]; then
t "what the supervisor needs: descriptors that it has, and what lies below them"
for what in none read stat openat2; do
	probe $what
	want_rc 0
done

t "what ends it: SIGSYS, where it is free without the walls"
for what in open openat openat-fd openat2-cwd execve socket fork ptrace creat; do
	probe "free-$what"
	case $what in
	# these fail for a reason of their own, and not by a signal
	openat2-cwd | creat) [ "$rc" -le 1 ] || bad "free-$what: $rc" ;;
	*) [ "$rc" -eq 0 ] || bad "free-$what: $rc" ;;
	esac
	probe $what
	[ "$rc" -eq 159 ] || bad "$what: $rc, not 128 and SIGSYS"
done 2>/dev/null

t "what openat2 does not leave: the descriptor that it begins at"
probe openat2-absolute
want_rc 1
want_out '^EXDEV$'
probe openat2-up
want_rc 1
want_out '^EXDEV$'

t "what is refused: new executable memory, removing names, signals to others"
for what in exec-memory unlink kill; do
	probe $what
	want_rc 1
	want_out '^EPERM$'
done
probe free-exec-memory
want_rc 0
probe free-kill
want_rc 0
fi

t "the control: a run with everything that the supervisor does"
policy 'limits { time 60s }
file { deny write "${PROJECT_DIR}/locked" }'
run --explain-denials --report "$WORK/report.json" sh -c 'echo x >locked; sleep 0.1 & wait; echo ran'
want_rc 0
want_out '^ran$'
want_err 'locked'
want_file "$WORK/report.json"

done_
