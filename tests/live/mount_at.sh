#!/usr/bin/env bash
# A tree of the host at a second place: what rules say of either name holds at
# both.  Each deny beside its control.
# long: every fourth day, as root and as a user in turn
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

F=$PROBES/file_probe
mkdir -p "$P/sub/hid" "$P/locked" "$P/bin" "$HOME/.cache/npm" "$WORK/out/data"
echo h >"$P/sub/hid/h" && echo e >"$P/.env" && echo n >"$HOME/.cache/npm/n"
cp "$F" "$P/bin/prog"
cp "$F" "$P/prog"
echo one >"$HOME/one"
ln -s "$HOME/.cache" "$HOME/link"
chmod -R go+rX "$WORK/home" && chmod 0711 "$WORK"
ADD='file { allow read, exec "'"$PROBES"'" }
'
M='file {
	mount "${PROJECT_DIR}" at "/workspace" read, write
	mount "${HOME}/.cache/npm" at "/cache/npm" read
	mount "${HOME}/one" at "/one" read
'

t "the tree is at its place, and at its own"
policy "$ADD$M }"
run sh -c 'cat /workspace/.env && cat .env && cat /cache/npm/n && cat "$HOME/.cache/npm/n" && cat /one && pwd'
want_rc 0
[ "$(tr '\n' ' ' <<<"$out")" = "e e n n one $P " ] || bad "not the same tree: $out"
run sh -c 'echo w > /workspace/w && cat w && echo x > v && cat /workspace/v && mv /workspace/v /workspace/u'
want_rc 0
want_text w "$P/w"
want_text x "$P/u"
run ls -A /
want_out '^workspace$'
want_out '^cache$'
# the control: without the mount
policy "$ADD" none
run_with none -y "$F" read /workspace/.env
want_out '^ENOENT$'

t "a mount that is read-only is so at both names"
for path in /cache/npm/n "$HOME/.cache/npm/n" /one "$HOME/one"; do
	run -y "$F" write "$path" x
	want_out '^(EROFS|EACCES)$'
done
run -y "$F" create /cache/x
want_out '^(EROFS|EACCES)$'
want_text n "$HOME/.cache/npm/n"

t "a deny in either spelling holds at both"
for at in /workspace '${PROJECT_DIR}'; do
	policy "$ADD$M deny write \"$at/.env\", \"$at/locked\"  hide \"$at/sub/hid\" }" d
	for top in /workspace "$P"; do
		run_with d -y "$F" write "$top/.env" x
		want_out '^EACCES$'
		run_with d -y "$F" create "$top/locked/x"
		want_out '^EACCES$'
		run_with d -y "$F" read "$top/sub/hid/h"
		want_out '^EACCES$'
		run_with d -y "$F" list "$top/sub/hid"
		want_out '^EACCES$'
		run_with d -y "$F" rename "$top/sub" "$top/bus"
		want_out '^EBUSY$'
		run_with d -y "$F" rename "$top/locked" "$top/unlocked"
		want_out '^EACCES$'
		run_with d -y "$F" create "$top/beside"
		want_out '^OK$'
		rm -f "$P/beside"
	done
	want_text e "$P/.env"
	want_file "$P/sub/hid/h"
	no_file "$P/locked/x"
	no_file "$P/unlocked"
	no_file "$P/bus"
done
for top in /workspace "$P"; do
	run -y "$F" read "$top/sub/hid/h"
	want_rc 0
	run -y "$F" write "$top/.env" e
	want_rc 0
done

t "what is absent is denied at both names"
policy "$ADD$M"' deny write "/workspace/sub/absent" }' d
for top in /workspace "$P"; do
	run_with d -y "$F" create "$top/sub/absent"
	want_out '^EACCES$'
	run_with d -y "$F" create "$top/sub/present"
	want_out '^OK$'
	rm -f "$P/sub/present"
	run_with d -y "$F" create "$top/other"
	want_out '^OK$'
	rm -f "$P/other"
done
no_file "$P/sub/absent"

t "a wildcard below the place denies what it matches, by both names"
policy "$ADD$M"' deny write "/workspace/sub/*.key" }' d
for top in /workspace "$P"; do
	run_with d -y "$F" create "$top/sub/x.key"
	want_out '^EACCES$'
	for free in y.key sub/x.pub; do
		run_with d -y "$F" create "$top/$free"
		want_out '^OK$'
		rm -f "$P/$free"
	done
done
no_file "$P/sub/x.key"

t "the plan shows where it is mounted"
run --plan true
want_out "^  read write\\* +/workspace  of $P  \\(rule "
want_out "^  read +/cache/npm  of $HOME/.cache/npm  "

t "programs run where an exec rule is, by both names"
policy "$ADD$M"' allow exec "/workspace/bin" }' x
for top in /workspace "$P"; do
	run_with x "$top/bin/prog" read /one
	want_out '^one$'
	run_with x sh -c "$top/bin/prog read /one"
	want_out '^one$'
	run_with x sh -c "$top/prog read /one"
	want_rc 126
done
run_with x /workspace/prog read /one
want_rc 126

t "a tree that is not there is not mounted, and the plan says so"
policy "$ADD"'file { mount "${HOME}/none" at "/none" read }' n
run_with n sh -c 'ls /none'
want_rc 2
run_with n --plan true
want_out 'nothing +absent below /  \(rule file-[0-9a-f]+ at n.pol:'

t "a place is no link's, and lies in no tree of the run's"
policy "$ADD"'file { mount "${HOME}/link" at "/l" read }' n
run_with n true
want_rc 125
want_line 'mount at /l: .*symbolic link'
policy "$ADD"'file { mount "/usr/share" at "/opt" read }' n
HOME=/opt/pol-none run_with n true
want_rc 125
want_line 'mount at /opt: /opt/pol-none lies there'
run_with n true
want_rc 0
policy "$ADD"'file { mount "${HOME}/one" at "/usr/pol-no-such-place" read }' n
run_with n true
want_rc 125
want_line 'the host has nothing there'

t "over a directory of the host"
policy "$ADD"'file { mount "${HOME}/.cache/npm" at "/usr/share" read }' o
run_with o ls -A /usr/share
want_out '^n$'
[ "$(wc -l <<<"$out")" = 1 ] || bad "the host's /usr/share is there, too"
run_with o -y "$F" create /usr/share/x
want_out '^EROFS$'

t "where all of the host is read: a new place, an old one, and the hides"
HEAD=${HEAD/', "${HOME}"'/} policy "$ADD$M"' allow read "/"  hide "/workspace/sub/hid", "${HOME}/.cache/npm/n", "/usr/share" }' a
for path in "$P/sub/hid/h" /workspace/sub/hid/h "$HOME/.cache/npm/n" /cache/npm/n \
	"$HOME/link/npm/n"; do
	run_with a -y "$F" read "$path"
	want_out '^EACCES$'
done
run_with a -y "$F" list /usr/share
want_out '^EACCES$'
run_with a sh -c 'ls -A / | tr "\n" " "; cat "$HOME/one" /one; echo w > /workspace/w2'
want_rc 0
want_out '(^| )etc .* usr .*'
want_out '(^| )workspace '
want_text w "$P/w2"
for path in /etc/x /x "$HOME/x" /cache/x; do
	run_with a -y "$F" create "$path"
	want_out '^(EROFS|EACCES)$'
done
run_with a sh -c 'grep -vE " /(dev/[a-z]+|proc)( |/)" /proc/self/mountinfo'
no_out '(shared|master):'
if grep -vE ' r[ow],nosuid,nodev' <<<"$out" | grep -q .; then bad "a mount without them"; fi
policy "$ADD"'file { allow read "/"  mount "${HOME}/.cache/npm" at "/mnt" read }' b
run_with b -y "$F" read /mnt/n
want_out '^n$'

t "the explanation of a denial knows both names"
policy "$ADD$M"' deny write "/workspace/.env" as no-env }' d
run_with d --explain-denials "$F" write /workspace/.env x
if grep -q 'no listener' <<<"$err"; then
	skip listener "denials get no name here"
else
	want_err 'no-env'
fi

done_
