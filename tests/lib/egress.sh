# Helpers of the tests of the egress gateway, on the host of the lab (tests/lab/lab.sh); sourced.
# The test says "# lab: SERVICES" at its top; tests/run/live.sh then starts it there, as root and
# as an ordinary user.  What the lab's own questions answer is what really left the host.
# shellcheck shell=bash disable=SC2034,SC2154
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
if [ -z "${LAB:-}" ] || [ ! -e "$LAB/ready" ]; then
	skip lab "only root can make the closed network, and ./dev test gets its servers"
	done_
	exit
fi
D=$PROBES/dial_probe

# A refusal takes at most so many milliseconds (the quickest of three: the machine may be busy).
FAST=${POL_TEST_FAST:-50}
[ "$VARIANT" != san ] || FAST=500
# On an emulated processor what is counted while time passes is no measure.
[ -n "${POL_TEST_FAST:-}" ] && SLOW=30 || SLOW=1

# What the policies of these tests begin with; the text of the network section follows.
# shellcheck disable=SC2016
NET_HEAD="${HEAD/network disabled/network limited}file { allow read, exec \"$PROBES\" }
"
net_policy() { # RULES [NAME]
	raw_policy "${NET_HEAD}network {
$1
}" "${2:-p}"
}

outside() { # COMMAND…: the control, on the host, without a sandbox; sets out, err, rc
	"$@" >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$?
	out=$(tr -d '\0' <"$WORK/.out") err=$(tr -d '\0' <"$WORK/.err")
}

lab_ask() { python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(sys.argv[2].encode() + b"\n")
print(s.makefile().read(), end="")' "$LAB/ctl" "$1"; }

forget() { lab_ask forget; }

# ADDRESS [PROTOCOL PORT]: packets that left the host for it since forget()
left() {
	lab_ask left | awk -v a="$1" -v p="${2:-}" -v n="${3:-}" \
		'$1 == a && (p == "" || $2 == p) && (n == "" || $3 == n) { sum += $NF } END { print sum + 0 }'
}
nothing_left() { # ADDRESS [PROTOCOL PORT]
	local n
	n=$(left "$@")
	[ "$n" -eq 0 ] || bad "$n packets left for $*"
}
some_left() {
	[ "$(left "$@")" -gt 0 ] || bad "no packet left for $*"
}
asked_of_dns() { grep -qF -- "$1" "$LAB/log/dns"; } # TEXT: the lab's DNS server has seen it

# NAME ADDRESS…: the name has these addresses from now on
lab_name() {
	local name=$1
	shift
	printf "%s $name\n" "$@" >"$LAB/names/moving"
	within 5 answers_with "$name" "$1" || bad "the lab's DNS server does not say that $name is $1"
}
answers_with() { "$D" dns "$1" "$([[ $2 = *:* ]] && echo 28 || echo 1)" | grep -qF " $2 "; }

# HOST PORT: something listens there
opens() { "$D" tcp "$1" "$2" | grep -q '^OK'; }

# The milliseconds in the last line of dial_probe.
ms_of() { sed -n 's/.* \([0-9]*\) ms$/\1/p' <<<"$1" | tail -n 1; }

# PATTERN ARGS…: dial_probe inside ends like this, and at once.
refused_fast() {
	local pattern=$1 best=99999 ms try
	shift
	for try in 1 2 3; do
		run "$D" "$@"
		want_out "^($pattern)( |$)"
		ms=$(ms_of "$out")
		[ "${ms:-99999}" -ge "$best" ] || best=$ms
		[ "$best" -gt "$FAST" ] || return 0
	done
	bad "a refusal took $best ms, more than $FAST: $*"
}
