"""Where sources name the requirements that they meet: in the comment above a function or type, inside, or behind a member.

A requirement is written out (AWS-BA-003), or by the end of its name where that is plain (09_023), or as a range
(AWS-PS-013 to AWS-PS-015).

Used by: trace_gate. Checked by: trace_gate_test.py.
"""
import pathlib
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import cpp_functions

NAME = r"[A-Z0-9]+(?:[-_][A-Z0-9]+)+"
NAMED = re.compile(rf"\b({NAME})\b(?: to ({NAME})\b)?")
COMMENT = re.compile(r"\s*//(.*)")
TYPE = re.compile(r"\b(?:struct|class|enum(?: class)?|concept|using|union)\s+(\w+)")
SUFFIXES = (".hpp", ".h", ".cpp")
DECLARATION_LINES_MAX = 8


class Place(NamedTuple):
    path: str
    line: int  # of the function's name, where it is one
    name: str


class Names:
    """Which requirements a text names."""

    def __init__(self, known: list[str]) -> None:
        self.by_spelling = {}
        for requirement in known:
            self.by_spelling[requirement] = requirement
            self.by_spelling[re.sub(r"^.*_(\d+_\d+)$", r"\1", requirement)] = requirement
        self.prefixes = {self.split(spelling)[0] for spelling in self.by_spelling}

    @staticmethod
    def split(spelling: str) -> tuple[str, int]:
        """What stands before the number, and the number."""
        prefix = spelling.rstrip("0123456789")
        return prefix, int(spelling[len(prefix):] or 0)

    def named(self, text: str) -> Iterator[tuple[str, str]]:
        """(requirement, "") or ("", what looks like one)."""
        for first, last in NAMED.findall(text):
            if self.split(first)[0] not in self.prefixes:
                continue
            prefix, low = self.split(first)
            high = self.split(last)[1] if last and self.split(last)[0] == prefix else low
            within = [requirement for spelling, requirement in self.by_spelling.items()
                      if self.split(spelling)[0] == prefix and low <= self.split(spelling)[1] <= high]
            for end in (first, last):
                if end and end not in self.by_spelling:
                    yield "", end
            for requirement in within:
                yield requirement, ""


def comments(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """(first line, last line, text) of each block of comment lines, or of one behind code; lines count from 1."""
    first = 0  # of the block's lines; 0 outside of blocks
    words: list[str] = []
    for number, line in enumerate([*lines, ""], 1):
        whole = COMMENT.fullmatch(line)
        if whole:
            first = first or number
            words.append(whole[1])
            continue
        if words:
            yield first, number - 1, " ".join(words)
            first, words = 0, []
        behind = line.find("// ")
        if behind >= 0:
            yield number, number, line[behind:]


def place_of(path: str, lines: list[str], functions: list[cpp_functions.Definition], begin: int, end: int) -> Place:
    """What the comment is about: what is declared next, or what it stands in."""
    def line(number: int) -> str:
        return lines[number - 1]

    is_behind = not COMMENT.fullmatch(line(begin))
    declared = [begin] if is_behind else []
    for number in range(end + 1, len(lines) + 1) if not is_behind else ():
        if not line(number).strip() or len(declared) == DECLARATION_LINES_MAX:
            break
        if not re.fullmatch(r"\s*(template\b.*>|requires\b.*)", line(number)):
            declared.append(number)
    for number in declared[:1]:
        if found := TYPE.search(re.sub(r"^\s*template\b.*?>", "", line(number))):
            return Place(path, number, found[1])
    for function in functions:
        if function.line in declared or function.line < begin <= function.end:
            return Place(path, function.line, function.name)
    at = declared[0] if declared else end
    code = line(at).partition("//")[0].strip(" ,;")
    return Place(path, at, code if code and code[0] != "#" else "(the file)")


def last_line(source: cpp_functions.Source, place: Place) -> int:
    """Of what the place names: of a function, where it ends; of a type or a constant, of its last brace or semicolon."""
    for function in source.named:
        if function.line == place.line:
            return function.end
    depth = 0
    for number, line in enumerate(source.code.splitlines()[place.line - 1:], place.line):
        depth += sum(line.count(bracket) for bracket in "({") - sum(line.count(bracket) for bracket in ")}")
        if depth <= 0 and re.search(r"[;}]", line):
            return number
    return place.line


def places(folders: Iterable[pathlib.Path], known: list[str], source: pathlib.Path) -> tuple[dict[str, list[Place]],
           list[tuple[str, int, str]]]:
    """requirement -> [Place], and what is named and no requirement: [(path, line, name)]."""
    names = Names(known)
    found: dict[str, list[Place]] = {}
    unknown: list[tuple[str, int, str]] = []
    for file in sorted(file for folder in folders for file in folder.rglob("*") if file.suffix in SUFFIXES):
        path, lines = file.relative_to(source).as_posix(), file.read_text().splitlines()
        functions = None
        for begin, end, text in comments(lines):
            for requirement, stranger in names.named(text):
                if stranger:
                    unknown.append((path, begin, stranger))
                    continue
                functions = functions if functions is not None else cpp_functions.read(file).named
                place = place_of(path, lines, functions, begin, end)
                if place not in found.setdefault(requirement, []):
                    found[requirement].append(place)
    return found, unknown
