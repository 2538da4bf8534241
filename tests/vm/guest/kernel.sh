#!/usr/bin/env bash
# What only this kernel has: an older Landlock, Debian's switch for user
# namespaces, AppArmor, cgroup v2.  Sets sysctls: for a machine of its own.
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../../lib/live.sh"
D="$BIN/polrun --doctor"
policy 'file { deny write "/etc/hostname" as keep-hostname }'
chmod 0644 "$WORK/p.polb" # root's bundle, for the ordinary user below
abi=$($D | sed -n 's/^Landlock  *ABI \([0-9]*\).*/\1/p')

t "the doctor: nothing is missing"
out=$($D 2>&1)
rc=$?
want_rc 0
want_out '^polrun can run a bundle here$'

t "Landlock: the doctor and the report say what this ABI lacks"
doctor=$($D)
run --report "$WORK/r.json" true
want_rc 0
if grep -qw landlock /sys/kernel/security/lsm; then
	[ "${abi:-0}" -ge 1 ] || bad "Landlock is on, the doctor says: $doctor"
	grep -q "Landlock: ABI $abi" "$WORK/r.json" || bad "$(cat "$WORK/r.json")"
	for lack in 3:truncation 5:ioctl 6:scopes; do
		for said in "$doctor" "$(cat "$WORK/r.json")"; do
			if [ "$abi" -lt "${lack%:*}" ]; then
				grep -q "Landlock.*no right for.*${lack#*:}" <<<"$said" ||
					bad "ABI $abi lacks ${lack#*:}, which is not said: $said"
			else
				! grep -q "Landlock.*${lack#*:}" <<<"$said" || bad "$said"
			fi
		done
	done
else
	[ -z "$abi" ] || bad "Landlock is off, the doctor says: $doctor"
	grep -q 'Landlock: missing' "$WORK/r.json" || bad "$(cat "$WORK/r.json")"
fi

t "signals do not leave the run, with and without Landlock's scope"
sleep 60 &
bystander=$!
run sh -c "kill -9 $bystander; kill -9 -1; kill -9 0; exit 0"
kill -0 "$bystander" 2>/dev/null || bad "the bystander is gone"
kill "$bystander"
wait "$bystander" 2>/dev/null

if ! is_root; then
	done_
	exit
fi

other="setpriv --reuid poltest --regid poltest --clear-groups"
mkdir -p "$WORK/theirs/p"
chown -R poltest "$WORK/theirs"
chmod 0755 "$WORK"
cd "$WORK/theirs/p" || exit 1
theirs() { # polrun as the ordinary user
	out=$(HOME=$WORK/theirs $other "$BIN/polrun" -b "$WORK/p.polb" "$@" 2>"$WORK/.err")
	rc=$?
	err=$(cat "$WORK/.err")
}

t "the control: root and the ordinary user run"
theirs sh -c 'echo in'
want_rc 0
want_out '^in$'
(cd "$P" && "$BIN/polrun" -b "$WORK/p.polb" true) || bad "root"

t "a project on a tmpfs: mapped since 6.3, refused by name before"
mkdir -p "$WORK/ram"
mount -t tmpfs -o mode=0755 ram "$WORK/ram"
mkdir "$WORK/ram/p"
chown poltest "$WORK/ram/p"
cd "$WORK/ram/p" || exit 1
err=$("$BIN/polrun" -b "$WORK/p.polb" touch made 2>&1 >/dev/null)
rc=$?
if kernel_since 6.3; then
	want_rc 0
	want_file made
else
	want_rc 125
	want_line "refused: the file system of $WORK/ram/p cannot be mapped.*--user"
	no_file made
fi
err=$("$BIN/polrun" --user poltest -b "$WORK/p.polb" touch theirs 2>&1 >/dev/null)
rc=$?
want_rc 0
want_file theirs
cd "$WORK/theirs/p" || exit 1
umount "$WORK/ram"

t "kernel.unprivileged_userns_clone 0 is named; root runs on"
if [ -e /proc/sys/kernel/unprivileged_userns_clone ]; then
	echo 0 >/proc/sys/kernel/unprivileged_userns_clone
	theirs touch ran
	want_rc 125
	want_line 'refused: .*unprivileged_userns_clone is 0.*would not hold: .*'
	no_file ran
	out=$($other $D)
	rc=$?
	want_rc 125
	want_out 'user namespaces +no .*unprivileged_userns_clone is 0'
	(cd "$P" && "$BIN/polrun" -b "$WORK/p.polb" true) || bad "root"
	echo 1 >/proc/sys/kernel/unprivileged_userns_clone
	theirs true
	want_rc 0
else
	skip unprivileged_userns_clone "not Debian's kernel"
fi

t "user.max_user_namespaces 0 is named"
max=$(cat /proc/sys/user/max_user_namespaces)
echo 0 >/proc/sys/user/max_user_namespaces
theirs touch ran
want_rc 125
want_line 'refused: .*max_user_namespaces'
no_file ran
echo "$max" >/proc/sys/user/max_user_namespaces
theirs true
want_rc 0

t "a delegated cgroup is found, another's is not"
mkdir -p /sys/fs/cgroup/pol-test
out=$(sh -c "echo \$\$ >/sys/fs/cgroup/pol-test/cgroup.procs; exec $other $D")
want_out 'cgroup v2 +no directory'
chown poltest /sys/fs/cgroup/pol-test
out=$(sh -c "echo \$\$ >/sys/fs/cgroup/pol-test/cgroup.procs; exec $other $D")
want_out 'cgroup v2 +/sys/fs/cgroup/pol-test'
rmdir /sys/fs/cgroup/pol-test

# RULES: a profile that confines polrun to these, and to files, sockets, signals.
profile() {
	apparmor_parser -r -K -q <<-EOS
		profile pol-test $BIN/polrun flags=(attach_disconnected) {
			file,
			network,
			unix,
			signal,
			ptrace,
			$1
		}
	EOS
}
if [ "$(cat /sys/module/apparmor/parameters/enabled 2>/dev/null)" = Y ] &&
	profile 'capability,' 2>/dev/null; then
	t "an AppArmor profile without mount rules: refused, and the profile is named"
	theirs touch ran
	want_rc 125
	want_line "refused: .*AppArmor profile 'pol-test' confines polrun"
	no_file ran
	out=$($other $D)
	want_out "user namespaces +no .*pol-test"
	# The switch is Ubuntu's: the same refusal, with a stand-in for its sysctl.
	t "kernel.apparmor_restrict_unprivileged_userns is named, and what to do"
	# shellcheck disable=SC2016
	ubuntu=(unshare --mount sh -c 'mount -t tmpfs k /proc/sys/kernel &&
		echo 1 >/proc/sys/kernel/apparmor_restrict_unprivileged_userns && exec "$@"' -)
	err=$(HOME=$WORK/theirs "${ubuntu[@]}" $other "$BIN/polrun" -b "$WORK/p.polb" touch ran 2>&1 >/dev/null)
	rc=$?
	want_rc 125
	want_line "refused: no user namespaces \(E[A-Z]+\): AppArmor restricts them \(kernel.apparmor_restrict_unprivileged_userns\): .*'userns,' for polrun, or set the sysctl to 0 \(would not hold: "
	no_file ran
	out=$("${ubuntu[@]}" $other $D)
	rc=$?
	want_rc 125
	want_out "user namespaces +no .*AppArmor restricts them"
	t "an AppArmor profile with them: the sandbox is as without one"
	profile 'capability, mount, umount, remount, pivot_root,'
	theirs sh -c 'echo in; echo x > /etc/hostname; touch made'
	want_rc 0
	want_out '^in$'
	want_err 'hostname'
	want_file made
	apparmor_parser -R <<<"profile pol-test $BIN/polrun { }" 2>/dev/null ||
		echo -n pol-test >/sys/kernel/security/apparmor/.remove
	t "without a profile again"
	theirs true
	want_rc 0
else
	skip apparmor "not switched on"
fi

done_
