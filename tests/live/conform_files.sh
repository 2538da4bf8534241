#!/usr/bin/env bash
# week: once a week, as root and as a user in turn
# shellcheck shell=bash
# Random file policies over random trees: what the kernel lets through is what
# the decisions say (tests/conformance/files.py).  The suite runs the same
# policies each time; `make conformance` draws new ones and goes on.
#   SEED=N RUNS=N tests/run/live.sh conform_files
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

command -v python3 >/dev/null || { skip python3 "it is not installed"; done_; exit; }
seed=${SEED:-20261122}

# SEED, how it is drawn, and what it showed when it failed: each is tried again every time
failed_once() {
	cat <<-'EOF2'
		20261189 plain a link below an empty directory that the run makes: it has no wall
		31271200 plain a brokered directory of a mount's place, moved by its own name: the run ended
		31271311 plain a directory above what is hidden below a mount's place, moved by its own name
		21112721 plain a directory above a scratch tree in a tree of the host is moved: the run ended
		31271234 plain a name that must not be read and is absent: the run made it, and ended
		3182578824 full a link moves along whose names are too many to be looked at
		73000144 full the same, where only the target has so many
		72000149 full a file gets a name that must not be read at once after it was written: the run ended
		51004006 full a file gets another name, which must not be read: the run ended
		90000009 full an exception gives writing back to the directory of a link, which is not followed
		775422436 full a link moves along, below whose target an absent name is an exception of a denial
	EOF2
}

agree() { # RUNS SEED plain|full
	env PYTHONDONTWRITEBYTECODE=1 python3 "$(dirname "$0")/../conformance/files.py" \
		"$BIN" "$PROBES" "$WORK/conf" "$1" 80000 "$2" "$3" >"$WORK/log" 2>&1 || bad "they do not"
	cat "$WORK/log"
}

mkdir -p "$WORK/conf"
while read -r old how what; do
	t "files: $what"
	agree 1 "$old" "$how"
done < <(failed_once)
t "files: decisions, reports and the kernel agree on random policies"
agree "${RUNS:-60}" "$seed" full
done_
