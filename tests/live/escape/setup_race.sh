#!/usr/bin/env bash
# Tries: somebody outside exchanges a directory of the project with a link to
# elsewhere again and again while runs begin.
# Stops it: places are opened once, without following what a run can have made;
# polinit compares what it mounts with what polrun decided on.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
mkdir -p "$P/data/tmp" "$P/data/hid"
ln -s "$WORK/out" "$P/elsewhere"
mkdir -p "$WORK/out/tmp" "$WORK/out/hid"
try='cat data/secret elsewhere/secret; ls data; echo broken > data/secret; echo broken > data/new'
rules='file { allow read, write "${PROJECT_DIR}/data"
	scratch "${PROJECT_DIR}/data/tmp"
	hide "${PROJECT_DIR}/data/hid"
	deny write "${PROJECT_DIR}/data/locked" }'

# BUNDLE FILE PATTERN: forty runs in the middle of the exchange, and more until
# the file holds the pattern: most are refused, as what they saw is exchanged.
# What they printed.
runs() {
	local i
	"$X" flip "$P/data" "$P/elsewhere" 90000 >/dev/null &
	flip=$!
	: >"$WORK/said"
	SECONDS=0
	for ((i = 0; i < 40 || (i < 1500 && SECONDS < 60); i++)); do
		[ "$i" -lt 40 ] || ! grep -qE -e "$3" "$2" || break
		"$BIN/polrun" -b "$WORK/$1.polb" sh -c "$try" >>"$WORK/said" \
			2>>"$WORK/said" </dev/null
		printf 'rc=%s\n' $? >>"$WORK/said"
	done
	kill "$flip"
	{ wait "$flip"; } 2>/dev/null
	out=$(cat "$WORK/said") err=''
}

t "the control: with a rule for what is elsewhere it is read and written"
bare_policy "$rules file { allow read, write \"$WORK/out\" }"
# without an exchange, so that it always gets through
run sh -c "cat '$WORK/out/secret'; echo broken > '$WORK/out/secret'"
want_out the-secret
want_text broken "$WORK/out/secret"
echo the-secret >"$SECRET"
rm -f "$WORK/out/new" "$P/data/new" "$P/elsewhere/new"

t "without it nothing of it is seen, and nothing changes"
bare_policy "$rules"
runs p "$WORK/said" '^rc=([012]|123)$'
no_out the-secret
want_out '^rc=([012]|123)$'
want_text the-secret "$SECRET"
no_file "$WORK/out/new"

done_
