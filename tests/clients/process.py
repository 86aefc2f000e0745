"""Runs a program to its end and says what came of it."""
import os
import signal
import subprocess
import tempfile
import threading
import time


RUNNING = set()  # leaders of groups, to be ended if we are
going = threading.Lock()  # held for ever once all are ended: nothing starts any more


class Ran:
    def __init__(self, code, out, err, wall, cpu, killed):
        self.code, self.out, self.err = code, out, err
        self.wall, self.cpu = wall, cpu  # seconds
        self.killed = killed             # it did not end by itself in time

    def __str__(self):
        return (f"exit {self.code}{' (killed)' if self.killed else ''}"
                f" out {self.out[-400:]!r} err {self.err[-400:]!r}")


def begin(command, **more):
    with going:
        child = subprocess.Popen(command, start_new_session=True, **more)
        RUNNING.add(child.pid)
    return child


def run(command, env, cwd, given="", timeout=60, user=None):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, \
            tempfile.TemporaryFile() as into:
        into.write(given.encode())
        into.seek(0)
        try:
            child = begin(command, env=env, cwd=cwd, stdin=into, stdout=out, stderr=err, user=user)
        except OSError as error:
            return Ran(127, "", str(error), 0.0, 0.0, False)
        began = time.monotonic()
        killed = threading.Event()
        timer = threading.Timer(timeout, kill_group, (child.pid, killed))
        timer.start()
        try:
            _, status, used = os.wait4(child.pid, 0)
        finally:
            timer.cancel()
            RUNNING.discard(child.pid)
        child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - began
        kill_group(child.pid)  # what it left behind
        texts = []
        for one in out, err:
            one.seek(0)
            texts.append(one.read().decode(errors="replace"))
        return Ran(child.returncode, *texts, wall, used.ru_utime + used.ru_stime, killed.is_set())


def kill_group(leader, ret_killed=None):
    if ret_killed:
        ret_killed.set()
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def start(command, **more):
    """A server, in a group of its own, until end(it)."""
    return begin(command, stdin=subprocess.DEVNULL, **more)


def end(child, how=signal.SIGTERM):
    if child.poll() is None:
        child.send_signal(how)
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            pass
    kill_group(child.pid)
    child.wait()
    RUNNING.discard(child.pid)


def end_all():
    going.acquire()
    for leader in list(RUNNING):
        kill_group(leader)


def eventually(condition, seconds=30):
    """Waits until it holds; whether it did."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True
