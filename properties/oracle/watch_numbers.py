#!/usr/bin/python3
"""How well `watch` measures: the numbers of its page, on this machine. It takes about ten minutes.

    properties/oracle/watch_numbers.py --bin build/release/bin [--busy N]

--busy N: while N processes keep a processor busy each. Exit: 0 measured, and no right program was accused; 1 one was.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

# Waits by the formula, with one fault. It writes how long each wait was for itself.
CLIENT = """\
import os, random, socket, sys, time
port, base, retries, fault, by = int(sys.argv[1]), *map(float, sys.argv[2:4]), sys.argv[4], float(sys.argv[5])
own = open(os.path.join(sys.argv[6], os.environ["BACKOFF_RUN"]), "w") if len(sys.argv) > 6 else None
failed = None
for n in range(int(retries) + 1):
    with socket.create_connection(("127.0.0.1", port)) as s:
        if failed and own:
            print(time.monotonic_ns() - failed, file=own)
        s.recv(9)
        failed = time.monotonic_ns()
    if n == retries:
        sys.exit(1)
    draw = random.random()
    if fault == "part":
        draw = (1 - by) / 2 + by * draw
    wait = base * (1 + draw * (fault in ("none", "part"))) + {"longer": by, "shorter": -by}.get(fault, 0)
    time.sleep(max(0, wait - 1000 * (time.monotonic_ns() - failed) / 1e9) / 1000)
"""
FIXED = "name: fixed\nunit: ms\ndocument: d\nparameters: {base: {default: 100, range: [1, 60000]}}\ndelay: base\nattempts: %d\n"
JITTERED = FIXED.replace("fixed", "jittered").replace("delay: base", "delay: uniform(base, 2 * base)")


class Watch:
    def __init__(self, program: pathlib.Path, folder: pathlib.Path) -> None:
        self.program, self.folder = program, folder

    def __call__(self, policy: str, base: float, retries: int, fault: str, by: float, *words: str, log: str = "") -> dict[str, Any]:
        path = self.folder / "policy.yaml"
        path.write_text(policy % retries)
        client = [sys.executable, "-S", "-c", CLIENT, "{port}", str(base), str(retries), fault, str(by), *([log] if log else [])]
        command = [str(self.program), "watch", str(path), "--param", f"base={base}", "--fail", "close", "--format", "json", *words]
        done = subprocess.run([*command, "--", *client], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1, 5):
            sys.exit(done.stderr)
        said: dict[str, Any] = json.loads(done.stdout)
        return said


def error_of_a_wait(watch: Watch) -> str:
    """Measured less true: what the program's own clock says, of clients that come again at once after their sleep."""
    log, results = watch.folder / "own", watch.folder / "results"
    log.mkdir()
    watch(FIXED, 100, 10, "fixed", 0, "--runs", "50", "--jobs", "1", "--results", str(results), log=str(log))
    cycles = json.loads(results.read_text())["cycles"]
    errors = []
    for run, cycle in enumerate(cycles):
        own = [int(line) for line in (log / str(run)).read_text().split()]
        errors += [(wait[0] - true) / 1e6 for wait, true in zip(cycle["waits"], own)]
    errors = sorted(map(abs, errors))
    return f"{statistics.median(errors):.2f} ms at the median, {errors[int(0.99 * len(errors))]:.2f} ms at the 99th percentile"


def accused(watch: Watch, samples: int) -> tuple[int, int, int]:
    """Of so many samples of 20 right runs: how many were accused, were not decided; waits."""
    wrong = undecided = waits = 0
    for _ in range(samples):
        found = watch(JITTERED, 400, 4, "none", 0, "--runs", "20", "--jobs", "20")
        wrong += found["exit_code"] == 1
        undecided += found["exit_code"] == 5
        waits += found["waits"]
    return wrong, undecided, waits


def smallest(watch: Watch, policy: str, base: float, fault: str, sizes: Sequence[float], claim: str) -> str:
    """The least size that is found in 200 runs of 4 retries, of these."""
    for by in sizes:
        found = watch(policy, base, 4, fault, by, "--runs", "200", "--jobs", "20")
        if any(each["claim"] == claim for each in found["findings"]):
            return f"{by:g}"
    return "none"


def waits_a_second(watch: Watch) -> str:
    began = time.monotonic()
    found = watch(FIXED, 50, 40, "fixed", 0, "--runs", "200", "--jobs", "50")
    took = time.monotonic() - began
    return f"{found['waits'] / took:.0f} waits a second ({found['waits']} in {took:.1f} s; clients alone would take {40 * 0.05 * 4:.0f} s)"


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--bin", type=pathlib.Path, required=True)
    arguments.add_argument("--busy", type=int, default=0)
    arguments.add_argument("--samples", type=int, default=100)
    options = arguments.parse_args()
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.busy)]
    try:
        with tempfile.TemporaryDirectory() as folder:
            watch = Watch(options.bin.resolve() / "backoff-oracle", pathlib.Path(folder))
            print("error of a wait:", error_of_a_wait(watch), flush=True)
            wrong, undecided, waits = accused(watch, options.samples)
            print(f"right programs accused: {wrong} of {options.samples} samples of 20 runs, {waits} waits; "
                  f"not decided: {undecided}", flush=True)
            print("smallest fault found in 200 runs of 4 retries:")
            print("  too short by", smallest(watch, FIXED, 300, "shorter", [2, 3, 4, 6, 8, 10, 20], "waits_are_not_too_short"), "ms")
            sizes = [80, 100, 105, 110, 120, 150, 200]
            print("  too long by", smallest(watch, FIXED, 300, "longer", sizes, "waits_are_not_too_long"), "ms", flush=True)
            for width in (300, 1000):
                parts = [0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0]
                print("  jitter over", smallest(watch, JITTERED, width, "part", parts, "waits_fill_their_range"),
                      f"of a range of {width} ms", flush=True)
            print("--jobs 50:", waits_a_second(watch))
            return 1 if wrong else 0
    finally:
        for process in busy:
            process.kill()


if __name__ == "__main__":
    sys.exit(main())
