"""Commands of the release: they succeed, or the release ends with what they said. Its progress, on a terminal."""
import os
import pathlib
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from typing import TextIO


class Failed(Exception):
    """What went wrong, as the person who runs the release reads it."""


class Progress:
    """One line that is written over, and nothing where no terminal is."""

    def __init__(self, steps: int, into: TextIO) -> None:
        self.steps, self.into, self.number, self.name, self.began = steps, into, 0, "", time.monotonic()

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if self.into.isatty():
            print("\r\x1b[K", end="", file=self.into, flush=True)

    def step(self, name: str) -> None:
        self.number, self.name = self.number + 1, name
        self.says("")

    def says(self, line: str) -> None:
        """What the step prints: the count that ninja begins its lines with is shown."""
        count = f" {line.partition('] ')[0]}]" if line.startswith("[") else ""
        if self.into.isatty():
            seconds = int(time.monotonic() - self.began)
            print(f"\r\x1b[K{seconds // 60}:{seconds % 60:02} step {self.number} of {self.steps}: {self.name}{count}",
                  end="", file=self.into, flush=True)


def run(*command: object, cwd: pathlib.Path | None = None, env: Mapping[str, str] | None = None,
        each_line: Callable[[str], None] = lambda _: None) -> str:
    """What it prints."""
    environment = {**os.environ, **(env or {})}
    words = [str(word) for word in command]
    said = []
    try:
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, cwd=cwd) as process:
            assert process.stdout
            for line in process.stdout:
                said.append(line)
                each_line(line)
    except FileNotFoundError as why:
        raise Failed(f"{words[0]}: not found") from why
    if process.returncode != 0:
        raise Failed(f"{' '.join(words)}: exit {process.returncode}\n{''.join(said)}")
    return "".join(said)


def fresh(folder: pathlib.Path) -> pathlib.Path:
    """The folder, with nothing in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
