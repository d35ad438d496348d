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
             "ports/library.cpp", "ports/right.cpp", "ports/wrong.cpp", "ports/late.cpp", "ports/port_main.c"))]

# What the parts of all systems include.
MODELS = ["relation/", "*/model.hpp"]
GENERATED = ["systems.def", "c_interfaces.def", "catalogue_json.hpp", "specs.hpp", "page_parts.hpp", "shelf.hpp",
             "helpers.hpp"]
OWN = "properties/systems/*/"  # where * is the same system on both sides
DOCUMENTED_IN_C = ["backoff_algorithm.h", "retry_utils.h", "iothub_client_retry_control.h"]
# Files -> what they may include in quotes, but for the folders of properties/layers.hpp. Tests (*_test.*) may look at anything. The wall
# between lib, which is judged, and the model, which judges, is made of these lines.
ARROWS = {
    "lib/include/": ["backoff/"],
    "lib/src/": ["backoff/", "backoff.h", "state.hpp", "full_jitter.hpp"],
    "lib/c99/": DOCUMENTED_IN_C,
    "spec/relation/": ["relation/"],
    "spec/*/model.": ["relation/", "{}/model.hpp", "{}/readings.hpp"],
    OWN + "history": ["histories/", "systems/{}/history", "relation/", "{}/model.hpp", "{}/page.hpp"],
    OWN + "claims.": ["claims/", "systems/{}/", "histories/", "relation/", "{}/model.hpp", "{}/page.hpp", "{}/claim_texts.hpp"],
    OWN + "binding.": ["judge/", "claims/", "systems/{}/", "histories/", "relation/", "{}/model.hpp", "{}/page.hpp"],
    OWN + "theorems.": ["engines/proof/", "backoff/", "systems.def"],
    OWN + "conformance.": ["conformance/", "backoff/conformance/", "histories/", "judge/", "systems/{}/", "{}/page.hpp"],
    OWN + "ports/library.": ["backoff/", "backoff.h", "ports/", "systems/{}/ports/", "{}/page.hpp"],
    OWN + "ports/c_interface.": ["host/", "systems/{}/ports/", "histories/", "judge/", "{}/page.hpp"],
    OWN + "faults.": ["faults/"],
    OWN + "ports/": ["ports/", "host/", "faults/", "systems/{}/ports/", "systems/{}/faults.hpp", "systems/{}/history.hpp", "histories/",
                     "judge/", "backoff/", "backoff.h", "{}/model.hpp", "{}/page.hpp", "relation/", "port.h", *DOCUMENTED_IN_C],
    OWN + "diagnoses": ["explain/", "histories/", "judge/", "systems/{}/", "{}/model.hpp", "relation/"],
    "properties/conformance/include/": ["backoff/conformance"],
}
# Folders of properties/layers.hpp -> what their files include beside the folders that are listed there.
BESIDE = {
    "conformance": ["backoff/conformance"],
    "engines": ["engines/", "backoff/"],
    "engines/proof": ["backoff/"],
    "bench": ["backoff/", "figures.hpp", "ratios.hpp", "policies/restated_test.hpp"],
}
# (A folder, another that it knows) -> the one header of the other that it may include.
ONE_HEADER = {("reports", "protocol"): "protocol/messages.hpp", ("conformance", "protocol"): "protocol/messages.hpp",
              ("oracle", "engines/proof"): "engines/proof/theorems.hpp"}
LAYER = re.compile(r"^namespace backoff::([\w:]+) \{(.*?)\}", re.MULTILINE | re.DOTALL)
NAMESPACE = re.compile(r"^namespace (backoff\b[\w:]*) \{", re.MULTILINE)
# Where code is in no layer: adapters in other languages, what users include, what a user's program calls.
FOREIGN = ("properties/ports/helpers/", "properties/ports/gallery/", "properties/ports/mappings/", "properties/conformance/include/")
CALLED_BY_USERS = {"properties/conformance/in_process.cpp": "backoff"}
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


def pattern(beginnings: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(beginning).replace(r"\*", "[a-z_]+") for beginning in beginnings))


def arrows(root: pathlib.Path, files: str, allowed: list[str]) -> Iterator[str]:
    """Of those files whose path begins so, includes that none of the allowed beginnings matches."""
    folder, _, name = files.rpartition("/")
    expected = pattern(allowed)
    found = (root / folder).glob(f"{name}*") if name else (root / folder).rglob("*")
    for path in sorted(path for path in found if path.suffix in (".c", ".h", ".hpp", ".cpp") and not path.stem.endswith("_test")):
        for included in INCLUDE.findall(path.read_text()):
            if not expected.match(included):
                yield f"{path.relative_to(root)}: includes {included}, which {files} must not know"


def layers(root: pathlib.Path) -> dict[str, list[str]]:
    """Folder below properties -> the folders that its files may know."""
    text = (root / "properties/layers.hpp").read_text()
    return {space.replace("::", "/"): [used.replace("::", "/") for used in re.findall(r"using namespace ([\w:]+);", body)]
            for space, body in LAYER.findall(text)}


def layer_breaches(root: pathlib.Path) -> Iterator[str]:
    """Files that include what their layer does not know, or whose namespace is not their folder."""
    known = layers(root)
    for path in sorted(path for path in (root / "properties").rglob("*.?pp") if path.suffix in (".hpp", ".cpp")):
        name = path.relative_to(root).as_posix()
        folder = max((each for each in known if name.startswith(f"properties/{each}/")), key=len, default="")
        is_test = path.stem.endswith("_test")  # it may stand in for a class of another folder, and look at anything
        if not folder or is_test or name.startswith(FOREIGN):
            continue
        text = path.read_text()
        own = "systems" if folder == "systems" else path.parent.relative_to(root / "properties").as_posix()
        for space in NAMESPACE.findall(text):
            inside = f"{space}::".startswith(f"backoff::{own.replace('/', '::')}::")
            declares = space == "backoff::systems" and re.search(r'^#include "(systems|c_interfaces)\.def"', text, re.MULTILINE)
            if not inside and not declares and CALLED_BY_USERS.get(name) != space:
                yield f"{name}: namespace {space}: expected backoff::{own.replace('/', '::')}"
        if folder == "systems":
            continue
        allowed = [f"{folder}/", *BESIDE.get(folder, []), *MODELS, *GENERATED, "layers.hpp",
                   *(ONE_HEADER.get((folder, used), f"{used}/") for used in known[folder])]
        expected = pattern(allowed)
        for included in INCLUDE.findall(text):
            if not expected.match(included):
                yield f"{name}: includes {included}, which backoff::{folder.replace('/', '::')} does not use in properties/layers.hpp"


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
    yield from layer_breaches(root)
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
