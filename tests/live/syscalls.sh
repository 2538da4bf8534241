#!/usr/bin/env bash
# System-call rules through the real filter, with and without a listener.
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

[ -x "$PROBES/syscall_probe" ] || { skip syscall_probe "not built"; done_; exit; }
cp "$PROBES/syscall_probe" "$P/probe"
# shellcheck disable=SC2016
EXEC='file { allow exec "${PROJECT_DIR}" }'

t "a denied call gets its errno, others work"
policy "$EXEC
syscall { deny getppid as no-parent
          deny sethostname with ENOSYS }"
run ./probe getppid
want_rc 1
want_out '^EPERM'
run ./probe sethostname @x 1
want_out '^ENOSYS'
run ./probe getpid
want_rc 0
policy "$EXEC" q
run_with q ./probe getppid
want_rc 0

t "the run that fails names the rule, with the option and without"
run ./probe getppid
want_line 'system call getppid\(\): rule no-parent at p\.pol:[0-9]+'
run --explain-denials ./probe getppid
want_rc 1
want_line 'system call getppid\(\): rule no-parent at p\.pol:[0-9]+'
# by ENOSYS programs fall back to another call: that is no reason to point out
run ./probe sethostname @x 1
want_rc 1
no_err 'blocked'
run --explain-denials ./probe sethostname @x 1
want_line 'blocked: system call sethostname'
run ./probe getpid
no_err 'blocked'

t "arguments decide, on the width that the kernel reads"
policy "$EXEC
syscall { deny socket(AF_INET6) as no-six }"
run --explain-denials ./probe socket 10 1 0
want_rc 1
want_line 'socket\(arg0=0xa[,)].*: rule no-six'
run ./probe socket 0x10000000a 1 0
want_rc 1
run ./probe socket 1 1 0
want_rc 0

t "denied calls are counted"
run --explain-denials sh -c './probe socket 10 1 0; ./probe socket 10 1 0; true'
want_rc 0
want_line '\(2 times\): rule no-six'

t "the floor: the terminal's doors"
policy "$EXEC" q
run_with q ./probe ioctl 0 0x5412 0
want_rc 1
want_out '^EPERM'
run_with q ./probe ioctl 0 0xffffffff00005412 0
want_rc 1
want_out '^EPERM'

t "kill(0) reaches the run's own group alone, in either width of its argument"
run_with q ./probe kill 0 9
want_rc 137
run_with q ./probe kill 0xffffffff00000000 9
want_rc 137
run_with q ./probe kill 0 0
want_rc 0
run_with q ./probe kill 1 0
want_rc 0

t "a foreign architecture is killed"
run_with q ./probe 0x40000027
want_rc 159

t "no new user namespace, no mount, even by number"
run_with q ./probe unshare 0x10000000
want_rc 1
run_with q ./probe mount @none @/tmp @tmpfs 0 0
want_rc 1

t "what the network's mode denies: the run, explain and why-not say the same about it"
policy "$EXEC
syscall { otherwise allow }" q
same() { # WORDS CALL PROBE…
	local want=$1 call=$2
	shift 2
	run_with q -v --explain-denials ./probe "$@"
	want_rc 1
	want_err "let it pass: $want\$"
	out=$(cd "$P" && "$BIN/polc" explain --why-not=managed "$WORK/q.pol" syscall "$call" 2>&1)
	want_out "  to pass    $want\$"
	want_out "  reason     $want\$"
}
never="the network's mode denies this call, whatever rules allow"
same "$never" 'socket(17,3,0)' socket 17 3 0
same "$never; 'network full' does not" 'socket(2,3,0)' socket 2 3 0

done_
