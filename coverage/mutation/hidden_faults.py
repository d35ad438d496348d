"""Which faults of hidden draws a run finds, and how large they must be, beside what a pass of a right port states.

Each fault of properties/ports/hidden_faults.cpp is on trial with 10,000 histories, once for each seed. A verdict that finds a fault
states no power. The table compares it with the power that the pass of a right port states on the same histories, for the nearest
named fault. The measurement takes some minutes on two processors. The page has a bound beside each count: the seeds are a sample.
"""
import argparse
import pathlib
import subprocess
from typing import Any

from mutation import mutants, tables
from mutation.mutants import Unusable
from mutation.tables import Rows

Counts = dict[str, Any]  # of one system
Trial = tuple[dict[str, bool], dict[str, tuple[int, int]]]
SYSTEMS = ["aws_backoff_algorithm", "aws_retry_utils", "azure_c_retry_control", "azure_java_retry_policy"]
# What the program calls it, what it is, and the named fault whose power a verdict states that is nearest, with its size.
FAULTS = [("none", "none: a right port", None, ""),
          ("bias-1", "bias of 1 %", "half-window", "a bias of 50 %"), ("bias-3", "bias of 3 %", "half-window", "a bias of 50 %"),
          ("bias-10", "bias of 10 %", "half-window", "a bias of 50 %"),
          ("correlation-0.03", "correlation of 0.03", "repeats", "a correlation of 0.5"),
          ("correlation-0.1", "correlation of 0.1", "repeats", "a correlation of 0.5"),
          ("period-1000", "period of 1,000 draws", None, ""), ("period-10000", "period of 10,000 draws", None, ""),
          ("seeded-by-the-second", "instances seeded by the second", "same-again", "one seed for all")]


def measured_of(program: pathlib.Path, system: str, seed: int) -> Trial:
    """{fault: whether it was found}, {named fault: (caught, of)}"""
    done = subprocess.run([program, system, str(seed), "1"], check=True, capture_output=True, text=True)
    words = [line.split() for line in done.stdout.splitlines()]
    return ({name: outcome == "found" for outcome, name, *_ in words if outcome != "stated"},
            {name: (int(caught), int(of)) for outcome, name, caught, of in (w for w in words if w[0] == "stated")})


def counted(trials: list[Trial]) -> Counts:
    found: dict[str, int] = {}
    stated: dict[str, list[list[int]]] = {}
    for outcome, powers in trials:
        for name, was in outcome.items():
            found[name] = found.get(name, 0) + was
        for name, (caught, of) in powers.items():
            stated.setdefault(name, []).append([caught, of])
    least = {name: min(all_of) for name, all_of in stated.items()}
    return {"seeds": len(trials), "found": found, "stated": least}


def power(of_system: Counts, nearest: str | None, size: str) -> str:
    if nearest is None:
        return "none for this kind"
    caught, of = of_system["stated"][nearest]
    return f"`{nearest}`, {size}: {caught} of {of}; none for this size"


def table(by_system: dict[str, Counts]) -> Rows:
    rows = []
    for name, words, nearest, size in FAULTS:
        found = [f"{by_system[system]['found'][name]} of {by_system[system]['seeds']}" for system in SYSTEMS]
        says = ["none may be found"] if name == "none" else sorted({power(by_system[system], nearest, size) for system in SYSTEMS})
        rows.append([words, *found, "; ".join(says)])
    return Rows(["fault", *(f"`{system}`" for system in SYSTEMS), "power that a pass states"], rows)


def options(parser: argparse.ArgumentParser) -> None:
    tables.options(parser)
    parser.add_argument("--bin", type=pathlib.Path, default=tables.ROOT / "build/release/bin", help="where the program hidden-faults is")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=20, help="how many runs")


def run(given: argparse.Namespace) -> int:
    program = given.bin / "hidden-faults"
    if not program.exists():
        raise Unusable(f"{program} is missing: cmake --build --preset release --target hidden-faults")
    trials = [(system, seed) for seed in range(1, given.seeds + 1) for system in SYSTEMS]
    results = mutants.for_each(lambda trial: measured_of(program, *trial), trials, given.jobs, "trials")
    measured = table({system: counted([result for (of, _), result in results.items() if of == system]) for system in SYSTEMS})
    print(measured.text())
    is_recorded = tables.is_as_recorded("hidden-faults", measured, given.page, given.record)
    print(f"hidden faults: {len(trials)} runs with each, {'' if is_recorded else 'not '}as recorded")
    return int(not is_recorded)
