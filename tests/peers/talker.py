"""Lets a row's client talk, one conversation at a time."""
import os
import select
import subprocess
import tempfile
import time

HANGS_S = 150  # a conversation that takes longer


class Hangs(Exception):
    """A client that does not come to an end."""


class Program:
    """A program of its own for each conversation."""

    def __init__(self, argv, weather, **how):
        self.argv, self.weather, self.how = argv, weather, how

    def talk(self):
        """What went wrong, as lines."""
        try:
            done = subprocess.run(self.argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=HANGS_S, **self.how)
        except subprocess.TimeoutExpired:
            raise Hangs(f"the client hangs: {self.argv}") from None
        return said(done.returncode, done.stdout)

    def close(self):
        pass


class Steps:
    """One program that is told when to talk (clients.py --step): python is slow to start."""

    def __init__(self, argv, weather, **how):
        self.weather = weather
        self.errors = tempfile.TemporaryFile()
        self.client = subprocess.Popen(argv + ["--step"], stdin=subprocess.PIPE, bufsize=0,
                                       stdout=subprocess.PIPE, stderr=self.errors, **how)

    def talk(self):
        until = time.monotonic() + HANGS_S
        try:
            self.client.stdin.write(b"talk\n")
        except BrokenPipeError:
            pass
        heard = b""
        while True:
            if not select.select([self.client.stdout], [], [], max(0, until - time.monotonic()))[0]:
                self.client.kill()
                raise Hangs(f"the client hangs: {self.client.args}")
            word = os.read(self.client.stdout.fileno(), 100)
            heard += word
            if heard.endswith(b"talked\n"):
                return []
            if not word:
                self.client.wait()
                self.errors.seek(0)
                return said(self.client.returncode, self.errors.read())

    def close(self):
        self.client.stdin.close()
        try:
            self.client.wait(20)
        except subprocess.TimeoutExpired:
            self.client.kill()
            self.client.wait()
        self.client.stdout.close()
        self.errors.close()


def talk_often(row, port, times, **how):
    """So many healthy conversations at a stretch. What went wrong, as lines."""
    argv = row.command(port, "healthy")
    rounds = times
    if row.times:
        argv, rounds = [*argv, "--times", str(times)], 1
    for _ in range(rounds):
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, **how)
        if done.returncode:
            return said(done.returncode, done.stdout)
    return []


def said(status, output):
    if status == 0:
        return []
    lines = output.decode(errors="replace").splitlines()[-15:]
    return [f"the client ended with {status}:", *lines]


def talker_of(row, port, weather, env, cwd):
    kind = Steps if row.times else Program
    return kind(row.command(port, weather), weather, env=env, cwd=cwd)
