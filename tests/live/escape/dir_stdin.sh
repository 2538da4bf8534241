#!/usr/bin/env bash
# Tries: a directory (or a descriptor that only names something) as standard
# input, output or error: openat(0, "../..") is outside of the view.
# Stops it: polrun refuses such a descriptor before anything else (125).
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
bare_policy

t "the control: outside the file is read through it, and made"
out=$("$X" at 0 out/secret 2>&1 <"$WORK")
rc=$?
want_out the-secret

t "a directory on 0, 1 or 2"
for n in 0 1 2; do
	err=$("$X" with-fd 9 "$WORK" sh -c "exec $n<&9 9<&-; exec \"\$@\"" - \
		"$BIN/polrun" -b "$WORK/p.polb" --report "$WORK/report" \
		"$F" create ran 2>&1 </dev/null)
	rc=$?
	want_rc 125
	no_file "$P/ran"
done
out=$("$BIN/polrun" -b "$WORK/p.polb" "$X" at 0 out/secret 2>/dev/null <"$WORK")
rc=$?
want_rc 125
no_out the-secret

t "the control: a file there is read, and nothing else"
out=$("$BIN/polrun" -b "$WORK/p.polb" cat 2>/dev/null <"$SECRET")
rc=$?
want_rc 0
want_out the-secret
out=$("$BIN/polrun" -b "$WORK/p.polb" "$X" at 0 out/secret 2>/dev/null <"$SECRET")
rc=$?
stopped ENOTDIR

done_
