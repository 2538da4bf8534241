# The lab's side of COMMAND, set up by process 1 before the servers start; sourced by lab.sh.
# shellcheck shell=bash disable=SC2154,SC2164

# All names of one certificate; a second one, of the same authority, is for another name only.  Python 3.13 looks at
# what RFC 5280 asks of an authority and of what it has signed: both say whose key is meant.
lab_certificates() {
	local at=$LAB/keys names
	mkdir -m 0755 "$at" "$LAB/certs"
	# one line for openssl: every name of the lab, and below the wildcards
	names=$(awk '!/^#/ { for (i = 2; i <= NF; i++) print "DNS:" $i }' "$here"/names/* | sort -u | paste -sd,)
	(
		cd "$at"
		openssl ecparam -name prime256v1 -genkey -noout -out ca.key
		openssl req -x509 -new -key ca.key -subj "/CN=lab" -days 2 -out ca.pem -addext keyUsage=critical,keyCertSign,cRLSign
		openssl ecparam -name prime256v1 -genkey -noout -out web.key
		openssl req -new -key web.key -subj "/CN=web" |
			openssl x509 -req -CA ca.pem -CAkey ca.key -set_serial 1 -days 2 -out web.pem \
				-extfile <(printf 'authorityKeyIdentifier=keyid\nsubjectAltName=%s,DNS:*.wild.example\n' "$names")
		openssl req -new -key web.key -subj "/CN=wrong" |
			openssl x509 -req -CA ca.pem -CAkey ca.key -set_serial 2 -days 2 -out wrong.pem \
				-extfile <(printf 'authorityKeyIdentifier=keyid\nsubjectAltName=DNS:nobody.example\n')
	) 2>>"$LAB/log/openssl"
	cp "$at/ca.pem" "$LAB/ca.pem"
	cp "$at/ca.pem" "$LAB/certs/ca-certificates.crt"
	cp "$at/ca.pem" "$LAB/certs/$(openssl x509 -noout -hash -in "$at/ca.pem").0"
	chmod -R go+rX "$LAB/certs" "$LAB/ca.pem"
}

# What resolvers and TLS libraries read; bound over the machine's files in this namespace only.
lab_etc() {
	local file target
	printf 'nameserver 198.51.100.53\nnameserver 2001:db8:53::53\n' >"$LAB/resolv.conf"
	printf '127.0.0.1 localhost\n::1 localhost ip6-localhost\n' >"$LAB/hosts"
	# glibc's tables of all other databases stay as they are
	{ grep -v '^hosts:' /etc/nsswitch.conf 2>/dev/null || true; echo 'hosts: files dns'; } >"$LAB/nsswitch.conf"
	chmod 0666 "$LAB/hosts"
	for file in resolv.conf hosts nsswitch.conf; do
		target=$(readlink -m "/etc/$file")
		[ -e "$target" ] || { say "there is no $target to put the lab's over"; exit 1; }
		mount --bind "$LAB/$file" "$target"
	done
	mount --bind "$LAB/certs" /etc/ssl/certs
	cp "$here"/names/* "$LAB/names/"
	chmod 0666 "$LAB"/names/*
}

# PID of the servers' process: its namespace gets the other end of the cable.
lab_wire() {
	for _ in {1..200}; do
		[ "$(readlink "/proc/$1/ns/net")" = "$(readlink /proc/self/ns/net)" ] || break
		sleep 0.01
	done
	ip link set lo up
	ip link add out address 02:00:00:00:00:02 type veth peer name cable address 02:00:00:00:00:01 netns "$1"
	sysctl -qw net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.out.accept_dad=0
	ip addr add 203.0.113.2/24 dev out
	ip addr add 2001:db8:0:1::2/64 dev out nodad
	ip link set out up
	# addresses that are delivered here though no interface has them, as clouds' agents do for balancers
	ip route add local 198.51.100.70/32 dev lo
	ip route add local 2001:db8:70::/64 dev lo
	# known neighbours: a lost question about one costs a second
	ip neigh replace 2001:db8:0:1::1 lladdr 02:00:00:00:00:01 nud permanent dev out
	ip route add default via 203.0.113.1
	ip -6 route add default via 2001:db8:0:1::1
}
