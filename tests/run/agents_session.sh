#!/usr/bin/env bash
# A session of forty calls and more in each of the real agents (tests/agents/session.py): plain, with the hook, and with
# --run where the agent has it.  As a whole inside of polrun is agents_inside.sh.
#   BUILD=FOLDER AGENTS=FOLDER tests/run/agents_session.sh [AGENT…]      (`./dev agents` installs them)
# Last line: N passed, N failed, N skipped.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/agents/clients.sh
: "${BUILD:=$PWD/build/dev}" "${AGENTS:=$PWD/build/agents}"
BUILD=$(cd "$BUILD" && pwd -P)
programs_in "$AGENTS/node_modules"
[ $# -gt 0 ] || set -- "${all_agents[@]}"
work=$(mktemp -d /var/tmp/pol-session.XXXXXX) || exit 1
work=$(cd "$work" && pwd -P)
log=$work/log model='' port='' path=$PATH seconds=900
trap '[ -z "$model" ] || kill "$model"; rm -rf --one-file-system "${work:?}"' EXIT
prepare || exit 1
agree=1 codex_model=gpt-6.2-sol
for agent; do
	if ! PATH=${NODE_BIN:+$NODE_BIN:}$PATH "$(program_of "$agent")" --version >/dev/null 2>&1; then
		echo "skip $agent: it is not in $AGENTS"
		count_skip
		continue
	fi
	session_policy "$agent" "$work/session" || exit 1
	rm -rf "${work:?}/home"
	settle "$agent"
	session "$agent" plain
	hook_in "$agent" --bundle "$work/session.polb"
	session "$agent" hook
	session_checks "$agent" hook
	case $agent in
	qwen-code | opencode | pi)
		count_check "$agent: --run is refused" "$(clean "$BUILD/bin/polquery" install "$agent" --run "$work/session.polb" --yes \
			>"$work/installed" 2>&1 && echo "it is taken")"
		continue
		;;
	esac
	hook_in "$agent" --run "$work/session.polb"
	session "$agent" run
	session_checks "$agent" run
done
count_end
