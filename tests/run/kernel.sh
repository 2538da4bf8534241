#!/usr/bin/env bash
# Random file policies over random trees, against the kernel: 1,000 of a fresh seed as root and as
# a user, with POL_SLICE a tenth of that as one of them, in turn.  The live test conform_files has the
# same ones each time.
#   SEED= RUNS= tests/run/kernel.sh
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/slice.sh
runs=1000
[ -z "${POL_SLICE:-}" ] || runs=100
export RUNS=${RUNS:-$runs} POL_LIVE_TIMEOUT=86400
SEED=$((${SEED:-$(od -An -N4 -tu4 /dev/urandom)} + ${POL_SLICE:-0}))
export SEED
printf 'SEED=%s RUNS=%s\n' "$SEED" "$RUNS"
exec tests/run/live.sh conform_files
