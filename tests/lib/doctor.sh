# Settings of the agents with the hook of doc/agents.md in them, and what the doctor
# says of them; sourced by live tests.
#   B      the bundle; Q, HOOK the line's beginning; CODEX all of Codex's
#   agent  the agent of beside()
# shellcheck shell=bash disable=SC2034,SC2154
raw_policy 'policy agent { level user }
command { allow "npm run test:*" }' policy
B=$WORK/policy.polb
mkdir -p "$P/.git"
Q="/usr/bin/timeout 20 $BIN/polquery"
HOOK="$Q -b $B hook"
CODEX="echo polquery: no answer >&2; $HOOK codex || exit 2"

doctor() {
	out=$("$BIN/polquery" doctor "$@" 2>&1)
	rc=$?
}
# FILE COMMAND [MATCHER]: what Codex writes into config.toml when it is told to trust it
trust() {
	python3 - "$@" <<-'EOP'
		import hashlib, json, sys
		hook = {"event_name": "pre_tool_use", "hooks": [
		    {"type": "command", "command": json.loads('"' + sys.argv[2] + '"'), "async": False, "timeout": 600}]}
		if len(sys.argv) > 3:
		    hook["matcher"] = sys.argv[3]
		text = json.dumps(hook, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
		print(f'[hooks.state."{sys.argv[1]}:pre_tool_use:0:0"]\ntrusted_hash = "sha256:{hashlib.sha256(text.encode()).hexdigest()}"')
	EOP
}
settings() { # AGENT COMMAND
	local group='[{"matcher":"*","hooks":[{"type":"command","command":"'$2'"}]}]'
	case $1 in
	claude-code) echo '{"hooks":{"PreToolUse":'"$group"'}}' >"$HOME/.claude/settings.json" ;;
	codex)
		echo '{"hooks":{"PreToolUse":'"$group"'}}' >"$HOME/.codex/hooks.json"
		trust "$HOME/.codex/hooks.json" "$2" '*' >"$HOME/.codex/config.toml"
		;;
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
# FILE TEXT [RC [PATTERN]]: beside an installed hook
beside() {
	mkdir -p "$(dirname "$1")"
	printf '%s\n' "$2" >"$1"
	doctor "$agent"
	want_rc "${3:-1}"
	[ -z "${4:-}" ] || want_out "$4"
}
