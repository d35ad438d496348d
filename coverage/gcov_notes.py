"""Reads the .gcno and .gcda files of GCC 12: which edges of which function were taken.

gcov itself cannot answer that for every function.  Its JSON output tells the
instances of a template apart only for lines inside the instance's own
[start, end] range; a lambda inside a template ends, for GCC, on the line it
starts on, so the branches of all its instances land in one unnamed list whose
order depends on the translation unit.  A union of such lists by position lets
one instance borrow another one's counts.  The files themselves keep every
function apart, and this module reads just enough of them.

It is not trusted on its own word: branch_gate compares the branches found here
with gcov's for every translation unit of every run, and stops if they differ.
"""

import dataclasses
import pathlib
import struct
from collections.abc import Iterator

VERSION = 0x4232322A  # "B22*": GCC 12
NOTES_MAGIC, DATA_MAGIC = 0x67636E6F, 0x67636461
TAG_FUNCTION, TAG_BLOCKS, TAG_ARCS, TAG_LINES = 0x01000000, 0x01410000, 0x01430000, 0x01450000
TAG_COUNTERS = 0x01A10000
ON_TREE, FAKE, FALL_THROUGH = 1, 2, 4
ENTRY, EXIT = 0, 1


class FormatError(Exception):
    """The file is not what GCC 12 writes, or data and notes are not of one build."""


@dataclasses.dataclass
class Arc:
    source: int
    target: int
    flags: int
    throw: bool = False
    count: int | None = None


@dataclasses.dataclass
class Function:
    name: str
    artificial: bool
    path: str
    line: int
    column: int
    checksums: tuple[int, ...]
    blocks: int = 0
    arcs: list[Arc] = dataclasses.field(default_factory=list)
    lines: dict[int, list[tuple[str, int]]] = dataclasses.field(default_factory=dict)  # by block, its paths and lines
    counters: list[int] | None = None

    @property
    def flow_checksum(self) -> int:
        """Equal for copies with one flow graph.  The other checksum is of no use across
        translation units: the spelling of the file's path goes into it."""
        return self.checksums[1]

    def solve(self) -> None:
        """Fills in the arcs the compiler left out because flow conservation gives them."""
        self.arcs.sort(key=lambda arc: arc.source)
        measured = [arc for arc in self.arcs if not arc.flags & ON_TREE]
        counters = self.counters or [0] * len(measured)
        if len(counters) != len(measured):
            raise FormatError(f"{self.name}: {len(counters)} counters for {len(measured)} arcs")
        for arc, count in zip(measured, counters):
            arc.count = count
        at_block: dict[int, list[Arc]] = {block: [] for block in range(self.blocks)}
        for arc in self.arcs:
            at_block[arc.source].append(arc)
            at_block[arc.target].append(arc)
        # Entry and exit are the root of the spanning tree, so its leaves are elsewhere.
        waiting = list(range(2, self.blocks))
        while waiting:
            block = waiting.pop()
            unknown = [arc for arc in at_block[block] if arc.count is None]
            if len(unknown) != 1:
                continue
            arc = unknown[0]
            inflow = sum(a.count or 0 for a in at_block[block] if a.target == block)
            outflow = sum(a.count or 0 for a in at_block[block] if a.source == block)
            arc.count = abs(inflow - outflow)
            waiting += {arc.source, arc.target} - {ENTRY, EXIT}
        if any(arc.count is None for arc in self.arcs):
            raise FormatError(f"{self.name}: flow graph cannot be solved")

    def calls(self) -> int:
        return sum(arc.count or 0 for arc in self.arcs if arc.source == ENTRY)

    def block_count(self, block: int) -> int:
        return sum(arc.count or 0 for arc in self.arcs if arc.source == block)

    def branches(self) -> dict[int, list[Arc]]:
        """{block: its conditional edges}; an edge that is its block's only way on is none."""
        ways: dict[int, list[Arc]] = {}
        for arc in self.arcs:
            if arc.source not in (ENTRY, EXIT) and not arc.flags & FAKE:
                ways.setdefault(arc.source, []).append(arc)
        return {block: sorted(arcs, key=lambda arc: arc.target)
                for block, arcs in ways.items() if len(arcs) > 1}

    def unexceptional_blocks(self) -> set[int]:
        """The blocks control can reach without an exception being in flight."""
        reached, waiting = set(), [ENTRY]
        while waiting:
            block = waiting.pop()
            if block not in reached:
                reached.add(block)
                waiting += [arc.target for arc in self.arcs
                            if arc.source == block and not arc.throw and not arc.flags & FAKE]
        return reached


class _Stream:
    def __init__(self, path: pathlib.Path, magic: int) -> None:
        with open(path, "rb") as file:
            self.data = file.read()
        self.path, self.at = path, 0
        found, version, self.stamp, _checksum = (self.word() for _ in range(4))
        if found != magic or version != VERSION:
            raise FormatError(f"{path}: not a coverage file of GCC 12")

    def word(self) -> int:
        value: int
        (value,) = struct.unpack_from("<I", self.data, self.at)
        self.at += 4
        return value

    def string(self) -> str:
        length = self.word()
        self.at += length
        return self.data[self.at - length:self.at].rstrip(b"\0").decode()

    def records(self) -> Iterator[tuple[int, int]]:
        """Yields (tag, length) with the position at the record's content."""
        while self.at + 8 <= len(self.data):
            tag, length = self.word(), self.word()
            if tag == 0:
                return
            # A run of zero counters is stored as a negative length and no content.
            if length >= 1 << 31:
                length -= 1 << 32
            start = self.at
            yield tag, length
            self.at = start + max(length, 0)


def _read_arcs(stream: _Stream, length: int, function: Function) -> None:
    source = stream.word()
    arcs = [Arc(source, stream.word(), stream.word()) for _ in range((length - 4) // 8)]
    # A fake edge out of a block means a call that may not return; what else
    # leaves the block, and is not the way on, then leads to an exception handler.
    if source != ENTRY and any(arc.flags & FAKE for arc in arcs):
        for arc in arcs:
            arc.throw = not arc.flags & (FAKE | FALL_THROUGH)
    function.arcs += arcs


def _read_lines(stream: _Stream, function: Function) -> None:
    places = function.lines.setdefault(stream.word(), [])
    path = ""
    while True:
        line = stream.word()
        if line:
            places.append((path, line))
            continue
        path = stream.string()
        if not path:
            return


def _read_function(stream: _Stream) -> tuple[int, Function]:
    ident, *checksums = stream.word(), stream.word(), stream.word()
    name, artificial, path = stream.string(), bool(stream.word()), stream.string()
    line, column = stream.word(), stream.word()
    return ident, Function(name, artificial, path, line, column, tuple(checksums))


def _read_notes(path: pathlib.Path) -> tuple[int, str, dict[int, Function]]:
    stream = _Stream(path, NOTES_MAGIC)
    directory = stream.string()
    stream.word()  # whether unexecuted blocks are marked: of no use here
    functions: dict[int, Function] = {}
    function: Function | None = None
    for tag, length in stream.records():
        if tag == TAG_FUNCTION:
            ident, function = _read_function(stream)
            functions[ident] = function
        elif function is None:
            continue
        elif tag == TAG_BLOCKS:
            function.blocks = stream.word()
        elif tag == TAG_ARCS:
            _read_arcs(stream, length, function)
        elif tag == TAG_LINES:
            _read_lines(stream, function)
    return stream.stamp, directory, functions


def _read_counters(path: pathlib.Path, stamp: int, functions: dict[int, Function]) -> None:
    stream = _Stream(path, DATA_MAGIC)
    if stream.stamp != stamp:
        raise FormatError(f"{path}: stale: its notes file is of another build")
    function = None
    for tag, length in stream.records():
        if tag == TAG_FUNCTION:
            function = functions.get(stream.word()) if length else None
            if function and function.checksums != (stream.word(), stream.word()):
                raise FormatError(f"{path}: stale: {function.name} has changed since")
        elif tag == TAG_COUNTERS and function:
            number = abs(length) // 8
            values = struct.unpack_from(f"<{number}q", stream.data, stream.at) if length > 0 else [0] * number
            function.counters = list(values)


def read(notes_path: pathlib.Path, data_path: pathlib.Path | None) -> tuple[str, list[Function]]:
    """(directory of compilation, functions with unsolved arcs); data_path None: never ran."""
    try:
        stamp, directory, functions = _read_notes(notes_path)
        if data_path:
            _read_counters(data_path, stamp, functions)
    except (struct.error, UnicodeDecodeError, AttributeError, KeyError) as error:
        raise FormatError(f"{notes_path}: cannot be read: {error}") from error
    return directory, list(functions.values())
