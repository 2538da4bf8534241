#!/usr/bin/env bash
# Tries: to change a path in memory while the kernel, or the supervisor that
# explains, reads it (time of check, time of use).
# Stops it: the supervisor decides nothing about paths: mounts do, on what was
# really opened.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
mkdir -p "$P/own" "$P/den"
bare_policy 'file { deny write "${PROJECT_DIR}/den" }'
policy "$ADD" q
race() {
	echo own >"$P/own/f"
	echo kept >"$P/den/f"
	run_with "$1" "${@:2}" "$X" argument "$P/own/f" "$P/den/f" 400
	worked
}

t "the control: without the rule both are written"
race q
want_text broken "$P/den/f"

t "with it one is, whoever looks on"
race p
want_out ' [1-9][0-9]* failed'
want_text kept "$P/den/f"
want_text broken "$P/own/f"
race p --explain-denials
want_out ' [1-9][0-9]* failed'
want_text kept "$P/den/f"
want_text broken "$P/own/f"

done_
