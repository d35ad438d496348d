"""Runs backoff-oracle on ports, for the tests; reads what it printed; finds processes that it left behind.

Every port is started with a last argument, MARK, that no other process has.
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import resource
import shlex
import signal
import subprocess
import sys
import time
import unittest
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any, NamedTuple

SYSTEM = "aws_backoff_algorithm"
MARK = f"oracle-test-{os.getpid()}"
PROGRAMS: dict[str, str] = {}  # where the programs are, from the command line


def found(pattern: str | re.Pattern[str], text: str, flags: int = 0) -> re.Match[str]:
    """The first match, which there must be."""
    match = re.search(pattern, text, flags)
    assert match is not None, f"no {pattern!r} in {text}"
    return match


VERSION = found(r"project\(backoff VERSION (\S+)", (pathlib.Path(__file__).resolve().parents[3] / "CMakeLists.txt").read_text())[1]


def main(description: str | None) -> None:
    """Runs the unit tests of the calling script: SCRIPT --bin build/release/bin [options of unittest]."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    known, rest = parser.parse_known_args()
    for name in ("backoff-oracle", "backoff-port"):
        PROGRAMS[name] = str((known.bin / name).resolve(strict=True))
    unittest.main(argv=[sys.argv[0], *rest])


def outputs() -> Iterator[tuple[str, str]]:
    """Each option of a verb that names a file to write, and each form of what it prints, as its help has them."""
    for verb in ("check", "replay", "report", "verify"):
        said = oracle(verb, "--help").out
        for option in re.findall(r"^ *(?:-\w,)?(--\S+) FILE\S* +(?:Also w|W)rite ", said, re.M):
            yield verb, option
        for form in found(r"^ *--format (\S+)", said, re.M)[1].split("|"):
            yield verb, f"--format={form}"


class Run(NamedTuple):
    code: int
    out: str
    err: str
    cpu_seconds: float  # of the program and all that it has started

    @property
    def last(self) -> str:
        """The verdict, or what stands in its place where the port did not even start."""
        return (self.out or self.err or "nothing").splitlines()[-1]

    def counts(self) -> list[int]:
        line = found(r"^cases +(\d+) judged, (\d+) rejected, (\d+) skipped", self.out, re.M)
        return [int(n) for n in line.groups()]

    def claims(self) -> dict[str, tuple[bool, int, str]]:
        """{name: (holds, at stake, strength unless must)}"""
        line = r"^  (\w+) +(\w+) +at stake in +(\d+) histor\w+(?:  \((\w+)\))?$"
        lines = re.findall(line, self.out, re.M)
        good = ("holds", "inside")
        return {name: (word in good, int(at_stake), strength) for word, name, at_stake, strength in lines}

    def replay_lines(self) -> list[str]:
        return re.findall(r"^ *replay {2,}(\S.*)$", self.out, re.M)

    def findings(self) -> list[tuple[str, str]]:
        """[(claim, replay line)]"""
        claims = re.findall(r"^(?:violation|finding) \d+: (\w+) ", self.out, re.M)
        return list(zip(claims, self.replay_lines(), strict=True))

    def named(self) -> set[str]:
        """The claims of all findings, and those that a finding names as other broken parts of its rule."""
        parts = re.findall(r"are\s+broken\s+too:(.*?); --claim", self.out, re.S)
        return {claim for claim, _ in self.findings()}.union(*(re.findall(r"(\w+)\s+\(\d+", part) for part in parts))

    def explained(self) -> dict[str, list[str]]:
        """{claim of a finding: the claims that the report says it explains}"""
        shown = re.split(r"^(?:violation|finding) \d+: (\w+) ", self.out, flags=re.M)[1:]
        lines = {claim: re.search(r"^  explains +(.*?), which\s+breaks?\s+only\s+with", text, re.M | re.S)
                 for claim, text in zip(shown[::2], shown[1::2], strict=True)}
        return {claim: re.findall(r"\w+", line[1]) for claim, line in lines.items() if line}


def token_of(replay_line: str) -> str:
    return shlex.split(replay_line)[2]


def used() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def execute(command: Sequence[str], **options: Any) -> Run:
    before = used()
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                          timeout=600, check=False, **options)
    return Run(done.returncode, done.stdout, done.stderr, used() - before)


def oracle(*words: str, port: Sequence[str] = (), **options: Any) -> Run:
    return execute([PROGRAMS["backoff-oracle"], *words, *(["--", *port] if port else [])], **options)


def check(port: Sequence[str], *options: str, cases: int = 200, system: str = SYSTEM, **more: Any) -> Run:
    return oracle("check", system, "--cases", str(cases), *options, port=port, **more)


def listed() -> list[dict[str, Any]]:
    systems: list[dict[str, Any]] = json.loads(oracle("list", "--json").out)["systems"]
    return systems


def built_in(name: str) -> list[str]:
    return [PROGRAMS["backoff-port"], name, MARK]


def test_port(module: ModuleType, name: str) -> list[str]:
    assert module.__file__ is not None
    return [sys.executable, "-B", "-S", "-E", module.__file__, name, MARK]


def marked() -> list[int]:
    ids: list[int] = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{process}/cmdline", "rb") as command:
            if MARK.encode() in command.read():
                ids.append(int(process))
    return ids


def left_over() -> list[int]:
    """Marked processes that do not end; ends them."""
    end = time.monotonic() + 1
    while (ids := marked()) and time.monotonic() < end:
        time.sleep(0.01)
    for process in ids:
        os.kill(process, signal.SIGKILL)
    return ids
