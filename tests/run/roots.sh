#!/usr/bin/env bash
# What of the suite depends on the programs and files of a system, on systems that polc is not developed on: shells,
# coreutils, git and ssh of other versions, another compiler and libc, another layout of /etc.
#   tests/run/roots.sh [trixie|noble]… [-- NAME…]    (root; ./dev roots installs what it needs)
# SYSTEM: Debian 13, Ubuntu 24.04; without one both.  NAME: what ./dev test takes; without one the list below, of
# which what says "# places:" runs below a private HOME.  PLACE and POL_TEST_JOBS as in live.sh and everything.sh; there
# are no loop devices for PLACE=ext4.
# A root is made once, in $POL_ROOTS (default /var/tmp/pol-roots), with what an ordinary installation of the system
# has, and kept: what was built in it and what its tests have fetched, too.  Each run brings the commit that is
# checked out here, and no other file.  AppArmor's rules about user namespaces are the kernel's: here they are this
# machine's, not Ubuntu's.
# Last line: N passed, N failed, N skipped.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/enter_root.sh
roots=${POL_ROOTS:-/var/tmp/pol-roots}
debian=${POL_MIRROR:-http://deb.debian.org/debian}
ubuntu=${POL_UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu}

# Whatever meets the user's programs.  Not: what asks only the kernel and what only polc itself answers.
NAMES=(unit golden examples install manual docs
	everyday/files everyday/git everyday/processes everyday/tools
	resolv_conf ssh_config ssh_agent sign git_commands git_config_change git_linked missing helpers env own_home own_names
	toolchains profiles ready_policies init anywhere anywhere_write outputs line_programs publish terminal_back
	streams signals root limits syscalls network network_off unix_sockets egress_clients egress_names egress_http
	hook hook_install)
PLACED=(git_floor git_later git_nested git_settings git_trees own_files artifacts brokered_tools new_programs
	set_id shared_calls stage stage_commit)

# What people have beyond the installer's packages.  snapd: /snap and what it adds to PATH.
MORE=(ca-certificates sudo gnupg git openssh-client python3 python3-venv python3-pip nodejs npm build-essential
	curl wget vim nano tree ripgrep jq zsh fish cron)
declare -A MORE_OF=([trixie]='sudo-rs debootstrap ubuntu-keyring' [noble]='snapd systemd-resolved')

die() {
	echo "FAIL: $*"
	count_fail
	count_end
	exit 1
}

sources_of() { # SYSTEM
	case $1 in
	trixie) printf 'deb %s %s main\n' "$debian" trixie "$debian" trixie-updates ;;
	noble) printf 'deb %s %s main universe\n' "$ubuntu" noble "$ubuntu" noble-updates ;;
	esac
}

# FOLDER: the archive's keys, from the Debian that has them.
ubuntu_keys() {
	local key=usr/share/keyrings/ubuntu-archive-keyring.gpg
	if [ -e "/$key" ]; then
		printf '/%s' "$key"
	else
		have_root trixie >&2 && printf '%s/trixie/%s' "$roots" "$key"
	fi
}

bootstrap() { # SYSTEM ROOT
	local key
	case $1 in
	trixie) debootstrap --variant=minbase trixie "$2" "$debian" ;;
	# the script of all Ubuntus, by the name that an older debootstrap knows, too
	noble) key=$(ubuntu_keys) && debootstrap --variant=minbase --components=main,universe --keyring="$key" noble "$2" "$ubuntu" gutsy ;;
	esac
}

inside() { # SYSTEM COMMAND…
	local system=$1 etc=$roots/$1/etc resolved=$roots/$1/run/systemd/resolve
	shift
	if [ "$system" = noble ]; then
		mkdir -p "$resolved" && ln -sfn ../run/systemd/resolve/stub-resolv.conf "$etc/resolv.conf"
		cat /etc/resolv.conf >"$resolved/stub-resolv.conf"
	else
		cat /etc/resolv.conf >"$etc/resolv.conf"
	fi
	printf '127.0.0.1 localhost\n127.0.1.1 %s\n::1 ip6-localhost ip6-loopback\n' "$(uname -n)" >"$etc/hosts"
	# where https goes through a proxy that has a CA of its own
	[ -z "${NODE_EXTRA_CA_CERTS:-}" ] || cp "$NODE_EXTRA_CA_CERTS" "$roots/$system/srv/extra-ca.crt"
	enter_root "$roots/$system" env -i HOME=/root USER=root LANG=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive \
		${NODE_EXTRA_CA_CERTS:+NODE_EXTRA_CA_CERTS=/srv/extra-ca.crt} \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

have_root() { # SYSTEM: made, if it is not there
	local root=$roots/$1
	[ ! -e "$root/srv/.made" ] || return 0
	echo "== $1: its root is made"
	mkdir -p "$roots"
	rm -rf --one-file-system "$root"
	bootstrap "$1" "$root" >"$roots/$1.log" 2>&1 || return 1
	sources_of "$1" >"$root/etc/apt/sources.list"
	# no package starts a service
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod 0755 "$root/usr/sbin/policy-rc.d"
	cp tests/lib/user.sh "$root/srv/"
	# shellcheck disable=SC2016,SC2086
	inside "$1" sh -euc '
		apt-get update
		apt-get dist-upgrade -y
		standard=$(apt-cache dumpavail | awk "/^Package: /{p=\$2} /^Priority: (important|standard)/{print p}" | sort -u)
		apt-get install -y --no-install-recommends $standard "$@"
		apt-get clean
		useradd --create-home --shell /bin/bash dev
		# a file of /etc that changes while runs of other tests begin would be a failure of theirs
		. /srv/user.sh && have_user poltest
		touch /srv/.made' sh "${MORE[@]}" ${MORE_OF[$1]} >>"$roots/$1.log" 2>&1
}

bring_clone() { # ROOT: this commit, with what was built in it before
	local clone=$1/srv/pol
	if [ -e "$clone/.git" ]; then
		git -C "$clone" fetch -q "$PWD" HEAD && git -C "$clone" checkout -qf FETCH_HEAD && git -C "$clone" clean -fdq
	else
		git clone -q . "$clone"
	fi
}

tests_in() { # SYSTEM PLACE NAME…
	local log=$roots/$1.test.log
	inside "$1" env -C /srv/pol ${2:+PLACE="$2"} POL_TEST_JOBS="${POL_TEST_JOBS:-2}" ./dev test "${@:3}" 2>&1 | tee "$log"
	count_add_line "$(tail -n 1 "$log")" "${PIPESTATUS[0]}" "$1"
}

systems=() names=()
while [ $# -gt 0 ]; do
	case $1 in
	trixie | noble) systems+=("$1") ;;
	--) shift; names=("$@"); break ;;
	*) echo "usage: roots.sh [trixie|noble]… [-- NAME…]" >&2; exit 2 ;;
	esac
	shift
done
[ "${#systems[@]}" -ne 0 ] || systems=(trixie noble)
[ "$(id -u)" -eq 0 ] || die "debootstrap needs root"
command -v debootstrap >/dev/null || die "no debootstrap: ./dev roots installs it"

for system in "${systems[@]}"; do
	have_root "$system" || die "no root of $system: $(tail -n 3 "$roots/$system.log")"
	bring_clone "$roots/$system" || die "no clone in the root of $system"
	echo "== $system: $(sed -n 's/^PRETTY_NAME=//p' "$roots/$system/etc/os-release")"
	if [ "${#names[@]}" -ne 0 ]; then
		tests_in "$system" "${PLACE:-var}" "${names[@]}"
	else
		tests_in "$system" '' "${NAMES[@]}"
		tests_in "$system" "${PLACE:-home}" "${PLACED[@]}"
	fi
done
count_end
