#!/usr/bin/env bash
# Tests on Debian 12's own kernel, booted by qemu (tests/vm/run.sh): nf_tables in modules, Landlock
# ABI 2, AppArmor and Yama.  The network with the closed network of real servers, and the walls, as root
# and as a user; then Yama at 1 to 3, and no Landlock at all.  With POL_SLICE a seventh of them, and the kernel's own.
#   BUILD=FOLDER tests/run/vm.sh          ./dev vm installs what it needs
# Last line: N passed, N failed, N skipped.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/slice.sh

network=(gate lab confine unix_sockets ssh_agent streams_sockets ask_socket conform_net)
for f in tests/live/{egress_*,network*,nft_*}.sh; do
	f=${f##*/}
	network+=("${f%.sh}")
done
# What the kernel does with files, processes and descriptors; what is decided without it is not tried again.
walls=(anywhere anywhere_write artifacts broker_special conform_files env files git_floor git_later
	git_nested hostile kill9 kill9_names limits mount_at mount_flags new_programs outputs own_files read_only reads
	refusals root second_names set_id signals slow_paths small_stack stage stage_commit stage_steps steps streams
	swaps syscalls two_lines two_runs unix_passed)
for f in tests/live/{walls*,escape/*}.sh; do
	f=${f#tests/live/}
	walls+=("${f%.sh}")
done
chosen=(vm/nft)
boots=(stock)
index=0
for test in "${network[@]}" "${walls[@]}"; do
	! in_slice "$index" || chosen+=("$test")
	index=$((index + 1))
done
for boot in yama bare; do
	! in_slice "$index" || boots+=("$boot")
	index=$((index + 1))
done
if [ -n "${POL_TEST_LIST:-}" ]; then
	printf '%s\n' "${chosen[@]}"
	exit
fi
for need in qemu-system-x86_64 debootstrap; do
	command -v "$need" >/dev/null && [ "$(id -u)" -eq 0 ] && continue
	echo "skip vm: needs root and $need (./dev vm installs it)"
	count_skip
	count_end
	exit
done
# A test takes a minute or two there, for each user; of those that try at random some take four, with fewer turns.
export RACE_TURNS=${RACE_TURNS:-60} SWAPS=${SWAPS:-16000} HOSTILE_CALLS=${HOSTILE_CALLS:-6000} KILLS=${KILLS:-3} \
	STAGE_TURNS=${STAGE_TURNS:-100}
: "${POL_VM_TIMEOUT:=$((1800 + 300 * ${#chosen[@]}))}"
export POL_VM_TIMEOUT
for boot in "${boots[@]}"; do
	list=
	[ "$boot" != stock ] || list=$(IFS=,; echo "${chosen[*]}")
	T=$list tests/vm/run.sh "$boot" 2>&1 | tee "${TMPDIR:-/tmp}/pol-vm.$$"
	count_add_line "$(tail -n 1 "${TMPDIR:-/tmp}/pol-vm.$$")" "${PIPESTATUS[0]}" "boot $boot"
done
rm -f "${TMPDIR:-/tmp}/pol-vm.$$"
count_end
