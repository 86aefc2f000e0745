"""One row in one weather: has a peer, lets clients talk under the shim, judges what was counted."""
import os
import tempfile
import time
from dataclasses import dataclass, field

from conversation import PATIENCE
from counted import Counted, count
from peer import Peer
from talker import Hangs, talk_often, talker_of

MINIMUM = 10  # calls before a breaker may open, and
THRESHOLD = 0.5  # the share of failed ones from which it does: the defaults
HEALTHY_RUNS = 2
DISTURBED_MAX = 60  # conversations that the machine disturbed, in one cell
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))


@dataclass
class Verdict:
    row: str
    weather: str
    ok: bool
    text: str  # for the table: what one conversation was counted as
    seen: list = field(default_factory=list)
    disturbed: int = 0  # conversations that were held another time


def shim():
    out = os.path.join(ROOT, os.environ.get("OUT") or "build")
    return os.environ.get("SHIM") or os.path.join(out, "libinterlock_preload.so")


def text_of(expect):
    """What the table says of a conversation that was counted as expected."""
    success, failure = expect.counts()
    parts = [f"{n} {word}" for n, word in ((success, "SUCCESS"), (failure, "FAILURE")) if n]
    text = ", ".join(parts) or "nothing"
    return text + (": trips" if expect.opens else "")


def counts_of(expect, success, failure):
    """(SUCCESS, FAILURE, opens) of a conversation after so many calls: an open breaker lets no
    more through."""
    good, bad = expect.counts()
    done = [0, 0]
    for failed in [0] * good + [1] * bad:
        done[failed] += 1
        total = success + failure + sum(done)
        if total >= MINIMUM and (failure + done[1]) / total >= THRESHOLD:
            return (*done, True)
    return (*done, False)


class Disturbed(Exception):
    """The machine has spoilt the cell, not the shim."""


class Cell:
    def __init__(self, row, weather, folder):
        self.row, self.weather, self.folder = row, weather, folder
        self.runtime = os.path.join(folder, "run")
        self.log = os.path.join(folder, "log")
        os.mkdir(self.runtime, 0o700)
        self.wrong = []
        self.disturbed = 0
        self.peer = Peer(row)
        self.talker = None

    def environment(self):
        env = {k: v for k, v in os.environ.items() if not k.startswith("INTERLOCK")}
        env.update(LD_PRELOAD=shim(), INTERLOCK_REGISTRY="peers", INTERLOCK_LOG=self.log,
                   INTERLOCK_LOG_LEVEL="debug", INTERLOCK_RUNTIME_DIR=self.runtime)
        return env

    def counted(self):
        try:
            with open(self.log, encoding="utf-8") as log:
                return count(log.read())
        except FileNotFoundError:
            return Counted()

    def talk(self, weather):
        """One conversation. Returns what went wrong with the client, and whether the machine
        disturbed it."""
        if not self.talker or self.talker.weather != weather:
            self.hang_up()
            self.talker = talker_of(self.row, self.peer.port, weather, self.environment(), ROOT)
        self.peer.begin(weather)
        wrong = self.talker.talk()
        return wrong if weather == "healthy" else [], self.peer.settle()

    def hang_up(self):
        if self.talker:
            self.talker.close()
        self.talker = None

    def converse(self, weather, expect):
        """One conversation that the machine did not disturb, and that was counted as expected.
        Returns the totals. A disturbed one is held another time, with more patience."""
        while not self.wrong:
            before = self.counted()
            wrong, disturbed = self.talk(weather)
            after = self.counted()
            *due, opens = counts_of(expect, before.success, before.failure)
            seen = [after.success - before.success, after.failure - before.failure]
            # The call that opens it may do so while it still is a SUCCESS; what it is amended to
            # after that is no event any more.
            late = [due[0] + 1, due[1] - 1] if opens else due
            slow = after.slow > before.slow
            if expect.calls is None:
                seen = due = late if seen[1] == 0 else due
            if not wrong and seen in (due, late) and after.opened == opens and not slow:
                return after
            if disturbed and self.disturbed < DISTURBED_MAX and os.listdir(self.runtime):
                self.disturbed += 1
                if after.opened:
                    raise Disturbed
                PATIENCE.grow(self.disturbed)
                self.hang_up()
                time.sleep(min(self.disturbed / 10, 1))  # what keeps the machine busy may pass
                continue
            self.wrong += wrong
            self.wrong.append(f"SUCCESS, FAILURE {due} expected, {'open' if opens else 'closed'}: "
                              f"{seen}; before {before}, after {after}")
        return self.counted()

    def judge(self, runs):
        expect = self.row.expect[self.weather]
        if self.weather != "healthy":
            runs = MINIMUM
            if self.row.primed and not expect.first:
                self.converse("healthy", self.row.expect["healthy"])
        for _ in range(runs + self.disturbed):
            seen = self.converse(self.weather, expect)
            if seen.opened or self.wrong:
                break
        if expect.opens and not self.wrong:
            self.is_open()

    def is_open(self):
        seen = self.counted()
        if not seen.opened:
            if self.disturbed:
                raise Disturbed
            self.wrong.append(f"the breaker is not open after {MINIMUM} conversations: {seen}")
            return
        accepted = self.peer.accepted
        self.talk(self.weather)
        if not self.counted().rejected or self.peer.accepted != accepted:
            self.wrong.append("the call after that is not rejected")

    def run(self, runs):
        try:
            self.judge(runs)
        except Hangs as late:
            self.wrong.append(str(late))
        finally:
            self.hang_up()
            self.peer.settle()
            self.peer.close()
        if not os.listdir(self.runtime):
            self.wrong.append("no registry was made: is the shim loaded?")
        self.wrong += self.peer.complaints
        if self.wrong:
            self.wrong += self.tail()

    def run_often(self, times):
        """Healthy conversations at a stretch: whatever the machine does, none may fail."""
        self.peer.begin("healthy")
        self.wrong += talk_often(self.row, self.peer.port, times, env=self.environment(), cwd=ROOT)
        self.peer.settle()
        self.peer.close()
        seen = self.counted()
        if seen.failure or seen.opened or not os.listdir(self.runtime):
            self.wrong.append(f"after {times} healthy conversations: {seen}")
        if self.wrong:
            self.wrong += self.tail()

    def tail(self):
        try:
            with open(self.log, encoding="utf-8") as log:
                return log.read().splitlines()[-25:]
        except FileNotFoundError:
            return ["no log"]


def judge(row, weather, runs=HEALTHY_RUNS):
    disturbed = 0
    while True:
        with tempfile.TemporaryDirectory(prefix="interlock-peers-") as folder:
            row.prepare(folder)
            cell = Cell(row, weather, folder)
            cell.disturbed = disturbed
            try:
                cell.run(runs)
                break
            except Disturbed:
                disturbed = cell.disturbed + 1
                if disturbed > DISTURBED_MAX:
                    cell.wrong.append("the machine disturbs it again and again")
                    break
    text = "?" if cell.wrong else text_of(row.expect[weather])
    return Verdict(row.name, weather, not cell.wrong, text, cell.wrong, cell.disturbed)


def judge_often(row, times):
    with tempfile.TemporaryDirectory(prefix="interlock-peers-") as folder:
        row.prepare(folder)
        cell = Cell(row, "healthy", folder)
        cell.run_often(times)
    return Verdict(row.name, "healthy", not cell.wrong, str(times), cell.wrong)
