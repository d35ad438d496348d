#!/usr/bin/python3
"""Shows that coverage_gate is right: about complete programs and about planted gaps, those of fixtures/.

A fixture is a folder with a small program. Its .hpp become lib/include of a tree that exists only for the test; a line
that the gate has to name carries `// GAP`, and the gate may name no other.

Run it without arguments.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
from collections.abc import Sequence
from typing import Any, Self

HERE = pathlib.Path(__file__).resolve().parent
PLAIN = ["clang++-19", "-std=c++20", "-O0"]
PRESETS = json.loads((HERE.parent / "CMakePresets.json").read_text())["configurePresets"]
COVERAGE = next(one["cacheVariables"]["BACKOFF_INSTRUMENTATION"] for one in PRESETS if one["name"] == "coverage").split(";")


class Project:
    """A fixture in a tree of its own."""

    def __init__(self, directory: pathlib.Path, fixture: pathlib.Path) -> None:
        self.directory, self.source = directory, directory / "source"
        self.include = self.source / "lib" / "include"
        self.include.mkdir(parents=True)
        for file in fixture.iterdir():
            shutil.copy(file, {".hpp": self.include, ".h": self.include.parent}.get(file.suffix, self.source))
        self.program, self.profile = directory / "program", directory / "profile"

    def compile(self, options: Sequence[str] = tuple(COVERAGE)) -> Self:
        """As one program; a decision that cannot be measured is only a warning."""
        subprocess.run([*PLAIN, *options, f"-I{self.include}", *self.source.glob("*.cpp"), HERE / "edges.cpp", "-o", self.program],
                       check=True, stderr=subprocess.DEVNULL)
        return self

    def run(self) -> Self:
        subprocess.run([self.program], check=True, env=os.environ | {"LLVM_PROFILE_FILE": str(self.profile)})
        return self

    def gate(self, *arguments: str | pathlib.Path, root: str = "lib/include") -> subprocess.CompletedProcess[str]:
        return subprocess.run([HERE / "coverage_gate", "--program", self.program, "--profile", self.profile, "--source", self.source,
                               "--root", root, *arguments], capture_output=True, text=True, check=False)

    def marked(self) -> set[str]:
        return {f"lib/include/{header.name}:{number}"
                for header in self.include.glob("*.hpp")
                for number, line in enumerate(header.read_text().splitlines(), 1) if re.search(r"// .*\bGAP\b", line)}


class GateTest(unittest.TestCase):
    def setUp(self) -> None:
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def measured(self, fixture: str) -> Project:
        return Project(self.directory, HERE / "fixtures" / fixture).compile().run()

    def assert_gaps(self, project: Project, *what: str, lcov_sees_it: bool = True) -> None:
        """The gate fails, names exactly the marked lines and says what is wrong."""
        done = project.gate()
        gaps = [line for line in done.stdout.splitlines() if ": lcov: " not in line]
        named = {match[0] for match in (re.match(r"lib/include/[^:]+:\d+", line) for line in gaps) if match}
        self.assertEqual(named, project.marked(), done.stdout + done.stderr)
        for text in what:
            self.assertIn(text, done.stdout)
        self.assertEqual(": lcov: " in done.stdout, lcov_sees_it, done.stdout)
        self.assertEqual(done.returncode, 1)

    def assert_unusable(self, done: subprocess.CompletedProcess[str], what: str) -> None:
        self.assertRegex(done.stderr, what)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.returncode, 2)


class Verdicts(GateTest):
    def test_complete(self) -> None:
        html = self.directory / "html"
        done = self.measured("covered").gate("--html", html)
        self.assertEqual(done.stdout, "coverage gate: 1 files, 19 instances, 26 of 26 branches, 2 of 2 conditions, "
                                      "lcov: 26 of 26 branches, 0 problems\n", done.stderr)
        self.assertEqual(done.returncode, 0)
        self.assertIn("shapes.hpp", "".join(page.read_text() for page in html.rglob("index.html")))

    def branches(self, fixture: str) -> Any:
        file = self.directory / "branches.json"
        self.measured(fixture).gate("--json", file)
        return json.loads(file.read_text())

    def test_json(self) -> None:
        self.assertEqual(self.branches("hidden_instance"), [
            {"path": "lib/include/clamp.hpp", "line": 5, "name": "at_most_ten", "instances": 2, "branches": 4, "taken": 3}])

    def test_json_counts_lambdas_where_they_stand(self) -> None:  # two instances, each with a lambda
        self.assertEqual(self.branches("hidden_lambda"), [
            {"path": "lib/include/clamp.hpp", "line": 5, "name": "at_most", "instances": 4, "branches": 4, "taken": 3}])

    def test_untaken_branch(self) -> None:
        self.assert_gaps(self.measured("untaken_branch"), "sign.hpp:6: `value < 0` was never true in sign(int)\n", "0 of 0 conditions",
                         "sign.hpp:6: lcov: 1 of 2 branches, 4 of 5 lines\n")

    def test_region_never_reached(self) -> None:
        self.assert_gaps(self.measured("unreached"), "0 of 2 conditions",
                         "sign.hpp:7: `return strict && value == 0 ? 0 : -1` never executed in sign(int, bool)\n")

    def test_one_instance_hides_behind_another(self) -> None:
        self.assert_gaps(self.measured("hidden_instance"), "`value > 10` was never true in unsigned int at_most_ten<unsigned int>")

    def test_instance_of_a_lambda_hides_behind_another(self) -> None:
        self.assert_gaps(self.measured("hidden_lambda"), "`number > limit` was never true in int at_most<int>(int, int)::'lambda'")

    def test_instance_of_a_local_type_hides_behind_another(self) -> None:
        self.assert_gaps(self.measured("hidden_local"), "was never false in int capped<(anonymous namespace)::limit>(int)\n",
                         "was never true in int capped<(anonymous namespace)::limit>(int)\n")

    def test_unused_inline_function(self) -> None:
        self.assert_gaps(self.measured("unused_inline"), "twice.hpp:9: never executed: thrice(int)", "never executed: never_emitted(int)")

    def test_instance_only_in_static_assert(self) -> None:
        self.assert_gaps(self.measured("only_static_assert"), "never executed: int larger<int>")


class Conditions(GateTest):
    def test_condition_that_never_decides(self) -> None:
        self.assert_gaps(self.measured("condition_gap"), "window.hpp:6: condition 2 of 3, `warm`, of `(hot || warm) && dry` "
                         "never shown to decide alone in opens(bool, bool, bool)\n",
                         "6 of 6 branches, 2 of 3 conditions", lcov_sees_it=False)

    def test_one_instance_hides_behind_another(self) -> None:
        self.assert_gaps(self.measured("hidden_condition"), "condition 2 of 2, `value < 10`, of `value > 0 && value < 10` "
                         "never shown to decide alone in bool in_range<int>(int)",
                         "`value < 10` was never false in bool in_range<int>(int)", "3 of 4 conditions")

    def test_decision_that_clang_does_not_measure(self) -> None:
        self.assert_gaps(self.measured("unmeasured"), "decision beginning with `one > 0` has no MC/DC record", "10 of 10 branches",
                         lcov_sees_it=False)

    def test_compiled_without_mcdc(self) -> None:
        project = self.measured("hidden_condition").compile([one for one in COVERAGE if one != "-fcoverage-mcdc"]).run()
        self.assert_gaps(project, "decision beginning with `value > 0` has no MC/DC record")

    def test_constant_condition(self) -> None:
        self.assert_gaps(self.measured("constant_condition"), "1 of the conditions of `sizeof(T) > 2 && value < 0` that are not constant "
                         "never shown to decide alone", "1 of 2 conditions")

    def test_decision_in_a_macro(self) -> None:
        self.assert_gaps(self.measured("in_macro"), "condition 2 of 2, `BOTH`, of `BOTH` never shown to decide alone in positive(int, int)",
                         "condition 2 of 2, `IS_POSITIVE`, of `other && IS_POSITIVE` never shown",
                         "condition 2 of 2, `IS_BIG`, of `other && IS_BIG` never shown", "3 of 6 conditions")


class Edges(GateTest):
    def test_exception(self) -> None:
        self.assert_gaps(self.measured("exception_edge"), "never taken in guarded(int)\n", lcov_sees_it=False)

    def test_condition_in_implicit_constructor(self) -> None:
        self.assert_gaps(self.measured("member_initialiser"), "edge 3 of 4 never taken in Setting::Setting()\n", lcov_sees_it=False)


class Presence(GateTest):
    def test_uninstantiated_template(self) -> None:
        self.assert_gaps(self.measured("uninstantiated"), "twice.hpp:10: function thrice was never compiled into the program: no instance",
                         "twice.hpp:15: lambda was never compiled", lcov_sees_it=False)

    def test_arm_no_instance_selects(self) -> None:
        self.assert_gaps(self.measured("unselected_arm"), "arm of `if constexpr` was never compiled", lcov_sees_it=False)

    def test_function_made_by_macro(self) -> None:
        self.assert_gaps(self.measured("macro_made"), "ctags does not see", lcov_sees_it=False)

    def test_file_in_no_test(self) -> None:
        project = self.measured("forgotten_file")
        self.assert_gaps(project, "no function of this file", lcov_sees_it=False)
        self.assertEqual(project.gate("--tests", "other*").returncode, 1)
        self.assertEqual(project.gate("--tests", "forgotten.?pp").returncode, 0)


class Freshness(GateTest):
    def test_never_run(self) -> None:
        project = self.measured("untaken_branch")
        project.profile.unlink()
        self.assert_unusable(project.gate(), "profile: no test has run")

    def test_run_without_edges(self) -> None:
        project = self.measured("untaken_branch")
        edges = self.directory / "profile.edges"
        edges.write_bytes(edges.read_bytes()[:-8])
        self.assert_unusable(project.gate(), "profile.edges: has not the edges of a whole program")
        edges.unlink()
        self.assert_unusable(project.gate(), "profile.edges: no test has run")

    def test_profile_older_than_program(self) -> None:
        project = self.measured("untaken_branch")
        for name in ("profile", "profile.edges"):
            with self.subTest(name):
                project.run()
                linked = project.program.stat().st_mtime_ns
                os.utime(self.directory / name, ns=(linked - 1, linked - 1))
                self.assert_unusable(project.gate(), f"{name}: stale: older than")

    def test_profile_of_another_build(self) -> None:
        project = self.measured("untaken_branch")
        header = project.include / "sign.hpp"
        header.write_text(header.read_text().replace("return 1;", "return value > 5 ? 2 : 1;"))
        project.compile()
        for file in self.directory.glob("profile*"):
            os.utime(file)
        self.assert_unusable(project.gate(), "stale: profile and program are of different builds")

    def test_source_changed_since(self) -> None:
        project = self.measured("untaken_branch")
        later = project.program.stat().st_mtime_ns + 1
        os.utime(project.include / "sign.hpp", ns=(later, later))
        self.assert_unusable(project.gate(), "stale: lib/include/sign.hpp has changed")

    def test_broken_profile(self) -> None:
        project = self.measured("untaken_branch")
        project.profile.write_text("no profile")
        self.assert_unusable(project.gate(), "llvm-profdata-19 failed")

    def test_program_without_coverage(self) -> None:
        project = self.measured("untaken_branch").compile(options=[])
        for file in self.directory.glob("profile*"):
            os.utime(file)
        self.assert_unusable(project.gate(), "llvm-cov-19 failed: .*no coverage data")

    def test_roots(self) -> None:
        project = self.measured("untaken_branch")
        self.assert_unusable(project.gate("--root", "spec/model"), "no such directory or file")
        (project.source / "empty").mkdir()
        self.assert_unusable(project.gate("--root", "empty"), "no function of empty is in the program")


class ExclusionFile(GateTest):
    """On `untaken_branch`, whose two gaps are on the lines BRANCH and RETURN."""
    BRANCH = "lib/include/sign.hpp | if (value < 0) // GAP LCOV_EXCL_LINE | values are never negative\n"
    RETURN = "lib/include/sign.hpp | return -1; // GAP LCOV_EXCL_LINE | follows from the one above\n"

    def gate_with(self, exclusions: str, addition: str = "", fixture: str = "untaken_branch") -> subprocess.CompletedProcess[str]:
        file = self.directory / "exclusions"
        file.write_text(exclusions)
        project = Project(self.directory, HERE / "fixtures" / fixture)
        for header in project.include.glob("*.hpp"):
            header.write_text(header.read_text() + addition)
        return project.compile().run().gate("--exclusions", file)

    def test_matching(self) -> None:
        done = self.gate_with("# what no test can reach\n\n" + self.BRANCH + self.RETURN)
        self.assertEqual(done.stdout, "coverage gate: 1 files, 1 instances, 1 of 2 branches, 0 of 0 conditions, "
                                      "lcov: 1 of 2 branches, 2 gaps excluded, 0 problems\n")
        self.assertEqual(done.returncode, 0)

    def test_covers_only_its_line(self) -> None:
        done = self.gate_with(self.BRANCH)
        self.assertRegex(done.stdout, r"\Alib/include/sign.hpp:7: `return -1` never executed in sign\(int\)\n"
                                      r"lib/include/sign.hpp:7: lcov: 1 of 2 branches, 4 of 5 lines\n.*, 2 problems\n\Z")
        self.assertEqual(done.returncode, 1)

    def test_covers_a_whole_function_at_its_brace(self) -> None:
        done = self.gate_with("lib/include/larger.hpp | { // GAP | not yet used\n", fixture="only_static_assert")
        self.assertRegex(done.stdout, r"\A.*, 1 gaps excluded, 0 problems\n\Z")
        self.assertEqual(done.returncode, 0)

    def test_stale(self) -> None:
        done = self.gate_with(self.BRANCH + self.RETURN + "lib/include/sign.hpp | return 1; | once needed\n")
        self.assertIn("exclusions:3: stale exclusion", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_ambiguous(self) -> None:
        done = self.gate_with(self.BRANCH + self.RETURN, "#if 0\nreturn -1; // GAP LCOV_EXCL_LINE\n#endif\n")
        self.assertIn("exclusions:2: ambiguous exclusion", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_without_reason(self) -> None:
        project, file = self.measured("untaken_branch"), self.directory / "exclusions"
        for ending in ("", " |", " | "):
            with self.subTest(ending):
                file.write_text(f"lib/include/sign.hpp | return -1; // GAP{ending}\n")
                self.assert_unusable(project.gate("--exclusions", file), "exclusions:1: not `path")


if __name__ == "__main__":
    unittest.main()
