#!/usr/bin/env bash
# The cmocka programs of BUILD: all, those of folders, or those that are named; a word that
# names none exactly is looked for in the names.
#   tests/run/unit.sh [--parts=N/M] [FOLDER|NAME|WORD…]
# POL_SLICE, POL_SHARD: tests/lib/slice.sh, a day has one of N parts, with the sanitizers one of M (7/7);
# POL_TEST_LIST=1 only prints the names.  POL_DAY, 0 to 27: SEED is another one each day, and printed.  A program that runs no test, or dies before its sum, is
# a failure.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/slice.sh
. tests/lib/said.sh
: "${BUILD:=$PWD/build/dev}" "${VARIANT:=dev}"
export BUILD
[ -z "${SEED:-}" ] || [ -z "${POL_DAY:-}" ] || export SEED=$((SEED + 100000 * POL_DAY))
shopt -s nullglob

parts=7/7
if [[ ${1:-} == --parts=* ]]; then parts=${1#*=}; shift; fi
if [ "$VARIANT" = san ]; then parts=${parts#*/}; else parts=${parts%/*}; fi
sources=()
for word in "${@:-}"; do
	found=()
	for f in tests/{unit,prop,conformance}/"$word".c; do
		[ ! -e "$f" ] || found+=("$f")
	done
	if [ -n "$word" ] && [ -d "$word" ]; then
		found=("$word"/{test,prop,conf}_*.c)
	elif [ "${#found[@]}" -eq 0 ]; then
		found=(tests/unit/test_*"$word"*.c tests/prop/prop_*"$word"*.c tests/conformance/conf_*"$word"*.c)
	fi
	if [ "${#found[@]}" -eq 0 ]; then
		echo "FAIL: no unit test '$word'"
		count_fail
	fi
	sources+=("${found[@]}")
done

failed_program() { # NAME STATUS OUTPUT: what it said, then the seed and the reason
	local seed
	said_without_leaks <<<"$3" | tail -n 60
	seed=$(said_without_leaks <<<"$3" | said_seed)
	printf 'FAIL %s (status %d): %s\n' "$1" "$2" "$(said_without_leaks <<<"$3" | said_reason)"
	printf '     again: %s%s./dev test %s\n' "${seed:+$seed }" "VARIANT=$VARIANT " "$1"
}

index=-1
for src in "${sources[@]}"; do
	index=$((index + 1))
	in_slice "$index" "$parts" && in_shard "$index" || continue
	name=${src##*/} name=${name%.c}
	[ -z "${POL_TEST_LIST:-}" ] || { echo "$name"; continue; }
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
		failed_program "$name" "$status" "$out"
	else
		printf 'ok   %s (%d)\n' "$name" "$passed"
	fi
	count_passed=$((count_passed + passed))
	count_failed=$((count_failed + failed))
	count_skipped=$((count_skipped + skipped))
done
[ -n "${POL_TEST_LIST:-}" ] || count_end
