#!/usr/bin/env bash
# The hook in real agents, without a screen, an account or a network: the model is
# tests/agents/model.py.  What the doctor calls good holds there, for a command, a file and
# a tool of an MCP server; what he calls wrong lets the command through.  And what he says
# of Codex's trust is what its own app-server says.
#   BUILD=FOLDER CODEX=PROGRAM CLAUDE=PROGRAM GEMINI=PROGRAM QWEN=PROGRAM OPENCODE=PROGRAM COPILOT=PROGRAM PI=PROGRAM tests/run/agents.sh
#       (`./dev agents` installs them)
# Last line: N passed, N failed, N skipped.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/agents/clients.sh
: "${BUILD:=$PWD/build/dev}"
programs_in "$PWD/build/agents/node_modules"
BUILD=$(cd "$BUILD" && pwd -P)
work=$(mktemp -d /var/tmp/pol-agents.XXXXXX) || exit 1
work=$(cd "$work" && pwd -P)
log=$work/log model='' port='' path=$PATH
trap '[ -z "$model" ] || kill "$model"; rm -rf --one-file-system "${work:?}"' EXIT
prepare || exit 1
Q="/usr/bin/timeout 20 $BUILD/bin/polquery -b $work/POLICY.polb hook"

# strict: what is asked for below is denied.  wide: it is allowed, and nothing else differs.
for name in strict wide; do
	{
		echo "policy $name { level user }"
		if [ "$name" = strict ]; then
			echo 'command { allow "true"  deny "touch:*" as no-touch }'
			echo 'tool "codemode" { allow }'
			echo 'file { deny read "${PROJECT_DIR}/.env"  deny read "${PROJECT_DIR}/secret"  deny read "${PROJECT_DIR}/secret.png" }'
		else
			echo 'command { allow "touch:*" }'
			echo 'file { allow read "${PROJECT_DIR}" }'
			echo 'tool "mcp__pol__mark" { allow }'
			echo 'tool "mcp_pol_mark" { allow }'
			echo 'tool "pol_mark" { allow }'
			echo 'tool "pol-mark" { allow }'
			echo 'tool "codemode" { allow }'
			echo 'file { allow write "${PROJECT_DIR}/ran" }'
			echo 'tool "view_image" { allow }'
		fi
	} >"$work/$name.pol"
	"$BUILD/bin/polc" compile "$work/$name.pol" -o "$work/$name.polb" >"$work/compiled" 2>&1 &&
		chmod 0600 "$work/$name.polb" || { cat "$work/compiled"; exit 1; }
done

# run: what the text allows meets the walls.
cat >"$work/run.pol" <<'POL'
policy run { level user }
use std/dev/project
command { allow "python3 **", "cat **"  ask "mv:*" as moving }
file { deny read "${PROJECT_DIR}/.env" as secret }
POL
"$BUILD/bin/polc" compile "$work/run.pol" -o "$work/run.polb" >"$work/compiled" 2>&1 &&
	chmod 0600 "$work/run.polb" || { cat "$work/compiled"; exit 1; }
with_run='' agree='' codex_sandbox=''

doctor() { # AGENT
	said=$(cd "$work/${at:-p}" && clean "$BUILD/bin/polquery" doctor "$1" 2>&1)
	status=$?
}
# NAME AGENT DOCTOR-STATUS PATTERN WHAT held|done
both() {
	local did
	doctor "$2"
	count_check "$2: $1: the doctor says $3" \
		"$([ "$status" -eq "$3" ] && grep -qE -- "$4" <<<"$said" || echo "status $status: $said")"
	did=$(does "$2" "$5")
	count_check "$2: $1: the $5 is $6" "$([[ $did =~ ^($6)$ ]] || echo "$did; $(tail -2 "$log" | sed "s,.* result=,,")")"
}
have() { # AGENT PROGRAM
	"$2" --version >/dev/null 2>&1 && return
	echo "skip $1: no program at $2"
	count_skip
	return 1
}
# the three surfaces under both policies; WRITE POLICY puts the good settings there
surfaces() { # AGENT WRITE
	local what
	for what in command file mcp; do
		"$2" strict
		both "strict policy" "$1" 0 'denies: what must be denied' "$what" held
		"$2" wide
		both "wide policy" "$1" 0 'denies: what must be denied' "$what" "done"
	done
}

# NAME AGENT PATTERN LINE…: what the model sees of the last line
sees() {
	local name=$1 agent=$2 pattern=$3 got
	shift 3
	got=$(lines "$agent" "$@")
	count_check "$agent: $name" "$(grep -qE -- "$pattern" <<<"$got" || echo "it sees '$got'; $(tail -2 "$work/said")")"
}
# What is allowed runs inside; without --run, and with all else the same, it does not.
inside() { # AGENT WRITE
	local read_env="python3 -c \"print(open('.e' + 'nv').read())\""
	mkdir -p "$work/p/src"
	with_run='' "$2" run
	echo TOPSECRET=1 >"$work/p/.env"
	sees "without --run a program reads what is denied" "$1" TOPSECRET "$read_env"
	with_run=" --run $work/run.polb" "$2" run
	echo TOPSECRET=1 >"$work/p/.env"
	doctor "$1"
	count_check "$1: --run: the doctor" "$([ "$status" -eq 0 ] && grep -q "a command that is allowed runs under polrun" <<<"$said" ||
		echo "status $status: $said")"
	sees "--run: the walls hold" "$1" 'PermissionError.*Permission denied' "$read_env"
	sees "--run: a here-document, quotes" "$1" "it's 3 .{1,4}ok" $'cat <<EOF\nit\'s $((1+2)) "$(echo ok)"\nEOF'
	sees "--run: a status" "$1" 'xit(ed with)? [Cc]ode:? 3' 'python3 -c "raise SystemExit(3)"'
	sees "--run: an empty input" "$1" 'the end' 'cat; echo the end'
	sees "--run: a file that is made" "$1" 'made-inside' 'echo x >made-inside; ls' 
	count_check "$1: --run: a deny stays one" "$(lines "$1" 'rm -rf /' | grep -q 'rule ' || echo "no deny")"
	# as install writes it, and after uninstall
	local file=$work/home/.claude/settings.json
	case $1 in
	claude-code) echo '{ "env": { "A": "1" } }' >"$file" ;;
	gemini-cli) file=$work/home/.gemini/settings.json && printf '{%s}\n' "$(gemini_base)" >"$file" ;;
	copilot-cli) file=$work/home/.copilot/hooks/polquery.json && printf '{\n  "version": 1\n}\n' >"$file" ;;
	codex) file=$work/home/.codex/hooks.json && rm -f "$file" && codex_base >"$config" ;;
	esac
	cp "$file" "$work/before" 2>/dev/null || echo '{}' >"$work/before"
	(cd "$work/p" && clean "$BUILD/bin/polquery" install "$1" --run "$work/run.polb" --yes) >"$work/installed" 2>&1
	[ "$1" != codex ] || trust_codex
	doctor "$1"
	count_check "$1: installed: the doctor" "$([ "$status" -eq 0 ] || echo "status $status: $said; $(<"$work/installed")")"
	sees "installed: the walls hold" "$1" 'PermissionError.*Permission denied' "$read_env"
	clean "$BUILD/bin/polquery" uninstall "$1" --yes >"$work/installed" 2>&1
	count_check "$1: uninstalled: the file is what it was" "$(cmp "$file" "$work/before" 2>&1)"
	sees "uninstalled: no walls" "$1" TOPSECRET "$read_env"
}

# --- Claude Code ---------------------------------------------------------------------------

line_claude() { echo "${Q/POLICY/$1} claude-code$with_run || { echo polquery: no answer >&2; exit 2; }"; }
good_claude() {
	rm -rf "$work/p/.claude"
	printf '{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"%s"}]}]}}\n' "$(line_claude "$1")" \
		>"$work/home/.claude/settings.json"
}
# NAME DOCTOR-STATUS PATTERN held|done USER PROJECT: '@' is a good group, '%' the good line
claude() {
	local line text
	line=$(line_claude strict)
	good_claude strict
	for text in "home|$5" "p|$6"; do
		[ -n "${text#*|}" ] || continue
		mkdir -p "$work/${text%%|*}/.claude"
		text=${text//@/'{"matcher":"*","hooks":[{"type":"command","command":"%"}]}'}
		printf '%s\n' "${text//%/"$line"}" | sed '1s/^[a-z]*|//' >"$work/${text%%|*}/.claude/settings.json"
	done
	both "$1" claude-code "$2" "$3" command "$4"
}
if have claude-code "$CLAUDE"; then
	surfaces claude-code good_claude
	inside claude-code good_claude
	with_run=" --run $work/run.polb"
	good_claude run
	# its shell keeps the directory
	sees "--run: a directory that stays" claude-code '/p/src"' 'cd src && ls' 'pwd'
	sees "--run: one that does not" claude-code 'later commands' 'cd src; cd ..'
	(cd "$work/p" && run_claude 'CALL Bash {"command":"sleep 1; touch later","description":"x","run_in_background":true}
		CALL Bash {"command":"sleep 4","description":"x"}' >"$work/said" 2>&1 </dev/null)
	count_check "claude-code: --run: in the background" "$([ -e "$work/p/later" ] || tail -2 "$log")"
	# what a person says yes to runs inside
	touch "$work/p/one"
	agree=1
	sees "--run: an ask and a yes" claude-code '.' 'mv one two'
	count_check "claude-code: --run: what was asked is the line for polrun" \
		"$([ -e "$work/p/two" ] && grep -q 'bin/polrun.*--yes' "$work/asked" || echo "asked: $(<"$work/asked"); $(tail -1 "$log")")"
	with_run='' agree='' codex_sandbox=''
	# what Read is refused, a shell reads
	echo TOPSECRET=1 >"$work/p/.env"
	for what in cat grep; do
		good_claude strict
		both "what it may not read" claude-code 0 'denies: what must be denied' "$what" held
		good_claude wide
		both "what it may read" claude-code 0 'denies: what must be denied' "$what" "done"
	done
	rm "$work/p/.env"
	hook() { echo '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command",'"$1"'"command":"%"}]}]}}'; }
	claude "no hook" 1 'not installed' "done" '{}' ''
	claude "switched off by the project" 1 disableAllHooks "done" '' '{"disableAllHooks":true}'
	claude "a matcher that misses it" 1 'is not checked' "done" \
		'{"hooks":{"PreToolUse":[{"matcher":"Edit","hooks":[{"type":"command","command":"%"}]}]}}' ''
	claude "a matcher that is no expression" 1 'is not checked' "done" \
		'{"hooks":{"PreToolUse":[{"matcher":"([","hooks":[{"type":"command","command":"%"}]}]}}' ''
	claude "a condition" 1 'is not checked' "done" "$(hook '"if":"Bash(git *)",')" ''
	claude "async" 1 'denies nothing' "done" "$(hook '"async":true,')" ''
	claude "args" 1 'what this changes.*args' "done" "$(hook '"args":["x"],')" ''
	claude "no type" 1 "without a 'type'" "done" '{"hooks":{"PreToolUse":[{"hooks":[{"command":"%"}]}]}}' ''
	claude "a time-out that is none" 1 'takes no such value' "done" "$(hook '"timeout":0,')" ''
	# done|held: on a busy machine the agent's timer may come after the answer
	claude "a time-out that is over" 1 'takes too long' "done|held" "$(hook '"timeout":0.001,')" ''
	# done|held: 2.1.197 lets it through, 2.1.331 does not
	claude "a time-out past the timer" 1 'too long for the agent' "done|held" "$(hook '"timeout":2147484,')" ''
	claude "the longest time-out" 0 'denies: what' held "$(hook '"timeout":2147483,')" ''
	claude "the same line, later, by the project" 1 'denies nothing' "done" '' "$(hook '"async":true,')"
	claude "the same line on a condition, by the project" 0 'denies: what' held '' "$(hook '"if":"Bash(git *)",')"
	printf '#!/bin/sh\necho '"'"'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"'"'\n' >"$work/allows"
	chmod +x "$work/allows"
	claude "another hook that allows" 0 'denies: what' held '' "$(hook '' | sed "s#%#$work/allows#")"
	claude "a comma too much" 1 'cannot be read' "done" '{"hooks":{"PreToolUse":[@]},}' ''
	claude "a comment" 1 'cannot be read' "done" '{/* x */"hooks":{"PreToolUse":[@]}}' ''
	claude "a key twice" 1 twice "done" '{"hooks":{"PreToolUse":[@]},"hooks":{}}' ''
	claude "a wrong value elsewhere" 1 'not known here: model' "done" '{"hooks":{"PreToolUse":[@]},"model":null}' ''
	claude "a wrong hook elsewhere" 1 'skip the whole file' "done|held" '{"hooks":{"PreToolUse":[@],"Stop":[{"hooks":[{"type":"x"}]}]}}' ''
	claude "other values" 0 'denies: what' held \
		'{"hooks":{"PreToolUse":[@]},"model":"x","env":{"A":"1"},"permissions":{"allow":["Bash(ls)"]},"enabledPlugins":{"a-b":true}}' ''
	claude "no hook runs by the project's env" 1 'says of CLAUDE_CODE_SIMPLE' "done|held" '' '{"env":{"CLAUDE_CODE_SIMPLE":"1"}}'
	printf '#!/bin/sh\ncase $1 in *polquery*) exit 0 ;; esac\nexec /bin/sh -c "$1"\n' >"$work/prefix"
	printf '#!/bin/sh\nexit 0\n' >"$work/polquery"
	chmod +x "$work/prefix" "$work/polquery"
	claude "another program by the project's env" 1 'says of CLAUDE_CODE_SHELL_PREFIX' "done" '' \
		'{"env":{"CLAUDE_CODE_SHELL_PREFIX":"'"$work"'/prefix"}}'
	bare=$(hook '' | sed "s#%#/usr/bin/timeout 20 polquery -b $work/strict.polb hook claude-code || exit 2#")
	claude "a bare name, and the project's PATH" 1 'absolute path of polquery' "done" "$bare" '{"env":{"PATH":"'"$work:$PATH"'"}}'
	claude "an absolute one, and the project's PATH" 1 'says of PATH' held '' '{"env":{"PATH":"'"$work:$PATH"'"}}'
	claude "an absolute one, and one's own PATH" 0 'note: absolute paths do not mind' held \
		'{"hooks":{"PreToolUse":[@]},"env":{"PATH":"'"$work:$PATH"'"}}' ''
	claude "open where it is missing" 1 'everything is allowed' "done" \
		'{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/usr/bin/timeout 20 '"$work/none/polquery -b $work/strict.polb"' hook claude-code"}]}]}}' ''
	claude "closed where it is missing" 1 'is not there, so that everything is denied' held \
		'{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/usr/bin/timeout 20 '"$work/none/polquery -b $work/strict.polb"' hook claude-code || exit 2"}]}]}}' ''
fi

# --- Gemini CLI ------------------------------------------------------------------------------

line_gemini() { echo "${Q/POLICY/$1} gemini-cli$with_run || { echo polquery: no answer >&2; exit 2; }"; }
good_gemini() {
	rm -rf "$work/p/.gemini" "$work/p/.env"
	printf '{%s,"hooks":{"BeforeTool":[{"matcher":".*","hooks":[{"type":"command","command":"%s"}]}]}}\n' "$(gemini_base)" \
		"$(line_gemini "$1")" >"$work/home/.gemini/settings.json"
}
# as claude(); of the user's what stands behind the settings that are always there
gemini() {
	local text=$5
	good_gemini strict
	text=${text//@/'{"matcher":".*","hooks":[{"type":"command","command":"%"}]}'}
	[ -z "$text" ] || printf '{%s%s}\n' "$(gemini_base)" "${text//%/"$(line_gemini strict)"}" >"$work/home/.gemini/settings.json"
	mkdir -p "$work/p/.gemini"
	[ -z "$6" ] || printf '%s\n' "$6" >"$work/p/.gemini/settings.json"
	[ -z "${7:-}" ] || printf '%s\n' "$7" >"$work/p/.env"
	both "$1" gemini-cli "$2" "$3" command "$4"
}
if have gemini-cli "$GEMINI"; then
	surfaces gemini-cli good_gemini
	inside gemini-cli good_gemini
	with_run=''
	hook() { echo ',"hooks":{"BeforeTool":[{"hooks":[{"type":"command",'"$1"'"command":"%"}]}]}'; }
	gemini "no hook" 1 'not installed' "done" ',"x":{}' ''
	gemini "switched off by the project" 1 'no hook runs' "done" '' '{"hooksConfig":{"enabled":false}}'
	gemini "switched off with a 0" 1 'no hook runs' "done" '' '{"hooksConfig":{"enabled":0}}'
	gemini "no hooks by the project" 1 'or all hooks' "done" '' '{"hooks":null}'
	gemini "an empty list by the project" 0 'denies: what' held '' '{"hooks":{"BeforeTool":[]}}'
	gemini "switched off by its command" 1 'it is switched off in' "done" '' \
		'{"hooksConfig":{"disabled":["'"$(line_gemini strict)"'"]}}'
	gemini "switched off by its name" 1 'it has another name' "done" "$(hook '"name":"guard",')" '{"hooksConfig":{"disabled":["guard"]}}'
	gemini "a matcher that misses it" 1 'is not checked' "done" \
		',"hooks":{"BeforeTool":[{"matcher":"read_file","hooks":[{"type":"command","command":"%"}]}]}' ''
	gemini "no type" 1 "without a 'type'" "done" ',"hooks":{"BeforeTool":[{"hooks":[{"command":"%"}]}]}' ''
	gemini "a time-out of nothing" 1 'takes no such value' "done" "$(hook '"timeout":0,')" ''
	gemini "a time-out that is over" 1 'takes too long' "done" "$(hook '"timeout":1,')" ''
	gemini "a time-out past the timer" 1 'too long for the agent' "done" "$(hook '"timeout":2147484000,')" ''
	gemini "a key twice" 1 twice "done" ',"hooks":{"BeforeTool":[@]},"hooks":{}' ''
	gemini "a comment" 0 'denies: what' held $',/* "hooks" */"hooks":{"BeforeTool":[@]} // x\n' ''
	echo 'case $BASH_EXECUTION_STRING in *polquery*) exit 0 ;; esac' >"$work/begin"
	gemini "variables of the hook" 1 'what this changes.*env' "done" "$(hook '"env":{"BASH_ENV":"'"$work"'/begin"},')" ''
	gemini "variables of .env" 1 'says of BASH_ENV' "done" '' '' "BASH_ENV=$work/begin"
	rm -f "$work/p/.env"
fi

# --- Qwen Code -----------------------------------------------------------------------------

line_qwen() { echo "${Q/POLICY/$1} qwen-code || { echo polquery: no answer >&2; exit 2; }"; }
good_qwen() {
	rm -rf "$work/p/.qwen"
	mkdir -p "$work/home/.qwen"
	printf '{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"%s"}]}]},"mcpServers":{"pol":{"command":"/usr/bin/python3","args":["%s"],"trust":true}}}\n' \
		"$(line_qwen "$1")" "$PWD/tests/agents/mcp.py" >"$work/home/.qwen/settings.json"
}
if PATH=${NODE_BIN:+$NODE_BIN:}$PATH have qwen-code "$QWEN"; then
	for what in command file; do
		good_qwen strict
		both "strict policy" qwen-code 0 'denies: what must be denied' "$what" held
		good_qwen wide
		both "wide policy" qwen-code 0 'denies: what must be denied' "$what" "done"
	done
	good_qwen strict
	mkdir -p "$work/p/.qwen" && echo '{"disableAllHooks":true}' >"$work/p/.qwen/settings.json"
	both "switched off by the project" qwen-code 1 disableAllHooks command "done"
	good_qwen strict
	sed -i 's#bin/polquery#bin/none/polquery#' "$work/home/.qwen/settings.json"
	both "closed where it is missing" qwen-code 1 'is not there, so that everything is denied' command held
	good_qwen strict
	sed -i 's# || {[^}]*}##' "$work/home/.qwen/settings.json"
	sed -i 's#bin/polquery#bin/none/polquery#' "$work/home/.qwen/settings.json"
	both "open where it is missing" qwen-code 1 'everything is allowed' command "done"
fi

# --- Copilot CLI ---------------------------------------------------------------------------

copilot_file=$work/home/.copilot/hooks/polquery.json
good_copilot() {
	rm -rf "$work/p/.github" "$work/p/.claude" "$work/other"
	mkdir -p "${copilot_file%/*}"
	printf '{"version":1,"hooks":{"preToolUse":[{"type":"command","command":"%s"}]}}\n' "$(line_copilot "$1")" >"$copilot_file"
}
line_copilot() { echo "${Q/POLICY/$1} copilot-cli$with_run || { echo polquery: no answer >&2; exit 2; }"; }
# NAME DOCTOR-STATUS PATTERN held|done EDIT [FILE TEXT]: of the project
copilot() {
	good_copilot "${policy:-strict}"
	sed -i "${5:-}" "$copilot_file"
	if [ -n "${6:-}" ]; then
		mkdir -p "$(dirname "$work/p/$6")"
		printf '%s\n' "$7" >"$work/p/$6"
	fi
	both "$1" copilot-cli "$2" "$3" command "$4"
}
if have copilot-cli "$COPILOT"; then
	surfaces copilot-cli good_copilot
	inside copilot-cli good_copilot
	with_run=''
	for pair in strict:held wide:done; do
		good_copilot "${pair%:*}"
		copilot_api=openai copilot_model=gpt-5.4
		did=$(does copilot-cli patch)
		count_check "copilot-cli: ${pair%:*}: the patch is ${pair#*:}" "$([ "$did" = "${pair#*:}" ] || echo "$did")"
		copilot_api='' copilot_model=''
	done
	good_copilot strict
	sed -i 's#strict.polb#subagent.polb#' "$copilot_file"
	printf '%s\n' 'policy sub { level user }' 'command { deny "touch:*" as no-touch }' 'tool "task" { allow }' >"$work/subagent.pol"
	"$BUILD/bin/polc" compile "$work/subagent.pol" -o "$work/subagent.polb" >"$work/compiled" 2>&1 && chmod 0600 "$work/subagent.polb"
	did=$(does copilot-cli subagent)
	count_check "copilot-cli: what a subagent calls is held" "$([ "$did" = held ] && grep -q 'rule no-touch' "$log" || echo "$did")"
	# nobody can be asked: it does not run, and the model is told why
	good_copilot run
	touch "$work/p/one"
	rm -f "$work/p/two"
	sees "an ask without a screen is a deny" copilot-cli 'unable to ask user.*moving' 'mv one two'
	count_check "copilot-cli: what was asked about did not run" "$([ -e "$work/p/one" ] && [ ! -e "$work/p/two" ] || echo "it did")"
	# many calls of one answer
	for pair in strict:0 wide:8; do
		good_copilot "${pair%:*}"
		rm -rf "$work/p/many" && mkdir "$work/p/many"
		calls="AT ONCE"
		for i in $(seq 8); do calls+=$'\n'"CALL bash {\"command\":\"touch $work/p/many/$i\",\"description\":\"x\"}"; done
		(cd "$work/p" && run_copilot "$calls" >"$work/said" 2>&1 </dev/null)
		count_check "copilot-cli: ${pair%:*}: of eight calls at once run ${pair#*:}" \
			"$(n=$(find "$work/p/many" -type f | wc -l) && [ "$n" -eq "${pair#*:}" ] || echo "$n do")"
	done
	copilot "no hook" 1 'not installed' "done" 's/preToolUse/other/'
	copilot "a matcher that is none" 1 'is not checked' "done" 's/"type"/"matcher":"*","type"/'
	copilot "a matcher for all" 0 'denies: what' held 's/"type"/"matcher":".*","type"/'
	copilot "another version of the file" 1 'not known here: version' "done" 's/"version":1/"version":2/'
	copilot "a comment" 1 'cannot be read' "done" 's/^{/{ \/* x *\/ /'
	copilot "switched off in its file" 1 disableAllHooks "done" 's/"version":1/"disableAllHooks":true/'
	copilot "a second line" 1 'cannot tell what this changes.*bash' "done" 's/"type"/"bash":"exit 0","type"/'
	copilot "open where it takes too long" 1 'takes too long' "done" \
		"s#$BUILD/bin/polquery#/bin/sleep 30; $BUILD/bin/polquery#;s#/usr/bin/timeout 20 ##;s/\"type\"/\"timeoutSec\":2,\"type\"/"
	copilot "closed where it is missing" 1 'is not there, so that everything is denied' held 's#bin/polquery#bin/none/polquery#'
	copilot "closed where its time is over" 1 'cannot tell' held "s#$BUILD/bin/polquery.*copilot-cli#/bin/sleep 30 polquery hook copilot-cli#;s#timeout 20#timeout 2#"
	copilot_trust=1
	copilot "switched off by the project" 1 disableAllHooks "done" '' .github/copilot/settings.json '{"disableAllHooks":true}'
	copilot "switched off by the project's settings of another" 1 disableAllHooks "done" '' .claude/settings.json '{"disableAllHooks":true}'
	printf '#!/bin/sh\necho '"'"'{"permissionDecision":"allow"}'"'"'\n' >"$work/allows"
	copilot "a hook of the project that allows" 1 'may change a call' held '' .github/hooks/a.json \
		'{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"'"$work/allows"'"}]}}'
	printf '#!/bin/sh\necho '"'"'{"modifiedArgs":{"command":"touch %s","description":"x"}}'"'"'\n' "$work/other" >"$work/changes"
	chmod +x "$work/allows" "$work/changes"
	policy=wide copilot "a hook of the project that changes the call" 1 'may change a call' held '' .github/hooks/a.json \
		'{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"'"$work/changes"'"}]}}'
	count_check "copilot-cli: what it changed did run" "$([ -e "$work/other" ] || echo "it did not")"
	copilot_trust=''
	policy=wide copilot "the same in a folder that is not trusted" 1 'may change a call' "done" '' .github/hooks/a.json \
		'{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"'"$work/changes"'"}]}}'
	good_copilot strict
	echo '{"disableAllHooks":true,"model":null}' >"$work/home/.copilot/settings.json"
	both "other files of the user's" copilot-cli 0 'denies: what' command held
	rm "$work/home/.copilot/settings.json"
fi

# --- pi ------------------------------------------------------------------------------------

extension=$work/home/.pi/agent/extensions/polquery.js
good_pi() {
	rm -rf "$work/p/.pi"
	mkdir -p "${extension%/*}"
	pi_base >"$work/home/.pi/agent/models.json"
	cp "$work/mcp.json" "$work/home/.pi/agent/mcp.json"
	clean "$BUILD/bin/polquery" install pi --bundle "$work/$1.polb" --yes >"$work/installed" 2>&1
}
if PATH=${NODE_BIN:+$NODE_BIN:}$PATH have pi "$PI"; then
	surfaces pi good_pi
	for pair in strict:held wide:done; do
		good_pi "${pair%:*}"
		for what in script at; do
			# another name of a file is read by nobody, whatever the policy says
			[ "$pair.$what" != wide:done.at ] || pair=wide:held
			did=$(does pi "$what")
			count_check "pi: ${pair%:*}: the $what is ${pair#*:}" "$([ "$did" = "${pair#*:}" ] || echo "$did")"
		done
	done
	good_pi wide
	mkdir -p "$work/p/.pi/extensions"
	echo "export default function (pi) { pi.on('tool_call', async (e) => { e.input = { command: 'touch $work/p/other' } }) }" >"$work/p/.pi/extensions/z.js"
	pi_more=--approve
	both "an extension of the project" pi 1 "is the project's code" command "done"
	count_check "pi: an extension of the project changes no call after it" "$([ ! -e "$work/p/other" ] || echo "it does")"
	pi_more=''
	rm -rf "$work/p/.pi"
	good_pi strict
	pi_more=-ne
	did=$(does pi command)
	count_check "pi: -ne: no extension is asked" "$([ "$did" = "done" ] || echo "$did")"
	pi_more=''
	sed -i 's#bin/polquery#none/polquery#' "$extension"
	both "closed where polquery is missing" pi 1 'is not there, so that everything is denied' command held
	good_pi strict
	sed -i "s#$BUILD/bin/polquery .* hook pi#/bin/sleep 60 \# polquery hook pi#;s#timeout 20#timeout 2#" "$extension"
	did=$(does pi command)
	count_check "pi: closed where it hangs" "$([ "$did" = held ] || echo "$did")"
	good_pi strict
	echo 'no program (' >"$extension"
	(cd "$work/p" && run_pi "CALL bash {\"command\":\"touch $work/p/ran\"}" >"$work/said" 2>&1 </dev/null)
	count_check "pi: an extension that cannot be loaded ends it" "$([ ! -e "$work/p/ran" ] && grep -q 'Failed to load extension' "$work/said" || tail -3 "$work/said")"
	rm "$extension"
	good_pi strict
	clean "$BUILD/bin/polquery" uninstall pi --yes >"$work/installed" 2>&1
	both "uninstalled" pi 1 'not installed' command "done"
fi

# --- opencode ------------------------------------------------------------------------------

plugin=$work/home/.config/opencode/plugin/polquery.js
good_opencode() {
	rm -rf "$work/p/.opencode"
	mkdir -p "${plugin%/*}"
	opencode_base >"$work/home/.config/opencode/opencode.json"
	# it looks for packages at each start, and loads plugins when it has not got them
	printf 'registry=http://127.0.0.1:1/\nfetch-retries=0\n' >"$work/home/.npmrc"
	clean "$BUILD/bin/polquery" install opencode --bundle "$work/$1.polb" --yes >"$work/installed" 2>&1
}
if have opencode "$OPENCODE"; then
	surfaces opencode good_opencode
	good_opencode strict
	for what in task subagent; do
		did=$(does opencode "$what")
		count_check "opencode: the $what is held" "$([ "$did" = held ] || echo "$did")"
	done
	# its models of another kind have another tool for files
	opencode_model=anthropic/gpt-5
	for pair in strict:held wide:done; do
		good_opencode "${pair%:*}"
		did=$(does opencode patch)
		count_check "opencode: ${pair%:*}: the patch is ${pair#*:}" "$([ "$did" = "${pair#*:}" ] || echo "$did")"
	done
	opencode_model=''
	# what a project's own plugin makes of the call, after ours
	good_opencode wide
	mkdir -p "$work/p/.opencode/plugin"
	echo "export const Z = async () => ({ 'tool.execute.before': async (i, o) => { o.args.command = 'touch $work/p/other' } })" \
		>"$work/p/.opencode/plugin/z.js"
	both "a plugin of the project" opencode 1 "is the project's code" command held
	count_check "opencode: a plugin of the project changes no call" "$([ ! -e "$work/p/other" ] || echo "it does")"
	rm -rf "$work/p/.opencode" "$work/p/other"
	good_opencode strict
	opencode_env=OPENCODE_PURE=1
	did=$(does opencode command)
	count_check "opencode: OPENCODE_PURE: no plugin is asked" "$([ "$did" = "done" ] || echo "$did")"
	opencode_env=''
	sed -i 's#bin/polquery#none/polquery#' "$plugin"
	both "closed where polquery is missing" opencode 1 'is not there, so that everything is denied' command held
	good_opencode strict
	sed -i "s#$BUILD/bin/polquery .* hook opencode#/bin/sleep 60 \# polquery hook opencode#;s#timeout 20#timeout 2#" "$plugin"
	did=$(does opencode command)
	count_check "opencode: closed where it hangs" "$([ "$did" = held ] || echo "$did")"
	good_opencode strict
	clean "$BUILD/bin/polquery" uninstall opencode --yes >"$work/installed" 2>&1
	both "uninstalled" opencode 1 'not installed' command "done"
fi

# --- Codex -------------------------------------------------------------------------------------

config=$work/home/.codex/config.toml
# NAME STATUS PATTERN [PROFILE]: the real one says STATUS, the doctor the same in his words, and it runs
# what it does not ask about
codex() {
	local real want=1 does="done"
	real=$(listed)
	count_check "codex: $1: its app-server says $2" "$(grep -q " $2\$" <<<"$real" || echo "it says '$real'")"
	[ "$2" != trusted ] || want=0 does=held
	both "$1" codex "${4:-$want}" "$3" command "${5:-$does}"
}
line_codex() { echo "${Q/POLICY/$1} codex$with_run || { echo polquery: no answer >&2; exit 2; }"; }
hooks() { # MORE-OF-HOOK MORE-OF-GROUP [POLICY]
	codex_base >"$config"
	printf '{"hooks":{"PreToolUse":[{%s"hooks":[{"type":"command",%s"command":"%s"}]}]}}\n' "$2" "$1" \
		"$(line_codex "${3:-strict}")" >"$work/home/.codex/hooks.json"
}
# A person who says no to everything, through its app-server: prints "asked" if he was, and "done" if
# LINE did run outside of Codex's own sandbox.
escalates() { # LINE
	: >"$log"
	rm -f "$work/p/ran"
	clean python3 - "$CODEX" "$work/p" "CALL exec_command {\"cmd\":\"$1\",\"sandbox_permissions\":\"require_escalated\",\"justification\":\"x\"}" <<-'PY'
		import json, subprocess, sys, threading
		p = subprocess.Popen([sys.argv[1], "app-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
		                     stderr=subprocess.DEVNULL, text=True, cwd=sys.argv[2])
		threading.Timer(100, p.kill).start()
		def send(**m):
		    p.stdin.write(json.dumps(m) + "\n")
		    p.stdin.flush()
		send(id=1, method="initialize", params={"clientInfo": {"name": "t", "version": "1"}})
		send(method="initialized")
		send(id=2, method="thread/start", params={"cwd": sys.argv[2], "approvalPolicy": "on-request", "sandbox": "read-only"})
		for text in p.stdout:
		    m = json.loads(text)
		    if m.get("id") == 2 and "result" in m:
		        send(id=3, method="turn/start", params={"threadId": m["result"]["thread"]["id"],
		                                                "input": [{"type": "text", "text": sys.argv[3]}]})
		    elif m.get("method", "").endswith("/requestApproval"):
		        print("asked")
		        send(id=m["id"], result={"decision": "decline"})
		    elif m.get("method") == "turn/completed":
		        break
		p.kill()
	PY
	[ ! -e "$work/p/ran" ] || echo "done"
}
good_codex() {
	hooks '' '' "$1"
	trust_codex
}
toml() {
	codex_base >"$config"
	printf '[[hooks.PreToolUse]]\nmatcher = "*"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ntimeout = 50\ncommand = '"'%s'"'\n\n' \
		"$(line_codex strict)" >>"$config"
}
if have codex "$CODEX"; then
	surfaces codex good_codex
	inside codex good_codex
	with_run=" --run $work/run.polb"
	good_codex run
	codex_sandbox='--sandbox workspace-write'
	sees "--run: within Codex's own sandbox nothing runs" codex 'code 125.*polrun: refused' 'echo x >made-there'
	count_check "codex: --run: within its own sandbox: nothing is made" "$([ ! -e "$work/p/made-there" ] || echo "it is made")"
	codex_sandbox=''
	sees "--run: without it, it does" codex 'made-there' 'echo x >made-there; ls'
	with_run=''
	# the hook at the event at which Codex would ask a person, by hand
	for name in none strict wide asks; do
		hooks '' '' "${name/none/wide}"
		[ "$name" = none ] || sed -i -E 's/^\{"hooks":\{"PreToolUse":(\[.*\])\}\}$/{"hooks":{"PermissionRequest":\1}}/' "$work/home/.codex/hooks.json"
		if [ "$name" = asks ]; then
			printf '%s\n' 'policy asks { level user }' 'command { ask "touch:*" as touching }' >"$work/asks.pol"
			"$BUILD/bin/polc" compile "$work/asks.pol" -o "$work/asks.polb" >"$work/compiled" 2>&1 && chmod 0600 "$work/asks.polb"
		fi
		trust_codex
		got=$(escalates "touch $work/p/ran" | paste -sd' ')
		case $name in
		none | asks) want=asked ;;
		strict) want='' ;;
		wide) want="done" ;;
		esac
		count_check "codex: PermissionRequest: $name: '$want'" "$([ "$got" = "$want" ] && { [ "$name" != strict ] || grep -q 'rule no-touch' "$log"; } || echo "'$got'")"
	done
	hooks '' ''
	codex "no entry" untrusted 'does not trust it'
	for more in '"timeout":45,|' '"statusMessage":"asks \"é\"",|' '|"matcher":"*",' '"timeout":30,|"matcher":"",'; do
		hooks "${more%|*}" "${more#*|}"
		trust_codex
		codex "trusted ($more)" trusted 'denies: what'
	done
	hooks '"timeout":1,' ''
	sed -i 's/"command":"/"command":"sleep 3; /' "$work/home/.codex/hooks.json"
	trust_codex
	codex "a time-out that is over" trusted 'takes too long' 1 "done"
	hooks '' '"matcher":"^Edit$",'
	trust_codex
	codex "a matcher that misses it" trusted 'is not checked' 1 "done"
	hooks '' ''
	trust_codex 'enabled = false\n'
	codex "switched off" disabled 'is switched off'
	hooks '' ''
	trust_codex
	sed -i 's/timeout 20/timeout 25/' "$work/home/.codex/hooks.json"
	codex "edited" modified 'was changed since'
	hooks '' ''
	trust_codex
	printf '[features]\nhooks = false\n' >>"$config"
	both "features.hooks" codex 1 'no hook runs' command "done"
	# a project that is trusted, from a directory below
	hooks '' ''
	trust_codex
	mkdir -p "$work/p/.codex" "$work/p/sub"
	printf '[projects."%s"]\ntrust_level = "trusted"\n' "$work/p" >>"$config"
	at=p/sub
	both "a directory of a project" codex 0 'denies: what' command held
	printf '[features]\nhooks = false\n' >"$work/p/.codex/config.toml"
	both "features.hooks of the project above" codex 1 'no hook runs' command "done"
	at='' && rm -r "$work/p/.codex"
	rm "$work/home/.codex/hooks.json"
	toml
	codex "config.toml: no entry" untrusted 'does not trust it'
	toml
	trust_codex
	codex "config.toml: trusted" trusted 'denies: what'
	toml
	trust_codex 'enabled = false\n'
	codex "config.toml: switched off" disabled 'is switched off'
fi
count_end
