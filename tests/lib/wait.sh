# Waiting for a state; sourced.  A sleep that is left in a live test waits for time to pass, and
# says so: something must not happen meanwhile, or two events must not be one.
# shellcheck shell=bash

# SECONDS COMMAND…: until it succeeds; fails if it does not in so many seconds.  The machine may
# be slow: the deadline is for what never comes, so a loaded machine gets five times as many
# seconds, and an emulated processor (POL_TEST_FAST) twenty times.
within() {
	local times=${POL_TEST_FAST:+20}
	local end=$((${EPOCHREALTIME/[.,]/} + $1 * ${times:-5} * 1000000))
	shift
	until "$@" 2>/dev/null; do
		[ "${EPOCHREALTIME/[.,]/}" -lt "$end" ] || return 1
		sleep 0.01
	done
}

is_over() { ! kill -0 "$1" 2>/dev/null; } # PID
