#!/usr/bin/env bash
# polquery doctor: settings that an agent skips or reads in another way than this
# program, lines that must not be run to be looked at, and --format json.
# week: once a week, as root and as a user in turn
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=tests/lib/doctor.sh
. "$(dirname "$0")/../lib/doctor.sh"
mkdir -p "$HOME/.claude" "$HOME/.codex" "$HOME/.gemini" "$HOME/.cursor"
# AGENT: how its line ends; Gemini CLI takes an exit without a word for an answer that allows
ending() { [ "$1" = gemini-cli ] && printf '|| { echo polquery: no answer >&2; exit 2; }' || printf '|| exit 2'; }

t "doctor: a line is run only if every word of it is known"
# what a project's settings may say: '@' is our own words, '%' a file that must not appear
mkdir -p "$P/bin" "$WORK/open"
printf '#!/bin/sh\ntouch %s\n' "$WORK/ran" | tee "$P/bin/timeout" "$P/bin/polquery" >"$P/bin/sh"
chmod +x "$P"/bin/*
cp "$P/bin/timeout" "$WORK/open/"
chmod 0777 "$WORK/open"
ln -s "$P/bin/timeout" "$WORK/timeout"
in_project() { # COMMAND, as JSON has it
	mkdir -p "$P/.claude"
	printf '%s\n' '{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"'"$1"'"}]}]}}' \
		>"$P/.claude/settings.json"
}
rows=0
while IFS= read -r text; do
	text=${text//@/"$BIN/polquery -b $B hook claude-code"}
	in_project "${text//%/"$WORK/ran"}"
	PATH=$P/bin:$PATH "$BIN/polquery" doctor claude-code >"$WORK/.out" 2>&1
	rc=$?
	out=$(<"$WORK/.out")
	want_rc 1
	want_out 'installed in'
	no_out ': answers:'
	[ ! -e "$WORK/ran" ] || bad "the doctor ran: $text"
	rm -f "$WORK/ran"
	rows=$((rows + 1))
done <<ROWS
touch %; /usr/bin/timeout 20 @ || exit 2
/usr/bin/timeout 20 @ || touch %
/usr/bin/timeout 20 @ || exit 2; touch %
/usr/bin/timeout 20 @ || exit 2\ntouch %
/usr/bin/timeout 20 @ || exit 2 & touch %
/usr/bin/timeout 20 @ | touch %
/usr/bin/timeout 20 @ >% || exit 2
/usr/bin/timeout 20 @ 2>% || exit 2
/usr/bin/timeout 20 @ \$(touch %) || exit 2
/usr/bin/timeout 20 @ \`touch %\` || exit 2
/usr/bin/timeout \$(touch %) @ || exit 2
/usr/bin/timeout 20 $BIN/polquery -b \\"\$(touch %)\\" hook claude-code || exit 2
echo \$(touch %) >&2; /usr/bin/timeout 20 @ || exit 2
echo x >%; /usr/bin/timeout 20 @ || exit 2
LD_PRELOAD=/x /usr/bin/timeout 20 @ || exit 2
timeout 20 @ || exit 2
bin/timeout 20 @ || exit 2
$P/bin/timeout 20 @ || exit 2
$WORK/timeout 20 @ || exit 2
$WORK/open/timeout 20 @ || exit 2
/usr/bin/timeout 20 polquery -b $B hook claude-code || exit 2
/usr/bin/timeout 20 $P/bin/polquery -b $B hook claude-code || exit 2
/usr/bin/timeout 20 $P/bin/sh $BIN/polquery -b $B hook claude-code || exit 2
/usr/bin/timeout 20 @ || exit 2 # '\ntouch %
/usr/bin/timeout 20 @ extra; touch % || exit 2
ROWS
[ "$rows" -eq 25 ] || bad "$rows rows were read"
# the control: the line alone is run, and what it reads is the bundle
in_project "/usr/bin/timeout 20 $BIN/polquery -b $B hook claude-code || exit 2"
doctor claude-code
want_rc 0
want_out ': answers:'
chmod 0666 "$B"
doctor claude-code
want_rc 1
want_out 'does not answer'
chmod 0600 "$B"
rm -r "$P/.claude"
# it is really run: a shell that answers in its place, and one that never does
settings gemini-cli "$HOOK gemini-cli $(ending gemini-cli)"
doctor gemini-cli
want_rc 0
printf '#!/bin/sh\necho '"'"'{"decision":"allow"}'"'"'\n' >"$P/bin/bash"
chmod +x "$P/bin/bash"
PATH=$P/bin:$PATH doctor gemini-cli
want_rc 1
want_out 'the line answers otherwise than it should: \{"decision":"allow"\}'
no_out 'denies:'
printf '#!/bin/sh\nexec sleep 60\n' >"$P/bin/bash"
settings gemini-cli "/usr/bin/timeout 1 $BIN/polquery -b $B hook gemini-cli $(ending gemini-cli)"
SECONDS=0
PATH=$P/bin:$PATH doctor gemini-cli
want_rc 1
want_out 'it takes too long'
[ "$SECONDS" -lt 25 ] || bad "it took $SECONDS s"
rm -r "${P:?}/bin" "$HOME/.gemini/settings.json"

t "doctor: an agent that may write its own policy or settings"
raw_policy "policy wide { level user
 base none }
file { allow read, write \"$WORK\" }
command { allow \"true\" }" wide
for agent in claude-code codex gemini-cli cursor; do
	echo=''
	[ "$agent" != codex ] || echo='echo x >&2; '
	settings "$agent" "$echo$Q -b $WORK/wide.polb hook $agent $(ending "$agent")"
	doctor "$agent"
	want_rc 1
	want_out 'does not answer, and denies everything: .*/wide.polb lies where the policy lets the agent write'
	# what only the sandbox's walls hold is not held for an agent on the host
	settings "$agent" "$echo$Q -b $B --scope sandbox hook $agent $(ending "$agent")"
	doctor "$agent"
	want_rc 1
	want_out 'the policy lets the agent write its own settings: '
	settings "$agent" "$echo$HOOK $agent $(ending "$agent")"
	doctor "$agent"
	want_rc 0
	no_out 'lets the agent write'
done

# Rows RC|PATTERN|TEXT for FILE; in TEXT % is the line, @ a good group
G='{"matcher":"*","hooks":[{"type":"command","command":"%"}]}'
rows_of() { # FILE
	local rc_wanted pattern text
	mkdir -p "$(dirname "$1")"
	while IFS='|' read -r rc_wanted pattern text; do
		text=${text//@/$G}
		text=${text//%/"$HOOK $agent $(ending "$agent")"}
		printf '%s\n' "$text" >"$1"
		doctor "$agent"
		want_rc "$rc_wanted"
		want_out "$pattern"
	done
}

t "doctor: settings that Claude Code skips, or reads in another way"
agent=claude-code
rows_of "$HOME/.claude/settings.json" <<'ROWS'
0|answers|{"hooks":{"PreToolUse":[@]}}
0|answers|{"hooks":{"PreToolUse":[@]},"theme":"dark","editorMode":"vim","autoUpdatesChannel":"latest","tui":"fullscreen","verbose":true,"effortLevel":"high","skipDangerousModePermissionPrompt":true,"skipAutoPermissionPrompt":true,"permissions":{"defaultMode":"auto","disableBypassPermissionsMode":"disable"},"enabledPlugins":{"a-b":true},"extraKnownMarketplaces":{"b":{"source":{"source":"github","repo":"a/b"}}},"voice":{"enabled":true},"autoMemoryEnabled":false}
1|is not known here.*: tui|{"hooks":{"PreToolUse":[@]},"tui":"x"}
1|is not known here.*: extraKnownMarketplaces|{"hooks":{"PreToolUse":[@]},"extraKnownMarketplaces":{"b":{"source":"x"}}}
1|is not known here.*: verbose|{"hooks":{"PreToolUse":[@]},"verbose":"yes"}
1|cannot be read|{"hooks":{"PreToolUse":[@]},}
1|cannot be read|{"hooks":{"PreToolUse":[@,]}}
1|cannot be read|{/* mine */"hooks":{"PreToolUse":[@]}}
1|cannot be read|{"hooks":{"PreToolUse":[@]}} x
1|cannot be read|{"hooks":{"PreToolUse":[@]}},"x":{}
1|cannot be read|{"hooks":{"PreToolUse":[@]}},"settings":{"hooks":{"PreToolUse":[@]}}
1|cannot be read|{"hooks":{"PreToolUse":[@]},"x":NaN}
1|cannot be read|{"hooks":{"PreToolUse":[@]},"x":TRUE}
1|cannot be read|{"hooks":{"PreToolUse":[@]},"x":"a	b"}
1|cannot be read|{'hooks':{"PreToolUse":[@]}}
1|cannot be read|[{"hooks":{"PreToolUse":[@]}}]
1|twice|{"hooks":{"PreToolUse":[@]},"hooks":{}}
1|twice|{"hooks":{},"hooks":{"PreToolUse":[@]}}
1|twice|{"hooks":{"PreToolUse":[@],"PreToolUse":[]}}
1|twice|{"hooks":{"PreToolUse":[@]},"\u0068ooks":{}}
1|skip the whole file.*: Stop|{"hooks":{"PreToolUse":[@],"Stop":[5]}}
1|skip the whole file.*: Stop|{"hooks":{"PreToolUse":[@],"Stop":[{"hooks":[{"type":"nope"}]}]}}
1|skip the whole file.*: Stop|{"hooks":{"PreToolUse":[@],"Stop":[{"hooks":[{"type":"command"}]}]}}
1|skip the whole file.*: Stop|{"hooks":{"PreToolUse":[@],"Stop":[{"hooks":[{"type":"command","command":"x","timeout":"5"}]}]}}
0|answers|{"hooks":{"PreToolUse":[@],"Stop":[{"hooks":[{"type":"command","command":"x","timeout":5}]}]}}
1|skip the whole file.*: PreToolUse|{"hooks":{"PreToolUse":[{"matcher":5,"hooks":[{"type":"command","command":"%"}]}]}}
1|skip the whole file.*: PreToolUse|{"hooks":{"PreToolUse":[{"type":"command","command":"%"}]}}
1|without a 'type'|{"hooks":{"PreToolUse":[{"hooks":[{"command":"%"}]}]}}
1|takes no such value.*: timeout|{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","timeout":"30","command":"%"}]}]}}
1|what this changes.*: args|{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","args":["x"],"command":"%"}]}]}}
1|what this changes.*: shell|{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","shell":"powershell","command":"%"}]}]}}
1|with 'once'|{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","once":true,"command":"%"}]}]}}
0|answers|{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","once":false,"async":false,"command":"%"}]}]}}
1|denies nothing|{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","asyncRewake":true,"command":"%"}]}]}}
0|answers|{"hooks":{"PreToolUse":[{"matcher":"","hooks":[{"type":"command","command":"%"}]}]}}
0|answers|{"hooks":{"PreToolUse":[{"matcher":".*","hooks":[{"type":"command","command":"%"}]}]}}
1|is not checked|{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"%"}]}]}}
1|is not checked|{"hooks":{"PreToolUse":[{"matcher":"([","hooks":[{"type":"command","command":"%"}]}]}}
1|is not checked|{"hooks":{"PreToolUse":[{"matcher":" * ","hooks":[{"type":"command","command":"%"}]}]}}
0|for tools only that match Bash|{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"%"}]},@]}}
1|not known here: permissions|{"hooks":{"PreToolUse":[@]},"permissions":{"allow":5}}
1|not known here: permissions|{"hooks":{"PreToolUse":[@]},"permissions":{"defaultMode":"zzz"}}
0|answers|{"hooks":{"PreToolUse":[@]},"permissions":{"allow":["Bash(ls)"],"defaultMode":"plan"}}
1|not known here: cleanupPeriodDays|{"hooks":{"PreToolUse":[@]},"cleanupPeriodDays":1.5}
1|not known here: model|{"hooks":{"PreToolUse":[@]},"model":null}
0|answers|{"hooks":{"PreToolUse":[@]},"model":"opus","env":{"A":"1"},"statusLine":{"type":"command","command":"x"},"enabledPlugins":{"a-b":true}}
1|not known here: statusLine|{"hooks":{"PreToolUse":[@]},"statusLine":{"type":"x"}}
1|not known here: enabledPlugins|{"hooks":{"PreToolUse":[@]},"enabledPlugins":{"a":5}}
1|not known here: zzz|{"hooks":{"PreToolUse":[@]},"zzz":1}
ROWS
settings "$agent" "$HOOK $agent $(ending "$agent")"
printf '{"hooks":{},\n"x":"\0"}\n' >"$P/nul" && mkdir -p "$P/.claude" && mv "$P/nul" "$P/.claude/settings.json"
doctor "$agent"
want_rc 1
want_out 'cannot be read'
rm -r "$P/.claude"

t "doctor: settings of Gemini CLI: comments, switches, variables, trust"
agent=gemini-cli
rows_of "$HOME/.gemini/settings.json" <<'ROWS'
0|answers|{"hooks":{"BeforeTool":[@]}}
0|answers|{"hooks":{"BeforeTool":[@]} /* "x */ }
0|answers|{"hooks":{"BeforeTool":[@]},"x":"a // b \\"/* mine */ }
0|answers|{"hooks":{"BeforeTool":[@]},"x":"a \" /* b"}// mine
1|twice|{"hooks":{"BeforeTool":[@]},"x":"\\" /* " */,"hooks":{},"y":"*/"}
1|cannot be read|{"hooks":{"BeforeTool":[@]} /* x }
1|cannot be read|{"hooks":{"BeforeTool":[@]},}
1|twice|{"hooks":{"BeforeTool":[@]},"hooks":{}}
1|what this changes.*: env|{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","env":{"BASH_ENV":"/x"},"command":"%"}]}]}}
1|without a 'type'|{"hooks":{"BeforeTool":[{"hooks":[{"command":"%"}]}]}}
ROWS
settings "$agent" "$HOOK $agent $(ending "$agent")"
rows_of "$P/.gemini/settings.json" <<'ROWS'
0|answers|{"hooks":{"BeforeTool":[]}}
1|skip the whole file, or all hooks.*: hooks|{"hooks":null}
1|skip the whole file, or all hooks.*: hooks|{"hooks":"x"}
1|no hook runs, 'enabled' is "false"|{"hooksConfig":{"enabled":"false"}}
1|no hook runs, 'enabled' is 0|{"hooksConfig":{"enabled":0}}
0|answers|{"hooksConfig":{"enabled":true}}
ROWS
rm "$P/.gemini/settings.json"
for f in .env .gemini/.env; do
	for name in BASH_ENV LD_PRELOAD GEMINI_CLI_HOME; do
		printf 'A=1\n export %s = /x\n' "$name" >"$P/$f"
		doctor "$agent"
		want_rc 1
		want_out "the hook runs with what .*/$f says of $name"
	done
	printf 'BASH_ENV_X=1\nPATH=/x\n#BASH_ENV=/x\n' >"$P/$f"
	doctor "$agent"
	want_rc 0
	rm "$P/$f"
done
echo 'BASH_ENV: /x' >"$HOME/.env"
doctor "$agent"
want_rc 1
rm "$HOME/.env"
for f in "$P" "$HOME" /; do
	echo '{"'"$f"'":"DO_NOT_TRUST"}' >"$HOME/.gemini/trustedFolders.json"
	doctor "$agent"
	want_rc 1
	want_out 'in a folder that the agent does not trust'
done
echo '{"'"$P"'":"TRUST_FOLDER","'"$P"'x":"DO_NOT_TRUST"}' >"$HOME/.gemini/trustedFolders.json"
doctor "$agent"
want_rc 0
rm "$HOME/.gemini/trustedFolders.json"
echo '{"hooksConfig":{"enabled":false}}' >"$WORK/system.json"
GEMINI_CLI_SYSTEM_SETTINGS_PATH=$WORK/system.json doctor "$agent"
want_rc 1
want_out "no hook runs, 'enabled' is false in $WORK/system.json"

t "doctor: --format json"
settings "$agent" "$HOOK $agent $(ending "$agent")"
out=$("$BIN/polquery" --format json doctor "$agent")
rc=$?
want_rc 0
json() { python3 -c 'import json, sys; d = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1" <<<"$out"; }
[ "$(json '[d["good"], [(a["agent"], a["installed"], a["good"]) for a in d["agents"]]]')" = \
	"[True, [('gemini-cli', True, True)]]" ] || bad "not good"
mkdir -p "$P/.gemini"
echo '{"hooksConfig":{"enabled":0}}' >"$P/.gemini/settings.json"
out=$("$BIN/polquery" --format json doctor)
rc=$?
want_rc 1
[ "$(json '[d["good"], len(d["agents"]), [f["kind"] for f in d["agents"][2]["findings"] if "no hook runs" in f["text"]]]')" = \
	"[False, 6, ['wrong']]" ] || bad "not wrong"
rm -r "$P/.gemini"
for words in '--format xml doctor' "--format json -b $B" '--format json --format text doctor'; do
	# shellcheck disable=SC2086
	out=$("$BIN/polquery" $words 2>&1)
	rc=$?
	want_rc 2
	want_out '--format'
done
done_
