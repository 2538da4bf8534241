"""Prints what the rules of this network namespace log: one line a packet, the
prefix.  First line: "ready".  Group 42; ends with the namespace's last packet
or by a signal."""
import socket
import struct

GROUP = 42
CONFIG = 4 << 8 | 1


def attribute(kind, data):
    length = 4 + len(data)
    return struct.pack("HH", length, kind) + data + b"\0" * (-length % 4)


def ask(sock, group, data):
    body = struct.pack("BBH", 0, 0, socket.htons(group)) + data
    sock.send(struct.pack("IHHII", 16 + len(body), CONFIG, 1 | 4, 1, 0) + body)
    error = struct.unpack("i", sock.recv(4096)[16:20])[0]
    if error:
        raise OSError(-error, "NFLOG")


sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12)
sock.bind((0, 0))
ask(sock, GROUP, attribute(1, b"\1"))                            # bind
ask(sock, GROUP, attribute(2, struct.pack(">IBB", 64, 2, 0)))    # copy the packet
ask(sock, GROUP, attribute(5, struct.pack(">I", 1)))              # at once
print("ready", flush=True)
while True:
    data = sock.recv(65536)
    at = 0
    while at + 20 <= len(data):
        size = struct.unpack_from("I", data, at)[0]
        pos = at + 20
        while pos + 4 <= at + size:
            length, kind = struct.unpack_from("HH", data, pos)
            if kind == 10:
                print(data[pos + 4:pos + length].rstrip(b"\0").decode(), flush=True)
            pos += max(4, (length + 3) & ~3)
        at += max(20, (size + 3) & ~3)
