"""MySQL's protocol 10: the server greets; native password; COM_QUERY, COM_PING, COM_QUIT."""
import struct

from script import LATER_S, Answer, Pause, Read, Send, blocking, looping

QUIT, QUERY, PING = b"\x01", b"\x03", b"\x0e"
# protocol 4.1, secure connection, plugin auth, long password
CAPABILITIES = 0x200 | 0x8000 | 0x80000 | 0x1
OK = b"\0\0\0\x02\0\0\0"
END = b"\xfe\0\0\x02\0"


def packets(first, *bodies):
    return b"".join(
        struct.pack("<I", len(body))[:3] + bytes([(first + i) & 255]) + body
        for i, body in enumerate(bodies)
    )


def read_packet():
    head = yield Read(4)
    return (yield Read(int.from_bytes(head[:3], "little")))


def text(value):
    return bytes([len(value)]) + value


GREETING = packets(
    0,
    b"\x0a5.7.0-peer\0"
    + struct.pack("<I", 7)
    + b"abcdefgh\0"
    + struct.pack("<HBHH", CAPABILITIES & 0xFFFF, 33, 2, CAPABILITIES >> 16)
    + bytes([21])
    + bytes(10)
    + b"ijklmnopqrst\0mysql_native_password\0",
)
COLUMN = b"".join(map(text, (b"def", b"", b"", b"", b"1", b""))) + b"\x0c" + struct.pack(
    "<HIBHBH", 33, 1, 8, 0, 0, 0
)
ONE_ROW = packets(1, b"\x01", COLUMN, END, text(b"1"), END)


def server():
    yield Send(GREETING)
    yield from read_packet()
    yield Send(packets(2, OK))
    while True:
        command = (yield from read_packet())[:1]
        if command == QUIT:
            return
        yield Answer(ONE_ROW if command == QUERY else packets(1, OK))


def log_in():
    greeting = yield from read_packet()
    assert greeting[0] == 10
    yield Send(
        packets(
            1,
            struct.pack("<IIB", CAPABILITIES, 1 << 24, 33)
            + bytes(23)
            + b"peer\0"
            + text(bytes(20))
            + b"mysql_native_password\0",
        )
    )
    assert (yield from read_packet())[0] == 0


def query():
    yield Send(packets(0, QUERY + b"select 1"))
    ends = 0
    while ends < 2:
        ends += (yield from read_packet())[0] == 0xFE


def ping():
    yield Send(packets(0, PING))
    assert (yield from read_packet())[0] == 0


def session(later=0):
    """A query, and later what a pool does, each time after a pause: a ping, then a query."""
    yield from log_in()
    yield from query()
    for _ in range(later):
        yield Pause(LATER_S)
        yield from ping()
        yield from query()
    yield Send(packets(0, QUIT))


blocking_session, looping_session = blocking(session), looping(session)
blocking_pool = blocking(session, 2)
