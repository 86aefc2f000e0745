"""HTTP/2 clients over TLS, with ALPN: with a time-out, and under an event loop."""
import asyncio
import socket
import ssl
import time

import h2
from clients_http import BODY, PAUSE_S, closing


def context(path):
    trusting = ssl.create_default_context(cafile=path)
    trusting.set_alpn_protocols(["h2"])
    return trusting


def takes(frame, send):
    """What every client does with a frame; its body if it is one."""
    kind, flags, _, payload = frame
    if kind == h2.SETTINGS and not flags & h2.ACK:
        send(h2.frame(h2.SETTINGS, h2.ACK))
    elif kind == h2.PING and not flags & h2.ACK:
        send(h2.frame(h2.PING, h2.ACK, 0, payload))
    return payload if kind == h2.DATA else b""


def ask(sock, frames, stream):
    sock.sendall(h2.request(stream))
    body = b""
    while len(body) < len(BODY):
        while not (frame := frames.next()):
            data = sock.recv(65536)
            if not data:
                raise EOFError
            frames.add(data)
        body += takes(frame, sock.sendall)
    assert body == BODY


def twice(port, patience, path):
    """Two requests over one connection, with a pause between."""
    sock = socket.create_connection(("127.0.0.1", port), patience)
    try:
        sock = context(path).wrap_socket(sock, server_hostname="127.0.0.1")
        assert sock.selected_alpn_protocol() == "h2"
        sock.sendall(h2.PREFACE + h2.settings() + h2.window_update())
        frames = h2.Frames()
        for stream in (1, 3):
            if stream > 1:
                time.sleep(PAUSE_S)
            ask(sock, frames, stream)
    finally:
        sock.close()


class Connection:
    """An event loop's: a task reads all the time."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.frames = h2.Frames()
        self.came = asyncio.Queue()

    async def read(self):
        while data := await self.reader.read(65536):
            self.frames.add(data)
            while frame := self.frames.next():
                takes(frame, self.writer.write)
                self.came.put_nowait(frame)
        self.came.put_nowait(None)

    async def until(self, kind, flags, patience):
        """Waits for such a frame; returns its payload."""
        while True:
            frame = await asyncio.wait_for(self.came.get(), patience)
            if frame is None:
                raise EOFError
            if frame[0] == kind and frame[1] & flags == flags:
                return frame[3]


async def talk(port, patience, path, idle):
    opening = asyncio.open_connection("127.0.0.1", port, ssl=context(path))
    reader, writer = await asyncio.wait_for(opening, patience)
    async with closing(writer, patience):
        connection = Connection(reader, writer)
        reading = asyncio.create_task(connection.read())
        try:
            writer.write(h2.PREFACE + h2.settings() + h2.window_update())
            writer.write(h2.request(1))
            assert await connection.until(h2.DATA, h2.END_STREAM, patience) == BODY
            await asyncio.sleep(PAUSE_S)
            await idle(connection, patience)
        finally:
            reading.cancel()


async def again(connection, patience):
    connection.writer.write(h2.request(3))
    assert await connection.until(h2.DATA, h2.END_STREAM, patience) == BODY


async def pings(connection, patience):
    """Nobody asks for anything: a window is opened, and each side looks whether the other lives."""
    connection.writer.write(h2.window_update())
    await asyncio.sleep(PAUSE_S)
    connection.writer.write(h2.frame(h2.PING, 0, 0, b"are you "))
    assert await connection.until(h2.PING, h2.ACK, patience) == b"are you "
    await connection.until(h2.PING, 0, patience)  # the server's; answered by takes()
    await asyncio.sleep(2 * PAUSE_S)


def async_twice(port, patience, path):
    asyncio.run(talk(port, patience, path, again))


def async_pings(port, patience, path):
    asyncio.run(talk(port, patience, path, pings))
