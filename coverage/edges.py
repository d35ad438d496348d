"""Which edges between its basic blocks a program did not take: what coverage/edges.cpp wrote when it ended.

Clang's coverage counts statements and conditions of the sources, and derives some counts from others. It knows no exception
edges, no constructors that the compiler makes up, and takes what follows a call that threw for executed. The edges of
    -fsanitize-coverage=edge,no-prune,inline-bool-flag,pc-table,control-flow
are those of the machine code at -O0, each with a flag of its own.

Used by: coverage_gate, whose test covers it.
"""
import array
import collections
import dataclasses
import json
import pathlib
from collections.abc import Iterator, Sequence

import clang_coverage
from clang_coverage import Json, Unusable

MADE_UP = ("__cxx_global_var_init", "_GLOBAL__")  # they run once: no test could make them take another way


@dataclasses.dataclass(frozen=True)
class Untaken:
    path: str
    line: int
    column: int
    function: str  # demangled
    number: int
    total: int  # of the function's edges


@dataclasses.dataclass
class Function:
    """One copy of a function in the program."""
    edges: list[int]  # their addresses; the first one enters it
    taken: list[bool]


def file_of(profile: pathlib.Path) -> pathlib.Path:
    return profile.with_name(profile.name + ".edges")


def untaken(tree: clang_coverage.Tree, program: pathlib.Path, profile: pathlib.Path) -> list[Untaken]:
    """Of the functions in the roots that ran. An edge after which the program can only end is none: it leads from an exception to
    the noexcept that it meets."""
    functions, graph, end = _read(file_of(profile))
    run = [function for function in functions if function.taken[0]]
    places = _symbolized(program, sorted({function.edges[0] for function in run}))
    names = clang_coverage.demangled({place["FunctionName"] for place in places.values()})
    copies: dict[tuple[str, int, str, int, str], Function] = {}
    for function in run:
        place = places[function.edges[0]]
        path = tree.relative(place["FileName"])
        if path and not place["FunctionName"].startswith(MADE_UP):
            key = path, place["Line"], names[place["FunctionName"]], len(function.edges), clang_coverage.unit_of(place["FunctionName"])
            same = copies.setdefault(key, function)
            same.taken = [one or other for one, other in zip(same.taken, function.taken)]
    doomed = _only_leading_to(end, graph)
    missing = [(key, number) for key, function in copies.items()
               for number, (edge, taken) in enumerate(zip(function.edges, function.taken)) if not taken and edge not in doomed]
    lines = _symbolized(program, sorted({copies[key].edges[number] for key, number in missing}))
    found = ((key, number, lines[copies[key].edges[number]]) for key, number in missing)
    return [Untaken(key[0], place["Line"] or key[1], place["Column"], key[2], number + 1, key[3]) for key, number, place in found]


def _read(file: pathlib.Path) -> tuple[list[Function], Sequence[int], int]:
    """The functions, the graph and the address of the function that ends the program."""
    words = array.array("Q")
    size = file.stat().st_size // words.itemsize
    with file.open("rb") as stream:
        words.fromfile(stream, size)
    edges, graph, end = words[:3] if size >= 3 else (0, 0, 0)
    process = 3 + 3 * edges + graph  # the size of what each writes
    if edges == 0 or size % process or any(words[at:at + 3] != words[:3] for at in range(0, size, process)):
        raise Unusable(f"{file}: has not the edges of a whole program")
    functions: list[Function] = []
    for at in range(3, 3 + 3 * edges, 3):
        address, enters, _ = words[at:at + 3]
        if enters:
            functions.append(Function([], []))
        functions[-1].edges.append(address)
        functions[-1].taken.append(any(words[at + 2::process]))
    return functions, words[3 + 3 * edges:process], end


def _blocks(graph: Sequence[int]) -> Iterator[tuple[int, Sequence[int], Sequence[int]]]:
    """(address, successors, functions called) of each block; zeros end the lists."""
    at = 0
    while at < len(graph):
        after_successors = graph.index(0, at + 1)
        after_calls = graph.index(0, after_successors + 1)
        yield graph[at], graph[at + 1:after_successors], graph[after_successors + 1:after_calls]
        at = after_calls + 1


def _only_leading_to(end: int, graph: Sequence[int]) -> set[int]:
    """The blocks that call that function, and those from which every way leads to one."""
    ways: dict[int, set[int]] = {}
    before: dict[int, list[int]] = collections.defaultdict(list)
    waiting = []
    for block, successors, calls in _blocks(graph):
        ways[block] = set(successors)
        for successor in successors:
            before[successor].append(block)
        if end in calls:
            waiting.append(block)
    doomed: set[int] = set()
    while waiting:
        block = waiting.pop()
        if block not in doomed:
            doomed.add(block)
            waiting += [earlier for earlier in before[block] if ways[earlier] <= doomed]
    return doomed


def _symbolized(program: pathlib.Path, addresses: list[int]) -> dict[int, Json]:
    if not addresses:
        return {}
    done = clang_coverage.run(f"llvm-symbolizer-{clang_coverage.LLVM}", f"--obj={program}", "--no-demangle", "--output-style=JSON",
                              text="\n".join(map(hex, addresses)))
    return {int(found["Address"], 16): found["Symbol"][-1] for found in map(json.loads, done.stdout.splitlines())}
