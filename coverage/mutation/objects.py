"""Do the tests notice a fault in what judges? Every fault of mutants.py is tried in every source file of a layer.

    model    spec/relation and each spec/STEM/model.cpp, by the specifications: `mutate library` trusts it
    c        lib/src, the library's functions for C, by the specifications
    judge    properties/judge, by the judge's own quick tests, by the wrong ports that it must catch among them

Mutants that can be chosen at run time are in one program, linked as the build links the tests, with the mutated objects
in place of the originals: constants too, which are then computed when the program starts. What the
compiler does not let be there is built one by one. Each mutant meets the tests that come by its place, the quickest first;
one that is excused, of which most do nothing, meets those of the first second. A mutant that no test notices is a hole in
the tests, or equivalent to the original: the layer's survivors file then says why.
A file whose mutants were all green is not tried again until it changes, or what it includes, or an object that the tests are linked of. The
object of another file of the layer counts where one of the two includes a header of the other's folder: the model of one system does
not depend on that of another.
Needs a finished build of the layer's tests, by Ninja.
"""
import argparse
import collections
import json
import pathlib
import re
import shlex
from collections.abc import Callable
from typing import NamedTuple

from mutation import mutants, ninja_build, reaching, trial, unchanged
from mutation.mutants import Mutant, Source, Unusable

ROUNDS_OF_COMPILATION = 6


class Layer(NamedTuple):
    sources: tuple[str, ...]  # globs below the root
    program: str  # of tests
    tests: str  # as a filter


LAYERS = {"model": Layer(("spec/relation/*.cpp", "spec/*/model.cpp"), "spec_tests", "*"), "c": Layer(("lib/src/*.cpp",), "spec_tests", "*"),
          "judge": Layer(("properties/judge/*.cpp", "properties/systems/*/binding.cpp"), "judge_tests", "-soundness.*:built_in*")}


def options(parser: argparse.ArgumentParser) -> None:
    trial.options(parser, f"{parser.prog.split()[-1]}_survivors.txt")


class Bench:
    """Compiles as the build does, and links as it does."""

    def __init__(self, given: argparse.Namespace, scratch: pathlib.Path) -> None:
        self.layer = LAYERS[given.what]
        self.scratch, self.build, self.jobs, program = scratch, ninja_build.Build(given.build), given.jobs, self.layer.program
        if not (given.build / "bin" / program).exists():
            raise Unusable(f"{given.build}/bin/{program} is missing: cmake --build --preset release")
        self.link = self.build.linking(program)
        self.objects: dict[pathlib.Path, tuple[str, str]] = {}  # source -> what the build calls its object, and the command
        for entry in json.loads(self.build.ninja("compdb")):
            source, made = pathlib.Path(entry["directory"], entry["file"]).resolve(), entry["output"]
            if made.endswith(".o") and (source not in self.objects or made in self.link):  # as the tests link it, where they do
                self.objects[source] = (made, entry["command"])
        files = [file for glob in self.layer.sources for file in given.root.glob(glob) if not file.name.endswith("_test.cpp")]
        self.sources = trial.read_sources(files, given.root, given.only, self.parsed, self.skipping(given, files))

    def skipping(self, given: argparse.Namespace, mutated: list[pathlib.Path]) -> Callable[[str, pathlib.Path], bool]:
        """Which files are as they were: see above."""
        commands = self.build.ninja("commands", f"bin/{self.layer.program}").splitlines()
        depends = self.build.depends(given.root)
        made_of = {file.resolve(): {file.resolve()} for file in mutated}
        objects: dict[pathlib.Path, set[pathlib.Path]] = collections.defaultdict(set)
        for words in map(shlex.split, commands):
            if "-c" in words:
                source, made = (pathlib.Path(self.build.folder, words[words.index(option) + 1]).resolve() for option in ("-c", "-o"))
                objects[source].add(made)
                if source in made_of:
                    made_of[source] |= depends[words[words.index("-o") + 1]]
        tests = set().union(*(made for source, made in objects.items() if source not in made_of))

        def includes(one: pathlib.Path, other: pathlib.Path) -> bool:
            return other.parent in {file.parent for file in made_of[one]}

        def skips(path: str, file: pathlib.Path) -> bool:
            file = file.resolve()
            others = (other for other in made_of if other != file and (includes(file, other) or includes(other, file)))
            of = made_of[file].union(tests, *(objects[other] for other in others))
            return unchanged.is_current(objects[file], made_of[file]) and bool(
                given.unchanged.skips(path, of, [*commands, *trial.lines_about(path, given)]))

        return skips

    def parsed(self, file: pathlib.Path, path: str, first: int) -> Source:
        flags = [word for word in self.arguments(file)[1:] if word.startswith(("-I", "-D", "-std"))]
        return Source(file, path, flags, "c++", first, of_classes=True)

    def arguments(self, source: pathlib.Path) -> list[str]:
        if source not in self.objects:
            raise Unusable(f"{source}: the build does not compile it")
        return self.build.arguments(self.objects[source][1])

    def compile(self, source: pathlib.Path, text: bytes, folder: pathlib.Path) -> tuple[pathlib.Path | None, str]:
        """The object, or nothing where it does not compile, and what the compiler says. Includes beside it are found there."""
        name = f"{source.parent.name}_{source.name}"  # every system has a model.cpp
        copy, made = folder / name, folder / f"{name}.o"
        copy.write_bytes(text)
        complaint = self.build.compile(self.arguments(source), self.scratch, "-iquote", source.parent, "-c", copy, "-o", made)
        return None if complaint else made, complaint

    def linked(self, objects: dict[pathlib.Path, pathlib.Path], folder: pathlib.Path) -> pathlib.Path:
        """The program, with these objects of sources instead of its own and of those that its archives have."""
        return self.build.linked(self.link, {self.objects[source][0]: made for source, made in objects.items()}, folder / "tests")

    def with_mutants(self, source: Source, folder: pathlib.Path) -> tuple[pathlib.Path, list[Mutant]]:
        """The object of a source with the mutants that can be chosen when it runs, and the mutants that cannot."""
        apart: set[int] = set()
        late = {mutant.held for mutant in source.mutants if mutant.held}
        tried = 0
        while tried < ROUNDS_OF_COMPILATION:
            tried += 1
            made, complaint = self.compile(source.file, source.instrumented(apart, late).encode(), folder)
            if made:
                return made, [m for m in source.mutants if m.number in apart or (m.built and m.held not in late)]
            lines = [int(line) for line in re.findall(rf"^(?:{re.escape(source.path)}):(\d+):", complaint, re.MULTILINE)]
            named = set(re.findall(r"'(?:[^'\n]*\W)?(\w+)'", complaint))
            refused = {line // mutants.APART for line in lines if line >= mutants.APART} - apart
            needed = {held for held in late if held[0] in named}
            if not refused and not needed:  # the place alone is known: every mutant on these lines
                refused = source.on_lines(lines) - apart
            if not refused and not needed:
                break
            apart |= refused
            late -= needed
        raise Unusable(f"{source.path} does not compile with its mutants, tried {tried} times:\n{complaint[:4000]}")

    def in_one_program(self) -> trial.InOne:
        folder = self.scratch / "all"
        folder.mkdir()
        (self.scratch / "mutation_switch.hpp").write_text(reaching.SWITCH)
        made = mutants.for_each(lambda source: self.with_mutants(source, folder), self.sources, self.jobs)
        program = self.linked({source.file: built for source, (built, _) in made.items()}, folder)
        self.runs = reaching.tests_of(self.scratch, program, self.layer.tests, self.jobs)
        return trial.InOne(program, self.runs, [mutant for _, rest in made.values() for mutant in rest])

    def notices(self, mutant: Mutant, source: Source, folder: pathlib.Path, excused: bool) -> bool:
        made, _ = self.compile(source.file, source.replaced(mutant), folder)
        return made is None or reaching.kills(self.linked({source.file: made}, folder), self.runs.seconds, 0)


def run(given: argparse.Namespace) -> int:
    return trial.run(given, Bench, briefly=True)
