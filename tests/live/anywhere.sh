#!/usr/bin/env bash
# Reading anywhere: the host's tree, read-only, with what is the run's own and
# what rules take away.  Each deny beside its control.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

F=$PROBES/file_probe
mkdir -p "$HOME/.ssh" "$HOME/open/deep" "$HOME/bin"
echo key >"$HOME/.ssh/id" && echo seen >"$HOME/open/deep/f"
cp "$F" "$HOME/bin/prog"
mkfifo "$HOME/fifo"
chmod 0666 "$HOME/fifo"
# root's run owns nothing of HOME
chmod -R go+rX "$WORK/home" && chmod 0711 "$WORK"
ln -s "$HOME/.ssh/id" "$HOME/link"
HEAD='policy t { base none }
command { otherwise allow }
network disabled
env { keep PATH, HOME, TERM, LANG, PWD, USER }
file {
	allow read, write "${PROJECT_DIR}"
	allow exec "/usr", "/bin", "/lib", "/lib64", "'"$PROBES"'"
}
'
ALL='file { allow read "/"  scratch "${TMPDIR}" }'

t "root-tree: all of the host is read"
policy "$ALL"
run sh -c 'cat /etc/passwd >/dev/null && ls -d /usr/share /var/lib && cat "$HOME/open/deep/f"'
want_rc 0
want_out '^seen$'
run ls -A /
for name in usr etc var proc dev; do want_out "^$name\$"; done
run cat "$HOME/link"
want_out '^key$'
# the control: with nothing that lets it
policy 'file { allow read "/usr", "/bin", "/lib", "/lib64" }' none
run_with none cat /etc/passwd
want_rc 1
no_out root

t "aside: the run's own tree is not in the clone of the host's root"
run cat /proc/self/mountinfo
want_rc 0
want_out ' / /proc .* - proc '
no_out ' / /proc .* - tmpfs '

t "nothing of it is written"
for path in /etc/pol-x /pol-x /usr/pol-x "$HOME/pol-x" "$HOME/open/pol-x" /var/pol-x; do
	run -y "$F" create "$path"
	want_out '^(EROFS|EACCES)$'
	no_file "$path"
done
run -y "$F" chmod "$HOME/open/deep/f" 600
want_out '^(EROFS|EACCES)$'
run -y "$F" write "$HOME/open/deep/f" x
want_out '^(EROFS|EACCES)$'
want_text seen "$HOME/open/deep/f"
run -y "$F" rename "$HOME/open" "$HOME/closed"
want_out '^(EROFS|EACCES|EXDEV)$'
run -y "$F" create new
want_out '^OK$'
run -y "$F" create /tmp/new
want_out '^OK$'

t "what is hidden is not there in content, by no name of it"
policy "$ALL"' file { hide "${HOME}/.ssh", "/etc/hostname", "/usr/share", "${HOME}/open/deep/f" }' h
for path in "$HOME/.ssh/id" "$HOME/link" /etc/hostname "$HOME/open/deep/f" \
	"/proc/self/root$HOME/.ssh/id" "$HOME/open/../.ssh/id" "/proc/1/root$HOME/.ssh/id"; do
	run_with h -y "$F" read "$path"
	want_rc 1
	want_out '^(EACCES|EPERM)$'
done
for path in "$HOME/.ssh" /usr/share; do
	run_with h -y "$F" list "$path"
	want_out '^EACCES$'
done
for path in "$HOME/.ssh/id" /etc/hostname "$HOME/open/deep/f"; do
	[ -e "$path" ] || continue
	run -y "$F" read "$path"
	want_rc 0
done
run -y "$F" list /usr/share
want_rc 0

t "a hidden name cannot be moved aside, nor linked"
run_with h -y "$F" rename "$HOME/.ssh" "$P/ssh"
want_rc 1
run_with h -y "$F" link "$HOME/open/deep/f" "$P/f"
want_rc 1
run_with h -y "$F" unlink "$HOME/open/deep/f"
want_rc 1
want_text seen "$HOME/open/deep/f"

t "what is below a hide and allowed is shown"
policy "$ALL"' file { hide "${HOME}/open"  allow read "${HOME}/open/deep" }' b
run_with b -y "$F" list "$HOME/open"
want_out '^EACCES$'
run_with b -y "$F" read "$HOME/open/deep/f"
want_out '^EACCES$'
policy "$ALL"' file { hide "${HOME}/open" except "${HOME}/open/deep" }' b
run_with b -y "$F" list "$HOME/open"
want_out '^EACCES$'
run_with b -y "$F" read "$HOME/open/deep/f"
want_out '^seen$'

t "an exception of the allow is not there either"
policy 'file { allow read "/" except "${HOME}/open", "/var/lib" }' e
run_with e -y "$F" read "$HOME/open/deep/f"
want_out '^EACCES$'
run_with e -y "$F" list /var/lib
want_out '^EACCES$'
run_with e -y "$F" list /var
want_rc 0

t "cover-dir: what is private in every run is"
echo mine >"/tmp/pol-any.$$"
run cat "/tmp/pol-any.$$"
want_rc 1
no_out mine
rm -f "/tmp/pol-any.$$"
run ls -A /run /sys /var/tmp /tmp
want_rc 0
no_out 'systemd|kernel|lock|class'
[ -n "$(ls -A /run 2>/dev/null)" ] || bad "the control: /run of the host is empty"
[ -n "$(ls -A /sys 2>/dev/null)" ] || bad "the control: /sys of the host is empty"
run -y "$F" create /run/x
want_out '^(EROFS|EACCES)$'
run sh -c 'ls -A /dev | tr "\n" " "'
want_out '^fd full null ptmx pts random (shm )?stderr stdin stdout tty urandom zero $'
run -y "$F" create /dev/x
want_out '^(EROFS|EACCES)$'
run sh -c 'echo x > /dev/null && head -c 1 /dev/zero | wc -c'
want_out '^1$'
run sh -c 'ls -d /proc/[0-9]* | wc -l'
[ "$out" -le 4 ] || bad "processes of the host in /proc"

t "a program runs where an exec rule is, and nowhere else"
run "$HOME/bin/prog" read /etc/passwd
want_rc 126
run sh -c '"$HOME/bin/prog" read /etc/passwd'
want_rc 126
run -y "$F" map "$HOME/bin/prog"
want_out '^EPERM$'
policy "$ALL"' file { allow exec "${HOME}/bin" }' x
run_with x "$HOME/bin/prog" read "$HOME/open/deep/f"
want_out '^seen$'
policy "$ALL"' file { allow exec "/" }' x
run_with x "$HOME/bin/prog" read "$HOME/open/deep/f"
want_out '^seen$'
run_with x sh -c 'cp "$HOME/bin/prog" /tmp/prog && /tmp/prog read "$HOME/open/deep/f"'
want_out '^seen$'

t "every mount of the host has nosuid and nodev, and is private"
run sh -c 'grep -vE " /(dev/[a-z]+|proc)( |/)" /proc/self/mountinfo'
no_out '(shared|master):'
if grep -vE ' r[ow],nosuid,nodev' <<<"$out" | grep -q .; then bad "a mount without them"; fi

t "the project is writable, and its denies hold"
mkdir -p "$P/keep" && echo k >"$P/keep/k"
policy "$ALL"' file { deny write "${PROJECT_DIR}/keep" }' d
run_with d -y "$F" create keep/x
want_out '^EACCES$'
run_with d sh -c 'mv keep away'
want_rc 1
run_with d -y "$F" create beside
want_out '^OK$'

t "a scratch tree over the host's"
policy "$ALL"' file { scratch "${HOME}/open" }' s
run_with s sh -c 'ls -A "$HOME/open"; echo x > "$HOME/open/x" && cat "$HOME/open/x"'
want_rc 0
want_out '^x$'
no_out deep
no_file "$HOME/open/x"
policy "$ALL"' file { scratch "${HOME}/absent" }' s
run_with s true
want_rc 125
want_line 'absent'

t "a pipe of the host is not opened for writing"
if [ "$("$BIN/polrun" --doctor 2>/dev/null | grep -ciE 'landlock.*abi [1-9]')" -gt 0 ]; then
	run timeout 2 "$F" write "$HOME/fifo" x
	want_out '^EACCES$'
else
	skip fifo "the second wall is not there"
fi

t "by otherwise it is the same"
policy 'file { otherwise read allow  hide "${HOME}/.ssh" }' o
run_with o -y "$F" read "$HOME/open/deep/f"
want_out '^seen$'
run_with o -y "$F" read "$HOME/.ssh/id"
want_out '^EACCES$'
run_with o -y "$F" create "$HOME/x"
want_out '^(EROFS|EACCES)$'

t "under std/base: credentials are hidden, HOME is read-only, TMPDIR is not"
raw_policy 'policy t { } command { otherwise allow }
file { allow read "/"  allow read, write "${PROJECT_DIR}"  allow exec "'"$PROBES"'" }' std
run_with std -y "$F" read "$HOME/.ssh/id"
want_out '^EACCES$'
run_with std -y "$F" read "$HOME/open/deep/f"
want_out '^seen$'
run_with std -y "$F" create "$HOME/x"
want_out '^(EROFS|EACCES)$'
run_with std -y "$F" create /tmp/x
want_out '^OK$'
run_with std -y "$F" create /dev/shm/x
want_out '^OK$'

t "--plan shows it"
run --plan true
want_rc 0
want_out '^  read +/  \('
want_out '^  empty +/run '

done_
