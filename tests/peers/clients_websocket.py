"""A websocket's client: the upgrade, two messages, silence, a ping, and the good-bye."""
import asyncio
import base64
import hashlib
import socket
import struct
import time

from clients_http import PAUSE_S, closing

KEY = base64.b64encode(b"sixteen bytes ok")
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
UPGRADE = (b"GET /socket HTTP/1.1\r\nHost: peer\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + KEY + b"\r\n\r\n")
ACCEPT = base64.b64encode(hashlib.sha1(KEY + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())


def frame(kind, payload, mask=b"\x01\x02\x03\x04"):
    """A client's frame is masked; mask=b"": a server's."""
    head = struct.pack("BB", 0x80 | kind, (0x80 if mask else 0) | len(payload)) + mask
    if mask:
        payload = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))
    return head + payload


def plain(head, read):
    """The payload of a frame whose first two bytes are given."""
    length = head[1] & 0x7F
    mask = read(4) if head[1] & 0x80 else b"\0\0\0\0"
    return bytes(byte ^ mask[at % 4] for at, byte in enumerate(read(length)))


def once(port, patience):
    sock = socket.create_connection(("127.0.0.1", port), patience)
    with sock, sock.makefile("rb") as stream:
        sock.sendall(UPGRADE)
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = stream.readline()
            if not line:
                raise EOFError
            head += line
        assert head.startswith(b"HTTP/1.1 101 ") and ACCEPT in head
        for number in range(2):
            if number:
                time.sleep(PAUSE_S)
            sock.sendall(frame(TEXT, b"hello %d" % number))
            assert expect(stream, TEXT) == b"hello %d" % number
        sock.sendall(frame(PONG, expect(stream, PING)))
        time.sleep(PAUSE_S)
        sock.sendall(frame(CLOSE, b"\x03\xe8"))
        assert expect(stream, CLOSE) == b"\x03\xe8"


def expect(stream, kind):
    head = stream.read(2)
    if len(head) < 2:
        raise EOFError
    assert head[0] == 0x80 | kind, head
    return plain(head, stream.read)


async def talk(port, patience):
    reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), patience)

    async def wait_for(kind):
        head = await asyncio.wait_for(reader.readexactly(2), patience)
        assert head[0] == 0x80 | kind, head
        return await asyncio.wait_for(reader.readexactly(head[1]), patience)

    async with closing(writer, patience):
        writer.write(UPGRADE)
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), patience)
        assert head.startswith(b"HTTP/1.1 101 ") and ACCEPT in head
        for number in range(2):
            if number:
                await asyncio.sleep(PAUSE_S)
            writer.write(frame(TEXT, b"hello %d" % number))
            assert await wait_for(TEXT) == b"hello %d" % number
        writer.write(frame(PONG, await wait_for(PING)))
        await asyncio.sleep(PAUSE_S)
        writer.write(frame(CLOSE, b"\x03\xe8"))
        assert await wait_for(CLOSE) == b"\x03\xe8"


def async_once(port, patience):
    asyncio.run(talk(port, patience))
