"""One-way lines: a destination that never answers is not expected to."""
import select

from conversation import Conversation, Expect
from protocol_lines import HANGS_UP_S

SLOW = ("env", "INTERLOCK_SLOW_CALL_DURATION_THRESHOLD=300ms")
NODE = """
const held = require("net").connect(Number(process.argv[1]), "127.0.0.1", () => {
  held.write("one.two.three 1 1700000000\\n");
  setTimeout(() => held.end("one.two.three 2 1700000000\\n"), 600);
});
"""


class Lines(Conversation):
    """A peer that reads. Its clients speak through one of the programs below."""

    times = True
    client = ""
    hangs_up = False

    def __init__(self, name, title, expect, **traits):
        self.name, self.title, self.expect = name, title, {"healthy": expect}
        for trait, value in traits.items():
            setattr(self, trait, value)

    def serve(self, sock, weather):
        sock.pause()
        while not self.hangs_up or select.select([sock.sock], [], [], HANGS_UP_S)[0]:
            if not sock.recv():
                return
            sock.pause()

    def command(self, port, weather):
        return [*SLOW, *self.python_client(f"protocol_lines.{self.client}", port, weather)]


class Program(Lines):
    times = False
    argv = ()

    def command(self, port, weather):
        return [*SLOW, *(word.replace("PORT", str(port)) for word in self.argv)]


ONCE = Expect(1, why="nobody who never answered anyone is expected to")
HELD = Expect(4, why="also over a connection that is held for longer than the slow threshold")
HUNG_UP = Expect(0, "nothing", why="a log server may hang up on the idle")
NC = "echo one.two.three 1 1700000000 | nc.openbsd %s 127.0.0.1 PORT"

ROWS = [
    Program("nc", "a line by nc -N", ONCE, needs=("nc.openbsd",), argv=("sh", "-c", NC % "-N")),
    Program("nc quits", "a line by nc -q 0", ONCE, needs=("nc.openbsd",),
            argv=("sh", "-c", NC % "-q 0")),
    Program("bash", "a line by bash to /dev/tcp", ONCE,
            argv=("bash", "-c", "echo one.two.three 1 1700000000 >/dev/tcp/127.0.0.1/PORT")),
    Lines("graphite", "a line by python", ONCE, client="send_once"),
    Lines("syslog", "three lines by python's SysLogHandler", ONCE, client="syslog"),
    Lines("graphite held", "a connection held for long, three others meanwhile (python)", HELD,
          client="held"),
    Lines("graphite held loop",
          "a connection held for long, three others meanwhile (asyncio)", HELD, client="held_in_loop"),
    Lines("graphite hung up", "a connection on which the server hangs up (python)", HUNG_UP,
          client="hung_up", hangs_up=True),
    Lines("graphite hung up loop",
          "a connection on which the server hangs up (asyncio)", HUNG_UP, client="hung_up_in_loop",
          hangs_up=True),
    Program("node", "a connection held for long (node)",
            Expect(1, why=HELD.why), long=True, needs=("node",), argv=("node", "-e", NODE, "PORT")),
]
