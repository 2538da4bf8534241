#!/usr/bin/env bash
# The rules of a limited network, loaded in four ways: tests/bench/nft.c.
#   tests/bench/nft.sh RUNS BIN PROGRAM WORK
set -euo pipefail
runs=$1 bin=$2 program=$3 work=$4
measure() { # KIND COUNT
	"$bin/polc" compile --no-sources "$work/nft.pol" -o "$work/nft.polb" >/dev/null 2>&1
	tar xOf "$work/nft.polb" nft.batch >"$work/nft.batch"
	tar xOf "$work/nft.polb" nft.json >"$work/nft.json"
	"$program" "$work/nft.batch" "$work/nft.json" "$runs" "$2" "$1" ||
		echo "nft $2 $1: not measured"
}
# rules of one block each, two for what none decides, one for replies
for count in 1 10 100; do
	{
		echo 'network limited {'
		awk -v n="$count" 'BEGIN { for (i = 0; i < n; i++)
			printf "\tallow tcp 10.%d.%d.0/24 port 443 as r%d\n", int(i / 256), i % 256, i }'
		echo '}'
	} >"$work/nft.pol"
	measure rules "$count"
done
for kind in plain interval; do
	for count in 10 1000 10000; do
		{
			echo 'network limited {'
			awk -v n="$count" -v mask="$([ "$kind" = interval ] && echo /25)" 'BEGIN {
				for (i = 0; i < n; i++) {
					if (i % 100 == 0) printf "%s\tallow tcp ", i ? " port 443\n" : ""
					printf "%s10.%d.%d.0%s", i % 100 ? ", " : "", int(i / 256), i % 256, mask
				}
				print " port 443" }'
			echo '}'
		} >"$work/nft.pol"
		measure "$kind" "$count"
	done
done
