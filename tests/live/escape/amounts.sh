#!/usr/bin/env bash
# Tries: to use up what the kernel counts for the whole machine: requests of the old
# asynchronous input and output (fs.aio-max-nr), which databases outside need.
# Stops it: std/base, which has no io_setup.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
command -v python3 >/dev/null || { skip python3 "python3 is missing"; done_; exit; }
# One request is enough here: all of them would be taken from other tests as well.
cat >"$P/request.py" <<'EOS'
import ctypes, errno, sys
libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall(206, 1, ctypes.byref(ctypes.c_ulong(0))) == 0:
    print('OK')
else:
    print(errno.errorcode[ctypes.get_errno()])
    sys.exit(1)
EOS
bare_policy
std_policy
std_policy 'syscall { allow io_setup }'
mv "$WORK/s.polb" "$WORK/given.polb"
std_policy

t "the control: without std/base, and where a policy allows it, a run gets requests"
run python3 request.py
worked
run_with given python3 request.py
worked
t "else it gets none"
run_with s python3 request.py
stopped ENOSYS

done_
