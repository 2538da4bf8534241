#!/usr/bin/env bash
# polquery doctor: whether the hook is installed in an agent's settings, answers and
# fails closed; what switches it off in these and other files.
# week: once a week, as root and as a user in turn
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=tests/lib/doctor.sh
. "$(dirname "$0")/../lib/doctor.sh"

t "doctor: installed, answering, failing closed; and each of these missing"
rm -rf "$HOME/.claude" "$HOME/.codex" "$HOME/.gemini" "$HOME/.cursor"
doctor
want_rc 1
want_out 'no agent has the hook installed'
doctor claude-code
want_rc 1
want_out '^claude-code: not installed'
mkdir -p "$HOME/.claude" "$HOME/.codex" "$HOME/.gemini" "$HOME/.cursor"
for agent in claude-code codex gemini-cli cursor; do
	command="$HOOK $agent || { echo none >&2; exit 2; }"
	[ "$agent" != codex ] || command=$CODEX
	settings "$agent" "$command"
	doctor "$agent"
	want_rc 0
	want_out "^$agent: installed in .*\n?"
	for what in "the command 'true'" 'reading a file' 'a tool' 'a tool of an MCP server'; do
		want_out "answers: $what is"
	done
	want_out 'denies: what must be denied is denied'
	settings "$agent" "${command/"$B"/"$WORK/none.polb"}"
	doctor "$agent"
	want_rc 1
	want_out 'does not answer, and denies everything'
	no_out 'denies:'
	settings "$agent" "$Q -b $B hook other || { echo none >&2; exit 2; }"
	doctor "$agent"
	want_rc 1
	want_out 'not installed'
done
settings claude-code "$Q -b $B hook claude-code"
doctor claude-code
want_rc 1
want_out 'everything is allowed'
for text in '{' '[]' '{"hooks":[]}' '{"hooks":{"PreToolUse":{}}}' '{"hooks":{"PreToolUse":[1,{"hooks":[2,{"command":3}]}]}}' ''; do
	echo "$text" >"$HOME/.claude/settings.json"
	doctor claude-code
	want_rc 1
done

t "doctor: says so if the agent runs commands in zsh, which are judged as bash reads them"
settings claude-code "$HOOK claude-code || { echo none >&2; exit 2; }"
cp /bin/true "$WORK/zsh"
cp /bin/true "$WORK/bash"
# CLAUDE_CODE_SHELL SHELL: what the agent takes
while read -r first second taken; do
	CLAUDE_CODE_SHELL=$WORK/$first SHELL=$WORK/$second doctor claude-code
	want_rc 0
	if [ "$taken" = zsh ]; then
		want_out 'note: its commands run in zsh'
	else
		no_out 'zsh'
	fi
done <<'ROWS'
none zsh zsh
none bash bash
bash zsh bash
zsh bash zsh
ROWS

t "doctor: the command is read as its shell and polquery read it"
agent=claude-code
mkdir -p "$HOME/my policies"
cp "$B" "$HOME/my policies/a.polb"
while IFS='|' read -r rc_wanted pattern text; do
	text=${text//@B/$B} text=${text//@Q/$Q}
	settings "$agent" "${text//\"/\\\"} || { echo none >&2; exit 2; }"
	doctor "$agent"
	want_rc "$rc_wanted"
	want_out "$pattern"
done <<'ROWS'
0|answers|@Q -b"@B" hook claude-code
0|answers|@Q --bundle=@B --scope host hook claude-code
1|lets the agent write its own settings|@Q --bundle=@B --scope sandbox hook claude-code
0|answers|@Q -b "$HOME/my policies/a.polb" hook claude-code
0|answers|@Q -b ~/'my policies'/a.polb hook claude-code
0|answers|@Q -b ${HOME}/my\\ policies/a.polb hook claude-code tool_note
1|cannot tell whether it denies|umask 077; @Q -b @B hook claude-code
1|cannot tell whether it denies|exit 0; @Q -b @B hook claude-code
1|cannot tell whether it denies|true || @Q -b @B hook claude-code
1|cannot tell whether it denies|@Q -b @B hook claude-code >/dev/null
1|cannot tell whether it denies|PATH=/x @Q -b @B hook claude-code
1|everything is allowed|@Q -b @B hook claude-code || true # || exit 2
1|everything is allowed|@Q -b @B hook claude-code | cat
1|everything is allowed|@Q -b @B hook claude-code || exit 0; true
1|cannot tell .* sh cannot read it|@Q -b @B hook claude-code ||
1|does not answer.* signed|@Q -b @B --require-signed hook claude-code
1|cannot tell .* directory that is not known|@Q -b policy.polb hook claude-code
1|cannot tell .* directory that is not known|@Q -b @B --allowed-signers s hook claude-code
1|cannot tell .* known only when it runs|@Q -b $HOMES/a.polb hook claude-code
1|cannot tell .* known only when it runs|@Q -b $POLICY hook claude-code
1|cannot tell what the agent puts in place|@Q -b '/x$POLICY' hook claude-code
1|cannot tell what the agent puts in place|@Q -b '/x$HOMES' hook claude-code
1|cannot tell .* unknown option '--bundel'|@Q --bundel @B hook claude-code
1|cannot tell .* neither 'host' nor 'sandbox'|@Q -b @B --scope all hook claude-code
1|cannot tell .* does not start polquery itself|wrap @Q -b @B hook claude-code
1|cannot tell .* sh cannot read it|if @Q -b @B hook claude-code
1|cannot tell .* none of the agents|@Q -b @B hook claude -- hook claude-code
1|cannot tell .* not call 'polquery hook'|@Q -b @B; echo hook claude-code
ROWS
t "doctor: a program without a path is whoever's PATH says"
while IFS='|' read -r rc_wanted pattern text; do
	text=${text//@/$BIN/polquery -b $B hook $agent}
	settings "$agent" "$text || { echo none >&2; exit 2; }"
	doctor "$agent"
	want_rc "$rc_wanted"
	want_out "$pattern"
done <<ROWS
0|answers|/usr/bin/timeout 20 @
1|absolute path of timeout|timeout 20 @
1|absolute path of polquery|/usr/bin/timeout 20 polquery -b $B hook $agent
1|absolute path of polquery|/usr/bin/timeout 20 bin/polquery -b $B hook $agent
1|is not there, so that everything is denied|/usr/bin/timeout 20 /none/polquery -b $B hook $agent
ROWS
cp /bin/true "$WORK/polquery"
settings "$agent" "/usr/bin/timeout 20 $WORK/polquery -b $B hook $agent || { echo none >&2; exit 2; }"
doctor "$agent"
want_rc 1
want_out 'cannot tell what another polquery answers'
settings "$agent" "$HOOK $agent || { echo none >&2; exit 2; }"
for name in PATH LD_PRELOAD HOME BASH_ENV CLAUDE_CODE_SIMPLE CLAUDE_CODE_SHELL_PREFIX CLAUDE_CONFIG_DIR TMPDIR GCONV_PATH; do
	for f in "$P/.claude/settings.json" "$P/.claude/settings.local.json"; do
		mkdir -p "$P/.claude"
		echo '{"env":{"'$name'":"/x","EDITOR":"vi"}}' >"$f"
		doctor "$agent"
		want_rc 1
		want_out "with what 'env' of .*${f#"$P/"} says of $name"
		no_out EDITOR
		echo '{"env":{"EDITOR":"vi"}}' >"$f"
		doctor "$agent"
		want_rc 0
		rm "$f"
	done
done
sed -i 's/^{/{"env":{"PATH":"\/x"},/' "$HOME/.claude/settings.json"
doctor "$agent"
want_rc 0
want_out "note: absolute paths do not mind: the hook runs with what 'env' of .* says of PATH"
for name in LD_PRELOAD HOME BASH_ENV CLAUDE_CODE_SIMPLE CLAUDE_CODE_SHELL_PREFIX; do
	settings "$agent" "$HOOK $agent || { echo none >&2; exit 2; }"
	sed -i 's/^{/{"env":{"'$name'":"\/x"},/' "$HOME/.claude/settings.json"
	doctor "$agent"
	want_rc 1
	want_out "cannot tell: the hook runs with what 'env' of .* says of $name"
done
settings "$agent" "$HOOK $agent || { echo none >&2; exit 2; }"
for name in CLAUDE_CODE_SIMPLE CLAUDE_CODE_SAFE_MODE CLAUDE_CODE_SHELL_PREFIX; do
	out=$(env "$name=1" "$BIN/polquery" doctor "$agent")
	rc=$?
	want_rc 1
	want_out "by a variable of this environment: $name"
done

t "doctor: a hook that is late is no hook"
while IFS='|' read -r agent rc_wanted pattern text; do
	head='' && [ "$agent" != codex ] || head='echo x >&2; '
	settings "$agent" "$head${text//@/$BIN/polquery -b $B hook $agent} || { echo none >&2; exit 2; }"
	doctor "$agent"
	want_rc "$rc_wanted"
	want_out "$pattern"
done <<'ROWS'
claude-code|0|answers|/usr/bin/timeout 20 @
claude-code|0|answers|/usr/bin/timeout -k 5 20s @
claude-code|1|takes too long|@
claude-code|1|takes too long.*waits 60 s, its 'timeout' 60 s|/usr/bin/timeout 1m @
claude-code|1|takes too long.*'timeout' 61 s|/usr/bin/timeout -k 1 60 @
claude-code|1|does not start polquery itself|/usr/bin/timeout 0 @
claude-code|1|does not start polquery itself|/usr/bin/timeout 20h @
claude-code|1|does not start polquery itself|/usr/bin/timeout -s 0 20 @
claude-code|1|does not start polquery itself|/usr/bin/timeout --preserve-status 20 @
claude-code|1|does not start polquery itself|/usr/bin/timeout $N @
codex|0|answers|/usr/bin/timeout 20 @
codex|1|takes too long|@
gemini-cli|1|takes too long|@
gemini-cli|0|answers|/usr/bin/timeout 20 @
cursor|0|answers|@
ROWS
limit() { # AGENT NUMBER RC
	settings "$1" "$HOOK $1 || { echo none >&2; exit 2; }"
	sed -i 's/"type":"command"/"type":"command","timeout":'"$2"'/' "$HOME"/.{claude,gemini}/settings.json
	doctor "$1"
	want_rc "$3"
}
settings claude-code "$HOOK claude-code || { echo none >&2; exit 2; }"
settings gemini-cli "$HOOK gemini-cli || { echo none >&2; exit 2; }"
limit claude-code 21 0
limit claude-code 20 1
limit claude-code 5 1
limit gemini-cli 21000 0
limit gemini-cli 5000 1
# a timer that the agents cannot set, and values that they do not take
limit claude-code 2147483 0
limit claude-code 2147484 1
limit claude-code 0 1
limit claude-code -30 1
limit claude-code '"30"' 1
limit gemini-cli 2147483000 0
limit gemini-cli 2147484000 1
limit gemini-cli 0 1

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
0|claude-code|@ || { echo no answer >&2; exit 2; }
0|codex|@ || { echo no answer >&2; exit 2; }
0|gemini-cli|@ || { echo no answer >&2; exit 2; }
1|gemini-cli|@ || exit 2
1|gemini-cli|@ || { exit 2; }
1|gemini-cli|@ || { echo >&2; exit 2; }
1|gemini-cli|@ || { echo x >&2; exit 2; } || true
1|gemini-cli|@ || { echo x >&2; exit 0; }
1|cursor|@ || true
ROWS
rm -rf "$HOME/.codex/hooks.json" "$HOME/.cursor/hooks.json"
agent=claude-code
both() { # SECOND COMMAND
	printf '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"%s || exit 2"},{"type":"command","command":"%s || exit 2"}]}]}}\n' \
		"$HOOK $agent" "$1" >"$HOME/.claude/settings.json"
	doctor "$agent"
}
both "$HOOK $agent"
want_rc 0
both "$Q -b $WORK/none.polb hook $agent"
want_rc 1
want_out 'answers'
want_out 'does not answer'
for option in "-b $B" --require-signed '--scope host' '--allowed-signers /s'; do
	# shellcheck disable=SC2086
	out=$("$BIN/polquery" $option doctor 2>&1)
	rc=$?
	want_rc 2
	want_out "'doctor' takes no options but --format"
done

t "doctor: hooks of Claude Code that are switched off, or deny nothing"
agent=claude-code
settings "$agent" "$HOOK $agent || { echo none >&2; exit 2; }"
for f in "$P/.claude/settings.json" "$P/.claude/settings.local.json"; do
	beside "$f" '{"disableAllHooks":true}' 1 "no hook runs, 'disableAllHooks' is true in .*${f#"$P/"}"
	beside "$f" '{"disableAllHooks":false}' 0
	beside "$f" '{"disableAllHooks":' 1 'cannot be read'
	rm "$f"
done
echo '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","if":"Bash(git *)","command":"'"$HOOK $agent || exit 2"'"}]}]}}' \
	>"$HOME/.claude/settings.json"
doctor "$agent"
want_rc 1
want_out 'note: it is asked only if Bash\(git \*\)'
want_out 'what it is not asked about is not checked: .* at PreToolUse'
for more in '"type":"prompt"' '"type":"command","async":true'; do
	echo '{"hooks":{"PreToolUse":[{"hooks":[{'"$more"',"command":"'"$HOOK $agent || exit 2"'"}]}]}}' \
		>"$HOME/.claude/settings.json"
	doctor "$agent"
	want_rc 1
	want_out 'denies nothing'
	want_out 'not installed'
done
settings "$agent" "$HOOK $agent || { echo none >&2; exit 2; }"
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
settings "$agent" "$HOOK $agent || { echo none >&2; exit 2; }"
f=$P/.gemini/settings.json
beside "$f" '{}' 0
beside "$f" '{"hooksConfig":{"enabled":false}}' 1 "no hook runs, 'enabled' is false"
beside "$f" '{"hooksConfig":{"enabled":true}}' 0
beside "$f" '{"tools":{"enableHooks":false}}' 1 "no hook runs, 'enableHooks' is false"
beside "$f" '{"hooks":{"enabled":false}}' 1 'no hook runs'
beside "$f" '{"hooksConfig":{"disabled":["polquery"]}}' 1 'it is switched off in .*: polquery'
beside "$f" '{"hooks":{"disabled":["'"$HOOK $agent"' || exit 2"]}}' 1 'it is switched off in'
beside "$f" '{"hooksConfig":{"disabled":["lint"]}}' 0 'note: a hook is switched off in .*: lint'
sed -i 's/"type"/"name":"guard","type"/' "$HOME/.gemini/settings.json"
beside "$f" '{"hooksConfig":{"disabled":["guard"]}}' 1 "it has another name than 'polquery'"
beside "$f" '{}' 0
settings "$agent" "$HOOK $agent || { echo none >&2; exit 2; }"
sed -i 's/"type"/"name":"my polquery","type"/' "$HOME/.gemini/settings.json"
beside "$f" '{"hooksConfig":{"disabled":["lint"]}}' 0
beside "$f" '{"hooksConfig":{"disabled":"my polquery"}}' 1 "cannot tell which hooks 'disabled'"
rm "$f"

t "doctor: config.toml of Codex"
agent=codex
settings "$agent" "$CODEX"
f=$HOME/.codex/config.toml
trusted=$(trust "$HOME/.codex/hooks.json" "$CODEX" '*')
while IFS='|' read -r rc_wanted pattern text; do
	beside "$f" "$(printf '%b\n%s' "$text" "$trusted")" "$rc_wanted" "$pattern"
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
1|undecided, line 2|[features.hooks]\nenabled = false
1|undecided, line 1|features.codex_hooks.enabled = false
1|undecided, line 2|[profiles.x.features]\nhooks = false
0|answers|[profiles.x]\nmodel = "gpt-5"
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
in_toml() { # MATCHER COMMAND AS-TRUSTED
	# shellcheck disable=SC2059
	printf "$toml" "$1" "$2"
	trust "$f" "$3" "$1"
}
{
	beside "$f" "$(in_toml '*' "'$CODEX'" "$CODEX")" 0 "installed in .*config.toml \(PreToolUse\)"
	beside "$f" "$(in_toml '^Bash$' "'$CODEX'" "$CODEX")" 1 'for tools only that match \^Bash'
	beside "$f" "$(in_toml '*' "'$HOOK codex'" "$HOOK codex")" 1 'everything is allowed'
	beside "$f" "$(in_toml '*' "'${CODEX/$B/$WORK/none.polb}'" "${CODEX/$B/$WORK/none.polb}")" 1 'does not answer'
	beside "$f" "$(in_toml '*' "\"$HOOK codex \\\\x7c\\\\x7c exit 2\"" x)" 1 'undecided'
	beside "$f" "$(in_toml '*' "'lint'" "lint")" 1 'not installed'
}
t "doctor: Codex runs a hook only as it was trusted"
settings codex "$CODEX"
key=$HOME/.codex/hooks.json:pre_tool_use:0:0
hash=$(sed -n 's/^trusted_hash = "\(.*\)"/\1/p' "$f")
state() { # TEXT RC PATTERN
	beside "$f" "$(printf '%b' "$1")" "$2" "$3"
}
state "[hooks.state.\"$key\"]\ntrusted_hash = \"$hash\"" 0 answers
state "[hooks.state.\"$key\"]\ntrusted_hash = \"$hash\"\nenabled = true" 0 answers
state "[hooks.state.\"$key\"]\nenabled = false\ntrusted_hash = \"$hash\"" 1 'is switched off in'
state "" 1 'does not trust it, and skips it in silence'
state "[hooks.state.\"$key\"]\nenabled = true" 1 'does not trust it'
state "[hooks.state.\"${key%0}1\"]\ntrusted_hash = \"$hash\"" 1 'does not trust it'
state "[hooks.state.\"/other/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = \"$hash\"" 1 'does not trust it'
state "[hooks.state.\"$key\"]\ntrusted_hash = \"sha256:00\"" 1 'was changed since'
state "[hooks.state]\n\"$key\" = { trusted_hash = \"$hash\" }" 1 'cannot tell whether Codex trusts it'
state "[hooks.state.\"$key\"]\ntrusted_hash = \"\\\\u0073\"" 1 'cannot tell whether Codex trusts it'
state "hooks.state = { x = 1 }" 1 'undecided, line 1'
rm "$f"
beside "$P/.codex/config.toml" "[hooks.state.\"$key\"]
trusted_hash = \"$hash\"" 1 'does not trust it'
rm -r "$P/.codex"
# a project's own files up to its root, from a directory below
state "[hooks.state.\"$key\"]\ntrusted_hash = \"$hash\"" 0 answers
mkdir -p "$P/sub/deep" "$P/.codex"
printf '[features]\nhooks = false\n' >"$P/.codex/config.toml"
cd "$P/sub/deep" || exit 1
doctor codex
want_rc 1
want_out "no hook runs, 'features.hooks' is false in $P/.codex/config.toml"
mkdir "$P/sub/.git"
doctor codex
want_rc 0
rm -r "$P/sub" "$P/.codex"
cd "$P" || exit 1
# any edit of the line: a blank, a limit, a matcher, a text; what has no meaning is none
state "[hooks.state.\"$key\"]\ntrusted_hash = \"$hash\"" 0 answers
edited() { # SED-SCRIPT RC PATTERN
	settings codex "$CODEX"
	sed -i "$1" "$HOME/.codex/hooks.json"
	state "[hooks.state.\"$key\"]\ntrusted_hash = \"$hash\"" "$2" "$3"
}
edited 's/x/x/' 0 answers
edited 's/ || exit/  || exit/' 1 'was changed since'
edited 's/"type"/"timeout":60,"type"/' 1 'was changed since'
edited 's/"type"/"timeout":600,"type"/' 0 answers
edited 's/"type"/"statusMessage":"asking","type"/' 1 'was changed since'
edited 's/"matcher":"\*",//' 1 'was changed since'
edited 's/"type"/"other":1,"type"/' 1 'cannot tell whether Codex trusts it'
edited 's/\[{"matcher/[{"hooks":[]},{"matcher/' 1 'does not trust it.*:1:0$'
rm -f "$HOME/.codex/hooks.json" "$f"
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
	settings claude-code "$HOOK claude-code || { echo none >&2; exit 2; }"
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
		with_system /etc/claude-code/managed-settings.d/10.json '{"disableAllHooks":true}' "$BIN/polquery" claude-code
		want_rc 1
		want_out "'disableAllHooks' is true in /etc/claude-code/managed-settings.d/10.json"
		for text in true '["skills","hooks"]'; do
			with_system $m '{"strictPluginOnlyCustomization":'"$text"'}' "$BIN/polquery" claude-code
			want_rc 1
			want_out "only hooks of the system's settings run"
		done
		with_system $m '{"strictPluginOnlyCustomization":["skills"]}' "$BIN/polquery" claude-code
		want_rc 0
		with_system $m '{"policyHelper":{"path":"/x"}}' "$BIN/polquery" claude-code
		want_rc 1
		want_out "cannot tell what a program"
		with_system $m '{"allowManagedHooksOnly":true,"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"'"$HOOK claude-code || exit 2"'"}]}]}}' \
			"$BIN/polquery" claude-code
		want_rc 0
		settings codex "$CODEX"
		with_system /etc/codex/requirements.toml 'allow_managed_hooks_only = true' "$BIN/polquery" codex
		want_rc 1
		with_system /etc/codex/requirements.toml "$(printf '[features]\nhooks = false')" "$BIN/polquery" codex
		want_rc 1
		want_out 'no hook runs'
		settings gemini-cli "$HOOK gemini-cli || { echo none >&2; exit 2; }"
		with_system /etc/gemini-cli/settings.json '{"hooksConfig":{"enabled":false}}' "$BIN/polquery" gemini-cli
		want_rc 1
	fi
fi
done_
