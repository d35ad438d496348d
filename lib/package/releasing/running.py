"""Commands of the release: they succeed, or the release ends with what they said."""
import os
import pathlib
import shutil
import subprocess
from collections.abc import Mapping


class Failed(Exception):
    """What went wrong, as the person who runs the release reads it."""


def run(*command: object, cwd: pathlib.Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """What it prints."""
    environment = {**os.environ, **(env or {})}
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=environment, cwd=cwd)
    except FileNotFoundError as why:
        raise Failed(f"{words[0]}: not found; `.ci/setup release` installs it") from why
    if done.returncode != 0:
        raise Failed(f"{' '.join(words)}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def fresh(folder: pathlib.Path) -> pathlib.Path:
    """The folder, with nothing in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
