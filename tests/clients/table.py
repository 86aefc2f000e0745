"""The table in README.md, between two marks."""
import os

from client import HERE
from trial import COLUMNS

README = os.path.join(HERE, "README.md")
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"
HEADS = ("client", "plain", "TLS 1.2", "TLS 1.3", "dead", "mute", "back", "remark")


def rows():
    """{name: (cells, remark)} as the README has it."""
    found = {}
    with open(README) as file:
        inside = file.read().split(BEGIN)[1].split(END)[0]
    for line in inside.strip().splitlines()[2:]:
        words = [word.strip() for word in line.strip().strip("|").split("|")]
        found[words[0]] = (dict(zip(COLUMNS, words[1:7])), words[7])
    return found


def write(clients, cells):
    """cells: {name: {column: text}}; of a client that is not in it the old row stays."""
    old = rows()
    lines = ["| " + " | ".join(HEADS) + " |", "|---" * len(HEADS) + "|"]
    for one in clients:
        row = cells.get(one.name) or (old[one.name][0] if one.name in old else None)
        if row:
            lines.append("| " + " | ".join([one.name, *(row[c] for c in COLUMNS), one.remark]) + " |")
    with open(README) as file:
        before, rest = file.read().split(BEGIN)
    after = rest.split(END)[1]
    with open(README, "w") as file:
        file.write(before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + after)
