"""What becomes of ports that go wrong late: the faults of properties/ports/late.hpp, each on trial with 10,000 histories.

With draws given, all of them fall but those that change no answer, or none that a document does not admit. Each fault that passes is
named. To measure takes a quarter of an hour on two processors.
"""
import argparse
import pathlib
import re
from typing import NamedTuple

from mutation import mutants, tables
from mutation.tables import Rows

Band = tuple[int, int]


class Counts(NamedTuple):
    caught: dict[Band, int]
    shown: dict[Band, int]  # by any answer
    passed: list[str]


Trial = tuple[str, str]  # a system, and whether its draws are given or hidden

SYSTEMS = sorted(path.parent.name for path in (tables.ROOT / "spec").glob("*/system.yaml"))
DRAWS = ["aws_backoff_algorithm", "aws_retry_utils", "azure_c_retry_control", "azure_java_retry_policy"]
BANDS = [(1, 40), (41, 70), (126, 130), (254, 258), (1022, 1026)]
EVERY = {"given": "3", "hidden": "8"}  # of the attempts at which faults begin: a run with hidden draws takes a second


def measured_of(program: pathlib.Path, system: str, draws: str) -> Counts:
    arguments = [system, draws, EVERY[draws]] + (["everywhere"] if draws == "hidden" else [])
    counts = Counts(dict.fromkeys(BANDS, 0), dict.fromkeys(BANDS, 0), [])
    for line in tables.lines_of(program, *arguments):
        outcome, name = line.split()
        begins = int(re.findall(r"^late-[a-z-]+@(\d+)", name)[0])
        band = next(band for band in BANDS if band[0] <= begins <= band[1])
        counts.caught[band] += outcome == "caught"
        counts.shown[band] += outcome != "unseen"
        if outcome == "passed":
            counts.passed.append(name)
    return counts


def table(measured: dict[Trial, Counts]) -> Rows:
    """How many fall, of those that any answer shows."""
    return Rows(["system", "draws", *(f"from {low}-{high}" for low, high in BANDS)],
                [[f"`{system}`", draws, *(f"{counts.caught[band]} of {counts.shown[band]}" for band in BANDS)]
                 for (system, draws), counts in sorted(measured.items())])


def measured(program: pathlib.Path, given: argparse.Namespace) -> dict[Trial, Counts]:
    trials = [(system, "given") for system in SYSTEMS] + [(system, "hidden") for system in DRAWS]
    found = mutants.for_each(lambda trial: measured_of(program, *trial), trials, given.jobs, "trials")
    for (system, draws), counts in found.items():
        for name in counts.passed:
            print(f"{system}, draws {draws}: passes with {name}")
    return found


MEASUREMENT = tables.Measurement(__doc__, "late-faults", measured, {"": table}, jobs=2)
