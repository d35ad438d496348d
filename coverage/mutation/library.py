"""Do the executable specifications notice a fault in the library? Every fault of mutants.py is tried on every header.

Mutants that can be chosen at run time are in one program, made of the specification tests that include a header; the
others are built one by one, each test a program of its own, until one does not compile or fails; of these, those that are
excused meet only the first FEW tests. A mutant that no test notices is a hole in the tests, or equivalent to the original:
survivors.txt then says why.

Needs the static model library of a finished build: it knows nothing of the headers, so no mutant can be in it. A header whose mutants were
all green is not tried again until a test that includes it changes, or anything that such a test includes, or the model library.
"""
import argparse
import pathlib
import re
import subprocess

from mutation import mutants, reaching, trial
from mutation.mutants import Mutant, Source, Unusable

COMPILE = [trial.COMPILER, "-std=c++20", "-O1", "-w"]
FEW = 3  # tests that an excused mutant meets, where it is built for each


def options(parser: argparse.ArgumentParser) -> None:
    trial.options(parser, "survivors.txt")


def includes(file: pathlib.Path, folders: list[pathlib.Path], seen: set[pathlib.Path]) -> set[pathlib.Path]:
    """The files that `file` includes in quotes, directly or not, added to `seen`."""
    for name in re.findall(r'^#include "(.*)"', file.read_text(), re.MULTILINE):
        for found in (folder / name for folder in [file.parent, *folders] if (folder / name).is_file()):
            if found.resolve() not in seen:
                seen.add(found.resolve())
                includes(found, folders, seen)
            break
    return seen


class Bench:
    """Builds and runs the tests, with whichever headers come first."""

    def __init__(self, given: argparse.Namespace, scratch: pathlib.Path) -> None:
        self.scratch, self.headers, self.jobs = scratch, given.root / "lib/include", given.jobs
        tests, model = given.root / "spec", given.build / "spec/libbackoff_model.a"
        if not model.exists():
            raise Unusable(f"{model} is missing: cmake --build --preset release")
        self.folders = [self.headers, tests, given.build / "spec/generated"]  # tests include what is theirs by its path below spec
        self.link = [str(model), "-lyaml-cpp", "-lgtest_main", "-lgtest", "-lpthread"]
        mutated = set(self.headers.rglob("*.hpp"))
        reached = {test: includes(test, self.folders, {test}) for test in sorted(tests.rglob("*_test.cpp"), key=lambda t: t.stat().st_size)}
        self.reached = {test: files for test, files in reached.items() if mutated & files}
        if not self.reached:
            raise Unusable(f"no test in {tests} includes a header of {self.headers}")

        def skips(path: str, header: pathlib.Path) -> bool:
            of = {header, model}.union(*(files for files in self.reached.values() if header in files))
            return bool(given.unchanged.skips(path, of, [*COMPILE, *trial.lines_about(path, given)]))

        flags = ["-std=c++20", f"-I{self.headers}"]
        self.sources = trial.read_sources(mutated, given.root, given.only,
                                          lambda file, path, first: Source(file, path, flags, "c++", first), skips)
        self.order = {source.path: [test for test, files in self.reached.items() if source.file in files] for source in self.sources}

    def precompile(self, files: set[pathlib.Path]) -> None:
        """What comes from elsewhere (GoogleTest, Boost) is read once."""
        names = {name for file in files for name in re.findall(r"^#include <.*>", file.read_text(), re.MULTILINE)}
        self.elsewhere = self.scratch / "elsewhere.hpp"
        self.elsewhere.write_text("\n".join(sorted(names)) + "\n")
        subprocess.run([*COMPILE, "-x", "c++-header", self.elsewhere, "-o", f"{self.elsewhere}.gch"], check=True)

    def compile(self, test: pathlib.Path, folder: pathlib.Path) -> str:
        """Returns what the compiler complains of, or nothing."""
        search = [f"-I{path}" for path in [folder, *self.folders]]
        done = subprocess.run([*COMPILE, "-include", self.elsewhere, *search, "-c", test, "-o", object_of(test, folder)],
                              capture_output=True, text=True, check=False)
        return done.stderr if done.returncode else ""

    def program(self, tests: list[pathlib.Path], folder: pathlib.Path) -> pathlib.Path:
        program = folder / "tests"
        subprocess.run([COMPILE[0], *(object_of(test, folder) for test in tests), "-o", program, *self.link], check=True)
        return program

    def write(self, folder: pathlib.Path, source: Source, text: bytes) -> None:
        target = folder / source.file.relative_to(self.headers)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)

    def in_one_program(self) -> trial.InOne:
        tests = [test for test in self.reached if any(test in of_header for of_header in self.order.values())]
        self.precompile(set().union(*(self.reached[test] for test in tests)))
        folder = self.scratch / "all"
        folder.mkdir()
        (folder / "mutation_switch.hpp").write_text(reaching.SWITCH)
        for source in self.sources:
            self.write(folder, source, source.instrumented().encode())
        complaints = mutants.for_each(lambda test: self.compile(test, folder), tests, self.jobs)
        if any(complaints.values()):
            raise Unusable("a mutant does not compile:\n" + "".join(complaints.values())[:4000])
        program = self.program(tests, folder)
        return trial.InOne(program, reaching.tests_of(self.scratch, program, "*", self.jobs),
                           [mutant for source in self.sources for mutant in source.mutants if mutant.built])

    def notices(self, mutant: Mutant, source: Source, folder: pathlib.Path, excused: bool) -> bool:
        """The test that noticed the last mutant of the header comes first; one that is excused meets few."""
        self.write(folder, source, source.replaced(mutant))
        tests = list(self.order[source.path])
        for test in tests[:FEW if excused else None]:
            if self.compile(test, folder) or not reaching.run(
                    [self.program([test], folder), "--gtest_brief=1", "--gtest_fail_fast"], limit=30)[0]:
                self.order[source.path] = [test, *(other for other in tests if other != test)]
                return True
        return False


def object_of(test: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    return folder / f"{test.parent.name}_{test.stem}.o"  # of the tests of several systems some have the same name


def run(given: argparse.Namespace) -> int:
    return trial.run(given, Bench, briefly=False)
