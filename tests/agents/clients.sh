# The real agents, without a screen, before a model that is none; sourced by
# tests/run/agents.sh, agents_inside.sh and agents_session.sh.
#   work    a folder of their own; HOME is home/ in it, and p/ is the project, where they are started
#   home, project, mcp_json, asked
#           another HOME, project, configuration of the servers of tools, file of what a person was asked
#   no_servers
#           settings without a server of tools
#   port    of the model, log  what it was asked
#   at      another folder than p in which they are started, or empty
#   who     another user than the one who runs the tests
#   under   what stands before the agent's program: polrun and its options, or nothing
# shellcheck shell=bash disable=SC2034,SC2154
under=()

# The environment of the agents: nothing of whoever starts the tests.  A bash without SHLVL
# takes a socket at stdin for a network connection, and reads other files.
clean() {
	local as=()
	[ "${who:-$(id -un)}" = "$(id -un)" ] || as=(runuser -u "$who" --)
	"${as[@]}" env -i SHLVL=1 HOME="${home:-$work/home}" PATH="$path" LANG=C.UTF-8 TERM=xterm-256color NO_COLOR=1 \
		USER="${who:-$(id -un)}" "$@"
}

run_claude() { # PROMPT
	local mcp=() mcp_json=${mcp_json:-$work/mcp.json}
	[ ! -e "$mcp_json" ] || mcp=(--mcp-config "$mcp_json" --strict-mcp-config ${agree:+--permission-prompt-tool mcp__pol__agree})
	clean ANTHROPIC_BASE_URL="http://127.0.0.1:$port" ANTHROPIC_API_KEY=none \
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 \
		timeout "${seconds:-120}" "${under[@]}" "$CLAUDE" -p "$1" --permission-mode "${claude_mode:-acceptEdits}" \
		--allowedTools Bash Read mcp__pol__mark "${mcp[@]}"
}
run_gemini() {
	clean GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:$port" GEMINI_API_KEY=none GEMINI_CLI_TRUST_WORKSPACE=true \
		timeout "${seconds:-120}" "${under[@]}" "$GEMINI" -m gemini-2.5-flash --approval-mode yolo -p "$1"
}
run_qwen() { # it needs a newer node than the others
	clean PATH="${NODE_BIN:+$NODE_BIN:}$path" ANTHROPIC_BASE_URL="http://127.0.0.1:$port" ANTHROPIC_API_KEY=none ANTHROPIC_MODEL=x \
		timeout "${seconds:-120}" "${under[@]}" "$QWEN" --auth-type anthropic -m x --approval-mode "${qwen_mode:-yolo}" "$1"
}
run_opencode() { # what it is given as words it puts in quotes
	printf '%s\n' "$1" | clean OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 ${opencode_env:-} \
		timeout "${seconds:-120}" "${under[@]}" "$OPENCODE" run -m "${opencode_model:-anthropic/claude-sonnet-4-5}"
}
run_copilot() { # a model and a key of one's own: it needs no account then
	local mcp=() mcp_json=${mcp_json:-$work/mcp.json}
	[ ! -e "$mcp_json" ] || mcp=(--additional-mcp-config "@$mcp_json")
	clean COPILOT_PROVIDER_BASE_URL="http://127.0.0.1:$port${copilot_api:+/v1}" COPILOT_PROVIDER_TYPE="${copilot_api:-anthropic}" \
		COPILOT_PROVIDER_WIRE_API=responses COPILOT_PROVIDER_API_KEY=none COPILOT_MODEL="${copilot_model:-claude-sonnet-4.5}" \
		COPILOT_OFFLINE=true COPILOT_AUTO_UPDATE=false \
		timeout "${seconds:-120}" "${under[@]}" "$COPILOT" -p "$1" --allow-all-tools ${copilot_trust:+--trust-folder} "${mcp[@]}"
}
run_pi() { # it needs a newer node than the others; its model is in its settings
	clean PATH="${NODE_BIN:+$NODE_BIN:}$path" PI_OFFLINE=1 \
		timeout "${seconds:-120}" "${under[@]}" "$PI" --provider none --model x --tools +codemode ${pi_more:-} -p "$1"
}
run_codex() {
	clean ${codex_env:-} timeout "${seconds:-120}" "${under[@]}" "$CODEX" exec --skip-git-repo-check \
		${codex_sandbox:---dangerously-bypass-approvals-and-sandbox} "$1"
}

# The line, in the agent's tool for it.
shell_call() { # AGENT LINE
	local text=${2//\\/\\\\}
	text=${text//\"/\\\"}
	text=${text//$'\n'/\\n}
	case $1 in
	claude-code) echo "CALL Bash {\"command\":\"$text\",\"description\":\"x\"}" ;;
	gemini-cli) echo "CALL run_shell_command {\"command\":\"$text\",\"description\":\"x\"}" ;;
	codex) echo "CALL exec_command {\"cmd\":\"$text\"}" ;;
	copilot-cli | opencode) echo "CALL bash {\"command\":\"$text\",\"description\":\"x\"}" ;;
	qwen-code) echo "CALL run_shell_command {\"command\":\"$text\",\"description\":\"x\",\"is_background\":false}" ;;
	pi) echo "CALL bash {\"command\":\"$text\"}" ;;
	esac
}

# The agent runs the lines, one after the other; prints what the model saw of the last one.
lines() { # AGENT LINE…
	local agent=$1 calls=''
	shift
	for line; do calls+=$(shell_call "$agent" "$line")$'\n'; done
	: >"$log"
	: >"$work/asked"
	(cd "$work/p" && "run_${agent%%-*}" "$calls" >"$work/said" 2>&1 </dev/null)
	sed -n 's/.* result=//p' "$log" | tail -n 1
}

# The agent is told to do WHAT; prints "done" or "held".
does() { # AGENT command|file|mcp|cat|grep|patch|task|subagent
	local call=''
	rm -f "$work/p/ran"
	: >"$log"
	case $1.$2 in
	claude-code.command) call="Bash {\"command\":\"touch $work/p/ran\",\"description\":\"x\"}" ;;
	opencode.command) call="bash {\"command\":\"touch $work/p/ran\",\"description\":\"x\"}" ;;
	opencode.file) call="read {\"filePath\":\"$work/p/secret\"}" ;;
	opencode.mcp) call="pol_mark {\"name\":\"$work/p/ran\"}" ;;
	opencode.patch) call="apply_patch {\"patchText\":\"*** Begin Patch\\n*** Add File: ran\\n+x\\n*** End Patch\"}" ;;
	opencode.task) call="task {\"description\":\"x\",\"prompt\":\"see @secret\",\"subagent_type\":\"general\"}" ;;
	opencode.subagent) call="task {\"description\":\"x\",\"prompt\":\"CALL bash {\\\"command\\\":\\\"touch $work/p/ran\\\"}\",\"subagent_type\":\"general\"}" ;;
	copilot-cli.command) call="bash {\"command\":\"touch $work/p/ran\",\"description\":\"x\"}" ;;
	copilot-cli.file) call="view {\"path\":\"$work/p/secret\"}" ;;
	copilot-cli.mcp) call="pol-mark {\"name\":\"$work/p/ran\"}" ;;
	copilot-cli.patch) call="apply_patch {\"input\":\"*** Begin Patch\\n*** Add File: ran\\n+x\\n*** End Patch\"}" ;;
	copilot-cli.subagent) call="task {\"description\":\"x\",\"prompt\":\"CALL bash {\\\"command\\\":\\\"touch $work/p/ran\\\",\\\"description\\\":\\\"x\\\"}\",\"agent_type\":\"general-purpose\",\"name\":\"n\"}" ;;
	pi.command) call="bash {\"command\":\"touch $work/p/ran\"}" ;;
	pi.file) call="read {\"path\":\"$work/p/secret\"}" ;;
	pi.mcp) call="codemode {\"code\":\"return await tools.mcp__pol__mark({name: \\\"$work/p/ran\\\"})\"}" ;;
	pi.script) call="codemode {\"code\":\"return await tools.bash({command: \\\"touch $work/p/ran\\\"})\"}" ;;
	pi.at) call="read {\"path\":\"@secret\"}" ;;
	qwen-code.command) call="run_shell_command {\"command\":\"touch $work/p/ran\",\"description\":\"x\"}" ;;
	qwen-code.file) call="read_file {\"file_path\":\"$work/p/secret\"}" ;;
	gemini-cli.command) call="run_shell_command {\"command\":\"touch $work/p/ran\",\"description\":\"x\"}" ;;
	codex.command) call="exec_command {\"cmd\":\"touch $work/p/ran\"}" ;;
	claude-code.file) call="Read {\"file_path\":\"$work/p/secret\"}" ;;
	gemini-cli.file) call="read_file {\"file_path\":\"$work/p/secret\"}" ;;
	codex.file) call="view_image {\"path\":\"$work/p/secret.png\"}" ;;
	claude-code.cat) call='Bash {"command":"cat .env","description":"x"}' ;;
	claude-code.grep) call='Bash {"command":"grep -rn SECRET .","description":"x"}' ;;
	claude-code.mcp) call="mcp__pol__mark {\"name\":\"$work/p/ran\"}" ;;
	gemini-cli.mcp) call="mcp_pol_mark {\"name\":\"$work/p/ran\"}" ;;
	codex.mcp) call="mcp__pol/mark {\"name\":\"$work/p/ran\"}" ;;
	esac
	(cd "$work/${at:-p}" && "run_${1%%-*}" "CALL $call" >"$work/said" 2>&1 </dev/null)
	if [[ $2 =~ ^(file|cat|grep|at)$ ]]; then
		grep -qE 'result=.*(TOPSECRET|data:image/png)' "$log" && echo "done" && return
	elif [ -e "$work/p/ran" ]; then
		echo "done" && return
	fi
	# the model has seen that the tool was used, and what became of it
	grep -qE 'result=[^N]' "$log" && echo held && return
	echo "nothing: $(tail -3 "$work/said")"
}

servers_config() { # MCP.PY ASKED
	printf '{"mcpServers":{"pol":{"command":"/usr/bin/python3","args":["%s"],"env":{"POL_ASKED":"%s","POL_NO":"out/three"}}}}\n' "$1" "$2"
}
# What they need beside the hook, in HOME.
prepare() {
	mkdir -p "$work/home/.claude" "$work/home/.codex" "$work/home/.gemini" "$work/p"
	(cd "$work/p" && git init -q .) || return
	echo TOPSECRET >"$work/p/secret"
	python3 - "$work/p/secret.png" <<-'PY'
		import struct, sys, zlib
		def chunk(kind, data):
		    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
		with open(sys.argv[1], "wb") as f:
		    f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)) +
		            chunk(b"IDAT", zlib.compress(b"\0\0\0\0")) + chunk(b"IEND", b""))
	PY
	servers_config "$PWD/tests/agents/mcp.py" "$work/asked" >"$work/mcp.json"
	: >"$log"
	python3 tests/agents/model.py "$work/port" "$log" >"$work/model" 2>&1 &
	model=$!
	for _ in $(seq 100); do
		[ -s "$work/port" ] && port=$(<"$work/port") && return
		sleep 0.1
	done
	return 1
}

# The settings that are no hook: the model, its server, the server of tools.
gemini_base() {
	printf '"security":{"auth":{"selectedType":"gemini-api-key"}}'
	[ -n "${no_servers:-}" ] || printf ',"mcpServers":{"pol":{"command":"/usr/bin/python3","args":["%s"],"trust":true}}' \
		"$PWD/tests/agents/mcp.py"
}
opencode_base() {
	printf '{"autoupdate":false,"share":"disabled","small_model":"anthropic/claude-sonnet-4-5","provider":{"anthropic":{"options":{"baseURL":"http://127.0.0.1:%s/v1","apiKey":"none"},"models":{"gpt-5":{"name":"x","limit":{"context":100000,"output":1000}}}}},' "$port"
	printf '"mcp":{%s}}\n' "$([ -n "${no_servers:-}" ] || printf '"pol":{"type":"local","command":["/usr/bin/python3","%s"]}' "$PWD/tests/agents/mcp.py")"
}
pi_base() {
	printf '{"providers":{"none":{"baseUrl":"http://127.0.0.1:%s","api":"anthropic-messages","apiKey":"none","models":[{"id":"x"}]}}}\n' "$port"
}
codex_base() {
	printf 'model = "%s"\nmodel_provider = "none"\n[model_providers.none]\nname = "none"\nbase_url = "http://127.0.0.1:%s/v1"\nwire_api = "responses"\n' "${codex_model:-x}" "$port"
	[ -n "${no_servers:-}" ] || printf '[mcp_servers.pol]\ncommand = "/usr/bin/python3"\nargs = ["%s"]\n' "$PWD/tests/agents/mcp.py"
}

# --- sessions (session.py) -----------------------------------------------------------------------

all_agents=(claude-code codex gemini-cli qwen-code opencode copilot-cli pi)
# Where npm has put the programs.
programs_in() { # NODE_MODULES
	: "${CLAUDE:=$1/.bin/claude}" "${CODEX:=$1/.bin/codex}" "${GEMINI:=$1/.bin/gemini}" "${QWEN:=$1/.bin/qwen}" \
		"${OPENCODE:=$1/.bin/opencode}" "${COPILOT:=$1/.bin/copilot}" "${PI:=$1/.bin/pi}" "${NODE_BIN:=$1/node/bin}"
	[ -x "$NODE_BIN/node" ] || NODE_BIN=
}
program_of() { # AGENT
	local name=${1%%-*}
	name=${name^^}
	echo "${!name}"
}
# The agent's settings but for the hook, in a new HOME.
settle() { # AGENT
	local at=${home:-$work/home}
	mkdir -p "$at/.claude" "$at/.codex" "$at/.gemini" "$at/.qwen" "$at/.copilot" "$at/.config/opencode" "$at/.pi/agent"
	case $1 in
	gemini-cli) printf '{%s}\n' "$(gemini_base)" >"$at/.gemini/settings.json" ;;
	codex) codex_base >"$at/.codex/config.toml" ;;
	opencode)
		opencode_base >"$at/.config/opencode/opencode.json"
		# it looks for packages at each start, and loads plugins when it has not got them
		printf 'registry=http://127.0.0.1:1/\nfetch-retries=0\n' >"$at/.npmrc"
		;;
	pi) pi_base >"$at/.pi/agent/models.json" ;;
	esac
}
# The hook, as a person installs it; Codex has to be told to trust it.
hook_in() { # AGENT OPTION BUNDLE
	clean "$BUILD/bin/polquery" install "$1" "$2" "$3" --yes >"$work/installed" 2>&1
	[ "$1" != codex ] || trust_codex ''
}
# KEY HASH STATUS of each hook of Codex, as the real one sees them
listed() {
	clean python3 - "$CODEX" "${project:-$work/p}" <<-'PY'
		import json, subprocess, sys
		p = subprocess.Popen([sys.argv[1], "app-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
		                     stderr=subprocess.DEVNULL, text=True)
		for m in ({"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "t", "version": "1"}}},
		          {"method": "initialized"}, {"id": 2, "method": "hooks/list", "params": {"cwds": [sys.argv[2]]}}):
		    p.stdin.write(json.dumps(m) + "\n")
		    p.stdin.flush()
		for text in p.stdout:
		    answer = json.loads(text)
		    if answer.get("id") == 2:
		        break
		p.kill()
		for entry in answer["result"]["data"]:
		    for h in entry["hooks"]:
		        status = h["trustStatus"] if h["enabled"] else "disabled"
		        print(h["key"], h["currentHash"], status)
	PY
}
trust_codex() { # MORE: as Codex itself writes it down
	local key hash rest to=${home:-$work/home}/.codex/config.toml
	sed -i '/^\[hooks\.state/,$d' "$to"
	read -r key hash rest < <(listed)
	printf '[hooks.state."%s"]\ntrusted_hash = "%s"\n%b' "$key" "$hash" "${1:-}" >>"$to"
}
# The policy of a session: what a user of this agent would write.
session_policy() { # AGENT FILE: writes FILE.pol and FILE.polb
	cat >"$2.pol" <<-POL
		policy session { level user }
		use std/dev/project, std/agent/$1
		command {
		    allow "python3 **", "git add:*", "git commit:*"
		    deny  "curl:*"  because "use the tool that fetches"  as no-raw-http
		    ask   "mv:*"  because "moves what others look for"  as moving
		}
		file { deny read "\${PROJECT_DIR}/keys.txt"  because "keys stay where they are"  as secret }
		tools { allow "grep_search", "grep", "rg", "Grep" }
	POL
	"$BUILD/bin/polc" compile "$2.pol" -o "$2.polb" >"$work/compiled" 2>&1 && chmod 0600 "$2.polb" || { cat "$work/compiled"; return 1; }
}
# The session in a new project; its log is kept as NAME.
session() { # AGENT NAME
	local agent=$1 in=${project:-$work/p} calls
	rm -rf "$in"
	python3 tests/agents/session.py project "$in" || return
	: >"$log"
	: >"${asked:-$work/asked}"
	[ "${who:-$(id -un)}" = "$(id -un)" ] || chown -R "$who" "$in"
	calls=$(python3 tests/agents/session.py calls "$agent" "$in")
	(cd "$in" && "run_${agent%%-*}" "$calls" >"$work/said.$2" 2>&1 </dev/null)
	cp "$log" "$work/session.$2"
	cp "${asked:-$work/asked}" "$work/asked.$2"
	python3 tests/agents/session.py made "$in" >"$work/made.$2"
}
session_checks() { # AGENT MODE
	local word rest
	while read -r word rest; do
		case $word in
		ok) count_check "$1: $2: $rest" '' ;;
		FAIL) count_check "$1: $2: $rest" "$(tail -n 3 "$work/said.$2")" ;;
		*) echo "$word $rest" ;;
		esac
	done < <(python3 tests/agents/session.py check "$1" "$2" "$work")
}
