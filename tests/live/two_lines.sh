#!/usr/bin/env bash
# What an agent can do with two lines, or with two runs: a hook judges one line at a
# time, so that the second runs what the first has written.  The kernel's walls hold
# in both.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
raw_policy 'policy two { level user }
command { allow "python3 **", "echo **", "cat **", "cp **", "tar **", "make"  deny "rm:*" as no-removing }
file {
    allow read, write "${PROJECT_DIR}"
    deny write "${PROJECT_DIR}/locked" as kept
    hide "${PROJECT_DIR}/.env" as secret
}' two
echo SECRET >.env
echo kept >locked
says() { # LINE: the hook's answer
	"$BIN/polc" explain --scope host "$WORK/two.pol" command "$1" 2>&1 | sed -n '1s/:.*//p'
}
# LINE ANSWER
line() {
	out=$(says "$1")
	[ "$out" = "$2" ] || bad "'$1' is $out, not $2"
}

t "the control: what a rule denies is denied, and within one line what it has made is seen"
line 'rm x' deny
line 'python3 -c "import os; os.remove(\"x\")"; rm x' deny
one='echo "print(1)" >x.py; python3 x.py'
[ "$(says "$one")" != allow ] || bad "one line may run what it has made"

t "in two lines each is allowed"
line 'echo "print(1)" >x.py' allow
line 'python3 x.py' allow

t "in one line what a program runs by itself is seen by its name, and may come out of an archive"
one='echo "all:" >Makefile; make'
[ "$(says "$one")" != allow ] || bad "one line may run the makefile that it has made"
line 'tar -xf made.tar; make' ask
line 'tar -tf made.tar; make' allow

# As two runs: the first one writes what the second one runs.
cat >"$WORK/x.py" <<'EOF2'
import os, subprocess
def attempt(what, f):
    try:
        print(what, f() or "done", flush=True)
    except Exception as e:
        print(what, type(e).__name__, flush=True)
attempt("read .env", lambda: open(".env").read())
attempt("write locked", lambda: open("locked", "w").write("bad") and None)
attempt("remove locked", lambda: os.remove("locked"))
attempt("rename over locked", lambda: (open("new", "w").write("bad"), os.rename("new", "locked"))[1])
attempt("write free", lambda: open("free", "w").write("x") and None)
attempt("rm free", lambda: subprocess.check_call(["rm", "free"]) or None)
EOF2
t "as two runs the second runs what the first has written, within the same walls"
cp "$WORK/x.py" source.txt
run_with two -y cp source.txt x.py
want_rc 0
want_file x.py
run_with two -y python3 x.py
want_rc 0
for what in 'read \.env' 'write locked' 'remove locked' 'rename over locked'; do
	want_out "^$what [A-Za-z]*Error$"
done
want_text kept locked
want_text SECRET .env

t "what it starts is not asked about: exec is judged at entry only"
echo mine >free
run_with two -y python3 x.py
want_out '^write free done$'
want_out '^rm free done$'
no_file free
run_with two -y rm x.py
want_rc 126
want_line 'no-removing'
want_file x.py

t "the control: without the rules on files it does all of it"
raw_policy 'policy open { level user }
command { allow "python3 **" }
file { allow read, write "${PROJECT_DIR}" }' open
run_with open -y python3 x.py
want_out '^read \.env SECRET'
want_out '^write locked done$'
want_out '^remove locked done$'
[ "$(cat locked 2>/dev/null)" != kept ] || bad "it is kept"

done_
