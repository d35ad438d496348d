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

    def test_untouched_copy_passes(self) -> None:
        code, said = self.gate("coverage/structure_test.py")
        self.assertEqual(code, 0, said)

    def test_faults_of_the_nightly_can_be_planted(self) -> None:
        for name, fault in nightly.FAULTS.items():
            with self.subTest(name):
                self.assertIn(fault.old, (ROOT / fault.path).read_text())

    def test_missing_room(self) -> None:
        (self.copy / "properties/systems/aws_backoff_algorithm/claims.cpp").unlink()
        self.refuses(["coverage/structure_test.py"], "properties/systems/aws_backoff_algorithm/claims.cpp: missing")

    def test_model_that_includes_the_library(self) -> None:
        self.plant("spec/aws_backoff_algorithm/model.cpp", "#include <algorithm>",
                   '#include <algorithm>\n#include "backoff/kernels/window.hpp"')
        self.refuses(["coverage/structure_test.py"], "includes backoff/kernels/window.hpp")

    def test_library_in_c_that_knows_the_model(self) -> None:
        self.plant("lib/c99/aws_retry_utils.c", '#include "retry_utils.h"\n',
                   '#include "retry_utils.h"\n#include "relation/relation.hpp"\n')
        self.refuses(["coverage/structure_test.py"], "lib/c99/aws_retry_utils.c: includes relation/relation.hpp")

    def test_judge_that_knows_a_session(self) -> None:
        self.plant("properties/judge/plan.cpp", "#include <algorithm>", '#include <algorithm>\n#include "session/options.hpp"')
        self.refuses(["coverage/structure_test.py"], "plan.cpp: includes session/options.hpp, which backoff::judge does not use")

    def test_layer_that_no_longer_uses_another(self) -> None:
        self.plant("properties/layers.hpp", "using namespace session;\nusing namespace reports;\n", "using namespace session;\n")
        self.refuses(["coverage/structure_test.py"], "properties/conformance/in_process.cpp: includes reports/report.hpp")

    def test_report_that_knows_more_of_the_protocol(self) -> None:
        self.plant("properties/reports/text.cpp", "#include <algorithm>", '#include <algorithm>\n#include "protocol/fast_reply.hpp"')
        self.refuses(["coverage/structure_test.py"], "properties/reports/text.cpp: includes protocol/fast_reply.hpp")

    def test_namespace_of_another_folder(self) -> None:
        self.plant("properties/judge/plan.hpp", "namespace backoff::judge {", "namespace backoff::histories {")
        self.refuses(["coverage/structure_test.py"], "properties/judge/plan.hpp: namespace backoff::histories: expected backoff::judge")

    def test_public_header_that_needs_a_package(self) -> None:
        self.plant("properties/conformance/include/backoff/conformance/values.hpp", "#include <string>",
                   "#include <fmt/format.h>\n#include <string>")
        self.refuses(["coverage/structure_test.py"], "values.hpp: includes <fmt/format.h>, which its users need not have")

    def test_stray_file_at_the_top(self) -> None:
        (self.copy / "notes.txt").write_text("")
        self.refuses(["coverage/structure_test.py"], "notes.txt: not a part of the top level")

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
        def told(path: str, old: str, new: str, *naming: str) -> None:
            before = (self.copy / path).read_text()
            self.plant(path, old, new)
            for name in naming:
                self.refuses(["coverage/power_test.py", str(self.copy)], name)
            (self.copy / path).write_text(before)

        power, details, stem = "spec/POWER.md", "spec/POWER_DETAILS.md", "aws_backoff_algorithm"
        told(power, f"| `{stem}` | 50 |", f"| `{stem}` | 51 |", "ports --power: mutants: the rows make 957, the last one says 956",
             f"{stem}: 51 mutants, 5 of them equivalent, but there are 50 and 5")
        told(power, "| 58 of 66 |", "| 59 of 66 |", "layers: fuzzing: the rows make 1341, the last one says 1340 of 1506")
        told(power, "| `aws_retry_utils` | 35 | 34 (97.1%) |\n", "", "blame-pairs: aws_retry_utils: has no row")
        told(details, "| `aws_retry_utils` | `jitter-alone` |", "| `aws_other` | `jitter-alone` |", "aws_other: no such system")
        told(details, "measured: coverage/mutate late-faults", "table: coverage/mutate late-faults", "late-faults: expected one marker")
        told(f"lib/c99/{stem}.c", "  if (window < cap)", "  if (window + 1U < cap)", f"{stem}: 50 mutants, 5 of them")
        told("coverage/mutation/port_survivors.txt", "aws_retry_utils.c | ", "# aws_retry_utils.c | ", "but there are 75 and 4")

    def test_link_to_no_file(self) -> None:
        self.plant("fuzz/README.md", "../properties/protocol/README.md", "../properties/protocol/READYOU.md")
        self.refuses(["coverage/links_test.py"], "fuzz/README.md: ../properties/protocol/READYOU.md: expected a file")

    def test_link_to_a_folder(self) -> None:
        self.plant("fuzz/README.md", "../properties/protocol/README.md", "../properties/protocol")
        self.refuses(["coverage/links_test.py"], "fuzz/README.md: ../properties/protocol: expected a file")

    def test_link_to_no_heading(self) -> None:
        self.plant("README.md", "properties/policies/README.md#five-minutes", "properties/policies/README.md#no-such-heading")
        self.refuses(["coverage/links_test.py"], "README.md: properties/policies/README.md#no-such-heading: expected one of the headings")

    def test_path_to_no_file(self) -> None:
        for file, old, new, naming in (
                ("properties/histories/json.hpp", "histories/text_test.cpp", "histories/texts_test.cpp",
                 "json.hpp:5: properties/histories/texts_test.cpp: expected the end"),
                ("fuzz/README.md", "# ", "`judge/none.cpp` # ", "README.md:1: judge/none.cpp: expected"),
                ("coverage/mutation/objects.py", "spec/STEM/model.cpp", "spec/STEM/none.cpp", "objects.py:3: spec/STEM/none.cpp: expected"),
                ("coverage/places.py", "def report", "# coverage/none\ndef report", "places.py:5: coverage/none: expected"),
                ("fuzz/CMakeLists.txt", "#", "# fuzz/POWER.md", "fuzz/POWER.md: expected"),
                ("spec/aws_step_functions/system.yaml", "document:", "# spec/none.py\ndocument:", "system.yaml:")):
            with self.subTest(file):
                before = (self.copy / file).read_text()
                self.plant(file, old, new)
                self.refuses(["coverage/links_test.py"], naming)
                (self.copy / file).write_text(before)

    def test_prose_that_must_be_read_twice(self) -> None:
        self.plant("properties/oracle/docs/commands.md", "If several codes apply,", "Who needs one code:")
        self.refuses(["coverage/prose_test.py"], "'Who needs': expected a subject")

    def test_page_that_grows(self) -> None:
        for name, at_most in (("README.md", 150), ("properties/oracle/docs/start.md", 300)):
            with open(self.copy / name, "a") as page:
                page.write("More.\n" * 300)
            self.refuses(["coverage/prose_test.py"], f"{name}: ")
            self.refuses(["coverage/prose_test.py"], f"lines, expected at most {at_most}")

    def test_option_that_no_page_has(self) -> None:
        self.plant("properties/oracle/docs/options.md", "`--alpha A`", "`--beta A`")
        self.refuses(["coverage/options_test.py", "--bin", "build/release/bin"], "check --alpha: not on options.md")

    def test_page_that_the_site_lacks(self) -> None:
        (self.copy / "fuzz/MORE.md").write_text("# More\n")
        self.refuses(["properties/oracle/docs/site.py", str(self.copy / "site")], "lacks fuzz/MORE.md")

    def test_page_that_the_site_refuses(self) -> None:
        self.plant("properties/oracle/docs/mkdocs.yml", "      - Start: properties/oracle/docs/start.md\n",
                   "      - Start: properties/oracle/docs/start.md\n      - None: properties/oracle/docs/none.md\n")
        self.refuses(["properties/oracle/docs/site.py", str(self.copy / "site")], "properties/oracle/docs/none.md")


if __name__ == "__main__":
    unittest.main()
