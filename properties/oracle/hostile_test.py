#!/usr/bin/python3
"""Ports that turn hostile at random, test_ports/hostile.py, under options at random: whatever they do, a run ends in its time, with an
exit that is documented, says so in a line, and leaves nothing behind; what its results hold is judged again to the same bytes.

    hostile_test.py --bin build/release/bin [--first SEED] [--count N] [--each] [--jobs N] [--memory-mb N]

--each adds seeds until each behaviour has been seen on each system, with draws given and hidden. --memory-mb is the most that the oracle
may take, 256 MB unless told: a program under sanitizers takes more, and what they find ends it by a signal.
A seed that fails is printed with the troubles that it takes and the line that runs it again.
"""
import argparse
import concurrent.futures
import itertools
import os
import pathlib
import random
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "test_ports"))
sys.dont_write_bytecode = True
import hostile  # noqa: E402
from foreign_texts import CONTROL  # noqa: E402

SYSTEMS = ["aws_backoff_algorithm", "aws_retry_utils", "aws_step_functions", "aws_prescriptive_sample", "azure_c_retry_control",
           "azure_java_retry_policy"]
SECONDS = 5       # that a run is given, and shrinking again
SECONDS_MAX = 60  # in all: processes that do not start or stop have seconds of their own
SANITIZERS = {f"{name}_OPTIONS": "abort_on_error=1:quarantine_size_mb=16" for name in ("ASAN", "UBSAN", "LSAN")}


def options(seed: int, folder: str) -> list[str]:
    """The options of this seed's run, those with files in a folder."""
    chance = random.Random(f"options {seed}")
    words = ["--cases", str(chance.choice([1, 20, 200, 1000, 5000])), "--seed", str(chance.randrange(5)),
             "--timeout", "0.3", "--max-time", str(SECONDS)]
    words += chance.choice([[], [], ["--jobs", "3"]]) + chance.choice([[], [], ["--strict"]])
    words += chance.choice([[], [], ["--max-failures", str(chance.choice([1, 3, 50]))]])
    words += chance.choice([["--format", "human"], ["--format", "json"], ["--format", "markdown"]])
    words += ["--results", f"{folder}/results"]
    if chance.random() < 0.3:
        words += ["--junit", f"{folder}/junit", "--write-known-failing", f"{folder}/known"]
    return words


def run(command: list[str]) -> tuple[int | None, str, str, float, int]:
    """Exit code, output, error, seconds, MB."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
                                   env=os.environ | SANITIZERS)
        while (waited := os.wait4(process.pid, os.WNOHANG))[0] == 0 and time.monotonic() - began < SECONDS_MAX:
            time.sleep(0.005)
        code = None
        if waited[0] == 0:
            process.kill()
            waited = os.wait4(process.pid, 0)
        else:
            code = os.waitstatus_to_exitcode(waited[1])
        process.returncode = 0  # it is reaped
        out.seek(0)
        err.seek(0)
        said, complained = (file.read().decode(errors="replace") for file in (out, err))
        return code, said, complained, time.monotonic() - began, waited[2].ru_maxrss >> 10


def left_over(mark: str) -> list[str]:
    end = time.monotonic() + 3
    while True:
        found = subprocess.run(["/usr/bin/pgrep", "-f", mark], capture_output=True, text=True, check=False).stdout.split()
        if not found or time.monotonic() > end:
            return found
        time.sleep(0.05)


def faults(programs: dict[str, str], megabytes_max: int, seed: int, without: Sequence[int] = ()) -> list[str]:
    """What is wrong with the run of this seed; nothing where all is well."""
    with tempfile.TemporaryDirectory() as folder:
        mark = f"hostile-{os.getpid()}-{seed}-{len(without)}"
        system = SYSTEMS[seed % len(SYSTEMS)]
        left = ["--without", ",".join(map(str, without))] if without else []
        port = [sys.executable, "-B", "-S", "-E", hostile.__file__, str(seed), programs["backoff-port"], f"{folder}/lives", *left, mark]
        words = options(seed, folder)
        code, out, err, seconds, megabytes = run([programs["backoff-oracle"], "check", system, *words, "--", *port])
        found = []
        if code is None:
            found.append(f"still runs after {SECONDS_MAX} s")
        elif code not in (0, 1, 3, 5):
            at = err.find("SUMMARY: ")  # of a sanitizer
            found.append(f"exit {code}: {err[at:][:300] if at >= 0 else err[-300:]!r}")
        if megabytes > megabytes_max:
            found.append(f"{megabytes} MB")
        if not out and err.count("\n") == 0:
            found.append("says nothing")
        if control := CONTROL.search(out) or CONTROL.search(err):
            found.append(f"prints {control[0]!r}")
        if ours := left_over(mark):
            found.append(f"leaves processes {ours}")
        names = set(os.listdir(folder)) - {"lives"}
        if stray := names - {"results", "junit", "known"}:
            found.append(f"leaves {stray}")
        if "results" in names:
            form = words[words.index("--format") + 1]
            again, replayed, said, _, _ = run([programs["backoff-oracle"], "report", "--format", form, f"{folder}/results"])
            if (again, replayed) != (code, out):
                found.append(f"report: exit {again}, not {code}: {said[-300:]!r}" if again != code else "report prints something else")
        return [*found, *([f"{seconds:.0f} s"] if found else [])]


def shrunk(programs: dict[str, str], megabytes_max: int, seed: int) -> list[int]:
    """The troubles that a failing seed does without."""
    without: list[int] = []
    for n in range(len(hostile.Plan(seed).troubles)):
        if faults(programs, megabytes_max, seed, [*without, n]):
            without.append(n)
    return without


def seeds_to_try(first: int, count: int, each: bool) -> list[int]:
    """These seeds; with `each` also the next ones that show what none before does: a behaviour of a system and kind of draws."""
    seeds = list(range(first, first + count))
    if not each:
        return seeds
    wanted = {(name, system, hidden) for name in hostile.BEHAVIOURS for system in range(len(SYSTEMS)) for hidden in (False, True)}

    def shown(seed: int) -> set[tuple[str, int, bool]]:
        plan = hostile.Plan(seed)
        return {(name, seed % len(SYSTEMS), bool(plan.draws)) for name in plan.behaviours()}

    for seed in seeds:
        wanted -= shown(seed)
    more = itertools.count(first + count)
    while wanted:
        seed = next(more)
        if wanted & shown(seed):
            seeds.append(seed)
            wanted -= shown(seed)
    return seeds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--memory-mb", type=int, default=256)
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    programs = {name: str((given.bin / name).resolve(strict=True)) for name in ("backoff-oracle", "backoff-port")}
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        seeds = seeds_to_try(given.first, given.count, given.each)
        for seed, found in zip(seeds, pool.map(lambda s: faults(programs, given.memory_mb, s), seeds), strict=True):
            if not found:
                continue
            failed += 1
            without = shrunk(programs, given.memory_mb, seed)
            print(f"seed {seed}, {SYSTEMS[seed % len(SYSTEMS)]}: {'; '.join(found)}", flush=True)
            for line in hostile.described(seed):
                if line.partition(":")[0] not in map(str, without):
                    print(f"  {line}")
            print(f"  {shlex.join(options(seed, '/tmp'))}")
            print(f"  again: {shlex.join([sys.argv[0], '--bin', str(given.bin), '--first', str(seed), '--count', '1'])}", flush=True)
    print(f"{len(seeds) - failed} of {len(seeds)} hostile ports are dealt with")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
