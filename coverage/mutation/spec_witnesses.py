"""For every spec and each requirement that it names, a fault of mutants.py that the spec notices.

A fault of the library counts where it lies in what meets the requirement: the functions, types and constants whose comments name it.
The model names no requirements: any fault of the system's model counts, or of what all models share, but only for specs that notice no
fault of the library.

spec_witnesses.txt has one fault for each pair (the form: witness_file.py). trace_gate reads it: a spec that names a requirement and has no
such fault is a check that cannot fail. `mutate library` and `mutate model` compare their part of it with what the program of all mutants
shows: a fault that is recorded is tried first, and stays while the spec notices it. Faults of files whose mutants are not tried, as nothing
has changed, stay too.
"""
import argparse
import collections
import difflib
import json
import math
import pathlib
import re
import subprocess
from collections.abc import Mapping

import cpp_functions
import requirement_places
import witness_file

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

    noticed: collections.Counter[str] = collections.Counter()  # what other specs notice is tried early

    def witness(pair: Pair) -> str | None:
        system, spec, requirement = pair
        reached = [m for m in faults[system, requirement] if set(tests[spec]) & set(runs.coming_by.get(m.number, ()))]
        command: reaching.Command = [program, "--gtest_brief=1", f"--gtest_filter={':'.join(tests[spec])}"]
        limit = math.ceil(1 + 4 * sum(runs.seconds[name] for name in tests[spec]))
        fault = next((m.key for m in sorted(reached, key=lambda m: (m.key != before.get(pair), -noticed[m.key]))
                      if not reaching.run(command, m.number, limit)[0]), None)
        noticed.update([fault] if fault else [])
        return fault

    found = mutants.for_each(witness, wanted, jobs, "specs by requirement")
    return {pair: fault for pair, fault in found.items() if fault}


def are_as_recorded(given: argparse.Namespace, sources: list[Source], program: pathlib.Path, runs: reaching.Runs,
                    skipped: set[str]) -> bool:
    """Compares one part of the record, what it says of faults of the library, or of the models, and prints what differs; --update writes
    it. `skipped`: the paths of the files that are not in the program, as nothing has changed."""
    try:
        recorded = witness_file.read(given.witnesses.read_text()) if given.witnesses.exists() else {}
    except ValueError as problem:
        raise Unusable(f"{given.witnesses.name}: {problem}") from problem
    listed = pairs(given.build / "bin/backoff-oracle")
    known = {(system, requirement) for system, _, requirement in listed}
    before = {pair: fault for pair in listed if (fault := recorded.get(pair[0], {}).get(pair[1], {}).get(pair[2]))}
    of_library_before = {pair: fault for pair, fault in before.items() if not fault.startswith(OF_MODELS)}
    is_of_models = given.what == "model"
    by_library = {pair[:2] for pair in of_library_before} if is_of_models else set()
    found = {pair: fault for pair, fault in before.items() if fault.split(" | ")[0] in skipped and pair[:2] not in by_library}
    if sources:
        faults = of_models(sources, known) if is_of_models else of_library(sources, known, given.root)
        wanted = [pair for pair in listed if pair not in found and pair[:2] not in by_library]
        found |= search(program, runs, faults, wanted, before, given.jobs)
    if is_of_models:
        found |= of_library_before
    else:
        by_library = {pair[:2] for pair in found}
        found |= {pair: fault for pair, fault in before.items() if fault.startswith(OF_MODELS) and pair[:2] not in by_library}
    now: witness_file.Witnesses = {}
    for (system, spec, requirement), fault in found.items():
        now.setdefault(system, {}).setdefault(spec, {})[requirement] = fault
    if given.update:
        given.witnesses.write_text(witness_file.text(now))
    else:
        for line in difflib.unified_diff(witness_file.text(recorded).splitlines(), witness_file.text(now).splitlines(),
                                         given.witnesses.name, "found; --update writes it", lineterm="", n=0):
            print(line)
    print(f"{len(found)} of {len(listed)} specs by requirement with a fault that the spec notices, "
          f"{'as' if now == recorded else 'not as'} recorded")
    return given.update or now == recorded
