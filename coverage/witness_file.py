"""The record of which fault each specification notices, a line for a specification and a fault:

    STEM | SPEC | REQUIREMENT… | path | source line, stripped | old -> new

# begins a comment. `coverage/mutate library` and `model` compare it with what they find; trace_gate reads it.
"""
import collections

Witnesses = dict[str, dict[str, dict[str, str]]]  # system -> spec -> requirement -> fault, as survivors files have it
HEAD = "# Which fault each specification notices, for each requirement that it names: see witness_file.py and spec_witnesses.py.\n"


def read(text: str) -> Witnesses:
    """Raises ValueError where a line is not of that form, or says again what another one says."""
    found: Witnesses = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        system, spec, names, fault = (line.split(" | ", 3) + [""] * 3)[:4]
        if fault.count(" | ") < 2 or " -> " not in fault:
            raise ValueError(f"line {number}: expected STEM | SPEC | REQUIREMENT… | path | source line | old -> new")
        of_spec = found.setdefault(system, {}).setdefault(spec, {})
        for name in names.split():
            if name in of_spec:
                raise ValueError(f"line {number}: {spec} has a fault for {name} already")
            of_spec[name] = fault
    return found


def text(witnesses: Witnesses) -> str:
    lines: dict[tuple[str, str, str], list[str]] = collections.defaultdict(list)
    for system, specs in witnesses.items():
        for spec, faults in specs.items():
            for requirement, fault in faults.items():
                lines[system, spec, fault].append(requirement)
    return HEAD + "".join(f"{system} | {spec} | {' '.join(sorted(names))} | {fault}\n" for (system, spec, fault), names in
                          sorted(lines.items()))
