#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# lab: web
# timing: waits for connections that a loaded machine makes late
# Random policies of four levels about names, blocks and ports: which names exist in a run, which ports
# the kernel refuses, and which connections polgate makes is what the evaluator says
# (tests/conformance/gate_oracle.c).  Other policies every day; `make conformance` goes on.
#   SEED=N RUNS=N tests/run/live.sh conform_net
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"
seed=${SEED:-$(($(date +%s) / 86400))}
runs=${RUNS:-12}
printf 'SEED=%s RUNS=%s\n' "$seed" "$runs"

# The names of the policies and what is below and beside them; most have one address, some two.
NAMES=(b.a.example x.b.a.example c.example example xa.example xn--bcher-kva.example x.xn--bcher-kva.example
	x.org org y.x.org other.net deep.er.a.example)
PUBLIC=(198.51.100.10 198.51.100.11 198.51.100.20 2001:db8:10::11 2001:db8:20::20)
GUARDED=(10.1.2.3 172.16.0.5 169.254.169.254 198.18.0.77 fd12::5 64:ff9b::a01:203 64:ff9b::c633:640b)
ECHO=(7 8 9000 9010) # ports at which every address of the lab answers
BLOCKS=("${PUBLIC[@]}" 10.1.2.3 172.16.0.5 169.254.169.254 fd12::5)

# What `run` does, but for the policy of these four files.
OPTIONS=(--managed m.pol --managed-file f.pol --project p.pol --user u.pol)
draw() { # SEED: the policy and its rows; 1: it is none that says something here
	local name n at
	RANDOM=$1
	"$BIN/gate_oracle" policy "$1" "$WORK" || bad "no policy"
	{ printf '%s\n' "${NET_HEAD/network limited/}"; cat "$WORK/p.pol"; } >"$WORK/.p" && mv "$WORK/.p" "$WORK/p.pol"
	rm -f "$WORK/p.polb"
	(cd "$WORK" && "$BIN/polc" compile "${OPTIONS[@]}" -o p.polb >/dev/null 2>"$WORK/.err") || return 1
	chmod 0600 "$WORK/p.polb"
	: >"$WORK/hosts"
	: >"$WORK/asked"
	for name in "${NAMES[@]}"; do
		at=()
		for ((n = 1 + RANDOM % 4 / 3; n > 0; n--)); do
			if ((RANDOM % 2)); then at+=("${PUBLIC[RANDOM % ${#PUBLIC[@]}]}"); else at+=("${GUARDED[RANDOM % ${#GUARDED[@]}]}"); fi
		done
		printf "%s $name\n" "${at[@]}" >>"$WORK/hosts"
		for n in "${ECHO[@]}"; do
			((RANDOM % 2)) || printf '%s\n' "$name $n ${at[*]}" >>"$WORK/asked"
		done
	done
	for at in "${BLOCKS[@]}"; do
		printf '%s\n' "$at ${ECHO[RANDOM % ${#ECHO[@]}]}" >>"$WORK/asked"
	done
	(cd "$WORK" && "$BIN/gate_oracle" --root HOME="$HOME" --root PROJECT_DIR="$P" "${OPTIONS[@]}" net tcp 192.0.2.1:1 \
		<asked >rows 2>"$WORK/.err") || bad "gate_oracle: $(cat "$WORK/.err")"
	# where nothing can be reached there is no gateway: network_limited.sh
	grep -q ' ok$' "$WORK/rows" || return 1
	# the lab's server reads a file when it changes, and says so for the last name
	cp "$WORK/hosts" "$LAB/names/moving"
	echo "198.51.100.$((8 + RANDOM % 60)) mark$1.example" >>"$LAB/names/moving"
	within 10 known "mark$1.example" || bad "the lab's DNS server does not know the names"
}
known() { "$D" dns "$1" 1 | grep -q '^NOERROR 198'; }

# The words of gate_oracle for the lines of dial_probe.  A name above one that exists has no data.
as_words() {
	sed -E 's/^OK x .*/ok/; s/^ECONNREFUSED .*/refused/; s/^(ECONNRESET|EOF) .*/reset/
		s/^(NXDOMAIN|NODATA) .*/nxdomain/'
}

t "names, ports and addresses of $runs random policies from SEED=$seed: the evaluator, the kernel and polgate"
declare -A count=()
made=0 tried=0
while ((made < runs && tried < 8 * runs)); do
	at=$((seed + tried))
	tried=$((tried + 1))
	draw $at || continue
	made=$((made + 1))
	cp "$WORK/asked" "$P/asked"
	run sh -c 'while read -r host port rest; do '"$D"' tcp $host $port x </dev/null; done <"$1"' - asked
	as_words <<<"$out" >"$WORK/is"
	awk '{ print $NF }' "$WORK/rows" >"$WORK/want"
	if ! cmp -s "$WORK/want" "$WORK/is"; then
		bad "SEED=$at RUNS=1: $(paste -d' ' "$WORK/rows" "$WORK/is" | awk '$NF != $(NF - 1)' | head -n 5) $err"
		cat "$WORK"/{m,f,p,u}.pol >&2
	fi
	while read -r word; do count[$word]=$((${count[$word]:-0} + 1)); done <"$WORK/want"
done
((made == runs)) || bad "only $made of $tried policies compile"
for word in ok refused reset nxdomain; do
	printf '%s %s\n' "$word" "${count[$word]:-0}"
	((runs < 12 || ${count[$word]:-0} > 0)) || bad "nothing is $word"
done
done_
