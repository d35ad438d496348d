#!/usr/bin/python3
"""Known failures round-trip: `check --write-known-failing F`, then `check --known-failing F` is exit 0, with the same seed and others.

Each wrong port is a process or a library: built-in ports with draws that are given to them (given) and that they make themselves
(hidden), ports that crash or hang (broken), and C libraries with faults compiled in (library). Of hidden ports some lists still
end in exit 5: the draws that are left are too few to test.

Usage: CC=gcc round_trip.py --bin DIR [--every N] [--seeds N] [--cases N] [--jobs N] [--kind KIND]
Exit: 0 every list excuses its port with every seed, 1 some do not: port, list and verdict are printed.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "test_ports"))
import broken  # noqa: E402
from running import SYSTEM, test_port  # noqa: E402

BREAKING = ("aborts_on_base_7", "hangs_on_base_7", "step_lost_on_base_7", "error_on_base_7", "dies_of_rare_draws")
LIBRARIES = (  # system and defines of its c_library.c
    ("aws_backoff_algorithm", "DIVIDES_BY_WINDOW"), ("aws_backoff_algorithm", "NO_JITTER_AT_CAP"),
    ("aws_backoff_algorithm", "UNCAPPED"), ("azure_c_retry_control", "LEAKS"))
CONFORMS, FAILS, BROKE = 0, 1, 3


class Trip(NamedTuple):
    kind: str
    system: str
    name: str
    port: list[str]  # the last words of the command; a hidden one's seed comes after them


def trips(programs: pathlib.Path, scratch: pathlib.Path) -> Iterator[Trip]:
    lines = subprocess.run([programs / "backoff-port", "--wrong"], capture_output=True, text=True, check=True).stdout.splitlines()
    built_in = str(programs / "backoff-port")
    for system, name in map(str.split, lines):
        yield Trip("given", system, name, ["--", built_in, name])
        if system not in ("aws_step_functions", "aws_prescriptive_sample"):  # which have no draws
            yield Trip("hidden", system, name, ["--", built_in, name, "--draws", "random", "1"])
    for name in BREAKING:
        yield Trip("broken", SYSTEM, name, ["--timeout", "2", "--", *test_port(broken, name)])
    systems = pathlib.Path(__file__).resolve().parents[1] / "systems"
    for system, define in LIBRARIES:
        path = scratch / f"{system}-{define}.so"
        source = systems / system / "ports/c_library.c"
        subprocess.run([os.environ.get("CC", "cc"), "-w", "-O1", "-shared", "-fPIC", f"-I{systems.parent}", f"-D{define}", source,
                        "-o", path, "-lm"], check=True)
        yield Trip("library", system, define, ["--library", str(path)])


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", type=pathlib.Path, required=True)
    options.add_argument("--every", type=int, default=1, help="take one port of so many, of each kind")
    options.add_argument("--seeds", type=int, default=11, help="how many runs under each list, the first with the seed of the list")
    options.add_argument("--cases", type=int, default=1_000)
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    options.add_argument("--kind", choices=("given", "hidden", "broken", "library"), action="append")
    given = options.parse_args()
    programs = given.bin.resolve()

    def check(trip: Trip, seed: int, *words: str) -> tuple[int, str]:
        command = [str(programs / "backoff-oracle"), "check", trip.system, "--cases", str(given.cases), "--seed", str(seed), *words,
                   *trip.port, *([str(seed)] if trip.kind == "hidden" else [])]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        return done.returncode, f"{shlex.join(command)}\nexit {done.returncode}: {(done.stdout + done.stderr).splitlines()[-1]}"

    def failures(trip: Trip, known: str) -> list[str] | None:
        code, said = check(trip, 1, "--write-known-failing", known)
        if code not in (FAILS, BROKE):
            return None if trip.kind == "hidden" else [said]  # few draws of its own need not show what is wrong
        again = [check(trip, seed, "--known-failing", known) for seed in range(1, given.seeds + 1)]
        return [said for code, said in again if code != CONFORMS]

    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        by_kind: dict[str, list[Trip]] = collections.defaultdict(list)
        for trip in trips(programs, pathlib.Path(folder)):
            by_kind[trip.kind].append(trip)
        taken = [trip for kind, all_of in by_kind.items() if not given.kind or kind in given.kind for trip in all_of[::given.every]]
        files = [str(pathlib.Path(folder) / f"{number}.txt") for number in range(len(taken))]
        counts: collections.Counter[tuple[str, str]] = collections.Counter()
        for trip, known, failed in zip(taken, files, pool.map(failures, taken, files), strict=True):
            counts[trip.kind, "caught"] += failed is not None
            counts[trip.kind, "round"] += failed == []
            if failed:
                print(f"{trip.kind} {trip.system} {trip.name}: {len(failed)} of {given.seeds} runs", *failed[:2], sep="\n")
                print(pathlib.Path(known).read_text(encoding="utf-8") if pathlib.Path(known).exists() else "no list", flush=True)
    for kind in by_kind:
        print(f"{kind}: {counts[kind, 'round']} of {counts[kind, 'caught']} lists excuse their port with {given.seeds} seeds")
    return 0 if taken and all(counts[kind, "round"] == counts[kind, "caught"] for kind in by_kind) else 1


if __name__ == "__main__":
    sys.exit(main())
