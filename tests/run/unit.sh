#!/usr/bin/env bash
# Runs every cmocka program of BUILD (or those whose name holds $1).  A program
# that runs no test, or dies before its sum, is a failure.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
: "${BUILD:=$PWD/build/dev}"
export BUILD
shopt -s nullglob
for src in tests/unit/test_*.c tests/prop/prop_*.c tests/conformance/conf_*.c; do
	name=$(basename "$src" .c)
	[[ -n ${1:-} && $name != *"$1"* ]] && continue
	out=$("$BUILD/${src%.c}" 2>&1)
	status=$?
	passed=$(grep -cE '^\[       OK \]' <<<"$out")
	# cmocka names each of these again in its closing lines
	failed=$(grep -oE '^\[  FAILED  \] [a-zA-Z0-9_]+$' <<<"$out" | sort -u | wc -l)
	skipped=$(grep -oE '^\[  SKIPPED \] [a-zA-Z0-9_]+$' <<<"$out" | sort -u | wc -l)
	# a program without cmocka closes with the plain sum
	if [[ $((passed + failed + skipped)) -eq 0 && ${out##*$'\n'} =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
		passed=${BASH_REMATCH[1]} failed=${BASH_REMATCH[2]} skipped=${BASH_REMATCH[4]:-0}
	fi
	if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi
	if [ $((passed + failed + skipped)) -eq 0 ]; then failed=1; fi
	if [ "$failed" -ne 0 ]; then
		printf 'FAIL %s (status %d)\n%s\n' "$name" "$status" "$(tail -n 60 <<<"$out")"
	else
		printf 'ok   %s (%d)\n' "$name" "$passed"
	fi
	count_passed=$((count_passed + passed))
	count_failed=$((count_failed + failed))
	count_skipped=$((count_skipped + skipped))
done
count_end
