"""One client through all that can happen to its server. Each cell of the table is one test."""
import atexit
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import threading
import time

import process
from client import HERE, SCHEMES
from process import eventually
from relay import Relay

OUT = os.path.abspath(os.environ.get("OUT") or "build")
OPEN = tempfile.mkdtemp(prefix="interlock-open-")  # what other users run: the checkout may be closed to them
os.chmod(OPEN, 0o755)
atexit.register(shutil.rmtree, OPEN, ignore_errors=True)


def for_all(path):
    """A copy that every user can read; the path itself if there is nothing."""
    return shutil.copy(path, OPEN) if os.path.exists(path) else path


SHIM = for_all(os.path.abspath(os.environ.get("SHIM") or os.path.join(OUT, "libinterlock_preload.so")))
TOOL = for_all(os.path.join(OUT, "interlock"))
TRIP = 3          # calls that it takes to trip, in the cells dead and mute
PAUSE_S = 0.08    # a pause on a connection that excuses a count (an opening ends after 100 ms)
ATTEMPTS = 4      # at most, at an exact count
COLUMNS = SCHEMES + ("dead", "mute", "back")
NONE = "-"
DATE = (r"Date: .*", "Date")  # in the header of nginx

quiet = threading.Lock()  # exact counts are taken one at a time


class Cell:
    def __init__(self, column, text, problem="", skipped=""):
        self.column, self.text, self.problem, self.skipped = column, text, problem, skipped


class Wrong(Exception):
    """What was expected is not so."""


class Log:
    """What the shim told."""

    def __init__(self, path):
        self.path = path
        self.events = []
        try:
            with open(path, errors="replace") as file:
                self.lines = file.read().splitlines()
        except FileNotFoundError:
            self.lines = []
        for line in self.lines:
            words = line.split()
            if len(words) > 3:
                pairs = dict(word.split("=", 1) for word in words[4:] if "=" in word)
                self.events.append((words[3], pairs))

    def all(self, kind, **like):
        return [pairs for one, pairs in self.events
                if one == kind and all(pairs.get(key) == value for key, value in like.items())]

    def calls(self):
        return len(self.all("call"))

    def outcomes(self, outcome):
        return len(self.all("call", outcome=outcome)) + len(self.all("amended", outcome=outcome))

    def failures(self):
        return self.outcomes("FAILURE") + self.outcomes("SLOW_FAILURE")

    def changes(self):
        return [pairs["from"] + ">" + pairs["to"] for pairs in self.all("state_change")]

    def __str__(self):
        return "\n".join(self.lines[-12:])


class Watch:
    """A registry and a log of its own."""

    def __init__(self, work, name, user, **settings):
        self.folder = os.path.join(work, name)
        self.user = user
        self.runtime = os.path.join(self.folder, "run")
        os.makedirs(self.runtime, mode=0o700)
        self.path = os.path.join(self.folder, "log")
        self.env = {
            "LD_PRELOAD": SHIM, "INTERLOCK_RUNTIME_DIR": self.runtime, "INTERLOCK_REGISTRY": "trial",
            "INTERLOCK_LOG": self.path, "INTERLOCK_LOG_LEVEL": "debug",
        }
        for key, value in settings.items():
            self.env["INTERLOCK_" + key.upper()] = str(value)

    def log(self):
        return Log(self.path)

    def rejected(self):
        """How many connects were rejected so far."""
        said = subprocess.run([TOOL, "status", "--json", "--runtime-dir", self.runtime],
                              capture_output=True, text=True, user=self.user)
        return sum(int(one) for one in re.findall(r'"rejected": ?(\d+)', said.stdout))


class Trial:
    def __init__(self, client, house):
        self.client, self.house = client, house
        self.server = house.server(client.server, client.name)
        self.also = {kind: house.server(kind) for kind in client.also}
        self.work = os.path.join(house.folder, re.sub(r"\W+", "-", client.name))
        os.mkdir(self.work)
        self.home = os.path.join(self.work, "home")
        os.mkdir(self.home)
        if client.user is not None:
            os.chown(self.work, client.user, -1)
        self.number = 0
        self.relay = Relay(house.ports.take())
        self.front = house.ports.take() if client.daemon else 0
        for name, text in client.files.items():
            with open(os.path.join(self.work, name), "w") as file:
                file.write(self.fill(text, client.schemes[0]))

    def cells(self):
        """Runs everything; yields the cells in the order of the columns."""
        client = self.client
        reason = client.needs and client.needs()
        if reason:
            yield from (Cell(column, None, skipped=reason) for column in COLUMNS)
            return
        try:
            self.build()
            for scheme in SCHEMES:
                if scheme in client.schemes:
                    yield self.cell(scheme, lambda: self.healthy(scheme))
                else:
                    yield Cell(scheme, NONE)
            if client.unseen:
                yield from (Cell(column, NONE) for column in COLUMNS[3:])
                return
            yield self.cell("dead", self.dead) if client.dead else Cell("dead", NONE)
            yield self.cell("mute", self.mute) if client.mute else Cell("mute", NONE)
            yield self.cell("back", self.back) if client.dead else Cell("back", NONE)
        finally:
            self.relay.close()

    def cell(self, column, act):
        try:
            return Cell(column, act())
        except Wrong as wrong:
            return Cell(column, "?", str(wrong))

    def build(self):
        for words in self.client.build:
            made = process.run(self.command(words, self.client.schemes[0]),
                               self.environment(self.client.schemes[0]), self.work)
            if made.code:
                raise RuntimeError(f"{words}: {made}")

    # ---- running it ----

    def fill(self, text, scheme, path=""):
        url = ("http" if scheme == "plain" else "https") + f"://127.0.0.1:{self.relay.port}/{path}"
        values = {"url": url, "host": "127.0.0.1", "port": str(self.relay.port), "front": str(self.front),
                  "work": self.work, "here": HERE, "cert": self.house.cert}
        direct = f"127.0.0.1:{self.server.ports.get(scheme, 0)}"
        values.update(direct=direct, direct_url=url.split("//")[0] + f"//{direct}/")
        values["key"] = getattr(self.server, "key", "")
        values.update((kind, str(server.ports["plain"])) for kind, server in self.also.items())
        for key, value in values.items():
            text = text.replace("{" + key + "}", value)
        return text

    def command(self, words, scheme, path=""):
        if isinstance(words, str):
            words = shlex.split(words)
        return [self.fill(word, scheme, path) for word in words]

    def run(self, words, scheme, watch=None, path=""):
        """One run, with the shim if there is a watch. A client that is a daemon must be up."""
        env = self.environment(scheme)
        if watch and not self.client.daemon:
            env.update(watch.env)
        return process.run(self.command(words, scheme, path), env, self.work,
                           self.fill(self.client.input, scheme, path), user=self.client.user)

    def environment(self, scheme):
        env = {"PATH": os.environ["PATH"] + ":/usr/sbin:/sbin", "HOME": self.home, "LC_ALL": "C.UTF-8",
               "TZ": "UTC", "SSL_CERT_FILE": self.house.cert}
        for key, value in self.client.env.items():
            if isinstance(value, dict):
                value = value[scheme]
            env[key] = self.fill(value, scheme)
        return env

    def up(self, scheme, watch=None):
        """The client's daemon while the block lasts, if it has one."""
        return Daemon(self, scheme, watch)

    def watch(self, name, **settings):
        self.number += 1
        watch = Watch(self.work, f"{self.number}-{name}", self.client.user, **settings)
        if self.client.user is not None:
            for path in watch.folder, watch.runtime:
                os.chown(path, self.client.user, -1)
        return watch

    def sameness(self, plain, shimmed):
        for what in "code", "out", "err":
            before, after = (self.unblurred(getattr(ran, what)) for ran in (plain, shimmed))
            if before != after:
                raise Wrong(f"{what} differs.\nwithout: {plain}\nwith:    {shimmed}")

    def unblurred(self, text):
        if isinstance(text, str):
            for pattern, replacement in (DATE, *self.client.blur):
                text = re.sub(pattern, replacement, text)
        return text

    # ---- the cells ----

    def healthy(self, scheme):
        """N runs: as many calls as were served, all SUCCESS, and the program behaves as without us."""
        with quiet:
            return self.unless_stalled(lambda: self.healthy_once(scheme),
                                       lambda: max(self.relay.client_paused, self.relay.server_paused))

    def unless_stalled(self, act, paused_s):
        """Once more, where it went wrong and the relay saw that the machine had stalled."""
        for attempt in range(ATTEMPTS):
            self.relay.forget()
            try:
                return act()
            except Wrong:
                if attempt == ATTEMPTS - 1 or paused_s() < PAUSE_S:
                    raise

    def healthy_once(self, scheme):
        target = ("127.0.0.1", self.server.ports[scheme])
        self.relay.forward(target, self.house.source())
        with self.up(scheme):
            plain = self.run(self.client.run, scheme)
        if plain.code != self.client.code or not re.search(self.client.says, plain.out + plain.err):
            raise Wrong(f"without the shim already: {plain}")

        source = self.house.source()
        self.server.mark(source)
        self.relay.forward(target, source)
        watch = self.watch(scheme)
        with self.up(scheme, watch):
            for _ in range(self.client.runs):
                self.sameness(plain, self.run(self.client.run, scheme, watch))
        return self.counted(scheme, watch.log(), source)

    def counted(self, scheme, log, source):
        expected = self.client.calls_of(scheme)
        wanted = log.calls() if expected is None else expected
        served = lambda: self.client.served_of(scheme)(*self.server.served(source))
        eventually(lambda: served() >= wanted, 5)
        calls, served = log.calls(), served()
        if 0 <= served - calls <= self.client.left_behind:
            served = calls
        if self.client.unseen:
            if calls or served != wanted:
                raise Wrong(f"{calls} calls counted, {served} served, {wanted} expected\n{log}")
            return "0"
        if calls != served or calls != wanted or not calls:
            raise Wrong(f"{calls} calls counted, {served} served, {wanted} expected\n{log}")
        if log.outcomes("SUCCESS") < calls or log.failures() or log.outcomes("SLOW_SUCCESS"):
            raise Wrong(f"not all SUCCESS\n{log}")
        return str(calls) if expected is not None else "all"

    def until(self, change, watch, scheme, words, path="", like=None, runs=TRIP, seconds=0):
        """Runs it, at most so often or so long, until the log tells of that change."""
        end = time.monotonic() + seconds
        while change not in watch.log().changes():
            if not runs and time.monotonic() >= end:
                raise Wrong(f"{scheme}: not in time: {change}\n{watch.log()}")
            runs -= runs > 0
            ran = self.run(words, scheme, watch, path)
            if ran.killed:
                raise Wrong(f"{scheme}: it hangs: {ran}\n{watch.log()}")
            if like:
                self.sameness(like, ran)

    def dead(self):
        """Nobody listens: it trips after the minimum, and then fails at once, as if refused."""
        scheme = self.client.schemes[-1]
        self.relay.close()
        with self.up(scheme):
            refused = self.run(self.client.run, scheme)
        if refused.killed:
            raise Wrong(f"it hangs without the shim already: {refused}")
        watch = self.watch("dead", minimum_number_of_calls=TRIP)
        with self.up(scheme, watch):
            self.trip(scheme, watch, refused)
            for _ in range(2):
                self.is_rejected(scheme, watch, refused)
        return str(TRIP)

    def trip(self, scheme, watch, refused=None):
        self.until("CLOSED>OPEN", watch, scheme, self.client.run, like=refused)
        log = watch.log()
        if log.calls() != TRIP or log.failures() != TRIP:
            raise Wrong(f"not {TRIP} calls, all FAILURE\n{log}")

    def is_rejected(self, scheme, watch, refused):
        before = watch.rejected()
        ran = self.run(self.client.run, scheme, watch)
        tries = watch.rejected() - before
        self.sameness(refused, ran)
        if watch.log().calls() != TRIP:
            raise Wrong(f"a call while open\n{watch.log()}")
        if not 1 <= tries <= self.client.tries:
            raise Wrong(f"{tries} connects in one rejected run\n{watch.log()}")
        if ran.wall > 3 * refused.wall + 10 or ran.cpu > 3 * refused.cpu + 1:
            raise Wrong(f"rejected: {ran.wall:.2f} s, CPU {ran.cpu:.2f} s;"
                        f" refused: {refused.wall:.2f} s, CPU {refused.cpu:.2f} s")

    def back(self):
        """It was dead and is back: as many probes as permitted, and the breaker is closed."""
        scheme = self.client.schemes[-1]
        self.relay.close()
        watch = self.watch("back", minimum_number_of_calls=TRIP, wait_duration_in_open="500ms",
                           permitted_calls_in_half_open=self.client.probes)
        with self.up(scheme, watch):
            self.trip(scheme, watch)
            self.relay.forward(("127.0.0.1", self.server.ports[scheme]), self.house.source())
            self.until("HALF_OPEN>CLOSED", watch, scheme, self.client.run, seconds=60)
        log = watch.log()
        if log.changes() != ["CLOSED>OPEN", "OPEN>HALF_OPEN", "HALF_OPEN>CLOSED"]:
            raise Wrong(f"it did not recover in one round\n{log}")
        if log.failures() != TRIP:
            raise Wrong(f"a FAILURE although all is well\n{log}")
        return str(self.client.probes)

    def mute(self):
        """It answers once, then never again: each time-out of the client is a FAILURE."""
        for scheme in self.client.mute_schemes or self.client.schemes:
            self.unless_stalled(lambda: self.mute_of(scheme), lambda: self.relay.client_paused)
        return "0" if self.client.mute_unseen else str(TRIP)

    def mute_of(self, scheme):
        self.relay.forward(("127.0.0.1", self.server.ports[scheme]), self.house.source())
        good = 1 if self.client.warm else self.client.calls_of(scheme) // self.client.runs
        spare = self.client.mute_spare.get(scheme, 0)
        total = good + TRIP + spare * (TRIP - 1)
        watch = self.watch("mute", minimum_number_of_calls=total, window_size=1000,
                           failure_rate_threshold=(TRIP - 0.5) / total)
        with self.up(scheme, watch):
            self.run(self.client.warm or self.client.run, scheme, watch)
            if watch.log().calls() != good or watch.log().failures():
                raise Wrong(f"{scheme}: not even once\n{watch.log()}")
            behind = self.client.server == "web" and scheme != "plain"
            path = "mute" if behind else ""
            if not behind:
                self.relay.close()
                self.relay.mute()
            if self.client.mute_unseen:
                return self.mute_unseen(watch, scheme, path)
            self.until("CLOSED>OPEN", watch, scheme, self.client.mute, path, runs=TRIP + 2)
        log = watch.log()
        if log.calls() != total or log.failures() != TRIP:
            raise Wrong(f"{scheme}: not {TRIP} more calls, all FAILURE\n{log}")


    def mute_unseen(self, watch, scheme, path):
        self.run(self.client.mute, scheme, watch, path)
        if watch.log().failures():
            raise Wrong(f"it was seen\n{watch.log()}")


class Daemon:
    def __init__(self, trial, scheme, watch):
        self.trial, self.scheme, self.watch = trial, scheme, watch

    def __enter__(self):
        if self.trial.client.daemon:
            env = self.trial.environment(self.scheme)
            env.update(self.watch.env if self.watch else {})
            self.running = self.trial.client.daemon(self.trial, self.scheme, env)

    def __exit__(self, *_):
        if self.trial.client.daemon:
            self.running.stop()
