#!/usr/bin/env bash
# What `polquery doctor` says of Codex against the real one: its app-server's hooks/list
# tells which hook it trusts and runs.  Without a model and without a network.
#   BUILD=FOLDER CODEX=PROGRAM tests/run/agents.sh     (`./dev agents` installs one)
# Last line: N passed, N failed, N skipped.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
: "${BUILD:=$PWD/build/dev}" "${CODEX:=$PWD/build/agents/node_modules/.bin/codex}"
if ! "$CODEX" --version >/dev/null 2>&1; then
	echo "skip agents: no codex at $CODEX"
	count_skip
	count_end
	exit
fi
work=$(mktemp -d /var/tmp/pol-agents.XXXXXX) || exit 1
work=$(cd "$work" && pwd -P)
trap 'rm -rf --one-file-system "$work"' EXIT
export HOME=$work/home
unset CODEX_HOME
mkdir -p "$HOME/.codex" "$work/p"
cd "$work/p" && git init -q . || exit 1
BUILD=$(cd "$BUILD" && pwd -P)
echo 'command { allow "true" }' >"$work/p.pol"
"$BUILD/bin/polc" compile "$work/p.pol" -o "$work/p.polb" >/dev/null 2>&1 && chmod 0600 "$work/p.polb" || exit 1
line="echo polquery: no answer >&2; /usr/bin/timeout 20 $BUILD/bin/polquery -b $work/p.polb hook codex || exit 2"

# KEY HASH STATUS of each hook, as the real one sees them
listed() {
	python3 - "$CODEX" "$PWD" <<-'PY'
		import json, subprocess, sys
		p = subprocess.Popen([sys.argv[1], "app-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
		                     stderr=subprocess.DEVNULL, text=True)
		for m in ({"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "t", "version": "1"}}},
		          {"method": "initialized"}, {"id": 2, "method": "hooks/list", "params": {"cwds": [sys.argv[2]]}}):
		    p.stdin.write(json.dumps(m) + "\n")
		    p.stdin.flush()
		for text in p.stdout:
		    answer = json.loads(text)
		    if answer.get("id") == 2:
		        break
		p.kill()
		for entry in answer["result"]["data"]:
		    for h in entry["hooks"]:
		        status = h["trustStatus"] if h["enabled"] else "disabled"
		        print(h["key"], h["currentHash"], status)
	PY
}
# NAME STATUS PATTERN: the real one says STATUS, and the doctor the same in his words
both() {
	local name=$1 want=$2 pattern=$3 real said status
	real=$(listed)
	count_check "$name: codex says $want" "$(grep -q " $want\$" <<<"$real" || echo "it says '$real'")"
	said=$("$BUILD/bin/polquery" doctor codex 2>&1)
	status=$?
	[ "$want" = trusted ] && want=0 || want=1
	count_check "$name: the doctor, too" \
		"$([ "$status" -eq "$want" ] && grep -qE -- "$pattern" <<<"$said" || echo "status $status: $said")"
}
trust() { # MORE: as Codex itself writes it down
	local key hash rest
	read -r key hash rest < <(listed)
	printf '[hooks.state."%s"]\ntrusted_hash = "%s"\n%b' "$key" "$hash" "${1:-}" >>"$HOME/.codex/config.toml"
}
hooks() { # MORE-OF-HOOK MORE-OF-GROUP
	: >"$HOME/.codex/config.toml"
	printf '{"hooks":{"PreToolUse":[{%s"hooks":[{"type":"command",%s"command":"%s"}]}]}}\n' "$2" "$1" "$line" \
		>"$HOME/.codex/hooks.json"
}
hooks '' ''
both "no entry" untrusted 'does not trust it'
for more in '|' '"timeout":45,|' '"statusMessage":"asks \"é\"",|' '|"matcher":"*",' '"timeout":30,|"matcher":"",'; do
	hooks "${more%|*}" "${more#*|}"
	trust
	both "trusted (${more})" trusted answers
done
hooks '' ''
trust 'enabled = false\n'
both "switched off" disabled 'is switched off'
hooks '' ''
trust
sed -i 's/timeout 20/timeout 25/' "$HOME/.codex/hooks.json"
both "edited" modified 'was changed since'
# in config.toml itself
rm "$HOME/.codex/hooks.json"
toml() {
	printf '[[hooks.PreToolUse]]\nmatcher = "*"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ntimeout = 50\ncommand = '"'%s'"'\n\n' \
		"$line" >"$HOME/.codex/config.toml"
}
toml
both "config.toml: no entry" untrusted 'does not trust it'
toml
trust
both "config.toml: trusted" trusted answers
toml
trust 'enabled = false\n'
both "config.toml: switched off" disabled 'is switched off'
count_end
