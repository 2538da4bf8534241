#!/usr/bin/env bash
# The report's written[]: what a run has changed in the host's trees.  Exact where polrun makes
# the writing calls itself; in other trees by a look before and after (--artifacts).
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

HEAD='policy t { base none }
command { otherwise allow }
file {
    allow read, exec "/usr", "/bin", "/lib", "/lib64", "/sbin"
    allow read "/etc"
    allow read "${PROJECT_DIR}"
    allow write "${PROJECT_DIR}/src/**/*.ts"
    scratch "${TMPDIR}"
}
network disabled
env { keep PATH, HOME }
'
policy 'file { allow read, write "${PROJECT_DIR}/out", "${PROJECT_DIR}/one" }'
policy '' named

# One line for each change: op, kind, path below the project, size, whether there is a digest.
written() { # KEY: what to print of the report instead
	python3 -c '
import json, os, sys
r = json.load(open(sys.argv[1]))
if len(sys.argv) > 3:
    print(*[m for m in r["mechanisms"] if m.startswith("written")], sep="\n")
elif r["written"] is None:
    print("null")
else:
    for w in r["written"]:
        print(w["op"], w["kind"], os.path.relpath(w["path"], sys.argv[2]), w["size"], w["blake2b"] or "-")
' "$WORK/r.json" "$P" "$@"
}
# BUNDLE OPTIONS… -- COMMAND…
report() {
	rm -f "$WORK/r.json"
	run_with "$1" --report "$WORK/r.json" "${@:2}"
}
# The lines that are expected, sorted as the report is.
want_written() {
	local got
	got=$(written)
	[ "$got" = "$1" ] || bad "written: $(diff <(printf '%s\n' "$1") <(printf '%s\n' "$got"))"
}
b2() { b2sum -l 256 "$1" | cut -d' ' -f1; }
begin() {
	rm -rf src out one
	mkdir -p src/a src/d/e out/deep
	for f in src/x.ts src/y.ts src/z.ts src/same.ts src/d/f.ts src/d/e/g.ts out/o1 out/o2 out/same one; do
		echo "$f" >"$f"
	done
	touch -d '1 hour ago' src/x.ts
	sleep 0.05
}

t "names that polrun decides: each change, and nothing that is not one"
begin
report named -- sh -c '
	echo more >>src/x.ts; rm src/y.ts; mv src/z.ts src/a/z.ts
	echo n >src/n.ts; mv src/n.ts src/m.ts; echo t >src/tmp.ts; rm src/tmp.ts
	: >>src/same.ts; test -w src/same.ts; touch src/bad.c; ln -s x.ts src/l.ts'
want_rc 0
want_err 'src/bad.c.*Permission denied'
want_written 'create file src/a/z.ts 9 -
create link src/l.ts None -
create file src/m.ts 2 -
modify file src/x.ts 14 -
delete file src/y.ts None -
delete file src/z.ts None -'

t "the times that the run sets itself hide nothing"
begin
report named -- sh -c 'printf ORC/X.TS >src/x.ts; touch -r src/y.ts -d "1 hour ago" src/x.ts; chmod 600 src/same.ts'
want_written 'modify file src/same.ts 12 -
modify file src/x.ts 8 -'

t "a directory that moves takes its names along"
begin
policy 'file { allow write "${PROJECT_DIR}/**"  deny write "${PROJECT_DIR}/.env*" }' all
report all -- mv src/d src/moved
want_rc 0
want_written 'delete directory src/d None -
delete directory src/d/e None -
delete file src/d/e/g.ts None -
delete file src/d/f.ts None -
create directory src/moved None -
create directory src/moved/e None -
create file src/moved/e/g.ts 13 -
create file src/moved/f.ts 11 -'

t "two directories that change places"
begin
echo n >src/a/f.ts
report all -- python3 -c '
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
assert libc.renameat2(-100, b"src/d", -100, b"src/a", 2) == 0, ctypes.get_errno()'
want_rc 0
want_written 'modify directory src/a None -
create directory src/a/e None -
create file src/a/e/g.ts 13 -
modify file src/a/f.ts 11 -
modify directory src/d None -
delete directory src/d/e None -
delete file src/d/e/g.ts None -
modify file src/d/f.ts 2 -'

t "without --artifacts the list says what it does not have"
begin
report p -- sh -c 'echo x >src/n.ts; echo x >out/n'
want_written 'create file src/n.ts 2 -'
[[ $(written how) == *'only where names are decided one by one; --artifacts'* ]] || bad "$(written how)"

t "--artifacts: the trees that the run writes itself, with digests"
begin
report p --artifacts -- sh -c '
	echo more >>out/o1; rm out/o2; mkdir out/d; echo n >out/d/f; ln -s o1 out/l; mkfifo out/p
	chmod 700 out/deep; echo y >>one; echo more >>src/x.ts; cat out/same >/dev/null; touch out/tmp; rm out/tmp'
want_rc 0
want_written "modify file one 6 $(b2 one)
create directory out/d None -
create file out/d/f 2 $(b2 out/d/f)
modify directory out/deep None -
create link out/l None -
modify file out/o1 12 $(b2 out/o1)
delete file out/o2 None -
create fifo out/p None -
modify file src/x.ts 14 $(b2 src/x.ts)"

t "--artifacts: content that is replaced by as much, with the old times"
begin
report p --artifacts -- sh -c 'printf OUT/O1. >out/o1; touch -r out/o2 out/o1'
want_written "modify file out/o1 7 $(b2 out/o1)"

t "--artifacts: a run that changes nothing"
begin
report p --artifacts -- cat out/o1 src/x.ts
want_rc 0
want_written ''

t "a report without a tree that can be written is empty, and null is never an empty list"
HEAD=${HEAD//'    allow write "${PROJECT_DIR}/src/**/*.ts"'/}
policy 'file { allow write "${PROJECT_DIR}/out" }' native
begin
report native -- sh -c 'echo x >out/n'
want_written null
want_file out/n
policy '' nothing
report nothing -- true
want_written ''

t "--artifacts needs a report, and is nothing for --stage"
run_with p --artifacts true
want_rc 125
want_err '^polrun: --artifacts: the files are listed in the report'
report named --artifacts --stage -- true
want_rc 125
want_err '^polrun: --artifacts: with --stage nothing is changed'
report named --stage -- sh -c 'echo x >src/n.ts'
want_rc 0
want_written null
[[ $(written how) == *'polrun review'* ]] || bad "$(written how)"

done_
