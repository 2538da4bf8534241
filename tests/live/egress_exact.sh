#!/usr/bin/env bash
# lab: web proxy
# long: every fourth day, as root and as a user in turn
# A limit of bytes is one for the whole rule: of all its hosts and ports, of all connections at
# once, both ways, through a proxy and with a header injected.  Never a byte more passes.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"
MANY=12 LIMIT=3145728 # 3M
printf 'lab:geheim\n' >"$WORK/pw"
printf 'tok-%s\n' "$$" >"$WORK/secret"
chmod 0600 "$WORK/pw" "$WORK/secret"

# COUNT KIND HOST:PORT…: so many connections at once, over these in turn; the bytes that each got and sent.
# down: reads what flows for ever; up: sends for ever; both: sends, and reads what comes back; http: reads /big
# again and again, sends bodies in between.  A pause now and then lets bytes wait on the way.
cat >"$P/exact.py" <<'EOT'
import random, socket, sys, threading, time
count, kind, *hosts = int(sys.argv[1]), *sys.argv[2:]
total, lock = [0, 0], threading.Lock()
MOST = 4 << 20

def add(got, sent):
    with lock:
        total[0] += got
        total[1] += sent

def reading(s, pause, most=MOST):
    n = 0
    try:
        while n < most and (d := s.recv(random.randrange(1, 90000))):
            n += len(d)
            add(len(d), 0)
            if pause: time.sleep(0.003)
    except OSError: pass

def sending(s, most=MOST):
    n = 0
    try:
        while n < most: k = s.send(b"x" * 30000); n += k; add(0, k)
    except OSError: pass

def one(i):
    host, port = hosts[i % len(hosts)].rsplit(":", 1)
    try: s = socket.create_connection((host, int(port)), 20)
    except OSError: return
    s.settimeout(4)
    if kind == "down": reading(s, i % 3 == 0)
    if kind == "up": sending(s)
    if kind == "both":
        t = threading.Thread(target=sending, args=(s,)); t.start(); reading(s, i % 3 == 0); t.join()
    if kind == "http":
        try:
            for k in range(3):
                body = b"z" * (20000 * (i % 2))
                q = b"POST /big HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n" % (host.encode(), len(body)) if body else b"GET /big HTTP/1.1\r\nHost: %s\r\n\r\n" % host.encode()
                s.sendall(q + body); add(0, len(q + body))
                reading(s, i % 3 == 0, 700 if body else MOST)
        except OSError: pass
    s.close()
threads = [threading.Thread(target=one, args=(i,)) for i in range(count)]
for t in threads: t.start()
for t in threads: t.join()
print("got", total[0], "sent", total[1])
EOT

# RULE KIND: what passed by the report, and what came out inside, are no more than the limit, and not much less.
held() {
	local got passed down
	got=$(sed -n 's/^got \([0-9]*\) .*/\1/p' <<<"$out")
	passed=$(python3 -c '
import json, sys
r = json.load(open(sys.argv[1])); n = r["network"]
print(n["bytes_up"] + n["bytes_down"])' "$WORK/r.json")
	down=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["network"]["bytes_down"])' "$WORK/r.json")
	# the reset at the limit waits for what was counted; a program that stops reading gets no more
	[ "$2" = http ] || [ "${got:-0}" -eq "$down" ] || bad "$got bytes came out inside, and $down are said to have passed"
	[ "${got:-99999999}" -le $LIMIT ] || bad "${got:-nothing} bytes came out inside, limit $LIMIT"
	grep -qF "the rule's limit of bytes" "$WORK/r.json" || bad "nothing was refused by the limit"
	grep -q "\"id\": *\"$1\"" "$WORK/r.json" || bad "the report does not name $1"
	printf '     %s: inside %s, passed %s of %s\n' "$1" "${got:-?}" "$passed" $LIMIT
	[ "$passed" -le $LIMIT ] && [ "$passed" -gt $((LIMIT * 6 / 10)) ] || bad "$passed bytes passed, limit $LIMIT"
}
exact() { # RULE COUNT KIND HOST:PORT…
	rm -f "$WORK/r.json"
	run --report "$WORK/r.json" python3 exact.py "${@:2}"
	want_rc 0
	held "$1" "$3"
}

t "the control: without a limit more than that passes"
net_policy '	allow tcp "echo.example" port 9000, 9001, 9002 as free'
run python3 exact.py 2 down echo.example:9001
[ "$(sed -n 's/^got \([0-9]*\) .*/\1/p' <<<"$out")" -gt $LIMIT ] || bad "the server is too slow: $out"

t "downwards, upwards, both ways: over all ports of the rule"
net_policy '	allow tcp "echo.example", "v4.example" port 9000, 9001, 9002 bytes 3M as little'
exact little 1 down echo.example:9001
exact little $MANY down echo.example:9001 v4.example:9001
exact little $MANY up echo.example:9002 v4.example:9002
exact little $MANY both echo.example:9000 v4.example:9000

t "what another rule decides counts where this one says the limit"
net_policy '	allow tcp "echo.example" port 9001 as first
	allow tcp "*.example" port 9001 bytes 3M as little'
exact little $MANY down echo.example:9001 v4.example:9001 a.example:9001

t "requests that are looked at"
net_policy '	allow tcp "a.example", "b.example" port 80 bytes 3M as little'
exact little $MANY http a.example:80 b.example:80

t "through a proxy"
net_policy "	via \"http://proxy.example:3128\" user from secret PROXY
	allow tcp \"echo.example\", \"v4.example\" port 9000, 9001 bytes 3M as little
}
env { secret PROXY from file \"$WORK/pw\" }
network {"
exact little $MANY down echo.example:9001 v4.example:9001
exact little $MANY both echo.example:9000 v4.example:9000

t "with a header injected, and beside it without one: one limit for both processes"
net_policy "	allow tcp \"model.example\" inject header \"Authorization\" \"Bearer \" from secret TOKEN bytes 3M as little
}
env { secret TOKEN from file \"$WORK/secret\" }
network {"
exact little $MANY http model.example:80
net_policy "	allow tcp \"*.example\" port 80 bytes 3M as little
	allow tcp \"model.example\" inject header \"Authorization\" \"Bearer \" from secret TOKEN as model
}
env { secret TOKEN from file \"$WORK/secret\" }
network {"
exact little $MANY http model.example:80 a.example:80
done_
