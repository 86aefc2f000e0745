"""The peer's end of one connection. It notices where the machine, not the script, paused.

An opening's exchange that begins 100 ms late is a call of its own. So a client that the machine
stalls is rightly counted otherwise, and only the peer can tell: a gap where the script has none.
"""
import socket
import struct
import time

LIMIT_S = 0.06  # well below 100 ms: the client may be stalled between the kernel and its hook


class Gone(Exception):
    """The client closed or reset the connection where the script goes on."""


class Stream:
    """Reading by more than what comes at once; on top of _recv(count)."""

    _ahead = b""

    def recv(self, count=65536):
        """Some bytes, b"" at the end."""
        if self._ahead:
            data, self._ahead = self._ahead[:count], self._ahead[count:]
            return data
        return self._recv(count)

    def recv_exactly(self, count):
        data = b""
        while len(data) < count:
            piece = self.recv(count - len(data))
            if not piece:
                raise Gone
            data += piece
        return data

    def recv_until(self, mark):
        """Up to and including the mark."""
        data = b""
        while mark not in data:
            piece = self.recv()
            if not piece:
                raise Gone
            data += piece
        end = data.index(mark) + len(mark)
        self.unread(data[end:])
        return data[:end]

    def unread(self, data):
        self._ahead = data + self._ahead


class Wire(Stream):
    def __init__(self, sock):
        self.sock = sock
        self.sock.settimeout(60)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.longest_gap_s = 0.0
        self._pause = False
        self._last = time.monotonic()

    def _recv(self, count):
        try:
            data = self.sock.recv(count)
        except ConnectionError:
            raise Gone from None
        self._step()
        return data

    # ---- sending

    def sendall(self, data):
        self._step()
        try:
            self.sock.sendall(data)
        except ConnectionError:
            raise Gone from None

    # ---- time

    def pause(self):
        """The script pauses here: the client's next bytes may come late."""
        self._pause = True

    def rest(self, seconds):
        """The peer itself pauses."""
        time.sleep(seconds)
        self._last += seconds
        self._step()

    def _step(self):
        now = time.monotonic()
        if not self._pause:
            self.longest_gap_s = max(self.longest_gap_s, now - self._last)
        self._pause = False
        self._last = now

    # ---- weathers

    def mute(self):
        """Says nothing any more, until the client has closed."""
        try:
            while True:
                self.pause()
                if not self.recv():
                    return
        except Gone:
            pass

    def cut(self):
        """An end of file, and then the client's."""
        try:
            self.sock.shutdown(socket.SHUT_WR)
            while self.recv():
                pass
        except (Gone, OSError):
            pass

    def reset(self):
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def close(self):
        self.sock.close()
