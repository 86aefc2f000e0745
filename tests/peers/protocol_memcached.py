"""memcached's text protocol."""
from script import LATER_S, Answer, Line, Pause, Read, Send, blocking, looping

VALUE = b"x" * 3000


def server():
    """Spoiled is what it says to a get."""
    while True:
        words = (yield Line()).split()
        if words[0] == b"set":
            yield Read(int(words[4]) + 2)
            yield Send(b"STORED\r\n")
        elif words[0] == b"get":
            yield Answer(b"VALUE key 0 %d\r\n%s\r\nEND\r\n" % (len(VALUE), VALUE))
        elif words[0] == b"quit":
            return


def get():
    yield Send(b"get key\r\n")
    yield Line()
    assert (yield Read(len(VALUE))) == VALUE
    yield Line()
    assert (yield Line()) == b"END\r\n"


def session(later=0):
    yield Send(b"set key 0 0 %d\r\n%s\r\n" % (len(VALUE), VALUE))
    assert (yield Line()) == b"STORED\r\n"
    yield from get()
    for _ in range(later):
        yield Pause(LATER_S)
        yield from get()
    yield Send(b"quit\r\n")


blocking_session, looping_session = blocking(session), looping(session)
blocking_pool, looping_pool = blocking(session, 2), looping(session, 2)
