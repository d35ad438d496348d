#!/usr/bin/python3
"""Tests of coverage/record: the order in which it writes, and that each thing that it names is there."""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
LOADER = importlib.machinery.SourceFileLoader("record", str(HERE / "record"))
record = importlib.util.module_from_spec(importlib.util.spec_from_loader("record", LOADER))  # type: ignore[arg-type]
sys.modules["record"] = record
LOADER.exec_module(record)


class RecordTest(unittest.TestCase):
    def test_what_is_made_of_a_record_is_written_after_it(self) -> None:
        self.assertEqual(record.chosen(["gallery"]), ["gallery", "pages"])
        self.assertEqual(record.chosen(["pages", "verdicts"]), ["verdicts", "pages"])
        self.assertEqual(record.chosen([]), ["verdicts", "vectors", "pages"])
        names = list(record.RECORDS)
        for name, one in record.RECORDS.items():
            self.assertTrue(all(names.index(before) < names.index(name) for before in one.made_of), name)

    def test_files_and_programs_are_there(self) -> None:
        for one in record.RECORDS.values():
            self.assertTrue(list(record.ROOT.glob(one.file)), one.file)
            for command in one.commands:
                program = command.split()[0]
                self.assertTrue(program.startswith("(") or (record.ROOT / program).is_file(), program)

    def test_an_unknown_word_is_refused(self) -> None:
        done = subprocess.run([HERE / "record", "verdict"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("verdicts, vectors, gallery, power, pages", done.stderr + done.stdout)


if __name__ == "__main__":
    unittest.main()
