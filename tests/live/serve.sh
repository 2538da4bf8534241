#!/usr/bin/env bash
# polquery serve: who may connect, what is done about the path, and that no client
# harms another.
# long: every fourth day, as root and as a user in turn
# timing: waits for clients that say nothing
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
# with std/base, whose tables make long lines heavy
raw_policy 'policy t { level user }
tools { allow "read_*"  deny "shell" }
command { otherwise allow  deny "wget:*" }'
S=$WORK/run/pol.sock
mkdir -m 700 "$WORK/run"
server=''

listens_or_ended() { [ -S "$S" ] || is_over "$server"; }
start() { # returns when it listens
	"$BIN/polquery" -b "$WORK/p.polb" serve "$S" 2>"$WORK/.serve" &
	server=$!
	within 30 listens_or_ended
	[ ! -S "$S" ] || return
	err=$(cat "$WORK/.serve")
	bad "the server does not listen"
}
stop() { # [SIGNAL]
	[ -n "$server" ] || return
	kill "-${1:-TERM}" "$server"
	wait "$server"
	rc=$?
	server=''
}
refused() { # PATTERN: serve ends at once, with 2
	err=$(timeout 30 "$BIN/polquery" -b "$WORK/p.polb" serve "$S" 2>&1 </dev/null >/dev/null)
	rc=$?
	want_rc 2
	want_err "$1"
}
case_of() { # CASE
	out=$(VARIANT=$VARIANT timeout 300 python3 "$top/tests/lib/serve_clients.py" "$1" "$S" 2>&1)
	[ -z "$out" ] || bad "$1"
}

t "the socket: 0600 whatever the umask, gone after each signal"
for signal in TERM INT HUP; do
	umask 0
	start
	umask 022
	[ "$(stat -c '%a %F' "$S")" = "600 socket" ] || bad "its mode is $(stat -c %a "$S")"
	case_of byte_by_byte
	stop "$signal"
	want_rc 0
	[ ! -e "$S" ] || bad "it is still there after $signal"
done

t "what is there already is refused, but for a dead socket"
start
second=$(timeout 30 "$BIN/polquery" -b "$WORK/p.polb" serve "$S" 2>&1 </dev/null)
[[ $second == "polquery: socket "*"somebody listens there"* ]] || bad "a second server: $second"
case_of byte_by_byte
stop KILL
[ -S "$S" ] || bad "SIGKILL leaves no socket: the next test shows nothing"
start # over the dead one
case_of byte_by_byte
stop
for make in 'echo x >"$S"' 'mkdir "$S"' 'mkfifo "$S"' 'ln -s /nonexistent/x "$S"' 'echo y >"$S.t"; ln -s "$S.t" "$S"'; do
	eval "$make"
	refused 'something else is there'
	[ -e "$S" ] || [ -L "$S" ] || bad "it was taken away: $make"
	rm -rf "$S" "$S.t"
done
start
stop

t "directories and paths"
S=$WORK/none/pol.sock
refused 'No such file or directory'
mkdir -m 777 "$WORK/open"
chmod 777 "$WORK/open"
S=$WORK/open/pol.sock
refused 'others may write its directory'
chmod 1777 "$WORK/open"
start # nobody can replace it there
stop
S=$WORK/run/$(printf 'a%.0s' {1..120})
refused 'longer than 107 bytes'
S=$WORK/run/pol.sock
err=$("$BIN/polquery" -b "$WORK/none.polb" serve "$S" 2>&1)
rc=$?
want_rc 2
printf x >"$WORK/bad.polb"
err=$("$BIN/polquery" -b "$WORK/bad.polb" serve "$S" 2>&1)
rc=$?
want_rc 4
[ ! -e "$S" ] || bad "a bundle that cannot be read made a socket"
for args in "serve" "serve $S x" "serv $S"; do
	# shellcheck disable=SC2086
	err=$("$BIN/polquery" -b "$WORK/p.polb" $args 2>&1 </dev/null)
	rc=$?
	want_rc 2
done

t "a socket that somebody else made in its place stays"
start
rm "$S"
echo mine >"$S"
stop
want_rc 0
[ "$(cat "$S")" = mine ] || bad "it was removed"
rm "$S"

t "no client is sent away while there are descriptors for all"
start
room=40
for fd in "/proc/$server/fd"/*; do
	[ "${fd##*/}" -ge 40 ] || room=$((room - 1))
done
prlimit --pid "$server" --nofile=40
out=$(python3 -c 'import socket, sys
room, all = int(sys.argv[2]), []
def ask(s):
    try:
        s.sendall(b"{\"kind\":\"tool\",\"name\":\"read_x\"}\n")
        return b"\"allow\"" in s.recv(9999)
    except OSError:
        return False
for i in range(room + 8):
    all.append(socket.socket(socket.AF_UNIX))
    all[-1].settimeout(60)
    all[-1].connect(sys.argv[1])
    if not ask(all[-1]):
        print("the newest has no answer:", i)
    if i == room - 1:
        print("of", room, "with room have answers:", sum([ask(s) for s in all]))
print("of", len(all), "have answers:", sum([ask(s) for s in all]))' "$S" "$room" 2>&1)
[ "$out" = "of $room with room have answers: $room
of $((room + 8)) have answers: $room" ] || bad "$out"
stop

if [ "$(id -u)" -eq 0 ]; then
	t "a directory of another user is refused, and one of root's own is not"
	mkdir -m 755 "$WORK/theirs"
	S=$WORK/theirs/pol.sock
	start
	stop
	chown 65534 "$WORK/theirs"
	refused "its directory is another user's"
	S=$WORK/run/pol.sock

	t "another user is sent away, also where the mode lets him in"
	chmod 711 "$WORK" "$WORK/run"
	start
	ask='import socket,sys
s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.settimeout(20)
try: s.sendall(b"{\"kind\":\"tool\",\"name\":\"read_x\"}\n"); print(s.recv(9999))
except OSError: print(b"")'
	out=$(python3 -c "$ask" "$S")
	want_out '"effect":"allow"'
	out=$(setpriv --reuid 65534 --regid 65534 --clear-groups python3 -c "$ask" "$S" 2>&1)
	want_out 'PermissionError'
	chmod 666 "$S"
	out=$(setpriv --reuid 65534 --regid 65534 --clear-groups python3 -c "$ask" "$S" 2>&1)
	[ "$out" = "b''" ] || bad "nobody got an answer"
	stop
	chmod 700 "$WORK/run"
fi

start
for c in half_line huge many_half_lines silent thousand does_not_read heavy nonsense together questions slow_answerer heavy_answerer many_questions; do
	t "clients: $c"
	case_of "$c"
	kill -0 "$server" 2>/dev/null || { err=$(cat "$WORK/.serve"); bad "the server is gone"; start; }
done
t "after all of that it still ends well"
stop
want_rc 0
[ ! -e "$S" ] || bad "the socket is still there"
[ ! -s "$WORK/.serve" ] || { err=$(cat "$WORK/.serve"); bad "something was said"; }

t "in XDG_RUNTIME_DIR"
mkdir -m 700 "$WORK/runtime"
S=$WORK/runtime/pol.sock
XDG_RUNTIME_DIR=$WORK/runtime start
[ "$(stat -c '%a %F' "$S")" = "600 socket" ] || bad "its mode is $(stat -c %a "$S")"
case_of byte_by_byte
stop
want_rc 0

if [ "$(id -u)" -eq 0 ]; then
	t "another user's socket stays, dead or not"
	mkdir -m 1777 "$WORK/shared"
	chmod 1777 "$WORK/shared"
	chmod 711 "$WORK"
	S=$WORK/shared/pol.sock
	setpriv --reuid 65534 --regid 65534 --clear-groups python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$S"
	refused "another user's"
	[ -S "$S" ] || bad "it was taken away"
	chown 0 "$S" # the control: a dead one of the caller's own
	start
	case_of byte_by_byte
	stop
fi
done_
