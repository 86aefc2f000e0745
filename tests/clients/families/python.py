"""Python 3, its standard library and what Debian packages beside it."""
import re

from client import WEB, client, requests

PYTHON = "/usr/bin/python3 {here}/programs/python_"
# Tracebacks differ in whether a connection was refused at once or a moment later.
REFUSED = ((r"(?s)Traceback.*(refused|111).*", "refused"),)


def python(name, packages="", schemes=("plain",), web=True, **more):
    """A script of ours that takes where, and the time-out in seconds (0: none of its own)."""
    script = PYTHON + re.sub(r"\W", "_", name) + ".py " + ("{url}" if web else "{host} {port}")
    client("python3 " + name, script + " 30", script + " 1", "python3 " + packages, schemes, blur=REFUSED, **more)


python("socket", web=False, quick=True)
python("urllib", "", WEB, quick=True)
python("asyncio", "", WEB, quick=True)
python("http.client kept alive", runs=2, calls={"plain": 10, "tls12": 1, "tls13": 1}, schemes=WEB, tries=10,
       served={"plain": requests, "tls12": lambda c, r: c, "tls13": lambda c, r: c},
       remark="10 requests a connection; over TLS they are the opening of one call")
python("requests", "python3-requests", WEB, env={"REQUESTS_CA_BUNDLE": "{cert}"})
python("aiohttp", "python3-aiohttp", WEB)
python("httpx", "python3-httpx", WEB)
python("tornado", "python3-tornado", WEB)
python("uvloop", "python3-uvloop", WEB)
python("pycurl", "python3-pycurl", WEB)
python("subprocess", "", WEB, remark="vforks while a connection is open")
python("psycopg2", "python3-psycopg2 postgresql", web=False, server="postgresql")
python("redis", "python3-redis redis-server", web=False, server="redis")
python("smtplib", web=False, server="smtp", says="250|sent")
