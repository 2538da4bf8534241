#!/usr/bin/env bash
# Timings beside peers, interleaved in one run; prints tables, asserts nothing.
#   tests/bench/run.sh [RUNS]        (default 200)
# Root runs it as an ordinary user too (POL_BENCH_USER, made when missing).
set -euo pipefail
cd "$(dirname "$0")/../.."
make -s -j"$(nproc)" VARIANT=rel all
runs=${1:-200}
bin=$PWD/build/rel/bin
work=$(mktemp -d /var/tmp/pol-bench.XXXXXX)
trap 'rm -rf "$work"' EXIT
chmod 0755 "$work"
mkdir -p "$work/home/project"
cp examples/node-project/policy.pol "$work/node.pol"
"$bin/polc" compile "$work/node.pol" -o "$work/node.polb" >/dev/null 2>&1
chmod 0644 "$work/node.polb"
as=()
if [ "$(id -u)" -eq 0 ]; then
	user=${POL_BENCH_USER:-polbench}
	id "$user" >/dev/null 2>&1 || useradd -M -s /bin/sh "$user"
	chown -R "$user" "$work"
	as=(setpriv --reuid "$user" --regid "$user" --init-groups)
fi
env -i PATH=/usr/bin:/bin HOME="$work/home" "${as[@]}" python3 tests/bench/start.py \
	"$runs" "$bin" "$work/node.polb" "$work/home/project"
python3 tests/bench/check_speed.py "$bin/polc" "$work"
