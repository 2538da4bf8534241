#!/usr/bin/env bash
# One real agent inside of polrun: Gemini CLI, which `./dev test` fetches from npm (20 MB; all three
# are ./dev agents).  Where there is none, it says so, and only the policies are checked: a
# registry that does not answer is no fault of the tree.  Last line: N passed, N failed, N skipped.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
: "${BUILD:=$PWD/build/dev}"
AGENTS=$PWD/build/agent-of-day
# a node that every user has, and that is new enough for it
major=$(PATH=/usr/local/bin:/usr/bin:/bin node -p 'process.versions.node.split(".")[0]' 2>/dev/null)
if [ -e "$AGENTS/node_modules/@google/gemini-cli/bundle/gemini.js" ] && [ "${major:-0}" -ge 20 ]; then
	export AGENTS BUILD
	exec tests/run/agents_inside.sh gemini-cli
fi
echo "note: no real agent is tried: npm has put none into $AGENTS, or there is no node from 20 on (${major:-none})"
for agent in claude-code codex gemini-cli cursor; do
	count_check "a policy of std/agent/program/$agent" "$(
		out=$(printf 'policy a { level user }\nuse std/agent/program/%s\nnetwork full\n' "$agent" | "$BUILD/bin/polc" check - 2>&1) || echo "$out"
	)"
done
count_end
