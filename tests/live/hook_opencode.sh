#!/usr/bin/env bash
# The plugin that asks polquery in opencode: installed and taken out again, what the doctor says
# of it and of what runs beside it, and (where there is a node) what it does with an answer, and
# with none.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
raw_policy 'policy agent { level user }
command { allow "true", "echo:*"  ask "mv:*" as moving  deny "touch:*" because "not that" as no-touch }
file { allow read, write "${PROJECT_DIR}" }' p
# shellcheck source=tests/lib/hook_file.sh
. "$(dirname "$0")/../lib/hook_file.sh"
F=$HOME/.config/opencode/plugin/polquery.js
unset XDG_CONFIG_HOME OPENCODE_PURE

t "no plugin: not installed, and nothing to take out"
polquery doctor opencode
want_rc 1
want_out '^opencode: not installed'
polquery uninstall opencode --yes
want_rc 0
want_out 'not installed'
[ ! -e "$HOME/.config/opencode" ] || bad "a folder is made"

t "nothing is changed without a yes"
polquery install opencode --bundle "$B"
want_rc 1
want_out '^\+.*polquery -b .* hook opencode'
want_err 'nothing is changed.*no terminal'
[ ! -e "$F" ] || bad "it is there"

t "it is installed, the doctor is content, and it is taken out again"
polquery install opencode --bundle "$B" --yes
want_rc 0
want_out 'denies: what must be denied is denied'
[ "$(stat -c %a "$F")" = 644 ] || bad "its mode"
[ "$(stat -c %a "$HOME/.config/opencode/plugin")" = 700 ] || bad "its folder's mode"
cp "$F" "$WORK/good.js"
polquery install opencode --bundle "$B" --yes
want_rc 0
want_out 'installed already'
cmp -s "$F" "$WORK/good.js" || bad "the second time it is another"
polquery doctor opencode
want_rc 0
want_out "answers: the command 'true' is allowed"
want_out 'answers: a tool of an MCP server is denied'
polquery uninstall opencode
want_rc 1
[ -e "$F" ] || bad "it is gone without a yes"
polquery uninstall opencode --yes
want_rc 0
want_out 'removed'
[ ! -e "$F" ] || bad "it is still there"
[ -d "$HOME/.config/opencode/plugin" ] || bad "the folder is gone"

t "--run, and a bundle that is none, are refused"
polquery install opencode --run "$B" --yes
want_rc 2
polquery -b "$B" hook opencode --run "$B"
want_rc 2
want_err 'run opencode itself under polrun'
polquery install opencode --bundle "$WORK/none.polb" --yes
want_rc 2
[ ! -e "$F" ] || bad "it is written"

t "a file that install has not written stays"
echo 'export const A = async () => ({})' >"$F"
for verb in 'install opencode --bundle '"$B" 'uninstall opencode'; do
	# shellcheck disable=SC2086
	polquery $verb --yes
	want_rc 2
	want_err 'nothing is changed.*has not written'
	grep -q '^export const A' "$F" || bad "$verb: it is another"
done
polquery doctor opencode
want_rc 1
want_out 'cannot tell whether it asks'

t "the doctor: every byte counts; another version is replaced"
while IFS= read -r edit; do
	sed "$edit" "$WORK/good.js" >"$F"
	cmp -s "$F" "$WORK/good.js" && bad "$edit changes nothing"
	polquery doctor opencode
	want_rc 1
	want_out 'cannot tell whether it asks|everything is denied|no path|without a path|not installed|cannot tell'
done <<'ROWS'
s/!== "allow"/=== "deny"/
s/freeze(args)//
s/^export //
$a// more
1d
s/hook opencode/hook codex/
s#"/usr/bin/timeout 20 #"#;s#const line = "#&/bin/true \&\& #
ROWS
sed 's/30000/40000/' "$WORK/good.js" >"$F"
polquery install opencode --bundle "$B" --yes
want_rc 0
cmp -s "$F" "$WORK/good.js" || bad "it is not replaced"
# without a limit of its own: the plugin has one
sed 's#/usr/bin/timeout 20 ##' "$WORK/good.js" >"$F"
polquery doctor opencode
want_rc 0
sed "s#$B#$WORK/none.polb#" "$WORK/good.js" >"$F"
polquery doctor opencode
want_rc 1
want_out 'does not answer, and denies everything'
cp "$WORK/good.js" "$F"

t "the doctor: what runs beside it"
OPENCODE_PURE=1 polquery doctor opencode
want_rc 1
want_out 'no plugin runs.*OPENCODE_PURE'
for dir in "$P" "$P/src"; do
	for name in plugin plugins tool tools; do
		mkdir -p "$dir/.opencode/$name"
		echo >"$dir/.opencode/$name/a.js"
		out=$(cd "$P/src" && "$Q" doctor opencode 2>&1)
		rc=$?
		want_rc 1
		want_out "the project's code.*$dir/.opencode/$name"
		rm -r "$dir/.opencode"
	done
	mkdir -p "$dir/.opencode/command"
	echo 'see !`ls`' >"$dir/.opencode/command/x.md"
	out=$(cd "$P/src" && "$Q" doctor opencode 2>&1)
	rc=$?
	want_rc 0
	want_out 'note: shell lines and files .*come to no hook'
	rm -r "$dir/.opencode"
	for f in opencode.json opencode.jsonc .opencode/opencode.json; do
		mkdir -p "$dir/.opencode"
		while IFS='|' read -r want pattern text; do
			printf '%s\n' "$text" >"$dir/$f"
			out=$(cd "$P/src" && "$Q" doctor opencode 2>&1)
			rc=$?
			want_rc "$want"
			[ -z "$pattern" ] || want_out "$pattern"
		done <<-'ROWS'
			0||{"model":"x"}
			0||{/* plugin */"model":"x"}
			1|names plugins|{"plugin":["x"]}
			1|names plugins|{"\u0070lugin":[]}
			0|note: may start programs|{"mcp":{}}
			0|note: may start programs|{"formatter":{}}
			1|cannot be read as|{"model":"x",}
			1|cannot be read as|{
		ROWS
		rm -r "$dir/.opencode" "${dir:?}/$f" 2>/dev/null
	done
done
# a nearer .pol is no end of it
mkdir -p "$P/src/.pol" "$P/.opencode/plugin"
echo >"$P/.opencode/plugin/a.js"
out=$(cd "$P/src" && "$Q" doctor opencode 2>&1)
rc=$?
want_rc 1
rm -r "$P/src/.pol" "$P/.opencode"
polquery doctor opencode
want_rc 0

t "XDG_CONFIG_HOME is where opencode looks"
XDG_CONFIG_HOME=$WORK/xdg polquery doctor opencode
want_rc 1
want_out 'not installed'
XDG_CONFIG_HOME=$WORK/xdg polquery install opencode --bundle "$B" --yes
want_rc 0
[ -e "$WORK/xdg/opencode/plugin/polquery.js" ] || bad "it is not there"

t "the project is that of the session's first message"
say() { # CWD LINE
	out=$(printf '{"hook_event_name":"tool.execute.before","session_id":"ses_1","cwd":"%s","tool_name":"write","tool_input":{"filePath":"%s","content":"x"}}' \
		"$1" "$2" | "$Q" -b "$B" hook opencode)
}
mkdir -p "$WORK/other/.git"
say "$P" "$P/src/a"
want_out '"decision":"allow"'
say "$WORK/other" "$WORK/other/a"
want_out '"decision":"deny"'
say "$P/src" "$P/b"
want_out '"decision":"allow"'

node=$(command -v node || true)
[ -n "$node" ] && "$node" --version >/dev/null 2>&1 || node=''
if [ -z "$node" ]; then
	skip hook_opencode 'no node: the plugin is not driven'
else
	# LINE INPUT: the plugin with another line; prints "ran INPUT", or why not
	cat >"$WORK/drive.mjs" <<-'JS'
		import { pathToFileURL } from "node:url"
		const [plugin, directory, input] = process.argv.slice(2)
		const hooks = await (await import(pathToFileURL(plugin))).Polquery({ directory })
		const args = JSON.parse(input)
		try {
			await hooks["tool.execute.before"]({ tool: "bash", sessionID: "ses_2", callID: "c" }, { args })
			try { args.command = "another" } catch {}
			try { args.deep.x = 2 } catch {}
			console.log("ran " + JSON.stringify(args))
		} catch (e) {
			console.log("refused: " + e.message)
		}
		process.exit(0)
	JS
	drive() { # LINE INPUT
		python3 - "$WORK/good.js" "$WORK/try.mjs" "$1" <<-'PY'
			import json, re, sys
			text = open(sys.argv[1]).read()
			if sys.argv[3]:
			    text = re.sub(r"(?m)^const line = .*$", lambda _: "const line = " + json.dumps(sys.argv[3]), text)
			open(sys.argv[2], "w").write(text.replace("30000", "1500"))
		PY
		out=$(timeout 60 "$node" "$WORK/drive.mjs" "$WORK/try.mjs" "$P" "$2" 2>&1)
	}
	t "the plugin: an allow runs, unchanged by others; a deny and an ask refuse with the reason"
	drive '' '{"command":"echo hi"}'
	want_out '^ran \{"command":"echo hi"\}$'
	drive '' '{"command":"touch x"}'
	want_out '^refused: .*not that'
	drive '' '{"command":"mv a b"}'
	want_out '^refused: .*let a person run it'
	drive '' '{"command":"echo hi","new":1}'
	want_out "^refused: .*does not know: 'new'"
	drive 'cat >/dev/null; echo "{\"decision\":\"allow\"}"' '{"command":"a","deep":{"x":1}}'
	want_out '^ran \{"command":"a","deep":\{"x":1\}\}$'
	t "the plugin: everything else refuses"
	while IFS= read -r line; do
		drive "$line" '{"command":"echo hi"}'
		want_out '^refused: polquery: |^refused: .*not found|^refused: no'
	done <<-'ROWS'
		/none/polquery
		/bin/true
		/bin/false
		kill -SEGV $$
		sleep 30
		/usr/bin/timeout 1 sleep 30 || { echo polquery: no answer >&2; exit 2; }
		echo x
		echo '{'
		echo null
		echo '[]'
		echo '"allow"'
		echo '{}'
		echo '{"decision":"ask"}'
		echo '{"decision":["allow"]}'
		echo '{"decision":"allow"} x'
		echo '{"decision":"allow"}'; exit 2
		echo '{"decision":"allow"}'; exit 1
	ROWS
fi

done_
