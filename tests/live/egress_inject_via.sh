#!/usr/bin/env bash
# lab: web proxy
# long: every fourth day, as root and as a user in turn
# timing: waits for connections that a loaded machine makes late
# A credential that goes out through an upstream proxy: the proxy connects, and sees TLS only.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"
install -m 0600 /dev/null "$WORK/secret"
install -m 0600 /dev/null "$WORK/pw"
TOKEN=tok-$RANDOM$RANDOM-$$
printf '%s\n' "$TOKEN" >"$WORK/secret"
printf 'lab:geheim\n' >"$WORK/pw"
net_policy "	via \"http://proxy.example:3128\" user from secret PROXY
	allow tcp \"model.example\" inject header \"Authorization\" \"Bearer \" from secret TOKEN as model
}
env { secret TOKEN from file \"$WORK/secret\" secret PROXY from file \"$WORK/pw\" }
network {"
t "a credential through a proxy"
: >"$LAB/log/web"
forget
run -v curl -sS --max-time 10 http://model.example/
want_rc 0
want_out 'sni=model.example host=model.example .* port=443'
within 5 grep -qF "|Bearer $TOKEN|" "$LAB/log/web" || bad "the server's log: $(cat "$LAB/log/web")"
nothing_left 198.51.100.40
if is_root; then
	grep -q 'model.example' "$LAB/log/proxy" || bad "the proxy was not asked: $(cat "$LAB/log/proxy")"
	! grep -qF "$TOKEN" "$LAB/log/proxy" || bad "the proxy saw it"
fi
want_err 'network: 1 connection, [1-9]'

t "a proxy that refuses: the program is told nothing of the credential"
printf 'lab:wrong\n' >"$WORK/pw"
run curl -sS --max-time 10 http://model.example/
[ "$rc" -ne 0 ] || bad "it went through"
printf '%s\n%s\n' "$out" "$err" | grep -qF "$TOKEN" && bad "it is there"
done_
