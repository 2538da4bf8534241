#!/usr/bin/env bash
# The ready policies, each as the one line of a policy, on a fresh project: real work goes
# through, and what it leaves closed is closed.
# week: once a week, as root and as a user in turn
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
export GIT_CONFIG_NOSYSTEM=1

# NAME…: a repository, and a policy that uses std/dev/NAME… and says nothing else.
fresh() {
	rm -rf --one-file-system "$P"
	mkdir -p "$P/.git/hooks"
	cd "$P" || exit 1
	git init -q . && git config user.name t && git config user.email t@t
	raw_policy "$(printf 'use std/dev/%s\n' "$@")"
}
# What no policy opens, whatever code runs: PROGRAM WORD… runs a line of the shell.
closed() {
	run "$@" 'echo free > beside && echo out'
	want_rc 0
	want_text free beside
	run "$@" 'echo x > .git/hooks/pre-commit'
	no_file .git/hooks/pre-commit
	run "$@" 'echo "[core] pager = x" >> .git/config'
	! grep -q pager .git/config || bad ".git/config was written"
	run "$@" 'echo x > "$HOME/.profile"'
	no_file "$HOME/.profile"
	run "$@" 'cat "$HOME/.ssh/id"'
	[ "$rc" -ne 0 ] || bad "a key was read"
	no_out SECRET
}
mkdir -p "$HOME/.ssh" && echo SECRET >"$HOME/.ssh/id"

if command -v make >/dev/null && command -v gcc >/dev/null; then
	t "std/dev/c: building, testing, running"
	fresh c
	printf 'int main(void) { return 0; }\n' >a.c
	printf 'all: build/a\nbuild/a: a.c\n\tmkdir -p build && gcc -o $@ a.c\n' >Makefile
	printf 'test: all\n\t./build/a && echo good\nbad:\n\tsh -c "$$X"\ninstall:\n\techo installed\n' >>Makefile
	run make -s test
	want_rc 0
	want_out '^good$'
	run ./build/a
	want_rc 0
	run gcc -O2 -o b a.c
	want_rc 0
	want_file b
	run -c 'grep -n main a.c | head -3 && cp a.c c.c && mv c.c d.c'
	want_rc 0
	want_file d.c
	t "std/dev/c: what stays closed"
	run make deploy
	want_rc 126
	want_line 'asks first.*publishes'
	run rm -rf .git
	want_rc 126
	[ -d .git ] || bad "the history is gone"
	# What the walls hold asks nobody.
	run rm -r build/a
	want_rc 0
	no_file build/a
	run curl -sS https://a.example
	[ "$rc" -ne 0 ] && [ "$rc" -ne 126 ] || bad "curl ended with $rc"
	closed -y sh -c
	printf 'all:\n\tcp a.c .git/hooks/pre-commit\n' >evil.mk
	run make -f evil.mk
	[ "$rc" -ne 0 ] || bad "make wrote a hook"
	no_file .git/hooks/pre-commit
else
	skip c "make or gcc is not installed"
fi

if [ -x /usr/bin/python3 ]; then
	t "std/dev/python: running and testing"
	fresh python
	printf 'def f():\n    return 3\n' >a.py
	printf 'import unittest, a\nclass T(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(a.f(), 3)\n' >test_a.py
	run python3 -c 'import a; open("out", "w").write(str(a.f()))'
	want_rc 0
	want_text 3 out
	run python3 -m unittest -q
	want_rc 0
	t "std/dev/python: what stays closed"
	run python3 -m twine upload x
	want_rc 126
	want_line 'asks first.*publishes'
	run python3 -m pip install --break-system-packages x
	[ "$rc" -ne 0 ] && [ "$rc" -ne 126 ] || bad "pip ended with $rc"
	run python3 -c 'import os; open(os.environ["HOME"] + "/.ssh/id").read()'
	[ "$rc" -ne 0 ] || bad "a key was read"
	run python3 -c 'open(".git/hooks/pre-commit", "w")'
	[ "$rc" -ne 0 ] || bad "a hook was written"
	no_file .git/hooks/pre-commit
	run python3 -c 'import socket; socket.create_connection(("192.0.2.1", 80), 2)'
	[ "$rc" -ne 0 ] || bad "the network is there"
	run python3 -c 'import os; os.makedirs(os.environ["HOME"] + "/.local/bin"); open(os.environ["HOME"] + "/.local/bin/ls", "w")'
	no_file "$HOME/.local/bin/ls"
	closed -y sh -c
else
	skip python "python3 is not installed"
fi

t "std/dev/git: committing and branching"
fresh git
echo one >a
run git add a
want_rc 0
run git commit -qm first
want_rc 0
run git switch -qc topic
want_rc 0
echo two >a
run -c 'git diff --stat && git commit -qam second && git log --oneline | head -2'
want_rc 0
want_out second
[ "$(git log --format=%s | head -1)" = second ] || bad "the commit is not there"
run git restore --staged a
want_rc 0
t "std/dev/git: what stays closed"
run git push
want_rc 126
want_line 'asks first.*another repository'
run git reset --hard HEAD~1
want_rc 126
want_line 'asks first.*what is not committed is lost'
[ "$(git log --format=%s | head -1)" = second ] || bad "the commit is gone"
run git branch -D topic
want_rc 126
run git config core.pager x
[ "$rc" -ne 0 ] || bad "the configuration was written"
closed -y sh -c
echo three >a
run git restore a
want_rc 0
want_text two a
echo three >a
run git commit -qam third
want_rc 0

if [ -x /usr/bin/node ]; then
	t "std/dev/node: running and testing"
	fresh node
	echo 'module.exports = (a, b) => a + b' >sum.js
	echo 'const t = require("node:test"), s = require("./sum")
t("sum", () => { if (s(1, 2) !== 3) throw 1 })' >sum.test.js
	echo '{ "name": "x", "version": "1.0.0", "scripts": { "test": "node sum.test.js", "deploy": "echo out" } }' >package.json
	run node -e 'require("fs").writeFileSync("out", String(require("./sum")(1, 2)))'
	want_rc 0
	want_text 3 out
	run node sum.test.js
	want_rc 0
	if [ -x /usr/bin/npm ]; then
		run npm test
		want_rc 0
	fi
	mkdir -p node_modules/.bin && printf '#!/bin/sh\necho ran\n' >node_modules/.bin/tool
	chmod +x node_modules/.bin/tool
	run -y ./node_modules/.bin/tool
	want_out ran
	t "std/dev/node: what stays closed"
	run npm publish
	want_rc 126
	want_line 'asks first.*publishes'
	run npm run deploy
	want_rc 126
	run npm install x
	[ "$rc" -ne 0 ] && [ "$rc" -ne 126 ] || bad "npm ended with $rc"
	run node -e 'require("fs").readFileSync(process.env.HOME + "/.ssh/id")'
	[ "$rc" -ne 0 ] || bad "a key was read"
	run node -e 'require("fs").writeFileSync(".git/hooks/pre-commit", "x")'
	[ "$rc" -ne 0 ] || bad "a hook was written"
	# Its programs run, and what they do is held.
	cp node_modules/.bin/tool tool
	run ./tool
	want_out ran
	closed -y sh -c
else
	skip node "node is not installed"
fi

# Not among what the tests install.
if [ -x /usr/bin/javac ]; then
	t "std/dev/java: compiling and running"
	fresh java
	echo 'public class A { public static void main(String[] a) { System.out.println("good"); } }' >A.java
	run javac -d out A.java
	want_rc 0
	run java -cp out A
	want_rc 0
	want_out good
	run mvn deploy
	want_rc 126
	closed -y sh -c
fi

t "all of them together"
fresh c git go java node python rust
echo one >a
run -c 'git add a && git commit -qm first && ls && git log --oneline'
want_rc 0
want_out first
run cargo publish
want_rc 126
closed -y sh -c

done_
