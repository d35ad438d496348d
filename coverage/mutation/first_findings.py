"""How the faults of the wrong ports are told: is the first finding about the fault, and how many findings has a port?

Each port has one fault and is tried with 4,000 histories, in some three minutes. A consequence is no finding of its own.
"""
import argparse
import pathlib
from collections.abc import Collection
from typing import NamedTuple

from mutation import tables
from mutation.tables import Cells, Rows


class Port(NamedTuple):
    name: str
    about: str
    findings: list[str]

    def is_told_first(self) -> bool:
        """Whether the first finding names the claim that the fault is about: as its own, or as a part of the same rule."""
        return any(self.about in first.split("+") for first in self.findings[:1])


Ports = dict[str, list[Port]]  # by system


def row(name: str, ports: Collection[Port]) -> Cells:
    told = sum(port.is_told_first() for port in ports)
    findings = sum(len(port.findings) for port in ports)
    return [name, str(len(ports)), f"{told} ({told / len(ports):.1%})", f"{findings / len(ports):.2f}"]


def measured(program: pathlib.Path, _: argparse.Namespace) -> Ports:
    ports: Ports = {}
    for line in tables.lines_of(program):
        system, port, about, *findings = line.split()
        ports.setdefault(system, []).append(Port(port, about, findings))
    for system, of_system in ports.items():
        for p in of_system:
            if len(p.findings) > 1:
                print(f"{system} {p.name}, which is about {p.about}: {', '.join(p.findings)}")
    return dict(sorted(ports.items()))


def table(ports: Ports) -> Rows:
    return Rows(["system", "wrong ports", "the first finding is about the fault", "findings a port"],
                [*(row(f"`{system}`", of_system) for system, of_system in ports.items()),
                 row("**all**", [port for of_system in ports.values() for port in of_system])])


def others(ports: Ports) -> Rows:
    return Rows(["system", "wrong port", "its fault is about", "its first finding"],
                [[f"`{system}`", f"`{p.name}`", f"`{p.about}`",
                  ", ".join(f"`{claim}`" for first in p.findings[:1] for claim in first.split("+")) or "none"]
                 for system, of_system in ports.items() for p in sorted(of_system) if not p.is_told_first()])


MEASUREMENT = tables.Measurement(__doc__, "first_findings", measured, {"": table, "others": others})
