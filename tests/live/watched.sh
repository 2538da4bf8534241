#!/usr/bin/env bash
# What others see of files that a run reads and writes by name: the events of a watcher, the blocks of what was
# removed, and whether a program that runs can be written.  As outside, but for what doc/enforcement.md names.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

HEAD=${HEAD/'allow read, exec "/usr"'/'allow read, exec "'"$PROBES"'", "/usr"'}
chmod 0711 "$WORK"
mkdir -p x "$WORK/plain" && chmod 0755 "$WORK/plain"
outside=()
if is_root; then
	outside=(setpriv --reuid=61234 --regid=61234 --clear-groups)
	chown 61234:61234 "$WORK/plain"
fi

# STEP: the events of it, on a line each.
events_of() { sed -n "s/^$1: 0;//p" "$WORK/inside.txt" | tr ' ' '\n' | grep .; }
# What polrun adds: it looks once whether a file that was written is closed by now.  OPEN and CLOSE_NOWRITE that
# somebody who only reads makes, too.
quiet() { sed -E 's/ (OPEN|CLOSE_NOWRITE)\([a-z0-9]*\)//g' "$1"; }

t "a watcher sees of each call what it sees outside, and of polrun's own looks no more than that a file was read"
policy 'file { deny write ".env*"  hide "**/.secret*" }'
"${outside[@]}" "$PROBES/watch_probe" "$WORK/plain" >"$WORK/plain.txt" || bad "outside: $?"
run "$PROBES/watch_probe" x
want_rc 0
printf '%s\n' "$out" >"$WORK/inside.txt"
[ "$(grep -c ': 0;' "$WORK/plain.txt")" -eq 37 ] || bad "outside $(grep -c ': 0;' "$WORK/plain.txt") steps were done"
# truncate(2) opens the file, a directory that moves is read, and what is removed goes a moment after its name
known='^(truncate|rename directory|unlink): '
differ=$(diff <(quiet "$WORK/plain.txt" | grep -vE "$known") <(quiet "$WORK/inside.txt" | grep -vE "$known"))
[ -z "$differ" ] || bad "outside (<) and inside (>): $differ"
# these look at nothing
same='^(read|stat|access|chmod|times|link|rename|unlink a link|symlink|read through it|mkdir|list|rename into|rename out of|rmdir|watch it|write it|close it): '
differ=$(diff <(grep -E "$same" "$WORK/plain.txt") <(grep -E "$same" "$WORK/inside.txt"))
[ -z "$differ" ] || bad "outside (<) and inside (>): $differ"
[ "$(grep -cE "$same" "$WORK/plain.txt")" -ge 17 ] || bad "too few of them"

t "a file that was written is looked at once, and one that stays open not again for each other one"
[ "$(events_of write | grep -c '^OPEN')" -le 2 ] || bad "$(events_of write)"
[ -z "$(events_of another | grep log)$(events_of 'another one' | grep log)" ] || bad "the open one was looked at again"
[ -n "$(events_of 'another one' | grep 'CLOSE_WRITE(k2)')" ] || bad "no events"

t "what is removed is gone for those who watch it as soon as the last who has it open has closed it"
events_of 'close it' | grep -q '^DELETE_SELF' || bad "$(events_of 'close it')"
events_of unlink | grep -q '^DELETE_SELF' || bad "$(events_of unlink)"

t "the blocks of a file that was open for writing are free when it is removed and closed"
cat >"$WORK/blocks.py" <<'EOP'
import os, sys, time
def free():
    os.sync(); s = os.statvfs("."); return s.f_bfree * s.f_frsize
def used_after(remove):
    f = os.open("big", os.O_WRONLY | os.O_CREAT, 0o644)
    time.sleep(0.3)  # so that polrun has looked at it, and keeps it
    before = free()
    os.write(f, bytes(8 << 20)); os.fsync(f)
    held = before - free()
    remove()
    os.close(f)
    for i in range(40):  # a disk may be late
        if before - free() < held // 4: return "freed" if held > 4 << 20 else "nothing was held"
        time.sleep(0.05)
    return "kept %d of %d" % (before - free(), held)
def over():
    open("other", "w").close(); os.rename("other", "big")
print("unlink", used_after(lambda: os.unlink("big")))
print("rename", used_after(over))
EOP
policy "file { deny write \".env*\"  allow read \"$WORK/blocks.py\" }" blocks
apart() { # a file system of this test's own, so that nobody else changes what is free
	if is_root; then unshare -m bash -c "$1" x "$WORK" "$BIN/polrun" "${@:2}"; else unshare -rm bash -c "$1" x "$WORK" "$BIN/polrun" "${@:2}"; fi
}
out=$(apart 'mount -t tmpfs -o size=64m,mode=777 none "$1/plain" && cd "$1/plain" && python3 "$1/blocks.py" && rm -f * && "$2" --project . -b "$1/blocks.polb" python3 "$1/blocks.py"' 2>&1)
[ "$(grep -c '^unlink freed$' <<<"$out")" -eq 2 ] || bad "outside and inside: $out"
[ "$(grep -c '^rename freed$' <<<"$out")" -eq 2 ] || bad "outside and inside: $out"

t "a program that runs cannot be written, also where it was started by its name"
cat >"$WORK/busy.py" <<'EOP'
import os, shutil, subprocess, sys
shutil.copy("/bin/sleep", "prog"); os.chmod("prog", 0o755)
def told(what, f):
    try: f(); print(what, "done")
    except OSError as e: print(what, e.strerror)
def write(): os.close(os.open("prog", os.O_WRONLY))
def empty(): os.close(os.open("prog", os.O_RDWR | os.O_TRUNC))
told("before", write)
p = subprocess.Popen(["./prog", "100"])
told("write", write)
told("empty", empty)
told("truncate", lambda: os.truncate("prog", 3))
told("read", lambda: os.close(os.open("prog", os.O_RDONLY)))
told("mode", lambda: os.chmod("prog", 0o700))
told("write after that", write)
os.link("prog", "other")
told("write by the first name", write)
told("write by the other", lambda: os.close(os.open("other", os.O_WRONLY)))
os.rename("prog", "moved")
told("truncate by a new name", lambda: os.truncate("moved", 3))
told("started again", lambda: subprocess.run(["./moved", "0"], check=True))
told("write then", lambda: os.close(os.open("moved", os.O_RDWR)))
os.unlink("moved"); os.unlink("other")
for i in range(20):  # one of them may get its inode
    shutil.copy("/bin/sleep", "new%d" % i)
    told("another file", lambda: os.close(os.open("new%d" % i, os.O_WRONLY)))
    os.unlink("new%d" % i)
p.kill(); p.wait()
shutil.copy("/bin/sleep", "prog"); os.chmod("prog", 0o755)
p = subprocess.Popen(["./prog", "100"])
os.chmod("prog", 0o700)
told("write the new one", write)
p.kill(); p.wait()
told("after", write)
r = os.open("prog", os.O_RDONLY)
told("while it is read", write)
told("size", lambda: print(os.stat("prog").st_size > 1000))
EOP
policy "file { deny write \".env*\"  hide \"**/.secret*\"  allow read \"$WORK/busy.py\"  allow exec \"\${PROJECT_DIR}\" }" busy
python3 "$WORK/busy.py" >"$WORK/plain.txt" && rm prog
grep -q '^write Text file busy$' "$WORK/plain.txt" || bad "outside: $(<"$WORK/plain.txt")"
run_with busy python3 "$WORK/busy.py"
want_rc 0
differ=$(diff "$WORK/plain.txt" - <<<"$out")
[ -z "$differ" ] || bad "outside (<) and inside (>): $differ"
rm -f prog

t "what refuses a socket is named"
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("x/socket")'
run sh -c 'echo x >x/socket'
want_rc 2
want_err 'blocked: write .*/x/socket: polrun opens no device, no socket, and no FIFO on a read-only mount for a run \(No such device or address\)'
no_err 'no rule'
rm x/socket

done_
