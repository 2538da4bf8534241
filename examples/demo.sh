#!/usr/bin/env bash
# usage: examples/demo.sh BINDIR
# Runs commands in a sample project under examples/demo/policy.pol.  Every line
# that begins with "polrun:" is printed by polrun; the script only compares.
set -uo pipefail
bin=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d /var/tmp/pol-demo.XXXXXX)
server=
cleanup() {
	[ -z "$server" ] || kill "$server" 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT
failed=0
bold=$(printf '\033[1m') plain=$(printf '\033[0m')
if [ ! -t 1 ] || [ -n "${NO_COLOR:-}" ]; then bold='' plain=''; fi

export HOME=$work/home
mkdir -p "$HOME/project" "$HOME/.ssh" "$work/outside"
echo 'not a real key' >"$HOME/.ssh/id_demo"
unset XDG_CONFIG_HOME XDG_CACHE_HOME XDG_STATE_HOME
# An address of this machine that is not its loopback; nothing listens there.
address=$(awk '/\/32 host LOCAL/ && a !~ /^127\./ { print a; exit } { a = $2 }' /proc/net/fib_trie 2>/dev/null)
address=${address:-192.0.2.1}

cat >"$HOME/project/hello.c" <<'EOF'
#include <stdio.h>
int main(void) { puts("hello from inside the sandbox"); return 0; }
EOF
printf 'run: hello\n\t./hello\nhello: hello.c\n\tcc -o hello hello.c\n' >"$HOME/project/Makefile"
echo 'exec 3<>"/dev/tcp/$1/9"' >"$HOME/project/connect.sh"
echo hello >"$HOME/project/.gitignore"
cd "$HOME/project" || exit 1
git init -q -b main .
git config user.name demo
git config user.email demo@example.invalid

bundle=demo
polrun() { "$bin/polrun" -b "$work/$bundle.polb" "$@"; }
show() { printf '\n%s$ %s%s\n' "$bold" "$*" "$plain"; }
part() { printf '\n%s== %s%s\n' "$bold" "$*" "$plain"; }

# The command ends with status 0 inside the sandbox.
works() {
	show polrun "$@"
	if ! polrun "$@" </dev/null; then
		echo "demo: this should have worked"
		failed=1
	fi
}

# The command is stopped, and polrun itself names the rule and FILE:LINE.
blocked() {
	local err
	show polrun --explain-denials "$@"
	err=$(mktemp -p "$work")
	if polrun --explain-denials "$@" </dev/null 2>"$err"; then
		echo "demo: this should have been blocked"
		failed=1
	elif ! grep -qE '^polrun: .*[a-z-]+\.pol:[0-9]+' "$err"; then
		echo "demo: no line of polrun names the rule"
		failed=1
	fi
	cat "$err"
}

# NAME FILE: the bundle NAME of examples/demo/FILE.
compile() {
	show polc compile "examples/demo/$2" -o "$1.polb"
	(cd "$here/.." && "$bin/polc" compile "examples/demo/$2" -o "$work/$1.polb")
}

# A web server on the host's loopback; its port in $port.
serve() {
	mkdir -p "$work/web"
	echo 'fetched from the host' >"$work/web/index.html"
	python3 - "$work/web" "$work/port" <<'EOT' &
import functools, http.server, os, sys
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *a): pass
for port in range(8000, 9000):
    try:
        s = http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Quiet, directory=sys.argv[1]))
        break
    except OSError:
        pass
open(sys.argv[2] + ".new", "w").write(str(port))
os.rename(sys.argv[2] + ".new", sys.argv[2])
s.serve_forever()
EOT
	server=$!
	for _ in {1..200}; do
		[ ! -e "$work/port" ] || break
		sleep 0.05
	done
	port=$(cat "$work/port")
}

part 'The policy becomes a bundle'
compile demo policy.pol || exit 1

part 'What the policy allows works: git, make, a compiler, what it built'
works git status --short
works git add -A
works git commit -q -m 'made inside the sandbox'
works git log --oneline
works make
part 'The rest is stopped, and polrun names the line that stopped it'
blocked touch "$work/outside/file"
blocked cat "$HOME/.ssh/id_demo"
blocked curl -s --max-time 2 "http://$address/"
blocked bash connect.sh "$address"
blocked unshare --user true

part 'A network that reaches what the policy names'
compile net network.pol || exit 1
bundle=net
serve
works curl -sS --max-time 10 "http://localhost:$port/"
blocked curl -sS --max-time 10 https://evil.example/
blocked curl -sS --max-time 10 "http://$address/"

# Nothing of this reached the host.
if [ -e "$work/outside/file" ]; then
	echo "demo: the write outside of the project reached the host"
	failed=1
fi
if ! git -C "$HOME/project" log --oneline 2>/dev/null | grep -q 'made inside the sandbox'; then
	echo "demo: the commit did not reach the project"
	failed=1
fi
printf '\n'
if [ "$failed" -ne 0 ]; then
	echo "The demo FAILED."
	exit 1
fi
echo "${bold}The demo succeeded:${plain} what the policy allows worked, and every block above was named by polrun."
