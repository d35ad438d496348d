#!/usr/bin/python3
"""The tables that `mutate` measures are compared with those of the pages."""
import pathlib
import tempfile
import unittest

from mutation import hidden_faults, tables
from mutation_runs import mutate


class Tables(unittest.TestCase):
    """Measurements by programs that print what they are told to."""

    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.page = self.folder / "PAGE.md"

    def measured(self, what: str, program: str, script: str, *options: str) -> tuple[int, str]:
        (self.folder / program).write_text(f"#!/bin/sh\n{script}\n")
        (self.folder / program).chmod(0o755)
        return mutate(what, "--bin", self.folder, "--pages", self.page, *options)

    def test_program_that_is_not_built(self) -> None:
        code, said = mutate("late-faults", "--bin", "/nowhere")
        self.assertEqual((code, said.partition(":")[0]), (2, "mutate late-faults"), said)
        self.assertIn("/nowhere/late-faults is missing: cmake --build", said)

    def test_page_without_the_table(self) -> None:
        self.page.write_text("<!-- measured: coverage/mutate late -->\n")
        code, said = self.measured("late-faults", "late-faults", "echo caught late-zero@3")
        self.assertEqual(code, 2, said)
        self.assertIn("PAGE.md: no table below <!-- measured: coverage/mutate late-faults -->", said)

    def test_faults_that_begin_late(self) -> None:
        """Each line that there may be: a fault, where it begins, and what is left of the name."""
        self.page.write_text("Before.\n\n<!-- measured: coverage/mutate late-faults -->\n\nAfter.\n")
        lines = "echo caught late-zero@3; echo passed late-one-more@41-few; echo unseen late-one-more@42"
        code, said = self.measured("late-faults", "late-faults", lines)
        self.assertEqual(code, 1, said)
        self.assertIn("aws_retry_utils, draws hidden: passes with late-one-more@41-few\n", said)
        code, said = self.measured("late-faults", "late-faults", lines, "--update")
        self.assertEqual(code, 0, said)
        self.assertIn("\n| `aws_retry_utils` | hidden | 1 of 1 | 0 of 1 | 0 of 0 | 0 of 0 | 0 of 0 |\n", self.page.read_text())
        self.assertTrue(self.page.read_text().startswith("Before.\n\n<!--") and self.page.read_text().endswith("|\n\nAfter.\n"))
        code, said = self.measured("late-faults", "late-faults", lines)
        self.assertEqual(code, 0, said)
        self.assertIn("late-faults: 1 tables, 0 not as recorded\n", said)
        code, said = self.measured("late-faults", "late-faults", lines.replace("caught", "passed"))
        self.assertEqual(code, 1, said)
        self.assertIn("-| `aws_retry_utils` | hidden | 1 of 1 |", said)
        self.assertIn("+| `aws_retry_utils` | hidden | 0 of 1 |", said)

    def test_first_findings(self) -> None:
        self.page.write_text("<!-- measured: coverage/mutate first-findings -->\n\n"
                             "<!-- measured: coverage/mutate first-findings: others -->\n")
        lines = "echo b late c1 c2+c1 c3; echo a early c1 c2 c1; echo a silent c1; echo a told c1 c1"
        code, said = self.measured("first-findings", "first_findings", lines, "--update")
        self.assertEqual(code, 0, said)
        for row in ("| `a` | 3 | 1 (33.3%) | 1.00 |", "| `b` | 1 | 1 (100.0%) | 2.00 |", "| **all** | 4 | 2 (50.0%) | 1.25 |",
                    "| `a` | `early` | `c1` | `c2` |\n| `a` | `silent` | `c1` | none |"):
            self.assertIn(row, self.page.read_text())
        self.assertEqual(self.measured("first-findings", "first_findings", lines)[0], 0)
        code, said = self.measured("first-findings", "first_findings", lines.replace("told c1 c1", "told c1 c3"))
        self.assertEqual(code, 1, said)
        self.assertIn("+| `a` | `told` | `c1` | `c3` |", said)

    def test_pairs(self) -> None:
        self.page.write_text("<!-- measured: coverage/mutate blame-pairs -->\n\n<!-- measured: coverage/mutate blame-pairs: others -->\n")
        lines = "printf 'a\\tzero\\tr=s\\t\\tc1 c2\\tc1\\na\\thalf\\tr=s\\tr=s\\tc1\\tc1\\n'"
        code, said = self.measured("blame-pairs", "blame_pairs", lines, "--update")
        self.assertEqual(code, 0, said)
        for row in ("| `a` | 2 | 1 (50.0%) |", "| **all** | 2 | 1 (50.0%) |", "| `a` | zero | r=s | the canonical reading | `c2` | none |"):
            self.assertIn(row, self.page.read_text())
        code, said = self.measured("blame-pairs", "blame_pairs", lines.replace("\\tc1\\n'", "\\tc3\\n'"))
        self.assertEqual(code, 1, said)
        self.assertIn("+| `a` | half | r=s | r=s | `c1` | `c3` |", said)

    def test_a_bound_holds_the_number(self) -> None:
        self.assertTrue(tables.agrees("7 of 20 (≥ 2)", "2 of 20") and tables.agrees("1.28 (≤ 1.3)", "1.3"))
        self.assertFalse(tables.agrees("7 of 20 (≥ 2)", "1 of 20") or tables.agrees("1.28 (≤ 1.3)", "1.31"))
        self.assertFalse(tables.agrees("7 of 20", "8 of 20"))
        recorded = tables.Rows(["x", "y", "z"], [["a", "7 of 9 (≥ 2)", "5"], ["b", "3", "4 (≤ 9)"]])
        self.assertEqual(tables.updated(recorded, tables.Rows(["x", "y", "z"], [["a", "6 of 9", "4"], ["c", "1", "2"]])).rows,
                         [["a", "6 of 9 (≥ 2)", "4"], ["c", "1", "2"]])
        self.assertEqual(tables.updated(recorded, tables.Rows(["x", "y"], [["a", "6 of 9"], ["b", "2"]])).rows,
                         [["a", "6 of 9 (≥ 2)", "5"], ["b", "2", "4 (≤ 9)"]])

    def test_hidden_faults(self) -> None:
        """Each run finds all faults but one, and the page demands them in both runs."""
        self.page.write_text("<!-- measured: coverage/mutate hidden-faults -->\n")
        names = [name for name, *_ in hidden_faults.FAULTS]
        lines = "; ".join(f"echo found {name}" for name in names[1:]) + "; echo passed none; " + "; ".join(
            f"echo stated {name} 10 10" for name in ("half-window", "repeats", "same-again"))
        code, said = self.measured("hidden-faults", "hidden-faults", lines, "--seeds", "2", "--update")
        self.assertEqual(code, 0, said)
        page = self.page.read_text()
        self.assertIn("| bias of 1 % | 2 of 2 | 2 of 2 |", page)
        without = lines.replace("found bias-1;", "passed bias-1;")
        self.page.write_text(page.replace("| bias of 1 % |" + " 2 of 2 |" * 4, "| bias of 1 % |" + " 2 of 2 (≥ 1) |" * 4))
        for script, seeds, status in ((lines, "2", 0), (lines, "1", 1), (without, "2", 1)):
            code, said = self.measured("hidden-faults", "hidden-faults", script, "--seeds", seeds)
            self.assertEqual(code, status, said)
        self.assertIn("+| bias of 1 % | 0 of 2 |", said)
        self.page.write_text(page.replace("| bias of 1 % |" + " 2 of 2 |" * 4, "| bias of 1 % |" + " 2 of 2 (≥ 0) |" * 4))
        self.assertEqual(self.measured("hidden-faults", "hidden-faults", without, "--seeds", "2")[0], 0)


if __name__ == "__main__":
    unittest.main()
