#!/usr/bin/env python3
"""Whether a server understands a request otherwise than the gateway does.

Odd requests (hosts, targets, lengths, line ends) are read by the gateway's reader, which says
how many bytes a relay would pass on and which hosts they name.  Exactly these bytes go to real
servers.  Each request that a server takes must be for the host that the reader said; a server
may refuse more, never find another host or one request more.

    http_heads.py READER [SEED]      servers: nginx, node, go, Python's; those that are missing
                                     are left out, and said

The last line is N passed, N failed, N skipped.
"""
import ipaddress
import itertools
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

NEXT = b"GET /next HTTP/1.1\r\nHost: next.example\r\nConnection: close\r\n\r\n"
HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: hidden.example\r\n\r\n"

NODE = """
const s = require('http').createServer((q, r) => { const h = 'H=' + (q.headers.host || '') + ';U=' + q.url + ';';
  q.resume(); q.on('end', () => { r.end(h); }); q.on('error', () => {}); });
s.keepAliveTimeout = 2000; s.listen(+process.argv[1], '127.0.0.1');
"""
GO = """
package main
import ("fmt"; "io"; "net/http"; "os")
func main() { http.ListenAndServe("127.0.0.1:"+os.Args[1], http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
  io.Copy(io.Discard, r.Body); fmt.Fprintf(w, "H=%s;U=%s;", r.Host, r.RequestURI) })) }
"""
PYTHON = """
import http.server, sys
class H(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *a): pass
    def answer(self):
        hosts = self.headers.get_all("Host") or [""]
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Transfer-Encoding"):
            self.close_connection = True
        body = "".join(f"H={h};" for h in hosts).encode("latin-1") + f"U={self.path};".encode("latin-1")
        self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers()
        self.wfile.write(body)
    do_GET = do_POST = do_PUT = do_HEAD = do_OPTIONS = do_CONNECT = answer
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), H).serve_forever()
"""
NGINX = """
daemon off; master_process off; pid %(folder)s/pid; error_log /dev/null;
events { worker_connections 256; }
http { access_log off; client_body_temp_path %(folder)s/b; proxy_temp_path %(folder)s/p; fastcgi_temp_path %(folder)s/f;
  uwsgi_temp_path %(folder)s/u; scgi_temp_path %(folder)s/s;
  server { listen 127.0.0.1:%(port)d; location / { return 200 "H=$host;U=$request_uri;"; } } }
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def command(name, folder, port):
    """The server's command, or None where it is missing."""
    nginx = shutil.which("nginx") or ("/usr/sbin/nginx" if os.path.exists("/usr/sbin/nginx") else None)
    if name == "python":
        return [sys.executable, "-c", PYTHON, str(port)]
    if name == "node" and shutil.which("node"):
        return ["node", "-e", NODE, str(port)]
    if name == "nginx" and nginx:
        with open(f"{folder}/conf", "w") as f:
            f.write(NGINX % {"folder": folder, "port": port})
        return [nginx, "-p", folder, "-c", f"{folder}/conf"]
    if name == "go" and shutil.which("go"):
        with open(f"{folder}/main.go", "w") as f:
            f.write(GO)
        env = {**os.environ, "GO111MODULE": "off"}
        if subprocess.run(["go", "build", "-o", f"{folder}/server", f"{folder}/main.go"], env=env).returncode == 0:
            return [f"{folder}/server", str(port)]
    return None


class Server:
    def __init__(self, name, argv, port):
        self.name, self.port = name, port
        self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        for _ in range(100):
            if self.ask(b"GET / HTTP/1.1\r\nHost: up.example\r\nConnection: close\r\n\r\n"):
                return
            time.sleep(0.1)
        raise SystemExit(f"FAIL: {name} does not start")

    def ask(self, data):
        """The answer's bytes to exactly these bytes."""
        got = b""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=3) as s:
                s.sendall(data)
                s.shutdown(socket.SHUT_WR)
                while True:
                    more = s.recv(65536)
                    if not more:
                        break
                    got += more
        except OSError:
            pass
        return got

    def hosts(self, data):
        return [plain(m.decode("latin-1")) for m in re.findall(rb"H=([^;]*);", self.ask(data))]


def plain(host):
    """Without port and last dot, in lower case: what the host is."""
    host = host.strip().lower()
    literal = re.fullmatch(r"\[([^]]*)\](:\d*)?", host)
    try:
        return str(ipaddress.ip_address(literal.group(1) if literal else host))
    except ValueError:
        host = re.sub(r":\d*$", "", host)
        return host[:-1] if host.endswith(".") else host


def is_part(got, hosts):
    """In this order; an answer to HEAD shows no host, and some servers answer OPTIONS themselves."""
    rest = iter(hosts)
    return all(h in rest for h in got)


# --- odd requests --------------------------------------------------------------------------

HOSTS = [b"a.example", b"A.EXAMPLE", b"a.example.", b"a.example:80", b"a.example.:80", b"a.example:", b"a.example:0",
         b"a.example:99999", b"a.example:8 0", b"a.example:x", b" a.example ", b"\ta.example\t", b"", b" ", b".", b"a..example",
         b"a.example b.example", b"a.example,b.example", b"a.example, b.example", b"a.example;b", b"a.example/b", b"a.example?b",
         b"a.example#b", b"u@a.example", b"a.example@b.example", b"a.example\\b", b"a.example%2eb.example", b"a.example\x00",
         b"a.example\x00.b.example", b"a.example\x0bb", b"a.example\x7f", b"\xc3\xa9.example", b"http://a.example",
         b"[::1]", b"[::1]:80", b"[::FFFF:1.2.3.4]", b"[::1", b"::1", b"[::1]x", b"[::1%25lo]", b"1.2.3.4", b"1.2.3.4:80",
         b"1.2.3", b"0x7f.1", b"017700000001", b"a_b.example", b"-a.example", b"*.example", b"a.example\"", b"'a.example'",
         b"a.example\r\n b.example", b"a.example\r\n\tb", b"\r\n a.example", b"a.example\r", b"a.example\rHost: b.example",
         b"a.example\nHost: b.example", b"a.example\r\nHost: a.example", b"a.example\r\nHost: b.example", b"a.example\r\nhost:",
         b"a.example\r\nHOST: b.example", b"a.example\r\nHost : b.example", b"a.example\r\n Host: b.example",
         b"a.example\r\nX-Forwarded-Host: b.example", b"x" * 63 + b".example", b"x" * 64 + b".example", b"x." * 126 + b"x"]
NAMES = [b"Host:", b"host:", b"HOST: ", b"Host :", b" Host:", b"Host\t:", b"H\xc3\xb6st:", b"Host", b":Host:", b"Host\x00:", b"Host\x0b:",
         b"Host::", b"X\r\nHost:", b"X:\r\nHost:", b"X: y\nHost:", b"X: y\rHost:", b"X: y\r\r\nHost:", b"Ho\r\n st:", b"\r\nHost:", b"\"Host\":"]
TARGETS = [b"/", b"/x?y#z", b"//b.example/", b"///b", b"/\\b.example", b"http://a.example/", b"http://b.example/", b"HTTP://A.EXAMPLE/",
           b"http://a.example:80/", b"http://a.example:81/", b"http://a.example", b"http://a.example?q", b"http://a.example#f",
           b"http://b.example@a.example/", b"http://a.example@b.example/", b"http://a.example:80@b.example/", b"http://b.example\\@a.example/",
           b"http://b.example#@a.example/", b"http:///a.example/", b"http:/a.example/", b"http:a.example", b"https://a.example/",
           b"https://b.example/", b"ftp://a.example/", b"a.example", b"b.example:80", b"*", b"", b"/ /x", b"/\t", b"/\x00", b"/\x7f", b"/\xff",
           b"http://a.example./", b"http://[::1]/", b"http://a.example%00.b.example/", b"http://a%2eexample/", b"?x", b"./x", b"file:///x",
           b"ws://b.example/", b"http://a.example:/", b"http://a.example\t/", b"htt p://b.example/"]
VERSIONS = [b"HTTP/1.1", b"HTTP/1.0", b"HTTP/1.2", b"HTTP/2.0", b"HTTP/0.9", b"http/1.1", b"HTTP/1.1 ", b"HTTP/1.10", b"HTTP/01.1",
            b"HTTP/1", b"HTTP/1.", b"HTTP/+1.1", b"HTTPS/1.1", b"", b"x HTTP/1.1"]
METHODS = [b"GET", b"get", b"POST", b"OPTIONS", b"CONNECT", b"HEAD", b"X", b"GET\t", b"", b" GET", b"\r\nGET", b"G ET", b"GET\x00", b"PRI"]
BODIES = [
    [b"Content-Length: 5"], [b"Content-Length: 0"], [b"Content-Length: 05"], [b"Content-Length: +5"], [b"Content-Length: -5"],
    [b"Content-Length: 5 "], [b"Content-Length:5"], [b"Content-Length : 5"], [b"Content-Length: 5,5"], [b"Content-Length: 5, 6"],
    [b"Content-Length: 0x5"], [b"Content-Length: 5_0"], [b"Content-Length: 5e0"], [b"Content-Length: 5.0"], [b"Content-Length: five"],
    [b"Content-Length:"], [b"Content-Length: 5\x00"], [b"Content-Length: 99999999999999999999999"], [b"Content-Length: 4294967301"],
    [b"Content-Length: 18446744073709551621"], [b"Content-Length: 5", b"Content-Length: 5"], [b"Content-Length: 0", b"Content-Length: 5"],
    [b"Content-Length: 5", b"Content-Length: 0"], [b"Content_Length: 5"], [b"Content-Length: 0\r\n 5"], [b"content-length: 5"],
    [b"Transfer-Encoding: chunked"], [b"Transfer-Encoding: Chunked"], [b"transfer-encoding: CHUNKED"], [b"Transfer-Encoding : chunked"],
    [b"Transfer-Encoding: chunked, identity"], [b"Transfer-Encoding: identity, chunked"], [b"Transfer-Encoding: gzip, chunked"],
    [b"Transfer-Encoding: identity"], [b"Transfer-Encoding: xchunked"], [b"Transfer-Encoding: chunkedx"], [b"Transfer-Encoding: \"chunked\""],
    [b"Transfer-Encoding:\x0bchunked"], [b"Transfer-Encoding: chunked\x00"], [b"Transfer-Encoding:\r\n chunked"], [b"Transfer-Encoding:"],
    [b"Transfer-Encoding: chunked;x=y"], [b"Transfer-Encoding: ,chunked"], [b"Transfer-Encoding: chunked,"],
    [b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity"], [b"Transfer-Encoding: identity", b"Transfer-Encoding: chunked"],
    [b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked"], [b"Content-Length: 5", b"Transfer-Encoding: chunked"],
    [b"Transfer-Encoding: chunked", b"Content-Length: 5"], [b"Transfer-Encoding: x", b"Content-Length: 5"],
    [b"Transfer_Encoding: chunked", b"Content-Length: 5"], [b"Connection: content-length", b"Content-Length: 5"],
    [b"Connection: transfer-encoding", b"Transfer-Encoding: chunked"], [b"Connection: host"], [b"Connection: close, host"],
    [b"Expect: 100-continue", b"Content-Length: 5"], [b"Expect: x", b"Content-Length: 5"], [b"X: \x00"], [b"X: \xff"], [b"X"], [b"X y"],
    [b"X: a\x0bb"], [b"X: a\r\n b"], [b"Upgrade: h2c", b"Connection: Upgrade"], [b"Trailer: Host", b"Transfer-Encoding: chunked"]]
PAYLOADS = [
    b"abcde", b"5\r\nabcde\r\n0\r\n\r\n", b"0\r\n\r\n", b"5;x=y\r\nabcde\r\n0\r\n\r\n", b"5 \r\nabcde\r\n0\r\n\r\n", b"05\r\nabcde\r\n00\r\n\r\n",
    b"0x5\r\nabcde\r\n0\r\n\r\n", b"5\nabcde\n0\n\n", b"5\r\nabcde0\r\n\r\n", b"5\r\nabcdef\r\n0\r\n\r\n", b"-1\r\n\r\n", b"fffffffffffffffff\r\n",
    b"10000000000000005\r\nabcde\r\n0\r\n\r\n", b"0\r\nHost: b.example\r\n\r\n", b"0\r\nX: y\r\n\r\n", b"0\r\nX: y\n\r\n", b"0\r\n X: y\r\n\r\n",
    b"5;\nx\r\nabcde\r\n0\r\n\r\n", b"5;x\rx\r\nabcde\r\n0\r\n\r\n", b"0;\r\n\r\n", b"0\r\n\n", b"0\n\r\n", b"",
    b"%x\r\n" % len(HIDDEN) + HIDDEN + b"\r\n0\r\n\r\n", HIDDEN, b"0\r\n\r\n" + HIDDEN]


def head(method=b"GET", target=b"/", version=b"HTTP/1.1", name=b"Host:", host=b" a.example", fields=()):
    return b" ".join((method, target, version)) + b"\r\n" + name + host + b"\r\n" + b"".join(f + b"\r\n" for f in fields) + b"\r\n"


def rows():
    """What a connection's bytes are, without equal ones."""
    for host in HOSTS:
        yield head(host=b" " + host)
        yield head(host=host, target=b"http://a.example/")
    for name, host in itertools.product(NAMES, (b" a.example", b" a.example\r\nHost: b.example")):
        yield head(name=name, host=host)
    for target, method in itertools.product(TARGETS, (b"GET", b"CONNECT", b"OPTIONS")):
        yield head(method=method, target=target)
    for version, method in itertools.product(VERSIONS, (b"GET", b"POST")):
        yield head(method=method, version=version)
    for method in METHODS:
        yield head(method=method)
    for fields, payload in itertools.product(BODIES, PAYLOADS):
        yield head(method=b"POST", fields=fields) + payload
    for fields, payload in itertools.product(BODIES[:2] + BODIES[26:27], (b"abcde", HIDDEN, b"0\r\n\r\n" + HIDDEN)):
        yield head(fields=fields) + payload
    whole = head(fields=[b"X: y"])
    for old, new in itertools.product((b"\r\n",), (b"\n", b"\r", b"\n\r", b"\r\r\n", b"\r\n\r\n", b"\x00\r\n", b" \r\n", b"\t\r\n", b"\x85", b"\x0b\r\n")):
        for i in range(whole.count(old)):
            parts = whole.split(old)
            yield old.join(parts[:i + 1]) + new + old.join(parts[i + 1:])
    for n in (8000, 16300, 16384, 17000, 40000):
        yield head(name=b"X: " + b"x" * n + b"\r\nHost:")
        yield head(target=b"/" + b"x" * n)
    for n in (100, 126, 127, 128, 200):
        yield head(fields=[b"X%d: y" % i for i in range(n)])


def random_rows(seed, n):
    r = random.Random(seed)
    base = list(rows())
    for _ in range(n):
        data = bytearray(r.choice(base)[:600] or b"x")
        for _ in range(r.randint(1, 3)):
            at = r.randrange(len(data))
            what = r.randrange(4)
            if what == 0:
                data[at] = r.choice(b"\r\n\t :,;/@\x00\x0b\x7f\x80ax0")
            elif what == 1:
                data[at:at] = r.choice([b"\r\n", b"\n", b" ", b"\r\n ", b"Host: b.example\r\n", b"\x00", b":"])
            elif what == 2:
                del data[at:at + r.randint(1, 4)]
            else:
                data[at:at] = data[at:at + r.randint(1, 30)]
        yield bytes(data)


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2] else int(time.time())
    print(f"http_heads: SEED={seed}")
    all_rows = list(dict.fromkeys(r + NEXT for r in rows()))
    all_rows += [r + NEXT for r in random_rows(seed, int(os.environ.get("RUNS", "400")))]
    read = subprocess.run([sys.argv[1]], input="".join(r.hex() + "\n" for r in all_rows), capture_output=True, text=True, check=True)
    verdicts = [line.split(" ") for line in read.stdout.splitlines()]
    assert len(verdicts) == len(all_rows)
    passed = failed = skipped = 0
    folder = tempfile.mkdtemp()
    servers = []
    for name in ("nginx", "node", "go", "python"):
        os.makedirs(f"{folder}/{name}")
        port = free_port()
        argv = command(name, f"{folder}/{name}", port)
        if argv:
            servers.append(Server(name, argv, port))
        else:
            print(f"skip http heads: no {name}")
            skipped += 1
    todo = [(row[:int(v[1])], [plain(h) for h in v[2:]], row) for row, v in zip(all_rows, verdicts) if int(v[1])]
    whole = sum(len(hosts) > 1 for _, hosts, _ in todo)
    # so that a reader that refuses everything is seen
    if whole < 100 or len(todo) > len(all_rows) * 3 // 4:
        print(f"FAIL http heads: {len(todo)} of {len(all_rows)} accepted, {whole} with the next request")
        failed += 1

    def run(server, out):
        for data, hosts, row in todo:
            got = server.hosts(data)
            out["requests"] += len(got)
            if not is_part(got, hosts):
                out["bad"].append((row, hosts, got))
            # the control: the next request behind what is accepted is found by most
            out["both"] += len(got) > 1

    results = []
    threads = []
    for server in servers:
        results.append({"requests": 0, "both": 0, "bad": []})
        threads.append(threading.Thread(target=run, args=(server, results[-1])))
        threads[-1].start()
    for t in threads:
        t.join()
    for server, out in zip(servers, results):
        server.process.terminate()
        server.process.wait()
        ok = not out["bad"] and out["both"] >= 30
        print(f"{'ok  ' if ok else 'FAIL'} http heads: {server.name} took {out['requests']} requests of {len(todo)} connections, "
              f"{out['both']} with the next one; {len(out['bad'])} for another host")
        for row, hosts, got in out["bad"][:8]:
            print(f"  {row[:300]!r}: reader {hosts}, {server.name} {got}")
        passed += ok
        failed += not ok
    shutil.rmtree(folder)
    print(f"{len(all_rows)} connections, {len(todo)} of them with a head that is accepted")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
