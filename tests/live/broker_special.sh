#!/usr/bin/env bash
# Owners, groups and special modes, in a tree whose names are decided one by one: set-group-ID and
# sticky directories, default ACLs, set-ID bits, files of somebody else, other mounts, programs that
# run.  Each call gives what it gives outside, or doc/enforcement.md names the difference.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

HEAD=${HEAD/'allow read, exec "/usr"'/'allow read, exec "'"$PROBES"'", "/usr"'}
HEAD+='unix { otherwise allow }
'
chmod 0711 "$WORK"
# Another file system than the project's, which inside is the run's own /dev/shm.
OTHER=/dev/shm/pol-special.$$
[ "$PLACE" != shm ] || OTHER=/var/tmp/pol-special.$$
mkdir "$OTHER" && chmod 0777 "$OTHER"
trap 'rm -rf "$OTHER"' EXIT
outside=()
named=(named)
if is_root; then
	outside=(setpriv --reuid=61234 --regid=61234 --clear-groups)
	named=()
fi

# DIR OWNER: what somebody else owns can only root prepare; for a user all of it is the user's.
prepare() {
	local dir=$1 in
	mkdir -p "$dir"/{plain,sg,acl,sticky/sub,open/sub,e}
	echo hello | tee "$dir"/{su1,su2,su3,su4,su5,su6,x,sticky/{theirs,mine,closed},open/{theirs,mine,closed}} >/dev/null
	cp "$PROBES/posix_special" "$dir/prog"
	chmod 0755 "$dir" "$dir/plain" "$dir/prog"
	! is_root || chown -R "$2:$2" "$dir"
	chmod 2775 "$dir/sg"
	chmod 06755 "$dir"/su?
	for in in sticky open; do
		! is_root || chown 61999:61999 "$dir/$in"/{theirs,closed,sub}
		chmod 0666 "$dir/$in/theirs"
		chmod 0600 "$dir/$in/closed"
	done
	! is_root || chown 61999:61999 "$dir/sticky"
	chmod 01777 "$dir/sticky"
	chmod 0777 "$dir/open"
}

# Nobody else is there in the run's user namespace; and the kernel looks at the mount of the new
# name before it compares the two.
known='^(chown to some(body| group)|link from there|link through the link): '

t "each call has the result that it has outside"
prepare "$WORK/plain" 61234
prepare "$P/x" 0
policy 'file { deny write ".env*"  allow exec "${PROJECT_DIR}"  scratch "/dev/shm" }'
"${outside[@]}" "$PROBES/posix_special" "$WORK/plain" "$OTHER" "${named[@]}" >"$WORK/plain.txt" || bad "outside: $?"
run "$PROBES/posix_special" x /dev/shm "${named[@]}"
want_rc 0
printf '%s\n' "$out" >"$WORK/inside.txt"
[ "$(grep -c ';' "$WORK/plain.txt")" -gt 150 ] || bad "only $(grep -c ';' "$WORK/plain.txt") cases"
[ "$(grep -c ': 0;' "$WORK/plain.txt")" -gt 100 ] || bad 'hardly a call was done'
for errno in EXDEV EEXIST ETXTBSY; do
	grep -q ": $errno;" "$WORK/plain.txt" || bad "no $errno outside"
done
! is_root || grep -q ': EPERM;' "$WORK/plain.txt" || bad 'nobody else was there'
# what a run by root does not own belongs to nobody there, which the next test is about
own() { grep -vE "$known" "$1" | if is_root; then sed '/^in sticky/,/^unlink of one/d; /^in open/,/^unlink of one/d'; else cat; fi; }
differ=$(diff <(own "$WORK/plain.txt") <(own "$WORK/inside.txt") | head -n 40)
[ -z "$differ" ] || bad "outside (<) and inside (>): $differ"

t "each call has the result that it has in a tree that the run writes itself"
rm -rf "${OTHER:?}"/*
prepare "$HOME/n" 0
prepare "$HOME/b" 0
BOTH='file { allow read, write, exec "${HOME}/n", "${HOME}/b"  scratch "/dev/shm" }'
policy "$BOTH" native
# before the calls close a directory of it: each name is decided in a tree that nobody can search
run_with native --plan true
want_out '^  read write exec +/.*/home/n '
run_with native "$PROBES/posix_special" "$HOME/n" /dev/shm "${named[@]}"
want_rc 0
printf '%s\n' "$out" >"$WORK/native.txt"
policy "$BOTH"' file { deny write ".env*" }' brokered
run_with brokered "$PROBES/posix_special" "$HOME/b" /dev/shm "${named[@]}"
want_rc 0
known='^link (from there|through the link): '
! is_root || known+='|^setxattr of a closed one: '
differ=$(diff <(grep -vE "$known" "$WORK/native.txt") <(grep -vE "$known" <<<"$out") | head -n 40)
[ -z "$differ" ] || bad "natively (<) and by name (>): $differ"
run_with brokered --plan true
want_out '^  read write\* exec +/.*/home/b '

t "a thread that has descriptors of its own names its own socket (Linux 6.9), and never another one"
run python3 -c 'import ctypes, os, socket, threading
first = socket.socket(socket.AF_UNIX)
n = first.fileno()
def other():
    if ctypes.CDLL(None).unshare(0x400) != 0:  # CLONE_FILES
        print("SHARED")
    mine = socket.socket(socket.AF_UNIX)
    os.dup2(mine.fileno(), n)
    again = socket.socket(fileno=n)
    try:
        again.bind("x/plain/sock")
    except OSError as e:
        print("MINE", e.strerror)
    else:
        print("MINE", again.getsockname())
    again.detach()
t = threading.Thread(target=other)
t.start()
t.join()
print("FIRST", repr(first.getsockname()))
first.bind("x/plain/first")
print("THEN", first.getsockname())'
want_rc 0
no_out SHARED
want_out "^FIRST ''$"
want_out '^THEN .*/first$'
if kernel_since 6.9; then
	want_out '^MINE .*/sock$'
else
	want_out '^MINE Read-only file system$'
	no_file x/plain/sock
fi
rm -f x/plain/sock x/plain/first

t "it was the broker"
run sh -c 'echo x >x/plain/.env; echo x >x/plain/env && cat x/plain/env'
want_out '^x$'
no_file x/plain/.env
want_text x x/plain/env
done_
