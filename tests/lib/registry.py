"""A registry of packages on the loopback, until it is killed: npm's package pad 1.0.0, and a wheel of the same name.

    registry.py FOLDER PORT-FILE

It makes both in FOLDER.  What it serves may be kept for ever, as the real ones say of a package.
"""
import base64
import hashlib
import http.server
import io
import json
import os
import sys
import tarfile
import zipfile

FOLDER, PORT_FILE = sys.argv[1:]


def tarball():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as t:
        for name, text in (("package.json", '{"name":"pad","version":"1.0.0","main":"i.js"}'),
                           ("i.js", 'module.exports = s => "padded " + s\n')):
            member = tarfile.TarInfo("package/" + name)
            member.size = len(text)
            t.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


def wheel():
    out = io.BytesIO()
    files = {"pad.py": 'def pad(s):\n    return "padded " + s\n',
             "pad-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: pad\nVersion: 1.0\n",
             "pad-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    record = "pad-1.0.dist-info/RECORD"
    with zipfile.ZipFile(out, "w") as z:
        for name, text in files.items():
            z.writestr(name, text)
        z.writestr(record, "".join(f"{n},,\n" for n in [*files, record]))
    return out.getvalue()


TARBALL, WHEEL = tarball(), wheel()
INTEGRITY = "sha512-" + base64.b64encode(hashlib.sha512(TARBALL).digest()).decode()
with open(os.path.join(FOLDER, "pad-1.0-py3-none-any.whl"), "wb") as f:
    f.write(WHEEL)


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        at = f"http://127.0.0.1:{self.server.server_address[1]}"
        page = {"name": "pad", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {
            "name": "pad", "version": "1.0.0", "main": "i.js",
            "dist": {"tarball": at + "/pad-1.0.0.tgz", "integrity": INTEGRITY}}}}
        body = (WHEEL if self.path.endswith(".whl") else TARBALL if self.path.endswith(".tgz") else
                json.dumps(page).encode() if self.path == "/pad" else None)
        self.send_response(200 if body else 404)
        self.send_header("cache-control", "max-age=365000000, immutable, public")
        self.send_header("content-length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(PORT_FILE, "w") as f:
    f.write(str(server.server_address[1]))
server.serve_forever()
