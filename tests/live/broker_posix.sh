#!/usr/bin/env bash
# Calls that change files, in a tree whose names are decided one by one, give what they give
# outside: errnos, what is left, and which times change.  doc/enforcement.md names the
# differences.
# places:
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

# Of two faults in one call the one of the path is told first.
known="^(mknod dir|open creat directory|open tmpfile r|truncate -1|utimensat bad|unlinkat bad|setxattr bad|access bad|(link|rename).*) .*'(NULL|BAD|P4096)'"
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

t "so it is in a directory that is deeper than a path is long, and where only the paths of the calls reach so far"
# Two changes within one step of the kernel's clock leave one time; a true difference is there each time.
for depth in 30 19; do
	for _ in 1 2 3 4 5; do
		rm -rf "$WORK/plain$depth" "x/deep$depth"
		mkdir "$WORK/plain$depth" "x/deep$depth" && chmod 0755 "$WORK/plain$depth"
		! is_root || chown 61234:61234 "$WORK/plain$depth"
		"${outside[@]}" "$PROBES/posix_files" "$WORK/plain$depth" "$((6 * every))" "$turn" "$depth" >"$WORK/plain.txt" || bad "outside: $?"
		run "$PROBES/posix_files" "x/deep$depth" "$((6 * every))" "$turn" "$depth"
		want_rc 0
		printf '%s\n' "$out" >"$WORK/inside.txt"
		differ=$(diff <(grep -vE "$known" "$WORK/plain.txt") <(grep -vE "$known" "$WORK/inside.txt") | head -n 20)
		[ -n "$differ" ] || break
	done
	[ "$(grep -c '^[^#].*: 0;' "$WORK/plain.txt")" -gt $((500 / every / 6)) ] || bad 'hardly a call was done'
	! grep '^#' "$WORK/plain.txt" "$WORK/inside.txt" || bad 'a case could not begin'
	[ -z "$differ" ] || bad "$depth: outside (<) and inside (>): $differ"
	rm -rf "$WORK/plain$depth" "x/deep$depth"
done

t "what is denied there is denied there, also from far above, and what is moved there"
cat >"$WORK/deep.py" <<'EOP'
import os, sys
def told(what, f):
    try: f(); print(what, "done")
    except OSError as e: print(what, e.strerror)
def write(name):
    with open(name, "w") as f: f.write("x")
os.mkdir("x/far"); os.chdir("x/far")
for i in range(30):
    os.mkdir("w" * 200); os.chdir("w" * 200)
told("secret", lambda: write(".env"))
told("file", lambda: write("env"))
told("moved", lambda: os.rename("env", ".env"))
told("linked", lambda: os.link("env", ".env"))
os.makedirs("a/b"); write("a/b/env")
told("below", lambda: os.rename("a", ".env.d"))
told("tree", lambda: os.rename("a", "c"))
told("link", lambda: os.symlink("c", "l"))
told("through", lambda: write("l/b/.env"))
told("up", lambda: write("c/b/../../env2"))
d = os.open("c", os.O_RDONLY)
os.chdir("/")
told("at", lambda: os.close(os.open("b/.env", os.O_WRONLY | os.O_CREAT, dir_fd=d)))
told("atfile", lambda: os.close(os.open("b/new", os.O_WRONLY | os.O_CREAT, dir_fd=d)))
told("mode", lambda: os.chmod("b/new", 0o600, dir_fd=d))
EOP
policy 'file { deny write "**/.env*"  allow read "'"$WORK/deep.py"'" }' far
run_with far python3 "$WORK/deep.py"
want_rc 0
for what in secret moved linked below through at; do want_out "^$what Permission denied\$"; done
for what in file tree link up atfile mode; do want_out "^$what done\$"; done
[ -z "$(find x/far -name '.env' 2>/dev/null)" ] || bad "a denied name was made"
[ "$(find x/far -name 'env2' | wc -l)" -eq 1 ] || bad "the control is not there"
rm -rf x/far

t "a file there that the run has open for writing gets no denied name from outside"
cat >"$WORK/hold.py" <<'EOP'
import os, time
os.mkdir("x/far"); os.chdir("x/far")
for i in range(30):
    os.mkdir("w" * 200); os.chdir("w" * 200)
f = open("env", "w"); f.write("x"); f.flush()
time.sleep(0.3)  # so that it is watched
open("ready", "w").close()
for i in range(600):
    if not os.path.exists("env"): break
    time.sleep(0.05)
time.sleep(2)  # in which the run ends, if it does
EOP
cat >"$WORK/move.py" <<'EOP'
import os, sys, time
for i in range(600):
    try:
        os.chdir(sys.argv[1])
        for i in range(30): os.chdir("w" * 200)
        os.stat("ready"); break
    except OSError: time.sleep(0.05)
os.rename("env", sys.argv[2])
EOP
policy 'file { deny write "**/.env*"  allow read "'"$WORK/hold.py"'" }' hold
for to in env2 .env; do
	python3 "$WORK/move.py" "$P/x/far" "$to" &
	run_with hold python3 "$WORK/hold.py"
	wait $! || bad "nothing was moved"
	if [ "$to" = env2 ]; then want_rc 0; else want_rc 123; fi
	rm -rf x/far
done

t "it was the broker"
run sh -c 'echo x >x/.env; echo x >x/env && cat x/env'
want_out '^x$'
no_file x/.env
want_text x x/env

t "in a directory that is removed nothing is made, and above it what the rules allow"
cat >"$WORK/gone.py" <<'EOP'
import errno, os, shutil
def told(what, f):
    try: r = f()
    except OSError as e: r = errno.errorcode[e.errno]
    print(what, r)
def write(name, **at):
    with open(os.open(name, os.O_WRONLY | os.O_CREAT, 0o644, **at), "w") as f: f.write("x")
top = os.getcwd()
os.makedirs("x/a/b/c"); os.chdir("x/a/b/c")
d = os.open(".", os.O_RDONLY)
os.rmdir("../c")
told("here", lambda: write("here"))
told("above", lambda: write("../above"))
told("at", lambda: write("../at", dir_fd=d))
told("read", lambda: open("../above").read())
told("far", lambda: write("..//../far"))
told("denied", lambda: write("../.env"))
told("moved", lambda: os.rename("../above", "../../above"))
told("denied too", lambda: os.rename("../../above", "../.env"))
told("again", lambda: os.mkdir("../c"))
told("in it", lambda: write("../c/in"))
told("not in this one", lambda: write("in"))
told("the one above", lambda: os.rmdir(".."))
shutil.rmtree(top + "/x/a/b")
told("both gone", lambda: write("../x"))
told("above both", lambda: write("../../last"))
told("through a file", lambda: write("../../last/x"))
told("left", lambda: sorted(set(os.listdir(top + "/x/a")) - {"above"}))
EOP
policy 'file { deny write "**/.env*"  allow read "'"$WORK/gone.py"'" }' p
policy 'file { hide "**/.env*"  allow read "'"$WORK/gone.py"'" }' far
expected=$(mkdir "$WORK/gone" && cd "$WORK/gone" && python3 "$WORK/gone.py")
for name in p far; do
	rm -rf x
	run_with $name python3 "$WORK/gone.py"
	want_rc 0
	want_out '^denied EACCES$'
	want_out '^denied too EACCES$'
	want_out '^above None$'
	[ "$(grep -v '^denied' <<<"$out")" = "$(grep -v '^denied' <<<"$expected")" ] || bad "expected: $expected"
	[ -z "$(find x -name '.env')" ] || bad "a denied name was made"
done
mkdir -p x

t "from a directory that somebody moves out of the tree no path leads anywhere else"
# the kernel tells "/" as its name, and that is where the same paths begin here
cat >"$WORK/away.sh" <<'EOP'
cd "$1" || exit 9
echo x >"$2/x/ready"
i=0; while [ "$1" != / ] && [ ! -e "$OLDPWD/x/moved" ] && [ $((i += 1)) -lt 600 ]; do sleep 0.05; done
for at in . /proc/self/cwd; do
	rm -f "$at${2}/x/victim"; mv -f "$at$2/x/other" "$at$2/x/another"; echo x >"$at$2/x/new"
	ls "$at" | grep -x usr; cat "$at$2/x/text"
done
echo last
EOP
policy 'file { deny write ".env*"  allow read "'"$WORK/away.sh"'" }'
policy 'file { hide "**/.env*"  allow read "'"$WORK/away.sh"'" }' far
for name in p far; do
	for from in "$P/x/sub" /; do
		rm -rf x "$WORK/away" && mkdir -p x/sub
		echo x >x/victim && echo x >x/other && echo told >x/text
		[ "$from" = / ] || {
			within 10 test -e x/ready
			mv x/sub "$WORK/away" && : >x/moved
		} &
		run_with $name sh "$WORK/away.sh" "$from" "$P"
		wait $!
		want_out '^last$'
		if [ "$from" = / ]; then
			no_file x/victim && no_file x/other
			want_file x/another && want_file x/new
			want_out '^told$'
		else
			want_file x/victim && want_file x/other && want_file x/moved
			no_file x/another && no_file x/new
			no_out '^(told|usr)$'
		fi
	done
done

t "a program that was written can be executed at once"
policy 'file { deny write ".env*"  allow read, exec "'"$PROBES"'"  allow exec "${PROJECT_DIR}" }' x
run_with x "$PROBES/busy_probe" 300 /bin/true
want_rc 0
want_out '^busy 0 bad 0$'

done_
