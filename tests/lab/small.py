"""The small servers of the lab, on all addresses of "net", and the tests' questions (ctl).

    small.py LAB

TCP 7 and 9000 echo; 2525 speaks first and then echoes; 9001 sends for ever; 9002 takes all and says nothing;
9003 resets after the first bytes; 9004 half-closes first and then counts what it gets.
UDP 7, 443 and 9000 echo.  127.0.0.1:8081 (behind nginx): /events, a stream of server-sent events; /take; /socket, a WebSocket that echoes.
LAB/ctl: a line is a question.  `left`: each destination that a packet of the host had ("ADDRESS PROTOCOL PORT N");
`forget`: the counters begin anew.
"""
import asyncio
import base64
import hashlib
import json
import os
import socket
import struct
import subprocess
import sys

LAB = sys.argv[1]


async def echo(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()


async def banner(reader, writer):
    writer.write(b"220 lab ready\r\n")
    await echo(reader, writer)


async def flood(_, writer):
    while True:
        writer.write(b"x" * 65536)
        await writer.drain()


async def sink(reader, _):
    while await reader.read(65536):
        pass


async def reset(reader, writer):
    await reader.read(65536)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def half(reader, writer):
    writer.write(b"bye\n")
    writer.write_eof()
    count = 0
    while data := await reader.read(65536):
        count += len(data)
    with open(os.path.join(LAB, "log", "half"), "a") as f:
        f.write(f"{count}\n")


async def websocket(head, reader, writer):
    """RFC 6455: text frames of one byte of length, until the client closes."""
    lines = dict(line.lower().split(b": ", 1)[0:1] + line.split(b": ", 1)[1:] for line in head.split(b"\r\n") if b": " in line)
    if lines.get(b"upgrade", b"").lower() != b"websocket":
        writer.write(b"HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\nContent-Length: 0\r\n\r\n")
        return
    key = hashlib.sha1(lines[b"sec-websocket-key"] + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
    writer.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
                 base64.b64encode(key) + b"\r\n\r\n")
    while True:
        kind, size = await reader.readexactly(2)
        mask = await reader.readexactly(4)
        text = bytes(c ^ mask[i % 4] for i, c in enumerate(await reader.readexactly(size & 127)))
        writer.write(bytes([kind, len(text)]) + text)
        if kind & 15 == 8:
            return


async def web(reader, writer):
    head = await reader.readuntil(b"\r\n\r\n")
    if head.startswith(b"GET /socket"):
        await websocket(head, reader, writer)
        return
    if head.startswith(b"POST /take"):
        size = next((int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
        while size > 0 and (data := await reader.read(min(size, 65536))):
            size -= len(data)
        writer.write(b"HTTP/1.0 200 OK\r\n\r\ntaken\n")
        return
    writer.write(b"HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
    for i in range(5):
        writer.write(b"data: {\"part\": %d}\n\n" % i)
        await writer.drain()
        await asyncio.sleep(0.1)
    writer.write(b"data: [DONE]\n\n")


def left():
    """Lines "ADDRESS PROTOCOL PORT PACKETS" of what came from the host."""
    table = json.loads(subprocess.run(["nft", "-j", "list", "table", "inet", "seen"], capture_output=True, check=True).stdout)
    for item in table["nftables"]:
        for element in item.get("set", {}).get("elem", []):
            element = element["elem"]
            yield " ".join(str(x) for x in [*element["val"]["concat"], element["counter"]["packets"]])


async def control(reader, writer):
    question = (await reader.readline()).decode().strip()
    if question == "left":
        writer.write("".join(line + "\n" for line in left()).encode())
    elif question == "forget":
        for name in "v4", "v6", "rest":
            subprocess.run(["nft", "flush", "set", "inet", "seen", name], check=True)


def closing(handler):
    async def run(reader, writer):
        try:
            await handler(reader, writer)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
    return run


class Datagrams(asyncio.DatagramProtocol):
    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, addr):
        self.transport.sendto(data, addr)


async def main():
    for port, handler in ((7, echo), (8, echo), (9000, echo), (9010, echo), (2525, banner), (9001, flood), (9002, sink), (9003, reset), (9004, half)):
        await asyncio.start_server(closing(handler), "0.0.0.0", port, backlog=1024)
        await asyncio.start_server(closing(handler), "::", port, backlog=1024)
    await asyncio.start_server(closing(web), "127.0.0.1", 8081)
    ctl = os.path.join(LAB, "ctl")
    await asyncio.start_unix_server(closing(control), ctl)
    os.chmod(ctl, 0o666)
    for port in 7, 443, 9000:
        # one socket for each address: the answer must come from where the question went
        for host in "198.51.100.10", "198.51.100.60", "198.51.100.66", "2001:db8:60::60", "2001:db8:66::66":
            await asyncio.get_running_loop().create_datagram_endpoint(Datagrams, (host, port))
    await asyncio.Event().wait()


asyncio.run(main())
