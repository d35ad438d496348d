#!/usr/bin/python3
"""coverage/gate: which stages there are, and how they share the machine. What each finds is tested by the tests of its gate.

Usage: coverage/gate_test.py
"""
import os
import pathlib
import re
import select
import signal
import subprocess
import tempfile
import time
import unittest

GATE = pathlib.Path(__file__).resolve().parent / "gate"


def gate(*stages: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([GATE, *stages], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


class GateTest(unittest.TestCase):
    def test_refuses_a_stage_that_it_does_not_have_and_runs_none(self) -> None:
        for stages in (["tset"], ["trace", "tset"], ["."], [""]):
            with self.subTest(stages=stages):
                done = gate(*stages)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertIn(f"no stage '{stages[-1]}'", done.stderr)
                self.assertIn(" mutants ", done.stderr)

    def test_names_every_stage_that_it_runs(self) -> None:
        text = GATE.read_text()
        named = gate("?").stderr.split("there are: ")[1].split(", and")[0].split()
        for stage in named:
            self.assertIn(f"\n{stage}() {{", text)
            self.assertIn(f"[{stage}]=", text)
        self.assertEqual(len(named), len(set(named)))


class Lanes(unittest.TestCase):
    """The gate with stages that say when they begin and end, and do nothing else."""

    def setUp(self) -> None:
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.root / "coverage").mkdir()
        (self.root / "bin").mkdir()
        self.stub("nproc", "echo 4")
        self.events = self.root / "events"
        self.events.touch()

    def stub(self, name: str, command: str) -> None:
        (self.root / "bin" / name).write_text(f"#!/bin/sh\n{command}\n")
        (self.root / "bin" / name).chmod(0o755)

    def start(self, *stages: str, work: str = "sleep 0.05") -> subprocess.Popen[str]:
        text = GATE.read_text()
        functions = re.findall(r"^([a-z-]+)\(\) \{", text, re.MULTILINE)
        named = [name for name in functions if f"[{name}]=" in text]
        body = "".join(f"{name}() {{ echo begin {name} >>events; {work}; local status=$?; echo end {name} >>events; return $status; }}\n"
                       for name in named)
        copy = self.root / "coverage/gate"
        copy.write_text(text[:text.index("# The judge is measured apart")] + body + text[text.index("\nlanes="):])
        copy.chmod(0o755)
        return subprocess.Popen([copy, *stages], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                text=True, env={**os.environ, "PATH": f"{self.root / 'bin'}:{os.environ['PATH']}"})

    def happened(self) -> list[tuple[str, str]]:
        return [(what, stage) for what, stage in (line.split() for line in self.events.read_text().splitlines())]

    def most_at_once(self, stages: set[str]) -> int:
        running: set[str] = set()
        most = 0
        for what, stage in self.happened():
            if stage in stages:
                (running.add if what == "begin" else running.discard)(stage)
                most = max(most, len(running))
        return most

    def test_runs_two_at_a_time_but_never_two_that_build_in_one_folder(self) -> None:
        gate = self.start("nightly", work="sleep 0.1")
        said = gate.communicate()[0]
        self.assertEqual(gate.returncode, 0, said)
        stages = {stage for _, stage in self.happened()}
        self.assertEqual(sorted(re.findall(r"(?m)^([a-z-]+) +ok +\d+ s +\d+ s of processors", said)), sorted(stages))
        self.assertRegex(said.splitlines()[-2], rf"^gates: {len(stages)} passed, 0 failed, in \d+ s$")
        self.assertEqual(said.splitlines()[-1], f"100% tests passed, 0 tests failed out of {len(stages)}")
        self.assertEqual(len(self.happened()), 2 * len(stages))
        self.assertEqual(self.most_at_once(stages), 2)
        written = re.findall(r'\[([a-z-]+)\]=("[^"]*"|\w+)', GATE.read_text())
        folders = {stage: words.strip('"').split() for stage, words in written}
        self.assertEqual(folders["trace"], ["release", "coverage"])
        for folder in {folder for some in folders.values() for folder in some}:
            self.assertEqual(self.most_at_once({stage for stage, some in folders.items() if folder in some}), 1, folder)

    def test_runs_one_at_a_time_on_one_processor(self) -> None:
        self.stub("nproc", "echo 1")
        self.start("tests", "coverage", "fuzzing").communicate()
        self.assertEqual(self.happened(), [(what, stage) for stage in ("tests", "coverage", "fuzzing") for what in ("begin", "end")])

    def test_goes_on_after_a_failure_and_tells(self) -> None:
        gate = self.start("tests", "fuzzing", work="echo the reason; [ $FUNCNAME = fuzzing ]")
        said = gate.communicate()[0]
        self.assertEqual(gate.returncode, 1, said)
        self.assertRegex(said, r"(?m)^tests +FAILED +\d+ s .*\nbuild/gate/tests.log\nthe reason$")
        self.assertRegex(said, r"(?m)^fuzzing +ok ")
        self.assertIn("gates: 1 passed, 1 failed", said)
        self.assertEqual(said.splitlines()[-1], "50% tests passed, 1 tests failed out of 2")

    def test_counts_the_tests_of_ctest(self) -> None:
        ctest = "echo '75% tests passed, 1 tests failed out of 4'"
        for stages, work, last in ((["tests", "fuzzing"], f"[ $FUNCNAME = fuzzing ] || {{ {ctest}; false; }}",
                                    "80% tests passed, 1 tests failed out of 5"),
                                   (["sanitizers"], "echo '100% tests passed, 0 tests failed out of 4'; false",
                                    "80% tests passed, 1 tests failed out of 5")):
            self.assertEqual(self.start(*stages, work=work).communicate()[0].splitlines()[-1], last, stages)

    def test_leaves_nothing_running_when_it_is_interrupted(self) -> None:
        os.mkfifo(self.root / "fifo")
        gate = self.start("tests", "coverage", work="sleep 60 | cat >fifo")
        with open(self.root / "fifo", encoding="utf-8") as fifo:  # open as soon as both stages are there, at its end when they are gone
            while len(self.happened()) < 2:
                time.sleep(0.01)
            gate.send_signal(signal.SIGINT)
            self.assertEqual(gate.wait(), 130)
            self.assertTrue(select.select([fifo], [], [], 10)[0], "a stage goes on")
            self.assertEqual(fifo.read(), "")
        gate.communicate()


if __name__ == "__main__":
    unittest.main()
