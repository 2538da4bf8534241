#!/usr/bin/env bash
# libFuzzer, with ASan and UBSan, on one target or on each.
#   tests/run/fuzz.sh [TARGET] [SECS]
# Starts from the corpus and from what earlier runs kept in build/fuzz/kept; a
# finding is left in build/fuzz/found.  One line a target with what was done.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/fuzz.sh
build=${POL_FUZZ_BUILD:-$PWD/build/fuzz} secs=${2:-60}
command -v clang >/dev/null || { echo "fuzz: needs clang (and libclang-rt)" >&2; exit 2; }
make -s -j"$(nproc)" VARIANT=fuzz BUILD="$build" "$build"/bin/{polc,polnft-record} fuzz-targets || exit 1
made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT
fuzz_make_seeds "$build/bin/polc" "$made" || exit 1
mkdir -p "$build/found"
status=0
for source in tests/fuzz/fuzz_*.c; do
	target=$(basename "$source" .c)
	target=${target#fuzz_}
	[ -z "${1:-}" ] || [ "$1" = "$target" ] || continue
	mkdir -p "$build/kept/$target" "$build/seeds/$target"
	n=0
	while IFS= read -r f; do
		cp "$f" "$build/seeds/$target/$((n = n + 1))-$(basename "$f")"
	done < <(fuzz_seeds "$target" "$made")
	log=$build/$target.log
	"$build/tests/fuzz/$target" -max_total_time="$secs" -timeout=10 -rss_limit_mb=2048 \
		-max_len=16384 -print_final_stats=1 -artifact_prefix="$build/found/$target-" \
		"$build/kept/$target" "$build/seeds/$target" >"$log" 2>&1
	rc=$?
	runs=$(sed -nE 's/^stat::number_of_executed_units: *//p' "$log")
	cov=$(sed -nE 's/.* cov: ([0-9]+) .*/\1/p' "$log" | tail -n 1)
	printf '%-16s %9s runs, %6s edges, %5d seeds, %5d kept: %s\n' "$target" "${runs:-?}" \
		"${cov:-?}" "$n" "$(find "$build/kept/$target" -type f | wc -l)" \
		"$([ $rc -eq 0 ] && echo nothing found || echo "FOUND, see $log")"
	[ $rc -eq 0 ] || status=1
done
exit $status
