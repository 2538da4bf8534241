#!/usr/bin/env python3
"""What real clients send, as fixtures: one file for each protocol, a line for each client.

    capture.py            writes hellos.tsv, queries.tsv and heads.tsv beside itself

A line is NAME, what the client was told to ask for, and the bytes in hex, with tabs between.
A client that is missing keeps the line that it had.  tests/unit/test_egress_real.c reads them.
"""
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = "registry.example.com"

JAVA_TLS = """
import javax.net.ssl.*;
public class Hello { public static void main(String[] a) throws Exception {
  SSLContext c = SSLContext.getInstance("TLS"); c.init(null, null, null);
  SSLSocket s = (SSLSocket) c.getSocketFactory().createSocket(
      new java.net.Socket("127.0.0.1", Integer.parseInt(a[1])), a[0], 443, true);
  try { s.startHandshake(); } catch (Exception e) { } } }
"""
JAVA_HTTP = """
import java.net.*; import java.net.http.*;
public class Head { public static void main(String[] a) throws Exception {
  HttpClient c = HttpClient.newHttpClient();
  try { c.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + a[0] + "/x")).build(),
      HttpResponse.BodyHandlers.ofString()); } catch (Exception e) { } } }
"""
GO_TLS = """
package main
import ("crypto/tls"; "net"; "os")
func main() { c, _ := net.Dial("tcp", "127.0.0.1:"+os.Args[2])
  tls.Client(c, &tls.Config{ServerName: os.Args[1]}).Handshake() }
"""
NODE_TLS = ("require('tls').connect({host:'127.0.0.1',port:+process.argv[2],"
            "servername:process.argv[1]}).on('error',()=>{})")
PY_TLS = ("import socket,ssl,sys\nc=ssl.create_default_context()\ns=socket.create_connection(('127.0.0.1',int(sys.argv[2])))\n"
          "try: c.wrap_socket(s,server_hostname=sys.argv[1])\nexcept OSError: pass\n")
PY_HTTP = "import urllib.request,sys\nurllib.request.urlopen(sys.argv[1],data=b'a=1' if len(sys.argv)>2 else None)"
NODE_HTTP = ("const r=require('http').request(process.argv[1],{method:process.argv[2]});"
             "r.on('error',()=>{});r.end(process.argv[2]=='POST'?'a=1':undefined)")


class Sink:
    """Listens on loopback and keeps the first bytes that a client sends."""

    def __init__(self, kind=socket.SOCK_STREAM, answer=b""):
        self.s = socket.socket(socket.AF_INET, kind)
        self.s.bind(("127.0.0.1", 0))
        self.port = self.s.getsockname()[1]
        self.got, self.kind, self.answer = [], kind, answer
        if kind == socket.SOCK_STREAM:
            self.s.listen(4)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        try:
            while True:
                if self.kind == socket.SOCK_DGRAM:
                    data, peer = self.s.recvfrom(4096)
                    self.got.append(data)
                    # "no such name", so that the client is content
                    self.s.sendto(data[:2] + bytes([0x81, 0x83]) + data[4:6] + bytes(6) + data[12:], peer)
                else:
                    c, _ = self.s.accept()
                    c.settimeout(0.7)
                    data = b""
                    try:
                        while len(data) < 65536:
                            more = c.recv(65536)
                            if not more:
                                break
                            data += more
                    except OSError:
                        pass
                    self.got.append(data)
                    if self.answer:
                        c.sendall(self.answer)
                    c.close()
        except OSError:
            pass


def run(argv, **kw):
    try:
        subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=60, **kw)
    except subprocess.TimeoutExpired:
        pass


def first(sink):
    sink.s.close()
    return next((g for g in sink.got if g), None)


def java(source, main):
    folder = tempfile.mkdtemp()
    with open(f"{folder}/{main}.java", "w") as f:
        f.write(source)
    return ["java", f"{folder}/{main}.java"]


def go(source):
    folder = tempfile.mkdtemp()
    with open(f"{folder}/main.go", "w") as f:
        f.write(source)
    subprocess.run(["go", "build", "-o", f"{folder}/main", f"{folder}/main.go"], check=True,
                   env={**os.environ, "GO111MODULE": "off"})
    return [f"{folder}/main"]


def hellos():
    """(name, program it needs, command of a port, expected)"""
    at = "127.0.0.1"
    ossl = ["openssl", "s_client", "-connect"]
    yield "openssl", "openssl", lambda p: ossl + [f"{at}:{p}", "-servername", NAME], NAME
    yield "openssl-upper", "openssl", lambda p: ossl + [f"{at}:{p}", "-servername", NAME.upper()], NAME
    yield "openssl-tls12", "openssl", lambda p: ossl + [f"{at}:{p}", "-servername", NAME, "-tls1_2"], NAME
    yield "openssl-none", "openssl", lambda p: ossl + [f"{at}:{p}", "-noservername"], "no-sni"
    # one byte in each record is what -split_send_frag does not do for a hello; padding is
    yield "openssl-small", "openssl", lambda p: ossl + [f"{at}:{p}", "-servername", NAME, "-max_send_frag", "512",
                                                        "-alpn", ",".join(["h2", "http/1.1"] * 60)], NAME
    yield "curl", "curl", lambda p: ["curl", "-sk", "--connect-to", f"::{at}:{p}", f"https://{NAME}/"], NAME
    yield "curl-address", "curl", lambda p: ["curl", "-sk", f"https://{at}:{p}/"], "no-sni"
    yield "node", "node", lambda p: ["node", "-e", NODE_TLS, NAME, str(p)], NAME
    yield "python", "python3", lambda p: ["python3", "-c", PY_TLS, NAME, str(p)], NAME
    yield "gnutls", "gnutls-cli", lambda p: ["gnutls-cli", "--insecure", "--sni-hostname", NAME, "-p", str(p), at], NAME
    yield "java", "java", lambda p: java(JAVA_TLS, "Hello") + [NAME, str(p)], NAME
    yield "go", "go", lambda p: go(GO_TLS) + [NAME, str(p)], NAME
    yield "git", "git", lambda p: ["git", "-c", "http.sslVerify=false", "-c", f"http.curloptResolve={NAME}:{p}:{at}",
                                   "ls-remote", f"https://{NAME}:{p}/x"], NAME
    yield "cargo", "cargo", lambda p: cargo(p), "localhost"


def cargo(port):
    folder = tempfile.mkdtemp()
    os.makedirs(f"{folder}/src")
    os.makedirs(f"{folder}/.cargo")
    open(f"{folder}/src/lib.rs", "w").close()
    with open(f"{folder}/Cargo.toml", "w") as f:
        f.write('[package]\nname="a"\nversion="0.1.0"\nedition="2021"\n[dependencies]\nserde="1"\n')
    with open(f"{folder}/.cargo/config.toml", "w") as f:
        f.write('[source.crates-io]\nreplace-with="l"\n[source.l]\n'
                f'registry="sparse+https://localhost:{port}/"\n[net]\nretry=0\n')
    return ["cargo", "fetch", "--manifest-path", f"{folder}/Cargo.toml"]


def queries():
    at = "127.0.0.1"
    yield "dig-a", "dig", lambda p: ["dig", "+tries=1", f"@{at}", "-p", str(p), NAME, "A"], f"A {NAME}"
    yield "dig-https", "dig", lambda p: ["dig", "+tries=1", f"@{at}", "-p", str(p), NAME, "TYPE65"], f"65 {NAME}"
    yield "dig-upper", "dig", lambda p: ["dig", "+tries=1", f"@{at}", "-p", str(p), NAME.upper(), "AAAA"], f"AAAA {NAME}"
    yield "dig-plain", "dig", lambda p: ["dig", "+tries=1", "+noedns", f"@{at}", "-p", str(p), NAME], f"A {NAME}"
    yield "dig-dnssec", "dig", lambda p: ["dig", "+tries=1", "+dnssec", "+padding=128", "+nsid", "+subnet=10.0.0.0/8",
                                          f"@{at}", "-p", str(p), NAME], f"A {NAME}"
    yield "dig-root", "dig", lambda p: ["dig", "+tries=1", f"@{at}", "-p", str(p), ".", "NS"], "2 ."
    yield "dig-odd", "dig", lambda p: ["dig", "+tries=1", f"@{at}", "-p", str(p), "a b\\.c.example", "A"], "no-host"
    yield "host", "host", lambda p: ["host", "-p", str(p), "-t", "A", NAME, at], f"A {NAME}"
    yield "nslookup", "nslookup", lambda p: ["nslookup", f"-port={p}", "-timeout=1", NAME, at], f"A {NAME}"
    node = ("const d=new (require('dns').Resolver)();d.setServers(['127.0.0.1:'+process.argv[1]]);"
            f"d.resolve4('{NAME}',()=>{{}})")
    yield "node-c-ares", "node", lambda p: ["node", "-e", node, str(p)], f"A {NAME}"


def heads():
    at = "127.0.0.1"

    def here(p):
        return f"{at}:{p}"
    to = lambda p: ["--connect-to", f"::{at}:{p}"]  # noqa: E731
    yield "curl", "curl", lambda p: ["curl", "-s", *to(p), f"http://{NAME}/a?b"], NAME
    yield "curl-port", "curl", lambda p: ["curl", "-s", *to(p), f"http://{NAME}:8080/a?b"], NAME
    yield "curl-post", "curl", lambda p: ["curl", "-s", *to(p), "-d", "a=1", f"http://{NAME}/"], NAME
    yield "curl-chunked", "curl", lambda p: ["curl", "-s", *to(p), "-H", "Transfer-Encoding: chunked", "-H", "Expect:",
                                             "-d", "a=1", f"http://{NAME}/"], NAME
    yield "curl-http10", "curl", lambda p: ["curl", "-s", "-0", *to(p), f"http://{NAME}/"], NAME
    yield "curl-h2c", "curl", lambda p: ["curl", "-s", "--http2", *to(p), f"http://{NAME}/"], NAME
    yield "curl-h2-prior", "curl", lambda p: ["curl", "-s", "--http2-prior-knowledge", *to(p), f"http://{NAME}/"], "h2"
    yield "curl-proxy", "curl", lambda p: ["curl", "-s", "-x", f"http://{at}:{p}", f"http://{NAME}/a"], NAME
    yield "curl-connect", "curl", lambda p: ["curl", "-s", "-x", f"http://{at}:{p}", f"https://{NAME}/a"], NAME
    yield "curl-dot", "curl", lambda p: ["curl", "-s", *to(p), f"http://{NAME}./"], NAME
    yield "curl-options", "curl", lambda p: ["curl", "-s", *to(p), "-X", "OPTIONS", "--request-target", "*",
                                             f"http://{NAME}/"], NAME
    yield "python", "python3", lambda p: ["python3", "-c", PY_HTTP, f"http://{here(p)}/x"], here
    yield "python-post", "python3", lambda p: ["python3", "-c", PY_HTTP, f"http://{here(p)}/x", "post"], here
    yield "node", "node", lambda p: ["node", "-e", NODE_HTTP, f"http://{here(p)}/x", "GET"], here
    yield "node-post", "node", lambda p: ["node", "-e", NODE_HTTP, f"http://{here(p)}/x", "POST"], here
    yield "java", "java", lambda p: java(JAVA_HTTP, "Head") + [str(p)], here
    yield "git", "git", lambda p: ["git", "ls-remote", f"http://{here(p)}/x"], here
    yield "wget", "wget", lambda p: ["wget", "-q", "-t1", f"http://{here(p)}/x", "-O/dev/null"], here


def capture(what, rows, kind, answer=b""):
    path = os.path.join(HERE, f"{what}.tsv")
    old = {}
    if os.path.exists(path):
        for line in open(path):
            old[line.split("\t")[0]] = line
    with open(path + ".new", "w") as f:
        for name, program, command, expected in rows:
            data = None
            if shutil.which(program):
                sink = Sink(kind, answer)
                run(command(sink.port))
                data = first(sink)
                # the port is not always the same: what names it is only the address
                want = "127.0.0.1" if callable(expected) else expected
            if data:
                f.write(f"{name}\t{want}\t{data.hex()}\n")
                print(f"{what}: {name}: {len(data)} bytes")
            elif name in old:
                f.write(old[name])
                print(f"{what}: {name}: kept")
            else:
                print(f"{what}: {name}: not there", file=sys.stderr)
    os.rename(path + ".new", path)


def main():
    capture("hellos", hellos(), socket.SOCK_STREAM)
    capture("queries", queries(), socket.SOCK_DGRAM)
    capture("heads", heads(), socket.SOCK_STREAM, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


if __name__ == "__main__":
    main()
