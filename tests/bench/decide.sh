#!/usr/bin/env bash
# How long a decision about a line takes, with 10, 1,000 and 10,000 rules, beside
# loops over the same word patterns.   tests/bench/decide.sh POLC DECIDE WORK
# Then long lines that nobody writes.
# POL_LINES names a file of lines (default ../shared/data/nl2bash.cm; else generated).
set -euo pipefail
polc=$1 decide=$2 work=$3
lines=${POL_LINES:-../shared/data/nl2bash.cm}
[ -e "$lines" ] || lines=
for n in 10 1000 10000; do
	{
		printf 'policy bench { level project }\ncommand {\n\totherwise allow\n'
		for ((i = 0; i < n; i++)); do
			case $((i % 4)) in
			0) echo "allow \"prog$i run *\"" ;;
			1) echo "deny \"git sub$i *\"" ;;
			2) echo "ask \"tool$i x *\"" ;;
			*) echo "allow \"npm run t$i *\"" ;;
			esac
		done
		echo '}'
	} >"$work/decide.pol"
	sed -nE 's/^(allow|ask|deny) "(.*)"$/\2/p' "$work/decide.pol" >"$work/decide.patterns"
	"$polc" compile "$work/decide.pol" -o "$work/decide.polb" >/dev/null 2>&1
	"$decide" "$work/decide.polb" "$work/decide.patterns" ${lines:+"$lines"}
	[ "$n" -ne 10 ] || cp "$work/decide.polb" "$work/ten.polb"
done
"$(dirname "$decide")/big" "$work/ten.polb"
