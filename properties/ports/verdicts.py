#!/usr/bin/python3
"""Compares what `check` says of the ports of this repository with verdicts.txt: exit code, first finding and cause.

A line of verdicts.txt is a port: its system, its name, and for each kind of draws the exit code, the claim of the first finding and the
cause that the report names; `-` stands for none. Judged are

    every built-in port (`backoff-port --list`), each that draws also with draws of its own
    ports of each policy of the shelf (../policies/test_ports/shelf.py): the right one, and two of the faults, by turns
    packages of the gallery that an adapter drives: gallery/gallery.py judges them, where they are installed

A port that draws for itself is seeded with the number of its process, 1, 2 and so on. --record writes the file: read each changed line
before you commit it. It writes nothing while a right port gets another exit code than 0 or 5.

Usage: properties/ports/verdicts.py --bin DIR [--record] [--only WORDS]      from the root of the repository
Exit: 0 all as recorded, 1 a difference, or a right port that is accused; 2 usage.
"""
import argparse
import concurrent.futures
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from typing import Any, NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FILE = HERE / "verdicts.txt"
HEAD = "# SYSTEM PORT | DRAWS: EXIT FIRST_FINDING CAUSE. See verdicts.py; coverage/record verdicts and gallery write it.\n"
SHELF, SHELF_PORT = ROOT / "spec/policies", HERE.parent / "policies/test_ports/shelf.py"
CASES = {"given": "500", "hidden": "2000"}  # by the kind of draws
OWN = "own"  # the kind of draws that the adapter of a package declares
DRAWS = r"\b(uniform|integer|rand|random)\("  # in a policy's formulas
SEEDED = 'printf . >>"$0"; exec "$@" "$(wc -c <"$0")"'  # the last argument of the command is the seed
NONE = "-"
RIGHT_CODES = (0, 5)  # conforms, or inconclusive
Json = dict[str, Any]


class Port(NamedTuple):
    system: str
    name: str  # of a package of the gallery: LANGUAGE/NAME

    def __str__(self) -> str:
        return f"{self.system} {self.name}"


Verdicts = dict[Port, dict[str, str]]  # by the kind of draws


class Trial(NamedTuple):
    port: Port
    draws: str
    is_right: bool
    command: list[str]


def said(report: Json, code: int) -> str:
    """What is recorded of a report in JSON."""
    findings = report.get("findings", [])
    first = findings[0] if findings else {}
    named = report.get("diagnosis") or first.get("diagnosis") or {}
    cause = named.get("name") or first.get("sampled", {}).get("probably") or NONE
    return f"{code} {first.get('claim') or NONE} {cause}"


def read(file: pathlib.Path = FILE) -> Verdicts:
    verdicts: Verdicts = {}
    for line in file.read_text().splitlines() if file.is_file() else []:
        if not line.startswith("#"):
            port, *kinds = line.split(" | ")
            verdicts[Port(*port.split(" "))] = dict(kind.split(": ", 1) for kind in kinds)
    return verdicts


def lines_of(verdicts: Verdicts) -> list[str]:
    return [" | ".join([str(port), *(f"{draws}: {what}" for draws, what in sorted(verdicts[port].items()))]) for port in sorted(verdicts)]


def write(file: pathlib.Path, verdicts: Verdicts) -> None:
    file.write_text(HEAD + "".join(f"{line}\n" for line in lines_of(verdicts)))


def changes(was: Verdicts, now: Verdicts) -> list[str]:
    """The lines of a difference."""
    return list(difflib.unified_diff(lines_of(was), lines_of(now), "recorded", "now", lineterm="", n=0))[2:]


def output_of(*command: str | pathlib.Path) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def built_in(bin_dir: str) -> Iterable[Trial]:
    program = f"{bin_dir}/backoff-port"
    right_when_hidden = {Port(*line.split()) for line in output_of(program, "--right").splitlines()}
    systems_that_draw = {port.system for port in right_when_hidden}
    system = ""
    for line in output_of(program, "--list").splitlines():
        if not line.startswith(" "):
            system = line
            continue
        kind, name = line.split()[:2]
        port = Port(system, name)
        yield Trial(port, "given", kind == "right", [program, name])
        if system in systems_that_draw:
            yield Trial(port, "hidden", port in right_when_hidden, [program, name, "--draws", "random"])


def of_shelf() -> Iterable[Trial]:
    right, *faults = output_of(sys.executable, SHELF_PORT).split()
    for i, policy in enumerate(sorted(SHELF.glob("*.yaml"))):
        draws_at_random = re.search(DRAWS, policy.read_text()) is not None
        for fault in (right, *(faults[(i + turn) % len(faults)] for turn in (0, len(faults) // 2))):
            for draws in ("given", *["hidden"] * draws_at_random):
                yield Trial(Port(policy.stem, fault), draws, fault == right,
                            [sys.executable, str(SHELF_PORT), policy.stem, fault, draws])


def judged(trial: Trial, bin_dir: str) -> str:
    with tempfile.NamedTemporaryFile() as starts:  # as many bytes as processes that were started
        seeded = ["/bin/sh", "-c", SEEDED, starts.name] if trial.draws == "hidden" else []
        done = subprocess.run([f"{bin_dir}/backoff-oracle", "check", trial.port.system, "--format", "json", "--cases", CASES[trial.draws],
                               "--", *seeded, *trial.command], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)
    return said(json.loads(done.stdout) if done.stdout else {}, done.returncode)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", required=True, help="where backoff-oracle and backoff-port are")
    options.add_argument("--record", action="store_true", help="write the verdicts instead of comparing them")
    options.add_argument("--only", default="", metavar="WORDS", help="ports whose line begins so")
    given = options.parse_args()
    bin_dir = os.path.relpath(given.bin, ROOT)
    trials = [trial for trial in (*built_in(bin_dir), *of_shelf()) if str(trial.port).startswith(given.only)]
    if not trials:
        options.error(f"--only '{given.only}': expected the beginning of a line, SYSTEM PORT")
    now: Verdicts = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for trial, what in zip(trials, pool.map(lambda trial: judged(trial, bin_dir), trials)):
            now.setdefault(trial.port, {})[trial.draws] = what
    accused = [trial for trial in trials if trial.is_right and int(now[trial.port][trial.draws].split()[0]) not in RIGHT_CODES]
    for trial in accused:
        print(f"a right port is accused: {trial.port}, {trial.draws} draws: {now[trial.port][trial.draws]}")
    recorded = read()
    others = {port: what for port, what in recorded.items() if OWN in what or not str(port).startswith(given.only)}
    different = [] if given.record else changes({port: what for port, what in recorded.items() if port not in others}, now)
    if given.record and not accused:
        write(FILE, others | now)
    print(*different, sep="\n", end="\n" * bool(different))
    is_as = "not written" if accused and given.record else "written" if given.record else "not as recorded" if different else "as recorded"
    print(f"verdicts: {len(trials)} runs of {len(now)} ports: {is_as}")
    return 1 if different or accused else 0


if __name__ == "__main__":
    sys.exit(main())
