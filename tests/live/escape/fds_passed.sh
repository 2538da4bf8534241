#!/usr/bin/env bash
# Tries: to be given a descriptor of the host's by a server on a UNIX socket:
# outside of the view, abstract, of every type.
# Stops it: what is not mounted is not there; the own network namespace has
# abstract names of its own.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
mkdir -p "$WORK/run"
name=@pol-escape-$$-$RANDOM
coproc SERVER { exec "$S" serve "$SECRET" "$WORK/run/s" "seq:$WORK/run/q" "$name" "seq:$name.q"; }
read -r _ _ <&"${SERVER[0]}"
server=$SERVER_PID # bash forgets it when the server ends
bare_policy
std_policy
socks=("stream $WORK/run/s" "seqpacket $WORK/run/q" "stream $name" "seqpacket $name.q")

t "the control: outside each gives the descriptor, and the file is read"
for s in "${socks[@]}"; do
	# shellcheck disable=SC2086
	outside "$S" reach $s
	worked
	want_out the-secret
done

t "inside none is there"
for s in "${socks[@]}"; do
	for b in p s; do
		# shellcheck disable=SC2086
		run_with "$b" "$S" reach $s
		stopped 'ENOENT|ECONNREFUSED'
	done
done

t "the control: the run's own sockets work"
run sh -c 'echo mine > f; (sleep 2) | $0 serve f /tmp/s @x >ready & while ! [ -s ready ]; do sleep 0.05; done; $0 reach stream /tmp/s && $0 reach stream @x' "$S"
want_rc 0
want_out '^mine'

# shellcheck disable=SC1083,SC2093
exec {SERVER[1]}>&-
wait "$server" 2>/dev/null
done_
