#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# polrun --record --explain-denials: what the run asked for is recorded as well, each request once,
# with what the policy says about it: files, sockets of the host, addresses.
# places:
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
policy 'command { otherwise allow }
file {
	allow read, write "${PROJECT_DIR}"
	hide "${PROJECT_DIR}/secret"  as no-secret
	deny write "${PROJECT_DIR}/kept" as kept
}
unix { deny "/run/pol-test.sock" as no-sock }
network disabled'
echo 1 >"$P/seen"
echo 1 >"$P/kept"
echo 1 >"$P/secret"
has() { # TEXT: a record has it, once
	local n
	n=$(grep -cE -- "$1" "$P/r.jsonl")
	[ "$n" -eq 1 ] || bad "$n records $1: $(grep -v '"/usr\|"/lib' "$P/r.jsonl")"
}
# What polrun itself sees in a line it decides before the run: so the work is in a script.
script() { printf '%s\n' "$@" >"$P/s.sh"; }
file() { # OP PATH REST
	has "^\{\"record\":1,\"by\":\"polrun\",\"kind\":\"file\",\"op\":\"$1\",\"path\":\"$P/$2\",.*\"effect\":\"$3"
}

t "files that pass, that are denied and that are hidden are recorded, each once"
script 'cat seen seen; cat seen; echo 2 >new; echo 2 >kept; cat secret; cat nowhere; :'
run --record r.jsonl --explain-denials sh s.sh
want_rc 0
file read seen 'allow"'
file write new 'allow"'
file write kept 'deny","rule":"kept"'
file read secret 'hide","rule":"no-secret"'
has '"kind":"argv"'
grep -q '"op":"exec","path":"/[a-z/]*/cat",.*"effect":"allow"' "$P/r.jsonl" || bad "no exec of cat"
grep -q nowhere "$P/r.jsonl" && bad "what exists nowhere is recorded: $(grep nowhere "$P/r.jsonl" | head -c 300)"
grep -q '"path":"/proc' "$P/r.jsonl" && bad "the run's own /proc is recorded"

t "addresses without a gateway"
if command -v python3 >/dev/null; then
	rm "$P/r.jsonl"
	run --record r.jsonl --explain-denials python3 -c '
import socket
for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM:
    try: socket.socket(socket.AF_INET, kind).connect(("198.51.100.7", 53))
    except OSError: pass'
	want_rc 0
	has '"kind":"net","proto":"tcp","host":"198.51.100.7","port":53,.*"effect":"deny"'
	has '"kind":"net","proto":"udp","host":"198.51.100.7","port":53,.*"effect":"deny"'
fi

t "diff counts what would be blocked, and what never was there"
rm "$P/r.jsonl"
script 'cat seen; echo 2 >new; :'
run --record r.jsonl --explain-denials sh s.sh
want_rc 0
sed -e "s|hide \"|deny read \"\${PROJECT_DIR}/seen\" hide \"\${PROJECT_DIR}/unused\", \"|" "$WORK/p.pol" >"$WORK/q.pol"
"$BIN/polc" diff "$WORK/p.pol" "$WORK/q.pol" --traffic "$P/r.jsonl" >"$WORK/.out" 2>&1
grep -q "^would block 1 of " "$WORK/.out" || bad "$(cat "$WORK/.out")"
grep -q "seen in 1 of .* such as: file read $P/seen" "$WORK/.out" || bad "$(cat "$WORK/.out")"
grep -q "never seen" "$WORK/.out" || bad "$(cat "$WORK/.out")"

t "without --explain-denials only the command is"
rm "$P/r.jsonl"
run --record r.jsonl sh s.sh
want_rc 0
[ "$(wc -l <"$P/r.jsonl")" -eq 1 ] || bad "$(cat "$P/r.jsonl")"

t "more than there is room for is an error at the end, and a name that is not UTF-8 as well"
script 'cat seen >"$(printf "x\377")"; :'
run --record r.jsonl --explain-denials sh s.sh
want_rc 125
want_err 'not UTF-8'
if command -v python3 >/dev/null; then
	run --record r.jsonl --explain-denials python3 -c '
import os
for i in range(66000): os.close(os.open("m%d" % i, os.O_CREAT | os.O_WRONLY)); os.unlink("m%d" % i)'
	want_rc 125
	want_err 'lacks [0-9]+ files or more'
fi

done_
