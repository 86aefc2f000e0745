"""AMQP 0-9-1: open, declare, publish, consume, heartbeats of both sides, close."""
import struct

from script import LATER_S, Answer, Listen, Pause, Read, Send, blocking, looping

METHOD, HEADER, BODY, HEARTBEAT = 1, 2, 3, 8
END = b"\xce"
START, START_OK, TUNE, TUNE_OK, OPEN, OPEN_OK, CLOSE, CLOSE_OK = (
    (10, n) for n in (10, 11, 30, 31, 40, 41, 50, 51)
)
CHANNEL_OPEN, CHANNEL_OPEN_OK = (20, 10), (20, 11)
DECLARE, DECLARE_OK = (50, 10), (50, 11)
CONSUME, CONSUME_OK, PUBLISH, DELIVER, ACK = (60, 20), (60, 21), (60, 40), (60, 60), (60, 80)


def frame(kind, channel, payload=b""):
    return struct.pack(">BHI", kind, channel, len(payload)) + payload + END


def method(name, arguments=b"", channel=1):
    return frame(METHOD, channel, struct.pack(">HH", *name) + arguments)


def text(value):
    return bytes([len(value)]) + value


def content(payload):
    return frame(HEADER, 1, struct.pack(">HHQH", 60, 0, len(payload), 0)) + frame(BODY, 1, payload)


BEAT = frame(HEARTBEAT, 0)
EMPTY_TABLE = struct.pack(">I", 0)
LONG = struct.Struct(">I").pack


def read_frame():
    kind, _, length = struct.unpack(">BHI", (yield Read(7)))
    payload = (yield Read(length + 1))[:-1]
    return struct.unpack(">HH", payload[:4]) if kind == METHOD else kind


def read_until(name):
    while (yield from read_frame()) != name:
        pass


def delivery(number):
    return method(DELIVER, text(b"tag") + struct.pack(">QB", number, 0) + text(b"") + text(b"jobs")) + (
        content(b"job")
    )


ANSWERS = {
    CHANNEL_OPEN: method(CHANNEL_OPEN_OK, LONG(0)),
    DECLARE: method(DECLARE_OK, text(b"jobs") + LONG(0) + LONG(0)),
    CONSUME: method(CONSUME_OK, text(b"tag")) + delivery(1),
    CLOSE: method(CLOSE_OK, channel=0),
}


def server():
    """It answers a heartbeat with its own: the two sides' are independent, and cross all the time."""
    yield Read(8)
    yield Send(method(START, b"\0\x09" + EMPTY_TABLE + LONG(5) + b"PLAIN" + LONG(5) + b"en_US", 0))
    yield from read_until(START_OK)
    yield Send(method(TUNE, struct.pack(">HIH", 2047, 131072, 1), 0))
    yield from read_until(TUNE_OK)
    yield from read_until(OPEN)
    yield Send(method(OPEN_OK, text(b""), 0))
    while True:
        name = yield from read_frame()
        if name == HEARTBEAT:
            yield Pause(0.15)
            yield Send(BEAT)
        elif name in ANSWERS:
            yield Answer(ANSWERS[name])
        if name == CLOSE:
            return


def log_in():
    yield Send(b"AMQP\0\0\x09\x01")
    yield from read_until(START)
    yield Send(
        method(START_OK, EMPTY_TABLE + text(b"PLAIN") + LONG(10) + b"\0peer\0peer" + text(b"en_US"), 0)
    )
    yield from read_until(TUNE)
    yield Send(method(TUNE_OK, struct.pack(">HIH", 2047, 131072, 1), 0))
    yield Send(method(OPEN, text(b"/") + text(b"") + b"\0", 0))
    yield from read_until(OPEN_OK)
    yield Send(method(CHANNEL_OPEN, text(b"")))
    yield from read_until(CHANNEL_OPEN_OK)


def log_out():
    yield Send(method(CLOSE, struct.pack(">H", 200) + text(b"bye") + struct.pack(">HH", 0, 0), 0))
    yield from read_until(CLOSE_OK)


def publisher():
    """Publishes without confirmation, idles through two heartbeats, publishes again, closes."""
    yield from log_in()
    yield Send(method(DECLARE, struct.pack(">H", 0) + text(b"jobs") + b"\0" + EMPTY_TABLE))
    yield from read_until(DECLARE_OK)
    message = method(PUBLISH, struct.pack(">H", 0) + text(b"") + text(b"jobs") + b"\0") + content(b"job")
    yield Send(message)
    yield Listen(LATER_S)
    for _ in range(2):
        yield Send(BEAT)
        assert (yield Listen(30)) == BEAT
        yield Pause(LATER_S)
    yield Send(message)
    yield from log_out()


def consumer():
    """Takes a job, acknowledges it, and waits for the next one, which does not come: a heartbeat."""
    yield from log_in()
    yield Send(
        method(CONSUME, struct.pack(">H", 0) + text(b"jobs") + text(b"tag") + b"\0" + EMPTY_TABLE)
    )
    yield from read_until(DELIVER)
    yield from read_until(BODY)
    yield Send(method(ACK, struct.pack(">QB", 1, 0)))
    assert (yield Listen(LATER_S)) == b""
    yield Send(BEAT)
    assert (yield Listen(30)) == BEAT
    yield from log_out()


blocking_publisher, looping_publisher = blocking(publisher), looping(publisher)
blocking_consumer, looping_consumer = blocking(consumer), looping(consumer)
