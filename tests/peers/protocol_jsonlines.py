"""JSON-RPC, one message a line: answers, and notifications that nobody asked for."""
import json

from script import LATER_S, Answer, Line, Pause, Send, blocking, looping


def message(**keys):
    return json.dumps({"jsonrpc": "2.0", **keys}).encode() + b"\n"


def server():
    while True:
        asked = json.loads((yield Line()))
        if asked["method"] == "hello":
            yield Send(message(id=asked["id"], result="hello"))
        elif "id" in asked:
            note = message(method="progress", params=[50])
            yield Answer(note + message(id=asked["id"], result=asked["params"]))


def ask(number, method="echo"):
    yield Send(message(id=number, method=method, params=[number]))
    while "id" not in json.loads((yield Line())):
        pass


def session(later=0):
    """A hello, three requests, and so many more after pauses; a notification for a good-bye."""
    yield from ask(0, "hello")
    for number in range(1, 4):
        yield from ask(number)
    for number in range(later):
        yield Pause(LATER_S)
        yield from ask(10 + number)
    yield Send(message(method="exit"))


blocking_session, looping_session = blocking(session), looping(session)
blocking_pool, looping_pool = blocking(session, 2), looping(session, 2)
