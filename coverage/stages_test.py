#!/usr/bin/python3
"""Whatever a page, a preset or a CMake file names is run: each preset, each target and each program of the repository that a page
names belongs to a stage of coverage/gate, or to a test that a stage runs.

Usage: coverage/stages_test.py [--root ROOT]        Exit: 0 all do, 1 some do not, each on a line.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

sys.dont_write_bytecode = True
import markdown_pages  # noqa: E402
import stage_files  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent / "stages"
STAGES = stage_files.read(FOLDER)
SCRIPTS = "\n".join(file.read_text() for file in sorted(FOLDER.iterdir()))
# What a stage runs by other words: where it does, and the words.
OTHERWISE = {
    "preset lint": ("coverage/compile_database.py", '"--preset", "lint"'),
    "preset program": ("lib/package/releasing/program.py", "backoff-oracle"),
    "preset quick": ("CMakePresets.json", '"exclude": {"label": "^(program|slow|night|week)$"}'),  # a part of the preset release
    "preset bench": ("coverage/stages/bench", "lib/bench/bench"),
    "target bench": ("coverage/stages/bench", "lib/bench/bench"),
    "preset gallery": ("coverage/stages/gallery", "gallery.py"),
    "target gallery": ("coverage/stages/gallery", "gallery.py"),
    "target site": ("coverage/CMakeLists.txt", "NAME site"),
    "target docs": ("coverage/CMakeLists.txt", "NAME docs"),
}


def names_run(presets: dict[str, list[dict[str, object]]]) -> tuple[set[str], set[str]]:
    """Presets and targets that scripts name, and those that these stand for."""
    named = set(re.findall(r"--preset (\S+)", SCRIPTS))
    for workflow in presets["workflowPresets"]:
        if workflow["name"] in named and f"--workflow --preset {workflow['name']}" in SCRIPTS:
            named |= {step["name"] for step in workflow["steps"]}  # type: ignore[attr-defined]
    targets = {word for words in re.findall(r"(?:^release|--target) (.+)$", SCRIPTS, re.MULTILINE) for word in words.split()}
    for build in presets["buildPresets"]:
        if build["name"] in named:
            targets |= set(build.get("targets", []))  # type: ignore[call-overload]
    return named, targets


def cmake_files(root: pathlib.Path) -> list[pathlib.Path]:
    return [path for path in root.rglob("CMakeLists.txt") if path.relative_to(root).parts[0] != "build"]


def things(root: pathlib.Path) -> Iterator[tuple[str, bool]]:
    """Each, and whether a stage names it."""
    presets = json.loads((root / "CMakePresets.json").read_text())
    named, targets = names_run(presets)
    for kind in ("configurePresets", "buildPresets", "testPresets", "workflowPresets"):
        for preset in presets[kind]:
            if not preset.get("hidden"):
                yield f"preset {preset['name']}", preset["name"] in named
    files = {path: path.read_text() for path in cmake_files(root)}
    for text in files.values():
        for name, rest in re.findall(r"add_custom_target\((\S+?)( ALL\b|[\s)])", text):
            yield f"target {name}", rest == " ALL" or name in targets
    pages = "\n".join(page.read_text() for page in markdown_pages.paths(root))
    runs = SCRIPTS + "\n".join(files.values()) + "\n".join(
        path.read_text() for pattern in ("**/*_test.py", ".ci/*", ".github/workflows/*") for path in root.glob(pattern)
        if path.is_file() and path.relative_to(root).parts[0] != "build" and path.name != "stages_test.py")
    runs += "\n".join(re.findall(r"<!-- [a-z]+: (.*?) -->", pages))  # of what a page shows, by readme_test.py
    listed = subprocess.run(["git", "ls-files", "--stage"], cwd=root, capture_output=True, text=True, check=True).stdout
    for path in re.findall(r"^100755 \S+ \d\t(.*)$", listed, re.MULTILINE):
        if re.search(rf"(?<![\w/]){re.escape(path)}(?![\w.])", pages):
            yield f"program {path}", pathlib.Path(path).name in runs
    for command, name in re.findall(r"coverage/(gate|mutate) ([a-z][a-z-]+)", pages):
        if command == "gate":
            yield f"stage {name}", name in STAGES or name in ("nightly", "weekly")
        else:
            yield f"measurement {name}", f"coverage/mutate {name}" in SCRIPTS or name in SCRIPTS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1])
    root = parser.parse_args().root
    found = dict(things(root))
    wrong = [f"{name}: no stage of coverage/gate runs it" for name, run in found.items() if not run and name not in OTHERWISE]
    for name, (path, words) in OTHERWISE.items():
        if name not in found:
            wrong.append(f"{name}: stages_test.py excuses it, and nothing has this name")
        elif found[name]:
            wrong.append(f"{name}: stages_test.py excuses it, and a stage runs it")
        elif words not in (root / path).read_text():
            wrong.append(f"{name}: {path} no longer has {words!r}")
    print("\n".join([*wrong, f"{len(found)} presets, targets, programs and stages, {len(wrong)} of them wrong"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
