#!/usr/bin/env bash
# Switches off each comparison of diff in a build of its own (compiler/analysis/diff_off.h) and
# expects the property of pairs to find that something is called alike, or has no explanation.
# The comparisons are those that the sources name, each value of scalars.def, and each kind.
#   tests/run/diff-mutants.sh [NAME…]      RUNS= pairs for each (12000), SEED= (a fresh one)
# With POL_SLICE the day's seventh of them.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/slice.sh
: "${BUILD:=$PWD/build/dev}" "${RUNS:=12000}"
: "${SEED:=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}"
export SEED RUNS BUILD
make -s VARIANT=dev BUILD="$BUILD" "$BUILD/tests/prop/pairs_off" || exit 1

names() {
	grep -ohE 'DIFF_ON\("[a-z-]+"\)' compiler/analysis/*.c | sed -E 's/.*"(.*)".*/\1/'
	sed -nE 's/^SCALAR\([A-Z_]+, *"([a-z]+)", *"([a-z-]+)",.*/\1-\2/p' compiler/ir/scalars.def
	grep -oE '\{ "[a-z-]+", r->' compiler/analysis/diff_key.c | sed -E 's/.*"(.*)".*/acts-\1/'
	printf 'kind-%s\n' command file net unix syscall tool
}

# Those that another comparison finds as well: switched off together with it.
with() { # NAME
	sed -nE "s/^$1 +([a-z]+[a-z-]*|-) .*/\1/p" tests/data/diff-mutants.txt
}

only='*silent_alike*'
try() { # NAMES SEED RUNS: the property's own status
	POL_DIFF_OFF=$1 SEED=$2 RUNS=$3 ONLY=$only timeout 900 "$BUILD/tests/prop/pairs_off" 2>&1
}

# Is there a pair that fails without NAME, and OTHER where both are off, but not without OTHER alone?
# What the property says is in $out.
find_pair() { # NAME OTHER
	local from=$SEED end=$((SEED + RUNS)) at
	while [ "$from" -lt "$end" ]; do
		out=$(try "$1${2:+,$2}" "$from" $((end - from))) && return 1
		[ -n "$2" ] || return 0
		at=$(grep -aoE '^SEED=[0-9]+ RUNS=1$' <<<"$out" | grep -oE '[0-9]+' | head -n 1)
		[ -n "$at" ] || return 1
		try "$2" "$at" 1 >/dev/null && return 0
		from=$((at + 1))
	done
	return 1
}

printf 'SEED=%s RUNS=%s\n' "$SEED" "$RUNS"
# Nothing off: everything passes, or a failure below would say nothing.
if ! out=$(try none "$SEED" 600); then
	printf 'FAIL the property fails with every comparison on\n%s\n' "$(tail -n 30 <<<"$out")"
	count_fail
	count_end
	exit 1
fi
index=0
while read -r name; do
	[ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
	index=$((index + 1))
	[ $# -gt 0 ] || in_slice "$index" || continue
	other=$(with "$name")
	only='*silent_alike*'
	[ "$other" != - ] || only='*lock_alone*' other=
	off=$name${other:+ and $other}
	if ! find_pair "$name" "$other"; then
		printf 'FAIL without %s every pair passes\n' "$off"
		printf '     again: SEED=%s RUNS=%s tests/run/diff-mutants.sh %s\n' "$SEED" "$RUNS" "$name"
		count_fail
	else
		printf 'ok   without %s: %s (%s)\n' "$off" "$(sed -n 's/^WHY //p' <<<"$out" | tail -n 1)" \
			"$(sed -nE 's/.*(edit .*), role.*/\1/p' <<<"$out" | tail -n 1)"
		count_pass
	fi
done < <(names | sort -u)
count_end
