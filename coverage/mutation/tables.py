"""Tables that a page records. A marker above each names what measures it again and compares it:

    <!-- measured: coverage/mutate WHAT -->     or, of several tables of WHAT,     <!-- measured: coverage/mutate WHAT: TABLE -->

A cell of the page is what is measured, or ends with a bound on the first number there, as in `7 of 20 (≥ 3)`.
Checked by: mutation_tables_test.py; at every change power_test.py holds the tables to what costs nothing to know.
"""
import argparse
import difflib
import pathlib
import re
import subprocess
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from mutation.mutants import Unusable

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "spec/POWER.md", ROOT / "spec/POWER_DETAILS.md"]
BLOCK = re.compile(r"<!-- measured: coverage/mutate ([^\n]*?) -->\n((?:\|[^\n]*\n)*)")
BOUND = re.compile(r" \((≥|≤) ([\d.]+)\)$")
Cells = list[str]


def cells(row: str) -> Cells:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


def row_of(texts: Sequence[object]) -> str:
    return f"| {' | '.join(map(str, texts))} |"


class Rows(NamedTuple):
    """A table, or a part of it: its rows say what they are of in their first cell."""
    header: Cells
    rows: list[Cells]

    def text(self) -> str:
        return "\n".join([row_of(self.header), "|" + "---|" * len(self.header), *map(row_of, self.rows)])

    def part(self, columns: Collection[str] | None, is_of: Callable[[str], bool]) -> "Rows":
        kept = [i for i, name in enumerate(self.header) if columns is None or name in columns]
        return Rows([self.header[i] for i in kept], [[row[i] for i in kept] for row in self.rows if is_of(row[0])])


def agrees(recorded: str, measured: str) -> bool:
    bound, number = BOUND.search(recorded), re.search(r"\d+(\.\d+)?", measured)
    if not bound or not number:
        return recorded == measured
    return float(number[0]) >= float(bound[2]) if bound[1] == "≥" else float(number[0]) <= float(bound[2])


def all_agree(recorded: Cells, measured: Cells) -> bool:
    return len(recorded) == len(measured) and all(map(agrees, recorded, measured))


def read(name: str, pages: Sequence[pathlib.Path]) -> tuple[pathlib.Path, Rows]:
    """The page that has the table, and the table."""
    for page in pages:
        for found, block in BLOCK.findall(page.read_text()):
            if found == name:
                header, _, *rows = map(cells, block.splitlines()) if block else [[], []]
                return page, Rows(header, rows)
    raise Unusable(f"{', '.join(page.name for page in pages)}: no table below <!-- measured: coverage/mutate {name} -->")


def updated(recorded: Rows, measured: Rows) -> Rows:
    """What is measured, with the bounds of what is recorded, and with its other columns."""
    before = {row[0]: row for row in recorded.rows}
    if set(measured.header) < set(recorded.header):
        place = {name: i for i, name in enumerate(measured.header)}
        measured = Rows(recorded.header, [[row[place[name]] if name in place else old for name, old in
                                           zip(recorded.header, before[row[0]])] for row in measured.rows if row[0] in before])

    def bounded(old: str, new: str) -> str:
        bound = BOUND.search(old)
        return new + bound[0] if bound and not BOUND.search(new) else new

    return Rows(measured.header, [list(map(bounded, before.get(row[0], [""] * len(row)), row)) for row in measured.rows])


def is_as_recorded(name: str, measured: Rows, pages: Sequence[pathlib.Path], update: bool = False,
                   is_of: Callable[[str], bool] | None = None) -> bool:
    """Compares what is measured with the page, as far as it is measured: its columns, and the rows whose first cell `is_of`. Prints each
    difference. `update`: writes it into the page instead."""
    page, all_recorded = read(name, pages)
    if update:
        if is_of:
            raise Unusable("--update wants everything measured")
        new = updated(all_recorded, measured).text() + "\n"
        page.write_text(BLOCK.sub(lambda found: found[0].removesuffix(found[2]) + new if found[1] == name else found[0],
                                  page.read_text()))
        return True
    recorded, now = (rows.part(measured.header, is_of or (lambda _: True)) for rows in (all_recorded, measured))
    shown = Rows(now.header, [next((old for old in recorded.rows if all_agree(old, new)), new) for new in now.rows])
    for line in difflib.unified_diff(recorded.text().splitlines(), shown.text().splitlines(), f"{page.name}: coverage/mutate {name}",
                                     "measured", lineterm="", n=0):
        print(line)
    return shown == recorded


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pages", type=pathlib.Path, nargs="+", default=PAGES, metavar="PAGE", help="whose tables are compared")
    parser.add_argument("--update", action="store_true", help="write what is measured into the page instead")


def lines_of(program: pathlib.Path, *arguments: str) -> list[str]:
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout.splitlines()


class Measurement:
    """Of a program of the build. `shows`: its tables by name, the first one without. `numbers`: other options, with defaults."""

    def __init__(self, doc: str | None, program: str, measured: Callable[[pathlib.Path, argparse.Namespace], Any],
                 shows: Mapping[str, Callable[[Any], Rows]], **numbers: int) -> None:
        self.__doc__, self.program, self.measured, self.shows, self.numbers = doc, program, measured, shows, numbers

    def options(self, parser: argparse.ArgumentParser) -> None:
        options(parser)
        parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin", help="where the programs are")
        for name, default in self.numbers.items():
            parser.add_argument(f"--{name}", type=int, default=default, metavar="N")

    def run(self, given: argparse.Namespace) -> int:
        program = given.bin / self.program
        if not program.exists():
            raise Unusable(f"{program} is missing: cmake --build --preset release --target {self.program}")
        found = self.measured(program, given)
        different = 0
        for name, show in self.shows.items():
            table = show(found)
            print(table.text(), end="\n\n")
            different += not is_as_recorded(f"{given.what}: {name}" if name else given.what, table, given.pages, given.update)
        print(f"{given.what}: {len(self.shows)} tables, {different} not as recorded")
        return int(different > 0)
