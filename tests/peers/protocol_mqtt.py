"""MQTT 3.1.1: CONNECT, SUBSCRIBE, PUBLISH with an acknowledgement, PINGREQ, DISCONNECT."""
import struct

from script import LATER_S, Answer, Pause, Read, Send, blocking, looping

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK = 0x10, 0x20, 0x30, 0x40, 0x82, 0x90
PINGREQ, PINGRESP, DISCONNECT = 0xC0, 0xD0, 0xE0
QOS_1 = 2


def packet(kind, body=b""):
    length, out = len(body), bytes([kind])
    while True:
        length, low = length >> 7, length & 127
        out += bytes([low | (128 if length else 0)])
        if not length:
            return out + body


def read_packet():
    kind, length, shift = (yield Read(1))[0], 0, 0
    while True:
        byte = (yield Read(1))[0]
        length |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return kind, (yield Read(length)) if length else b""


def text(value):
    return struct.pack(">H", len(value)) + value


def publish(topic, payload, number):
    return packet(PUBLISH | QOS_1, text(topic) + struct.pack(">H", number) + payload)


def answer(kind, body):
    if kind & 0xF0 == PUBLISH:
        topic_end = 2 + int.from_bytes(body[:2], "big")
        return packet(PUBACK, body[topic_end:][:2]) if kind & QOS_1 else b""
    if kind == SUBSCRIBE:
        return packet(SUBACK, body[:2] + b"\0") + publish(b"news", b"kept", 1)
    return packet(PINGRESP) if kind == PINGREQ else b""


def server():
    yield from read_packet()
    yield Send(packet(CONNACK, b"\0\0"))
    while True:
        kind, body = yield from read_packet()
        if kind == DISCONNECT:
            return
        said = answer(kind, body)
        if said:
            yield Answer(said)


def session():
    """Subscribes, publishes, and keeps the connection alive for a while by pings."""
    yield Send(packet(CONNECT, text(b"MQTT") + bytes([4, 2]) + struct.pack(">H", 60) + text(b"peer")))
    assert (yield from read_packet()) == (CONNACK, b"\0\0")
    yield Send(packet(SUBSCRIBE, struct.pack(">H", 1) + text(b"news") + b"\0"))
    assert (yield from read_packet())[0] == SUBACK
    assert (yield from read_packet())[0] == PUBLISH | QOS_1
    yield Send(packet(PUBACK, struct.pack(">H", 1)))
    yield Send(publish(b"topic", b"payload", 2))
    assert (yield from read_packet())[0] == PUBACK
    for _ in range(2):
        yield Pause(LATER_S)
        yield Send(packet(PINGREQ))
        assert (yield from read_packet())[0] == PINGRESP
    yield Send(packet(DISCONNECT))


blocking_session, looping_session = blocking(session), looping(session)
