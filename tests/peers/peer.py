"""Listens for one row and lets its script talk to each client, in a thread of its own."""
import socket
import threading
import time
import traceback

import stalls
from wire import LIMIT_S, Gone, Wire


class Peer:
    def __init__(self, row):
        self.row = row
        self.weather = "healthy"
        self.accepted = 0
        self.complaints = []  # what went wrong in the script itself
        self.gap_s = 0.0
        self.began = time.monotonic()
        self.lock = threading.Lock()
        self.talks = []
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            self.accepted += 1
            talk = threading.Thread(target=self._talk, args=(sock, self.weather), daemon=True)
            talk.start()
            with self.lock:
                self.talks.append(talk)

    def _talk(self, sock, weather):
        wire = Wire(sock)
        try:
            self.row.serve(wire, weather)
        except (Gone, OSError):
            pass  # what the client thinks of it, it says itself
        except Exception:
            self.complaints.append(traceback.format_exc())
        finally:
            wire.close()
            with self.lock:
                self.gap_s = max(self.gap_s, wire.longest_gap_s)

    def begin(self, weather):
        """A conversation is about to be held."""
        self.weather = weather
        self.gap_s = 0.0
        self.began = time.monotonic()

    def settle(self):
        """Waits for the peer's side of it to end, once the client's has. Was it disturbed?"""
        with self.lock:
            talks, self.talks = self.talks, []
        for talk in talks:
            talk.join(10)
        return self.gap_s >= LIMIT_S or stalls.since(self.began)

    def close(self):
        self.listener.close()
