"""HTTP/2 over TLS: requests, and what is said on an idle connection."""
import h2
import tls
from clients_http import BODY
from conversation import Expect
from rows_1_http import curl
from rows_2_tls import EXPECT, UNSEEN_CUT, Https


class H2(Https):
    late_is = "mute after the first answer"

    def __init__(self, version, client, name, title):
        self.version, self.client = version, client
        self.name, self.title = name, title
        self.primed = client.startswith("async")
        self.expect = {
            "healthy": Expect(2, why="settings and windows ask for nothing"),
            "mute": EXPECT["mute"],
            "late": Expect(1, "FAILURE", True, first=1),
            "cut": Expect(2, why=UNSEEN_CUT),
        }
        if self.primed:
            self.expect["late"] = Expect(1, why="an event loop always waits: inside TLS nobody can "
                                                "tell for what, once something was answered")

    def prepare(self, folder):
        self.path = tls.certificate(folder)
        self.context = tls.server_context(self.path, self.version, protocols=["h2"])

    def command(self, port, weather):
        return self.python_client("clients_h2." + self.client, port, weather, self.path)

    def serve(self, sock, weather):
        if weather == "mute":
            sock.mute()
            return
        sock = tls.accept(sock, self.context)
        sock.recv_exactly(len(h2.PREFACE))
        sock.sendall(h2.settings())
        frames = h2.Frames()
        answered = acked = 0
        while True:
            while not (frame := frames.next()):
                data = sock.recv()
                if not data:
                    return
                frames.add(data)
            answered += self.takes(sock, frame, weather, answered)
            acked += frame[0] == h2.SETTINGS and frame[1] & h2.ACK
            if answered and acked:  # what is said until then is the opening
                self.pause(sock)

    def takes(self, sock, frame, weather, answered):
        """Takes a frame; returns how many requests that has answered."""
        kind, flags, stream, payload = frame
        if kind == h2.SETTINGS and not flags & h2.ACK:
            sock.sendall(h2.frame(h2.SETTINGS, h2.ACK))
        elif kind == h2.PING and not flags & h2.ACK:
            sock.sendall(h2.frame(h2.PING, h2.ACK, 0, payload))
            sock.rest(0.12)
            sock.sendall(h2.frame(h2.PING, 0, 0, b"here I a"))
        elif kind == h2.HEADERS:
            if weather == "late" and answered:
                sock.mute()
            if weather == "cut" and answered:
                sock.sendall(h2.response(stream, BODY)[:100])
                sock.cut()
            sock.sendall(h2.response(stream, BODY))
            return 1
        return 0

    def pause(self, sock):
        """The client may say nothing for a while."""
        sock.pause()


class Idle(H2):
    """Window updates and pings on an idle connection."""

    def __init__(self):
        super().__init__("1.3", "async_pings", "h2 idle",
                         "HTTP/2, window updates and pings on an idle connection, event loop")
        self.expect = {"healthy": Expect(2, why="a ping that is answered is a call, what is not "
                                                "answered is nothing")}


class Curl(H2):
    """One request."""

    times = False
    needs = ("openssl", "curl")
    late_is = "mute after the settings"

    def __init__(self):
        super().__init__("1.3", "once", "curl, h2", "HTTP/2, TLS 1.3, curl")
        self.expect = {
            "healthy": Expect(1),
            "mute": EXPECT["mute"],
            "late": Expect(1, "FAILURE", True, "settings are no answer to the request"),
            "cut": Expect(1, why=UNSEEN_CUT),
        }

    def command(self, port, weather):
        return curl(weather, "--http2", "--cacert", self.path, f"https://127.0.0.1:{port}/")

    def takes(self, sock, frame, weather, answered):
        return super().takes(sock, frame, weather, 1)

    def pause(self, sock):
        pass


ROWS = [
    H2("1.2", "twice", "h2, TLS 1.2", "HTTP/2, TLS 1.2, two requests (python ssl)"),
    H2("1.3", "twice", "h2, TLS 1.3", "HTTP/2, TLS 1.3, two requests (python ssl)"),
    H2("1.3", "async_twice", "h2, asyncio",
       "HTTP/2, TLS 1.3, two requests, event loop (python asyncio)"),
    Idle(), Curl(),
]
