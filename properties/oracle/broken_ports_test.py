#!/usr/bin/python3
"""Ports that break, hang or end, and the bounds of what a port may say.

    broken_ports_test.py --bin build/release/bin
"""
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "test_ports"))
sys.dont_write_bytecode = True
import broken  # noqa: E402
import running  # noqa: E402
import wrong  # noqa: E402
from foreign_texts import CONTROL  # noqa: E402
from oracle_test import OracleTest  # noqa: E402
from running import SYSTEM, Run, built_in, check, oracle, test_port, token_of  # noqa: E402

SOON_7 = ["--seed", "31"]  # one of the first two histories has base_ms=7, and few steps: shrinking takes processes


class Breaking(OracleTest):
    def broken(self, name: str, *options: str, code: int = 3, **more: Any) -> Run:
        """The run; how many processes it took is in self.lives, of ports that count them."""
        with tempfile.NamedTemporaryFile("r") as lives:
            environment = {**os.environ, "LIVES": lives.name}
            timeout = "0.5" if broken.SAYS_NOTHING in (broken.PORTS | broken.SPECIAL)[name].says else "10"
            run = check(test_port(broken, name), "--timeout", timeout, *options, env=environment, **more)
            self.lives = len(lives.read())
        self.assertEqual(run.code, code, run.last)
        self.assertNotRegex(run.out + run.err, "Traceback|terminate called|std::")
        return run

    def test_what_happened_is_said_in_one_line_and_the_history_where_it_is_known(self) -> None:
        for name, expected in broken.PORTS.items():
            with self.row(name):
                run = self.broken(name, *SOON_7, cases=2)
                self.assertIn(expected.says, run.last)
                if name.endswith("_on_base_7"):
                    self.assertRegex(run.last, r", at history \d+$")
                    self.assertIn("base_ms=7,", token_of(run.replay_lines()[0]))

    def test_the_replay_line_of_a_broken_port_breaks_it_again(self) -> None:
        for name in ("aborts_on_base_7", "hangs_on_base_7", "unknown_status_on_base_7"):
            with self.row(name):
                line = self.broken(name, *SOON_7, cases=2).replay_lines()[0]
                if name == "hangs_on_base_7":
                    self.assertIn("--timeout 0.5", line)
                run = running.execute(shlex.split(line))
                self.assertEqual(run.code, 3)
                self.assertIn(broken.PORTS[name].says, run.last)

    def test_programs_that_cannot_be_started(self) -> None:
        for program, says in (("/nonexistent", "no such file"), ("", "no such file"),
                              ("/", "denied"), (wrong.__file__, "denied")):
            with self.row(program):
                run = check([program])
                self.assertEqual((run.code, run.out, run.err.count("\n"), says in run.err), (3, "", 1, True), run.err)

    def test_the_history_named_is_the_first_that_breaks_the_port(self) -> None:
        number = int(running.found(r"at history (\d+)", self.broken("aborts_on_base_7").last)[1])
        self.broken("aborts_on_base_7", cases=number)
        self.assertNotEqual(check(test_port(broken, "aborts_on_base_7"), cases=number - 1).code, 3)

    def test_a_port_that_breaks_on_every_history_is_shown_on_one(self) -> None:
        run = self.broken("never_makes_sense")
        self.assertRegex(run.last, r"unknown word '\"perhaps\"'.*, at history 1$")
        self.assertEqual(len(run.replay_lines()), 1)

    def test_what_the_port_wrote_to_standard_error_is_shown(self) -> None:
        self.assertIn("last words", self.broken("exits_in_the_middle").out)

    def test_what_follows_a_refused_reply_to_start_is_shown(self) -> None:
        for ends, says in (("sys.exit(1)", "; then the port exited with status 1"),
                           ("os.kill(os.getpid(), 9)", "; then the port was killed by signal 9"), ("sys.stdin.read()", "")):
            with self.row(ends):
                port = f"import os, sys, time\nprint('Hello', flush=True)\ntime.sleep(0.2)\nos.write(2, b'last words\\n')\n{ends}"
                run = check(["/usr/bin/python3", "-c", port])
                self.assertEqual((run.code, run.out, run.err.count("\n")), (3, "", 2))
                self.assertTrue(run.err.startswith("  | last words\n"), run.err)
                self.assertTrue(run.last.endswith(f"of 'Hello' (one object a line); standard output is for replies: print any other "
                                                  f"text to standard error (request: start){says}"), run.last)

    def test_other_text_on_standard_output_is_told_once(self) -> None:
        run = self.broken("prints_what_it_does")
        self.assertEqual(run.code, 3, run.err)
        self.assertEqual(run.out.count("\nbroke: "), 1, run.out)
        self.assertIn("print any other text to standard error", run.last)

    def test_a_port_that_does_not_answer_costs_little_more_than_the_time_out(self) -> None:
        for name in ("never_starts", "never_answers", "answers_late"):
            with self.row(name):
                self.assertIn(broken.SAYS_NOTHING, self.broken(name).last)
                self.assertLessEqual(self.lives, 3)  # in a batch, alone, and one more

    def test_several_processes_break_like_one(self) -> None:
        one = self.broken("dies_of_rare_draws", cases=5000)
        self.assertIn("killed by signal 6", one.last)
        for jobs in ("2", "3"):
            with self.row(jobs):
                self.assertEqual(self.broken("dies_of_rare_draws", "--jobs", jobs, cases=5000).out, one.out)

    def test_a_port_that_dies_for_some_parameters_is_judged_for_the_others(self) -> None:
        one = self.broken("dies_without_a_cap", cases=3000)
        self.assertRegex(" ".join(one.out.split()), r"where max_ms = 0: in all 12 such histories, and in 0 of \d+ that the port had "
                                                    r"answered by then; \d+ more were not sent")
        self.assertEqual(re.findall(r"^violation 1: (\w+)", one.out, re.MULTILINE), ["delay_is_never_negative"])
        self.assertIn("also broken: delay_is_never_negative", one.last)
        self.assertNotIn("the rest was not judged", one.out)
        for jobs in ("2", "3"):
            with self.row(jobs):
                self.assertEqual(self.broken("dies_without_a_cap", "--jobs", jobs, cases=3000).out, one.out)

    def test_a_port_that_cannot_start_again_is_not_blamed_for_another_history(self) -> None:
        run = self.broken("dies_for_good")
        self.assertIn("killed by signal 6", run.last)
        self.assertNotRegex(run.out, r"replay \S+/base_ms=(?!7,)")

    def test_what_was_found_before_a_port_breaks_is_reported(self) -> None:
        run = check(test_port(broken, "wrong_and_dies_when_asked_again"), cases=1)
        self.assertIn(run.code, (1, 3), run.last)
        self.assertIn("delay_is_never_negative", [claim for claim, _ in run.findings()])
        self.assertIn("the port broke before it could be shown again", run.out)
        self.assertNotIn("it did not happen again", run.out)

    def test_what_does_not_show_again_is_shown_as_it_was_seen(self) -> None:
        run = self.broken("fails_once", code=1, cases=6000)
        found = [claim for claim, _ in run.findings()]
        self.assertIn("delay_is_never_negative", found)
        self.assertEqual(found[-1], "no_call_fails")
        self.assertEqual(run.out.count("it did not happen again"), 1, run.out)
        self.assertIn("says: only once", run.out)

    def test_a_port_that_says_something_else_of_itself_when_it_is_started_again(self) -> None:
        for name in sorted(name for name in broken.SPECIAL if name.endswith("_otherwise")):
            for jobs in ("1", "3"):
                with self.row(name, jobs):
                    expected = broken.SPECIAL[name]
                    run = self.broken(name, "--jobs", jobs, code=expected.code, cases=500)
                    self.assertIn(expected.says, run.last)

    def test_nothing_is_left_of_a_port_that_does_not_end(self) -> None:
        for name in ("leaves_a_child", "leaves_a_daemon", "dies_and_leaves_a_daemon"):
            for jobs in ("1", "3"):
                with self.row(name, jobs):
                    before = time.monotonic()
                    self.broken(name, "--jobs", jobs, code=broken.SPECIAL[name].code)
                    self.assertEqual(running.marked(), [])
                    self.assertLess(time.monotonic() - before, 20)

    def test_what_a_port_writes_moves_no_cursor_and_is_no_verdict_of_ours(self) -> None:
        for name in ("shouts", "has_escapes"):
            for form in ("human", "json", "markdown"):
                with self.row(name, form):
                    run = self.broken(name, "--format", form, code=broken.SPECIAL[name].code, cases=20)
                    self.assertIsNone(CONTROL.search(run.out + run.err))
                    if form == "human":
                        self.assertEqual(len(re.findall(r"^verdict: ", run.out, re.M)), 1, run.out)
        run = self.broken("name_of_256", code=0)
        self.assertIn("é" * 128, run.out)

    def test_a_run_ends_in_its_time_with_a_verdict_on_what_was_judged(self) -> None:
        for jobs in ("1", "3"):
            with self.row(jobs):
                before = time.monotonic()
                run = self.broken("lags", "--max-time", "3", "--jobs", jobs, code=5, cases=5000)
                self.assertLess(time.monotonic() - before, 10)
                self.assertIn(f"out of time after {run.counts()[0]} histories", run.last)
                self.assertIn("\n  the rest of the run: its time was over\n", run.out)
                self.assertGreater(run.counts()[0], 1)
        before = time.monotonic()
        with mock.patch.dict(os.environ, {"LAG": "0.4"}):
            run = self.broken("lags", "--max-time", "1", code=5)
        self.assertLess(time.monotonic() - before, 6)
        self.assertIn("out of time after 0 histories", run.last)
        self.refused(check(built_in("library"), "--max-time", "0"), "--max-time", "seconds in")

    def test_a_port_that_turns_most_away_conforms_by_what_it_took(self) -> None:
        for name in ("takes_half", "takes_few"):
            with self.row(name):
                expected = broken.SPECIAL[name]
                run = self.broken(name, code=expected.code, cases=2000)
                self.assertIn(expected.says, run.last)
                skipped = run.counts()[2]
                said = f"\n  {skipped} of 2000 histories: the port rejected or skipped them" in run.out
                self.assertEqual(said, name == "takes_few")

    def test_closed_streams_and_too_few_descriptors(self) -> None:
        program = shlex.join([running.PROGRAMS["backoff-oracle"], "check", SYSTEM, "--cases", "20", "--", *built_in("library")])
        for words, code, says in ((f"{program} <&-", 0, "conforms"), (f"{program} >&-", 2, "standard output is closed"),
                                  (f"{program} 2>&-", 0, "conforms"), (f"{program} <&- 2>&-", 0, "conforms"),
                                  (f"ulimit -n 8; {program}", 2, "too many open files")):
            with self.row(words):
                run = running.execute(["sh", "-c", words])
                self.assertEqual(run.code, code, run.err)
                self.assertIn(says, run.out + run.err)

    def test_a_port_that_does_not_stop_as_it_should(self) -> None:
        for name in ("ignores_stop", "exits_7_at_stop", "aborts_at_stop", "wrong_and_aborts_at_stop"):
            for jobs in ("1", "2"):
                with self.row(name, jobs):
                    run = self.broken(name, "--jobs", jobs)
                    self.assertIn(broken.SPECIAL[name].says, run.last)
                    self.assertEqual([claim for claim, _ in run.findings()] != [], name.startswith("wrong_"))

    def test_nothing_is_left_when_the_oracle_is_interrupted(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            command = [running.PROGRAMS["backoff-oracle"], "check", SYSTEM, "--", *test_port(broken, "never_reads")]
            with self.row(number.name), subprocess.Popen(command, stdout=subprocess.DEVNULL) as oracle_itself:
                while len(running.marked()) < 2:
                    time.sleep(0.01)
                time.sleep(0.1)  # until the oracle knows of the port too
                oracle_itself.send_signal(number)
                self.assertNotEqual(oracle_itself.wait(10), 0)


class Bounds(OracleTest):
    """Each bound of --help: what is at it passes, what is one beyond it does not."""

    def run_of(self, name: str, *options: str, **more: Any) -> Run:
        expected = broken.SPECIAL[name]
        with tempfile.NamedTemporaryFile("r") as lives:
            timeout = "2" if "hangs" in name else "10"
            run = check(test_port(broken, name), "--timeout", timeout, *options, env={**os.environ, "LIVES": lives.name}, **more)
        self.assertEqual(run.code, expected.code, run.err or run.last)
        self.assertIn(expected.says, run.out + run.err)
        return run

    def test_a_reply(self) -> None:
        for name in ("reply_of_16_mib", "reply_beyond_16_mib", "describes_65536_values", "describes_65537_values", "nested_32",
                     "nested_33"):
            with self.row(name):
                self.run_of(name)

    def test_a_name(self) -> None:
        self.run_of("name_of_256")
        self.assertIn("longer than 256 bytes", check(test_port(broken, "long_name")).err)

    def test_a_reason(self) -> None:
        for name, kept in (("says_1000", "y" * 1_000), ("says_1001", "y" * 1_000 + "\\u2026")):
            with self.row(name), tempfile.TemporaryDirectory() as folder:
                results = pathlib.Path(folder) / "results"
                self.run_of(name, "--results", str(results))
                self.assertIn(kept, re.findall(r'"why":"(.*?)"', results.read_text()))

    def test_standard_error(self) -> None:
        self.assertIn("BEGINee", self.run_of("errors_of_4096").err)
        self.assertNotIn("BEGIN", self.run_of("errors_of_4097").err)

    def test_restarts(self) -> None:
        """A process answers two histories before it breaks down: what was answered is judged, whatever comes then. With this
        seed the histories that it breaks on have nothing in common."""
        for name, judged in (("breaks_11_times", 29), ("breaks_12_times", 24), ("hangs_2_times", 38), ("hangs_3_times", 6)):
            with self.row(name):
                run = self.run_of(name, "--seed", "2", cases=40)
                self.assertEqual(sum(run.counts()), judged)
                self.assertEqual("the rest was not judged" in run.out, judged < 29)

    def test_options(self) -> None:
        for words in (["--timeout", "0.01"], ["--timeout", "86400"], ["--max-time", "86400"], ["--jobs", "64"]):
            with self.row(*words):
                self.assertNotEqual(check(built_in("library"), *words, cases=2).code, 2)
        for words in (["--timeout", "0.009"], ["--timeout", "86400.1"], ["--max-time", "0.009"], ["--max-time", "86400.1"],
                      ["--jobs", "65"]):
            with self.row(*words):
                self.refused(check(built_in("library"), *words), words[0])

    def test_files(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "token"
            token = "aws_backoff_algorithm/base_ms=2,max_ms=5,max_attempts=3/next:7"
            for size, code in ((64 << 20, 0), ((64 << 20) + 1, 2)):
                path.write_text(token + " " * (size - len(token)))
                run = oracle("replay", str(path), port=built_in("library"))
                self.assertEqual((run.code, "larger than 64 MiB" in run.err), (code, code == 2), run.err)
                path.write_text("#" * (size - 1) + "\n")
                run = check(built_in("library"), "--known-failing", str(path))
                self.assertEqual((run.code, "larger than 64 MiB" in run.err), (code, code == 2), run.err)
        endless = "/dev/zero"
        for words in (["replay", endless], ["check", SYSTEM, "--known-failing", endless]):
            with self.row(*words):
                self.refused(oracle(*words, port=built_in("library")), "larger than 64 MiB")
        for words in (["report", endless], ["verify", endless, endless]):
            with self.row(*words):
                self.refused(oracle(*words), endless)


if __name__ == "__main__":
    running.main(__doc__)
