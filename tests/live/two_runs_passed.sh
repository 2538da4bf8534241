#!/usr/bin/env bash
# A run opens a file by an allowed name and passes the descriptor to another run, over a socket that a rule
# allows.  Then a person gives the file a denied name: the other run ends and does not write on, also if
# the one that opened the file has ended long before.
# timing: waits for runs to begin and to end
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
policy 'file {
    allow read, write, exec "${PROJECT_DIR}"
    deny write "${PROJECT_DIR}/**/locked/*.txt"
    deny write "${PROJECT_DIR}/CLAUDE.md", "${PROJECT_DIR}/deploy/run.sh"
}
unix { allow "${PROJECT_DIR}/s", "${PROJECT_DIR}/s2" }'

policy 'file { allow read, write, exec "${PROJECT_DIR}" }
unix { allow "${PROJECT_DIR}/s" }' open
# pass.py keep FILE SOCKET HOW: takes a descriptor, and writes to it when there is "moved".
# pass.py give FILE SOCKET stay|go: opens FILE and passes it.
# pass.py relay SOCKET SOCKET: takes one and passes it when there is "pass".
cat >pass.py <<'E2'
import mmap, os, socket, sys, time
def wait_for(name):
    while not os.path.exists(name):
        time.sleep(0.02)
def mark(name):
    open(name, 'w').close()
def connect(path):
    s = socket.socket(socket.AF_UNIX)
    while True:
        try:
            s.connect(path)
            return s
        except OSError:
            time.sleep(0.05)
def take(path):
    s = socket.socket(socket.AF_UNIX)
    s.bind(path)
    s.listen(1)
    c = s.accept()[0]
    fd = socket.recv_fds(c, 1, 1)[1][0]
    c.send(b'y')
    return fd
def give(path, fd):
    s = connect(path)
    socket.send_fds(s, [b'x'], [fd])
    s.recv(1)
verb, how = sys.argv[1], sys.argv[-1]
if verb == 'give':
    give(sys.argv[3], os.open(sys.argv[2], os.O_RDWR))
    mark('given')
    if how == 'stay':
        time.sleep(30)
elif verb == 'relay':
    fd = take(sys.argv[2])
    mark('relayed')
    wait_for('pass')
    give(sys.argv[3], fd)
    mark('passed')
else:
    fd = take(sys.argv[3])
    if how == 'close':
        os.close(fd)
    if how == 'map':
        m = mmap.mmap(fd, 0)
        os.close(fd)
    mark('has')
    wait_for('moved')
    time.sleep(1.5 if how != 'quick' else 0)
    if how == 'map':
        m[0:4] = b'EVIL'
    elif how != 'close':
        os.pwrite(fd, b'EVIL\n', 0)
    mark('wrote')
E2
anew() {
	rm -rf s s2 given has moved relayed pass passed wrote deploy locked .git/hooks/pre-commit CLAUDE.md sub .envrc
	mkdir sub
	echo fine >draft
}
# HOW [SOCKET]: the run that takes it; sets taker
taker() {
	"$BIN/polrun" -q -b "$WORK/p.polb" --report "$WORK/report" python3 pass.py keep - "${2:-s}" "$1" \
		>/dev/null 2>"$WORK/.err" </dev/null &
	taker=$!
}
passed() { # HOW
	anew
	taker "$1"
	run python3 pass.py give draft s go
	want_rc 0
	within 20 test -e has || bad "nothing was passed"
}
# NAME: a person gives the file this name, and the run that has it ends.
moved_to() {
	mkdir -p "$(dirname "$1")"
	mv draft "$1"
	touch moved
	within 20 is_over "$taker" || { kill -KILL "$taker"; bad "the run went on"; }
	wait "$taker"
	rc=$? err=$(cat "$WORK/.err")
}
lost() { # NAME
	moved_to "$1"
	want_rc 123
	want_line "run ended: outside of it .*$1 was given to what the run could write"
	no_file wrote
	want_text fine "$1"
}
git init -q . || bad "no repository"
names=(CLAUDE.md .git/hooks/pre-commit deploy/run.sh sub/locked/a.txt .envrc)

t "the control: a file that keeps an allowed name is written by the run that got it"
passed open
moved_to sub/other
want_rc 0
want_text EVIL sub/other

for name in "${names[@]}"; do
	t "the run that has opened it has ended: $name"
	passed open
	lost "$name"
done

t "a mapping of it is enough"
passed map
lost sub/locked/a.txt

t "a name that has appeared meanwhile"
passed open
echo before >CLAUDE.md
lost CLAUDE.md

t "a name that existed before"
echo before >kept
anew
mv kept CLAUDE.md
taker open
run python3 pass.py give draft s go
want_rc 0
within 20 test -e has || bad "nothing was passed"
lost CLAUDE.md

t "a run whose rules do not deny the name goes on, beside one whose rules do"
anew
"$BIN/polrun" -q -b "$WORK/open.polb" python3 pass.py keep - s open >/dev/null 2>"$WORK/.err" </dev/null &
taker=$!
run python3 pass.py give draft s go
within 20 test -e has || bad "nothing was passed"
moved_to sub/locked/a.txt
want_rc 0
want_text EVIL sub/locked/a.txt

t "the control: what has been closed again ends nothing"
passed close
moved_to .git/hooks/pre-commit
want_rc 0
want_text fine .git/hooks/pre-commit

for name in .git/hooks/pre-commit sub/locked/a.txt; do
	t "the run that has opened it goes on: both end: $name"
	anew
	taker open
	"$BIN/polrun" -q -b "$WORK/p.polb" python3 pass.py give draft s stay >/dev/null 2>"$WORK/.err1" </dev/null &
	giver=$!
	within 20 test -e has -a -e given || bad "nothing was passed"
	lost "$name"
	wait "$giver"
	rc=$? err=$(cat "$WORK/.err1")
	want_rc 123
done

t "a third run that begins later gets it from the second"
anew
"$BIN/polrun" -q -b "$WORK/p.polb" python3 pass.py relay s s2 >/dev/null 2>"$WORK/.err2" </dev/null &
relay=$!
run python3 pass.py give draft s go
want_rc 0
within 20 test -e relayed || bad "nothing was passed"
taker open s2
touch pass
within 20 test -e has || bad "nothing was passed on"
within 20 is_over "$relay" || bad "it has not ended: $(cat "$WORK/.err2")"
wait "$relay"
lost .git/hooks/pre-commit

# TITLE NAME: a person gives it a name that a rule denies without a wildcard; the run that has it ends within two seconds.
ends_soon() {
	mkdir -p "$(dirname "$1")"
	mv "${2:-draft}" "$1"
	sleep 1.5
	touch moved
	within 20 is_over "$taker" || { kill -KILL "$taker"; bad "the run went on"; }
	wait "$taker"
	rc=$? err=$(cat "$WORK/.err")
	want_rc 123
	want_line "run ended: outside of it .*$1 was given to what the run could write"
	no_file wrote
	want_text fine "$1"
}
for name in CLAUDE.md deploy/run.sh .envrc; do
	t "the polrun that has opened it was killed: $name, which was absent"
	anew
	taker open
	"$BIN/polrun" -q -b "$WORK/p.polb" python3 pass.py give draft s stay >/dev/null 2>&1 </dev/null &
	giver=$!
	within 20 test -e has -a -e given || bad "nothing was passed"
	kill -KILL "$giver"
	wait "$giver" 2>/dev/null
	ends_soon "$name"
done
policy 'file { allow read, write, exec "${PROJECT_DIR}"
    allow read, write "'"$WORK"'/native"
    deny write "${PROJECT_DIR}/deploy/run.sh" }
unix { allow "${PROJECT_DIR}/s" }' native
mkdir -p "$WORK/native"
# opens a file of a tree that is written without the broker
native() {
	anew
	echo fine >"$WORK/native/draft"
	"$BIN/polrun" -q -b "$WORK/native.polb" python3 -c 'import os, time
f = os.open("'"$WORK"'/native/draft", os.O_RDWR)
open("has", "w").close()
while not os.path.exists("moved"): time.sleep(0.02)
time.sleep(1.5)
os.pwrite(f, b"EVIL", 0)
open("wrote", "w").close()' >/dev/null 2>"$WORK/.err" </dev/null &
	taker=$!
	within 20 test -e has || bad "the run did not begin"
}
for name in CLAUDE.md deploy/run.sh; do
	t "a file of a tree that the run writes without the broker: $name, which was absent"
	native
	ends_soon "$name" "$WORK/native/draft"
done
t "the control: at an allowed name it is written"
native
mv "$WORK/native/draft" sub/x
touch moved
within 20 is_over "$taker" || bad "it has not ended"
wait "$taker"
rc=$?
want_rc 0
want_text EVIL sub/x
t "the control: what the user's programs make at absent denied names ends nothing"
native
rm moved 2>/dev/null
echo a >AGENTS.txt
ln -s AGENTS.txt CLAUDE.md
ln AGENTS.txt .envrc
mkdir .vscode deploy .claude
echo x >.vscode/tasks.json
cp AGENTS.txt deploy/run.sh
echo x >.mcp.json; echo y >>.mcp.json
ln -s .vscode .github
sleep 1.5
touch moved
within 20 is_over "$taker" || bad "it has not ended"
wait "$taker"
rc=$? err=$(cat "$WORK/.err")
want_rc 0
rm -rf CLAUDE.md .envrc .vscode deploy .claude .mcp.json .github AGENTS.txt

cat >second.py <<'E2'
import os, sys, time
open('has', 'w').close()
while not os.path.exists('moved'):
    time.sleep(0.02)
for how in ('r+', 'w'):
    try:
        f = open('second', how)
        f.write('EVIL')
        f.close()
        print('WROTE')
    except OSError as e:
        print(e.strerror)
try:
    os.truncate('second', 0)
    print('CUT')
except OSError as e:
    print(e.strerror)
E2
# NAME: a run leaves a second name of a file; the first one is then given this name, and a run that began before writes by
# the second.
second_name() {
	anew
	run ln draft second
	want_rc 0
	"$BIN/polrun" -q -b "$WORK/p.polb" python3 second.py >.out 2>"$WORK/.err" </dev/null &
	taker=$!
	within 20 test -e has || bad "the run did not begin"
	moved_to "$1"
	out=$(cat .out)
	rm -f second
}
for name in CLAUDE.md .git/hooks/pre-commit .git/hooks/deep/er/x deploy/run.sh; do
	t "what a run has left a second name of is not written by it, at a denied name that was absent: $name"
	second_name "$name"
	no_out 'WROTE|CUT'
	[ "$(grep -c 'Permission denied' <<<"$out")" -eq 3 ] || bad "$out"
	want_text fine "$name"
	rm -rf .git/hooks/deep
done

t "the control: at an allowed name it is"
second_name sub/other
[ "$(grep -c 'WROTE' <<<"$out")" -eq 2 ] || bad "$out"
want_out CUT
want_text '' sub/other

# The first run fills the disk before it ends; HOME and the project are on a small one.
cat >full.sh <<'E2'
mount -t tmpfs -o size=4m pol-small "$SMALL" || exit 9
mkdir -p "$SMALL/p/sub" && cd "$SMALL/p" && git init -q . && echo fine >draft && cp "$P/pass.py" . || exit 9
export HOME=$SMALL
[ "$1" != before ] || fallocate -l 16m fill 2>/dev/null || dd if=/dev/zero of=fill bs=4k 2>/dev/null
"$BIN/polrun" -q -b "$WORK/p.polb" python3 pass.py keep - s quick >/dev/null 2>"$WORK/.err" </dev/null &
taker=$!
for ((i = 0; i < 200; i++)); do [ ! -S s ] || break; sleep 0.05; done
"$BIN/polrun" -q -b "$WORK/p.polb" sh -c "python3 pass.py give draft s go
	[ $1 != during ] || dd if=/dev/zero of=fill bs=4k 2>/dev/null; true" >/dev/null 2>&1
for ((i = 0; i < 200; i++)); do [ ! -e has ] || break; sleep 0.05; done
[ "$1" = never ] || echo "left: $(df --output=avail "$SMALL" | tail -n 1)"
mkdir -p "$(dirname "$2")"
mv draft "$2" && mkdir moved
wait "$taker"
echo "status $? text $(cat "$2")"
E2
mkdir -p "$WORK/small"
if ! unshare -rm mount -t tmpfs t "$WORK/small" 2>/dev/null; then
	skip two_runs_passed "no mount namespace for a small disk"
else
	for name in CLAUDE.md .git/hooks/pre-commit sub/locked/a.txt; do
		t "the disk is full when the run that has opened it ends: $name"
		out=$(timeout 60 env SMALL="$WORK/small" P="$P" unshare -rm bash full.sh during "$name" 2>&1) err=$(cat "$WORK/.err")
		want_out '^left: +[0-9]$'
		want_out '^status 123 text fine$'
		want_line "run ended: outside of it .*$name was given to what the run could write"
	done

	t "the control: at an allowed name it is written, on the same disk"
	out=$(timeout 60 env SMALL="$WORK/small" P="$P" unshare -rm bash full.sh never sub/other 2>&1)
	want_out '^status 0 text EVIL$'
fi
done_
