#!/usr/bin/python3
"""What fuzzing alone reaches of the library: every branch of it, from the checked-in seeds and regressions.

    fuzz/reached.py [CAMPAIGN]          replays what is checked in, and the corpora of a campaign
    fuzz/reached.py CAMPAIGN --keep     puts among the seeds what it takes that they do not: few inputs, and small ones

Prints what is open of the library, by place, and how many branches of how many; of the model, how many. The library is
lib/include and lib/src. A branch is one side, true or false, of one condition in the source; it counts as taken where any
instance takes it, while coverage/gate demands each of each instance of the specs. Functions count too, because nothing is
known of the branches in one that no target has compiled. Needs the preset `fuzz-coverage`, built.

Exit: 0 all of it, 1 not, 2 nothing could be measured. Checked by: fuzz/campaign_test.py.
"""
import argparse
import collections
import concurrent.futures
import functools
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[1]
FUZZ = ROOT / "fuzz"
LIBRARY, MODEL = ("lib/include", "lib/src"), ("spec/relation", "spec/*/model.?pp")
REPLAY_SECONDS_MAX = 600
sys.path.insert(0, str(ROOT / "coverage"))
import clang_coverage  # noqa: E402
import cpp_functions  # noqa: E402
import targets as all_targets  # noqa: E402
from clang_coverage import Unusable as Unusable  # noqa: E402

Key = tuple[str, int, int, str]  # path, line, column, what would be open


@functools.cache
def named_functions(path: pathlib.Path) -> list[cpp_functions.Definition]:
    return sorted(cpp_functions.read(path).named, key=lambda one: one.line)


class Reached:
    """The branches and functions in these directories, and which of them were."""

    def __init__(self, tree: clang_coverage.Tree, instances: Iterable[clang_coverage.Instance]) -> None:
        self.tree = tree
        self.runs: collections.Counter[Key] = collections.Counter()  # of any instance
        self.is_function: set[Key] = set()
        bodies: dict[str, list[tuple[int, int]]] = collections.defaultdict(list)
        for instance in instances:
            if instance.body.path not in tree.files:
                continue
            bodies[instance.body.path].append((instance.body.line, instance.calls))
            for span, true, false, _ in instance.branches:
                for runs, side in ((true, "true"), (false, "false")):
                    self.runs[span.path, span.line, span.column, f"{tree.quoted(span)} is never {side}"] += runs
        for path in sorted(path for path in tree.files if path.endswith((".hpp", ".cpp"))):
            named = named_functions(tree.source / path)
            for one, end in zip(named, [*(other.line for other in named[1:]), float("inf")]):
                key = (path, one.line, 0, f"{one.name} never runs")
                self.is_function.add(key)
                self.runs[key] += sum(runs for line, runs in bodies[path] if one.line <= line < max(end, one.line + 1))

    def taken(self) -> set[Key]:
        return {key for key, runs in self.runs.items() if runs}

    def open(self) -> list[str]:
        """What is not reached, each as `path:line: what`."""
        return [f"{path}:{line}: {what}" for (path, line, _, what), runs in sorted(self.runs.items()) if not runs]

    def __str__(self) -> str:
        """How many branches of how many, and functions."""
        def share(keys: set[Key]) -> str:
            return f"{len(keys & self.taken())} of {len(keys)}"
        return f"{share(set(self.runs) - self.is_function)} branches and {share(self.is_function)} functions"


class Targets:
    """The fuzz targets, compiled for coverage, and what inputs take in them."""

    def __init__(self, programs: pathlib.Path) -> None:
        if not any(programs.glob("fuzz_*")):
            raise Unusable(f"{programs} has no fuzz target: cmake --preset fuzz-coverage && cmake --build --preset fuzz-coverage")
        self.programs = programs
        self.tree = clang_coverage.Tree(ROOT, LIBRARY + MODEL)

    def instances(self, name: str, inputs: Sequence[pathlib.Path]) -> list[clang_coverage.Instance]:
        """The functions of the library that are in this target, after these inputs: files, or folders of them."""
        program = self.programs / f"fuzz_{name}"
        with tempfile.TemporaryDirectory() as scratch:
            profile = pathlib.Path(scratch) / "profraw"
            done = subprocess.run([program, "-runs=0", *inputs], env={**os.environ, "LLVM_PROFILE_FILE": str(profile)}, cwd=scratch,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=REPLAY_SECONDS_MAX,
                                  check=False)
            if done.returncode != 0:
                raise Unusable(f"{program.name}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
            # Each by itself: they have functions of equal names, such as the one that takes an input.
            return clang_coverage.read(self.tree, program, profile)

    def reached(self, inputs: Mapping[str, Sequence[pathlib.Path]], *roots: tuple[str, ...]) -> list[Reached]:
        """What {name: inputs} take together, of each tuple of directories."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            instances = [one for all_of in pool.map(lambda name: self.instances(name, inputs[name]), inputs) for one in all_of]
        return [Reached(clang_coverage.Tree(ROOT, root), instances) for root in roots]


def checked_in(name: str, programs: pathlib.Path) -> list[pathlib.Path]:
    regressions = FUZZ / "regressions" / name
    return [*all_targets.seeds(name, programs), *([regressions] if regressions.is_dir() else [])]


def corpus(campaign: pathlib.Path | None, name: str) -> list[pathlib.Path]:
    folder = campaign / "corpus" / name if campaign else None
    return [folder] if folder and folder.is_dir() else []


def taken_by(targets: Targets, name: str, inputs: tuple[pathlib.Path, ...]) -> set[Key]:
    return targets.reached({name: inputs}, LIBRARY)[0].taken()


def kept(targets: Targets, campaign: pathlib.Path) -> Iterator[tuple[str, pathlib.Path]]:
    """Yields (target, input) of the campaign, until they take all that it takes and the seeds do not."""
    seeds, = everything(targets, None, LIBRARY)
    missing = set(seeds.runs) - seeds.taken()
    for name in all_targets.OWN:
        inputs = sorted((path for folder in corpus(campaign, name) for path in folder.iterdir()),
                        key=lambda path: (path.stat().st_size, path))
        taken = functools.cache(functools.partial(taken_by, targets, name))
        while inputs and (goals := missing & taken(tuple(inputs))):
            goal, some = min(goals), inputs
            while len(some) > 1:
                half = some[:len(some) // 2]
                some = half if goal in taken(tuple(half)) else some[len(some) // 2:]
            missing -= taken(tuple(some))
            yield name, some[0]


def everything(targets: Targets, campaign: pathlib.Path | None, *roots: tuple[str, ...]) -> list[Reached]:
    all_targets.unpack(targets.programs.parent / "seeds")  # as the rows are now
    return targets.reached({name: [*checked_in(name, targets.programs), *corpus(campaign, name)] for name in all_targets.OWN}, *roots)


def summary(library: Reached, model: Reached) -> str:
    return f"fuzzing alone: {library} of lib; {model} of the models"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("campaign", type=pathlib.Path, nargs="?", help="its folder: the one that it was given as --corpus")
    parser.add_argument("--keep", action="store_true", help="adds inputs to the seeds")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/fuzz-coverage/bin", help="where the targets are")
    given = parser.parse_args()
    if given.keep and not given.campaign:
        parser.error("--keep: of which campaign?")
    try:
        targets = Targets(given.bin)
        for name, path in kept(targets, given.campaign) if given.keep else []:
            all_targets.keep(name, path.read_bytes())
        library, model = everything(targets, None if given.keep else given.campaign, LIBRARY, MODEL)
    except (Unusable, all_targets.BadRow, OSError, subprocess.SubprocessError) as error:
        print(f"fuzz/reached.py: cannot measure: {error}", file=sys.stderr)
        return 2
    print("\n".join([*library.open(), summary(library, model)]))
    return 1 if library.open() else 0


if __name__ == "__main__":
    sys.exit(main())
