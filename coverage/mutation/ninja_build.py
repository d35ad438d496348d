"""A finished build by Ninja, from which single objects and programs are made anew, as it made them."""
import collections
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

    def depends(self, below: pathlib.Path) -> dict[str, set[pathlib.Path]]:
        """object -> the files below that folder that it was compiled of."""
        found: dict[str, set[pathlib.Path]] = collections.defaultdict(set)
        name = ""
        for line in self.ninja("deps").splitlines():
            if line.startswith("    "):
                path = pathlib.Path(self.folder, line.strip()).resolve()
                if path.is_relative_to(below):
                    found[name].add(path)
            elif line:
                name = line.split(":")[0]
        return found

    @staticmethod
    def arguments(command: str) -> list[str]:
        """What an object is compiled with, but for the compiler cache and what starts it, the source, the object, the optimisation and
        the warnings."""
        all_words = shlex.split(command)
        cache = next((i for i, word in enumerate(all_words) if word.endswith("ccache") and "=" not in word), -1)
        words, kept = iter(all_words[cache + 1:]), []
        for word in words:
            if word in ("-o", "-MF", "-MT", "-c"):
                next(words)
            elif not word.startswith(("-O", "-MD", "-W")):
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
        """The program, with objects (what the build calls them -> what is linked) instead of its own and of its archives'."""
        archived = [str(made) for name, made in objects.items() if name not in words]
        words = [str(objects.get(word, word)) for word in words]
        at = next((i for i, word in enumerate(words) if word.endswith(".a")), len(words))
        words[at:at] = archived
        words[words.index("-o") + 1] = str(to)
        subprocess.run(words, cwd=self.folder, check=True)
        return to
