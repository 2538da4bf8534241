#!/usr/bin/env bash
# Signed bundles: real keys, ssh-keygen's own opinion of each, what polc verify
# and polrun refuse and why, each with its positive control.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
command -v ssh-keygen >/dev/null || {
	skip sign 'no ssh-keygen'
	done_
}
umask 022
policy ''
# a bundle may not lie where the run could write
mkdir .pol && cd .pol || exit 1
plain=$WORK/p.polb

# NAME [OPTIONS]: a key, and a list that allows it to sign bundles
key() {
	ssh-keygen -q -N '' -C "$1@corp" -f "$1" "${@:2}" || bad "no key $1"
	printf '%s@corp namespaces="polc-bundle" %s\n' "$1" "$(cat "$1.pub")" >"$1.list"
}
sign() { # KEY FROM TO
	"$BIN/polc" sign --key "$1" -o "$3" "$2" >.out 2>.err </dev/null
	rc=$?
	out=$(cat .out) err=$(cat .err)
}
verify() { # ARGS…
	"$BIN/polc" verify "$@" >.out 2>.err </dev/null
	rc=$?
	out=$(cat .out) err=$(cat .err)
}
# What it prints goes elsewhere: a run that lasts is ended if it has a file open for writing that it may not write.
go() { # POLRUN'S OPTIONS…
	"$BIN/polrun" "$@" sh -c 'echo ran' >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$?
	out=$(cat "$WORK/.out") err=$(cat "$WORK/.err")
}
# FILE LIST WORDS [POLC'S OPTIONS]: 4 and 125, each with the words
refuse() {
	verify --allowed-signers "$2" "${@:4}" "$1"
	want_rc 4
	want_err "^polc: .*$3"
	[ $# -eq 3 ] || return 0
	go -b "$1" --allowed-signers "$2"
	want_rc 125
	want_line "${runs:-$3}"
	no_out ran
}
accept() { # FILE LIST
	verify --allowed-signers "$2" "$1"
	want_rc 0
	want_out '^signed by '
	go -b "$1" --allowed-signers "$2" --require-signed
	want_rc 0
	want_out '^ran$'
}
# FILE LIST WHO: what `ssh-keygen -Y verify` says of each signature in it
keygen() {
	local d=x s n=0
	rm -rf $d
	mkdir $d
	tar xf "$1" -C $d || bad "tar cannot unpack $1"
	for s in $d/signatures/*.sshsig; do
		[ -e "$s" ] || continue
		ssh-keygen -Y verify -f "$2" -I "$3" -n polc-bundle -s "$s" \
			<$d/manifest.json >/dev/null 2>&1 && n=$((n + 1))
	done
	[ "$n" -ge 1 ]
}

key alice -t ed25519
key bob -t ed25519

t "a key in a file; polc, polrun and ssh-keygen agree"
sign alice "$plain" a.polb
want_rc 0
accept a.polb alice.list
keygen a.polb alice.list alice@corp || bad "ssh-keygen refuses it"
tar tf a.polb | sed -n 3p | grep -q '^signatures/.*\.sshsig$' || bad "no signature in third place"
refuse a.polb bob.list 'no line of it has the key'
keygen a.polb bob.list bob@corp && bad "ssh-keygen accepts it for bob"

t "the same key signs again: the same bytes; two keys in either order too"
sign alice a.polb a2.polb
cmp a.polb a2.polb || bad "other bytes"
sign bob a.polb ab.polb
sign bob "$plain" b.polb
sign alice b.polb ba.polb
cmp ab.polb ba.polb || bad "the order of signing shows"
accept ab.polb alice.list
accept ab.polb bob.list
keygen ab.polb bob.list bob@corp || bad "ssh-keygen refuses bob"

t "in place, and an unsigned one is unsigned"
cp "$plain" place.polb
"$BIN/polc" sign --key alice place.polb || bad "not signed"
cmp place.polb a.polb || bad "other bytes in place"
refuse "$plain" alice.list 'it is not signed'
go -b "$plain"
want_rc 0
go -b "$plain" --require-signed
want_rc 125
want_line 'it is not signed'

t "the plan and the report say under whose signature"
"$BIN/polrun" -b a.polb --allowed-signers alice.list --plan true >.out 2>.err
out=$(cat .out) err=$(cat .err)
want_out '^bundle    signed by alice@corp \(SHA256:[^)]*\), as alice.list:1 allows$'
go -b a.polb --allowed-signers alice.list --report "$WORK/r.json"
want_rc 0
out=$(cat "$WORK/r.json")
want_out '"bundle: signed by alice@corp \(SHA256:[^)]*\), as alice.list:1 allows"'
go -b "$plain" --report "$WORK/r.json"
out=$(cat "$WORK/r.json")
want_out '"bundle: not signed, and nobody asked for it"'

t "who: the principal that was asked for"
verify --allowed-signers alice.list -I alice@corp a.polb
want_rc 0
refuse a.polb alice.list "sign as 'bob@corp'" -I bob@corp

t "a key in an agent, by its public half"
if command -v ssh-agent >/dev/null; then
	eval "$(ssh-agent -s)" >/dev/null
	ssh-add -q alice
	mv alice alice.away
	sign alice.pub "$plain" agent.polb
	want_rc 0
	cmp agent.polb a.polb || bad "other bytes than with the file"
	ssh-add -q -D
	sign alice.pub "$plain" agent2.polb
	want_rc 4
	want_err 'P0510'
	no_file agent2.polb
	mv alice.away alice
	kill "$SSH_AGENT_PID"
	unset SSH_AGENT_PID SSH_AUTH_SOCK
else
	bad "no ssh-agent"
fi

t "a key with a passphrase: asked for on the terminal"
ssh-keygen -q -t ed25519 -N secret -C locked@corp -f locked
printf 'locked@corp %s\n' "$(cat locked.pub)" >locked.list
ask="TMPDIR='$WORK/out' '$BIN/polc' sign --key locked -o locked.polb '$plain'"
# the prompt has to be there before the answer is
(sleep 1; echo secret; sleep 1) | timeout 20 script -qec "$ask" /dev/null >.out 2>&1
out=$(cat .out)
want_out 'passphrase'
accept locked.polb locked.list
rm -f locked.polb
(sleep 1; echo wrong; sleep 1) | timeout 20 script -qec "$ask" /dev/null >.out 2>&1
no_file locked.polb
left=$(ls "$WORK/out"; compgen -G "$HOME/.local/state/pol/sign.*")
[ -z "$left" ] || bad "left behind: $left"

t "other key types are refused by their names, and nothing is written"
for type in rsa ecdsa; do
	rm -f "$type.key" "$type.key.pub" other.polb
	ssh-keygen -q -N '' -t "$type" -f "$type.key"
	sign "$type.key" "$plain" other.polb
	want_rc 4
	case $type in rsa) want_err "'ssh-rsa' is not supported" ;; *) want_err "'ecdsa-sha2-nistp256' is not" ;; esac
	no_file other.polb
done

t "no such key, a key that is none, and a bundle that is none"
sign nokey "$plain" x.polb
want_rc 4
want_err 'No such file'
sign "$plain" "$plain" x.polb
want_rc 4
sign alice "$WORK/p.pol" x.polb
want_rc 2
no_file x.polb
verify nothing.polb
want_rc 2

t "another namespace, a signature over something else, and a bad one among good ones"
mkdir forged
rows=$(python3 "$(dirname "$0")/../lib/forge.py" a.polb alice forged) || bad "forge.py fails"
[ "$(wc -l <<<"$rows")" -gt 20 ] || bad "only $rows"
rm -rf y
mkdir y
tar xf a.polb -C y
ssh-keygen -q -Y sign -f alice -n file <y/manifest.json >y/file.sshsig
python3 - "$(dirname "$0")/../lib" a.polb ab.polb y/file.sshsig <<'EOS'
import sys
sys.path.insert(0, sys.argv[1])
import forge
one, two = (forge.unpack(open(f, "rb").read()) for f in sys.argv[2:4])
one[2][2] = open(sys.argv[4], "rb").read()
open("namespace.polb", "wb").write(forge.pack(one))
for i in (2, 3):
    bad = [list(m) for m in two]
    bad[i][2] = two[5 - i][2]
    open(f"bad{i}.polb", "wb").write(forge.pack(bad))
EOS
refuse namespace.polb alice.list "its namespace is 'file'"
refuse bad2.polb alice.list 'is not called by its key'
refuse bad3.polb bob.list 'is not called by its key'

t "each thing that can be wrong with a signed bundle: 4, 125, its own message"
accept forged/control.polb alice.list
while IFS=$'\t' read -r name words runs; do # runs: what polrun says of it
	[ "$name" != other-digest ] || continue
	[ "$name" = control ] || refuse "forged/$name.polb" alice.list "$words"
	go -b "forged/$name.polb"
	want_rc 125
done <<<"$rows"

t "a signer's wrong digest of a whole member: polc compares it, a run goes by the blocks"
verify --allowed-signers alice.list forged/other-digest.polb
want_rc 4
want_err "'rules.bin' is damaged: its digest is not the manifest's"
go --allowed-signers alice.list -b forged/other-digest.polb
want_rc 0
go --allowed-signers alice.list -b forged/other-block.polb
want_rc 125

t "validity of the key: valid-after, valid-before"
pub=$(cat alice.pub)
echo "a valid-after=\"20900101Z\" $pub" >after
refuse a.polb after 'not valid yet \(valid-after\)'
echo "a valid-before=\"20010101Z\" $pub" >before
refuse a.polb before 'expired \(valid-before\)'
echo "a valid-after=\"20010101Z\",valid-before=\"20900101Z\" $pub" >now
accept a.polb now

t "validity of the bundle: expired, not yet, from the future"
for what in '--expires 2020-01-01:has expired' '--not-before 2090-01-01:not valid yet' \
	"--created $(($(date +%s) + 200000)):in the future"; do
	# shellcheck disable=SC2086
	"$BIN/polc" compile "$WORK/p.pol" -o t.polb --sign alice ${what%%:*} 2>.err || bad "$(cat .err)"
	refuse t.polb alice.list "${what#*:}"
done
"$BIN/polc" compile "$WORK/p.pol" -o t.polb --sign alice --expires 2090-01-01 --not-before 2020-01-01 \
	--created "$(date +%s)" 2>.err || bad "$(cat .err)"
accept t.polb alice.list

t "compile --sign asks for a signature; taken away it is missed"
tar xOf t.polb manifest.json | grep -q '"keys": {"threshold": 1}' || bad "no threshold"
python3 - t.polb stripped.polb <<'EOS'
import sys
b = open(sys.argv[1], "rb").read()
def end(at):
    return at + 512 + (int(b[at + 124:at + 135], 8) + 511) // 512 * 512
sig = end(end(0))
assert b[sig:].startswith(b"signatures/")
open(sys.argv[2], "wb").write(b[:sig] + b[end(sig):])
EOS
go -b stripped.polb
want_rc 125
want_line 'asks for a signature, and it has none'
"$BIN/polc" compile "$WORK/p.pol" -o c1.polb --sign alice --created 1700000000 2>/dev/null
"$BIN/polc" compile "$WORK/p.pol" -o c2.polb --sign alice --created 1700000000 2>/dev/null
cmp c1.polb c2.polb || bad "two compilations differ"

t "--previous names the manifest before"
printf '%s\n' "$HEAD" >serial.pol
"$BIN/polc" compile serial.pol --serial 1 -o one.polb 2>/dev/null || bad "no one.polb"
"$BIN/polc" compile serial.pol --serial 2 --previous one.polb -o two.polb 2>/dev/null || bad "no two.polb"
want=$(tar xOf one.polb manifest.json | sha256sum | cut -d' ' -f1)
tar xOf two.polb manifest.json | grep -q "\"previous\": \"$want\"" || bad "another digest"
go -b two.polb
want_rc 0
"$BIN/polc" compile serial.pol --serial 1 --previous two.polb -o three.polb 2>.err
rc=$? err=$(cat .err)
want_rc 2
want_err 'lower serial'

t "--against: what a bundle permits beyond the one before, signed with the rest of the manifest"
printf '%s\ntools { ask "b" }\nlimits { processes 50 }\n' "$HEAD" >old.pol
printf '%s\ntools { allow "a", "b" }\nlimits { processes 40 }\n' "$HEAD" >new.pol
"$BIN/polc" compile old.pol --serial 1 -o old.polb 2>.err || bad "$(cat .err)"
"$BIN/polc" compile new.pol --serial 2 --against old.polb --sign alice --created 1700000000 \
	-o new.polb 2>.err || bad "$(cat .err)"
against=$(tar xOf old.polb manifest.json | b2sum -l 256 | cut -d' ' -f1)
line="changes against serial 1 \(manifest $against\): 2 newly allowed, 0 newly asked, 0 newly denied, 1 other; 2 widening, 0 undecided\$"
accept new.polb alice.list
keygen new.polb alice.list alice@corp || bad "ssh-keygen refuses it"
go -v -b new.polb --allowed-signers alice.list --require-signed
want_rc 0
want_out '^ran$'
want_err "^polrun: $line"
want_err '^polrun:   tool: 2 newly allowed; 2 widening$'
want_err '^polrun:   newly allowed: tool b$'
want_err '^polrun:     old  ask by tools-[0-9a-f]{8} \(.*, old.pol:[0-9]+:[0-9]+\): ask "b"$'
want_err '^polrun:     new  allow by tools-[0-9a-f]{8} \(.*, new.pol:[0-9]+:[0-9]+\): allow "a", "b"$'
case $err in *'not signed'*) bad "a signed one is called unsigned" ;; esac
go -b new.polb --allowed-signers alice.list --require-signed
want_rc 0
case $err in *changes*) bad "said without -v: $err" ;; esac
verify --allowed-signers alice.list new.polb
want_out "^$line"
out=$("$BIN/polc" inspect new.polb)
want_out "^$line"
out=$("$BIN/polrun" --plan -b new.polb --allowed-signers alice.list true 2>&1)
want_out "^$line"

t "--against: an unsigned statement is called one; a changed one is refused"
"$BIN/polc" compile new.pol --serial 2 --against old.polb -o bare.polb 2>.err || bad "$(cat .err)"
go -v -b bare.polb
want_rc 0
want_err '^polrun: .*not signed: anybody may have written its change statement'
want_err "^polrun: $line"
python3 - "$(dirname "$0")/../lib" new.polb <<'EOS'
import re, sys
sys.path.insert(0, sys.argv[1])
import forge
members = forge.unpack(open(sys.argv[2], "rb").read())
text = members[0][2].decode()
calm = re.sub(r'"kinds": .*"doubts": \[\]', '"kinds": [],\n    "undecided": 0,\n    "may_widen": 0,\n'
              '    "findings": [],\n    "doubts": []', text, flags=re.S)
for name, new in ("calm", calm), ("fewer", text.replace('"widening": 2', '"widening": 1')):
    assert new != text
    members[0][2] = new.encode()
    members[1][2] = forge.b2(new.encode()).encode() + b"  manifest.json\n"
    open(name + ".polb", "wb").write(forge.pack(members))
    open(name + "-bare.polb", "wb").write(forge.pack(members[:2] + members[3:]))
EOS
refuse calm.polb alice.list 'it is not that of its key over this manifest'
go -b fewer-bare.polb
want_rc 125
want_line 'malformed change statement: the list of what widens does not agree'

t "--against and --reproduce: the statement is made again, or said not to be"
again() { # BUNDLE OPTIONS…
	out=$("$BIN/polc" compile --reproduce "$@" 2>.err </dev/null)
	rc=$?
	err=$(cat .err)
}
again new.polb --against old.polb
want_rc 0
want_out '^reproduced: manifest '
again new.polb
want_rc 5
want_out '^reproduced but for its change statement: manifest '
want_err "serial 1 \(manifest $against\) to --against"
again two.polb
want_rc 0
again two.polb --against one.polb
want_rc 2
want_err 'has no change statement'
again new.polb --against one.polb
want_rc 2
want_err 'is not the bundle that this one follows'
"$BIN/polc" sign --key alice -o calm-signed.polb calm-bare.polb || bad "the forger cannot sign"
again calm-signed.polb --against old.polb
want_rc 1
want_err "'manifest.json' differs"

t "--against: what it cannot be compared with is refused, and nothing is written"
against() { # BUNDLE WORDS [OPTIONS]
	"$BIN/polc" compile new.pol --serial 2 --against "$1" -o none.polb "${@:3}" 2>.err </dev/null
	rc=$? err=$(cat .err)
	want_rc 2
	want_err "$2"
	[ ! -e none.polb ] || bad "a bundle was written"
}
sed 's/^policy [a-z]*/policy other/' old.pol >other.pol
"$BIN/polc" compile other.pol --serial 1 -o other.polb 2>.err || bad "$(cat .err)"
against other.polb 'of its own name with a lower serial'
against new.polb 'of its own name with a lower serial'
against old.pol 'old.pol'
against absent.polb 'cannot be opened'
against old.polb 'is not the bundle that this one follows' --previous one.polb
head -c 5000 old.polb >cut.polb
against cut.polb 'cut.polb'

t "the user's list"
go -b a.polb
want_rc 125
want_line 'there is no list of signers'
mkdir -p "$HOME/.config/pol"
cp alice.list "$HOME/.config/pol/allowed_signers"
go -b a.polb --require-signed
want_rc 0
cp bob.list "$HOME/.config/pol/allowed_signers"
go -b a.polb
want_rc 125
want_line 'no line of it has the key'
: >"$HOME/.config/pol/allowed_signers"
go -b a.polb
want_rc 125
want_line 'it is empty: it allows nobody'
chmod 0 "$HOME/.config/pol/allowed_signers"
if ! is_root; then
	go -b a.polb
	want_rc 125
	want_line 'cannot be read: Permission denied'
fi
rm -rf "$HOME/.config"

t "the system's list, for a managed bundle"
# In a mount namespace of its own, so that this machine's /etc is not touched.
printf 'policy m { level managed base none }\n%s\n' "${HEAD#*$'\n'}" >m.pol
"$BIN/polc" compile m.pol -o m.polb 2>.err || bad "$(cat .err)"
sign alice m.polb ma.polb
go -b m.polb
want_rc 0
if is_root && unshare -m true 2>/dev/null; then
	mkdir -p "$WORK/etc/up"
	as_managed() { # LIST: what polrun says with it as the system's
		unshare -m sh -c '
			mount -t tmpfs none "$1/etc/up" && mkdir "$1/etc/up/u" "$1/etc/up/w" &&
			mount -t overlay none -o "lowerdir=/etc,upperdir=$1/etc/up/u,workdir=$1/etc/up/w" /etc &&
			mkdir -p /etc/pol && cp "$2" /etc/pol/allowed_signers || exit 99
			shift 2; exec "$@"' sh "$WORK" "$1" "$BIN/polrun" "${@:2}" sh -c 'echo ran' \
			>"$WORK/.out" 2>"$WORK/.err" </dev/null
		rc=$?
		out=$(cat "$WORK/.out") err=$(cat "$WORK/.err")
	}
	as_managed alice.list -b ma.polb
	if [ "$rc" -eq 99 ]; then
		printf '     no overlay here: the unit test has this\n'
	else
		want_rc 0
		want_out '^ran$'
		as_managed alice.list -b m.polb
		want_rc 125
		want_line "level 'managed' and is not signed"
		as_managed bob.list -b ma.polb --allowed-signers alice.list
		want_rc 125
		want_line "'/etc/pol/allowed_signers' allows none of its keys"
		as_managed bob.list -b a.polb --allowed-signers alice.list
		want_rc 0
	fi
fi

sk=${POL_SK_DUMMY:-/usr/lib/openssh/regress/misc/sk-dummy/sk-dummy.so}
if [ -r "$sk" ]; then
	t "a hardware key (the test provider of OpenSSH)"
	export SSH_SK_PROVIDER=$sk
	key token -t ed25519-sk
	sign token "$plain" token.polb
	want_rc 0
	accept token.polb token.list
	keygen token.polb token.list token@corp || bad "ssh-keygen refuses it"
	refuse token.polb alice.list 'no line of it has the key'
	unset SSH_SK_PROVIDER
else
	skip sk-dummy "no sk-dummy.so (openssh-tests has it)"
fi

done_
