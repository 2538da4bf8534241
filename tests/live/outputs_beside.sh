#!/usr/bin/env bash
# What polc and polrun write outside of a run, where a run, an earlier one or one
# beside, chooses the links, the FIFOs and the names on the way.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2016,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
policy ''
policy 'command { otherwise allow }' other
polc() { # ARGS…: sets out, err, rc
	"$BIN/polc" "$@" >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$?
	out=$(<"$WORK/.out")
	err=$(<"$WORK/.err")
}

t "a record and a report are two files"
run --record both --report both touch ran
want_rc 125
want_err 'polrun: --record and --report name the same file'
no_file ran
mkdir -p sub
run --record sub/both --report sub/../sub/./both touch ran
want_rc 125
no_file ran
run --record one --report two touch ran
want_rc 0
want_file ran
[ -s one ] && [ -s two ] || bad "the control: no record or no report"

t "of two runs that write one report the later one's is there, whole"
"$BIN/polrun" -q -b "$WORK/p.polb" --report shared sh -c 'touch begun; while [ ! -e end ]; do sleep 0.1; done; exit 7' &
first=$!
within 20 test -e begun
run --report shared touch second
want_rc 0
exit_code() { python3 -c 'import json, sys; print(json.load(open("shared"))["exit_code"])'; }
[ "$(exit_code)" = 0 ] || bad "not the second run's report"
touch end
rc=0
wait $first || rc=$?
want_rc 7
[ "$(exit_code)" = 7 ] || bad "not the first run's report"
# one that keeps the file locked has no report written over what it reads
flock shared sh -c 'touch locked; while [ ! -e free ]; do sleep 0.1; done' &
holder=$!
within 20 test -e locked
run --report shared true
want_rc 125
want_err 'the report is not written: another program holds a lock on it'
touch free
wait $holder
run --report shared true # the control
want_rc 0
rm -f begun end

t "a run beside does not put a report or a record of its own in the place"
for kind in report record; do
	rm -rf begun end dir dir2 && mkdir dir
	"$BIN/polrun" -q -b "$WORK/p.polb" --$kind dir/f sh -c 'touch begun; while [ ! -e end ]; do sleep 0.1; done' 2>"$WORK/.err" &
	first=$!
	within 20 test -e begun
	run sh -c 'mv dir dir2; mkdir dir; echo forged >dir/f'
	want_rc 0
	touch end
	rc=0
	wait $first || rc=$?
	err=$(<"$WORK/.err")
	want_rc 125
	want_err "the $kind was moved away: another file may be at '$P/dir/f'"
	rm -rf dir && mkdir dir
	run --$kind dir/f true
	want_rc 0
	[ -s dir/f ] || bad "the control: no $kind"
done

t "a killed run does not leave the report of an earlier one"
rm -f begun end
run --report shared true
want_rc 0
[ -s shared ] || bad "the control: no report"
"$BIN/polrun" -q -b "$WORK/p.polb" --report shared sh -c 'touch begun; sleep 60' &
first=$!
within 20 test -e begun
kill -KILL $first; { wait $first; } 2>/dev/null
want_file shared
[ ! -s shared ] || bad "the report of the run before is left"

t "no bundle goes through a link that a run has made"
mkdir -p "$WORK/elsewhere" real
cp "$WORK/other.polb" "$WORK/elsewhere/x.polb"
cp "$WORK/p.pol" a.pol
run ln -s "$WORK/elsewhere" led
want_rc 0
polc compile a.pol -o led/x.polb
want_rc 2
want_err "polc: the file 'led/x.polb' is reached by a symbolic link that a run can have made"
cmp -s "$WORK/other.polb" "$WORK/elsewhere/x.polb" || bad "another bundle was replaced"
polc compile a.pol -o "$P/led/new.polb"
want_rc 2
no_file "$WORK/elsewhere/new.polb"
polc compile a.pol -o real/x.polb
want_rc 0
want_file real/x.polb
cp "$WORK/other.polb" real/old.polb
polc compile a.pol -o real/old.polb
want_rc 0
! cmp -s "$WORK/other.polb" real/old.polb || bad "the control: the bundle was not replaced"
# the user's own, outside of any project
ln -s elsewhere "$WORK/mine"
polc compile a.pol -o "$WORK/mine/y.polb"
want_rc 0
want_file "$WORK/elsewhere/y.polb"

t "nor does the canonical layout of a text"
printf 'policy   t { level user }\n' >"$WORK/elsewhere/f.pol"
cp "$WORK/elsewhere/f.pol" real/f.pol
polc fmt -w led/f.pol
want_rc 2
want_err 'symbolic link'
want_text 'policy   t { level user }' "$WORK/elsewhere/f.pol"
polc fmt -w real/f.pol
want_rc 0
want_text 'policy t { level user }' real/f.pol
[ "$(stat -c %a real/f.pol)" = "$(stat -c %a "$WORK/elsewhere/f.pol")" ] || bad "another mode"

t "nor where a live run exchanges a directory and a link"
cat >swap.py <<'E2'
import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
os.symlink(sys.argv[1], "rl")
os.mkdir("rr")
end = time.time() + 120
while time.time() < end and not os.path.exists("stop"):
    for _ in range(200):
        libc.renameat2(-100, b"rr", -100, b"rl", 2)
E2
rm -rf "$WORK/elsewhere" && mkdir "$WORK/elsewhere"
"$BIN/polrun" -q -b "$WORK/p.polb" python3 swap.py "$WORK/elsewhere" &
swapper=$!
within 20 test -e rr
led=0
for i in $(seq 20); do
	polc compile a.pol -o "rr/$i.polb"
	! grep -q 'symbolic link' "$WORK/.err" || led=$((led + 1))
done
touch stop
wait $swapper
[ -z "$(ls "$WORK/elsewhere")" ] || bad "written outside of the project: $(ls "$WORK/elsewhere")"
written=$(find rr rl -type f | wc -l)
[ "$written" -gt 0 ] && [ $led -gt 0 ] || bad "the control: $written written, $led refused"

t "what is signed lies where no run can write, also if TMPDIR does not"
if command -v ssh-keygen >/dev/null; then
	mkdir -p "$WORK/bin" tmp
	ssh-keygen -q -t ed25519 -N '' -f "$WORK/key"
	keygen=$(command -v ssh-keygen)
	# a run beside, at the moment between the manifest and its signature
	cat >"$WORK/bin/ssh-keygen" <<E2
#!/bin/sh
for m; do :; done
"$BIN/polrun" -q -b "$WORK/p.polb" sh -c 'echo forged >"\$1"' - "\$m" 2>"$WORK/beside.err"
"$BIN/polrun" -q -b "$WORK/p.polb" sh -c 'echo 1 >tmp/control' 2>>"$WORK/beside.err"
cp "\$m" "$WORK/signed"
exec "$keygen" "\$@"
E2
	chmod 755 "$WORK/bin/ssh-keygen"
	(export TMPDIR=$P/tmp PATH=$WORK/bin:$PATH; polc sign --key "$WORK/key" -o "$WORK/s.polb" "$WORK/p.polb"; exit "$rc") ||
		bad "it is not signed: $(cat "$WORK/.err")"
	want_text 1 tmp/control
	[ -s "$WORK/signed" ] && ! grep -q forged "$WORK/signed" || bad "a run's own manifest was signed: $(head -c 80 "$WORK/signed")"
	! compgen -G "$HOME/.local/state/pol/sign.*" >/dev/null || bad "left behind"
else
	skip "what is signed" 'no ssh-keygen'
fi

t "no ssh-keygen and no git of a run's own is started"
if command -v ssh-keygen >/dev/null && command -v git >/dev/null; then
	run sh -c 'mkdir bin; for p in git ssh-keygen; do printf "#!/bin/sh\ntouch '"'$P'"'/started\n" >bin/$p; chmod 755 bin/$p; done; ln -s "$PWD/bin" up'
	want_rc 0
	git init -q . && git add a.pol && git -c user.name=a -c user.email=a@b commit -qm x
	for dir in "$P/bin" bin '' "$P/up"; do
		(export PATH=$dir:$PATH; [ -n "$dir" ] || cd bin; polc sign --key "$WORK/key" -o "$WORK/t.polb" "$WORK/p.polb"; exit "$rc") || bad "PATH=$dir: not signed: $(cat "$WORK/.err")"
		(export PATH=$dir:$PATH; polc diff HEAD:a.pol a.pol; exit "$rc") || bad "PATH=$dir: no diff: $(cat "$WORK/.err")"
	done
	no_file started
	bin/git
	want_file started
else
	skip "no program of a run" 'no ssh-keygen or no git'
fi

t "a bundle is compiled again where no run can write"
mkdir -p tmp
TMPDIR=$P/tmp polc compile --reproduce real/x.polb
want_rc 0
if command -v strace >/dev/null; then
	TMPDIR=$P/tmp strace -f -e trace=mkdir,open,openat -o "$WORK/trace" "$BIN/polc" compile --reproduce real/x.polb >/dev/null 2>&1
	! grep -q "$P/tmp" "$WORK/trace" || bad "$(grep "$P/tmp" "$WORK/trace" | head -n 3)"
	grep -q "$HOME/.local/state/pol/reproduce" "$WORK/trace" || bad "the control: nothing was traced"
fi
! compgen -G "$HOME/.local/state/pol/reproduce.*" >/dev/null || bad "left behind"

t "a FIFO is no empty record"
run mkfifo fifo
want_rc 0
polc diff a.pol a.pol --traffic fifo
want_rc 2
want_err "polc: the record 'fifo': Invalid argument"
: >empty
polc diff a.pol a.pol --traffic empty
want_rc 0
polc diff a.pol a.pol --traffic one
want_rc 0
want_out 'would block 0 of 1 '

t "the names of files are plain text in messages"
run sh -c 'printf "policy   t { level user }\n" >"$1"; ln -s x "$2"' - $'e\e]0;x\a.pol' $'l\e[31m\n.pol'
want_rc 0
plain() { # ARGS…: neither output holds an escape
	polc "$@"
	! grep -q $'[\e\a]' "$WORK/.out" "$WORK/.err" || bad "polc $*: $(cat -v "$WORK/.out" "$WORK/.err")"
	grep -q 'x1b\|�\[31m' "$WORK/.out" "$WORK/.err" || bad "polc $*: the name is not told: $(cat -v "$WORK/.out" "$WORK/.err")"
}
for verb in 'fmt -w' 'fmt --check' check 'compile -o x.polb' verify inspect trust; do
	# shellcheck disable=SC2086
	plain $verb $'l\e[31m\n.pol'
done
plain fmt --diff $'e\e]0;x\a.pol'
plain compile a.pol -o $'e\e]0;x\a.pol'
plain compile a.pol -o $'no\e[31m/x'
plain compile a.pol -o x.polb --inputs $'e\e]0;x\a.pol'

t "a link of root's in the working directory: an answer, and no crash"
if [ -L /var/run ]; then
	raw_policy 'policy a { level user }' plain
	cd /var || exit 1
	polc compile "$WORK/plain.pol" -o run/pol-outputs-none/x.polb
	want_rc 2
	want_err '^polc: '
	cd "$P" || exit 1
else
	skip link '/var/run is no link'
fi

done_
