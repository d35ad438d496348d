"""What becomes of ports that go wrong late: the faults of properties/ports/late.hpp, each on trial with 10,000 histories.

With draws given, all of them fall but those that change no answer, or none that a document does not admit; with draws hidden, the
share is what it is. To measure takes a quarter of an hour on two processors.
"""
import argparse
import pathlib
import re

from mutation import mutants, tables

Counts = dict[str, dict[str, dict[str, int]]]  # by kind of fault, band and outcome
Recorded = dict[str, dict[str, Counts]]  # by system and draws

SYSTEMS = sorted(path.parent.name for path in (tables.ROOT / "spec").glob("*/catalogue.json"))
DRAWS = ["aws_backoff_algorithm", "aws_retry_utils", "azure_c_retry_control", "azure_java_retry_policy"]
BANDS = [(1, 40), (41, 70), (126, 130), (254, 258), (1022, 1026)]
EVERY = {"given": "3", "hidden": "8"}  # of the attempts at which faults begin: a run with hidden draws takes a second


def measured_of(program: pathlib.Path, system: str, draws: str) -> Counts:
    arguments = [system, draws, EVERY[draws]] + (["everywhere"] if draws == "hidden" else [])
    counts: Counts = {}
    for line in tables.lines_of(program, *arguments):
        outcome, name = line.split()
        kind, attempt = re.findall(r"^late-([a-z-]+)@(\d+)", name)[0]
        band = next(f"{low}-{high}" for low, high in BANDS if low <= int(attempt) <= high)
        of_band = counts.setdefault(kind, {}).setdefault(band, {"caught": 0, "passed": 0, "unseen": 0})
        of_band[outcome] += 1
    return counts


def cell(counts: Counts, kinds: list[str], band: str) -> str:
    """How many fall, of those that any answer shows."""
    all_of = [counts[kind][band] for kind in kinds if band in counts[kind]]
    caught = sum(c["caught"] for c in all_of)
    return f"{caught} of {caught + sum(c['passed'] for c in all_of)}" if all_of else "none"


def table(recorded: Recorded) -> None:
    bands = [f"{low}-{high}" for low, high in BANDS]
    print("| system | draws | fault | " + " | ".join(f"from {band}" for band in bands) + " |")
    print("|---|---|---|" + "---|" * len(bands))
    for system, by_draws in sorted(recorded.items()):
        for draws, counts in sorted(by_draws.items()):
            for kinds in [["zero"], ["cap"], ["half"], ["previous"], ["error"], ["one-less", "one-more"]]:
                cells = " | ".join(cell(counts, kinds, band) for band in bands)
                print(f"| `{system}` | {draws} | {' or '.join(kinds)} | {cells} |")


def measured(program: pathlib.Path, given: argparse.Namespace) -> Recorded:
    trials = [(system, "given") for system in SYSTEMS] + [(system, "hidden") for system in DRAWS]
    recorded: Recorded = {}
    for (system, draws), counts in mutants.for_each(lambda trial: measured_of(program, *trial), trials, given.jobs, "trials").items():
        recorded.setdefault(system, {})[draws] = counts
    return recorded


RECORD = tables.Table(__doc__, "late-faults", measured, {"table": table}, jobs=2)
