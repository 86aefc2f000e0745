"""Redis' protocol 2: pipelining, SUBSCRIBE, BLPOP."""
from script import LATER_S, Answer, Line, Listen, Pause, Read, Send, blocking, looping

PIPELINE = 50


def command(*words):
    out = b"*%d\r\n" % len(words)
    for word in words:
        out += b"$%d\r\n%s\r\n" % (len(word), word)
    return out


def read_command():
    count = int((yield Line())[1:])
    words = []
    for _ in range(count):
        length = int((yield Line())[1:])
        words.append((yield Read(length + 2))[:-2])
    return words


def read_reply():
    """A reply as python's values; nested arrays too."""
    line = yield Line()
    kind, rest = line[:1], line[1:-2]
    if kind == b"$":
        return (yield Read(int(rest) + 2))[:-2] if int(rest) >= 0 else None
    if kind == b"*":
        items = []
        for _ in range(max(int(rest), 0)):
            items.append((yield from read_reply()))
        return items
    assert kind != b"-", rest
    return rest


def server():
    while True:
        words = yield from read_command()
        name = words[0].upper()
        yield from ANSWERS.get(name, say_ok)(words)
        if name == b"QUIT":
            return


def say_ok(words):
    yield (Send if words[0] == b"AUTH" else Answer)(b"+OK\r\n")


def say_pong(_words):
    yield Answer(b"+PONG\r\n")


def say_value(_words):
    yield Answer(b"$5\r\nvalue\r\n")


def push(words):
    """Three messages, each long after the last: pushed, not asked for."""
    channel = words[1]
    yield Answer(b"*3\r\n$9\r\nsubscribe\r\n$%d\r\n%s\r\n:1\r\n" % (len(channel), channel))
    for _ in range(3):
        yield Pause(0.15)
        yield Send(command(b"message", channel, b"news"))


def pop(words):
    """Something comes after a while, or, for the list `empty`, nothing until its time is over."""
    yield Pause(0.2)
    yield Answer(b"*-1\r\n" if words[1] == b"empty" else command(words[1], b"job"))


ANSWERS = {b"PING": say_pong, b"GET": say_value, b"SUBSCRIBE": push, b"BLPOP": pop}


def log_in():
    yield Send(command(b"AUTH", b"secret"))
    assert (yield from read_reply()) == b"OK"


def pipeline():
    """Many commands in one send, whose answers are read afterwards."""
    yield from log_in()
    yield Send(command(b"SET", b"key", b"value") + command(b"GET", b"key") * PIPELINE)
    assert (yield from read_reply()) == b"OK"
    for _ in range(PIPELINE):
        assert (yield from read_reply()) == b"value"


def subscriber():
    """Listens, often in vain, and closes while nothing is being said."""
    yield from log_in()
    yield Send(command(b"SUBSCRIBE", b"channel"))
    assert (yield from read_reply())[0] == b"subscribe"
    for _ in range(3):
        assert (yield from read_reply())[2] == b"news"
    assert (yield Listen(0.15)) == b""


def worker():
    """Pops jobs, and once waits for one that does not come. Each pop follows on the last answer."""
    yield from log_in()
    for name in (b"jobs", b"empty", b"jobs"):
        yield Send(command(b"BLPOP", name, b"5"))
        yield from read_reply()


def pooled():
    yield from log_in()
    for _ in range(2):
        yield Pause(LATER_S)
        yield Send(command(b"GET", b"key"))
        assert (yield from read_reply()) == b"value"


blocking_pipeline, looping_pipeline = blocking(pipeline), looping(pipeline)
blocking_subscriber, looping_subscriber = blocking(subscriber), looping(subscriber)
blocking_worker = blocking(worker)
blocking_pooled = blocking(pooled)
