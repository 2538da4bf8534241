#!/usr/bin/env bash
# The outside of the lab: addresses, a record of every packet that came, and the servers.
# Started by lab.sh in a network and mount namespace of its own; ends with it.
#   net.sh [web] [ssh] [npm] [model] [proxy]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/servers.sh"

# Every address on the loopback.
net_addresses() {
	ip link set lo up
	ip addr add 203.0.113.1/24 dev cable
	sysctl -qw net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.cable.accept_dad=0
	ip addr add 2001:db8:0:1::1/64 dev cable nodad
	ip link set cable up
	ip neigh replace 2001:db8:0:1::2 lladdr 02:00:00:00:00:02 nud permanent dev cable
	sed '/^#/d; s/.*/addr add & dev lo/; /:/s/$/ nodad/' "$here/addresses" | ip -batch -
}

# What came from the host: its destinations, counted (small.py prints the sets).  Packets of
# a connection that is known do not count: the last ones of a control come late.
net_record() {
	nft -f - <<-'END'
	table inet seen {
		set v4 {
			type ipv4_addr . inet_proto . inet_service
			flags dynamic
			size 65535
		}
		set v6 {
			type ipv6_addr . inet_proto . inet_service
			flags dynamic
			size 65535
		}
		set rest {
			type ipv4_addr . inet_proto
			flags dynamic
			size 65535
		}
		chain came {
			type filter hook prerouting priority -150; policy accept;
			iif != "cable" accept
			ct state established accept
			meta nfproto ipv4 meta l4proto { tcp, udp } update @v4 { ip daddr . meta l4proto . th dport counter }
			meta nfproto ipv6 meta l4proto { tcp, udp } update @v6 { ip6 daddr . meta l4proto . th dport counter }
			meta nfproto ipv4 meta l4proto != { tcp, udp } update @rest { ip daddr . meta l4proto counter }
		}
		# one address refuses, two are silent, as behind a firewall that drops
		chain closed {
			type filter hook input priority 0; policy accept;
			ip daddr 198.51.100.98 meta l4proto tcp reject with tcp reset
			ip daddr 198.51.100.99 drop
			ip6 daddr 2001:db8:dead::1 drop
		}
	}
	END
}

trap 'touch "$LAB/over"' EXIT
for _ in {1..500}; do
	[ ! -e "$LAB/wired" ] || break
	sleep 0.01
done
net_addresses
net_record
serve_names
serve_small
for service; do "serve_$service"; done
wait_for_servers
touch "$LAB/ready"
wait
