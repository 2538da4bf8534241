#!/usr/bin/env python3
"""polinject between a program that speaks plain HTTP and real TLS servers.

    inject.py FOLDER [WORD]     FOLDER: the build; only the cases whose name holds WORD

Plays polgate: dials, passes both connections on, and hears how they ended.  The servers are
Python's ssl, nginx and openssl s_server, with certificates of an authority that is made here.
Last line: N passed, N failed, N skipped.
"""
import array
import ctypes
import fcntl
import hashlib
import os
import random
import re
import resource
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import warnings

warnings.simplefilter("ignore", DeprecationWarning)  # old TLS is what a case is about
BUILD = sys.argv[1]
# the leak checker cannot look into a process that is not dumpable, and freed memory is kept back
SANITIZED = b"__asan_init" in open(f"{BUILD}/bin/polinject", "rb").read()
EMPTY = {"ASAN_OPTIONS": "detect_leaks=0"} if SANITIZED else {}
SECRET = "s3cr3t-" + os.urandom(8).hex()
F_ADD_SEALS, SEALS, SIZE_SEALS = 1033, 15, 7
RULES = 8  # of inject_made
WHAT = {1: "closed", 2: "refused", 5: "unreached"}
WHY = ["rule", "ask", "guard", "sni", "host", "protocol", "limit", "resolve", "connect", "timeout"]
DONE = struct.Struct("=IIIIIIQQ272s")


# --- certificates --------------------------------------------------------------------------

def openssl(*args, text=None):
    subprocess.run(["openssl", *args], check=True, input=text, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)


class Authority:
    def __init__(self, folder):
        self.folder = folder
        for ca in ("ca", "stranger"):
            openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", f"/CN={ca}",
                    "-keyout", f"{folder}/{ca}.key", "-out", f"{folder}/{ca}.pem")

    def issue(self, name, san, days="30", ca="ca", bits="2048"):
        base = f"{self.folder}/{name}"
        openssl("req", "-newkey", f"rsa:{bits}", "-nodes", "-subj", f"/CN={san.split(':')[1]}", "-keyout", base + ".key", "-out", base + ".csr")
        with open(base + ".ext", "w") as f:
            f.write(f"subjectAltName={san}\n")
        openssl("x509", "-req", "-in", base + ".csr", "-CA", f"{self.folder}/{ca}.pem", "-CAkey", f"{self.folder}/{ca}.key",
                "-CAcreateserial", "-days", days, "-extfile", base + ".ext", "-out", base + ".pem")
        return base

    def own(self, name, host):
        base = f"{self.folder}/{name}"
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", f"/CN={host}", "-addext",
                f"subjectAltName=DNS:{host}", "-keyout", base + ".key", "-out", base + ".pem")
        return base


# --- servers ---------------------------------------------------------------------------------

class Server:
    """TLS on loopback; keeps what each connection sent, and answers with `talk(socket, self)`."""

    def __init__(self, base, talk, plain=False, tls=None, weak=False):
        self.got, self.names, self.talk = [], [], talk
        self.ctx = None
        if not plain:
            self.ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            if weak:
                self.ctx.set_ciphers("ALL:@SECLEVEL=0")
            self.ctx.load_cert_chain(base + ".pem", base + ".key")
            self.ctx.sni_callback = lambda s, name, c: self.names.append(name)
            if tls:
                self.ctx.minimum_version = ssl.TLSVersion.TLSv1
                self.ctx.maximum_version = tls
                self.ctx.set_ciphers("ALL:@SECLEVEL=0")
        self.s = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.s.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                c, _ = self.s.accept()
            except OSError:
                return
            threading.Thread(target=self.one, args=(c,), daemon=True).start()

    def one(self, c):
        record = bytearray()
        self.got.append(record)
        try:
            if self.ctx:
                c = self.ctx.wrap_socket(c, server_side=True)
            c.settimeout(20)
            self.talk(c, record)
        except (OSError, ValueError):
            pass
        finally:
            try:
                c.close()
            except OSError:
                pass

    def all(self):
        return b"".join(bytes(r) for r in self.got)

    def close(self):
        self.s.close()


def read_head(c, record, rest=b""):
    data = rest
    while b"\r\n\r\n" not in data:
        more = c.recv(65536)
        record += more
        if not more:
            return None, b""
        data += more
    head, _, rest = data.partition(b"\r\n\r\n")
    return head, rest


def read_body(c, record, head, rest):
    m = re.search(rb"\r\ncontent-length: (\d+)", head.lower())
    if m:
        while len(rest) < int(m.group(1)):
            more = c.recv(65536)
            record += more
            if not more:
                return None, b""
            rest += more
        n = int(m.group(1))
        return rest[:n], rest[n:]
    if b"\r\ntransfer-encoding: chunked" in head.lower():
        body = b""
        while True:
            while b"\r\n" not in rest:
                more = c.recv(65536)
                record += more
                rest += more
            line, _, rest = rest.partition(b"\r\n")
            n = int(line.split(b";")[0], 16)
            while len(rest) < n + 2:
                more = c.recv(65536)
                record += more
                rest += more
            body += rest[:n]
            rest = rest[n + 2:]
            if n == 0:
                return body, rest
    return b"", rest


def echo(c, record):
    """Answers each request with the digest of its body; the connection stays."""
    rest = b""
    while True:
        head, rest = read_head(c, record, rest)
        if head is None:
            return
        if b"expect: 100-continue" in head.lower():
            c.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        body, rest = read_body(c, record, head, rest)
        if body is None:
            return
        text = hashlib.sha256(body).hexdigest().encode() + b" " + head.split(b" ")[1]
        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(text) + text)
        if b"\r\nconnection: close" in head.lower():
            c.unwrap()
            return


# --- polinject ---------------------------------------------------------------------------------

class Inject:
    def __init__(self, ca, header="Authorization", prefix="Bearer ", secret=SECRET, seal=True, env=None, config=None):
        if config is None:
            config = subprocess.run([f"{BUILD}/tests/conformance/inject_made", header, prefix, secret], check=True, capture_output=True).stdout
        self.lock = threading.Lock()
        self.gate, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        memory = os.memfd_create("config", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
        os.write(memory, config)
        if seal:
            fcntl.fcntl(memory, F_ADD_SEALS, SEALS)
        ca_fd = os.open(ca, os.O_RDONLY)
        self.spent = os.memfd_create("spent", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
        os.ftruncate(self.spent, 8 * (RULES + 1))
        fcntl.fcntl(self.spent, F_ADD_SEALS, SIZE_SEALS)
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 50) for fd in (other.fileno(), memory, ca_fd, self.spent)]

        def arrange():
            for at, fd in enumerate(high):
                os.dup2(fd, 3 + at)
            ctypes.CDLL(None).prctl(1, 9)
        self.process = subprocess.Popen([f"{BUILD}/bin/polinject"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, env={**EMPTY, **(env or {})}, close_fds=False, preexec_fn=arrange)
        other.close()
        for fd in [memory, ca_fd] + high:
            os.close(fd)
        self.gate.settimeout(20)
        self.first = self.hear()
        self.waiting, self.id = {}, 0

    def hear(self):
        data = self.gate.recv(4096)
        if not data:
            return None
        kind, id_, what, why, error, requests, up, down, text = DONE.unpack(data)
        return {"type": kind, "id": id_, "what": WHAT.get(what), "why": WHY[why], "error": error, "requests": requests, "up": up,
                "down": down, "text": text.split(b"\0")[0].decode()}

    def open(self, port, name="api.example", limit=0, dialled=443, rule=0, buffer=None):
        """The program's end of a connection to the server at `port`."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            if buffer:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, buffer)
            mine = socket.create_connection(listener.getsockname())
            theirs, _ = listener.accept()
        server = socket.create_connection(("127.0.0.1", port))
        with self.lock:
            self.id += 1
            message = struct.pack("=IIIHHQ256s", 1, self.id, rule, dialled, 0, limit, name.encode())
            self.gate.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                                           array.array("i", [theirs.fileno(), server.fileno()]))])
        theirs.close()
        server.close()
        mine.settimeout(20)
        return mine

    def done(self):
        d = self.hear()
        assert d and d["type"] == 4, f"polinject said {d}"
        assert SECRET not in d["text"], "the secret stands in a message"
        return d

    def end(self):
        self.gate.close()
        out, _ = self.process.communicate(timeout=10)
        assert out == b"", f"polinject printed {out}"
        return self.process.returncode


def all_of(s):
    data = b""
    try:
        while True:
            more = s.recv(65536)
            if not more:
                return data, "end"
            data += more
    except ConnectionResetError:
        return data, "reset"


def answer(s):
    """One answer with a length."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = s.recv(65536)
        assert more, f"the connection ends after {data!r}"
        data += more
    head, _, rest = data.partition(b"\r\n\r\n")
    n = int(re.search(rb"\r\ncontent-length: (\d+)", head.lower()).group(1))
    while len(rest) < n:
        rest += s.recv(65536)
    return head, rest


class Bench:
    """What all cases share: the authority, a polinject, an echoing server."""

    def __init__(self, folder):
        self.folder = folder
        self.authority = Authority(folder)
        self.good = self.authority.issue("good", "DNS:api.example")
        self.inject = Inject(f"{folder}/ca.pem")
        assert self.inject.first["type"] == 2, self.inject.first

    def server(self, talk=echo, base=None, **kw):
        return Server(base or self.good, talk, **kw)


GET = b"GET /x HTTP/1.1\r\nHost: api.example\r\n\r\n"
CLOSE = b"GET /x HTTP/1.1\r\nHost: api.example\r\nConnection: close\r\n\r\n"


# --- cases: each raises AssertionError ------------------------------------------------------------

def case_get(b):
    s = b.server()
    c = b.inject.open(s.port)
    c.sendall(CLOSE.replace(b"\r\n\r\n", b"\r\nAuthorization: mine\r\nX: y\r\n\r\n"))
    data, how = all_of(c)
    d = b.inject.done()
    assert data.endswith(b" /x") and how == "end", (data, how)
    assert s.all() == b"GET /x HTTP/1.1\r\nHost: api.example\r\nX: y\r\nConnection: close\r\nAuthorization: Bearer " + SECRET.encode() + b"\r\n\r\n", s.all()
    assert s.names == ["api.example"], s.names
    assert (d["what"], d["why"], d["requests"], d["text"]) == ("closed", "rule", 1, ""), d
    assert d["down"] == len(data), d


def case_port(b):
    s = b.server()
    c = b.inject.open(s.port, dialled=8443)
    c.sendall(CLOSE)
    all_of(c)
    b.inject.done()
    assert b"\r\nHost: api.example:8443\r\n" in s.all(), s.all()


def case_keep_alive(b):
    s = b.server()
    c = b.inject.open(s.port)
    for i in range(5):
        c.sendall(GET.replace(b"/x", b"/%d" % i))
        assert answer(c)[1].endswith(b" /%d" % i)
    c.sendall(GET * 3 + CLOSE)
    data, how = all_of(c)
    d = b.inject.done()
    assert data.count(b"HTTP/1.1 200") == 4 and how == "end", data
    assert s.all().count(SECRET.encode()) == 9 and len(s.got) == 1 and d["requests"] == 9, (d, len(s.got))


def case_leaving_program(b):
    """Closed by the program after an answer: the server's connection does not stay."""
    s = b.server()
    c = b.inject.open(s.port)
    c.sendall(GET)
    answer(c)
    c.close()
    started = time.time()
    d = b.inject.done()
    assert time.time() - started < 5 and d["requests"] == 1 and d["what"] == "closed", d


def case_half_close(b):
    s = b.server()
    c = b.inject.open(s.port)
    c.sendall(GET + GET)
    c.shutdown(socket.SHUT_WR)
    data, how = all_of(c)
    b.inject.done()
    assert data.count(b"HTTP/1.1 200") == 2 and how == "end", (data, how)


def case_bodies(b):
    body = os.urandom(3000000)
    want = hashlib.sha256(body).hexdigest().encode()
    chunked = b"".join(b"%x;e=1\r\n" % len(p) + p + b"\r\n" for p in (body[i:i + 70001] for i in range(0, len(body), 70001))) + b"0\r\n\r\n"
    s = b.server()
    c = b.inject.open(s.port)
    for head, data in ((b"Content-Length: %d" % len(body), body), (b"Transfer-Encoding: chunked", chunked)):
        c.sendall(b"POST /x HTTP/1.1\r\nHost: api.example\r\n" + head + b"\r\n\r\n" + data)
        assert answer(c)[1].split(b" ")[0] == want
    c.close()
    b.inject.done()


def case_trailers(b):
    """A field behind the body is passed on, but not one of the injected name: some servers count it."""
    head = b"POST /x HTTP/1.1\r\nHost: api.example\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"
    for name, passed in ((b"X-Sum", True), (b"Authorizations", True), (b"Authorization", False), (b"AUTHORIZATION", False)):
        s = b.server()
        c = b.inject.open(s.port)
        c.sendall(head + b"X-Other: 1\r\n" + name + b": mine\r\n\r\n")
        data, _ = all_of(c)
        c.close()
        d = b.inject.done()
        assert (b"mine" in s.all()) == passed and (d["what"] == "closed") == passed, (name, data, d, s.all())
        if passed:
            assert data.startswith(b"HTTP/1.1 200"), (name, data)
        else:
            assert d["why"] == "protocol" and (data == b"" or b"polgate: " in data), (name, data, d)
        s.close()


def case_expect(b):
    s = b.server()
    c = b.inject.open(s.port)
    c.sendall(b"POST /x HTTP/1.1\r\nHost: api.example\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
    assert c.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
    c.sendall(b"abc")
    assert answer(c)[1].startswith(hashlib.sha256(b"abc").hexdigest().encode())
    c.close()
    b.inject.done()


def case_single_bytes(b):
    s = b.server()
    c = b.inject.open(s.port)
    c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in CLOSE:
        c.sendall(bytes([byte]))
        time.sleep(0.001)
    assert all_of(c)[0].endswith(b" /x")
    b.inject.done()


def case_streaming(b):
    """Each event arrives before the server sends the next one."""
    go = threading.Semaphore(0)

    def talk(c, record):
        read_head(c, record)
        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for i in range(5):
            text = b"data: %d\n\n" % i
            c.sendall(b"%x\r\n" % len(text) + text + b"\r\n")
            assert go.acquire(timeout=5)
        c.sendall(b"0\r\n\r\n")
        c.unwrap()
    s = b.server(talk)
    c = b.inject.open(s.port)
    c.sendall(GET)
    data, slowest = b"", 0
    for i in range(5):
        started = time.time()
        while b"data: %d\n\n" % i not in data:
            more = c.recv(65536)
            assert more
            data += more
        slowest = max(slowest, time.time() - started)
        go.release()
    data, how = all_of(c)
    b.inject.done()
    assert data.endswith(b"0\r\n\r\n") and how == "end" and slowest < 2, (data, how, slowest)


def case_refused_requests(b):
    """An answer in words, and not a byte for the server."""
    host = b"Host: api.example\r\n"
    rows = [
        (b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403, "host"), (b"GET / HTTP/1.1\r\nHost: api.example:443\r\n\r\n", 403, "host"),
        (b"GET / HTTP/1.1\r\n\r\n", 400, "host"), (b"GET / HTTP/1.1\r\n" + host + host + b"\r\n", 400, "host"),
        (b"GET http://evil.example/ HTTP/1.1\r\n" + host + b"\r\n", 400, "host"),
        (b"POST / HTTP/1.1\r\n" + host + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "protocol"),
        (b"POST / HTTP/1.1\r\n" + host + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde", 400, "protocol"),
        (b"POST / HTTP/1.1\r\n" + host + b"Transfer-Encoding: gzip, chunked\r\n\r\n", 400, "protocol"),
        (b"GET / HTTP/1.1\r\nX: a\r\n b\r\n" + host + b"\r\n", 400, "protocol"), (b"GET / HTTP/1.1\nHost: api.example\n\n", 400, "protocol"),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 17000 + b"\r\n" + host + b"\r\n", 400, "protocol"),
        (b"CONNECT api.example:80 HTTP/1.1\r\nHost: api.example:80\r\n\r\n", 403, "protocol"),
        (b"TRACE / HTTP/1.1\r\n" + host + b"\r\n", 403, "protocol"), (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "protocol"),
        (b"\x16\x03\x01\x00\x05hello", 400, "protocol")]
    for row, status, why in rows:
        s = b.server()
        c = b.inject.open(s.port)
        time.sleep(0.02)  # so that TLS is up, and it is not only too early
        c.sendall(row)
        data, _ = all_of(c)
        c.close()
        d = b.inject.done()
        assert data.startswith(b"HTTP/1.1 %d " % status) and b"\r\n\r\npolgate: " in data, (row, data)
        assert (d["what"], d["why"]) == ("refused", why) and d["requests"] == 0, (row, d)
        assert s.all() == b"", (row, s.all())
        s.close()


def case_second_request(b):
    """Refused behind one that was answered: reset, and the server does not see it."""
    s = b.server()
    c = b.inject.open(s.port)
    c.sendall(GET)
    answer(c)
    c.sendall(b"GET /stolen HTTP/1.1\r\nHost: evil.example\r\n\r\n")
    data, how = all_of(c)
    d = b.inject.done()
    assert (data, how) == (b"", "reset") and b"stolen" not in s.all(), (data, how)
    assert (d["what"], d["why"], d["requests"], d["text"]) == ("refused", "host", 1, "evil.example"), d


def case_malformed_body(b):
    s = b.server()
    c = b.inject.open(s.port)
    c.sendall(b"POST /x HTTP/1.1\r\nHost: api.example\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n0\r\n\r\nGET /stolen HTTP/1.1\r\n")
    data, _ = all_of(c)
    c.close()
    d = b.inject.done()
    assert d["why"] == "protocol" and b"zz" not in s.all() and b"stolen" not in s.all(), (d, s.all())


def say_http(c, record):
    record += c.recv(65536)
    c.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def case_certificates(b):
    """Only a certificate for this name, of an authority that counts, and valid now."""
    issue = b.authority.issue
    today = b.server()
    c = b.inject.open(today.port)
    c.sendall(CLOSE)
    assert all_of(c)[0].startswith(b"HTTP/1.1 200")
    b.inject.done()
    for what, kw, text in (
            ("another name", {"base": issue("name", "DNS:evil.example")}, "mismatch"),
            ("a name below", {"base": issue("below", "DNS:x.api.example")}, "mismatch"),
            ("a wildcard of all", {"base": issue("all", "DNS:*")}, "mismatch"),
            ("a wildcard that is too high", {"base": issue("high", "DNS:*.api.example")}, "mismatch"),
            ("an address", {"base": issue("address", "IP:127.0.0.1")}, "mismatch"),
            ("a subject without a name", {"base": issue("subject", "email:api.example")}, "mismatch"),
            ("a client's", {"base": issue("client", "DNS:api.example\nextendedKeyUsage=clientAuth")}, "purpose"),
            ("its own", {"base": b.authority.own("own", "api.example")}, "self-signed"),
            ("a stranger's", {"base": issue("strange", "DNS:api.example", ca="stranger")}, "certificate"),
            ("one that has ended", {"base": issue("old", "DNS:api.example", days="-1")}, "expired"),
            ("a short key", {"base": issue("short", "DNS:api.example", bits="1024"), "weak": True}, "certificate"),
            ("TLS 1.1", {"tls": ssl.TLSVersion.TLSv1_1}, "no TLS"),
            ("no TLS", {"plain": True, "talk": say_http}, "no TLS")):
        s = b.server(**kw)
        c = b.inject.open(s.port)
        c.sendall(GET)
        data, _ = all_of(c)
        c.close()
        d = b.inject.done()
        assert data.startswith(b"HTTP/1.1 502 "), (what, data)
        assert (d["what"], d["requests"]) == ("unreached", 0) and text in d["text"], (what, d)
        assert SECRET.encode() not in s.all() and b"api.example\r\n" not in s.all(), (what, s.all())
        s.close()


def case_other_names(b):
    """The secret is for the one host of its rule, whatever polgate says."""
    for name in ("other.example", "x.wild.example", "wild.example", "evil.example", "x.api.example", "API.example", ""):
        base = b.authority.issue("other", f"DNS:{name or 'x'}")
        s = b.server(base=base)
        c = b.inject.open(s.port, name=name)
        c.sendall(GET)
        data, _ = all_of(c)
        d = b.inject.done()
        assert data == b"" and (d["what"], d["why"]) == ("refused", "rule") and s.all() == b"", (name, data, d)


def case_cut_answer(b):
    """Without TLS's own end the program must not take what came for all of it."""
    def talk(c, record):
        read_head(c, record)
        c.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + b"x" * 300000)
        # as somebody on the way would end it: not TLS, only TCP
        c.shutdown(socket.SHUT_RDWR)
    s = b.server(talk)
    c = b.inject.open(s.port)
    c.sendall(GET)
    time.sleep(0.3)
    data, how = all_of(c)
    b.inject.done()
    assert how == "reset" and data.count(b"x") == 300000, (len(data), how)

    def whole(c, record):
        read_head(c, record)
        c.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + b"x" * 300000)
        c.unwrap()
    s = b.server(whole)
    c = b.inject.open(s.port)
    c.sendall(GET)
    data, how = all_of(c)
    b.inject.done()
    assert how == "end" and data.count(b"x") == 300000, (len(data), how)


def case_no_answer(b):
    def talk(c, record):
        read_head(c, record)
    s = b.server(talk)
    c = b.inject.open(s.port)
    c.sendall(GET)
    data, how = all_of(c)
    b.inject.done()
    assert (data, how) == (b"", "reset"), (data, how)


def case_limit(b):
    """Of all connections of a rule together; another rule's do not count."""
    s = b.server()
    first, second, other = (b.inject.open(s.port, limit=1000, rule=rule) for rule in (5, 5, 6))
    body = b"POST /x HTTP/1.1\r\nHost: api.example\r\nContent-Length: 600\r\n\r\n" + b"x" * 600
    for c in (first, other):
        c.sendall(body)
        answer(c)
    second.sendall(body)
    _, how = all_of(second)
    d = b.inject.done()
    assert how == "reset" and d["why"] == "limit" and d["what"] == "refused", (how, d)
    other.sendall(GET)
    answer(other)
    other.close()
    assert b.inject.done()["what"] == "closed"
    first.sendall(GET)
    assert all_of(first)[1] == "reset" and b.inject.done()["why"] == "limit"


def case_limit_is_exact(b):
    """Twenty connections at once, both ways: never a byte more than the limit, which polgate's bytes use up as well."""
    def talk(c, record):
        while True:
            head, rest = read_head(c, record)
            if head is None:
                return
            c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n" + b"y" * 50000)
    s = b.server(talk)
    os.pwrite(b.inject.spent, struct.pack("=Q", 100000), 8 * 7)
    got = []

    def one():
        c = b.inject.open(s.port, limit=700000, rule=7)
        c.sendall(GET)
        got.append(len(all_of(c)[0]))
    threads = [threading.Thread(target=one) for _ in range(20)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    ends = [b.inject.done() for _ in threads]
    assert sum(e["up"] + e["down"] for e in ends) <= 600000, ends
    # what was counted arrives: the reset at the limit waits for it
    assert 50000 < sum(got) == sum(e["down"] for e in ends), (sum(got), ends)
    assert struct.unpack("=Q", os.pread(b.inject.spent, 8, 8 * 7))[0] == 700000
    assert any(e["why"] == "limit" for e in ends), ends


def case_limit_and_a_slow_reader(b):
    """What was counted reaches a program that reads it late."""
    def talk(c, record):
        read_head(c, record)
        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 50000000\r\n\r\n" + bytes(50000000))
    s = b.server(talk)
    os.pwrite(b.inject.spent, bytes(8), 8 * 7)
    c = b.inject.open(s.port, limit=12000000, rule=7, buffer=100000)
    c.sendall(GET)
    n = 0
    try:
        while more := len(c.recv(100000)):
            n += more
            time.sleep(0.5 if n == more else 0.002)
        how = "end"
    except ConnectionResetError:
        how = "reset"
    d = b.inject.done()
    assert how == "reset" and d["why"] == "limit" and n == d["down"] == 12000000 - len(GET), (how, n, d)


def case_crowd(b):
    """Each place is taken, by what is not complete: the oldest gives way, and the newest is served at once."""
    s = b.server()
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    for sent, wait in ((b"G", 0), (GET, 1.2)):
        inject, silent = Inject(f"{b.folder}/ca.pem"), socket.create_server(("127.0.0.1", 0), backlog=1024)
        held = []
        for _ in range(520):
            held.append(inject.open(silent.getsockname()[1]))
            held[-1].sendall(sent)
        time.sleep(wait)
        for i in range(10):
            c = inject.open(s.port)
            c.sendall(CLOSE)
            started = time.time()
            data, _ = all_of(c)
            assert data.endswith(b" /x") and time.time() - started < (9 if SANITIZED else 3), (sent, i, data)
            c.close()
        # eight for the crowd itself, one for all of the good ones
        ends = [inject.done() for _ in range(19)]
        refused = [d for d in ends if d["what"] == "refused"]
        assert len(refused) == 9 and all(d["why"] == "limit" for d in refused), refused
        assert "not complete" in refused[-1]["text"] and refused[-1]["id"] < 512, refused[-1]
        for c in held:
            c.close()
        inject.end()
        silent.close()


def case_large_answer(b):
    size = 64 * 1024 * 1024

    def talk(c, record):
        read_head(c, record)
        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
        for _ in range(size // 65536):
            c.sendall(bytes(65536))
    s = b.server(talk)
    c = b.inject.open(s.port)
    c.sendall(GET)
    started, n = time.time(), 0
    while n < size:
        more = len(c.recv(1 << 20))
        assert more
        n += more
        if n == more:
            time.sleep(0.5)  # a slow reader holds up itself only
    seconds = time.time() - started
    c.close()
    d = b.inject.done()
    assert d["down"] >= size
    print(f"     {size / seconds / 1e6:.0f} MB/s from a server in Python")


def case_slow_reader(b):
    """One that does not read holds up no other."""
    def talk(c, record):
        read_head(c, record)
        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 50000000\r\n\r\n" + bytes(50000000))
    slow = b.server(talk)
    s = b.server()
    stuck = b.inject.open(slow.port)
    stuck.sendall(GET)
    time.sleep(0.3)
    for _ in range(20):
        c = b.inject.open(s.port)
        c.sendall(CLOSE)
        assert all_of(c)[0].endswith(b" /x")
        b.inject.done()
    stuck.close()
    b.inject.done()


def case_many(b):
    """A hundred at a time, three times; no descriptor and little memory is left."""
    def usage():
        pid = b.inject.process.pid
        rss = int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{pid}/status").read()).group(1))
        return len(os.listdir(f"/proc/{pid}/fd")), rss
    s = b.server()
    before, seen = usage(), []
    for _ in range(3):
        conns = [b.inject.open(s.port) for _ in range(100)]
        for c in conns:
            c.sendall(GET)
        for c in conns:
            answer(c)
        for c in conns:
            c.sendall(CLOSE)
        for c in conns:
            assert all_of(c)[0].endswith(b" /x")
            c.close()
        for _ in conns:
            assert b.inject.done()["requests"] == 2
        seen.append(usage())
    assert seen[-1][0] == before[0], (before, seen)
    assert SANITIZED or seen[-1][1] < seen[0][1] + 4096, (before, seen)
    print(f"     {before[1]} KiB before, {seen[-1][1]} KiB after 300 connections")


def one_of_chaos(b, r, port):
    """A program that is cut, slow, malformed or gone at any moment."""
    c = b.inject.open(port)
    try:
        what = r.randrange(8)
        head = GET if what < 5 else CLOSE
        if what == 1:
            head = GET[:r.randrange(len(GET))]
        elif what == 2:
            head = bytes(r.randrange(256) for _ in range(r.randrange(1, 400)))
        elif what == 3:
            head = b"POST /x HTTP/1.1\r\nHost: api.example\r\nTransfer-Encoding: chunked\r\n\r\n" + b"5\r\nabcde\r\n" * r.randrange(9)
        elif what == 4:
            at = r.randrange(len(GET))
            head = GET[:at] + bytes([r.randrange(256)]) + GET[at + 1:]
        while head:
            n = r.randrange(1, 60)
            c.sendall(head[:n])
            head = head[n:]
            if r.randrange(4) == 0:
                time.sleep(r.random() / 50)
        end = r.randrange(4)
        if end == 0:
            c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif end == 1:
            c.shutdown(socket.SHUT_WR)
            all_of(c)
        elif end == 2 and what >= 5:
            all_of(c)
    except OSError:
        pass
    finally:
        c.close()


def case_chaos(b):
    """Programs and servers that end, break and stall at random: every connection ends, nothing is left, and no
    server that is not the right one has seen the secret."""
    seed = int(os.environ.get("SEED") or time.time())
    r = random.Random(seed)

    def talk(c, record):
        how = r.randrange(6)
        if how == 0:
            return
        head, _ = read_head(c, record)
        if how == 1 or head is None:
            return
        if how == 2:
            c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
            return
        if how == 3:
            c.sendall(os.urandom(100000))
            return
        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n/x")
        if how == 4:
            time.sleep(0.05)
    good, bad = b.server(talk), b.server(talk, base=b.authority.issue("chaos", "DNS:evil.example"))
    plain = b.server(say_http, plain=True)
    fds = len(os.listdir(f"/proc/{b.inject.process.pid}/fd"))
    for _ in range(6):
        threads = [threading.Thread(target=one_of_chaos, args=(b, r, r.choice((good, good, good, bad, plain)).port)) for _ in range(50)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for _ in threads:
            b.inject.done()
    # the last ones are closed after they are told
    end = time.monotonic() + 30
    while len(os.listdir(f"/proc/{b.inject.process.pid}/fd")) != fds and time.monotonic() < end:
        time.sleep(0.02)
    assert len(os.listdir(f"/proc/{b.inject.process.pid}/fd")) == fds, f"SEED={seed}: descriptors are left"
    assert SECRET.encode() not in bad.all() + plain.all() and SECRET.encode() in good.all(), f"SEED={seed}"
    return None


def case_confined(b):
    pid = b.inject.process.pid
    status = open(f"/proc/{pid}/status").read()
    assert re.search(r"Seccomp:\s+2", status) and re.search(r"NoNewPrivs:\s+1", status), status
    assert (SANITIZED or open(f"/proc/{pid}/environ").read() == "") and SECRET not in open(f"/proc/{pid}/cmdline").read()
    left = sorted(os.readlink(f"/proc/{pid}/fd/{fd}").split(":")[0] for fd in os.listdir(f"/proc/{pid}/fd"))
    assert left == ["/dev/null", "anon_inode", "pipe", "pipe", "socket"], left
    assert re.search(r"Max core file size\s+0\s+0", open(f"/proc/{pid}/limits").read())


def case_environment(b):
    """SSL_CERT_FILE and SSL_CERT_DIR do not count, OPENSSL_CONF neither."""
    for ca in ("stranger", "ca"):
        env = {"SSL_CERT_FILE": f"{b.folder}/ca.pem", "SSL_CERT_DIR": b.folder, "OPENSSL_CONF": "/dev/null"}
        inject = Inject(f"{b.folder}/{ca}.pem", env=env)
        s = b.server()
        c = inject.open(s.port)
        c.sendall(CLOSE)
        data, _ = all_of(c)
        assert data.startswith(b"HTTP/1.1 502 " if ca == "stranger" else b"HTTP/1.1 200 "), data
        c.close()
        inject.done()
        assert inject.end() == 0


def case_bad_start(b):
    """What cannot be read ends the start, and the message has no secret in it."""
    good = f"{b.folder}/ca.pem"
    made = subprocess.run([f"{BUILD}/tests/conformance/inject_made", "A", "", SECRET], check=True, capture_output=True).stdout
    empty = f"{b.folder}/empty.pem"
    open(empty, "w").close()
    for what, ca, kw, text in (
            ("no seal", good, {"seal": False}, "not sealed"), ("no secret", good, {"secret": ""}, "'TOKEN' is missing"),
            ("a line end", good, {"secret": SECRET + "\n"}, "'TOKEN' is no line"),
            ("a second line", good, {"secret": SECRET + "\r\nX: y"}, "'TOKEN' is no line"),
            ("a blank", good, {"secret": " " + SECRET}, "'TOKEN' is no line"), ("a long one", good, {"secret": SECRET + "x" * 4096}, "'TOKEN' is no line"),
            ("no ASCII", good, {"secret": SECRET + "\u00fc"}, "'TOKEN' is no line"), ("a header that is none", good, {"header": "A: b"}, "a header"),
            ("a prefix with a line end", good, {"prefix": "a\r\n"}, "a header"), ("no authorities", empty, {}, "has none"),
            ("an empty config", good, {"config": b""}, "size"), ("half a config", good, {"config": made[:200]}, "version"),
            ("half a secret", good, {"config": made[:-16]}, "cut short"), ("more behind it", good, {"config": made + bytes(8)}, "behind")):
        inject = Inject(ca, **kw)
        assert inject.first and inject.first["type"] == 3 and text in inject.first["text"], (what, inject.first)
        assert SECRET not in inject.first["text"], (what, inject.first)
        assert inject.end() == 125, what


def case_gate_ends(b):
    inject = Inject(f"{b.folder}/ca.pem")
    s = b.server()
    c = inject.open(s.port)
    c.sendall(GET)
    answer(c)
    started = time.time()
    assert inject.end() == 0 and time.time() - started < 2
    assert all_of(c)[0] == b""


def case_run_ends(b):
    """polgate says that no more comes: each open connection is still accounted for, then polinject ends."""
    inject = Inject(f"{b.folder}/ca.pem")
    s = b.server()
    conns = [inject.open(s.port) for _ in range(20)]
    for c in conns:
        c.sendall(GET)
        answer(c)
    inject.gate.shutdown(socket.SHUT_WR)
    for _ in conns:
        d = inject.done()
        assert (d["what"], d["requests"]) == ("closed", 1) and d["up"] == len(GET) and d["down"] > 60, d
    assert inject.hear() is None and inject.end() == 0


def case_told_at_once(b):
    """The reason is told before the program can read it: its run may end then."""
    s = b.server()
    c = b.inject.open(s.port)
    c.sendall(GET.replace(b"api", b"evil"))
    assert c.recv(1000).startswith(b"HTTP/1.1 403 ")
    b.inject.gate.settimeout(0.001)
    d = b.inject.done()
    b.inject.gate.settimeout(20)
    assert d["text"] == "evil.example", d
    c.close()


def case_nonsense_from_gate(b):
    """A message that is none ends it: nothing is guessed."""
    for message, fds in ((b"x", 2), (b"x" * 288, 2), (b"\1\0\0\0" + bytes(284), 0), (b"\1\0\0\0" + bytes(284), 1), (b"\1\0\0\0" + bytes(284), 3),
                         (struct.pack("=IIIHHQ", 1, 1, 0, 443, 0, 0) + b"x" * 256, 2),
                         (struct.pack("=IIIHHQ", 1, 1, 99, 443, 0, 0) + b"api.example" + bytes(245), 2)):
        inject = Inject(f"{b.folder}/ca.pem")
        pair = [socket.socket() for _ in range(fds)]
        inject.gate.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [p.fileno() for p in pair]))] if fds else [])
        inject.process.wait(timeout=5)
        assert inject.end() == 0, message


def case_silent_server(b):
    """A server that does not shake hands: an answer after ten seconds, not before."""
    listener = socket.create_server(("127.0.0.1", 0))
    c = b.inject.open(listener.getsockname()[1])
    c.sendall(GET)
    started = time.time()
    data, _ = all_of(c)
    seconds = time.time() - started
    c.close()
    d = b.inject.done()
    assert data.startswith(b"HTTP/1.1 504 ") and 9 < seconds < 13 and d["why"] == "timeout", (data, seconds, d)


def case_nginx(b):
    # of the host, or as ./dev test unpacks it for the closed network
    nginx = (shutil.which("nginx") or shutil.which("/usr/sbin/nginx") or
             shutil.which("build/lab/root/usr/sbin/nginx"))
    if not nginx:
        return "no nginx"
    with socket.create_server(("127.0.0.1", 0)) as s:
        port = s.getsockname()[1]
    folder = tempfile.mkdtemp(dir=b.folder)
    os.makedirs(f"{folder}/html")
    with open(f"{folder}/html/f", "wb") as f:
        f.write(os.urandom(2000000))
    temp = "".join(f"{w}_temp_path {folder}/{w};" for w in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(f"{folder}/conf", "w") as f:
        f.write(f"daemon off; master_process off; pid {folder}/pid; error_log /dev/null; events {{}} http {{ access_log off; {temp} "
                f"server {{ listen 127.0.0.1:{port} ssl; server_name api.example; ssl_certificate {b.good}.pem; ssl_certificate_key {b.good}.key; "
                f"root {folder}/html; location /who {{ return 200 $http_authorization; }} }} }}")
    process = subprocess.Popen([nginx, "-p", folder, "-c", f"{folder}/conf"], stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.05)
        c = b.inject.open(port)
        c.sendall(GET.replace(b"/x", b"/who"))
        assert answer(c)[1] == b"Bearer " + SECRET.encode()
        c.sendall(GET.replace(b"/x", b"/f"))
        assert answer(c)[1] == open(f"{folder}/html/f", "rb").read()
        c.close()
        assert b.inject.done()["requests"] == 2
    finally:
        process.terminate()
        process.wait()
    return None


def case_s_server(b):
    with socket.create_server(("127.0.0.1", 0)) as s:
        port = s.getsockname()[1]
    process = subprocess.Popen(["openssl", "s_server", "-accept", str(port), "-cert", b.good + ".pem", "-key", b.good + ".key", "-www"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.05)
        c = b.inject.open(port)
        c.sendall(CLOSE)
        data, _ = all_of(c)
        c.close()
        b.inject.done()
        assert b"Protocol  : TLSv1.3" in data, data[:300]
    finally:
        process.terminate()
        process.wait()


def case_zz_after_all(b):
    """The same process served all of the above and is still there."""
    s = b.server()
    c = b.inject.open(s.port)
    c.sendall(CLOSE)
    assert all_of(c)[0].endswith(b" /x")
    b.inject.done()
    assert b.inject.end() == 0


def main():
    word = sys.argv[2] if len(sys.argv) > 2 else ""
    passed = failed = skipped = 0
    folder = tempfile.mkdtemp()
    bench = Bench(folder)
    for name, case in list(globals().items()):
        if not name.startswith("case_") or word not in name:
            continue
        try:
            reason = case(bench)
        except (AssertionError, OSError, subprocess.SubprocessError) as e:
            print(f"FAIL inject {name[5:]}: {type(e).__name__}: {str(e)[:600]}")
            failed += 1
            # what is left of it must not be taken for the next one's
            bench.inject.gate.close()
            bench.inject.process.wait()
            bench.inject = Inject(f"{folder}/ca.pem")
            continue
        print(f"skip inject {name[5:]}: {reason}" if reason else f"ok   inject {name[5:]}")
        passed += not reason
        skipped += bool(reason)
    shutil.rmtree(folder)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
