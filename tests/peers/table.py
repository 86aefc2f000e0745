"""The table of docs/how-it-decides.md."""
import os

from cell import ROOT
from conversation import WEATHERS

PAGE = os.path.join(ROOT, "docs/how-it-decides.md")
BEGIN = "<!-- begin: tests/peers/run table -->"
END = "<!-- end -->"
HEAD = ["| conversation | healthy | mute | mute after handshake or log-in | cut | why |",
        "|---|---|---|---|---|---|"]


def line(row, texts):
    """texts: weather -> what was counted."""
    whys = []
    for weather in WEATHERS:
        why = row.expect[weather].why if weather in row.expect else ""
        if why and why not in whys:
            whys.append(why)
    cells = [texts.get(weather, "-") for weather in WEATHERS]
    return "| " + " | ".join([row.title, *cells, "; ".join(whys)]) + " |"


def split():
    """The page before, in and after the table."""
    with open(PAGE, encoding="utf-8") as page:
        text = page.read()
    before, rest = text.split(BEGIN + "\n")
    inside, after = rest.split(END)
    return before + BEGIN + "\n", inside.splitlines(), END + after


def write(lines):
    before, _, after = split()
    with open(PAGE, "w", encoding="utf-8") as page:
        page.write(before + "\n".join(HEAD + lines) + "\n" + after)


def missing(lines):
    """Those of these lines that the committed table does not have."""
    _, inside, _ = split()
    return [line for line in lines if line not in inside]


def unknown(titles):
    """Lines of the committed table of which no row is known."""
    _, inside, _ = split()
    return [line for line in inside[2:] if line.split(" | ")[0][2:] not in titles]
