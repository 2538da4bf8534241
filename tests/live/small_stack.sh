#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# A small stack (ulimit -s): a line that says so, never a crash; and what the
# programs say they need is enough for the deepest that they take.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
policy 'command { opaque allow }'
need=512
# the sanitizers' frames are larger
[ "$VARIANT" != san ] || { t "nothing with the sanitizers"; done_; exit; }

# KIB COMMAND…: with that stack
with_stack() {
	(ulimit -S -s "$1" && shift && exec "$@") >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$?
	out=$(tr -d '\0' <"$WORK/.out")
	err=$(tr -d '\0' <"$WORK/.err")
}

t "too small: one line and the program's own status"
for kib in 24 32 64 96 128 256 511; do
	with_stack $kib "$BIN/polrun" -b "$WORK/p.polb" true
	want_rc 125
	want_line "the limit of the stack is $kib KiB, needed are $need"
	with_stack $kib "$BIN/polquery" -b "$WORK/p.polb"
	want_rc 2
	want_err "^polquery: the limit of the stack is $kib KiB, needed are $need"
	with_stack $kib "$BIN/polc" check "$WORK/p.pol"
	want_rc 2
	want_err "^polc: the limit of the stack is $kib KiB, needed are $need"
done

t "the control: with as much as they need they work"
with_stack $need "$BIN/polrun" -b "$WORK/p.polb" sh -c 'ulimit -s'
want_rc 0
want_out "^$need\$"
with_stack $need "$BIN/polc" check "$WORK/p.pol"
want_rc 0
with_stack unlimited "$BIN/polrun" -b "$WORK/p.polb" true
[ "$rc" -eq 0 ] || [ "$rc" -eq 1 ] || bad "unlimited: $rc"

# LEFT RIGHT [MIDDLE]: 98 of each around it
nest() {
	local l='' r='' i
	for ((i = 0; i < 98; i++)); do l+=$1 r+=$2; done
	printf '%s%s%s' "$l" "${3:-true}" "$r"
}
t "it is enough for the deepest lines"
lines=("echo $(nest '$(' ')')" "echo $(nest '"$(' ')"')" "$(nest '(' ')')" "$(nest '{ ' '; }')"
	"$(nest 'if true; then ' '; fi')" "echo \$(($(nest '(' ')' 1)))" "echo $(nest '${a:-' '}' x)"
	"$(nest 'sudo ' '')" "$(nest 'env ' '')" "$(nest 'while true; do ' '; break; done')"
	"$(nest 'xargs ' '')" "echo $(nest '{a,' '}' x)" "[[ $(nest '( ' ' )' a) ]]")
for line in "${lines[@]}"; do
	python3 -c 'import json, sys
print(json.dumps({"kind": "command", "line": sys.argv[1]}))' "$line" >"$WORK/q"
	with_stack $need sh -c "exec \"$BIN/polquery\" -b \"$WORK/p.polb\" <\"$WORK/q\""
	want_rc 0
	want_out '"effect":"'
	with_stack $need "$BIN/polrun" -b "$WORK/p.polb" --plan -c "$line"
	[ "$rc" -lt 128 ] || bad "polrun ended with $rc at: ${line:0:60}"
done

t "and for the deepest policies"
printf 'policy w { }\ncommand { allow /%s/ }\n' "$(
	l='' r=''
	for ((i = 0; i < 249; i++)); do l+='(' r+=')'; done
	printf '%sa%s' "$l" "$r"
)" >"$WORK/re.pol"
printf 'policy w { }\nsyscall { deny clone(flags) when %s }\n' "$(nest '(' ')' 'flags & 1')" >"$WORK/cond.pol"
for what in "check re.pol" "check cond.pol" "diff re.pol p.pol" "compile re.pol -o re.polb" \
	"explain re.pol argv a" "effective re.pol"; do
	# shellcheck disable=SC2086
	(cd "$WORK" && with_stack $need "$BIN/polc" $what && [ "$rc" -lt 3 ]) ||
		bad "polc $what ended with a crash"
done
rm -f "$WORK/re.polb"
done_
