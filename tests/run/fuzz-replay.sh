#!/usr/bin/env bash
# The law of each fuzz target over its corpus: the seeds and findings in
# tests/fuzz/corpus/TARGET, the goldens that fit it, seeds made of a bundle.
#   BUILD=FOLDER tests/run/fuzz-replay.sh [TARGET]
# Last line: N passed, N failed, N skipped.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/fuzz.sh
: "${BUILD:=$PWD/build/dev}"
made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT
fuzz_make_seeds "$BUILD/bin/polc" "$made" || exit 1
for source in tests/fuzz/fuzz_*.c; do
	target=$(basename "$source" .c)
	target=${target#fuzz_}
	[ -z "${1:-}" ] || [ "$1" = "$target" ] || continue
	mapfile -t seeds < <(fuzz_seeds "$target" "$made")
	if [ "${#seeds[@]}" -eq 0 ]; then
		printf 'FAIL fuzz %s has no corpus\n' "$target"
		count_fail
	elif out=$("$BUILD/tests/fuzz/$target" "${seeds[@]}" 2>&1); then
		printf 'ok   fuzz %s (%d files)\n' "$target" "${#seeds[@]}"
		count_pass
	else
		printf 'FAIL fuzz %s\n%s\n' "$target" "$(tail -n 20 <<<"$out")"
		count_fail
	fi
done
for folder in tests/fuzz/corpus/*/; do
	[ -e "tests/fuzz/fuzz_$(basename "$folder").c" ] && continue
	printf 'FAIL %s is the corpus of no target\n' "$folder"
	count_fail
done
count_end
