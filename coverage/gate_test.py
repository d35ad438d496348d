#!/usr/bin/python3
"""coverage/gate: which stages there are, how they share the machine, and what it keeps. What each finds is tested by the
tests of its gate.

Usage: coverage/gate_test.py
"""
import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from typing import Any

sys.dont_write_bytecode = True
import stage_files  # noqa: E402

GATE = pathlib.Path(__file__).resolve().parent / "gate"
STAGES = stage_files.read(GATE.parent / "stages")


class GateTest(unittest.TestCase):
    """The gate with stages that say when they begin and end, and do nothing else."""

    def setUp(self) -> None:
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.root / "coverage/stages").mkdir(parents=True)
        (self.root / "bin").mkdir()
        self.stub("nproc", "echo 4")
        self.events = self.root / "events"
        self.events.touch()
        (self.root / ".gitignore").write_text("build\nevents\nbin\nfifo\n__pycache__\n")
        for file in (GATE, GATE.parent / "stage_files.py"):
            shutil.copy(file, self.root / "coverage")
        subprocess.run(["git", "init", "--quiet"], cwd=self.root, check=True)

    def stub(self, name: str, command: str) -> None:
        (self.root / "bin" / name).write_text(f"#!/bin/sh\n{command}\n")
        (self.root / "bin" / name).chmod(0o755)

    def start(self, *words: str, work: str = "sleep 0.05", **others: str) -> subprocess.Popen[str]:
        """`others`: the work of single stages, a dash being an underscore."""
        (self.root / "coverage/stages/prelude.sh").write_text("set -euo pipefail\n")
        for name, stage in STAGES.items():
            file = self.root / "coverage/stages" / name
            head = stage_files.HEAD.match(stage.file.read_text())
            assert head
            file.write_text(f"{head[0]}echo begin {name} >>events; trap 'echo end {name} >>events' EXIT; "
                            f"{others.get(name.replace('-', '_'), work)}\n")
            file.chmod(0o755)
        return subprocess.Popen([self.root / "coverage/gate", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                stdin=subprocess.DEVNULL, text=True,
                                env={**os.environ, "PATH": f"{self.root / 'bin'}:{os.environ['PATH']}"})

    def gate(self, *words: str, **work: str) -> tuple[int, str]:
        started = self.start(*words, **work)
        said = started.communicate()[0]
        return started.returncode, said

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

    def test_refuses_a_stage_that_it_does_not_have_and_runs_none(self) -> None:
        for stages in (["tset"], ["trace", "tset"], ["."], [""]):
            with self.subTest(stages=stages):
                code, said = self.gate(*stages)
                self.assertEqual(code, 2, said)
                self.assertIn(f"no stage '{stages[-1]}'", said)
                self.assertIn(" mutants,", said)
                self.assertEqual(self.happened(), [])

    def test_runs_what_a_change_must_pass_and_the_groups(self) -> None:
        for words, when in ((["nightly"], "night"), (["weekly"], "week"), ([], "change")):
            self.events.write_text("")
            code, said = self.gate(*words, work="true")
            self.assertEqual(code, 0, said)
            stages = {name for name, stage in STAGES.items() if stage.when == when}
            self.assertEqual({stage for _, stage in self.happened()}, stages)
            self.assertEqual(sorted(re.findall(r"(?m)^([a-z0-9-]+) +ok +\d+ s +\d+ s of processors", said)), sorted(stages))
            self.assertRegex(said.splitlines()[-2], rf"^gates: {len(stages)} passed, 0 failed, in \d+ s$")
            self.assertEqual(said.splitlines()[-1], f"{len(stages)} passed, 0 failed")

    def test_runs_two_at_a_time_but_never_two_that_build_in_one_folder(self) -> None:
        code, said = self.gate("nightly", work="sleep 0.05")
        self.assertEqual(code, 0, said)
        self.assertEqual(self.most_at_once(set(STAGES)), 2)
        for folder in {folder for stage in STAGES.values() if stage.when == "night" for folder in stage.folders}:
            self.assertEqual(self.most_at_once({name for name, stage in STAGES.items() if folder in stage.folders}), 1, folder)

    def test_runs_one_at_a_time_on_one_processor(self) -> None:
        self.stub("nproc", "echo 1")
        self.gate("tests", "coverage", "lint")
        self.assertEqual(self.happened(), [(what, stage) for stage in ("tests", "coverage", "lint") for what in ("begin", "end")])

    def test_goes_on_after_a_failure_and_tells(self) -> None:
        code, said = self.gate("tests", "lint", tests="echo the reason; false")
        self.assertEqual(code, 1, said)
        self.assertRegex(said, r"(?m)^tests +FAILED +\d+ s ")
        self.assertRegex(said, r"(?m)^build/gate/tests.log\nthe reason$")
        self.assertRegex(said, r"(?m)^lint +ok ")
        self.assertIn("gates: 1 passed, 1 failed", said)
        self.assertEqual(said.splitlines()[-1], "1 passed, 1 failed")

    def test_ends_with_what_failed_tests_of_ctest_print(self) -> None:
        log = [" 1/3 Test  #7: early ....***Failed    0.50 sec", *(f"early {n}" for n in range(30)), "", "    Start  9: next",
               *(f"{n + 2}/3 Test #{n}: right ....   Passed    0.10 sec" for n in range(50)), "end"]
        (self.root / "log").write_text("\n".join(log) + "\n")
        said = self.gate("tests", "lint", tests="cat log; false")[1].splitlines()
        told = said[said.index("build/gate/tests.log") + 1:-2]
        self.assertEqual(told, [log[0], *log[7:32], *log[-40:]])
        self.assertTrue(any(line.startswith("lint ") for line in said[:said.index("build/gate/tests.log")]), said)

    def test_counts_the_tests_of_ctest_and_of_its_programs(self) -> None:
        def row(name: str, result: str) -> str:
            return f"1/2 Test  #1: {name} .....{result}   0.50 sec"

        def report(*failures: int) -> dict[str, Any]:
            cases = [{"name": f"t{n}", "classname": "suite", "status": "RUN", "time": f"{n}.5s", **({"failures": [{}]} if failed else {})}
                     for n, failed in enumerate(failures)]
            return {"testsuites": [{"testsuite": [*cases, {"name": "off", "classname": "suite", "status": "NOTRUN", "time": "0s"}]}]}

        for wrote, results, code, last in (
                (None, ("   Passed", "***Failed "), "false", "1 passed, 1 failed"),
                (report(0, 0, 0), ("   Passed", "   Passed"), "true", "4 passed, 0 failed"),
                (report(0, 1, 1), ("***Failed ", "   Passed"), "false", "2 passed, 2 failed"),
                (report(0, 0, 0), ("***Exception: SegFault", "   Passed"), "false", "4 passed, 1 failed"),
                (report(0, 0, 0), ("   Passed", "   Passed"), "false", "4 passed, 1 failed")):
            file = "build/release/tests_of_programs/program.json"
            (self.root / file).unlink(missing_ok=True)
            write = f"mkdir -p {pathlib.Path(file).parent}; cat >{file} <<'end'\n{json.dumps(wrote)}\nend\n" if wrote else ""
            said = self.gate("tests", tests=f"{write}\necho '{row('program', results[0])}'; echo '{row('other', results[1])}'; {code}")[1]
            self.assertEqual(said.splitlines()[-1], last, said)
        self.assertEqual(json.loads((self.root / "build/gate/tests.json").read_text())["tests"][0], ["suite.t2", 2.5])

    def test_the_stages_print_no_colours(self) -> None:
        with unittest.mock.patch.dict(os.environ, CLICOLOR_FORCE="1"):
            code, said = self.gate("tests", tests='[ "$CLICOLOR_FORCE" = 0 ]')
        self.assertEqual(code, 0, said)

    def test_counts_and_names_the_tests_that_ctest_skips(self) -> None:
        for others, code, last in (("2/2 Test #2: other ....   Passed    0.50 sec", "true", "1 passed, 0 failed, 1 skipped"),
                                   ("2/2 Test #2: other ....***Failed   0.50 sec", "false", "0 passed, 1 failed, 1 skipped"),
                                   ("", "true", "0 passed, 0 failed, 1 skipped"), ("", "false", "0 passed, 1 failed, 1 skipped")):
            _, said = self.gate("tests", tests=f"echo '1/2 Test #1: of_npm ....***Skipped   0.01 sec'; echo '{others}'; {code}")
            self.assertEqual(said.splitlines()[-1], last, said)
            self.assertRegex(said, r"(?m)^ +skipped: of_npm$")

    def test_a_stage_of_which_a_part_could_not_run_is_skipped_and_fails_nothing(self) -> None:
        code, said = self.gate("tests", "lint", tests="exit 77")
        self.assertEqual((code, said.splitlines()[-1]), (0, "1 passed, 0 failed, 1 skipped"), said)
        self.assertRegex(said, r"(?m)^ +skipped: tests$")

    def test_goes_on_where_a_log_of_the_same_sources_ends(self) -> None:
        log = self.root / "build/gate/log"
        work = "[ -f bin/passes ]"
        self.gate("tests", "lint", "trace", tests=work)
        self.events.write_text("")
        self.stub("passes", "")
        code, said = self.gate("tests", "lint", "trace", "--since", str(log), tests=work)
        self.assertEqual((code, [stage for what, stage in self.happened() if what == "begin"]), (0, ["tests"]), said)
        self.assertRegex(said, r"(?m)^lint +ok ")
        self.assertIn("gates: 3 passed, 0 failed", said)
        self.assertEqual(self.gate("tests", "lint", "--since", str(log), tests=work)[0], 0)
        (self.root / "coverage/more").touch()
        for file, why in ((log, "it is of other sources"), (self.root / "none", "No such file"), (GATE, "expected a log of coverage/gate")):
            self.events.write_text("")
            code, said = self.gate("tests", "--since", str(file))
            self.assertEqual((code, self.happened()), (2, []), said)
            self.assertIn(why, said)

    def test_prints_what_the_last_runs_took(self) -> None:
        self.assertEqual(self.gate("--times")[0], 2)
        compiled = 'printf "# a.cpp\\ndirect_cache_hit\\n# b.cpp\\ncache_miss\\n" >"$CCACHE_STATSLOG"'
        self.gate("tests", tests=f"{compiled}; echo '1/1 Test #1: slow_one ....   Passed   12.25 sec'")
        (self.root / "build/release").mkdir(parents=True)
        (self.root / "build/release/.ninja_log").write_text(
            "# ninja log v5\n0\t7000\t1\tlib/CMakeFiles/x.dir/a.cpp.o\t1\n0\t9000\t1\tbin/x\t1\n")
        code, said = self.gate("--times")
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"(?m)^tests +change +ok +\d+ +\d+ +2 +1$")
        self.assertIn("   12.2  slow_one (tests)\n", said)
        self.assertIn("    7.0  release/lib/x/a.cpp\n", said)
        self.assertNotIn("bin/x", said)

    def test_a_stage_says_when_it_runs(self) -> None:
        (self.root / "coverage/stages/some").write_text("#!/bin/bash\n# Does it.\n# when: never\n")
        code, said = self.gate("tests")
        self.assertEqual((code, self.happened()), (2, []), said)
        self.assertIn("coverage/stages/some: no head as stage_files.py has it", said)

    def test_lists_the_stages(self) -> None:
        said = subprocess.run([GATE, "--list"], capture_output=True, text=True, check=True).stdout
        self.assertEqual([line.split()[:2] for line in said.splitlines()], [[name, stage.when] for name, stage in STAGES.items()])

    def test_leaves_nothing_running_when_it_is_interrupted(self) -> None:
        os.mkfifo(self.root / "fifo")
        gate = self.start("tests", "coverage", work="sleep 60 | cat >fifo")
        with open(self.root / "fifo", encoding="utf-8") as fifo:  # open as soon as both stages are there, at its end when they are gone
            while len(self.happened()) < 2:
                time.sleep(0.01)
            gate.send_signal(signal.SIGINT)
            self.assertEqual(gate.wait(), 130)
            self.assertTrue(select.select([fifo], [], [], 60)[0], "a stage goes on")
            self.assertEqual(fifo.read(), "")
        gate.communicate()


if __name__ == "__main__":
    unittest.main()
