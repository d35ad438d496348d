#!/usr/bin/python3
"""The structure that the documentation promises: every system has every room, and includes point one way.

Usage: coverage/structure_test.py [ROOT]        Exit: 0 as promised, 1 not, each breach on a line.
"""
import pathlib
import re
import sys
from collections.abc import Iterator

import places

# What every system has.
ROOMS = ["lib/include/backoff/{}.hpp", "lib/src/{}.cpp", "properties/conformance/include/backoff/conformance/{}.hpp",
         *("spec/{}/" + name for name in ("system.yaml", "examples.yaml", "model.hpp", "model.cpp")),
         *("properties/systems/{}/" + name for name in (
             "history.cpp", "claims.hpp", "claims.cpp", "binding.cpp", "theorems.cpp", "diagnoses.cpp", "conformance.cpp",
             "properties_test.cpp",
             "ports/library.cpp", "ports/right.cpp", "ports/wrong.cpp", "ports/plain_main.c"))]

# What the parts of all systems include.
MODELS = ["relation/", "*/model.hpp"]
HISTORIES = ["history/", "systems/*/history.hpp", *MODELS]
CLAIMS = ["claims/", "systems/*/claims.hpp", *HISTORIES]
JUDGE = ["judge/", *CLAIMS]
OWN = "properties/systems/*/"  # where * is the same system on both sides
DOCUMENTED_IN_C = ["backoff_algorithm.h", "retry_utils.h", "iothub_client_retry_control.h"]
# Files -> what they may include in quotes. Tests (*_test.*) may look at anything. The wall between lib, which is judged, and the model,
# which judges, is made of these lines.
ARROWS = {
    "lib/include/": ["backoff/"],
    "lib/src/": ["backoff/", "backoff.h", "state.hpp", "full_jitter.hpp"],
    "lib/c99/": DOCUMENTED_IN_C,
    "spec/relation/": ["relation/"],
    "spec/*/model.": ["relation/", "{}/model.hpp", "{}/readings.hpp"],
    "properties/history/": ["history/", *MODELS, "systems.def"],
    OWN + "history.": ["history/", "systems/{}/history.hpp", "relation/", "{}/model.hpp", "{}/page.hpp"],
    "properties/claims/": ["claims/", "history/", *MODELS],
    OWN + "claims.": ["claims/", "systems/{}/", "history/", "relation/", "{}/model.hpp", "{}/page.hpp", "{}/claim_texts.hpp"],
    "properties/judge/": [*JUDGE, "systems.def", "catalogue_json.hpp", "specs.hpp"],
    OWN + "binding.": ["judge/", "claims/", "systems/{}/", "history/", "relation/", "{}/model.hpp", "{}/page.hpp"],
    OWN + "theorems.": ["engines/proof/", "backoff/", "systems.def"],
    OWN + "conformance.": ["conformance/", "backoff/conformance/", "history/", "judge/", "systems/{}/", "{}/page.hpp"],
    OWN + "ports/library.": ["backoff/", "backoff.h", "ports/", "systems/{}/ports/", "{}/page.hpp"],
    OWN + "ports/c_interface.": ["ports/host/", "systems/{}/ports/", "history/", "judge/", "{}/page.hpp"],
    "properties/faults/": ["faults/"],  # not the model: a wrong port is to check it
    OWN + "faults.": ["faults/"],
    OWN + "ports/": ["ports/", "faults/", "systems/{}/ports/", "systems/{}/faults.hpp", "systems/{}/history.hpp", "history/", "judge/",
                     "backoff/", "backoff.h", "{}/model.hpp", "{}/page.hpp", "relation/", "plain.h", "protocol.h", *DOCUMENTED_IN_C],
    "properties/policy/": ["policy/", *JUDGE],
    "properties/explain/": ["explain/", "faults/", *JUDGE, "systems.def"],
    OWN + "diagnoses.": ["explain/", "history/", "judge/", "systems/{}/", "{}/model.hpp", "relation/"],
    "properties/session/": ["session/", "explain/", *JUDGE],
    "properties/transport/": ["transport/", "session/", "ports/host/", "protocol/", *JUDGE],
    "properties/files/": ["files/", "policy/", "transport/", "session/", "protocol/", "explain/", *JUDGE],
    "properties/report/": ["report/", "session/", "files/", "explain/", "protocol/messages.hpp", "page_parts.hpp", *JUDGE],
    "properties/conformance/": ["conformance/", "backoff/conformance", "report/", "session/", "protocol/messages.hpp", *JUDGE],
    "properties/conformance/include/": ["backoff/conformance"],
    "properties/protocol/": ["protocol/", *JUDGE],
    "properties/ports/host/": ["ports/host/", "systems/*/ports/port.hpp", "protocol/", *JUDGE, "c_interfaces.def"],
    "properties/engines/": ["engines/", "backoff/", "systems.def", *JUDGE],
    "properties/oracle/": ["oracle/", "report/", "session/", "files/", "transport/", "explain/", "policy/", "shelf.hpp",
                           "engines/proof/theorems.hpp",
                           "ports/host/", "protocol/", *JUDGE],
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


def arrows(root: pathlib.Path, files: str, allowed: list[str]) -> Iterator[str]:
    """Of those files whose path begins so, includes that none of the allowed beginnings matches."""
    folder, _, name = files.rpartition("/")
    expected = re.compile("|".join(re.escape(beginning).replace(r"\*", "[a-z_]+") for beginning in allowed))
    found = (root / folder).glob(f"{name}*") if name else (root / folder).rglob("*")
    for path in sorted(path for path in found if path.suffix in (".c", ".h", ".hpp", ".cpp") and not path.stem.endswith("_test")):
        for included in INCLUDE.findall(path.read_text()):
            if not expected.match(included):
                yield f"{path.relative_to(root)}: includes {included}, which {files} must not know"


def breaches(root: pathlib.Path) -> Iterator[str]:
    stems = sorted(path.parent.name for path in (root / "spec").glob("*/system.yaml"))
    if not stems:
        yield "spec/*/system.yaml: no system"
    for stem in stems:
        for room in ROOMS:
            if not (root / room.format(stem)).is_file():
                yield f"{room.format(stem)}: missing, as spec/{stem}/system.yaml demands it"
    for files, allowed in ARROWS.items():
        for stem in stems if "*" in files else ["*"]:
            yield from arrows(root, files.replace("*", stem), [name.replace("{}", stem) for name in allowed])
    for folder, known in WITHOUT_SYSTEM.items():
        for path in sorted(path for path in (root / folder).rglob("*") if path.suffix in (".h", ".hpp", ".cpp")):
            if path.is_relative_to(root / HOSTED):
                continue
            for name in SYSTEM_INCLUDE.findall(path.read_text()):
                if name not in known:
                    yield f"{path.relative_to(root)}: includes <{name}>, which is not there without an operating system"
    for path in sorted((root / WITHOUT_DEPENDENCY).rglob("*.hpp")):
        for name in SYSTEM_INCLUDE.findall(path.read_text()):
            if not re.fullmatch("[a-z_]+", name):
                yield f"{path.relative_to(root)}: includes <{name}>, which its users need not have"
    for path in root.iterdir():
        if path.name not in TOP_LEVEL and not path.name.startswith(".") and path.name != "build":
            yield f"{path.name}: not a part of the top level"


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]).resolve()
    return places.report(breaches(root), "structure: {} breaches")


if __name__ == "__main__":
    sys.exit(main())
