#!/usr/bin/env bash
# Lines with the verdicts that they must get (tests/data/tricks.tsv, and the corpus bypass.tsv
# in POL_DATA or ../shared/data where it is), variants of them, the same above the whole standard
# library, and what real shells do with them.  With POL_SLICE the verdicts of all, and of the rest
# what is the day's (tests/lib/slice.sh); with the sanitizers the verdicts on one day and the variants
# on the next.  Ends with "N passed, N failed, N skipped".
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/slice.sh
: "${BUILD:=$PWD/build/dev}" "${POL_DATA:=$PWD/../shared/data}"
export BUILD
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# The rows of a file count one by one.
rows() { # NAME ARGUMENT…
	local name=$1 status sum
	shift
	tests/run/bypass.sh "$@" >"$log" 2>&1
	status=$?
	sum=$(tail -n 1 "$log")
	echo "   $name: $sum"
	if [[ $sum =~ ^bypass:\ security\ ([0-9]+),\ usability\ ([0-9]+),\ exact\ ([0-9]+)\ of ]]; then
		count_passed=$((count_passed + BASH_REMATCH[3]))
		[ "$status" -eq 0 ] && return
	fi
	head -n 40 "$log"
	printf 'FAIL %s: %s\n' "$name" "$sum"
	printf '     again: %sBUILD=%s tests/run/bypass.sh %s\n' \
		"$(grep -aoE '^SEED=[0-9]+' "$log" | tail -n 1 | sed 's/$/ /')" "${BUILD#"$PWD/"}" "$*"
	count_fail
}

# With the sanitizers a decision takes ten times as long.  A day has a seventh of the random lines,
# of a seed of its own.
variants=5000 each=5 readings=${READINGS:-8000}
[ "${VARIANT:-dev}" = dev ] || variants=1000 each=1
if [ -n "${POL_SLICE:-}" ]; then
	variants=$((variants / 7)) readings=$((readings / 2)) each=1
	[ -z "${SEED:-}" ] || export SEED=$((SEED + POL_SLICE))
fi
corpora=(tests/data/tricks.tsv)
[ -r "$POL_DATA/bypass.tsv" ] && corpora+=("$POL_DATA/bypass.tsv")
for i in "${!corpora[@]}"; do
	f=${corpora[i]}
	[ "${VARIANT:-dev}" != dev ] && ! in_slice 0 2 || rows "${f##*/}" "$f"
	[ "${VARIANT:-dev}" != dev ] && ! in_slice 1 2 || rows "variants of ${f##*/}" "$f" --variants "$variants"
	[ "${VARIANT:-dev}" != dev ] || ! in_slice $((3 * i)) || rows "${f##*/} above the whole library" "$f" --library
done

# What people wrote is read, but for what doc/commands.md lists.
if [ -r "$POL_DATA/nl2bash.cm" ] && [ "${VARIANT:-dev}" = dev ] && in_slice 0 3; then
	python3 tests/conformance/real_lines.py "$POL_DATA/nl2bash.cm" >"$log" 2>&1
	status=$?
	grep -A 1 FAIL "$log" | head -n 40
	count_add_line "$(tail -n 1 "$log")" "$status" "real lines"
	# a line of another class must be seen
	printf '%s\n' 'ls' 'p[u || 1] a' >"$log.cm"
	if python3 tests/conformance/real_lines.py "$log.cm" >"$log" 2>&1 || ! grep -q 'not listed' "$log"; then
		echo "FAIL real_lines.py misses a reason that is not listed"
		count_fail
	else
		count_pass
	fi
	rm -f "$log.cm"
fi

# A runner that finds nothing would say nothing.
printf 'ruleset\tcommand\texpected\twhy\nR1\tls\tdeny\tcontrol\nR1\tls\tallow\tcontrol\n' >"$log.tsv"
if tests/run/bypass.sh "$log.tsv" >"$log" 2>&1 || ! grep -q 'security 1, usability 0, exact 1 of 2' "$log"; then
	echo "FAIL the runner takes an allow for a deny"
	count_fail
else
	count_pass
fi
if tests/run/bypass.sh "$log.tsv" --library >"$log" 2>&1 || ! grep -q "^SECURITY R1 (host): b'ls'" "$log"; then
	echo "FAIL the runner takes an allow for a deny above the library"
	count_fail
else
	count_pass
fi
rm -f "$log.tsv"

holds() { # LINES NAME COMMAND…: it succeeds; the last lines of what it prints
	if "${@:3}" >"$log" 2>&1; then
		count_pass
		tail -n "$1" "$log"
	else
		tail -n "$1" "$log"
		echo "FAIL $2: $(grep -am 1 -A 1 '^FAIL' "$log" | sed 's/^FAIL *//' | paste -sd' ')"
		printf '     again: %s%s\n' "$(grep -aoE '^SEED=[0-9]+( RUNS=[0-9]+)?' "$log" | head -n 1 | sed 's/$/ /')" \
			"BUILD=${BUILD#"$PWD/"} ${POL_SLICE:+POL_SLICE=$POL_SLICE }${*:3}"
		count_fail
	fi
}
# What a bundle answers, and why, is what its sources do.
holds 40 "polc explain of bundles" python3 tests/conformance/explain.py tests/data/tricks.tsv --each "$each"

# Ambiguous words before each place of the tables where something runs; the tables take longer to
# read than the words of a day.
if [ "${VARIANT:-dev}" = dev ] && in_slice 1 3; then
	RUNS=$readings holds 4 "each reading of words" python3 tests/conformance/readings.py
	if python3 tests/conformance/readings.py --programs git,tar,timeout \
		--polquery 'python3 tests/conformance/shell_decider.py allow' >"$log" 2>&1 ||
		! grep -q 'the test says nothing' "$log"; then
		echo "FAIL readings.py is content with an answer to nothing"
		count_fail
	else
		count_pass
	fi
fi

if ! command -v bwrap >/dev/null; then
	echo "skip what the shells do: bwrap is not installed"
	count_skip
elif [ "${VARIANT:-dev}" = dev ]; then
	holds 2 "attack lines" python3 tests/conformance/attacks.py
	# one that gets through must be seen
	printf '%s\t%s\task\tcontrol\tyes\n' ruleset command R11 "git -c alias.z='!rm pwned' z" |
		sed '1s/.*/ruleset\tcommand\texpected\twhy\tran/' >"$log.tsv"
	if ! in_slice 2; then
		:
	elif python3 tests/conformance/attacks.py "$log.tsv" \
		--polquery 'python3 tests/conformance/shell_decider.py allow' >"$log" 2>&1 || ! grep -q 'it is allowed, and ran what is denied' "$log"; then
		echo "FAIL attacks.py misses a line that gets through"
		count_fail
	else
		count_pass
	fi
	# and one of which the decision is not that of its row
	for row in 'ls	ask' "git -c alias.z='!rm pwned' z	allow"; do
		printf 'ruleset\tcommand\texpected\twhy\tran\nR11\t%s\tcontrol\t-\n' "$row" >"$log.tsv"
		if python3 tests/conformance/attacks.py "$log.tsv" >"$log" 2>&1 || ! grep -q 'as its row says' "$log"; then
			echo "FAIL attacks.py misses a verdict that is another: $row"
			count_fail
		else
			count_pass
		fi
	done
	rm -f "$log.tsv"
	! in_slice 0 3 || holds 2 "readings that are allowed, run" python3 tests/conformance/readings_jail.py
	if ! in_slice 0 3; then
		:
	elif python3 tests/conformance/readings_jail.py --lines 40 --programs env,timeout,find,tar \
		--polquery 'python3 tests/conformance/shell_decider.py allow' >"$log" 2>&1 ||
		! grep -q 'it is allowed, and ran what is denied' "$log"; then
		echo "FAIL readings_jail.py misses a line that gets through"
		count_fail
	else
		count_pass
	fi
	holds 5 "what the shells do" python3 tests/conformance/bypass_oracle.py tests/data/tricks.tsv
fi
count_end
