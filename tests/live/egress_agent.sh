#!/usr/bin/env bash
# lab: ssh
# long: every fourth day, as root and as a user in turn
# timing: waits for an agent that a loaded machine starts late
# git over ssh through the gateway, with a key that never enters the run: the agent has it.
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"
unset SSH_AUTH_SOCK SSH_AGENT_PID
install -m 0600 "$LAB/keys/ssh_user" "$WORK/key"
cp "$LAB/known_hosts" "$P/known_hosts"
S=$WORK/login/agent
mkdir -p "${S%/*}"
ssh-agent -D -a "$S" >/dev/null 2>&1 &
agent=$!
within 20 test -S "$S"
SSH_AUTH_SOCK=$S ssh-add -q "$WORK/key"
rm -f "$WORK/key"

SSH="ssh -F none -o UserKnownHostsFile=$P/known_hosts -o BatchMode=yes -o ConnectTimeout=10"
clone="GIT_SSH_COMMAND='$SSH' git clone -q ssh://git@code.example/~/repo.git c && cat c/README; rm -rf c"
HOST='allow tcp "code.example" port 22'
# RULES: the network's, and the agent's variable
agent_policy() { net_policy "$HOST
}
env { keep += SSH_AUTH_SOCK }
$1
network {"; }

t "the control: outside of a run the agent's key opens the repository"
outside env SSH_AUTH_SOCK="$S" sh -c "$clone"
want_out cloned
outside sh -c "$clone"
no_out cloned

t "without a rule for the agent the server is reached, and lets nobody in"
agent_policy ''
SSH_AUTH_SOCK=$S run sh -c "$clone"
no_out cloned
want_err 'Permission denied'

t "with a rule it is cloned"
agent_policy 'unix { allow "${SSH_AUTH_SOCK}" }'
SSH_AUTH_SOCK=$S run sh -c "$clone"
if is_root; then # the agent serves its own user, and the run's is another one
	no_out cloned
	want_err 'Permission denied'
else
	want_out cloned
fi

t "the agent opens no other host"
SSH_AUTH_SOCK=$S run sh -c "$SSH git@github.com echo reached"
[ "$rc" -ne 0 ] || bad "another host was reached"
no_out reached
kill "$agent"
done_
