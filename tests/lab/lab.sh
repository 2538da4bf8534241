#!/usr/bin/env bash
# A closed network of real servers for one command: the laboratory of the live tests of the
# egress gateway.  Root only; nothing of the machine is touched, and nothing is left, also
# after kill -9: all of it lives in namespaces of one process.
#
#   tests/lab/lab.sh [-d DIR] [SERVICE…] -- COMMAND…
#
#   lab.sh -- bash            a shell on the lab's "host"
#   SERVICE                   dns and the addresses are always there; then web, ssh, npm, model, proxy
#   DIR                       an empty folder for the lab's files (a tmpfs); made where not named
#
# Three parties: COMMAND runs on "host" (203.0.113.2, 2001:db8:0:1::2), whose only way out is a
# veth to "net".  There all other addresses live (tests/lab/addresses), and the servers.
# /etc/resolv.conf, hosts, nsswitch.conf and the trusted certificates are the lab's for both.
# COMMAND finds in $LAB: names/ (hosts files, read again when one changes), hosts (the host's own
# /etc/hosts), ca.pem, log/, keys/, ctl (a socket: tests/lab/small.py).
# Servers are searched in POL_LAB (default build/lab, which ./dev test fills).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
say() { printf 'lab: %s\n' "$*" >&2; }

inside() { # process 1 of the lab
	local services=() status=0 most=30
	while [ "$1" != -- ]; do services+=("$1"); shift; done
	shift
	mount -t tmpfs -o mode=0755,size=256m lab "$LAB"
	mkdir -m 0777 "$LAB/names" "$LAB/log"
	# a test of an ordinary user empties them
	install -m 0666 /dev/null "$LAB/log/dns"
	install -m 0666 /dev/null "$LAB/log/web"
	install -m 0666 /dev/null "$LAB/log/half"
	install -m 0666 /dev/null "$LAB/log/proxy"
	. "$here/host.sh"
	lab_certificates
	lab_etc
	unshare --mount --net --propagation private "$here/net.sh" "${services[@]}" >"$LAB/log/net" 2>&1 &
	lab_wire $!
	touch "$LAB/wired"
	# on an emulated processor (POL_TEST_FAST) the registry alone needs minutes
	[ -z "${POL_TEST_FAST:-}" ] || most=900
	until [ -e "$LAB/ready" ] || [ -e "$LAB/over" ] || [ "$SECONDS" -ge "$most" ]; do sleep 0.02; done
	if [ ! -e "$LAB/ready" ]; then
		say "the servers did not start: $(tail -n 5 "$LAB"/log/* 2>/dev/null)"
		exit 1
	fi
	"$@" || status=$?
	exit "$status"
}

if [ "${1:-}" = --inside ]; then
	shift
	inside "$@"
fi

made=
if [ "${1:-}" = -d ]; then
	LAB=$2
	shift 2
else
	LAB=$(mktemp -d /var/tmp/pol-lab.XXXXXX)
	made=$LAB
fi
[ "$(id -u)" -eq 0 ] || { say "only root can make it"; exit 2; }
: "${POL_LAB:=$here/../../build/lab}"
export LAB POL_LAB PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
enter=(setpriv --pdeathsig KILL unshare --pid --fork --kill-child --mount-proc --net --propagation private
	"$here/lab.sh" --inside "$@")
[ -n "$made" ] || exec "${enter[@]}"
status=0
"${enter[@]}" || status=$?
rmdir "$made"
exit "$status"
