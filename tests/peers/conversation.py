"""What a row of docs/how-it-decides.md is made of: a scripted peer, its client, and what must be counted.

A row lives in a file rows_*.py, which lists its rows in ROWS. Everything is told per *conversation*:
one go of the client, over as many connections as it likes.
"""
import os
import sys
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"
WEATHERS = ("healthy", "mute", "late", "cut")


class Patience(dict):
    """Weather -> how many seconds a client waits for an answer. Healthy weather must not depend on the
    machine's speed, and `cut` comes to an end by itself; the others are waited for a little, and
    longer each time that the machine disturbed it."""

    def __init__(self):
        self.grow(0)

    def grow(self, attempt):
        self.update({weather: min(0.4 * 1.5**attempt, 5.0) for weather in WEATHERS},
                    healthy=60.0, cut=60.0)


PATIENCE = Patience()


@dataclass(frozen=True)
class Expect:
    """What one conversation must be counted as.

    calls    how many calls the weather decides (healthy: all), None: any number of them, all SUCCESS
    outcome  of these: SUCCESS, FAILURE, or "nothing" (none is counted; calls is then 0)
    opens    does the breaker open?
    why      one plain sentence, for the table
    first    calls before those, all SUCCESS: what was answered before the weather turned
    """

    calls: int | None = 1
    outcome: str = "SUCCESS"
    opens: bool = False
    why: str = ""
    first: int = 0

    def counts(self):
        """(SUCCESS, FAILURE) of one conversation."""
        calls = 0 if self.outcome == "nothing" else self.calls
        if self.outcome == "FAILURE":
            return self.first, calls
        return self.first + calls, 0


class Conversation:
    name = ""  # the row's key, unique
    title = ""  # one line for the table
    needs = ()  # programs that must be installed
    long = False  # only in check-all
    # The client takes `--times N` and `--step` (those of clients.py do); others are started each time.
    times = False
    # A healthy conversation comes first in sick weathers, unless they begin with an answer by
    # themselves (Expect.first): silence under an event loop is held only against a destination that
    # has answered before.
    primed = False
    late_is = "mute after the handshake"  # what `late` means here, for names of tests
    expect = {}  # weather -> Expect; a weather that is left out has no meaning here

    def serve(self, sock, weather):
        """Talks to one client over a Wire (wire.py), in a thread of its own. Returns: it is closed.
        A row's object lives in one process with one peer, so it may remember things."""
        raise NotImplementedError

    def command(self, port, weather):
        """The client's argv. It exits 0 if and only if it got what it should (asked for in healthy
        weather only)."""
        raise NotImplementedError

    def prepare(self, folder):
        """Before the peer listens: a place for certificates and the like."""

    def python_client(self, what, port, weather, *more):
        """argv of a function in a module of this folder: `module.function`; see clients.py."""
        argv = [PYTHON, os.path.join(HERE, "clients.py"), what, str(port), str(PATIENCE[weather])]
        return argv + [*more] + ([] if weather == "healthy" else ["--sick"])


def all_rows():
    """Every row, in the order of the table."""
    sys.path.insert(0, HERE)
    rows = []
    for file in sorted(os.listdir(HERE)):
        if file.startswith("rows_") and file.endswith(".py"):
            rows += __import__(file[:-3]).ROWS
    names = [row.name for row in rows]
    assert len(set(names)) == len(names), "two rows have one name"
    return rows
