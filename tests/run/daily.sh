#!/usr/bin/env bash
# Everyday lines of agents (tests/data/daily.tsv; collected.tsv has lines that were really run), decided under a compiled policy in both scopes: prints
# the shares of each class, and fails where a verdict is milder than a careful person's, or where the
# shares are below the floor that the file records.  And what the answers say would make a
# line pass is tried (hints.py): with POL_SLICE a seventh of it.  Ends with "N passed, N failed, N skipped".
#   daily.sh --list asked|denied|both [--class NAME] [--scope SCOPE]    what is left, with the reason
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
: "${BUILD:=$PWD/build/dev}"
export BUILD
[ $# -eq 0 ] || exec python3 tests/conformance/daily.py "$@"
log=$(mktemp)
trap 'rm -f "$log" "$log".*' EXIT

# NAME TIMES PATTERN [ARG…]: a conformance test; its last line says, as \1 of PATTERN, how many things it
# has looked at, TIMES each.
counted() {
	local status failed n
	python3 "tests/conformance/$1.py" "${@:4}" >"$log" 2>&1
	status=$?
	cat "$log"
	failed=$(grep -c '^FAIL' "$log")
	n=$(sed -n "s/^$1: $3/\\1/p" "$log")
	if [ -z "$n" ] || { [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; }; then
		echo "FAIL $1: it ended with status $status"
		count_fail
	else
		count_passed=$((count_passed + $2 * n - failed))
		count_failed=$((count_failed + failed))
	fi
}
counted daily 2 '\([0-9]*\) lines, .*'
counted daily 2 '\([0-9]*\) lines, .*' tests/data/collected.tsv

# A line that is milder than it should be is seen, in either scope, and so are shares below the floor.
control() { # NAME PATTERN ROW [LEAST]
	printf '# floor\tsandbox\t%s\t0\n# floor\thost\t0\t100\nclass\tsandbox\thost\tcommand\n%s\n' \
		"${4:-0}" "$3" >"$log.tsv"
	if python3 tests/conformance/daily.py "$log.tsv" >"$log" 2>&1 || ! grep -qE "$2" "$log"; then
		echo "FAIL daily.py does not see $1"
		count_fail
	else
		count_pass
	fi
}
control "an allow in the sandbox" '^FAIL sandbox: .ls. gets allow, a person says ask' 'x	ask	allow	ls'
control "an allow on the host" '^FAIL host: .ls. gets allow, a person says deny' 'x	allow	deny	ls'
control "an ask for a deny" '^FAIL host: .npm i. gets ask, a person says deny' 'x	ask	deny	npm i'
control "a share below the floor" '^FAIL sandbox: 0.0 % allowed' 'x	allow	ask	git push' 1

counted hints 1 '[0-9]* lines, \([0-9]*\) rules, .*'
count_end
