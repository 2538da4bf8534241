#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# What check, --plan, the summary line of -v and the report say of rules that do not
# hold exactly, and that the kernel does just that: no more and no less.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

# What check says of the policy NAME: its output in out.
check() {
	out=$(cd "$WORK" && "$BIN/polc" check "$1.pol" 2>&1)
	rc=$?
}
# The number of rules that the summary line gives for KIND.
count_of() {
	local say
	case $1 in
	over) say='forbids\{0,1\} more than' ;;
	under) say='forbids\{0,1\} less than' ;;
	*) say='holds\{0,1\} at entry only' ;;
	esac
	sed -n "s/^polrun:.*[ ,]\([0-9]*\) \(rules\{0,1\} \)\{0,1\}$say.*: see --plan\$/\1/p" <<<"$err"
}
RUN_OPTIONS=(-v)
policy ''
run true
entry0=$(count_of 'at entry only') under0=$(count_of under) over0=$(count_of over)
: "${entry0:=0}" "${under0:=0}" "${over0:=0}"
# KIND MORE: the summary counts MORE rules of KIND than with no rule of the test's.
want_more() {
	local had n
	case $1 in over) had=$over0 ;; under) had=$under0 ;; *) had=$entry0 ;; esac
	n=$(count_of "$1")
	[ "${n:-0}" -eq $((had + $2)) ] || bad "$1: ${n:-0}, want $had + $2"
}

t "the control: a policy without such rules"
run sh -c 'echo x > one'
want_rc 0
want_file one
want_more over 0
run --plan true
no_out '^  over'

t "only -v says it: stderr of a run that works is the command's"
for x in true "sh -c 'echo mine >&2'"; do
	eval "\"$BIN/polrun\" -b \"$WORK/p.polb\" -y $x" >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$?
	err=$(<"$WORK/.err")
	want_rc 0
	if [ "$x" = true ]; then [ -z "$err" ] || bad 'something is on stderr'; else [ "$err" = mine ] || bad 'want mine only'; fi
done
run true
want_line 'rules? .*: see --plan'
want_line 'status 0 after [0-9]+ ms: .* 0 requests blocked'
policy 'syscall { deny chroot }' w
run_with w sh -c 'chroot / true; exit 7'
want_rc 7
want_line 'status 7 after [0-9]+ ms: .* [1-9][0-9]* requests? blocked'

t "a deny of writing with a wildcard: these names and no others"
mkdir -p src/a src/b && echo old >src/a/x.gen && echo old >src/a/other
policy 'file { deny write "${PROJECT_DIR}/src/a/*.gen" as wild }' w
check w
want_rc 0
no_out 'more than it says'
run_with w sh -c 'echo bad > src/a/x.gen; echo bad > src/a/y.gen; mv src/a/other src/a/z.gen
	echo good > src/a/new; echo good > src/b/x.gen'
want_text old src/a/x.gen
want_text old src/a/other
no_file src/a/y.gen
no_file src/a/z.gen
want_text good src/a/new
want_text good src/b/x.gen
want_more over 0
run_with w --plan true
want_out "read write\* +$P .*each name is decided, because of rule"
no_out '^  over'

t "a wildcard whose directory is absent: it holds in the one that the run makes"
policy 'file { deny write "${PROJECT_DIR}/src/none/**/*.gen" as wild }' w
run_with w sh -c 'echo good > src/new; mkdir -p src/none/deep; echo bad > src/none/deep/x.gen
	echo good > src/none/deep/x.h; echo good > top'
no_file src/none/deep/x.gen
want_text good src/none/deep/x.h
want_text good src/new
want_text good top
want_more over 0

t "a denied name that is absent: it is not made, and what is around it is"
mkdir -p keys beside
policy 'file { deny write "${PROJECT_DIR}/keys/absent/deep" as gone }' w
run_with w sh -c 'mkdir -p keys/absent/deep; echo bad > keys/absent/deep; mkdir -p beside/deep
	mv beside keys/absent; mv beside/deep keys/absent/; echo > keys/new'
no_file keys/absent/deep
want_file keys/new
want_more over 0
rm -rf keys beside
mkdir -p keys beside
mkdir -p keys/absent/deep
run_with w sh -c 'echo > keys/new; echo > keys/absent/deep/x'
want_file keys/new
no_file keys/absent/deep/x
run_with w sh -c 'mv keys away'
want_file keys/absent/deep
want_more over 0

t "a hidden name that is absent: the same"
mkdir -p later
policy 'file { hide "${PROJECT_DIR}/later/token" as token }' w
run_with w sh -c 'echo x > later/token'
no_file later/token
want_more over 0

t "in scratch trees and in HOME the absent name is made and locked"
policy 'file { scratch "${HOME}"
	deny write "${TMPDIR}/no/deep", "${HOME}/.rc" as kept
	hide "${HOME}/.hidden" as hidden }' w
run_with w sh -c 'cd; echo bad > .rc; mkdir -p /tmp/no/deep/x; mv /tmp/no /tmp/yes; cat .hidden
	cat .rc && ! test -s .rc && ! test -e /tmp/no/deep/x && ! test -e /tmp/yes &&
	echo good > free && echo good > /tmp/no/free && cat free'
want_rc 0
want_out '^good$'
want_err '\.hidden.*Permission denied'
want_more over 0

t "in HOME, what an allow names and the host does not have is the run's own"
mkdir -p "$HOME/there"
echo hosts >"$HOME/there/f"
policy 'file { scratch "${HOME}"
	allow read "${HOME}/there", "${HOME}/absent" as names
	deny write "${HOME}/absent/closed" as closed }' w
run_with w sh -c 'cd; cat there/f; echo bad >there/f; echo bad >there/new
	test ! -s absent || echo "a file in its place"
	mkdir -p absent/d && echo good >absent/d/f && cat absent/d/f; echo bad >absent/closed'
want_out '^hosts$'
want_out '^good$'
want_err 'there/f.*Read-only'
want_err 'absent/closed'
want_text hosts "$HOME/there/f"
no_file "$HOME/there/new"
no_file "$HOME/absent"

t "an any-depth deny: such names alone, also in directories and trees of the run's"
mkdir -p deep/er
policy 'file { deny write ".env*" as anydepth }' w
check w
no_out 'scratch trees'
run_with w sh -c 'echo good > two; echo bad > deep/er/.env; mkdir -p new/er; echo bad > new/er/.env.x
	mv two new/er/.env; echo bad > /tmp/.env; echo good > /tmp/env && cat /tmp/env'
want_rc 0
want_out '^good$'
want_err '/tmp/\.env: Permission denied'
want_text good two
no_file deep/er/.env
no_file new/er/.env.x
no_file new/er/.env
want_more 'at entry only' 0
run_with w --plan true
want_out "read write\* +$P .*each name is decided, because of rule anydepth at"

t "a file that alone may be written, where a wildcard denies: by its name in a directory that is shown, else read-only, and named"
mkdir -p "$WORK/alone" && echo old >"$WORK/alone/f"
policy "file { allow read \"$WORK/alone\"  allow write \"$WORK/alone/f\" }" w
run_with w sh -c "echo new >$WORK/alone/f; echo new >$WORK/alone/g"
want_text new "$WORK/alone/f"
no_file "$WORK/alone/g"
policy "file { allow read \"$WORK/alone\"  allow write \"$WORK/alone/f\"  deny write \".env*\" as anydepth }" w
run_with w sh -c "echo newer >$WORK/alone/f; echo new >$WORK/alone/g; echo new >$WORK/alone/.env"
want_text newer "$WORK/alone/f"
no_file "$WORK/alone/g"
no_file "$WORK/alone/.env"
run_with w --plan true
want_out "read write\* +$WORK/alone .*each name is decided, because of rule anydepth"
policy "file { allow read, write \"$WORK/alone/f\"  deny write \".env*\" as anydepth }" w
run_with w sh -c "echo newest >$WORK/alone/f"
want_text newer "$WORK/alone/f"
run_with w --plan true
want_out "read +$WORK/alone/f .*read-only because of rule anydepth"

t "a directory above a scratch tree stays in its place"
mkdir -p "$WORK/native/above/own" && echo host >"$WORK/native/above/own/f"
policy "file { allow read, write \"$WORK/native\"  scratch \"$WORK/native/above/own\" }" w
run_with w sh -c "cd $WORK/native; mv above away; ls above/own; echo x >above/own/g; echo good >above/f && sleep 0.3" # time: a wall would be looked at
want_rc 0
no_out '^f$'
want_err 'away.*busy'
want_text good "$WORK/native/above/f"
no_file "$WORK/native/above/own/g"

t "an allow with a wildcard, of an absent name, of a socket gives nothing"
mkdir -p "$WORK/out/d1" "$WORK/out/d2" && echo data >"$WORK/out/d1/f"
python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$WORK/out/sock" 2>/dev/null
policy "file { allow read \"$WORK/out/*/f\" as wild
	allow read, write \"$WORK/out/none\" as none
	allow read, write \"$WORK/out/sock\" as sock
	allow read \"$WORK/out/d2\" as there }" w
check w
want_out "warning: 'wild' forbids more than it says .*: an allow of reading with a wildcard opens nothing"
run_with w sh -c "cat $WORK/out/d1/f; mkdir $WORK/out/none; ls $WORK/out"
no_out 'data|d1|none|sock'
want_out '^d2$'
no_file "$WORK/out/none"
want_more over 3
run_with w --plan true
want_out '^  over: here its name is absent'
want_out '^    rule none at w\.pol'
want_out '^    rule sock at w\.pol'
no_out '^    rule there at'

t "the report says the same"
rm -f "$WORK/r.json"
run_with w --report "$WORK/r.json" true
python3 - "$WORK/r.json" <<'EOS' || bad "$(cat "$WORK/r.json")"
import json, sys
m = json.load(open(sys.argv[1]))["mechanisms"]
for rule in "wild", "none", "sock":
    assert [x for x in m if x.startswith("over: rule %s at " % rule)], rule
assert not [x for x in m if "rule there at" in x]
EOS

t "what no version of the mounts can do is an error"
for x in 'hide "/proc/*/environ"' 'deny read "/dev/tty*"' 'deny exec "/sys/**/x"'; do
	printf '%s\nfile { %s }\n' "$HEAD" "$x" >"$WORK/e.pol"
	check e
	[ "$rc" -eq 1 ] && grep -q 'error: ' <<<"$out" || bad "$x: $rc"
	(cd "$WORK" && "$BIN/polc" compile e.pol -o e.polb >/dev/null 2>&1) &&
		bad "compiled: $x"
done
for x in 'allow read "/"' 'otherwise read allow' 'allow write "/"' 'otherwise write allow' 'deny write "${PROJECT_DIR}/*.key"' \
	'hide "${PROJECT_DIR}/*.key"' 'deny read "*.key"' 'deny exec "*.so"'; do
	printf '%s\nfile { %s }\n' "$HEAD" "$x" >"$WORK/e.pol"
	check e
	[ "$rc" -eq 0 ] || bad "$x: $rc"
done

t "a name of the floor that is absent is not made"
run sh -c 'mkdir .vscode; echo > .envrc; echo > .notfloor; mv .notfloor .mcp.json'
want_line 'blocked: write .*/\.vscode: rule .* at std/floor\.pol:[0-9]+'
no_file .vscode
no_file .envrc
no_file .mcp.json
want_file .notfloor
rm -f .notfloor

t "what appears of a .git that was absent is named, on stderr and in the report"
rm -f "$WORK/r.json"
run --report "$WORK/r.json" sh -c 'mkdir -p .git/hooks; echo x > .git/config'
want_line '/\.git/config has appeared.*std/floor\.pol:[0-9]+'
want_line '/\.git/hooks has appeared.*std/floor\.pol:[0-9]+'
grep -q 'under: .*/\.git/config has appeared' "$WORK/r.json" || bad "the report does not name it"
run sh -c 'echo bad > .git/config; echo > .git/hooks/x'
no_err 'appeared: .*\(rule'
want_text x .git/config
no_file .git/hooks/x
rm -rf .git

t "a connection to a socket file inside of a tree is entry only, as said"
run --plan true
want_out 'entry only: .*a connection to a socket file inside of a mounted tree'
if command -v python3 >/dev/null; then
	python3 -c '
import os, socket, sys
s = socket.socket(socket.AF_UNIX); s.bind("live.sock"); os.chmod("live.sock", 0o777)
s.listen(1); s.settimeout(10); print("up", flush=True)
s.accept()[0].sendall(b"hello")' >"$WORK/up" &
	server=$!
	within 30 test -s "$WORK/up"
	run python3 -c 'import socket
s = socket.socket(socket.AF_UNIX); s.connect("live.sock"); print(s.recv(9).decode())'
	want_out '^hello$'
	kill "$server" 2>/dev/null
	wait "$server" 2>/dev/null
fi

done_
