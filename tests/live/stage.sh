#!/usr/bin/env bash
# A staged run: nothing of the host changes, the rules hold as without --stage, and what was
# written is in the stage.  What becomes of it: stage_commit.sh.
# places:
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=tests/lib/stage.sh
. "$(dirname "$0")/../lib/stage.sh"

OUT='file { allow read, write, exec "'$WORK/out'" }'
mkdir -p "$P/sub/deep" "$P/gone" "$P/hid" "$WORK/out/d"
echo one >"$P/f" && echo two >"$P/sub/deep/f" && echo three >"$P/gone/x" && echo secret >"$P/hid/s"
echo out >"$WORK/out/f" && echo env >"$P/.env" && echo keep >"$P/keep"
policy "$OUT"

t "what a run writes is not outside, in a tree that is decided by name and in a native one"
snap "$HOME" "$WORK/out" >"$WORK/before"
staged sh -c "echo new >new; echo more >>f; rm -r gone; chmod 700 sub; ln -s f link; mkdir d; echo x >d/x
	echo o >>$WORK/out/f; rm -r $WORK/out/d; mkdir $WORK/out/e; cat f new $WORK/out/f; test ! -e gone"
want_rc 0
want_out '^more$'
want_out '^o$'
want_line 'staged as [0-9a-f]{12}, and nothing of it is in place yet'
snap "$HOME" "$WORK/out" >"$WORK/after"
cmp -s "$WORK/before" "$WORK/after" || bad "$(diff "$WORK/before" "$WORK/after")"
review
want_rc 0
want_out "^create    $P/new: file 0644, 4 bytes\$"
want_out "^modify    $P/f: file 0644, 4 bytes => file 0644, 9 bytes\$"
want_out "^delete    $P/gone: directory"
want_out "^delete    $P/gone/x: file"
want_out "^mode      $P/sub: directory 0755 => directory 0700\$"
want_out "^create    $P/link: link -> 'f'\$"
want_out "^modify    $WORK/out/f: "
want_out "^delete    $WORK/out/d: "
want_out "^create    $WORK/out/e: "
want_out '^          \+more$'
want_out 'allowed by rule file-[0-9a-f]+ at '
no_out 'allowed by .*otherwise'
[[ $(grep -A1 "^create    $P/link: " <<<"$out" | tail -n 1) =~ allowed\ by\ rule\ file-[0-9a-f]+\ at\  ]] ||
	bad "the link is not allowed by the rule of its name"
verb discard
want_rc 0
no_file "$STATE/stage/"*

t "the control: the same without --stage is outside"
run sh -c "echo new >new; echo o >>$WORK/out/f"
want_rc 0
want_text new "$P/new"
want_text $'out\no' "$WORK/out/f"
rm "$P/new"

t "rules hold as without --stage"
# shellcheck disable=SC2016
policy "$OUT"' file { deny write "${PROJECT_DIR}/.env*", "${PROJECT_DIR}/keep", "'"$WORK"'/out/f"
	hide "${PROJECT_DIR}/hid" }' d
snap "$HOME" "$WORK/out" >"$WORK/before"
for how in '' --stage; do
	for line in 'echo x >>.env' 'echo x >.env.local' 'echo x >keep' 'rm keep' 'mv f keep' \
		"echo x >$WORK/out/f" "mv $WORK/out/f $WORK/out/g" 'ln keep k2 && echo x >k2' 'chmod 600 keep' \
		'test -s hid/s || cat hid/s' 'rm -r hid' 'mv hid away' 'echo x >hid/y' 'mkdir -p .git && echo x >.pol'; do
		# shellcheck disable=SC2086
		run_with d $how sh -c "$line"
		[ "$rc" -ne 0 ] || bad "$how: '$line' worked"
		no_out secret
		[ -z "$how" ] || verb discard
		rm -rf "$P/.git"
	done
done
snap "$HOME" "$WORK/out" >"$WORK/after"
cmp -s "$WORK/before" "$WORK/after" || bad "$(diff "$WORK/before" "$WORK/after")"
run_with d --stage sh -c "cat keep .env; echo x >>f; echo y >free; echo z >$WORK/out/h; cat f free $WORK/out/h"
want_rc 0
want_out '^z$'
verb discard

t "what lies in the state is neither seen nor written by a staged run"
policy 'file { allow read "/" }' any
run_with any --stage sh -c "echo x >new; ls -A $STATE/stage; cat $STATE/stage/*/record; echo x >$STATE/stage/y"
no_out pol-stage
no_out '^[0-9a-f]{32}'
# in a private HOME it is not there at all
want_err 'Permission denied|Read-only|nonexistent'
run_with any sh -c "ls -A $STATE/stage"
if [ "$PLACE" = home ]; then want_err 'No such file'; elif is_root; then want_err 'Permission denied'; else want_out '^[0-9a-f]{32}$'; fi
verb discard

t "two staged runs at the same time have two stages"
staged sh -c 'echo a >two; sleep 1.5' &
sleep 0.2 # so that they overlap
staged sh -c 'echo b >two; test "$(cat two)" = b'
want_rc 0
wait
review
want_rc 125
want_line 'several staged runs'
for id in "$STATE"/stage/*; do
	review "${id##*/}"
	want_out '^          \+[ab]$'
	verb discard "${id##*/}"
	want_rc 0
done
no_file "$P/two"

t "standard input and output are not ways out"
echo in >"$P/in"
snap "$P" >"$WORK/before"
"$BIN/polrun" --stage -b "$WORK/p.polb" sh -c 'cat; echo x >/proc/self/fd/0; echo out' <"$P/in" >"$P/log" 2>"$WORK/.err"
want_text $'in\nout' "$P/log"
rm "$P/log"
snap "$P" >"$WORK/after"
want_text in "$P/in"
cmp -s "$WORK/before" "$WORK/after" || bad "$(diff "$WORK/before" "$WORK/after")"
verb discard
rm "$P/in"

t "a run that changes nothing leaves nothing to look at"
staged cat f
want_rc 0
want_line 'nothing is staged: the run has changed nothing'
review
want_rc 125
want_line 'there is no staged run'
staged -q sh -c 'echo x >q'
no_err .
verb discard

t "the report names the stage, and a run that fails is staged as well"
staged --report "$WORK/report" sh -c 'echo x >r; exit 3'
want_rc 3
id=$(sed -n 's/.*"staged": *"\([0-9a-f]*\)".*/\1/p' "$WORK/report")
[ -n "$id" ] && [ -d "$STATE/stage/$id" ] || bad "the report has the stage '$id'"
review "$id"
want_out "^create    $P/r: "
verb discard "${id:0:8}"
want_rc 0

t "--plan says what would be staged, and makes nothing"
staged --plan true
want_rc 0
want_out '^staged    what the run writes, until polrun commit, in$'
want_out "^  $P\$"
want_out "^  $WORK/out\$"
no_file "$STATE/stage/"*

t "kill -9 of polrun: the stage stays, and nobody writes to it any more"
for i in 1 2 3 4 5; do
	snap "$HOME" "$WORK/out" >"$WORK/before"
	"$BIN/polrun" --stage -b "$WORK/p.polb" sh -c 'echo x >killed; while :; do echo y >>f; done' \
		>/dev/null 2>&1 </dev/null &
	pid=$!
	within 10 has_upper killed || bad "the run did not begin"
	sleep "0.0$((RANDOM % 10))" # another moment each time
	kill -9 $pid
	wait $pid 2>/dev/null
	within 10 can_review || bad "no review is possible"
	want_out "^create    $P/killed: "
	want_out 'the run was killed$'
	snap "$HOME" "$WORK/out" >"$WORK/after"
	cmp -s "$WORK/before" "$WORK/after" || bad "$(diff "$WORK/before" "$WORK/after")"
	verb discard
	want_rc 0
done

t "no review while the run goes on"
staged sh -c 'echo x >busy; sleep 1.5' &
within 10 has_upper busy || bad "the run did not begin"
review
want_rc 125
want_line 'has not ended'
verb commit
want_rc 125
no_file "$P/busy"
wait
verb discard
want_rc 0

t "what cannot be staged is refused by name, and nothing is written"
XDG_STATE_HOME=$P/state staged sh -c 'echo x >no'
want_rc 125
want_line "what is staged lies in it"
no_file "$P/no"
rm -rf "$P/state"
policy 'file { allow read, write "'"$P"'/one" }' one
sed -i 's/^    allow read, write "..PROJECT_DIR."$//' "$WORK/one.pol"
echo 1 >"$P/one"
raw_policy "$(<"$WORK/one.pol")" one
run_with one --stage sh -c 'echo 2 >one'
want_rc 125
want_line "can write this file alone"
want_text 1 "$P/one"
rm "$P/one"
no_file "$STATE/stage/"*

done_
