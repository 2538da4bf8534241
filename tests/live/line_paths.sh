#!/usr/bin/env bash
# week: once a week, as root and as a user in turn
# Random lines over random links: what polquery, polc explain and the hook allow in scope host neither
# writes what is denied nor prints what is hidden (tests/conformance/line_paths.py).
#   SEED=N RUNS=N tests/run/live.sh line_paths
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

command -v python3 >/dev/null || { skip python3 "it is not installed"; done_; exit; }
mkdir -p "$WORK/lines"
t "what is allowed of random lines keeps what is denied and hidden"
env PYTHONDONTWRITEBYTECODE=1 python3 "$(dirname "$0")/../conformance/line_paths.py" \
	"$BIN" "$WORK/lines" "${RUNS:-10}" "${SEED:-20261129}" >"$WORK/log" 2>&1 || bad "it does not"
cat "$WORK/log"
done_
