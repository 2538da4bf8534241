#!/usr/bin/env bash
# What a run makes in a tree that another run sees is no way to pass it a descriptor: a socket has a
# name there only where a rule about sockets allows the connection, and a FIFO carries bytes alone.
# timing: two threads race for some seconds
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
mkdir -p "$WORK/native" "$HOME/native" "$P/run"
cat >names.py <<'E2'
import os, socket, sys
refused = 0
for path in sys.argv[1:]:
    s = socket.socket(socket.AF_UNIX)
    c = socket.socket(socket.AF_UNIX)
    try:
        s.bind(path)
        s.listen(1)
        c.connect(path)
        print('MADE', path)
    except OSError as e:
        print(type(e).__name__, path)
        refused = 1
sys.exit(refused)
E2
FILES="file {
    allow read, write, exec \"\${PROJECT_DIR}\"
    allow read, write \"$WORK/native\", \"\${HOME}/native\"
    deny write \"\${PROJECT_DIR}/CLAUDE.md\"  scratch \"\${HOME}\", \"/dev/shm\"
}"
names=("$P/a" b run/c "$WORK/native/d" "$HOME/native/e")
left() { find "$P" "$WORK/native" "$HOME/native" -type s; }

t "the control: outside of a run each name is given"
python3 names.py "${names[@]}" >.control
[ "$(grep -c '^MADE' .control)" -eq "${#names[@]}" ] || bad "$(cat .control)"
left | xargs rm -f

t "a run gives no socket a name in a tree of the host"
policy "$FILES"
run python3 names.py "${names[@]}"
no_out MADE
[ "$(grep -c '^PermissionError' <<<"$out")" -eq "${#names[@]}" ] || bad "$out"
[ -z "$(left)" ] || bad "there is $(left)"
want_line "blocked: bind .*/project/a: "

t "the control: in its own trees it does, also around a tree of the host"
run python3 names.py /tmp/a /dev/shm/b "$HOME/d"
[ "$(grep -c '^MADE' <<<"$out")" -eq 3 ] || bad "$out"

if "$BIN/polrun" --doctor | grep -q '^Landlock  *ABI'; then
	t "without Landlock one is made in a tree that the run writes by itself, and it is told"
	err=$("$PROBES/outer" no-landlock "$BIN/polrun" -b "$WORK/p.polb" --report "$WORK/r.json" \
		python3 names.py "${names[@]}" 2>&1 >.out)
	out=$(cat .out)
	grep -q "^MADE $WORK/native/d\$" <<<"$out" || bad "nothing is told for nothing: $out"
	[ "$(grep -c '^MADE' <<<"$out")" -eq 2 ] || bad "$out"
	want_line "without Landlock the command can make sockets in .*native to which other runs connect"
	grep -q 'missing; the mount view alone holds; under: other runs can connect to sockets' "$WORK/r.json" ||
		bad "the report does not tell it"
	left | xargs rm -f

	t "the control: with it nothing is told, nor without such a tree"
	run true
	no_err 'without Landlock'
	policy "file { allow read, write, exec \"\${PROJECT_DIR}\" }" only
	err=$("$PROBES/outer" no-landlock "$BIN/polrun" -b "$WORK/only.polb" true 2>&1)
	no_err 'without Landlock'
fi

t "without seccomp notifications none is made, nor in a private tree around such a tree"
policy "file { allow read, write, exec \"\${PROJECT_DIR}\"  allow read, write \"$WORK/native\", \"\${HOME}/native\"
    scratch \"\${HOME}\", \"/dev/shm\" }" all
own=()
for dir in /tmp /dev/shm; do
	[[ $P == $dir/* ]] || own+=("$dir/a") # else it is around a tree of the host
done
for without in p:no-getfd p:listener all:no-getfd; do
	bundle=$WORK/${without%:*}.polb without=${without#*:}
	out=$("$PROBES/outer" "$without" "$BIN/polrun" -b "$bundle" python3 names.py "${names[@]}" "$HOME/d" 2>&1 | cat)
	no_out MADE
	[ "$(grep -cE '^(Permission|OS)Error' <<<"$out")" -eq $((${#names[@]} + 1)) ] || bad "$out"
	out=$("$PROBES/outer" "$without" "$BIN/polrun" -b "$WORK/p.polb" python3 names.py "${own[@]}" 2>&1 | cat)
	[ "$(grep -c '^MADE' <<<"$out")" -eq ${#own[@]} ] || bad "the control: $out"
	[ -z "$(left)" ] || bad "there is $(left)"
done

t "a rule about sockets gives the name that it says, and no other"
policy "$FILES unix { allow \"\${PROJECT_DIR}/run/c\", \"$WORK/native\" }"
run python3 names.py "${names[@]}"
want_out '^MADE run/c$'
want_out "^MADE $WORK/native/d\$"
[ "$(grep -c '^MADE' <<<"$out")" -eq 2 ] || bad "$out"
left | xargs rm -f

t "a socket does not move there from a tree of the run's own"
policy "$FILES"
run python3 -c 'import os, socket
s = socket.socket(socket.AF_UNIX); s.bind("/tmp/s")
for to in ("moved", "run/moved"):
    for call in (os.rename, os.link):
        try: call("/tmp/s", to); print("MOVED", to)
        except OSError as e: print(e.strerror)'
no_out MOVED
want_out 'cross-device'
[ -z "$(left)" ] || bad "there is $(left)"

t "nor by an address that another thread changes while polrun looks at it"
cat >flip.c <<'E2'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
static struct sockaddr_un at = { .sun_family = AF_UNIX };
static char own[100], host[100];
static volatile int over;
static void *flip(void *arg)
{
	while (!over) {
		memcpy(at.sun_path, own, sizeof(own));
		__asm__ volatile("" ::: "memory");
		memcpy(at.sun_path, host, sizeof(host));
		__asm__ volatile("" ::: "memory");
	}
	return arg;
}
int main(int c, char **v)
{
	time_t end = time(NULL) + atoi(v[1]);
	pthread_t t;
	long tries = 0, made = 0;
	for (int i = 0; i < 100 && i < c; i++)
		own[i] = host[i] = 0;
	snprintf(own, sizeof(own), "%s", v[2]);
	snprintf(host, sizeof(host), "%s", v[3]);
	pthread_create(&t, NULL, flip, NULL);
	while (time(NULL) < end) {
		int s = socket(AF_UNIX, SOCK_STREAM, 0);
		tries++;
		made += bind(s, (struct sockaddr *)&at, sizeof(at)) == 0;
		close(s);
		unlink(own);
		if (access(host, F_OK) == 0) {
			printf("GOT %s after %ld\n", host, tries);
			unlink(host);
			break;
		}
	}
	over = 1;
	printf("tries %ld made %ld\n", tries, made);
	return 0;
}
E2
gcc -O1 -w -pthread -o flip flip.c || bad "no compiler"
for host in "$P/a" "$WORK/native/d" "$HOME/native/e"; do
	run ./flip 3 /tmp/x "$host"
	no_out GOT
	echo "# $out"
	[ "$(sed -n 's/.*made //p' <<<"$out")" -gt 20 ] || bad "nothing was made: $out"
	[ -z "$(left)" ] || bad "there is $(left)"
done

cat >abstract.py <<'E2'
import os, socket, sys, time
what, kind, name = sys.argv[1], getattr(socket, 'SOCK_' + sys.argv[2]), '\0' + sys.argv[3]
try:
    s = socket.socket(socket.AF_UNIX, kind)
    if what == 'take':
        s.bind(name)
        if kind != socket.SOCK_DGRAM:
            s.listen(1)
        open('bound', 'w').close()
        s.settimeout(6)
        c = s if kind == socket.SOCK_DGRAM else s.accept()[0]
        print('TOOK', len(socket.recv_fds(c, 1, 1)[1]))
    else:
        while not os.path.exists('bound'):
            time.sleep(0.02)
        fd = os.open('draft', os.O_RDWR | os.O_CREAT)
        if kind == socket.SOCK_DGRAM:
            s.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fd.to_bytes(4, 'little'))], 0, name)
        else:
            s.connect(name)
            socket.send_fds(s, [b'x'], [fd])
        print('GAVE')
except OSError as e:
    print(type(e).__name__, e.strerror or e)
E2
raw_policy "${HEAD/network disabled/network full}" full
# KIND [OUTER…]: two runs in the host's network, which meet by an abstract name or do not
meet() {
	local kind=$1
	shift
	rm -f bound
	"$@" "$BIN/polrun" -q -b "$WORK/full.polb" python3 abstract.py take "$kind" "pol-$$-$kind" >took 2>&1 </dev/null &
	pid=$!
	within 20 eval '[ -e bound ] || is_over "$pid"' || bad "it did not begin"
	touch bound # of one that can make no such socket
	out=$("$@" "$BIN/polrun" -q -b "$WORK/full.polb" python3 abstract.py give "$kind" "pol-$$-$kind" 2>&1)
	wait "$pid"
	out+=$'\n'$(cat took)
}
for kind in STREAM DGRAM SEQPACKET; do
	t "two runs in the host's network do not meet by an abstract name: $kind"
	meet "$kind"
	no_out 'GAVE|TOOK'
	want_out '^(PermissionError|OSError)'
	want_out 'timed out'
	if "$BIN/polrun" --doctor | grep -q '^Landlock  *ABI'; then
		t "nor without Landlock: $kind"
		meet "$kind" "$PROBES/outer" no-landlock
		no_out 'GAVE|TOOK'
		[ "$(grep -c 'not supported' <<<"$out")" -eq 2 ] || bad "$out"
	fi
	t "the control: one run does: $kind"
	rm -f bound
	run_with full sh -c "python3 abstract.py take $kind one-$$ & python3 abstract.py give $kind one-$$; wait"
	want_out '^GAVE'
	want_out '^TOOK 1'
done

t "a FIFO that one run makes and another one writes carries bytes, and no descriptor"
run sh -c 'mkfifo pipe'
want_rc 0
[ -p pipe ] || bad "there is none"
run python3 -c 'import os, socket
fd = os.open("pipe", os.O_RDWR)
os.write(fd, b"bytes"); print(os.read(fd, 9).decode())
try: socket.socket(fileno=fd, family=socket.AF_UNIX, type=socket.SOCK_STREAM).sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, b"\1\0\0\0")]); print("PASSED")
except OSError as e: print(e.strerror)'
no_out PASSED
want_out '^bytes$'
want_out 'non-socket'

done_
