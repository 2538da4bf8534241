#!/usr/bin/env bash
# The egress gateway: what a connection and a byte cost through it, beside none; and polgate
# alone with 200,000 connections, which must leave no descriptor and no memory behind.
#
#   gate.sh bench|soak BUILD [CONNECTIONS]
#
# In a network namespace of its own.  The server listens on the loopback of "the host", which a
# rule names, so that all of the gateway's steps but DNS are in the way.  As root only: nobody
# else can look at polgate.
set -euo pipefail
cd "$(dirname "$0")/../.."
what=$1 build=$2 count=${3:-200000}
[ "$(id -u)" -eq 0 ] || { echo "gate.sh: only root can look at polgate"; exit 0; }
if [ "${POL_GATE_INSIDE:-}" != "$$" ]; then
	exec unshare --net --pid --fork --mount-proc env POL_GATE_INSIDE=1 bash -c \
		'ip link set lo up; POL_GATE_INSIDE=$$ exec bash "$@"' - "$0" "$@"
fi
work=$(mktemp -d /var/tmp/pol-gate.XXXXXX)
trap 'rm -rf "$work"' EXIT
client=$build/tests/bench/gate
"$client" serve 127.0.0.1 5432 >"$work/ready" &
for _ in {1..100}; do
	[ ! -s "$work/ready" ] || break
	sleep 0.02
done
through() { # OPTIONS… -- COMMAND…
	local options=()
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	"$build/tests/probes/gate_host" "$build/bin/polgate" -o "$work/events" "${options[@]}" -- \
		'allow localhost 5432-5434 within=127.0.0.0/8' "$@"
}
state() { # descriptors and KiB of polgate
	local pid
	pid=$(pgrep -x polgate)
	printf '%s %s\n' "$(ls "/proc/$pid/fd" | wc -l)" "$(awk '/VmRSS/ { print $2 }' "/proc/$pid/status")"
}
reached() { # FILE
	until [ -e "$work/$1" ]; do sleep 0.05; done
}

if [ "$what" = bench ]; then
	printf 'gateway: from exec to ready            %s\n' "$(through -t -- true 2>&1 | head -n 1)"
	printf 'gateway: connect and first byte, direct  %s\n' "$("$client" first 127.0.0.1 5432 5000)"
	printf 'gateway: the same through polgate        %s\n' "$(through -- "$client" first 127.0.0.1 5432 5000)"
	printf 'gateway: bytes, direct                   %s\n' "$("$client" down 127.0.0.1 5433 2 1)"
	printf 'gateway: bytes through polgate           %s\n' \
		"$(through -t -- "$client" down 127.0.0.1 5433 2 1 2>&1 | grep -v exec | tr '\n' ' ')"
	exit
fi

# The first connections fill the pools; what comes after them must not grow.
# shellcheck disable=SC2016
through -- sh -c '"$1" churn 127.0.0.1 5434 5000 16 && touch "$2/warm" && until [ -e "$2/go" ]; do sleep 0.05; done
	"$1" churn 127.0.0.1 5434 "$3" 16 && touch "$2/done" && until [ -e "$2/end" ]; do sleep 0.05; done' - \
	"$client" "$work" "$count" >"$work/said" &
run=$!
reached warm
sleep 0.5
before=$(state)
touch "$work/go"
until [ -e "$work/done" ]; do
	kill -0 "$run" 2>/dev/null || { cat "$work/said"; echo "FAIL: the run has ended"; exit 1; }
	sleep 0.2
done
sleep 0.5
after=$(state)
touch "$work/end"
wait "$run"
cat "$work/said"
told=$(sed -n 's/.* count=\([0-9]*\) .*/\1/p' "$work/events" | awk '{ n += $1 } END { print n }')
echo "polgate's descriptors and KiB: $before after 5000, $after after $count more; records for $told"
read -r fds_before kib_before <<<"$before"
read -r fds_after kib_after <<<"$after"
if [ "$fds_after" -gt "$fds_before" ] || [ "$kib_after" -gt $((kib_before + 256)) ] ||
	[ "$told" -ne $((count + 5000)) ] || grep -q '[1-9][0-9]* clients failed' "$work/said"; then
	echo "FAIL: the soak"
	exit 1
fi
echo "ok: the soak"
