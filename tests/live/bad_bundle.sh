#!/usr/bin/env bash
# A damaged, foreign or badly kept bundle: 125 with one line, or harmless.
# long: every fourth day, as root and as a user in turn
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

t "members that changed places or contents, headers made right: refused by polrun and polc"
"$BIN/polc" inspect "$good" >/dev/null 2>&1 || bad "polc does not read the good one"
if command -v python3 >/dev/null; then
	seed=${SEED:-$RANDOM}
	out=$(python3 - "$good" "$WORK/swap.polb" "$BIN" "$seed" <<'EOS' 2>&1
import os, random, subprocess, sys
good, to, bins, seed = sys.argv[1:4] + [int(sys.argv[4])]
data, r, members, at = open(good, "rb").read(), random.Random(seed), [], 0
while data[at:at + 100].strip(b"\0"):
    size = int(data[at + 124:at + 135], 8)
    end = at + 512 + (size + 511) // 512 * 512
    members.append((data[at:at + 512], data[at + 512:at + 512 + size]))
    at = end
tail = data[at:]

def pack(ms):
    out = b""
    for head, body in ms:
        h = bytearray(head)
        h[124:136] = b"%011o\0" % len(body)
        h[148:156] = b" " * 8
        h[148:156] = b"%06o\0 " % sum(h)
        out += bytes(h) + body + b"\0" * (-len(body) % 512)
    return out + tail

assert pack(members) == data, "this test packs other archives than polc"
n, bad = len(members), 0
# what a run does not read: it may run, as with the good one; polc reads all
unread = [h[:100].startswith((b"ir.json\0", b"sources/")) for h, _ in members]
assert 1 < sum(unread) < n
def judge(what, ms, harmless=False):
    global bad
    with open(to, "wb") as f: f.write(pack(ms))
    os.chmod(to, 0o600)
    p = subprocess.run([bins + "/polrun", "-b", to, "sh", "-c", "echo ran"],
                       capture_output=True, text=True, stdin=subprocess.DEVNULL)
    lines = [l for l in p.stderr.splitlines() if l.startswith("polrun: ")]
    ran = harmless and p.returncode == 0 and p.stdout == "ran\n"
    if not ran and (p.returncode != 125 or len(lines) != 1 or "ran" in p.stdout):
        bad = 1
        print(what, "polrun", p.returncode, p.stdout, p.stderr)
    for verb in (["inspect", to], ["explain", to, "command", "ls"]):
        p = subprocess.run([bins + "/polc"] + verb, capture_output=True, text=True)
        if p.returncode != 2 or not p.stderr.startswith("polc: "):
            bad = 1
            print(what, verb[0], p.returncode, p.stdout[:200], p.stderr)
tried = 0
# also those of one size, which only their digests tell apart
alike = [(i, k) for i in range(n) for k in range(i) if len(members[i][1]) == len(members[k][1])]
for i, k in alike + [r.sample(range(n), 2) for _ in range(24)]:
    if members[i][1] == members[k][1]: continue
    ms = list(members); ms[i], ms[k] = ms[k], ms[i]
    harmless = unread[i] and unread[k]
    judge(f"order {i} {k}", ms, harmless)
    ms = list(members)
    ms[i], ms[k] = (ms[i][0], ms[k][1]), (ms[k][0], ms[i][1])
    judge(f"contents {i} {k}", ms, harmless)
    judge(f"without {i}", members[:i] + members[i + 1:])
    judge(f"twice {i}", members[:i] + [members[i]] + members[i:])
    tried += 4
print("refused" if not bad else "accepted", tried)
sys.exit(bad)
EOS
	)
	rc=$?
	want_rc 0
	printf '     seed %s: %s\n' "$seed" "$(tail -n 1 <<<"$out")"
	want_out '^refused [1-9]'
fi

t "polc on flipped bytes: an answer, or a refusal, never a signal"
if command -v python3 >/dev/null; then
	seed=${SEED:-$RANDOM}
	out=$(python3 - "$good" "$WORK/flip.polb" "$BIN/polc" "$seed" "${RUNS:-60}" <<'EOS' 2>&1
import os, random, subprocess, sys
good, flip, polc, seed, runs = sys.argv[1:4] + list(map(int, sys.argv[4:]))
data, r, refused = open(good, "rb").read(), random.Random(seed), 0
for _ in range(runs):
    b = bytearray(data)
    b[r.randrange(len(data))] ^= 1 << r.randrange(8)
    if r.randrange(4) == 0: b = b[:r.randrange(len(b))]
    with open(flip, "wb") as f: f.write(b)
    os.chmod(flip, 0o600)
    for verb in (["inspect", flip], ["inspect", "--section", "seccomp", flip],
                 ["explain", flip, "file", "read", "/etc/shadow"]):
        p = subprocess.run([polc] + verb, capture_output=True, text=True)
        refused += p.returncode == 2
        if p.returncode not in (0, 1, 2, 3) or (p.returncode == 2) != ("polc: " in p.stderr):
            print(verb, p.returncode, p.stdout[:200], p.stderr)
            sys.exit(1)
print("refused", refused, "of", 3 * runs)
EOS
	)
	rc=$?
	want_rc 0
	printf '     seed %s: %s\n' "$seed" "$(tail -n 1 <<<"$out")"
	want_out '^refused [1-9]'
fi

done_
