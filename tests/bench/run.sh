#!/usr/bin/env bash
# Timings beside peers, interleaved in one run; prints tables, asserts nothing.
#   tests/bench/run.sh [RUNS]        (default 200; BUILD= of a rel build)
# As root the runs are those of an ordinary user (POL_BENCH_USER, made when it
# is missing); memory is read by root, since the supervisor lets nobody else look.
# POL_BENCH_PREFIX="chrt -r 20" keeps other work on the machine out of the timings.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-$PWD/build/rel}
make -s -j"$(nproc)" VARIANT=rel BUILD="$build" all probes "$build"/tests/bench/{open,files,nft,decide,build,big,gate,include}
runs=${1:-200}
work=$(mktemp -d /var/tmp/pol-bench.XXXXXX)
trap 'rm -rf "$work"' EXIT
chmod 0755 "$work"
mkdir -p "$work/home/project" "$work/bin"
cp "$build"/bin/{polc,polrun,polinit,polnft,polnft-record,polquery} "$work/bin/"
cp -rL "$build/share" "$work/" # polc looks for its library beside bin/
bin=$work/bin
# ARGUMENTS of polc compile: what it prints is shown when it fails.
compile() {
	"$bin/polc" compile "$@" >"$work/said" 2>&1 || {
		cat "$work/said" >&2
		exit 1
	}
}
cp examples/node-project/policy.pol "$work/node.pol"
compile "$work/node.pol" -o "$work/node.polb"
ssh-keygen -q -t ed25519 -N '' -f "$work/key"
echo "bench $(cat "$work/key.pub")" >"$work/signers"
"$bin/polc" sign --key "$work/key" -o "$work/signed.polb" "$work/node.polb"
# the same policy with a table of 100 rules in place of no network
{
	echo 'network limited {'
	for i in $(seq 100); do echo "allow tcp 10.$i.0.0/16 port $((8000 + i))"; done
	echo '}'
} >"$work/rules"
sed -e "/^network disabled/{r $work/rules" -e 'd}' "$work/node.pol" >"$work/net.pol"
compile --sign "$work/key" "$work/net.pol" -o "$work/net.polb"
chmod 0644 "$work"/{node,signed,net}.polb "$work/signers"
as=()
if [ "$(id -u)" -eq 0 ]; then
	user=${POL_BENCH_USER:-polbench}
	id "$user" >/dev/null 2>&1 || useradd -M -s /bin/sh "$user"
	chown -R "$user" "$work/home"
	as=(setpriv --reuid "$user" --regid "$user" --init-groups)
fi
read -ra prefix <<<"${POL_BENCH_PREFIX:-}"
clean=(env -i PATH=/usr/bin:/bin HOME="$work/home")
"${clean[@]}" "${prefix[@]}" "${as[@]}" python3 tests/bench/start.py "$runs" "$bin" "$work/node.polb" \
	"$work/home/project" "" "$work/signers" "signed=$work/signed.polb" \
	"signed, 100 network rules=$work/net.polb"
# shellcheck disable=SC2016
printf '%s\n' 'policy anywhere { level user }' 'command { otherwise allow }' \
	'file { allow read "/"  allow read, write "${PROJECT_DIR}" }' >"$work/all.pol"
compile "$work/all.pol" -o "$work/all.polb"
chmod 0644 "$work/all.polb"
"${clean[@]}" "${prefix[@]}" "${as[@]}" python3 tests/bench/start.py "$runs" "$bin" "$work/all.polb" \
	"$work/home/project" "all of the host readable: --ro-bind / /"
if [ "$(id -u)" -eq 0 ]; then
	"${clean[@]}" python3 tests/bench/memory.py "$bin" "$work/node.polb" \
		"$work/home/project" "${as[@]}"
else
	echo "PSS: not read, only root can look at the supervisor"
fi
mkdir -m 0777 "$work/files"
"${clean[@]}" "${prefix[@]}" "${as[@]}" python3 tests/bench/files.py "$runs" "$bin" "$build/tests/bench/files" "$work/files"
"${prefix[@]}" python3 tests/bench/open.py "$runs" "$bin" "$build/tests/bench/open" "$work"
"${prefix[@]}" taskset -c "$(($(nproc) - 1))" python3 tests/bench/query.py 60 "$bin" "$work/node.polb"
"${prefix[@]}" python3 tests/bench/decide.py "$bin/polc" "$build/tests/bench/decide" "$work"
"${prefix[@]}" python3 tests/bench/hook.py "$runs" "$bin" "10 rules=$work/ten.polb" \
	"10,000 rules=$work/many.polb"
"${prefix[@]}" python3 tests/bench/check_speed.py "$bin/polc" "$work"
"${prefix[@]}" python3 tests/bench/diff_speed.py "$bin/polc" "$work"
"${prefix[@]}" python3 tests/bench/diff_peers.py "$bin/polc" "$work" "$build/tests/bench/include" 3
"${prefix[@]}" tests/bench/gate.sh bench "$build"
"${prefix[@]}" python3 tests/bench/gateway.py "$build" 3
"${prefix[@]}" tests/bench/nft.sh 20 "$bin" "$build/tests/bench/nft" "$work"
