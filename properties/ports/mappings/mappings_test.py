#!/usr/bin/python3
"""Ways to map a draw to a delay, in C and Python: the oracle accuses no right one, and excuses none with a planted fault.

Each way is full jitter, judged as a port of backoffAlgorithm or of a policy with the same formula. A right one must conform, with the grade
and the draw-mapping that spec/SOUNDNESS.md lists; with a fault it must not conform. r is the draw, one of S; w is the window.

  arithmetic   modulo: r % m; high: (r >> BITS / 4) % m; divided: r / ((S - 1) / m + 1); integers: floor(r * m / S), exactly; doubles and
               floats: r / S * m in 64 or 32 bits; top24 and top16: integers, of the highest bits of r
  end          inclusive: m = w + 1; exclusive: m = w; closed: r * w / (S - 1), which only the last draw takes to w
  sign         straight; mirrored: the longest delay less that delay
  bits         of the draw; unit: draws are in [0, 1)
  ticks        parts of a millisecond to which a delay is cut or rounded; none: a real delay

Faults: cell, a delay of 1 ms is 0 ms; first and last, the first or the last draw counts as another one; halved and longer, windows above
some width are half as wide, or wider by 1 ms.

Not planted, because no test can see it: in a mapping that is judged as a distribution (other), a fault at single draws, or of 1 ms in wide
windows; in a near mapping, a delay that is as near; draws that become the same delay. Mappings whose draws do not fill wide windows evenly
have narrow ones here.

Usage: mappings_test.py --bin DIR [--every N] [--only WORDS]        Exit: 0 all are judged so, 1 not: the others are printed.
BACKOFF_PATIENCE is the number of seeds.
"""
import argparse
import collections
import itertools
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
HELPERS = HERE.parent / "helpers"
CC = os.environ.get("CC", "cc")
# By language: how its port is built, and how it is started.
LANGUAGES: dict[str, tuple[list[str], list[str]]] = {
    "C": ([CC, "-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{HELPERS}/c", "-o", "{into}/c",
           f"{HERE}/mappings.c", "-lm"], ["{into}/c"]),
    "Python": ([], ["/usr/bin/python3", f"{HERE}/mappings.py"]),
}
OF_RAND = {"modulo", "high", "divided"}  # which take whole draws and give whole numbers
SYSTEM = "aws_backoff_algorithm"
POLICY = """
name: mirrored
unit: ms
parameters:
  base_ms: {{default: 100, range: [0, 4294967295]}}
  max_ms: {{default: 20000, range: [0, 4294967295]}}
window: min(max_ms, base_ms * 2^n)
delay: {sign}{draw}(0, window)
"""
RIGHT_CASES, FAULTY_CASES = [1000, 10_000], [300, 10_000]  # more where fewer were too few to tell


class Mapping(NamedTuple):
    arithmetic: str
    end: str
    sign: str
    bits: str
    ticks: int
    rounding: str
    judge: str  # system or policy

    @property
    def is_whole(self) -> bool:
        return self.ticks == 1 and self.rounding == "cut"

    @property
    def size(self) -> int:
        return 2 ** 32 if self.bits == "unit" else 2 ** int(self.bits)

    def makes_sense(self) -> bool:
        in_floats = self.arithmetic in ("doubles", "floats")
        if self.bits == "unit" and (self.end == "closed" or not (in_floats or self.arithmetic == "integers")):
            return False
        if self.arithmetic.startswith("top") and self.size <= 2 ** int(self.arithmetic.removeprefix("top")):
            return False
        if self.rounding != "cut" and (self.ticks, self.rounding) not in ((1, "none"), (1000, "rounded")):
            return False  # rounded milliseconds make both ends half as likely
        if self.judge == "policy" and self.ticks > 1 and self.sign == "straight":
            return False
        if self.is_whole:
            if self.arithmetic in OF_RAND:
                return self.end != "closed" and (self.sign, self.end, self.judge) != ("mirrored", "exclusive", "policy")
            # The longest delay is rare, mirrored the shortest: no reading has a window without its 0.
            without_0 = {"system": "closed", "policy": "exclusive"}[self.judge]
            return (self.sign, self.end) != ("mirrored", without_0)
        if self.arithmetic in OF_RAND:  # thousandths of a unit are a wider window
            return (self.arithmetic, self.end, self.rounding, self.judge) == ("modulo", "inclusive", "cut", "system") and (
                self.ticks == 1000 and self.size >= 2 ** 31)
        return self.end != "inclusive" and self.arithmetic != "top16" and (in_floats or self.ticks > 1)

    def reading(self) -> str:
        """The alternative of draw-mapping, as spec/SOUNDNESS.md lists them."""
        unlisted = self.arithmetic == "high" or (self.arithmetic == "modulo" and self.ticks > 1)
        if unlisted or (self.sign, self.judge) == ("mirrored", "system"):
            return "other"
        if self.arithmetic in OF_RAND:
            return self.arithmetic
        if self.end == "closed" or self.arithmetic not in ("integers", "doubles") or self.ticks > 1:
            return "near"
        return "scaled" if self.is_whole else "real"

    def widest(self) -> int:
        """The widest window that its draws fill evenly."""
        if self.arithmetic == "top16":
            return 1000
        if self.reading() == "other" and self.arithmetic in OF_RAND:
            draws = self.size >> (int(self.bits) // 4 if self.arithmetic == "high" else 0)
            return max(draws // self.ticks >> 10, 16)
        return 2 ** 32 - 1

    def faults(self) -> list[tuple[str, int]]:
        width = min(1000, self.widest() // 4)
        if self.reading() == "other":
            return [("cell", 1), ("halved", width)]
        # In windows of 100000, 77 of 2^32 draws are one delay, and near is not exact either.
        away = 77 if self.reading() in ("modulo", "real") or (self.reading() != "near" and self.judge == "system") else self.size // 3
        all_of_them = [("cell", 1), ("halved", width), ("first", away), ("last", away)]
        return all_of_them if self.reading() == "near" else [*all_of_them, ("longer", width)]

    def why_skipped(self, fault: str = "") -> str:
        """Why the oracle accuses it, although it is right, or excuses that fault."""
        if self.reading() == "other":
            return ""
        if self.arithmetic == "top16":
            return "the probes are near, other windows are not quite: 16 bits are fewer than near counts on"
        if (self.arithmetic, self.end, self.bits) == ("floats", "closed", "15"):
            return "near has no room for a float's rounding beside one whole draw"
        return ""

    def __str__(self) -> str:
        return " ".join(map(str, self))


def mappings() -> list[Mapping]:
    every = itertools.starmap(Mapping, itertools.product(
        ("modulo", "high", "divided", "integers", "doubles", "floats", "top24", "top16"), ("inclusive", "exclusive", "closed"),
        ("straight", "mirrored"), ("32", "31", "24", "15", "unit"), (1, 1000, 1_000_000), ("cut", "rounded", "none"), ("system", "policy")))
    return [each for each in every if each.makes_sense()]


def spread(all_of_them: list[Mapping]) -> Iterator[tuple[Mapping, str, tuple[str, int]]]:
    """Each with one of the languages and one of its faults."""
    names = list(LANGUAGES)
    counts = collections.Counter[str]()
    for m in all_of_them:
        i = counts[m.arithmetic]
        counts[m.arithmetic] += 1
        yield m, names[(i + i // len(names)) % len(names)], m.faults()[i % len(m.faults())]


class Judge:
    def __init__(self, oracle: pathlib.Path, into: str) -> None:
        self.oracle, self.into = oracle, into
        self.ports: dict[str, list[str]] = {}

    def port(self, language: str) -> list[str]:
        if language not in self.ports:
            build, start = LANGUAGES[language]
            if build:
                subprocess.run([word.format(into=self.into) for word in build], check=True)
            self.ports[language] = [word.format(into=self.into) for word in start]
        return self.ports[language]

    def judged(self, m: Mapping) -> str:
        if m.judge == "system":
            return SYSTEM
        file = pathlib.Path(self.into) / "mirrored.yaml"
        text = POLICY.format(sign="window - " * (m.sign == "mirrored"), draw="integer" if m.is_whole else "uniform")
        file.write_text(text + "ends: exclusive\n" * (m.is_whole and m.end != "inclusive"))
        return str(file)

    def says(self, m: Mapping, language: str, seed: int, fault: tuple[str, int] | None) -> str:
        """What is not as it is due, and all that was said; nothing where all is."""
        due = 1 if fault else 0
        words = ["--seed", str(seed), "--timeout", "60", "--max-failures", "1"]
        for name in ("base_ms", "max_ms"):
            words += ["--range", f"{name}=..{m.widest()}"]
        words += ["--", *self.port(language), *str(m).split()[:-1], *map(str, fault or ())]
        for cases in FAULTY_CASES if fault else RIGHT_CASES:
            command = [str(self.oracle), "check", self.judged(m), "--cases", str(cases), *words]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode in (due, 1):
                break
        grade = "distribution" if m.reading() in ("near", "other") else "exact"
        mapping = re.search(r"^  draw-mapping +(.*)$", done.stdout, re.MULTILINE)
        is_as_due = done.returncode == due and (fault or (
            f", grade {grade}" in done.stdout and mapping and m.reading() in re.split(", | or ", mapping[1])))
        if is_as_due:
            return ""
        return f"{shlex.join(command)}\n{language} {m}, {fault or 'right'}: exit {done.returncode}\n{done.stdout}{done.stderr}"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", type=pathlib.Path, required=True)
    options.add_argument("--every", type=int, default=1, help="one of so many mappings")
    options.add_argument("--only", default="", help="mappings with these words")
    given = options.parse_args()
    chosen = [each for each in list(spread(mappings()))[::given.every] if given.only in str(each[0])]
    seeds = range(2, 2 + int(os.environ.get("BACKOFF_PATIENCE", "1")))
    right, refused, skipped = collections.Counter[str](), 0, collections.Counter[str]()
    with tempfile.TemporaryDirectory() as into:
        judge = Judge(given.bin.resolve() / "backoff-oracle", into)
        for (m, language, fault), seed in itertools.product(chosen, seeds):
            if why := m.why_skipped():
                skipped[why] += 1
                continue
            right[language] += 1
            why = m.why_skipped(fault[0])
            skipped[why] += 1
            for planted in (None,) if why else (None, fault):
                if said := judge.says(m, language, seed, planted):
                    refused += 1
                    print(said, flush=True)
    for why in filter(None, skipped):
        print(f"skipped: {skipped[why]}: {why}")
    print(f"mappings: {sum(right.values())} right ones, each with one fault too: {refused} not as they are due;",
          ", ".join(f"{language} {often}" for language, often in right.items()))
    return 1 if refused or not right else 0


if __name__ == "__main__":
    sys.exit(main())
