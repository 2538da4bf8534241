#!/usr/bin/env bash
# Real agents inside of polrun, each under the library's policy for its program
# (std/agent/program): it starts, finds its settings and key, and does what the model asks for;
# what later runs outside of the sandbox stays as it is, and so does HOME.  The model is
# tests/agents/model.py on the host's loopback, which the policy names: the answers stream
# through the egress gateway.  Beside each run the same one without polrun, where all that is refused inside succeeds.
#   BUILD=FOLDER AGENTS=FOLDER tests/run/agents_inside.sh [claude-code|codex|gemini-cli]...
#       (AGENTS: where npm has put them; `./dev agents` does)
# As root it runs as the ordinary user of the live tests, too (with POL_SLICE as one of them).  Those that are not there are
# skipped.  Last line: N passed, N failed, N skipped.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/user.sh
: "${BUILD:=$PWD/build/dev}" "${AGENTS:=$PWD/build/agents}"
user=${POL_TEST_USER:-poltest}
here=$PWD
[ $# -gt 0 ] || set -- claude-code codex gemini-cli
work=$(mktemp -d /var/tmp/pol-inside.XXXXXX) || exit 1
work=$(cd "$work" && pwd -P)
model=''
trap '[ -z "$model" ] || kill "$model"; rm -rf --one-file-system "${work:?}"' EXIT
chmod 0755 "$work"
# Installed where every user can read it.
mkdir -p "$work/pol/bin" "$work/pol/share/pol"
cp "$BUILD"/bin/pol* "$work/pol/bin/" && cp -r stdlib-policies "$work/pol/share/pol/" || exit 1
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

# --- the three programs, each in another place of those that a user has -------------------------

have() { # AGENT
	case $1 in
	claude-code) [ -x "$AGENTS/node_modules/@anthropic-ai/claude-code/bin/claude.exe" ] ;;
	codex) [ -e "$AGENTS/node_modules/@openai/codex/bin/codex.js" ] ;;
	gemini-cli) [ -e "$AGENTS/node_modules/@google/gemini-cli/bundle/gemini.js" ] ;;
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
	esac
}
# What is in HOME: settings, who is logged in, texts; and what is none of the agent's business.
settle() { # HOME AGENT
	mkdir -p "$1/.ssh" "$1/.claude" "$1/.codex" "$1/.gemini" "$1/.config/pol"
	echo TOPSECRET-KEY >"$1/.ssh/id"
	echo TOPSECRET-NOTES >"$1/notes"
	echo '# mine' >"$1/.bashrc"
	case $2 in
	claude-code)
		settings=.claude/settings.json login=.claude/.credentials.json
		echo '{"env":{"FROM_SETTINGS":"read-it"}}' >"$1/$settings"
		echo '{"hasCompletedOnboarding":true}' >"$1/.claude.json"
		echo '{}' >"$1/$login"
		;;
	codex)
		settings=.codex/config.toml login=.codex/auth.json
		printf 'model = "x"\nmodel_provider = "none"\n[model_providers.none]\nname = "none"\nbase_url = "http://127.0.0.1:%s/v1"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"\n[shell_environment_policy]\ninherit = "all"\nset = { FROM_SETTINGS = "read-it" }\n' \
			"$port" >"$1/$settings"
		echo '{}' >"$1/$login"
		;;
	gemini-cli)
		settings=.gemini/settings.json login=.gemini/oauth_creds.json
		echo '{"security":{"auth":{"selectedType":"gemini-api-key"}}}' >"$1/$settings"
		# read at its start, and given to what it runs
		echo 'FROM_SETTINGS=read-it' >"$1/.gemini/.env"
		echo '{}' >"$1/$login"
		;;
	esac
}
clean() {
	local as=()
	[ "$who" = "$(id -un)" ] || as=(runuser -u "$who" --)
	"${as[@]}" env -i SHLVL=1 HOME="$home" PATH="$home/.npm-global/bin:$home/.local/bin:/usr/local/bin:/usr/bin:/bin" \
		LANG=C.UTF-8 TERM=xterm-256color NO_COLOR=1 USER="$who" "$@"
}
# The agent runs one line; "$@" stands before its program.
run() { # AGENT LINE COMMAND…
	local agent=$1 call
	call="{\"command\":\"$2\",\"description\":\"x\"}"
	shift 2
	: >"$log"
	cd "$p" || return
	case $agent in
	claude-code)
		clean ANTHROPIC_BASE_URL="http://127.0.0.1:$port" ANTHROPIC_API_KEY=none \
			CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 timeout "${seconds:-120}" "$@" \
			claude -p "CALL Bash $call" --allowedTools Bash Read
		;;
	codex)
		clean OPENAI_API_KEY=none timeout "${seconds:-120}" "$@" codex exec --skip-git-repo-check \
			--dangerously-bypass-approvals-and-sandbox "CALL exec_command ${call/\"command\"/\"cmd\"}"
		;;
	gemini-cli)
		clean GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:$port" GEMINI_API_KEY=none GEMINI_CLI_TRUST_WORKSPACE=true \
			timeout "${seconds:-120}" "$@" gemini -m gemini-2.5-flash --approval-mode yolo -p "CALL run_shell_command $call"
		;;
	esac >"$work/said" 2>&1 </dev/null
	cd "$here" || return
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
try() { # AGENT
	local agent=$1 name="$1 ($who)" before settings login was
	home=$work/$who-$agent p=$work/$who-$agent/work/app
	mkdir -p "$p"
	install_in "$home" "$agent"
	settle "$home" "$agent"
	git init -q "$p"
	# one word for the agents' own tables: no part of it is judged by them
	cat >"$p/try.sh" <<-EOF
		echo made >made; echo "settings: \$FROM_SETTINGS"
		cat ~/.ssh/id ~/notes
		echo replaced >~/$settings
		echo replaced >~/.bashrc
		echo renewed >~/$login
		echo the end
	EOF
	# links to the programs, which are not theirs
	[ "$who" = "$(id -un)" ] || find "$home" -not -path '*/node_modules/*' -not -type l -not -name 2.1 -exec chown "$who" {} +
	# closed to everybody else, as the programs make them; what is only read stays closed to
	# a run by root, which is somebody else
	find "$home/.claude.json" "$home/$login" -exec chmod 0600 {} + 2>/dev/null
	[ "$who" = root ] || find "$home/.claude" "$home/.codex" "$home/.gemini" -type f -exec chmod 0600 {} +
	was=$(<"$home/$settings")

	policy "$agent" "use std/profile/project, std/agent/program/$agent" "$to_model"
	before=$(picture)
	run "$agent" 'sh try.sh' "$work/pol/bin/polrun" --policy "$home/agent.pol"
	count_check "$name: it works, and has its settings" "$(says 'settings: read-it')$(says 'the end')"
	count_check "$name: the project is written" "$(is "$p/made" made)"
	count_check "$name: keys and other files of HOME are not read" "$(silent TOPSECRET)"
	count_check "$name: its settings are not written" "$(is "$home/$settings" "$was")"
	count_check "$name: nor what shells read" "$(is "$home/.bashrc" '# mine')"
	count_check "$name: its login is renewed" "$(is "$home/$login" renewed)"
	count_check "$name: polrun says nothing" "$(! grep '^polrun:' "$work/said" || true)"
	echo '{}' >"$home/$login"
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
	rm -rf --one-file-system "$home"
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
