"""Python 3, its standard library and what Debian packages beside it."""
from client import WEB, client

PYTHON = "/usr/bin/python3 {here}/programs/"
# asyncio says in other words whether a connection was refused at once or a moment later.
REFUSED = ((r"(?s)Traceback.*ConnectionRefusedError: .*", "refused"),)

client("python3 socket", PYTHON + "socket_get.py {host} {port} 0", PYTHON + "socket_get.py {host} {port} 1",
       "python3", quick=True)
client("python3 urllib", PYTHON + "urllib_get.py {url} 20", PYTHON + "urllib_get.py {url} 1", "python3",
       WEB, quick=True)
client("python3 asyncio", PYTHON + "asyncio_get.py {url} 20", PYTHON + "asyncio_get.py {url} 1", "python3",
       WEB, quick=True, blur=REFUSED)
