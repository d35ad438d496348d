#!/usr/bin/python3
"""Runs the commands of every page in a copy of the sources where nothing is built but what README's install lines build.

Blocks with a marker are those of readme_test.py. Of the others, lines of `cmake`, of `backoff-oracle` and of compilers are run, but for
those in ELSEWHERE. A line there that no page has is an error. A page that compiles, or says what to save, is followed in an empty folder:
it has the files that the page says to save, the helpers that it links to and STAND_INS. Elsewhere, lines that name a file of the reader's
are left out.

Usage: coverage/clean_clone_test.py [--built FOLDER]      takes programs and libraries from FOLDER, such as build/release, and builds none
Exit: 0 all run, 1 some do not
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable

import markdown_pages

ROOT = pathlib.Path(__file__).resolve().parents[1]
# What the install lines build; with --built, all that is taken from there.
BUILT = ("bin/backoff-oracle", "bin/backoff-host", "bin/backoff-port",
         "test_libraries/aws_backoff_algorithm.so", "test_libraries/aws_retry_utils.so")
READERS = re.compile(r"\b(my[_-]|PORT|SYSTEM|URL)|shard-\*|-- \./port|-cp out|libmine|answers\.(jsonl|txt)|^cmake -S oracle|"
                     r"^cmake --build oracle")
ELSEWHERE = {
    "cmake --preset package && cmake --build --preset package": "builds all: the stage `tests` does, with assertions",
    "cmake --install build/package --prefix ~/backoff": "needs the line before: consumers_test.py does both",
    "cc app.c $(pkg-config --cflags --libs backoff) -o app && ./app": "needs the library installed: consumers_test.py does both",
    "cc -std=c99 -I ~/backoff/include/backoff/drop_in -c ~/backoff/share/backoff/c99/aws_backoff_algorithm.c":
        "needs the library installed: consumers_test.py does both",
    "cmake --workflow --preset gallery": "needs registries: the stage `gallery` does",
    "properties/ports/gallery/gallery.py --bin build/release/bin --into build/release/gallery --language rust":
        "needs registries: the stage `gallery` does",
}
# What a reader has, or a package installs.
HELPER = "github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go"
STAND_INS: dict[str, tuple[str, Callable[[pathlib.Path], str]]] = {
    "c_library.md": ("my_retry.c", lambda root: (root / "properties/systems/aws_retry_utils/ports/c_library.c").read_text()),
    "start_go.md": ("go.mod", lambda root: f"module example.test/mine\n\ngo 1.19\n\nrequire {HELPER} v0.0.0\n\n"
                                           f"replace {HELPER} => {root}/properties/ports/helpers/go\n"),
}
COMPILED = r"cc|c\+\+|javac|rustc|go build"


def copied(into: pathlib.Path) -> None:
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=True).stdout.split("\0")[:-1]
    for name in names:
        (into / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, into / name, follow_symlinks=False)


def install_lines(root: pathlib.Path) -> list[str]:
    block, = re.findall(r"```\n(\.ci/setup program .*?)```", (root / "README.md").read_text(), re.DOTALL)
    lines: list[str] = block.splitlines()
    if len(lines) > 3 or any(len(line) > 80 for line in lines):
        raise SystemExit("README.md: the install lines: expected at most three, of at most 80 columns")
    return lines


def commands(page: str) -> list[str]:
    """The lines of blocks that have no marker and no language."""
    blocks = re.findall(r"(?m)^(.*)\n```(.*)\n((?:(?!```).*\n)*)```$", page)  # the line before, the language, the lines
    lines = [line.partition("  #")[0].strip() for before, language, block in blocks if not language and not before.endswith("-->")
             for line in block.splitlines()]
    return [line for line in lines if re.match(rf"(cmake|backoff-oracle|{COMPILED}) ", line)]


def followed(path: pathlib.Path, root: pathlib.Path) -> pathlib.Path | None:
    """The folder of a reader who follows this page, with the files that the page asks for; nothing where it asks for none."""
    page = path.read_text()
    saved = re.findall(r"(?s)Save\s+this[^`]*?`([\w./]+)`:\n(?:\n<!--[^\n]*)?\n```\w*\n(.*?)```\n", page)
    if not saved and not any(re.match(COMPILED, line) and line not in ELSEWHERE for line in commands(page)):
        return None
    folder = root / "build/readers" / path.relative_to(root).with_suffix("")
    linked = [path.parent / link for link in markdown_pages.links(page) if "/ports/helpers/" in link and pathlib.Path(link).suffix]
    stand_in, text = STAND_INS.get(path.name, ("", lambda _: ""))
    for name, content in [*((file.name, file.read_text()) for file in linked), *saved, *([(stand_in, text(root))] if stand_in else [])]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--built", type=pathlib.Path, help="take the programs from this folder")
    given = parser.parse_args()
    failed: list[str] = []
    with tempfile.TemporaryDirectory(prefix="backoff-oracle-clean-") as folder:
        root = pathlib.Path(folder)
        copied(root)
        subprocess.run(["git", "-C", root, "init", "-q"], check=True)
        environment = {**os.environ, "PATH": f"{root / 'build/release/bin'}:{os.environ['PATH']}", "GOTOOLCHAIN": "local"}

        def ran(line: str, folder: pathlib.Path = root) -> None:
            done = subprocess.run(["bash", "-ec", line], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False)
            if done.returncode:
                line = line if folder == root else f"{folder.relative_to(root / 'build/readers')}.md: {line}"
                failed.append(line)
                print(f"{line}: exit {done.returncode}\n{done.stdout[-4000:]}", flush=True)

        lines = install_lines(root)
        for name in BUILT if given.built else ():
            (root / "build/release" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(given.built / name, root / "build/release" / name)
        ran("\n".join(lines[-1:] if given.built else lines))
        pages = markdown_pages.paths(root)
        ran(f"coverage/readme_test.py {' '.join(str(path.relative_to(root)) for path in pages)}")
        shown: list[str] = []
        run: dict[tuple[str, pathlib.Path], None] = {}
        for path in markdown_pages.paths(root):
            shown += commands(path.read_text())
            reader = followed(path, root)
            for line in commands(path.read_text()):
                if line not in ELSEWHERE and (reader or not READERS.search(line)):
                    run[line, reader or root] = None
        for line, place in run:
            ran(line, place)
    failed += [f"ELSEWHERE: {line}: on no page" for line in sorted(set(ELSEWHERE) - set(shown))]
    print(f"clean clone: {len(pages)} pages, {len(run)} other lines, {len(failed)} failed", *failed, sep="\n  ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
