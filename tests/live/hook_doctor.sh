#!/usr/bin/env bash
# polquery doctor: whether the hook is installed in an agent's settings, answers and
# fails closed; what switches it off in these and other files.
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
raw_policy 'policy agent { level user }
command { allow "npm run test:*" }' policy
B=$WORK/policy.polb
mkdir -p "$P/.git"
HOOK="polquery -b $B hook"
CODEX="echo polquery: no answer >&2; $HOOK codex || exit 2"

t "doctor: installed, answering, failing closed; and each of these missing"
doctor() {
	out=$("$BIN/polquery" doctor "$@" 2>&1)
	rc=$?
}
rm -rf "$HOME/.claude" "$HOME/.codex" "$HOME/.gemini" "$HOME/.cursor"
doctor
want_rc 1
want_out 'no agent has the hook installed'
doctor claude-code
want_rc 1
want_out '^claude-code: not installed'
mkdir -p "$HOME/.claude" "$HOME/.codex" "$HOME/.gemini" "$HOME/.cursor"
settings() { # AGENT COMMAND
	local group='[{"matcher":"*","hooks":[{"type":"command","command":"'$2'"}]}]'
	case $1 in
	claude-code) echo '{"hooks":{"PreToolUse":'"$group"'}}' >"$HOME/.claude/settings.json" ;;
	codex) echo '{"hooks":{"PreToolUse":'"$group"'}}' >"$HOME/.codex/hooks.json" ;;
	gemini-cli) echo '{"hooks":{"BeforeTool":'"$group"'}}' >"$HOME/.gemini/settings.json" ;;
	cursor)
		local one='[{"command":"'$2'","failClosed":true}]' e all=''
		for e in preToolUse beforeShellExecution beforeMCPExecution beforeReadFile beforeTabFileRead; do
			all+="${all:+,}\"$e\":$one"
		done
		echo '{"version":1,"hooks":{'"$all"'}}' >"$HOME/.cursor/hooks.json"
		;;
	esac
}
for agent in claude-code codex gemini-cli cursor; do
	command="$HOOK $agent || exit 2"
	[ "$agent" != codex ] || command=$CODEX
	settings "$agent" "$command"
	doctor "$agent"
	want_rc 0
	want_out "^$agent: installed in .*\n?"
	want_out "answers: the command 'true' is"
	settings "$agent" "polquery -b $WORK/none.polb hook $agent || exit 2"
	doctor "$agent"
	want_rc 1
	want_out 'does not answer, and denies everything'
	settings "$agent" "polquery -b $B hook other || exit 2"
	doctor "$agent"
	want_rc 1
	want_out 'not installed'
done
settings claude-code "polquery -b $B hook claude-code"
doctor claude-code
want_rc 1
want_out 'everything is allowed'
for text in '{' '[]' '{"hooks":[]}' '{"hooks":{"PreToolUse":{}}}' '{"hooks":{"PreToolUse":[1,{"hooks":[2,{"command":3}]}]}}' ''; do
	echo "$text" >"$HOME/.claude/settings.json"
	doctor claude-code
	want_rc 1
done
settings claude-code "touch $WORK/ran; polquery -b $B hook claude-code || exit 2"
doctor claude-code
[ ! -e "$WORK/ran" ] || bad "the doctor runs what stands in the settings"

t "doctor: the command is read as its shell and polquery read it"
agent=claude-code
mkdir -p "$HOME/my policies"
cp "$B" "$HOME/my policies/a.polb"
while IFS='|' read -r rc_wanted pattern text; do
	text=${text//@B/$B}
	settings "$agent" "${text//\"/\\\"} || exit 2"
	doctor "$agent"
	want_rc "$rc_wanted"
	want_out "$pattern"
done <<'ROWS'
0|answers|polquery -b"@B" hook claude-code
0|answers|polquery --bundle=@B --scope sandbox hook claude-code
0|answers|/usr/bin/polquery -b "$HOME/my policies/a.polb" hook claude-code
0|answers|polquery -b ~/'my policies'/a.polb hook claude-code
0|answers|polquery -b ${HOME}/my\\ policies/a.polb hook claude-code tool_note
1|cannot tell whether it denies|umask 077; polquery -b @B hook claude-code
1|cannot tell whether it denies|exit 0; polquery -b @B hook claude-code
1|cannot tell whether it denies|true || polquery -b @B hook claude-code
1|cannot tell whether it denies|polquery -b @B hook claude-code >/dev/null
1|cannot tell whether it denies|PATH=/x polquery -b @B hook claude-code
1|everything is allowed|polquery -b @B hook claude-code || true # || exit 2
1|everything is allowed|polquery -b @B hook claude-code | cat
1|everything is allowed|polquery -b @B hook claude-code || exit 0; true
1|cannot tell .* sh cannot read it|polquery -b @B hook claude-code ||
1|does not answer.* signed|polquery -b @B --require-signed hook claude-code
1|cannot tell .* directory that is not known|polquery -b policy.polb hook claude-code
1|cannot tell .* directory that is not known|polquery -b @B --allowed-signers s hook claude-code
1|cannot tell .* known only when it runs|polquery -b $HOMES/a.polb hook claude-code
1|cannot tell .* known only when it runs|polquery -b $POLICY hook claude-code
1|cannot tell .* unknown option '--bundel'|polquery --bundel @B hook claude-code
1|cannot tell .* neither 'host' nor 'sandbox'|polquery -b @B --scope all hook claude-code
1|cannot tell .* does not start polquery itself|wrap polquery -b @B hook claude-code
1|cannot tell .* sh cannot read it|if polquery -b @B hook claude-code
1|cannot tell .* none of the agents|polquery -b @B hook claude -- hook claude-code
1|cannot tell .* not call 'polquery hook'|polquery -b @B; echo hook claude-code
ROWS
t "doctor: how each agent's command has to end"
while IFS='|' read -r rc_wanted agent text; do
	settings "$agent" "${text/@/$HOOK $agent}"
	doctor "$agent"
	want_rc "$rc_wanted"
done <<'ROWS'
0|claude-code|@ || exit 2
0|claude-code| @||exit 2
0|claude-code|echo polquery: no answer >&2; @ || exit 2
1|claude-code|@ || exit 20
1|claude-code|@ || exit 2; exit 0
1|claude-code|echo $(exit) >&2; @ || exit 2
1|claude-code|echo x; @ || exit 2
1|claude-code|echo x >&2; echo x >&2; @ || exit 2
1|claude-code|echo x >&2 || @ || exit 2
1|codex|@ || exit 2
0|codex|echo x >&2; @ || exit 2
1|codex|echo x >&2; @
1|codex|echo >&2; @ || exit 2
0|cursor|@
0|cursor|@ || exit 2
1|cursor|@ || true
ROWS
rm -rf "$HOME/.codex/hooks.json" "$HOME/.cursor/hooks.json"
agent=claude-code
both() { # SECOND COMMAND
	printf '{"hooks":{"PreToolUse":[{"hooks":[{"command":"%s || exit 2"},{"command":"%s || exit 2"}]}]}}\n' \
		"$HOOK $agent" "$1" >"$HOME/.claude/settings.json"
	doctor "$agent"
}
both "$HOOK $agent"
want_rc 0
both "polquery -b $WORK/none.polb hook $agent"
want_rc 1
want_out 'answers'
want_out 'does not answer'
for option in "-b $B" --require-signed '--scope host' '--allowed-signers /s'; do
	# shellcheck disable=SC2086
	out=$("$BIN/polquery" $option doctor 2>&1)
	rc=$?
	want_rc 2
	want_out "'doctor' takes no options"
done

# FILE TEXT [RC [PATTERN]]: beside an installed hook
beside() {
	mkdir -p "$(dirname "$1")"
	printf '%s\n' "$2" >"$1"
	doctor "$agent"
	want_rc "${3:-1}"
	[ -z "${4:-}" ] || want_out "$4"
}

t "doctor: hooks of Claude Code that are switched off, or deny nothing"
agent=claude-code
settings "$agent" "$HOOK $agent || exit 2"
for f in "$P/.claude/settings.json" "$P/.claude/settings.local.json"; do
	beside "$f" '{"disableAllHooks":true}' 1 "no hook runs, 'disableAllHooks' is true in .*${f#"$P/"}"
	beside "$f" '{"disableAllHooks":false}' 0
	beside "$f" '{"disableAllHooks":' 1 'cannot be read'
	rm "$f"
done
echo '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","if":"Bash(git *)","command":"'"$HOOK $agent || exit 2"'"}]}]}}' \
	>"$HOME/.claude/settings.json"
doctor "$agent"
want_rc 0
want_out 'note: it is asked only if Bash\(git \*\)'
for more in '"type":"prompt"' '"type":"command","async":true'; do
	echo '{"hooks":{"PreToolUse":[{"hooks":[{'"$more"',"command":"'"$HOOK $agent || exit 2"'"}]}]}}' \
		>"$HOME/.claude/settings.json"
	doctor "$agent"
	want_rc 1
	want_out 'denies nothing'
	want_out 'not installed'
done
settings "$agent" "$HOOK $agent || exit 2"
mkdir -p "$HOME/elsewhere"
mv "$HOME/.claude/settings.json" "$HOME/elsewhere/"
doctor "$agent"
want_out 'not installed'
CLAUDE_CONFIG_DIR=$HOME/elsewhere doctor "$agent"
want_rc 0
want_out "installed in $HOME/elsewhere/settings.json"
mv "$HOME/elsewhere/settings.json" "$HOME/.claude/"

t "doctor: hooks of Gemini CLI that are switched off"
agent=gemini-cli
settings "$agent" "$HOOK $agent || exit 2"
f=$P/.gemini/settings.json
beside "$f" '{}' 0
beside "$f" '{"hooksConfig":{"enabled":false}}' 1 "no hook runs, 'enabled' is false"
beside "$f" '{"hooksConfig":{"enabled":true}}' 0
beside "$f" '{"tools":{"enableHooks":false}}' 1 "no hook runs, 'enableHooks' is false"
beside "$f" '{"hooks":{"enabled":false}}' 1 'no hook runs'
beside "$f" '{"hooksConfig":{"disabled":["polquery"]}}' 1 'it is switched off in .*: polquery'
beside "$f" '{"hooks":{"disabled":["'"$HOOK $agent"' || exit 2"]}}' 1 'it is switched off in'
beside "$f" '{"hooksConfig":{"disabled":["lint"]}}' 0 'note: a hook is switched off in .*: lint'
rm "$f"

t "doctor: config.toml of Codex"
agent=codex
settings "$agent" "$CODEX"
f=$HOME/.codex/config.toml
while IFS='|' read -r rc_wanted pattern text; do
	beside "$f" "$(printf '%b' "$text")" "$rc_wanted" "$pattern"
done <<'ROWS'
0|answers|model = "gpt-5"
0|hooks are switched on|[features]\nhooks = true
1|no hook runs, 'features.hooks' is false|[features]\nhooks = false
1|no hook runs|[features]  # mine\n  hooks=false# off
1|no hook runs|features.hooks = false
1|no hook runs|[ "features" ]\n"codex_hooks" = false
1|no hook runs|[features]\nhooks = false\ncodex_hooks = true
1|undecided, line 1|features = { hooks = false }
1|undecided, line 2|[features]\nhooks = maybe
1|undecided, line 1|hooks = {}
1|undecided, line 1|[hooks."Pre\\x54oolUse"]
1|undecided|note = """\nnever ends
0|answers|[other]\nhooks = false
0|answers|# [features]\n# hooks = false
0|answers|note = """\n[features]\nhooks = false\n"""
0|answers|list = [\n"hooks = false",\n]
0|answers|[hooks.state]\nx = "polquery hook codex"
ROWS
rm -f "$HOME/.codex/hooks.json"
toml='[[hooks.PreToolUse]]\nmatcher = "%s"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = %s\n'
# shellcheck disable=SC2059
{
	beside "$f" "$(printf "$toml" '*' "'$CODEX'")" 0 "installed in .*config.toml \(PreToolUse\)"
	want_out 'note: Codex runs it once it is trusted'
	beside "$f" "$(printf "$toml" '^Bash$' "'$CODEX'")" 0 'for tools only that match \^Bash'
	beside "$f" "$(printf "$toml" '*' "'$HOOK codex'")" 1 'everything is allowed'
	beside "$f" "$(printf "$toml" '*' "'${CODEX/$B/$WORK/none.polb}'")" 1 'does not answer'
	beside "$f" "$(printf "$toml" '*' "\"$HOOK codex \\\\x7c\\\\x7c exit 2\"")" 1 'undecided'
	beside "$f" "$(printf "$toml" '*' "'lint'")" 1 'not installed'
}
CODEX_HOME=$HOME/elsewhere doctor codex
want_out 'not installed'
rm -f "$f"

if is_root; then
	t "doctor: the system's settings"
	# PATH TEXT AGENT
	with_system() {
		out=$(unshare -m bash -c 'mount -t tmpfs none /etc 2>/dev/null || exit 99
			mkdir -p "$(dirname "$1")" && printf "%s\n" "$2" >"$1" && "$3" doctor "$4" 2>&1' bash "$@" 2>&1)
		rc=$?
	}
	settings claude-code "$HOOK claude-code || exit 2"
	m=/etc/claude-code/managed-settings.json
	with_system $m '{}' "$BIN/polquery" claude-code
	if [ "$rc" -eq 99 ]; then
		skip 'hook_doctor: the system' 'no mounts here'
	else
		want_rc 0
		with_system $m '{"disableAllHooks":true}' "$BIN/polquery" claude-code
		want_rc 1
		want_out "'disableAllHooks' is true in $m"
		with_system $m '{"allowManagedHooksOnly":true}' "$BIN/polquery" claude-code
		want_rc 1
		want_out "only hooks of the system's settings run"
		with_system $m '{"allowManagedHooksOnly":true,"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"'"$HOOK claude-code || exit 2"'"}]}]}}' \
			"$BIN/polquery" claude-code
		want_rc 0
		settings codex "$CODEX"
		with_system /etc/codex/requirements.toml 'allow_managed_hooks_only = true' "$BIN/polquery" codex
		want_rc 1
		with_system /etc/codex/requirements.toml "$(printf '[features]\nhooks = false')" "$BIN/polquery" codex
		want_rc 1
		want_out 'no hook runs'
		settings gemini-cli "$HOOK gemini-cli || exit 2"
		with_system /etc/gemini-cli/settings.json '{"hooksConfig":{"enabled":false}}' "$BIN/polquery" gemini-cli
		want_rc 1
	fi
fi
done_
