#!/usr/bin/env bash
# Roles, secrets, what is carried, and who answers what a policy asks.
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

compile() { # NAME OPTIONS...: $WORK/NAME.pol to $WORK/NAME.polb
	local name=$1
	shift
	"$BIN/polc" compile "$@" -o "$WORK/$name.polb" >"$WORK/.compile" 2>&1 ||
		bad "$name does not compile: $(cat "$WORK/.compile")"
}

t "a bundle is for the role that it was compiled for"
cat >"$WORK/role.pol" <<'POL'
role tester { command { allow "touch:*" }  file { allow read, write "${PROJECT_DIR}" } }
role finder { }
file { allow read "${PROJECT_DIR}" }
command { allow "true" }
POL
compile tester --project "$WORK/role.pol" --role tester
compile finder --project "$WORK/role.pol" --role finder
compile none --project "$WORK/role.pol"
run_with tester touch "$P/made"
want_rc 0
[ -e "$P/made" ] || bad "the role's rule lets nothing be written"
rm -f "$P/made"
for b in finder none; do
	run_with "$b" -y touch "$P/made"
	[ "$rc" -ne 0 ] || bad "$b writes"
	[ ! -e "$P/made" ] || bad "$b has written"
done
run_with tester --role tester true
want_rc 0
run_with tester --role finder true
want_rc 125
want_line "compiled for the role 'tester'"
run_with none --role tester true
want_rc 125
want_line 'compiled for no role'
run_with tester --plan true
want_out '^role      tester$'

t "a secret is not given, and never the caller's variable"
policy 'env { keep += TOKEN, OTHER  secret TOKEN from store "t"  secret KEY from file "/run/key" }' q
TOKEN=caller OTHER=kept run_with q -v env
want_rc 0
want_out '^OTHER=kept$'
no_out '^TOKEN=|^KEY='
want_err 'the secret TOKEN \(from store t\) is not given'
want_err 'the secret KEY \(from file /run/key\) is not given'
run_with q env
no_out '^TOKEN=|^KEY='
[ -z "$err" ] || bad 'a run that works says something'
run_with q false # it may be the reason
want_line 'the secret TOKEN \(from store t\) is not given'
want_line 'the secret KEY '
run_with q --plan env
want_out '^  the secret TOKEN \(from store t\) is not given'
run_with q --report "$WORK/r.json" true
grep -q 'the secret KEY (from file /run/key) is not given' "$WORK/r.json" || bad 'the report does not name it'

t "what is carried is said in one line"
policy 'session { lifetime 1h  idle 1m }  audit { level all }' q
run_with q -v true
want_rc 0
want_line '3 values of the policy .* are carried, not acted on'
run_with q true
[ -z "$err" ] || bad 'a run that works says something'
run_with q --plan true
want_out '^3 values of the policy .* are carried'
rm -f "$WORK/r.json"
run_with q --report "$WORK/r.json" true
grep -q '3 values of the policy' "$WORK/r.json" || bad 'the report does not say it'
policy '' q
run_with q -v true
want_rc 0
no_err 'carried'

t "permissions.mode answers what is asked"
policy 'command { ask "true" }' q
run_with q true
want_rc 126
run_with q -y true
want_rc 0
policy 'command { ask "true" } setting "permissions.mode" = "auto-accept"' q
run_with q true
want_rc 0
policy 'command { ask "true"  allow "ls:*" } setting "permissions.mode" = "strict"' q
run_with q -y true
want_rc 126
want_line 'permissions.mode is strict'
run_with q ls "$P"
want_rc 0

t "a managed ask is a person's, unless it may be answered with yes"
cat >"$WORK/m.pol" <<'POL'
file { allow read "${PROJECT_DIR}" }
command { ask "true" as asks  ask "env" as may may yes }
setting "permissions.mode" = "auto-accept"
POL
compile m --managed "$WORK/m.pol"
run_with m -y true
want_rc 126
want_line 'only a person can answer this'
run_with m env
want_rc 0

t "a bundle with an allow that ends is not valid for ever"
cat >"$WORK/u.pol" <<'POL'
file { allow read "${PROJECT_DIR}" }
command { allow "env" until 2001-01-01 }
POL
compile u --created 900000000 --project "$WORK/u.pol"
run_with u env
want_rc 125
compile u --project "$WORK/u.pol"
run_with u env
want_rc 126

done_
