"""For every spec and each requirement that it names, a fault of mutants.py that the spec notices.

A fault of the library counts where it lies in what meets the requirement: the functions, types and constants whose comments name it.
The model names no requirements: any fault of the system's model counts, or of what all models share, but only for specs that notice no
fault of the library.

The record has one fault for each pair, as survivors files have it: STEM -> spec -> requirement -> fault. trace_gate reads it: a spec
that names a requirement and has no such fault is a check that cannot fail.
"""
import collections
import json
import math
import pathlib
import re
import subprocess
from collections.abc import Mapping

import cpp_functions
import requirement_places

from mutation import mutants, reaching
from mutation.mutants import Mutant, Source, Unusable

Requirement = tuple[str, str]  # its system and its name
Pair = tuple[str, str, str]  # a system, a spec and a requirement
Faults = Mapping[Requirement, list[Mutant]]
OF_MODELS = "spec/"


def pairs(oracle: pathlib.Path) -> list[Pair]:
    """Of all specs, as the program lists them."""
    try:
        listed = json.loads(subprocess.run([oracle, "list", "--json"], capture_output=True, text=True, check=True).stdout)
    except (OSError, subprocess.CalledProcessError) as problem:
        raise Unusable(f"{oracle} list --json: {problem}") from problem
    return [(system["name"], check, requirement["id"]) for system in listed["systems"] for requirement in system["requirements"]
            for check in requirement["checks"] if check not in system["claims"]]


def of_library(sources: list[Source], known: set[Requirement], root: pathlib.Path) -> Faults:
    """The mutants that lie in what meets the requirement."""
    read = {source.path: (source, cpp_functions.read(source.file)) for source in sources}
    found, _ = requirement_places.places({source.file.parent for source in sources}, [requirement for _, requirement in known], root)
    faults = {}
    for requirement, places in found.items():
        within: set[int] = set()
        for place in (place for place in places if place.path in read):
            source, code = read[place.path]
            within |= source.on_lines(range(place.line, requirement_places.last_line(code, place) + 1))
        faults[requirement] = [mutant for source in sources for mutant in source.mutants if mutant.number in within]
    return {(system, requirement): faults.get(requirement, []) for system, requirement in known}


def of_models(sources: list[Source], known: set[Requirement]) -> Faults:
    """The same: the mutants of the system's model, then those of what all models share."""
    systems = {system for system, _ in known}
    shared = [mutant for source in sources if source.file.parent.name not in systems for mutant in source.mutants]
    own = {system: [m for source in sources if source.file.parent.name == system for m in source.mutants] for system in systems}
    return {(system, requirement): own[system] + shared for system, requirement in known}


def search(program: pathlib.Path, runs: reaching.Runs, faults: Faults, wanted: list[Pair], before: Mapping[Pair, str],
           jobs: int) -> dict[Pair, str]:
    """pair -> a fault that the spec notices, if there is one; first that of before."""
    tests: dict[str, list[str]] = collections.defaultdict(list)  # by name without the number of a type
    for name in runs.seconds:
        tests[re.sub(r"/\d+(?=\.|$)", "", name)].append(name)

    def witness(pair: Pair) -> str | None:
        system, spec, requirement = pair
        reached = [m for m in faults[system, requirement] if set(tests[spec]) & set(runs.coming_by.get(m.number, ()))]
        command: reaching.Command = [program, "--gtest_brief=1", f"--gtest_filter={':'.join(tests[spec])}"]
        limit = math.ceil(1 + 4 * sum(runs.seconds[name] for name in tests[spec]))
        return next((m.key for m in sorted(reached, key=lambda m: m.key != before.get(pair))
                     if not reaching.run(command, m.number, limit)[0]), None)

    found = mutants.for_each(witness, wanted, jobs, "specs by requirement")
    return {pair: fault for pair, fault in found.items() if fault}


def record(file: pathlib.Path, build: pathlib.Path, root: pathlib.Path, sources: list[Source], program: pathlib.Path, runs: reaching.Runs,
           jobs: int) -> int:
    """Brings one part of the record up to date: what it says of faults of the library, or of the models. Returns the exit status:
    whether the record said something else."""
    recorded = json.loads(file.read_text()) if file.exists() else {}
    listed = pairs(build / "bin/backoff-oracle")
    known = {(system, requirement) for system, _, requirement in listed}
    before = {pair: fault for pair in listed if (fault := recorded.get(pair[0], {}).get(pair[1], {}).get(pair[2]))}
    library = {pair: fault for pair, fault in before.items() if not fault.startswith(OF_MODELS)}
    models = {pair: fault for pair, fault in before.items() if pair not in library}
    if sources[0].path.startswith(OF_MODELS):
        by_library = {pair[:2] for pair in library}
        wanted = [pair for pair in listed if pair[:2] not in by_library]
        models = search(program, runs, of_models(sources, known), wanted, before, jobs)
    else:
        library = search(program, runs, of_library(sources, known, root), listed, before, jobs)
    by_library = {pair[:2] for pair in library}
    found = library | {pair: fault for pair, fault in models.items() if pair[:2] not in by_library}
    now: dict[str, dict[str, dict[str, str]]] = {}
    for (system, spec, requirement), fault in sorted(found.items()):
        now.setdefault(system, {}).setdefault(spec, {})[requirement] = fault
    file.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n")
    print(f"{len(found)} of {len(listed)} specs by requirement with a fault that the spec notices, "
          f"{'as' if now == recorded else 'not as'} recorded before")
    return int(now != recorded)
