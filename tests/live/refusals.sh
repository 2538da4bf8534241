#!/usr/bin/env bash
# Where the sandbox cannot be made polrun ends with 125 and one line that names
# what is missing, the rules that would not hold, and what to do.
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
policy 'file { deny write "/etc/hostname" as keep-hostname }'
R="$BIN/polrun -b $WORK/p.polb"

# WORDS COMMAND…: refused, in one line of polrun, and the command did not run.
refused() {
	local words=$1
	shift
	rm -f "$P/ran"
	err=$("$@" 2>&1 >/dev/null </dev/null)
	rc=$?
	want_rc 125
	[ "$(grep -c '^polrun: refused: ' <<<"$err")" -eq 1 ] || bad "not one line that refuses"
	want_err "$words"
	want_err 'would not hold: .*(file-|keep-hostname)'
	no_file "$P/ran"
}

t "the control"
run sh -c 'touch ran'
want_rc 0
want_file "$P/ran"

if [ -x "$PROBES/outer" ]; then
	O=$PROBES/outer
	t "an outer filter without user namespaces (Docker's)"
	refused 'no user namespaces .*Docker' "$O" no-userns $R touch ran
	t "an outer filter without mounts"
	refused 'no user namespaces|mount|open_tree' "$O" no-mount $R touch ran
	t "a kernel without open_tree and mount_setattr"
	refused 'open_tree.*Linux 5\.12' "$O" no-mount-api $R touch ran

	t "a kernel without system-call filters"
	refused 'no system-call filters.*CONFIG_SECCOMP_FILTER' "$O" no-seccomp $R touch ran

	t "no Landlock: the mount view holds alone, and the report says so"
	err=$("$O" no-landlock $R --report "$WORK/r.json" sh -c 'touch ran; touch /usr/x' 2>&1 >/dev/null)
	want_file "$P/ran"
	no_file /usr/x
	grep -q 'Landlock: missing' "$WORK/r.json" || bad "$(cat "$WORK/r.json")"

	t "another sandbox holds the listener: errnos without a name"
	policy 'syscall { deny getppid }' l
	[ -x "$PROBES/syscall_probe" ] && cp "$PROBES/syscall_probe" "$WORK/out/"
	policy "file { allow read, exec \"$WORK/out\" } syscall { deny getppid }" l
	out=$("$O" listener "$BIN/polrun" -b "$WORK/l.polb" "$WORK/out/syscall_probe" getppid 2>"$WORK/.err")
	rc=$?
	err=$(cat "$WORK/.err")
	want_out '^EPERM'
	want_line 'holds the seccomp listener'
	out=$("$O" listener "$BIN/polrun" -b "$WORK/l.polb" --explain-denials "$WORK/out/syscall_probe" getpid 2>/dev/null)
	rc=$?
	want_rc 0
	t "the listener cannot be taken: errnos without a name, and no process is left"
	for opt in '' --explain-denials; do
		out=$("$O" no-getfd "$BIN/polrun" -b "$WORK/l.polb" $opt "$WORK/out/syscall_probe" getppid 2>"$WORK/.err")
		rc=$?
		err=$(cat "$WORK/.err")
		want_rc 1
		want_out '^EPERM'
		want_line 'listener cannot be taken.*denials are not explained'
	done
	"$O" no-getfd "$BIN/polrun" -b "$WORK/l.polb" "$WORK/out/syscall_probe" getpid >/dev/null 2>&1 || bad "the control"
	! alive "$WORK/out/syscall_probe getp" || bad "a process is left"
	"$O" no-getfd "$BIN/polrun" --doctor | grep -q 'seccomp notifications.*no (EPERM).*no name' || bad "doctor does not see it"
	t "the doctor sees what is missing"
	"$O" listener "$BIN/polrun" --doctor | grep -q 'seccomp notifications.*EBUSY' || bad "doctor does not see it"
	"$O" no-userns "$BIN/polrun" --doctor | grep -q 'user namespaces.*no' || bad "doctor does not see it"
else
	skip outer "not built"
fi

if unshare -Ur true 2>/dev/null; then
	t "no user namespaces are left (ENOSPC)"
	refused 'max_user_namespaces' unshare -Ur sh -c \
		"echo 0 > /proc/sys/user/max_user_namespaces; exec $R touch ran"
	t "a masked outer /proc"
	refused 'no fresh /proc' unshare -Urm sh -c \
		"mount --bind /dev/null /proc/cpuinfo && exec $R touch ran"
	t "root of another user namespace runs as an ordinary user does"
	err=$(unshare -Ur $R sh -c 'touch ran' 2>&1)
	rc=$?
	want_rc 0
else
	skip unshare "user namespaces by unshare(1) do not work here"
fi

t "polrun inside polrun"
policy "file { allow read, exec \"$BIN\" } env { keep += BIN }" n
cp "$WORK/p.polb" "$P/inner.polb"
run_with n "$BIN/polrun" -b "$P/inner.polb" touch ran2
want_rc 125
want_line 'refused: .*(sandbox|filter|inside a run)'
no_file "$P/ran2"

if is_root; then
	t "root: what others own in the project is named once when a run fails"
	policy '' f
	mkdir -p "$P/dir"
	echo x >"$P/dir/other"
	chown nobody "$P/dir/other"
	run_with f sh -c 'echo y > dir/other'
	want_rc 2
	want_text x "$P/dir/other"
	want_line 'dir/other in .* belongs to another user'
	run_with f true
	no_err 'belongs to another'
	chown root "$P/dir/other"
	run_with f sh -c 'echo y > dir/other'
	want_rc 0
	want_text y "$P/dir/other"

	t "root without its capabilities is refused: the command would be uid 0"
	err=$(setpriv --bounding-set=-sys_admin "$BIN/polrun" -b "$WORK/f.polb" id -u 2>&1)
	rc=$?
	want_rc 125
	want_line 'root without CAP_SYS_ADMIN'

	t "root: a file system that cannot be idmapped is named, with --user as the way"
	mkdir -p "$WORK/ov/lower/p" "$WORK/ov/upper" "$WORK/ov/work" "$WORK/ov/m"
	if err=$(unshare -m sh -c "mount -t overlay -o lowerdir=$WORK/ov/lower,upperdir=$WORK/ov/upper,workdir=$WORK/ov/work none $WORK/ov/m || exit 99
		cd $WORK/ov/m/p && exec $BIN/polrun -b $WORK/f.polb touch x" 2>&1); then
		rc=0
	else
		rc=$?
	fi
	if [ "$rc" -eq 99 ]; then
		skip overlay "no overlay file systems here"
	elif [ "$rc" -ne 0 ]; then
		want_rc 125
		want_line 'cannot be mapped.*--user'
	fi

	t "a chroot"
	mkdir -p "$WORK/root/bin" "$WORK/root/proc" "$WORK/root/home/p" "$WORK/root/dev"
	cp "$BIN/polrun" "$BIN/polinit" "$WORK/root/bin/"
	cp "$WORK/p.polb" "$WORK/root/p.polb"
	if [ "$VARIANT" != san ]; then
		mkdir -p "$WORK/root/usr/bin" "$WORK/root/lib" "$WORK/root/lib64"
		cp "$PROBES/file_probe" "$WORK/root/usr/bin/"
		cat >"$WORK/chroot.py" <<-EOS
			import os, sys
			os.chroot(sys.argv[1])
			os.chdir("/home/p")
			os.execve(sys.argv[2], sys.argv[2:], {"HOME": "/home", "PATH": "/usr/bin"})
		EOS
		in_chroot() {
			unshare -m sh -c 'mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" &&
				exec python3 "$@"' "$WORK/root" "$WORK/chroot.py" "$WORK/root" "$@"
		}
		# the control: a program runs in there
		in_chroot /usr/bin/file_probe create ran >/dev/null || bad "nothing runs there"
		want_file "$WORK/root/home/p/ran"
		rm -f "$WORK/root/home/p/ran"
		refused 'no user namespaces .*chroot.*pivot_root' in_chroot /bin/polrun \
			-b /p.polb file_probe create ran
		no_file "$WORK/root/home/p/ran"
		err=$(unshare -m sh -c "mount -t proc proc $WORK/root/proc
			mount --bind /dev $WORK/root/dev
			HOME=/home exec chroot $WORK/root /bin/polrun --doctor" 2>&1)
		grep -q 'user namespaces.*no.*chroot' <<<"$err" || bad "doctor: $err"
	fi
fi

done_
