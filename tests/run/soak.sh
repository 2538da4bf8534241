#!/usr/bin/env bash
# The egress gateway over time, in the closed network of tests/lab: it must not grow.
#   BUILD=FOLDER RUNS=200000 HELD=5000 tests/run/soak.sh
# RUNS connections one after another, half of them ended by a reset: afterwards polgate has as many
# descriptors as after their first tenth, and not more than 4 MiB more memory.  Then HELD connections at once: at most
# 20,000 descriptors and 64 MiB.  Root only, by hand: it takes some minutes.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/wait.sh
: "${BUILD:=$PWD/build/dev}" "${RUNS:=200000}" "${HELD:=5000}"
D=$BUILD/tests/probes/dial_probe

if [ -z "${LAB:-}" ]; then
	[ "$(id -u)" -eq 0 ] || { echo "soak: only root can make the closed network"; exit 1; }
	work=$(mktemp -d /var/tmp/pol-soak.XXXXXX)
	mkdir -p "$work/home/project" "$work/lab"
	trap 'rm -rf --one-file-system "$work"' EXIT
	export BUILD RUNS HELD WORK=$work HOME=$work/home
	tests/lab/lab.sh -d "$work/lab" -- "$PWD/tests/run/soak.sh"
	exit
fi

ulimit -S -n "$(ulimit -H -n)"
# the gateway is the first to close to the same server, again and again
sysctl -qw net.ipv4.tcp_tw_reuse=1 net.ipv4.ip_local_port_range="1024 65535"
cat >"$WORK/p.pol" <<EOS
policy t { base none }
command { otherwise allow }
file { allow read, exec "/usr", "/bin", "/lib", "/lib64", "$BUILD/tests/probes"  allow read "/etc"  allow read, write "\${PROJECT_DIR}" }
network limited { allow tcp "echo.example" port 9000 }
EOS
"$BUILD/bin/polc" compile "$WORK/p.pol" -o "$WORK/p.polb" 2>"$WORK/err" || { cat "$WORK/err"; exit 1; }
chmod 0600 "$WORK/p.polb"
cd "$HOME/project" || exit 1

in_run() { # COMMAND…: sets run (its polrun) and gate
	"$BUILD/bin/polrun" -b "$WORK/p.polb" "$@" >"$WORK/out" 2>"$WORK/err" </dev/null &
	run=$!
	within 10 pgrep -P "$run" -x polgate >/dev/null || { echo "soak: no polgate: $(cat "$WORK/err")"; exit 1; }
	gate=$(pgrep -P "$run" -x polgate)
}
descriptors() { find "/proc/$gate/fd" -mindepth 1 2>/dev/null | wc -l; }
kib() { awk '/^VmRSS/ { print $2 }' "/proc/$gate/status"; }
said() { grep -q "$1" "$WORK/out"; }

# a tenth of it warms up the gateway's memory
in_run sh -c "sleep 0.5; $D soak $((RUNS / 10)) echo.example 9000 1; touch warm; sleep 3; $D soak $RUNS echo.example 9000 20"
sleep 0.3
before=$(descriptors)
within 600 said '^\(done\|bad\) '
within 10 test -e warm
sleep 2
warm=$(descriptors) warm_kib=$(kib)
within 3600 said "^\(done\|bad\) $RUNS"
sleep 5
after=$(descriptors) after_kib=$(kib)
kill "$run"
wait "$run" 2>/dev/null
echo "note: $RUNS connections: descriptors $before, $warm, $after; memory $warm_kib, $after_kib KiB"
count_check "each of $RUNS connections has its echo" "$(grep -v '^done' "$WORK/out")$([ "$(grep -c '^done' "$WORK/out")" -eq 2 ] || { echo ' not done'; head -n 4 "$WORK/err"; })"
count_check "no descriptor is left" "$([ "$after" -le "$warm" ] || echo "$warm after a tenth, $after at the end")"
count_check "memory does not grow" "$([ "$after_kib" -le $((warm_kib + 4096)) ] || echo "$warm_kib KiB, then $after_kib KiB")"

in_run "$D" many "$HELD" echo.example 9000 5
within 120 said '^ok'
held=$(descriptors) held_kib=$(kib)
echo "note: $(cat "$WORK/out"): $held descriptors, $held_kib KiB"
count_check "$HELD connections at once" "$(grep -qx "ok $HELD refused 0 ended 0" "$WORK/out" || cat "$WORK/out" "$WORK/err")"
count_check "at most 20,000 descriptors and 64 MiB" "$([ "$held" -le 20000 ] && [ "$held_kib" -le 65536 ] || echo "$held, $held_kib KiB")"
kill "$run" 2>/dev/null
wait "$run" 2>/dev/null
count_end
