# How much the live tests try: what a runner passes on to them if it is set.  Sourced.
# shellcheck shell=bash

TURNS=(SEED RUNS HOSTILE_CALLS HOSTILE_SEED SHARED_ROUNDS SHARED_SECONDS SHARED_SEED SWAPS KILLS STAGE_TURNS RACE_TURNS POL_POSIX_EVERY
	WALLS_RUNS WALLS_ONLY)

turns_given() { # lines NAME=VALUE
	local name
	for name in "${TURNS[@]}"; do
		[ -z "${!name:-}" ] || printf '%s=%s\n' "$name" "${!name}"
	done
}
