#!/usr/bin/env bash
# Every test there is: the whole suite in the dev and in the san variant, the
# faults and the lints.  The failures stand once more at the end, since a log of
# this length is often read from there.  The last line is the sum.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
# a caller's would build in one place and test in another
unset BUILD VARIANT PARTS

jobs=$(nproc)
logs=$(mktemp -d) || exit 1
behind=''
ran=0
cleanup() {
	[ -z "$behind" ] || kill -- "-$behind" 2>/dev/null
	rm -rf "$logs"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

add() { # NAME LOG STATUS: the log's last line of numbers to the sum
	count_add_line "$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$2" | tail -n 1)" \
		"$3" "$1"
}
run() { # NAME COMMAND…
	local name=$1 log
	log=$logs/$((++ran))
	shift
	printf '== %s\n' "$name"
	"$@" 2>&1 | tee "$log"
	add "$name" "$log" "${PIPESTATUS[0]}"
}
again() { # LOG…: each failure with the part it belongs to and the lines below it
	printf '== failed\n'
	awk '/^(== |-- )/ { part = $0; left = 0 }
		/^FAIL/ { print part; left = 8 }
		/^(ok|skip) / { left = 0 }
		left-- > 0 { print substr($0, 1, 300) }' "$@"
}
built() { # VARIANT
	printf '== build (%s)\n' "$1"
	make -s -j"$jobs" VARIANT="$1" all unit-tests probes && return
	echo "build of variant $1 failed"
	count_fail
	return 1
}
suite() { # VARIANT [PARTS]
	env VARIANT="$1" BUILD="$PWD/build/$1" ${2:+PARTS="$2"} tests/run/all.sh
}

before=$(git status --porcelain 2>/dev/null | sort)
# The suite mostly waits for one process at a time, so the variant san, which
# takes longest, runs behind the others, but for parts that come after them: the
# two take about as long then.  Its live tests run as root or as a user, in turn;
# both are tried in dev.
if built san; then
	set -m
	POL_LIVE_TURNS=1 suite san "unit seeds libpol shell commands fuzz-replay schema manual live" >"$logs/san" 2>&1 </dev/null &
	behind=$!
	set +m
fi
if built dev; then
	run 'tests (dev)' suite dev
fi
run faults env BUILD="$PWD/build/dev" tests/run/faults.sh each
run options tests/run/options.sh
run lint env BUILD="$PWD/build/dev" tests/run/lint.sh
[ -z "$behind" ] || run 'tests (san, in front)' suite san "golden table examples reference docs"
if [ -n "$behind" ]; then
	wait "$behind"
	status=$?
	behind=
	printf '== tests (san)\n'
	cat "$logs/san"
	add 'tests (san)' "$logs/san" "$status"
fi
if [ "${POL_TEST_REQUIRE:-}" = all ] && [ "$count_skipped" -ne 0 ]; then
	echo "FAIL: $count_skipped tests were skipped, and all are required"
	count_fail
fi
after=$(git status --porcelain 2>/dev/null | sort)
if [ "$before" = "$after" ]; then
	count_pass
else
	echo "FAIL: the tests left files in the tree:"
	diff <(echo "$before") <(echo "$after")
	count_fail
fi
[ "$count_failed" -eq 0 ] || again "$logs"/*
count_end
