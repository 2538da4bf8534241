# Sums of passed, failed and skipped tests; sourced by the runners.
# shellcheck shell=bash
count_passed=0
count_failed=0
count_skipped=0

count_pass() { count_passed=$((count_passed + 1)); }
count_fail() { count_failed=$((count_failed + 1)); }
count_skip() { count_skipped=$((count_skipped + 1)); }

count_check() { # NAME WRONG: nothing in WRONG is right
	if [ -z "$2" ]; then
		printf 'ok   %s\n' "$1"
		count_pass
	else
		printf 'FAIL %s: %s\n' "$1" "$2"
		count_fail
	fi
}

# LINE STATUS NAME: adds "N passed, N failed, N skipped".  No such line, no
# test at all, or a bad status without a failed test is a failure itself.
count_add_line() {
	local p f s
	if [[ $1 =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
		p=${BASH_REMATCH[1]}
		f=${BASH_REMATCH[2]}
		s=${BASH_REMATCH[4]:-0}
		count_passed=$((count_passed + p))
		count_failed=$((count_failed + f))
		count_skipped=$((count_skipped + s))
		if [ $((p + f + s)) -eq 0 ]; then
			echo "FAIL: $3 ran no test"
			count_fail
		elif [ "$2" -ne 0 ] && [ "$f" -eq 0 ]; then
			echo "FAIL: $3 ended with status $2"
			count_fail
		fi
	else
		echo "FAIL: $3 ended with status $2 and no sum"
		count_fail
	fi
}

count_end() {
	printf '%d passed, %d failed, %d skipped\n' \
		"$count_passed" "$count_failed" "$count_skipped"
	[ "$count_failed" -eq 0 ]
}
