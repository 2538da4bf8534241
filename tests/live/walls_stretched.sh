#!/usr/bin/env bash
# A run that holds 3,000 files open for writing and moves their directory all the time does not keep
# polrun from seeing that a protected path was lost: how long a hidden file can be read.
# timing: waits for runs to begin and to end
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/walls.sh
. "$(dirname "$0")/../lib/walls.sh"
policy 'file {
    allow read, write, exec "${PROJECT_DIR}"
    hide "${PROJECT_DIR}/.env"
    deny write "${PROJECT_DIR}/locked"
}' held
cat >"$WORK/hold.py" <<'E2'
import os, resource, sys, time
n = int(sys.argv[1])
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
os.mkdir('d')
kept = [os.open('d/f%d' % i, os.O_RDWR | os.O_CREAT) for i in range(n)]
if n and not os.fork():
    while True:
        os.rename('d', 'd2')
        os.rename('d2', 'd')
out = os.open('seen', os.O_WRONLY | os.O_CREAT)
time.sleep(1)
print('up', flush=True)
end, first = time.monotonic() + 30, 0
while time.monotonic() < end:
    try:
        with open('.env') as f:
            text = f.read()
    except OSError:
        continue
    if text:
        first = first or time.monotonic()
        os.pwrite(out, b'%6d' % ((time.monotonic() - first) * 1000), 0)
E2
# N: for how many ms a run that holds so many files reads what a person saves
stretch() {
	made
	cp "$WORK/hold.py" .
	echo "exec python3 hold.py $1" >line.sh
	start held
	echo SECRET-2 >.new
	mv .new .env
	within 20 is_over "$pid" || { kill -KILL "$pid"; bad "the run went on"; }
	wait "$pid"
	rc=$?
	want_rc 123
	got=$(tr -d ' ' <seen)
	got=${got:-0}
}
median() { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }

t "how long with none, and with 3,000 files"
few=() many=()
for _ in 1 2 3; do
	stretch 0
	few+=("$got")
	stretch 3000
	many+=("$got")
done
echo "# ms with none: ${few[*]}; with 3,000: ${many[*]}"
[ "$(median "${many[@]}")" -le $(($(median "${few[@]}") + 30)) ] ||
	bad "with none ${few[*]} ms, with 3,000 files ${many[*]} ms"

done_
