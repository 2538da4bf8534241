#!/usr/bin/env bash
# A rule with a wildcard holds in the run's own trees as well: TMPDIR, and a HOME of its own.  Nothing
# is there at the start, so every name is made inside.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

command -v python3 >/dev/null || { skip python3 "it is not installed"; done_; exit; }
KEYS='deny write "${TMPDIR}/*.key", "${TMPDIR}/cache/*.so"'
policy "file { $KEYS }" here
policy 'file { deny write ".env*" scratch "${HOME}" }' anywhere
policy 'file { scratch "${HOME}" deny write "${HOME}/.cache/**/*.so" }' deep
policy 'file { hide "**/.env*" allow read, write, exec "${TMPDIR}" when scope == sandbox scratch "${HOME}" }' hidden
policy 'file { deny read "**/*.pem" deny exec "**/*.run" allow read, write, exec "${TMPDIR}" when scope == sandbox }' unread
policy '' none

# LINES…: a script, which is not the policy's to judge by its text.
script() { printf '%s\n' "$@" >"$WORK/home/project/script"; }

t "a pattern in TMPDIR takes its names and no others"
script 'for f in a.key a cache/x.so cache/x a.key/b; do mkdir -p "$(dirname "/tmp/$f")" 2>/dev/null; echo x >"/tmp/$f" && echo "wrote $f"; done'
run_with none sh script
want_out '^wrote a.key$'
want_out '^wrote cache/x.so$'
run_with here sh script
want_out '^wrote a$'
want_out '^wrote cache/x$'
no_out '^wrote .*(key|so)'
want_err 'a.key: Permission denied'

t "nor do they come there by another way"
script 'cd /tmp; echo x >a; mkdir -p cache d/e; echo x >d/y.so' \
	'mv a b.key; ln a c.key; ln -s a d.key; mkdir e.key; mkfifo f.key; mv d/y.so cache/; rmdir cache; mv d cache' \
	'cp a g.key; (set -C; echo >h.key); python3 -c "
import os,socket
socket.socket(socket.AF_UNIX).bind(\"i.key\")"' \
	'python3 -c "
import os
d=os.open(\"/tmp\",os.O_RDONLY)
f=os.open(\".\",os.O_TMPFILE|os.O_RDWR,dir_fd=d)
os.link(\"/proc/self/fd/%d\"%f,\"j.key\",dst_dir_fd=d,follow_symlinks=True)"' \
	'ls -A /tmp; mv d/y.so d/y; mv d cache && echo "moved all the same"'
run_with none sh script
want_out '^b.key$'
run_with here sh script
no_out 'key$'
want_out '^d$'
want_out '^moved all the same$'

t "a pattern without a root holds in each of the run's trees"
script 'for d in /tmp "$HOME" .; do echo x >"$d/.env1" && echo "wrote $d"; echo x >"$d/other" && echo "other $d"; done'
run_with none sh script
want_out '^wrote /tmp$'
run_with anywhere sh script
no_out '^wrote'
[ "$(grep -c '^other' <<<"$out")" -eq 3 ] || bad "other names: $out"
rm -f "$P"/.env1 "$P/other"

t "a pattern below a directory of HOME, which is made inside, moved away and back"
script 'cd; mkdir -p .cache/a/b; echo x >.cache/a/b/x.so && echo wrote 1; echo x >.cache/a/b/x && echo control' \
	'mkdir new; echo x >new/y.so && echo control; mv new .cache/a/ && echo wrote 2; mv .cache/a old; echo x >old/b/z.so && echo control' \
	'mkdir -p .cache; mv old .cache/a && echo wrote 3; rm old/b/z.so; mv old .cache/a && echo control' \
	'ln -s .cache/a/b way; echo x >way/q.so && echo wrote 4'
run_with deep sh script
no_out wrote
[ "$(grep -c '^control' <<<"$out")" -eq 4 ] || bad "$out"

t "the denial names the rule, and check has no reservation"
run_with here --explain-denials sh -c 'f=/tmp/a; echo x >$f.key'
want_err '^polrun: blocked: write /tmp/a.key: rule .*deny write "\$\{TMPDIR\}/\*.key"'
out=$("$BIN/polc" check --verbose "$WORK/here.pol" 2>&1)
no_out 'scratch trees such names'

t "the project in a HOME of the run's own is the host's, and stays as it is"
run_with anywhere --plan true
want_out "scratch +$WORK/home .*each name is decided"
run_with deep --plan true
want_out "scratch +$WORK/home .*each name is decided"
want_out "scratch +/tmp .*lost afterwards$"

t "programs do their work there"
script 'set -e; cd /tmp' \
	'printf "int main(void){return 7;}" >x.c; cc -o x x.c; ./x || echo "built $?"' \
	'python3 - <<EOF' \
	'import mmap,os,socket,sqlite3,tempfile' \
	's=socket.socket(socket.AF_UNIX); s.bind("/tmp/s"); s.listen(); socket.socket(socket.AF_UNIX).connect("/tmp/s")' \
	'with tempfile.TemporaryFile() as f: f.write(b"x"*9000); f.flush(); assert len(mmap.mmap(f.fileno(),0))==9000' \
	'with tempfile.TemporaryDirectory() as d: open(d+"/y","w").write("y")' \
	'b=sqlite3.connect("/tmp/b"); b.execute("create table t(a)"); b.execute("insert into t values(1)"); b.commit()' \
	'os.link("/tmp/b","/tmp/c"); os.rename("/tmp/c","/tmp/d"); os.chmod("/tmp/d",0o600); os.truncate("/tmp/d",5); os.utime("/tmp/d",(1,1))' \
	'assert os.stat("/tmp/d").st_mtime==1; print("worked")' \
	'EOF' \
	'git init -q r; cd r; echo 1 >1; git add 1; git -c user.name=a -c user.email=b commit -qm x; echo "#!/bin/sh" >.git/hooks/post-commit; echo "own hooks"'
run_with hidden timeout 60 sh script
want_rc 0
want_out '^built 7$'
want_out '^worked$'
want_out '^own hooks$'

t "what may not be read or executed is not made there"
script 'cd /tmp; echo x >a.pem; echo x >a; mv a b.pem; cp /bin/true c.run; cp /bin/true c; mv c d.run; ./c && echo ran; ls -A'
run_with unread sh script
no_out 'pem|run$'
want_out '^ran$'
run_with none sh script
want_out '^b.pem$'
want_out '^d.run$'

t "its limit of size holds"
policy "limits { disk 1M } file { $KEYS }" small
script 'head -c 3000000 /dev/zero >/tmp/big; echo "wrote $(stat -c %s /tmp/big)"'
run_with small sh script
want_err 'No space left'
run_with here sh script
want_out '^wrote 3000000$'

t "what was written there is no effect on the host"
run_with anywhere --report "$WORK/report" sh -c 'echo x >/tmp/a; echo x >b'
want_rc 0
grep -q '"path": *"[^"]*/b"' "$WORK/report" || bad "b: $(grep -A9 written "$WORK/report")"
! grep -q '"/tmp/a"' "$WORK/report" || bad "/tmp/a is told"
rm -f "$P/b" "$P/script"
done_
