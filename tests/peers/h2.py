"""HTTP/2, framed by hand: as much of it as the conversations need. No server is asked to compress."""
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 4, 6, 7, 8
ACK = END_STREAM = 1
END_HEADERS = 4
PADDED_OR_PRIORITY = 0x28


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def settings():
    return frame(SETTINGS, payload=struct.pack(">HI", 3, 100))  # streams at once


def window_update(stream=0, more=1 << 20):
    return frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", more))


def request(stream):
    # :method GET, :scheme https, :path /, and :authority written out
    block = b"\x82\x87\x84\x41\x04peer"
    return frame(HEADERS, END_STREAM | END_HEADERS, stream, block)


def response(stream, body):
    return frame(HEADERS, END_HEADERS, stream, b"\x88") + frame(DATA, END_STREAM, stream, body)


class Frames:
    """Reads frames from bytes as they come."""

    def __init__(self):
        self.held = b""

    def add(self, data):
        self.held += data

    def next(self):
        """(kind, flags, stream, payload), or None: more bytes are needed."""
        if len(self.held) < 9:
            return None
        length = int.from_bytes(self.held[:3], "big")
        if len(self.held) < 9 + length:
            return None
        kind, flags, stream = struct.unpack(">BBI", self.held[3:9])
        payload, self.held = self.held[9:9 + length], self.held[9 + length:]
        return kind, flags, stream, payload
