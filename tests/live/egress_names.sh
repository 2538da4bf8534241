#!/usr/bin/env bash
# lab: web
# long: every fourth day, as root and as a user in turn
# timing: waits for connections that a loaded machine makes late
# Names and the addresses behind them: two names on one address, aliases, wildcards, one family only,
# dead addresses, an address that changes, a resolver that is silent.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"
cp "$LAB/ca.pem" "$P/"
net_policy '	allow tcp "a.example" port 80, 443 as site
	allow tcp "*.wild.example" port 443 as wild
	deny tcp "no.wild.example" as hole
	allow tcp "moving.example", "v4.example", "v6.example", "dead6.example", "dead4.example", "many.example", "alias.example" port 9000 as names
	allow tcp "slow.example", "nothing.example", "nobody.example", "closed.example" port 9000 as lost'
get() { # URL [OPTION…]: of a run
	run curl -sS --cacert ca.pem --max-time 10 "${@:2}" "$1"
}

t "two names on one address: one is allowed, over TLS and HTTP"
for scheme in http https; do
	outside curl -sS --max-time 5 "$scheme://b.example/"
	want_out 'host=b.example at=(198.51.100.10|2001:db8:10::10)'
	get "$scheme://a.example/"
	want_rc 0
	want_out 'host=a.example at=(198.51.100.10|2001:db8:10::10)'
	forget
	get "$scheme://b.example/"
	want_rc 6
	nothing_left 198.51.100.10
	nothing_left 2001:db8:10::10
done

t "each name has an address of its own in a run, and keeps it"
run sh -c "for n in a.example v4.example x.wild.example y.wild.example a.example A.EXAMPLE x.wild.example; do $D dns \$n 1; done"
mapfile -t got < <(sed -n 's/^NOERROR \(198\.1[89]\.[0-9.]*\) .*/\1/p' <<<"$out")
[ "${#got[@]}" -eq 7 ] || bad "not seven addresses"
[ "$(printf '%s\n' "${got[@]:0:4}" | sort -u | wc -l)" -eq 4 ] || bad "two names share an address"
[ "${got[0]}${got[0]}${got[2]}" = "${got[4]}${got[5]}${got[6]}" ] || bad "an address changed"
run "$D" dns a.example 28
want_out '^NOERROR fd70:6f6c::'
# a resolver that asks for families that the machine has finds both
for family in ahosts ahostsv4 ahostsv6; do
	run getent $family a.example
	want_out '(198\.1[89]\.|fd70:6f6c:).* STREAM'
done

t "a wildcard: names below it, neither itself nor a hole in it"
for name in x.wild.example x.y.wild.example; do
	get "https://$name/"
	if [ $name = x.wild.example ]; then want_out "sni=$name"; else want_err 'certificate|SSL'; fi
done
run "$D" dns wild.example 1
no_out '^NOERROR 198'
for name in no.wild.example xwild.example a.example.wild.example.evil.example; do
	run "$D" dns $name 1
	want_out '^NXDOMAIN'
done
run "$D" dns sub.no.wild.example 1
want_out '^NOERROR 198'
outside curl -sS --max-time 5 https://no.wild.example/
want_out 'sni=no.wild.example'

t "an alias, one family only, several addresses"
for name in alias v4 v6 many; do
	forget
	run "$D" tcp $name.example 9000 hello
	want_out '^OK hello'
done
some_left 198.51.100.10 tcp 9000

t "a dead address beside a live one costs less than a second"
for name in dead6 dead4; do
	best=9999
	for _ in 1 2 3; do
		run "$D" tcp $name.example 9000 hello
		want_out '^OK hello'
		[ "$(ms_of "$out")" -ge "$best" ] || best=$(ms_of "$out")
	done
	[ "$best" -lt 1000 ] || bad "$name.example took $best ms"
done

t "an address that changes: the next connection goes to the new one"
lab_name moving.example 198.51.100.13
forget
run "$D" tcp moving.example 9000 hello
want_out '^OK hello'
some_left 198.51.100.13 tcp 9000
nothing_left 198.51.100.14
lab_name moving.example 198.51.100.14
forget
run "$D" tcp moving.example 9000 hello
want_out '^OK hello'
some_left 198.51.100.14 tcp 9000
nothing_left 198.51.100.13

t "the same within one run, whose program keeps the address that it was given"
lab_name moving.example 198.51.100.13
rm -f "$P/first" "$P/moved"
(
	within 20 test -e "$P/first" && lab_name moving.example 2001:db8:10::11 && forget && touch "$P/moved"
) &
run sh -c "a=\$($D dns moving.example 1 | cut -d' ' -f2); $D tcp \$a 9000 one; touch first
	while [ ! -e moved ]; do sleep 0.05; done; sleep 1; $D tcp \$a 9000 two"
wait $!
want_out '^OK one'
want_out '^OK two'
some_left 2001:db8:10::11 tcp 9000
nothing_left 198.51.100.13

t "what is allowed and not there: at once where it is refused, and said"
run sh -c "$D tcp closed.example 9000 x; exit 1"
want_out '^(ECONNRESET|EOF|ECONNREFUSED) [0-9]{1,3} ms$'
want_err 'allowed, but not reached: .*closed\.example:9000.*[Cc]onnection refused'
run sh -c "$D tcp nothing.example 9000 x; exit 1"
want_out '^(ECONNRESET|EOF|ECONNREFUSED) [0-9]{1,3} ms$'
want_err 'allowed, but not reached: .*nothing\.example:9000.*no address'
# silent servers do not hold up the others
run sh -c "$D tcp slow.example 9000 x & $D tcp nobody.example 9000 x & $D tcp v4.example 9000 live; wait"
want_out '^OK live [0-9]{1,3} ms'

t "the host's own hosts file counts, and its short names do not widen a rule"
printf '127.0.0.1 localhost\n198.51.100.14 nothing.example\n' >"$LAB/hosts"
forget
run "$D" tcp nothing.example 9000 hello
want_out '^OK hello'
some_left 198.51.100.14 tcp 9000
printf '127.0.0.1 localhost\n::1 localhost ip6-localhost\n' >"$LAB/hosts"
run "$D" dns a 1
want_out '^NXDOMAIN'

t "the gateway asks for addresses of what is dialled, and for nothing else"
: >"$LAB/log/dns"
run sh -c "$D dns v4.example 1; $D dns evil.example 1; $D dns q.wild.example 1"
! grep -q 'query\[' "$LAB/log/dns" || bad "$(grep 'query\[' "$LAB/log/dns")"
run "$D" tcp v4.example 9000 hello
within 5 grep -q 'query\[A\] v4.example' "$LAB/log/dns" || bad "the control: it was not looked up"
! grep 'query\[' "$LAB/log/dns" | grep -qv 'v4.example' || bad "other queries"
done_
