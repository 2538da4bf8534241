# A project and an agent's bundle for tests of the file that `polquery install` writes for one agent; sourced
# behind the policy p.
#   B  the bundle; Q  polquery
# shellcheck shell=bash disable=SC2034,SC2154
B=$HOME/.config/pol/agent.polb
mkdir -p "$P/.git" "$P/src" "${B%/*}"
cp "$WORK/p.polb" "$B"
chmod 0600 "$B"
Q=$BIN/polquery
cd "$P" || exit 1
polquery() { # ARGS…: without a terminal
	out=$(setsid -w "$Q" "$@" 2>"$WORK/.err" </dev/null)
	rc=$?
	err=$(<"$WORK/.err")
}
