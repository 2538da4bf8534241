#!/usr/bin/env bash
# The real work of git, npm, editors, make and pip in a project whose names are decided one
# by one: with std/profile/project, and with a wildcard for what may be written and one for
# what may not.  The hooks, the configuration and .env stay as they are through all of it,
# and each piece of work ends with a try to make a hook.
# long: every fourth day, as root and as a user in turn
# places:
# shellcheck disable=SC2016,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

export GIT_CONFIG_GLOBAL=/dev/null GIT_TERMINAL_PROMPT=0
REMOTE=$WORK/remote.git
for name in profile names narrow; do
	{
		printf 'policy u { level project }\n'
		[ $name = narrow ] || printf 'use std/profile/project\n'
		printf 'file {\n\tallow read, write "%s"\n\tdeny write ".env*"\n' "$REMOTE"
		[ $name = profile ] || printf '\tallow write "src/**/*.{ts,js}"\n'
		[ $name != narrow ] || printf '\tallow read, exec "${PROJECT_DIR}"\n'
		printf '}\n'
		[ $name != narrow ] || printf 'network disabled\ncommand { otherwise allow  opaque allow }\n'
	} >"$WORK/$name.pol"
done

in_run() { # POLICY SCRIPT: in the project
	(cd "$P" && "$BIN/polrun" -p "$WORK/$1.pol" sh -ec "$2" "$REMOTE") >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$? out=$(<"$WORK/.out") err=$(<"$WORK/.err")
}
# The last thing of each run, which the matcher of commands does not see into.
TRY_HOOK='python3 -c "
try:
    open(\"'"$P"'/.git/hooks/pre-commit\", \"a\").write(\"x\")
except OSError as e:
    print(\"no hook:\", e.strerror)
"'
works() { # POLICY SCRIPT
	in_run "$1" "($2
)
$TRY_HOOK"
	want_rc 0
	want_out '^no hook: (Permission denied|Read-only file system)$'
	kept
}
kept() {
	[ "$(cat "$P/.env" 2>/dev/null)" = SECRET ] || bad ".env was written"
	cmp -s "$P/.git/config" "$WORK/config" || bad ".git/config was written"
	[ "$(ls "$P/.git/hooks" 2>/dev/null)" = "$(cat "$WORK/hooks")" ] || bad "a hook was made"
	[ ! -e "$P/.env.local" ] || bad ".env.local was made"
}
made() {
	rm -rf "${P:?}" "$REMOTE"
	mkdir -p "$P/src"
	cd "$P" || exit 1
	git init -q -b main .
	git config user.email a@b.c
	git config user.name A
	mkdir -p .git/hooks
	echo SECRET >.env
	echo 'let a = 1' >src/a.ts
	printf '.env\nnode_modules\nwt\n' >.gitignore
	git add -A && git commit -q -m one
	git clone -q --bare . "$REMOTE" && git remote add origin "$REMOTE" || bad "no remote"
	cp .git/config "$WORK/config"
	ls .git/hooks >"$WORK/hooks"
}
# What the matcher of commands does not see: FILE is to be written.
cannot() { # POLICY FILE: by its name, or in a tree that is read-only as a whole
	in_run "$1" "python3 -c \"open('$2', 'a').write('x')\""
	want_rc 1
	want_err "PermissionError|Read-only file system"
	kept
}

# POLICY SCRIPT: as works, and $1 is a registry of packages that the policy lets in
with_registry() {
	rm -f "$WORK/port"
	python3 "$(dirname "${BASH_SOURCE[0]}")/../lib/registry.py" "$WORK/out" "$WORK/port" >"$WORK/.registry" 2>&1 &
	local server=$!
	within 20 test -s "$WORK/port" || bad "no registry: $(cat "$WORK/.registry")"
	{
		sed '/^network/d' "$WORK/$1.pol"
		printf 'network limited\nnetwork { allow tcp "localhost" port %s within 127.0.0.0/8 as registry }\n' "$(<"$WORK/port")"
	} >"$WORK/registry.pol"
	works registry "${2//'$1'/http://127.0.0.1:$(<"$WORK/port")}"
	kill $server
	wait $server 2>/dev/null
}

made
for policy in profile names; do
	t "$policy: what is denied is, and the control beside it"
	made
	cannot $policy .env
	cannot $policy .env.local
	cannot $policy .git/hooks/pre-commit
	for line in 'git config core.pager E' 'mv .git/config x' 'rm -rf .git/hooks' \
		'mkdir h && mv h .git/hooks' 'cp src/a.ts .git/hooks/post-commit'; do
		in_run $policy "$line"
		[ "$rc" -ne 0 ] || bad "$line: it succeeded"
		kept
	done
	works $policy 'echo "let b = 2" >src/b.ts; mkdir -p src/deep/er; echo x >src/deep/er/c.js; rm -r src/deep'
done

t 'narrow: what the wildcard does not name is not written'
made
cannot narrow src/a.py
cannot narrow a.ts
no_file src/a.py
no_file a.ts
cannot narrow .env.local
works narrow 'echo x >src/new.ts && mv src/new.ts src/newer.js && ln src/a.ts src/b.ts && rm src/b.ts'
works narrow 'python3 -c "open(\"src/c.ts\", \"a\").write(\"x\")"'
want_file src/c.ts

for policy in profile names; do
	t "$policy: git: commit, branch, rebase, worktree, push, fetch, stash, gc"
	made
	works $policy '
		echo "let b = 2" >src/b.ts
		git add -A && git commit -q -m two
		git switch -q -c topic HEAD~1
		echo "let c = 3" >src/c.ts && git add -A && git commit -q -m three
		git rebase -q main
		git worktree add -q wt -b side
		(cd wt && echo "let d = 4" >src/d.ts && git add -A && git commit -q -m four)
		git worktree remove --force wt
		echo x >>src/a.ts && git stash -q && git stash pop -q
		git push -q origin topic
		git fetch -q
		git tag v1 && git gc -q && git fsck --no-progress
		git log --oneline | wc -l | grep -qx 3'

	t "$policy: git: clone, init and submodule in the project"
	made
	works $policy '
		git clone -q "$0" copy && (cd copy && git config user.name B && git -c user.email=a@b.c commit -q --allow-empty -m x && git push -q)
		git clone -q --no-hardlinks . copy2
		mkdir fresh && cd fresh && git init -q && git -c user.name=B -c user.email=a@b.c commit -q --allow-empty -m x'

	if command -v npm >/dev/null; then
		t "$policy: npm: a package and its scripts"
		made
		mkdir -p "$P/dep"
		printf '{ "name": "dep", "version": "1.0.0", "main": "i.js", "bin": { "dep": "i.js" } }' >"$P/dep/package.json"
		printf '#!/usr/bin/env node\nmodule.exports = 42; console.log("dep");\n' >"$P/dep/i.js"
		(cd "$P" && npm pack --silent ./dep >/dev/null)
		printf '{ "name": "p", "version": "1.0.0", "dependencies": { "dep": "file:dep-1.0.0.tgz" }, "scripts": { "go": "dep && echo built >out.txt" } }' >"$P/package.json"
		works $policy 'npm install --offline --no-audit --no-fund --silent && npm run --silent go && test -s out.txt && npm ci --offline --no-audit --no-fund --silent'
		want_out '^dep$'
	else
		skip npm 'npm is not here'
	fi

	t "$policy: npm and pip: from a registry on the loopback"
	made
	if command -v npm >/dev/null && /usr/bin/python3 -c 'import ensurepip' 2>/dev/null; then
		printf '{ "name": "p", "version": "1.0.0", "scripts": { "go": "node src/go.js" } }' >"$P/package.json"
		echo 'console.log(require("pad")("npm"))' >"$P/src/go.js"
		with_registry $policy "
			npm install --registry \$1 --no-audit --no-fund --silent pad && npm run --silent go
			/usr/bin/python3 -m venv v && . v/bin/activate
			pip install -q --no-index --trusted-host 127.0.0.1 \$1/pad-1.0-py3-none-any.whl
			python -c 'import pad; print(pad.pad(\"pip\"))'"
		want_out '^padded npm$'
		want_out '^padded pip$'
	else
		skip registry 'npm or python3-venv is not here'
	fi

	t "$policy: editors: the ways to save a file"
	made
	if command -v vim >/dev/null; then
		works $policy 'for b in yes no auto; do vim -u NONE -es -c "set backup writebackup backupcopy=$b" -c "s/\$/ \/\/ $b/" -c wq src/a.ts; done; grep -q "yes.*no.*auto" src/a.ts'
	fi
	works $policy 'python3 - <<-E
	import os
	# as VS Code: in place, and by a temporary file and a rename
	with open("src/a.ts", "r+") as f:
	    f.truncate(0); f.write("in place\n"); f.flush(); os.fsync(f.fileno())
	with open("src/a.ts.tmp", "w") as f:
	    f.write("by rename\n")
	st = os.stat("src/a.ts")
	os.chmod("src/a.ts.tmp", st.st_mode & 0o777)
	os.utime("src/a.ts.tmp", (st.st_atime, st.st_mtime))
	os.replace("src/a.ts.tmp", "src/a.ts")
	assert open("src/a.ts").read() == "by rename\n"
	E'

	t "$policy: make -j2, a tar, cp -a and rsync"
	made
	mkdir "$P/c"
	for k in 1 2 3 4 5 6; do printf 'int f%s(void) { return %s; }\n' $k $k >"$P/c/f$k.c"; done
	printf 'int f1(void);\nint main(void) { return f1() - 1; }\n' >"$P/c/main.c"
	printf 'OBJ = main.o f1.o f2.o f3.o f4.o f5.o f6.o\nprog: $(OBJ)\n\t$(CC) -o $@ $(OBJ)\nlib.a: $(OBJ)\n\tar rc $@ $(OBJ)\n\tranlib $@\n' >"$P/c/Makefile"
	works $policy 'cd c && make -s -j2 prog lib.a && ./prog && make -s prog && cd .. && tar cf c.tar c && mkdir x && tar xf c.tar -C x && cp -a c c2 && diff -r c x/c && diff -r c c2 && rm -rf x c2 && find c -name "*.o" -newer c/Makefile | grep -q .'
	if command -v rsync >/dev/null; then
		works $policy 'rsync -a src/ src2/ && diff -r src src2'
	fi

	t "$policy: python: a venv, pip of a local package, byte code"
	made
	if /usr/bin/python3 -c 'import ensurepip' 2>/dev/null; then
		mkdir "$P/pk"
		printf 'from setuptools import setup\nsetup(name="pk", version="1", py_modules=["pk"])\n' >"$P/pk/setup.py"
		echo 'x = 7' >"$P/pk/pk.py"
		works $policy '/usr/bin/python3 -m venv v && . v/bin/activate && python -c "import sys; print(sys.prefix)" && pip --version >/dev/null && cp pk/pk.py "$(python -c "import site; print(site.getsitepackages()[0])")" && cd src && python -c "import pk; print(pk.x)"'
		want_out '^7$'
	else
		skip venv 'python3-venv is not here'
	fi

	t "$policy: databases, locks and pipes of a program"
	made
	works $policy 'python3 - <<-E
	import sqlite3, os, socket, fcntl, mmap
	db = sqlite3.connect("a.db"); db.execute("pragma journal_mode=wal"); db.execute("create table t(x)")
	for i in range(50): db.execute("insert into t values (?)", (i,)); db.commit()
	assert db.execute("select count(*) from t").fetchone() == (50,); db.close()
	s = socket.socket(socket.AF_UNIX); s.bind("/tmp/sock"); s.listen(1); c = socket.socket(socket.AF_UNIX); c.connect("/tmp/sock")
	f = open("lock", "w"); fcntl.flock(f, fcntl.LOCK_EX)
	m = open("m", "w+b"); m.truncate(4096); mm = mmap.mmap(m.fileno(), 4096); mm[0:2] = b"ab"; mm.flush()
	assert open("m", "rb").read(2) == b"ab"
	os.symlink("m", "l"); assert os.readlink("l") == "m"; os.rename("l", "l2"); os.unlink("l2")
	os.makedirs("a/b/c"); os.rename("a", "z"); os.removedirs("z/b/c")
	E'
done

done_
