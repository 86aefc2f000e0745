"""A port that can be closed, mute, or the server's, whenever the trial says so.

It also notes how long both sides took to go on. Where that is long although nothing asked for it, the
machine stalled: the only ground on which a cell may be taken once more.
"""
import socket
import struct
import threading
import time


class Relay:
    def __init__(self, port):
        self.port = port
        self.target = None       # (host, port); None: mute
        self.source = "127.0.0.1"  # from where the server sees us come
        self.connections = 0
        self.forget()
        self.listener = None
        self.sockets = set()
        self.lock = threading.Lock()

    def forward(self, target, source):
        self.target, self.source = target, source
        self.open()

    def forget(self):
        """From here on pauses are counted."""
        self.client_paused = 0.0  # the longest time that a client took to send, in seconds
        self.server_paused = 0.0  # and a server

    def mute(self):
        self.target = None
        self.open()

    def open(self):
        if self.listener:
            return
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", self.port))
        self.listener.listen(512)
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def close(self):
        """Refuses from now on, and ends what is left."""
        if self.listener:
            self.listener.shutdown(socket.SHUT_RDWR)  # wakes accept
            self.listener.close()
            self.listener = None
        with self.lock:
            for one in self.sockets:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def accept(self, listener):
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.serve, args=(near, self.target), daemon=True).start()

    def serve(self, near, target):
        far = socket.socket()
        with self.lock:
            self.sockets |= {near, far}
        try:
            if target is None:
                while near.recv(65536):
                    pass
                return
            far.bind((self.source, 0))
            far.connect(target)
            for one in near, far:
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            Pair(self, near, far).run()
        except OSError:
            reset(near)
        finally:
            with self.lock:
                self.sockets -= {near, far}
            near.close()
            far.close()


def reset(one):
    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class Pair:
    """One connection, both ways."""

    def __init__(self, relay, near, far):
        self.relay, self.near, self.far = relay, near, far
        self.last = time.monotonic()

    def run(self):
        back = threading.Thread(target=self.pump, args=(self.far, self.near, "server_paused"), daemon=True)
        back.start()
        self.pump(self.near, self.far, "client_paused")
        back.join()

    def pump(self, origin, to, pause):
        try:
            while data := origin.recv(65536):
                self.note(pause)
                to.sendall(data)
                self.last = time.monotonic()
            to.shutdown(socket.SHUT_WR)
        except OSError:
            for one in origin, to:
                reset(one)
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def note(self, pause):
        now = time.monotonic()
        setattr(self.relay, pause, max(getattr(self.relay, pause), now - self.last))
        self.last = now
