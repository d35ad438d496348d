"""Whether a fault is told alike beside every open reading: the share of pairs, and each pair that differs.

A pair is a port that departs from the canonical reading in one place and has a fault, and the canonical port with that
fault. It is alike if both get the same findings. Draws are given; each port is tried with 4,000 histories, in some three minutes.
"""
import argparse
import pathlib
from collections.abc import Collection
from typing import NamedTuple

from mutation import tables
from mutation.tables import Cells, Rows


class Pair(NamedTuple):
    fault: str
    reading: str
    shown_under: str
    findings: frozenset[str]
    canonical_findings: frozenset[str]
    is_alike: bool


Pairs = dict[str, list[Pair]]  # by system


def measured(program: pathlib.Path, _: argparse.Namespace) -> Pairs:
    pairs: Pairs = {}
    for line in tables.lines_of(program):
        system, fault, followed, explained, told, of_canonical = line.split("\t")
        pairs.setdefault(system, []).append(
            Pair(fault, followed, explained, frozenset(told.split()), frozenset(of_canonical.split()), told == of_canonical))
    return pairs


def row(name: str, pairs: Collection[Pair]) -> Cells:
    alike = sum(pair.is_alike for pair in pairs)
    return [name, str(len(pairs)), f"{alike} ({alike / len(pairs):.1%})"]


def table(pairs: Pairs) -> Rows:
    return Rows(["system", "pairs", "told alike"],
                [*(row(f"`{system}`", of_system) for system, of_system in sorted(pairs.items())),
                 row("**all**", [pair for of_system in pairs.values() for pair in of_system])])


def others(pairs: Pairs) -> Rows:
    def only(these: frozenset[str], those: frozenset[str]) -> str:
        return ", ".join(f"`{claim}`" for claim in sorted(these - those)) or "none"

    return Rows(["system", "fault", "reading", "explained by", "only here", "only of the canonical port"],
                [[f"`{system}`", p.fault, p.reading, p.shown_under or "the canonical reading", only(p.findings, p.canonical_findings),
                  only(p.canonical_findings, p.findings)]
                 for system, of_system in sorted(pairs.items()) for p in of_system if not p.is_alike])


MEASUREMENT = tables.Measurement(__doc__, "blame_pairs", measured, {"": table, "others": others})
