#!/usr/bin/env bash
# However a run ends, the caller's terminal is given back: a script that goes on can read it, and finds
# its modes.
# shellcheck disable=SC2034,SC2154
# long: every fourth day, as root and as a user in turn
# timing: waits for what programs print on a pseudo-terminal
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=tests/lib/asking.sh
. "$(dirname "$0")/../lib/asking.sh"
command -v python3 >/dev/null && [ -e /dev/ptmx ] || { skip pty "python3 or /dev/ptmx is missing"; done_; exit; }
# shellcheck disable=SC2016
policy 'command { opaque allow }'

# A program with job control of its own: its process group has the terminal, in modes of its own.
cat >"$P/own.py" <<'EOT'
import os, signal, sys, termios, time
tty = os.open("/dev/tty", os.O_RDWR)
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
os.setpgid(0, 0)
os.tcsetpgrp(tty, os.getpgrp())
modes = termios.tcgetattr(tty)
modes[1] &= ~termios.OPOST
modes[3] &= ~(termios.ECHO | termios.ICANON | termios.ISIG)
termios.tcsetattr(tty, termios.TCSANOW, modes)
print("is re""ady", flush=True)
how = sys.argv[1]
if how == "kill": os.kill(os.getpid(), signal.SIGKILL)
elif how == "abort": os.abort()
elif how == "exit": sys.exit(3)
elif how == "child":
    if os.fork(): sys.exit(0)
    time.sleep(100)
else: time.sleep(100)
EOT
# WORDS: a script without job control that goes on after them, and reads.
script() {
	printf '%s\n' "#!/bin/bash" 'stty -a >before' "$1" 'stty -a >after' 'echo af""ter' \
		'read x; echo script-got=$x' >"$P/s.sh"
}
RUN="polrun -q -b $WORK/p.polb"
read_on() { # what is done meanwhile, lines of term.py
	term <<EOT
send bash s.sh
$1
expect after
send typed
expect script-got=typed
expect PROMPT>
EOT
}
same_modes() { cmp -s "$P/before" "$P/after" || bad "other modes: $(diff "$P/before" "$P/after")"; }

t 'the control: without polrun, bash gives the terminal back and a killed program does not'
script 'bash --norc --noprofile -i'
read_on $'expect bash-[0-9.]+[$#] \nsend exit'
script 'python3 own.py kill'
term <<EOT
send bash s.sh
absent script-got=typed
EOT

t 'a shell with job control'
script "$RUN bash --norc --noprofile -i"
read_on $'expect bash-[0-9.]+[$#] \nsend exit'
same_modes

for how in kill abort child exit; do
	t "a program that has the terminal ends: $how"
	script "$RUN python3 own.py $how"
	read_on 'expect is ready'
	# what a program sets that ends of itself stays, as after stty
	case $how in kill | abort) same_modes ;; esac
done

t 'the command is killed from outside, polrun is told to end, the time is over'
# shellcheck disable=SC2016
kill_it='(until p=$(pgrep -nf "^python3 own.py stay '$$'$"); do sleep 0.1; done; sleep 1; kill -KILL "$p") &'
script "$kill_it
$RUN python3 own.py stay $$"
read_on 'expect is ready'
same_modes
script "(sleep 3; pkill -TERM -x polrun -P \$\$) & $RUN python3 own.py stay"
read_on 'expect is ready'
same_modes
policy 'command { opaque allow } limits { time 2s }'
script "$RUN python3 own.py stay"
read_on 'expect is ready'
same_modes
policy 'command { opaque allow }'

t 'in the background, and stopped, the terminal is left to the shell'
term <<EOT
send $RUN sh -c 'sleep 1; exit 5' & wait \$!; echo rc \$?
expect rc 5
send $RUN python3 -c 'import os, signal, time; os.kill(os.getpid(), signal.SIGSTOP); time.sleep(1)'
expect Stopped
send echo to-the-sh""ell; bg
expect to-the-shell
wait 2
send read x; echo got=\$x
wait 0.3
send typed
expect got=typed
EOT
done_
