"""How the faults of the wrong ports are told: is the first finding about the fault, and how many findings has a port?

Each port has one fault and is tried with 4,000 histories, in some three minutes. A consequence is no finding of its own.
--others prints each port whose first finding is about another claim.
"""
import argparse
import pathlib
from collections.abc import Collection
from typing import TypedDict

from mutation import tables


class Port(TypedDict):
    about: str
    findings: list[str]


Recorded = dict[str, dict[str, Port]]  # by system and name


def is_told_first(port: Port) -> bool:
    """Whether the first finding names the claim that the fault is about: as its own, or as a part of the same rule."""
    return port["about"] in port["findings"][0].split("+")


def row(name: str, ports: Collection[Port]) -> None:
    told = sum(is_told_first(port) for port in ports)
    findings = sum(len(port["findings"]) for port in ports)
    print(f"| {name} | {len(ports)} | {told} ({told / len(ports):.1%}) | {findings / len(ports):.2f} |")


def measured(program: pathlib.Path, _: argparse.Namespace) -> Recorded:
    recorded: Recorded = {}
    for line in tables.lines_of(program):
        system, port, about, *findings = line.split()
        recorded.setdefault(system, {})[port] = {"about": about, "findings": findings}
    return recorded


def table(recorded: Recorded) -> None:
    print("| system | wrong ports | the first finding is about the fault | findings a port |\n|---|---|---|---|")
    for system, ports in recorded.items():
        row(f"`{system}`", ports.values())
    row("**all**", [port for ports in recorded.values() for port in ports.values()])


def others(recorded: Recorded) -> None:
    for system, ports in recorded.items():
        for name, port in ports.items():
            if not is_told_first(port):
                print(f"{system} {name} ({port['about']}): {', '.join(port['findings'])}")


RECORD = tables.Table(__doc__, "first_findings", measured, {"table": table, "others": others})
