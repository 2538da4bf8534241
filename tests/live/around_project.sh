#!/usr/bin/env bash
# What only Landlock keeps from a run, in a project around which the run has trees of its own:
# reading and starting names that a wildcard denies, and writing to a FIFO of the host in a tree
# that may only be read.  Landlock gives a right in every mount below the directory of a rule, so
# the private HOME, /tmp or /dev/shm must not have these rights where such a tree lies in it.
#   FLIP_MS=N (1500)  how long a path is changed under the kernel's eyes
# places: this is about what lies around the project
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

ms=${FLIP_MS:-1500}
HEAD=${HEAD/'allow read, exec "/usr"'/"allow read, exec \"$PROBES\", \"/usr\""}
RUN_OPTIONS=(-y)
mkdir -p conf "$WORK/home/ro" "$WORK/home/free"
mkfifo "$WORK/home/ro/ctl" "$WORK/home/free/ctl"
echo TOP-SECRET >.env
echo TOP-SECRET >conf/prod.key
echo open >.inv
echo open >conf/prod.txt
printf '#!/bin/sh\nexit 0\n' >good.sh
printf '#!/bin/sh\nexit 7\n' >evil.sh
chmod 755 good.sh evil.sh
policy 'file { hide "**/.env*"  deny read "**/*.key" }' any
policy 'file { deny read "${PROJECT_DIR}/**/*.key", "${PROJECT_DIR}/.env*" }' below
policy 'file { allow exec "${PROJECT_DIR}", "${TMPDIR}"  deny exec "**/evil*" }' start
policy 'file { allow exec "${PROJECT_DIR}", "${TMPDIR}" }' free
policy 'file { allow read "'"$WORK"'/home/ro"  allow read, write "'"$WORK"'/home/free" }' fifo

# Ways to a name in the working directory that a reader of paths may not follow.
cat >ways.sh <<'W'
set -- /proc/$$/task/$$/cwd /proc/self/task/../cwd /proc/self/../self/cwd /proc/thread-self/cwd \
	/proc/self/map_files/../cwd /proc/self/root$PWD /proc/$$/task/$$/root$PWD /proc/self/fd/../cwd \
	/proc/1/cwd /proc/1/task/1/cwd
for way; do cat "$way/.env" "$way/conf/prod.key"; done
for way; do cat "$way/.inv"; done
exec 5<.
cat /proc/self/fd/5/.env /proc/$$/task/$$/fd/5/.env /dev/fd/5/conf/prod.key
cat /proc/$$/task/$$/fd/5/.inv
W

for p in any below; do
	t "$p: no way through /proc leads to what must not be read, and some lead to what lies beside it"
	run_with $p sh ways.sh
	no_out SECRET
	[ "$(grep -c '^open$' <<<"$out")" -ge 4 ] || bad "the ways lead nowhere"
	run_with free sh ways.sh
	[ "$(grep -c SECRET <<<"$out")" -ge 6 ] || bad "without the rule the ways do not lead to it"

	t "$p: nor does a path that changes between two looks"
	run_with $p "$PROBES/flip_probe" read ./././.inv "$P/.env" "$ms"
	want_rc 0
	want_out '^none in'
	run_with $p "$PROBES/flip_probe" read "$P/conf/prod.txt" ./conf/prod.key "$ms"
	want_rc 0
	want_out '^none in'
	run_with free "$PROBES/flip_probe" read ./././.inv "$P/.env" "$ms"
	want_out '^REACHED'
done

t "a program that must not be started is not, by any way"
printf './evil.sh; echo direct $?; /proc/$$/task/$$/cwd/evil.sh; echo task $?; /proc/self/../$$/cwd/evil.sh; echo dots $?; /proc/$$/cwd/good.sh; echo good $?\n' >start.sh
run_with start sh start.sh
want_out '^direct 126$'
want_out '^task 126$'
want_out '^dots 126$'
want_out '^good 0$'
run_with free sh start.sh
want_out '^direct 7$'
want_out '^task 7$'
run_with start "$PROBES/flip_probe" exec ./././good.sh "$P/evil.sh" "$ms"
want_rc 0
want_out '^none in'
run_with free "$PROBES/flip_probe" exec ./././good.sh "$P/evil.sh" "$ms"
want_out '^REACHED'

# Who reads a FIFO of the host acts on what a run says.
listen() { # FIFO COMMAND…: what came out of it is in $got
	local fifo=$1
	shift
	timeout 20 cat "$fifo" >"$WORK/got" &
	run_with fifo "$@"
	kill "$!" 2>/dev/null
	wait "$!" 2>/dev/null
	got=$(<"$WORK/got")
}

t "a FIFO in a tree that may only be read is not written"
listen "$WORK/home/ro/ctl" sh -c "echo said >'$WORK/home/ro/ctl'"
[ -z "$got" ] || bad "the listener got: $got"
want_err 'ctl'
listen "$WORK/home/ro/ctl" sh -c "echo said >/proc/\$\$/task/\$\$/root'$WORK/home/ro/ctl'"
[ -z "$got" ] || bad "the listener got by /proc: $got"
echo x >"$WORK/home/free/f"
listen "$WORK/home/ro/ctl" "$PROBES/flip_probe" write "$WORK/home/free/f" "$WORK/home/ro/../ro/ctl" "$ms"
want_out '^none in'
[ -z "$got" ] || bad "the listener got by a change: $got"

t "the control: one in a tree that may be written is"
listen "$WORK/home/free/ctl" sh -c "echo said >'$WORK/home/free/ctl'"
[ "$got" = said ] || bad "the listener got: '$got'"

if [ "$PLACE" = home ]; then
	t "in the private HOME around it files are made, changed, moved and removed as elsewhere"
	run_with any sh -c 'echo a >~/f && echo b >>~/f && mkdir -p ~/d/e && mv ~/f ~/d/e/g && ln -s g ~/d/e/l && cat ~/d/e/l
		: >~/d/e/g; chmod 600 ~/d/e/g; stat -c "%a %s" ~/d/e/g; rm -r ~/d; ls ~ | tr "\n" " "'
	want_rc 0
	[ "${out//$'\n'/ }" = 'a b 600 0 project ' ] || bad "the steps said: $out"
fi

done_
