"""HTTPS: TLS 1.2 and 1.3, with and without tickets, resumed, pooled, in tunnels."""
import tls
from conversation import Conversation, Expect
from rows_1_http import answer, answer_in, curl

UNSEEN_CUT = "inside TLS nobody can tell a broken answer from one that is complete"
HANDSHAKE = "a handshake is no answer to the request"
EXPECT = {
    "healthy": Expect(1, why="handshake and first request are one call"),
    "mute": Expect(1, "FAILURE", True, "a handshake that is waited for in vain is a failure"),
    "late": Expect(1, "FAILURE", True, HANDSHAKE),
    "cut": Expect(1, why=UNSEEN_CUT),
}
WAYS = {
    "once": ("with a time-out", "poll and receive"),
    "once_blocking": ("blocking", "blocking receive, ended by a signal"),
    "async_once": ("asyncio", "event loop"),
}


class Https(Conversation):
    times = True
    needs = ("openssl",)
    expect = EXPECT
    version = "1.3"
    tickets = 2
    client = "once"
    path = ""

    def prepare(self, folder):
        self.path = tls.certificate(folder)
        self.context = tls.server_context(self.path, self.version, self.tickets)

    def command(self, port, weather):
        return self.python_client("clients_tls." + self.client, port, weather, self.path)

    def serve(self, sock, weather):
        if weather == "mute":
            sock.mute()
            return
        sock = tls.accept(sock, self.context)
        if weather != "healthy":
            answer_in(weather, sock)
            return
        while True:
            answer(sock)


class HttpsOnce(Https):
    """One of the ways to wait, with one of the versions."""

    def __init__(self, version, tickets, client):
        self.version, self.tickets, self.client = version, tickets, client
        way, how = WAYS[client]
        kind = {2: "", 0: ", no tickets", 1: ", one ticket"}[tickets]
        self.name = f"https {version}{kind}, {way}"
        self.title = f"HTTPS, TLS {version}{kind}, {how} (python ssl)"
        self.primed = client == "async_once"
        if tickets == 1:
            self.expect = {**EXPECT, "late": Expect(1, why="a single ticket looks like an answer")}
        if tickets == 1 and client == "async_once":
            # Does the ticket come before the request is sent? Then it is no answer. Nobody can say.
            del self.expect["late"]


class Resumed(Https):
    """Every other connection is answered, for the session to be resumed."""

    client = "resumed"
    late_is = "the resumed one mute after the handshake"

    def __init__(self, version):
        self.version = version
        self.expect = {
            "healthy": Expect(2, why="a resumed session is a connection like any other"),
            "mute": Expect(1, "FAILURE", True, EXPECT["mute"].why, first=1),
            "late": Expect(1, "FAILURE", True, HANDSHAKE, first=1),
            "cut": Expect(2, why=UNSEEN_CUT),
        }
        if version == "1.3":
            self.expect["late"] = Expect(2, why="who resumes gets a single ticket, and a single "
                                                "ticket looks like an answer")
        self.name = f"https {version}, resumed"
        self.title = f"HTTPS, TLS {version}, two connections, the second resumes (python ssl)"
        self.count = 0

    def serve(self, sock, weather):
        self.count += 1
        super().serve(sock, "healthy" if self.count % 2 else weather)


class HttpsPool(Https):
    name = "https pool"
    title = "HTTPS, three requests over one connection, with pauses (python ssl)"
    client = "pool"
    late_is = "mute after the first answer"
    expect = {
        "healthy": Expect(3, why="after a pause of 100 ms each request is a call of its own"),
        "mute": EXPECT["mute"],
        "late": Expect(1, "FAILURE", True, first=1),
        "cut": Expect(2, why=UNSEEN_CUT),
    }

    def serve(self, sock, weather):
        if weather == "mute":
            sock.mute()
            return
        sock = tls.accept(sock, self.context)
        answer(sock)
        sock.pause()
        if weather != "healthy":
            answer_in(weather, sock)
        while True:
            answer(sock)
            sock.pause()


class AsyncHttpsPool(HttpsPool):
    name = "https pool, asyncio"
    title = "HTTPS, three requests over one connection, with pauses, event loop (python asyncio)"
    client = "async_pool"
    primed = True
    expect = {
        **HttpsPool.expect,
        "late": Expect(1, why="an event loop always waits: inside TLS nobody can tell for what, "
                              "once something was answered"),
    }


class Curl(Https):
    times = False
    needs = ("openssl", "curl")

    def __init__(self, version):
        self.version = version
        self.name = f"curl, https {version}"
        self.title = f"HTTPS, TLS {version}, curl"

    def command(self, port, weather):
        return curl(weather, "--cacert", self.path, f"https://127.0.0.1:{port}/")


class Tunnel(Https):
    name = "proxy, TLS"
    title = "CONNECT through a proxy, TLS inside (python http.client)"
    client = "tunnel"
    late_is = "mute after the handshake inside"
    expect = {
        **EXPECT,
        "healthy": Expect(1, why="tunnel, handshake and first request are one call"),
        "mute": Expect(1, "FAILURE", True, "a proxy that is waited for in vain is a failure"),
    }

    def serve(self, sock, weather):
        if weather != "mute":
            sock.recv_until(b"\r\n\r\n")
            sock.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        super().serve(sock, weather)


class CurlTunnel(Tunnel):
    name = "proxy, TLS, curl"
    title = "CONNECT through a proxy, TLS inside (curl)"
    needs = ("openssl", "curl")
    times = False

    def command(self, port, weather):
        return curl(weather, "--cacert", self.path, "-x", f"http://127.0.0.1:{port}",
                    "https://origin.example/")


ROWS = [HttpsOnce(version, tickets, client)
        for version, tickets in (("1.2", 2), ("1.3", 2), ("1.3", 0), ("1.3", 1)) for client in WAYS]
ROWS += [Resumed("1.2"), Resumed("1.3"), HttpsPool(), AsyncHttpsPool(), Curl("1.2"), Curl("1.3"),
         Tunnel(), CurlTunnel()]
