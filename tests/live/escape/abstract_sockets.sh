#!/usr/bin/env bash
# Tries: to reach, or to be reached by, processes of the host through abstract
# names, which no mount covers.
# Stops it: the own network namespace; Landlock's scope where the kernel has it.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
bare_policy
name=@pol-escape-$$-$RANDOM
coproc SERVER { exec "$S" serve "$SECRET" "$name"; }
read -r _ _ <&"${SERVER[0]}"
server=$SERVER_PID # bash forgets it when the server ends

t "the control: outside the name is found"
outside "$S" reach stream "$name"
worked

t "inside it is free"
run "$S" reach stream "$name"
stopped ECONNREFUSED
run "$F" bind "$name"
worked
outside "$F" bind "$name"
stopped EADDRINUSE

t "a name of the run's is not the host's"
"$BIN/polrun" -b "$WORK/p.polb" sh -c "sleep 60 | $S serve /etc/hostname $name.in >here" 2>/dev/null </dev/null &
within 30 test -s "$P/here" || bad "the run serves nothing"
outside "$S" reach stream "$name.in"
stopped ECONNREFUSED
kill $!
wait $! 2>/dev/null

t "the list of sockets is the run's own"
grep -q "$name" /proc/net/unix || bad "the control is not listed"
run cat /proc/net/unix
no_out "$name"

# shellcheck disable=SC1083,SC2093
exec {SERVER[1]}>&-
wait "$server" 2>/dev/null
done_
