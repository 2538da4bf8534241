#!/usr/bin/env bash
# Tries: to run a program that no path of the view names: from memory, from a
# file that was never linked, from a deleted file.
# Stops it: noexec of the tree where there is one. A program in memory runs
# where the policy lets memfd_create through (until execs are supervised); it is
# bound by every wall, as its parent is, and a rule can deny the call.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
bare_policy
mkdir "$WORK/out/runs"
policy "$ADD file { allow exec \"$P\"  allow read, write, exec \"$WORK/out/runs\" } " x
policy "$ADD syscall { deny memfd_create as no-memory-files }" d

t "a file without a name in a tree that does not run programs"
for dir in "$P" /tmp; do
	run "$K" tmpfile "$dir" "$F" read /etc/passwd
	stopped 'EACCES'
done
run sh -c "cp $F f; exec 9<f; rm f; exec /proc/self/fd/9 read /etc/passwd"
want_rc 126
no_out OK

t "the control: in one that does it runs"
run_with x "$K" tmpfile "$WORK/out/runs" "$F" read /etc/passwd
worked
run_with x sh -c "cp $F f && ./f read /etc/passwd"
worked
# where names are decided one by one, what is written runs by its name only
run_with x "$K" tmpfile "$P" "$F" read /etc/passwd
stopped EACCES

t "what runs from memory is inside of every wall"
run "$K" memfd "$F" read /etc/passwd
worked
run "$K" memfd "$F" read "$SECRET"
stopped ENOENT
run "$K" memfd "$F" chmod /usr 755
stopped EROFS
run "$K" memfd "$N" userns
stopped 'ENOSPC|EPERM'
run "$K" memfd "$N" ptrace 1
stopped EPERM

t "a rule denies it, and is named"
run_with d --explain-denials "$K" memfd "$F" read /etc/passwd
stopped EPERM
want_line 'no-memory-files at d\.pol:'

done_
