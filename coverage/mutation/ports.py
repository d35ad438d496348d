"""Does the oracle notice a fault in somebody's port? Every fault of mutants.py is tried on a plain C port of each system.

lib/c99/STEM.c is mutated, or STEM/ports/port.c where there is none. STEM/ports/port_main.c lets the oracle drive it.
STEM/ports/supplied.h, if any, is included before it. All mutants are in one program, and the oracle judges it once for each, by
its default options, up to the first history that breaks a claim: to shrink all that a mutant breaks takes thirty times as long and kills
no more. Exit 1 or 3 of the oracle, or a port that hangs, kills the
mutant. What it passes is judged again with --strict. A mutant that falls only there follows an open reading of the document, which
the first verdict must name. Any other survivor is a hole in the claims or in the generators, or equivalent to the original:
port_survivors.txt then proves it. Fewer than 50 mutants say nothing, unless the port says `At least N mutants: why` of itself.

With --power each mutant that is not equivalent is tried again with draws of its own, first by the set of admitted answers
alone (grade membership), then by their distribution too, then with --strict. A table of how many fall at each grade is compared with
spec/POWER.md. Not every fault shows in hidden draws.

A port whose mutants were all green is not tried again until it changes, or what drives it, the program backoff-oracle, these options, or
its row of the page.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mutation import mutants, tables, trial, unchanged
from mutation.mutants import Mutant, Source, Unusable
from mutation.tables import Rows

Power = dict[str, int]  # of one system
Powers = dict[str, Power]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
LEAST = 50
OWN_LEAST = re.compile(r"\bAt least (\d+) mutants: \w")
BROKE = "(the port crashed or hung)"
ABOUT_DRAWS = re.compile(r"\w+_fills?_(its|their)_\w+|(delays|sleeps|waits|jitter)_(is|are)_independent|processes_draw_differently")


def options(parser: argparse.ArgumentParser) -> None:
    trial.common_options(parser)
    parser.add_argument("--bin", type=pathlib.Path, help="where backoff-oracle is; default: build/release/bin below the root")
    parser.add_argument("--system", metavar="STEM", help="one system only")
    parser.add_argument("--cases", default="3000")
    parser.add_argument("--timeout", default="1", help="seconds that an answer of a mutant may take")
    parser.add_argument("--limit", type=int, default=30, help="seconds for all answers of a mutant")
    parser.add_argument("--survivors", type=pathlib.Path, default=trial.HERE / "port_survivors.txt",
                        help="default: port_survivors.txt beside this file")
    parser.add_argument("--power", action="store_true", help="measure what falls at each grade, too")
    unchanged.options(parser)
    tables.options(parser)


class Verdict(NamedTuple):
    status: int
    claims: list[str]  # that the first broken history breaks, the most telling first
    reading: str = ""  # that the oracle names where the port conforms by another than the canonical one

    @property
    def falls(self) -> bool:
        return self.status in (1, 3)


class CPort(NamedTuple):
    """A port in C: its source, what that and its driver are compiled with, and what the source alone is."""
    file: pathlib.Path
    flags: list[str]
    supplied: list[str]


def c_port(root: pathlib.Path, stem: str) -> CPort:
    in_c99, beside = root / f"lib/c99/{stem}.c", root / f"properties/systems/{stem}/ports"
    folders = root / "lib/drop_in", beside, root / "properties"
    return CPort(in_c99 if in_c99.exists() else beside / "port.c", ["-std=c99", "-DNDEBUG", *(f"-I{folder}" for folder in folders)],
                 ["-include", str(beside / "supplied.h")] if (beside / "supplied.h").exists() else [])


def build(port: Source, of: CPort, driver: pathlib.Path, program: pathlib.Path) -> None:
    """The program of the port with every mutant in it. The mutants may be odd, the port may not."""
    def compiled(complaint: str, *words: str | pathlib.Path) -> None:
        done = subprocess.run(["gcc-12", "-O1", *of.flags, *words], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Unusable(f"{complaint}:\n{done.stderr[:4000]}")

    made, mutated = program.with_name("driver.o"), program.with_suffix(".c")
    compiled("the driver does not compile", *WARNINGS, "-c", driver, "-o", made)
    mutated.write_text(port.instrumented())
    others: list[str | pathlib.Path] = [*of.supplied, made, "-o", program, "-lm"]
    compiled("the port does not compile", *WARNINGS, port.file, *others)
    compiled("a mutant does not compile", "-w", mutated, *others)


def judged(given: argparse.Namespace, stem: str, program: pathlib.Path, number: int = 0, opaque: bool = False,
           skipped: Sequence[str] = (), strict: bool = False) -> Verdict:
    environment = {**os.environ, "MUTANT": str(number), "DRAWS": "opaque" if opaque else "injected"}
    skips = [word for claim in skipped for word in ("--skip", claim)]
    # An oracle that is killed cannot stop its port: the port must come to an end by itself. Long histories become files where it runs.
    command = ["prlimit", f"--cpu={given.limit}", given.bin / "backoff-oracle", "check", stem, *(["--strict"] if strict else []),
               "--cases", given.cases, "--timeout", given.timeout, "--max-failures", "1", *skips, "--format", "json", "--", program]
    with subprocess.Popen([str(word) for word in command], env=environment, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.PIPE, start_new_session=True, cwd=program.parent) as oracle:
        try:
            said, complaint = oracle.communicate(timeout=given.limit)
        except subprocess.TimeoutExpired:
            os.killpg(oracle.pid, signal.SIGKILL)
            return Verdict(3, [BROKE])
    if oracle.returncode not in (0, 1, 3, 5):
        raise Unusable(f"the oracle ends with {oracle.returncode} on mutant {number}: {complaint[:500]}")
    if oracle.returncode == 3:
        return Verdict(3, [BROKE])
    report = json.loads(said)
    reading = re.search(r", as read with ([^;]*)", report.get("says", ""))
    return Verdict(oracle.returncode, [finding["claim"] for finding in report["findings"]], reading[1] if reading else "")


def only_strict(given: argparse.Namespace, stem: str, program: pathlib.Path, verdicts: Mapping[Mutant, Verdict],
                opaque: bool) -> dict[Mutant, str]:
    """Of the mutants that stand, those that fall to --strict: mutant -> the reading that their first verdict names."""
    left = [mutant for mutant, verdict in verdicts.items() if not verdict.falls]
    strictly = mutants.for_each(lambda mutant: judged(given, stem, program, mutant.number, opaque, strict=True), left, given.jobs,
                                f"{stem}, --strict")
    return {mutant: verdicts[mutant].reading for mutant, verdict in strictly.items() if verdict.falls}


def power(given: argparse.Namespace, stem: str, program: pathlib.Path, verdicts: Mapping[Mutant, Verdict],
          by_strict: Mapping[Mutant, str], excuses: list[trial.Excuse]) -> Power:
    """What falls at each grade, of the mutants that are not equivalent: of their verdicts where draws are given to them."""
    exact = {mutant: verdict for mutant, verdict in verdicts.items() if mutant.key not in {excuse.key for excuse in excuses}}
    measured = {"mutants": len(verdicts), "equivalent": len(verdicts) - len(exact),
                "exact": sum(verdict.falls for verdict in exact.values())}
    measured["exact_strict"] = measured["exact"] + len(by_strict)
    listed = subprocess.run([given.bin / "backoff-oracle", "list", "--json"], capture_output=True, text=True, check=True).stdout
    about_draws = [claim for system in json.loads(listed)["systems"] if system["name"] == stem
                   for claim in system["claims"] if ABOUT_DRAWS.fullmatch(claim)]
    if about_draws:
        inside = mutants.for_each(lambda mutant: judged(given, stem, program, mutant.number, True, about_draws), list(exact),
                                  given.jobs, f"{stem}, draws hidden")
        left = [mutant for mutant, verdict in inside.items() if not verdict.falls]
        drawn = mutants.for_each(lambda mutant: judged(given, stem, program, mutant.number, True), left, given.jobs,
                                 f"{stem}, drawn at random")
        measured["membership"] = len(exact) - len(left)
        measured["distribution"] = measured["membership"] + sum(verdict.falls for verdict in drawn.values())
        hidden_strict = only_strict(given, stem, program, drawn, True)
        measured["distribution_strict"] = measured["distribution"] + len(hidden_strict)
        for mutant, verdict in drawn.items():
            if not verdict.falls and mutant not in hidden_strict:
                print(f"{mutant.key}: not caught with hidden draws")
    return measured


def measured(given: argparse.Namespace, stem: str, excuses: list[trial.Excuse], powers: Powers) -> tuple[int, int]:
    """Every mutant of one system. Returns the exit status and how many there were."""
    started = time.monotonic()
    try:
        folder, ports = given.root / f"properties/systems/{stem}/ports", given.root / "properties/ports"
        of = c_port(given.root, stem)
        file = of.file
        if not file.exists():
            raise Unusable(f"{file} is missing")
        if skips(given, stem, file, [*folder.glob("*.[ch]"), ports / "draws.h", ports / "helpers/c/backoff_port.h"], excuses):
            return 0, 0
        port = Source(file, f"{stem}.c", [*of.flags, *of.supplied], "c")
        own = OWN_LEAST.search(port.text.decode())
        if len(port.mutants) < (least := int(own[1]) if own else LEAST):
            raise Unusable(f"only {len(port.mutants)} mutants, {least} wanted")
        with tempfile.TemporaryDirectory() as scratch:
            program = pathlib.Path(scratch) / stem
            build(port, of, folder / "port_main.c", program)
            for strict in (False, True):
                right = judged(given, stem, program, strict=strict)
                if right.status != 0:
                    raise Unusable(f"the port does not conform without any mutant: exit {right.status}, {right.claims}")
            verdicts = mutants.for_each(lambda mutant: judged(given, stem, program, mutant.number), port.mutants,
                                        given.jobs, stem)
            by_strict = only_strict(given, stem, program, verdicts, False)
            if given.power:
                powers[stem] = power(given, stem, program, verdicts, by_strict, excuses)
        for mutant, reading in by_strict.items():
            print(f"{mutant.key}: only --strict catches it, {f'as it follows {reading}' if reading else 'and no reading excuses it'}")
        killed = {mutant: verdict.falls or bool(by_strict.get(mutant)) for mutant, verdict in verdicts.items()}
        found = [verdict.claims for verdict in verdicts.values() if verdict.falls]
        first = collections.Counter(broken[0] for broken in found)
        alone = collections.Counter(broken[0] for broken in found if len(broken) == 1)
        for claim, times in collections.Counter(claim for broken in found for claim in broken).most_common():
            print(f"{claim:36} killed {times:3}, named first {first[claim]:3}, alone {alone[claim]:3}")
        status = trial.verdict(stem, killed, excuses, given.survivors, started)
        if status == 0:
            given.green[file.relative_to(given.root).as_posix()] = len(killed)
        return status, len(killed)
    except Unusable as problem:
        print(f"{stem}: {problem}")
        return 2, 0


def skips(given: argparse.Namespace, stem: str, file: pathlib.Path, others: Sequence[pathlib.Path], excuses: list[trial.Excuse]) -> bool:
    """Whether all is as it was when the mutants of this file were green."""
    words = [given.cases, given.timeout, str(given.limit), *(f"{key} | {reason}" for _, key, reason in excuses)]
    if given.power:
        words += [line for _, block in tables.BLOCK.findall(given.page.read_text()) for line in block.splitlines()
                  if line.startswith(f"| `{stem}` |")]
    known: unchanged.Unchanged = given.unchanged
    return known.skips(file.relative_to(given.root).as_posix(), [file, *others, given.bin / "backoff-oracle"], words)


def share(part: int, whole: int) -> str:
    return f"{part} ({100 * part // whole if part in (0, whole) else f'{100 * part / whole:.1f}'} %)" if whole else "0"


def table(powers: Powers) -> Rows:
    counts = ("mutants", "equivalent", "exact", "exact_strict", "membership", "distribution", "distribution_strict")
    rows = []
    for name, p in [*powers.items(), ("**all**", {key: sum(p.get(key, 0) for p in powers.values()) for key in counts})]:
        whole = p["mutants"] - p["equivalent"]
        drawing = whole if name in powers else sum(p["mutants"] - p["equivalent"] for p in powers.values() if "membership" in p)
        hidden = [share(p[key], drawing) if "membership" in p else "no draws"
                  for key in ("distribution", "distribution_strict", "membership")]
        rows.append([f"`{name}`" if name in powers else name, str(p["mutants"]), str(p["equivalent"]), share(p["exact"], whole),
                     share(p["exact_strict"], whole), *hidden])
    return Rows(["system", "mutants", "equivalent", "draws given", "with `--strict`", "draws hidden", "with `--strict`",
                 "by the set of answers alone"], rows)


def are_as_recorded(given: argparse.Namespace, powers: Powers) -> bool:
    """The totals of the page are compared where all systems are measured; power_test.py adds up the rows."""
    is_of = (lambda first: first.strip("`") in powers) if given.system or given.unchanged.skipped else None
    return tables.is_as_recorded("ports --power", table(powers), given.page, given.record, is_of)


def run(given: argparse.Namespace) -> int:
    started = time.monotonic()
    given.bin = (given.bin or given.root / "build/release/bin").resolve()
    if not (given.bin / "backoff-oracle").exists():
        raise Unusable(f"{given.bin}/backoff-oracle is missing: cmake --build --preset release --target backoff-oracle")
    every = sorted(path.parent.name for path in given.root.glob("spec/*/system.yaml"))
    stems = [given.system] if given.system else every
    if not stems:
        raise Unusable(f"no system in {given.root}/spec")
    excuses = trial.read_excuses(given.survivors)
    stale = [line for line, key, _ in excuses if not given.system and key.split(".c | ")[0] not in stems]
    for line in stale:
        print(f"{given.survivors.name}:{line}: stale, no system's port is that file")
    powers: Powers = {}
    given.root, given.green = given.root.resolve(), {}
    given.unchanged = unchanged.Unchanged("power" if given.power else "ports", given.root, given.fresh or given.record, "gcc-12")
    results = [measured(given, stem, [e for e in excuses if e.key.startswith(f"{stem}.c | ")], powers) for stem in stems]
    failed = sum(status != 0 for status, _ in results)
    out_of_date = 0 if not given.power else int(not are_as_recorded(given, powers))
    if not out_of_date:
        given.unchanged.keep(given.green)
    skipped = sum(given.unchanged.skipped.values())
    print(f"port mutants: {sum(count for _, count in results)} in {len(stems)} systems, {failed} of them failed, "
          f"{f'{skipped} more unchanged since they were green, ' if skipped else ''}{time.monotonic() - started:.0f} s")
    return max(1 if stale else 0, out_of_date, *(status for status, _ in results))
