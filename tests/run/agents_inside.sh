#!/usr/bin/env bash
# Real agents inside of polrun, each under the library's policy for its program
# (std/agent/program): it starts, finds its settings and key, and does what the model asks for;
# what later runs outside of the sandbox stays as it is, and so does HOME.  The model is
# tests/agents/model.py on the host's loopback, which the policy names: the answers stream
# through the egress gateway.  Beside each run the same one without polrun, where all that is refused inside succeeds.
# And a session of each (session.py), with the hook in its settings: what is ordinary has the same result as outside.
#   BUILD=FOLDER AGENTS=FOLDER tests/run/agents_inside.sh [AGENT]...
#       (AGENTS: where npm has put them; `./dev agents` does.  NO_SESSION=1: without the sessions)
# As root it runs as the ordinary user of the live tests, too (with POL_SLICE as one of them).  Those that are not there are
# skipped.  Last line: N passed, N failed, N skipped.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/user.sh
. tests/agents/clients.sh
: "${BUILD:=$PWD/build/dev}" "${AGENTS:=$PWD/build/agents}"
user=${POL_TEST_USER:-poltest}
[ $# -gt 0 ] || set -- "${all_agents[@]}"
work=$(mktemp -d /var/tmp/pol-inside.XXXXXX) || exit 1
work=$(cd "$work" && pwd -P)
model=''
trap '[ -z "$model" ] || kill "$model"; rm -rf --one-file-system "${work:?}"' EXIT
chmod 0755 "$work"
# Installed where every user can read it.
mkdir -p "$work/pol/bin" "$work/pol/share/pol"
cp "$BUILD"/bin/pol* "$work/pol/bin/" && cp -r stdlib-policies tests/agents/mcp.py "$work/pol/share/pol/" || exit 1
chmod -R go+rX,go-w "$work/pol"
log=$work/log
: >"$log"
python3 tests/agents/model.py "$work/port" "$log" >"$work/model" 2>&1 &
model=$!
for _ in $(seq 100); do
	[ ! -s "$work/port" ] || break
	sleep 0.1
done
port=$(<"$work/port")
to_model="network limited { allow tcp \"localhost\" port $port within 127.0.0.0/8 }"

# --- the programs, each in a place of those that a user has --------------------------------------

CLAUDE=claude CODEX=codex GEMINI=gemini QWEN=qwen OPENCODE=opencode COPILOT=copilot PI=pi NODE_BIN=''
codex_env=OPENAI_API_KEY=none no_servers=1
have() { # AGENT
	case $1 in
	claude-code) [ -x "$AGENTS/node_modules/@anthropic-ai/claude-code/bin/claude.exe" ] ;;
	codex) [ -e "$AGENTS/node_modules/@openai/codex/bin/codex.js" ] ;;
	gemini-cli) [ -e "$AGENTS/node_modules/@google/gemini-cli/bundle/gemini.js" ] ;;
	qwen-code) [ -e "$AGENTS/node_modules/@qwen-code/qwen-code/cli-entry.js" ] && [ -x "$AGENTS/node_modules/node/bin/node" ] ;;
	opencode) [ -x "$AGENTS/node_modules/opencode-ai/bin/opencode.exe" ] ;;
	copilot-cli) [ -e "$AGENTS/node_modules/@github/copilot/npm-loader.js" ] ;;
	pi) [ -e "$AGENTS/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js" ] && [ -x "$AGENTS/node_modules/node/bin/node" ] ;;
	*) echo "no agent '$1'" >&2; exit 2 ;;
	esac
}
# FROM TO: links where it can, because they are large
put() { cp -al "$1" "$2" 2>/dev/null || { rm -rf "$2" && cp -a "$1" "$2"; }; }
install_in() { # HOME AGENT
	mkdir -p "$1/.local/bin"
	case $2 in
	claude-code) # its own installer
		mkdir -p "$1/.local/share/claude/versions"
		put "$AGENTS/node_modules/@anthropic-ai/claude-code/bin/claude.exe" "$1/.local/share/claude/versions/2.1"
		ln -s "$1/.local/share/claude/versions/2.1" "$1/.local/bin/claude"
		;;
	codex) # npm with a prefix of its own
		mkdir -p "$1/.npm-global/lib" "$1/.npm-global/bin"
		put "$AGENTS/node_modules" "$1/.npm-global/lib/node_modules"
		ln -s ../lib/node_modules/@openai/codex/bin/codex.js "$1/.npm-global/bin/codex"
		;;
	gemini-cli) # npm with the prefix ~/.local
		mkdir -p "$1/.local/lib"
		put "$AGENTS/node_modules" "$1/.local/lib/node_modules"
		ln -s ../lib/node_modules/@google/gemini-cli/bundle/gemini.js "$1/.local/bin/gemini"
		;;
	qwen-code | pi) # npm of a node that nvm has installed; the system's is too old for them
		mkdir -p "$1/.nvm/versions/node/v22/lib" "$1/.nvm/versions/node/v22/bin"
		put "$AGENTS/node_modules" "$1/.nvm/versions/node/v22/lib/node_modules"
		put "$AGENTS/node_modules/node/bin/node" "$1/.nvm/versions/node/v22/bin/node"
		ln -s ../lib/node_modules/@qwen-code/qwen-code/cli-entry.js "$1/.nvm/versions/node/v22/bin/qwen"
		ln -s ../lib/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js "$1/.nvm/versions/node/v22/bin/pi"
		;;
	opencode) # its own installer
		mkdir -p "$1/.opencode/bin"
		put "$AGENTS/node_modules/opencode-ai/bin/opencode.exe" "$1/.opencode/bin/opencode"
		;;
	copilot-cli) # npm with a prefix of its own
		mkdir -p "$1/.npm-global/lib" "$1/.npm-global/bin"
		put "$AGENTS/node_modules" "$1/.npm-global/lib/node_modules"
		ln -s ../lib/node_modules/@github/copilot/npm-loader.js "$1/.npm-global/bin/copilot"
		;;
	esac
}
# What is in HOME: settings, who is logged in, texts; and what is none of the agent's business.  The settings say
# FROM_SETTINGS to what the agent runs, each in the way that the agent has.
populate() { # AGENT
	local says_it="process.env.FROM_SETTINGS = 'read-it'"
	mkdir -p "$home/.ssh" "$home/.config/pol"
	echo TOPSECRET-KEY >"$home/.ssh/id"
	echo TOPSECRET-NOTES >"$home/notes"
	echo '# mine' >"$home/.bashrc"
	settle "$1"
	login=''
	case $1 in
	claude-code)
		settings=.claude/settings.json login=.claude/.credentials.json
		echo '{"env":{"FROM_SETTINGS":"read-it"}}' >"$home/$settings"
		echo '{"hasCompletedOnboarding":true}' >"$home/.claude.json"
		;;
	codex)
		settings=.codex/config.toml login=.codex/auth.json
		printf 'env_key = "OPENAI_API_KEY"\n[shell_environment_policy]\ninherit = "all"\nset = { FROM_SETTINGS = "read-it" }\n' >>"$home/$settings"
		;;
	gemini-cli)
		settings=.gemini/settings.json login=.gemini/oauth_creds.json
		# read at its start, and given to what it runs
		echo 'FROM_SETTINGS=read-it' >"$home/.gemini/.env"
		;;
	qwen-code)
		settings=.qwen/settings.json
		echo '{}' >"$home/$settings"
		echo 'FROM_SETTINGS=read-it' >"$home/.qwen/.env"
		;;
	opencode)
		settings=.config/opencode/opencode.json login=.local/share/opencode/auth.json
		mkdir -p "$home/.config/opencode/plugin"
		echo "$says_it; export const Z = async () => ({})" >"$home/.config/opencode/plugin/z.js"
		;;
	copilot-cli)
		settings=.copilot/hooks/z.json
		mkdir -p "$home/.copilot/hooks"
		printf '%s\n' '{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"sed -E '"'s/.*/{\\\"modifiedArgs\\\":{\\\"command\\\":\\\"FROM_SETTINGS=read-it sh try.sh\\\",\\\"description\\\":\\\"x\\\"}}/'"'"}]}}' >"$home/$settings"
		echo '{}' >"$home/.copilot/settings.json"
		# it unpacks itself at its first start
		who='' clean copilot --version >/dev/null 2>&1
		;;
	pi)
		settings=.pi/agent/models.json login=.pi/agent/auth.json
		mkdir -p "$home/.pi/agent/extensions"
		echo "$says_it; export default function () {}" >"$home/.pi/agent/extensions/z.js"
		;;
	esac
	[ -z "$login" ] || { mkdir -p "$(dirname "$home/$login")" && echo '{}' >"$home/$login"; }
}
# The agent runs one line; "$@" stands before its program.
run() { # AGENT LINE COMMAND…
	local agent=$1 line=$2
	shift 2
	: >"$log"
	(cd "$p" && under=("$@") && "run_${agent%%-*}" "$(shell_call "$agent" "$line")") >"$work/said" 2>&1 </dev/null
	saw=$(sed -n 's/.* result=//p' "$log" | tail -n 1)
	why="it saw '$saw'; $(tail -3 "$work/said")"
}
says() { # TEXT: nothing if the model has seen it
	grep -qF -- "$1" <<<"$saw" || echo "$why"
}
silent() {
	! grep -qF -- "$1" <<<"$saw" || echo "$why"
}
is() { # FILE TEXT
	[ "$(cat "$1" 2>&1)" = "$2" ] || echo "$1 has '$(cat "$1" 2>&1)'; $why"
}
# polrun's own, and the project
others=(-not -path './.cache*' -not -path './.local/state*' -not -path './work/*')
# all names in HOME, and what the files say but for the programs
picture() {
	(cd "$home" && find . "${others[@]}" | sort &&
		find . -type f -size -100k -not -path '*/node_modules/*' "${others[@]}" -exec sha256sum {} + | sort)
}

policy() { # AGENT LINE…: of the user
	local agent=$1
	shift
	printf '%s\n' 'policy agent { level user }' "$@" >"$home/agent.pol"
}
# Those who own the files that a run made by root has put there.
own() {
	# not links to the programs, which are not theirs
	[ "$who" = "$(id -un)" ] || find "$home" -not -path '*/node_modules/*' -not -type l \( -type d -o -links 1 \) -exec chown "$who" {} +
}
try() { # AGENT
	local agent=$1 name="$1 ($who)" before settings login was
	home=$work/$who-$agent p=$work/$who-$agent/work/app
	path=$home/.npm-global/bin:$home/.local/bin:$home/.opencode/bin:$home/.nvm/versions/node/v22/bin:/usr/local/bin:/usr/bin:/bin
	rm -f "$work/mcp.json"
	mkdir -p "$p"
	install_in "$home" "$agent"
	populate "$agent"
	git init -q "$p"
	# one word for the agents' own tables: no part of it is judged by them
	cat >"$p/try.sh" <<-EOF
		echo made >made; echo "settings: \$FROM_SETTINGS"
		cat ~/.ssh/id ~/notes
		echo replaced >~/$settings
		echo replaced >~/.bashrc
		echo '{ }' >~/${login:-none}
		echo the end
	EOF
	own
	# closed to everybody else, as the programs make them; what is only read stays closed to
	# a run by root, which is somebody else
	find "$home/.claude.json" ${login:+"$home/$login"} -exec chmod 0600 {} + 2>/dev/null
	[ "$who" = root ] || find "$home/.claude" "$home/.codex" "$home/.gemini" "$home/.qwen" "$home/.copilot" "$home/.pi" \
		"$home/.config/opencode" -type f -exec chmod 0600 {} +
	was=$(<"$home/$settings")

	policy "$agent" "use std/profile/project, std/agent/program/$agent" "$to_model"
	before=$(picture)
	run "$agent" 'sh try.sh' "$work/pol/bin/polrun" --policy "$home/agent.pol"
	count_check "$name: it works, and has its settings" "$(says 'settings: read-it')$(says 'the end')"
	count_check "$name: the project is written" "$(is "$p/made" made)"
	count_check "$name: keys and other files of HOME are not read" "$(silent TOPSECRET)"
	count_check "$name: its settings are not written" "$(is "$home/$settings" "$was")"
	count_check "$name: nor what shells read" "$(is "$home/.bashrc" '# mine')"
	[ -z "$login" ] || count_check "$name: its login is renewed" "$(is "$home/$login" '{ }')"
	count_check "$name: polrun says nothing" "$(! grep '^polrun:' "$work/said" || true)"
	[ -z "$login" ] || echo '{}' >"$home/$login"
	count_check "$name: nothing else of HOME has changed" "$(diff <(echo "$before") <(picture))"

	# the control of what it needs
	rm -f "$p/made"
	policy "$agent" 'use std/profile/project' "file { allow read, exec \"\${HOME}/.local/share/claude\" }" "$to_model"
	# (Codex waits for a model that is not there)
	seconds=15 run "$agent" 'sh try.sh' "$work/pol/bin/polrun" --policy "$home/agent.pol"
	count_check "$name: the profile alone is not enough" "$([ -z "${saw%None}" ] && [ ! -e "$p/made" ] || echo "$why")"
	# the control of what is refused
	run "$agent" 'sh try.sh'
	count_check "$name: without polrun all that succeeds" "$(says TOPSECRET-KEY)$(says TOPSECRET-NOTES)$(is "$p/made" made)$(
		is "$home/$settings" replaced)$(is "$home/.bashrc" replaced)"
	[ -n "${NO_SESSION:-}" ] || [ "$who" = root ] || sit "$agent" "$name"
	rm -rf --one-file-system "$home"
}

# The session (session.py): without polrun, and as a whole inside with the hook in its settings.
sit() { # AGENT NAME
	local BUILD=$work/pol project=$p seconds=900 agree=1 codex_model=gpt-6.2-sol mcp_json=$work/pol/share/pol/mcp.json asked=$p/out/asked
	local in=$work/pol/bin/polrun
	servers_config "$work/pol/share/pol/mcp.py" "$asked" >"$mcp_json"
	find "$home" -name 'z.js*' -delete
	populate "$1"
	rm -f "$home/.copilot/hooks/z.json"
	session_policy "$1" "$home/.config/pol/session" || return
	own
	session "$1" plain
	hook_in "$1" --bundle "$home/.config/pol/session.polb"
	policy "$1" "use std/profile/project, std/agent/program/$1" "$to_model" \
		'file { deny read "${PROJECT_DIR}/keys.txt"  because "keys stay where they are"  as secret }' "file { allow read, exec \"$work/pol\" }"
	under=("$in" --policy "$home/agent.pol")
	session "$1" inside
	under=()
	session_checks "$1" inside
}

whos=("$(id -un)")
[ "$(id -u)" -ne 0 ] || ! have_user "$user" || whos+=("$user")
# of a day's share one of them, in turn
[ -z "${POL_SLICE:-}" ] || whos=("${whos[POL_SLICE % ${#whos[@]}]}")
for agent; do
	if ! have "$agent"; then
		echo "skip $agent: it is not in $AGENTS"
		count_skip
		continue
	fi
	for who in "${whos[@]}"; do try "$agent"; done
done
count_end
