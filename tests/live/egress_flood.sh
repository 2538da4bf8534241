#!/usr/bin/env bash
# A flood of refused packets, names and connections: each is counted, and what is not listed by
# itself is said with its number.
# shellcheck disable=SC2034,SC2154
# lab: web
# long: every fourth day, as root and as a user in turn
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"
net_policy 'allow tcp "a.example" port 80'
# CHILDREN KIND: each refuses to stop for two seconds; at the end how many refusals all have met, and then five
# connections that are refused one by one.
cat >"$P/flood.py" <<'EOT'
import os, socket, struct, sys, time
end = time.time() + 2

def datagrams(i):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); n = 0
    while time.time() < end:
        try: s.sendto(b"x", ("203.0.113.9", 9))
        except OSError: n += 1
    return n

def many(i):  # of different things
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); n = 0
    while time.time() < end:
        try: s.sendto(b"x", ("203.0.%d.%d" % (113 + i, n >> 10 & 255), 1000 + n % 1000))
        except OSError: n += 1
    return n

def names(i):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(("127.0.0.1", 53)); s.settimeout(5); n = 0
    while time.time() < end:
        name = b"n%d-%d" % (i, n)
        s.send(struct.pack(">HHHHHH", n & 65535, 256, 1, 0, 0, 0) + bytes([len(name)]) + name + b"\4evil\0\0\1\0\1")
        s.recv(512); n += 1
    return n

readers = []
for i in range(int(sys.argv[1])):
    r, w = os.pipe(); readers.append(r)
    if os.fork() == 0:
        os.write(w, b"%d" % globals()[sys.argv[2]](i))
        os._exit(0)
    os.close(w)
sum = sum(int(os.read(r, 20)) for r in readers)
time.sleep(1)
for port in range(4433, 4438):
    # A loaded kernel may drop the reset that answers a SYN; the second SYN is refused as well, and counted.
    s = socket.socket(); s.settimeout(5)
    try: s.connect(("198.51.100.66", port)); print("reached")
    except OSError as e: print(e)
    sent_again = struct.unpack_from("I", s.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104), 100)[0]
    sum += 1 + sent_again; print("sent again", sent_again)
print("refused", sum)
EOT
# What the report counts: "TOTAL LISTED LOST", of denials[] and of what it says was not recorded.
counted() {
	python3 -c '
import json, re, sys
r = json.load(open(sys.argv[1]))
lost = [re.match(r"denials: (\d+) more were not recorded", m) for m in r["mechanisms"]]
print(r["network"]["refused"], sum(d["count"] for d in r["denials"] if d["layer"] == "network"), sum(int(m[1]) for m in lost if m))' "$WORK/r.json"
}
# As many as the program has met, and no number is missing from the report.
all_counted() {
	local met total listed lost
	met=$(sed -n 's/^refused //p' <<<"$out")
	read -r total listed lost < <(counted)
	printf '     met %s, counted %s: %s in denials, %s not recorded\n' "$met" "$total" "$listed" "$lost"
	[ "${total:-0}" -eq "${met:--1}" ] || bad "the program met $met refusals, the report counts $total"
	[ "${total:-0}" -eq $((listed + lost)) ] || bad "$total are not $listed and $lost"
}

t "the control: without a flood each refusal is listed"
run --report "$WORK/r.json" python3 flood.py 0 datagrams
want_rc 0
n=$(grep -c '198\.51\.100\.66:443' "$WORK/r.json")
[ "$n" -ge 5 ] || bad "$n of 5 are listed"
all_counted
! grep -q 'kept from being listed' "$WORK/r.json" || bad "something is missing"

for kind in datagrams many names; do
	t "a flood: what it keeps from being listed is counted: $kind"
	run --report "$WORK/r.json" python3 flood.py 4 $kind
	want_rc 0
	want_out 'Connection refused'
	all_counted
	[ "$(sed -n 's/^refused //p' <<<"$out")" -gt 3000 ] || bad "that is no flood"
	n=$(grep -c '198\.51\.100\.66:443' "$WORK/r.json")
	[ "$n" -ge 5 ] || grep -qE 'kept from being listed|many others|were not recorded' "$WORK/r.json" ||
		bad "$n of 5 refusals are listed, and nothing says so"
done

t "the messages say how many more there were"
run --explain-denials sh -c 'python3 flood.py 4 many; exit 1'
want_err 'polrun: blocked: ([0-9]+ more that were not kept|connect (many others|refusals that a flood))'
done_
