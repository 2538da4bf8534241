#!/usr/bin/env bash
# Questions about connections at a real terminal emulator (tmux): whatever the run has set, written or
# left running, the screen shows the whole question and nothing else, no answer is made up, and the
# program that was on the screen is there again afterwards.
# shellcheck disable=SC2016,SC2034,SC2154
# long: every fourth day, as root and as a user in turn
# timing: waits for what programs print on a pseudo-terminal
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=tests/lib/asking.sh
. "$(dirname "$0")/../lib/asking.sh"
command -v tmux >/dev/null && [ -e /dev/ptmx ] || { skip tmux "tmux or /dev/ptmx is missing"; done_; exit; }

cat >"$WORK/server.py" <<'EOT'
import os, socket, sys
s = socket.create_server(("127.0.0.1", 0), backlog=100)
open(sys.argv[1] + ".new", "w").write(str(s.getsockname()[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
while True:
    c, _ = s.accept()
    open(sys.argv[1] + ".log", "a").write("reached\n")
    try: c.sendall(b"hello")
    except OSError: pass
    c.close()
EOT
python3 "$WORK/server.py" "$WORK/port" &
server=$!
started=0
MUX=(tmux -f "$WORK/tmux.conf" -S "$WORK/mux")
trap 'kill "$server" 2>/dev/null; "${MUX[@]}" kill-server 2>/dev/null' EXIT
within 10 test -e "$WORK/port" || { t 'a server'; bad 'it does not start'; }
PORT=$(<"$WORK/port")
printf '%s\n' 'set -g status off' 'set -g history-limit 1000' 'set -g default-terminal screen-256color' \
	'set -sg escape-time 0' >"$WORK/tmux.conf"

ask_policy() { # RULES
	raw_policy "${HEAD/network disabled/network limited}network {
ask tcp \"localhost\" port $PORT within 127.0.0.0/8 because \"it reaches the host\" as reaching
}
command { opaque allow }"
}
reached() { [ ! -e "$WORK/port.log" ] || grep -c . "$WORK/port.log"; }

# --- the terminal ------------------------------------------------------------------------

mux_start() { # LINES COLUMNS: a shell in a terminal of that size
	"${MUX[@]}" kill-server 2>/dev/null
	MUX[4]=$WORK/mux.$((++started)) # a server that ends refuses
	rm -f "$WORK/port.log" "$P/got"
	(cd "$P" && "${MUX[@]}" new-session -d -x "$2" -y "$1" 'PS1="OUT> " exec bash --norc --noprofile -i')
	within 10 on_screen '^OUT>' || bad "no shell: $(screen)"
}
screen() { "${MUX[@]}" capture-pane -p; }
drawn() { "${MUX[@]}" capture-pane -p -e; } # with attributes and colours
on_screen() { screen | grep -qE -- "$1"; }
keys() { "${MUX[@]}" send-keys "$@"; }
line() { keys -l "$1"; keys Enter; }
want_screen() { within 15 on_screen "$1" || bad "the screen has no match of $1:
$(screen)"; }
no_screen() { ! on_screen "$1" || bad "the screen has $1:
$(screen)"; }
PROMPT_OF='\[d\]eny, \[\?\] details:'
# What differs between two runs: the program's pid and words.
normal() { sed -E 's/^  program .*/  program X/'; }

cat >"$P/trick.py" <<'EOT'
"""Connects to a port that is asked about, after a trick at the terminal."""
import fcntl, os, signal, socket, struct, subprocess, sys, termios, time
port, trick = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "none"
tty = os.open("/dev/tty", os.O_RDWR)
def put(s): os.write(tty, s.encode())
def on_lines(f):
    for row in range(1, 60): put(f"\033[{row};1H" + f(row))
FAKE = "polrun: fine, it only fetches a list. Answer with o  "
modes = termios.tcgetattr(tty)
def set_modes(f):
    f(modes); termios.tcsetattr(tty, termios.TCSANOW, modes)
def loop(body):
    # a process of another session: the terminal is not its own, it only has a descriptor
    code = f"import os, signal, sys, time\nfor s in (1, 2, 15, 21, 22): signal.signal(s, signal.SIG_IGN)\n" \
           f"fd = {os.dup2(tty, 9)}\n{body}"
    return subprocess.Popen([sys.executable, "-c", code], start_new_session=True, close_fds=False)
PAINT = 'os.write(fd, b"\\0337\\033[H" + b"FORGED line\\r\\n" * 9 + b"\\0338\\033[8m")'
def timer(seconds, ns):
    return loop(
        "import ctypes, struct\nlibc = ctypes.CDLL(None)\nt = ctypes.c_void_p()\n"
        "libc.timer_create(0, struct.pack('PiiP', 0, signal.SIGCONT, 0, 0) + bytes(64), ctypes.byref(t))\n"
        f"libc.timer_settime(t, 0, struct.pack('qqqq', {seconds}, {ns}, {seconds}, {ns}), None)\n"
        "signal.signal(signal.SIGCONT, lambda *a: None)\n"
        "while True:\n " + PAINT + "\n time.sleep(0.01)")
TRICKS = {
    "none": lambda: None,
    "fake": lambda: on_lines(lambda row: "\033[31m" + FAKE),
    "conceal": lambda: put("\033[8m"),
    "black": lambda: put("\033[30;40m\033[38;2;0;0;0;48;2;0;0;0m"),
    "reverse": lambda: put("\033[7m\033[?5h"),
    "charset": lambda: put("\033(0\033)0\033*0\033+0\016\033n\033(0\016"),
    "region": lambda: (on_lines(lambda row: FAKE), put("\033[3;4r\033[4;1H")),
    "origin": lambda: put("\033[10;11r\033[?6h\033[1;1H"),
    "margins": lambda: put("\033[?69h\033[70;72s\033[1;70H"),
    "insert": lambda: put("\033[4h\033[5;1H" + FAKE + "\033[5;1H"),
    "nowrap": lambda: put("\033[?7l\033[1;75H"),
    "palette": lambda: put("\033]4;0;#000;7;#000;15;#000\a\033]10;#000000\a\033]11;#000000\a"),
    "string": lambda: put("\033]0;a title that never ends "),
    "device": lambda: put("\033Pq a picture that never ends "),
    "half": lambda: put("\033[3"),
    "utf": lambda: os.write(tty, b"\xe2\x80"),
    "protected": lambda: (on_lines(lambda row: "\033[1\"q\033V" + FAKE)),
    "column132": lambda: put("\033[?40h\033[?3h"),
    "alternate": lambda: (put("\033[?1049h"), on_lines(lambda row: FAKE), put("\033[8m\033[3;4r")),
    "linefeed": lambda: put("\033[20h\033[12l"),
    "update": lambda: put("\033[?2026h"),
    "doubled": lambda: on_lines(lambda row: "\033#3" + FAKE),
    "size": lambda: fcntl.ioctl(tty, termios.TIOCSWINSZ, struct.pack("HHHH", 2, 3, 0, 0)),
    "upper": lambda: set_modes(lambda m: m.__setitem__(1, m[1] | 0o2)),
    "nopost": lambda: set_modes(lambda m: m.__setitem__(1, 0)),
    "noecho": lambda: set_modes(lambda m: m.__setitem__(3, 0)),
    "writer": lambda: loop("while True:\n " + PAINT + "\n time.sleep(0.01)"),
    "orphan": lambda: loop("if os.fork(): os._exit(0)\nwhile True:\n " + PAINT + "\n time.sleep(0.01)"),
    "chain": lambda: loop("while True:\n " + PAINT + "\n if os.fork(): os._exit(0)"),
    "thread": lambda: loop(
        "import ctypes, threading\ndef f():\n while True:\n  " + PAINT + "\n  time.sleep(0.01)\n"
        "threading.Thread(target=f).start()\nctypes.CDLL(None).pthread_exit(None)"),
    "unreadable": lambda: loop("import ctypes; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\n"
                               "while True:\n " + PAINT + "\n time.sleep(0.01)"),
    # continued by a timer of its own, though stopped
    "timer": lambda: timer(4, 0),
    "timers": lambda: timer(0, 20000000),
    # what is typed becomes another answer
    "erase": lambda: set_modes(lambda m: m[6].__setitem__(termios.VERASE, b"n")),
    "kill": lambda: set_modes(lambda m: m[6].__setitem__(termios.VKILL, b"n")),
    # the terminal answers what it was asked
    "queries": lambda: put("\033[6n\033[c\033[>c\033[5n\005\033[>q\033[18t" * 40),
}
cleanup = TRICKS[trick]()
time.sleep(0.3)
if trick == "queries": TRICKS[trick]()
try: got = socket.create_connection(("127.0.0.1", port), timeout=60).recv(99).decode() or "nothing"
except OSError: got = "nothing"
if isinstance(cleanup, subprocess.Popen) and os.getppid() == 1 and os.getpid() < 50:
    os.kill(-1, 9)  # the rest of the run
open("got", "w").write(got)
put("\030\033[?1049l\033c\033[r\033(B\017\033[m")
put(f"\r\ngot {got}\r\n")
EOT

start() { # TRICK [LINES COLUMNS]: polrun up to the question
	mux_start "${2:-24}" "${3:-80}"
	line "$POL python3 trick.py $PORT $1; echo rc=\$?"
	within 20 on_screen "$PROMPT_OF" || bad "$1: no question:
$(screen)"
}

# --- the control -------------------------------------------------------------------------

t 'the control: a question has the screen for itself, and the screen before comes back'
ask_policy
export WORK
mux_start 24 80
line 'seq 1 5'
want_screen '^5'
line "$POL python3 trick.py $PORT none; echo rc=\$?"
want_screen "$PROMPT_OF"
plain=$(drawn | normal)
no_screen 'OUT>'
out=$(screen)
want_out "^  to +tcp localhost:$PORT$"
want_out '^  program +python3.*trick.py'
want_out '^  by +rule reaching at p.pol:'
want_out '^  reason +it reaches the host$'
no_out '^5'
[ "$(grep -c . <<<"$out")" -eq 6 ] || bad 'there is more on the screen'
line o
want_screen '^got hello'
want_screen '^rc=0'
[ "$(reached)" = 1 ] || bad "reached $(reached) times"

# --- what a run can do to the screen -------------------------------------------------------

for trick in ${ONLY:-fake conceal black reverse charset region origin margins insert nowrap palette string device half \
	utf protected column132 alternate linefeed update doubled size upper nopost noecho writer orphan chain thread \
	unreadable}; do
	t "the question is drawn as without a trick: $trick"
	start "$trick"
	sleep 0.2 # a process that writes would have written by now
	got=$(drawn | normal)
	[ "$got" = "$plain" ] || bad "another screen:
$got"
	line d
	want_screen '^(got nothing|GOT NOTHING)'
	[ -z "$(reached)" ] || bad 'the server was reached'
done

# --- answers -------------------------------------------------------------------------------

for trick in erase kill; do
	t "no stays no, whatever the keys are: $trick"
	start "$trick"
	line no
	want_screen '^got nothing'
	[ -z "$(reached)" ] || bad 'the server was reached'
done

t 'what the terminal answers to the run is no answer to the question'
start queries
line d
want_screen '^got nothing'
[ -z "$(reached)" ] || bad 'the server was reached'

t 'what is typed before the question can be read is no answer, and a paste neither'
mux_start 24 80
line "$POL python3 trick.py $PORT none; echo rc=\$?"
within 20 on_screen 'asks before this connection' || bad 'no question'
for _ in 1 2 3; do line o; done
want_screen "$PROMPT_OF"
[ -z "$(reached)" ] || bad 'the server was reached'
"${MUX[@]}" set-buffer "$(printf '\033[200~o')"
"${MUX[@]}" paste-buffer
keys Enter
sleep 0.5
[ -z "$(reached)" ] || bad 'the server was reached'
want_screen "$PROMPT_OF"
line d
want_screen '^got nothing'

t 'a program that continues itself by a timer makes the answer void'
start timer
sleep 5 # longer than the timer
no_screen 'got nothing'
line o
within 15 test -s "$P/got" || bad "no end: $(screen)"
want_text nothing "$P/got"
[ -z "$(reached)" ] || bad 'the server was reached'

t 'where the programs do not stand still nobody is asked'
mux_start 24 80
line "$POL python3 trick.py $PORT timers"
within 15 test -s "$P/got" || bad "no end: $(screen)"
want_text nothing "$P/got"
no_screen details
[ -z "$(reached)" ] || bad 'the server was reached'

t 'in a small window the question comes in pages; ^Z and ^S do nothing'
mux_start 7 60
line "$POL python3 trick.py $PORT none"
want_screen 'Enter shows more'
no_screen "$PROMPT_OF"
pages=''
for _ in 1 2 3 4 5 6 7 8; do
	pages+=$(screen)
	! on_screen "$PROMPT_OF" || break
	keys Enter
	sleep 0.5
done
want_screen "$PROMPT_OF"
grep -q "to  *tcp localhost:$PORT" <<<"$pages" || bad "no host on the pages: $pages"
keys C-z
keys C-s
sleep 0.5
line d
want_screen '^got nothing'

# --- the program on the screen ---------------------------------------------------------------

# Like the interface of an agent: lines above that stay, below them a box that is drawn again and again, by
# moving up over it (as Ink does, which Claude Code is made with); with `full`, on the alternate screen.
cat >"$P/tui.py" <<'EOT'
import os, signal, socket, sys, threading, time
port, full = int(sys.argv[1]), len(sys.argv) > 2
out = lambda s: (sys.stdout.write(s), sys.stdout.flush())
state = {"n": 0, "got": "waits"}
def box(): return ["+--------------------+", f"| status {state['got']:<11} |", "+--------------------+"]
def draw(first=False):
    if full:
        out("\033[2J\033[H" + "\r\n".join(["a full screen"] * 5 + box()) + "\033[20;1H")
    else:
        out(("" if first else "\033[4A") + "".join("\033[2K" + l + "\r\n" for l in box()) + "\033[2K> \r\n")
def connect():
    time.sleep(0.5)
    try: state["got"] = socket.create_connection(("127.0.0.1", port), timeout=60).recv(99).decode() or "nothing"
    except OSError: state["got"] = "nothing"
threading.Thread(target=connect).start()
signal.signal(signal.SIGWINCH, lambda *a: draw())
if full: out("\033[?1049h")
else: out("\r\n".join(f"line {i} of a talk" for i in range(5)) + "\r\n\033[?25l\033[33m")
draw(True)
while state["got"] == "waits": time.sleep(0.05)
draw()
time.sleep(1.5)
if full: out("\033[?1049l")
out("\033[0m\033[?25h")
EOT
t 'an interface that draws in place looks as before, colours and cursor too'
mux_start 24 80
line "python3 tui.py $PORT"
want_screen '^\| status hello'
want=$(drawn | sed 1d)
rm -f "$WORK/port.log"
mux_start 24 80
line "$POL python3 tui.py $PORT"
want_screen "$PROMPT_OF"
no_screen 'of a talk'
line o
want_screen '^\| status hello'
got=$(drawn | sed 1d)
[ "$got" = "$want" ] || bad "not as without a question:
$got
but:
$want"
within 10 on_screen '^OUT>$' || bad 'it does not end'

t 'one on the alternate screen draws itself again, and the main screen is there when it ends'
mux_start 24 80
line 'seq 1 3'
line "$POL python3 tui.py $PORT full"
want_screen "$PROMPT_OF"
no_screen 'a full screen'
line o
want_screen '^\| status hello'
[ "$(screen | grep -c '^a full screen$')" -eq 5 ] || bad "the screen: $(screen)"
no_screen '^2$'
within 10 on_screen '^OUT>$' || bad 'it does not end'
on_screen '^2$' || bad "the main screen: $(screen)"
no_screen 'a full screen'

if vim --version 2>/dev/null | grep -q '+job'; then
	printf '%s\n' 'import socket, sys, time' 'time.sleep(0.5)' \
		'socket.create_connection(("127.0.0.1", int(sys.argv[1]))).recv(99)' >"$P/dial.py"
	t 'so does vim'
	mux_start 24 80
	seq -f 'line %g of a file' 1 99 >"$P/text"
	line "$POL vim -u NONE -N text"
	want_screen '^line 20 of a file'
	keys -l ":call job_start(['python3', 'dial.py', '$PORT'])"
	keys Enter
	want_screen "$PROMPT_OF"
	no_screen 'of a file'
	line d
	want_screen '^line 20 of a file'
	keys -l ':q!'
	keys Enter
	want_screen '^OUT>$'
	no_screen 'of a file'
fi

# --- before a run ------------------------------------------------------------------------------

t 'a question about a command is drawn plainly below what a run has left'
policy "$ASKS"
mux_start 24 80
line "printf '\\033[8m\\033(0\\033[3;4r\\033[4h\\033[10;1HFORGED'; stty erase n -opost; $POL touch one; echo rc=\$?"
want_screen "$PROMPT_OF"
out=$(drawn)
want_out '^  asked of touch one$'
want_out '^  by +rule touching at p.pol:[0-9]+$'
line no
within 10 on_screen 'rc=126' || within 1 on_screen '.*' # the shell's own text may be concealed again
no_file "$P/one"

# LINES COLUMNS: a line that fills the screen with blanks, and ends as the fields of another question would.
forge() {
	python3 - "$1" "$2" "$WORK/line" <<'EOT'
import sys
rows, cols = int(sys.argv[1]), int(sys.argv[2])
def pad(s): return s + " " * (-len(s) % cols)
head = "  line     "
fields = ["polrun: the policy asks before this is run", "  line     touch docs", "  asked of touch docs"]
line = pad(head + "touch evil")[len(head):] + " " * (cols * (rows - 5)) + "".join(map(pad, fields))
open(sys.argv[3], "w").write(line.rstrip())
EOT
	printf '%s\n' "exec polrun -b '$WORK/p.polb' -c \"\$(cat '$WORK/line')\"" >"$P/forged.sh"
	rm -f "$P"/{evil,docs}
}
# Turns the pages until the question takes an answer, and collects them.
turn_pages() {
	pages=$(screen)
	local i
	for ((i = 0; i < 40; i++)); do
		! on_screen "$PROMPT_OF" || return 0
		on_screen 'Enter shows more' || { sleep 0.1; continue; }
		keys Enter
		sleep 0.6
		pages+=$'\n'$(screen)
	done
	bad "no question after the pages: $pages"
}
for size in '24 80' '30 60' '10 100'; do
	read -r lines columns <<<"$size"
	t "a line about a command that does not fit comes in pages, and its blanks make no fields: $size"
	forge "$lines" "$columns"
	mux_start "$lines" "$columns"
	line 'bash forged.sh; echo rc=$?'
	within 20 on_screen "$PROMPT_OF|Enter shows more" || bad "no question: $(screen)"
	no_screen "$PROMPT_OF"
	turn_pages
	grep -q '^  line     touch evil' <<<"$pages" || bad "no page has the beginning: $pages"
	! grep -qE '^  (line|asked of) +touch docs' <<<"$pages" || bad "forged fields: $pages"
	[ "$(grep -c '^polrun: the policy' <<<"$pages")" -eq 1 ] || bad "a forged question: $pages"
	no_file "$P/evil"
	line o
	want_screen 'rc=0'
	[ -e "$P/evil" ] || bad 'the control: the line was not run after all pages'
done

t 'where wrapping ends a comment is not where a newline ends it'
mux_start 24 80
printf '%s\n' "exec polrun -b '$WORK/p.polb' -c \"\$(cat '$WORK/line')\"" >"$P/forged.sh"
printf 'touch two #%s\ntouch three' "$(printf '%90s' '' | tr ' ' x)" >"$WORK/line"
line 'bash forged.sh'
within 20 on_screen "$PROMPT_OF|Enter shows more" || bad "no question: $(screen)"
turn_pages
want_screen '^ +\+ x+$'
want_screen '^ +\| touch three$'
line d

t 'the control: a short line is asked about at once, with one answer'
mux_start 24 80
line "$POL touch short; echo rc=\$?"
want_screen "$PROMPT_OF"
no_screen 'Enter shows more'
line o
want_screen 'rc=0'
[ -e "$P/short" ] || bad 'it was not run'

# What can be read in the terminal: neither concealed nor black on black.
readable() {
	drawn | python3 -c '
import re, sys
on = set()
for piece in re.split("(\x1b\\[[0-9;]*m)", sys.stdin.read()):
    codes = re.fullmatch("\x1b\\[([0-9;]*)m", piece)
    for code in (codes[1] or "0").split(";") if codes else ():
        on = set() if code == "0" else on | {code}
        on -= {"30"} if code == "39" else {"40"} if code == "49" else {"8"} if code == "28" else set()
    if not codes and "8" not in on and not {"30", "40"} <= on:
        print(piece, end="")'
}
LEAVES=('\033[8m' '\033[30;40m' '\033(0' '\033]0;' '\033P' '\033[24;24r')

t 'a question that is shown again after ^Z is plain, whatever another run has set meanwhile'
for left in nothing '\033[8m' '\033]0;'; do
	mux_start 24 80
	rm -f "$P/asked" # one of the words of forge() above
	line "$POL touch asked"
	want_screen "$PROMPT_OF"
	keys C-z
	want_screen 'Stopped'
	line "clear; $POL printf '$left'; fg"
	within 20 eval 'readable | grep -q "^  line     touch asked"' || bad "$left: nobody can read the question: $(drawn)"
	within 10 eval 'readable | grep -qE "$PROMPT_OF"' || bad "$left: no prompt: $(drawn)"
	line d
	want_screen 'it was asked, and not allowed'
	no_file "$P/asked"
done

t 'a question that is shown again after ^Z goes by the size that the terminal has then'
mux_start 24 80
printf '%s\n' "exec polrun -b '$WORK/p.polb' -c \"\$(cat '$WORK/line')\"" >"$P/long.sh"
printf 'touch long #%s' "$(printf '%400s' '' | tr ' ' x)" >"$WORK/line"
line 'bash long.sh'
want_screen "$PROMPT_OF"
no_screen 'Enter shows more'
keys C-z
want_screen 'Stopped'
"${MUX[@]}" resize-window -x 60 -y 9
line 'clear; fg'
want_screen 'Enter shows more'
turn_pages >/dev/null
line d

t 'pictures on the screen are removed before a question, in tmux and outside of it'
for way in 'TMUX= TERM=xterm-kitty' ''; do
	mux_start 24 80
	"${MUX[@]}" pipe-pane -o "cat >$WORK/bytes"
	line "$way $POL touch picture"
	want_screen "$PROMPT_OF"
	within 5 grep -aq 'asked of' "$WORK/bytes" || bad "no bytes: $(cat -v "$WORK/bytes")"
	sed '/asked of/,$d' "$WORK/bytes" >"$WORK/before"
	if [ -n "$way" ]; then
		grep -aqF $'\033_Ga=d' "$WORK/before" || bad "$way: $(cat -v "$WORK/before")"
	else
		grep -aqF $'\033Ptmux;\033\033_Ga=d' "$WORK/before" || bad "in tmux: $(cat -v "$WORK/before")"
	fi
	line d
done

t 'what polrun says after a run can be read, however the run has left the terminal; the control: a run about which nothing is said'
for left in nothing "${LEAVES[@]}"; do
	mux_start 24 120
	rm -rf "$P/made"
	line "PS1='\\[\\e]0;title\\a\\e[0m\\]OUT> '"
	printf 'git init -q made; printf "%s"\n' "$left" >"$P/leaves.sh"
	line "clear; $POL sh leaves.sh; echo rc=\$?"
	within 20 on_screen 'rc=0' || bad "$left: $(screen)"
	readable | grep -q 'made/.git has appeared' || bad "$left: nobody can read what the run has left: $(drawn)"
done
mux_start 24 80
line "clear; $POL printf 'a\\033[31mb\\n'; echo red; echo rc=\$?"
want_screen 'rc=0'
drawn | grep -qF $'\033[31mb' || bad "a colour was not left: $(drawn)"

done_
