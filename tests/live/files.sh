#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# places:
# What the file rules let through and stop: each deny beside its control.
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

echo secret >"$WORK/out/secret"
echo data >"$P/data"
mkdir -p "$HOME/.ssh" "$P/sub/deep"
echo key >"$HOME/.ssh/id"

t "a project file is read and written"
policy ''
run sh -c 'cat data; echo new > fresh && cat fresh'
want_rc 0
want_out '^data$'
want_text new "$P/fresh"

t "a tree outside is not there; with a rule it is read"
run cat "$WORK/out/secret"
want_rc 1
no_out secret
policy "file { allow read \"$WORK/out\" }" q
run_with q cat "$WORK/out/secret"
want_rc 0
want_out '^secret$'

t "a tree outside cannot be written; with a rule it is"
run_with q sh -c "echo x > $WORK/out/new"
want_rc 2
no_file "$WORK/out/new"
policy "file { allow read, write \"$WORK/out\" }" q
run_with q sh -c "echo x > $WORK/out/new"
want_rc 0
want_text x "$WORK/out/new"

t "a system tree is read-only, whoever runs"
run touch /usr/pol-live-test
want_rc 1
no_file /usr/pol-live-test
run sh -c 'chmod 0777 /etc/passwd || chown 1 /etc/passwd || touch /etc/passwd'
want_rc 1

t "a deny of writing below a writable tree"
echo keep >"$P/keep"
# shellcheck disable=SC2016
policy 'file { deny write "${PROJECT_DIR}/keep", "${PROJECT_DIR}/sub/deep" }' d
run_with d sh -c 'echo x > keep'
want_rc 2
want_err 'Permission denied'
want_text keep "$P/keep"
run sh -c 'echo x > keep'
want_rc 0
want_text x "$P/keep"

t "a file that alone may be written is, also beside a wildcard"
mkdir -p "$HOME/state/sub" && echo old | tee "$HOME/state/one" "$HOME/state/two" >/dev/null
# root's run owns nothing of HOME
[ "$(id -u)" -ne 0 ] || chmod 0711 "$WORK"
policy 'file { allow read "${HOME}/state"  allow write "${HOME}/state/one"  deny write "*.key" }' alone
run_with alone sh -c 'echo new >"$HOME/state/one" && cat "$HOME/state/one"'
want_rc 0
want_out '^new$'
want_text new "$HOME/state/one"
for name in two sub/new one.key .one.swp; do
	run_with alone sh -c 'echo new >"$HOME/state/$1"' x "$name"
	want_rc 2
	run_with alone sh -c 'mv "$HOME/state/one" "$HOME/state/$1"' x "$name"
	want_rc 1
done
want_text old "$HOME/state/two"
want_text new "$HOME/state/one"
policy 'file { allow read "${HOME}/state"  deny write "*.key" }' none
run_with none sh -c 'echo newer >"$HOME/state/one"'
want_rc 2
want_text new "$HOME/state/one"

t "a name that is absent and alone may be written is made, and nothing beside it"
policy 'file { allow read "${HOME}/state"  allow write "${HOME}/state/sub/later", "${HOME}/state/dir" }' later
run_with later sh -c 'cd "$HOME/state" && echo new >sub/later && cat sub/later && mkdir dir && echo x >dir/f && mv dir/f dir/g && rm sub/later && echo again >sub/later'
want_rc 0
want_out '^new$'
want_text again "$HOME/state/sub/later"
want_text x "$HOME/state/dir/g"
for name in sub/other sub/later.tmp two dir2; do
	run_with later sh -c 'echo new >"$HOME/state/$1"' x "$name"
	want_rc 2
	run_with later sh -c 'mv "$HOME/state/sub/later" "$HOME/state/$1"' x "$name"
	want_rc 1
done
want_text old "$HOME/state/two"
want_text again "$HOME/state/sub/later"
rm -r "$HOME/state/sub/later" "$HOME/state/dir"
run_with none sh -c 'echo new >"$HOME/state/sub/later"'
want_rc 2
no_file "$HOME/state/sub/later"

t "a denied directory cannot be moved away, nor replaced"
run_with d sh -c 'mv sub other'
want_rc 1
want_file "$P/sub/deep"
no_file "$P/other"
run_with d sh -c 'rm -rf sub; test -d sub/deep'
want_rc 0
run_with d sh -c 'echo x > sub/deep/file'
want_rc 2
no_file "$P/sub/deep/file"
run_with d sh -c 'echo x > sub/beside'
want_rc 0
want_file "$P/sub/beside"
run sh -c 'mv sub other && mv other sub'
want_rc 0

t "what is hidden shows nothing, its neighbour does"
mkdir -p "$P/hid" && echo s >"$P/hid/s" && echo n >"$P/near"
# shellcheck disable=SC2016
policy 'file { hide "${PROJECT_DIR}/hid" }' h
run_with h sh -c 'cat hid/s'
want_rc 1
no_out '^s$'
run_with h sh -c 'ls -A hid; echo x > hid/s; rm -rf hid; mv hid away; cat near'
want_out '^n$'
want_text s "$P/hid/s"
run sh -c 'cat hid/s'
want_rc 0
want_out '^s$'

t "a hidden file is hidden, too"
# shellcheck disable=SC2016
policy 'file { hide "${PROJECT_DIR}/near" }' h
run_with h cat near
want_rc 1
want_line "near cannot be read in the sandbox: rule file-"
no_out '^n$'
want_text n "$P/near"
run cat near
want_rc 0

t "HOME is private and empty but for what rules name"
run sh -c 'ls -A ~; cat ~/.ssh/id'
want_rc 1
no_out ssh
# shellcheck disable=SC2016
policy 'file { allow read "${HOME}/.ssh" }' h
run_with h cat "$HOME/.ssh/id"
want_rc 0
want_out '^key$'

t "HOME below a scratch tree, with a project in it"
mkdir -p "/tmp/pol-live-home.$$/p"
echo there >"/tmp/pol-live-home.$$/p/f"
# shellcheck disable=SC2016
policy 'file { allow read "${HOME}" }' h
(cd "/tmp/pol-live-home.$$/p" && HOME=/tmp/pol-live-home.$$ "$BIN/polrun" -b "$WORK/h.polb" \
	--project . sh -c 'cat f; echo x > new; echo y > ../no' >"$WORK/.out" 2>"$WORK/.err")
rc=$? out=$(cat "$WORK/.out") err=$(cat "$WORK/.err")
want_rc 2
want_out '^there$'
want_text x "/tmp/pol-live-home.$$/p/new"
no_file "/tmp/pol-live-home.$$/no"
rm -rf "/tmp/pol-live-home.$$"

t "/tmp is the run's own"
echo outside >"/tmp/pol-live.$$"
run sh -c "ls -A /tmp; cat /tmp/pol-live.$$; echo in > /tmp/pol-live-in.$$ && cat /tmp/pol-live-in.$$"
want_rc 0
want_out '^in$'
no_out outside
no_file "/tmp/pol-live-in.$$"
rm -f "/tmp/pol-live.$$"

t "symbolic links lead nowhere that no rule names"
ln -sf "$WORK/out/secret" "$P/link"
run cat link
want_rc 1
no_out secret
rm "$P/link"
run sh -c 'ln -s data in && cat in'
want_rc 0
want_out '^data$'

t "a link that a run can make lends no right to what it stands for"
mkdir -p "$WORK/out/sub"
ln -sfn "$WORK/out" "$P/lent"
# shellcheck disable=SC2016
policy 'file { allow read "'"$WORK/out"'"  deny write "${PROJECT_DIR}/lent/sub" }' l
run_with l sh -c "cat lent/secret && echo x > $WORK/out/lent"
want_rc 2
want_out '^secret$'
no_file "$WORK/out/lent"
# shellcheck disable=SC2016
policy 'file { allow read, write "'"$WORK/out"'"  deny write "${PROJECT_DIR}/lent/sub" }' l
run_with l sh -c "echo x > $WORK/out/lent"
want_rc 0
want_text x "$WORK/out/lent"
rm "$P/lent"

t "a tree without an exec rule runs nothing, also by the loader"
cp /bin/true "$P/prog"
run ./prog
want_rc 126
want_line 'not executable in the sandbox'
run sh -c './prog'
want_rc 126
run /lib64/ld-linux-x86-64.so.2 ./prog
want_rc 127
want_err 'failed to map segment'
# shellcheck disable=SC2016
policy 'file { allow exec "${PROJECT_DIR}" }' x
run_with x ./prog
want_rc 0

t "no device, no mount, no way to another root"
run sh -c 'mknod dev c 1 3; mount -t tmpfs none /mnt; chroot . true'
[ "$rc" -ne 0 ] || bad "mknod, mount or chroot worked"
no_file "$P/dev"
run sh -c 'echo x > /dev/null && head -c 4 /dev/urandom | wc -c'
want_rc 0
want_out '^4$'

t "/proc is the sandbox's own, and full"
run sh -c 'cat /proc/1/comm; ls /proc | grep -c "^[0-9]"'
want_rc 0
want_out '^polinit$'
run sh -c 'cat /proc/cpuinfo >/dev/null && cat /proc/self/status >/dev/null'
want_rc 0
run sh -c 'echo 1 > /proc/sys/kernel/core_uses_pid'
want_rc 2
run sh -c 'head -c 1 /proc/kcore; cat /proc/keys'
no_out .

outside=file-otherwise-read
# a private tree around the project shows nothing of the host's
[ "$PLACE" != tmp ] || outside='.*: scratch '
t "--explain-denials names rule and place of each block"
policy "file { deny write \"$P/keep\" as no-keeping }" e
run_with e --explain-denials sh -c "echo x > keep; cat $WORK/out/secret; cat near; touch /usr/x"
want_line 'write .*/keep: rule no-keeping at e\.pol:[0-9]+'
want_line "read $WORK/out/secret: rule $outside"
want_line 'write /usr/x: rule file-otherwise-write'
no_err 'near'
run_with e --explain-denials ls -d "$WORK/out/secret" "$WORK/nowhere"
want_line "read $WORK/out/secret: rule $outside"
no_err 'blocked: .*nowhere'
run_with e --explain-denials cat near
want_rc 0
no_err 'blocked'
run_with e --explain-denials sh -c 'readlink /proc/self/exe; ls -l /proc/self/status; ls /dev/fd'
want_rc 0
no_err 'blocked: .*/(proc|dev)'

t "a hidden name is explained, a name that is nowhere is not"
# shellcheck disable=SC2016
policy 'file { hide "${PROJECT_DIR}/hid" as hidden-thing }' e
run_with e --explain-denials sh -c 'cat hid/s; cat /no/such/file'
want_err 'read .*/hid/s: rule hidden-thing at e\.pol:[0-9]+'
no_err '/no/such/file:.*rule'

t "what is replaced, and what holds it, is explained"
mkdir -p "$P/holder" "$P/free" && echo k >"$P/holder/kept" && echo f >"$P/free/file"
# shellcheck disable=SC2016
policy 'file { deny write "${PROJECT_DIR}/holder/kept" as kept }' e
run_with e --explain-denials sh -c 'echo n > new; mv -f new holder/kept'
want_rc 1
want_line 'write .*/holder/kept( \(. times\))?: rule kept at e\.pol:[0-9]+'
run_with e --explain-denials mv holder away
want_rc 1
want_line 'write .*/holder/kept( \(. times\))?: rule kept at e\.pol:[0-9]+'
run_with e --explain-denials sh -c 'mv -f new free/file && mv free away && mv away free'
want_rc 0
no_err 'blocked'
want_text k "$P/holder/kept"

t "control bytes of a name do not reach the terminal"
run_with e --explain-denials sh -c 'touch "$(printf "/usr/a\033[31mb\nc")"'
want_err 'write /usr/a\\x1b\[31mb\\x0ac'
no_err "$(printf '\033')"

done_
