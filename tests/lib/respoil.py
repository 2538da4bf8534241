#!/usr/bin/env python3
"""A bundle without signature that is wrong inside of a member, all digests made
right again: respoil.py GOOD BAD MEMBER first|last|all OLD NEW [MEMBER …].  OLD and NEW are
texts of one length ('\\0' as in Python)."""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from forge import b2, blocks, pack, unpack  # noqa: E402


def change(body, which, old, new):
    assert len(old) == len(new) and old in body, old
    if which == 'all':
        return body.replace(old, new)
    at = body.index(old) if which == 'first' else body.rindex(old)
    return body[:at] + new + body[at + len(old):]


def state(manifest, member):
    text, n = re.subn(r'("path": "%s", "size": \d+, "blake2b": ")[0-9a-f]*' % re.escape(member[0]),
                      r'\g<1>' + b2(member[2]), manifest[2].decode())
    assert n == 1, member[0]
    manifest[2] = text.encode()


def main():
    good, bad, *rest = sys.argv[1:]
    with open(good, 'rb') as f:
        members = unpack(f.read())
    names = [m[0] for m in members]
    manifest = members[names.index('manifest.json')]
    for i in range(0, len(rest), 4):
        name, which, *texts = rest[i:i + 4]
        member = members[names.index(name)]
        old, new = (t.encode().decode('unicode_escape').encode('latin-1') for t in texts)
        member[2] = change(member[2], which, old, new)
        state(manifest, member)
    listed = members[names.index('blocks.b2')]
    listed[2] = blocks(members)
    state(manifest, listed)
    members[names.index('manifest.b2')][2] = b2(manifest[2]).encode() + b'  manifest.json\n'
    # as the ordinary bundle is kept
    with open(os.open(bad, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 'wb') as f:
        f.write(pack(members))


main()
