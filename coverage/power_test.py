#!/usr/bin/python3
"""The measured tables of the pages, held to what costs nothing to know: their commands, totals, systems and mutants.

`coverage/mutate WHAT` measures a table again and compares it, in minutes or hours; this runs at every change.
- Every table has a marker of a measurement that there is, every measurement its tables.
- The last row of a table adds up the others.
- A table by system has every system, and none that there is not.
- The mutants of a port, and those that are equivalent, are as many as there are now.

Usage: coverage/power_test.py [ROOT]        Exit: 0 all of that, 1 not, each breach on a line.
"""
import pathlib
import re
import sys
from collections.abc import Iterator

sys.dont_write_bytecode = True
import places  # noqa: E402
from mutation import blame_pairs, first_findings, hidden_faults, late_faults, ports, tables, trial  # noqa: E402
from mutation.mutants import Source  # noqa: E402
from mutation.tables import Rows  # noqa: E402

MEASUREMENTS = {"blame-pairs": blame_pairs.MEASUREMENT, "first-findings": first_findings.MEASUREMENT,
                "hidden-faults": hidden_faults.MEASUREMENT, "late-faults": late_faults.MEASUREMENT}
TABLES = {"layers", "ports --power", "ports --power: claims", "ports --power: only-strict",
          *(f"{name}: {table}" if table else name for name, measurement in MEASUREMENTS.items() for table in measurement.shows)}
PARTLY = {"blame-pairs: others", "first-findings: others"}  # no row for each system
COUNTS = re.compile(r"(\d+)(?: of (\d+))?(?: \(\d+(?:\.\d+)? ?%\))?")


def total_breaches(rows: Rows) -> Iterator[str]:
    *parts, whole = rows.rows
    for column, name in list(enumerate(rows.header))[1:]:
        counted = [COUNTS.fullmatch(row[column]) for row in parts if row[column] != "no draws"]
        total = COUNTS.fullmatch(whole[column])
        if not total or not all(counted):
            continue  # a mean
        for group in (1, 2):
            added = sum(int(count[group] or 0) for count in counted if count)
            if added != int(total[group] or 0):
                yield f"{name}: the rows make {added}, the last one says {whole[column]}"


def system_breaches(name: str, rows: Rows, stems: list[str]) -> Iterator[str]:
    found = {row[0].strip("`") for row in rows.rows if row[0].startswith("`")}
    for stem in sorted(found ^ set(stems)) if name not in PARTLY else sorted(found - set(stems)):
        yield f"{stem}: {'no such system' if stem in found else 'has no row'}"


def mutant_breaches(root: pathlib.Path, rows: Rows) -> Iterator[str]:
    excused = {excuse.key for excuse in trial.read_excuses(root / "coverage/mutation/port_survivors.txt")}
    for stem, mutants, equivalent, *_ in ([row[0].strip("`"), *row[1:]] for row in rows.rows if row[0].startswith("`")):
        file, flags, supplied = ports.c_port(root, stem)
        if not file.exists():
            continue  # the system has no row in the first place
        made = Source(file, f"{stem}.c", [*flags, *supplied], "c").mutants
        now = str(len(made)), str(sum(mutant.key in excused for mutant in made))
        if now != (mutants, equivalent):
            yield f"{stem}: {mutants} mutants, {equivalent} of them equivalent, but there are {now[0]} and {now[1]}"


def breaches(root: pathlib.Path) -> Iterator[str]:
    pages = [root / page.relative_to(tables.ROOT) for page in tables.PAGES]
    stems = sorted(path.parent.name for path in (root / "spec").glob("*/system.yaml"))
    marked = [name for page in pages for name, _ in tables.BLOCK.findall(page.read_text())]
    for name in sorted(TABLES ^ set(marked)) + [name for name in TABLES if marked.count(name) > 1]:
        yield f"measured: coverage/mutate {name}: expected one marker on the pages for each table, and none else"
    for name in (name for name in marked if name in TABLES):
        page, rows = tables.read(name, pages)
        problems: list[str] = []
        if any(row[0] in ("all", "**all**") for row in rows.rows):
            problems += total_breaches(rows)
        if rows.header[:1] == ["system"]:
            problems += system_breaches(name, rows, stems)
        if name == "ports --power":
            problems += mutant_breaches(root, rows)
        yield from (f"{page.name}: coverage/mutate {name}: {problem}" for problem in problems)


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]).resolve()
    return places.report(breaches(root), "measured tables: {} breaches")


if __name__ == "__main__":
    sys.exit(main())
