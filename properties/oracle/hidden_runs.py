#!/usr/bin/python3
"""Right ports that draw for themselves, each run with another seed: none is refused, as the oracle's users run it.

Each run is `backoff-oracle check` on a built-in right port, as a process, under the reading that it follows. A run that had too few
histories to tell (exit 5) refuses nothing; it is counted. Both processes of a run have its seed, so that they draw alike: the claim
that they do not is one of the interface, and --document-only waives it.

Usage: hidden_runs.py --bin DIR [--runs N] [--cases N] [--jobs N]
Exit: 0 none is refused, 1 some are: the command and the oracle's output are printed.
"""
import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import shlex
import subprocess
import sys

CONFORMS, INCONCLUSIVE = 0, 5


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", type=pathlib.Path, required=True)
    options.add_argument("--runs", type=int, default=10_000)
    options.add_argument("--cases", type=int, default=300)
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    given = options.parse_args()
    programs = given.bin.resolve()
    listed = subprocess.run([programs / "backoff-port", "--right"], capture_output=True, text=True, check=True).stdout
    ports = [(system, port) for system, port in map(str.split, listed.splitlines())]

    def judged(run: tuple[tuple[str, str], int]) -> tuple[str, int, str]:
        (system, port), seed = run
        command = [str(programs / "backoff-oracle"), "check", system, "--cases", str(given.cases), "--seed", str(seed), "--document-only",
                   "--timeout", "60", "--", str(programs / "backoff-port"), port, "--draws", "random", str(seed)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return system, done.returncode, f"{shlex.join(command)}\nexit {done.returncode}\n{done.stdout}{done.stderr}"

    counts: collections.Counter[tuple[str, int]] = collections.Counter()
    seeds = itertools.count(1)
    runs = ((port, seed) for seed in seeds for port in ports)
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for system, code, said in pool.map(judged, itertools.islice(runs, given.runs)):
            counts[system, code] += 1
            if code not in (CONFORMS, INCONCLUSIVE):
                print(said, flush=True)
    for system in sorted({system for system, _ in counts}):
        print(f"{system}: {counts[system, CONFORMS]} conform, {counts[system, INCONCLUSIVE]} had too few histories")
    refused = counts.total() - sum(n for (_, code), n in counts.items() if code in (CONFORMS, INCONCLUSIVE))
    print(f"hidden runs: {counts.total()} runs of {len(ports)} ports, {refused} refused")
    return 1 if refused or not ports or counts.total() != given.runs else 0


if __name__ == "__main__":
    sys.exit(main())
