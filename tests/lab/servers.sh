# The servers of the lab, each a function; sourced by net.sh.  All run as root of a closed network.
# shellcheck shell=bash disable=SC2154,SC2164

ROOT=$POL_LAB/root # Debian's packages, unpacked, not installed: no service of the machine starts
WWW=$LAB/www
waits=()
export LD_LIBRARY_PATH=
# PROGRAM: where Debian has it, or where ./dev test has unpacked it
server() {
	local at
	for at in "$ROOT" ''; do
		[ ! -x "$at$1" ] || { printf '%s' "$at$1"; return; }
	done
	echo "there is no $1: ./dev test gets it" >&2
	return 1
}
answers() { waits+=("$1"); } # a port that must be open before COMMAND starts

serve_names() {
	local program
	program=$(server /usr/sbin/dnsmasq)
	cat >"$LAB/dnsmasq.conf" <<-END
	user=root
	pid-file
	no-resolv
	no-hosts
	bind-interfaces
	listen-address=198.51.100.53,2001:db8:53::53,198.51.100.8
	hostsdir=$LAB/names
	log-queries
	log-facility=$LAB/log/dns
	# nothing is asked elsewhere, but one name, whose server is silent
	local=/#/
	server=/slow.example/198.51.100.99
	address=/wild.example/198.51.100.10
	cname=alias.example,a.example
	txt-record=a.example,a text
	txt-record=evil.example,a text
	# HTTPS record of a.example: priority 1, itself, with an ECH configuration
	dns-rr=a.example,65,000100000500040102aabb
	max-cache-ttl=0
	END
	"$program" -k -C "$LAB/dnsmasq.conf" &
	answers 53
}

# echo, banners, datagrams, a stream of events, and the tests' own questions
serve_small() {
	python3 "$here/small.py" "$LAB" &
	answers 7
}

serve_web() {
	local program
	program=$(server /usr/sbin/nginx)
	mkdir -p "$WWW" "$LAB/nginx"
	python3 "$here/packages.py" "$WWW"
	serve_git
	sed "s|@LAB@|$LAB|g" "$here/nginx.conf" >"$LAB/nginx.conf"
	"$program" -p "$LAB/nginx" -c "$LAB/nginx.conf" &
	answers 443
}

make_repository() {
	[ ! -d "$LAB/git" ] || return 0
	mkdir -p "$LAB/git"
	export GIT_CONFIG_GLOBAL=$LAB/git/config HOME=$LAB/git
	git config --global safe.directory '*'
	git config --global user.email lab@example
	git config --global user.name lab
	git init -q --bare -b main "$LAB/git/repo.git"
	git init -q -b main "$LAB/git/work"
	echo cloned >"$LAB/git/work/README"
	git -C "$LAB/git/work" add README
	git -C "$LAB/git/work" commit -q -m first
	git -C "$LAB/git/work" push -q "$LAB/git/repo.git" main
	git -C "$LAB/git/repo.git" config http.receivepack true
	cp "$LAB/git/config" "$LAB/git/.gitconfig"
}

serve_git() {
	local program
	program=$(server /usr/sbin/fcgiwrap)
	make_repository
	"$program" -s "unix:$LAB/fcgi" &
}

# git over ssh, as an account that only the servers' namespace has
serve_ssh() {
	local program part
	program=$(server /usr/sbin/sshd)
	make_repository
	cp /etc/passwd "$LAB/passwd"
	printf 'git:*:65533:65533::%s/git:/bin/sh\nsshd:*:65532:65532::/run/sshd:/usr/sbin/nologin\n' "$LAB" |
		cat - /etc/passwd >"$LAB/passwd"
	mount --bind "$LAB/passwd" /etc/passwd
	mount -t tmpfs run /run
	mkdir -m 0755 /run/sshd
	ssh-keygen -q -t ed25519 -N '' -C host -f "$LAB/keys/ssh_host"
	ssh-keygen -q -t ed25519 -N '' -C user -f "$LAB/keys/ssh_user"
	cp "$LAB/keys/ssh_user.pub" "$LAB/authorized"
	# the tests copy it into their own folder
	chmod 0644 "$LAB/keys/ssh_user"
	chown -R 65533:65533 "$LAB/git/repo.git"
	printf 'code.example,github.com,evil.example,b.example %s\n' "$(cut -d' ' -f1,2 "$LAB/keys/ssh_host.pub")" >"$LAB/known_hosts"
	cat >"$LAB/sshd.conf" <<-END
	Port 22
	HostKey $LAB/keys/ssh_host
	AuthorizedKeysFile $LAB/authorized
	StrictModes no
	UsePAM no
	UseDNS no
	PidFile none
	AllowTcpForwarding yes
	MaxStartups 100
	END
	# since OpenSSH 9.8 and 10.0 it starts other programs, where its package puts them; and since 9.8 it keeps
	# those away that have failed before
	part=${program%/sbin/sshd}/lib/openssh/sshd-
	[ ! -x "${part}session" ] || printf '%s\n' "SshdSessionPath ${part}session" 'PerSourcePenalties no' >>"$LAB/sshd.conf"
	[ ! -x "${part}auth" ] || printf '%s\n' "SshdAuthPath ${part}auth" >>"$LAB/sshd.conf"
	"$program" -D -e -f "$LAB/sshd.conf" 2>"$LAB/log/ssh" &
	answers 22
}

# a real registry, behind nginx; one package in it
serve_npm() {
	[ -e "$POL_LAB/node_modules/verdaccio/bin/verdaccio" ] || return 0
	mkdir -p "$LAB/npm/storage" "$LAB/npm/pad"
	cat >"$LAB/npm/config.yaml" <<-END
	storage: $LAB/npm/storage
	auth: { htpasswd: { file: $LAB/npm/htpasswd, max_users: -1 } }
	uplinks: {}
	packages: { '**': { access: \$all, publish: \$anonymous \$all } }
	web: { enable: false }
	log: { type: stdout, format: json, level: warn }
	END
	NODE_OPTIONS='' node "$POL_LAB/node_modules/verdaccio/bin/verdaccio" -c "$LAB/npm/config.yaml" \
		-l 127.0.0.1:4873 >"$LAB/log/npm" 2>&1 &
	answers 4873
	echo '{"name":"pad","version":"1.0.0","main":"i.js"}' >"$LAB/npm/pad/package.json"
	# shellcheck disable=SC2016
	echo 'module.exports = s => "padded " + s' >"$LAB/npm/pad/i.js"
	published+=("$LAB/npm/pad")
}
published=()

# a model that is none, behind nginx, by the names of three real ones; it streams (tests/agents/model.py)
serve_model() {
	mkdir -m 0777 "$LAB/model" "$LAB/model/seen"
	install -m 0666 /dev/null "$LAB/model/log"
	python3 "$here/../agents/model.py" "$LAB/model/port" "$LAB/model/log" 4180 "$LAB/model/seen" >"$LAB/log/model" 2>&1 &
	answers 4180
}

# a proxy with a password, as companies have
serve_proxy() {
	local program
	program=$(server /usr/bin/tinyproxy)
	cat >"$LAB/proxy.conf" <<-END
	Port 3128
	Timeout 60
	MaxClients 100
	LogLevel Info
	LogFile "$LAB/log/proxy"
	BasicAuth lab geheim
	DisableViaHeader Yes
	END
	"$program" -d -c "$LAB/proxy.conf" >"$LAB/log/proxy.out" 2>&1 &
	answers 3128
}

is_open() { (exec 3<>"/dev/tcp/$1/$2") 2>/dev/null; } # ADDRESS PORT

wait_for_servers() {
	local port at folder
	for port in "${waits[@]}"; do
		at=198.51.100.53
		[[ $port != 4873 && $port != 4180 ]] || at=127.0.0.1
		until is_open "$at" "$port"; do sleep 0.01; done
	done
	for folder in "${published[@]}"; do
		(cd "$folder" && HOME=$LAB/npm npm publish --loglevel=error --registry http://127.0.0.1:4873/ \
			--//127.0.0.1:4873/:_authToken=x >/dev/null)
	done
}
