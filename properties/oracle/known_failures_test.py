#!/usr/bin/python3
"""Lists of known failures: what they excuse, how they are written, what is stale in them.

    known_failures_test.py --bin build/release/bin
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "test_ports"))
sys.dont_write_bytecode = True
import broken  # noqa: E402
import running  # noqa: E402
import wrong  # noqa: E402
from results_test import ReportTest, port_from  # noqa: E402
from running import SYSTEM, built_in, check, test_port  # noqa: E402


class KnownFailures(ReportTest):
    def known(self, text: str) -> list[str]:
        path = self.folder / "known.txt"
        path.write_text(text)
        return ["--known-failing", str(path)]

    def test_what_is_listed_does_not_fail_and_is_said(self) -> None:
        port = port_from("wrong_if_base_is_0")
        self.assertEqual(check(port, cases=1000).code, 1)
        for claim in ("delay_never_exceeds_cap", "AWS-BA-003"):
            lines = self.known(f"\n# those with base 0\n  {claim}  base_ms=0,max_ms>100 # bug 7\n"
                               "first_delay_is_drawn_from_the_base base_ms=0 # bug 7\n"
                               "jitter_survives_the_cap base_ms<1 # bug 7\nwindow_doubles_with_each_retry base_ms<=0 # 7\n")
            run = check(port, *lines, cases=1000)
            stale = [line for line in run.out.splitlines() if line.startswith("  STALE ")]
            self.assertEqual(run.code, 1 if stale else 0, run.out)
            self.assertTrue(stale)

    def test_the_list_that_a_run_writes_excuses_the_run_and_nothing_else(self) -> None:
        written = self.folder / "written"
        for name in ("cap-ignored", "linear", "no-jitter", "mixed-growth", "freeze", "throws-on-empty", "not-a-number",
                     "doubles-too-late"):
            with self.row(name):
                self.assertEqual(check(built_in(name), "--write-known-failing", str(written), cases=2000).code, 1)
                run = check(built_in(name), "--known-failing", str(written), cases=2000)
                self.assertEqual(run.code, 0, run.out)
                self.assertIn("known to fail: ", run.last)
                right = check(built_in("library"), "--known-failing", str(written), cases=2000)
                demanded = [number for number, line in enumerate(written.read_text().splitlines(), 1)
                            if not line.startswith("#") and " sometimes # " not in line]
                self.assertEqual((right.code, right.out.count("  STALE ")), (1, len(demanded)), right.out)
                for number in demanded:
                    self.assertIn(f"{written}:{number}", right.last)

    def test_a_list_written_onto_itself_keeps_what_people_wrote(self) -> None:
        first = ("# Ours, by hand.\r\n\n  delay_never_exceeds_cap   *   # issue 7: see https://example.org/7\n"
                 "# stale soon\nno_call_fails * # never\nAWS-BA-003 * # issue 8\n# the end\n")
        lines = self.known(first)
        written = self.folder / "known.txt"
        port = ["--write-known-failing", str(written)]
        for options, stays in ((["--max-failures", "1"], True), ([], False)):
            with self.row(*options):
                written.write_text(first)
                check(built_in("cap-ignored"), *lines, *port, *options, cases=600)
                about, *kept = written.read_bytes().decode().splitlines(keepends=True)
                self.assertTrue(about.startswith("# CLAIM-OR-REQUIREMENT"))
                wanted = [line for line in first.splitlines(keepends=True) if stays or "# never" not in line]
                self.assertEqual(kept[:len(wanted)], wanted)
                self.assertTrue(all("to be explained" in line for line in kept[len(wanted):]), kept)
        before = written.read_bytes()
        refused = check(built_in("cap-ignored"), *lines, *port, "--shard", "1/2")
        self.assertEqual((refused.code, refused.out), (2, ""))
        self.assertIn("--write-known-failing needs a whole run, and --shard runs a part of one: leave --shard out", refused.err)
        self.assertEqual(written.read_bytes(), before)
        check(built_in("cap-ignored"), *lines, *port, cases=600)
        self.assertEqual(written.read_bytes(), before)
        for name in ("never_makes_sense", "exits_in_the_middle"):
            with self.row(name):
                written.write_text(first)
                run = check(test_port(broken, name), *lines, *port)
                self.assertEqual((run.code, written.read_text()), (3, first.replace("\r\n", "\n")))
                self.assertIn("is unchanged: the run did not finish", run.err)
        self.assertEqual(self.files(), ["known.txt"])

    def test_a_narrow_list_is_learned(self) -> None:
        written = self.folder / "written"
        port = port_from("wrong_everywhere_if_base_is_0")
        self.assertEqual(check(port, "--write-known-failing", str(written), cases=1000).code, 1)
        lines = [line for line in written.read_text().splitlines() if not line.startswith("#")]
        self.assertTrue(lines)
        for line in lines:
            self.assertRegex(line, r"^\w+ (\S+,)?base_ms=0(,\S+)? (sometimes )?# ")
        self.assertEqual(check(port, "--known-failing", str(written), cases=1000).code, 0)

    def test_a_port_that_breaks_where_it_is_known_to_is_judged_elsewhere(self) -> None:
        written = self.folder / "written"
        for name, wanted in (("aborts_on_base_7", 2), ("step_lost_on_base_7", 2)):
            with self.row(name):
                port = test_port(broken, name)
                self.assertEqual(check(port, "--write-known-failing", str(written)).code, 3)
                self.assertIn("\nno_history_breaks_the_port base_ms=7 # ", written.read_text())
                results, run = self.results(port, "--known-failing", str(written), "--seed", str(wanted))
                self.assertEqual(run.code, 0, run.out)
                self.assertEqual(self.report(results).out, run.out)
                right = check(test_port(broken, "takes_half"), *self.known("no_history_breaks_the_port base_ms=7 # 1\n"))
                self.assertEqual((right.code, right.out.count("  STALE ")), (1, 1), right.out)
                elsewhere = check(port, *self.known("no_history_breaks_the_port base_ms=8 # 1\n"))
                self.assertEqual(elsewhere.code, 3, elsewhere.out)

    def test_another_failure_of_the_same_claim_still_fails_and_is_shown_outside(self) -> None:
        run = check(built_in("cap-ignored"), *self.known("delay_never_exceeds_cap max_ms=0 # 1\n"), cases=2000)
        self.assertEqual(run.code, 1)
        token = dict(run.findings())["delay_never_exceeds_cap"]
        self.assertIn("max_ms=1,", token)

    def test_excused_answers_refute_no_reading(self) -> None:
        """There the port follows the other reading: as known to fail that is no evidence, else no reading is left."""
        port = port_from("exclusive_if_base_is_0")
        self.assertEqual(check(port, cases=1000).code, 1)
        claims = sorted(name for name, (holds, _, _) in check(built_in("library"), cases=1000).claims().items()
                        if name.startswith(("first_", "window_", "jitter_", "instances_", "reset_starts")))
        run = check(port, *self.known("".join(f"{claim} max_ms>1000 # other reading\n" for claim in claims)), cases=1000)
        self.assertNotIn("violation", run.out)
        self.assertIn("upper-bound         inclusive\n", run.out)

    def test_hidden_draws(self) -> None:
        port = port_from("biased_by_position")
        run = check(port, *self.known("delays_fill_their_window * # biased\n"), cases=600)
        self.assertEqual(run.code, 0, run.out)
        self.assertIn("known to fail: delays_fill_their_window", run.last)
        run = check(port_from("by_position"), *self.known("delays_fill_their_window * # biased\n"), cases=600)
        self.assertEqual(run.code, 1, run.out)
        self.assertIn("nothing failed there", run.last)

    def test_histories_that_are_not_answered(self) -> None:
        port = test_port(wrong, "rejects_all_declared")
        run = check(port, *self.known("declared_histories_are_answered * # later\n"), cases=50)
        self.assertEqual(run.code, 5, run.out)  # nothing was judged

    def test_shards_and_reports(self) -> None:
        lines = self.known("delay_never_exceeds_cap * # 1\njitter_survives_the_cap * # 1\ninstances_are_independent * # 1\n"
                           "reset_starts_a_fresh_cycle * # 1\nno_call_fails * # never\n")
        whole = check(built_in("cap-ignored"), *lines, cases=900)
        paths = []
        for number in (1, 2, 3):
            path, run = self.results(built_in("cap-ignored"), *lines, "--shard", f"{number}/3", name=str(number), cases=900)
            self.assertEqual(run.code, 0, run.out)  # what is stale only all shards together know
            paths.append(path)
        run = self.report(*paths)
        self.assertEqual((run.code, run.out), (1, whole.out))
        self.assertIn("no_call_fails *", run.last)
        other, _ = self.results(built_in("cap-ignored"), "--shard", "2/3", name="other", cases=900)
        self.refused(self.report(paths[0], other, paths[2]), "of another run", "--known-failing")

    def test_what_could_not_fail_is_not_stale(self) -> None:
        lines = self.known("no_call_fails * # never\n")
        self.assertEqual(check(built_in("library"), *lines, cases=300).code, 1)
        for options in (["--skip", "no_call_fails"], ["--claim", "delay_*"]):
            self.assertEqual(check(built_in("library"), *lines, *options, cases=300).code, 0)
        run = check(built_in("cap-ignored"), *lines, "--max-failures", "1", cases=300)
        self.assertEqual((run.code, "STALE" in run.out), (1, False))

    def test_bad_lines_are_refused_with_file_and_line(self) -> None:
        for line, *says in [
                ("nope * # x", "'nope'", SYSTEM), ("no_call_fails", "pattern"), ("no_call_fails # x", "pattern"),
                ("no_call_fails *", "# reason"), ("no_call_fails * #", "# reason"), ("no_call_fails * x # y", "# reason"),
                ("no_call_fails base=0 # x", "'base'", "base_ms"), ("no_call_fails base_ms # x", "'base_ms'"),
                ("no_call_fails base_ms=x # x", "base_ms"), ("no_call_fails base_ms==0 # x", "base_ms"),
                ("no_call_fails base_ms<> # x", "base_ms"), ("no_call_fails base_ms=0, # x", "''"),
                ("no_call_fails max_attempts>forever # x", "word"), ("no_call_fails calls=-1 # x", "calls"),
                ("no_call_fails base_ms=4294967296 # x", "4294967296"), ("no_call_fails nope/x=1/next # x", "nope"),
                ("no_call_fails aws_step_functions/interval_s=1,backoff_rate=2,max_attempts=1/next # x", "another system"),
                ("delays_are_independent base_ms=0 # x", "*"),
                ("no_call_fails * # x\nno_call_fails * # y", "an earlier line")]:
            with self.row(line):
                self.refused(check(built_in("library"), *self.known("# ok\n" + line + "\n")),
                             f"known.txt:{3 if 'an earlier line' in says else 2}: ", *says)
        self.refused(check(built_in("library"), *self.known("AWS-RU-014 * # x"), system="aws_retry_utils"), "AWS-RU-014", "claim")
        for place in ("/nonexistent", str(self.folder), ""):
            self.refused(check(built_in("library"), "--known-failing", place), place)

    def test_a_token_is_exactly_that_history(self) -> None:
        token = running.token_of(dict(check(built_in("cap-ignored"), cases=300).findings())["delay_never_exceeds_cap"])
        run = check(built_in("cap-ignored"), *self.known(f"delay_never_exceeds_cap {token} # this one\n"), cases=300)
        self.assertEqual(run.code, 1)


if __name__ == "__main__":
    running.main(__doc__)
