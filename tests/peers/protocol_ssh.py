"""SSH: both sides begin with a banner; then packets, of which nobody outside can tell what asks."""
import struct

from script import LATER_S, Answer, Line, Pause, Read, Send, blocking, lines, looping

KEXINIT, NEWKEYS, KEX_INIT, KEX_REPLY = 20, 21, 30, 31


def packet(kind, size):
    """A packet of the plain phase: its length, its padding's, a message number, so much payload."""
    padding = 8 - (size + 6) % 8 + 4
    return struct.pack(">IBB", size + 2 + padding, padding, kind) + bytes(size + padding)


def read_packet():
    length = struct.unpack(">I", (yield Read(4)))[0]
    return (yield Read(length))[1]


def secret(size):
    """What is encrypted is as good as any bytes; the length goes before them here."""
    return struct.pack(">I", size) + bytes([0xA5]) * size


def read_secret():
    yield Read(struct.unpack(">I", (yield Read(4)))[0])


def server():
    """Spoiled is the answer to what the client asks once it is in."""
    yield Send(lines("SSH-2.0-peer"))
    yield Line()
    yield Send(packet(KEXINIT, 900))
    assert (yield from read_packet()) == KEXINIT
    assert (yield from read_packet()) == KEX_INIT
    yield Send(packet(KEX_REPLY, 500) + packet(NEWKEYS, 0))
    assert (yield from read_packet()) == NEWKEYS
    for _ in range(3):
        yield from read_secret()
        yield Send(secret(60))
    while True:
        yield from read_secret()
        yield Answer(secret(100))


def session():
    """Log-in in three steps, a command at once, and two more after pauses."""
    yield Send(lines("SSH-2.0-client"))
    yield Line()
    yield Send(packet(KEXINIT, 1100))
    assert (yield from read_packet()) == KEXINIT
    yield Send(packet(KEX_INIT, 40))
    assert (yield from read_packet()) == KEX_REPLY
    assert (yield from read_packet()) == NEWKEYS
    yield Send(packet(NEWKEYS, 0))
    for step in range(6):
        if step > 3:
            yield Pause(LATER_S)
        yield Send(secret(80))
        yield from read_secret()
    yield Send(secret(30))


blocking_session, looping_session = blocking(session), looping(session)
