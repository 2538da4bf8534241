#!/usr/bin/env bash
# How much of compiler/ and runtime/ the unit programs, the goldens and the fuzz
# corpora reach (gcov).  What only a run reaches, in namespaces, is not counted:
# polinit ends by signals and filters that leave it no time to write counts.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
build=${POL_COV_BUILD:-$PWD/build/cov}
make -s -j"$(nproc)" VARIANT=cov BUILD="$build" all unit-tests || exit 1
find "$build" -name '*.gcda' -delete
for part in unit fuzz-replay golden; do
	BUILD=$build "tests/run/$part.sh" | tail -n 1
done
# "Lines executed:P% of N" behind the name of each file
find "$build/obj/compiler" "$build/obj/runtime" -name '*.gcda' -print0 |
	xargs -0 -n 1 gcov -n -b 2>/dev/null |
	awk -F"[':% ]+" '
	/^File/ { keep = $2 ~ /^(compiler|runtime)\/.*\.c$/; file = $2 }
	/^Lines executed/ && keep { split(file, d, "/"); k = d[1] "/" d[2]
		hit[k] += $3 * $5 / 100; all[k] += $5; keep = 0 }
	END { for (k in all) printf "%-22s %5.1f %% of %d lines\n", k, 100 * hit[k] / all[k], all[k] }' |
	LC_ALL=C sort
