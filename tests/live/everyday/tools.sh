#!/usr/bin/env bash
# Building, testing, debugging and serving in several languages, inside as outside: under the profile that a newcomer
# has, and under the policy of the language.
# long: every fourth day, as root and as a user in turn
# timing: waits for servers to listen
# shellcheck disable=SC2016,SC2031,SC2088
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../../lib/live.sh"
# shellcheck source=tests/lib/everyday.sh
. "$(dirname "$0")/../../lib/everyday.sh"

under() { # LANGUAGE: the policies of the actions that follow
	printf 'policy u { level user }\nuse std/dev/%s\n' "$1" >"$WORK/$1.pol"
	POLICIES=('' "$WORK/$1.pol")
}

under c
same 'make -j, a program that is built and run' make gcc <<'X'
printf 'all: p\n\t./p\np: x.o y.o\n\tcc -o p x.o y.o\n' >Makefile
echo 'int f(void); int main(void) { return f(); }' >x.c; printf '#include <stdio.h>\nint f(void) { puts("built"); return 0; }\n' >y.c
make -s -j4 && make -q; touch x.c; make -s -j4 -B
X
same 'cmake, ninja, ctest, C++' cmake ninja g++ <<'X'
printf 'cmake_minimum_required(VERSION 3.10)\nproject(p CXX)\nadd_executable(p p.cc)\nenable_testing()\nadd_test(t p)\n' >CMakeLists.txt
printf '#include <iostream>\nint main() { try { throw 1; } catch (int) { std::cout << "caught\\n"; } }\n' >p.cc
cmake -G Ninja -B build >/dev/null && cmake --build build >/dev/null && build/p && ctest --test-dir build 2>&1 | grep -o '100% tests passed'; rm -rf build
X
same 'AddressSanitizer and UBSan' gcc <<'X'
echo 'int main(int c, char **v) { char a[4]; a[c + 3] = 1; return a[c]; }' >x.c; cc -g -fsanitize=address -o x x.c; ./x 2>&1 | grep -om1 'AddressSanitizer: stack-buffer-overflow'
cc -fsanitize=address,undefined -o y src/a.c && ./y; echo $?
X
same 'ThreadSanitizer' gcc <<'X'
printf '#include <pthread.h>\nint g; void *f(void *p) { g++; return p; } int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }\n' >x.c
cc -g -fsanitize=thread -pthread -o x x.c && ./x 2>&1 | grep -c 'WARNING: ThreadSanitizer: data race'
X
same 'valgrind, a core dump, gcov' valgrind gcc gcov <<'X'
cc -g --coverage -o x src/a.c && valgrind -q --error-exitcode=3 ./x; echo $?; gcov -t *.gcda 2>/dev/null | grep -c main; printf '#include <stdlib.h>\nint main(void) { abort(); }\n' >y.c; cc -o y y.c; (./y) 2>/dev/null; echo $?; rm -f core*
X
same 'a debugger reads a program' gdb gcc <<'X'
cc -g -o x src/a.c && gdb -nx -q -batch -ex 'info line main' -ex 'disassemble main' ./x
X
PTRACE='blocked: system call ptrace\(\).*: rule syscall-[0-9a-f]+ at std/base\.pol:[0-9]+: .*; to let it pass: syscall \{ allow ptrace \}'
told 'a debugger runs a program' "$PTRACE" 'syscall { allow ptrace }' gdb gcc <<'X'
set -o pipefail; echo 'int f(int x) { return x + 1; } int main(void) { return f(41); }' >x.c; cc -g -O0 -o x x.c
gdb -nx -q -batch -ex 'break f' -ex run -ex bt -ex 'print x' -ex continue ./x 2>&1 | grep -E '^#0 +f \(x=41\)'
X
told 'strace' "$PTRACE" 'syscall { allow ptrace }' strace <<'X'
strace -o trace true && grep -c '^execve' trace; x=$?; rm trace; exit $x
X
told 'ltrace' "$PTRACE" 'syscall { allow ptrace }' ltrace <<'X'
ltrace -o trace true && rm trace
X
if [ -n "$(type -P gcc)" ]; then
	t 'leaks are found where a policy gives ptrace back'
	fresh
	printf '#include <stdlib.h>\nint main(void) { void *volatile p = malloc(10); p = 0; return 0; }\n' >x.c
	cc -g -fsanitize=address -o x x.c
	did inside polrun ./x
	want_rc 0
	profile_and $'syscall { allow ptrace }\nenv { set LSAN_OPTIONS = "" }'
	did inside polrun -p "$WORK/way.pol" ./x
	want_rc 1
	want_err 'LeakSanitizer: detected memory leaks'
fi

under node
same 'npm run with a server, and its tests' npm node curl <<'X'
echo '{ "name": "p", "version": "1.0.0", "scripts": { "serve": "exec node s.js", "test": "node --test t.js | grep -c ^.ok" } }' >package.json
echo 'require("http").createServer((q, r) => { r.end("hello\n"); if (q.url == "/end") setTimeout(() => process.exit(), 50); }).listen(47781, "127.0.0.1")' >s.js
echo 'require("test")("t", () => {})' >t.js; sed -i 's/"test"/"node:test"/' t.js
npm run --silent serve & for i in $(seq 100); do curl -s http://127.0.0.1:47781/ && break; sleep 0.1; done; curl -s http://127.0.0.1:47781/end; wait; npm --silent test >/dev/null; echo $?
X
same 'node: a script, watch mode, workers' node <<'X'
node -p '6*7'; echo 'console.log("run")' >w.js; node -e 'const { Worker } = require("worker_threads"); new Worker("console.log(7)", { eval: true })'
node -e 'const fs = require("fs"), cp = require("child_process"); const w = cp.spawn(process.execPath, ["--watch", "w.js"]); let seen = ""; w.stdout.on("data", d => { seen += d; if (/^run$/m.test(seen) && !/again/.test(seen)) fs.writeFileSync("w.js", "console.log(\"again\")\n"); if (/^again$/m.test(seen)) { console.log("seen again"); w.kill("SIGKILL"); process.exit(); } }); setTimeout(() => { console.log("not seen"); w.kill("SIGKILL"); process.exit(1); }, 15000).unref()'
X

under python
same 'python: a venv, pip, a test, a server' python3 curl <<'X'
python3 -m venv --without-pip v && . v/bin/activate && python -c 'import sys; print(sys.prefix != sys.base_prefix)'; deactivate; rm -rf v
printf 'import unittest\nclass T(unittest.TestCase):\n    def test(self): self.assertEqual(1, 1)\n' >test_a.py; python3 -m unittest -q 2>&1 | tail -n 1; rm -rf __pycache__
python3 -m http.server --bind 127.0.0.1 47782 >/dev/null 2>&1 & for i in $(seq 100); do curl -s http://127.0.0.1:47782/a.txt && break; sleep 0.1; done; kill $!
python3 -c 'import multiprocessing as m; print(sum(m.Pool(2).map(abs, [-1, 2])))'; python3 -c 'import ssl, sqlite3, ctypes, threading, tempfile, os; print(os.path.basename(os.getcwd()), os.cpu_count() > 0)'
X
under java
same 'java' javac java <<'X'
echo 'public class A { public static void main(String[] a) { System.out.println("java " + Runtime.getRuntime().availableProcessors()); } }' >A.java; javac A.java && java A; rm A.class
X
under go
same 'go' go <<'X'
printf 'module a\ngo 1.19\n' >go.mod; printf 'package main\nimport "fmt"\nfunc main() { fmt.Println("go") }\n' >a.go; go run . && go vet ./... && go build -o a . && ./a; rm a
X
under rust
same 'cargo' cargo <<'X'
export CARGO_TARGET_DIR=$PWD/target; cargo init -q --vcs none --name a . && cargo run -q --offline && cargo test -q --offline 2>&1 | grep -c 'test result: ok'; rm -rf target
X
POLICIES=('')
same 'perl, awk, jq, bc, xxd, openssl' perl awk jq bc xxd openssl <<'X'
perl -E 'say 6*7'; awk 'BEGIN { print 6*7 }'; jq -n '6*7'; echo '6*7' | bc; xxd a.txt; openssl rand -hex 4 | wc -c; openssl version; echo x | openssl sha256; openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k -out c -subj /CN=a -days 1 2>/dev/null; grep -c BEGIN k c; rm k c
X
same 'what is installed: dpkg' dpkg <<'X'
dpkg -s bash | grep ^Status; dpkg -l bash | tail -n 1 | cut -c1-7; dpkg -L bash | grep -c bin/bash; dpkg -S /etc/debian_version; dpkg-query -W -f '${Package}\n' libc6
X
same 'ssh-keygen' ssh-keygen <<'X'
ssh-keygen -q -t ed25519 -N '' -f k && ssh-keygen -l -f k.pub | cut -d' ' -f1,4; echo t >t; ssh-keygen -q -Y sign -f k -n file t; sed -n 1p t.sig; rm k k.pub t.sig
X
same 'GNU parallel, moreutils' parallel sponge <<'X'
parallel --will-cite echo ::: 1 2 3 2>/dev/null | sort; sort a.txt | sponge a.txt; cat a.txt
X

POLICIES=(init)
same 'after polc init: a Makefile' make gcc <<'X'
printf 'p: src/a.c\n\tcc -o p src/a.c\n' >Makefile; make -s && ./p; echo $?; git add Makefile && git commit -qm make && git log --format=%s
X
same 'after polc init: files, jobs, servers' python3 curl <<'X'
mkdir d && mv a.txt d && rm -r d && sed -i s/0/1/ src/a.c && git diff --stat; sleep 50 & kill $!; wait; python3 -m http.server --bind 127.0.0.1 47783 >/dev/null 2>&1 & for i in $(seq 100); do curl -s http://127.0.0.1:47783/src/a.c && break; sleep 0.1; done; kill $!
X
done_
