import asyncio, ssl, sys, urllib.parse
import uvloop
url = urllib.parse.urlsplit(sys.argv[1])
async def get():
    context = ssl.create_default_context() if url.scheme == "https" else None
    reader, writer = await asyncio.open_connection(url.hostname, url.port, ssl=context)
    writer.write(f"GET {url.path} HTTP/1.0\r\nHost: x\r\n\r\n".encode())
    body = (await reader.read()).split(b"\r\n\r\n", 1)[1]
    writer.close()
    return body.decode()
uvloop.install()
print(asyncio.run(asyncio.wait_for(get(), float(sys.argv[2]))), end="")
