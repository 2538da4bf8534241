#!/usr/bin/env bash
# nf_tables as modules of the kernel: loaded for whoever asks, and missing;
# and a smaller socket buffer than usual.  For a machine of its own.
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../../lib/live.sh"
raw_policy "${HEAD/network disabled/network limited}file { allow read, exec \"$PROBES\" }
network { allow tcp 127.0.0.0/8 port 8000 as lo deny tcp 127.0.0.0/8 port 8001 as hole }"
rows="touch ran; $PROBES/net_probe tcp 127.0.0.1 8000; $PROBES/net_probe tcp 127.0.0.1 8001"
load() {
	rm -f ran
	run sh -c "$rows"
}
loaded() {
	want_out '8000 allow$'
	want_out '8001 deny ECONNREFUSED$'
	want_file ran
	no_err polnft
}

t "the control: rules are loaded"
load
loaded

t "messages that were captured on another kernel are taken by this one"
cp "$(dirname "$0")/captured.polb" "$WORK/captured.polb"
chmod 0600 "$WORK/captured.polb"
rm -f ran
cp "$PROBES/net_probe" .
run_with captured sh -c 'touch ran; ./net_probe tcp 127.0.0.1 8000; ./net_probe tcp 127.0.0.1 8005'
want_out '8000 allow$'
want_out '8005 deny ECONNREFUSED$'
want_file ran
no_err polnft

if ! is_root; then
	done_
	exit
fi

t "a socket buffer that is smaller than a transaction is raised"
{
	printf '%s\nnetwork {\n' "${HEAD/network disabled/network limited}file { allow read, exec \"$PROBES\" }"
	awk 'BEGIN { for (i = 0; i < 20; i++) {
		printf "\tallow tcp "
		for (k = 0; k < 100; k++) printf "%s11.%d.%d.0/25", k ? ", " : "", i, k * 2
		printf " port 443 as b%d\n", i } }'
	printf '\tallow tcp 127.0.0.0/8 port 8000 as lo\n\tdeny tcp 127.0.0.0/8 port 8001 as hole\n}\n'
} >"$WORK/many.pol"
default=$(cat /proc/sys/net/core/wmem_default)
echo 32768 >/proc/sys/net/core/wmem_default
(cd "$WORK" && "$BIN/polc" compile many.pol -o many.polb >/dev/null 2>"$WORK/.err") ||
	bad "polc: $(grep error "$WORK/.err")"
chmod 0600 "$WORK/many.polb"
rm -f ran
run_with many sh -c "$rows"
loaded
echo "$default" >/proc/sys/net/core/wmem_default

# What the rules need, in the order in which polrun asks for it.  No other test uses them.
modules=(nft_chain_nat nft_ct nft_reject_inet nft_redir nfnetlink_log nft_log)
unload() {
	local name
	for _ in {1..40}; do
		for name in $(lsmod | awk '$3 == 0 && $1 ~ /^(nft?_|nfnetlink)/ { print $1 }'); do rmmod "$name" 2>/dev/null; done
		lsmod | grep -qE '^nf_tables ' || return 0
		sleep 0.1 # namespaces that have ended are cleared up behind
	done
	bad "nf_tables is in use: $(lsmod | grep nf_)"
}

other="setpriv --reuid poltest --regid poltest --clear-groups"
mkdir -p "$WORK/theirs/p"
cp "$PROBES/net_probe" "$WORK/theirs/"
chown -R poltest "$WORK/theirs"
chmod 0755 "$WORK"
chmod 0644 "$WORK/p.polb" # root's bundle, for the ordinary user
load_theirs() { # the same, by an ordinary user
	rm -f "$WORK/theirs/p/ran"
	out=$(cd "$WORK/theirs/p" && HOME=$WORK/theirs $other "$BIN/polrun" -b "$WORK/p.polb" sh -c "$rows" 2>"$WORK/.err")
	rc=$?
	err=$(cat "$WORK/.err")
}
theirs_loaded() {
	want_out '8000 allow$'
	want_out '8001 deny ECONNREFUSED$'
	want_file "$WORK/theirs/p/ran"
	no_err polnft
}

t "every module that the rules need is loaded for an ordinary user's run"
unload
load_theirs
theirs_loaded
for m in nf_tables "${modules[@]}"; do
	lsmod | grep -q "^$m " || bad "$m was not loaded, so it is not needed or part of the kernel"
done

for m in "${modules[@]}"; do
	t "without $m the run is refused, and the module is named"
	unload
	echo "install $m /bin/false" >/etc/modprobe.d/pol-test.conf
	load
	want_rc 125
	want_line "refused: no $m \(E[A-Z]+\), by which network limited .*modprobe ${m}[ ,]"
	no_file ran
	load_theirs
	want_rc 125
	want_line "refused: no $m \(E[A-Z]+\), by which network limited"
	no_file "$WORK/theirs/p/ran"
	out=$($other "$BIN/polrun" --doctor)
	rc=$?
	want_rc 0
	want_out "^nf_tables +no \(E[A-Z]+\) +$m is missing: network limited is refused$"
	rm -f /etc/modprobe.d/pol-test.conf
	load_theirs
	theirs_loaded
done

t "without nf_tables the run is refused, and the doctor says why"
loader=$(cat /proc/sys/kernel/modprobe)
unload
echo /bin/false >/proc/sys/kernel/modprobe
load
want_rc 125
want_line 'refused: no nf_tables \(E[A-Z]+\), by which network limited'
no_file ran
out=$("$BIN/polrun" --doctor)
rc=$?
want_rc 0
want_out '^nf_tables +no \(E[A-Z]+\) +network limited is refused$'
policy '' off
run_with off sh -c 'echo in'
want_out '^in$'
echo "$loader" >/proc/sys/kernel/modprobe

t "the kernel loads its modules again"
load
loaded
out=$("$BIN/polrun" --doctor)
want_out '^nf_tables +yes$'

done_
