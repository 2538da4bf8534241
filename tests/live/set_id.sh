#!/usr/bin/env bash
# No run leaves a file that runs as its owner: not by any call that takes a
# mode, nor by the programs that people use.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

[ -x "$PROBES/syscall_probe" ] || { skip syscall_probe "not built"; done_; exit; }
C=$PROBES/syscall_probe
ADD="file { allow read, exec \"$PROBES\", \"\${PROJECT_DIR}\" }"
policy "$ADD"
# The bundle m: a managed policy gives the calls back; so these tests can fail.
raw_policy "${HEAD/base none/base none  level managed}$ADD
syscall {
    final allow chmod, fchmod, fchmodat, fchmodat2, creat, mknod, mknodat
        when mode & (S_ISUID | S_ISGID)
    final allow open, openat when flags & (O_CREAT | __O_TMPFILE) and mode & (S_ISUID | S_ISGID)
    final allow openat2 }" m
CREATE=$((0101)) TMPFILE=$((020200001))

# Set-user-ID or set-group-ID files of the project.
set_id() { find "$P" -type f -perm /6000 -printf '%P %m\n'; }
none_left() {
	[ -z "$(set_id)" ] || bad "it left: $(set_id)"
	rm -rf "${P:?}"/*
}

# FILE CALL ARG…, with MODE in the place of the mode: refused
# with each bit, not without; and given back by the managed policy.
mode_call() {
	local name=$1 mode
	shift
	for mode in 04755 02755 06000 04000 0xffff8800; do
		: >"$P/there"
		run "$C" "${@/MODE/$((mode))}"
		want_rc 1
		want_out '^EPERM$'
		none_left
	done
	for mode in 0755 01777 0644 0xffff01ed; do
		: >"$P/there"
		run "$C" "${@/MODE/$((mode))}"
		want_rc 0
		want_file "$P/$name"
		none_left
	done
	: >"$P/there"
	run_with m "$C" "${@/MODE/$((04755))}"
	want_rc 0
	[ -u "$P/$name" ] || bad "the control: $name has no bit, $(ls -l "$P")"
	rm -rf "${P:?}"/*
}

t "chmod, fchmodat, fchmodat2"
mode_call there chmod @there MODE
mode_call there fchmodat -100 @there MODE
run "$C" fchmodat2 -100 @none 0 0
if [ "$out" != ENOSYS ]; then
	mode_call there fchmodat2 -100 @there MODE 0
fi
t "creat, mknod, mknodat"
mode_call new creat @new MODE
mode_call new mknod @new MODE 0
mode_call new mknodat -100 @new MODE 0
t "open, openat"
mode_call new open @new $CREATE MODE
mode_call new openat -100 @new $CREATE MODE

t "a mode that open does not look at is no reason"
: >"$P/there"
mkdir "$P/dir"
run "$C" open @there 0 $((04755))
want_rc 0
run "$C" openat -100 @there 1 -1
want_rc 0
# O_DIRECTORY is one of O_TMPFILE's bits
run "$C" openat -100 @dir $((0200000)) -1
want_rc 0
none_left

t "a file without a name that gets one later"
run "$C" openat -100 @. $TMPFILE $((04755))
want_rc 1
want_out '^(EPERM)$'
run "$C" open @. $TMPFILE $((02755))
want_rc 1
want_out '^(EPERM)$'
run "$C" openat -100 @. $TMPFILE $((0755))
[ "$out" = EOPNOTSUPP ] || want_rc 0

t "what no filter reads is missing"
run "$C" openat2 -100 @there +24 24
want_rc 1
want_out '^ENOSYS$'
for call in "io_uring_setup 4 +120" "io_uring_enter 0 0 0 0" "io_uring_register 0 0 0 0"; do
	# shellcheck disable=SC2086
	run "$C" $call
	want_rc 1
	want_out '^ENOSYS$'
done
run_with m "$C" openat2 -100 @there +24 24
no_out '^ENOSYS$'

t "descriptors that the run holds, and one from outside"
run sh -c '"$0" fchmod 3 2541 3>mine' "$C"
want_rc 1
want_out '^EPERM$'
: >"$P/given"
"$BIN/polrun" -b "$WORK/p.polb" "$C" fchmod 1 2541 >"$P/given" 2>/dev/null
[ ! -u "$P/given" ] || bad "a descriptor from outside got the bit"
none_left
run sh -c '"$0" fchmod 3 493 3>mine' "$C"
want_rc 0
none_left

t "programs: the bit is refused, the rest of what they do is done"
run sh -c 'cp /bin/true t && chmod 4755 t'
[ "$rc" -ne 0 ] || bad "chmod 4755 said 0"
want_err 'Operation not permitted'
none_left
for mode in u+s g+s 6711 2755 =4000; do
	run sh -c "cp /bin/true t && chmod $mode t"
	[ "$rc" -ne 0 ] || bad "chmod $mode said 0"
	none_left
done
run install -m 4755 /bin/true t
none_left
run install -m 755 /bin/true t
want_rc 0
[ -x "$P/t" ] || bad "install -m 755 made nothing"
none_left
run sh -c 'mkdir d && chmod 1777 d && cp /bin/true d/t && chmod 755 d/t && umask 0 && : > w'
want_rc 0
[ -k "$P/d" ] && [ -x "$P/d/t" ] || bad "chmod 1777, 755: $(ls -lR "$P")"
none_left

t "copies and archives of set-user-ID files"
mkdir "$WORK/out/src"
cp /bin/true "$WORK/out/src/suid"
cp /bin/true "$WORK/out/src/sgid"
chmod 4755 "$WORK/out/src/suid"
chmod 2755 "$WORK/out/src/sgid"
[ -u "$WORK/out/src/suid" ] || bad "there is no set-user-ID file to copy"
tar -C "$WORK/out" -cf "$WORK/out/a.tar" src
policy "$ADD file { allow read \"$WORK/out\" }"
for how in "cp -p ../../out/src/suid ../../out/src/sgid ." "cp -a ../../out/src x" \
	"tar xf ../../out/a.tar" "tar xpf ../../out/a.tar" "tar x --same-permissions -f ../../out/a.tar"; do
	# shellcheck disable=SC2086
	run $how
	[ -n "$(find "$P" -type f)" ] || bad "$how made nothing"
	none_left
done

if command -v python3 >/dev/null; then
	t "python"
	cat >"$WORK/out/t.py" <<'EOS'
import os, sys
def tried(name, f, *a):
    try:
        f(*a)
        print(name, 'done')
    except OSError as e:
        print(name, e.strerror)
open('f', 'w').close()
tried('open', os.open, 'a', os.O_CREAT | os.O_WRONLY, 0o4755)
tried('tmpfile', os.open, '.', os.O_TMPFILE | os.O_WRONLY, 0o4755)
tried('chmod', os.chmod, 'f', 0o6755)
tried('fchmod', os.fchmod, os.open('f', os.O_RDONLY), 0o4755)
tried('mknod', os.mknod, 'b', 0o104755)
tried('plain', os.chmod, 'f', 0o755)
tried('mkdir', os.mkdir, 'd', 0o6755)
EOS
	run python3 ../../out/t.py
	for what in open tmpfile chmod fchmod mknod; do
		want_out "^$what Operation not permitted"
	done
	want_out '^plain done'
	want_out '^mkdir done'
	none_left
fi

# A call that is refused for directories too: no filter sees what a name is.
t "a directory that hands its group down is as it was"
mkdir "$P/shared" && chmod 2775 "$P/shared"
run sh -c ': > shared/f && mkdir shared/d && chmod 755 shared/f'
want_rc 0
[ -g "$P/shared" ] && [ -g "$P/shared/d" ] || bad "the bit is gone: $(ls -lR "$P")"
run chmod g+s shared/d
[ -g "$P/shared/d" ] || bad "the bit is gone"
run sh -c 'mkdir d2 && chmod g+s d2'
[ "$rc" -ne 0 ] || bad "chmod g+s said 0"
none_left

# A set-user-ID file that was there loses the bit when it is written.
t "one that was there, written by the run"
cp "$WORK/out/src/suid" "$P/old" && chmod 4755 "$P/old"
run sh -c 'echo x >> old'
want_rc 0
[ ! -u "$P/old" ] || bad "the bit stayed: $(ls -l "$P")"
rm -rf "${P:?}"/*

done_
