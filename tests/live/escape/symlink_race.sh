#!/usr/bin/env bash
# Tries: a link that leads to a free file and to a forbidden one in turn, while
# what is below it is written as fast as possible.
# Stops it: mounts, which are met by every path: no name is checked beforehand.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
mkdir -p "$P/own" "$P/denied" "$P/hidden"
race() { # BUNDLE TARGET: the race of half a second
	echo own >"$P/own/f"
	echo kept >"$2/f"
	run_with "$1" "$X" link "$P/race" "$P/own" "$2" f 400
	want_rc 0
	want_out '^[1-9][0-9]* written'
}

t "the control: without the rule the target is written"
bare_policy
race p "$P/denied"
want_text broken "$P/denied/f"

t "a file that is denied"
bare_policy 'file { deny write "${PROJECT_DIR}/denied" }'
race p "$P/denied"
want_out ' [1-9][0-9]* failed'
want_text kept "$P/denied/f"
want_text broken "$P/own/f"

t "the same while the supervisor looks on"
echo kept >"$P/denied/f"
run --explain-denials "$X" link "$P/race" "$P/own" "$P/denied" f 400
want_out '^[1-9][0-9]* written [1-9]'
want_text kept "$P/denied/f"

t "a file that is hidden"
bare_policy 'file { hide "${PROJECT_DIR}/hidden" }'
race p "$P/hidden"
want_out ' [1-9][0-9]* failed'
want_text kept "$P/hidden/f"

t "a file outside of the view"
race p "$WORK/out"
want_out ' [1-9][0-9]* failed'
want_text kept "$WORK/out/f"

done_
