"""What was green stays green while nothing that decides it has changed: the mutants of such a file are not tried again.

build/gate/mutants_WHAT.json below the root has for each mutated file a digest of all that decides what becomes of its mutants: the file,
what it includes, the tests that can come by it, how all this is compiled, its lines of the survivors file, and these
programs. What that is for a layer, its module says. Only a run that is green writes a digest. Without that file, or with --fresh,
all is tried.
"""
import argparse
import functools
import hashlib
import json
import os
import pathlib
import subprocess
from collections.abc import Iterable, Mapping

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = [HERE.parent / "mutate", *sorted(HERE.glob("*.py"))]


@functools.cache
def digest_of(file: pathlib.Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--fresh", action="store_true", help="try what has not changed since the last green run, too")


def is_current(built: Iterable[pathlib.Path], files: Iterable[pathlib.Path]) -> bool:
    """Whether these are built, and none of the files is newer: else it is not known what a file includes."""
    made = [file.stat().st_mtime if file.exists() else 0.0 for file in built]
    return bool(made) and all(file.stat().st_mtime <= min(made) for file in files)


class Unchanged:
    """Asked once about each file; told at the end how many mutants those have that were tried."""

    def __init__(self, name: str, root: pathlib.Path, fresh: bool, compiler: str) -> None:
        self.file, self.root = root / f"build/gate/mutants_{name}.json", root
        known = json.loads(self.file.read_text()) if self.file.exists() else {}
        self.known: dict[str, tuple[str, int]] = {} if fresh else {path: (digest, count) for path, (digest, count) in known.items()}
        self.tools = [digest_of(tool) for tool in TOOLS] + [
            subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout]
        self.now: dict[str, str] = {}
        self.skipped: dict[str, int] = {}

    def skips(self, path: str, files: Iterable[pathlib.Path], words: Iterable[str]) -> bool:
        """Whether the mutants of the file at `path` need not be tried: all of these files and words are as they were."""
        inputs = sorted({file.resolve() for file in files})
        what = [*self.tools, *(word.replace(str(self.root), ".") for word in words),
                *(f"{os.path.relpath(file, self.root)} {digest_of(file)}" for file in inputs)]
        self.now[path] = hashlib.sha256("\n".join(what).encode()).hexdigest()
        digest, count = self.known.get(path, ("", 0))
        if digest != self.now[path]:
            return False
        self.skipped[path] = count
        print(f"unchanged since the last green run: {path} ({count} mutants)", flush=True)
        return True

    def keep(self, tried: Mapping[str, int]) -> None:
        """path -> how many mutants; each of them was green."""
        kept = self.known | {path: (self.now[path], count) for path, count in tried.items() if path in self.now}
        self.file.parent.mkdir(parents=True, exist_ok=True)
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
        new.replace(self.file)
