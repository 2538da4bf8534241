#!/usr/bin/env python3
"""Seeds that are made of a bundle, so that they follow the format.

    seeds.py POLC OUT   a folder for each of bundle, tar, manifest, ir, member, egress; one
                        for hook, of the messages that tests/live/hook.sh replays; and those
                        of the gateway's readers, of what real clients sent
"""
import glob, os, re, subprocess, sys, tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
SEED = os.path.join(HERE, 'corpus', 'seed.pol')
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
from forge import b2, pack, unpack  # noqa: E402


def put(out, target, name, data):
    os.makedirs(os.path.join(out, target), exist_ok=True)
    with open(os.path.join(out, target, name), 'wb') as f:
        f.write(data)


def first_format(whole):
    """The same bundle without blocks.b2."""
    members = [m for m in unpack(whole) if m[0] != 'blocks.b2']
    text = re.sub(r'    \{"path": "blocks.b2"[^\n]*\n', '', members[0][2].decode())
    members[0][2] = text.replace('"format": 2', '"format": 1').encode()
    members[1][2] = b2(members[0][2]).encode() + b'  manifest.json\n'
    return pack(members)


def put_messages(out):
    for path in sorted(glob.glob(os.path.join(HERE, '..', 'lib', 'hooks', '*.tsv'))):
        agent = os.path.basename(path)[:-4]
        with open(path, 'rb') as f:
            rows = [r.rstrip(b'\n') for r in f if not r.startswith(b'#')]
        for i, row in enumerate(rows):
            put(out, 'hook', f'{agent}-{i:02}', row.split(b'\t')[-1].replace(b'@P@', b'/home/dev/app'))


def put_egress(out):
    """A byte that chooses the pieces stands before each."""
    for target, name in (('tls_hello', 'hellos'), ('dns', 'queries'), ('http_head', 'heads'), ('inject_head', 'heads')):
        with open(os.path.join(HERE, '..', 'data', 'egress', f'{name}.tsv')) as f:
            for i, row in enumerate(f):
                client, _, data = row.rstrip('\n').split('\t')
                put(out, target, client, bytes([i]) + bytes.fromhex(data))


def compile_seed(polc, policy, path, *options):
    line = [polc, 'compile', policy, '-o', path, *options]
    if subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        # no namespaces here
        subprocess.run(line + ['--no-nft-batch'], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(path, 'rb') as f:
        return f.read()


def put_statement(polc, out, path):
    """A manifest with a change statement, of which some findings widen."""
    policy, after = os.path.join(out, 'after.pol'), os.path.join(out, 'after.polb')
    with open(SEED) as f, open(policy, 'w') as to:
        to.write(f.read().replace('"git *"', '"git **"').replace('10s', '20s'))
    manifest = unpack(compile_seed(polc, policy, after, '--serial', '8', '--against', path))[0][2]
    os.unlink(policy)
    os.unlink(after)
    assert b'"change": "newly-allowed"' in manifest and b'"change": "looser"' in manifest
    put(out, 'manifest', 'statement', manifest)


def main():
    polc, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, 'seed.polb')
    whole = compile_seed(polc, SEED, path)
    put_statement(polc, out, path)
    os.unlink(path)
    put_messages(out)
    put_egress(out)
    put(out, 'bundle', 'seed', whole)
    put(out, 'bundle', 'first', first_format(whole))
    put(out, 'tar', 'seed', whole)
    import io
    with tarfile.open(fileobj=io.BytesIO(whole)) as t:
        members = [(m.name, t.extractfile(m).read()) for m in t.getmembers()]
    for name, data in members:
        flat = name.replace('/', '-')
        if name == 'manifest.json':
            put(out, 'manifest', flat, data)
        elif name == 'ir.json':
            put(out, 'ir', flat, data)
        elif not name.startswith('sources'):
            # which number a member has is the back ends' order
            for i in range(16):
                put(out, 'member', f'{flat}-{i}', bytes([i]) + data)
        if name == 'egress.bin':
            put(out, 'egress', flat, bytes([255]) + data)


if __name__ == '__main__':
    main()
