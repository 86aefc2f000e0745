"""Conversations as generators: a script yields what it does next and is told what came of it.

One script is thus spoken over a blocking socket and under an event loop alike, which wait in
different ways. A script says only what is said; the speakers below know sockets.

    yield Send(data)        -> None
    yield Read(count)       -> exactly that many bytes
    yield Line()            -> a line with its end
    yield Pause(seconds)    -> None, without reading
    yield Listen(seconds)   -> the bytes that came meanwhile, b"" if none did   (clients)
    yield End()             -> None, when the other side has hung up               (clients)
    yield Answer(data)      -> None: sent, but this is what sick weather spoils     (peers)

A script ends where the other side does: with EOFError for a client.
"""
import asyncio
import contextlib
import select
import socket
import time
from collections import namedtuple

from conversation import PATIENCE, Conversation
from wire import Gone

Send = namedtuple("Send", "data")
Read = namedtuple("Read", "count")
Line = namedtuple("Line", "")
Pause = namedtuple("Pause", "seconds")
Listen = namedtuple("Listen", "seconds")
End = namedtuple("End", "")
Answer = namedtuple("Answer", "data")

CHUNK_BYTES = 65536
# The opening ends after a pause of 100 ms. No machine takes this one for a shorter one.
LATER_S = 0.25


def play(speaker, script):
    told = None
    with contextlib.suppress(StopIteration):
        while True:
            step = script.send(told)
            told = getattr(speaker, type(step).__name__.lower())(*step)


class Peer:
    """Speaks a script over the peer's Wire, as the weather allows."""

    def __init__(self, wire, weather, row):
        self.wire, self.weather, self.row = wire, weather, row
        self.answers = 0
        self.send, self.read, self.pause = wire.sendall, wire.recv_exactly, wire.rest
        self.line = lambda: wire.recv_until(b"\n")

    def answer(self, data):
        self.answers += 1
        if self.weather != "healthy" and self.answers > self.row.healthy_answers:
            if self.weather == "cut":
                self.send(data[: len(data) // 2])
                self.wire.cut()
            else:
                self.wire.mute()
            raise Gone
        self.send(data)
        if self.row.pauses:
            self.wire.pause()

    def speak(self, script):
        if self.weather == "mute":
            self.wire.mute()
            return
        play(self, script)


class Blocking:
    """Speaks a script over a client's blocking socket."""

    def __init__(self, sock):
        self.sock = sock
        self.held = b""
        self.send, self.pause = sock.sendall, time.sleep

    def more(self):
        data = self.sock.recv(CHUNK_BYTES)
        if not data:
            raise EOFError
        self.held += data

    def take(self, count):
        data, self.held = self.held[:count], self.held[count:]
        return data

    def read(self, count):
        while len(self.held) < count:
            self.more()
        return self.take(count)

    def line(self):
        while b"\n" not in self.held:
            self.more()
        return self.take(self.held.index(b"\n") + 1)

    def listen(self, seconds):
        if not self.held and select.select([self.sock], [], [], seconds)[0]:
            self.more()
        return self.take(len(self.held))

    def end(self):
        while self.sock.recv(CHUNK_BYTES):
            pass


class Looping:
    """Speaks a script over a client's asyncio streams."""

    def __init__(self, reader, writer, patience_s):
        self.reader, self.writer, self.patience_s = reader, writer, patience_s
        self.pause = asyncio.sleep

    async def speak(self, script):
        told = None
        with contextlib.suppress(StopIteration):
            while True:
                step = script.send(told)
                told = await getattr(self, type(step).__name__.lower())(*step)

    async def send(self, data):
        self.writer.write(data)
        await self.writer.drain()

    async def read(self, count):
        return await asyncio.wait_for(self.reader.readexactly(count), self.patience_s)

    async def line(self):
        line = await asyncio.wait_for(self.reader.readline(), self.patience_s)
        if not line:
            raise EOFError
        return line

    async def listen(self, seconds):
        try:
            return await asyncio.wait_for(self.reader.read(CHUNK_BYTES), seconds)
        except asyncio.TimeoutError:
            return b""

    async def end(self):
        await asyncio.wait_for(self.reader.read(), self.patience_s)


def blocking(script, *args):
    """A client for clients.py."""

    def talk(port, patience_s):
        with socket.create_connection(("127.0.0.1", port), timeout=patience_s) as sock:
            play(Blocking(sock), script(*args))

    return talk


def looping(script, *args):
    """The same under an event loop."""

    async def speak(port, patience_s):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            await Looping(reader, writer, patience_s).speak(script(*args))
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    return lambda port, patience_s: asyncio.run(speak(port, patience_s))


def lines(*texts):
    """Lines as the text protocols end them."""
    return b"".join(text.encode() + b"\r\n" for text in texts)


class Scripted(Conversation):
    """A row whose peer speaks a script, as do most of its clients."""

    times = True
    late_is = "mute after the log-in"
    peer = None  # the peer's script
    client = ""  # module.function; others override command
    pauses = False  # does the client pause between one answer and its next request?
    healthy_answers = 0  # so many go well before late and cut weather
    patience_s = 0  # where the usual is not enough

    def __init__(self, name, title, **traits):
        self.name, self.title = name, title
        for trait, value in traits.items():
            setattr(self, trait, value)

    def serve(self, sock, weather):
        Peer(sock, weather, self).speak(self.peer())

    def command(self, port, weather):
        argv = self.python_client(self.client, port, weather)
        argv[4] = str(max(PATIENCE[weather], self.patience_s))
        return argv
