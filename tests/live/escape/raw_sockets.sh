#!/usr/bin/env bash
# Tries: raw and packet sockets, families that lead to drivers or hosts, and the
# internet's protocols beside TCP and UDP, whose modules the kernel would load.
# Stops it: no capability; the own network namespace; the families and protocols
# that `network` denies in the filter.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
bare_policy
std_policy

t "the control: plain sockets are made, outside raw ones with capabilities"
for b in p s; do
	for s in "2 1 0" "2 2 0" "10 1 0" "1 1 0" "1 2 0"; do
		# shellcheck disable=SC2086
		run_with "$b" "$C" socket $s
		worked
	done
done
outside unshare -Urn "$C" socket 2 3 255
if [ "$rc" -eq 0 ]; then
	for s in "2 3 1" "10 3 255" "17 3 0" "17 2 0x300"; do
		# shellcheck disable=SC2086
		outside unshare -Urn "$C" socket $s
		worked
	done
fi

t "inside none is, by either policy"
# raw IP, ICMP, raw IPv6, packet (raw and cooked)
for s in "2 3 255" "2 3 1" "10 3 255" "10 3 58" "17 3 0" "17 2 0x300"; do
	for b in p s; do
		# shellcheck disable=SC2086
		run_with "$b" "$C" socket $s
		stopped 'EPERM|EACCES|EAFNOSUPPORT'
		# the kernel reads the low 32 bits
		# shellcheck disable=SC2046,SC2086
		run_with "$b" "$C" socket $(printf '0x7%08x %s %s' $s)
		stopped 'EPERM|EACCES|EAFNOSUPPORT'
	done
done

t "the control: a stream's and a datagram's own protocol, by its number"
for s in "2 1 6" "10 1 6" "2 2 17" "10 2 17" "2 0x80801 6"; do
	for b in p s; do
		# shellcheck disable=SC2086
		run_with "$b" "$C" socket $s
		worked
	done
done

t "every other protocol is refused by the filter, whether the kernel has it or not"
raw_policy 'policy f { } command { otherwise allow  opaque allow } network full
file { allow read, write "${PROJECT_DIR}" }
'"$ADD" full
# UDP-Lite MPTCP SCTP DCCP SMC ICMP L2TP, a type that no protocol has, types without a protocol
for s in "2 2 136" "10 2 136" "2 1 262" "10 1 262" "2 1 132" "2 5 132" "2 6 33" "2 1 256" "2 2 1" "10 2 58" "2 2 115" \
	"2 4 0" "2 5 0" "2 6 0" "0x700000002 0x700000002 0x700000088"; do
	for b in p s; do
		# shellcheck disable=SC2086
		run_with "$b" --report "$WORK/r.json" "$C" socket $s
		stopped EPROTONOSUPPORT
		grep -q '"op": *"socket"' "$WORK/r.json" || bad "$b: $s: the report has no refusal by the filter"
	done
	# the kernel of network full says the same as that of the host
	# shellcheck disable=SC2086
	outside "$C" socket $s
	says=$out
	# shellcheck disable=SC2086
	run_with full "$C" socket $s
	[ "$out" = "$says" ] || bad "network full: $s: $out, and outside $says"
done
for s in "2 4 0" "2 5 0"; do
	# shellcheck disable=SC2086
	outside "$C" socket $s
	no_out '^EPROTONOSUPPORT'
done

t "no allow of a policy opens a family, where nobody says a mode"
raw_policy 'policy v { } command { otherwise allow  opaque allow }
file { allow read, write "${PROJECT_DIR}" }
syscall { allow socket(AF_VSOCK, *, *), socket(AF_ALG, *, *) }
'"$ADD" v
for s in "40 1 0" "40 2 0" "38 5 0"; do
	# shellcheck disable=SC2086
	run_with v "$C" socket $s
	stopped EAFNOSUPPORT
done
# where a vsock can be made, it would reach the hypervisor or the host
outside "$C" socket 40 1 0
[ "$rc" -eq 0 ] || want_out '^EAFNOSUPPORT$'

t "other families"
# AX25 X25 CAN TIPC BLUETOOTH ALG VSOCK KCM XDP
run_with s sh -c 'for f in 3 9 29 30 31 38 40 41 44; do "$0" socket $f 1 0; "$0" socket $f 5 0; done' "$C"
want_out '^(EPERM|EACCES|EAFNOSUPPORT)$'
no_out '^OK|^ESOCKT|^EPROTO'

done_
