#!/usr/bin/env bash
# `polc emit --to nft-host`: root loads the table, in a network namespace of the test's own with
# a server on the other end of a line; it holds one user, or one cgroup, and nobody else.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2016,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

if [ "${1:-}" != inside ]; then
	# an ordinary user has no second uid to compare with: what is left is whether nft takes it
	if ! is_root; then
		t "nft takes the text, in a user's own namespaces"
		printf 'policy live { base none }\nnetwork limited { allow tcp 203.0.113.1 port 8001 }\n' >p.pol
		"$BIN/polc" emit --to nft-host --uid "$(id -u)" p.pol >p.nft 2>.err || bad "$(<.err)"
		unshare -rn nft -c -f p.nft || bad "nft refuses it"
		! sed 's/8001/8001x/' p.nft | unshare -rn nft -c -f - 2>.err || bad "nft takes anything"
		done_
		exit
	fi
	for tool in nft ip nsenter setpriv python3; do
		command -v "$tool" >/dev/null || { skip "$tool" "not installed"; done_; exit; }
	done
	exec unshare -n -m "$BASH" "$0" inside
fi

held=64101 free=64102 far='' near=''
group=pol-test-$$
cd "$WORK" || exit 1
chmod 0755 "$WORK"

cat >serve.py <<'END'
# Says to each connection to one of the ports, and to each datagram, who has answered.
import select, socket, sys
say, ports = sys.argv[1].encode(), [int(p) for p in sys.argv[2:]]
tcp, udp = [], []
for port in ports:
    s = socket.create_server(("0.0.0.0", port))
    u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    u.bind(("0.0.0.0", port))
    tcp.append(s)
    udp.append(u)
print("ready", flush=True)
while True:
    for s in select.select(tcp + udp, [], [])[0]:
        if s in udp:
            s.sendto(say, s.recvfrom(100)[1])
        else:
            c = s.accept()[0]
            try:
                c.sendall(say)
            except OSError:
                pass
            c.close()
END
cat >ask.py <<'END'
# tcp|udp ADDRESS PORT: "got ANSWER" or the errno's name, and whether it took long.
import errno, socket, sys, time
kind, addr, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
s = socket.socket(socket.AF_INET, socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM)
s.settimeout(5)
begin = time.monotonic()
try:
    s.connect((addr, port))
    if kind == "udp":
        s.send(b"x")
    print("got", s.recv(100).decode())
except OSError as e:
    print(errno.errorcode.get(e.errno, "timeout"))
print("slow" if time.monotonic() - begin > 3 else "quick")
END
chmod 0644 ./*.py

ended() {
	[ -z "$far" ] || kill "$far" 2>/dev/null
	[ -z "$near" ] || kill "$near" 2>/dev/null
	rmdir "/sys/fs/cgroup/$group" 2>/dev/null
}
trap ended EXIT

as() { # UID kind ADDRESS PORT
	out=$(setpriv --reuid "$1" --regid "$1" --clear-groups python3 ask.py "${@:2}" 2>&1)
}
reached() { # UID WHO kind ADDRESS PORT
	as "$1" "${@:3}"
	[ "$out" = "got $2"$'\n'quick ] || bad "$*: not reached"
}
refused() { # ERRNO kind ADDRESS PORT: at once, and another user reaches it
	as "$held" "${@:2}"
	[ "$out" = "$1"$'\n'quick ] || bad "$*: not refused at once"
	as "$free" "${@:2}"
	[[ $out = got\ * ]] || bad "$*: another user does not reach it"
}
emit() { # NAME OPTIONS…
	"$BIN/polc" emit --to nft-host "${@:2}" "$1.pol" >"$1.nft" 2>.err
	rc=$? err=$(<.err)
	nft -f "$1.nft" || bad "nft refuses $1.nft"
}

t "the namespaces of the test"
ip link set lo up
unshare -n sleep 1000 &
far=$!
within 10 test "$(readlink /proc/self/ns/net)" != "$(readlink "/proc/$far/ns/net")" || bad "no second one"
ip link add near type veth peer name far netns "$far" || bad "no line"
ip addr add 203.0.113.2/24 dev near && ip link set near up
nsenter -t "$far" -n sh -c 'ip link set lo up; ip link set far up; ip addr add 203.0.113.1/24 dev far
	ip addr add 10.9.9.9/32 dev far; ip addr add 198.51.100.7/32 dev far'
ip route add default via 203.0.113.1
nsenter -t "$far" -n python3 serve.py far 53 54 8001 8002 8003 >far.out &
within 10 grep -q ready far.out || bad "no server"
python3 serve.py near 53 8003 8004 >near.out &
near=$!
within 10 grep -q ready near.out || bad "no server"
reached "$held" far tcp 203.0.113.1 8002 # before there is a table

cat >p.pol <<'END'
policy live { base none }
network limited {
    allow tcp 203.0.113.0/30 port 8001 as named
    allow tcp "far.example" port 8002 as name
    allow tcp port 8003 as anywhere
    allow udp 203.0.113.1 port 53 as dns
    allow tcp 127.0.0.1 port 8004 as db
    ask tcp 198.51.100.7 port 8001 as maybe
}
END
t "what rules for addresses allow is reached"
emit p --uid "$held" --strict
want_rc 1 # lossy
reached "$held" far tcp 203.0.113.1 8001
reached "$held" far tcp 203.0.113.1 8003
reached "$held" far udp 203.0.113.1 53
reached "$held" near tcp 127.0.0.1 8004
t "all else is refused at once, and another user is not touched"
refused ECONNREFUSED tcp 203.0.113.1 8002
refused ECONNREFUSED tcp 198.51.100.7 8001
refused ECONNREFUSED tcp 203.0.113.1 54
refused EPERM udp 203.0.113.1 54
refused EPERM udp 127.0.0.1 53
t "a rule without an address leads neither into private networks nor to the host"
refused ECONNREFUSED tcp 10.9.9.9 8003
refused ECONNREFUSED tcp 203.0.113.2 8003
refused ECONNREFUSED tcp 127.0.0.1 8003
t "a denial counts under its rule"
nft list ruleset | grep -q 'log prefix "maybe".*counter packets [1-9]' || bad "no count for maybe"

t "the table is replaced as a whole"
sed -i '/as anywhere/d' p.pol
emit p --uid "$held"
want_rc 0
[ "$(nft list tables | wc -l)" -eq 1 ] || bad "$(nft list tables)"
reached "$held" far tcp 203.0.113.1 8001
refused ECONNREFUSED tcp 203.0.113.1 8003
t "another user's table stands beside it"
emit p --uid 64103
[ "$(nft list tables | wc -l)" -eq 2 ] || bad "$(nft list tables)"
refused ECONNREFUSED tcp 203.0.113.1 8003

t "a name that is denied takes its ports from rules without an address"
printf 'policy live { base none }\nnetwork full {\n deny tcp "far.example" port 8002\n}\n' >p.pol
emit p --uid "$held"
reached "$held" far tcp 10.9.9.9 8003
refused ECONNREFUSED tcp 10.9.9.9 8002
t "disabled: nothing, and the loopback only if that is said"
printf 'policy live { base none }\nnetwork disabled\n' >p.pol
emit p --uid "$held"
refused ECONNREFUSED tcp 203.0.113.1 8001
refused ECONNREFUSED tcp 127.0.0.1 8004
emit p --uid "$held" --loopback --strict
want_rc 0
reached "$held" near tcp 127.0.0.1 8004
refused ECONNREFUSED tcp 203.0.113.2 8003
t "after its last day a policy allows nothing"
printf 'policy live {\n base none\n expires %s\n}\nnetwork limited { allow tcp 203.0.113.1 }\n' \
	"$(date -u -d tomorrow +%F)" >p.pol
emit p --uid "$held"
reached "$held" far tcp 203.0.113.1 8001
sed -i "s/expires .*/expires 2025-12-31/" p.pol
emit p --uid "$held"
refused ECONNREFUSED tcp 203.0.113.1 8001
t "full without a denial lifts it"
printf 'policy live { base none }\nnetwork full\n' >p.pol
emit p --uid "$held" --strict
want_rc 0
reached "$held" far tcp 203.0.113.1 8002
reached "$held" near tcp 127.0.0.1 8003

# The hierarchy is the machine's own: the cgroup is removed again.
if { [ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ] || mount -t cgroup2 none /sys/fs/cgroup; } 2>/dev/null &&
	mkdir "/sys/fs/cgroup/$group" 2>/dev/null; then
	t "a cgroup is held, whoever runs in it"
	printf 'policy live { base none }\nnetwork limited { allow tcp 203.0.113.1 port 8001 }\n' >p.pol
	emit p --cgroup "/$group"
	inside() { # kind ADDRESS PORT
		out=$(sh -c 'echo $$ >"$0/cgroup.procs" && exec python3 ask.py "$@"' "/sys/fs/cgroup/$group" "$@")
	}
	inside tcp 203.0.113.1 8001
	[ "$out" = "got far"$'\n'quick ] || bad "not reached"
	inside tcp 203.0.113.1 8002
	[ "$out" = ECONNREFUSED$'\n'quick ] || bad "not refused"
	reached "$free" far tcp 203.0.113.1 8002
else
	skip cgroup2 "no cgroup can be made here"
fi
done_
