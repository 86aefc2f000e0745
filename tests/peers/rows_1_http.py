"""HTTP/1.1 in plain text: pools, polls, event streams, large bodies, tunnels, spare connections."""
from clients_http import BODY
from conversation import PATIENCE, Conversation, Expect

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n"
IN_VAIN = "a request that is waited for in vain is a failure"
BROKEN = "the body ends before its Content-Length"
EACH = "each request is a call"


def answer(sock, hold_s=0):
    """Takes a request without a body and answers it, if need be later."""
    sock.recv_until(b"\r\n\r\n")
    if hold_s:
        sock.rest(hold_s)
    sock.sendall(HEAD % len(BODY) + BODY)


def answer_half(sock):
    sock.recv_until(b"\r\n\r\n")
    sock.sendall(HEAD % len(BODY) + BODY[:100])
    sock.cut()


def answer_in(weather, sock):
    """What becomes of an answer in this weather."""
    if weather in ("mute", "late"):
        sock.mute()
    elif weather == "cut":
        answer_half(sock)
    else:
        answer(sock)


def curl(weather, *more):
    """Its -m counts from its start, so it needs more patience."""
    return ["curl", "-sSf", "-m", str(3 * PATIENCE[weather]), "-o", "/dev/null", *more]


class Http(Conversation):
    """The weathers of a client of clients_http, by name."""

    client = ""
    times = True
    late_is = "mute after the first answer"

    def command(self, port, weather):
        return self.python_client("clients_http." + self.client, port, weather)


class Pool(Http):
    name = "http pool"
    title = "HTTP/1.1, five requests over one kept-alive connection (python http.client)"
    client = "pool"
    hold_s = 0
    expect = {
        "healthy": Expect(5, why=EACH),
        "mute": Expect(1, "FAILURE", True, IN_VAIN),
        "late": Expect(1, "FAILURE", True, first=1),
        "cut": Expect(1, "FAILURE", True, BROKEN, first=1),
    }

    def serve(self, sock, weather):
        if weather == "mute":
            sock.mute()
            return
        answer(sock, self.hold_s if weather == "healthy" else 0)
        if weather != "healthy":
            answer_in(weather, sock)
        while True:
            answer(sock, self.hold_s)


class AsyncPool(Pool):
    name = "http pool, asyncio"
    title = "HTTP/1.1, five requests over one kept-alive connection, event loop (python asyncio)"
    client = "async_pool"
    primed = True


class Polls(Pool):
    name = "long polling"
    title = "long polling, three questions answered when there is news (python http.client)"
    client = "polls"
    hold_s = 0.12
    expect = {**Pool.expect, "healthy": Expect(3, why="an answer may take its time")}


class AsyncPolls(Polls):
    name = "long polling, asyncio"
    title = "long polling, event loop (python asyncio)"
    client = "async_polls"
    primed = True


class Once(Http):
    name = "http once"
    title = "HTTP/1.1, one request a connection (python http.client)"
    client = "once"
    expect = {
        "healthy": Expect(1),
        "mute": Expect(1, "FAILURE", True, IN_VAIN),
        "cut": Expect(1, "FAILURE", True, BROKEN),
    }

    def serve(self, sock, weather):
        answer_in(weather, sock)


class Curl(Once):
    name = "curl"
    title = "HTTP/1.1, curl"
    needs = ("curl",)
    times = False

    def command(self, port, weather):
        return curl(weather, f"http://127.0.0.1:{port}/")


class Download(Http):
    name = "download"
    title = "a download of 20 MB (python http.client)"
    megabytes = 20
    late_is = "mute in the middle of the body"
    expect = {
        "healthy": Expect(1, why="a body of any length belongs to one answer"),
        "mute": Expect(1, "FAILURE", True, IN_VAIN),
        "late": Expect(1, "FAILURE", True, "the rest of the body is waited for in vain"),
        "cut": Expect(1, "FAILURE", True, BROKEN),
    }

    def command(self, port, weather):
        return self.python_client("clients_http.download", port, weather, str(self.megabytes))

    def serve(self, sock, weather):
        if weather == "mute":
            sock.mute()
            return
        sock.recv_until(b"\r\n\r\n")
        sock.sendall(HEAD % (self.megabytes << 20))
        piece = bytes(1 << 18)
        for number in range(self.megabytes * 4):
            if number == self.megabytes and weather == "late":
                sock.mute()
            if number == self.megabytes and weather == "cut":
                sock.cut()
                return
            sock.sendall(piece)


class Upload(Http):
    name = "upload"
    title = "an upload of 20 MB (python http.client)"
    megabytes = 20
    late_is = "mute after the whole body"
    expect = {
        "healthy": Expect(1, why="what is sent before the answer belongs to the request"),
        "late": Expect(1, "FAILURE", True, IN_VAIN),
        "cut": Expect(1, "FAILURE", True, BROKEN),
    }

    def command(self, port, weather):
        return self.python_client("clients_http.upload", port, weather, str(self.megabytes))

    def serve(self, sock, weather):
        sock.recv_until(b"\r\n\r\n")
        left = self.megabytes << 20
        while left:
            left -= len(sock.recv(min(left, 1 << 18)))
        if weather == "late":
            sock.mute()
        elif weather == "cut":
            sock.sendall(HEAD % len(BODY) + BODY[:100])
            sock.cut()
        else:
            sock.sendall(HEAD % len(BODY) + BODY)


class LargeDownload(Download):
    name = "download of 200 MB"
    title = "a download of 200 MB (python http.client)"
    megabytes = 200
    long = True


class LargeUpload(Upload):
    name = "upload of 200 MB"
    title = "an upload of 200 MB (python http.client)"
    megabytes = 200
    long = True


class Events(Http):
    name = "server-sent events"
    title = "server-sent events, with pauses (python http.client)"
    client = "events"
    late_is = "mute after the first event"
    expect = {
        "healthy": Expect(1, why="what is pushed is no call"),
        "mute": Expect(1, "FAILURE", True, IN_VAIN),
        "late": Expect(1, why="nobody knows when the next event is due"),
        "cut": Expect(1, why="an event stream has no length, it may end at any time"),
    }

    def serve(self, sock, weather):
        if weather == "mute":
            sock.mute()
            return
        sock.recv_until(b"\r\n\r\n")
        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        for number in range(4):
            sock.sendall(b"data: %d\n\n" % number)
            if weather == "late":
                sock.mute()
            if weather == "cut":
                sock.sendall(b"da")
                sock.cut()
                return
            sock.rest(0.12)
        sock.pause()
        sock.recv()


class AsyncEvents(Events):
    name = "server-sent events, asyncio"
    title = "server-sent events, with pauses, event loop (python asyncio)"
    client = "async_events"
    primed = True


class Tunnel(Http):
    name = "proxy, plain"
    title = "CONNECT through a proxy, plain HTTP inside (python http.client)"
    client = "tunnel"
    late_is = "mute after the tunnel is made"
    expect = {
        "healthy": Expect(1, why="the tunnel and the first request in it are one call"),
        "mute": Expect(1, "FAILURE", True, "a proxy that is waited for in vain is a failure"),
        "late": Expect(1, "FAILURE", True, "the first request in the tunnel decides"),
        "cut": Expect(1, "FAILURE", True, BROKEN),
    }

    def serve(self, sock, weather):
        if weather == "mute":
            sock.mute()
            return
        sock.recv_until(b"\r\n\r\n")
        sock.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        answer_in(weather, sock)


class CurlTunnel(Tunnel):
    name = "proxy, plain, curl"
    title = "CONNECT through a proxy, plain HTTP inside (curl)"
    needs = ("curl",)
    times = False

    def command(self, port, weather):
        return curl(weather, "-p", "-x", f"http://127.0.0.1:{port}", "http://origin.example/")


class Refused(Http):
    name = "proxy refuses"
    title = "a proxy that cannot reach the origin: 502 to CONNECT (curl)"
    needs = ("curl",)
    times = False
    expect = {"healthy": Expect(1, why="a status that answers CONNECT is the proxy's, and it works")}

    def command(self, port, weather):
        # Any answer but 502 makes it fail.
        script = 'test "$(curl -s -m 30 -p -x "$0" -w "%{http_connect}" "$1")" = 502'
        return ["sh", "-c", script, f"http://127.0.0.1:{port}", "http://origin.example/"]

    def serve(self, sock, weather):
        sock.recv_until(b"\r\n\r\n")
        sock.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")


class Check(Http):
    name = "health check"
    title = "a TCP health check: connect and close (python)"
    client = "check"
    expect = {
        "healthy": Expect(1, why="where nobody was ever answered, to connect is all that is asked"),
        "mute": Expect(1),
    }

    def serve(self, sock, weather):
        sock.pause()
        sock.mute()


class CheckReset(Check):
    name = "health check, reset"
    title = "a TCP health check: connect and reset (python)"
    client = "check_reset"


class Netcat(Check):
    name = "nc -z"
    title = "nc -z"
    needs = ("nc",)
    times = False

    def command(self, port, weather):
        return ["nc", "-z", "127.0.0.1", str(port)]


class CheckAndUse(Http):
    name = "health check and use"
    title = "a request, and a health check of the same destination (python)"
    client = "check_and_use"
    expect = {"healthy": Expect(1, why="where others were answered, a connection that is closed "
                                       "unused tells nothing")}

    def serve(self, sock, weather):
        sock.pause()
        answer(sock)


class Warm(Http):
    name = "pre-warmed pool"
    title = "a pre-warmed pool: four connections, two used later, two never (python http.client)"
    client = "warm"
    primed = True  # or the spare ones would pass for health checks
    expect = {
        "healthy": Expect(2, why="the first request belongs to its connection's opening, however "
                                 "late; a spare connection is nothing"),
        "mute": Expect(1, "FAILURE", True, IN_VAIN),
        "cut": Expect(1, "FAILURE", True, BROKEN),
    }

    def serve(self, sock, weather):
        sock.pause()
        if weather != "healthy":
            answer_in(weather, sock)
            return
        while True:
            answer(sock)
            sock.pause()


class Outdated(Http):
    name = "pre-warmed pool, closed by the server"
    title = "a pre-warmed pool: three connections, one used, two closed by the server (python)"
    client = "outdated"
    expect = {"healthy": Expect(1, why="a server may close what is not used")}

    def serve(self, sock, weather):
        sock.sock.settimeout(1.3)
        sock.pause()
        answer(sock)
        sock.pause()
        sock.recv()


ROWS = [Pool(), AsyncPool(), Once(), Curl(), Polls(), AsyncPolls(), Download(), Upload(),
        LargeDownload(), LargeUpload(), Events(), AsyncEvents(), Tunnel(), CurlTunnel(), Refused(),
        Check(), CheckReset(), Netcat(), CheckAndUse(), Warm(), Outdated()]
