"""Fetches a URL several times, and says `good` or `bad` of each.

usage: fetch.py blocking|asyncio PATIENCE URL COUNT      PATIENCE: seconds, or `ever`
"""

import asyncio
import http.client
import sys
import urllib.parse

HOW, PATIENCE, URL, COUNT = sys.argv[1:]
PATIENCE = None if PATIENCE == "ever" else float(PATIENCE)
WHERE = urllib.parse.urlsplit(URL)
PORT = WHERE.port or 80


def fetch():
    connection = http.client.HTTPConnection(WHERE.hostname, PORT, timeout=PATIENCE)
    try:
        connection.request("GET", "/")
        connection.getresponse().read()
    finally:
        connection.close()


async def talk():
    reader, writer = await asyncio.open_connection(
        WHERE.hostname, PORT, happy_eyeballs_delay=0.25
    )
    try:
        writer.write(b"GET / HTTP/1.0\r\nHost: %b\r\n\r\n" % WHERE.hostname.encode())
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(head.split(b"Content-Length: ")[1].split()[0]))
    finally:
        writer.close()


async def main():
    for _ in range(int(COUNT)):
        try:
            if HOW == "asyncio":
                await asyncio.wait_for(talk(), PATIENCE)
            else:
                fetch()
            print("good", flush=True)
        except (OSError, EOFError, asyncio.TimeoutError, http.client.HTTPException):
            print("bad", flush=True)


asyncio.run(main())
