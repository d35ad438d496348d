"""Reads what clang-19 measured of some files: the regions, branches and decisions of each function instance.

One `llvm-cov export` has all. Its totals by file add instances up, so only its list of functions is read.

Used by: coverage_gate, whose test covers it; fuzz/reached.py.
"""
import dataclasses
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from typing import Any

LLVM = "19"
CODE, EXPANSION, SKIPPED, BRANCH, MCDC_BRANCH = 0, 1, 2, 4, 6  # kinds of regions, as llvm-cov numbers them


class Unusable(Exception):
    """There is no measurement to judge."""


@dataclasses.dataclass(frozen=True, order=True)
class Span:
    """A stretch of source in a measured file."""
    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    def contains(self, other: "Span") -> bool:
        return (self.path == other.path and (self.line, self.column) <= (other.line, other.column)
                and (other.end_line, other.end_column) <= (self.end_line, self.end_column))


class Tree:
    """The measured files, and the one spelling of paths that is used everywhere else: below the source directory."""

    def __init__(self, source: pathlib.Path, roots: Iterable[str], tests: str = "") -> None:
        """roots: patterns of directories and files; tests: the names of files in them that are not measured."""
        self.source = pathlib.Path(os.path.realpath(source))
        self.files: set[str] = set()
        for root in roots:
            found = [path for top in self.source.glob(os.path.normpath(root)) for path in [top, *top.rglob("*")] if path.is_file()]
            self.files |= {str(path.relative_to(self.source)) for path in found if not fnmatch.fnmatch(path.name, tests)}
            if not found:
                raise Unusable(f"no file to measure: {self.source / root}")
        self._known: dict[str, str | None] = {}
        self._lines: dict[str, list[str]] = {}

    def measured(self, path: str) -> str | None:
        if path not in self._known:
            below = os.path.relpath(os.path.realpath(path), self.source)
            self._known[path] = below if below in self.files else None
        return self._known[path]

    def lines(self, path: str) -> list[str]:
        """In latin-1, one character for each byte, because clang counts columns in bytes."""
        if path not in self._lines:
            self._lines[path] = (self.source / path).read_text(encoding="latin-1").splitlines()
        return self._lines[path]

    def text(self, span: Span) -> str:
        lines = self.lines(span.path)[span.line - 1:span.end_line]
        lines[-1] = lines[-1][:span.end_column - 1]
        lines[0] = lines[0][span.column - 1:]
        return "\n".join(lines)

    def quoted(self, span: Span) -> str:
        text = " ".join(self.text(span).split())
        return f"`{text if len(text) <= 60 else text[:57] + '...'}`"


@dataclasses.dataclass
class Decision:
    """A decision that has several conditions."""
    span: Span
    shown: list[bool]  # of each condition, whether it was shown to decide alone
    conditions: list[Span]  # in order, without the constant ones
    total: int  # without the constant ones


@dataclasses.dataclass
class Instance:
    """One function; of a template, one instance."""
    name: str  # demangled
    calls: int
    body: Span
    is_defaulted: bool
    skipped: list[Span]  # arms of `if constexpr` that it does not select
    regions: list[tuple[Span, int]]  # how often each ran; an outer region comes before those inside
    branches: list[tuple[Span, int, int, int]]  # how often each was true and false, and its kind
    decisions: list[Decision]


def run(*command: str | pathlib.Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False, input=text)
    if done.returncode:
        raise Unusable(f"{command[0]} failed: {done.stderr.strip()}")
    return done


def read(tree: Tree, program: pathlib.Path, profile: pathlib.Path, compiled_in: str = "") -> list[Instance]:
    """The functions of a program with their bodies in a measured file. profile: what a run of the program wrote; compiled_in: the
    base of paths in the program, where the program does not tell it."""
    built = program.stat().st_mtime_ns
    if not profile.exists():
        raise Unusable(f"{profile}: no test has run")
    if profile.stat().st_mtime_ns < built:
        raise Unusable(f"{profile}: stale: older than {program}; run the tests again")
    with tempfile.TemporaryDirectory() as scratch:
        data = pathlib.Path(scratch) / "profdata"
        run(f"llvm-profdata-{LLVM}", "merge", "--failure-mode=any", profile, "-o", data)
        done = run(f"llvm-cov-{LLVM}", "export", "--skip-expansions", f"--compilation-dir={compiled_in}",
                   f"--instr-profile={data}", program)
    if "mismatched data" in done.stderr:
        raise Unusable(f"stale: profile and program are of different builds: {done.stderr.strip()}")
    functions = json.loads(done.stdout)["data"][0]["functions"]
    for path in sorted({path for function in functions for name in function["filenames"] if (path := tree.measured(name))}):
        if (tree.source / path).stat().st_mtime_ns > built:
            raise Unusable(f"stale: {path} has changed since the program was built")
    instances = [one for function in functions if (one := instance_of(tree, function))]
    # To names of what is local to a translation unit clang adds the file, and -funique-internal-linkage-names the unit.
    plain = (re.sub(r"^.*:|\.__uniq\.\d+$", "", one.name) for one in instances)
    for one, name in zip(instances, run(f"llvm-cxxfilt-{LLVM}", text="\n".join(plain)).stdout.splitlines()):
        one.name = name
    return without_unused(instances)


def instance_of(tree: Tree, function: dict[str, Any]) -> Instance | None:
    """None if its body is in no measured file. What a macro expands to has a file of its own here; it is booked on the place that
    uses the macro."""
    paths = [tree.measured(path) for path in function["filenames"]]
    uses = {region[6]: region for region in function["regions"] if region[7] == EXPANSION}

    def spans(numbers: Sequence[Any], file: int) -> list[Span]:  # one, or none outside of the measured files
        while file in uses:
            numbers, file = uses[file], uses[file][5]
        return [Span(path, *numbers[:4])] if (path := paths[file]) else []

    def regions(kind: int) -> list[tuple[Span, int]]:
        return [(span, region[4]) for region in function["regions"] if region[7] == kind for span in spans(region, region[5])]

    bodies = spans(function["regions"][0], function["regions"][0][5])
    if not bodies:
        return None
    body = bodies[0]
    instance = Instance(function["name"], function["count"], body, False, [span for span, _ in regions(SKIPPED)], [], [], [])
    # Clang takes the last letter of `= default` for the body, and mixes up the counters inside.
    if tree.text(Span(body.path, body.end_line, 1, body.end_line, body.end_column)).endswith("= default"):
        instance.is_defaulted = True
        return instance
    instance.regions = regions(CODE)
    instance.branches = [(span, b[4], b[5], b[8]) for b in function["branches"] for span in spans(b, b[6])]
    of_decisions = sorted((b for b in function["branches"] if b[8] == MCDC_BRANCH), key=lambda b: b[6])
    for record in function["mcdc_records"]:
        # llvm-cov does not say in which file a decision is, but its conditions are inside.
        file = next((b[6] for b in of_decisions if Span("", *record[:4]).contains(Span("", *b[:4]))), 0)
        for span in spans(record, file):
            inside = [condition for condition, *_, kind in instance.branches if kind == MCDC_BRANCH and span.contains(condition)]
            instance.decisions.append(Decision(span, record[6], inside, len(record[6])))
    # A condition without a branch is constant, unless macros hide to which decision a branch belongs.
    if sum(len(decision.conditions) for decision in instance.decisions) == len(of_decisions):
        for decision in instance.decisions:
            decision.total = len(decision.conditions)
    return instance


def without_unused(instances: list[Instance]) -> list[Instance]:
    """A function local to a translation unit, in a header or because an argument of its template is local, is another one in each
    unit. One that never ran is left out if another one did and has all its regions: its unit does not use it."""
    known: dict[tuple[Span, str], set[Span]] = {}
    for one in instances:
        if one.calls:
            known.setdefault((one.body, one.name), set()).update(span for span, _ in one.regions)
    return [one for one in instances if one.calls or (one.body, one.name) not in known
            or not {span for span, _ in one.regions} <= known[one.body, one.name]]
