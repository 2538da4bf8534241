#!/usr/bin/env bash
# Tries: signals to the caller's process group, to polrun, to every process that the kernel
# lets.
# Stops it: the own pid namespace and process group; Landlock's signal scope where the kernel
# has it.
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
bash -c 'trap "echo hit >>$0" URG; echo up >>$0; for ((i = 0; i < 6; i++)); do read -rt 0.1; done <> <(:); ps -o ni= -p $$ >>$0' "$hits" &
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
	want_out '^[34] taken' # the run's own group, and its other processes
	! grep -q hit "$WORK/hits" || bad "the bystander was hit: $out"
done

t "nor does its priority change"
group python3 -c 'import os; os.setpriority(os.PRIO_PGRP, 0, 5)'
grep -q '^ *5$' "$WORK/hits" || bad "the control: $(cat "$WORK/hits")"
for b in p s; do
	group "$BIN/polrun" -b "$WORK/$b.polb" python3 -c 'import os
os.setpriority(os.PRIO_PGRP, 0, 5)
print("mine", os.getpriority(os.PRIO_PROCESS, 0))'
	want_out '^mine 5$'
	grep -q '^ *0$' "$WORK/hits" || bad "the bystander has another: $(cat "$WORK/hits")"
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

# Lowers the share of its session; the kernel takes one change in 100 ms from all of them.
cat >"$P/share.py" <<'EOS'
import os, time
for i in range(20):
    try:
        os.write(os.open("/proc/self/autogroup", os.O_WRONLY), b"15")
        break
    except BlockingIOError:
        time.sleep(0.06)
print("inside", open("/proc/self/autogroup").read().strip())
EOS
share() { outside setsid -w sh -c '"$@"; cat /proc/self/autogroup' sh "$@" python3 share.py; }
if grep -q nice /proc/self/autogroup 2>/dev/null; then
	t "the control: outside a session has less of the processors after it"
	share
	want_out '^/autogroup-[0-9]+ nice 15'
	t "a run of the session lowers it no longer than it lasts"
	share "$BIN/polrun" -q -b "$WORK/s.polb"
	want_out '^inside .* nice 15'
	want_out '^/autogroup-[0-9]+ nice 0'
fi

# The caller has its own pipe tell it by SIGIO; COMMAND… chooses another signal by its standard input.
cat >"$WORK/own.py" <<'EOS'
import fcntl, os, signal, subprocess, sys, time
r, w = os.pipe()
signal.signal(signal.SIGIO, lambda *a: print("SIGIO", flush=True))
fcntl.fcntl(r, fcntl.F_SETOWN, os.getpid())
fcntl.fcntl(r, fcntl.F_SETFL, fcntl.fcntl(r, fcntl.F_GETFL) | os.O_ASYNC)
done = subprocess.run(sys.argv[1:] + ["python3", "-c", """import fcntl
try: print("set", fcntl.fcntl(0, fcntl.F_SETSIG, 9))
except OSError as e: print("refused", e.errno)"""], stdin=r, capture_output=True, text=True)
print(done.stdout, flush=True)
os.write(w, b"x")
time.sleep(0.3)
print("alive")
EOS
t "nor does a descriptor of the caller's send it another signal"
outside python3 "$WORK/own.py"
want_rc 137 # the control
want_out '^set 0'
for b in p s; do
	outside python3 "$WORK/own.py" "$BIN/polrun" -q -b "$WORK/$b.polb"
	want_rc 0
	want_out '^refused 1'
	want_out '^SIGIO'
	want_out '^alive$'
done

done_
