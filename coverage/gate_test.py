#!/usr/bin/python3
"""coverage/gate: which stages there are. What each stage finds is tested by the tests of its own gate.

Usage: coverage/gate_test.py
"""
import pathlib
import subprocess
import unittest

GATE = pathlib.Path(__file__).resolve().parent / "gate"


def gate(*stages):
    return subprocess.run([GATE, *stages], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


class GateTest(unittest.TestCase):
    def test_refuses_a_stage_that_it_does_not_have_and_runs_none(self):
        for stages in (["tset"], ["trace", "tset"], ["."], [""]):
            with self.subTest(stages=stages):
                done = gate(*stages)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertIn(f"no stage '{stages[-1]}'", done.stderr)
                self.assertIn(" mutants ", done.stderr)

    def test_names_every_stage_that_it_runs(self):
        text = GATE.read_text()
        named = gate("?").stderr.split("there are: ")[1].split(", and")[0].split()
        for stage in named:
            self.assertIn(f"\n{stage}() {{", text)
        self.assertEqual(len(named), len(set(named)))


if __name__ == "__main__":
    unittest.main()
