"""Which tests come by which mutant, and how long they take: what does not come by a mutant cannot notice it."""
import collections
import math
import os
import pathlib
import subprocess
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mutation import mutants

Command = Sequence[str | pathlib.Path]

SWITCH = """#pragma once
#include <cstdio>
#include <cstdlib>
#include <type_traits>
namespace mutation {
inline int const chosen = std::getenv("MUTANT") ? std::atoi(std::getenv("MUTANT")) : 0;
inline bool reached[1 << 20];
struct record {
  record() = default;
  record(record const&) = delete;
  ~record() {
    std::FILE* const to = std::getenv("REACHED") ? std::fopen(std::getenv("REACHED"), "w") : nullptr;
    for (unsigned id = 0; to && id < sizeof reached; ++id) if (reached[id]) std::fprintf(to, "%u\\n", id);
    if (to) std::fclose(to);
  }
};
inline record const kept;
inline bool late(int id) noexcept { reached[id] = true; return chosen == id; }  // never in constant evaluation
constexpr bool on(int id) noexcept { return !__builtin_is_constant_evaluated() && late(id); }
template <class T, class V = std::remove_cvref_t<T>> constexpr auto as(int n) noexcept {
  if constexpr (requires { static_cast<V>(n); }) return static_cast<V>(n); else return V();
}
}  // namespace mutation
"""

QUICK = 0.1  # seconds of processor time of the tests that a mutant meets first


def run(command: Command, number: int = 0, limit: int = 600, reached: pathlib.Path | None = None) -> tuple[bool, float]:
    """Whether the command succeeds, and its seconds of processor time, which do not depend on what else the machine does."""
    environment = {**os.environ, "MUTANT": str(number)} | ({"REACHED": str(reached)} if reached else {})
    with subprocess.Popen(["prlimit", f"--cpu={limit}", "--core=0", *command], env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        _, child.returncode, used = os.wait4(child.pid, 0)
    return child.returncode == 0, used.ru_utime + used.ru_stime


class Runs(NamedTuple):
    """Of the original."""
    seconds: dict[str, float]  # of processor time, by the name of the test or command
    coming_by: dict[int, list[str]]  # mutant number -> names

    def of(self, number: int) -> dict[str, float]:
        """The seconds of those that come by a mutant."""
        return {name: self.seconds[name] for name in self.coming_by.get(number, ())}


def tests_of(scratch: pathlib.Path, program: pathlib.Path, tests: str, jobs: int) -> Runs:
    """Of each test of a program by itself; what the program needs to start is not in its seconds."""
    listed = subprocess.run([program, "--gtest_list_tests", f"--gtest_filter={tests}"], capture_output=True, text=True,
                            check=True).stdout
    names: list[str] = []
    suite = ""
    for line in listed.splitlines():
        word = line.split("#")[0].rstrip()
        if line.startswith("  ") and suite + word.strip() not in names:  # two tests may have one name
            names.append(suite + word.strip())
        elif word.endswith("."):
            suite = word
    if not names:
        raise mutants.Unusable(f"{program.name} has no tests that match {tests}")
    idle = run([program, "--gtest_filter=-*"])[1]
    seconds: dict[str, float] = {}
    coming_by: dict[int, list[str]] = collections.defaultdict(list)

    def measure(name: str) -> None:
        reached = scratch / f"reached{names.index(name)}"
        passed, used = run([program, "--gtest_brief=1", f"--gtest_filter={name}"], reached=reached)
        if not passed:
            raise mutants.Unusable(f"{name} fails without any mutant")
        seconds[name] = max(0.0, used - idle)
        for number in map(int, reached.read_text().split()):
            coming_by[number].append(name)
        reached.unlink()

    mutants.for_each(measure, names, jobs)
    return Runs(seconds, coming_by)


def kills(program: pathlib.Path, tests: Mapping[str, float], number: int, briefly: bool = False) -> bool:
    """Whether one of these tests fails: name -> seconds. The quickest tests run first, because they notice most mutants. Each
    batch may take ten times as long as the one before. `briefly`: runs only tests that take one second together."""
    total = 0.0
    batches: dict[int, list[str]] = collections.defaultdict(list)
    for name in sorted(tests, key=tests.__getitem__):
        total += tests[name]
        if briefly and total > 1:
            break
        batches[max(0, math.ceil(math.log10(max(total, QUICK) / QUICK)))].append(name)
    return any(not run([program, "--gtest_brief=1", "--gtest_fail_fast", f"--gtest_filter={':'.join(some)}"], number,
                       math.ceil(1 + 4 * sum(tests[name] for name in some)))[0] for some in batches.values())
