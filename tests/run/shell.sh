#!/usr/bin/env bash
# Shell text as it is read here against what bash and dash run: RUNS= lines of
# each dialect (10,000; 300 in the other variants), SEED=; what polquery decides
# of them against what ran; what each production of the grammar is there for; the
# runner's own controls.  With POL_SLICE a seventh of the lines, of a seed of the day's own, the
# day's productions and one of the controls.  With arguments only
# tests/conformance/shell.py, which gets them.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=$PWD/build/dev}"
export BUILD
run=(python3 tests/conformance/shell.py)
[ $# -eq 0 ] || exec "${run[@]}" "$@"
. tests/lib/count.sh
. tests/lib/slice.sh
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

# The table of productions is in a test build only.
traces() { # FILE…
	{ nm "$@" && strings -a "$@"; } 2>/dev/null |
		grep -cE 'shell_(is_off|productions)|parameter-indirect|redirect-both-append'
}
found=$(traces "$BUILD"/lib/libruntime.a "$BUILD"/lib/libpol* "$BUILD"/bin/pol* "$BUILD/tests/conformance/shell_reader")
control=$(traces "$BUILD/tests/conformance/shell_mutants")
if [ "$found" -eq 0 ] && [ "$control" -ge 4 ]; then
	count_pass
else
	echo "FAIL the switches of the productions: $found traces in what is shipped, $control in the test build"
	count_fail
fi
if ! command -v bwrap >/dev/null; then
	echo "skip shell: bwrap is not installed"
	count_skip
	count_end
	exit
fi

# A run that finds nothing would say nothing: it has to fail where it should.
must_fail() { # TEXT OPTION…
	local text=$1
	shift
	if SEED=1 RUNS=200 POL_DATA=/nowhere "${run[@]}" "$@" >"$log" 2>&1; then
		echo "FAIL shell.py $* passes"
		count_fail
	elif ! grep -qF "$text" "$log"; then
		echo "FAIL shell.py $* does not say '$text'"
		tail -n 5 "$log"
		count_fail
	else
		count_pass
	fi
}
! in_slice 0 4 || must_fail "parsed: ran [b'" --off pipe
! in_slice 1 4 || must_fail 'allows it, and it ran' --decide --polquery 'python3 tests/conformance/shell_decider.py allow'
! in_slice 2 4 || must_fail 'the test says nothing' --decide --polquery 'python3 tests/conformance/shell_decider.py deny'
# polquery itself, that knows no wrappers and no shells
! in_slice 3 4 || must_fail "allows it, and it ran [b'p3'" --decide --base 'base none'

mutants=() lines=300
if [ "${VARIANT:-dev}" = dev ]; then
	mutants=(--mutants 2400)
	lines=10000
	[ -z "${POL_SLICE:-}" ] || lines=1500
fi
[ -z "${POL_SLICE:-}" ] || [ -z "${SEED:-}" ] || SEED=$((SEED + POL_SLICE))
export RUNS=${RUNS:-$lines}
"${run[@]}" --decide "${mutants[@]}" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
if [ "$status" -ne 0 ]; then
	printf 'FAIL shell text: %s\n' "$(grep -am 1 -A 1 '^FAIL' "$log" | sed 's/^FAIL *//' | paste -sd' ')"
	printf '     again: %s ./dev test shell\n' "$(grep -aoE '^SEED=[0-9]+ RUNS=[0-9]+' "$log" | head -n 1)"
fi
count_add_line "$(tail -n 1 "$log")" "$status" "shell text"
count_end
