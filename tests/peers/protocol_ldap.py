"""LDAP: a simple bind, a search, unbind, which nobody answers."""
from script import LATER_S, Answer, Pause, Read, Send, blocking, looping

BIND, BOUND, UNBIND, SEARCH, ENTRY, DONE = 0x60, 0x61, 0x42, 0x63, 0x64, 0x65


def ber(tag, *parts):
    body = b"".join(parts)
    if len(body) < 128:
        return bytes([tag, len(body)]) + body
    size = len(body).to_bytes((len(body).bit_length() + 7) // 8, "big")
    return bytes([tag, 128 | len(size)]) + size + body


def text(value):
    return ber(4, value)


def number(value):
    return ber(2, bytes([value]))


def message(identity, operation):
    return ber(0x30, number(identity), operation)


def read_ber():
    """The content of the next element."""
    length = (yield Read(2))[1]
    if length & 128:
        length = int.from_bytes((yield Read(length & 127)), "big")
    return (yield Read(length))


def read_message():
    """(message id, operation's tag)"""
    body = yield from read_ber()
    identity_end = 2 + body[1]
    return body[identity_end - 1], body[identity_end]


def result(tag):
    return ber(tag, ber(10, b"\0"), text(b""), text(b""))


def found(identity):
    attribute = ber(0x30, text(b"cn"), ber(0x31, text(b"peer")))
    entry = ber(ENTRY, text(b"cn=peer,dc=peer"), ber(0x30, attribute))
    return message(identity, entry) + message(identity, result(DONE))


def server():
    while True:
        identity, operation = yield from read_message()
        if operation == UNBIND:
            return
        if operation == BIND:
            yield Send(message(identity, result(BOUND)))
        else:
            yield Answer(found(identity))


def search(identity):
    present = ber(0x87, b"objectClass")
    limits = number(0) + number(0) + ber(1, b"\0")
    scope = text(b"dc=peer") + ber(10, b"\2") + ber(10, b"\0")
    yield Send(message(identity, ber(SEARCH, scope, limits, present, ber(0x30))))
    while (yield from read_message())[1] != DONE:
        pass


def session(later=0):
    yield Send(message(1, ber(BIND, number(3), text(b"cn=peer"), ber(0x80, b"secret"))))
    assert (yield from read_message()) == (1, BOUND)
    yield from search(2)
    for i in range(later):
        yield Pause(LATER_S)
        yield from search(3 + i)
    yield Send(message(9, ber(UNBIND)))


blocking_session, looping_session = blocking(session), looping(session)
blocking_pool = blocking(session, 2)
