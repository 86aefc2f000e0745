"""Fetches a URL several times, and says `good` or `bad` of each.

usage: fetch.py blocking|asyncio PATIENCE URL COUNT      PATIENCE: seconds, or `ever`
"""

import sys
import urllib.parse

HOW, PATIENCE, URL, COUNT = sys.argv[1:]
PATIENCE = None if PATIENCE == "ever" else float(PATIENCE)
WHERE = urllib.parse.urlsplit(URL)
PORT = WHERE.port or 80


def say(good):
    print("good" if good else "bad", flush=True)


def block():
    import http.client

    for _ in range(int(COUNT)):
        connection = http.client.HTTPConnection(WHERE.hostname, PORT, timeout=PATIENCE)
        try:
            connection.request("GET", "/")
            connection.getresponse().read()
            say(True)
        except (OSError, http.client.HTTPException):
            say(False)
        finally:
            connection.close()


async def talk(asyncio):
    reader, writer = await asyncio.open_connection(
        WHERE.hostname, PORT, happy_eyeballs_delay=0.25
    )
    try:
        writer.write(b"GET / HTTP/1.0\r\nHost: %b\r\n\r\n" % WHERE.hostname.encode())
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(head.split(b"Content-Length: ")[1].split()[0]))
    finally:
        writer.close()


async def loop(asyncio):
    for _ in range(int(COUNT)):
        try:
            await asyncio.wait_for(talk(asyncio), PATIENCE)
            say(True)
        except (OSError, EOFError, asyncio.TimeoutError):
            say(False)


if HOW == "asyncio":
    import asyncio

    asyncio.run(loop(asyncio))
else:
    block()
