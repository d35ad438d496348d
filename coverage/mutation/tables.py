"""A table of measurements: a program of the build measures them, the JSON file beside the module records them, and tables show them."""
import argparse
import json
import pathlib
import subprocess
from collections.abc import Callable, Mapping
from typing import Any

from mutation.mutants import Unusable

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def lines_of(program: pathlib.Path, *arguments: str) -> list[str]:
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout.splitlines()


class Table:
    """--record FILE measures; an option for each of `shows` prints what is recorded. `numbers`: other options, with defaults."""

    def __init__(self, doc: str | None, program: str, measured: Callable[[pathlib.Path, argparse.Namespace], Any],
                 shows: Mapping[str, Callable[[Any], None]], **numbers: int) -> None:
        self.__doc__, self.program, self.measured, self.shows, self.numbers = doc, program, measured, shows, numbers

    def options(self, parser: argparse.ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--record", type=pathlib.Path, metavar="FILE", help="measure, and write it")
        for name, show in self.shows.items():
            what.add_argument(f"--{name}", action="store_const", const=show, dest="show", help="print it, from what is recorded")
        parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin", help="where the programs are")
        for name, default in self.numbers.items():
            parser.add_argument(f"--{name}", type=int, default=default, metavar="N")

    def run(self, given: argparse.Namespace) -> int:
        if given.show:
            given.show(json.loads((HERE / f"{given.what.replace('-', '_')}.json").read_text()))
            return 0
        program = given.bin / self.program
        if not program.exists():
            raise Unusable(f"{program} is missing: cmake --build --preset release --target {self.program}")
        given.record.write_text(json.dumps(self.measured(program, given), indent=1, sort_keys=True) + "\n")
        return 0
