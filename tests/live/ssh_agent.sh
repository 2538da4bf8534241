#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# timing: waits for agents that a loaded machine starts late
# An ssh-agent reaches a run only where a unix rule names it, and is found there.
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
for c in ssh-agent ssh-add ssh-keygen; do
	command -v $c >/dev/null || { skip "$c" "not installed"; done_; exit; }
done
unset SSH_AUTH_SOCK SSH_AGENT_PID

# PATH: an agent with one key, that listens there.
agent() {
	mkdir -p "${1%/*}"
	ssh-agent -D -a "$1" >/dev/null 2>&1 &
	agents+=("$!")
	within 20 test -S "$1"
	SSH_AUTH_SOCK=$1 ssh-add -q "$WORK/key"
}
agents=()
ssh-keygen -q -t ed25519 -N '' -C of-the-agent -f "$WORK/key"
cp "$WORK/key.pub" "$P/key.pub"
echo text >"$P/text"
A=$WORK/login/agent.1
agent "$A"
agent "$HOME/.ssh/agent/s.2"
KEEP='env { keep += SSH_AUTH_SOCK }'
sign='ssh-add -l && ssh-keygen -q -Y sign -f key.pub -n file text'

t "the control: without a sandbox the agent signs"
out=$(SSH_AUTH_SOCK=$A sh -c "$sign" 2>&1)
want_out of-the-agent
want_file text.sig
rm -f text.sig

t "without a rule the agent is not there, though the variable is kept"
policy "$KEEP"
SSH_AUTH_SOCK=$A run sh -c "$sign"
[ "$rc" -ne 0 ] || bad "the agent was reached"
no_out of-the-agent
no_file text.sig

t "with a rule it is, and nothing beside it"
policy "$KEEP"' unix { allow "${SSH_AUTH_SOCK}" }'
SSH_AUTH_SOCK=$A run sh -c "ls -A '${A%/*}'; test -S \"\$SSH_AUTH_SOCK\"; echo \$?"
want_rc 0
[ "$out" = $'agent.1\n0' ] || bad "beside the agent: $out"
SSH_AUTH_SOCK=$A run sh -c "$sign"
if is_root; then
	# the run's user is not the agent's, which looks at who speaks to it
	[ "$rc" -ne 0 ] || bad "the agent served another user"
	no_out of-the-agent
	no_file text.sig
else
	want_rc 0
	want_out of-the-agent
	want_file text.sig
	printf 'me %s\n' "$(cat key.pub)" >"$WORK/signers"
	ssh-keygen -q -Y verify -f "$WORK/signers" -I me -n file -s text.sig <text >/dev/null || bad "the signature is wrong"
	rm -f text.sig
fi

t "std/unix/ssh-agent says the same"
# not by policy(): `use` stands before the sections, and a list without += is all there is
body=${HEAD#*$'\n'}
printf '%s\n' 'policy t { base none }' 'use std/unix/ssh-agent' "${body/keep/keep +=}" >"$WORK/u.pol"
(cd "$WORK" && "$BIN/polc" compile u.pol -o u.polb >"$WORK/.out" 2>&1 && chmod 0600 u.polb) || bad "$(cat "$WORK/.out")"
SSH_AUTH_SOCK=$A run_with u sh -c 'test -S "$SSH_AUTH_SOCK" && echo there'
want_out '^there$'

t "also below a hidden folder, and by a link"
policy "$KEEP"' unix { allow "${SSH_AUTH_SOCK}" } file { hide "${HOME}/.ssh" }'
echo secret >"$HOME/.ssh/id"
ln -sf "$HOME/.ssh/agent/s.2" "$WORK/login/link"
SSH_AUTH_SOCK=$WORK/login/link run sh -c 'echo "$SSH_AUTH_SOCK"; test -S "$SSH_AUTH_SOCK" && echo there; ssh-add -l; cat "$HOME"/.ssh/i*'
want_out "^$HOME/.ssh/agent/s.2$"
want_out '^there$'
is_root || want_out of-the-agent
no_out secret

t "a deny of its path wins, by the root or by the name"
policy "$KEEP"' unix { allow "${SSH_AUTH_SOCK}"  deny "'"$A"'" }'
SSH_AUTH_SOCK=$A run sh -c 'test -S "$SSH_AUTH_SOCK"'
want_rc 1
policy "$KEEP"' unix { allow "'"$A"'"  deny "${SSH_AUTH_SOCK}" }'
SSH_AUTH_SOCK=$A run sh -c 'test -S "$SSH_AUTH_SOCK"'
want_rc 1

t "what is no socket of the caller's own is no agent, and the plan says so"
policy "$KEEP"' unix { allow "${SSH_AUTH_SOCK}" }'
for value in "$P/../../login/agent.1" "$WORK/key" "$WORK/login" "$WORK/none" "login/agent.1" ''; do
	SSH_AUTH_SOCK=$value run --plan true
	case $value in
	*..*) want_out "socket +$A" ;; # a name for it like any other
	*)
		no_out '^  socket'
		want_out 'names no socket of the user.s own'
		;;
	esac
done
SSH_AUTH_SOCK=$WORK/key run cat "$WORK/key"
[ "$rc" -ne 0 ] || bad "the key was read"
no_out PRIVATE
if is_root; then
	python3 -c 'import socket,sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$WORK/login/others"
	chown 65534 "$WORK/login/others"
	SSH_AUTH_SOCK=$WORK/login/others run --plan true
	no_out '^  socket'
fi

if is_root && setpriv --reuid=nobody --clear-groups true 2>/dev/null; then
	t "a run that is another user's reaches that user's agent"
	U=$WORK/nobody
	mkdir -p "$U" && cp "$WORK/key" "$U/key" && chown -R nobody "$U" && chmod 0711 "$WORK"
	setpriv --reuid=nobody --clear-groups ssh-agent -D -a "$U/agent" >/dev/null 2>&1 &
	agents+=("$!")
	within 20 test -S "$U/agent"
	setpriv --reuid=nobody --clear-groups env SSH_AUTH_SOCK="$U/agent" ssh-add -q "$U/key"
	chmod 0644 "$WORK/p.polb"
	HOME=/nonexistent SSH_AUTH_SOCK=$U/agent run --user nobody ssh-add -l
	want_rc 0
	want_out of-the-agent
	SSH_AUTH_SOCK=$A HOME=/nonexistent run --user nobody --plan true # root's is not that user's own
	no_out '^  socket'
	chmod 0600 "$WORK/p.polb" && chmod 0700 "$WORK"
fi

t "explain answers as the run does"
out=$(SSH_AUTH_SOCK=$A "$BIN/polc" explain "$WORK/p.pol" unix "$A")
want_out '^allow: '
out=$("$BIN/polc" explain "$WORK/p.pol" unix "$A")
want_out '^deny: '
out=$("$BIN/polc" explain --root SSH_AUTH_SOCK="$A" "$WORK/p.pol" unix "$A")
want_out '^allow: '
ask='{"kind":"unix","path":"'"$A"'","scope":"sandbox"}'
out=$(SSH_AUTH_SOCK=$A "$BIN/polquery" -b "$WORK/p.polb" <<<"$ask")
want_out '"effect":"allow"'
out=$("$BIN/polquery" -b "$WORK/p.polb" <<<"$ask")
want_out '"effect":"deny"'
kill "${agents[@]}"
done_
