#!/usr/bin/env bash
# A flood of refused packets: what it keeps from being listed is said.
# shellcheck disable=SC2034,SC2154
# lab: web
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"
net_policy 'allow tcp "a.example" port 80'
cat >"$P/flood.py" <<'EOT'
import os, socket, sys, time
end = time.time() + 2
for i in range(int(sys.argv[1])):
    if os.fork() == 0:
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        while time.time() < end:
            try: s.sendto(b"x", ("203.0.113.9", 9))
            except OSError: pass
        os._exit(0)
time.sleep(1)
for port in range(4433, 4438):
    try: socket.create_connection(("198.51.100.66", port), 5); print("reached")
    except OSError as e: print(e)
EOT
# all that was refused is listed, or a line says that it is not
listed() {
	local n
	n=$(grep -c '198\.51\.100\.66:443' "$WORK/r.json")
	[ "$n" -ge 5 ] || grep -q 'refusals that a flood kept from being listed' "$WORK/r.json" ||
		bad "$n of 5 refusals are listed, and nothing says so"
}

t "the control: without a flood each refusal is listed"
run --report "$WORK/r.json" python3 flood.py 0
want_rc 0
n=$(grep -c '198\.51\.100\.66:443' "$WORK/r.json")
[ "$n" -ge 5 ] || bad "$n of 5 are listed"

t "what a flood keeps from being listed is said"
run --report "$WORK/r.json" python3 flood.py 4
want_rc 0
want_out 'Connection refused'
listed
done_
