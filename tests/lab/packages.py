"""One package, pad, as each registry of the lab serves it from files.

    packages.py FOLDER

Makes FOLDER/pypi (a simple index), crates (a sparse index and its files), go (a module proxy) and big (16 MiB).
"""
import hashlib
import io
import json
import os
import sys
import tarfile
import zipfile

FOLDER = sys.argv[1]


def put(path, data):
    path = os.path.join(FOLDER, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for name, text in files.items():
            z.writestr(name, text)
    return out.getvalue()


def tarred(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as t:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            t.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


def pypi():
    record = "pad-1.0.dist-info/RECORD"
    files = {"pad.py": 'def pad(s):\n    return "padded " + s\n',
             "pad-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: pad\nVersion: 1.0\n",
             "pad-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    wheel = zipped({**files, record: "".join(f"{n},,\n" for n in [*files, record])})
    name = "pad-1.0-py3-none-any.whl"
    digest = hashlib.sha256(wheel).hexdigest()
    put(f"pypi/packages/{name}", wheel)
    put("pypi/simple/pad/index.html",
        f'<a href="https://files.pythonhosted.org/packages/{name}#sha256={digest}">{name}</a>\n')


def crates():
    crate = tarred({"pad-1.0.0/Cargo.toml": '[package]\nname = "pad"\nversion = "1.0.0"\nedition = "2021"\n',
                    "pad-1.0.0/src/lib.rs": 'pub fn pad() -> &\'static str { "padded" }\n'})
    put("crates/config.json", json.dumps({"dl": "https://static.crates.io/crates", "api": "https://crates.io"}))
    put("crates/3/p/pad", json.dumps({"name": "pad", "vers": "1.0.0", "deps": [], "features": {}, "yanked": False,
                                      "cksum": hashlib.sha256(crate).hexdigest()}) + "\n")
    put("crates/crates/pad/1.0.0/download", crate)


def go():
    at, version, mod = "go/lab.example/pad/@v", "v1.0.0", "module lab.example/pad\n\ngo 1.19\n"
    top = f"lab.example/pad@{version}"
    put(f"{at}/list", version + "\n")
    put(f"{at}/{version}.info", json.dumps({"Version": version, "Time": "2026-01-01T00:00:00Z"}))
    put(f"{at}/{version}.mod", mod)
    put(f"{at}/{version}.zip", zipped({f"{top}/go.mod": mod, f"{top}/pad.go": 'package pad\n\nfunc Pad() string { return "padded" }\n'}))


pypi()
crates()
go()
put("big", b"0123456789abcdef" * 65536 * 16)
