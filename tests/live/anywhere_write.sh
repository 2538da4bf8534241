#!/usr/bin/env bash
# Writing anywhere: each name of the host's root is mounted by itself and can be written, less what
# the floor and the rules keep.  Each deny beside its control.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

F=$PROBES/file_probe
# Outside of HOME, of the project and of /var/tmp, which is private in every run.  Only root makes it.
FAR=/opt/pol-any.$$
[ ! -d /opt ] || mkdir "$FAR" 2>/dev/null || FAR=$HOME/far
trap 'rm -rf "$FAR" /opt/pol-any-new.$$' EXIT
mkdir -p "$FAR/keep/deep" "$FAR/open" "$HOME/.ssh" "$HOME/open" "$P/.pol" "$P/sub"
echo old | tee "$FAR/open/f" "$FAR/keep/f" "$FAR/keep/deep/f" "$FAR/secret.key" >/dev/null
echo rc >"$HOME/.bashrc"
echo key >"$HOME/.ssh/id"
HEAD='policy t { base none }
command { otherwise allow }
network disabled
env { keep PATH, HOME, TERM, LANG, PWD, USER }
file {
	allow exec "/usr", "/bin", "/lib", "/lib64", "'"$PROBES"'"
}
'
ALL='file { allow read "/"  allow write "/" }'
# The run must not be able to write its own bundle: it lies in the project's .pol.
here() { policy "$1" "home/project/.pol/${2:-p}"; }
at() {
	local name=$1
	shift
	run_with "home/project/.pol/$name" "$@"
}

t "what the host has is written where its permissions let"
here "$ALL"
for dir in "$FAR/open" "$HOME/open" "$P/sub"; do
	at p -y "$F" create "$dir/new"
	want_out '^OK$'
	[ -f "$dir/new" ] || bad "$dir/new is not on the host"
	at p -y "$F" rename "$dir/new" "$dir/other"
	want_out '^OK$'
	at p -y "$F" unlink "$dir/other"
	want_out '^OK$'
	no_file "$dir/other"
done
at p sh -c 'echo new >"$1" && mv "$1" "$2/moved" && cat "$2/moved"' x "$FAR/open/f" "$FAR/open"
want_out '^new$'
want_text new "$FAR/open/moved"
mv "$FAR/open/moved" "$FAR/open/f"
if is_root; then
	at p -y "$F" create "/opt/pol-any-new.$$"
	want_out '^OK$'
	[ -f "/opt/pol-any-new.$$" ] || bad "nothing new in /opt"
	rm -f "/opt/pol-any-new.$$"
else
	at p -y "$F" create "/opt/pol-any-new.$$"
	want_out '^EACCES$'
	at p -y "$F" write /etc/hostname x
	want_out '^EACCES$'
fi
# the control: read alone
here 'file { allow read "/" }' r
for dir in "$FAR/open" "$HOME/open" "$P/sub"; do
	at r -y "$F" create "$dir/new"
	want_out '^(EROFS|EACCES)$'
	no_file "$dir/new"
done

t "by otherwise, and all three operations by it, it is the same"
here 'file { allow read "/"  otherwise write allow }' o
at o -y "$F" create "$FAR/open/new"
want_out '^OK$'
rm -f "$FAR/open/new"
here 'file { otherwise allow }' o
at o -y "$F" create "$HOME/open/new"
want_out '^OK$'
rm -f "$HOME/open/new"
at o -y "$F" write "$HOME/.bashrc" x
want_out '^EACCES$'

t "the floor's names are kept, and the policy's own"
for name in "$HOME/.bashrc" "$P/.pol/p.polb" "$P/.pol/p.pol"; do
	before=$(cksum <"$name")
	for verb in write truncate unlink; do
		at p -y "$F" "$verb" "$name" x
		want_out '^(EACCES|EROFS|EPERM)$'
	done
	at p -y "$F" rename "$name" "$HOME/open/x"
	want_out '^(EACCES|EROFS|EPERM|EXDEV)$'
	[ "$(cksum <"$name")" = "$before" ] || bad "$name has changed"
done
for name in "$HOME/.profile" "$P/.vscode" "$P/.pol/new.pol" /etc/pol/x.polb /etc/pol; do
	at p -y "$F" create "$name"
	want_out '^(EACCES|EROFS|EPERM|ENOENT|EEXIST)$'
	at p -y "$F" mkdir "$name"
	want_out '^(EACCES|EROFS|EPERM|ENOENT|EEXIST)$'
done
no_file "$HOME/.profile"
no_file "$P/.vscode"
no_file "$P/.pol/new.pol"
at p sh -c 'mkdir -p "$1/p" && mv "$2/.pol" "$1/p" ; mv "$2" "$1/p"' x "$HOME/open" "$P"
want_rc 1
[ -d "$P/.pol" ] || bad "the project has moved"

t "a policy that the run could write is not believed"
policy "$ALL" q
cp "$WORK/q.polb" "$FAR/q.polb"
"$BIN/polrun" -b "$FAR/q.polb" true >"$WORK/.out" 2>"$WORK/.err" </dev/null
rc=$? out='' err=$(<"$WORK/.err")
want_rc 125
want_line 'lies where the command can write'
rm -f "$FAR/q.polb"

t "denies hold by name: of what is there, of what is absent, by a wildcard, at any depth"
here "$ALL"'
file { deny write "'"$FAR"'/keep", "'"$FAR"'/open/absent", "'"$FAR"'/**/*.key", "locked*" }' d
for name in keep/f keep/deep/f keep/new open/absent open/x.key secret.key open/locked1; do
	at d -y "$F" create "$FAR/$name"
	want_out '^(EACCES|EEXIST|EROFS)$'
	at d -y "$F" write "$FAR/$name" x
	want_out '^(EACCES|ENOENT|EROFS)$'
	at d -y "$F" rename "$FAR/open/f" "$FAR/$name"
	want_out '^(EACCES|EROFS|EXDEV)$'
done
at d -y "$F" rename "$FAR/keep" "$FAR/away"
want_out '^(EACCES|EBUSY|EROFS)$'
at d -y "$F" rename "$FAR" "$HOME/open/far"
want_out '^(EACCES|EBUSY|EROFS|EXDEV)$'
want_text old "$FAR/secret.key"
want_text old "$FAR/keep/f"
want_text old "$FAR/keep/deep/f"
at d -y "$F" create "$FAR/open/new"
want_out '^OK$'
at d -y "$F" unlink "$FAR/open/new"
want_out '^OK$'
at p -y "$F" create "$FAR/open/x.key"
want_out '^OK$'
rm -f "$FAR/open/x.key"

t "what is hidden is neither read nor written"
here "$ALL"' file { hide "${HOME}/.ssh", "'"$FAR"'/**/*.key" }' h
for name in "$HOME/.ssh/id" "$FAR/secret.key"; do
	at h -y "$F" read "$name"
	want_out '^(EACCES|EPERM)$'
	at h -y "$F" write "$name" x
	want_out '^(EACCES|EPERM|EROFS)$'
	at p -y "$F" read "$name"
	want_rc 0
done
at h -y "$F" rename "$HOME/.ssh" "$HOME/open/ssh"
want_out '^(EACCES|EBUSY|EROFS)$'
want_text key "$HOME/.ssh/id"

t "the root, and what the kernel makes, are not the host's to write"
for path in /pol-x /proc/pol-x /sys/pol-x /dev/pol-x /run/pol-x; do
	at p -y "$F" create "$path"
	want_out '^(EROFS|EACCES|ENOENT|EPERM)$'
	no_file "$path"
	at p -y "$F" mkdir "$path"
	want_out '^(EROFS|EACCES|ENOENT|EPERM)$'
done
at p -y "$F" rename /opt /pol-opt
want_out '^(EROFS|EACCES|EBUSY)$'
at p -y "$F" rename "$FAR/open/f" /pol-f
want_out '^(EROFS|EACCES|EXDEV)$'
at p -y "$F" write /proc/sys/kernel/hostname x
want_out '^(EROFS|EACCES)$'
at p -y "$F" write /proc/sysrq-trigger x
want_rc 1
at p sh -c 'ls -A /run /sys; ls -d /proc/[0-9]* | wc -l'
want_out '^[1-4]$'
at p sh -c 'echo x >/dev/null && echo OK'
want_out '^OK$'

t "a program runs where an exec rule is, and not where one was written"
at p sh -c 'cp /usr/bin/true "$1/t" && "$1/t"' x "$HOME/open"
want_rc 126
rm -f "$HOME/open/t"
at p sh -c 'grep " /opt " /proc/self/mountinfo'
want_out 'rw,nosuid,nodev,noexec'

t "a wildcard opens names wherever they lie, and no others"
here 'file { allow read "/"  allow write "/**/*.log" }' w
for dir in "$FAR/open" "$HOME/open" "$P/sub"; do
	at w -y "$F" create "$dir/x.log"
	want_out '^OK$'
	[ -f "$dir/x.log" ] || bad "$dir/x.log is not on the host"
	at w -y "$F" rename "$dir/x.log" "$dir/x.txt"
	want_out '^EACCES$'
	at w -y "$F" create "$dir/x.txt"
	want_out '^EACCES$'
	no_file "$dir/x.txt"
	at w -y "$F" unlink "$dir/x.log"
	want_out '^OK$'
done
at w -y "$F" write "$FAR/open/f" x
want_out '^EACCES$'
want_text new "$FAR/open/f"
# in the trees that rules show, and not where none does
here 'file { allow read "/usr", "/bin", "/lib", "/lib64", "'"$PROBES"'", "'"$FAR"'/open", "${PROJECT_DIR}"  allow write "/**/*.log" }' v
at v -y "$F" create "$FAR/open/x.log"
want_out '^OK$'
at v -y "$F" create "$FAR/open/x.txt"
want_out '^EACCES$'
at v -y "$F" create "$FAR/x.log"
want_out '^(EROFS|EACCES|ENOENT)$'
no_file "$FAR/x.log"
rm -f "$FAR/open/x.log"

t "--plan says what is written, and explain what is not"
at p --plan true
want_out '^  read write +/opt '
want_out '^  read write\* +/var/tmp/.*/home '
no_out '^  read( write)?\*? +/  '
out=$(cd "$WORK" && "$BIN/polc" explain "home/project/.pol/p.pol" file write /opt/x 2>&1)
want_out '^allow: '
want_out 'mounts +exact: .*no name is made or removed directly in /'

t "a run with --stage is refused by name where something is mounted in a tree, and never writes by itself"
at p --stage sh -c 'echo staged >"$1"' x "$FAR/open/f"
want_rc 125
want_line 'stage|staged|overlay|mounted'
want_text new "$FAR/open/f"
done_
