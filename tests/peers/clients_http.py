"""Clients of HTTP/1.1, plain and in tunnels. In a folder with rows_1_http.py, their peers."""
import asyncio
import contextlib
import http.client
import socket
import struct
import time

BODY = b"hello, world\n" * 40
PAUSE_S = 0.15  # more than the 100 ms after which an exchange is no part of an opening


def get(connection, path="/"):
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200 and body == BODY, (answer.status, body[:80])


def once(port, patience):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience)
    try:
        get(connection)
    finally:
        connection.close()


def pool(port, patience):
    """Five requests over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience)
    try:
        for _ in range(5):
            get(connection)
    finally:
        connection.close()


def polls(port, patience):
    """Three questions that the server holds back until it has news."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience)
    try:
        for _ in range(3):
            get(connection, "/news")
    finally:
        connection.close()


# ---- the same under an event loop


async def ask(reader, writer, path="/"):
    writer.write(f"GET {path} HTTP/1.1\r\nHost: peer\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 "), head
    assert await reader.readexactly(len(BODY)) == BODY


@contextlib.asynccontextmanager
async def closing(writer, patience):
    """Closes in order what went well, and else at once, as clients with a time-out do."""
    try:
        yield
    except BaseException:
        writer.transport.abort()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        raise
    writer.close()
    with contextlib.suppress(OSError):
        await asyncio.wait_for(writer.wait_closed(), patience)


async def talk(port, patience, count, path):
    reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), patience)
    async with closing(writer, patience):
        for _ in range(count):
            await asyncio.wait_for(ask(reader, writer, path), patience)


def async_pool(port, patience):
    asyncio.run(talk(port, patience, 5, "/"))


def async_polls(port, patience):
    asyncio.run(talk(port, patience, 3, "/news"))


# ---- large bodies


def download(port, patience, megabytes):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience)
    try:
        connection.request("GET", "/" + megabytes)
        answer = connection.getresponse()
        left = int(megabytes) << 20
        while piece := answer.read(1 << 18):
            left -= len(piece)
        assert left == 0, left
    finally:
        connection.close()


def upload(port, patience, megabytes):
    piece = bytes(1 << 20)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience)
    try:
        connection.putrequest("PUT", "/")
        connection.putheader("Content-Length", str(int(megabytes) << 20))
        connection.endheaders()
        for _ in range(int(megabytes)):
            connection.send(piece)
        answer = connection.getresponse()
        assert answer.status == 200 and answer.read() == BODY
    finally:
        connection.close()


# ---- server-sent events


def events(port, patience):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience)
    try:
        connection.request("GET", "/events", headers={"Accept": "text/event-stream"})
        answer = connection.getresponse()
        assert answer.status == 200
        for number in range(4):
            assert answer.readline() == b"data: %d\n" % number
            assert answer.readline() == b"\n"
    finally:
        connection.close()


async def listen(port, patience):
    reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), patience)
    async with closing(writer, patience):
        writer.write(b"GET /events HTTP/1.1\r\nHost: peer\r\n\r\n")
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), patience)
        assert head.startswith(b"HTTP/1.1 200 "), head
        for number in range(4):
            event = await asyncio.wait_for(reader.readuntil(b"\n\n"), patience)
            assert event == b"data: %d\n\n" % number


def async_events(port, patience):
    asyncio.run(listen(port, patience))


# ---- through a proxy


def tunnel(port, patience):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience)
    connection.set_tunnel("origin.example", 80)
    try:
        get(connection)
    finally:
        connection.close()


# ---- connections that are not used, or not at once


def check(port, patience):
    """Connects and closes: a health check."""
    socket.create_connection(("127.0.0.1", port), patience).close()


def check_reset(port, patience):
    """Connects and resets, as load balancers do."""
    connection = socket.create_connection(("127.0.0.1", port), patience)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def check_and_use(port, patience):
    """A request, and a health check of the same destination."""
    once(port, patience)
    check(port, patience)


def warm(port, patience):
    """Opens four connections, uses two of them later, and closes all."""
    spares = [http.client.HTTPConnection("127.0.0.1", port, timeout=patience) for _ in range(4)]
    try:
        for spare in spares:
            spare.connect()
        time.sleep(PAUSE_S)
        for spare in spares[:2]:
            get(spare)
    finally:
        for spare in spares:
            spare.close()


def outdated(port, patience):
    """Opens three connections, uses one, and finds that the server has closed the other two."""
    spares = [socket.create_connection(("127.0.0.1", port), patience) for _ in range(3)]
    try:
        used = http.client.HTTPConnection("127.0.0.1", port)
        used.sock = spares[0]
        get(used)
        for spare in spares[1:]:
            assert spare.recv(1) == b"", "the server closes what is not used"
    finally:
        for spare in spares:
            spare.close()
