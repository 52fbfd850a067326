"""The tables of docs/differences.md, and the cases that show their rows."""

import pathlib
import re

import pytest

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "differences.md"


def tables():
    """{heading: {class: rules}}; the class is a row's first cell as it stands, the rules its ids in backquotes."""
    found, heading = {}, None
    for line in DOCUMENT.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading = line.removeprefix("## ")
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("|") else []
        if cells and cells[0] != "class" and not cells[0].startswith("---"):
            found.setdefault(heading, {})[cells[0]] = re.findall(r"`([a-z0-9.*-]+)`", cells[1]) if cells[2:] else []
    return found


TABLES = tables()
STRICTER, LAXER = "`norn check` is stricter", "`norn check` accepts more"
INFERENCE, EXTERNAL, TEXT = "Inference", "External data", "Text syntax"
VALUES = "Values"
CASES = {STRICTER: {}, LAXER: {}, INFERENCE: {}, EXTERNAL: {}, TEXT: {}, VALUES: {}}


def case(heading, row):
    """The decorated function gives the cases of a row."""

    def add(function):
        assert row not in CASES[heading], row
        CASES[heading][row] = function
        return function

    return add


def pairs(heading):
    return [pytest.param(row, CASES[heading][row], id=row[:60]) for row in CASES[heading]]
