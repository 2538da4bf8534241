#!/usr/bin/env bash
# Tries: the host's files by the links of /proc: root, cwd, fd, exe of any process.
# Stops it: the new root (pivot_root), the own pid namespace with its own /proc,
# pid 1 that is not dumpable.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
bare_policy
sleep 60 &
host=$!

t "the control: the links lead to the files, outside"
outside cat "/proc/self/root$SECRET"
want_out the-secret
outside cat "/proc/$host/root$SECRET"
want_out the-secret

t "/proc/self/root is the run's root"
run "$F" read "/proc/self/root$SECRET"
stopped ENOENT
run "$F" read "/proc/thread-self/root/../../..$SECRET"
stopped ENOENT
run "$F" read /proc/self/root/etc/passwd
worked

t "pid 1 shows nothing of itself"
for link in root cwd exe fd ns/mnt map_files environ mem; do
	run "$F" read "/proc/1/$link"
	[ "$rc" -eq 1 ] || bad "/proc/1/$link is open: $out"
done
run "$F" read "/proc/1/root$SECRET"
stopped EACCES
run "$F" list /proc/1/fd
stopped EACCES
run "$F" list /proc/self/fd
worked

t "no process of the host has a directory"
run "$F" list "/proc/$host"
stopped 'ENOENT|ENOTDIR'
run sh -c 'for p in /proc/[0-9]*; do readlink "$p/root" "$p/cwd" "$p/exe"; done'
no_out "$WORK/out|polrun"

t "the working directory has nothing above that is not in the view"
run "$F" list /proc/self/cwd/../../out
stopped ENOENT
run "$F" list /proc/self/cwd/../project
worked

kill "$host"
done_
