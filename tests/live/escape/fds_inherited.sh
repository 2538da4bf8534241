#!/usr/bin/env bash
# Tries: a directory or file of the host by a descriptor that the caller left
# open, whatever its number.
# Stops it: close_range(2) before the command; nothing of polrun's own is left.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
bare_policy
last=$(($(ulimit -Hn) - 1))
ulimit -Sn "$(ulimit -Hn)"

t "the control: outside a descriptor leads to the file"
outside "$X" with-fd 9 "$WORK" "$X" at 9 out/secret
want_out the-secret

t "inside it is closed, a low one, a high one and the last"
for n in 3 4 5 6 7 8 9 10 63 255 1023 $last; do
	outside "$X" with-fd "$n" "$WORK" "$BIN/polrun" -b "$WORK/p.polb" \
		"$X" at "$n" out/secret
	stopped EBADF
done
run sh -c 'exec 9<.; $0 at 9 /etc/passwd' "$X"
worked

t "none is polrun's or polinit's, where the caller has one open as well"
exec 9<.
run "$N" fds
stopped EBADF
run sh -c 'ls -l /proc/self/fd | grep -c -- "->"'
want_out '^4$'
exec 9<&-

done_
