#!/usr/bin/env bash
# A damaged, foreign or badly kept bundle: 125 with one line, or harmless.
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
policy ''
good=$WORK/p.polb

refuse() { # FILE WORDS
	err=$("$BIN/polrun" -b "$1" sh -c 'echo ran' 2>&1 </dev/null)
	rc=$?
	[ "$rc" -eq 125 ] || bad "$1: exit status $rc"
	[ "$(grep -c '^polrun: ' <<<"$err")" -eq 1 ] || bad "$1: not one line"
	grep -qE -- "$2" <<<"$err" || bad "$1: no '$2' in: $err"
}

t "the control"
run sh -c 'echo ran'
want_rc 0
want_out '^ran$'

t "owner, mode, symbolic link, kind: each its own message"
cp "$good" "$WORK/b"
chmod 0620 "$WORK/b"
refuse "$WORK/b" 'writ'
chmod 0602 "$WORK/b"
refuse "$WORK/b" 'writ'
chmod 0600 "$WORK/b"
ln -sf "$WORK/b" "$WORK/l"
refuse "$WORK/l" 'symbolic link'
refuse "$WORK/out" 'regular|directory'
mkfifo "$WORK/fifo"
refuse "$WORK/fifo" 'regular'
refuse "$WORK/nothing" 'No such file'
if is_root; then
	chown nobody "$WORK/b"
	refuse "$WORK/b" 'belongs to'
	chown root "$WORK/b"
fi
err=$("$BIN/polrun" -b "$WORK/b" true 2>&1)
rc=$?
want_rc 0

t "cut, empty, longer, something else"
size=$(stat -c %s "$good")
for n in 0 1 511 512 1024 $((size / 2)) $((size - 1)) $((size - 512)); do
	head -c "$n" "$good" >"$WORK/b"
	refuse "$WORK/b" .
done
{ cat "$good"; echo more; } >"$WORK/b"
refuse "$WORK/b" .
head -c 65536 /dev/urandom >"$WORK/b"
refuse "$WORK/b" .
tar cf "$WORK/b" -C / etc/passwd 2>/dev/null
refuse "$WORK/b" .

t "any flipped byte is refused or harmless"
if command -v python3 >/dev/null; then
	seed=${SEED:-$RANDOM}
	runs=${RUNS:-150}
	out=$(python3 - "$good" "$WORK/flip" "$BIN/polrun" "$seed" "$runs" <<'EOS' 2>&1
import os, random, subprocess, sys
good, flip, polrun, seed, runs = sys.argv[1:3] + [sys.argv[3]] + list(map(int, sys.argv[4:]))
data = open(good, "rb").read()
r = random.Random(seed)
refused = 0
for _ in range(runs):
    at, bit = r.randrange(len(data)), 1 << r.randrange(8)
    b = bytearray(data); b[at] ^= bit
    with open(flip, "wb") as f: f.write(b)
    os.chmod(flip, 0o600)
    p = subprocess.run([polrun, "-b", flip, "sh", "-c", "echo ran; cat /etc/shadow"],
                       capture_output=True, text=True, stdin=subprocess.DEVNULL)
    lines = [l for l in p.stderr.splitlines() if l.startswith("polrun: ")]
    if p.returncode == 125 and len(lines) == 1 and "ran" not in p.stdout:
        refused += 1
    elif p.returncode not in (0, 1) or "root:" in p.stdout:
        print(f"byte {at} bit {bit}: {p.returncode} {p.stderr!r} {p.stdout!r}")
        sys.exit(1)
print("refused", refused, "of", runs)
EOS
	)
	rc=$?
	want_rc 0
	printf '     seed %s: %s\n' "$seed" "$out"
	want_out '^refused [1-9]'
else
	bad "python3 is missing"
fi

done_
