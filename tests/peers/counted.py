"""What the shim's log tells: how many calls of which outcome, after amendments."""
import re
from dataclasses import dataclass

LINE = re.compile(r"^\S+ interlock\[\d+\] \w+ (call|amended|rejected|state_change) (.*)$")


@dataclass
class Counted:
    success: int = 0
    failure: int = 0
    slow: int = 0
    rejected: int = 0
    opened: bool = False
    changes: int = 0


def count(log):
    counted = Counted()
    for line in log.splitlines():
        match = LINE.match(line)
        if not match:
            continue
        kind, rest = match.groups()
        words = dict(word.split("=", 1) for word in rest.split() if "=" in word)
        if kind == "rejected":
            counted.rejected += int(words["count"])
        elif kind == "state_change":
            counted.changes += 1
            counted.opened = words["to"] == "OPEN"
        else:
            outcome(counted, kind, words["outcome"])
    return counted


def outcome(counted, kind, word):
    if word.startswith("SLOW"):  # nothing here lasts for 60 s
        counted.slow += 1
        counted.failure += word == "SLOW_FAILURE"
    elif kind == "amended":  # no record is ever amended but from SUCCESS to FAILURE
        counted.success -= 1
        counted.failure += 1
    elif word == "SUCCESS":
        counted.success += 1
    else:
        counted.failure += 1
