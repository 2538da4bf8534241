# Helpers of the tests of staged runs; sourced after live.sh.
# shellcheck shell=bash disable=SC2034,SC2154
STATE=$HOME/.local/state/pol

# Everything below the folders, as text (snap.py).
snap() { python3 "$(dirname "${BASH_SOURCE[0]}")/snap.py" "$@"; }

staged() { run --stage "$@"; }

verb() { # review, commit or discard, and what it takes; sets out, err, rc
	"$BIN/polrun" "$@" >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$?
	out=$(<"$WORK/.out")
	err=$(<"$WORK/.err")
}
# shellcheck disable=SC2120
review() { verb review "$@"; }

# NAME: a staged run has written it at the top of its first tree.
has_upper() { compgen -G "$STATE/stage/*/*/upper/$1" >/dev/null; }
can_review() {
	review
	[ "$rc" -eq 0 ]
}
