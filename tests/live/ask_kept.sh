#!/usr/bin/env bash
# What is kept of an answer: in the report, in the session, and that no run reaches
# the answers where their directory lies in its project.
# shellcheck disable=SC2034,SC2154
# long: every fourth day, as root and as a user in turn
# timing: waits for what programs print on a pseudo-terminal
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=tests/lib/asking.sh
. "$(dirname "$0")/../lib/asking.sh"

t 'the report says who answered'
policy "$ASKS"
forget
answered() { # WHO
	local got
	got=$(python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))["decision"]
print(d["effect"], *d["answered_by"])' "$WORK/r.json" 2>&1)
	[ "$got" = "$1" ] || bad "the report says '$got', want '$1'"
	rm -f "$WORK/r.json"
}
alone -y --report "$WORK/r.json" touch ten
want_rc 0
answered 'ask yes'
alone --report "$WORK/r.json" touch ten
want_rc 126
answered 'ask'
alone --report "$WORK/r.json" true
want_rc 0
answered 'allow'
term <<EOT
send $POL --session r --report \$WORK/r.json touch ten; echo rc \$?
expect details:
send s
expect rc 0
EOT
answered 'ask person'
alone --session r --report "$WORK/r.json" touch ten
want_rc 0
answered 'ask session'
alone --session r -y --report "$WORK/r.json" -c 'touch ten; chmod 600 ten'
want_rc 0
answered 'ask yes'
term <<EOT
send $POL --session r --report \$WORK/r.json touch ten eleven; echo rc \$?
expect details:
send d
expect rc 126
EOT
answered 'ask person'
policy "$ASKS setting \"permissions.mode\" = \"auto-accept\""
alone --report "$WORK/r.json" touch ten
want_rc 0
answered 'ask mode'

t "--session gives no directory: a rule below it is named, and a condition on it refused"
# shellcheck disable=SC2016
policy 'file { allow read, write "${SESSION_DIR}"  deny write "${SESSION_DIR}/x" as below-session }'
run --session r --plan true
want_rc 0
want_out 'no session has a directory in this version: its pattern matches nothing'
want_out 'rule below-session'
run --session r --report "$WORK/r.json" true
want_rc 0
grep -q 'over: rule below-session.*no session has a directory' "$WORK/r.json" || bad 'the report does not say it'
policy ''
run --session r --plan true
no_out 'no session has a directory'
printf '%s\n' "$HEAD" 'command { deny "git:*" when session == "a" }' >"$WORK/w.pol"
out=$("$BIN/polc" compile "$WORK/w.pol" -o "$WORK/w.polb" 2>&1)
rc=$?
[ "$rc" -ne 0 ] || bad 'it was compiled'
want_out "conditions on 'session' are not supported"
no_file "$WORK/w.polb"

t 'XDG_STATE_HOME inside of the project: no spelling, link or parent leads to the answers'
policy "$ASKS"
export XDG_STATE_HOME=$P/deep/state
term <<EOT
send $POL --session s touch twentyone; echo rc \$?
expect details:
send s
expect rc 0
EOT
S=$P/deep/state/pol
want_file "$S/approvals"
alone --session s touch twentyone
want_rc 0
cp "$S/approvals" "$WORK/good"
same() { # WHAT: as it was, and still believed
	want_text "$(cat "$WORK/good")" "$S/approvals"
	[ "$(stat -c %a.%u "$S/approvals" "$S" | sort -u | tr '\n' ' ')" = "600.$(id -u) 700.$(id -u) " ] ||
		bad "$1: $(stat -c '%n %a %u' "$S/approvals" "$S")"
}
inside 'echo x >deep/free && mkdir deep/state/other && echo y >deep/state/other/f && mv deep/free deep/freed'
want_rc 0
want_file "$P/deep/freed"
for line in 'echo x >>deep/state/pol/approvals' 'echo x >>./deep/../deep/state/./pol//approvals' \
	'cd deep/state/pol && echo x >>approvals' 'echo x >>/proc/self/cwd/deep/state/pol/approvals' \
	'echo x >>/proc/self/root'"$S"'/approvals' 'echo x >>/proc/1/root'"$S"'/approvals' \
	'exec 3<deep/state/pol && echo x >>/proc/self/fd/3/approvals' \
	'ln -s state/pol deep/sym && echo x >>deep/sym/approvals' \
	'ln deep/state/pol/approvals deep/hard && echo x >>deep/hard' \
	'mv deep moved' 'mv deep/state deep/moved' 'mv deep/state/pol deep/state/moved' \
	'mv deep/state/pol/approvals gone' 'rm -rf deep/state/pol' 'rmdir deep/state/pol' \
	'mkdir n && mv n deep/state/pol' 'mv -T deep/state/other deep/state/pol' \
	'chmod 666 deep/state/pol/approvals' 'chmod 777 deep/state/pol' 'chmod 777 deep/state/pol/approvals.lock' \
	'truncate -s 0 deep/state/pol/approvals' 'touch deep/state/pol/approvals' \
	'echo x >deep/state/pol/approvals.new' 'mkdir m && mount --bind m deep/state/pol' \
	'unshare -Urm sh -c "mount --bind deep/state/other deep/state/pol"' \
	'unshare -Urm sh -c "umount deep/state/pol; echo x >>deep/state/pol/approvals"' \
	'chroot . sh -c "echo x >>/deep/state/pol/approvals"'; do
	inside "$line"
	[ "$rc" -ne 0 ] || bad "it worked: $line"
	same "$line"
	rm -rf "$P/deep/sym" "$P/deep/hard" "$P/n" "$P/m"
done
alone --session s touch twentyone
want_rc 0
# a link in the project instead of the directory, made before the run
mv "$S" "$S.real"
ln -s pol.real "$S"
alone --session s touch twentyone
[ "$rc" -ne 0 ] || bad 'a link was followed'
rm "$S"
mv "$S.real" "$S"
alone --session s touch twentyone
want_rc 0
rm -rf "$P/deep"
unset XDG_STATE_HOME

done_
