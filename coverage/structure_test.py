#!/usr/bin/python3
"""The structure that the documentation promises: every system has every room, and includes point one way.

Usage: coverage/structure_test.py [ROOT]        Exit: 0 as promised, 1 not, each breach on a line.
"""
import pathlib
import re
import sys

ROOMS = ["lib/include/backoff/{}.hpp", "lib/src/{}.cpp", "spec/model/{}.hpp", "spec/model/{}.cpp", "spec/tests/{}_test.cpp",
         "spec/third_opinion/{}.py",
         "properties/history/{}.cpp", "properties/claims/{}.hpp", "properties/claims/{}.cpp", "properties/judge/{}.cpp",
         "properties/explain/diagnoses/{}.cpp",
         "properties/engines/proof/{}.cpp",
         "properties/conformance/{}.cpp", "properties/conformance/include/backoff/conformance/{}.hpp",
         "properties/ports/library/{}.cpp", "properties/ports/right/{}.cpp", "properties/ports/wrong/{}.cpp",
         "properties/protocol/systems/{}.schema.json",
         "fuzz/{}_fuzzer.cpp", "coverage/mutation/c_ports/{}.c", "coverage/mutation/c_ports/{}_main.c"]

# Folder -> what its files may include in quotes. Tests (*_test.*) may look at anything.
ARROWS = {
    "lib/include": ["backoff/"],
    "lib/src": ["backoff/", "backoff.h", "state.hpp", "full_jitter.hpp"],
    "lib/drop_in": ["backoff/", "exported.hpp", "backoff_algorithm.h", "retry_utils.h", "iothub_client_retry_control.h"],
    "spec/model": ["model/"],
    "properties/history": ["history/", "model/", "systems.def"],
    "properties/claims": ["claims/", "history/", "model/"],
    "properties/judge": ["judge/", "claims/", "history/", "model/", "systems.def", "catalogue_json.hpp", "specs.hpp"],
    "properties/explain": ["explain/", "judge/", "claims/", "history/", "model/", "systems.def"],
    "properties/report": ["report/", "explain/", "judge/", "claims/", "history/", "model/"],
    "properties/conformance": ["conformance/", "backoff/conformance", "report/", "protocol/messages.hpp",
                               "ports/retry_control_port.hpp", "judge/", "history/", "model/"],
    "properties/conformance/include": ["backoff/conformance"],
    "properties/protocol": ["protocol/", "judge/", "history/", "model/"],
    "properties/ports/library": ["backoff/", "backoff.h", "ports/"],
    "properties/ports/host": ["ports/host/", "ports/retry_control_port.hpp", "protocol/", "judge/", "history/", "model/",
                              "c_interfaces.def"],
    "properties/engines": ["engines/", "backoff/", "systems.def", "judge/", "claims/", "history/", "model/"],
    "properties/oracle": ["oracle/", "report/", "explain/", "engines/proof/theorems.hpp", "page_parts.hpp", "ports/host/", "protocol/", "judge/", "claims/", "history/", "model/"],
}
# Folder -> what its files may include in angle brackets: what there is without an operating system. Such compilers have all
# other headers too, so that compiling alone shows nothing.
FREESTANDING = {"concepts", "cstdint", "limits", "new", "type_traits", "stdint.h"}
WITHOUT_SYSTEM = {"lib/include": FREESTANDING, "lib/src": FREESTANDING}
HOSTED = "lib/include/backoff/hosted"
# Folder whose files may include the standard library alone: its users need not have anything else.
WITHOUT_DEPENDENCY = "properties/conformance/include"
TOP_LEVEL = {"CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE", "lib", "spec", "properties", "fuzz", "coverage"}
SYSTEM_INCLUDE = re.compile(r"^ *# *include *<(.*)>", re.MULTILINE)
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
    for folder, allowed in WITHOUT_SYSTEM.items():
        for path in sorted(path for path in (root / folder).rglob("*") if path.suffix in (".h", ".hpp", ".cpp")):
            if path.is_relative_to(root / HOSTED):
                continue
            for name in SYSTEM_INCLUDE.findall(path.read_text()):
                if name not in allowed:
                    yield f"{path.relative_to(root)}: includes <{name}>, which is not there without an operating system"
    for path in sorted((root / WITHOUT_DEPENDENCY).rglob("*.hpp")):
        for name in SYSTEM_INCLUDE.findall(path.read_text()):
            if not re.fullmatch("[a-z_]+", name):
                yield f"{path.relative_to(root)}: includes <{name}>, which its users need not have"
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
