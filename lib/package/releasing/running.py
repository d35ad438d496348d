"""Commands of the release: they succeed, or the release ends with what they said."""
import os
import shutil
import subprocess


class Failed(Exception):
    """What went wrong, for who ran the release."""


def run(*command, **more):
    """What it prints."""
    environment = dict(os.environ, **more.pop("env", {}))
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=environment, **more)
    except FileNotFoundError as why:
        raise Failed(f"{words[0]}: not found; `.ci/setup release` installs it") from why
    if done.returncode != 0:
        raise Failed(f"{' '.join(words)}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def fresh(folder):
    """The folder, with nothing in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
