#!/usr/bin/env bash
# polquery hook: the agents' messages, written from their public pages, and what is
# left of them where the bundle or polquery itself is not there.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
raw_policy 'policy agent { level user }
command { allow "npm run test:*"
          ask "git push:*" because "publishes code" as publishing
          deny "curl:*" because "use the fetch tool" as no-raw-http }
file { deny read, write "${PROJECT_DIR}/secret" as secret
       deny write "${PROJECT_DIR}/locked" as read-only
       allow read, write "${PROJECT_DIR}" }
tools { allow "read_*", "mcp__*__read_*", "Grep", "glob", "search_file_content", "Monitor", "LSP", "SendFile",
              "view_image", "StrReplace", "EditNotebook", "ApplyPatch", "Agent"
        deny "*shell" as no-shells
        deny "Glob" as no-globs }' policy
B=$WORK/policy.polb
# as each client does for its hooks
unset AI_AGENT
export CLAUDE_PROJECT_DIR=$P GEMINI_PROJECT_DIR=$P CURSOR_PROJECT_DIR=$P QWEN_PROJECT_DIR=$P COPILOT_PROJECT_DIR=$P
cd "$P" || exit 1
mkdir -p "$P/.git" "$P/src" "$P/locked"
: >"$P/secret"
: >"$P/plain"
: >"$P/locked/x"
ln -s "$P/secret" "$P/link"

replay() { # AGENT BUNDLE [ONLY]: ONLY: each answer is a deny that says so
	out=$(python3 "$top/tests/lib/hook_replay.py" "$1" "$top/tests/lib/hooks/$1.tsv" "$P" \
		"$BIN/polquery" -b "$2" ${3:+-- "$3"} 2>&1)
	[ -z "$out" ] || bad "$1"
}

for agent in claude-code codex gemini-cli cursor qwen-code opencode copilot-cli pi; do
	t "$agent: its messages get its answers"
	replay "$agent" "$B"

	t "$agent: a bundle that is missing, damaged or not trusted denies"
	replay "$agent" "$WORK/none.polb" 'cannot be opened'
	head -c 3000 "$B" >"$WORK/cut.polb"
	replay "$agent" "$WORK/cut.polb" "bundle '"
	out=$(grep -v '^#' "$top/tests/lib/hooks/$agent.tsv" | head -n 1 | cut -f 3 | sed "s|@P@|$P|g" |
		"$BIN/polquery" -b "$B" --require-signed hook "$agent")
	rc=$?
	want_rc 0
	want_out "deny.*not signed"

	t "$agent: what the settings say blocks, where polquery is not there or ends otherwise"
	message=$(grep -v '^#' "$top/tests/lib/hooks/$agent.tsv" | head -n 1 | cut -f 3 | sed "s|@P@|$P|g")
	# the control: with it, the message is allowed
	out=$(PATH=$BIN:$PATH sh -c "polquery -b $B hook $agent || exit 2" <<<"$message")
	rc=$?
	want_rc 0
	[[ $out == *allow* || $out == "{}" ]] || bad "the control"
	for path in /usr/bin:/bin "$WORK/fake:/usr/bin:/bin"; do
		mkdir -p "$WORK/fake"
		printf '#!/bin/sh\nkill -SEGV $$\n' >"$WORK/fake/polquery"
		chmod 755 "$WORK/fake/polquery"
		out=$(PATH=$path sh -c "polquery -b $B hook $agent || exit 2" <<<"$message" 2>/dev/null)
		rc=$?
		want_rc 2
		[ -z "$out" ] || bad "something is said"
	done
	for args in "" "-b" "-b $B --scpe x"; do
		# shellcheck disable=SC2086
		err=$("$BIN/polquery" $args hook "$agent" 2>&1 >/dev/null <<<"$message")
		rc=$?
		want_rc 2
		want_err '^polquery: '
	done
	"$BIN/polquery" -b "$B" hook "$agent" <<<"$message" >/dev/full 2>"$WORK/.err"
	rc=$?
	want_rc 2
done

t "an agent without a name that we know blocks; a field may be ignored by name"
for args in "hook" "hook copilot" "hook claude-code ''"; do
	err=$(eval "\"$BIN/polquery\" -b \"$B\" $args" 2>&1 </dev/null)
	rc=$?
	want_rc 2
done
message='{"cwd":"'$P'","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"npm run test","new_one":1}}'
out=$("$BIN/polquery" -b "$B" hook claude-code <<<"$message")
want_out '"deny".*new_one'
out=$("$BIN/polquery" -b "$B" hook claude-code new_one <<<"$message")
want_out '"permissionDecision":"allow"'
out=$("$BIN/polquery" -b "$B" hook claude-code new_one <<<"${message/npm run test/curl x}")
want_out '"permissionDecision":"deny"'

message='{"cwd":"'$P'","permission_mode":"auto","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"}}'
out=$("$BIN/polquery" -b "$B" hook claude-code <<<"$message")
want_out '"permissionDecision":"deny".*mode .auto'
out=$("$BIN/polquery" -b "$B" hook claude-code permission_mode <<<"$message")
want_out '"permissionDecision":"ask"'

t "in the mode auto a Claude Code asks that is new enough, unless the project may have said so"
mkdir -p "$P/.claude"
auto() { # AI_AGENT WANT
	out=$(AI_AGENT=$1 "$BIN/polquery" -b "$B" hook claude-code <<<"$message")
	[[ $out == *'"permissionDecision":"'"$2"'"'* ]] || bad "AI_AGENT=$1: not $2"
}
for name in 2-1-331 2-1-332_harness 2-2-0 3-0-0; do auto "claude-code_$name" ask; done
for name in claude-code_2-1-330 claude-code_2-1-197_harness claude-code_1-9-999 claude-code_2-1 claude-code_x claude-code_ '' 2-1-332 \
	codex_2-1-332 claude-code_2-1-99999999999999999999 claude-code_2.1.332 claude-code_-2-1-332; do auto "$name" deny; done
for file in settings.json settings.local.json; do
	echo '{"env":{"A":"1"}}' >"$P/.claude/$file"
	auto claude-code_2-1-332 ask
	for text in '{"env":{"AI_AGENT":"x"}}' '{"env":{"AI\u005fAGENT":"x"}}'; do
		echo "$text" >"$P/.claude/$file"
		auto claude-code_2-1-332 deny
	done
	rm "$P/.claude/$file"
done
message=${message/git push/npm run test}

t "an address is asked about at the port at which it is fetched"
raw_policy 'policy agent { level user }
command { otherwise ask }
network limited { allow tcp "192.0.2.1" port 80 as plain
                  allow tcp "192.0.2.2" port 443 as secret
                  allow tcp "192.0.2.3" port 80, 443, 8080 as both }' net
fetch() { # ADDRESS WANT
	out=$("$BIN/polquery" -b "$WORK/net.polb" hook claude-code <<<'{"cwd":"'"$P"'","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"WebFetch","tool_input":{"url":"'"$1"'","prompt":"x"}}')
	[[ $out == *'"permissionDecision":"'"$2"'"'* ]] || bad "$1 is not $2"
}
fetch http://192.0.2.1/ deny
fetch http://192.0.2.1:80/ deny
fetch http://192.0.2.2/ deny
fetch https://192.0.2.1/ deny
fetch https://192.0.2.2/ allow
fetch http://192.0.2.3/ allow
fetch http://192.0.2.3:8080/ allow

t "an image has an entry point of its own, and who asks says so"
raw_policy 'policy agent { level user }
command { otherwise allow  opaque ask  deny "rm:*" }' image
runs() { # LINE WANT REASON
	out=$("$BIN/polquery" -b "$WORK/image.polb" hook claude-code <<<'{"cwd":"'"$P"'","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"'"$1"'"}}')
	[[ $out == *'"permissionDecision":"'"$2"'"'* && $out =~ $3 ]] || bad "$1 is not $2 with '$3'"
}
for name in docker podman nerdctl; do
	runs "$name run alpine" ask "$name run alpine.*: the image.s own entry point runs, which is not known"
	runs "$name run --rm -it alpine ls" ask "the image.s own entry point runs, which is not known"
	runs "$name run --rm --entrypoint ls alpine" ask 'a command in another file system'
	runs "$name run --rm alpine rm -rf /" deny 'rm -rf /'
	runs "$name images" allow ''
done

t "what is published is files, an address and a tool"
raw_policy 'policy agent { level user }
file { deny read "${PROJECT_DIR}/secret" as secret  allow read, write "${PROJECT_DIR}" }
network limited { allow tcp any port 443 }
tools { allow "Artifact" }' artifact
artifact() { # INPUT WANT
	out=$("$BIN/polquery" -b "$WORK/artifact.polb" hook claude-code <<<'{"cwd":"'"$P"'","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Artifact","tool_input":'"$1"'}')
	[[ $out == *'"permissionDecision":"'"$2"'"'* ]] || bad "$1 is not $2"
}
artifact '{"file_path":"plain","favicon":"x"}' allow
artifact '{"file_paths":["plain","src/a"],"out_dir":"src"}' allow
artifact '{"file_path":"plain","url":"https://claude.ai/public/x"}' allow
artifact '{"file_path":"plain","url":"http://claude.ai:8080/x"}' deny
artifact '{"file_path":"secret"}' deny
artifact '{"file_path":"plain","file_paths":["secret"]}' deny
artifact '{"file_path":"plain","new_field":1}' ask

t "reading a path by the agent's tool and by a shell line is answered alike"
raw_policy 'policy agent { level user }
command { allow "{cat|head|grep|mytool} **" otherwise ask }
file { allow read, write "${PROJECT_DIR}"
       ask read "${PROJECT_DIR}/asked" because "a question" as asks
       deny read "${PROJECT_DIR}/denied" as denies
       hide "${PROJECT_DIR}/hidden" as hides }' alike
mkdir -p "$P/asked" "$P/denied" "$P/hidden"
for d in asked denied hidden src; do : >"$P/$d/x"; done
ln -sfn asked/x "$P/to-asked"
answer() { # TOOL FIELD VALUE
	out=$("$BIN/polquery" -b "$WORK/alike.polb" hook claude-code <<<'{"cwd":"'"$P"'","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"'"$1"'","tool_input":{"'"$2"'":"'"$3"'"}}')
	out=${out#*'"permissionDecision":"'}
	said=${out%%'"'*}
}
for row in asked/x=ask asked=ask to-asked=ask denied/x=deny hidden/x=deny src/x=allow plain=allow; do
	answer Read file_path "$P/${row%=*}"
	[ "$said" = "${row#*=}" ] || bad "Read ${row%=*}: $said"
	for line in "cat ${row%=*}" "cat $P/${row%=*}" "cat < ${row%=*}" "head -n 1 plain ${row%=*}" "cat plain; cat ${row%=*} | head" "grep x ${row%=*}"; do
		answer Bash command "$line"
		[ "$said" = "${row#*=}" ] || bad "$line: $said"
	done
done
# what may hold such a path, and what names it to a program that no table knows
for line in 'cat ask*/x' 'grep -r x .' 'grep -r x asked' 'mytool asked/x' 'mytool --in=asked/x'; do
	answer Bash command "$line"
	[ "$said" = ask ] || bad "$line: $said"
done
answer Bash command 'grep -r x src'
[ "$said" = allow ] || bad "grep -r x src: $said"

t "an agent's own tools: std/agent allows what changes the session only"
raw_policy 'policy agent { level user }
use std/agent/claude-code, std/agent/gemini-cli
tools { allow "WebSearch" }' tools
tool() { # AGENT TOOL WANT PATTERN
	local event='"permission_mode":"default","hook_event_name":"PreToolUse"'
	[ "$1" = claude-code ] || event='"hook_event_name":"BeforeTool"'
	out=$("$BIN/polquery" -b "$WORK/tools.polb" hook "$1" <<<'{"cwd":"'"$P"'",'"$event"',"tool_name":"'"$2"'","tool_input":{}}')
	[[ $out =~ ecision\":\"$3\" && $out =~ $4 ]] || bad "$2 is not $3 with '$4'"
}
for name in TaskCreate Agent ToolSearch ListAgents ReportFindings ScheduleWakeup WebSearch AskUserQuestion ExitPlanMode; do
	tool claude-code $name allow ''
done
for name in Skill Workflow EnterWorktree NewTool; do
	tool claude-code $name ask "'tool $name'.*to let it pass, a user.s policy can say: tools . allow ..$name"
done
tool gemini-cli update_topic allow ''
tool gemini-cli enter_plan_mode allow ''
tool gemini-cli google_web_search deny 'to let it pass, a user.s policy can say: tools . allow ..google_web_search'

t "an agent's own files: std/agent opens these, and no settings, hooks or transcripts"
raw_policy 'policy agent { level user }
use std/profile/project, std/agent/claude-code, std/agent/gemini-cli' ownfiles
own_file() { # TOOL PATH WANT
	out=$("$BIN/polquery" -b "$WORK/ownfiles.polb" hook claude-code <<<'{"cwd":"'"$P"'","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"'"$1"'","tool_input":{"file_path":"'"$2"'"'"$([ "$1" = Read ] || echo ',"content":""')"'}}')
	[[ $out == *'"permissionDecision":"'"$3"'"'* ]] || bad "$1 $2 is not $3"
}
# as 2.1.332 and 0.61.0 name them
for f in .claude/projects/-x/s1/tool-results/b1.txt .gemini/tmp/x/tool-outputs/session-1/a.txt; do
	own_file Read "$HOME/$f" allow
	own_file Write "$HOME/$f" deny
done
own_file Read /tmp/claude-0/-x/s1/tasks/b1.output allow
own_file Write /tmp/claude-0/-x/s1/tasks/b1.output deny
own_file Write /tmp/claude-0/-x/s1/scratchpad/a allow
for f in .claude/plans/a.md .gemini/tmp/x/s1/plans/a.md; do
	own_file Read "$HOME/$f" allow
	own_file Write "$HOME/$f" allow
done
for f in .claude/projects/-x/memory/MEMORY.md .gemini/tmp/x/memory/a.md; do
	own_file Read "$HOME/$f" allow
	own_file Write "$HOME/$f" ask
done
for f in .claude/settings.json .claude/CLAUDE.md .claude/projects/-x/s1.jsonl .gemini/settings.json .gemini/tmp/x/chats/a.json .gemini/tmp/x/memory/skills/a/SKILL.md; do
	own_file Read "$HOME/$f" deny
	own_file Write "$HOME/$f" deny
done
for f in .claude/plans/a.sh .claude/projects/-x/memory/hooks/a.sh .claude/skills/a/SKILL.md; do own_file Write "$HOME/$f" deny; done

t "17 MiB, and half a message, block"
{ printf '{"cwd":"'; head -c 17825792 /dev/zero | tr '\0' x; printf '"}'; } |
	"$BIN/polquery" -b "$B" hook claude-code >"$WORK/.out" 2>"$WORK/.err"
rc=${PIPESTATUS[1]}
want_rc 2
[ ! -s "$WORK/.out" ] || bad "an answer"
for n in 1 20 60 100; do
	out=$(head -c "$n" <<<"$message" | "$BIN/polquery" -b "$B" hook claude-code 2>/dev/null)
	rc=$?
	want_rc 2
	[ -z "$out" ] || bad "$n bytes have an answer"
done

t "a bundle and a list of signers that the agent may write decide nothing"
mkdir -p "$P/conf" "$P/.pol" "$WORK/own"
raw_policy 'policy agent { level user }
command { allow "{cp|cat|mv|polc} **" otherwise ask }
file { deny write "${PROJECT_DIR}/closed"
       allow read, write "${PROJECT_DIR}" }
tools { allow "*" }' own
mkdir -p "$P/closed"
for d in "$P" "$P/conf" "$P/closed" "$P/.pol" "$WORK/own"; do
	cp "$WORK/own.polb" "$d/agent.polb"
	chmod 600 "$d/agent.polb"
done
: >"$P/conf/signers"
ln -sfn "$WORK/own" "$P/conf/dir"
own() { # BUNDLE WANT ARGS…
	local b=$1 want=$2 tool
	shift 2
	for tool in Bash,command,"cp evil.polb $b" Bash,command,'cat plain' Write,file_path,"$P/plain" Read,file_path,"$P/plain"; do
		out=$("$BIN/polquery" -b "$b" "$@" hook claude-code <<<'{"cwd":"'"$P"'","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"'"${tool%%,*}"'","tool_input":{"'"$(cut -d, -f2 <<<"$tool")"'":"'"${tool##*,}"'"'"$([[ $tool != Write* ]] || echo ',"content":""')"'}}')
		if [ "$want" = deny ]; then
			[[ $out == *'"permissionDecision":"deny"'*'lies where the policy lets the agent write'* ]] || bad "$b: $tool"
		else
			[[ $out != *'lies where the policy'* ]] || bad "$b: $tool"
			# the control: only the bundle itself is out of reach
			[[ $tool == *cp* || $out == *'"permissionDecision":"allow"'* ]] || bad "$b: $tool"
			[[ $tool != *cp* || $out != *'"permissionDecision":"allow"'* ]] || bad "$b: $tool"
		fi
	done
}
own "$P/agent.polb" deny
own "$P/conf/agent.polb" deny
own conf/agent.polb deny
own "$P/conf/dir/agent.polb" deny
own "$P/closed/agent.polb" allow
own "$P/.pol/agent.polb" allow
own "$WORK/own/agent.polb" allow
out=$("$BIN/polquery" -b "$WORK/own/agent.polb" --allowed-signers "$P/conf/signers" hook claude-code <<<"$message")
want_out '"deny"'

t "an agent's Write to what git goes on with is denied; git as a command, reading it and its neighbours are not"
raw_policy 'policy agent { level user }
command { allow "git rebase --continue" }
file { allow read, write "${PROJECT_DIR}" }
tools { allow "*" }' state
ask_claude() { # TOOL FIELD VALUE
	out=$("$BIN/polquery" -b "$WORK/state.polb" hook claude-code <<<'{"cwd":"'"$P"'","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"'"$1"'","tool_input":{"'"$2"'":"'"$3"'"'"$([ "$1" != Write ] || echo ',"content":""')"'}}')
}
for name in rebase-merge/git-rebase-todo rebase-merge/strategy rebase-apply/0001 sequencer/opts worktrees/w/rebase-merge/git-rebase-todo \
	modules/a/b/sequencer/todo remotes/origin; do
	ask_claude Write file_path "$P/.git/$name"
	want_out '"permissionDecision": ?"deny".*git would run what it names later'
done
ask_claude Read file_path "$P/.git/rebase-merge/git-rebase-todo"
no_out '"deny"'
ask_claude Write file_path "$P/.git/MERGE_MSG"
no_out '"deny"'
ask_claude Bash command 'git rebase --continue'
no_out '"deny"'

done_
