#!/usr/bin/env python3
"""Bundles that are wrong in one thing, and right, with a real signature, in all
others.  usage: forge.py GOOD.polb KEY DIR: writes DIR/NAME.polb for each row, and
prints "NAME<tab>WORDS" with a pattern of what has to be said about it; the row
'control' is the good one, packed again."""
import hashlib
import re
import subprocess
import sys


def unpack(data):
    """[path, type, body] in order; the end."""
    at, out = 0, []
    while data[at:at + 1] != b"\0":
        size = int(data[at + 124:at + 135], 8)
        out.append([data[at:at + 100].rstrip(b"\0").decode(), b"0",
                    data[at + 512:at + 512 + size]])
        at += 512 + (size + 511) // 512 * 512
    return out


def header(path, kind, size, link=b""):
    h = bytearray(512)
    h[0:len(path)] = path.encode()
    h[100:108] = h[108:116] = h[116:124] = b"0000000\0"
    h[100:108] = b"0000644\0"
    h[124:136] = b"%011o\0" % size
    h[136:148] = b"00000000000\0"
    h[148:156] = b" " * 8
    h[156:157] = kind
    h[157:157 + len(link)] = link
    h[257:265] = b"ustar\00000"
    h[329:337] = h[337:345] = b"0000000\0"
    h[148:156] = b"%06o\0 " % sum(h)
    return bytes(h)


def pack(members):
    out = b""
    for path, kind, body in members:
        link = b"rules.bin" if kind in b"12" else b""
        body = b"" if link else body
        out += header(path, kind, len(body), link) + body + b"\0" * (-len(body) % 512)
    return out + b"\0" * 1024


def b2(body):
    return hashlib.blake2b(body, digest_size=32).hexdigest()


def blocks(members):
    """blocks.b2: the digests of the blocks of what a run may read."""
    out = b""
    for path, _, body in members[[m[0] for m in members].index("blocks.b2") + 1:]:
        if path == "ir.json" or path.startswith("sources/"):
            break
        for at in range(0, len(body), 4096):
            out += hashlib.blake2b(body[at:at + 4096], digest_size=32).digest()
    return out


class Bundle:
    def __init__(self, data, key):
        self.members = unpack(data)
        self.key = key

    def index(self, path):
        return [m[0] for m in self.members].index(path)

    def body(self, path):
        return self.members[self.index(path)][2]

    def manifest(self, old, new):
        """Changes its text, makes its digest and signature right again."""
        text = self.body("manifest.json").decode()
        changed = re.sub(old, new, text, count=1, flags=re.S)
        assert changed != text, old
        text = changed.encode()
        self.members[0][2] = text
        self.members[1][2] = b2(text).encode() + b"  manifest.json\n"
        assert self.members[2][0].startswith("signatures/")
        self.members[2][2] = subprocess.run(
            ["ssh-keygen", "-q", "-Y", "sign", "-f", self.key, "-n", "polc-bundle"],
            input=text, stdout=subprocess.PIPE, check=True).stdout


def unlisted(b):
    b.members.append(["sources/user/more.pol", b"0", b"# more\n"])


def unlisted_early(b):
    b.members.insert(b.index("matcher.bin"), ["other.bin", b"0", b"x" * 16])


def repeated(b):
    b.members.insert(b.index("rules.bin"), list(b.members[b.index("rules.bin")]))


def listed_twice(b):
    b.manifest(r'(\n    \{"path": "rules.bin"[^\n]*,)', r'\1\1')
    repeated(b)


def hard_link(b):
    b.members[b.index("matcher.bin")][1] = b"1"


def symbolic_link(b):
    b.members[b.index("matcher.bin")][1] = b"2"


def directory(b):
    b.members[b.index("matcher.bin")][1] = b"5"


def absolute(b):
    b.members[b.index("matcher.bin")][0] = "/matcher.bin"


def upwards(b):
    b.members[b.index("matcher.bin")][0] = "../matcher.bin"


def listed_absolute(b):
    b.manifest('"path": "matcher.bin"', '"path": "/matcher.bin"')
    absolute(b)


def missing(b):
    del b.members[b.index("env.bin")]


def changed(b):
    body = bytearray(b.body("rules.bin"))
    body[-1] ^= 1
    b.members[b.index("rules.bin")][2] = bytes(body)


def longer(b):
    b.members[b.index("rules.bin")][2] += b"\0" * 8


def with_blocks(b, body):
    b.members[b.index("blocks.b2")][2] = body
    b.manifest(r'("blocks.b2", "size": )\d+(, "blake2b": ")[0-9a-f]*',
               rf'\g<1>{len(body)}\g<2>{b2(body)}')


def other_block(b):
    body = bytearray(b.body("blocks.b2"))
    body[40] ^= 1
    with_blocks(b, bytes(body))


def short_blocks(b):
    with_blocks(b, b.body("blocks.b2")[:-32])


def long_blocks(b):
    with_blocks(b, b.body("blocks.b2") + b"\0" * 32)


def changed_blocks(b):
    body = bytearray(b.body("blocks.b2"))
    body[40] ^= 1
    b.members[b.index("blocks.b2")][2] = bytes(body)


def other_member(b):
    """As another polc writes it: only its own format differs, all digests are right."""
    body = b"PRU9" + b.body("rules.bin")[4:]
    b.members[b.index("rules.bin")][2] = body
    b.manifest(r'("rules.bin", "size": \d+, "blake2b": ")[0-9a-f]*', rf'\g<1>{b2(body)}')
    with_blocks(b, blocks(b.members))


def no_blocks(b):
    b.manifest(r'    \{"path": "blocks.b2"[^\n]*\n', '')
    del b.members[b.index("blocks.b2")]


def blocks_in_first(b):
    b.manifest('"format": 2', '"format": 1')


def other_digest(b):
    b.manifest(r'("rules.bin", "size": \d+, "blake2b": ")[0-9a-f]{4}', r'\g<1>0000')


def other_sum(b):
    b.members[1][2] = b2(b"something else").encode() + b"  manifest.json\n"


def other_manifest(b):
    signature = b.members[2][2]
    b.manifest('"serial": 0', '"serial": 9')
    b.members[2][2] = signature


def other_format(b):
    b.manifest('"format": 2', '"format": 99')


def threshold(b):
    b.manifest('"keys": null', '"keys": {"threshold": 2}')


def parent(b):
    b.manifest('"parent": null', '"parent": "' + "0" * 64 + '"')


def changes(b):
    b.manifest('"changes": null', '"changes": []')
    b.manifest('"previous": null', '"previous": "' + "0" * 64 + '"')


def changes_alone(b):
    b.manifest('"changes": null', '"changes": {}')


def expired(b):
    b.manifest('"not_after": null', '"not_after": "2001-01-01"')


def early(b):
    b.manifest('"not_before": null', '"not_before": "2090-01-01"')


def future(b):
    b.manifest('"created": null', '"created": "2090-01-01T00:00:00Z"')


def unknown_feature(b):
    b.manifest('"features": \\[\n', '"features": [\n    "a-future-wall",\n')


def spelled(b):
    b.manifest('"serial": 0', '"serial":  0')


def not_the_signature(b):
    b.members[2][2] = b"no signature\n"


ROWS = [
    (None, "control", "^signed by"),
    # polrun reads no sources, and sees by its length that there is more
    (unlisted, "unlisted", "'sources/user/more.pol' is not in the manifest",
     "bytes follow the end of the archive"),
    (unlisted_early, "unlisted-early", "'other.bin' stands where the manifest has 'matcher.bin'"),
    (repeated, "repeated", "'rules.bin' stands where the manifest has 'matcher.bin'"),
    (listed_twice, "listed-twice", "'rules.bin' is repeated or out of order"),
    (hard_link, "hard-link", "'matcher.bin' is a link"),
    (symbolic_link, "symbolic-link", "'matcher.bin' is a link"),
    (directory, "directory", "'matcher.bin' is no regular file"),
    (absolute, "absolute", "'/matcher.bin' has an absolute path"),
    (upwards, "upwards", "'../matcher.bin' has a path that a bundle may not hold"),
    (listed_absolute, "listed-absolute", "no valid member path"),
    (missing, "missing", "stands where the manifest has 'env.bin'"),
    (changed, "changed", "'rules.bin' is damaged: the digests of its blocks"),
    (longer, "longer", "'rules.bin' has another size than in the manifest"),
    (other_block, "other-block", "'rules.bin' is damaged: the digests of its blocks"),
    (changed_blocks, "changed-blocks", "'blocks.b2' is damaged: its digest is not"),
    (short_blocks, "short-blocks", "'blocks.b2' does not list the blocks of this bundle"),
    (long_blocks, "long-blocks", "'blocks.b2' does not list the blocks of this bundle"),
    (no_blocks, "no-blocks", "'blocks.b2' is missing"),
    (blocks_in_first, "blocks-in-first", "'blocks.b2' does not belong to the bundle's format"),
    (other_digest, "other-digest", "'rules.bin' is damaged: its digest is not the manifest's"),
    (other_sum, "other-sum", "manifest.json is damaged"),
    (other_manifest, "other-manifest", "it is not that of its key over this manifest"),
    (other_format, "other-format", "bundle format 99 is not one of .*: another version of polc made the bundle; compile the policy again"),
    (other_member, "other-member", "rules.bin: it has format PRU9: another version of polc made the bundle; compile the policy again"),
    (threshold, "threshold", "signatures of 2 keys, which this version does not count"),
    (parent, "parent", "a managed bundle above it"),
    (changes, "changes", "is not canonical at byte [0-9]+: expected '.'"),
    (changes_alone, "changes-alone", "a change statement, and names no previous manifest"),
    (expired, "expired", "has expired"),
    (early, "early", "not valid yet"),
    (future, "future", "made in the future"),
    (unknown_feature, "unknown-feature", "'a-future-wall', which this version does not know"),
    (spelled, "spelled", "manifest.json (has no valid serial|is not canonical)"),
    (not_the_signature, "not-the-signature", "does not begin with 'BEGIN SSH SIGNATURE'"),
]


def main():
    good, key, to = sys.argv[1:4]
    data = open(good, "rb").read()
    assert pack(unpack(data)) == data, "this packs other archives than polc"
    assert blocks(unpack(data)) == Bundle(data, key).body("blocks.b2"), "other blocks than polc's"
    for change, name, words, *runs in ROWS:
        b = Bundle(data, key)
        if change:
            change(b)
        with open(f"{to}/{name}.polb", "wb") as f:
            f.write(pack(b.members))
        print(f"{name}\t{words}\t{(runs or [words])[0]}")


if __name__ == "__main__":
    main()
