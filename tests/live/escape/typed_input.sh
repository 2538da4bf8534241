#!/usr/bin/env bash
# Tries: to type commands into the caller's terminal (TIOCSTI, TIOCLINUX), to
# take its console or line discipline; the same with upper halves set.
# Stops it: the floor's rules on ioctl, on the width that the kernel reads.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
command -v python3 >/dev/null && [ -e /dev/ptmx ] || { skip pty "python3 or /dev/ptmx is missing"; done_; exit; }
R="$BIN/polrun -b $WORK/p.polb"
bare_policy

if [ "$(cat /proc/sys/dev/tty/legacy_tiocsti 2>/dev/null || echo 1)" = 1 ]; then
	t "the control: outside the character is typed"
	term <<EOS
send $N tiocsti; $N tiocsti-high
expect OK
expect OK
expect PROMPT> xx
EOS
fi
t "the control: the terminal is there, and answers other questions"
term <<EOS
send $R $C ioctl 0 0x5413 +8
expect OK 0
send $R sh -c 'test -t 0 && stty size </dev/tty'
expect [0-9]+ [0-9]+
EOS
t "inside nothing is typed, by any spelling of the number"
term <<EOS
send $R $N tiocsti
expect EPERM
expect PROMPT> $
send $R $N tiocsti-high
expect EPERM
expect PROMPT> $
send $R $N tiocsti /dev/tty
expect EPERM
expect PROMPT> $
EOS
# TIOCSTI TIOCLINUX TIOCCONS TIOCSETD
for nr in 0x5412 0x541C 0x541D 0x5423; do
	for high in 0 0x1 0x80000000 0xffffffff; do
		printf 'send %s %s ioctl 0 0x%x%08x +8\nexpect EPERM\nexpect PROMPT>\n' \
			"$R" "$C" $((high)) $((nr))
	done
done | term

done_
