#!/usr/bin/env bash
# Two runs at once, of one user in one project: what each has for itself, and what
# they share.
# timing: waits for a run to begin
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../lib/escape.sh"
OWN='file { scratch "/dev/shm", "${HOME}" }'
bare_policy "$OWN"
policy "$ADD $OWN syscall { deny getppid }" other
mark=pol-two-$$-$RANDOM
kinds='mnt pid net ipc uts user'

cat >first.sh <<'EOF2'
for k in $2; do readlink "/proc/self/ns/$k"; done >first.ns
echo the-secret >/tmp/mine
echo the-secret >~/mine
echo the-secret >/dev/shm/mine
sleep 60 | "$1" serve /tmp/mine /tmp/socket "@$3" >port & # it ends with its input
while ! [ -s port ]; do sleep 0.02; done
echo shared >shared
: >up
sleep 60 # until it is ended
EOF2
# begins it; sets pid and port
first() {
	rm -f up port first.ns shared
	"$BIN/polrun" -b "$WORK/p.polb" -y sh first.sh "$S" "$kinds" "$mark" >/dev/null 2>"$WORK/.err1" </dev/null &
	pid=$!
	within 30 test -e up || bad "the first run has not begun: $(cat "$WORK/.err1")"
	port=$(sed -n 's/^ready //p' port)
}
over() {
	kill -TERM "$pid"
	wait "$pid" 2>/dev/null
}

t "the control: the first run has all of this for itself"
cat >control.sh <<'EOF2'
sh first.sh "$1" "$2" "$3" &
while ! [ -e up ]; do sleep 0.02; done
port=$(sed -n 's/^ready //p' port)
cat /tmp/mine ~/mine /dev/shm/mine
"$1" reach tcp 127.0.0.1 "$port"
"$1" reach stream "@$3"
"$1" reach stream /tmp/socket
for p in /proc/[0-9]*; do tr '\0' ' ' <$p/cmdline; echo; done
EOF2
run sh control.sh "$S" "$kinds" "$mark"
[ "$(grep -c the-secret <<<"$out")" -ge 5 ] || bad "not all of it"
[ "$(grep -c '^OK' <<<"$out")" -eq 3 ] || bad "not each of them is reached"
want_out '^sleep 60 '

for b in p other; do
	first
	t "beside it, bundle $b: namespaces"
	run_with "$b" sh -c 'for k in $0; do readlink "/proc/self/ns/$k"; done' "$kinds"
	want_rc 0
	[ "$(wc -l <<<"$out")" -eq 6 ] || bad "not six"
	[ "$(sort -u <<<"$out" | grep -cxFf - first.ns)" -eq 0 ] || bad "they share one"
	for k in $kinds; do
		! grep -qxF "$(readlink "/proc/self/ns/$k")" first.ns || bad "$k is the host's"
	done

	t "beside it, bundle $b: processes"
	run_with "$b" sh -c 'for p in /proc/[0-9]*; do tr "\0" " " <$p/cmdline; echo; done'
	want_out '^sh -c'
	no_out 'sleep 60|escape_net'
	run_with "$b" "$K" pid "$pid"
	stopped ESRCH
	outside "$K" pid "$pid"
	worked
	kill -0 "$pid" 2>/dev/null || bad "the first one has ended"

	t "beside it, bundle $b: scratch trees and HOME"
	for path in /tmp/mine "$HOME/mine" /dev/shm/mine; do
		run_with "$b" "$F" read "$path"
		stopped ENOENT
		run_with "$b" "$F" create "$path"
		worked
	done

	t "beside it, bundle $b: loopback, abstract names, sockets in scratch"
	run_with "$b" "$S" reach tcp 127.0.0.1 "$port"
	stopped ECONNREFUSED
	run_with "$b" "$S" reach tcp6 ::1 "$port"
	stopped 'ECONNREFUSED|EADDRNOTAVAIL|EAFNOSUPPORT'
	run_with "$b" "$S" reach stream "@$mark"
	stopped ECONNREFUSED
	run_with "$b" "$S" reach stream /tmp/socket
	stopped ENOENT
	# and the name is free
	run_with "$b" "$F" bind "@$mark"
	worked

	t "beside it, bundle $b, the control: the project is shared, both ways"
	run_with "$b" sh -c 'cat shared && echo mine >second && rm shared'
	want_out '^shared$'
	want_text mine second
	no_file shared
	over
done

t "the end of one ends nothing of the other"
first
run true
want_rc 0
"$BIN/polrun" -b "$WORK/p.polb" sh -c 'kill -TERM -1; sleep 0.2' 2>/dev/null </dev/null
kill -0 "$pid" 2>/dev/null || bad "the first one has ended"
alive "sh first.sh $S" || bad "the first one's command has ended"
over

done_
