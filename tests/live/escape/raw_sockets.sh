#!/usr/bin/env bash
# Tries: raw and packet sockets, and families that lead to drivers or hosts.
# Stops it: no capability; the own network namespace; the families that
# `network` denies in the filter.
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

t "other families"
# AX25 X25 CAN TIPC BLUETOOTH ALG VSOCK KCM XDP
run_with s sh -c 'for f in 3 9 29 30 31 38 40 41 44; do "$0" socket $f 1 0; "$0" socket $f 5 0; done' "$C"
want_out '^(EPERM|EACCES|EAFNOSUPPORT)$'
no_out '^OK|^ESOCKT|^EPROTO'

done_
