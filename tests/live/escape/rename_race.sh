#!/usr/bin/env bash
# Tries: a directory and a forbidden one change places (renameat2 EXCHANGE) while
# a file below one of the names is written.
# Stops it: a mount point cannot be renamed; pins on every directory above it.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
mkdir -p "$P/a/b/kept" "$P/other/b/kept" "$P/free1" "$P/free2"
race() { # BUNDLE A B PATH
	local b=$1
	shift
	echo kept >"$P/a/b/kept/f"
	echo other >"$P/other/b/kept/f"
	run_with "$b" "$X" swap "$P/$1" "$P/$2" "$P/$3" 300
	want_rc 0
}

t "the control: without the rule they change places and the file is written"
bare_policy
race p a other other/b/kept/f
want_out '^[1-9][0-9]* swaps [1-9]'
[ "$(cat "$P/a/b/kept/f" "$P/other/b/kept/f")" = "broken
broken" ] || bad "the race was not won: $(cat "$P/a/b/kept/f")"

t "a denied directory: at none of the levels above it"
bare_policy 'file { deny write "${PROJECT_DIR}/a/b/kept" }'
for pair in "a other" "a/b other/b" "a/b/kept other/b/kept"; do
	race p ${pair} "${pair#* }$([ "${pair#*/b}" = "$pair" ] && echo /b/kept)/f"
	want_out '^0 swaps'
	want_text kept "$P/a/b/kept/f"
done

t "the control: what no rule names still changes places in that run"
run "$X" swap "$P/free1" "$P/free2" "$P/free1/f" 50
want_out '^[1-9][0-9]* swaps'

t "a hidden directory"
bare_policy 'file { hide "${PROJECT_DIR}/a/b/kept" }'
race p a other other/b/kept/f
want_out '^0 swaps'
want_text kept "$P/a/b/kept/f"

done_
