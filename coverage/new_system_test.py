#!/usr/bin/python3
"""A new system needs what CONTRIBUTING.md says, and nothing else: a toy system is added to a copy of this repository,
built and judged there.

    new_system_test.py [--into FOLDER]

The toy is aws_step_functions under another name: its files are copied, and the shared places of EDITS have one entry
more. Exit: 0 the copy builds and passes its tests, 1 not.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable

import structure_test

ROOT = pathlib.Path(__file__).resolve().parents[1]
FROM, TOY = "aws_step_functions", "toy_steps"
# What is renamed: ids of requirements, names of the system, a test suite, theorems.
THEOREMS = re.findall(r'(?m)^ *\{"(\w+)",', (ROOT / "properties/systems" / FROM / "theorems.cpp").read_text())
NAMES = (("AWS-SF-", "TOY-ST-"), ("AWS_SF_", "TOY_ST_"), (FROM, TOY), (FROM.upper(), TOY.upper()), ("aws_sf", "toy_st"),
         ("retry_run_in", "toy_run_in"),
         *((f'"{name}"', f'"toy_{name}"') for name in THEOREMS))
FOLDERS = ("spec/{}", "properties/systems/{}")
TESTS = "^(spec|properties|judge|proof)$"  # labels of the tests that run over every system


def renamed(text: str) -> str:
    for old, new in NAMES:
        text = text.replace(old, new)
    return text


def again(text: str) -> str:
    """With each line, or block up to an empty line, that names the system a second time, for the toy."""
    return re.sub(rf"(?m)^.*{FROM}.*\n", lambda line: line[0] + renamed(line[0]), text)


def c_functions(text: str) -> str:
    """The section of backoff.h again."""
    section = re.search(rf"(?ms)^/\* ---- {FROM}:.*?(?=^/\* ---- )", text)
    assert section, "backoff.h: the section"
    return text.replace(section[0], section[0] + renamed(section[0]))


def theorems(text: str) -> str:
    section = re.search(rf"(?ms)^    // {FROM}\n.*?(?=^    // )", text)
    assert section, "theorems.hpp: the section"
    return text.replace(section[0], section[0] + renamed(section[0]))


def policy(text: str) -> str:
    text = again_include(text)
    found = re.search(rf"(?ms)^//[^\n]*\n(?://[^\n]*\n)*class {FROM} {{.*?^}};\n", text)
    assert found, "policies.hpp: the class"
    return text.replace(found[0], found[0] + "\n" + renamed(found[0]))


def again_include(text: str) -> str:
    return re.sub(rf'(?m)^#include ".*{FROM}\.hpp"\n', lambda line: line[0] + renamed(line[0]), text)


def row_again(text: str) -> str:
    """A table's row of the system again; and what is true of it alone is true of the toy too."""
    found = re.search(rf'(?ms)^( *){{"{FROM}",.*?(?=^\1{{")', text)
    if found:
        text = text.replace(found[0], found[0] + renamed(found[0]))
    return re.sub(rf'((?:\w|\.|->|\(\))+) == "{FROM}"', rf'(\1 == "{FROM}" || \1 == "{TOY}")', text)


# The shared places that a new system changes, each with what is done there.
EDITS: dict[str, Callable[[str], str]] = {
    "lib/include/backoff.h": c_functions,
    "lib/src/exported.map": again,
    "lib/include/backoff/hosted/policies.hpp": policy,
    "lib/README.md": lambda text: re.sub(rf"(?m)^.*backoff/{FROM}[.]hpp.*\n", lambda line: line[0] + renamed(line[0]), text),
    "properties/conformance/include/backoff/conformance.hpp": again_include,
    "properties/engines/proof/shipped.hpp": again_include,
    "properties/engines/proof/theorems.hpp": theorems,
    "properties/oracle/vectors.sha256": again,
    "properties/judge/judged_system_test.cpp": row_again,
    "properties/explain/diagnosis_test.cpp": row_again,
    "properties/certify/backoff-certify": lambda text: text.replace(
        f'"{FROM}": StepFunctions,', f'"{FROM}": StepFunctions,\n           "{TOY}": StepFunctions,'),
    "properties/certify/examples_test.py": lambda text: re.sub(
        rf'(?m)^( *)("{FROM}": lambda.*)$', lambda line: f"{line[1]}{renamed(line[2])}\n{line[0]}", text),
}


def files() -> list[str]:
    """What the system consists of: everything in its two folders, and its places elsewhere."""
    own = subprocess.run(["git", "ls-files", *(folder.format(FROM) for folder in FOLDERS)], cwd=ROOT, capture_output=True, text=True,
                         check=True).stdout.split()
    return sorted({*own, *(room.format(FROM) for room in structure_test.ROOMS)})


def add_toy(root: pathlib.Path) -> None:
    for name in files():
        target = root / renamed(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(renamed((root / name).read_text()))
    for name, edit in EDITS.items():
        before = (root / name).read_text()
        after = edit(before)
        assert after != before, f"{name}: nothing to edit"
        (root / name).write_text(after)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--into", type=pathlib.Path, help="a folder for the copy, kept; default: a temporary one")
    given = options.parse_args()
    own = [name for name in files() if f"/{FROM}/" in name]
    print(f"a new system: {len(files())} new files, {len(own)} of them in its two folders; {len(EDITS)} shared files to edit")
    with tempfile.TemporaryDirectory() as temporary:
        root = given.into or pathlib.Path(temporary) / "copy"
        shutil.rmtree(root, ignore_errors=True)
        subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, root], check=True)
        add_toy(root)
        for command in (["coverage/structure_test.py"], ["cmake", "--preset", "release"], ["cmake", "--build", "--preset", "release"],
                        ["coverage/trace_gate"], ["ctest", "--preset", "release", "-L", TESTS]):
            if subprocess.run(command, cwd=root, check=False).returncode != 0:
                print(f"new system: {command[0]} failed")
                return 1
    print("new system: the toy builds, and passes the tests that run over every system")
    return 0


if __name__ == "__main__":
    sys.exit(main())
