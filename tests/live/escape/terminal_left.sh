#!/usr/bin/env bash
# Tries: to stay on the caller's terminal after the run: a process that goes on
# reading what is typed and printing; a session of one's own that takes it.
# Stops it: everything of a run ends with its command (the pid namespace); the
# controlling terminal of another session is not given without a capability.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
command -v python3 >/dev/null && [ -e /dev/ptmx ] || { skip pty "python3 or /dev/ptmx is missing"; done_; exit; }
R="$BIN/polrun -b $WORK/p.polb"
bare_policy
# NAME: what stays behind writes to the file NAME, then what is typed.
stay() {
	printf '(trap "" HUP TTOU TTIN INT; sleep 0.6; echo still-he""re | tee /dev/tty >>%s; cat >>%s) </dev/tty & echo end""ed' "$1" "$1"
}

t "the control: outside it stays and prints"
term <<EOS
send sh -c '$(stay control)'
expect ended
expect PROMPT>
expect still-here
EOS
grep -q still-here "$P/control" || bad "nothing was written"

t "inside it is gone with the run, also in a session of its own"
term <<EOS
send $R sh -c '$(stay late)'
expect ended
expect PROMPT>
wait 1
send echo to-the-sh""ell
expect to-the-shell
expect PROMPT>
EOS
no_file "$P/late"
term <<EOS
send $R setsid -w sh -c '$(stay late)'
expect PROMPT>
wait 1
send echo to-the-sh""ell
expect to-the-shell
EOS
no_file "$P/late"
within 30 is_gone still-he || bad "a process is left"

t "the terminal is not taken by another session"
term <<EOS
send $R setsid -w $C ioctl 0 0x540E 1
expect EPERM
send $R setsid -w $C ioctl 0 0x540E 0
expect EPERM
send echo to-the-sh""ell
expect to-the-shell
EOS

t "no other terminal of the host has a name"
term <<EOS
send $R sh -c 'ls /dev/pts; echo list""ed'
expect ptmx\s+listed
send $R $F read /dev/pts/0
expect (ENOENT|EACCES)
EOS

done_
