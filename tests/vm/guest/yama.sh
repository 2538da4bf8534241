#!/usr/bin/env bash
# Yama's ptrace_scope, as the boot has set it, against what the supervisor does:
# it takes the listener by pidfd_getfd and reads paths by process_vm_readv.
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../../lib/live.sh"

if ! scope=$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null); then
	skip yama "not in this kernel"
	done_
	exit
fi
cp "$PROBES/syscall_probe" "$P/probe"
# shellcheck disable=SC2016
policy 'file { allow exec "${PROJECT_DIR}" deny write "${PROJECT_DIR}/keep" as no-keeping }
syscall { deny getppid as no-parent }'
echo kept >"$P/keep"

t "ptrace_scope $scope: what is denied is denied, what is not is not"
run ./probe getppid
want_rc 1
want_out '^EPERM'
run ./probe getpid
want_rc 0
run sh -c 'echo x > keep'
want_rc 2
want_text kept "$P/keep"
run sh -c 'echo x > other'
want_rc 0
want_text x "$P/other"

if [ "$scope" -lt 3 ]; then
	t "ptrace_scope $scope: denials have their rule and place"
	run --explain-denials sh -c './probe getppid; echo x > keep'
	want_line 'getppid\(\)( \(2 times\))?: rule no-parent at p\.pol:[0-9]+'
	want_line 'write .*/keep: rule no-keeping at p\.pol:[0-9]+'
	out=$("$BIN/polrun" --doctor)
	want_out '^seccomp notifications +yes'
	t "ptrace_scope $scope: also of what has left its parent"
	run --explain-denials sh -c '(setsid sh -c "echo x > keep; touch gone" &) ; while [ ! -e gone ]; do sleep 0.1; done'
	want_line 'write .*/keep: rule no-keeping'
else
	t "ptrace_scope 3: the listener cannot be taken, which is said"
	run ./probe getppid
	want_line 'listener cannot be taken.*denials are not explained'
	run --explain-denials --report "$WORK/r.json" ./probe getpid
	want_rc 0
	want_line 'listener cannot be taken.*denials are not explained'
	grep -q 'without a listener' "$WORK/r.json" || bad "$(cat "$WORK/r.json")"
	out=$("$BIN/polrun" --doctor)
	rc=$?
	want_rc 0
	want_out '^seccomp notifications +no \(EPERM\).*ptrace_scope is 3'
fi

done_
