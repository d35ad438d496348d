#!/usr/bin/python3
"""The zoo of right ports in other languages: each conforms, with its draws given and hidden, so that the oracle accuses no right port.

A zoo names its own ports. Each is judged as a user would, by `backoff-oracle check`: exit 0, and a verdict that names no reading but
those that the port follows. BACKOFF_PATIENCE is the number of seeds, 1 at every change.

Usage: zoo_test.py --bin DIR LANGUAGE… [--only WORD]        Exit: 0 all conform, 1 not: the oracle's output is printed.
"""
import argparse
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

ZOO = pathlib.Path(__file__).resolve().parent
# By language: how its zoo is built, and how it is started.
LANGUAGES: dict[str, tuple[list[str], list[str | pathlib.Path]]] = {
    "Python": ([], ["/usr/bin/python3", ZOO / "python/zoo.py"]),
    "JavaScript": ([], ["node", ZOO / "javascript/zoo.cjs"]),
    "Go": (["go", "build", "-o", "{into}/zoo", "."], ["{into}/zoo"]),
}
WITHOUT_DRAWS = {"aws_step_functions", "aws_prescriptive_sample"}
FIRST_SEED = 2
CASES = [300, 1000, 10_000]  # more where fewer were too few to tell: exit 5 is no pass
INCONCLUSIVE = 5


def judged(oracle: pathlib.Path, zoo: list[str], system: str, port: str, hidden: bool, seed: int) -> tuple[int, str, int]:
    """The exit code, the output, and how many histories it took."""
    for cases in CASES:
        words: list[str | pathlib.Path] = [oracle, "check", system, "--seed", str(seed), "--cases", str(cases), "--timeout", "60", "--",
                                           *zoo, system, port, *["hidden"] * hidden]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != INCONCLUSIVE:
            break
    return done.returncode, done.stdout + done.stderr, cases


def is_right(code: int, said: str, hidden: bool, follows: str) -> bool:
    """It conforms, and is read as it reads the document. A short run need not have seen everything that the port follows; hidden draws
    may not tell readings apart."""
    verdict = said.rstrip().rpartition("\n")[2]
    _, _, grade = verdict.partition(", grade ")
    grade, _, readings = grade.partition(", as read with ")
    if hidden:
        return code == 0 and grade == "distribution"
    return code == 0 and grade == "exact" and {*readings.split(", ")} <= {"", *follows.split(", ")}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", type=pathlib.Path, required=True)
    options.add_argument("--only", default="", help="only ports with this word in their line of the list")
    options.add_argument("languages", nargs="+", choices=LANGUAGES)
    given = options.parse_args()
    seeds = range(FIRST_SEED, FIRST_SEED + int(os.environ.get("BACKOFF_PATIENCE", "1")))
    runs = longer = refused = 0
    with tempfile.TemporaryDirectory() as into:
        for language in given.languages:
            build, zoo = ([str(word).format(into=into) for word in command] for command in LANGUAGES[language])
            if build:
                subprocess.run(build, cwd=ZOO / language.lower(), check=True)
            listed = subprocess.run(zoo, capture_output=True, text=True, check=True).stdout.splitlines()
            ports = [line.split(" ", 2) for line in listed if given.only in line]
            for (system, port, follows), hidden, seed in itertools.product(ports, (False, True), seeds):
                if hidden and system in WITHOUT_DRAWS:
                    continue
                code, said, cases = judged(given.bin.resolve() / "backoff-oracle", zoo, system, port, hidden, seed)
                runs, longer = runs + 1, longer + (cases > CASES[0])
                if not is_right(code, said, hidden, follows):
                    refused += 1
                    print(f"{language} {system} {port}, draws {'hidden' if hidden else 'given'}, seed {seed}, {cases} cases: exit {code}; "
                          f"follows {follows or 'the canonical readings'}\n{said}", flush=True)
    print(f"zoo: {runs} runs, {longer} with more than {CASES[0]} cases, {refused} refused")
    return 1 if refused or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
