#!/usr/bin/env bash
# Shell text as it is read here against what bash and dash run: RUNS= lines of
# each dialect (10,000; 300 in the other variants), SEED=; what polquery decides
# of them against what ran; what each production of the grammar is there for; the
# runner's own controls.  With arguments only
# tests/conformance/shell.py, which gets them.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=$PWD/build/dev}"
export BUILD
run=(python3 tests/conformance/shell.py)
[ $# -eq 0 ] || exec "${run[@]}" "$@"
. tests/lib/count.sh
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
must_fail "parsed: ran [b'" --off pipe
must_fail 'allows it, and it ran' --decide --polquery 'python3 tests/conformance/shell_decider.py allow'
must_fail 'the test says nothing' --decide --polquery 'python3 tests/conformance/shell_decider.py deny'
# polquery itself, that knows no wrappers and no shells
must_fail "allows it, and it ran [b'p3'" --decide --base 'base none'

mutants=()
if [ "${VARIANT:-dev}" = dev ]; then
	: "${RUNS:=10000}"
	mutants=(--mutants 2400)
fi
export RUNS=${RUNS:-300}
"${run[@]}" --decide "${mutants[@]}" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
count_add_line "$(tail -n 1 "$log")" "$status" "shell text"
count_end
