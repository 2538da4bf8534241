#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# lab:
# timing: waits for processes that a loaded machine starts and ends late
# The gateway and the run live and die together.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"
net_policy '	allow tcp "echo.example" port 9000 as echo'
mark=.$$

begin() { # a run that holds a connection and sleeps; sets polrun
	rm -f "$P/up"
	"$BIN/polrun" -b "$WORK/p.polb" sh -c "$D tcp echo.example 9000 x >up.new; mv up.new up; sleep 12$mark" >"$WORK/.out" 2>"$WORK/.err" </dev/null &
	polrun=$!
	within 20 grep -q '^OK x' "$P/up" || bad "the run did not reach the server: $(cat "$WORK/.err")"
	gate=$(pgrep -x polgate | while read -r p; do [ "$(ps -o ppid= -p "$p" | tr -d ' ')" != "$polrun" ] || echo "$p"; done)
	[ -n "$gate" ] || gate=$(pgrep -n -x polgate)
	[ -n "$gate" ] || bad "there is no polgate"
}
gone() { ! kill -0 "$1" 2>/dev/null || [ "$(ps -o stat= -p "$1" | cut -c1)" = Z ]; }

t "kill -9 of polgate ends the run: 125, and why"
begin
kill -9 "$gate"
wait "$polrun"
rc=$? err=$(<"$WORK/.err") out=''
want_rc 125
want_line 'the egress gateway has ended, and with it the run'
within 5 is_gone "sleep 12$mark" || bad "the command goes on"

t "kill -9 of polrun ends polgate and the command"
begin
kill -9 "$polrun"
wait "$polrun" 2>/dev/null
within 5 gone "$gate" || bad "polgate goes on"
within 5 is_gone "sleep 12$mark" || bad "the command goes on"

t "the end of the command ends polgate; a stop of polrun, too"
run "$D" tcp echo.example 9000 x
want_out '^OK x'
within 5 sh -c '! pgrep -x polgate' || bad "a polgate is left"
begin
kill -TERM "$polrun"
wait "$polrun" 2>/dev/null
within 5 gone "$gate" || bad "polgate goes on"
within 5 is_gone "sleep 12$mark" || bad "the command goes on"

t "the gateway is confined: no files, no programs, no other user's"
begin
status=$(cat "/proc/$gate/status" 2>&1)
grep -q '^NoNewPrivs:.*1' <<<"$status" || bad "new privileges"
grep -q '^Seccomp:.*2' <<<"$status" || bad "no filter"
grep -q '^CapEff:.*0000000000000000' <<<"$status" || bad "capabilities"
if is_root; then
	grep -qE '^Uid:.*\s0\s' <<<"$status" && bad "it is root"
	[ -z "$(tr -d '\0' <"/proc/$gate/environ")" ] || bad "it has an environment"
fi
kill -TERM "$polrun"
wait "$polrun" 2>/dev/null

t "without a rule for the outside there is no gateway"
within 5 sh -c '! pgrep -x polgate' || bad "a polgate is left"
net_policy '	allow tcp 127.0.0.0/8 port 8000 as own' none
run_with none sh -c 'sleep 0.3' &
sleep 0.2
! pgrep -x polgate >/dev/null || bad "a polgate for nothing"
wait $!
begin
pgrep -x polgate >/dev/null || bad "the control"
kill -TERM "$polrun"
wait "$polrun" 2>/dev/null

t "a polgate that cannot start ends the start: 125"
mkdir -p "$WORK/alone" && cp "$BIN"/pol{run,init,nft} "$WORK/alone/"
"$WORK/alone/polrun" -b "$WORK/p.polb" true >"$WORK/.out" 2>"$WORK/.err" </dev/null
rc=$? err=$(<"$WORK/.err") out=''
want_rc 125
want_err 'polgate'
cp "$BIN/polgate" "$WORK/alone/" 2>/dev/null
"$WORK/alone/polrun" -b "$WORK/p.polb" true >"$WORK/.out" 2>"$WORK/.err" </dev/null
rc=$? err=$(<"$WORK/.err")
want_rc 0
t "few descriptors, little memory: 125 and a reason, or a run that refuses what it must"
printf 'tok-%s\n' "$$" >"$WORK/secret"
chmod 0600 "$WORK/secret"
net_policy "	allow tcp \"echo.example\" port 9000 as echo
	allow tcp \"model.example\" inject header \"X-Key\" from secret TOKEN
}
env { secret TOKEN from file \"$WORK/secret\" }
network {" few
forget
ran=0 ended=0
for limit in -n\ {5,7,9,11,13,15,17,19,22,25,30,36,45,64,200} -d\ {1000,3000,9000,20000} -v\ {8000,16000,30000,200000}; do
	[[ $VARIANT != san || $limit != -[dv]* ]] || continue
	# shellcheck disable=SC2086
	(ulimit $limit && exec timeout 20 "$BIN/polrun" -b "$WORK/few.polb" "$D" tcp 198.51.100.66 9000 x) >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$? out=$(<"$WORK/.out") err=$(<"$WORK/.err")
	case $rc in
	0) [[ $out = ECONNREFUSED* ]] && ran=$((ran + 1)) || bad "ulimit $limit" ;;
	125) [ -n "$err" ] && ended=$((ended + 1)) || bad "ulimit $limit: no reason" ;;
	*) bad "ulimit $limit: $rc" ;;
	esac
	[[ $err != *"install ca-certificates"* ]] || bad "ulimit $limit: another reason"
done
[ "$ran" -gt 1 ] && [ "$ended" -gt 5 ] || bad "$ran ran, $ended did not start"
nothing_left 198.51.100.66
within 5 sh -c '! pgrep -x "polgate|polinject"' || bad "one is left"
run_with few "$D" tcp echo.example 9000 x
want_out '^OK x'
done_
