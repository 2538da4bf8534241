#!/usr/bin/env bash
# Who loads the rules of a limited network: the bundle's messages, polnft where
# the kernel refuses them, and where that fails too nobody, and nothing runs.
# Who makes these messages: polnft-record, without which there are none.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
command -v python3 >/dev/null || { skip python3 "not installed"; done_; exit; }
lib=$(cd "$(dirname "$0")/../lib" && pwd)
LIMITED="${HEAD/network disabled/network limited}file { allow read, exec \"$PROBES\" }
"

spoil() { # BUNDLE NAME MEMBER first|last|all OLD NEW …
	local good=$1 to=$2
	shift 2
	python3 "$lib/respoil.py" "$WORK/$good.polb" "$WORK/$to.polb" "$@" || bad "$to: not spoilt"
}
# A rejection of a kind that the kernel does not have: the reader of bundles looks at the names
# of expressions, and leaves their values to the kernel.
REJECTS='reject\0\0\x14\x00\x02\x80\x08\x00\x01\x00\x00\x00\x00\x02'
NEVER='reject\0\0\x14\x00\x02\x80\x08\x00\x01\x00\x00\x00\x00\x09'
# Two rows of the policies below, and a mark that the command ran.
probe="touch ran; $PROBES/net_probe tcp 127.0.0.1 8005; $PROBES/net_probe tcp 127.0.0.1 8004"
rows() {
	want_rc 0
	want_out '8005 deny ECONNREFUSED$'
	want_out '8004 allow$'
}
load() { # BUNDLE
	rm -f ran
	run_with "$1" --report "$WORK/r.json" sh -c "$probe"
}
refused() { # WORDS
	want_rc 125
	want_line "refused: .*$1"
	no_file ran
	no_out .
}

raw_policy "$LIMITED network {
	allow tcp 127.0.0.0/8 port 8000-8010 as lo
	deny tcp 127.0.0.0/8 port 8005 as hole
}"

t "the control: the bundle's messages load the rules"
load p
rows
want_file ran
no_err polnft
! grep -q polnft "$WORK/r.json" || bad "$(grep polnft "$WORK/r.json")"

t "where the kernel refuses them polnft does, and that is said"
spoil p one nft.batch last "$REJECTS" "$NEVER"
load one
rows
want_line 'nft: nf_tables refuses NEWRULE: Invalid argument.*: polnft loads the rules'
grep -q 'polnft loaded its rules' "$WORK/r.json" || bad "the report says nothing of polnft"

t "the same where an earlier transaction has been taken"
{
	printf '%s\nnetwork {\n' "$LIMITED"
	awk 'BEGIN { for (i = 0; i < 40; i++) {
		printf "\tallow tcp "
		for (k = 0; k < 100; k++) printf "%s127.%d.%d.0/25", k ? ", " : "", i + 1, k * 2
		printf " port 4430 as b%d\n", i } }'
	printf '\tallow tcp 127.0.0.1 port 8000-8004 as lo\n\tdeny tcp 127.0.0.1 port 8005\n'
	printf '\tdeny tcp 127.1.0.129, 127.40.198.129 port 4430\n}\n'
} >"$WORK/many.pol"
(cd "$WORK" && "$BIN/polc" compile many.pol -o many.polb >/dev/null 2>"$WORK/.err") ||
	bad "polc: $(head -n 3 "$WORK/.err")"
chmod 0600 "$WORK/many.polb"
spoil many late nft.batch last "$REJECTS" "$NEVER"
many='for a in 127.1.0.1 127.1.0.129 127.40.198.1 127.40.198.129; do '"$PROBES"'/net_probe tcp $a 4430; done'
for b in many late; do
	run_with "$b" sh -c "$probe; $many; true"
	rows
	[ "$(grep -cE '\.1 4430 allow$' <<<"$out")" -eq 2 ] || bad "$b: not both allowed"
	[ "$(grep -cE '\.129 4430 deny ECONNREFUSED$' <<<"$out")" -eq 2 ] || bad "$b: not both denied"
done
want_line 'nft: nf_tables refuses NEWRULE: .*: polnft loads the rules'

t "where polnft fails too nothing runs"
spoil p both nft.batch last "$REJECTS" "$NEVER" nft.json all '"accept":null' '"axcept":null'
load both
refused "nft: polnft: .*'axcept'"
want_err 'would not hold'
# the control: the documents alone are not looked at where the messages load
spoil p json nft.json all '"accept":null' '"axcept":null'
load json
rows

t "where polnft is missing nothing runs"
mkdir -p "$WORK/alone" && cp "$BIN/polrun" "$BIN/polinit" "$WORK/alone/"
for b in p one; do
	rm -f ran
	out=$("$WORK/alone/polrun" -b "$WORK/$b.polb" sh -c "$probe" 2>"$WORK/.err")
	rc=$?
	err=$(cat "$WORK/.err")
	[ "$b" = p ] || break
	rows
done
want_err 'polnft is neither in'
refused 'nft: '

if [ -x "$PROBES/outer" ]; then
	t "a kernel without nf_tables: the refusal names it, and the doctor"
	rm -f ran
	out=$("$PROBES/outer" no-nft "$BIN/polrun" -b "$WORK/p.polb" sh -c "$probe" 2>"$WORK/.err")
	rc=$?
	err=$(cat "$WORK/.err")
	refused 'no nf_tables \(EPROTONOSUPPORT\), by which network limited'
	want_err 'would not hold'
	out=$("$PROBES/outer" no-nft "$BIN/polrun" --doctor)
	rc=$?
	want_rc 0
	want_out '^nf_tables +no \(EPROTONOSUPPORT\) +network limited is refused$'
	out=$("$BIN/polrun" --doctor)
	want_out '^nf_tables +yes$'
	# the control: there, without such a network
	policy '' off
	out=$("$PROBES/outer" no-nft "$BIN/polrun" -b "$WORK/off.polb" sh -c 'echo in' 2>/dev/null)
	rc=$?
	want_rc 0
	want_out '^in$'
else
	skip outer "not built"
fi

t "a host without /etc/protocols: polc reads what the kernel lists"
if out=$(cd "$WORK" && unshare -Urm sh -c '[ ! -e /etc/protocols ] || mount --bind /dev/null /etc/protocols || exit 99
	exec "$@"' - "$BIN/polc" compile p.pol -o bare.polb 2>&1); then
	cmp -s "$WORK/p.polb" "$WORK/bare.polb" || bad "another bundle"
elif [ $? -eq 99 ]; then
	skip protocols "nothing can be mounted over it"
else
	bad "$out"
fi

t "without polnft-record polc makes no bundle of a limited network"
mkdir -p "$WORK/lone/bin" && cp "$BIN/polc" "$WORK/lone/bin/" && ln -s "$BIN/../share" "$WORK/lone/share"
policy '' off
lone() { # ARGS…: by a polc with what is beside it; $1 is what to expect as its status
	local want=$1
	shift
	rm -f "$WORK/lone.polb"
	out=$(cd "$WORK" && "$WORK/lone/bin/polc" compile "$@" -o lone.polb 2>&1)
	rc=$? err=''
	want_rc "$want"
	if [ "$want" -eq 0 ]; then want_file "$WORK/lone.polb"; else no_file "$WORK/lone.polb"; fi
}
lone 0 off.pol
PATH=$BIN:$PATH lone 1 p.pol
want_out 'error: the network rules cannot be tried here: polnft-record is neither in .*\[P0442\]'
want_out 'no-nft-batch'
lone 0 --no-nft-batch p.pol

t "what another program says in its place is not believed"
lone_with() { # PROGRAM WORDS
	cp "$1" "$WORK/lone/bin/polnft-record"
	lone 1 p.pol
	want_out "error: .*$2.*\[P0442\]"
}
lone_with "$(type -P cat)" 'polnft-record gave no answer that polc understands'
lone_with "$(type -P true)" 'polnft-record gave no answer that polc understands'
lone_with "$(type -P false)" 'polnft-record ended with status 1'
lone_with /etc/passwd 'executing polnft-record: Exec format error'
rm "$WORK/lone/bin/polnft-record"
cp "$BIN/polnft-record" "$WORK/lone/bin/"
chmod o+w "$WORK/lone/bin/polnft-record"
lone 1 p.pol
want_out 'not a file that only its owner can write'
# the control: the program itself
chmod o-w "$WORK/lone/bin/polnft-record"
lone 0 p.pol
cmp -s "$WORK/p.polb" "$WORK/lone.polb" || bad "another bundle"

done_
