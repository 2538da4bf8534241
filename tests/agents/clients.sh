# The real agents, without a screen, before a model that is none; sourced by
# tests/run/agents.sh.  In a folder of its own each:
#   work    holds home/ (HOME) and p/ (the project, where they are started)
#   port    of the model, log  what it was asked
#   at      another folder than p in which they are started, or empty
# shellcheck shell=bash disable=SC2034,SC2154

# The environment of the agents: nothing of whoever starts the tests.  A bash without SHLVL
# takes a socket at stdin for a network connection, and reads other files.
clean() {
	env -i SHLVL=1 HOME="$work/home" PATH="$path" LANG=C.UTF-8 TERM=xterm-256color NO_COLOR=1 USER="$(id -un)" "$@"
}

run_claude() { # PROMPT
	clean ANTHROPIC_BASE_URL="http://127.0.0.1:$port" ANTHROPIC_API_KEY=none \
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 \
		timeout 120 "$CLAUDE" -p "$1" --permission-mode "${claude_mode:-acceptEdits}" --allowedTools Bash Read mcp__pol__mark \
		--mcp-config "$work/mcp.json" --strict-mcp-config ${agree:+--permission-prompt-tool mcp__pol__agree}
}
run_gemini() {
	clean GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:$port" GEMINI_API_KEY=none GEMINI_CLI_TRUST_WORKSPACE=true \
		timeout 120 "$GEMINI" -m gemini-2.5-flash --approval-mode yolo -p "$1"
}
run_qwen() { # it needs a newer node than the others
	clean PATH="${NODE_BIN:+$NODE_BIN:}$path" ANTHROPIC_BASE_URL="http://127.0.0.1:$port" ANTHROPIC_API_KEY=none ANTHROPIC_MODEL=x \
		timeout 120 "$QWEN" --auth-type anthropic -m x --approval-mode "${qwen_mode:-yolo}" "$1"
}
run_opencode() { # what it is given as words it puts in quotes
	printf '%s\n' "$1" | clean OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 ${opencode_env:-} \
		timeout 120 "$OPENCODE" run -m "${opencode_model:-anthropic/claude-sonnet-4-5}"
}
run_copilot() { # a model and a key of one's own: it needs no account then
	clean COPILOT_PROVIDER_BASE_URL="http://127.0.0.1:$port${copilot_api:+/v1}" COPILOT_PROVIDER_TYPE="${copilot_api:-anthropic}" \
		COPILOT_PROVIDER_WIRE_API=responses COPILOT_PROVIDER_API_KEY=none COPILOT_MODEL="${copilot_model:-claude-sonnet-4.5}" \
		COPILOT_OFFLINE=true COPILOT_AUTO_UPDATE=false \
		timeout 120 "$COPILOT" -p "$1" --allow-all-tools ${copilot_trust:+--trust-folder} --additional-mcp-config "@$work/mcp.json"
}
run_pi() { # it needs a newer node than the others; its model is in its settings
	clean PATH="${NODE_BIN:+$NODE_BIN:}$path" PI_OFFLINE=1 timeout 120 "$PI" --provider none --model x --tools +codemode ${pi_more:-} -p "$1"
}
run_codex() {
	clean timeout 120 "$CODEX" exec --skip-git-repo-check ${codex_sandbox:---dangerously-bypass-approvals-and-sandbox} "$1"
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
	copilot-cli) echo "CALL bash {\"command\":\"$text\",\"description\":\"x\"}" ;;
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
	printf '{"mcpServers":{"pol":{"command":"/usr/bin/python3","args":["%s"],"env":{"POL_ASKED":"%s"}}}}\n' \
		"$PWD/tests/agents/mcp.py" "$work/asked" >"$work/mcp.json"
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
	printf '"security":{"auth":{"selectedType":"gemini-api-key"}},"mcpServers":{"pol":{"command":"/usr/bin/python3","args":["%s"],"trust":true}}' \
		"$PWD/tests/agents/mcp.py"
}
opencode_base() {
	printf '{"autoupdate":false,"share":"disabled","small_model":"anthropic/claude-sonnet-4-5","provider":{"anthropic":{"options":{"baseURL":"http://127.0.0.1:%s/v1","apiKey":"none"},"models":{"gpt-5":{"name":"x","limit":{"context":100000,"output":1000}}}}},' "$port"
	printf '"mcp":{"pol":{"type":"local","command":["/usr/bin/python3","%s"]}}}\n' "$PWD/tests/agents/mcp.py"
}
pi_base() {
	printf '{"providers":{"none":{"baseUrl":"http://127.0.0.1:%s","api":"anthropic-messages","apiKey":"none","models":[{"id":"x"}]}}}\n' "$port"
}
codex_base() {
	printf 'model = "x"\nmodel_provider = "none"\n[model_providers.none]\nname = "none"\nbase_url = "http://127.0.0.1:%s/v1"\nwire_api = "responses"\n' "$port"
	printf '[mcp_servers.pol]\ncommand = "/usr/bin/python3"\nargs = ["%s"]\n' "$PWD/tests/agents/mcp.py"
}
