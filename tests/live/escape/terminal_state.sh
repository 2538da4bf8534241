#!/usr/bin/env bash
# Tries: to leave the caller's terminal in a state that outlives the run: closed
# to others, its output stopped, not blocking, signalling who reads it.
# Stops it: the floor's rules on ioctl; polrun, which gives the open files'
# flags back.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
command -v python3 >/dev/null && [ -e /dev/ptmx ] || { skip pty "python3 or /dev/ptmx is missing"; done_; exit; }
R="$BIN/polrun -b $WORK/p.polb"
bare_policy

# TIOCGEXCL (0x80045440) gives the flag; of a terminal that is not to be closed
# to others no test can be made as root, who may open it all the same.
t "the control: outside a terminal is closed to others, and its output stops"
term <<EOS
send $C ioctl 0 0x540C 0
expect OK 0
send python3 -c 'import fcntl; print("excl", fcntl.ioctl(0, 0x80045440, b"....")[0])'
expect excl 1
EOS
term <<EOS
send $C ioctl 1 0x540A 0
absent OK
EOS
t "inside neither"
term <<EOS
send $R $C ioctl 0 0x540C 0
expect EPERM
send python3 -c 'import fcntl; print("excl", fcntl.ioctl(0, 0x80045440, b"....")[0])'
expect excl 0
send $R $C ioctl 1 0x540A 0
expect EPERM
send echo to-the-sh""ell
expect to-the-shell
EOS
# TIOCSLCKTRMIOS TIOCVHANGUP TIOCSSERIAL TIOCSBRK, KDSETMODE KDSKBMODE PIO_FONTRESET
# KDFONTOP KIOCSOUND VT_SETMODE VT_ACTIVATE VT_LOCKSWITCH; with high bits, too
for nr in 0x540C 0x5457 0x5437 0x541F 0x5427 0x4B3A 0x4B45 0x4B6D 0x4B72 0x4B2F 0x4BFF \
	0x5602 0x5606 0x560B 0x56FF; do
	for high in 0 0x80000000; do
		printf 'send %s %s ioctl 0 0x%x%08x +64\nexpect EPERM\nexpect PROMPT>\n' \
			"$R" "$C" $((high)) $((nr))
	done
done | term

t "the control: what programs ask and set goes on"
# TCGETS TIOCGWINSZ TIOCSWINSZ TIOCGPGRP TIOCNXCL TCXONC with TCOON; KDGKBTYPE is
# a question, which a pseudo-terminal has no answer to
for nr in 0x5401 0x5413 0x540F; do
	printf 'send %s %s ioctl 0 %s +64\nexpect OK 0\nexpect PROMPT>\n' "$R" "$C" "$nr"
done | term
term <<EOS
send $R $C ioctl 0 0x540D 0
expect OK 0
send $R $C ioctl 0 0x540A 1
expect OK 0
send $R $C ioctl 0 0x4B33 +8
expect ENOTTY
send $R stty rows 33
expect PROMPT>
send stty size
expect 33 [0-9]+
send $R stty -echo
expect PROMPT>
send stty echo; stty -a | tr " " "\n" | grep -x echo
expect echo\s
EOS

# WHAT FLAG: a script without job control that starts a command, and reads.
left() {
	cat >"$WORK/left.py" <<'EOS'
import fcntl, os, sys
fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | int(sys.argv[1]))
EOS
	cp "$WORK/left.py" "$P/left.py"
	printf '%s python3 left.py %s; echo be""hind; read x && echo got "$x"\n' "$1" "$2" >"$P/left.sh"
}
t "the control: outside flags of the open file stay, and hit who reads next"
left '' $((0x800))
term <<EOS
send sh left.sh
expect behind
absent got ty
EOS
left '' $((0x2000))
term <<EOS
send sh left.sh
expect behind
send typed
absent got typed
EOS
t "inside they are gone with the run: O_NONBLOCK, O_ASYNC, both; also where no other descriptor is the terminal"
for flag in $((0x800)) $((0x2000)) $((0x2800)) "$((0x800)) 2>/dev/null" "$((0x800)) >/dev/null 2>&1"; do
	left "$R" "$flag"
	term <<EOS
send sh left.sh
expect behind
wait 0.3
send typed
expect got typed
EOS
done

t "the control: what people use at a terminal works in a run"
if command -v script >/dev/null; then
	term <<EOS
send $R script -qec 'stty size >/dev/null; echo in-scr""ipt' /dev/null
expect in-script
EOS
fi
if command -v vim >/dev/null; then
	term <<EOS
send $R vim -u NONE -N x.txt
wait 0.7
type ihello\x1b:wq\r
wait 0.7
send cat x.txt
expect ^hello
EOS
fi
if command -v less >/dev/null; then
	seq 500 >"$P/long"
	term <<EOS
send $R less long
wait 0.7
type q
wait 0.3
send echo ba""ck
expect back
EOS
fi
if command -v tmux >/dev/null; then
	term <<EOS
send $R env TERM=xterm tmux -f /dev/null -L t new-session 'echo in-tm""ux | tee tmuxed; sleep 0.5'
wait 1.5
send cat tmuxed
expect in-tmux
EOS
fi

done_
