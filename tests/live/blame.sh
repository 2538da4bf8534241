#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# A command that failed: polrun names what may be the reason without being asked, counts
# the rest, and says nothing after a command that worked.
# shellcheck disable=SC2016,SC2088,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

EXEC='file { allow exec "${PROJECT_DIR}" }'
silent() { [ -z "$err" ] || bad "something is on stderr"; }
# ARGS…: polrun at a terminal; what it prints is in out.
tty() { python3 "$(dirname "${BASH_SOURCE[0]}")/../lib/at_tty.py" "$BIN/polrun" "$@" >"$WORK/.out" 2>&1 </dev/null
	rc=$? out=$(<"$WORK/.out") err=''; }
no_polrun() { no_err '^polrun:'; }
cp "$PROBES/syscall_probe" probe
echo private >"$HOME/outside.txt"
echo beside >"$WORK/beside.txt"
git init -q "$HOME/origin" 2>/dev/null

t "a file of the real HOME that the private one does not have"
policy ''
run cat "$HOME/outside.txt"
want_rc 1
want_line '~/outside\.txt exists outside of the sandbox, .*rule file-otherwise-read'
for x in 'cat ~/outside.txt' 'cat $HOME/outside.txt' 'true; cat ../outside.txt'; do
	run -c "$x"
	want_line '~/outside\.txt exists outside of the sandbox'
done
run git clone "$HOME/origin" copy
want_line '~/origin exists outside of the sandbox'
run tar --file="$HOME/outside.txt" -t
want_line '~/outside\.txt exists outside of the sandbox'
run -v cat "$HOME/outside.txt"
want_line 'to let it pass: allow read "\$\{HOME\}/outside\.txt"'
policy 'file { allow read "${HOME}/outside.txt" }' w
run_with w cat "$HOME/outside.txt"
want_rc 0
want_out '^private$'
silent

t "not said: after success, under -q, of what exists nowhere, of what a rule hides unseen"
run sh -c "cat $HOME/outside.txt; true"
want_rc 0
no_polrun
run -q cat "$HOME/outside.txt"
want_rc 1
no_polrun
run cat "$HOME/nowhere.txt"
want_rc 1
no_polrun
policy 'file { hide "${HOME}/outside.txt" }' w
run_with w -y cat "$HOME/outside.txt"
want_rc 1
no_polrun
run ls "$HOME/project/none" /dev/full /proc/self/status "$HOME/project"
no_polrun

t "a masked name in the project, named by the command"
echo secret >.env
policy 'file { hide "${PROJECT_DIR}/.env" as no-env }' w
run_with w -y cat .env
want_rc 1
want_line '\.env cannot be read in the sandbox: rule no-env at w\.pol:[0-9]+'
run_with w -y -v cat .env
no_err 'to let it pass'

t "a masked name that the command's own code reads: where to look"
echo 'cat .env >/dev/null || exit 7' >inner.sh
run_with w sh inner.sh
want_rc 7
no_polrun
tty -b "$WORK/w.polb" sh inner.sh
want_rc 7
want_out '^polrun: here \.env cannot be read \(rule no-env at w\.pol:[0-9]+\): --explain'
tty -q -b "$WORK/w.polb" sh inner.sh
no_out polrun
run_with w -v sh inner.sh
want_rc 7
want_line 'here \.env cannot be read \(rule no-env at w\.pol:[0-9]+\): --explain-denials says whether'
run_with w --explain-denials sh inner.sh
want_line 'blocked: read .*/\.env: rule no-env'
no_err 'here \.env'
run_with w -v sh -c 'exit 1'
want_line 'here \.env cannot be read'
for x in 'grep -q zzz inner.sh' 'test -e zzz' 'cmp -s inner.sh probe'; do
	run_with w -v -c "$x"
	want_rc 1
	no_err 'here \.env'
done
run_with w sh -c 'exit 0'
silent
run sh inner.sh
want_rc 0
silent

t "what the floor or the library keeps is not pointed at: it is so in every run"
mkdir -p .git/hooks && : >.git/config
run -v sh -c 'exit 7'
want_rc 7
no_err 'polrun: here '
rm -rf .git

t "status 126: nothing in the project may be executed"
printf '#!/bin/sh\necho ran\n' >tool && chmod +x tool
run sh -c ./tool
want_rc 126
want_line 'no program of the project may be executed: rule file-otherwise-exec'
run -v sh -c ./tool
want_line 'to let it pass: allow exec "\$\{PROJECT_DIR\}"'
policy "$EXEC" x
run_with x sh -c ./tool
want_rc 0
want_out '^ran$'
silent
run_with x sh -c 'exit 126'
no_polrun

t "denied calls: the last three by name, the others counted"
policy "$EXEC"'
syscall { deny getppid as no-parent  deny getpgrp as no-group  deny getuid as no-user
	deny getgid as no-gid  deny sethostname with ENOSYS }' s
run_with s ./probe getppid
want_rc 1
want_line 'blocked: system call getppid\(\): rule no-parent at s\.pol:[0-9]+: .*; to let it pass: no allow lifts it'
run_with s ./probe sethostname @x 1
want_rc 1
no_err 'blocked'
run_with s -q ./probe getppid
no_polrun
run_with s sh -c './probe getppid; ./probe getpgrp; ./probe getuid; ./probe getgid; exit 4'
want_rc 4
[ "$(grep -c '^polrun: blocked: system call' <<<"$err")" -eq 3 ] || bad "not three"
want_err 'no-gid'
want_line '[0-9]+ other requests? (was|were) blocked \([0-9]+ different\): --explain-denials names them'
run_with s sh -c './probe getppid; true'
want_rc 0
no_polrun

t "what the library denies is named with the rule that lets it pass, and that rule does"
profile() { raw_policy "policy t { level user }
use std/profile/project
$1" s; }
# WORDS LINE RULE: a command fails with the line, and works with the rule
passes_with() {
	local words=$1
	profile ''
	# shellcheck disable=SC2086
	run_with s $words
	[ "$rc" -ne 0 ] || bad "it works without a rule"
	want_line "blocked: $2; to let it pass: $3\$"
	profile "$(sed 's/\\//g' <<<"$3")"
	# shellcheck disable=SC2086
	run_with s $words
	want_rc 0
	no_polrun
}
passes_with './probe ptrace 0 0 0 0' 'system call ptrace\(\): rule [^ ]+ at std/base\.pol:[0-9]+: .*' 'syscall \{ allow ptrace \}'
echo 'import socket; socket.socket(socket.AF_UNIX).bind("s.sock")' >bind.py
passes_with '/usr/bin/python3 bind.py' 'bind .*: rule unix-otherwise at std/base\.pol:[0-9]+: .*' "unix \{ allow \"$P/s\.sock\" \}"
passes_with "--explain-denials cat $WORK/beside.txt" 'read .*: rule file-otherwise-read at .*' "file \{ allow read \"$WORK/beside\.txt\" \}"
profile ''
run_with s unshare -r true
want_rc 1
want_line 'blocked: system call unshare\(.*\): rule [^ ]+ at std/base\.pol:[0-9]+: .*; to let it pass: no rule does'
run_with s chmod 4755 probe
want_rc 1
want_line 'blocked: system call fchmodat\(.*\): rule [^ ]+ at std/floor\.pol:[0-9]+: .*; to let it pass: no rule of a user does'

t "what works outside by somebody else's hand: another user's rights, a service at its socket"
mkdir -p bin
printf '#!/bin/sh\nexit 4\n' >bin/docker
cp bin/docker bin/systemctl && chmod +x bin/*
profile ''
if [ -u /usr/bin/su ]; then
	run_with s -c 'cd . && su -c true nobody; exit 1'
	want_line 'su has another user.s rights \(it is set-user-ID\), but not in a run; to let it pass: no rule does'
	run_with s -c 'su --version; exit 0'
	no_polrun
	run_with s sh -c 'exit 1'
	no_polrun
fi
if is_root && unshare --mount true 2>/dev/null; then
	# WORDS: with such sockets on the host
	with_services() {
		unshare --mount --propagation private bash -c 'mount -t tmpfs none /run && mkdir /run/dbus && export PATH=$1/bin:$PATH &&
			/usr/bin/python3 -c "
import socket
for at in \"/run/docker.sock\", \"/run/dbus/system_bus_socket\": socket.socket(socket.AF_UNIX).bind(at)" &&
			exec "$2/polrun" -b "$3" "${@:4}"' - "$P" "$BIN" "$WORK/s.polb" "$@" >"$WORK/.out" 2>"$WORK/.err" </dev/null
		rc=$? out=$(<"$WORK/.out") err=$(<"$WORK/.err")
	}
	with_services docker ps
	want_rc 4
	want_line 'docker asks a service outside of the sandbox, at /run/docker\.sock: rule unix-otherwise at std/base\.pol:[0-9]+; to let it pass: unix \{ allow "/run/docker\.sock" \}, and what runs is root on this machine$'
	with_services systemctl status
	want_line 'systemctl asks a service .*; to let it pass: no rule does'
	profile 'unix { allow "/run/docker.sock" }'
	with_services docker ps
	want_rc 4
	no_polrun
	profile 'unix { deny "/run/*" as no-services }'
	with_services docker ps
	want_line 'docker asks a service .*: rule no-services at s\.pol:3; to let it pass: no allow lifts it'
fi
run_with s docker ps
no_polrun

t "--explain-denials after success: what somebody's rule blocked, and a number for the rest"
policy 'file { hide "${PROJECT_DIR}/.env" as no-env }' w
run_with w --explain-denials sh -c 'cat .env /etc/../sys/kernel/notes ~/outside.txt /srv/none; true'
want_rc 0
want_line 'blocked: read .*/\.env: rule no-env'
no_err 'blocked: read .*outside'
want_line '[0-9]+ other requests? (was|were) blocked .*: -v names them'
run_with w -v --explain-denials sh -c 'cat ~/outside.txt; true'
want_line 'blocked: read .*/outside\.txt: rule file-otherwise-read .*to let it pass: file . allow read'
run_with w --explain-denials sh -c 'cat ~/outside.txt; exit 3'
want_line 'blocked: read .*/outside\.txt: rule file-otherwise-read'
run_with w --explain-denials true
want_rc 0
silent

done_
