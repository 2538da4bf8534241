#!/usr/bin/env bash
# The helpers of these tests: a row that calls a helper that is missing fails, however it
# calls it, and says which one; the rows beside it pass.
# shellcheck disable=SC2034
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
lib=$(cd "$(dirname "$0")/../lib" && pwd)
mkdir -p "$WORK/tests/live" "$WORK/tests/lib" "$WORK/inner"
cp "$lib/live.sh" "$lib/count.sh" "$WORK/tests/lib/"

script() { # LINES: a test of its own
	printf '#!/usr/bin/env bash\n. "%s/tests/lib/live.sh"\n%s\ndone_\n' "$WORK" "$1" >"$WORK/tests/live/inner.sh"
	out=$(env WORK="$WORK/inner" bash "$WORK/tests/live/inner.sh" 2>"$WORK/.err")
	rc=$?
	err=$(<"$WORK/.err")
}

t "the control: rows that call what exists"
script 't "one"
want_file /
t "two"
command -v wnat_file >/dev/null || :'
want_rc 0
want_out '^2 passed, 0 failed, 0 skipped$'

t "a helper that is missing fails its row"
while IFS= read -r call; do
	script $'t "one"\nt "two"\n'"$call"$'\nt "three"'
	want_rc 1
	want_out '^ok   one '
	want_out '^FAIL two '
	want_out '^     live/inner\.sh: line 5: wnat_file: command not found$'
	want_out '^ok   three '
	want_out '^2 passed, 1 failed, 0 skipped$'
done <<'EOC'
wnat_file /
wnat_file / 2>/dev/null || true
if wnat_file /; then :; fi
x=$(wnat_file / 2>&1)
wnat_file / | cat
(cd / && wnat_file /)
wnat_file / & wait
PATH=/nowhere wnat_file /
EOC

t "a missing helper before the first row fails, too"
script $'wnat_file /\nt "one"'
want_rc 1
want_out '^FAIL before the first test '
want_out '^1 passed, 1 failed, 0 skipped$'

done_
