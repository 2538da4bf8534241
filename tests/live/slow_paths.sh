#!/usr/bin/env bash
# Paths that take long to resolve: with --explain-denials the supervisor looks at
# each, and the time limit, signals and other callers do not wait for it.
# long: every fourth day, as root and as a user in turn
# timing: a limit of 3 s
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
policy 'limits { time 3s }'
policy '' free

# 38 links, each behind 700 names of the one before; then names that are nowhere.
mkdir d
names=$(printf 'd/../%.0s' $(seq 700))
ln -s d l0
for i in $(seq 37); do ln -s "${names}l$((i - 1))" "l$i"; done
cat >callers.sh <<'EOF2'
rest=$(printf 'n/%.0s' $(seq 1900))
for k in 1 2 3 4; do
	while :; do cat "l37/$rest" 2>/dev/null; done &
done
echo begun
wait
EOF2

# OPTIONS…: how long it took, in seconds
timed() {
	local from=$SECONDS
	run "$@"
	took=$((SECONDS - from))
}

t "four callers with 38 chained links: the time limit holds"
timed --explain-denials sh callers.sh
want_rc 124
want_out '^begun$'
want_err 'time limit reached'
[ "$took" -le 10 ] || bad "it took $took s"

t "the control: without the option nothing is looked at"
timed sh callers.sh
want_rc 124
[ "$took" -le 10 ] || bad "it took $took s"

t "a signal is passed on at once"
"$BIN/polrun" -b "$WORK/free.polb" --explain-denials sh callers.sh >"$WORK/.out" 2>/dev/null </dev/null &
pid=$!
within 30 test -s "$WORK/.out"
from=$SECONDS
kill -TERM "$pid"
wait "$pid"
rc=$?
want_rc 143
[ $((SECONDS - from)) -le 4 ] || bad "it took $((SECONDS - from)) s"

t "what is denied is still named, before and behind such a path"
run_with free --explain-denials sh -c 'cat /srv/none 2>/dev/null; touch d/ok /usr/x; cat l37/ok; echo x > l4/new'
want_err 'blocked: write /usr/x'
want_file d/ok
want_file d/new

# polrun walks it itself: 53,200 names, and it walks 8,192 for one call
t "a name behind more names than polrun walks is refused, and the next call is served"
run_with free sh -c 'echo x > l37/far; echo x > d/near'
want_err 'cannot create l37/far: Too many levels of symbolic links'
want_file d/near
no_file d/far

t "a path of 2,000 names that ends nowhere is named by the deepest directory that there is"
run_with free --explain-denials sh -c 'mkdir -p d/e; : > "d/e/$(printf "../e/%.0s" $(seq 700))../../../out"'
want_err 'blocked: write .*/home/out'
done_
