#!/usr/bin/env bash
# Copilot CLI's hook: the file of its own that install writes, what the doctor says of it and of
# what a project may bring, and the line for polrun.  What it does with the answers was seen with
# the real program (tests/run/agents.sh).
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
raw_policy 'policy agent { level user }
command { allow "true", "echo:*"  ask "mv:*" as moving  deny "touch:*" because "not that" as no-touch }
file { allow read, write, exec "${PROJECT_DIR}" }' p
# shellcheck source=tests/lib/hook_file.sh
. "$(dirname "$0")/../lib/hook_file.sh"
F=$HOME/.copilot/hooks/polquery.json
unset COPILOT_HOME

t "it is installed into a file of its own, the doctor is content, and it is taken out again"
polquery uninstall copilot-cli --yes
want_rc 0
[ ! -e "$HOME/.copilot" ] || bad "a folder is made"
polquery install copilot-cli --bundle "$B" --yes
want_rc 0
want_out 'denies: what must be denied is denied'
[ "$(stat -c %a "$F")" = 644 ] || bad "its mode"
cp "$F" "$WORK/good.json"
polquery doctor copilot-cli
want_rc 0
want_out "answers: the command 'true' is allowed"
want_out 'answers: a tool of an MCP server is asked'
polquery uninstall copilot-cli --yes
want_rc 0
grep -q polquery "$F" && bad "it is still there"
polquery doctor copilot-cli
want_rc 1
want_out 'not installed'

t "the doctor: what Copilot CLI would skip or run in another way is wrong"
while IFS='|' read -r pattern edit; do
	sed "$edit" "$WORK/good.json" >"$F"
	cmp -s "$F" "$WORK/good.json" && bad "$edit changes nothing"
	polquery doctor copilot-cli
	want_rc 1
	want_out "$pattern"
done <<'ROWS'
not known here: version|s/"version": 1/"version": 2/
no hook runs|s/"version": 1/"disableAllHooks": true/
cannot be read|1s/^{/{ \/\/ mine/
is not checked|s/"type"/"matcher": "*", "type"/
is not checked|s/"type"/"matcher": "", "type"/
is not checked|s/"type"/"matcher": "view", "type"/
takes no such value|s/"type"/"timeoutSec": 0, "type"/
takes too long|s/"type"/"timeoutSec": 20, "type"/
cannot tell what this changes.*bash|s/"type"/"bash": "exit 0", "type"/
cannot tell what this changes.*timeout|s/"type"/"timeout": 50, "type"/
denies nothing|s/"type": "command"/"type": "prompt"/
everything is allowed|s# || {[^}]*}##
where polquery takes too long|s#/usr/bin/timeout 20 ##
ROWS
while IFS= read -r edit; do
	sed "$edit" "$WORK/good.json" >"$F"
	cmp -s "$F" "$WORK/good.json" && bad "$edit changes nothing"
	polquery doctor copilot-cli
	want_rc 0
done <<'ROWS'
s/"type"/"matcher": ".*", "type"/
s/"type"/"timeoutSec": 40, "type"/
s/"type": "command", //
s/"version": 1,//
ROWS
cp "$WORK/good.json" "$F"

t "the doctor: what a project brings counts, here and where .git is, and other files of the user's do not"
for dir in "$P" "$P/src"; do
	while IFS='|' read -r want pattern file text; do
		mkdir -p "$P/$(dirname "$file")"
		printf '%s\n' "$text" >"$P/$file"
		out=$(cd "$dir" && "$Q" doctor copilot-cli 2>&1)
		rc=$?
		want_rc "$want"
		[ -z "$pattern" ] || want_out "$pattern"
		rm -r "$P/.github" "$P/.claude" 2>/dev/null
	done <<-'ROWS'
		1|may change a call.*a.json|.github/hooks/a.json|{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"x"}]}}
		1|may change a call|.github/hooks/a.json|{"version":1,"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}}
		1|may change a call|.claude/settings.json|{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"polquery hook claude-code"}]}]}}
		1|no hook runs.*disableAllHooks|.github/copilot/settings.json|{ /* x */ "disableAllHooks":true}
		1|no hook runs.*disableAllHooks|.github/copilot/settings.local.json|{"disableAllHooks":1}
		1|no hook runs.*disableAllHooks|.claude/settings.local.json|{"disableAllHooks":true}
		1|names plugins|.github/copilot/settings.json|{"enabledPlugins":{"a@b":true}}
		1|cannot be read|.github/hooks/a.json|{
		0||.github/hooks/a.json|{"version":1,"hooks":{"postToolUse":[{"type":"command","bash":"x"}]}}
		0||.github/copilot/settings.json|{"model":null}
		0||.claude/settings.json|{"disableAllHooks":false}
	ROWS
done
mkdir -p "$P/.github/hooks"
cp "$F" "$P/.github/hooks/pol.json"
polquery doctor copilot-cli
want_rc 0
rm -r "$P/.github"
for text in '{"disableAllHooks":true}' '{"hooks":{"preToolUse":[{"type":"command","bash":"x"}]}}'; do
	echo "$text" >"$HOME/.copilot/settings.json"
	polquery doctor copilot-cli
	want_rc 0
done
rm "$HOME/.copilot/settings.json"

t "COPILOT_HOME is where Copilot CLI looks"
COPILOT_HOME=$WORK/other polquery doctor copilot-cli
want_rc 1
want_out 'not installed'
COPILOT_HOME=$WORK/other polquery install copilot-cli --bundle "$B" --yes
want_rc 0
[ -e "$WORK/other/hooks/polquery.json" ] || bad "it is not there"

t "--run: what is allowed becomes a line for polrun, and what asks a deny: a yes would run the old line"
say() { # LINE
	out=$(printf '{"sessionId":"s1","timestamp":1,"cwd":"%s","toolName":"bash","toolArgs":{"command":"%s","description":"x"}}' "$P" "$1" |
		COPILOT_PROJECT_DIR=$P "$Q" hook copilot-cli --run "$B")
}
say 'echo hi'
want_out '"permissionDecision":"allow".*"modifiedArgs":\{"command":"[^"]*polrun.* -c '"'echo hi'"'","description":"x"\}'
say 'mv a b'
want_out '"permissionDecision":"deny".*it would run under polrun'
grep -q modifiedArgs <<<"$out" && bad "a line is handed back"
say 'touch x'
want_out '"permissionDecision":"deny".*not that'
polquery install copilot-cli --run "$B" --yes
want_rc 0
want_out 'a command that is allowed runs under polrun'

done_
