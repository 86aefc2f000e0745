"""How long each client takes with and without the shim, with default settings, CLOSED, no relay between.

Pairs, one run after the other, the order within a pair changing each time; a run that is short is
repeated. What is compared are pairs: a machine that is busy for a while slows both. A third column, none
against none, says how much of a difference is the machine's own.
"""
import os
import statistics

from trial import SHIM, Trial

PAIRS = 5
SECONDS = 0.25  # that each side of a pair lasts, about


class Figures:
    def __init__(self, client, house):
        self.trial = Trial(client, house)
        self.trial.build()
        runtime = os.path.join(self.trial.work, "figures")
        os.mkdir(runtime, mode=0o700)
        if client.user is not None:
            os.chown(runtime, client.user, -1)
        self.env = {"LD_PRELOAD": SHIM, "INTERLOCK_RUNTIME_DIR": runtime, "INTERLOCK_REGISTRY": "figures"}
        self.client = client

    def side(self, scheme, shimmed, repeats):
        """Seconds of wall time and of CPU."""
        watch = Preload(self.env) if shimmed else None
        wall = cpu = 0.0
        with self.trial.up(scheme, watch):
            for _ in range(repeats):
                ran = self.trial.run(self.client.run, scheme, watch)
                wall += ran.wall
                cpu += ran.cpu
        return wall / repeats, cpu / repeats

    def of(self, scheme):
        """(wall, CPU) each as (without in ms, with in ms, ratio, ratio of none against none)."""
        self.trial.relay.port = self.trial.server.ports[scheme]
        first, _ = self.side(scheme, False, 1)
        self.side(scheme, True, 1)
        repeats = max(1, min(25, int(SECONDS / first)))
        seen = {False: [], True: []}
        for turn in range(PAIRS):
            for kind in (True, False):
                order = (False, kind) if turn % 2 else (kind, False)
                sides = [self.side(scheme, one, repeats) for one in order]
                seen[kind].append(tuple(sides if turn % 2 else reversed(sides)))
        return [self.summary(seen, which) for which in (0, 1)]

    @staticmethod
    def summary(seen, which):
        pairs = [(before[which], after[which]) for before, after in seen[True]]
        ratio = statistics.median(after / max(before, 1e-4) for before, after in pairs)
        own = statistics.median(after[which] / max(before[which], 1e-4) for before, after in seen[False])
        return (*(1000 * statistics.median(side) for side in zip(*pairs)), ratio, own)


class Preload:
    """In place of a trial's watch."""

    def __init__(self, env):
        self.env = env


def show(clients, house):
    print(f"{'':32} {'wall, ms':>24} {'':12} {'CPU, ms':>18}")
    print(f"{'client':24} {'':7} {'without':>8} {'with':>8} {'ratio':>6} {'none':>6} {'without':>8} {'with':>8} {'ratio':>6} {'none':>6}")
    for client in clients:
        if client.unseen or (client.needs and client.needs()):
            continue
        try:
            figures = Figures(client, house)
            for scheme in {client.schemes[0]: 1, client.schemes[-1]: 1}:
                wall, cpu = figures.of(scheme)
                words = [f"{client.name[:24]:24} {scheme:7}"]
                for before, after, ratio, own in (wall,) if client.daemon else (wall, cpu):
                    words.append(f"{before:8.1f} {after:8.1f} {ratio:6.2f} {own:6.2f}")
                print(*words, flush=True)
        except Exception as error:
            print(f"{client.name[:24]:24} {type(error).__name__}: {error}", flush=True)
