"""HTTPS clients, in the three ways in which programs wait. `path`: the certificate to trust."""
import asyncio
import contextlib
import http.client
import signal
import socket
import ssl
import time

from clients_http import PAUSE_S, ask, closing, get


def trusting(path):
    return ssl.create_default_context(cafile=path)


def with_timeout(port, patience):
    """poll() before each receive."""
    return socket.create_connection(("127.0.0.1", port), patience)


@contextlib.contextmanager
def alarm(patience):
    """Blocking calls that a signal ends, as in wget."""
    def ring(number, frame):
        raise EOFError("alarm")  # no OSError: those are sometimes looked at

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, patience, patience)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def request(sock, context, count=1, session=None):
    """So many requests over one connection, with pauses; its session."""
    try:
        sock = context.wrap_socket(sock, server_hostname="127.0.0.1", session=session)
        assert sock.session_reused == (session is not None)
        connection = http.client.HTTPConnection("127.0.0.1")
        connection.sock = sock
        for number in range(count):
            if number:
                time.sleep(PAUSE_S)
            get(connection)
        return sock.session
    finally:
        sock.close()


def once(port, patience, path):
    request(with_timeout(port, patience), trusting(path))


def once_blocking(port, patience, path):
    with alarm(3 * patience):  # it counts from the start
        request(socket.create_connection(("127.0.0.1", port)), trusting(path))


def pool(port, patience, path):
    request(with_timeout(port, patience), trusting(path), 3)


def resumed(port, patience, path):
    """Two connections; the second resumes the session of the first."""
    context = trusting(path)
    session = request(with_timeout(port, patience), context)
    request(with_timeout(port, patience), context, session=session)


def tunnel(port, patience, path):
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=patience,
                                             context=trusting(path))
    connection.set_tunnel("origin.example", 443)
    try:
        get(connection)
    finally:
        connection.close()


async def talk(port, patience, path, count):
    opening = asyncio.open_connection("127.0.0.1", port, ssl=trusting(path))
    reader, writer = await asyncio.wait_for(opening, patience)
    async with closing(writer, patience):
        for number in range(count):
            if number:
                await asyncio.sleep(PAUSE_S)
            await asyncio.wait_for(ask(reader, writer), patience)


def async_once(port, patience, path):
    asyncio.run(talk(port, patience, path, 1))


def async_pool(port, patience, path):
    asyncio.run(talk(port, patience, path, 3))
