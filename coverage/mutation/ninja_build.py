"""A finished build by Ninja, from which single objects and programs are made anew, as it made them."""
import os
import pathlib
import shlex
import subprocess
from collections.abc import Mapping

from mutation.mutants import Unusable


class Build:
    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder

    def ninja(self, *words: str) -> str:
        done = subprocess.run(["ninja", "-C", self.folder, "-t", *words], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Unusable(f"ninja -t {' '.join(words)}: {(done.stdout + done.stderr).strip()}")
        return done.stdout

    @staticmethod
    def arguments(command: str) -> list[str]:
        """What an object is compiled with, but for the source, the object, the optimisation and the warnings."""
        words, kept = iter(shlex.split(command)), []
        for word in words:
            if word in ("-o", "-MF", "-MT", "-c"):
                next(words)
            elif not word.endswith("ccache") and not word.startswith(("-O", "-MD", "-W")):
                kept.append(word)
        return kept

    def compile(self, arguments: list[str], first: pathlib.Path, *how: str | pathlib.Path) -> str:
        """`first` comes before what the build has. What the compiler complains of; nothing where it does not."""
        compiler, *rest = arguments
        done = subprocess.run([compiler, f"-I{first}", "-O1", "-w", *rest, *how], cwd=self.folder, capture_output=True, text=True,
                              check=False, env={**os.environ, "LC_ALL": "C"})
        return done.stderr or f"exit {done.returncode}" if done.returncode else ""

    def linking(self, program: str) -> list[str]:
        """The command that links it, as words."""
        *_, command = self.ninja("commands", f"bin/{program}").splitlines()
        return shlex.split(next(part for part in command.split(" && ") if f"-o bin/{program}" in part))

    def linked(self, words: list[str], objects: Mapping[str, pathlib.Path], to: pathlib.Path) -> pathlib.Path:
        """The program, with objects (what the build calls them -> what is linked) in place of its own and of its archives'."""
        archived = [str(made) for name, made in objects.items() if name not in words]
        words = [str(objects.get(word, word)) for word in words]
        at = next((i for i, word in enumerate(words) if word.endswith(".a")), len(words))
        words[at:at] = archived
        words[words.index("-o") + 1] = str(to)
        subprocess.run(words, cwd=self.folder, check=True)
        return to
