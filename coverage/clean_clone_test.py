#!/usr/bin/python3
"""Runs the commands of every page in a copy of the sources where nothing is built but what README's install lines build.

Blocks with a marker are those of readme_test.py. Of the others, lines that begin with `cmake` or `backoff-oracle` are run, but for those
that name a file of the reader's, and those in ELSEWHERE. A line there that no page has is an error.

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

import markdown_pages

ROOT = pathlib.Path(__file__).resolve().parents[1]
# What the install lines build; with --built, all that is taken from there.
BUILT = ("bin/backoff-oracle", "bin/backoff-host", "bin/backoff-port",
         "test_libraries/aws_backoff_algorithm.so", "test_libraries/aws_retry_utils.so")
READERS = re.compile(r"\b(my[_-]|PORT|SYSTEM|URL)|shard-\*|-- \./port|-cp out|libmine|answers\.(jsonl|txt)|^cmake -S oracle|"
                     r"^cmake --build oracle")
ELSEWHERE = {
    "cmake --preset release && cmake --build --preset release": "builds all: the stage `tests` does",
    "cmake --install build/release --prefix ~/backoff": "needs the line before: consumers_test.py does both",
    "cmake --workflow --preset program": "is one of README's install lines",
    "cmake --workflow --preset gallery": "needs registries: the stage `gallery` does",
    "cmake --build --preset release --target gallery_rust": "needs registries: the stage `gallery` does",
}
# Its table is printed by a program of the tests.
OF_TESTS = "bin/adversary"


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
    return [line for line in lines if re.match(r"(cmake|backoff-oracle) ", line)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--built", type=pathlib.Path, help="take the programs from this folder")
    given = parser.parse_args()
    failed: list[str] = []
    with tempfile.TemporaryDirectory(prefix="backoff-oracle-clean-") as folder:
        root = pathlib.Path(folder)
        copied(root)
        subprocess.run(["git", "-C", root, "init", "-q"], check=True)
        environment = {**os.environ, "PATH": f"{root / 'build/release/bin'}:{os.environ['PATH']}"}

        def ran(line: str) -> None:
            done = subprocess.run(["bash", "-ec", line], cwd=root, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False)
            if done.returncode:
                failed.append(line)
                print(f"{line}: exit {done.returncode}\n{done.stdout[-4000:]}", flush=True)

        lines = install_lines(root)
        for name in BUILT if given.built else ():
            (root / "build/release" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(given.built / name, root / "build/release" / name)
        ran("\n".join(lines[-1:] if given.built else lines))
        pages = [path for path in markdown_pages.paths(root) if OF_TESTS not in path.read_text()]
        ran(f"coverage/readme_test.py {' '.join(str(path.relative_to(root)) for path in pages)}")
        shown = [line for path in markdown_pages.paths(root) for line in commands(path.read_text())]
        run = [line for line in dict.fromkeys(shown) if line not in ELSEWHERE and not READERS.search(line)]
        for line in run:
            ran(line)
    failed += [f"ELSEWHERE: {line}: on no page" for line in sorted(set(ELSEWHERE) - set(shown))]
    print(f"clean clone: {len(pages)} pages, {len(run)} other lines, {len(failed)} failed", *failed, sep="\n  ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
