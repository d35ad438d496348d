"""How strong is each layer that checks the library, by itself? Faults of mutants.py in the headers of the core, tried on

    specs       the executable specifications
    RapidCheck  library against model under every claim, and the properties of the headers
    fuzzing     what the fuzz targets keep: their seeds, and the inputs of what was found once
    prover      the theorems, for all inputs

Each layer is tried by itself. Three kinds of faults are left out: those that survivors.txt excuses, as nothing can notice them;
those that the compiler decides, as a layer may not see them; and those that a layer's types do not compile with. The types of the
prover have no `/`, for example. A fault survives a layer if no run of the layer executes it.

The table is compared with the page. Of every N-th fault, a layer must notice all where the page says that it notices all.
Needs a finished release build.
"""
import argparse
import math
import os
import pathlib
import re
import shlex
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from mutation import mutants, ninja_build, reaching, tables, trial
from mutation.mutants import Mutant, Source, Unusable
from mutation.tables import Rows

Compiled = dict[str, tuple[list[str], str]]  # object -> what compiles it, and from which source
SEARCH = "seed=20261120 max_success=2000"  # of RapidCheck's properties, as properties/CMakeLists.txt has it
ATTEMPTS = 8  # at a program that does not compile with some faults
SHOWN_MAX = 20  # of the faults that a layer misses


class Layer(NamedTuple):
    programs: str  # a glob below bin; those of them that are compiled with the headers of the core
    tests: str  # as a filter; none: the program is run on files


LAYERS = {"specs": Layer("spec_tests", "*"), "RapidCheck": Layer("rapidcheck_tests", "rapidcheck/library.*:properties_*"),
          "fuzzing": Layer("fuzz_*", ""), "prover": Layer("proof_tests", "theorem.*")}


def options(parser: argparse.ArgumentParser) -> None:
    trial.common_options(parser)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="try every N-th fault only")
    parser.add_argument("--layer", action="append", choices=[*LAYERS], help="try this layer, and compare its column only")
    tables.options(parser)


class Row(NamedTuple):
    header: str
    faults: int
    tried: dict[str, int]  # by layer
    killed: dict[str, int]


def table(rows: list[Row]) -> Rows:
    def cells(row: Row) -> list[str]:
        return [f"{killed} of {row.tried[layer]}" for layer, killed in row.killed.items()]

    def total(counts: list[dict[str, int]]) -> dict[str, int]:
        return {layer: sum(count[layer] for count in counts) for layer in counts[0]}

    whole = Row("all", sum(row.faults for row in rows), total([row.tried for row in rows]), total([row.killed for row in rows]))
    return Rows(["header", "faults", *whole.killed],
                [*([f"`{row.header}`", str(row.faults), *cells(row)] for row in rows), ["all", str(whole.faults), *cells(whole)]])


class Build(ninja_build.Build):
    """Programs of a finished build, made anew with other headers."""

    def __init__(self, root: pathlib.Path, scratch: pathlib.Path) -> None:
        super().__init__(root / "build/release")
        self.root, self.scratch = root, scratch
        if not (self.folder / "build.ninja").exists():
            raise Unusable(f"{self.folder} has no build by Ninja: cmake --preset release && cmake --build --preset release")

    def compiled_with(self, program: str, headers: set[pathlib.Path], depends: Mapping[str, set[pathlib.Path]]) -> Compiled:
        """Those objects of the program that include these headers."""
        compiled: Compiled = {}
        for command in self.ninja("commands", f"bin/{program}").splitlines():
            words = shlex.split(command)
            if "-c" in words and depends[output := words[words.index("-o") + 1]] & headers:
                compiled[output] = (self.arguments(command), words[words.index("-c") + 1])
        return compiled

    def made_with(self, program: str, compiled: Compiled, folder: pathlib.Path, jobs: int) -> tuple[pathlib.Path | None, str]:
        """The program, its objects in `compiled` with headers of `folder` first; or what the compiler complains of."""
        (folder / program).mkdir()
        objects = {output: folder / program / output.replace("/", "_") for output in compiled}

        def complaint(output: str) -> str:
            arguments, source = compiled[output]
            return self.compile(arguments, folder, "-c", source, "-o", objects[output])

        complaints = "".join(mutants.for_each(complaint, list(compiled), jobs).values())
        if complaints:
            return None, complaints
        return self.linked(self.linking(program), objects, folder / program / "program"), ""


def blamed(complaints: str, sources: list[Source]) -> set[int]:
    """The numbers of the mutants that these complaints are about."""
    numbers: set[int] = set()
    for path, line in re.findall(r"^([^\s:]+):(\d+):\d+: error:", complaints, re.MULTILINE):
        if int(line) >= mutants.APART:
            numbers.add(int(line) // mutants.APART)
            continue
        for source in sources:
            if source.path == path:
                numbers |= source.on_lines({int(line)})
    return numbers


def made_with_mutants(build: Build, program: str, compiled: Compiled, sources: list[Source], chosen: set[int],
                      jobs: int) -> tuple[pathlib.Path, set[int]]:
    """The program with the chosen mutants, and those that it does not compile with."""
    apart: set[int] = set()
    for attempt in range(ATTEMPTS):
        folder = build.scratch / f"{program}{attempt}"
        folder.mkdir()
        (folder / "mutation_switch.hpp").write_text(reaching.SWITCH)
        others = {m.number for source in sources for m in source.mutants} - chosen
        for source in sources:
            to = folder / source.file.relative_to(build.root / "lib/include")
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_text(source.instrumented(others | apart, set()))
        made, complaints = build.made_with(program, compiled, folder, jobs)
        if made:
            return made, apart
        if not (more := blamed(complaints, sources) & chosen - apart):
            break
        apart |= more
    raise Unusable(f"{program} does not compile with mutants, tried {attempt + 1} times:\n{complaints[:4000]}")


def inputs(build: Build, program: str) -> list[pathlib.Path]:
    stem = program.removeprefix("fuzz_")
    of_all = (build.folder / "seeds", build.root / "fuzz/seeds", build.root / "fuzz/regressions")
    return [folder / stem for folder in of_all if (folder / stem).is_dir()]


def killer(layer: str, build: Build, name: str, program: pathlib.Path, jobs: int) -> Callable[[int], bool]:
    """Mutant number -> whether the program, run as the layer does, notices it."""
    if LAYERS[layer].tests:  # within a test, a property goes on after it is broken
        tests = reaching.tests_of(build.scratch, program, LAYERS[layer].tests, jobs)
        return lambda number: reaching.kills(program, tests.of(number), number, stop="--gtest_break_on_failure")
    command = [program, *inputs(build, name)]
    runs = reaching.runs_of(build.scratch, {name: command})
    return lambda number: number in runs.coming_by and not reaching.run(command, number, math.ceil(1 + 4 * runs.seconds[name]))[0]


def killed_by(layer: str, build: Build, sources: list[Source], chosen: set[int], depends: Mapping[str, set[pathlib.Path]],
              jobs: int) -> dict[int, bool]:
    """mutant number -> whether the layer kills it; without those that it cannot be compiled with."""
    headers = {source.file for source in sources}
    named = sorted(path.name for path in (build.folder / "bin").glob(LAYERS[layer].programs))
    programs = {name: compiled for name in named if LAYERS[layer].tests or inputs(build, name)
                if (compiled := build.compiled_with(name, headers, depends))}
    if not programs:
        raise Unusable(f"{build.folder}/bin has no {LAYERS[layer].programs}")
    killed = dict.fromkeys(chosen, False)
    for name, compiled in programs.items():
        program, apart = made_with_mutants(build, name, compiled, sources, chosen, jobs)
        for number in apart:
            killed.pop(number, None)
        kills = killer(layer, build, name, program, jobs)
        alive = [number for number in killed if not killed[number] and number not in apart]
        killed |= mutants.for_each(kills, alive, jobs, layer)
    return killed


def measure(given: argparse.Namespace) -> tuple[list[Row], Iterable[Mutant]]:
    started = time.monotonic()
    excused = {excuse.key for excuse in trial.read_excuses(trial.HERE / "survivors.txt")}
    with tempfile.TemporaryDirectory() as scratch:
        root = given.root.resolve()
        build, include = Build(root, pathlib.Path(scratch)), root / "lib/include"
        sources = trial.read_headers([*include.glob("backoff/*.hpp"), *include.glob("backoff/kernels/*.hpp")], root)
        tried = [m for source in sources for m in source.mutants if not m.built and m.key not in excused][::given.every]
        chosen = {mutant.number for mutant in tried}
        if not chosen:
            raise Unusable("no mutant was made")
        of = {source.path: [m.number for m in tried if m.path == source.path] for source in sources}
        rows = [Row(path.removeprefix("lib/include/backoff/"), len(of[path]), {}, {}) for path in of if of[path]]
        if given.layer and given.every == 1:
            demand_same_faults(rows, given.pages)
        depends, left = build.depends(include), set(chosen)
        for layer in given.layer or LAYERS:
            killed = killed_by(layer, build, sources, chosen, depends, given.jobs)
            print(f"{layer}: {sum(killed.values())} of {len(killed)} killed, after {time.monotonic() - started:.0f} s", flush=True)
            for row, numbers in zip(rows, filter(None, of.values())):
                row.tried[layer] = sum(n in killed for n in numbers)
                row.killed[layer] = sum(killed.get(n, False) for n in numbers)
            missed = [m.key for m in tried if not killed.get(m.number, True)]
            for key in missed if len(missed) <= SHOWN_MAX else []:
                print(f"{layer} does not notice: {key}")
            left -= {number for number, dead in killed.items() if dead}
    return rows, [] if given.layer else [m for m in tried if m.number in left]


def demand_same_faults(rows: list[Row], pages: list[pathlib.Path]) -> None:
    """The columns of the other layers stay: they must be about the faults that are about to be measured."""
    page, recorded = tables.read("layers", pages)
    if recorded.part(["header", "faults"], lambda _: True) != table(rows):
        raise Unusable(f"{page.name} has other faults: measure all layers")


def sample_is_as_recorded(sample: Rows, recorded: Rows) -> bool:
    """Whether each layer notices all of a header's faults where it is recorded so."""
    def complete(cell: str) -> bool:
        killed, _, tried = cell.partition(" of ")
        return killed == tried

    before = {row[0]: dict(zip(recorded.header, row)) for row in recorded.rows}
    missed = [(row[0], layer, cell) for row in sample.rows for layer, cell in zip(sample.header[2:], row[2:])
              if complete(before.get(row[0], {}).get(layer, "")) and not complete(cell)]
    for header, layer, cell in missed:
        print(f"{header}: {layer} notices {cell}, and all on the page")
    return not missed


def run(given: argparse.Namespace) -> int:
    os.environ["RC_PARAMS"] = SEARCH
    rows, left = measure(given)
    measured = table(rows)
    print(measured.text())
    if given.every > 1:
        same = sample_is_as_recorded(measured, tables.read("layers", given.pages)[1])
    else:
        same = tables.is_as_recorded("layers", measured, given.pages, given.update)
    for mutant in left:
        print(f"killed by no layer: {mutant.key}")
    return 0 if same and not left else 1
