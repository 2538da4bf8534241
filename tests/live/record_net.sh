#!/usr/bin/env bash
# lab: web
# timing: waits for connections that a loaded machine makes late
# polrun --record: the connections of the run as well, with what the policy says about each.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"
net_policy '	allow tcp "echo.example" port 9000 as echo
	ask tcp "a.example" port 443 as site
	deny tcp 198.51.100.66 as no'
cp "$(dirname "$0")/../lib/egress_talk.py" "$P/"
has() { # TEXT: a record of a connection with it
	grep -E '"by":"polrun","kind":"net"' "$P/r.jsonl" | grep -qE -- "$1" || bad "no record $1: $(cat "$P/r.jsonl")"
}

t "connections that pass, that are denied and that ask are recorded"
cat >"$P/rows" <<'EOS'
one raw echo.example 9000 12345
two raw 198.51.100.66 443 x
three raw echo.example 9001 x
four tls a.example 443 sni=a.example
five raw evil.example 443 x
EOS
run --record r.jsonl --ask=deny sh -c 'python3 egress_talk.py <rows'
want_out '^one served 12345'
want_out '^two refused'
has '"proto":"tcp","host":"echo.example","port":9000,.*"effect":"allow","rule":"echo"'
has '"host":"198.51.100.66","port":443,.*"effect":"deny","rule":"no"'
has '"host":"echo.example","port":9001,.*"effect":"deny"'
has '"host":"a.example","port":443,.*"effect":"ask","rule":"site"'
grep -q evil "$P/r.jsonl" && bad "a name that was only looked up is recorded"

t "diff counts them"
sed 's/ask tcp "a.example" port 443 as site/allow tcp "a.example" port 443 as site/' "$WORK/p.pol" >"$WORK/q.pol"
"$BIN/polc" diff "$WORK/p.pol" "$WORK/q.pol" --traffic "$P/r.jsonl" >"$WORK/.out" 2>&1
grep -q 'newly allowed: net tcp a.example:443' "$WORK/.out" || bad "$(cat "$WORK/.out")"
grep -qE 'seen in [1-9][0-9]* of .* such as: net tcp a.example:443' "$WORK/.out" || bad "$(cat "$WORK/.out")"

t "without the option nothing is recorded"
rm -f "$P/r.jsonl"
run --ask=deny sh -c 'head -n 1 rows | python3 egress_talk.py'
want_out '^one served 12345'
[ ! -e "$P/r.jsonl" ] || bad "a record was made"

done_
