"""PostgreSQL's protocol 3: log-in with a password, simple queries, Terminate."""
import struct

from script import LATER_S, Answer, End, Pause, Read, Send, blocking, looping

PROTOCOL_3 = 196608
CANCEL, SSL, GSS = 80877102, 80877103, 80877104


def message(kind, body=b""):
    return kind + struct.pack(">i", len(body) + 4) + body


def read_message():
    kind, length = struct.unpack(">ci", (yield Read(5)))
    return kind, (yield Read(length - 4))


def parameter(name, value):
    return message(b"S", name + b"\0" + value + b"\0")


READY = message(b"Z", b"I")
LOGGED_IN = (
    message(b"R", struct.pack(">i", 0))
    + parameter(b"server_version", b"15.0")
    + parameter(b"client_encoding", b"UTF8")
    + parameter(b"standard_conforming_strings", b"on")
    + message(b"K", struct.pack(">ii", 7, 7))
    + READY
)
ONE_ROW = (
    message(b"T", struct.pack(">h", 1) + b"n\0" + struct.pack(">ihihih", 0, 0, 23, 4, -1, 0))
    + message(b"D", struct.pack(">hi", 1, 1) + b"1")
    + message(b"C", b"SELECT 1\0")
    + READY
)


def server():
    while True:
        length, version = struct.unpack(">ii", (yield Read(8)))
        yield Read(length - 8)
        if version == CANCEL:
            return
        if version not in (SSL, GSS):
            break
        yield Send(b"N")
    yield Send(message(b"R", struct.pack(">i", 3)))
    yield from read_message()
    yield Send(LOGGED_IN)
    while (yield from read_message())[0] == b"Q":
        yield Answer(ONE_ROW)


def log_in():
    names = b"user\0peer\0database\0peer\0\0"
    yield Send(struct.pack(">ii", len(names) + 8, PROTOCOL_3) + names)
    kind, _ = yield from read_message()
    assert kind == b"R"
    yield Send(message(b"p", b"secret\0"))
    yield from until_ready()


def until_ready():
    while (yield from read_message())[0] != b"Z":
        pass


def query():
    yield Send(message(b"Q", b"select 1\0"))
    yield from until_ready()


def session(later=0):
    """One query at once, and so many more, each after a pause."""
    yield from log_in()
    yield from query()
    for _ in range(later):
        yield Pause(LATER_S)
        yield from query()
    yield Send(message(b"X"))


def session_to_the_end():
    """As asyncpg does it: says good-bye and waits for the server to hang up."""
    yield from session()
    yield End()


def spare():
    """A pool warms up a connection that nobody needs."""
    yield from log_in()
    yield Pause(LATER_S)
    yield Send(message(b"X"))


blocking_session, looping_session = blocking(session), looping(session)
blocking_pool, looping_pool = blocking(session, 2), looping(session, 2)
blocking_to_the_end, looping_to_the_end = blocking(session_to_the_end), looping(session_to_the_end)
looping_spare = looping(spare)
