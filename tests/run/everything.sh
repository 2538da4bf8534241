#!/usr/bin/env bash
# Every test there is: the whole suite in the dev and in the san variant, then
# the faults and the lints once.  The last line is the sum.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh

jobs=$(nproc)
run() { # NAME COMMAND…: adds the command's last line to the sum
	local name=$1 log
	shift
	log=$(mktemp)
	printf '== %s\n' "$name"
	"$@" 2>&1 | tee "$log"
	local status=${PIPESTATUS[0]}
	count_add_line "$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)" \
		"$status" "$name"
	rm -f "$log"
}

before=$(git status --porcelain 2>/dev/null | sort)
for variant in dev san; do
	printf '== build (%s)\n' "$variant"
	if ! make -s -j"$jobs" VARIANT="$variant" all unit-tests probes; then
		echo "build of variant $variant failed"
		count_fail
		continue
	fi
	run "tests ($variant)" env VARIANT="$variant" BUILD="$PWD/build/$variant" \
		tests/run/all.sh
done
run faults env BUILD="$PWD/build/dev" tests/run/faults.sh each
run lint env BUILD="$PWD/build/dev" tests/run/lint.sh
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
count_end
