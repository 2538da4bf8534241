#!/usr/bin/env bash
# ./dev demo, ./dev test and the installed programs in a Debian 12 root that holds nothing but apt.
#   tests/run/clean-room.sh [demo|test|both|install]     (root; needs debootstrap)
# install: make install, then an ordinary user in a project of node and one of python, to whom
# polrun is the first thing ever typed.
# The root is made once under $POL_CLEAN_ROOT (default /var/tmp/pol-clean-root)
# and copied for each run.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/lib/enter_root.sh
what=${1:-demo}
base=${POL_CLEAN_ROOT:-/var/tmp/pol-clean-root}

if [ ! -e "$base/usr/bin/apt-get" ]; then
	debootstrap --variant=minbase --include=ca-certificates,sudo bookworm "$base" \
		"${POL_MIRROR:-http://deb.debian.org/debian}"
fi
root=$(mktemp -d /var/tmp/pol-clean.XXXXXX)
trap 'rm -rf --one-file-system "$root"' EXIT
cp -a "$base/." "$root/"
git clone -q . "$root/srv/pol"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cat >"$root/srv/inside.sh" <<'EOF'
set -eu
export HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8
useradd -m -s /bin/bash dev
echo 'dev ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/dev
cp -r /srv/pol /home/dev/pol
chown -R dev:dev /home/dev/pol
as_dev() { setpriv --reuid dev --regid dev --init-groups env HOME=/home/dev USER=dev sh -c "$1"; }
case $1 in demo | both)
	echo "=== demo as root"; cd /srv/pol; ./dev demo
	echo "=== demo as an ordinary user"; as_dev 'cd ~/pol && ./dev demo'
	;;
esac
# What the user types and what it must print: a pattern for stdout, and nothing on stderr but
# lines of another pattern.
typed() { # DIRECTORY LINE PATTERN [PATTERN]
	echo "dev:$1\$ $2"
	as_dev "cd $1 && $2 >/tmp/.out 2>/tmp/.err" </dev/null || echo "FAIL exit status $?"
	cat /tmp/.out
	grep -q -- "$3" /tmp/.out || { [ "$3" = '^$' ] && [ ! -s /tmp/.out ]; } || echo "FAIL stdout has no '$3'"
	! grep -v -- "${4:-^$}" /tmp/.err || echo "FAIL that is on stderr"
}
case $1 in install)
	echo "=== make install"
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends git nodejs npm python3-pytest >/dev/null
	cd /srv/pol
	./dev build >/dev/null
	make -s VARIANT=rel all install
	as_dev 'mkdir ~/project && cd ~/project && git init -q && echo "{\"scripts\":{\"test\":\"node --test\"}}" >package.json &&
		printf "require(\"node:test\")(\"adds\", () => require(\"assert\").equal(1 + 1, 2));\n" >sum.test.js &&
		mkdir ~/snake && cd ~/snake && echo "def test_adds(): assert 1 + 1 == 2" >test_sum.py'
	echo "=== an ordinary user"
	typed '~/project' 'polrun npm test' '^# pass 1'
	typed '~/project' 'polrun npm test' '^# pass 1'
	typed '~/project' 'polrun true' '^$'
	typed '~/snake' 'polrun pytest -q' '^1 passed'
	typed '~/project' 'polc init' '^next:'
	typed '~/project' 'polc check' '^0 errors, .* passed, 0 failed' '^polc: no policy was named; here polrun takes .pol/policy.pol$\|^note: of the standard library'
	typed '~/project' 'polrun npm test' '^# pass 1'
	;;
esac
case $1 in test | both)
	echo "=== tests"; cd /srv/pol
	git config --global --add safe.directory '*' 2>/dev/null || true
	./dev test
	;;
esac
EOF
enter_root "$root" sh /srv/inside.sh "$what"
