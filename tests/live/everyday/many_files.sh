#!/usr/bin/env bash
# A project of 200,000 files: what the start of a run takes is measured, and what is done there works.
# week: once a week, as root and as a user in turn
# shellcheck disable=SC2031,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../../lib/live.sh"
# shellcheck source=tests/lib/everyday.sh
. "$(dirname "$0")/../../lib/everyday.sh"

t "200,000 files: what the start takes is measured"
fresh
python3 -c '
import os
for d in range(400):
    os.makedirs("big/%d" % d)
    for f in range(500):
        open("big/%d/%d" % (d, f), "w").close()'
polrun true
TIMEFORMAT=%R
for i in 1 2 3; do { time polrun true; } 2>>"$WORK/big"; done
(cd "$HOME" && mkdir small && cd small && git init -q && polrun true && for i in 1 2 3; do { time polrun true; } 2>>"$WORK/small"; done)
echo "note: $(sort -n "$WORK/big" | sed -n 2p) s with 200,000 files, $(sort -n "$WORK/small" | sed -n 2p) s with none"
did inside polrun sh -c 'find big -type f | wc -l; echo x >big/1/1; rm -r big/2'
want_rc 0
[ -z "$err" ] || bad "it says something"
want_out '^200000$'
want_text x big/1/1
no_file big/2
done_
