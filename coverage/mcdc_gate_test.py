#!/usr/bin/python3
"""Shows that mcdc_gate is right: about complete programs and about planted gaps, those of mcdc_fixtures/.

Run it without arguments.
"""
import os
import pathlib
import re
import subprocess
import sys
import unittest
from collections.abc import Sequence
from typing import Self

sys.dont_write_bytecode = True
import gate_fixtures  # noqa: E402

PLAIN = ["clang++-19", "-std=c++20", "-O0"]
COVERAGE = ["-fprofile-instr-generate", "-fcoverage-mapping"]
MCDC = [*COVERAGE, "-fcoverage-mcdc"]


class Project(gate_fixtures.Project):
    def __init__(self, directory: pathlib.Path, fixture: pathlib.Path) -> None:
        super().__init__(directory, fixture)
        self.profiles, self.program = directory / "profiles", directory / "program"

    def compile(self, options: Sequence[str] = tuple(MCDC)) -> Self:
        """As one program; a decision that cannot be measured is only a warning."""
        subprocess.run([*PLAIN, *options, f"-I{self.include}", *self.sources, "-o", self.program],
                       check=True, stderr=subprocess.DEVNULL)
        return self

    def run(self) -> Self:
        where = {"LLVM_PROFILE_FILE": str(self.profiles / "%m.profraw")}
        subprocess.run([self.program], check=True, env=os.environ | where)
        return self

    def profile(self) -> pathlib.Path:
        (profile,) = self.profiles.iterdir()
        return profile

    def gate(self, *arguments: str | pathlib.Path, root: str = "lib/include",
             profile: pathlib.Path | None = None) -> subprocess.CompletedProcess[str]:
        return self.call("mcdc_gate", "--binary", self.program, "--profile", profile or self.profiles, *arguments, root=root)


class GateTest(gate_fixtures.GateTest[Project]):
    project_type, fixtures = Project, "mcdc_fixtures"

    def assert_gaps(self, project: Project, *what: str) -> None:
        """The gate fails, names exactly the marked lines and says what is wrong."""
        done = project.gate()
        named = set(re.findall(r"^(lib/include/[^:]+:\d+): ", done.stdout, re.MULTILINE))
        self.assertEqual(named, project.marked(), done.stdout + done.stderr)
        for text in what:
            self.assertIn(text, done.stdout)
        self.assertEqual(done.returncode, 1)


class Verdicts(GateTest):
    def test_complete(self) -> None:
        done = self.project("covered").compile().run().gate()
        self.assertEqual(done.stdout, "mcdc gate: 1 files, 7 instances, 14 of 14 branches, "
                                      "2 of 2 conditions, 0 problems\n", done.stderr)
        self.assertEqual(done.returncode, 0)

    def test_condition_that_never_decides(self) -> None:
        project = self.project("condition_gap").compile().run()
        self.assert_gaps(project, "window.hpp:6: condition 2 of 3, `warm`, of `(hot || warm) && dry` "
                                  "never shown to decide alone in opens(bool, bool, bool)\n",
                         "6 of 6 branches, 2 of 3 conditions, 1 problems")

    def test_one_instance_hides_behind_another(self) -> None:
        project = self.project("hidden_instance").compile().run()
        self.assert_gaps(project, "condition 2 of 2, `value < 10`, of `value > 0 && value < 10` "
                                  "never shown to decide alone in bool in_range<int>(int)",
                         "`value < 10` was never false in bool in_range<int>(int)", "3 of 4 conditions, 2 problems")

    def test_unused_inline_function(self) -> None:
        self.assert_gaps(self.project("unused_inline").compile().run(), "twice.hpp:9: never executed: thrice(int)")

    def test_instance_only_in_static_assert(self) -> None:
        self.assert_gaps(self.project("only_static_assert").compile().run(), "never executed: long larger<long>")

    def test_untaken_branch_of_a_single_condition(self) -> None:
        self.assert_gaps(self.project("untaken_branch").compile().run(),
                         "sign.hpp:5: `value < 0` was never true in sign(int)",
                         "0 of 0 conditions")

    def test_region_never_reached(self) -> None:
        self.assert_gaps(self.project("unreached").compile().run(),
                         "sign.hpp:7: `return strict && value == 0 ? 0 : -1` never executed in sign(int, bool)",
                         "0 of 2 conditions, 2 problems")

    def test_decision_that_clang_does_not_measure(self) -> None:
        self.assert_gaps(self.project("unmeasured").compile().run(),
                         "decision beginning with `one > 0` has no MC/DC record", "10 of 10 branches")

    def test_compiled_without_mcdc(self) -> None:
        self.assert_gaps(self.project("hidden_instance").compile(COVERAGE).run(),
                         "decision beginning with `value > 0` has no MC/DC record")

    def test_constant_condition(self) -> None:
        self.assert_gaps(self.project("constant_condition").compile().run(),
                         "1 of the conditions of `sizeof(T) > 2 && value < 0` that are not constant "
                         "never shown to decide alone", "1 of 2 conditions, 2 problems")

    def test_decision_in_a_macro(self) -> None:
        self.assert_gaps(self.project("in_macro").compile().run(),
                         "condition 2 of 2, `BOTH`, of `BOTH` never shown to decide alone in positive(int, int)",
                         "condition 2 of 2, `IS_POSITIVE`, of `other && IS_POSITIVE` never shown",
                         "condition 2 of 2, `IS_BIG`, of `other && IS_BIG` never shown", "3 of 6 conditions")


class Freshness(GateTest):
    def test_no_profile(self) -> None:
        project = self.project("untaken_branch").compile()
        project.profiles.mkdir()
        self.assert_unusable(project.gate(), "no .profraw in .*: no test has run")
        self.assert_unusable(project.gate(profile=self.directory / "absent.profraw"), "absent.profraw")

    def test_profile_older_than_program(self) -> None:
        project = self.project("untaken_branch").compile().run()
        linked = project.program.stat().st_mtime_ns
        os.utime(project.profile(), ns=(linked - 1, linked - 1))
        self.assert_unusable(project.gate(), "profraw: stale: older than")

    def test_profile_of_another_build(self) -> None:
        project = self.project("untaken_branch").compile().run()
        header = project.include / "sign.hpp"
        header.write_text(header.read_text().replace("return 1;", "return value > 5 ? 2 : 1;"))
        project.compile()
        os.utime(project.profile())
        self.assert_unusable(project.gate(), "stale: profile and program are of different builds")

    def test_source_changed_since(self) -> None:
        project = self.project("untaken_branch").compile().run()
        later = project.program.stat().st_mtime_ns + 1
        os.utime(project.include / "sign.hpp", ns=(later, later))
        self.assert_unusable(project.gate(), "stale: lib/include/sign.hpp has changed")

    def test_broken_profile(self) -> None:
        project = self.project("untaken_branch").compile().run()
        (project.profiles / "broken.profraw").write_text("no profile")
        self.assert_unusable(project.gate(), "llvm-profdata-19 failed")

    def test_program_without_coverage(self) -> None:
        project = self.project("untaken_branch").compile().run()
        project.compile(options=[])
        os.utime(project.profile())
        self.assert_unusable(project.gate(), "llvm-cov-19 failed: .*no coverage data")

    def test_roots(self) -> None:
        project = self.project("untaken_branch").compile().run()
        self.assert_unusable(project.gate("--root", "spec/model"), "no such directory or file")
        (project.source / "empty").mkdir()
        self.assert_unusable(project.gate("--root", "empty"), "no function of empty is in the programs")


class ExclusionFile(gate_fixtures.ExclusionFile[Project], GateTest):
    BRANCH = "lib/include/sign.hpp | if (value < 0) // GAP | values are never negative\n"
    complete = "mcdc gate: 1 files, 1 instances, 1 of 2 branches, 0 of 0 conditions, 2 gaps excluded, 0 problems\n"
    return_never_executed = ["sign.hpp:6: `return -1` never executed in sign(int)"]


if __name__ == "__main__":
    unittest.main()
