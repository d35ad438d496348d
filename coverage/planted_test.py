#!/usr/bin/python3
"""Gates are seen to fail: each fault is planted in a scratch copy of the repository, and its gate must refuse it.

Covers the gates that read the tree as it is; coverage_gate_test.py does the same for coverage. The faults of planted_faults, which
take a build, must still fit what they are planted in.
"""
import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROOMS = ["lib", "spec", "properties", "fuzz", "coverage", ".github", "README.md", "CMakeLists.txt", "CMakePresets.json", "LICENSE"]

sys.dont_write_bytecode = True
import markdown_pages  # noqa: E402
import readme_test  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("planted_faults", str(ROOT / "coverage/planted_faults"))
SPEC = importlib.util.spec_from_loader(LOADER.name, LOADER)
assert SPEC
nightly = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(nightly)


class Planted(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.copy = pathlib.Path(scratch.name)
        for room in ROOMS:
            source = ROOT / room
            if source.is_dir():
                shutil.copytree(source, self.copy / room)
            else:
                shutil.copy(source, self.copy / room)
        os.symlink(ROOT / "build", self.copy / "build")

    def gate(self, *command: str) -> tuple[int, str]:
        done = subprocess.run([sys.executable, *command], cwd=self.copy, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def plant(self, path: str, old: str, new: str) -> None:
        text = (self.copy / path).read_text()
        self.assertIn(old, text)
        (self.copy / path).write_text(text.replace(old, new, 1))

    def refuses(self, command: list[str], naming: str) -> None:
        code, said = self.gate(*command)
        self.assertEqual(code, 1, said)
        self.assertIn(naming, said)

    def test_faults_of_the_nightly_can_be_planted(self) -> None:
        for name, fault in nightly.FAULTS.items():
            with self.subTest(name):
                self.assertIn(fault.old, (ROOT / fault.path).read_text())

    def test_judge_that_knows_a_session(self) -> None:
        self.plant("properties/judge/plan.cpp", "#include <algorithm>", '#include <algorithm>\n#include "session/options.hpp"')
        self.refuses(["coverage/structure_test.py"], "plan.cpp: includes session/options.hpp, which backoff::judge does not use")

    def test_edited_readme(self) -> None:
        """Only one block, because all of them together take long."""
        for page in markdown_pages.paths(self.copy):
            page.unlink()
        blocks = readme_test.BLOCKS[0].finditer((ROOT / "README.md").read_text())
        (self.copy / "README.md").write_text(next(block[0] for block in blocks if "verdict: conforms to" in block[0]))
        code, said = self.gate("coverage/readme_test.py")
        self.assertEqual((code, said), (0, "1 blocks shown, 0 out of date\n"))
        self.plant("README.md", "verdict: conforms to", "verdict: surely conforms to")
        self.refuses(["coverage/readme_test.py"], "out of date")

    def test_measured_table_that_drifts(self) -> None:
        self.plant("spec/POWER.md", "| `aws_backoff_algorithm` | 50 |", "| `aws_backoff_algorithm` | 51 |")
        self.refuses(["coverage/power_test.py", str(self.copy)], "51 mutants, 5 of them equivalent, but there are 50 and 5")

    def test_link_to_no_heading(self) -> None:
        self.plant("README.md", "properties/policies/README.md#five-minutes", "properties/policies/README.md#no-such-heading")
        self.refuses(["coverage/links_test.py"], "README.md: properties/policies/README.md#no-such-heading: expected one of the headings")

    def test_prose_that_must_be_read_twice(self) -> None:
        self.plant("properties/oracle/docs/commands.md", "If several codes apply,", "Who needs one code:")
        self.refuses(["coverage/prose_test.py"], "'Who needs': expected a subject")

    def test_option_that_no_page_has(self) -> None:
        self.plant("properties/oracle/docs/options.md", "`--alpha A`", "`--beta A`")
        self.refuses(["coverage/options_test.py", "--bin", "build/release/bin"], "check --alpha: not on options.md")

    def test_page_that_the_site_lacks(self) -> None:
        (self.copy / "fuzz/MORE.md").write_text("# More\n")
        self.refuses(["properties/oracle/docs/site.py", str(self.copy / "site")], "lacks fuzz/MORE.md")

    def test_edited_verdict(self) -> None:
        self.plant("properties/ports/verdicts.txt", "aws_backoff_algorithm linear | given: 1", "aws_backoff_algorithm linear | given: 0")
        self.refuses(["properties/ports/verdicts.py", "--bin", "build/release/bin", "--only", "aws_backoff_algorithm linear"],
                     "runs of 1 ports: not as recorded")


if __name__ == "__main__":
    unittest.main()
