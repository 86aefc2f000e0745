"""How long each client takes with and without the shim, with default settings, CLOSED, no relay between.

Pairs, one run after the other, the order within a pair changing each time; a run that is short is
repeated. What is compared are pairs: a machine that is busy for a while slows both. A third column, none
against none, says how much of a difference is the machine's own.
"""
import os
import statistics

from trial import SHIM, Trial

PAIRS = 5
SECONDS = 0.2  # that each side of a pair lasts, about


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
        """The summaries of wall time and CPU."""
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
        """Without and with in ms, how much more that is, the ratio, and that of none against none."""
        pairs = [(1000 * before[which], 1000 * after[which]) for before, after in seen[True]]
        own = [max(after[which], 1e-4) / max(before[which], 1e-4) for before, after in seen[False]]
        middle = statistics.median
        return (*(middle(side) for side in zip(*pairs)), middle(after - before for before, after in pairs),
                middle(max(after, 0.1) / max(before, 0.1) for before, after in pairs), middle(own))


class Preload:
    """In place of a trial's watch."""

    def __init__(self, env):
        self.env = env


HEADS = ("client", "", "wall without", "with", "more", "ratio", "none", "CPU without", "with", "more", "ratio", "none")


def show(clients, house):
    print("| " + " | ".join(HEADS) + " |\n" + "|---" * len(HEADS) + "|")
    for client in clients:
        if client.unseen or (client.needs and client.needs()):
            continue
        try:
            figures = Figures(client, house)
            for scheme in {client.schemes[0]: 1, client.schemes[-1]: 1}:
                words = [client.name, scheme]
                for which, numbers in enumerate(figures.of(scheme)):
                    if which and client.daemon:  # that of the one who asks it says nothing
                        words += ["-"] * 5
                    else:
                        words += [f"{number:.1f}" for number in numbers[:3]] + [f"{number:.2f}" for number in numbers[3:]]
                print("| " + " | ".join(words) + " |", flush=True)
        except Exception as error:
            print(f"| {client.name} | {type(error).__name__}: {error} |", flush=True)
