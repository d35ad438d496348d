#!/usr/bin/python3
"""Shows that coverage_gate is right: about complete programs and about planted gaps, those of fixtures/.

A fixture is a header, and below it the program that tests it: each file after a line `// ==== NAME`. The .hpp become lib/include of
a tree that exists only for the test; a line that the gate has to name carries `// GAP`, and the gate may name no other.

Run it without arguments.
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
from collections.abc import Sequence
from typing import Self

HERE = pathlib.Path(__file__).resolve().parent
FIXTURES = HERE / "fixtures"
PRESETS = json.loads((HERE.parent / "CMakePresets.json").read_text())["configurePresets"]
COVERAGE = next(one["cacheVariables"]["BACKOFF_INSTRUMENTATION"] for one in PRESETS if one["name"] == "coverage").split(";")

# fixture -> what the gate says about it
GAPS: dict[str, list[str]] = {
    "untaken_branch": ["untaken_branch.hpp:6: `value < 0` was never true in sign(int)\n", "lcov: 4 of 5 lines, 1 of 2 branches"],
    "unreached": ["unreached.hpp:7: `return strict && value == 0 ? 0 : -1` never executed in sign(int, bool)\n", "0 of 2 conditions"],
    # One instance hides behind another.
    "hidden_instance": ["`value > 10` was never true in unsigned int at_most_ten<unsigned int>", "lcov: 4 of 6 lines, 3 of 4 branches"],
    "hidden_lambda": ["`number > limit` was never true in int at_most<int>(int, int)::'lambda'"],
    "hidden_local": ["was never false in int capped<(anonymous namespace)::limit>(int)\n",
                     "was never true in int capped<(anonymous namespace)::limit>(int)\n"],
    "hidden_condition": ["1 of 2 conditions of `value > 0 && value < 10` never shown to decide alone "
                         "in bool in_range<int>(int): `value < 10`\n", "3 of 4 conditions",
                         "`value < 10` was never false in bool in_range<int>(int)"],
    "unused_inline": ["unused_inline.hpp:9: never executed: thrice(int)", "never executed: never_emitted(int)"],
    "only_static_assert": ["never executed: int larger<int>"],
    "condition_gap": ["condition_gap.hpp:6: 1 of 3 conditions of `(hot || warm) && dry` never shown to decide alone "
                      "in opens(bool, bool, bool): `warm`\n", "2 of 3 conditions", "lcov: 3 of 3 lines, 6 of 6 branches"],
    "unmeasured": ["decision beginning with `one > 0` has no MC/DC record", "10 of 10 branches"],
    "constant_condition": ["1 of 1 conditions of `sizeof(T) > 2 && value < 0` never shown to decide alone", "1 of 2 conditions"],
    "in_macro": ["1 of 2 conditions of `BOTH` never shown to decide alone in positive(int, int): `BOTH`\n",
                 "1 of 2 conditions of `other && IS_POSITIVE` never shown to decide alone in mixed(int, bool): `IS_POSITIVE`\n",
                 "1 of 2 conditions of `other && IS_BIG` never shown to decide alone in mixed_here(int, bool): `IS_BIG`\n",
                 "3 of 6 conditions"],
    # What nobody compiled.
    "uninstantiated": ["uninstantiated.hpp:10: function thrice was never compiled into the program: no instance",
                       "uninstantiated.hpp:15: lambda was never"],
    "unselected_arm": ["arm of `if constexpr` was never compiled"],
    "macro_made": ["ctags does not see"],
    "forgotten_file": ["no function of this file"],
}


class Project:
    """A fixture in a tree of its own."""

    def __init__(self, directory: pathlib.Path, fixture: str) -> None:
        self.directory, self.source = directory, directory / "source"
        self.include = self.source / "lib" / "include"
        self.include.mkdir(parents=True)
        header = FIXTURES / f"{fixture}.hpp"
        _, *files = re.split(r"^// ==== (\S+)\n", f"// ==== {header.name}\n{header.read_text()}", flags=re.MULTILINE)
        if not any(name.endswith(".cpp") for name in files[::2]):
            raise ValueError(f"{header}: expected a program below the header, after a line '// ==== NAME.cpp'")
        for name, text in zip(files[::2], files[1::2], strict=True):
            ({".hpp": self.include, ".h": self.include.parent}.get(pathlib.Path(name).suffix, self.source) / name).write_text(text)
        self.program, self.profile = directory / "program", directory / "profile"

    def compile(self, options: Sequence[str] = tuple(COVERAGE)) -> Self:
        """As one program; a decision that cannot be measured is only a warning."""
        subprocess.run(["clang++-19", "-std=c++20", *options, f"-I{self.include}", *self.source.glob("*.cpp"), "-o", self.program],
                       check=True, stderr=subprocess.DEVNULL)
        return self

    def run(self) -> Self:
        subprocess.run([self.program], check=True, env=os.environ | {"LLVM_PROFILE_FILE": str(self.profile)})
        return self

    def gate(self, *arguments: str | pathlib.Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([HERE / "coverage_gate", "--program", self.program, "--profile", self.profile, "--source", self.source,
                               "--root", "lib/include", *arguments], capture_output=True, text=True, check=False)

    def marked(self) -> set[str]:
        return {f"lib/include/{header.name}:{number}"
                for header in self.include.glob("*.hpp")
                for number, line in enumerate(header.read_text().splitlines(), 1) if re.search(r"// .*\bGAP\b", line)}


class GateTest(unittest.TestCase):
    def project(self, fixture: str) -> Project:
        return Project(pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())), fixture)

    def measured(self, fixture: str = "untaken_branch") -> Project:
        return self.project(fixture).compile().run()

    def assert_gaps(self, project: Project, *what: str) -> None:
        """The gate fails, names exactly the marked lines and says what is wrong."""
        done = project.gate()
        self.assertEqual(set(re.findall(r"^lib/include/[^:]+:\d+", done.stdout, re.MULTILINE)), project.marked(), done.stdout + done.stderr)
        for text in what:
            self.assertIn(text, done.stdout)
        self.assertEqual(done.returncode, 1)

    def assert_unusable(self, done: subprocess.CompletedProcess[str], what: str) -> None:
        self.assertRegex(done.stderr, what)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.returncode, 2)


class Verdicts(GateTest):
    def test_complete(self) -> None:
        project = self.measured("covered")
        done = project.gate("--html", project.directory / "html")
        self.assertEqual(done.stdout, "coverage gate: 1 files, 19 instances, 2 of 2 conditions, "
                                      "lcov: 52 of 52 lines, 26 of 26 branches, 0 problems\n", done.stderr)
        self.assertEqual(done.returncode, 0)
        pages = "".join(page.read_text() for page in (project.directory / "html").rglob("index.html"))
        self.assertIn("covered.hpp", pages)
        self.assertEqual(set(re.findall(r">([\d.]+)&nbsp;%<", pages)), {"100.0"})

    def test_gaps(self) -> None:
        self.assertEqual({*GAPS, "covered"}, {file.stem for file in FIXTURES.iterdir()})
        for fixture, what in GAPS.items():
            with self.subTest(fixture):
                self.assert_gaps(self.measured(fixture), *what)

    def test_compiled_without_mcdc(self) -> None:
        project = self.project("hidden_condition").compile([one for one in COVERAGE if one != "-fcoverage-mcdc"]).run()
        self.assert_gaps(project, "decision beginning with `value > 0` has no MC/DC record")

    def test_files_that_are_tests(self) -> None:
        project = self.measured("forgotten_file")
        self.assertEqual(project.gate("--tests", "other*").returncode, 1)
        self.assertEqual(project.gate("--tests", "forgotten_file.?pp").returncode, 0)


class Freshness(GateTest):
    def test_never_run(self) -> None:
        self.assert_unusable(self.project("untaken_branch").compile().gate(), "profile: no test has run")

    def test_profile_older_than_program(self) -> None:
        project = self.measured()
        linked = project.program.stat().st_mtime_ns
        os.utime(project.profile, ns=(linked - 1, linked - 1))
        self.assert_unusable(project.gate(), "profile: stale: older than")

    def test_profile_of_another_build(self) -> None:
        project = self.measured()
        header = project.include / "untaken_branch.hpp"
        header.write_text(header.read_text().replace("return 1;", "return value > 5 ? 2 : 1;"))
        project.compile().profile.touch()
        self.assert_unusable(project.gate(), "stale: profile and program are of different builds")

    def test_source_changed_since(self) -> None:
        project = self.measured()
        later = project.program.stat().st_mtime_ns + 1
        (project.include / "untaken_branch.hpp").write_text("")
        os.utime(project.include / "untaken_branch.hpp", ns=(later, later))
        self.assert_unusable(project.gate(), "stale: lib/include/untaken_branch.hpp has changed")

    def test_broken_profile(self) -> None:
        project = self.measured()
        project.profile.write_text("no profile")
        self.assert_unusable(project.gate(), "llvm-profdata-19 failed")

    def test_program_without_coverage(self) -> None:
        project = self.measured().compile(options=[])
        project.profile.touch()
        self.assert_unusable(project.gate(), "llvm-cov-19 failed: .*no coverage data")

    def test_roots(self) -> None:
        project = self.measured()
        (project.source / "empty").mkdir()
        for root in ("spec/model", "empty"):
            with self.subTest(root):
                self.assert_unusable(project.gate("--root", root), f"no file to measure: .*{root}")


class Exclusions(GateTest):
    """On `untaken_branch`, whose two gaps are on the lines BRANCH and RETURN."""
    BRANCH = "lib/include/untaken_branch.hpp | if (value < 0) // GAP LCOV_EXCL_LINE | values are never negative\n"
    RETURN = "lib/include/untaken_branch.hpp | return -1; // GAP LCOV_EXCL_LINE | follows from the one above\n"

    def gate_with(self, exclusions: str, *arguments: str, addition: str = "",
                  fixture: str = "untaken_branch") -> subprocess.CompletedProcess[str]:
        project = self.project(fixture)
        file = project.directory / "exclusions"
        file.write_text(exclusions)
        for header in project.include.glob("*.hpp"):
            header.write_text(header.read_text() + addition)
        return project.compile().run().gate("--exclusions", file, *arguments)

    def test_matching(self) -> None:
        done = self.gate_with("# what no test can reach\n\n" + self.BRANCH + self.RETURN)
        self.assertRegex(done.stdout, r"\A.*, lcov: 3 of 3 lines, 2 gaps excluded, 0 problems\n\Z")
        self.assertEqual(done.returncode, 0)

    def test_covers_only_its_line(self) -> None:
        done = self.gate_with(self.BRANCH)
        self.assertRegex(done.stdout, r"\A/.*: lcov: 3 of 4 lines\n"
                                      r"lib/include/untaken_branch.hpp:7: `return -1` never executed in sign\(int\)\n.*, 2 problems\n\Z")
        self.assertEqual(done.returncode, 1)

    def test_covers_a_whole_function_at_its_brace(self) -> None:
        done = self.gate_with("lib/include/only_static_assert.hpp | { // GAP | not yet used\n", fixture="only_static_assert")
        self.assertRegex(done.stdout, r"\A.*, 1 gaps excluded, 0 problems\n\Z")
        self.assertEqual(done.returncode, 0)

    def test_stale(self) -> None:
        done = self.gate_with(self.BRANCH + self.RETURN + "lib/include/untaken_branch.hpp | return 1; | once needed\n")
        self.assertIn("exclusions:3: stale exclusion", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_of_a_file_that_another_run_measures(self) -> None:
        exclusions = self.BRANCH + self.RETURN + "test.cpp | int main(int one, char**) { return sign(one) - 1; } | once needed\n"
        self.assertEqual(self.gate_with(exclusions).returncode, 0)
        self.assertIn("exclusions:3: stale exclusion", self.gate_with(exclusions, "--root", "test.cpp").stdout)

    def test_ambiguous(self) -> None:
        done = self.gate_with(self.BRANCH + self.RETURN, addition="#if 0\nreturn -1; // GAP LCOV_EXCL_LINE\n#endif\n")
        self.assertIn("exclusions:2: ambiguous exclusion", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_no_exclusion(self) -> None:
        for line in ("lib/include/untaken_branch.hpp | return -1; // GAP", "lib/include/untaken_branch.hpp | return -1; // GAP |",
                     "lib/include/untaken_branch.hpp | return -1; // GAP | ", "lib/include/gone.hpp | return -1; // GAP | never"):
            with self.subTest(line):
                self.assert_unusable(self.gate_with(line + "\n"), "exclusions:1: not `path")


if __name__ == "__main__":
    unittest.main()
