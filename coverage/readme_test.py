#!/usr/bin/python3
"""Holds every Markdown page to its word: what it shows is what the commands print now.

A comment before a fenced block says where the block comes from. COMMAND runs from the root of the repository.
- `<!-- output: COMMAND -->`: the block is what COMMAND prints.
- `<!-- session: COMMAND -->`: the block is `$ COMMAND`, without the path of the build folder, and what COMMAND prints; each
  line of COMMAND by itself, one after the other.
- `<!-- contents: PATH -->`: the block is that file.
- `<!-- table: COMMAND -->` before a table: COMMAND prints it.
- `<!-- picture: COMMAND -->` before a picture: COMMAND prints its file.
Tables below `<!-- measured: COMMAND -->` take too long: COMMAND itself compares them, and power_test.py what costs nothing.
--record writes blocks and files anew.

Usage: coverage/readme_test.py [--record] [PAGE…]      every page, if none is given
Before: cmake --preset release && cmake --build --preset release
Exit: 0 all blocks are up to date, 1 some are not, 2 a program that they run is not built: nothing is written.
"""
import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable

import markdown_pages

ROOT = pathlib.Path(__file__).resolve().parents[1]
PICTURE = re.compile(r"<!-- picture: ([^\n]*?) -->\n!\[[^\]]+\]\(([^)]+)\)\n")
BLOCKS = [re.compile(r"(<!-- (output|session|contents): (.*?) -->\n```\w*\n)(.*?)(```\n)", re.DOTALL),
          re.compile(r"(<!-- (table): ([^\n]*?) -->\n)((?:\|[^\n]*\n)*)()")]


def wanted(kind: str, source: str) -> str:
    if kind == "contents":
        return (ROOT / source).read_text()
    if kind == "session":
        return "".join(f"$ {line.replace('build/release/bin/', '')}\n{wanted('output', line)}" for line in source.splitlines())
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"  # whose python3 is this one
    return subprocess.run(source, shell=True, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=kind in ("table", "picture"), env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"}).stdout


def not_built(texts: Iterable[str]) -> list[str]:
    """The programs of a build folder that the commands name and that are not there."""
    commands = [match[3] for text in texts for block in BLOCKS for match in block.finditer(text) if match[2] != "contents"]
    words = {word for command in commands for word in shlex.split(command) if word.startswith("build/") and "/bin/" in word}
    return sorted(word for word in words if not (ROOT / word).exists())


def main() -> int:
    different, shown = [], 0
    named = [pathlib.Path(word).resolve() for word in sys.argv[1:] if word != "--record"]
    paths = named or markdown_pages.paths(ROOT)
    if missing := not_built(path.read_text() for path in paths):
        print(f"not built: {', '.join(missing)}; cmake --preset release && cmake --build --preset release")
        return 2
    for path in paths:
        text = path.read_text()

        def fresh(match: re.Match[str], path: pathlib.Path = path) -> str:
            nonlocal shown
            head, kind, source, block, tail = match.groups()
            now = wanted(kind, source)
            shown += 1
            if now != block:
                different.append(source)
                sys.stdout.writelines(difflib.unified_diff(block.splitlines(True), now.splitlines(True),
                                                           f"{path.name}: {source}", "now"))
            return f"{head}{now}{tail}"

        for source, name in PICTURE.findall(text):
            picture, now = path.parent / name, wanted("picture", source)
            shown += 1
            if not picture.is_file() or picture.read_text() != now:
                different.append(source)
                print(f"{path.name}: {name} is not what {source} prints")
            if "--record" in sys.argv[1:]:
                picture.write_text(now)
        updated = BLOCKS[1].sub(fresh, BLOCKS[0].sub(fresh, text))
        if "--record" in sys.argv[1:]:
            path.write_text(updated)
    if "--record" in sys.argv[1:]:
        different = []
    print(f"{shown} blocks shown, {len(different)} out of date")
    return 1 if different or (shown == 0 and not named) else 0


if __name__ == "__main__":
    sys.exit(main())
