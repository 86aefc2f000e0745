"""When did the machine last stall? A process of its own sleeps a little, again and again, and tells."""
import multiprocessing
import os
import time

NAP_S = 0.01
STALL_S = 0.04

_last = multiprocessing.Value("d", 0.0, lock=False)


def _watch(parent):
    while os.getppid() == parent:
        before = time.monotonic()
        time.sleep(NAP_S)
        if time.monotonic() - before >= NAP_S + STALL_S:
            _last.value = time.monotonic()


def watch():
    """Begins to watch, until this process ends."""
    parent = os.getpid()
    multiprocessing.get_context("fork").Process(target=_watch, args=(parent,), daemon=True).start()


def since(moment):
    """Has the machine stalled since then (time.monotonic)?"""
    return _last.value >= moment
