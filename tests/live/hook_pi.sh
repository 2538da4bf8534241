#!/usr/bin/env bash
# The extension that asks polquery in pi: installed and taken out again, what the doctor says of it
# and of what runs beside it, and (where there is a node) what it does with an answer, with a
# person's, and with none.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
raw_policy 'policy agent { level user }
command { allow "true", "echo:*"  ask "mv:*" as moving  deny "touch:*" because "not that" as no-touch }
file { allow read, write "${PROJECT_DIR}" }' p
# shellcheck source=tests/lib/hook_file.sh
. "$(dirname "$0")/../lib/hook_file.sh"
F=$HOME/.pi/agent/extensions/polquery.js
unset PI_CODING_AGENT_DIR

t "it is installed, the doctor is content, and it is taken out again"
polquery install pi --bundle "$B"
want_rc 1
[ ! -e "$F" ] || bad "it is there without a yes"
polquery install pi --bundle "$B" --yes
want_rc 0
want_out 'denies: what must be denied is denied'
[ "$(stat -c %a "$F")" = 644 ] || bad "its mode"
cp "$F" "$WORK/good.js"
polquery install pi --bundle "$B" --yes
want_rc 0
want_out 'installed already'
polquery doctor pi
want_rc 0
want_out 'answers: a tool of an MCP server is asked'
polquery uninstall pi --yes
want_rc 0
[ ! -e "$F" ] || bad "it is still there"
polquery doctor pi
want_rc 1
want_out 'not installed'
PI_CODING_AGENT_DIR=$WORK/other polquery install pi --bundle "$B" --yes
want_rc 0
[ -e "$WORK/other/extensions/polquery.js" ] || bad "PI_CODING_AGENT_DIR does not count"

t "--run is refused, and a file that install has not written stays: another agent's, too"
polquery install pi --run "$B" --yes
want_rc 2
want_err 'run pi itself under polrun'
sed 's/install pi/install opencode/' "$WORK/good.js" >"$F"
for verb in 'install pi --bundle '"$B" 'uninstall pi'; do
	# shellcheck disable=SC2086
	polquery $verb --yes
	want_rc 2
	want_err 'nothing is changed.*has not written'
done
polquery doctor pi
want_rc 1
want_out "cannot tell whether it asks.*install pi"

t "the doctor: every byte counts, and what the project brings"
while IFS= read -r edit; do
	sed "$edit" "$WORK/good.js" >"$F"
	cmp -s "$F" "$WORK/good.js" && bad "$edit changes nothing"
	polquery doctor pi
	want_rc 1
	want_out 'cannot tell|not installed'
done <<'ROWS'
s/=== "allow"/!== "deny"/
s/freeze(event.input)//
s/ctx.hasUI !== true/false/
s/hook pi/hook opencode/
$a// more
ROWS
cp "$WORK/good.js" "$F"
while IFS='|' read -r want pattern file text; do
	mkdir -p "$P/$(dirname "$file")"
	printf '%s\n' "$text" >"$P/$file"
	polquery doctor pi
	want_rc "$want"
	[ -z "$pattern" ] || want_out "$pattern"
	rm -r "$P/.pi"
done <<'ROWS'
1|the project's code|.pi/extensions/a.ts|x
1|names plugins|.pi/settings.json|{"packages":["npm:x"]}
1|names plugins|.pi/settings.json|{"theme":"x","extensions":[]}
1|cannot be read as pi|.pi/settings.json|{
0|may start programs|.pi/mcp.json|{"mcpServers":{}}
0||.pi/settings.json|{"theme":"x"}
ROWS

node=$(command -v node || true)
[ -n "$node" ] && "$node" --version >/dev/null 2>&1 || node=''
if [ -z "$node" ]; then
	skip hook_pi 'no node: the extension is not driven'
else
	# PLUGIN CWD INPUT UI: prints "ran INPUT", or why not; UI: none, yes, no
	cat >"$WORK/drive.mjs" <<-'JS'
		import { pathToFileURL } from "node:url"
		const [plugin, cwd, input, ui] = process.argv.slice(2)
		const pi = { on: (name, f) => (pi[name] = f) }
		;(await import(pathToFileURL(plugin))).default(pi)
		const args = JSON.parse(input)
		const confirm = async (_title, text) => { console.log("asked " + text.replace(/\n/g, " | ")); return ui === "yes" }
		try {
			const got = await pi.tool_call({ toolName: "bash", toolCallId: "c", input: args },
				{ cwd, hasUI: ui !== "none", ui: { confirm }, sessionManager: { getSessionId: () => "s2" } })
			if (got?.block) throw new Error(got.reason)
			try { args.command = "another" } catch {}
			try { args.deep.x = 2 } catch {}
			console.log("ran " + JSON.stringify(args))
		} catch (e) {
			console.log("refused: " + e.message)
		}
		process.exit(0)
	JS
	drive() { # LINE INPUT [UI]
		python3 - "$WORK/good.js" "$WORK/try.mjs" "$1" <<-'PY'
			import json, re, sys
			text = open(sys.argv[1]).read()
			if sys.argv[3]:
			    text = re.sub(r"(?m)^const line = .*$", lambda _: "const line = " + json.dumps(sys.argv[3]), text)
			open(sys.argv[2], "w").write(text.replace("30000", "1500"))
		PY
		out=$(timeout 60 "$node" "$WORK/drive.mjs" "$WORK/try.mjs" "$P" "$2" "${3:-none}" 2>&1)
	}
	t "the extension: an allow runs, unchanged by others; a deny refuses; an ask is the person's"
	drive '' '{"command":"echo hi"}'
	want_out '^ran \{"command":"echo hi"\}$'
	drive '' '{"command":"touch x"}' yes
	want_out '^refused: .*not that'
	drive '' '{"command":"mv a b"}'
	want_out '^refused: .*moving.*nobody to ask'
	drive '' '{"command":"mv a b"}' no
	want_out "asked bash .*mv a b.* \\| .*moving"
	want_out '^refused: .*the person said no'
	drive '' '{"command":"mv a b"}' yes
	want_out '^ran \{"command":"mv a b"\}$'
	drive '' '{"command":"echo hi","new":1}' yes
	want_out "asked .*does not know: 'new'"
	drive 'cat >/dev/null; echo "{\"decision\":\"allow\"}"' '{"command":"a","deep":{"x":1}}'
	want_out '^ran \{"command":"a","deep":\{"x":1\}\}$'
	t "the extension: everything else refuses, whatever the person would say"
	while IFS= read -r line; do
		drive "$line" '{"command":"echo hi"}' yes
		want_out '^refused: polquery: |^refused: .*not found|^refused: no'
	done <<-'ROWS'
		/none/polquery
		/bin/true
		/bin/false
		kill -SEGV $$
		sleep 30
		/usr/bin/timeout 1 sleep 30 || { echo polquery: no answer >&2; exit 2; }
		echo x
		echo null
		echo '[]'
		echo '"allow"'
		echo '{}'
		echo '{"decision":["allow"]}'
		echo '{"decision":["ask"]}'
		echo '{"decision":"allow"} x'
		echo '{"decision":"allow"}'; exit 2
		echo '{"decision":"ask"}'; exit 1
	ROWS
fi

done_
