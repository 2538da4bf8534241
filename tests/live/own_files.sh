#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# What the next run believes, and what the caller reads of this one, is not the
# command's to write: the bundle, the list of signers, the report.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

policy ''
mkdir sub
cp "$WORK/p.polb" sub/run.polb
cp "$WORK/p.polb" sub/other.polb
before=$(cksum <sub/run.polb)

# ARGS…: polrun with the bundle in the project.
run_own() {
	"$BIN/polrun" -b "${bundle:-sub/run.polb}" "$@" >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$?
	out=$(tr -d '\0' <"$WORK/.out")
	err=$(tr -d '\0' <"$WORK/.err")
}
same() { [ "$(cksum <sub/run.polb)" = "$before" ] || bad "the bundle was changed"; }

t "the control: a bundle beside the project, and a file like it in the project"
run sh -c 'echo x >> sub/other.polb && mv sub/other.polb sub/moved && rm sub/moved && echo new > sub/free'
want_rc 0
want_text new sub/free

t "a bundle where the run could write is refused: no run, nothing changed"
mkdir "$WORK/link" way
ln -s "$P/sub" "$WORK/link/to"
ln -s ../sub way/to
for bundle in sub/run.polb "$P/sub/run.polb" ./sub/../sub/run.polb "$WORK/link/to/run.polb" way/to/run.polb; do
	run_own sh -c 'echo ran > ran; echo x >> sub/run.polb'
	want_rc 125
	want_line 'lies where the command can write'
	no_file ran
	same
done
unset bundle

t "what lies on the host where the run has a tree of its own is not the run's to write"
OWN=$(mktemp -d /tmp/pol-own.XXXXXX)
mkdir "$OWN"/{shown,linked}
ln -s "$P/sub" "$OWN/linked/to"
policy 'file { allow read, write "/tmp" when scope == sandbox }' own
policy "file { allow read, write \"$OWN/shown\", \"/tmp\" when scope == sandbox }" shown
policy "file { mount \"$OWN/shown\" at \"/mnt/shown\" read, write }" mounted
for name in own shown mounted; do cp "$WORK/$name.polb" "$OWN/$name.polb" && cp "$WORK/$name.polb" "$OWN/shown/"; done
chmod -R go+rX "$OWN"
own_run() { # BUNDLE: it tries to write the bundle
	"$BIN/polrun" -b "$1" sh -c "mkdir -p ${1%/*}; echo x >>$1; echo ran; echo x >/mnt/shown/new" >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$?
	out=$(<"$WORK/.out") err=$(<"$WORK/.err")
}
for name in own shown; do
	own_run "$OWN/$name.polb"
	want_out '^ran$'
	cmp -s "$WORK/$name.polb" "$OWN/$name.polb" || bad "the bundle $name was changed"
done
for bundle in "$OWN/shown/shown.polb" "$OWN/shown/mounted.polb" "$OWN/linked/to/run.polb"; do
	own_run "$bundle"
	want_rc 125
	want_line 'lies where the command can write'
done
unset bundle
rm -rf "$OWN"

t "a bundle in .pol runs, and .pol stays closed whatever is done outside"
mkdir .pol
cp sub/run.polb .pol/run.polb
bundle=.pol/run.polb
run_own sh -c 'echo ok > sub/free; echo x >> .pol/run.polb'
[ "$rc" -ne 0 ] || bad "the bundle was written"
want_text ok sub/free
cmp -s sub/run.polb .pol/run.polb || bad "the bundle was changed"
for line in 'rm -f .pol/run.polb' 'mv .pol/run.polb away' 'mv .pol away' 'rm -rf .pol' \
	'chmod 600 .pol/run.polb' 'ln -f sub/free .pol/run.polb' 'echo x > .pol/new.polb'; do
	run_own sh -c "$line"
	[ "$rc" -ne 0 ] || bad "'$line' succeeded"
	cmp -s sub/run.polb .pol/run.polb || bad "the bundle was changed"
done
unset bundle
rm -rf .pol way away

t "the report is polrun's alone"
RUN_OPTIONS=(--report sub/report)
run sh -c 'echo forged > sub/report'
[ "$rc" -ne 0 ] || bad "the report was written by the command"
run sh -c 'mv sub/report away; rm -f sub/report; echo x > sub/beside'
grep -q '"exit_code": 0' sub/report || bad "the report is not polrun's: $(head -c 80 sub/report)"
no_file away
want_file sub/beside

RUN_OPTIONS=()
bundle=$WORK/p.polb

t "a report replaces a report, an empty file, and nothing else"
printf '[core]\n' >config && mkdir -p .git && cp config .git/config && : >sub/empty && mkdir .pol
cp "$WORK/p.pol" sub/p.pol && echo key >"$WORK/out/key"
ln sub/empty sub/hard && ln sub/run.polb "$WORK/out/hard.polb"
ln -s "$P/sub/run.polb" "$WORK/out/soft.polb" 
for f in sub/run.polb "$P/sub/run.polb" sub/../sub/run.polb sub/other.polb sub/p.pol .git/config config \
	"$WORK/out/key" sub/hard sub/empty "$WORK/out/hard.polb" "$WORK/out/soft.polb" sub; do
	[ -e "$f" ] || cp "$WORK/p.polb" "$f"
	was=$(cat "$f" 2>&1 | cksum)
	run_own --report "$f" sh -c 'echo > ran'
	want_rc 125
	want_line 'report'
	no_file ran
	[ "$(cat "$f" 2>&1 | cksum)" = "$was" ] || bad "$f was changed"
done
same
rm sub/hard
run_own --report sub/empty true
want_rc 0
run_own --report sub/empty sh -c 'exit 3'
want_rc 3
grep -q '"exit_code": 3' sub/empty || bad "the report is not of the second run"

t "nor a name that a rule keeps from being written"
for f in .git/hooks/post-checkout .git/config.worktree .pol/report .envrc "$HOME/.bashrc" .vscode/tasks.json; do
	mkdir -p "$(dirname "$f")"
	run_own --report "$f" sh -c 'echo > ran'
	want_rc 125
	want_line 'keeps from being written'
	want_err 'std/floor\.pol'
	no_file "$f"
	no_file ran
done
rm -r .vscode
policy 'file { deny write "${PROJECT_DIR}/kept", "/nowhere" as mine  hide "${PROJECT_DIR}/my.key" as keys }' own
mkdir kept
bundle=$WORK/own.polb
for f in kept/r.json my.key; do
	run_own --report "$f" true
	want_rc 125
	want_line 'keeps from being written'
	no_file "$f"
done
# the control: beside them, and outside of every tree
run_own --report beside.json true
want_rc 0
run_own --report "$WORK/out/r.json" true
want_rc 0
grep -q '"exit_code": 0' beside.json || bad "no report beside"
unset bundle
rm -r kept beside.json .git .pol

t "polc replaces bundles and empty files, and nothing else"
cp "$WORK/p.pol" sub/p.pol
for f in sub/p.pol "$P/sub/p.pol" config /dev/null; do
	was=$(cat "$f" | cksum)
	out=$("$BIN/polc" compile sub/p.pol -o "$f" 2>"$WORK/.err")
	rc=$? err=$(cat "$WORK/.err")
	want_rc 2
	want_err "is no bundle: polc replaces bundles and empty files only|cannot write"
	[ "$(cat "$f" | cksum)" = "$was" ] || bad "$f was changed"
done
[ -c /dev/null ] || bad "/dev/null is gone"
: >sub/new.polb
for i in 1 2 3; do
	out=$("$BIN/polc" compile sub/p.pol -o sub/new.polb 2>&1)
	rc=$?
	want_rc 0
	[ "$i" -ne 2 ] || rm sub/new.polb
done
[ -s sub/new.polb ] || bad "no bundle"

t "nor may the list of signers lie where the run could write"
if command -v ssh-keygen >/dev/null; then
	ssh-keygen -q -t ed25519 -N '' -f "$WORK/key" || bad "no key"
	printf 'me namespaces="polc-bundle" %s\n' "$(cut -d' ' -f1-2 "$WORK/key.pub")" >"$WORK/signers"
	"$BIN/polc" sign --key "$WORK/key" "$WORK/p.polb" >/dev/null 2>&1 || bad "not signed"
	cp "$WORK/signers" sub/signers
	run --allowed-signers "$WORK/signers" true
	want_rc 0
	run --allowed-signers sub/signers true
	want_rc 125
	want_line 'lies where the command can write'
fi

t "a bundle outside of what the run can write costs no place of the view"
run --plan true
no_out 'p\.polb'
t "a run in the folder above does not write the .pol of a project below it"
policy ''
mkdir -p app/.pol app/deep lib
echo mine >app/.pol/signers
echo 'mine too' >lib/link && ln -s link lib/.pol
printf '%s\n' 'for f in app/.pol/signers app/.pol/new lib/.pol; do' \
	'echo bad >$f && echo wrote $f; done' \
	'mv app/.pol app/away && echo moved' 'mv app gone && echo moved the folder' \
	'rm -r app/.pol && echo removed' 'ln -sf deep app/.pol/l && echo linked' \
	'ln -sfn deep lib/.pol && echo linked' 'echo free >app/deep/free' >s.sh
run sh s.sh
want_rc 0
no_out .
no_err 'has appeared'
want_err 'blocked: write .*/app/\.pol/signers.*: .* at std/floor\.pol'
want_text mine app/.pol/signers
want_text 'mine too' lib/link
no_file app/.pol/new
want_text free app/deep/free

t "a .pol that a run makes in the folder above is told, until somebody has looked at it"
run sh -c 'mkdir -p new/.pol && echo bad >new/.pol/signers && echo file >app/deep/.pol'
want_rc 0
want_file new/.pol/signers
want_err 'polrun: .*/new/\.pol has appeared: the policy of a project'
want_err 'polrun: .*/app/deep/\.pol has appeared: the policy of a project'
run sh -c 'echo more >>new/.pol/signers; echo free >new/free'
want_err '2 things that runs have left'
want_text bad new/.pol/signers
want_text free new/free
rm -r new app/deep/.pol lib

t "what agents and editors read is kept at the top of a project below it too"
mkdir -p lib/.git lib/.claude lib/sub/.claude
for f in CLAUDE.md .claude/settings.json .envrc sub/CLAUDE.md; do echo mine >lib/$f; done
run sh -c 'for f in CLAUDE.md .claude/settings.json .claude/new .envrc; do
	echo bad >>lib/$f && echo wrote $f; done; rm -f lib/CLAUDE.md; echo free >>lib/sub/CLAUDE.md; echo free >lib/free'
no_out wrote
for f in CLAUDE.md .claude/settings.json .envrc; do want_text mine lib/$f; done
no_file lib/.claude/new
want_file lib/free
grep -q free lib/sub/CLAUDE.md || bad "a folder that is no project is kept as one"
rm -rf lib

t "a list of signers in a project is believed in .pol only"
mkdir -p keys .pol
cp app/.pol/signers keys/signers
chmod 644 keys/signers app/.pol/signers
raw_policy 'policy closed { } command { otherwise allow  opaque allow } file { allow read "${PROJECT_DIR}" }' closed
run_with closed --allowed-signers keys/signers true
want_rc 125
want_line "lies in the project '.*', where another run could write it: keep it in a folder '\.pol'"
# the control: in .pol, and outside of a project, it is looked at, and the bundle is not signed
for list in app/.pol/signers "$WORK/outside/signers"; do
	mkdir -p "$WORK/outside"
	[ -e "$list" ] || cp -p app/.pol/signers "$list"
	run_with closed --allowed-signers "$list" true
	want_rc 125
	want_line 'is not signed'
done

done_
