#!/usr/bin/env bash
# Tries: signals to the caller's process group (the run shares it), to polrun,
# to every process that the kernel lets.
# Stops it: the own pid namespace; the floor denies kill(0); Landlock's signal
# scope where the kernel has it.
# SIGURG kills nobody: where a trick works the bystander notes it.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
bare_policy
std_policy
cat >"$WORK/group.sh" <<'EOS'
# HITS COMMAND…: a bystander, and the command, in a process group of their own.
hits=$1
shift
bash -c 'trap "echo hit >>$0" URG; echo up >>$0; for ((i = 0; i < 6; i++)); do read -rt 0.1; done <> <(:)' "$hits" &
b=$!
until [ -s "$hits" ]; do sleep 0.02; done
"$@" $$ $b
echo "rc=$?"
wait $b
EOS
group() {
	: >"$WORK/hits"
	out=$("${apart[@]}" setsid bash "$WORK/group.sh" "$WORK/hits" "$@" 2>"$WORK/.err" </dev/null)
	rc=$? err=$(cat "$WORK/.err")
}

# The control signals whatever the kernel lets it: processes of its own namespace, and
# not those of a test that runs at the same time.
apart=(unshare --pid --fork --kill-child)
is_root || apart+=(--user)
t "the control: outside the bystander is hit"
group "$K" group
grep -q hit "$WORK/hits" || bad "the bystander got nothing: $out"
apart=()

t "inside it is not, nor is polrun"
for b in p s; do
	group "$BIN/polrun" -b "$WORK/$b.polb" "$K" group
	want_out '^rc=0$'
	want_out '^[01] taken'
	! grep -q hit "$WORK/hits" || bad "the bystander was hit: $out"
done

t "numbers of the host's processes name nobody"
sleep 60 &
host=$!
outside "$K" pid "$host"
worked
for pid in "$host" "$$" "$PPID" 4194303; do
	run "$K" pid "$pid"
	stopped 'ESRCH|EINVAL'
done
run sh -c 'sleep 5 & "$0" pid $!' "$K"
worked
kill "$host"

done_
