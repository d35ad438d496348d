#!/usr/bin/python3
"""The measured tables of spec/POWER.md, held to what costs nothing to know: their commands, totals, systems and mutants.

`coverage/mutate ports --power` and `hidden-faults` measure them again and compare them, in an hour; this runs at every change.
- The page has the two tables, and no other marker of a measurement.
- The table of ports has a row for every system, and its last row adds up the others.
- The mutants of a port, and those that are equivalent, are as many as there are now.
- The table of hidden draws has every system that draws.

Usage: coverage/power_test.py [ROOT]        Exit: 0 all of that, 1 not, each breach on a line.
"""
import pathlib
import re
import sys
from collections.abc import Iterator

sys.dont_write_bytecode = True
import places  # noqa: E402
from mutation import hidden_faults, ports, tables, trial  # noqa: E402
from mutation.mutants import Source  # noqa: E402
from mutation.tables import Rows  # noqa: E402

TABLES = ["hidden-faults", "ports --power"]


def total_breaches(rows: Rows) -> Iterator[str]:
    *parts, whole = rows.rows
    for column, name in list(enumerate(rows.header))[1:]:
        added = sum(int(re.split(r"\D", row[column])[0] or 0) for row in parts)
        if str(added) != whole[column].split()[0]:
            yield f"{name}: the rows make {added}, the last one says {whole[column]}"


def mutant_breaches(root: pathlib.Path, rows: Rows) -> Iterator[str]:
    stems = sorted(path.parent.name for path in (root / "spec").glob("*/system.yaml"))
    if [row[0].strip("`") for row in rows.rows[:-1]] != stems:
        yield f"expected a row for each of {', '.join(stems)}"
        return
    excused = {excuse.key for excuse in trial.read_excuses(root / "coverage/mutation/port_survivors.txt")}
    for stem, row in zip(stems, rows.rows):
        file, flags, supplied = ports.c_port(root, stem)
        made = Source(file, f"{stem}.c", [*flags, *supplied], "c").mutants
        now = [str(len(made)), str(sum(mutant.key in excused for mutant in made))]
        if now != row[1:3]:
            yield f"{stem}: {row[1]} mutants, {row[2]} of them equivalent, but there are {now[0]} and {now[1]}"


def breaches(root: pathlib.Path) -> Iterator[str]:
    page = root / tables.PAGE.relative_to(tables.ROOT)
    marked = [name for name, _ in tables.BLOCK.findall(page.read_text())]
    if sorted(marked) != TABLES:
        yield f"expected a marker for each of {', '.join(TABLES)}, found {', '.join(marked)}"
        return
    of_ports, hidden = tables.read("ports --power", page), tables.read("hidden-faults", page)
    yield from (f"ports: {problem}" for check in (total_breaches(of_ports), mutant_breaches(root, of_ports)) for problem in check)
    drawing = [row[0].strip("`") for row in of_ports.rows[:-1] if "no draws" not in row]
    if not [name.strip("`") for name in hidden.header[1:-1]] == hidden_faults.SYSTEMS == drawing:
        yield f"hidden draws: expected a column for each of {', '.join(drawing)}"


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]).resolve()
    return places.report((f"POWER.md: {breach}" for breach in breaches(root)), "measured tables: {} breaches")


if __name__ == "__main__":
    sys.exit(main())
