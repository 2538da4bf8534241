#!/usr/bin/env bash
# Whatever is wrong with the bundle, with polquery or with the machine: the command
# that doc/agents.md gives for each agent's settings ends in that agent's deny, or in
# the exit status with which it blocks.  Each has the same call beside it that allows.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
# a fact of its own: the program has std/base's commands.bin itself, and does not read it
raw_policy 'policy agent { level user }
command {
    program pol-tool { options -f|--file: }
    allow "npm run test:*"
}'
B=$HOME/.config/pol/agent.polb
mkdir -p "$P/.git" "${B%/*}"
good() {
	rm -rf "$B"
	cp "$WORK/p.polb" "$B"
}

# AGENT: the command of its settings, as the page has it, but for the place of polquery
documented() {
	sed -nE 's/^.*"command": "([^"]*hook '"$1"'[^"]*)".*/\1/p' "$top/doc/agents.md" | sort -u |
		sed "s|/usr/bin/polquery|$WORK/bin/polquery|"
}
message_of() { # AGENT: one that is allowed
	grep -v '^#' "$top/tests/lib/hooks/$1.tsv" | head -n 1 | cut -f 3 | sed "s|@P@|$P|g"
}
mkdir -p "$WORK/bin"
# as each client does for its hooks
export CLAUDE_PROJECT_DIR=$P GEMINI_PROJECT_DIR=$P CURSOR_PROJECT_DIR=$P
cd "$P" || exit 1
call() { # COMMAND [FOLDER]: what the agent does with it; FOLDER: where polquery is
	ln -sfn "${2:-$BIN}/polquery" "$WORK/bin/polquery"
	out=$(sh -c "$1" <<<"$message" 2>"$WORK/.err")
	rc=$?
	err=$(cat "$WORK/.err")
}
allowed() {
	local form
	case $agent in
	claude-code) form='^\{"hookSpecificOutput":\{"hookEventName":"PreToolUse","permissionDecision":"allow",' ;;
	codex) form='^\{\}$' ;;
	gemini-cli) form='^\{"decision":"allow"\}$' ;;
	cursor) form='^\{"permission":"allow"\}$' ;;
	esac
	[ "$rc" -eq 0 ] && grep -qE "$form" <<<"$out"
}
is_closed() { # a deny with a reason in the agent's form, or exit 2 without an answer (and with a text: Codex)
	local form
	case $agent in
	claude-code | codex)
		form='^\{"hookSpecificOutput":\{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"[^"].*"\}\}$'
		;;
	gemini-cli) form='^\{"decision":"deny","reason":"[^"].*"\}$' ;;
	cursor) form='^\{"permission":"deny","user_message":"[^"].*","agent_message":"[^"].*"\}$' ;;
	esac
	{ [ "$rc" -eq 2 ] && [ -z "$out" ] && { [[ $agent != codex && $agent != gemini-cli ]] || [ -n "$err" ]; }; } || { [ "$rc" -eq 0 ] && grep -qE "$form" <<<"$out"; }
}
want_allowed() { allowed || bad "not allowed: status $rc, '$out'"; }
want_closed() { is_closed || bad "$1: status $rc, '$out'"; }
want_deny() { # WHAT REASON
	want_closed "$1"
	[ "$rc" -eq 0 ] || bad "$1: status $rc instead of a deny"
	want_out "$2"
}

(cd "$WORK" && ssh-keygen -q -t ed25519 -N '' -C alice@corp -f alice && ssh-keygen -q -t ed25519 -N '' -C bob@corp -f bob) ||
	skip hook_closed 'no ssh-keygen'
for who in alice bob; do
	printf '%s@corp %s\n' "$who" "$(cut -d ' ' -f 1,2 "$WORK/$who.pub")" >"$WORK/$who.list"
done
polc() { (cd "$WORK" && "$BIN/polc" compile p.pol "$@" >/dev/null 2>"$WORK/.err") || bad "polc: $(cat "$WORK/.err")"; }

# NAME OFFSET: the middle of each
members=$(python3 - "$WORK/p.polb" <<-'PY'
	import sys, tarfile
	read = ["manifest.json", "blocks.b2", "rules.bin", "matcher.bin", "commands.bin"]
	with tarfile.open(sys.argv[1]) as t:
	    for m in t.getmembers():
	        if m.name in read:
	            print(m.name, m.offset_data + m.size // 2)
PY
)
[ "$(wc -l <<<"$members")" -eq 5 ] || { t members; bad "the bundle has not these members: $members"; }

for agent in claude-code codex gemini-cli cursor; do
	message=$(message_of "$agent")
	line=$(documented "$agent")

	t "$agent: the page's command allows, with a good bundle"
	[ "$(wc -l <<<"$line")" -eq 1 ] && [ -n "$line" ] || bad "the page has not one command: $line"
	good
	call "$line"
	want_allowed

	t "$agent: polquery is missing, is no program, dies of a signal, is killed, fails otherwise"
	call "$line" /none
	want_closed 'no polquery'
	mkdir -p "$WORK/fake"
	for script in 'kill -SEGV $$' 'kill -KILL $$' 'kill -TERM $$' 'kill -PIPE $$' 'kill -INT $$' 'exit 1' 'exit 127' 'echo half; exit 3'; do
		printf '#!/bin/sh\n%s\n' "$script" >"$WORK/fake/polquery"
		chmod 755 "$WORK/fake/polquery"
		call "$line" "$WORK/fake"
		# what it said before it died is not looked at with this status
		[ "$rc" -eq 2 ] || bad "$script: status $rc"
		[ "$agent" != codex ] || [ -n "$err" ] || bad "$script: without a text, which Codex takes for no answer"
	done
	printf '#!/bin/sh\nsleep 30\n' >"$WORK/fake/polquery"
	[[ $line == */usr/bin/timeout\ 20\ /* ]] || bad "the page's line has no limit: $line"
	call "${line/timeout 20/timeout 0.2}" "$WORK/fake"
	[ "$rc" -eq 2 ] || bad "late: status $rc"
	printf 'x' >"$WORK/fake/polquery"
	call "$line" "$WORK/fake"
	[ "$rc" -eq 2 ] || bad "no program: status $rc"
	chmod 644 "$WORK/fake/polquery"
	call "$line" "$WORK/fake"
	[ "$rc" -eq 2 ] || bad "not executable: status $rc"

	t "$agent: the bundle is missing, cut, something else, or cannot be reached"
	rm -f "$B"
	call "$line"
	want_deny missing 'cannot be opened'
	for n in 0 1 512 3000 $(($(stat -c %s "$WORK/p.polb") - 1)) $(($(stat -c %s "$WORK/p.polb") / 2)); do
		head -c "$n" "$WORK/p.polb" >"$B"
		call "$line"
		want_deny "$n bytes" 'bundle|tar|member|manifest'
	done
	rm -f "$B"; mkdir "$B"; call "$line"; want_deny directory 'bundle'
	rmdir "$B"; mkfifo "$B"; call "timeout 20 $line"; want_deny fifo 'bundle'
	rm -f "$B"; ln -s agent.polb "$B"; call "$line"; want_deny 'a link to itself' 'bundle'
	rm -f "$B"; ln -s /dev/zero "$B"; call "timeout 20 $line"; want_deny /dev/zero 'bundle'
	rm -f "$B"; mv "${B%/*}" "$WORK/aside"; : >"${B%/*}"; call "$line"; want_deny 'below a file' 'bundle'
	rm -f "${B%/*}"; mv "$WORK/aside" "${B%/*}"
	good
	if ! is_root; then
		chmod 000 "$B"; call "$line"; want_deny 'mode 000' 'cannot be opened'
		good
		chmod 000 "${B%/*}"; call "$line"; want_deny 'directory of mode 000' 'cannot be opened'
		chmod 700 "${B%/*}"
	fi
	call "$line"
	want_allowed

	t "$agent: a bit is turned in each member that a decision reads"
	while read -r name at; do
		good
		printf "\\x$(printf %02x $(($(od -An -tu1 -j "$at" -N 1 "$B") ^ 4)))" |
			dd of="$B" bs=1 seek="$at" conv=notrunc status=none
		call "$line"
		want_deny "$name" 'bundle'
	done <<<"$members"
	good

	t "$agent: expired, not signed, signed by another, the signature turned"
	polc -o "$B" --sign alice
	signed="${line/ hook / --allowed-signers $WORK/alice.list --require-signed hook }"
	call "$signed"
	want_allowed
	call "${signed/alice.list/bob.list}"
	want_deny 'of another' 'no line of it has the key'
	call "${signed/alice.list/none.list}"
	want_closed 'no list'
	python3 - "$B" <<-'PY'
		import sys
		b = bytearray(open(sys.argv[1], "rb").read())
		at = b.index(b"BEGIN SSH SIGNATURE") + 120
		b[at] = ord("A") if b[at] != ord("A") else ord("B")
		open(sys.argv[1], "wb").write(b)
	PY
	call "$signed"
	want_deny 'a signature that is turned' 'sign'
	good
	call "$signed"
	want_deny 'not signed' 'not signed'
	polc -o "$B" --expires 2020-01-01
	call "$line"
	want_deny expired 'expired'
	good

	t "$agent: its output is closed, full, or has no reader; its input is closed or a directory"
	rc=$(sh -c "$line" <<<"$message" >&- 2>/dev/null; echo $?)
	[ "$rc" = 2 ] || bad "closed: $rc"
	sh -c "$line" <<<"$message" >/dev/full 2>/dev/null
	rc=$?
	want_rc 2
	rc=$(python3 - "$line" "$message" <<-'PY'
		import os, subprocess, sys
		r, w = os.pipe(); os.close(r)
		print(subprocess.run(["sh", "-c", sys.argv[1]], input=sys.argv[2].encode(), stdout=w,
		                     stderr=subprocess.DEVNULL).returncode)
	PY
	)
	[ "$rc" = 2 ] || bad "no reader: $rc"
	rc=$(sh -c "$line" <&- 2>/dev/null; echo $?)
	[ "$rc" = 2 ] || bad "no input: $rc"
	rc=$(sh -c "$line" </ 2>/dev/null; echo $?)
	[ "$rc" = 2 ] || bad "a directory as input: $rc"
	rc=$(sh -c "$line" </dev/null 2>/dev/null; echo $?)
	[ "$rc" = 2 ] || bad "an empty input: $rc"

	# the sanitizers' own memory is terabytes of addresses
	if [ "$VARIANT" != san ]; then
		t "$agent: out of memory, of descriptors, of time"
		none=0
		for kib in 100 500 1000 2000 3000 4000 5000 6000 7000 8000 10000 12000 16000; do
			call "ulimit -v $kib; $line"
			allowed || { want_closed "$kib KiB"; none=$((none + 1)); }
		done
		[ "$none" -ge 3 ] || bad "there was memory enough"
		none=0
		for n in 0 1 2 3 4 5 6 8; do
			call "ulimit -n $n; $line"
			allowed || { want_closed "$n descriptors"; none=$((none + 1)); }
		done
		[ "$none" -ge 3 ] || bad "there were descriptors enough"
		call "ulimit -v unlimited; ulimit -n 64; $line"
		want_allowed
	fi
done
done_
