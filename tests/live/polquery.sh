#!/usr/bin/env bash
# polquery: the same decisions as polc explain and polrun, one line for each
# line, and a bundle that is opened as polrun opens it.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
policy 'command { deny "wget:*" because "nothing is fetched" as no-fetching
                  ask "git push:*" because "publishes code" as asked
                  allow "wc:*" when scope == sandbox as counted
                  risk high "dd:*" }
file { deny read "${PROJECT_DIR}/secret" as secret
       allow read "${SESSION_DIR}" }
unix { allow "/run/x.sock", "@pol" }
syscall { deny ptrace as no-debugging }
tools { allow "read_*"  deny "shell" }
setting "context.storage" = "local"'

# ARGS…: polquery with the bundle p, requests on stdin; sets out, err, rc.
query() {
	"$BIN/polquery" -b "$WORK/p.polb" "$@" >"$WORK/.out" 2>"$WORK/.err"
	rc=$?
	out=$(cat "$WORK/.out")
	err=$(cat "$WORK/.err")
}
# EFFECT REQUEST…: each gets it, and by the rule that NAME says (or "")
want_effect() {
	local effect=$1 rule=$2
	shift 2
	query < <(printf '%s\n' "$@")
	want_rc 0
	[ "$(wc -l <<<"$out")" -eq $# ] || bad "not one line for each of $# lines"
	[ "$(grep -c "\"effect\":\"$effect\".*\"rules\":\[{\"id\":\"$rule" <<<"$out")" -eq $# ] ||
		bad "not each is $effect by '$rule'"
}

t "the lines of polrun -c: denied, asked, allowed"
want_effect deny no-fetching '{"id":1,"kind":"command","line":"wget x"}' \
	'{"id":1,"kind":"argv","argv":["wget","x"]}'
run -c 'wget x'
want_rc 126
want_effect ask asked '{"id":1,"kind":"command","line":"git push"}'
run -c 'git push'
want_rc 126
want_effect allow command-otherwise '{"id":1,"kind":"command","line":"env true"}'
run -c 'env true'
want_rc 0
query <<<'{"id":1,"kind":"command","line":"wget x"}'
want_out '"reason":"nothing is fetched",.*"at":"p\.pol:[0-9]+","text":"deny .*"runner":null'
query <<<'{"id":1,"kind":"command","line":"dd x"}'
want_out '"effect":"allow".*"risk":"high","runner":"native","needs_person":false'

t "a line that cannot be read is never allowed, and a person's"
want_effect ask command-opaque '{"id":1,"kind":"command","line":"true; ("}' \
	'{"id":1,"kind":"command","line":"true \u0000"}'
want_out '"reason":"the line cannot be read: .*"risk":null.*"needs_person":true'
want_effect allow command-otherwise '{"id":1,"kind":"argv","argv":["true;","true"]}'

t "files: the project of the working directory, links, what is hidden"
: >"$P/plain"
: >"$P/secret"
ln -s "$P/secret" "$P/link"
mkdir -p "$P/sub" "$P/.git"
want_effect allow file- "{\"kind\":\"file\",\"op\":\"read\",\"path\":\"$P/plain\"}" \
	"{\"kind\":\"file\",\"op\":\"write\",\"path\":\"$P/sub/x\",\"cwd\":\"$P/sub\"}"
want_effect deny secret "{\"kind\":\"file\",\"op\":\"read\",\"path\":\"$P/secret\"}" \
	"{\"kind\":\"file\",\"op\":\"read\",\"path\":\"$P/link\"}"
run cat secret
[ "$rc" -ne 0 ] || bad "polrun shows what polquery denies"
run cat plain
want_rc 0
want_effect deny file-otherwise-read "{\"kind\":\"file\",\"op\":\"read\",\"path\":\"$P/plain\",\"project\":\"$P/sub\"}"
want_effect allow file- "{\"kind\":\"file\",\"op\":\"read\",\"path\":\"/opt/s/x\",\"session_dir\":\"/opt/s\"}"
want_effect deny file-otherwise-read '{"kind":"file","op":"read","path":"/opt/s/x"}'

t "the scope: scratch trees are the sandbox's only"
req='{"kind":"file","op":"write","path":"/tmp/x"'
query < <(echo "$req}"; echo "$req,\"scope\":\"sandbox\"}"; echo "$req,\"scope\":\"host\"}")
[ "$(sed -E 's/.*"effect":"([a-z]*)".*/\1/' <<<"$out" | paste -sd' ')" = "deny allow deny" ] ||
	bad "scopes of a request"
query --scope sandbox < <(echo "$req}"; echo "$req,\"scope\":\"host\"}")
[ "$(sed -E 's/.*"effect":"([a-z]*)".*/\1/' <<<"$out" | paste -sd' ')" = "allow deny" ] ||
	bad "--scope"
query < <(echo '{"kind":"argv","argv":["wc"]}'; echo '{"kind":"argv","argv":["wc"],"scope":"sandbox"}')
want_out '^.*"rules":\[\{"id":"command-otherwise"'
want_out '^.*"rules":\[\{"id":"counted"'

t "sockets, tools, settings, system calls, the network"
want_effect allow unix- '{"kind":"unix","path":"/run/x.sock"}' '{"kind":"unix","path":"@pol"}'
want_effect deny unix-otherwise '{"kind":"unix","path":"/run/y.sock"}' '{"kind":"unix","path":"@po"}'
want_effect allow tools- '{"kind":"tool","name":"read_file","args":{"path":1}}'
want_effect deny tools- '{"kind":"tool","name":"shell"}'
want_effect ask tools-otherwise '{"kind":"tool","name":"other"}'
want_effect deny network-mode '{"kind":"net","proto":"tcp","host":"a.example","port":443}'
want_effect deny no-debugging '{"kind":"syscall","name":"ptrace"}'
want_effect allow syscall-otherwise '{"kind":"syscall","name":"getpid"}'
query <<<'{"kind":"syscall","name":"socket","args":[17,3,0]}'
want_out '"effect":"deny".*"errno":"E'
query <<<'{"id":1,"kind":"setting","name":"context.storage"}'
want_out '^\{"id":1,"setting":"context.storage","value":"local"\}$'
query <<<'{"id":1,"kind":"setting","name":"context.other"}'
want_out '^\{"id":1,"setting":"context.other","value":null\}$'

t "polc explain says the same"
while IFS='|' read -r request words; do
	query <<<"$request"
	# shellcheck disable=SC2086
	said=$(eval "$BIN/polc explain --format json --scope host $WORK/p.polb $words" 2>&1)
	# the first of each: those of the parts of a line follow
	effect=$(grep -oE '"effect":"[a-z]*","step"' <<<"$said" | head -n 1 | cut -d'"' -f4)
	rule=$(grep -oE '"by":\{"id":"[^"]*"' <<<"$said" | head -n 1 | cut -d'"' -f6)
	want_out "\"effect\":\"$effect\".*\"rules\":\[\{\"id\":\"$rule\""
done <<-EOF
	{"kind":"command","line":"git push"}|command 'git push'
	{"kind":"command","line":"a 'b"}|command "a 'b"
	{"kind":"argv","argv":["wget","-q","x"]}|argv -- wget -q x
	{"kind":"file","op":"write","path":"$P/a"}|file write $P/a
	{"kind":"file","op":"exec","path":"/usr/bin/env"}|file exec /usr/bin/env
	{"kind":"file","op":"read","path":"$P/link"}|file read $P/link
	{"kind":"unix","path":"/run/x.sock"}|unix /run/x.sock
	{"kind":"tool","name":"shell"}|tool shell
	{"kind":"net","proto":"udp","host":"10.0.0.1","port":53}|net udp 10.0.0.1:53
	{"kind":"syscall","name":"ptrace"}|syscall ptrace
	{"kind":"syscall","name":"socket","args":[38]}|syscall 'socket(AF_ALG)'
EOF

t "a limited network: addresses, names and the loopback of the sandbox"
old=$HEAD
HEAD=${HEAD/network disabled/network limited { allow port 443  allow 10.0.0.0/8  allow tcp \"*.b.example\" port 22 \}}
policy '' net
HEAD=$old
if [ -e "$WORK/net.polb" ]; then
	ask() {
		out=$("$BIN/polquery" -b "$WORK/net.polb" <<<"{\"kind\":\"net\",\"proto\":\"tcp\",$1}")
	}
	explain() {
		out=$("$BIN/polc" explain "$@" 2>&1)
		rc=$?
	}
	ask '"host":"10.1.2.3","port":22,"scope":"sandbox"'
	want_out '"effect":"allow"'
	ask '"host":"11.1.2.3","port":22,"scope":"sandbox"'
	want_out '"effect":"deny"'
	ask '"host":"a.example","port":443,"scope":"sandbox"'
	want_out '"effect":"allow"'
	ask '"host":"a.example","port":22,"scope":"sandbox"'
	want_out '"effect":"deny"'
	ask '"host":"A.B.example.","port":22,"scope":"sandbox"'
	want_out '"effect":"allow"'
	ask '"host":"b.example","port":22,"scope":"sandbox"'
	want_out '"effect":"deny"'
	for own in 127.0.0.9 ::1 localhost web.localhost; do
		ask "\"host\":\"$own\",\"port\":22,\"scope\":\"sandbox\""
		want_out '"effect":"allow"'
		# outside it is the host's, which a rule without a host does not name
		for port in 22 443; do
			ask "\"host\":\"$own\",\"port\":$port"
			want_out '"effect":"deny"'
			explain --scope host "$WORK/net.pol" net tcp "$([[ $own == *:* ]] && echo "[$own]" || echo "$own"):$port"
			want_rc 1
		done
	done
	for guarded in ip6-localhost ip6-loopback localhost.localdomain metadata.google.internal; do
		ask "\"host\":\"$guarded\",\"port\":443"
		want_out '"effect":"deny"'
	done
	ask '"host":"localhost.example","port":443'
	want_out '"effect":"allow"'
	ask '"host":"10.1.2.3","port":22'
	want_out '"effect":"allow"'
	ask '"host":"11.1.2.3","port":22'
	want_out '"effect":"deny"'
	explain "$WORK/net.polb" net tcp a.example:443
	want_rc 0
	explain "$WORK/net.polb" net tcp 11.1.2.3:22
	want_rc 1
	explain "$WORK/net.polb" net tcp a.example:22
	want_rc 1
	explain "$WORK/net.polb" net tcp x.b.example:22
	want_rc 0
	explain --scope host "$WORK/net.polb" net tcp 10.1.2.3:22
	want_rc 0
fi

t "a network that tells scopes apart: the bundle knows the sandbox only"
old=$HEAD
HEAD=${HEAD/network disabled/network limited { allow port 443  allow 10.0.0.0/8 when scope == sandbox \}}
policy '' net
HEAD=$old
if [ -e "$WORK/net.polb" ]; then
	ask '"host":"10.1.2.3","port":22,"scope":"sandbox"'
	want_out '"effect":"allow"'
	ask '"host":"10.1.2.3","port":22'
	want_out "\"error\":\"'scope': "
	explain --scope host "$WORK/net.polb" net tcp 10.1.2.3:22
	want_rc 2
fi

t "what is wrong is told on its line, and the stream goes on"
query < <(printf '%s\n' nonsense '' '{"id":2}' '{"id":3,"kind":"tool","name":"read_x"}' \
	'{"id":4,"kind":"file","op":"read","path":"a/b"}' \
	'{"id":5,"kind":"tool","kind":"tool","name":"x"}'
	printf '{"id":6,"kind":"tool","name":"read_y"}')
want_rc 0
[ "$(wc -l <<<"$out")" -eq 7 ] || bad "not seven lines"
[ "$(grep -c '"error":"' <<<"$out")" -eq 5 ] || bad "not five errors"
want_out '^\{"id":2,"error":"'\''kind'\'': is missing"\}$'
want_out '^\{"id":3,"effect":"allow"'
want_out '^\{"id":4,"error":"'\''path'\'': must be an absolute path'
want_out '^\{"id":5,"error":"'\''kind'\'': is there twice"\}$'
want_out '^\{"id":6,"effect":"allow"'
[ -z "$err" ] || bad "something is on stderr"

t "a line of 20 MiB is refused in bounded memory, the next one answered"
long() {
	printf '{"id":1,"kind":"tool","name":"'
	head -c $((20 << 20)) /dev/zero | tr '\0' x
	printf '"}\n{"id":2,"kind":"tool","name":"read_x"}\n'
}
limit=65536 # KiB; a sanitizer maps more than that for itself
[ "$VARIANT" = dev ] || [ "$VARIANT" = rel ] || limit=unlimited
out=$(long | (
	ulimit -v "$limit"
	"$BIN/polquery" -b "$WORK/p.polb"
))
want_out '^\{"id":null,"error":"the line has more than 16777216 bytes"\}$'
want_out '^\{"id":2,"effect":"allow"'

t "each answer is there before the next question"
coproc PEER { "$BIN/polquery" -b "$WORK/p.polb"; }
pid=$PEER_PID
for i in 1 2 3; do
	echo "{\"id\":$i,\"kind\":\"tool\",\"name\":\"read_x\"}" >&"${PEER[1]}"
	out=''
	read -r -t 20 out <&"${PEER[0]}"
	want_out "^\{\"id\":$i,\"effect\":\"allow\""
done
eval "exec ${PEER[1]}>&-"
wait "$pid"
rc=$?
want_rc 0

t "exit status: 2 usage and files, 4 trust"
for args in "" "-b" "-b $WORK/none.polb" "--bundel x" "-b $WORK/p.polb hook other"; do
	# shellcheck disable=SC2086
	err=$("$BIN/polquery" $args 2>&1 >/dev/null </dev/null)
	rc=$?
	want_rc 2
	[ "$(grep -c '^polquery: ' <<<"$err")" -eq 1 ] || bad "'$args' has not one line"
done
err=$("$BIN/polquery" -b "$WORK/p.polb" 2>&1 >/dev/null <"$WORK")
rc=$?
want_rc 2
want_err '^polquery: reading requests: '
err=$("$BIN/polquery" -b "$WORK/p.polb" 2>&1 >/dev/full <<<x)
rc=$?
want_rc 2
want_err '^polquery: writing answers: '
query --require-signed </dev/null
want_rc 4
want_err 'not signed'
cp "$WORK/p.polb" "$WORK/bad.polb"
printf x >>"$WORK/bad.polb"
err=$("$BIN/polquery" -b "$WORK/bad.polb" 2>&1 </dev/null)
rc=$?
want_rc 4
chmod 0666 "$WORK/p.polb"
query </dev/null
want_rc 4
chmod 0600 "$WORK/p.polb"
query </dev/null
want_rc 0
"$BIN/polquery" --help | grep -q '^usage: polquery' || bad "--help"
"$BIN/polquery" --version | grep -q '^polquery [0-9]' || bad "--version"
done_
