#!/usr/bin/env bash
# Tries: calls with random arguments, from processes that are signalled, stopped and killed
# in the middle of them (tests/live/probes/hostile_probe.c), in a project whose names are
# decided one by one.  polrun goes on, answers others, and nothing is written that may not be.
#   HOSTILE_CALLS=N (12000)  HOSTILE_SEED=N
# long: every fourth day, as root and as a user in turn
# timing: ordinary calls are measured beside it
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=tests/lib/kept.sh
. "$(dirname "$0")/../lib/kept.sh"

seed=${HOSTILE_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
calls=${HOSTILE_CALLS:-12000}
bound=8000 # ms that an ordinary call may take, on a machine that has others to serve
mkdir -p "$WORK/out" "$WORK/own"
raw_policy "policy t { base none }
command { otherwise allow }
file {
	allow read, exec \"/usr\", \"/bin\", \"/lib\", \"/lib64\", \"$PROBES\"
	allow read \"/etc\", \"$WORK/out\", \"\${PROJECT_DIR}\"
	allow write \"src/**/*.{ts,js}\"
	allow read, write \"$WORK/own\"
	deny write \".env*\"
}
network disabled" narrow
HEAD=${HEAD/'allow read, exec "/usr"'/'allow read "'"$WORK/out"'"  allow read, write "'"$WORK/own"'"  allow read, exec "'"$PROBES"'", "/usr"'}
policy 'file { deny write ".env*", "**/*.py", "${PROJECT_DIR}/no" }' wide
policy '' free

# What the probe's names lead to.
made() {
	local i
	chmod -R u+rwX "$P" 2>/dev/null
	cd "$WORK" && rm -rf "${P:?}" "${WORK:?}/out" && mkdir -p "$P/src/a/b" "$P/src/dir.ts" "$P/no" "$WORK/out"
	cd "$P" || exit 1
	for i in .env keep.txt no/f no/x.ts src/x.py src/x.ts src/a/x.py src/a/n.js src/kept src/a/b/x.ts \
		src/dir.ts/kept src/dir.ts/.env "$WORK/out/f" "$WORK/out/x.ts"; do
		echo "$i" >"$i"
	done
	mkfifo src/p.ts src/a/p.ts
	python3 -c 'import socket
socket.socket(socket.AF_UNIX).bind("src/s.ts")'
	ln -s a src/l0
	for i in $(seq 40); do ln -s "l$((i - 1))" "src/l$i"; done
	ln -s .. src/up
	ln -s / src/abs
	ln -s "$WORK/out" src/out
	ln -s ../.env src/env.ts
	ln -s loop.ts src/loop.ts
	ln -s /proc/self/cwd src/cwd.ts
	ln -s /dev/null src/null.ts
	is_root && mknod src/d.ts c 1 3
	is_root && chown -R --no-dereference 12345:12345 "$P" "$WORK/own"
	kept_save "$P" "$WORK/out"
}

# A number of what the probe printed.
told() { sed -n "s/.*\<$1 \([0-9]*\).*/\1/p" <<<"$out" | head -n 1; }

# POLICY CALLS [OPTIONS…]: the probe, and whether polrun was as it should be.
hostile() {
	local name=$1 n=$2
	shift 2
	made
	RUN_OPTIONS=(--report "$WORK/report" "$@")
	run_with "$name" timeout -s KILL $((240 + n / 100)) "$PROBES/hostile_probe" "$seed" "$n" "$WORK/own" $((100 + n / 200))
	want_rc 0
	no_err 'Sanitizer|runtime error|assert'
	printf '     seed %s: %s\n' "$seed" "${out//$'\n'/, }"
	[ "$(told calls)" -ge "$n" ] || bad "only $(told calls) of $n calls: they are answered too slowly"
	[ "$(told failed)" -eq 0 ] || bad "an ordinary call failed"
	[ "$(told slowest)" -lt "$bound" ] || bad "an ordinary call took $(told slowest) ms"
	for what in 'done' refused fault signals stops kills; do
		[ "$(told $what)" -gt 0 ] || bad "none: $what"
	done
	python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$WORK/report" || bad "the report is not JSON"
}

t "a name that was removed, of a file that has others, denies it nothing"
made
run_with narrow sh -c 'exec 7>src/q.ts; ln src/q.ts src/r.ts; rm src/q.ts
sleep 0.3; echo one >&7; ln src/r.ts src/q.ts; rm src/r.ts; sleep 0.3; echo two >&7; cat src/q.ts' # time: it is looked at
want_rc 0
want_out '^two$'

t "what a wildcard lets be written, and what it does not"
hostile narrow "$calls"
kept_check narrow
[ "${kept_differ:-0}" -ge 10 ] || bad "hardly an allowed name was written: $kept_differ"

t "everything but what is denied"
hostile wide "$calls"
kept_check wide
[ "${kept_differ:-0}" -ge 10 ] || bad "hardly an allowed name was written: $kept_differ"

t "the same while the supervisor looks on"
hostile wide "$((calls / 4))" --explain-denials
kept_check wide
[ "${kept_differ:-0}" -ge 10 ] || bad "hardly an allowed name was written: $kept_differ"

t "the control: without the rules it writes what they deny"
hostile free "$((calls / 2))"
kept_control wide

# strace(1) holds polrun while it reads the first call.
if strace -o /dev/null true 2>/dev/null; then
	t "a call that has waited for two seconds gets EIO and a record, and the next one is served"
	made
	RUN_OPTIONS=()
	cat >"$WORK/strace.sh" <<-EOF2
		#!/bin/sh
		# who looks for leaks may not be traced
		export ASAN_OPTIONS=detect_leaks=0
		exec strace -q -o "$WORK/trace" -e trace=process_vm_readv \
			-e inject=process_vm_readv:delay_exit=\$DELAY:when=1 "$BIN/polrun" "\$@"
	EOF2
	chmod 700 "$WORK/strace.sh"
	waited() { # MICROSECONDS
		DELAY=$1 "$WORK/strace.sh" -b "$WORK/narrow.polb" --report "$WORK/report" sh -c 'echo late >src/late.ts; echo soon >src/soon.ts' \
			>"$WORK/.out" 2>"$WORK/.err" </dev/null
		rc=$? err=$(<"$WORK/.err")
	}
	waited 2100000
	want_rc 0
	want_err 'late\.ts: (Input/output|I/O) error'
	denials=$(sed -n '/"denials"/,/^  \]/p' "$WORK/report")
	[[ $denials == *'"src/late.ts"'*'"EIO"'* ]] || bad "there is no record: $denials"
	no_file src/late.ts
	want_text soon src/soon.ts
	kept_check narrow

	t "the control: one that has waited for a second is made"
	made
	waited 1000000
	want_rc 0
	no_err 'error'
	! grep -q EIO "$WORK/report" || bad "a record of what was done"
	want_text late src/late.ts
	want_text soon src/soon.ts
else
	skip strace "there is no strace, or it may trace nothing"
fi

chmod -R u+rwX "$P" 2>/dev/null
done_
