#!/usr/bin/env python3
"""Decides the shell lines that it is given, and prints why: libpol by ctypes."""
import ctypes as c
import json
import os
import sys

POL_COMMAND, POL_HOST, POL_JSON = 1, 2, 1
EFFECTS = ["allow", "ask", "deny"]


class Error(c.Structure):
    _fields_ = [("size", c.c_size_t), ("code", c.c_int32), ("text", c.c_char * 400)]


class Request(c.Structure):
    _fields_ = [("size", c.c_size_t)] + [
        (name, c.c_uint32) for name in ("kind", "scope", "flags", "op", "proto", "port",
                                        "nr", "unused")] + [
        ("line", c.c_char_p), ("line_n", c.c_size_t),
        ("argv", c.POINTER(c.c_char_p)), ("argc", c.c_size_t)] + [
        (name, c.c_char_p) for name in ("path", "host", "addr", "name", "role", "cwd",
                                        "home", "project", "tmpdir", "session_dir")] + [
        ("args", c.c_uint64 * 6)]


class Decision(c.Structure):
    _fields_ = [("size", c.c_size_t), ("effect", c.c_int32), ("risk", c.c_int32),
                ("rule", c.c_uint32), ("nmatched", c.c_uint32), ("nparts", c.c_uint32),
                ("err", c.c_int32), ("hidden", c.c_uint8), ("needs_person", c.c_uint8),
                ("unparsed", c.c_uint8), ("past_limit", c.c_uint8)]


class Pol:
    """An open bundle, and the memory of one thread."""

    def __init__(self, path, line_max=65536):
        self.lib = c.CDLL("libpol.so.0")
        self.bundle, self.ctx, err = c.c_void_p(), c.c_void_p(), Error(c.sizeof(Error))
        if self.lib.pol_open(path.encode(), None, c.byref(self.bundle), c.byref(err)) < 0:
            raise OSError(err.code, err.text.decode(errors="replace"))
        if self.lib.pol_ctx_new(self.bundle, c.c_size_t(line_max), c.byref(self.ctx),
                                c.byref(err)) < 0:
            raise OSError(err.code, err.text.decode(errors="replace"))

    def decide(self, line, **where):
        """(effect, the keys of polquery's answers)"""
        text = line.encode()
        q = Request(c.sizeof(Request), POL_COMMAND, POL_HOST, line=text, line_n=len(text),
                    **{k: v.encode() for k, v in where.items()})
        d, err = Decision(c.sizeof(Decision)), Error(c.sizeof(Error))
        if self.lib.pol_decide(self.ctx, c.byref(q), c.byref(d), c.byref(err)) < 0:
            raise OSError(err.code, err.text.decode(errors="replace"))
        n, buf = c.c_size_t(), c.create_string_buffer(8192)
        if self.lib.pol_explain(self.ctx, POL_JSON, buf, len(buf), c.byref(n)) < 0:
            buf = c.create_string_buffer(n.value + 1)
            self.lib.pol_explain(self.ctx, POL_JSON, buf, len(buf), c.byref(n))
        return EFFECTS[d.effect], json.loads(buf.value)

    def close(self):
        self.lib.pol_ctx_free(self.ctx)
        self.lib.pol_close(self.bundle)


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: decide.py BUNDLE LINE…")
    cwd, home = os.path.realpath("."), os.path.realpath(os.environ["HOME"])
    try:
        pol = Pol(sys.argv[1])
    except OSError as e:
        sys.exit(f"decide.py: {e.strerror}")
    project = c.create_string_buffer(4096)
    if pol.lib.pol_project(cwd.encode(), home.encode(), project) < 0:
        sys.exit("decide.py: no project")
    worst = 0
    for line in sys.argv[2:]:
        effect, why = pol.decide(line, cwd=cwd, home=home, project=project.value.decode(),
                                 tmpdir="/tmp")
        print(f"{effect}: {why['reason']} (rule {why['rules'][0]['id']})")
        worst |= effect != "allow"
    pol.close()
    return worst


sys.exit(main())
