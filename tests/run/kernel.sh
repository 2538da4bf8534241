#!/usr/bin/env bash
# Random policies against the kernel, of a fresh seed, as root and as a user: 1,000 about files over
# random trees, and a tenth of that about names, ports and addresses through the gateway.  With POL_SLICE a
# tenth of both, as one of the two, in turn.  Then, in trees whose names are decided one by one, 200,000
# swaps below the calls of a run, 50 random moments at which polrun or its children are killed, and 200,000
# random calls; also a tenth of them.  The live tests of these names have few of them each time.
#   SEED= RUNS= tests/run/kernel.sh
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/slice.sh
runs=1000 part=1
[ -z "${POL_SLICE:-}" ] || runs=100 part=10
runs=${RUNS:-$runs}
export POL_LIVE_TIMEOUT=86400
SEED=$((${SEED:-$(od -An -N4 -tu4 /dev/urandom)} + ${POL_SLICE:-0}))
export SEED
printf 'SEED=%s RUNS=%s\n' "$SEED" "$runs"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
export SWAPS=$((200000 / part)) KILLS=$((50 / part)) HOSTILE_CALLS=$((200000 / part))
for row in "conform_files $runs" "conform_net $((runs / 10))" "swaps 1" "kill9_names 1" "hostile 1"; do
	RUNS=${row#* } tests/run/live.sh "${row% *}" 2>&1 | tee "$log"
	status=${PIPESTATUS[0]}
	count_add_line "$(tail -n 1 "$log")" "$status" "${row% *}"
done
count_end
