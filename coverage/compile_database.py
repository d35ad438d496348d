"""What the preset `lint` compiles, as its compile database says. It is configured first; nothing is built.

Used by: lint. Checked by: lint_test.py.
"""
import json
import pathlib
import re
import shlex
import subprocess
from typing import NamedTuple


class Unit(NamedTuple):
    """What a compiler takes at once, and how."""
    sources: tuple[pathlib.Path, ...]
    compiler: str
    arguments: tuple[str, ...]  # without an output and a source
    folder: pathlib.Path  # where it runs
    file: pathlib.Path  # the only source, or a file that includes all
    is_of_tests: bool  # of a target with the name *_tests


def units_of(root: pathlib.Path) -> list[Unit]:
    """By the names of their files; what several targets compile, once, and not of tests where one of them is of none. Raises
    ValueError, with what CMake says, where the preset cannot be configured."""
    done = subprocess.run(["cmake", "--preset", "lint"], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError((done.stdout + done.stderr).strip())
    build = root / "build/lint"
    units: dict[tuple[pathlib.Path, ...], Unit] = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        folder, file = pathlib.Path(entry["directory"]), pathlib.Path(entry["directory"], entry["file"])
        compiler, *words = shlex.split(entry["command"])
        arguments, last = [], ""
        for word in words:
            if word not in ("-o", "-c") and last not in ("-o", "-c"):
                arguments.append(word)
            last = word
        united = re.findall(r'^#include "(.+)"$', file.read_text(), re.MULTILINE) if file.is_relative_to(build) else []
        sources = tuple(map(pathlib.Path, united)) or (file,)
        is_of_tests = "_tests.dir/" in words[words.index("-o") + 1]
        if sources not in units or units[sources].is_of_tests:
            units[sources] = Unit(sources, compiler, tuple(arguments), folder, file, is_of_tests)
    return sorted(units.values(), key=lambda unit: unit.file)
