"""A layer on trial: every mutant of its sources meets its tests, and what survives must be excused."""
import argparse
import fnmatch
import pathlib
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, Protocol

from mutation import mutants, reaching, unchanged
from mutation.mutants import Mutant, Source, Unusable

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COMPILER = "g++-12"
UNSETTLED = "not settled"  # the reason of a survivor that nobody has proved equivalent or found a test for


def common_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="of the repository whose sources are mutated")
    parser.add_argument("--jobs", type=int, default=2)


def options(parser: argparse.ArgumentParser, survivors: str) -> None:
    common_options(parser)
    parser.add_argument("--build", type=pathlib.Path, help="default: build/release below the root")
    parser.add_argument("--survivors", type=pathlib.Path, default=HERE / survivors, help=f"default: {survivors} of the mutation package")
    parser.add_argument("--only", metavar="GLOB", action="append", help="files whose path below the root matches; may be repeated")
    unchanged.options(parser)


class Excuse(NamedTuple):
    line: int
    key: str  # of a mutant
    reason: str


def read_excuses(file: pathlib.Path) -> list[Excuse]:
    """Lines `path | source line, stripped | old -> new · … | reason`, one for each reason; # begins a comment."""
    excuses = []
    for number, line in enumerate(file.read_text().splitlines() if file.exists() else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        mutants, _, reason = line.rstrip().rpartition(" | ")
        place, _, changes = mutants.rpartition(" | ")
        keys = [f"{place} | {change}" for change in changes.split(" · ")]
        if not reason.strip() or any(key.count(" | ") < 2 or " -> " not in key for key in keys):
            raise Unusable(f"{file.name}:{number}: wants `path | source line | old -> new · … | reason`")
        excuses += [Excuse(number, key, reason.strip()) for key in keys]
    return excuses


def verdict(name: str, killed: Mapping[Mutant, bool], excuses: list[Excuse], excuse_file: pathlib.Path, started: float,
            skipped: int = 0) -> int:
    """Says what survived unexcused and which excuses are stale. Returns the exit status."""
    if not killed and not skipped:
        raise Unusable("no mutant was made")
    survivors = [mutant for mutant, dead in killed.items() if not dead]
    surviving, dead = {m.key for m in survivors}, {m.key for m, was in killed.items() if was}
    excused = {excuse.key for excuse in excuses}
    problems = [f"survived: {m.key}" for m in survivors if m.key not in excused]
    unexcused = len(problems)
    for number, key, _ in excuses:
        if key not in surviving:
            problems.append(f"{excuse_file.name}:{number}: stale, no survivor is: {key}")
        elif key in dead:
            problems.append(f"{excuse_file.name}:{number}: excuses a killed mutant as well, tell the lines apart: {key}")
    for problem in problems:
        print(problem)
    unsettled = {excuse.key for excuse in excuses if excuse.reason == UNSETTLED}
    open_ones = sum(mutant.key in unsettled for mutant in survivors)
    not_settled = f" ({open_ones} of these not settled)" if open_ones else ""
    total, gone = len(killed), len(killed) - len(survivors)
    share = f" ({100 * gone / total:.1f} %)" if total else ""
    before = f", {skipped} more unchanged since they were green" if skipped else ""
    print(f"{name}: {total} mutants, {gone} killed{share}, {len(survivors)} survived, {len(survivors) - unexcused} of them "
          f"excused{not_settled}, {len(problems)} problems{before}, {time.monotonic() - started:.0f} s")
    return 1 if problems else 0


def read_sources(files: Iterable[pathlib.Path], root: pathlib.Path, only: list[str] | None,
                 parsed: Callable[[pathlib.Path, str, int], Source],
                 skips: Callable[[str, pathlib.Path], bool] = lambda *_: False) -> list[Source]:
    """The sources but for those that it `skips`, their mutants numbered one after the other; `parsed` takes a file, its path and its
    first number."""
    sources: list[Source] = []
    first, skipped = 1, False
    for file in sorted(files):
        path = file.relative_to(root).as_posix()
        if only and not any(fnmatch.fnmatch(path, glob) for glob in only):
            continue
        if skips(path, file):
            skipped = True
        else:
            sources.append(parsed(file, path, first))
            first += len(sources[-1].mutants)
    if not sources and not skipped:
        raise Unusable(f"no file of the layer matches {' or '.join(only or ['*'])} in {root}")
    return sources


def lines_about(path: str, given: argparse.Namespace) -> list[str]:
    """What the survivors file says of faults in the file."""
    lines = given.survivors.read_text().splitlines() if given.survivors.exists() else []
    return [line for line in lines if line.startswith(f"{path} | ")]


class InOne(NamedTuple):
    """The program of all mutants that can be chosen when it runs."""
    program: pathlib.Path
    runs: reaching.Runs  # of its tests
    others: list[Mutant]  # that cannot be in it


class Bench(Protocol):
    """Builds tests with mutants."""
    sources: list[Source]

    def in_one_program(self) -> InOne: ...

    def notices(self, mutant: Mutant, source: Source, folder: pathlib.Path, excused: bool) -> bool:
        """Whether the tests, built in the folder with only this mutant, fail or cannot be built."""


def run(given: argparse.Namespace, bench_of: Callable[[argparse.Namespace, pathlib.Path], Bench], briefly: bool) -> int:
    """`briefly`: excused mutants meet only the tests of the first second."""
    started, root = time.monotonic(), given.root.resolve()
    given.root, given.build = root, (given.build or root / "build/release").resolve()
    excuses = read_excuses(given.survivors)
    given.unchanged = known = unchanged.Unchanged(given.what, root, given.fresh, COMPILER)
    with tempfile.TemporaryDirectory() as scratch:
        bench = bench_of(given, pathlib.Path(scratch))
        if given.only:
            paths = {source.path for source in bench.sources}
            excuses = [excuse for excuse in excuses if excuse.key.split(" | ")[0] in paths]
        excuses = [excuse for excuse in excuses if excuse.key.split(" | ")[0] not in known.skipped]
        excused = {excuse.key for excuse in excuses}
        program, runs, others = bench.in_one_program() if bench.sources else InOne(given.build, reaching.Runs({}, {}), [])
        place = {mutant: source for source in bench.sources for mutant in source.mutants}
        tried = [mutant for mutant in place if mutant not in set(others)]
        killed = mutants.for_each(lambda m: reaching.kills(program, runs.of(m.number), m.number, briefly and m.key in excused), tried,
                                  given.jobs, "in one program")
        missed = sum(not runs.of(mutant.number) for mutant in tried)
        print(f"in one program: {len(killed)} mutants, {sum(killed.values())} killed, {missed} that no test comes by, "
              f"{time.monotonic() - started:.0f} s", flush=True)

        def built(mutant: Mutant) -> bool:
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                return bench.notices(mutant, place[mutant], pathlib.Path(folder), mutant.key in excused)

        built_killed = mutants.for_each(built, others, given.jobs, "built one by one")
        print(f"built one by one: {len(others)}, {sum(built_killed.values())} killed")
    status = verdict(f"{given.what} mutants", killed | built_killed, excuses, given.survivors, started, sum(known.skipped.values()))
    if status == 0:
        known.keep({source.path: len(source.mutants) for source in bench.sources})
    return status
