"""Reads what clang-19 measures: of each function instance in some directories, its regions, branches and decisions.

It reads functions[] of `llvm-cov export`: the totals by file add instances up. `-fcoverage-mcdc` adds the decisions.

Used by: coverage_gate, whose test covers it; fuzz/reached.py.
"""
import dataclasses
import fnmatch
import json
import os
import pathlib
import re
import subprocess
from collections.abc import Iterable, Sequence
from typing import Any

LLVM = "19"
CODE, EXPANSION, SKIPPED, BRANCH, MCDC_BRANCH = 0, 1, 2, 4, 6  # kinds of regions, as llvm-cov numbers them

Json = dict[str, Any]


class Unusable(Exception):
    """There is no measurement to judge."""


class Tree:
    """The measured directories and files, and the one spelling of paths used everywhere else."""

    def __init__(self, source: pathlib.Path, roots: Iterable[str], tests: str | None = None) -> None:
        """roots: patterns below the source; tests: the names of files in them that are not measured."""
        self.source = pathlib.Path(os.path.realpath(source))
        self.tests = tests
        self.roots = {pattern: [path.relative_to(self.source) for path in sorted(self.source.glob(os.path.normpath(pattern)))]
                      for pattern in roots}
        self._known: dict[str, str | None] = {}
        self._lines: dict[str, list[str]] = {}
        for pattern, paths in self.roots.items():
            if not paths:
                raise Unusable(f"no such directory or file: {self.source / pattern}")

    def is_in(self, pattern: str, path: str | pathlib.PurePath) -> bool:
        return any(pathlib.PurePath(path).is_relative_to(root) for root in self.roots[pattern])

    def is_test(self, path: pathlib.PurePath) -> bool:
        return self.tests is not None and fnmatch.fnmatch(path.name, self.tests)

    def relative(self, path: str) -> str | None:
        """Path below the source directory if it is measured, else None."""
        if path not in self._known:
            real = pathlib.PurePath(os.path.realpath(path))
            below = real.relative_to(self.source) if real.is_relative_to(self.source) else None
            inside = below is not None and any(self.is_in(pattern, below) for pattern in self.roots) and not self.is_test(below)
            self._known[path] = str(below) if inside else None
        return self._known[path]

    def files(self, suffixes: set[str]) -> list[str]:
        found = {path for roots in self.roots.values() for root in roots
                 for path in [self.source / root, *(self.source / root).rglob("*")]
                 if path.suffix in suffixes and path.is_file() and not self.is_test(path)}
        return sorted(str(path.relative_to(self.source)) for path in found)

    def lines(self, path: str) -> list[str]:
        if path not in self._lines:
            file = self.source / path
            self._lines[path] = file.read_text(errors="replace").splitlines() if file.is_file() else []
        return self._lines[path]

    def around(self, path: str, line: int, column: int) -> tuple[str, str]:
        """The text before and after a place, up to the ends of the neighbouring lines; clang
        counts columns in bytes."""
        lines = self.lines(path)
        here = lines[line - 1].encode() if line <= len(lines) else b""
        before, after = here[:column - 1].decode(errors="replace"), here[column - 1:].decode(errors="replace")
        return "\n".join([*lines[:line - 1][-1:], before]), "\n".join([after, *lines[line:line + 1]])

    def quoted(self, span: "Span") -> str:
        """A stretch of source as one short line."""
        lines = [line.encode() for line in self.lines(span.path)[span.line - 1:span.end_line]]
        if not lines:
            return "?"
        lines[-1] = lines[-1][:span.end_column - 1]
        lines[0] = lines[0][span.column - 1:]
        text = " ".join(b" ".join(lines).decode(errors="replace").split())
        return f"`{text if len(text) <= 60 else text[:57] + '...'}`"


# --- llvm-cov ----------------------------------------------------------------------------


def run(*command: str | pathlib.Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False, input=text)
    if done.returncode:
        raise Unusable(f"{command[0]} failed: {done.stderr.strip()}")
    return done


def check_sources_older(tree: Tree, programs: list[pathlib.Path], paths: set[str]) -> None:
    built = min(program.stat().st_mtime_ns for program in programs)
    for path in sorted(paths):
        if (tree.source / path).stat().st_mtime_ns > built:
            raise Unusable(f"stale: {path} has changed since the program was built")


def indexed(profile: pathlib.Path, scratch: pathlib.Path) -> pathlib.Path:
    """The profile of a run as llvm-cov reads it."""
    data = scratch / "profdata"
    run(f"llvm-profdata-{LLVM}", "merge", "--failure-mode=any", profile, "-o", data)
    return data


def functions_of(program: pathlib.Path, data: pathlib.Path) -> list[Json]:
    done = run(f"llvm-cov-{LLVM}", "export", f"--instr-profile={data}", "--skip-expansions", program)
    if "mismatched data" in done.stderr:
        raise Unusable(f"stale: profile and program are of different builds: {done.stderr.strip()}")
    functions: list[Json] = json.loads(done.stdout)["data"][0]["functions"]
    return functions


def tracefile_of(program: pathlib.Path, data: pathlib.Path) -> str:
    """The same for lcov, which takes no relative path."""
    text = run(f"llvm-cov-{LLVM}", "export", "--format=lcov", f"--instr-profile={data}", program).stdout
    return re.sub(r"^SF:(.*)$", lambda match: f"SF:{os.path.realpath(match[1])}", text, flags=re.MULTILINE)


def demangled(names: set[str]) -> dict[str, str]:
    """Without what clang adds to the names of what is local to a translation unit."""
    mangled = sorted(names)
    plain = (name.rpartition(":")[2].removesuffix(unit_of(name)) for name in mangled)
    return dict(zip(mangled, run(f"llvm-cxxfilt-{LLVM}", text="\n".join(plain)).stdout.splitlines()))


def unit_of(mangled: str) -> str:
    """What -funique-internal-linkage-names adds, for the translation unit; nothing where several have one function."""
    added = re.search(r"\.__uniq\.\d+$", mangled)
    return added[0] if added else ""


# --- instances ---------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, order=True)
class Span:
    """A stretch of source in a root."""
    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    def begin(self) -> tuple[int, int]:
        return self.line, self.column

    def contains(self, other: "Span") -> bool:
        return (self.path == other.path and self.begin() <= other.begin()
                and (other.end_line, other.end_column) <= (self.end_line, self.end_column))

    def holds(self, place: tuple[int, int]) -> bool:
        return self.begin() <= place < (self.end_line, self.end_column)


Layout = tuple[str, tuple[Span, ...], tuple[Span, ...], tuple[tuple[Span, int], ...]]


class Places:
    """Where the regions of one function are.  What a macro expands to has a file of its own
    and is booked on the place that uses the macro."""

    def __init__(self, tree: Tree, function: Json) -> None:
        self.paths = [tree.relative(path) for path in function["filenames"]]
        self.used_at = {region[6]: region for region in function["regions"] if region[7] == EXPANSION}

    def span(self, numbers: Sequence[Any], file: int) -> Span | None:
        while file in self.used_at:
            numbers, file = self.used_at[file], self.used_at[file][5]
        path = self.paths[file]
        return Span(path, *numbers[:4]) if path else None

    def decision_span(self, numbers: Sequence[Any], branches: list[list[int]]) -> Span | None:
        """llvm-cov does not say in which file a decision is, but its conditions are inside."""
        for file in [*sorted({branch[6] for branch in branches if branch[8] == MCDC_BRANCH}), 0]:
            span = Span(str(file), *numbers[:4])
            if any(branch[6] == file and span.contains(Span(str(file), *branch[:4])) for branch in branches):
                return self.span(numbers, file)
        return self.span(numbers, 0)


class Decision:
    """A decision of several conditions, and for each of them whether it decided alone."""

    def __init__(self, span: Span, shown: list[bool]) -> None:
        self.span, self.shown = span, shown
        self.conditions: list[Span] = []  # their spans in order, as far as known
        self.constants = 0  # how many have no branch because they are constant

    def add(self, other: "Decision") -> None:
        self.shown = [one or two for one, two in zip(self.shown, other.shown)]

    def total(self) -> int:
        return len(self.shown) - self.constants

    def missing(self) -> int:
        return self.total() - sum(self.shown)


class Instance:
    """One function with one layout of regions: the sum of its copies."""

    def __init__(self, function: Json, name: str, places: Places) -> None:
        self.name, self.unit = name, unit_of(function["name"])
        self.calls = function["count"]
        branches = function["branches"]
        # Where, and how often it ran; of a branch, how often it was true and false, and its kind.
        self.regions: list[tuple[Span, int]] = [(span, r[4]) for r in function["regions"]
                                                if r[7] == CODE and (span := places.span(r, r[5]))]
        self.branches: list[tuple[Span, int, int, int]] = [(span, b[4], b[5], b[8]) for b in branches if (span := places.span(b, b[6]))]
        self.decisions = [Decision(span, list(m[6])) for m in function["mcdc_records"] if (span := places.decision_span(m, branches))]
        self.skipped = [span for r in function["regions"] if r[7] == SKIPPED and (span := places.span(r, r[5]))]
        self.body = self.regions[0][0]
        self.assign_conditions(sum(1 for branch in branches if branch[8] == MCDC_BRANCH))

    def assign_conditions(self, expected: int) -> None:
        """A condition without a branch is constant, unless macros keep us from finding the branch."""
        found = 0
        for span, _, _, kind in self.branches:
            for decision in self.decisions:
                if kind == MCDC_BRANCH and decision.span.contains(span):
                    decision.conditions.append(span)
                    found += 1
        for decision in self.decisions:
            if found == expected:
                decision.constants = max(0, len(decision.shown) - len(decision.conditions))

    def layout(self) -> Layout:
        """Equal for copies of one function only."""
        return (self.unit, tuple(span for span, _ in self.regions), tuple(branch[0] for branch in self.branches),
                tuple((decision.span, len(decision.shown)) for decision in self.decisions))

    def add(self, other: "Instance") -> None:
        self.calls += other.calls
        self.regions = [(span, ran + more) for (span, ran), (_, more) in zip(self.regions, other.regions)]
        self.branches = [(span, true + more_true, false + more_false, kind) for (span, true, false, kind), (_, more_true, more_false, _)
                         in zip(self.branches, other.branches)]
        for mine, theirs in zip(self.decisions, other.decisions):
            mine.add(theirs)

    def forget_inside(self) -> None:
        self.regions, self.branches, self.decisions = [], [], []

    def sides(self) -> tuple[int, int]:
        """How many sides its branches have, and how many of them were taken."""
        counts = [side for _, *both, _ in self.branches for side in both]
        return len(counts), sum(1 for count in counts if count)


def read_instances(tree: Tree, functions: list[Json]) -> list[Instance]:
    """Those with their body in a root."""
    inside = []
    for function in functions:
        places = Places(tree, function)
        if any(places.paths) and places.span(function["regions"][0], function["regions"][0][5]):
            inside.append((function, places))
    names = demangled({function["name"] for function, _ in inside})
    instances = [Instance(function, names[function["name"]], places) for function, places in inside]
    for instance in instances:
        if is_defaulted(tree, instance):
            instance.forget_inside()
    return instances


def is_defaulted(tree: Tree, instance: Instance) -> bool:
    """Clang takes the last letter of `= default` for the body, and mixes up the counters inside."""
    body = instance.body
    before, _ = tree.around(body.path, body.end_line, body.end_column)
    return re.search(r"=\s*default\Z", before) is not None


def merge(instances: list[Instance]) -> list[Instance]:
    """Copies of one function as one instance.

    The name is the readable one, as constructors and destructors are compiled several times.
    A function local to a translation unit, in a header or because an argument of its template
    is local, is another one in each unit; one that its unit does not use has none of the inner
    regions, and is left out if another one ran.
    """
    functions: dict[tuple[Span, str], dict[Layout, Instance]] = {}
    for instance in instances:
        copies = functions.setdefault((instance.body, instance.name), {})
        if instance.layout() in copies:
            copies[instance.layout()].add(instance)
        else:
            copies[instance.layout()] = instance
    return [one for copies in functions.values() for one in without_unused(list(copies.values()))]


def without_unused(copies: list[Instance]) -> list[Instance]:
    live = [copy for copy in copies if copy.calls]
    if not live:
        return copies[:1]
    known = {span for copy in live for span, _ in copy.regions}
    return live + [copy for copy in copies if not copy.calls and not {span for span, _ in copy.regions} <= known]
