#!/usr/bin/python3
"""Shows that branch_gate is right: about complete programs and about planted gaps, those of fixtures/.

Run it without arguments.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
from typing import Any, Self

sys.dont_write_bytecode = True
import gate_fixtures  # noqa: E402

COMPILE = ["g++-12", "-std=c++20", "-O0", "--coverage", "-fprofile-abs-path",
           "-fprofile-exclude-files=/usr/include/.*", "-fkeep-inline-functions", "-fno-inline"]


class Project(gate_fixtures.Project):
    def __init__(self, directory: pathlib.Path, fixture: pathlib.Path) -> None:
        super().__init__(directory, fixture)
        self.build = directory / "build"
        self.build.mkdir()

    def compile(self) -> Self:
        for source in self.sources:
            subprocess.run([*COMPILE, f"-I{self.include}", "-c", source,
                            "-o", self.build / f"{source.stem}.o"], check=True)
        return self

    def run(self, together: bool = False) -> Self:
        """Links each source into a program of its own, or all into one, and runs them."""
        objects = [self.build / f"{source.stem}.o" for source in self.sources]
        for group in [objects] if together else [[one] for one in objects]:
            program = group[0].with_suffix("")
            subprocess.run(["g++-12", "--coverage", *group, "-o", program], check=True)
            subprocess.run([program], check=True)
        return self

    def gate(self, *arguments: str | pathlib.Path, root: str = "lib/include") -> subprocess.CompletedProcess[str]:
        return self.call("branch_gate", "--build", self.build, *arguments, root=root)


def places(output: str, lcov: bool) -> set[str]:
    """The path:line of the problems lcov found, or of all the others."""
    lines = [line for line in output.splitlines() if (": lcov" in line) == lcov]
    return {match[0] for match in (re.match(r"lib/include/[^:]+:\d+", line) for line in lines) if match}


class GateTest(gate_fixtures.GateTest[Project]):
    project_type, fixtures = Project, "fixtures"

    def assert_gaps(self, project: Project, what: str, lcov_sees_it: bool) -> None:
        """The gate fails, names exactly the marked lines and says what is wrong."""
        done = project.gate()
        self.assertEqual(places(done.stdout, lcov=False), project.marked("GAP"), done.stdout + done.stderr)
        self.assertEqual(bool(places(done.stdout, lcov=True)), lcov_sees_it, done.stdout)
        self.assertRegex(done.stdout, what)
        self.assertEqual(done.returncode, 1)


class Verdicts(GateTest):
    def test_complete(self) -> None:
        done = self.project("covered").compile().run().gate()
        self.assertEqual(done.stdout, "branch gate: 1 files, 8 functions, 11 instances, "
                                      "12 of 12 branches, 0 problems\n", done.stderr)
        self.assertEqual(done.returncode, 0)

    def test_html(self) -> None:
        html = self.directory / "html"
        self.project("covered").compile().run().gate("--html", html)
        self.assertIn("shapes.hpp", "".join(page.read_text() for page in html.rglob("index.html")))

    def branches(self, fixture: str) -> Any:
        file = self.directory / "branches.json"
        self.project(fixture).compile().run().gate("--json", file)
        return json.loads(file.read_text())

    def test_json(self) -> None:
        self.assertEqual(self.branches("hidden_instance"), [
            {"path": "lib/include/clamp.hpp", "line": 5, "name": "at_most_ten", "instances": 2, "branches": 4, "taken": 3}])

    def test_json_counts_lambdas_where_they_stand(self) -> None:  # three instances, each with a lambda; of one a branch was taken nowhere
        self.assertEqual(self.branches("hidden_lambda"), [
            {"path": "lib/include/clamp.hpp", "line": 7, "name": "at_most", "instances": 6, "branches": 6, "taken": 5}])

    def test_untaken_branch(self) -> None:
        self.assert_gaps(self.project("untaken_branch").compile().run(),
                         r"sign.hpp:5: branch 1 of 2 never taken in sign\(int\)", lcov_sees_it=True)

    def test_lcov_marker_hides_nothing(self) -> None:
        self.assert_gaps(self.project("marked_branch").compile().run(),
                         r"branch 1 of 2 never taken", lcov_sees_it=False)

    def test_one_instance_hides_behind_another(self) -> None:
        self.assert_gaps(self.project("hidden_instance").compile().run(),
                         r"never taken in unsigned int at_most_ten<unsigned int>", lcov_sees_it=False)

    def test_instance_of_a_lambda_hides_behind_another(self) -> None:
        self.assert_gaps(self.project("hidden_lambda").compile().run(),
                         r"never taken in at_most<int>\(int, int\)::\{lambda", lcov_sees_it=False)

    def test_uninstantiated_template(self) -> None:
        self.assert_gaps(self.project("uninstantiated").compile().run(),
                         "twice.hpp:10: function thrice was never compiled into a measured test: no instance",
                         lcov_sees_it=False)

    def test_unused_inline_function(self) -> None:
        self.assert_gaps(self.project("unused_inline").compile().run(),
                         r"never executed: thrice\(int\)", lcov_sees_it=True)

    def test_instance_only_in_static_assert(self) -> None:
        self.assert_gaps(self.project("only_static_assert").compile().run(),
                         r"never executed: int larger<int>", lcov_sees_it=True)

    def test_arm_no_instance_selects(self) -> None:
        self.assert_gaps(self.project("unselected_arm").compile().run(),
                         "arm of `if constexpr` was never compiled", lcov_sees_it=False)

    def test_exception_edge(self) -> None:
        self.assert_gaps(self.project("exception_edge").compile().run(),
                         r"branch 2 \(exception\) of 2 never taken in guarded\(int\)", lcov_sees_it=True)

    def test_condition_in_implicit_constructor(self) -> None:
        self.assert_gaps(self.project("member_initialiser").compile().run(),
                         r"branch 2 of 2 never taken in Setting::Setting\(\)", lcov_sees_it=False)

    def test_function_made_by_macro(self) -> None:
        self.assert_gaps(self.project("macro_made").compile().run(),
                         "ctags does not see", lcov_sees_it=False)

    def test_file_in_no_test(self) -> None:
        self.assert_gaps(self.project("forgotten_file").compile().run(),
                         "no function of this file", lcov_sees_it=False)

    def test_files_named_as_tests_are_not_measured(self) -> None:
        project = self.project("forgotten_file").compile().run()
        self.assertEqual(project.gate("--tests", "other*").returncode, 1)
        self.assertEqual(project.gate("--tests", "forgotten.?pp").returncode, 0)

    def test_copies_with_differing_graphs(self) -> None:
        # The discarded copy's edge is nobody's gap, but lcov cannot know that.
        project = self.project("differing_graphs").compile().run(together=True)
        done = project.gate()
        self.assertEqual(places(done.stdout, lcov=False), set(), done.stdout)
        self.assertEqual(places(done.stdout, lcov=True), project.marked("LCOV"))
        self.assertIn("though every instance is complete", done.stdout)
        self.assertEqual(done.returncode, 1)


class Freshness(GateTest):
    def test_never_run(self) -> None:
        self.assert_unusable(self.project("covered").compile().gate(), "no .gcda below")

    def test_one_program_never_run(self) -> None:
        project = self.project("covered").compile().run()
        (project.build / "u32.gcda").unlink()
        done = project.gate()
        self.assertIn("never executed: unsigned int halved_if_big<unsigned int", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_counts_older_than_notes(self) -> None:
        project = self.project("covered").compile().run()
        compiled = (project.build / "u16.gcno").stat().st_mtime_ns
        os.utime(project.build / "u16.gcda", ns=(compiled - 1, compiled - 1))
        self.assert_unusable(project.gate(), "u16.gcda: stale: older than its .gcno")

    def test_counts_of_another_build(self) -> None:
        project = self.project("covered").compile().run()
        shutil.copyfile(project.build / "u32.gcda", project.build / "u16.gcda")
        self.assert_unusable(project.gate(), "u16.gcda: stale: its notes file is of another build")

    def test_counts_without_notes(self) -> None:
        project = self.project("covered").compile().run()
        (project.build / "u16.gcno").unlink()
        self.assert_unusable(project.gate(), "u16.gcda: stale: there is no .gcno")

    def test_source_changed_since(self) -> None:
        project = self.project("covered").compile().run()
        later = (project.build / "u32.gcno").stat().st_mtime_ns + 1
        os.utime(project.include / "shapes.hpp", ns=(later, later))
        self.assert_unusable(project.gate(), "stale: lib/include/shapes.hpp has changed")

    def test_missing_root(self) -> None:
        project = self.project("covered").compile().run()
        self.assert_unusable(project.gate("--root", "spec/model"), "no such directory or file")

    def test_nothing_to_measure(self) -> None:
        project = self.project("covered").compile().run()
        (project.source / "types").mkdir()
        (project.source / "types" / "point.hpp").write_text("struct Point { int x, y; };\n")
        self.assert_unusable(project.gate(root="types"), "no function in any of the roots")

    def test_gcov_disagrees(self) -> None:
        project = self.project("covered").compile().run()
        gcov = self.directory / "gcov"
        gcov.write_text("""#!/bin/sh\ngcov-12 "$@" | sed 's/"throw": false/"throw": true/g'\n""")
        gcov.chmod(0o755)
        self.assert_unusable(project.gate("--gcov", gcov), "gcov and gcov_notes.py differ")


class ExclusionFile(gate_fixtures.ExclusionFile[Project], GateTest):
    BRANCH = "lib/include/sign.hpp | if (value < 0) { // GAP | values are never negative\n"
    complete = "branch gate: 1 files, 1 functions, 1 instances, 1 of 2 branches, 2 gaps excluded, 0 problems\n"
    return_never_executed = ["sign.hpp:6: line never executed", "sign.hpp:6: lcov"]

    def test_covers_a_whole_function_at_its_first_line(self) -> None:
        done = self.gate_with("lib/include/twice.hpp | inline int thrice(int value) noexcept // GAP | not yet used\n"
                              "lib/include/twice.hpp | static int never_emitted(int value) noexcept // GAP | not yet used\n",
                              fixture="unused_inline")
        self.assertRegex(done.stdout, r"\A.*, 2 gaps excluded, 0 problems\n\Z")
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
