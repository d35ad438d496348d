#!/usr/bin/python3
"""The structure that the documentation promises: every system has every room, and includes point one way.

Usage: coverage/structure_test.py [ROOT]        Exit: 0 as promised, 1 not, each breach on a line.
"""
import pathlib
import re
import sys

ROOMS = ["lib/include/backoff/{}.hpp", "spec/model/{}.hpp", "spec/model/{}.cpp", "spec/tests/{}_test.cpp",
         "spec/third_opinion/{}.py",
         "properties/history/{}.cpp", "properties/claims/{}.hpp", "properties/claims/{}.cpp", "properties/judge/{}.cpp",
         "properties/ports/library/{}.cpp", "properties/ports/right/{}.cpp", "properties/ports/wrong/{}.cpp",
         "properties/protocol/systems/{}.schema.json",
         "fuzz/{}_fuzzer.cpp", "coverage/mutation/c_ports/{}.c", "coverage/mutation/c_ports/{}_main.c"]

# Folder -> what its files may include in quotes. Tests (*_test.*) may look at anything.
ARROWS = {
    "lib/include": ["backoff/"],
    "spec/model": ["model/"],
    "properties/history": ["history/", "model/", "systems.def"],
    "properties/claims": ["claims/", "history/", "model/"],
    "properties/judge": ["judge/", "claims/", "history/", "model/", "systems.def", "catalogue_json.hpp", "specs.hpp"],
    "properties/protocol": ["protocol/", "judge/", "history/", "model/"],
    "properties/ports/library": ["backoff/", "ports/"],
    "properties/ports/host": ["ports/host/", "ports/retry_control_port.hpp", "protocol/", "judge/", "history/", "model/",
                              "c_interfaces.def"],
    "properties/engines": ["engines/", "judge/", "claims/", "history/", "model/"],
    "properties/oracle": ["oracle/", "ports/host/", "protocol/", "judge/", "claims/", "history/", "model/"],
}
TOP_LEVEL = {"CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE", "lib", "spec", "properties", "fuzz", "coverage"}
INCLUDE = re.compile(r'^#include "(.*)"', re.MULTILINE)


def breaches(root):
    stems = sorted(p.stem for p in (root / "spec/requirements").glob("*.json"))
    if not stems:
        yield "spec/requirements: no system"
    for stem in stems:
        for room in ROOMS:
            if not (root / room.format(stem)).is_file():
                yield f"{room.format(stem)}: missing, as spec/requirements/{stem}.json demands it"
    for folder, allowed in ARROWS.items():
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            if path.stem.endswith("_test"):
                continue
            for name in INCLUDE.findall(path.read_text()):
                if not name.startswith(tuple(allowed)):
                    yield f"{path.relative_to(root)}: includes {name}, which {folder} must not know"
    for path in root.iterdir():
        if path.name not in TOP_LEVEL and not path.name.startswith(".") and path.name != "build":
            yield f"{path.name}: not a part of the top level"


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[1]
    found = list(breaches(root))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"structure: {len(found)} breaches")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
