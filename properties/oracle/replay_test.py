#!/usr/bin/python3
"""How a finding is shown again: replay lines, files of what is too long, and ports that draw or remember.

    replay_test.py --bin build/release/bin
"""
import json
import os
import pathlib
import re
import shlex
import sys
import tempfile
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "test_ports"))
sys.dont_write_bytecode = True
import chance  # noqa: E402
import lengthy  # noqa: E402
import running  # noqa: E402
import slow  # noqa: E402
import wrong  # noqa: E402
from oracle_test import UNAGREED, WRONG, OracleTest  # noqa: E402
from running import SYSTEM, Run, built_in, check, oracle, test_port, token_of  # noqa: E402


class Replaying(OracleTest):
    def test_every_replay_line_shows_its_claim_again_and_the_right_port_passes(self) -> None:
        tokens = []
        ports = [(name, options) for name, _, _, options in WRONG]
        ports += [(name, options) for name, _, _ in UNAGREED for options in ([], ["--strict"])]
        for name, options in ports:
            for claim, line in check(built_in(name), *options, cases=300).findings():
                with self.row(name, claim):
                    tokens.append(token_of(line))
                    self.breaks_again(running.execute(shlex.split(line)), claim)
                    self.ended(oracle("replay", tokens[-1], *options, port=built_in("library")), 0)
        self.assertTrue(any("+" in token for token in tokens), "no finding that takes two histories")

    def test_replay_lines_of_test_ports(self) -> None:
        for name in ("throws", "writes_null", "opaque_beyond_the_cap", "rejects_all_declared"):
            for claim, line in check(test_port(wrong, name)).findings():
                with self.row(name, claim):
                    self.breaks_again(running.execute(shlex.split(line)), claim)

    def test_a_replay_line_can_be_pasted_into_a_shell(self) -> None:
        command = [*built_in("cap-ignored"), "it is", "$HOME; \"quoted\""]
        for line in check(command).replay_lines():
            self.assertEqual(shlex.split(line)[-len(command):], command)

    def test_the_history_of_a_finding_replays_from_a_file(self) -> None:
        port = built_in("mixed-growth")
        found = json.loads(check(port, "--format", "json", cases=300).out)["findings"][0]
        history = json.dumps(found["history"])
        for content in (history, json.dumps(found["history"], indent=2), f"\n  {history}\r\n", found["token"] + "\r\n"):
            with self.row(content), tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                file.write(content)
                file.flush()
                self.breaks_again(oracle("replay", file.name, port=port), found["claim"])


class BoundedOutput(OracleTest):
    """What a verdict is too long for goes into files of the working directory."""

    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def judged(self, name: str, *options: str, code: int = 1, **more: Any) -> Run:
        run = check(test_port(lengthy, name), *options, cwd=self.folder, **more)
        self.assertEqual((run.err, run.code), ("", code), run.last)
        return run

    def within_bounds(self, run: Run) -> list[str]:
        lines = run.out.splitlines()
        self.assertLessEqual(len(lines), 200)
        self.assertLessEqual(len(run.out.encode()), 100_000)
        self.assertLessEqual(max(len(line.encode()) for line in lines), 4096)
        return lines

    def test_what_is_left_out_is_in_the_file_that_the_text_names(self) -> None:
        run = self.judged("fails_after_69_histories")
        lines = self.within_bounds(run)
        whole = (self.folder / f"{SYSTEM}.verdict").read_text()
        left_out, of = map(int, running.found(rf"^\[(\d+) of (\d+) lines are left out from here on; {SYSTEM}\.verdict holds the whole "
                                          r"verdict\]$", run.out, re.M).groups())
        self.assertEqual((len(whole.splitlines()), len(lines)), (of, of - left_out + 1))
        self.assertGreater(len(re.findall(r"^  smallest history \d+ of ", whole, re.M)), 64)
        self.assertEqual((whole.splitlines()[0], whole.splitlines()[-1]), (lines[0], lines[-1]))
        self.assertTrue(lines[-1].startswith("verdict: "))
        for always in (r"^violation \d+: .*$", r"^  replay .*$"):
            self.assertEqual(re.findall(always, whole, re.M), re.findall(always, run.out, re.M))
        self.assertEqual([line for line in lines if not line.startswith("[") and line not in whole.splitlines()], [])
        again = running.execute(shlex.split(run.replay_lines()[0]), cwd=self.folder)
        self.assertEqual((again.err, again.code), ("", 1), again.last)
        report = self.judged("fails_after_69_histories", "--format", "json").out  # and is whole
        self.assertGreater(len(json.loads(report)["findings"][0]["history"]["cases"]), 64)

    def test_a_verdict_that_is_short_leaves_no_file(self) -> None:
        check(built_in("cap-ignored"), cwd=self.folder)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_history_that_is_long_is_replayed_from_a_file(self) -> None:
        for options in ([], ["--format", "json"], ["--format", "markdown"]):
            with self.row(*options):
                run = self.judged("fails_after_400_different_draws", *options, cases=3000)
                names = set(re.findall(rf"replay ({SYSTEM}-\w+\.history) -- ", run.out))
                self.assertEqual(names, {path.name for path in self.folder.glob("*.history")}, run.out)
                self.assertTrue(names)
        before = {name: (self.folder / name).read_bytes() for name in names}
        for line in self.judged("fails_after_400_different_draws", cases=3000).replay_lines():
            again = running.execute(shlex.split(line), cwd=self.folder)
            self.assertEqual((again.err, again.code), ("", 1), again.out)
            self.assertIn("no_call_fails", again.last)
        self.assertEqual({name: (self.folder / name).read_bytes() for name in names}, before)

    def test_what_cannot_be_written_is_an_error_behind_the_verdict(self) -> None:
        for name, cases, file in (("fails_after_69_histories", 200, "verdict"), ("fails_after_400_different_draws", 3000, "history")):
            with self.row(name):
                folder = self.folder / name
                folder.mkdir()
                (folder / f"{SYSTEM}.verdict").mkdir()
                port = shlex.join([running.PROGRAMS["backoff-oracle"], "check", SYSTEM, "--cases", str(cases), "--",
                                   *test_port(lengthy, name)])
                limit = "" if file == "verdict" else "ulimit -f 0; "
                run = running.execute(["sh", "-c", limit + port], cwd=folder)
                self.assertEqual((run.code, run.err.count("\n")), (2, 1), run.err)
                self.assertRegex(run.err, rf"^backoff-oracle: error: cannot write '{SYSTEM}\S*\.{file}': ")
                self.assertIn("; the whole verdict could not be written]\n", run.out)
                self.assertTrue(self.within_bounds(run)[-1].startswith("verdict: does not conform"))
                self.assertEqual([path.name for path in folder.iterdir() if path.suffix == f".{file}" and path.is_file()], [])

    def test_what_depends_on_time_says_so(self) -> None:
        """The same in a run, in its results judged again, and in JSON."""
        results = self.folder / "results"
        port = [sys.executable, "-B", "-S", "-E", slow.__file__, "wrong", "0.01", running.MARK]
        run = check(port, "--max-time", "2", "--results", str(results), cases=60, cwd=self.folder)
        self.assertEqual(run.code, 1, run.err)
        for line in re.findall(r"^  (?:smallest )?history.*", run.out, re.M):
            shown = line.startswith("  smallest history found in time: ")
            self.assertTrue(shown or "the time was over before it could be shown" in run.out)
        self.assertRegex(run.out, r"the time (for|to|was)")
        again = oracle("report", str(results), cwd=self.folder)
        self.assertEqual(run.out, again.out)


class FindingAgain(OracleTest):
    """The ports draw from generators whose seed is the number of processes before."""

    def setUp(self) -> None:
        file = self.enterContext(tempfile.NamedTemporaryFile("r"))
        self.environment = {**os.environ, "LIVES": file.name}

    def first_finding(self, name: str, *options: str, cases: int = 2000) -> dict[str, Any]:
        run = check(test_port(chance, name), "--format", "json", *options, cases=cases, env=self.environment)
        self.ended(run, 1)
        finding: dict[str, Any] = json.loads(run.out)["findings"][0]
        return finding

    def replayed(self, found: dict[str, Any]) -> Run:
        run = running.execute(shlex.split(found["replay"]), env=self.environment)
        self.breaks_again(run, found["claim"])
        return run

    def test_a_fault_by_chance_is_small_and_replays_each_time(self) -> None:
        chance = {"by_chance": "the port draws for itself", "ignores_its_draws": "given the same calls, the port answers differently"}
        for name in chance:
            with self.row(name):
                found = self.first_finding(name)
                self.assertEqual((found["shown"], len(found["tables"]), len(found["tables"][0])), ("together", 1, 1))
                self.assertTrue(found["tables"][0][0]["breaks"])
                self.assertLess(abs(found["again"]["broke"] / found["again"]["tries"] - 0.4), 0.2)
                for _ in range(4):
                    told = " ".join(self.replayed(found).out.split())
                    self.assertRegex(told, rf"by chance {chance[name]}: \d+ of 32 tries showed it")

    def test_a_rare_fault_is_no_sequence_though_each_process_draws_alike(self) -> None:
        found = self.first_finding("seeded_alike", cases=200)
        self.assertEqual(found["shown"], "together")
        self.replayed(found)

    def test_a_port_that_remembers_is_shown_in_sequence(self) -> None:
        for name in ("remembers", "remembers_and_draws"):
            with self.row(name):
                found = self.first_finding(name)
                self.assertEqual((found["shown"], len(found["tables"])), ("in sequence", 2))
                self.replayed(found)

    def test_chance_is_no_sequence(self) -> None:
        self.assertEqual(self.first_finding("wrong_at_times")["shown"], "unsteady")

    def test_what_chance_does_not_explain_is_lost(self) -> None:
        self.assertEqual(self.first_finding("forgets", cases=300)["shown"], "lost")

    def test_what_chance_explains_is_unsteady(self) -> None:
        self.assertEqual(self.first_finding("forgets_a_rare_fault", cases=300)["shown"], "unsteady")


if __name__ == "__main__":
    running.main(__doc__)
