"""One row in one weather: has a peer, runs clients under the shim, judges what was counted."""
import os
import subprocess
import tempfile
from dataclasses import dataclass, field

from counted import Counted, count
from peer import Peer

MINIMUM = 10  # calls before a breaker may open, and
THRESHOLD = 0.5  # the share of failed ones from which it does: the defaults
HEALTHY_RUNS = 2
ATTEMPTS = 10  # of a cell that the machine disturbed
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))


@dataclass
class Verdict:
    row: str
    weather: str
    ok: bool
    text: str  # for the table: what one conversation was counted as
    seen: list = field(default_factory=list)
    attempts: int = 1


def shim():
    out = os.path.join(ROOT, os.environ.get("OUT") or "build")
    return os.environ.get("SHIM") or os.path.join(out, "libinterlock_preload.so")


def text_of(expect):
    """What the table says of a conversation that was counted as expected."""
    success, failure = expect.counts()
    parts = [f"{n} {word}" for n, word in ((success, "SUCCESS"), (failure, "FAILURE")) if n]
    text = ", ".join(parts) or "nothing"
    return text + (": trips" if expect.opens else "")


def until_open(expect, success):
    """How many conversations it takes to open, `success` calls having gone well, and the totals."""
    runs, failure = 0, 0
    good, bad = expect.counts()
    while runs < 100:
        runs += 1
        for failed in [0] * good + [1] * bad:
            success, failure = success + 1 - failed, failure + failed
            total = success + failure
            if total >= MINIMUM and failure / total >= THRESHOLD:
                return runs, success, failure
    raise AssertionError("what is expected never opens a breaker")


class Cell:
    """One attempt at it."""

    def __init__(self, row, weather, folder):
        self.row, self.weather, self.folder = row, weather, folder
        self.runtime = os.path.join(folder, "run")
        self.log = os.path.join(folder, "log")
        os.mkdir(self.runtime, 0o700)
        self.wrong = []
        self.peer = Peer(row)

    def environment(self):
        env = {k: v for k, v in os.environ.items() if not k.startswith("INTERLOCK")}
        env.update(LD_PRELOAD=shim(), INTERLOCK_REGISTRY="peers", INTERLOCK_LOG=self.log,
                   INTERLOCK_LOG_LEVEL="debug", INTERLOCK_RUNTIME_DIR=self.runtime)
        return env

    def clients(self, weather, times):
        """Lets the client talk so many times."""
        self.peer.weather = weather
        argv = self.row.command(self.peer.port, weather)
        rounds = times
        if self.row.times:
            argv, rounds = argv + ["--times", str(times)], 1
        for _ in range(rounds):
            done = subprocess.run(argv, env=self.environment(), cwd=ROOT, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240)
            if weather == "healthy" and done.returncode != 0:
                self.wrong.append(f"the client ended with {done.returncode}:")
                self.wrong += done.stdout.decode(errors="replace").splitlines()[-15:]

    def counted(self):
        try:
            with open(self.log, encoding="utf-8") as log:
                return count(log.read())
        except FileNotFoundError:
            return Counted()

    def demand(self, truth, complaint):
        if not truth:
            self.wrong.append(complaint)

    def healthy(self, runs):
        expect = self.row.expect["healthy"]
        self.clients("healthy", runs)
        seen = self.counted()
        self.demand(seen.failure == 0 and seen.slow == 0 and seen.changes == 0, f"not healthy: {seen}")
        if expect.calls is not None:
            self.demand(seen.success == expect.counts()[0] * runs,
                        f"{expect.counts()[0]} calls expected of each of {runs} runs: {seen}")

    def sick(self):
        expect = self.row.expect[self.weather]
        before = 0
        if self.row.primed:
            self.clients("healthy", 1)
            before = self.counted().success
        if expect.opens:
            self.opens(expect, before)
        else:
            self.clients(self.weather, MINIMUM)
            seen = self.counted()
            good, bad = expect.counts()
            good, bad = before + good * MINIMUM, bad * MINIMUM
            self.demand((seen.success, seen.failure, seen.slow) == (good, bad, 0),
                        f"{good} SUCCESS and {bad} FAILURE expected of {MINIMUM} runs: {seen}")
            self.demand(seen.changes == 0, f"the breaker moved: {seen}")

    def opens(self, expect, before):
        runs, good, bad = until_open(expect, before)
        self.demand(runs <= MINIMUM, f"it takes {runs} conversations to open")
        self.clients(self.weather, runs)
        seen = self.counted()
        # The call that reaches the minimum may open it while it still is a SUCCESS; what it is
        # amended to after that is no event any more.
        last = int(seen.failure == bad - 1)
        self.demand((seen.success - last, seen.failure + last, seen.slow) == (good, bad, 0),
                    f"{good} SUCCESS and {bad} FAILURE expected of {runs} runs: {seen}")
        self.demand(seen.opened, f"the breaker is not open after {runs} runs: {seen}")
        accepted = self.peer.accepted
        self.clients(self.weather, 1)
        after = self.counted()
        self.demand(after.rejected > seen.rejected, f"the next call is not rejected: {after}")
        self.demand(self.peer.accepted == accepted, "a rejected call reached the peer")

    def run(self, runs):
        """Judges. Returns whether the machine disturbed it."""
        try:
            if self.weather == "healthy":
                self.healthy(runs)
            else:
                self.sick()
        except subprocess.TimeoutExpired as late:
            self.wrong.append(f"the client hangs: {late}")
        self.demand(os.listdir(self.runtime), "no registry was made: is the shim loaded?")
        disturbed = self.peer.settle()
        self.wrong += self.peer.complaints
        self.peer.close()
        if self.wrong:
            self.wrong.append(f"counted: {self.counted()}, longest gap {self.peer.gap_s:.3f} s")
            self.wrong += self.tail()
        return disturbed

    def tail(self):
        try:
            with open(self.log, encoding="utf-8") as log:
                return log.read().splitlines()[-25:]
        except FileNotFoundError:
            return ["no log"]


def judge(row, weather, runs=HEALTHY_RUNS):
    """Runs a cell until it is right, or wrong without having been disturbed."""
    wrong = []
    for attempt in range(1, ATTEMPTS + 1):
        with tempfile.TemporaryDirectory(prefix="interlock-peers-") as folder:
            row.prepare(folder)
            cell = Cell(row, weather, folder)
            disturbed = cell.run(runs)
            wrong = cell.wrong
        if not wrong or not disturbed:
            break
    text = "?" if wrong else text_of(row.expect[weather])
    return Verdict(row.name, weather, not wrong, text, wrong, attempt)
