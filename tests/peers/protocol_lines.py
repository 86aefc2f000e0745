"""One-way lines, as to syslog and graphite: the peer reads and never says anything."""
import asyncio
import logging
import logging.handlers
import select
import socket
import time

HELD_S = 0.6  # longer than the slow threshold of these rows
HANGS_UP_S = 1.3  # after so much silence, where the peer does so at all: a second and more
LINE = b"one.two.three 1 1700000000\n"


def send_once(port, patience_s):
    with socket.create_connection(("127.0.0.1", port), timeout=patience_s) as sock:
        sock.sendall(LINE)


def syslog(port, _patience_s):
    """python's own handler: three lines over one connection."""
    handler = logging.handlers.SysLogHandler(("127.0.0.1", port), socktype=socket.SOCK_STREAM)
    try:
        for _ in range(3):
            handler.emit(logging.LogRecord("peer", logging.INFO, "", 0, "news", None, None))
    finally:
        handler.close()


def held(port, patience_s):
    """A connection that is kept, written to now and then; another comes and goes meanwhile."""
    with socket.create_connection(("127.0.0.1", port), timeout=patience_s) as sock:
        for _ in range(3):
            sock.sendall(LINE)
            time.sleep(HELD_S / 2)
            send_once(port, patience_s)
        sock.sendall(LINE)


def held_in_loop(port, patience_s):
    async def hold():
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(3):
            writer.write(LINE)
            await asyncio.sleep(HELD_S / 2)
            _, other = await asyncio.open_connection("127.0.0.1", port)
            other.write(LINE)
            other.close()
            await other.wait_closed()
        writer.write(LINE)
        writer.close()
        await writer.wait_closed()

    asyncio.run(hold())


def hung_up(port, patience_s):
    """Sends once more when the peer has hung up, and learns of it when it sends the next line."""
    with socket.create_connection(("127.0.0.1", port), timeout=patience_s) as sock:
        sock.sendall(LINE)
        time.sleep(HANGS_UP_S * 1.5)
        try:
            for _ in range(1000):
                sock.sendall(LINE)
                select.select([], [], [], 0.01)
        except OSError:
            return
    raise AssertionError("the peer has not hung up")


def hung_up_in_loop(port, patience_s):
    async def hold():
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(LINE)
        assert not await asyncio.wait_for(reader.read(), patience_s)
        writer.close()
        await writer.wait_closed()

    asyncio.run(hold())
