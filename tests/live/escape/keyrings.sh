#!/usr/bin/env bash
# Tries: keys of the caller's user and session, by name and by number.
# Stops it: a session keyring and a user namespace of the run's own (each has
# its own user keyring); the masked /proc/keys; std/base denies the calls.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
bare_policy
std_policy
name=pol-escape-$$-$RANDOM

t "the control: outside the key is found by name and read by number"
outside "$K" key-add "$name"
worked
serial=$(head -n 1 <<<"$out")
outside "$K" key-find "$name"
worked
outside "$K" key-read "$serial"
worked

t "inside it is not found by name"
run "$K" key-find "$name"
stopped 'ENOKEY|EACCES|EPERM'
run "$K" key-add "$name.in"
[ "$rc" -ne 0 ] || { run "$K" key-find "$name.in"; stopped ENOKEY; }
outside "$K" key-find "$name.in"
stopped ENOKEY
outside "$N" with-key "$name.s" "$N" keysearch "$name.s"
worked
outside "$N" with-key "$name.s" "$BIN/polrun" -b "$WORK/p.polb" "$N" keysearch "$name.s"
stopped 'ENOKEY|EACCES|EKEYREVOKED'

t "std/base: nor by number, nor at all"
run_with s "$K" key-read "$serial"
stopped EPERM
run_with s "$K" key-add x
stopped EPERM
run_with s "$C" request_key @user @$name 0 0
stopped EPERM
run_with s "$C" getpid
worked

t "the list of keys is masked"
if [ -r /proc/keys ]; then
	run "$F" read /proc/keys
	stopped EACCES
fi

outside "$K" key-unlink "$serial"
done_
