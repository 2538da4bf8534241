#!/usr/bin/env bash
# timing: waits for processes that a loaded machine starts late
# Descriptors: what the command gets, and what it must not get.
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
echo data >"$P/data"
policy ''
R="$BIN/polrun -b $WORK/p.polb"
# Without it every regular file is a pipe: the controls below have another answer.
has_landlock() { "$BIN/polrun" --doctor | grep -q '^Landlock  *ABI'; }

t "only 0, 1 and 2 are passed on"
exec 7<"$WORK/p.pol" 9>"$WORK/out/nine"
out=$($R sh -c 'ls /proc/self/fd | tr "\n" " "' 2>/dev/null </dev/null)
exec 7<&- 9>&-
[ "$out" = "0 1 2 3 " ] || bad "descriptors: $out" # 3 is ls's own

t "closed ones become /dev/null"
out=$($R sh -c 'readlink /proc/self/fd/0; cat; echo end' 2>/dev/null <&-)
rc=$?
want_rc 0
want_out '^/dev/null$'
want_out '^end$'
# shellcheck disable=SC2016
$R sh -c 'a=$(readlink /proc/$$/fd/1); echo "$a" > seen; echo lost' 2>/dev/null >&- </dev/null
rc=$?
want_rc 0
want_text /dev/null "$P/seen"
rm "$P/seen"
# shellcheck disable=SC2016
$R sh -c 'a=$(readlink /proc/$$/fd/2); echo "$a" > seen; echo lost >&2' 2>&- </dev/null
rc=$?
want_rc 0
want_text /dev/null "$P/seen"

t "a directory is refused"
err=$($R true 2>&1 <"$WORK/out")
rc=$?
want_rc 125
want_line 'standard input is a directory'
err=$($R true 2>&1 <"$WORK/p.pol")
rc=$?
want_rc 0

if command -v python3 >/dev/null; then
	t "an O_PATH descriptor is refused"
	err=$(python3 -c '
import os, sys
fd = os.open("/", os.O_PATH); os.dup2(fd, 0)
os.execv(sys.argv[1], sys.argv[1:])' "$BIN/polrun" -b "$WORK/p.polb" true 2>&1)
	rc=$?
	want_rc 125
	want_line 'O_PATH'
fi

t "a regular file on 0 to 2 cannot be opened again with other rights"
echo input >"$WORK/out/in"
$R sh -c 'cat; echo bad > /proc/self/fd/0; echo bad >> /dev/stdin; chmod 777 /dev/stdin' \
	>"$WORK/out/o" 2>"$WORK/out/e" <"$WORK/out/in"
want_text input "$WORK/out/in"
[ "$(head -n 1 "$WORK/out/o")" = input ] || bad "stdout: $(cat "$WORK/out/o")"
: >"$WORK/out/append"
echo first >"$WORK/out/append"
$R sh -c 'echo second; : > /dev/stdout; truncate -s 0 /dev/fd/1' >>"$WORK/out/append" 2>/dev/null </dev/null
[ "$(head -n 1 "$WORK/out/append")" = first ] || bad "the file was truncated"

t "a file of a read-only place, given as 0 to 2, stays read-only"
echo kept >"$P/ro" && echo hidden >"$P/hid" && echo free >"$P/rw"
# shellcheck disable=SC2016
policy 'file { deny write "${PROJECT_DIR}/ro"
	hide "${PROJECT_DIR}/hid" }' places
R2="$BIN/polrun -b $WORK/places.polb"
$R2 sh -c 'cat; echo bad >> /proc/self/fd/0; chmod 0666 /dev/stdin; touch -d 2001-01-01 /dev/stdin' \
	>"$WORK/out/o" 2>/dev/null <"$P/ro"
want_text kept "$P/ro"
want_text kept "$WORK/out/o"
[ "$(stat -c %a "$P/ro")" != 666 ] || bad "its mode was changed"
[ "$(stat -c %Y "$P/ro")" -gt 1000000000 ] || bad "its time was changed"
$R2 sh -c 'exec 3>&1; timeout 1 cat /proc/self/fd/3 >&2' >>"$P/hid" 2>"$WORK/out/e" </dev/null
! grep -q hidden "$WORK/out/e" || bad "a hidden file was read"
# the control: where the view lets it, the file itself is passed on
$R2 sh -c 'readlink /proc/self/fd/0; echo more >> /proc/self/fd/0' \
	>"$WORK/out/o" 2>/dev/null <"$P/rw"
if has_landlock; then
	want_text "$P/rw" "$WORK/out/o"
	[ "$(tail -n 1 "$P/rw")" = more ] || is_root || bad "a writable file was not written"
else
	grep -q '^pipe:' "$WORK/out/o" || bad "no pipe: $(cat "$WORK/out/o")"
	want_text free "$P/rw"
fi

t "a protected file as output, where names are decided one by one, is refused before the run"
policy 'file { deny write "**/*.key" }' names
echo kept >"$P/a.key"
for fd in 1 2; do
	eval "$BIN/polrun -b $WORK/names.polb sh -c 'echo begun >\"$P\"/begun; echo bad >&$fd' $fd>>\"$P/a.key\"" 2>"$WORK/out/e" && bad "$fd: the run began"
	[ ! -e "$P/begun" ] || bad "$fd: the command ran"
	! grep -q '^bad' "$P/a.key" || bad "$fd: it was written" # polrun's own message is the caller's
done
"$BIN/polrun" -b "$WORK/names.polb" true >>"$P/a.key" 2>"$WORK/out/e"
grep -q "standard output is '$P/a.key', which may not be written: rule file-" "$WORK/out/e" || bad "$(cat "$WORK/out/e")"
"$BIN/polrun" -b "$WORK/names.polb" sh -c 'sleep 0.5; echo good' >"$P/a.log" 2>"$WORK/out/e" || bad "the control: $(cat "$WORK/out/e")"
want_text good "$P/a.log"
"$BIN/polrun" -b "$WORK/names.polb" cat <"$P/a.key" >"$WORK/out/o" 2>&1 || bad "the control: it is not read"

t "a file outside, given as standard input, keeps its mode and its time"
chmod 0640 "$WORK/out/in"
$R sh -c 'cat; chmod 0666 /dev/stdin; touch -d 2001-01-01 /dev/stdin' \
	>"$WORK/out/o" 2>/dev/null <"$WORK/out/in"
want_text input "$WORK/out/o"
[ "$(stat -c %a "$WORK/out/in")" = 640 ] || bad "its mode is $(stat -c %a "$WORK/out/in")"
[ "$(stat -c %Y "$WORK/out/in")" -gt 1000000000 ] || bad "its time was changed"
$R sh -c 'chmod 0600 data' 2>/dev/null && [ "$(stat -c %a "$P/data")" = 600 ] || bad "the control"

t "two descriptors of one file keep their order"
$R2 sh -c 'i=0; while [ $i -lt 300 ]; do echo $i; i=$((i+1)); echo $i >&2; i=$((i+1)); done' \
	>"$P/hid" 2>&1 </dev/null
cmp -s <(grep -v polrun "$P/hid") <(seq 0 299) || bad "order: $(head -n 5 "$P/hid" | tr '\n' ' ')"

if [ -x "$PROBES/syscall_probe" ]; then
	# Landlock has a right for truncation since ABI 3 only
	t "a file that its mode lets everybody write is not emptied through standard input"
	cp "$PROBES/syscall_probe" "$P/probe"
	# shellcheck disable=SC2016
	policy 'file { allow exec "${PROJECT_DIR}" }' probe
	echo input >"$WORK/out/in666" && chmod 0666 "$WORK/out/in666"
	chmod 0755 "$WORK" "$WORK/out"
	if is_root; then chown nobody "$WORK/out/in666"; fi
	"$BIN/polrun" -b "$WORK/probe.polb" ./probe truncate @/proc/self/fd/0 0 \
		>"$WORK/out/o" 2>/dev/null <"$WORK/out/in666"
	want_text input "$WORK/out/in666"
	# the control: the same call in the project, where the view lets it
	echo input >"$P/in666" && chmod 0666 "$P/in666"
	"$BIN/polrun" -b "$WORK/probe.polb" ./probe truncate @/proc/self/fd/0 0 \
		>"$WORK/out/o" 2>&1 <"$P/in666"
	if has_landlock; then
		[ ! -s "$P/in666" ] || bad "the control: $(cat "$WORK/out/o")"
	else # a pipe is no file
		grep -q '^EINVAL' "$WORK/out/o" || bad "the control: $(cat "$WORK/out/o")"
	fi
fi

if [ -x "$PROBES/outer" ]; then
	t "without Landlock regular files go through pipes"
	"$PROBES/outer" no-landlock "$BIN/polrun" -b "$WORK/p.polb" sh -c \
		'readlink /proc/$$/fd/0 /proc/$$/fd/1 >&2; cat; echo bad > /proc/self/fd/0' \
		>"$WORK/out/o" 2>"$WORK/out/e" <"$WORK/out/in"
	[ "$(grep -c '^pipe:' "$WORK/out/e")" -eq 2 ] || bad "no pipes: $(cat "$WORK/out/e")"
	want_text input "$WORK/out/in"
	want_text input "$WORK/out/o"
	"$PROBES/outer" no-landlock "$BIN/polrun" -b "$WORK/p.polb" \
		sh -c 'i=0; while [ $i -lt 20000 ]; do echo line; i=$((i+1)); done; echo e >&2; exit 4' \
		>"$WORK/out/o" 2>"$WORK/out/e" </dev/null
	rc=$?
	want_rc 4
	[ "$(wc -l <"$WORK/out/o")" -eq 20000 ] || bad "lines: $(wc -l <"$WORK/out/o")"
	grep -q '^e$' "$WORK/out/e" || bad "standard error: $(cat "$WORK/out/e")"

	t "without seccomp notifications another view is made, and what the pipes stand for is still there"
	seq 3 >"$WORK/out/in"
	does='cat; echo said; echo failed >&2; exit 4'
	for without in no-getfd listener; do
		R="$PROBES/outer no-landlock $PROBES/outer $without $BIN/polrun -b $WORK/p.polb"
		$R sh -c "$does" >"$WORK/out/o" 2>"$WORK/out/e" <"$WORK/out/in"
		rc=$?
		out=$(<"$WORK/out/o") err=$(<"$WORK/out/e")
		want_rc 4
		[ "$out" = $'1\n2\n3\nsaid' ] || bad "$without: the output"
		want_err '^failed$'
		want_line 'listener'
		out=$({ $R sh -c "$does" 2>&1 >&3 | cat >"$WORK/out/e"; } 3>&1 <"$WORK/out/in" | cat) # the control
		err=$(<"$WORK/out/e")
		[ "$out" = $'1\n2\n3\nsaid' ] || bad "$without: the control"
		want_err '^failed$'
		$R sh -c 'echo a; echo b >&2; echo c; exit 4' >"$WORK/out/o" 2>&1 </dev/null # one file, one order
		rc=$?
		want_rc 4
		[ "$(grep -x '[abc]' "$WORK/out/o" | tr -d '\n')" = abc ] || bad "$without: $(cat "$WORK/out/o")"
	done
	t "and a refusal is written whole before polrun ends"
	policy "file { hide \"$P/hidden\", \"$P/**/*.no\" }" hides
	"$PROBES/outer" no-getfd "$BIN/polrun" -b "$WORK/hides.polb" true >/dev/null 2>"$P/hidden" </dev/null
	rc=$? err=$(<"$P/hidden")
	rm "$P/hidden"
	want_rc 125
	want_line 'needs Landlock and seccomp notifications'
else
	skip outer "not built"
fi

if command -v python3 >/dev/null; then
	cat >"$P/leaves.py" <<'EOS'
import fcntl, os, sys
for fd in (0, 1):
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_NONBLOCK | os.O_ASYNC)
    fcntl.fcntl(fd, fcntl.F_SETOWN, 0)
EOS
	# The flags (but for the mode and O_LARGEFILE) and the owner of its input and output: "0 me 0 me".
	cat >"$WORK/owns.py" <<'EOS'
import fcntl, os, signal, subprocess, sys
signal.signal(signal.SIGIO, signal.SIG_IGN)
for fd in (0, 1):
    fcntl.fcntl(fd, fcntl.F_SETOWN, os.getpid())
subprocess.run(sys.argv[1:])
said = []
for fd in (0, 1):
    said += [str(fcntl.fcntl(fd, fcntl.F_GETFL) & (os.O_NONBLOCK | os.O_ASYNC)),
             "me" if fcntl.fcntl(fd, fcntl.F_GETOWN) == os.getpid() else "another"]
print(*said, file=sys.stderr)
EOS
	# FLAGS-OF-PIPES FLAGS-OF-FILES WHOM COMMAND…
	left_as() {
		local want="$1 $3 $1 $3" files="$2 $3 $2 $3" said
		shift 3
		said=$({ sleep 0.1 | "$@" | cat >/dev/null; } 2>&1)
		[ "$said" = "$want" ] || bad "pipes: $said"
		: >"$P/both"
		said=$("$@" 2>&1 >>"$P/both" <"$P/both")
		[ "$said" = "$files" ] || bad "files: $said"
	}
	t "the control: what a command sets at the caller's input and output stays"
	left_as 10240 2048 another python3 "$WORK/owns.py" python3 leaves.py
	t "of a run nothing stays: neither the flags of an open file nor whom it signals"
	left_as 0 0 me python3 "$WORK/owns.py" "$BIN/polrun" -q -b "$WORK/p.polb" python3 leaves.py
	t "a pipe that the command closes is closed: its writer gets SIGPIPE"
	for does in 'exec <&-' ':'; do
		rm -f "$P/began"
		out=$({ { within 30 test -e "$P/began" && sleep 0.3 && echo x && echo written >&2; } |
			"$BIN/polrun" -q -b "$WORK/p.polb" sh -c "$does; : >began; sleep 1" 2>/dev/null; } 2>&1)
		[ "$out" = "$([ "$does" = : ] && echo written)" ] || bad "$does: $out"
	done
fi

done_
