#!/usr/bin/env bash
# Jobs, signals, limits, terminals, sockets and what a program asks the system, inside as outside.
# long: every fourth day, as root and as a user in turn
# timing: waits for programs that listen or draw
# shellcheck disable=SC2016,SC2031,SC2088
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../../lib/live.sh"
# shellcheck source=tests/lib/everyday.sh
. "$(dirname "$0")/../../lib/everyday.sh"

same 'jobs, wait, nohup, kill %1' <<'X'
set -m; sleep 50 & kill %1; wait %1; echo $?; (sleep 0.1; echo bg) & wait; nohup sh -c 'echo nohup' >n.out 2>/dev/null; cat n.out
sleep 0.1 & wait; echo $?; setsid -w echo s; trap 'echo bye' EXIT; trap 'echo term' TERM; kill -TERM $$; echo after
bash -c 'coproc cat; echo c >&"${COPROC[1]}"; read -r x <&"${COPROC[0]}"; echo "$x"; kill $COPROC_PID' 2>/dev/null
X
same 'timeout' timeout <<'X'
timeout 0.3 sleep 50; echo $?; timeout 50 true; echo $?; x=$(timeout 0.3 sh -c 'sleep 50'); echo $?; timeout -k 0.2 0.2 sh -c 'trap "" TERM; sleep 3; sleep 3'; echo $?
X
same 'kill 0 and a group of processes' pkill <<'X'
bash -c 'trap "exit 7" TERM; sleep 50 & kill 0; wait'; echo $?; bash -c 'sleep 77.5 & sleep 77.5 & sleep 0.2; pkill -f "^sleep 77.5"; wait; echo gone'; kill -l 9; sh -c 'kill -9 $$'; echo $?
X
same 'ps, pgrep, top, lsof, fuser' ps pgrep top lsof fuser <<'X'
sleep 78.5 & ps -o comm= -p $!; pgrep -cf '^sleep 78.5'; kill $!; ps aux | head -n 1 | wc -w; top -b -n 1 | grep -c PID; exec 8<a.txt; lsof -p $$ 2>/dev/null | grep -c a.txt; fuser a.txt 2>/dev/null | wc -w
X
same 'ulimit' <<'X'
ulimit -n 100; ulimit -n; (ulimit -t 1; while :; do :; done); echo $?; ulimit -c 0; (ulimit -f 1; head -c 100000 /dev/zero >big) 2>/dev/null; echo $?; (ulimit -v 100000; head -c 1 /dev/zero | wc -c); nice -n 5 nice; ionice -c 3 true; taskset -c 0 nproc; stdbuf -oL echo b
X
same 'a pseudo-terminal: script, stty' script <<'X'
script -qec 'tty >/dev/null && stty size && [ -t 0 ] && echo on a terminal' /dev/null; tty; stty size 2>/dev/null || echo none
X
same 'expect' expect <<'X'
expect -c 'log_user 0; spawn sh; send "echo a\$((40+2))\r"; expect a42; puts found; send "exit 3\r"; expect eof; lassign [wait] a b c d; puts $d'
X
same 'tmux' tmux <<'X'
export SHELL=/bin/sh TMUX_TMPDIR=$(mktemp -d); tmux -f /dev/null new-session -d -s s 'echo in-tmux; exec sleep 50'; for i in $(seq 100); do tmux capture-pane -p -t s | grep in-tmux && break; sleep 0.1; done; tmux ls | cut -d: -f1; tmux kill-server; rm -r $TMUX_TMPDIR
X
same 'screen' screen <<'X'
export SCREENDIR=${SCREENDIR-$HOME/.screen}; screen -dmS s sh -c 'echo ran >out; exec sleep 50'; for i in $(seq 100); do [ -s out ] && break; sleep 0.1; done; cat out; screen -S s -X quit
X
# on a terminal that less does not know it waits for a key first
same 'less, more, man, watch' less man watch script <<'X'
seq 100 | less | tail -n 1; script -qec 'TERM=linux less -E -X a.txt' /dev/null | tr -d '\r' | grep -o one; man -P cat ls 2>/dev/null | head -n 1 | wc -w; script -qec "timeout --foreground 1 watch -n 0.2 -t cat a.txt" /dev/null 2>/dev/null | grep -ao one | head -n 1
X
same 'other shells' zsh fish dash <<'X'
zsh -fc 'print z'; fish -c 'echo f'; dash -c 'echo d'; bash -lc 'echo login'; bash -ic 'echo interactive' 2>/dev/null
X
same 'sockets in /tmp, abstract ones and pairs' python3 <<'X'
python3 - <<'E'
import os, socket, tempfile
d = tempfile.mkdtemp()
for at in d + "/s", "\0pol-everyday":
    l = socket.socket(socket.AF_UNIX)
    l.bind(at)
    l.listen()
    c = socket.socket(socket.AF_UNIX)
    c.connect(at)
    c.sendall(b"x")
    print(l.accept()[0].recv(1))
os.remove(d + "/s")
os.rmdir(d)
print(socket.socketpair()[0].fileno() > 2)
E
X
same 'netcat, socat, curl and a loopback of its own' nc socat curl python3 <<'X'
nc -l 127.0.0.1 47771 >got & for i in $(seq 100); do echo hi | nc -N 127.0.0.1 47771 2>/dev/null && break; sleep 0.1; done; wait; cat got
socat TCP-LISTEN:47772,bind=127.0.0.1,reuseaddr EXEC:cat & for i in $(seq 100); do echo x | socat -t 5 - TCP:127.0.0.1:47772 2>/dev/null && break; sleep 0.1; done; wait
python3 -m http.server --bind 127.0.0.1 47773 >/dev/null 2>&1 & for i in $(seq 100); do curl -s http://localhost:47773/a.txt && break; sleep 0.1; done; kill $!
(exec 3<>/dev/tcp/127.0.0.1/1) 2>/dev/null || echo refused; netstat -ltn 2>/dev/null | head -n 1; ip -br addr show lo | cut -c1-2
X
export NODE_ENV=test DATABASE_URL=postgres://x PORT=3000 EMPTY='' TZ=America/New_York
same 'variables, TZ, locale, date' <<'X'
echo "$NODE_ENV $DATABASE_URL $PORT ${EMPTY-unset}"; V=x env | grep ^V; export W=1; sh -c 'echo $W'; env -i sh -c 'echo ${W-none}'; date -d @0; TZ=Europe/Berlin date -d @1700000000; LC_ALL=C.UTF-8 bash -c 'x=ü; echo ${#x}'; locale | head -n 2; cd src && cd - && echo ~ && pwd && echo "$HOME"
X
unset NODE_ENV DATABASE_URL PORT EMPTY TZ
same 'who and where: /proc, getent, id, uname' getent <<'X'
readlink /proc/self/exe; tr '\0' ' ' </proc/self/cmdline; cat /proc/self/comm; nproc; grep -c ^processor /proc/cpuinfo; wc -w </proc/loadavg; free | wc -l; uname -sm; hostname; cat /proc/sys/kernel/osrelease; getent passwd nobody; getent group 0; getent services http; getent hosts localhost >/dev/null; echo $?; id -un; id -gn; [ "$(stat -c %U a.txt)" = "$(id -un)" ] && echo mine; df . | wc -l; cat /etc/debian_version; [ $EPOCHSECONDS -gt 1700000000 ] && echo now
X
told 'a unix socket in the project' 'blocked: bind .*/s\.sock: rule unix-otherwise at std/base\.pol:[0-9]+: .*; to let it pass: unix \{ allow "[^"]*/project/s\.sock" \}' \
	'unix { allow "${PROJECT_DIR}/s.sock" }' python3 <<'X'
python3 -c '
import socket
l = socket.socket(socket.AF_UNIX)
l.bind("s.sock")
l.listen()
c = socket.socket(socket.AF_UNIX)
c.connect("s.sock")
c.sendall(b"x")
print(l.accept()[0].recv(1))' && rm s.sock
X
told 'sudo' 'sudo has another user.s rights \(it is set-user-ID\), but not in a run; to let it pass: no rule does' '' sudo <<'X'
sudo -n true
X
told 'su' 'su has another user.s rights' '' su <<'X'
su -c true nobody
X
told 'a namespace of one'\''s own' 'blocked: system call unshare\(.*\): rule syscall-[0-9a-f]+ at std/base\.pol:[0-9]+: .*; to let it pass: no rule does' '' unshare <<'X'
unshare -r true
X
told 'a connection to the outside' 'the network is off \(rule network-mode at std/profile/project\.pol:[0-9]+\), and the command asks for it; to let it pass: network limited \{ allow tcp "HOST" port 443 \}' '' curl <<'X'
curl -sS -m 5 http://192.0.2.1/
X

t "a server inside is reached by a browser outside"
if needs 'a server' python3 curl; then
	fresh
	printf 'import http.server, sys\nhttp.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), http.server.SimpleHTTPRequestHandler).serve_forever()\n' >srv.py
	port=$((30000 + RANDOM % 2000))
	while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
	polrun -P "$port:5173" python3 srv.py 5173 >/dev/null 2>"$WORK/.err" &
	served() { [ "$(curl -sm 5 "http://127.0.0.1:$port/a.txt")" = one ]; }
	within 20 served || bad "not reached: $(cat "$WORK/.err")"
	kill $!
	wait $! 2>/dev/null
fi
done_
