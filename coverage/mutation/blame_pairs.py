"""Whether a fault is told alike beside every open reading: the share of pairs, and each pair that differs (--others).

A pair is a port that departs from the canonical reading in one place and has a fault, and the canonical port with that
fault. It is alike if both get the same findings. Draws are given; each port is tried with 4,000 histories, in some three minutes.
"""
import argparse
import pathlib
from collections.abc import Collection
from typing import Any

from mutation import tables

Counts = dict[str, Any]  # "pairs", how many, and "others", those that differ
Recorded = dict[str, Counts]  # by system


def measured(program: pathlib.Path, _: argparse.Namespace) -> Recorded:
    recorded: Recorded = {}
    for line in tables.lines_of(program):
        system, fault, followed, explained, told, of_canonical = line.split("\t")
        counts = recorded.setdefault(system, {"pairs": 0, "others": []})
        counts["pairs"] += 1
        if told != of_canonical:
            counts["others"].append({"fault": fault, "reading": followed, "shown under": explained,
                                     "findings": told.split(), "findings of the canonical port": of_canonical.split()})
    return recorded


def row(name: str, counts: Collection[Counts]) -> None:
    pairs = sum(c["pairs"] for c in counts)
    alike = pairs - sum(len(c["others"]) for c in counts)
    print(f"| {name} | {pairs} | {alike} ({alike / pairs:.1%}) |")


def table(recorded: Recorded) -> None:
    print("| system | pairs | told alike |\n|---|---|---|")
    for system, counts in recorded.items():
        row(f"`{system}`", [counts])
    row("**all**", recorded.values())


def others(recorded: Recorded) -> None:
    print("| system | fault | reading | explained by | only here | only of the canonical port |\n|---|---|---|---|---|---|")
    for system, counts in recorded.items():
        for pair in counts["others"]:
            here, there = (set(pair[of]) for of in ("findings", "findings of the canonical port"))
            claims = (", ".join(f"`{c}`" for c in sorted(only)) or "none" for only in (here - there, there - here))
            print(f"| `{system}` | {pair['fault']} | {pair['reading']} | {pair['shown under'] or 'the canonical reading'} |",
                  " | ".join(claims), "|")


RECORD = tables.Table(__doc__, "blame_pairs", measured, {"table": table, "others": others})
