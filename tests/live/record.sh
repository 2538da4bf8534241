#!/usr/bin/env bash
# polrun --record: each command and its decision, in a file that the run cannot change;
# without such a file nothing runs.
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
policy 'command { otherwise allow  deny "wc:*" as no-wc }
file { allow read, write "${PROJECT_DIR}" }'

t "a command that runs and one that is denied are recorded, without a secret"
run --record r.jsonl -c 'echo ok --token=hunter2 >other'
want_rc 0
run --record r.jsonl wc x
want_rc 126

[ "$(wc -l <"$P/r.jsonl")" -eq 2 ] || bad "not two records"
grep -q '"by":"polrun","kind":"command".*"scope":"sandbox","effect":"allow"' "$P/r.jsonl" || bad "no allow"
grep -q '"kind":"argv","argv":\["wc","x"\].*"effect":"deny","rule":"no-wc"' "$P/r.jsonl" || bad "no deny"
grep -q hunter2 "$P/r.jsonl" && bad "a secret is recorded"

t "the run cannot change the record, and can change what lies beside it"
cp "$P/r.jsonl" "$WORK/before"
run --record r.jsonl -c 'echo x >>r.jsonl; rm -f r.jsonl; mv r.jsonl y; echo more >>other'
want_rc 0
[ "$(head -n 2 "$P/r.jsonl")" = "$(cat "$WORK/before")" ] || bad "it was changed"
[ "$(wc -l <"$P/r.jsonl")" -eq 3 ] || bad "not three records"
grep -q more "$P/other" || bad "nothing was written beside it"

t "diff reads what was recorded"
"$BIN/polc" diff "$WORK/p.polb" "$WORK/p.polb" --traffic "$P/r.jsonl" >"$WORK/.out" 2>&1 || bad "$(cat "$WORK/.out")"
grep -q 'of 3 recorded requests' "$WORK/.out" || bad "$(cat "$WORK/.out")"

t "a record that cannot be written is a refusal before anything runs"
run --record no/r.jsonl -c 'echo ran >ran'
want_rc 125
run --record other -c 'echo ran >ran'
want_rc 125
[ ! -e "$P/ran" ] || bad "it ran"
run -c 'echo ran >ran'
want_rc 0
[ -e "$P/ran" ] || bad "the control did not run"

done_
