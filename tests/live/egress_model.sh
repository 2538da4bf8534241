#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# lab: web model
# agents: those that ./dev has fetched
# timing: waits for agents that a loaded machine starts late
# Real agents inside, each under the library's policy for its program (std/agent/program), before a model that is
# none but answers by the true name, over TLS: its answer streams, and the policy's hosts are all that there is.
# A part of an answer is sent when the part before it has come out of the agent, so nothing here depends on the clock.
# Where the programs are not there (./dev test fetches one, ./dev agents all), curl stands in for them.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"
SEEN=$LAB/model/seen LOG=$LAB/model/log
export NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt NO_COLOR=1 USER=$me
export PATH=$HOME/.npm-global/bin:$HOME/.local/bin:$PATH

declare -A host=([claude-code]=api.anthropic.com [codex]=api.openai.com [gemini-cli]=generativelanguage.googleapis.com)

# --- the model's side -------------------------------------------------------------------------------

anew() { # what the lab has seen begins here
	rm -f "$SEEN"/*
	: >"$LOG"
	: >"$LAB/log/web"
	: >"$LAB/log/dns"
	forget
}
# COMMAND…: each part that comes out is told to the model; sets out, err, rc
streaming() {
	local line i
	"$@" 2>"$WORK/.err" </dev/null | while IFS= read -r line || [ -n "$line" ]; do
		for i in 1 2 3; do
			[[ $line != *part-$i* ]] || : >"$SEEN/$i"
		done
		printf '%s\n' "$line"
	done >"$WORK/.out"
	rc=${PIPESTATUS[0]} out=$(<"$WORK/.out") err=$(<"$WORK/.err")
}
want_streamed() { # N: so many parts, each sent after the one before it was seen
	local n
	n=$(sed -n 's/^part \([0-9]\) seen$/\1/p' "$LOG" | sort -u | wc -l)
	[ "$n" -eq "$1" ] || bad "$n parts were seen before the next one was sent, want $1: $(grep '^part' "$LOG" | paste -sd,)"
	! grep -q late "$LOG" || bad "a part was held back: $(grep '^part' "$LOG" | paste -sd,)"
}

# --- the programs, each where its users have it -----------------------------------------------------------

have() { # AGENT
	case $1 in
	claude-code) [ -x "$AGENTS/node_modules/@anthropic-ai/claude-code/bin/claude.exe" ] ;;
	codex) [ -e "$AGENTS/node_modules/@openai/codex/bin/codex.js" ] ;;
	gemini-cli) [ -e "$AGENTS/node_modules/@google/gemini-cli/bundle/gemini.js" ] ;;
	esac
}
put() { cp -al "$1" "$2" 2>/dev/null || { rm -rf "$2" && cp -a --no-preserve=ownership "$1" "$2"; }; }
install_agent() { # AGENT: the program, and the settings that it needs for a start without questions
	mkdir -p "$HOME/.local/bin" "$HOME/.npm-global/lib/node_modules" "$HOME/.npm-global/bin" "$HOME/.local/lib/node_modules"
	case $1 in
	claude-code)
		mkdir -p "$HOME/.local/share/claude/versions" "$HOME/.claude"
		put "$AGENTS/node_modules/@anthropic-ai/claude-code/bin/claude.exe" "$HOME/.local/share/claude/versions/2.1"
		ln -s "$HOME/.local/share/claude/versions/2.1" "$HOME/.local/bin/claude"
		echo '{"hasCompletedOnboarding":true}' >"$HOME/.claude.json"
		;;
	codex)
		mkdir -p "$HOME/.codex"
		put "$AGENTS/node_modules/@openai" "$HOME/.npm-global/lib/node_modules/@openai"
		ln -s ../lib/node_modules/@openai/codex/bin/codex.js "$HOME/.npm-global/bin/codex"
		printf 'model = "x"\nmodel_provider = "true"\n[model_providers.true]\nname = "true"\nbase_url = "https://%s/v1"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"\n' \
			"${host[codex]}" >"$HOME/.codex/config.toml"
		;;
	gemini-cli)
		mkdir -p "$HOME/.gemini"
		put "$AGENTS/node_modules/@google" "$HOME/.local/lib/node_modules/@google"
		ln -s ../lib/node_modules/@google/gemini-cli/bundle/gemini.js "$HOME/.local/bin/gemini"
		echo '{"security":{"auth":{"selectedType":"gemini-api-key"}}}' >"$HOME/.gemini/settings.json"
		;;
	esac
}
# AGENT PROMPT [COMMAND…]: the agent without a screen; it prints what comes as it comes.  Codex prints only calls
# at once, so its prompt has one.
agent() {
	local which=$1 prompt=$2
	shift 2
	case $which in
	claude-code)
		streaming env ANTHROPIC_API_KEY=none timeout 100 "$@" claude -p "$prompt" \
			--allowedTools Bash --output-format stream-json --include-partial-messages --verbose
		;;
	codex)
		streaming env OPENAI_API_KEY=none timeout 100 "$@" codex exec --json --skip-git-repo-check \
			--dangerously-bypass-approvals-and-sandbox "$prompt"
		;;
	gemini-cli)
		streaming env GEMINI_API_KEY=none GEMINI_CLI_TRUST_WORKSPACE=true timeout 100 "$@" gemini -m gemini-2.5-flash \
			--approval-mode yolo -o stream-json -p "$prompt"
		;;
	esac
}
call() { # AGENT LINE
	case $1 in
	claude-code) printf 'CALL Bash {"command":"%s","description":"x"}' "$2" ;;
	codex) printf 'CALL exec_command {"cmd":"%s"}' "$2" ;;
	gemini-cli) printf 'CALL run_shell_command {"command":"%s","description":"x"}' "$2" ;;
	esac
}

agent_bundle() { # AGENT [TEXT]
	raw_policy "policy agent { level user }
use std/agent/program/$1
env { keep += NODE_EXTRA_CA_CERTS }
${2:-}"
}

# --- what is tried ------------------------------------------------------------------------------------

# AGENT: its policy without its program
with_curl() {
	local name=${host[$1]} path tools text
	case $1 in
	claude-code) path=/v1/messages text='{"stream":true,"messages":[{"role":"user","content":"PARTS 3"}],"tools":[{"name":"x"}]}' ;;
	codex) path=/v1/responses text='{"input":[{"role":"user","content":[{"text":"PARTS 3"}]}],"tools":[{"name":"x"}]}' ;;
	gemini-cli)
		path=/v1beta/models/x:streamGenerateContent
		text='{"contents":[{"role":"user","parts":[{"text":"PARTS 3"}]}],"tools":[{"functionDeclarations":[{"name":"x"}]}]}'
		;;
	esac
	for http in 1.1 2; do
		t "$1: curl streams from $name under its policy, HTTP/$http"
		anew
		streaming "$BIN/polrun" -b "$WORK/p.polb" curl -sSN --http$http --max-time 60 --json "$text" "https://$name$path"
		want_rc 0
		want_out 'the end'
		want_streamed 3
	done
	t "$1: a deny of $name beside its policy holds"
	anew
	agent_bundle "$1" "network { deny tcp \"$name\" }"
	run curl -sS --max-time 10 "https://$name/"
	want_rc 6
	nothing_left 198.51.100.40
	agent_bundle "$1"

	t "$1: no other name under its policy, and no address"
	outside curl -sS --max-time 5 https://evil.example/
	want_out 'host=evil.example'
	anew
	for url in https://evil.example/ https://198.51.100.66/ "http://$name/"; do
		run curl -sSk --max-time 10 "$url"
		[ "$rc" -ne 0 ] || bad "$url was reached"
		no_out 'lab sni'
	done
	nothing_left 198.51.100.66
	nothing_left 198.51.100.40 tcp 80
	if asked_of_dns evil.example; then bad "its name was asked outside"; fi
}

# AGENT: the program itself
with_program() {
	local which=$1 name=${host[$1]} saw
	install_agent "$which"
	# one word for the agents' own tables
	cat >"$P/try.sh" <<-END
		curl -sS --max-time 10 https://$name/ >/dev/null && echo "control: reached"
		curl -sSk --max-time 10 https://evil.example/ || echo "name: refused"
		curl -sSk --max-time 10 https://198.51.100.66/ || echo "address: refused"
		echo "after $?"
	END

	if [ "$which" = codex ]; then
		t "$which itself streams from $name: it begins with a call before the answer ends"
		anew
		agent codex "PARTS 1
$(call codex 'echo part-1')" "$BIN/polrun" -b "$WORK/p.polb"
		want_streamed 1
	else
		t "$which itself streams from $name"
		anew
		agent "$which" 'say PARTS 3' "$BIN/polrun" -b "$WORK/p.polb"
		want_streamed 3
	fi
	want_rc 0
	want_out 'the end'
	# by its name over TLS, and nobody else
	grep -q "^$name|$name|443|POST " "$LAB/log/web" || bad "the server's log: $(cat "$LAB/log/web")"
	! grep -v "^$name|$name|" "$LAB/log/web" | grep -q . || bad "other hosts were reached: $(grep -v "^$name|" "$LAB/log/web")"

	t "what $which runs reaches the same host and no other; the report names it"
	anew
	agent "$which" "$(call "$which" 'sh try.sh')" "$BIN/polrun" -b "$WORK/p.polb" --report "$WORK/report.json"
	saw=$(sed -n 's/.* result=//p' "$LOG" | tail -n 1)
	for text in 'control: reached' 'name: refused' 'address: refused'; do
		[[ $saw = *"$text"* ]] || bad "the model was not told '$text': $saw"
	done
	[[ $saw != *'lab sni'* ]] || bad "another host was reached: $saw"
	nothing_left 198.51.100.66
	if asked_of_dns evil.example; then bad "its name was asked outside"; fi
	python3 - "$WORK/report.json" "$name" >"$WORK/.report" <<-'END' || bad "the report: $(<"$WORK/.report")"
		import json, sys
		with open(sys.argv[1]) as f:
		    report = json.load(f)
		denied = {(d["op"], d["subject"]) for d in report["denials"] if d["layer"] == "network"}
		reached = {c["name"] for c in report["connections"] if c["reached"]}
		print(denied, reached)
		assert ("resolve", "evil.example") in denied and ("connect", "tcp 198.51.100.66:443") in denied
		assert reached == {sys.argv[2]}
	END

	t "$which without polrun: all three are reached"
	anew
	agent "$which" "$(call "$which" 'sh try.sh')"
	saw=$(sed -n 's/.* result=//p' "$LOG" | tail -n 1)
	[[ $saw = *'control: reached'* && $saw != *refused* ]] || bad "the control: $saw"
	some_left 198.51.100.66 tcp 443
	rm -rf --one-file-system "${HOME:?}"/.[a-z]* "$P/try.sh"
}

git init -q "$P"
for which in claude-code codex gemini-cli; do
	t "$which: its policy"
	agent_bundle "$which"
	with_curl "$which"
	if have "$which"; then
		with_program "$which"
	else
		live_end
		echo "note: $which itself is not tried: it is not in ${AGENTS:-(no folder)}"
	fi
done
done_
