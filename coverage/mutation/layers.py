"""How strong is each layer that checks the library, by itself? Faults of mutants.py in the headers of the core, tried on

    specs       the executable specifications
    RapidCheck  library against model under every claim, and the properties of the headers
    fuzzing     what the fuzz targets keep: their seeds, and the inputs of what was found once
    prover      the theorems, for all inputs

Each layer is tried by itself. Three kinds of faults are left out: those that survivors.txt excuses, as nothing can notice them;
those that the compiler decides, as a layer may not see them; and those that a layer's types do not compile with. The types of the
prover have no `/`, for example. A fault survives a layer if no run of the layer executes it.
Needs a finished release build.
"""
import argparse
import collections
import json
import math
import os
import pathlib
import re
import shlex
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from mutation import mutants, ninja_build, reaching, trial
from mutation.mutants import Mutant, Source, Unusable

Compiled = dict[str, tuple[list[str], str]]  # object -> what compiles it, and from which source
Measured = dict[str, Any]  # what layers.json records
SEARCH = "seed=20261120 max_success=2000"  # of RapidCheck's properties, as properties/CMakeLists.txt has it
ATTEMPTS = 8  # at a program that does not compile with some faults


class Layer(NamedTuple):
    programs: str  # a glob below bin; those of them that are compiled with the headers of the core
    tests: str  # as a filter; none: the program is run on files


LAYERS = {"specs": Layer("spec_tests", "*"), "RapidCheck": Layer("rapidcheck_tests", "rapidcheck/library.*:properties_*"),
          "fuzzing": Layer("fuzz_*", ""), "prover": Layer("proof_tests", "theorem.*")}


def options(parser: argparse.ArgumentParser) -> None:
    trial.common_options(parser)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="try every N-th fault only")
    parser.add_argument("--layer", action="append", choices=[*LAYERS], help="try this layer only; the record of the others stays")
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE", help="write what was measured, as JSON")
    parser.add_argument("--table", action="store_true", help="of what layers.json records, without measuring")


def table(measured: Measured) -> str:
    rows = ["| header | faults | " + " | ".join(LAYERS) + " |", "|---|---|" + "---|" * len(LAYERS)]

    def share(row: Measured, layer: str) -> str:
        tried = row["tried"].get(layer, 0)
        return f"{row['killed'][layer]} of {tried}" if tried else "–"

    for row in measured["headers"]:
        rows.append(f"| `{row['header']}` | {row['faults']} | " + " | ".join(share(row, layer) for layer in LAYERS) + " |")
    total: Measured = {"faults": sum(row["faults"] for row in measured["headers"])}
    for what in ("tried", "killed"):
        total[what] = {layer: sum(row[what].get(layer, 0) for row in measured["headers"]) for layer in LAYERS}
    rows.append(f"| all | {total['faults']} | " + " | ".join(share(total, layer) for layer in LAYERS) + " |")
    return "\n".join(rows)


class Build(ninja_build.Build):
    """Programs of a finished build, made anew with other headers."""

    def __init__(self, root: pathlib.Path, scratch: pathlib.Path) -> None:
        super().__init__(root / "build/release")
        self.root, self.scratch = root, scratch
        if not (self.folder / "build.ninja").exists():
            raise Unusable(f"{self.folder} has no build by Ninja: cmake --preset release && cmake --build --preset release")

    def depends(self) -> dict[str, set[pathlib.Path]]:
        """object -> the headers of the core that it was compiled with."""
        found: dict[str, set[pathlib.Path]] = collections.defaultdict(set)
        name = ""
        for line in self.ninja("deps").splitlines():
            if line.startswith("    "):
                path = pathlib.Path(self.folder, line.strip()).resolve()
                if path.is_relative_to(self.root / "lib/include"):
                    found[name].add(path)
            elif line:
                name = line.split(":")[0]
        return found

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


def measure(given: argparse.Namespace) -> tuple[Measured, Iterable[Mutant]]:
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
        measured: Measured = {"every": given.every, "headers": [
            {"header": path.removeprefix("lib/include/backoff/"), "faults": len(of[path]), "tried": {}, "killed": {}}
            for path in of if of[path]]}
        if given.layer and given.record:
            measured = recorded(given.record, measured)
        depends, left = build.depends(), set(chosen)
        for layer in given.layer or LAYERS:
            killed = killed_by(layer, build, sources, chosen, depends, given.jobs)
            print(f"{layer}: {sum(killed.values())} of {len(killed)} killed, after {time.monotonic() - started:.0f} s", flush=True)
            for row, numbers in zip(measured["headers"], filter(None, of.values())):
                row["tried"][layer] = sum(n in killed for n in numbers)
                row["killed"][layer] = sum(killed.get(n, False) for n in numbers)
            left -= {number for number, dead in killed.items() if dead}
    return measured, [] if given.layer else [m for m in tried if m.number in left]


def recorded(record: pathlib.Path, begun: Measured) -> Measured:
    """What is recorded of the faults that are about to be measured."""
    def faults(measured: Measured) -> tuple[int, list[tuple[str, int]]]:
        return measured["every"], [(row["header"], row["faults"]) for row in measured["headers"]]

    if not record.is_file():
        raise Unusable(f"{record} is not there: measure all layers")
    old: Measured = json.loads(record.read_text())
    if faults(old) != faults(begun):
        raise Unusable(f"{record} is of other faults: measure all layers")
    return old


def run(given: argparse.Namespace) -> int:
    os.environ["RC_PARAMS"] = SEARCH
    if given.table:
        print(table(json.loads((trial.HERE / "layers.json").read_text())))
        return 0
    measured, left = measure(given)
    if given.record:
        given.record.write_text(json.dumps(measured, indent=1) + "\n")
    print(table(measured))
    for mutant in left:
        print(f"killed by no layer: {mutant.key}")
    return 1 if left else 0
