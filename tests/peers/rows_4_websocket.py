"""Websockets: a stream from the 101 on."""
from clients_websocket import ACCEPT, CLOSE, PING, PONG, TEXT, frame, plain
from conversation import Conversation, Expect


class Websocket(Conversation):
    name = "websocket"
    title = "a websocket: two messages, silence, a ping (python socket)"
    client = "once"
    times = True
    late_is = "mute after the 101"
    expect = {
        "healthy": Expect(1, why="after the 101 it is a stream, and nobody knows what asks"),
        "mute": Expect(1, "FAILURE", True, "the upgrade is a request"),
        "late": Expect(1),
        "cut": Expect(1, why="a stream may end at any time"),
    }

    def command(self, port, weather):
        return self.python_client("clients_websocket." + self.client, port, weather)

    def take(self, sock, kind):
        sock.pause()
        head = sock.recv_exactly(2)
        assert head[0] == 0x80 | kind, head
        return plain(head, sock.recv_exactly)

    def serve(self, sock, weather):
        if weather == "mute":
            sock.mute()
            return
        sock.recv_until(b"\r\n\r\n")
        sock.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                     b"Connection: Upgrade\r\nSec-WebSocket-Accept: " + ACCEPT + b"\r\n\r\n")
        if weather == "late":
            sock.mute()
        for _ in range(2):
            text = self.take(sock, TEXT)
            if weather == "cut":
                sock.sendall(frame(TEXT, text, b"")[:4])
                sock.cut()
            sock.sendall(frame(TEXT, text, b""))
        sock.rest(0.15)
        sock.sendall(frame(PING, b"there?", b""))
        assert self.take(sock, PONG) == b"there?"
        sock.sendall(frame(CLOSE, self.take(sock, CLOSE), b""))


class AsyncWebsocket(Websocket):
    name = "websocket, asyncio"
    title = "a websocket: two messages, silence, a ping, event loop (python asyncio)"
    client = "async_once"
    primed = True


ROWS = [Websocket(), AsyncWebsocket()]
