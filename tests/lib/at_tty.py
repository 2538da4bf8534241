"""Runs a command at a pseudo-terminal of its own, and writes what it prints there.
usage: at_tty.py PROGRAM [ARG]...   Ends with its status."""
import os, pty, sys

pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
text = b""
try:
    while b := os.read(fd, 4096):
        text += b
except OSError:  # its end, on Linux
    pass
sys.stdout.write(text.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
