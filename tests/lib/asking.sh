# What the tests of questions at a terminal share; sourced behind live.sh.
# shellcheck shell=bash disable=SC2034,SC2154
STATE=$HOME/.local/state/pol
A=$STATE/approvals
# shellcheck disable=SC2016
ASKS='command { ask "touch:*" because "it writes" as touching
  ask "chmod:*" because "it changes rights" as rights
  opaque ask }'
POL='polrun -b $WORK/p.polb'
export PATH="$BIN:$PATH"

# NAME: as of a managed policy: only a person answers.
managed_policy() {
	local msg
	printf '%s\n' 'policy m { }
command { ask "touch:*" because "managed" as managed-touch }' >"$WORK/m.pol"
	printf '%s\n' "$HEAD$ASKS" >"$WORK/p.pol"
	msg=$(cd "$WORK" && "$BIN/polc" compile --managed m.pol p.pol -o p.polb 2>&1) || bad "$msg"
	chmod 0600 "$WORK/p.polb"
}
# The lines of stdin on a terminal, in the project.
term() {
	cat >"$WORK/script"
	local said
	out='' err=''
	said=$(cd "$P" && timeout 90 python3 "$(dirname "${BASH_SOURCE[0]}")/../lib/term.py" \
		"$WORK/script" 2>&1) || bad "$said"
}
# TEXT: a script that no decision at entry looks into.
inside() {
	printf '%s\n' "$1" >"$P/do.sh"
	run bash do.sh
}
forget() { rm -rf "$STATE"; }
# COMMAND…: in a session of its own, without a terminal.
alone() {
	setsid -w "$BIN/polrun" -b "$WORK/p.polb" "$@" >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$?
	out=$(cat "$WORK/.out")
	err=$(cat "$WORK/.err")
}
