"""The tables of spec/POWER.md. A marker above each names what measures it again and compares it:

    <!-- measured: coverage/mutate WHAT -->

A cell of the page is what is measured, or ends with a bound on the first number there, as in `7 of 20 (≥ 3)`.
Checked by: mutation_tables_test.py; at every change power_test.py holds the tables to what costs nothing to know.
"""
import argparse
import difflib
import pathlib
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from mutation.mutants import Unusable

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "spec/POWER.md"
BLOCK = re.compile(r"<!-- measured: coverage/mutate ([^\n]*?) -->\n((?:\|[^\n]*\n)*)")
BOUND = re.compile(r" \((≥|≤) ([\d.]+)\)$")
Cells = list[str]


def cells(row: str) -> Cells:
    return [cell.strip() for cell in row.split("|")[1:-1]]


def row_of(texts: Sequence[object]) -> str:
    return f"| {' | '.join(map(str, texts))} |"


class Rows(NamedTuple):
    """A table, or a part of it: its rows say what they are of in their first cell."""
    header: Cells
    rows: list[Cells]

    def text(self) -> str:
        return "\n".join([row_of(self.header), "|" + "---|" * len(self.header), *map(row_of, self.rows)])


def agrees(recorded: str, measured: str) -> bool:
    bound, number = BOUND.search(recorded), re.search(r"\d+(\.\d+)?", measured)
    if not bound or not number:
        return recorded == measured
    return float(number[0]) >= float(bound[2]) if bound[1] == "≥" else float(number[0]) <= float(bound[2])


def all_agree(recorded: Cells, measured: Cells) -> bool:
    return len(recorded) == len(measured) and all(map(agrees, recorded, measured))


def read(name: str, page: pathlib.Path) -> Rows:
    for found, block in BLOCK.findall(page.read_text()):
        if found == name:
            header, _, *rows = map(cells, block.splitlines()) if block else [[], []]
            return Rows(header, rows)
    raise Unusable(f"{page.name}: no table below <!-- measured: coverage/mutate {name} -->")


def updated(recorded: Rows, measured: Rows) -> Rows:
    """What is measured, with the bounds of what is recorded."""
    before = {row[0]: row for row in recorded.rows}

    def bounded(old: str, new: str) -> str:
        bound = BOUND.search(old)
        return new + bound[0] if bound and not BOUND.search(new) else new

    return Rows(measured.header, [list(map(bounded, before.get(row[0], [""] * len(row)), row)) for row in measured.rows])


def is_as_recorded(name: str, measured: Rows, page: pathlib.Path, record: bool = False, is_of: Callable[[str], bool] | None = None) -> bool:
    """Compares what is measured with the page: the rows whose first cell `is_of`. Prints each difference. `record`: writes it into the page
    instead."""
    recorded = read(name, page)
    if record:
        if is_of:
            raise Unusable("--record wants everything measured")
        new = updated(recorded, measured).text() + "\n"
        page.write_text(BLOCK.sub(lambda found: found[0].removesuffix(found[2]) + new if found[1] == name else found[0],
                                  page.read_text()))
        return True
    recorded, now = (Rows(table.header, [row for row in table.rows if not is_of or is_of(row[0])]) for table in (recorded, measured))
    shown = Rows(now.header, [next((old for old in recorded.rows if all_agree(old, new)), new) for new in now.rows])
    for line in difflib.unified_diff(recorded.text().splitlines(), shown.text().splitlines(), f"{page.name}: coverage/mutate {name}",
                                     "measured", lineterm="", n=0):
        print(line)
    return shown == recorded


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--page", type=pathlib.Path, default=PAGE, help="whose table is compared")
    parser.add_argument("--record", action="store_true", help="write what is measured into the page instead")
