#!/usr/bin/python3
"""Shows that branch_gate is right: about complete programs and about planted gaps.

Each directory of fixtures/ is a small program.  Its headers become lib/include
of a tree that exists only for the test; a line that the gate has to name
carries `// GAP`, and the gate may name no other.  Run it without arguments.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
COMPILE = ["g++-12", "-std=c++20", "-O0", "--coverage", "-fprofile-abs-path",
           "-fkeep-inline-functions", "-fno-inline"]


class Project:
    """A fixture in a tree of its own."""

    def __init__(self, directory, fixture):
        self.source, self.build = directory / "source", directory / "build"
        self.include = self.source / "lib" / "include"
        self.include.mkdir(parents=True)
        self.build.mkdir()
        for file in (HERE / "fixtures" / fixture).iterdir():
            shutil.copy(file, self.include if file.suffix == ".hpp" else self.source)
        self.programs = sorted(self.source.glob("*.cpp"))

    def compile(self):
        for program in self.programs:
            subprocess.run([*COMPILE, f"-I{self.include}", "-c", program,
                            "-o", self.build / f"{program.stem}.o"], check=True)
        return self

    def run(self, together=False):
        """Links each source into a program of its own, or all into one, and runs them."""
        objects = [self.build / f"{program.stem}.o" for program in self.programs]
        for group in [objects] if together else [[one] for one in objects]:
            program = group[0].with_suffix("")
            subprocess.run(["g++-12", "--coverage", *group, "-o", program], check=True)
            subprocess.run([program], check=True)
        return self

    def marked(self, marker):
        return {f"lib/include/{header.name}:{number}"
                for header in self.include.glob("*.hpp")
                for number, line in enumerate(header.read_text().splitlines(), 1)
                if re.search(rf"// .*\b{marker}\b", line)}

    def gate(self, *arguments, root="lib/include"):
        return subprocess.run(
            [HERE / "branch_gate", "--build", self.build, "--source", self.source,
             "--root", root, *arguments], capture_output=True, text=True, check=False)


def places(output, lcov):
    """The path:line of the problems lcov found, or of all the others."""
    lines = [line for line in output.splitlines() if (": lcov" in line) == lcov]
    return {match[0] for match in (re.match(r"lib/include/[^:]+:\d+", line) for line in lines) if match}


class GateTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)

    def project(self, fixture):
        return Project(self.directory, fixture)

    def assert_gaps(self, project, what, lcov_sees_it):
        """The gate fails, names exactly the marked lines and says what is wrong."""
        done = project.gate()
        self.assertEqual(places(done.stdout, lcov=False), project.marked("GAP"), done.stdout + done.stderr)
        self.assertEqual(bool(places(done.stdout, lcov=True)), lcov_sees_it, done.stdout)
        self.assertRegex(done.stdout, what)
        self.assertEqual(done.returncode, 1)

    def assert_unusable(self, done, what):
        self.assertRegex(done.stderr, what)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.returncode, 2)


class Verdicts(GateTest):
    def test_complete(self):
        done = self.project("covered").compile().run().gate()
        self.assertEqual(done.stdout, "branch gate: 1 files, 8 functions, 11 instances, "
                                      "12 of 12 branches, 0 problems\n", done.stderr)
        self.assertEqual(done.returncode, 0)

    def test_html(self):
        html = self.directory / "html"
        self.project("covered").compile().run().gate("--html", html)
        self.assertIn("shapes.hpp", "".join(page.read_text() for page in html.rglob("index.html")))

    def test_untaken_branch(self):
        self.assert_gaps(self.project("untaken_branch").compile().run(),
                         r"sign.hpp:5: branch 1 of 2 never taken in sign\(int\)", lcov_sees_it=True)

    def test_lcov_marker_hides_nothing(self):
        self.assert_gaps(self.project("marked_branch").compile().run(),
                         r"branch 1 of 2 never taken", lcov_sees_it=False)

    def test_one_instance_hides_behind_another(self):
        self.assert_gaps(self.project("hidden_instance").compile().run(),
                         r"never taken in unsigned int at_most_ten<unsigned int>", lcov_sees_it=False)

    def test_instance_of_a_lambda_hides_behind_another(self):
        self.assert_gaps(self.project("hidden_lambda").compile().run(),
                         r"never taken in at_most<int>\(int, int\)::\{lambda", lcov_sees_it=False)

    def test_uninstantiated_template(self):
        self.assert_gaps(self.project("uninstantiated").compile().run(),
                         "twice.hpp:10: function thrice was never compiled into a measured test: no instance",
                         lcov_sees_it=False)

    def test_unused_inline_function(self):
        self.assert_gaps(self.project("unused_inline").compile().run(),
                         r"never executed: thrice\(int\)", lcov_sees_it=True)

    def test_instance_only_in_static_assert(self):
        self.assert_gaps(self.project("only_static_assert").compile().run(),
                         r"never executed: int larger<int>", lcov_sees_it=True)

    def test_arm_no_instance_selects(self):
        self.assert_gaps(self.project("unselected_arm").compile().run(),
                         "arm of `if constexpr` was never compiled", lcov_sees_it=False)

    def test_exception_edge(self):
        self.assert_gaps(self.project("exception_edge").compile().run(),
                         r"branch 2 \(exception\) of 2 never taken in guarded\(int\)", lcov_sees_it=True)

    def test_condition_in_implicit_constructor(self):
        self.assert_gaps(self.project("member_initialiser").compile().run(),
                         r"branch 2 of 2 never taken in Setting::Setting\(\)", lcov_sees_it=False)

    def test_function_made_by_macro(self):
        self.assert_gaps(self.project("macro_made").compile().run(),
                         "ctags does not see", lcov_sees_it=False)

    def test_file_in_no_test(self):
        self.assert_gaps(self.project("forgotten_file").compile().run(),
                         "no function of this file", lcov_sees_it=False)

    def test_copies_with_differing_graphs(self):
        # The discarded copy's edge is nobody's gap, but lcov cannot know that.
        project = self.project("differing_graphs").compile().run(together=True)
        done = project.gate()
        self.assertEqual(places(done.stdout, lcov=False), set(), done.stdout)
        self.assertEqual(places(done.stdout, lcov=True), project.marked("LCOV"))
        self.assertIn("though every instance is complete", done.stdout)
        self.assertEqual(done.returncode, 1)


class Freshness(GateTest):
    def test_never_run(self):
        self.assert_unusable(self.project("covered").compile().gate(), "no .gcda below")

    def test_one_program_never_run(self):
        project = self.project("covered").compile().run()
        (project.build / "u32.gcda").unlink()
        done = project.gate()
        self.assertIn("never executed: unsigned int halved_if_big<unsigned int", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_counts_older_than_notes(self):
        project = self.project("covered").compile().run()
        compiled = (project.build / "u16.gcno").stat().st_mtime_ns
        os.utime(project.build / "u16.gcda", ns=(compiled - 1, compiled - 1))
        self.assert_unusable(project.gate(), "u16.gcda: stale: older than its .gcno")

    def test_counts_of_another_build(self):
        project = self.project("covered").compile().run()
        shutil.copyfile(project.build / "u32.gcda", project.build / "u16.gcda")
        self.assert_unusable(project.gate(), "u16.gcda: stale: its notes file is of another build")

    def test_counts_without_notes(self):
        project = self.project("covered").compile().run()
        (project.build / "u16.gcno").unlink()
        self.assert_unusable(project.gate(), "u16.gcda: stale: there is no .gcno")

    def test_source_changed_since(self):
        project = self.project("covered").compile().run()
        later = (project.build / "u32.gcno").stat().st_mtime_ns + 1
        os.utime(project.include / "shapes.hpp", ns=(later, later))
        self.assert_unusable(project.gate(), "stale: lib/include/shapes.hpp has changed")

    def test_missing_root(self):
        project = self.project("covered").compile().run()
        self.assert_unusable(project.gate("--root", "spec/model"), "no such directory")

    def test_nothing_to_measure(self):
        project = self.project("covered").compile().run()
        (project.source / "types").mkdir()
        (project.source / "types" / "point.hpp").write_text("struct Point { int x, y; };\n")
        self.assert_unusable(project.gate(root="types"), "no function in any of the roots")

    def test_gcov_disagrees(self):
        project = self.project("covered").compile().run()
        gcov = self.directory / "gcov"
        gcov.write_text("""#!/bin/sh\ngcov-12 "$@" | sed 's/"throw": false/"throw": true/g'\n""")
        gcov.chmod(0o755)
        self.assert_unusable(project.gate("--gcov", gcov), "gcov and gcov_notes.py differ")


class ExclusionFile(GateTest):
    BRANCH = "lib/include/sign.hpp | if (value < 0) { // GAP | values are never negative\n"
    RETURN = "lib/include/sign.hpp | return -1; // GAP | follows from the one above\n"

    def setUp(self):
        super().setUp()
        self.file = self.directory / "exclusions"

    def gate_with(self, exclusions):
        self.file.write_text(exclusions)
        return self.project("untaken_branch").compile().run().gate("--exclusions", self.file)

    def test_matching(self):
        done = self.gate_with("# what no test can reach\n\n" + self.BRANCH + self.RETURN)
        self.assertEqual(done.stdout, "branch gate: 1 files, 1 functions, 1 instances, "
                                      "1 of 2 branches, 2 gaps excluded, 0 problems\n")
        self.assertEqual(done.returncode, 0)

    def test_covers_only_its_line(self):
        done = self.gate_with(self.BRANCH)
        self.assertIn("sign.hpp:6: line never executed", done.stdout)
        self.assertIn("sign.hpp:6: lcov", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_covers_a_whole_function_at_its_first_line(self):
        self.file.write_text(
            "lib/include/twice.hpp | inline int thrice(int value) noexcept // GAP | not yet used\n"
            "lib/include/twice.hpp | static int never_emitted(int value) noexcept // GAP | not yet used\n")
        done = self.project("unused_inline").compile().run().gate("--exclusions", self.file)
        self.assertRegex(done.stdout, r"\A.*, 2 gaps excluded, 0 problems\n\Z")
        self.assertEqual(done.returncode, 0)

    def test_stale(self):
        done = self.gate_with(self.BRANCH + self.RETURN + "lib/include/sign.hpp | return 1; | once needed\n")
        self.assertIn("exclusions:3: stale exclusion", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_ambiguous(self):
        self.file.write_text(self.BRANCH + self.RETURN)
        project = self.project("untaken_branch")
        header = project.include / "sign.hpp"
        header.write_text(header.read_text() + "#if 0\nreturn -1; // GAP\n#endif\n")
        done = project.compile().run().gate("--exclusions", self.file)
        self.assertIn("exclusions:2: ambiguous exclusion", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_without_reason(self):
        project = self.project("untaken_branch").compile().run()
        for ending in ("", " |", " | "):
            with self.subTest(ending):
                self.file.write_text(f"lib/include/sign.hpp | return -1; // GAP{ending}\n")
                self.assert_unusable(project.gate("--exclusions", self.file), "exclusions:1: not `path")


if __name__ == "__main__":
    unittest.main()
