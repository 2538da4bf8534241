#!/usr/bin/env python3
"""A bundle without signature that decides as one policy and says another one, all digests right:
mix.py DECIDES SAYS OUT MEMBER.  MEMBER is that of SAYS, all others are those of DECIDES."""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from forge import b2, blocks, pack, unpack  # noqa: E402


def read(path):
    with open(path, "rb") as f:
        return unpack(f.read())


def main():
    decides, says, out, path = sys.argv[1:]
    members = read(decides)
    names = [m[0] for m in members]
    members[names.index(path)][2] = next(m[2] for m in read(says) if m[0] == path)
    members[names.index("blocks.b2")][2] = blocks(members)
    text = members[0][2].decode()
    for name in path, "blocks.b2":
        body = members[names.index(name)][2]
        text, n = re.subn(r'("path": "%s", "size": )\d+(, "blake2b": ")[0-9a-f]*' % re.escape(name),
                          rf"\g<1>{len(body)}\g<2>{b2(body)}", text)
        assert n == 1, name
    members[0][2] = text.encode()
    members[names.index("manifest.b2")][2] = b2(members[0][2]).encode() + b"  manifest.json\n"
    # as the ordinary bundle is kept
    with open(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as f:
        f.write(pack(members))


main()
