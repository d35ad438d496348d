#!/usr/bin/python3
"""Compares what `check` says of the ports of this repository with verdicts.txt: exit code, first finding and cause.

A line of verdicts.txt is a port: SYSTEM, PORT, its draws, the exit code, the claim of the first finding, and the cause that the
report names. `-` stands for none. Judged are

    every built-in port (`backoff-port --list`), each that draws also with draws of its own
    ports of each policy of the shelf (../policies/test_ports/shelf.py): the right one, and each fault that the shelf has
    packages of the gallery that an adapter drives: gallery/gallery.py judges them, where they are installed

Every port draws from a fixed seed. --record writes the file: read each changed line before you commit it. It writes nothing while a right
port gets another exit code than 0 or 5.

Usage: properties/ports/verdicts.py --bin DIR [--record] [--only WORD]      from the root of the repository
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
from collections.abc import Iterable
from typing import Any, NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FILE = HERE / "verdicts.txt"
HEAD = "# What the oracle says of each port: verdicts.py. Written by coverage/record verdicts.\n"
SHELF, SHELF_PORT = ROOT / "spec/policies", HERE.parent / "policies/test_ports/shelf.py"
CASES = {"given": "500", "hidden": "2000"}
NONE = "-"
OWN = "own"  # draws as the adapter of a package declares them
DRAWS = r"\b(uniform|integer|rand|random)\("  # in a policy's formulas
RIGHT_CODES = (0, 5)  # conforms, or inconclusive
Json = dict[str, Any]


class Key(NamedTuple):
    system: str
    port: str
    draws: str  # given, hidden, or OWN

    def __str__(self) -> str:
        return f"{self.system} {self.port} {self.draws}"


class Trial(NamedTuple):
    """A port to judge: its name in the file, whether it is right, and what `check` is told."""
    key: Key
    is_right: bool
    words: list[str]


Verdicts = dict[Key, str]  # what is said: exit code, first finding, cause


def said(report: Json, code: int) -> str:
    """The end of a line, of a report as JSON."""
    findings = report.get("findings", [])
    first = findings[0] if findings else {}
    named = report.get("diagnosis") or first.get("diagnosis") or {}
    cause = named.get("name") or first.get("sampled", {}).get("probably") or NONE
    return f"{code} {first.get('claim') or NONE} {cause}"


def is_of_gallery(key: Key) -> bool:
    return "/" in key.port  # LANGUAGE/PACKAGE


def read(file: pathlib.Path = FILE) -> Verdicts:
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")] if file.is_file() else []
    return {Key(*line.split(" ", 3)[:3]): line.split(" ", 3)[3] for line in lines}


def write(file: pathlib.Path, verdicts: Verdicts) -> None:
    file.write_text(HEAD + "".join(f"{line}\n" for line in lines_of(verdicts)))


def lines_of(verdicts: Verdicts) -> list[str]:
    return [f"{key} {verdicts[key]}" for key in sorted(verdicts)]


def changes(was: Verdicts, now: Verdicts) -> list[str]:
    """The lines of a difference."""
    return list(difflib.unified_diff(lines_of(was), lines_of(now), "recorded", "now", lineterm="", n=0))[2:]


def output_of(*command: str | pathlib.Path) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def built_in(bin_dir: str) -> Iterable[Trial]:
    port_program = f"{bin_dir}/backoff-port"
    right_when_hidden = {tuple(line.split()) for line in output_of(port_program, "--right").splitlines()}
    systems_that_draw = {system for system, _ in right_when_hidden}
    system = ""
    for line in output_of(port_program, "--list").splitlines():
        if not line.startswith(" "):
            system = line
            continue
        kind, port = line.split()[:2]
        yield Trial(Key(system, port, "given"), kind == "right", [system, "--cases", CASES["given"], "--", port_program, port])
        if system in systems_that_draw:
            yield Trial(Key(system, port, "hidden"), (system, port) in right_when_hidden,
                        [system, "--cases", CASES["hidden"], "--", port_program, port, "--draws", "random", "1"])


def of_shelf() -> Iterable[Trial]:
    faults = output_of(sys.executable, SHELF_PORT).split()
    for policy in sorted(SHELF.glob("*.yaml")):
        draws_at_random = re.search(DRAWS, policy.read_text()) is not None
        for fault in faults:
            for draws in ("given", *["hidden"] * draws_at_random):
                command = [sys.executable, str(SHELF_PORT), policy.stem, fault, draws, "1"]
                yield Trial(Key(policy.stem, fault, draws), fault == "right", [policy.stem, "--cases", CASES[draws], "--", *command])


def judged(trial: Trial, bin_dir: str) -> str:
    done = subprocess.run([f"{bin_dir}/backoff-oracle", "check", *trial.words[:1], "--format", "json", *trial.words[1:]], cwd=ROOT,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return said(json.loads(done.stdout) if done.stdout else {}, done.returncode)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", required=True, help="where backoff-oracle and backoff-port are")
    options.add_argument("--record", action="store_true", help="write the verdicts instead of comparing them")
    options.add_argument("--only", default="", metavar="WORD", help="ports in whose line WORD occurs")
    given = options.parse_args()
    bin_dir = os.path.relpath(given.bin, ROOT)
    trials = [trial for trial in (*built_in(bin_dir), *of_shelf()) if given.only in str(trial.key)]
    if not trials:
        options.error(f"--only {given.only}: no port has it in its line")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        now = dict(zip((trial.key for trial in trials), pool.map(lambda trial: judged(trial, bin_dir), trials)))
    accused = [trial.key for trial in trials if trial.is_right and int(now[trial.key].split()[0]) not in RIGHT_CODES]
    for key in accused:
        print(f"a right port is accused: {key} {now[key]}")
    recorded = read()
    others = {key: what for key, what in recorded.items() if is_of_gallery(key) or given.only not in str(key)}
    if given.record and not accused:
        write(FILE, others | now)
    different = [] if given.record else changes({key: what for key, what in recorded.items() if key not in others}, now)
    print(*different, sep="\n", end="\n" * bool(different))
    print(f"verdicts: {len(now)} ports judged; {'written' if given.record else 'as recorded' if not different else 'not as recorded'}")
    return 1 if different or accused else 0


if __name__ == "__main__":
    sys.exit(main())
