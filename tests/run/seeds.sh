#!/usr/bin/env bash
# Random policies of seeds that nobody chose.  First each row of tests/data/seeds.txt (a seed that
# has broken a law once), then one fresh seed for every property program, printed; a failing one
# prints the row to add.  SEED in the environment says nothing here: CI pins the one of unit.sh.
#   FRESH=N tests/run/seeds.sh              repeats a fresh seed
#   tests/run/seeds.sh --laws [N [FROM]]    laws L1-L5 and L8 on N (3000) fresh seeds
#   tests/run/seeds.sh --laws N FROM PROGRAM…    of these programs
#   tests/run/seeds.sh --long               --laws; with POL_SLICE one program and 100 seeds
#   tests/run/seeds.sh --pairs [N [FROM]]   N pairs of policies (20000; with POL_SLICE a seventh) for diff, and
#                                           a third of them for check --against
# With POL_SLICE a third of the rows and programs.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/slice.sh
. tests/lib/said.sh
: "${BUILD:=$PWD/build/dev}" "${VARIANT:=dev}" "${ROWS:=tests/data/seeds.txt}"
export BUILD
unset SEED RUNS

# PROGRAM RUNS: some seconds of each.  With the sanitizers a tenth of it.
fresh_runs='prop_laws 60
prop_worlds 40
prop_command 6
prop_matcher 150
prop_walk 10
prop_seccomp 60
prop_part 500
prop_sets 1000
prop_regex 3000
prop_nft 50
prop_gate 150
prop_diff 40
prop_diff_net 200
prop_diff_kinds 150
prop_diff_guard 260
prop_pairs 700
prop_index 600
prop_against 200
prop_prove 105
prop_boxes 150
prop_attack 1
prop_lint 110
prop_exposure 66
prop_why_not 15
prop_regex_words 1500
prop_ir_json 40
prop_convert 80
prop_format 150
prop_print_parse 400
prop_text 60
prop_egress 2000
prop_broker 4
prop_link 60
prop_repo 6
prop_stage 15'

# PROGRAM LAWS: what --laws runs.
laws='prop_laws L1 L2 L3
prop_worlds L4 L5 L8
prop_command L2 L5 L8
prop_matcher L5
prop_walk L5
prop_seccomp L5
prop_gate L5'
slice=50 # seeds of one start of a program

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

try() { # PROGRAM SEED RUNS: its status
	SEED=$2 RUNS=$3 timeout 900 "$BUILD/tests/prop/$1" >"$log" 2>&1 </dev/null
}

# The failing row: the one seed that the program names, where that fails alone, else all of them.
row_of() { # PROGRAM SEED RUNS, after try
	local one
	one=$(grep -aoE 'SEED=[0-9]+( RUNS=1([^0-9]|$)|:)' "$log" | grep -oE '[0-9]+' | head -n 1)
	said_without_leaks <"$log" | tail -n 40 >&2
	if [ -n "$one" ] && ! try "$1" "$one" 1; then
		printf '%s %s 1' "$1" "$one"
	else
		printf '%s %s %s' "$1" "$2" "$3"
	fi
}

failing() { # PROGRAM SEED RUNS, after try
	local row why program seed runs
	why=$(said_without_leaks <"$log" | said_reason)
	row=$(row_of "$@")
	read -r program seed runs <<<"$row"
	printf 'FAIL %s: a law is broken; the row for tests/data/seeds.txt:\n%s    # WHAT IT SHOWED\n     %s\n' "$1" "$row" "$why"
	printf '     again: SEED=%s RUNS=%s VARIANT=%s ./dev test %s\n' "$seed" "$runs" "$VARIANT" "$program"
	count_fail
}

replay() {
	local program seed runs rest bad=0 n=0 ran=0
	while read -r program seed runs rest; do
		[[ $program == '#'* || -z $program ]] && continue
		n=$((n + 1))
		in_slice "$n" 3 || continue
		ran=$((ran + 1))
		if ! [[ $program =~ ^prop_[a-z_]+$ && $seed =~ ^[0-9]+$ && $runs =~ ^[0-9]+$ &&
			-x $BUILD/tests/prop/$program ]]; then
			printf 'FAIL %s: "%s %s %s %s" is no row\n' "$ROWS" "$program" "$seed" "$runs" "$rest"
			bad=1
		elif ! try "$program" "$seed" "$runs"; then
			said_without_leaks <"$log" | tail -n 40
			printf 'FAIL %s %s %s %s: %s\n' "$program" "$seed" "$runs" "$rest" "$(said_without_leaks <"$log" | said_reason)"
			printf '     again: SEED=%s RUNS=%s VARIANT=%s ./dev test %s\n' "$seed" "$runs" "$VARIANT" "$program"
			bad=1
		else
			count_pass
			continue
		fi
		count_fail
	done <"$ROWS"
	[ "$n" -gt 0 ] || count_fail
	[ "$bad" -ne 0 ] || printf 'ok   %d of %d rows of %s\n' "$ran" "$n" "$ROWS"
}

draw() {
	local program runs i=0
	: "${FRESH:=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}"
	printf 'FRESH=%s\n' "$FRESH"
	while read -r program runs; do
		i=$((i + 1))
		in_slice "$i" 3 || continue
		[ "$VARIANT" = dev ] || runs=$((runs / 10 + 1))
		if try "$program" "$FRESH" "$runs"; then
			printf 'ok   %s (%s policies of seed %s)\n' "$program" "$runs" "$FRESH"
			count_pass
		else
			failing "$program" "$FRESH" "$runs"
		fi
	done <<<"$fresh_runs"
	for program in tests/prop/prop_*.c; do
		program=$(basename "$program" .c)
		# it flips each byte of one bundle
		[ "$program" = prop_bundle ] || grep -q "^$program " <<<"$fresh_runs" ||
			{ printf 'FAIL %s draws no fresh seed: see fresh_runs\n' "$program"; count_fail; }
	done
}

# A slice that fails is run seed by seed, so that each broken seed is named.
many() { # N FROM [PROGRAM…]
	local n=$1 from=$2 program which i j k broken alone
	shift 2
	printf 'laws on %s seeds from %s\n' "$n" "$from"
	while read -r program which; do
		[ $# -eq 0 ] || [[ " $* " == *" $program "* ]] || continue
		broken=0
		for ((i = 0; i < n; i += slice)); do
			k=$((n - i < slice ? n - i : slice))
			try "$program" $((from + i)) "$k" && continue
			tail -n 40 "$log"
			alone=0
			for ((j = 0; j < k; j++)); do
				try "$program" $((from + i + j)) 1 && continue
				alone=$((alone + 1))
				tail -n 40 "$log"
				printf 'broken: %s %s 1\n' "$program" $((from + i + j))
			done
			[ "$alone" -gt 0 ] ||
				printf 'broken: %s %s %s\n' "$program" $((from + i)) "$k"
			broken=$((broken + (alone ? alone : 1)))
		done
		printf '%s: %s seeds, %s: %d broken\n' "$program" "$n" "$which" "$broken"
		if [ "$broken" -eq 0 ]; then
			count_pass
		else
			printf 'FAIL laws of %s: %d broken: %s\n' "$program" "$broken" "$(said_without_leaks <"$log" | said_reason)"
			printf '     again: tests/run/seeds.sh --laws %s %s %s\n' "$n" "$from" "$program"
			count_fail
		fi
	done <<<"$laws"
}

# prop_pairs stops at the pair that is broken, and names it.
pairs() { # N FROM
	printf '%s pairs from %s\n' "$1" "$2"
	if ONLY='*alike*' try prop_pairs "$2" "$1" && ONLY='*witness*' try prop_pairs "$2" $(($1 / 10)); then
		count_pass
	else
		failing prop_pairs "$2" "$1"
	fi
	grep -aE '^(edits|[0-9]+ (pairs|witnesses))' "$log"
	if try prop_against "$2" $(($1 / 3)); then
		count_pass
	else
		failing prop_against "$2" $(($1 / 3))
	fi
	grep -aE '^[0-9]+ pairs' "$log"
}

if [ "${1:-}" = --pairs ]; then
	n=20000
	[ -z "${POL_SLICE:-}" ] || n=$((n / 7 + 1))
	pairs "${2:-$n}" "${3:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}"
elif [ "${1:-}" = --laws ]; then
	shift
	many "${1:-3000}" "${2:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}" "${@:3}"
elif [ "${1:-}" = --long ]; then
	n=3000 chosen=() i=0
	[ -z "${POL_SLICE:-}" ] || n=100
	while read -r program _; do
		! in_slice "$i" 6 || chosen+=("$program")
		i=$((i + 1))
	done <<<"$laws"
	many "$n" "$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')" "${chosen[@]}"
else
	replay
	draw
fi
count_end
