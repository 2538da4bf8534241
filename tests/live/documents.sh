#!/usr/bin/env bash
# The permissions that other systems' documents show (examples/reference), at three
# doors: polc explain, polquery and polrun give each command what the document says.
# The thirteen commands of the classes of risk are among them.  polrun really runs
# them: every program is a stub that says its name.
# week: once a week, as root and as a user in turn
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
examples=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../examples/reference" && pwd)
stubs=$WORK/stubs
mkdir -p "$stubs" "$P/src/deep" "$P/build"
printf '#!/bin/sh\nset -- "${0##*/}" "$@"; echo "stub: $*"\n' >"$stubs/stub"
chmod 755 "$stubs/stub"
for name in ls cat echo git npm rm mv chmod curl wget dd ping scp; do
	ln "$stubs/stub" "$stubs/$name"
done
# COMMAND…: with the stubs before everything else.
with_stubs() {
	local -x PATH=$stubs:$PATH
	"$@"
}

# What the stubs need, beside the document's file.
printf 'policy stubs { level user }\nfile { allow read, exec "%s"  allow read "${PROJECT_DIR}" }\n' "$stubs" >"$WORK/stubs.pol"
# The control: nothing is denied but what the floor denies.
printf 'policy open { level project }\ncommand { otherwise allow }\nfile { allow read, exec "%s"  allow read, write "${PROJECT_DIR}" }\n' "$stubs" >"$WORK/open.pol"
msg=$("$BIN/polc" compile --project "$WORK/open.pol" -o "$WORK/open.polb" 2>&1) || {
	printf 'FAIL the control does not compile: %s\n' "$msg"
	exit 1
}
chmod 0600 "$WORK/open.polb"

# OPTION FILE [OPTION FILE…]: the policy that `door` asks.
document() {
	local msg
	sources=("$@" --user "$WORK/stubs.pol")
	rm -f "$WORK/p.polb"
	msg=$("$BIN/polc" compile "${sources[@]}" -o "$WORK/p.polb" 2>&1) || bad "polc compile: $msg"
	chmod 0600 "$WORK/p.polb"
}
json() { # TEXT: as a text of JSON; no control bytes
	local s=${1//\\/\\\\}
	printf '"%s"' "${s//\"/\\\"}"
}
asked() { # EFFECT DOOR TEXT: the effect that a door gave
	[ "$1" = "$3" ] || bad "$2: $3, want $1"
}
# EFFECT KEYS: polquery's answer to a request
query() {
	out=$("$BIN/polquery" -b "$WORK/p.polb" --scope sandbox \
		<<<"{\"id\":1,$2,\"cwd\":$(json "$P"),\"project\":$(json "$P"),\"home\":$(json "$HOME")}" 2>&1)
	asked "$1" "polquery $2" "$(sed -n 's/^{"id":1,"effect":"\([a-z]*\)".*/\1/p' <<<"$out")"
}
# EFFECT FORM ARGS…: what polrun made of it, with -y and without.
ran() {
	local effect=$1 form=$2 says=$3
	shift 3
	with_stubs run "$@"
	case $effect in
	allow) want_rc 0 && want_out "^$says" ;;
	ask)
		want_rc 126
		want_line 'asks first'
		no_out 'stub: '
		;;
	deny)
		want_rc 126
		want_line 'denied by rule'
		no_out 'stub: '
		;;
	esac
	[ "$live_bad" -eq 0 ] || bad "polrun $form: not $effect"
	with_stubs run -y "$@"
	case $effect in
	allow | ask) want_rc 0 && want_out "^$says" ;;
	deny) want_rc 126 && no_out 'stub: ' ;;
	esac
	[ "$live_bad" -eq 0 ] || bad "polrun -y $form: not $effect"
}
# EFFECT WORD…: the three doors, with the words as argv and as a line; and what
# the stub says where nothing forbids it.
door() {
	local effect=$1 line argv='' w
	shift
	line=$*
	for w in "$@"; do argv+=,$(json "$w"); done
	t "$current: $line: $effect"
	out=$("$BIN/polc" explain "${sources[@]}" --root "PROJECT_DIR=$P" --root "HOME=$HOME" command "$line" 2>&1)
	asked "$effect" "polc explain" "$(sed -n '1s/^\([a-z]*\):.*/\1/p' <<<"$out")"
	query "$effect" "\"kind\":\"command\",\"line\":$(json "$line")"
	query "$effect" "\"kind\":\"argv\",\"argv\":[${argv#,}]"
	with_stubs run_with open "$@"
	want_rc 0
	want_out "^stub: $line$"
	ran "$effect" argv "stub: $line\$" "$@"
	# echo is the shell's own there
	[ "$1" = echo ] && says=${line#echo } || says="stub: $line"
	ran "$effect" -c "$says\$" -c "$line"
	ran "$effect" -c "$says\$" -c "LANG=C $line"
}
# EFFECT PATH: a file of the project, written by name and by a redirection
file() {
	t "$current: writing $2: $1"
	out=$("$BIN/polc" explain "${sources[@]}" --root "PROJECT_DIR=$P" --root "HOME=$HOME" file write "$P/$2" 2>&1)
	asked "$1" "polc explain" "$(sed -n '1s/^\([a-z]*\):.*/\1/p' <<<"$out")"
	query "$1" "\"kind\":\"file\",\"op\":\"write\",\"path\":$(json "$P/$2")"
	query "$1" "\"kind\":\"command\",\"line\":$(json "echo x >$2")"
	with_stubs run_with open -c "true >$2.try"
	with_stubs run -c "ls >$2"
	if [ "$1" = deny ]; then
		want_rc 126
		want_line 'denied by rule'
	else
		no_err '^polrun: .*denied by rule'
		[ "$rc" -ne 126 ] || bad "polrun refused it"
	fi
}

current=native
document --project "$examples/native.yml"
# the classes of risk: low, medium, high, critical
door allow ls -l
door allow cat README.md
door allow echo hello
door allow git status
door ask npm install
door ask git commit -m x
door deny rm notes.txt
door deny mv a b
door deny chmod 755 run.sh
door deny rm -rf build
door deny curl https://a.example
door deny wget https://a.example
door deny dd if=a of=b
# "network commands"
door deny ping a.example
door deny scp a b:c
# the lists
door allow npm run test
door allow npm run test:unit
door allow npm run test:unit -- -u
door ask npm run testing
door ask npm run build
door allow git status -s
door deny curl
door deny rm -rf a b
file allow src/a.ts
file allow src/deep/b.ts
file deny .env
file deny .git/config

t "native: what a list denies is denied wherever it stands in a line"
for line in 'git status && curl x' 'ls | rm -rf build' 'echo $(curl x)' '/usr/bin/curl x' 'sh -c "curl x"' 'timeout 5 curl x' \
	'"cu"rl x'; do
	query deny "\"kind\":\"command\",\"line\":$(json "$line")"
	with_stubs run -y -c "$line"
	want_rc 126
	no_out 'stub: '
	want_line 'denied by rule'
done
with_stubs run -c 'git status && npm run test:unit'
want_rc 0
want_out '^stub: npm run test:unit$'

current=permissions
document --project "$examples/permissions.yml"
door allow npm run test
door allow npm run test:unit
door deny curl https://a.example
door allow ls
door ask npm install
door deny rm -rf build
t "permissions: an allow for the sandbox is none outside of it"
out=$("$BIN/polquery" -b "$WORK/p.polb" --scope host <<<'{"id":1,"kind":"command","line":"npm run test"}')
want_out '"effect":"ask"'
out=$("$BIN/polquery" -b "$WORK/p.polb" --scope host <<<'{"id":1,"kind":"command","line":"curl x"}')
want_out '"effect":"deny"'

current=managed
document --managed "$examples/managed.yml"
door allow npm run test:unit
door deny curl https://a.example
door ask npm install
# whatever lower levels say
printf 'policy loose { level project }\ncommand { allow "curl:*", "npm install" }\n' >"$WORK/loose.pol"
current='managed above a loose project'
document --managed "$examples/managed.yml" --project "$WORK/loose.pol"
door deny curl https://a.example
door allow npm install

done_
