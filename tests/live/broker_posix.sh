#!/usr/bin/env bash
# Calls that change files, in a tree whose names are decided one by one, give what they give
# outside: errnos, what is left, and which times change.  doc/enforcement.md names the
# differences.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

HEAD=${HEAD/'allow read, exec "/usr"'/'allow read, exec "'"$PROBES"'", "/usr"'}
HEAD+='unix { otherwise allow }
'
chmod 0711 "$WORK"
mkdir -p x "$WORK/plain" && chmod 0755 "$WORK/plain"
# root's run is an ordinary user there; so is who makes the calls outside
outside=()
if is_root; then
	outside=(setpriv --reuid=61234 --regid=61234 --clear-groups)
	chown 61234:61234 "$WORK/plain"
fi

# Of 6,650 cases every 9th, others each day; all: POL_POSIX_EVERY=1.
every=${POL_POSIX_EVERY:-9}
turn=$((10#$(date +%j) % every))

# Who opens a FIFO is refused by its kind; and of two faults in one call the one of the path is
# told first.
known="^open .* 'p'|^(mknod dir|open creat directory|open tmpfile r|truncate -1|utimensat bad|unlinkat bad|setxattr bad|access bad|(link|rename).*) .*'(NULL|BAD|P4096)'"
# What older kernels do otherwise (doc/enforcement.md).
kernel_since 6.4 || known+='|^open creat directory '
kernel_since 6.6 || known+='|^chmod nofollow '

t "each call has the result that it has outside"
policy 'file { deny write ".env*" }'
"${outside[@]}" "$PROBES/posix_files" "$WORK/plain" "$every" "$turn" >"$WORK/plain.txt" || bad "outside: $?"
run "$PROBES/posix_files" x "$every" "$turn"
want_rc 0
printf '%s\n' "$out" >"$WORK/inside.txt"
cases=$(grep -c ';' "$WORK/plain.txt")
[ "$cases" -gt $((6000 / every)) ] || bad "only $cases cases"
[ "$(grep -c '^[^#].*: 0;' "$WORK/plain.txt")" -gt $((500 / every)) ] || bad 'hardly a call was done'
! grep '^#' "$WORK/plain.txt" "$WORK/inside.txt" || bad 'a case could not begin'
differ=$(diff <(grep -vE "$known" "$WORK/plain.txt") <(grep -vE "$known" "$WORK/inside.txt") | head -n 20)
[ -z "$differ" ] || bad "outside (<) and inside (>): $differ"

t "it was the broker"
run sh -c 'echo x >x/.env; echo x >x/env && cat x/env'
want_out '^x$'
no_file x/.env
want_text x x/env

t "from a directory that is removed nothing is made, also above it"
run sh -c 'mkdir -p x/gone && cd x/gone && rmdir ../gone && { echo a >../above; echo b >here; } ; cd .. && ls .'
want_err 'above: Read-only file system'
want_err 'here: (Read-only file system|Directory nonexistent|No such file or directory)'
no_file x/above
(mkdir -p x/gone && cd x/gone && rmdir ../gone && echo a >../above) || bad "the control: outside it is made above"
rm -f x/above

t "a program that was written can be executed at once"
policy 'file { deny write ".env*"  allow read, exec "'"$PROBES"'"  allow exec "${PROJECT_DIR}" }' x
run_with x "$PROBES/busy_probe" 300 /bin/true
want_rc 0
want_out '^busy 0 bad 0$'

done_
