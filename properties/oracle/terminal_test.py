#!/usr/bin/python3
"""What a person at a terminal sees of backoff-oracle, and what goes into a pipe instead.

    terminal_test.py --bin build/release/bin
"""
import contextlib
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import struct
import sys
import tempfile
import termios
import time
import unittest
from collections.abc import Sequence
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "test_ports"))
sys.dont_write_bytecode = True
import broken  # noqa: E402
import running  # noqa: E402
import slow  # noqa: E402
from running import SYSTEM, built_in, check, listed, oracle, test_port  # noqa: E402

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
DRAWN = re.compile(r"\r([^\r\x1b]*)\x1b\[K")  # a progress line, and its end
COLUMNS = 80
WRONG_OF = {"aws_backoff_algorithm": "no-jitter", "aws_retry_utils": "counts-every-call", "aws_step_functions": "linear",
            "aws_prescriptive_sample": "limit-ignored", "azure_c_retry_control": "grows-linearly", "azure_java_retry_policy": "square"}
WRONG = ("cap-after-jitter", "cap-ignored", "compare-half", "reset-says-exhausted", "exclusive")


def slow_port(name: str, seconds: float) -> list[str]:
    return [sys.executable, "-B", "-S", "-E", slow.__file__, name, str(seconds), running.MARK]


class TerminalTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def tearDown(self) -> None:
        self.assertEqual(running.left_over(), [], "processes left over")

    def on_terminal(self, *words: str, port: Sequence[str] = (), out: pathlib.Path | None = None, err: pathlib.Path | None = None,
                    until: str | None = None, **environment: str) -> tuple[int, str]:
        """Exit code and what the terminal got: all, or what went neither to the file `out` nor to the file `err`.
        until: the program is ended once the terminal has got it."""
        kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
        command = [running.PROGRAMS["backoff-oracle"], *words, *(["--", *port] if port else [])]
        process, terminal = pty.fork()
        if process == 0:
            os.read(0, 1)  # until the terminal has its size
            for descriptor, path in ((1, out), (2, err)):
                if path is not None:
                    os.dup2(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC), descriptor)
            os.execve(command[0], command, {**kept, "TERM": "xterm", **environment})
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        settings = termios.tcgetattr(terminal)
        settings[3] &= ~termios.ECHO
        termios.tcsetattr(terminal, termios.TCSANOW, settings)
        os.write(terminal, b"\n")
        got, end = b"", time.monotonic() + 60
        with contextlib.suppress(OSError):  # the terminal is gone
            while time.monotonic() < end:
                if not select.select([terminal], [], [], 1)[0]:
                    continue
                got += os.read(terminal, 4096)
                if until and re.search(until, got.decode(errors="replace")):
                    os.write(terminal, b"\x03")
                    until = None
        _, status = os.waitpid(process, 0)
        os.close(terminal)
        return os.waitstatus_to_exitcode(status), got.decode().replace("\r\n", "\n")

    def printed(self, *words: str, **more: Any) -> str:
        return DRAWN.sub("", self.on_terminal(*words, **more)[1])

    def progress(self, *words: str, **more: Any) -> tuple[int, list[str], str]:
        """The lines that were drawn and what was printed besides; the last line is taken away again."""
        code, seen = self.on_terminal(*words, out=self.folder / "out", **more)
        drawn = DRAWN.findall(seen)
        if drawn:
            self.assertEqual(drawn[-1], "", "the line is taken away")
        for line in drawn:
            self.assertLess(len(line), COLUMNS)
        return code, [line for line in drawn if line], DRAWN.sub("", seen)


class Progress(TerminalTest):
    def test_a_slow_port_shows_how_far_it_is_and_the_report_has_the_same_bytes(self) -> None:
        port = slow_port("right", 0.004)
        code, lines, besides = self.progress("check", SYSTEM, "--cases", "600", port=port)
        self.assertEqual((code, besides), (0, ""))
        judging = [line for line in lines if line.startswith("judging: ")]
        form = r"judging: (\d+) of 600 histories(?:, (?:\d+(?:\.\d)?/s, \d+ s left|\d+ s))"
        matched = [re.fullmatch(form, line) for line in judging]
        self.assertNotIn(None, matched, judging)
        counts = [int(found[1]) for found in matched if found]
        self.assertEqual(counts, sorted(counts))
        self.assertTrue(any(0 < count < 600 for count in counts), judging)
        self.assertTrue(any(" left" in line for line in judging))
        piped = check(port, cases=600)
        self.assertEqual((piped.err, (self.folder / "out").read_text()), ("", piped.out))

    def test_the_line_moves_while_the_port_says_nothing(self) -> None:
        _, seen = self.on_terminal("check", SYSTEM, "--cases", "9", port=slow_port("right", 30), out=self.folder / "out",
                                   until=r"(asking how it maps draws|judging): 0 of \d+ histories, [2-9] s")
        self.assertIn(", 1 s", seen)

    def test_what_is_shrunk_is_named_and_when_that_ends(self) -> None:
        _, lines, _ = self.progress("check", SYSTEM, "--cases", "200", port=slow_port("wrong", 0.02),
                                    until=r"looking for where jitter_survives\S*( breaks)?: .* left")
        shrinking = [line for line in lines if line.startswith("shrinking jitter_survives_the_cap: ")]
        self.assertTrue(shrinking, lines)
        for line in shrinking:
            self.assertRegex(line, r"\d+ histories, \S+( s)?, at most \d+ (min \d+ )?s left$")

    def test_several_processes_count_together(self) -> None:
        _, lines, _ = self.progress("check", SYSTEM, "--cases", "900", "--jobs", "3", port=slow_port("right", 0.004))
        counts = [int(found[1]) for line in lines if (found := re.match(r"judging: (\d+) of 900", line))]
        self.assertGreater(max(counts), 256, lines)
        self.assertLessEqual(max(counts), 900)

    def test_a_time_limit_is_the_time_left(self) -> None:
        _, lines, _ = self.progress("check", SYSTEM, "--cases", "100000", "--max-time", "3", port=slow_port("right", 0.01))
        form = r"judging: \d+ of 100000 histories, \S+( s)?, at most [0-3] s left"
        self.assertTrue(any(re.match(form, line) for line in lines), lines)

    def test_a_replay_that_draws_again(self) -> None:
        port = [running.PROGRAMS["backoff-port"], "library", "--draws", "random", running.MARK]
        calls = ",".join(["next"] * 39)
        _, lines, besides = self.progress("replay", f"{SYSTEM}/base_ms=2,max_ms=9,max_attempts=40/{calls}", port=port)
        self.assertIn("backoff-oracle: note: the port draws for itself: nothing failed in ", besides)
        for line in lines:
            self.assertRegex(line, r"^(drawing again: \d+ of 9999 histories|starting the port|replaying)")

    def test_vectors_verify_and_report(self) -> None:
        port, path = slow_port("right", 0), self.folder / "r.jsonl"
        check(port, "--results", str(path), cases=10_000)
        _, lines, _ = self.progress("report", str(path), str(path), "-o", str(self.folder / "page.html"))
        vectors = self.folder / "vectors"
        code, seen = self.on_terminal("vectors", SYSTEM, "--count", "9000", out=vectors)
        drawn = "\n".join(DRAWN.findall(seen))
        self.assertEqual(code, 0)
        self.assertRegex(drawn, r"(?m)^(planning: \d+ of 9000 histories|writing: \d+ of \d+ vectors)")
        cases = json.loads(vectors.read_text())["cases"]
        self.assertGreater(len(cases), 5000)
        answers = self.folder / "answers"
        answers.write_text("")
        self.assertEqual(oracle("verify", str(vectors), str(answers)).code, 2)
        _, lines, besides = self.progress("verify", str(vectors), str(answers))
        self.assertRegex("\n".join(lines), r"(?m)^(planning: \d+ of 9000 histories|comparing: \d+ of \d+ vectors)")
        self.assertTrue(besides.startswith("backoff-oracle: "), besides)

    def test_there_is_none_with_quiet_nor_on_a_dumb_terminal_nor_in_a_pipe(self) -> None:
        port = slow_port("right", 0.005)
        words = ("check", SYSTEM, "--cases", "300")
        self.assertEqual(self.progress(*words, "--quiet", port=port), (0, [], ""))
        self.assertEqual(self.progress(*words, port=port, TERM="dumb"), (0, [], ""))
        self.assertEqual(self.on_terminal(*words, port=port, out=self.folder / "out", err=self.folder / "err"), (0, ""))
        self.assertEqual((self.folder / "err").read_text(), "")


class SlowBatches(TerminalTest):
    def test_a_port_that_is_slower_than_its_batch_may_take_is_asked_for_less(self) -> None:
        run = check(slow_port("right", 0.008), "--timeout", "1", cases=600)
        self.assertEqual(run.code, 0, run.out[-300:])


class Colour(TerminalTest):
    def report(self, *options: str, cases: str = "300", port: str = "cap-after-jitter", **environment: str) -> str:
        return self.printed("check", SYSTEM, "--cases", cases, *options, port=built_in(port), **environment)

    def test_it_is_there_on_a_terminal_and_can_be_refused(self) -> None:
        coloured = self.report()
        self.assertRegex(coloured, r"\x1b\[31mBROKEN")
        self.assertRegex(coloured, r"\x1b\[32mholds")
        self.assertRegex(coloured, r"\x1b\[1m\x1b\[31mverdict: does not conform")
        self.assertRegex(self.report(port="library"), r"\x1b\[1m\x1b\[32mverdict: conforms")
        self.assertRegex(self.report("--max-failures", "0", cases="1", port="library"), r"\x1b\[1m\x1b\[33mverdict: inconclusive")
        plain = COLOUR.sub("", coloured)
        for options, environment in ((["--color", "never"], {}), ([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"})):
            with self.subTest(options=options, **environment):
                self.assertEqual(self.report(*options, **environment), plain)
        self.assertEqual(self.report(NO_COLOR=""), coloured)
        self.assertEqual(self.report("--color", "always", NO_COLOR="1"), coloured)

    def test_a_pipe_has_the_same_bytes_whatever_the_terminal_is(self) -> None:
        for port in ("library", *WRONG):
            with self.subTest(port):
                plain = check(built_in(port), cases=300)
                self.assertNotIn("\x1b", plain.out)
                self.assertEqual(check(built_in(port), "--color", "never", cases=300).out, plain.out)
                coloured = check(built_in(port), "--color", "always", cases=300)
                self.assertEqual(COLOUR.sub("", coloured.out), plain.out)
                self.assertNotEqual(coloured.out, plain.out)

    def test_other_formats_have_none(self) -> None:
        for form in ("json", "markdown"):
            self.assertNotIn("\x1b", self.report("--format", form, "--color", "always"))

    def test_errors_are_coloured_where_they_are_read(self) -> None:
        _, seen = self.on_terminal("check", "nope")
        self.assertTrue(seen.startswith("backoff-oracle: \x1b[1m\x1b[31merror:\x1b[0m unknown system 'nope'"), seen)
        _, seen = self.on_terminal("check", "nope", NO_COLOR="1")
        self.assertTrue(seen.startswith("backoff-oracle: error: unknown system"), seen)


class Width(TerminalTest):
    def fits(self, text: str) -> None:
        for line in COLOUR.sub("", text).splitlines():
            if not re.match(r" *replay +\S", line):  # it is there to be pasted
                self.assertLessEqual(len(line), COLUMNS, line)

    def test_reports_of_every_system_fit(self) -> None:
        for system in listed():
            for port in ("library", WRONG_OF[system["name"]]):
                with self.subTest(system["name"], port=port):
                    words = ("check", system["name"], "--cases", "200")
                    seen = self.printed(*words, port=built_in(port))
                    self.fits(seen)
                    piped = oracle(*words, port=built_in(port)).out
                    lost = set(piped.split()) - set(COLOUR.sub("", seen).replace("claims,", "claims").split())
                    self.assertLessEqual(lost, {"histories", "history", "at", "stake", "in"})

    def test_hidden_draws_and_what_broke_fit(self) -> None:
        port = [running.PROGRAMS["backoff-port"], "cap-after-jitter", "--draws", "random", running.MARK]
        self.fits(self.printed("check", SYSTEM, "--cases", "2000", port=port))
        self.fits(self.printed("check", SYSTEM, port=test_port(broken, "aborts_on_base_7")))

    def test_each_process_of_a_built_in_port_has_a_seed_of_its_own_unless_it_is_told_one(self) -> None:
        for seed, differ in (([], True), (["1"], False)):
            port = [running.PROGRAMS["backoff-port"], "library", "--draws", "random", *seed]
            said = oracle("check", "azure_java_retry_policy", "--cases", "500", port=port).out
            self.assertRegex(said, rf"{'holds' if differ else 'BROKEN'} +processes_draw_differently")

    def test_list_and_explain_fit_and_say_the_same(self) -> None:
        for words in (("list",), ("explain", "jitter_survives_the_cap"), ("explain", SYSTEM), ("explain", "window-growth")):
            with self.subTest(words=words):
                _, seen = self.on_terminal(*words)
                self.fits(re.sub(r"(?m)^.*told apart by.*$", "", seen))  # a token has no spaces
                self.assertEqual(seen.split(), oracle(*words).out.split())

    def test_the_help_fits_anywhere(self) -> None:
        verbs = re.findall(r"(?m)^  (\w+) ", oracle("--help").out.partition("Subcommands:")[2].partition("Exit codes:")[0])
        self.assertEqual(len(verbs), 11)
        for words in ([], *([verb] for verb in verbs)):
            with self.subTest(words=words):
                text = oracle(*words, "--help").out
                self.fits(text)
                self.assertNotIn("\n\n\n", text)
                self.assertNotRegex(text, r"(?m) $|Excludes")
        text = oracle("check", "--help").out
        self.assertIn("Usage: backoff-oracle check [OPTIONS] SYSTEM {-- PORT [ARG…]|--library LIB}\n", text)
        self.assertEqual(re.findall(r"(?m)^([A-Z][a-z ]+):$", text),
                         ["Positionals", "Options", "Histories", "Port", "Judgement", "Output", "Examples", "Exit codes", "Limits"])


class Quiet(TerminalTest):
    def test_it_is_the_last_line_of_the_report(self) -> None:
        for port in ("library", *WRONG):
            with self.subTest(port):
                whole, quiet = check(built_in(port)), check(built_in(port), "--quiet")
                self.assertEqual((quiet.code, quiet.out), (whole.code, whole.out.splitlines()[-1] + "\n"))
        path = self.folder / "r.jsonl"
        whole = check(built_in("cap-ignored"), "--results", str(path), "-q")
        self.assertEqual(oracle("report", str(path), "-q").out, whole.out)
        self.assertTrue(whole.out.startswith("verdict: does not conform"))

    def test_it_is_not_for_other_formats(self) -> None:
        run = check(built_in("library"), "--quiet", "--format", "json")
        self.assertEqual((run.code, run.out, run.err.count("\n")), (2, "", 1))
        self.assertIn("--format", run.err)


class Errors(TerminalTest):
    def test_each_says_what_where_and_what_was_expected_and_names_the_nearest_word(self) -> None:
        port = ("--", "true")
        for words, says in (
                (["chek"], "unknown command 'chek', expected one of: list, explain, init, eval, check, watch, plan, replay, vectors, "
                            "verify, "
                           "report;"),
                (["chek"], "; did you mean 'check'?"),
                (["--hlep"], "unknown option '--hlep', expected a command (list, "),
                (["check", "aws_backof_algorithm", *port],
                 "unknown system 'aws_backof_algorithm', expected one of: aws_backoff_algorithm, "),
                (["check", "aws_backof_algorithm", *port], "; did you mean 'aws_backoff_algorithm'?"),
                (["check", SYSTEM, "--cass", "3", *port],
                 "unknown option '--cass' of check; did you mean '--cases'? (backoff-oracle check --help lists them)"),
                (["check", SYSTEM, "--cass=3", *port], "unknown option '--cass' of check; did you"),
                ([], "no command given, expected one of: list, explain, "),
                (["check", SYSTEM, "./my_port"],
                 "unexpected argument './my_port': write -- before the command that starts the port (backoff-oracle check --help)"),
                (["list", SYSTEM, "more"], "unexpected argument 'more' of list (backoff-oracle list --help)"),
                (["check", SYSTEM, "--shard", "5/4", *port], "--shard: '5/4': expected I/N with 1 <= I <= N <= 1000 ("),
                (["check", SYSTEM, "--level", "3", *port], "--level: '3': expected a whole number in [1, 2] ("),
                *((["check", SYSTEM, "--alpha", alpha, *port], f"--alpha: '{alpha}': expected a probability above 0, at most 0.1 (")
                  for alpha in ("2", "0", "nan", "0.1x")),
                (["check", SYSTEM, "--cases", "0", *port],
                 "--cases: '0': expected a whole number in [1, 9007199254740992] (backoff-oracle check --help)"),
                (["check", SYSTEM, "--format", "jsno", *port],
                 "--format: 'jsno': expected one of: human, json, markdown; did you mean 'json'? (backoff-oracle check --help)"),
                (["check", SYSTEM, "--color", "red", *port], "--color: 'red': expected one of: auto, always, never"),
                (["check", SYSTEM, "--reading", "upper_bound=exclusive", *port],
                 "--reading 'upper_bound=exclusive': expected NAME=VALUE with NAME one of: "),
                (["check", SYSTEM, "--range", "bas_ms=1..2", *port], "; did you mean base_ms?"),
                (["check", SYSTEM], "no port given, expected check SYSTEM [options] -- PORT"),
                (["check"], "SYSTEM is required (backoff-oracle check --help)"),
                (["explain", "jiter_survives_the_cap"], "; did you mean 'jitter_survives_the_cap'?"),
                (["report", "/nowhere/r"], "'/nowhere/r': expected a results file: it cannot be read or is empty")):
            with self.subTest(" ".join(words)):
                run = oracle(*words)
                self.assertEqual((run.code, run.out, run.err.count("\n")), (2, "", 1), run.err)
                self.assertTrue(run.err.startswith("backoff-oracle: error: "), run.err)
                self.assertIn(says, run.err)


if __name__ == "__main__":
    running.main(__doc__)
