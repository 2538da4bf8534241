"""A pseudo-terminal with an interactive shell in it, for the live tests.
usage: term.py SCRIPT   where each line of SCRIPT is one of
  send TEXT      types TEXT and Enter        key C-c | C-z     a control key
  size ROWS COLS resizes the terminal        wait SECONDS
  pages TEXT     Enter while more is to be shown, up to TEXT
  expect REGEX   waits until it is printed (after the last expect)
  absent REGEX   is not printed within 0.7 seconds
  type TEXT      types TEXT without Enter    hangup         closes the terminal
Ends 0 when everything was seen, else 1 with what was printed."""
import fcntl, os, pty, re, select, struct, sys, termios, time

pid, fd = pty.fork()
if pid == 0:
    os.environ.update(PS1="PROMPT> ", TERM="dumb")
    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
seen, mark = "", 0

def pump(seconds):
    global seen
    end = time.time() + seconds
    while time.time() < end:
        r, _, _ = select.select([fd], [], [], 0.05)
        if r:
            try:
                b = os.read(fd, 65536)
            except OSError:
                return
            if not b:
                return
            seen += b.decode("utf-8", "replace")
            return

def expect(pattern, timeout=15):
    global mark
    end = time.time() + timeout
    while time.time() < end:
        m = re.search(pattern, seen[mark:], re.M)
        if m:
            mark += m.end()
            return True
        pump(0.1)
    return False

ok = expect("PROMPT> ")
for line in open(sys.argv[1]):
    line = line.rstrip("\n")
    verb, _, rest = line.partition(" ")
    if verb == "send":
        os.write(fd, rest.encode() + b"\r")
    elif verb == "type":
        os.write(fd, rest.encode().decode("unicode_escape").encode("latin-1"))
    elif verb == "absent" and expect(rest, 0.7):
        print(f"term: there is '{rest}'\nwhole: {seen!r}")
        ok = False
        break
    elif verb == "hangup":
        os.close(fd)
        fd = -1
        time.sleep(0.5)
        break
    elif verb == "key":
        os.write(fd, {"C-c": b"\x03", "C-z": b"\x1a", "C-\\": b"\x1c", "C-d": b"\x04"}[rest])
    elif verb == "size":
        rows, cols = map(int, rest.split())
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
    elif verb == "wait":
        time.sleep(float(rest))
    elif verb == "pages":
        while expect(r"\(Enter shows more\) |" + re.escape(rest)) and seen[:mark].endswith("more) "):
            os.write(fd, b"\r")
    elif verb == "expect" and not expect(rest):
        print(f"term: no '{rest}' after: {seen[mark:]!r}\nwhole: {seen!r}")
        ok = False
        break
try:
    os.kill(pid, 9)
except ProcessLookupError:
    pass
if fd >= 0:
    os.close(fd)
sys.exit(0 if ok else 1)
