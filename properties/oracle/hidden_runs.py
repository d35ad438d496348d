#!/usr/bin/python3
"""Right ports that draw for themselves, each run with another seed: none is refused, as the oracle's users run it.

Each run is `backoff-oracle check` on a built-in right port, under the reading that it follows, and each process of the port has a seed
of its own. A run that had too few histories to tell (exit 5) refuses nothing; it is counted. With 300 histories a run takes 0.2 s of
processor time, and most verdicts state that they would have caught seven of the eight gross faults in each of ten such runs.

Usage: hidden_runs.py --bin DIR [--first N] [--runs N] [--cases N] [--jobs N]
Exit: 0 none is refused, 1 some are: the line that runs it again and the oracle's output are printed.
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

CONFORMS, INCONCLUSIVE = 0, 5
PROCESSES_MAX = 1000  # of one run: each takes the next seed that no process has taken
NEXT_SEED = 'set -C; n=$2; until true >"$1/$n"; do n=$((n + 1)); done 2>/dev/null; exec "$3" "$4" --draws random "$n"'


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", type=pathlib.Path, required=True)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--runs", type=int, default=10_000)
    options.add_argument("--cases", type=int, default=300)
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    given = options.parse_args()
    programs = given.bin.resolve()
    listed = subprocess.run([programs / "backoff-port", "--right"], capture_output=True, text=True, check=True).stdout
    ports = [(system, port) for system, port in map(str.split, listed.splitlines())]

    def judged(n: int) -> tuple[str, int, str]:
        system, port = ports[n % len(ports)]
        seed = n // len(ports) + 1
        with tempfile.TemporaryDirectory() as taken:
            command = [str(programs / "backoff-oracle"), "check", system, "--cases", str(given.cases), "--seed", str(seed),
                       "--timeout", "60", "--", "/bin/sh", "-c", NEXT_SEED, "sh", taken, str(n * PROCESSES_MAX),
                       str(programs / "backoff-port"), port]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        again = [sys.argv[0], "--bin", str(given.bin), "--first", str(n), "--runs", "1", "--cases", str(given.cases)]
        return system, done.returncode, f"{port}: exit {done.returncode}; again: {shlex.join(again)}\n{done.stdout}{done.stderr}"

    counts: collections.Counter[tuple[str, int]] = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for system, code, said in pool.map(judged, range(given.first, given.first + given.runs)):
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
