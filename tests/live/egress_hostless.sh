#!/usr/bin/env bash
# lab: web ssh
# A rule that names no host, with names as its exceptions: these names pass, to whatever address
# they lead, and nobody else does: not another name there, and not the address itself.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"

t "the control: outside each of them answers"
for at in a.example b.example v4.example 198.51.100.10 198.51.100.11; do
	outside "$D" tcp $at 22 -
	want_out '^OK SSH-'
done

t "a deny with an exception: the name passes, another on its address does not, nor its address"
net_policy '	allow tcp "a.example", "b.example", "v4.example", 198.51.100.8/29, 2001:db8:10::/48 port 22, 9000
	deny tcp port 22 except "a.example", "v4.example" as no22
	deny tcp 198.51.100.11 as blocked'
forget
run --report "$WORK/r.json" sh -c 'for a in a.example b.example 198.51.100.10 2001:db8:10::10 198.51.100.12; do printf "%s " $a; '"$D"' tcp $a 22 -; done'
want_out '^a.example OK SSH-'
for at in b.example 198.51.100.10 2001:db8:10::10 198.51.100.12; do want_out "^$at ECONNREFUSED"; done
python3 -c '
import json, sys
for d in json.load(open(sys.argv[1]))["denials"]: print(d["rule"]["id"], d["subject"])' "$WORK/r.json" >"$WORK/denied"
for at in b.example 198.51.100.10 198.51.100.12; do
	grep -qE "^no22 tcp $at:22" "$WORK/denied" || bad "no record of $at: $(cat "$WORK/denied")"
done
nothing_left 198.51.100.12
# the rule is about port 22 alone
run sh -c 'for a in a.example b.example 198.51.100.10; do '"$D"' tcp $a 9000 x; done'
[ "$(grep -c '^OK x' <<<"$out")" -eq 3 ] || bad "port 9000: $out"

t "a rule that names the address holds for the name that leads there"
forget
run --explain-denials "$D" tcp v4.example 22 -
want_out '^(ECONNRESET|EOF|ECONNREFUSED)'
want_err 'v4.example:22.*rule blocked'
nothing_left 198.51.100.11

t "explain says the same"
for row in "a.example allow" "b.example deny" "198.51.100.10 deny"; do
	"$BIN/polc" explain "$WORK/p.pol" net tcp "${row% *}:22" >"$WORK/.out" 2>&1
	grep -q "^${row#* }: net" "$WORK/.out" || bad "$row: $(head -n 1 "$WORK/.out")"
done

t "an ask with an exception: nobody is asked about the name, nobody can be about the rest"
net_policy '	allow tcp "a.example", "b.example", 198.51.100.8/29 port 22
	ask tcp port 22 except "a.example" as ask22'
run sh -c 'for a in a.example b.example 198.51.100.10; do printf "%s " $a; '"$D"' tcp $a 22 -; done'
want_out '^a.example OK SSH-'
for at in b.example 198.51.100.10; do want_out "^$at (ECONNRESET|EOF|ECONNREFUSED)"; done

t "everything else is allowed: only the exception may use the port"
raw_policy "${NET_HEAD/network limited/network full}network { deny tcp port 22 except \"a.example\" as no22 }" full
run_with full sh -c 'for a in a.example b.example 198.51.100.10; do printf "%s " $a; '"$D"' tcp $a 22 -; done'
want_out '^a.example OK SSH-'
for at in b.example 198.51.100.10; do want_out "^$at ECONNREFUSED"; done

t "a translator's address: the rule that names no host has been heard about the name"
net_policy '	allow tcp "dns64.example", "v4.example" port 22
	deny tcp port 22 except "dns64.example" as no22'
run sh -c 'for a in dns64.example v4.example; do printf "%s " $a; '"$D"' tcp $a 22 -; done'
want_out '^dns64.example OK SSH-'
no_out '^v4.example OK'
done_
