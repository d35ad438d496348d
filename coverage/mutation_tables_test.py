#!/usr/bin/python3
"""`mutate hidden-faults` compares what it measures with the table of a page."""
import pathlib
import tempfile
import unittest

from mutation import hidden_faults, tables
from mutation_runs import mutate

MARKER = "<!-- measured: coverage/mutate hidden-faults -->\n"


class Tables(unittest.TestCase):
    """A program that prints what it is told to."""
    NAMES = [name for name, *_ in hidden_faults.FAULTS]
    # Each run finds all faults.
    LINES = "; ".join(f"echo found {name}" for name in NAMES[1:]) + "; echo passed none; " + "; ".join(
        f"echo stated {name} 10 10" for name in ("half-window", "repeats", "same-again"))

    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.page = self.folder / "PAGE.md"

    def measured(self, script: str, *options: str) -> tuple[int, str]:
        (self.folder / "hidden-faults").write_text(f"#!/bin/sh\n{script}\n")
        (self.folder / "hidden-faults").chmod(0o755)
        return mutate("hidden-faults", "--bin", self.folder, "--page", self.page, *options)

    def test_program_that_is_not_built(self) -> None:
        code, said = mutate("hidden-faults", "--bin", "/nowhere")
        self.assertEqual((code, said.partition(":")[0]), (2, "mutate hidden-faults"), said)
        self.assertIn("/nowhere/hidden-faults is missing: cmake --build", said)

    def test_page_without_the_table(self) -> None:
        self.page.write_text("<!-- measured: coverage/mutate hidden -->\n")
        code, said = self.measured(self.LINES)
        self.assertEqual(code, 2, said)
        self.assertIn("PAGE.md: no table below <!-- measured: coverage/mutate hidden-faults -->", said)

    def test_a_bound_holds_the_number(self) -> None:
        self.assertTrue(tables.agrees("7 of 20 (≥ 2)", "2 of 20") and tables.agrees("1.28 (≤ 1.3)", "1.3"))
        self.assertFalse(tables.agrees("7 of 20 (≥ 2)", "1 of 20") or tables.agrees("1.28 (≤ 1.3)", "1.31"))
        self.assertFalse(tables.agrees("7 of 20", "8 of 20"))
        recorded = tables.Rows(["x", "y", "z"], [["a", "7 of 9 (≥ 2)", "5"], ["b", "3", "4 (≤ 9)"]])
        self.assertEqual(tables.updated(recorded, tables.Rows(["x", "y", "z"], [["a", "6 of 9", "4"], ["c", "1", "2"]])).rows,
                         [["a", "6 of 9 (≥ 2)", "4"], ["c", "1", "2"]])

    def test_the_page_is_compared_and_updated(self) -> None:
        self.page.write_text(f"Before.\n\n{MARKER}\nAfter.\n")
        code, said = self.measured(self.LINES, "--seeds", "2", "--record")
        self.assertEqual(code, 0, said)
        page = self.page.read_text()
        self.assertIn("| bias of 1 % | 2 of 2 | 2 of 2 |", page)
        self.assertTrue(page.startswith(f"Before.\n\n{MARKER}|") and page.endswith("|\n\nAfter.\n"))
        without = self.LINES.replace("found bias-1;", "passed bias-1;")
        self.page.write_text(page.replace("| bias of 1 % |" + " 2 of 2 |" * 4, "| bias of 1 % |" + " 2 of 2 (≥ 1) |" * 4))
        for script, seeds, status in ((self.LINES, "2", 0), (self.LINES, "1", 1), (without, "2", 1)):
            code, said = self.measured(script, "--seeds", seeds)
            self.assertEqual(code, status, said)
        self.assertIn("+| bias of 1 % | 0 of 2 |", said)
        self.page.write_text(page.replace("| bias of 1 % |" + " 2 of 2 |" * 4, "| bias of 1 % |" + " 2 of 2 (≥ 0) |" * 4))
        self.assertEqual(self.measured(without, "--seeds", "2")[0], 0)


if __name__ == "__main__":
    unittest.main()
