#!/usr/bin/env bash
# polquery hook --run: what is allowed is handed back so that it runs under polrun, and does
# the same there, except for what the walls forbid.
# week: once a week, as root and as a user in turn
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
RULES='file { deny read "${PROJECT_DIR}/.env" as secret  deny write "${PROJECT_DIR}/locked" as shut }
command { ask "mv:*" as moving  deny "curl:*" because "no" as no-net }'
policy "$RULES" p
policy '' open
B=$WORK/p.polb
mkdir -p "$P/.git" "$P/src/a b" "$P/made" "$P/locked" "$HOME/other/.git"
chmod 777 "$P/made"
echo TOPSECRET >"$P/.env"
: >"$P/locked/x"
inside() { # AGENT VERB [LINE]
	python3 "$top/tests/lib/hook_inside.py" "$BIN/polquery" "$B" "$@"
}

cat >"$WORK/lines" <<'LINES'
'echo hi'
'true'
'false'
'exit 3'
'(exit 7)'
'kill -TERM $$'
'echo a; echo b >&2; false'
'echo "it\'s" \'a "b"\' $((1+2)) \\$HOME `echo x` !! {a,b}'
'printf "%s\\n" "\'\'" \'\' "\'\'\'"'
"echo ''''"
"'echo' 'a'"
"echo '\\'\"'\""
'echo one\necho two\n\n'
'cat <<\'EOF\'\nit\'s $X `no`\nEOF\n'
'cat <<EOF | tr a-z A-Z\nsum $((2*3))\nEOF'
"cat <<'A' > made/f; cat made/f\nx'y\nA"
'read x; echo "got $x"'
'cat'
'echo \u00e9\u20ac\U0001f600; printf %s \u00e9 | wc -c'
'for i in 1 2 3; do echo $i; done | tail -n 1'
'if [ -d src ]; then echo yes; else echo no; fi'
'f() { echo in f "$1"; }; f x'
'set -e; false; echo not here'
'echo x > made/a && cat made/a'
'cd src && pwd -P | sed "s,.*/,,"'
'cd "src/a b" && echo $OLDPWD; cd - | sed "s,.*/,,"; ls -d src'
'cd none && echo here'
'cd none || echo there; echo $?'
'echo a & wait; echo b'
'# only a comment'
'echo a # comment \' unbalanced'
'[[ abc == a* ]] && echo bash'
'echo "${BASH_VERSION:+bash}" ${x:-none}'
'echo $0'
'echo a\\\nb'
'-x 2>&1; echo $?'
'echo \t tab\ttab'
'yes | head -n 2'
'exec echo replaced'
"printf 'a\\0b' | od -An -c"
'alias ls="echo no"; ls -d src'
'sh -c \'echo "$0" "$@"\' a "b c"'
LINES
t "a line does inside what it does outside: output, status, input, files"
for agent in claude-code codex gemini-cli; do
	out=$(cd "$P" && inside "$agent" same <"$WORK/lines" 2>&1)
	[ -z "$out" ] || bad "$agent"
done

t "whatever the line is, polrun gets its bytes"
raw_policy 'policy r { base none }
command { otherwise allow  opaque allow }
file { otherwise read allow  allow write "${PROJECT_DIR}" }' r
mkdir -p "$WORK/fake"
cp "$BIN/polquery" "$WORK/fake/polquery"
printf '#!/bin/sh\nfor last; do :; done\nprintf %%s "$last" >"$POL_GOT"\n' >"$WORK/fake/polrun"
chmod 755 "$WORK/fake/polrun"
out=$(cd "$P" && POL_GOT=$WORK/got python3 "$top/tests/lib/hook_inside.py" "$WORK/fake/polquery" "$WORK/r.polb" claude-code \
	random 300 "${SEED:-$RANDOM}" 2>&1)
[ -z "$out" ] || bad "random lines"

t "an ask runs inside after a yes, a deny and what only a person may answer do not"
out=$(inside claude-code line 'mv a b')
want_out ' --yes -c .mv a b.$'
out=$(inside claude-code effect 'mv a b')
want_out '^ask .*rule moving'
out=$(inside claude-code line 'echo a')
no_out '--yes'
: >"$P/made/a" && chmod 666 "$P/made/a"
eval "$(inside claude-code line 'mv made/a made/b')"
[ -e "$P/made/b" ] || bad "a yes was not enough"
eval "$(inside claude-code line 'mv made/b made/c' | sed 's/ --yes / /')" 2>/dev/null
rc=$?
want_rc 126
out=$(inside claude-code effect 'curl x')
want_out '^deny .*no .rule no-net'
out=$(inside claude-code line 'curl x')
[ -z "$out" ] || bad "a denied line is handed back"
for agent in codex gemini-cli; do
	out=$(inside $agent effect 'mv a b')
	want_out '^deny .*the policy asks first'
	out=$(inside $agent line 'mv a b')
	[ -z "$out" ] || bad "$agent: a denied line is handed back"
done
policy 'command { opaque ask }' p
out=$(inside claude-code effect '$X')
want_out '^deny .*asks only at a terminal'
policy "$RULES" p

t "what no text shows is behind the walls"
mkdir -p "$P/made" && cd "$P" || exit 1
read_env="python3 -c \"print(open('.e' + 'nv').read())\""
out=$(bash -c "$read_env" 2>&1) # the control
want_out TOPSECRET
for agent in claude-code codex gemini-cli; do
	line=$(inside $agent line "$read_env")
	[ -n "$line" ] || bad "$agent: the line is not allowed"
	out=$(bash -c "$line" 2>&1)
	rc=$?
	want_rc 1
	no_out TOPSECRET
done

t "a line that names polrun itself is a line like any other"
chmod 600 "$WORK/open.polb"
free="'$BIN/polrun' --project '$P' --bundle '$WORK/open.polb' --ask=deny -c 'cat .env'"
out=$(bash -c "$free" 2>&1) # the control: that bundle lets it be read
want_out TOPSECRET
for l in "$free" "$(inside claude-code line "$read_env")" "$free # $B"; do
	line=$(inside claude-code line "$l")
	[[ $line == "'$BIN/polrun' --project '$P' --bundle '$B' --ask=deny -c "* ]] || bad "it is not wrapped: $line"
	out=$(bash -c "$line" 2>&1)
	no_out TOPSECRET
done

t "an agent that runs the line elsewhere gets no other walls"
line=$(inside codex line 'touch made/here; touch '"$HOME"'/other/there')
(cd "$P" && bash -c "$line") >/dev/null 2>&1
[ -e "$P/made/here" ] || bad "the control: nothing is made in the project"
(cd "$HOME/other" && bash -c "$(inside codex line "touch $HOME/other/there" 2>/dev/null)") >/dev/null 2>&1
: # that one asked there: another project.  The line of this project, run there:
rm -f "$HOME/other/there"
(cd "$HOME/other" && bash -c "$line") >/dev/null 2>&1
[ ! -e "$HOME/other/there" ] || bad "it wrote in another project"

t "a directory persists where the agent's shell keeps it"
mkdir -p "$P/src/deep"
# as Claude Code: the directory is taken over if the line succeeds
keep() { # LINE: prints the directory afterwards
	local line
	line=$(cd "$P" && inside claude-code line "$1")
	(cd "$P" && bash -c 'eval "$1" && pwd -P > "$2"' _ "$line" "$WORK/cwd") >"$WORK/.out" 2>"$WORK/.err" </dev/null
	cat "$WORK/cwd" 2>/dev/null
	rm -f "$WORK/cwd"
}
where() { # LINE WANT
	out=$(keep "$1")
	err=$(<"$WORK/.err")
	[ "$out" = "$2" ] || bad "after '$1' it is '$out', not '$2'"
}
where 'echo x' "$P"
where 'cd src' "$P/src"
where 'cd ./src/deep && ls' "$P/src/deep"
where 'cd "src/a b"; true' "$P/src/a b"
where "cd $P/src && echo x" "$P/src"
where 'cd src || exit 1' "$P"
where '(cd src)' "$P"
[[ $err != *"later commands"* ]] || bad "a subshell is said to move"
where 'cd src; cd deep' "$P"
want_err 'later commands start in the same directory'
where 'cd src && cd ..' "$P"
where 'pushd src' "$P"
want_err 'later commands'
where "cd $HOME/other; true" "$P"
want_err 'later commands'
where 'cd /; true' "$P"
where 'cd ..; true' "$P"
out=$(keep 'cd src && false')
[ -z "$out" ] || bad "a line that failed moved"
out=$(keep 'cd none && true')
[ -z "$out" ] || bad "a directory that is not there"
for agent in codex gemini-cli; do
	out=$(inside $agent line 'cd src')
	no_out builtin
done

t "no line moves the walls for the next one"
# a link in place of the directory that is followed
line=$(inside claude-code line "cd src/deep && (cd .. && rmdir deep && ln -s $HOME/other deep)")
(cd "$P" && bash -c 'eval "$1" && pwd -P > "$2"' _ "$line" "$WORK/cwd") >/dev/null 2>"$WORK/.err" </dev/null
rc=$?
want_rc 126
[ -L "$P/src/deep" ] || bad "the control: the link is not made"
[ ! -e "$WORK/cwd" ] || bad "it moved to $(<"$WORK/cwd")"
# the agent works there already, and it becomes a link
at() { # DIRECTORY AGENT LINE: the agent works there, and was started in the project
	python3 - "$@" "$P" "$BIN/polquery" "$B" <<-'PY'
		import json, os, subprocess, sys
		cwd, agent, line, project, polquery, bundle = sys.argv[1:]
		event, tool = ("BeforeTool", "run_shell_command") if agent == "gemini-cli" else ("PreToolUse", "Bash")
		doc = {"cwd": project if agent == "gemini-cli" else cwd, "hook_event_name": event, "tool_name": tool,
		       "tool_input": {"command": line}}
		if agent == "gemini-cli":
		    doc["tool_input"]["dir_path"] = cwd
		env = dict(os.environ, CLAUDE_PROJECT_DIR=project, GEMINI_PROJECT_DIR=project)
		print(subprocess.run([polquery, "hook", agent, "--run", bundle], input=json.dumps(doc), capture_output=True,
		                     text=True, env=env, cwd=project).stdout)
	PY
}
for agent in claude-code codex; do
	out=$(at "$P/src/deep" $agent 'echo a')
	want_out '"deny".*symbolic link'
done
out=$(at "$P/src/deep" gemini-cli 'touch there')
no_out "--project '$HOME/other'"
line=$(python3 -c 'import json,sys; d=json.loads(sys.argv[1]); print(d.get("hookSpecificOutput",{}).get("tool_input",{}).get("command","exit 9"))' "$out")
(cd "$P/src/deep" && bash -c "$line") >/dev/null 2>&1
[ ! -e "$HOME/other/there" ] || bad "it wrote in another project"
rm "$P/src/deep"
mkdir -p "$P/src/deep"
out=$(at "$HOME/other" claude-code 'echo a')
want_out '"deny".*not in the project in which'
# a directory that has become a project of its own has the walls of the whole one
mkdir -p "$P/src/.git"
out=$(at "$P/src" claude-code 'echo a')
want_out "\"allow\".*--project '$P' --bundle"
out=$(at "$P/src" gemini-cli 'echo a')
want_out "\"allow\".*--project '$P' --bundle"
rmdir "$P/src/.git"
# without knowing where the agent was started, nothing runs
out=$(cd "$P" && CLAUDE_PROJECT_DIR='' inside claude-code effect 'cd src')
want_out '^deny .*CLAUDE_PROJECT_DIR'

t "a line in the background is there until it ends"
line=$(inside claude-code line 'sleep 1.5 && echo late > made/late &')
[[ $line == *" &" ]] || bad "it is not in the background: $line"
bash -c "$line" >/dev/null 2>&1
rc=$?
want_rc 0
[ ! -e "$P/made/late" ] || bad "it was waited for"
within 20 test -s "$P/made/late" || bad "it did not run to its end"
for l in 'echo a & echo b &' 'echo a & echo b' 'echo "a &"' 'echo a \&' 'echo a &&
echo b' 'echo a # &' 'cat <<E &
x
E' '(echo a) &' 'echo a >&2'; do
	line=$(inside claude-code line "$l")
	[[ -n $line && $line != *" &" ]] || bad "'$l': $line"
done

t "no bundle, no polrun, a long line: denied"
for b in "$WORK/none.polb" p.polb; do
	out=$(B=$b inside claude-code effect 'echo a')
	want_out '^(deny|block) .*(cannot be opened|absolute)'
done
head -c 2000 "$WORK/p.polb" >"$WORK/cut.polb"
chmod 600 "$WORK/cut.polb"
out=$(B=$WORK/cut.polb inside claude-code effect 'echo a')
want_out '^deny '
mkdir -p "$WORK/alone"
cp "$BIN/polquery" "$WORK/alone/polquery"
out=$(python3 "$top/tests/lib/hook_inside.py" "$WORK/alone/polquery" "$B" claude-code effect 'echo a')
want_out '^deny polrun, which is to run the command'
cp "$BIN/polrun" "$WORK/alone/polrun"
out=$(python3 "$top/tests/lib/hook_inside.py" "$WORK/alone/polquery" "$B" claude-code effect 'echo a')
want_out '^allow'
chmod 646 "$WORK/alone/polrun"
out=$(python3 "$top/tests/lib/hook_inside.py" "$WORK/alone/polquery" "$B" claude-code effect 'echo a')
want_out '^deny .*(not a file that only its owner|cannot be executed)'
out=$(inside claude-code effect "echo $(head -c 125000 /dev/zero | tr '\0' x)" 2>&1)
want_out '^deny .*too long|Argument list too long'

t "two bundles: the stricter one counts, and the run's asks get its yes"
export CLAUDE_PROJECT_DIR=$P
both() { # LINE
	out=$("$BIN/polquery" -b "$WORK/text.polb" hook claude-code --run "$B" <<<'{"cwd":"'"$P"'","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"'"$1"'"}}')
}
policy 'command { deny "touch:*" as text-deny  ask "cp:*" as text-ask }' text
both 'touch made/x'
want_out '"deny".*text-deny'
both 'curl x'
want_out '"deny".*no-net'
both 'cp a b'
want_out '"ask".*text-ask.*updatedInput'
no_out '--yes'
both 'mv a b'
want_out '"ask".*rule moving.*--yes'
both 'echo a'
want_out "\"allow\".*--bundle '$B'"

t "every tool that runs a line is handed back a line of polrun, no other is changed"
asked() { # TOOL INPUT
	out=$("$BIN/polquery" hook claude-code --run "$B" <<<'{"cwd":"'"$P"'","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"'"$1"'","tool_input":'"$2"'}')
}
asked Monitor '{"command":"echo a","description":"d","timeout_ms":1}'
want_out "\"allow\".*updatedInput.*polrun.*-c 'echo a'\".*\"timeout_ms\":1"
asked Bash '{"command":"echo a","run_in_background":true,"dangerouslyDisableSandbox":true}'
want_out "\"ask\".*updatedInput.*polrun.*-c 'echo a'\".*\"dangerouslyDisableSandbox\":true"
no_out '--yes'
asked Read '{"file_path":"'"$P"'/src"}'
want_out '"allow"'
no_out 'updatedInput|polrun'
asked Bash '{"command":"echo a","new_one":[1,{"x":1.50}]}'
want_out "\"ask\".*new_one.*polrun.*-c 'echo a'"

t "what has no field for another line has no --run"
for args in 'hook cursor --run x' '--run x hook cursor' '--run x' 'hook claude-code --run' 'hook claude-code --run x --run y' 'hook codex --other'; do
	# shellcheck disable=SC2086
	out=$("$BIN/polquery" $args 2>&1 </dev/null)
	rc=$?
	want_rc 2
done

t "inside of a run --run says so, for each command; without it the hook answers"
policy 'file { allow read, exec "'"$BIN"'"  allow read "'"$WORK/within.polb"'" }' within
chmod 644 "$WORK/within.polb"
ask_within() { # HOOK-ARGS…
	(cd "$P" && printf '{"cwd":"%s","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"echo hi"}}' "$P" |
		"$BIN/polrun" --bundle "$WORK/within.polb" sh -c "CLAUDE_PROJECT_DIR='$P' exec '$BIN/polquery' \"\$@\"" sh "$@" 2>&1)
}
# Root's own bundle belongs to nobody that a run by root knows, so it is not believed there.
inside='"deny".*already inside a run of polrun' answered='"permissionDecision": ?"allow"'
again='already inside a run of polrun'
! is_root || again='belongs to uid 65534' inside='"deny".*belongs to uid 65534' answered=$inside
out=$(ask_within hook claude-code --run "$WORK/within.polb")
want_out "$inside"
out=$(ask_within -b "$WORK/within.polb" hook claude-code)
want_out "$answered"
out=$(cd "$P" && "$BIN/polrun" --bundle "$WORK/within.polb" "$BIN/polrun" --bundle "$WORK/within.polb" true 2>&1)
rc=$?
want_rc 125
want_out "$again"

done_
