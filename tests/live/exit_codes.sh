#!/usr/bin/env bash
# Exit statuses and the one line that says why.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
policy 'command { deny "wget:*" because "nothing is fetched" as no-fetching
                  ask "git push:*" because "publishes code" as asked }'

t "the command's own status"
run true
want_rc 0
[ -z "$out" ] || bad "stdout is not empty"
run sh -c 'exit 42'
want_rc 42
run sh -c 'kill -KILL $$'
want_rc 137
run sh -c 'kill -SEGV $$'
want_rc 139

t "denied: 126 with rule, place and reason"
run wget http://example.com
want_rc 126
want_line 'wget .*denied by rule no-fetching at p\.pol:[0-9]+: nothing is fetched'
[ "$(wc -l <<<"$err")" -eq 1 ] || bad "more than one line"

t "ask: 126 and it says so; -y answers"
run git push
want_rc 126
want_line 'asks first \(rule asked at p\.pol:[0-9]+: publishes code\).*-y'
run -y git push --help
[ "$rc" -ne 126 ] || bad "-y did not answer"
run -y wget x
want_rc 126

t "what no rule names: its risk is the reason"
raw_policy 'policy r { base none }
command { risk high "wc:*"  otherwise by risk { low allow  medium ask  high deny  critical deny } }
file { allow read, exec "/usr", "/bin", "/lib", "/lib64"  allow read "${PROJECT_DIR}" }' r
run_with r wc -l /etc/passwd
want_rc 126
want_line 'denied by rule command-otherwise at r\.pol:2: its risk is high'
run_with r ls
want_rc 126
want_line 'asks first \(rule command-otherwise at r\.pol:2: its risk is medium\); -y'
run_with r -y ls
want_rc 0

t "not found: 127"
run no-such-command-anywhere
want_rc 127
want_line 'no-such-command-anywhere: not found'
run ./nothing
want_rc 127

t "on the host but not in the view: 127, and where it is"
mkdir -p "$WORK/opt/bin"
printf '#!/bin/sh\necho ran\n' >"$WORK/opt/bin/hosttool"
chmod 0755 "$WORK/opt/bin/hosttool"
PATH=$WORK/opt/bin:$PATH run hosttool
want_rc 127
want_line "hosttool: not in the sandbox \($WORK/opt/bin/hosttool exists, no rule makes it readable and executable\)"
policy "command { allow \"$WORK/opt/bin/hosttool\" } file { allow read, exec \"$WORK/opt\" }" q
PATH=$WORK/opt/bin:$PATH run_with q hosttool
want_rc 0
want_out '^ran$'

t "a script whose interpreter is not in the view: 127, and it says so"
mkdir -p "$WORK/opt/sh" "$P/xdir"
cp /bin/sh "$WORK/opt/sh/"
printf '#!%s\necho ran\n' "$WORK/opt/sh/sh" >"$P/xdir/script"
chmod 0755 "$P/xdir/script"
# shellcheck disable=SC2016
policy 'command { allow "./xdir/script" } file { allow exec "${PROJECT_DIR}/xdir" }' q
run_with q ./xdir/script
want_rc 127
want_line 'interpreter or loader is not in the sandbox'
# shellcheck disable=SC2016
policy "command { allow \"./xdir/script\" }
file { allow read, exec \"$WORK/opt\" allow exec \"\${PROJECT_DIR}/xdir\" }" q
run_with q ./xdir/script
want_rc 0
want_out '^ran$'

t "not executable: 126"
echo text >"$P/text"
run ./text
want_rc 126
want_line 'not executable'
run /etc/passwd
want_rc 126
run /usr
want_rc 126

t "-c runs what the policy allows, by exactly the shell that it pins"
run -c "env printf '%s|' a 'b c' \"d\""
want_rc 0
want_out '^a\|b c\|d\|$'
# shellcheck disable=SC2016
run -y -c 'x=$(echo 1; echo 2) && for i in $x {3,4}; do printf "%s," "$i"; done | cat; exit 7'
want_rc 7
want_out '^1,2,3,4,$'
# shellcheck disable=SC2016
run -y -c 'readlink /proc/$$/exe; echo "$0 $#"; [[ -n $BASH_VERSION ]] && echo bash'
want_out '/bash$'
want_out '^/bin/bash 0$'
want_out '^bash$'
run -y -c '-x'
want_rc 127
raw_policy 'policy d { level project }
command { shell posix  otherwise allow }
file { allow read "${PROJECT_DIR}" }' dash
# shellcheck disable=SC2016
run_with dash -c 'readlink /proc/$$/exe; echo {a,b}; [ -z "$BASH_VERSION" ] && echo dash'
want_rc 0
want_out '/dash$'
want_out '^\{a,b\}$'
want_out '^dash$'
raw_policy 'policy z { level project }
command { shell zsh  otherwise allow }
file { allow read "${PROJECT_DIR}" }' zsh
run_with zsh -c 'true'
want_rc 126
run_with zsh true
want_rc 0

t "-c: one denied part is enough, and it is named"
run -c 'wget x'
want_rc 126
want_line 'wget x: denied by rule no-fetching'
# shellcheck disable=SC2016
for line in 'true; wget x' 'true | wget x' 'echo $(wget x)' 'f() { wget x; }; f' \
	'/usr/bin/wget x' "w''get x" '{ wget,x; }; wget x'; do
	run -y -c "$line; touch '$P/x'"
	[ "$rc" -eq 126 ] || bad "'$line' ended with $rc"
	want_line 'denied by rule no-fetching'
done
no_file "$P/x"
# what runs other commands is in the tables of std/base
raw_policy 'policy w { level project }
command { deny "wget:*" as no-fetching  otherwise allow }
file { allow read, write "${PROJECT_DIR}" }' base
for line in 'sh -c "wget x"' 'eval wget x' 'echo x | xargs wget' 'timeout 5 nice wget x' \
	'find . -exec wget {} \;' 'trap "wget x" EXIT' 'bash <<< "wget x"'; do
	run_with base -y -c "$line; touch '$P/x'"
	[ "$rc" -eq 126 ] || bad "'$line' ended with $rc"
	want_line 'denied by rule no-fetching'
done
no_file "$P/x"
run_with base -c "sh -c true; eval true; touch '$P/x'"
want_rc 0
want_file "$P/x"
rm -f "$P/x"
run -y -c "true; touch '$P/x'"
want_rc 0
want_file "$P/x"
rm -f "$P/x"

t "-c: what cannot be read is not run, whatever -y says"
for line in 'true (' 'if true' 'echo "' 'true &&' '{ true' $'true \x01'; do
	run -y -c "$line"
	[ "$rc" -eq 126 ] || bad "'$line' ended with $rc"
	want_line 'not run: the line cannot be read'
done
# shellcheck disable=SC2016
run -y -c 'x=$(echo true); $x'
want_rc 126
want_line 'only a person can answer'
run -y -c 'true'
want_rc 0

t "usage: 125, one line"
for args in "" "-b" "--bundel=x true" "-b $WORK/p.polb" "-b $WORK/none.polb true" \
	"-b $WORK/p.polb --role nobody true" "-b $WORK/p.polb -c x y"; do
	# shellcheck disable=SC2086
	err=$("$BIN/polrun" $args 2>&1 >/dev/null </dev/null)
	rc=$?
	[ "$rc" -eq 125 ] || bad "'$args' ended with $rc"
	[ "$(grep -c '^polrun: ' <<<"$err")" -eq 1 ] || bad "'$args' has not one line"
done
err=$("$BIN/polrun" --bundel=x true 2>&1)
want_err "did you mean '--bundle'"

t "projects that would be no sandbox, and directories that are not in it"
for d in / "$HOME" "$WORK" /tmp /var/tmp /etc /usr /usr/bin /run /home /dev /proc; do
	err=$(cd "$d" && "$BIN/polrun" -b "$WORK/p.polb" --project "$d" true 2>&1)
	rc=$?
	[ "$rc" -eq 125 ] && [ "$(grep -c '^polrun: the project' <<<"$err")" -eq 1 ] ||
		bad "project $d: $rc $err"
done
err=$(cd "$WORK/out" && "$BIN/polrun" -b "$WORK/p.polb" --project "$P" true 2>&1)
rc=$?
want_rc 125
want_line 'working directory .* is not readable in the sandbox'
err=$(cd "$WORK/out" && "$BIN/polrun" -b "$WORK/p.polb" true 2>&1)
rc=$?
want_rc 0

t "a working directory that is not readable: the rule, or the one that is missing"
raw_policy 'policy c { }
command { allow "ls" }' c
run_with c ls
want_rc 125
want_line 'not readable in the sandbox \(it is a scratch directory there; file \{ allow read "\$\{PROJECT_DIR\}" \} shows it\)$'
raw_policy 'policy c { }
command { allow "ls" }
file { allow read "${PROJECT_DIR}"  deny read "${PROJECT_DIR}" because "not here" as closed }' c
run_with c -y ls
want_rc 125
want_line 'not readable in the sandbox \(rule closed at c\.pol:3: not here\)$'
raw_policy 'policy c { }
command { allow "ls" }
file { allow read "${PROJECT_DIR}" }' c
run_with c ls
want_rc 0

t "control bytes of a path do not reach the terminal"
if command -v git >/dev/null; then
	loop=$(printf '\033[31m\342\200\256loop')
	git init -q . && ln -s "$loop" "$loop"
	printf '[core]\n\thooksPath = %s/x\n' "$loop" >.git/config
	run true
	want_rc 125
	want_line 'denied path .*/\\x1b\[31m\\u\{202e\}loop/x: '
	no_err "$(printf '\033')"
	rm -rf .git "$loop"
	run true
	want_rc 0
fi

t "--plan runs nothing and shows what would"
run --plan sh -c 'touch planned'
want_rc 0
no_file "$P/planned"
want_out '^decision +allow by rule'
want_out '^program +/'
want_out "read write\* +$P .*each name is decided, because of rule .* at std/floor\.pol:[0-9]+"
want_out "^  may appear +absent below $P  \(rule .* at std/floor\.pol:[0-9]+\)"
want_out '^ +.*\.git/config'
want_out '^  under: here it is absent at the start, and can be made'
want_out '^    rule [a-z0-9-]+ at std/floor\.pol:[0-9]+'
want_out '^network +disabled'
run --plan wget x
want_rc 0
want_out '^decision +deny by rule no-fetching'

t "the summary line, where a rule does not hold exactly: under -v only"
run true
want_rc 0
[ -z "$err" ] || bad "a run that works says something"
run -v true
want_line '[0-9] rules? (holds? at entry only|forbids? (less|more) than).*: see --plan'

t "the report has its keys"
rm -f "$WORK/r.json"
run --report "$WORK/r.json" --explain-denials sh -c 'cat /var/log/x /etc/hostname; touch /usr/x; exit 3'
want_rc 3
python3 - "$WORK/r.json" <<'EOS' || bad "$(cat "$WORK/r.json")"
import json, sys
r = json.load(open(sys.argv[1]))
want = """exit_code signal decision wall_ms cpu_ms memory_peak_bytes processes_peak
stdout_bytes stderr_bytes truncated limits_hit wall_gone denials connections network left read_only written staged runner mechanisms
serial bundle_digest""".split()
assert list(r) == want, list(r)
assert r["exit_code"] == 3 and r["signal"] is None and r["written"] == [] and r["staged"] is None
d = [x for x in r["denials"] if x["subject"] == "/usr/x"]
assert len(d) == 1 and list(d[0]) == ["layer", "op", "subject", "errno", "count", "rule", "hint"], d
assert d[0]["op"] == "write" and d[0]["count"] == 1 and d[0]["rule"]["id"], d
assert len(r["bundle_digest"]) == 64
EOS
run --report "$WORK/r.json" sh -c 'kill -KILL $$'
grep -q '"signal": 9' "$WORK/r.json" || bad "no signal in the report"
run --report "$WORK/r.json" wget x
grep -q '"exit_code": 126' "$WORK/r.json" && grep -q no-fetching "$WORK/r.json" || bad "denied run has no report"
ln -s "$WORK/out/target" "$WORK/r.link"
run --report "$WORK/r.link" true
want_rc 125
want_line 'symbolic link'
no_file "$WORK/out/target"

t "a report is not written where a run has led it"
mkdir -p "$WORK/out/goal" "$P/reports" && ln -s "$WORK/out/goal" "$P/led"
ln -s "$WORK/out/goal/r.json" "$P/last.json"
for r in led/r.json "$P/led/r.json" "$P/led/../goal/r.json" last.json; do
	run --report "$r" touch "$P/ran"
	want_rc 125
	want_line "the report '.*r\\.json|last\\.json' is .*symbolic link"
	no_file "$WORK/out/goal/r.json"
	no_file "$P/ran"
done
run --report "$P/reports/r.json" true
want_rc 0
want_file "$P/reports/r.json"
# a link outside of the project is root's, which no run can have made; of another user it may be
# the work of another policy's run
ln -s "$P/reports" "$WORK/out/mine"
run --report "$WORK/out/mine/s.json" true
if [ "$(id -u)" = 0 ]; then
	want_rc 0
	want_file "$P/reports/s.json"
else
	want_rc 125
	want_line "the report '.*' is reached by a symbolic link"
	no_file "$P/reports/s.json"
fi
rm -r "$P/reports" "$P/led" "$P/last.json"

t "a floor name that is absent cannot be made; of a .git that is absent it is named"
run sh -c 'echo x > .envrc'
want_rc 2
no_file "$P/.envrc"
want_line 'blocked: write .*/\.envrc: rule .* at std/floor\.pol'
run sh -c 'mkdir .git && echo x > .git/config'
want_rc 0
want_line '/\.git/config has appeared'
rm -rf "$P/.git"
run true
no_err 'appeared'

t "a .git file that points outside is named"
mkdir -p "$WORK/out/real.git"
echo "gitdir: $WORK/out/real.git" >"$P/.git"
run -v true
want_line "\.git points to $WORK/out/real.git"
run false
want_rc 1
want_line "\.git points to $WORK/out/real.git"
run --plan true
want_out "^\.git points to $WORK/out/real.git"
run true
no_err 'git points'
# below a private HOME, of which the run sees nothing
mkdir -p "$HOME/real.git"
echo "gitdir: $HOME/real.git" >"$P/.git"
policy 'file { scratch "${HOME}" }' private
run_with private false
want_rc 1
want_line "\.git points to $HOME/real.git"
rm -f "$P/.git"

t "--doctor, --help, --version"
out=$("$BIN/polrun" --doctor)
rc=$?
want_rc 0
want_out 'user namespaces +yes'
want_out 'Landlock'
"$BIN/polrun" --help | grep -q -- '--explain-denials' || bad "no help"
"$BIN/polrun" --version | grep -q '^polrun [0-9]' || bad "no version"

done_
