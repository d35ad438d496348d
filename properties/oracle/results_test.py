#!/usr/bin/python3
"""What a run leaves for others: results files and the reports on them, shards, known failures, JUnit, Markdown, and a run
that is interrupted.

    results_test.py --bin build/release/bin
"""
import contextlib
import hashlib
import json
import os
import pathlib
import pty
import re
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "test_ports"))
sys.dont_write_bytecode = True
import broken  # noqa: E402
import correct  # noqa: E402
import reporting  # noqa: E402
import running  # noqa: E402
import vectors_test  # noqa: E402
import wrong  # noqa: E402
from running import SYSTEM, built_in, check, oracle, test_port  # noqa: E402


def port_from(name, first=0):
    return [sys.executable, "-B", "-S", "-E", reporting.__file__, name, str(first), running.MARK]


class ReportTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    @contextlib.contextmanager
    def row(self, *names):
        with self.subTest(str(names)[:100]):
            yield
            self.assertEqual(running.left_over(), [], "processes left over")

    def refused(self, run, *names):
        """Exit 2, nothing on standard output, one line that has these names in it."""
        self.assertEqual((run.code, run.out, run.err.count("\n")), (2, "", 1), run.err)
        for name in names:
            self.assertIn(name, run.err)

    def results(self, port, *options, name="r.jsonl", **more):
        path = self.folder / name
        return path, check(port, *options, "--results", str(path), **more)

    def report(self, *paths, options=()):
        return oracle("report", *options, *map(str, paths))

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())


def shapes():
    """Ports, and how many cases."""
    drawing = [running.PROGRAMS["backoff-port"], "library", "--draws", "random", running.MARK]
    return [(built_in("library"), 1000), (built_in("cap-ignored"), 400), (built_in("mixed-growth"), 3000),
            (built_in("one-attempt-too-many"), 400), (built_in("throws-on-empty"), 400), (built_in("counts-from-one"), 300),
            (test_port(correct, "rand15"), 300), (test_port(correct, "opaque"), 600), (test_port(wrong, "throws"), 200),
            (test_port(wrong, "skips_some_declared"), 200), (test_port(wrong, "rejects_all_declared"), 50), (drawing, 900),
            (test_port(wrong, "two_faults_of_one_claim"), 2000), (built_in("shared-state"), 600),
            (port_from("rarely_wrong"), 200)]


class Results(ReportTest):
    def test_a_report_on_one_file_is_the_verdict_of_the_run_to_the_byte(self):
        for port, cases in shapes():
            for form in ("human", "json", "markdown"):
                with self.row(port[-3:], form):
                    path, run = self.results(port, "--format", form, cases=cases)
                    again = self.report(path, options=["--format", form])
                    self.assertEqual((again.code, again.err), (run.code, ""))
                    self.assertEqual(again.out, run.out)
        self.assertEqual(self.files(), ["r.jsonl"])

    def test_options_that_a_verdict_depends_on_are_kept(self):
        for options in (["--strict"], ["--document-only"], ["--claim", "delay_*", "--skip", "*cap"], ["--reading", "upper-bound=exclusive"],
                        ["--max-failures", "3"], ["--seed", "9"], ["--timeout", "4"], ["--range", "base_ms=5..", "--range", "max_ms=9.."]):
            with self.row(*options):
                path, run = self.results(built_in("cap-ignored"), *options, cases=300)
                self.assertEqual(self.report(path).out, run.out)

    def test_enough_failures_of_a_port_that_draws_for_itself(self):
        port = [running.PROGRAMS["backoff-port"], "cap-ignored", "--draws", "random", running.MARK]
        for failures in ("1", "3", "50"):
            with self.row(failures):
                path, run = self.results(port, "--max-failures", failures, cases=300)
                self.assertEqual(self.report(path)._replace(cpu_seconds=run.cpu_seconds), run)
                self.assertLess(run.counts()[0], 300)

    def test_ports_that_break(self):
        for name in ("aborts_on_base_7", "never_makes_sense"):
            with self.row(name):
                path, run = self.results(test_port(broken, name), cases=100)
                again = self.report(path)
                self.assertEqual((again.code, again.last), (run.code, run.last))
                self.assertEqual(again.code, 3)

    def test_each_change_of_a_file_is_refused(self):
        path, _ = self.results(built_in("library"), cases=600)
        whole = path.read_bytes()
        lines = whole.splitlines(keepends=True)
        self.assertGreater(len(lines), 4)
        digest = re.search(rb'"sha256":"([0-9a-f]{64})"}\n$', whole)
        self.assertEqual(hashlib.sha256(whole[:digest.start(1)]).hexdigest(), digest[1].decode())
        changed = self.folder / "changed.jsonl"
        wrong_files = {
            "no end": whole[:-1], "half a line": whole[:-200], "no footer": b"".join(lines[:-1]), "empty": b"",
            "a line less": b"".join([*lines[:2], *lines[3:]]), "lines turned": b"".join([lines[0], lines[2], lines[1], *lines[3:]]),
            "more behind it": whole + b"\n", "twice": whole + whole, "seed": whole.replace(b'"seed":1', b'"seed":2', 1),
            "another answer": whole.replace(b'"a,0', b'"a,1', 1), "footer": whole.replace(b'"judged":600', b'"judged":601', 1),
            "no JSON": b"hello\n", "a token": b"aws_backoff_algorithm/base_ms=2\n", "digest": whole[:-5] + b"0\"}\n"[-4:]}
        for name, content in wrong_files.items():
            with self.row(name):
                self.assertNotEqual(content, whole)
                changed.write_bytes(content)
                self.refused(self.report(changed), str(changed))
        for name in ("/nonexistent", str(self.folder)):
            self.refused(self.report(name), name)
        self.refused(oracle("report"), "RESULTS")

    def sealed(self, header, *lines):
        """A file with the digest that its bytes have."""
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in (header, *lines))
        text = text[:-2] + ',"sha256":"'
        path = self.folder / "sealed.jsonl"
        path.write_text(text + hashlib.sha256(text.encode()).hexdigest() + '"}\n')
        return path

    def test_a_file_that_contradicts_itself_is_refused_though_its_digest_is_right(self):
        path, _ = self.results(built_in("library"), cases=600)
        header, *lines = [json.loads(line) for line in path.read_text().splitlines()]
        del lines[-1]["sha256"]
        self.assertEqual(self.report(self.sealed(header, *lines)).code, 0)
        self.refused(self.report(self.sealed({**header, "seed": 2}, *lines)), "build of the oracle")
        self.refused(self.report(self.sealed(header, *lines[:-1], {**lines[-1], "plan": "0" * 16})), "build of the oracle")
        self.refused(self.report(self.sealed(header, *lines[:-1], {**lines[-1], "histories": 601})), "not the number that it states")
        self.refused(self.report(self.sealed({**header, "version": "0.0.9"}, *lines)), "0.0.9")
        self.refused(self.report(self.sealed({**header, "cases": 500}, *lines)), "more answers")
        self.refused(self.report(self.sealed(header, lines[0], *lines[2:])), "sealed.jsonl")
        self.refused(self.report(self.sealed({**header, "system": "nope"}, *lines)), "nope")
        disagreeing = {**lines[-1], "state": {**lines[-1]["state"], "survivors": []}}
        run = self.report(self.sealed(header, *lines[:-1], disagreeing))
        self.assertEqual((run.code, run.out, run.err.count("\n")), (4, "", 1))
        self.assertIn("disagrees with itself", run.err)

    def test_what_cannot_be_written_is_an_error_before_the_port_is_driven(self):
        driven = self.folder / "driven"
        port = ["sh", "-c", f"touch {driven}; exec {built_in('library')[0]}", "sh", running.MARK]
        protected = self.folder / "protected"
        protected.mkdir()
        protected.chmod(stat.S_IRUSR | stat.S_IXUSR)
        places = ["/dev/full", "/nonexistent/r", str(self.folder), ""]
        if os.geteuid() != 0:
            places.append(str(protected / "r"))
        for option in ("--results", "--junit", "--write-known-failing"):
            for place in places:
                with self.row(option, place):
                    self.refused(check(port, option, place), place)
                    self.assertFalse(driven.exists())
        self.assertEqual(self.files(), ["protected"])

    def test_nothing_half_written_is_left_and_what_was_there_stays(self):
        path = self.folder / "r.jsonl"
        path.write_text("as it was")

        def little_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

        run = oracle("check", SYSTEM, "--results", str(path), port=built_in("library"), preexec_fn=little_room)
        self.refused(run, str(path), "too large")
        self.assertEqual((path.read_text(), self.files()), ("as it was", ["r.jsonl"]))
        self.assertEqual(running.left_over(), [])

    def test_a_file_is_rewritten_with_its_mode_through_a_link(self):
        port = built_in("cap-ignored")
        for option in ("--results", "--junit", "--write-known-failing"):
            with self.row(option):
                there, link = self.folder / "there", self.folder / "link"
                there.write_text("as it was")
                there.chmod(0o640)
                link.symlink_to("there")
                planted = [self.folder / f"there.tmp-{n}" for n in range(os.getpid(), os.getpid() + 60)]
                for path in planted:  # where the program might write, another's link
                    path.symlink_to("/nonexistent/elsewhere")
                self.assertEqual(check(port, option, str(link), cases=50).code, 1)
                self.assertEqual((link.readlink(), stat.S_IMODE(there.stat().st_mode)), (pathlib.Path("there"), 0o640))
                self.assertNotEqual(there.read_text(), "as it was")
                for path in (*planted, there):
                    path.unlink()
                self.refused(check(port, option, str(link), cases=50), str(link), "No such file")
                link.unlink()
        self.assertEqual(self.files(), [])

    def test_two_outputs_are_two_files(self):
        path, _ = self.results(built_in("library"), cases=50)
        whole = path.read_bytes()
        same = f"{self.folder}/./r.jsonl"
        for words in (["--results", str(path), "--junit", same], ["--junit", str(path), "--write-known-failing", same],
                      ["--results", f"{self.folder}/new", "--junit", f"{self.folder}/./new"],
                      ["--results", str(path), "--known-failing", same]):
            with self.row(*words):
                self.refused(check(built_in("library"), *words, cases=50), words[0], words[2], "both are")
        for option in ("-o", "--junit"):
            self.refused(self.report(path, options=[option, same]), "RESULTS", option, "both are")
        self.assertEqual((self.files(), path.read_bytes()), (["r.jsonl"], whole))
        self.assertEqual(check(built_in("library"), "--results", "/dev/null", "--junit", "/dev/null", cases=50).code, 0)

    def test_json_nested_deep_is_refused(self):
        path, _ = self.results(built_in("library"), cases=50)
        header, *lines = [json.loads(line) for line in path.read_text().splitlines()]
        del lines[-1]["sha256"]
        deep = "[" * 100_000 + "]" * 100_000
        for place in range(len(lines) + 1):
            with self.row(place):
                all_lines = [header, *lines]
                all_lines[place] = {**all_lines[place], "deep": "DEEP"}
                changed = self.sealed(*all_lines)
                text = changed.read_text().replace('"DEEP"', deep)
                body = text[:text.rindex('"sha256":"') + 10]
                changed.write_text(body + hashlib.sha256(body.encode()).hexdigest() + '"}\n')
                self.refused(self.report(changed), "sealed.jsonl")

    def test_a_report_that_cannot_be_written_is_an_error(self):
        path, _ = self.results(built_in("library"), cases=50)
        self.refused(self.report(path, options=["--junit", "/dev/full"]), "/dev/full")


SHARDED = [  # a port by the number of its first history, cases, whether the shown histories are the same too
    (lambda first: built_in("library"), 1000, True), (lambda first: built_in("counts-from-one"), 500, True),
    (lambda first: built_in("cap-ignored"), 600, True), (lambda first: built_in("mixed-growth"), 3000, False),
    (lambda first: built_in("one-attempt-too-many"), 600, False), (lambda first: port_from("exclusive_if_base_is_0"), 500, False),
    (lambda first: port_from("by_position", first), 600, True),
    (lambda first: port_from("biased_by_position", first), 600, True), (lambda first: built_in("library"), 3, True)]


def without_explanations(verdict):
    """A shard asks its port for nothing but its share: the verdict of all does not say where a claim breaks, where none does, and why."""
    return re.sub(r"^  where .*\n(?: {10,}.*\n)*\n|^(?:diagnosis|elsewhere)\n(?:  .*\n)*\n", "", verdict, flags=re.MULTILINE)


class Shards(ReportTest):
    def shards(self, port, cases, count, *options):
        paths = []
        for number in range(1, count + 1):
            path, run = self.results(port(cases * (number - 1) // count), "--shard", f"{number}/{count}", *options,
                                     name=f"{number}-of-{count}.jsonl", cases=cases)
            self.assertIn(run.code, (0, 1) if count > 1 else (0, 1, 5), run.err)
            self.assertEqual(run.code == 1, "does not conform" in run.last or "; breaks the interface: " in run.last)
            self.assertNotIn("follows the document", run.last if count > 1 else "")  # what only all shards together show
            if count > 1:
                self.assertEqual(sum(run.counts()), cases * number // count - cases * (number - 1) // count)
            paths.append(path)
        return paths

    def test_all_shards_together_have_the_verdict_of_the_whole_run(self):
        for port, cases, same_histories in SHARDED:
            whole = check(port(0), cases=cases)
            for count in (1, 2, 3, 5):
                with self.row(port(0)[-3:], count):
                    run = self.report(*reversed(self.shards(port, cases, count)))
                    self.assertEqual((run.code, run.last, run.err), (whole.code, whole.last, ""))
                    if same_histories:
                        self.assertEqual(run.out, whole.out if count == 1 else without_explanations(whole.out))
                    self.assertEqual(run.out.partition("\nviolation")[0], whole.out.partition("\nviolation")[0])

    def test_a_fault_that_no_shard_sees_alone(self):
        """Each shard follows one reading, but not the same one."""
        paths = []
        for number, name in ((1, "library"), (2, "counts-from-one")):
            path = self.folder / name
            port = ["sh", "-c", f'exec {built_in(name)[0]} {name}', running.MARK]
            self.results(port, "--shard", f"{number}/2", name=name, cases=2000)
            text = path.read_text().replace('"name":"counts-from-one"', '"name":"library"')
            text = text[:text.rindex('"sha256":"') + len('"sha256":"')]
            path.write_text(text + hashlib.sha256(text.encode()).hexdigest() + '"}\n')
            paths.append(path)
        run = self.report(*paths)
        self.assertEqual(run.code, 1, run.err)
        self.assertIn("does not conform", run.last)

    def test_shards_that_are_missing_repeated_or_foreign_are_refused_by_name(self):
        def library(_first):
            return built_in("library")
        one, two, three = self.shards(library, 300, 3)
        self.refused(self.report(one, three), "missing: 2/3")
        self.refused(self.report(two), "missing: 1/3, 3/3")
        self.refused(self.report(one, two, two, three), "repeats shard 2/3", str(two))
        for options in (["--seed", "2"], ["--strict"], ["--document-only"], ["--claim", "delay_*"], ["--alpha", "1e-6"],
                        ["--range", "base_ms=1.."]):
            with self.row(*options):
                other, _ = self.results(built_in("library"), "--shard", "2/3", *options, name="other", cases=300)
                self.refused(self.report(one, other, three), "of another run", str(other), options[0].strip("-"))
        for port, cases, shard in ((built_in("cap-ignored"), 300, "2/3"), (built_in("library"), 301, "2/3"),
                                   (built_in("library"), 300, "2/4")):
            with self.row(port[1], cases, shard):
                other, _ = self.results(port, "--shard", shard, name="other", cases=cases)
                self.refused(self.report(one, other, three), "of another run", str(other))

    def test_what_is_no_shard_is_refused(self):
        for word in ("0/3", "4/3", "1", "1/", "/3", "a/b", "1/0", "-1/3", "1/1001", "1/2/3", ""):
            with self.row(word):
                self.refused(check(built_in("library"), "--shard", word), "--shard")
        self.refused(check(built_in("library"), "--shard", "1/2", "--max-failures", "3"), "--max-failures", "--shard")

    def test_a_shard_that_was_broken_off_is_said(self):
        def port(_first):
            return test_port(broken, "aborts_on_base_7")
        paths = []
        for number in (1, 2):
            path, _ = self.results(port(0), "--shard", f"{number}/2", name=str(number), cases=100)
            paths.append(path)
        self.assertEqual(self.report(*paths).code, 3)


class KnownFailures(ReportTest):
    def known(self, text):
        path = self.folder / "known.txt"
        path.write_text(text)
        return ["--known-failing", str(path)]

    def test_what_is_listed_does_not_fail_and_is_said(self):
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

    def test_the_list_that_a_run_writes_excuses_the_run_and_nothing_else(self):
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

    def test_a_list_written_onto_itself_keeps_what_people_wrote(self):
        first = ("# Ours, by hand.\r\n\n  delay_never_exceeds_cap   *   # issue 7: see https://example.org/7\n"
                 "# stale soon\nno_call_fails * # never\nAWS-BA-003 * # issue 8\n# the end\n")
        lines = self.known(first)
        written = self.folder / "known.txt"
        port = ["--write-known-failing", str(written)]
        for options, stays in ((["--max-failures", "1"], True), (["--shard", "1/2"], True), ([], False)):
            with self.row(*options):
                written.write_text(first)
                check(built_in("cap-ignored"), *lines, *port, *options, cases=600)
                about, *kept = written.read_bytes().decode().splitlines(keepends=True)
                self.assertTrue(about.startswith("# CLAIM-OR-REQUIREMENT"))
                wanted = [line for line in first.splitlines(keepends=True) if stays or "# never" not in line]
                self.assertEqual(kept[:len(wanted)], wanted)
                self.assertTrue(all("to be explained" in line for line in kept[len(wanted):]), kept)
        before = written.read_bytes()
        check(built_in("cap-ignored"), *lines, *port, cases=600)
        self.assertEqual(written.read_bytes(), before)
        for name in ("never_makes_sense", "exits_in_the_middle"):
            with self.row(name):
                written.write_text(first)
                run = check(test_port(broken, name), *lines, *port)
                self.assertEqual((run.code, written.read_text()), (3, first.replace("\r\n", "\n")))
                self.assertIn("is left as it was", run.err)
        self.assertEqual(self.files(), ["known.txt"])

    def test_a_narrow_list_is_learned(self):
        written = self.folder / "written"
        port = port_from("wrong_everywhere_if_base_is_0")
        self.assertEqual(check(port, "--write-known-failing", str(written), cases=1000).code, 1)
        lines = [line for line in written.read_text().splitlines() if not line.startswith("#")]
        self.assertTrue(lines)
        for line in lines:
            self.assertRegex(line, r"^\w+ (\S+,)?base_ms=0(,\S+)? (sometimes )?# ")
        self.assertEqual(check(port, "--known-failing", str(written), cases=1000).code, 0)

    def test_a_port_that_breaks_where_it_is_known_to_is_judged_elsewhere(self):
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

    def test_another_failure_of_the_same_claim_still_fails_and_is_shown_outside(self):
        run = check(built_in("cap-ignored"), *self.known("delay_never_exceeds_cap max_ms=0 # 1\n"), cases=2000)
        self.assertEqual(run.code, 1)
        token = dict(run.findings())["delay_never_exceeds_cap"]
        self.assertIn("max_ms=1,", token)

    def test_excused_answers_refute_no_reading(self):
        """There the port follows the other reading: as known to fail that is no evidence, else no reading is left."""
        port = port_from("exclusive_if_base_is_0")
        self.assertEqual(check(port, cases=1000).code, 1)
        claims = sorted(name for name, (holds, _, _) in check(built_in("library"), cases=1000).claims().items()
                        if name.startswith(("first_", "window_", "jitter_", "instances_", "reset_starts")))
        run = check(port, *self.known("".join(f"{claim} max_ms>1000 # other reading\n" for claim in claims)), cases=1000)
        self.assertNotIn("violation", run.out)
        self.assertIn("upper-bound         inclusive\n", run.out)

    def test_hidden_draws(self):
        port = port_from("biased_by_position")
        run = check(port, *self.known("delays_fill_their_window * # biased\n"), cases=600)
        self.assertEqual(run.code, 0, run.out)
        self.assertIn("known to fail: delays_fill_their_window", run.last)
        run = check(port_from("by_position"), *self.known("delays_fill_their_window * # biased\n"), cases=600)
        self.assertEqual(run.code, 1, run.out)
        self.assertIn("nothing failed there", run.last)

    def test_histories_that_are_not_answered(self):
        port = test_port(wrong, "rejects_all_declared")
        run = check(port, *self.known("declared_histories_are_answered * # later\n"), cases=50)
        self.assertEqual(run.code, 5, run.out)  # nothing was judged

    def test_shards_and_reports(self):
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

    def test_what_could_not_fail_is_not_stale(self):
        lines = self.known("no_call_fails * # never\n")
        self.assertEqual(check(built_in("library"), *lines, cases=300).code, 1)
        for options in (["--skip", "no_call_fails"], ["--claim", "delay_*"]):
            self.assertEqual(check(built_in("library"), *lines, *options, cases=300).code, 0)
        run = check(built_in("cap-ignored"), *lines, "--max-failures", "1", cases=300)
        self.assertEqual((run.code, "STALE" in run.out), (1, False))

    def test_bad_lines_are_refused_with_file_and_line(self):
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

    def test_a_token_is_exactly_that_history(self):
        token = dict(check(built_in("cap-ignored"), cases=300).findings())["delay_never_exceeds_cap"].split()[2]
        run = check(built_in("cap-ignored"), *self.known(f"delay_never_exceeds_cap {token} # this one\n"), cases=300)
        self.assertEqual(run.code, 1)


def junit_of(path):
    suites = xml.etree.ElementTree.parse(path).getroot()
    return suites, suites.find("testsuite")


class Forms(ReportTest):
    def junit(self, port, *options, **more):
        path = self.folder / "junit.xml"
        run = check(port, "--junit", str(path), *options, **more)
        suites, suite = junit_of(path)
        self.assertEqual((suites.tag, suites.get("name")), ("testsuites", "backoff-oracle"))
        cases = suite.findall("testcase")
        for element in (suites, suite):
            self.assertEqual([int(element.get(name)) for name in ("tests", "failures", "errors", "skipped")],
                             [len(cases), *(len(suite.findall(f"testcase/{tag}")) for tag in ("failure", "error", "skipped"))])
        for case in cases:
            self.assertEqual(set(case.keys()), {"classname", "name", "time"})
            self.assertLessEqual(len(case), 1)
            for child in case:
                allowed = {"failure": {"message", "type"}, "error": {"message", "type"}, "skipped": {"message"}, "system-out": set()}
                self.assertEqual(set(child.keys()), allowed[child.tag])
        return run, suite, {case.get("name"): (case[0].tag if len(case) else "passed") for case in cases}

    def test_junit_has_a_case_a_claim(self):
        for name, *options in (["library"], ["cap-ignored"], ["one-attempt-too-many"], ["one-attempt-too-many", "--document-only"]):
            with self.row(name, *options):
                run, suite, outcomes = self.junit(built_in(name), *options, cases=2000)
                self.assertEqual(set(outcomes) - {"run"},
                                 {claim for system in running.listed() if system["name"] == SYSTEM for claim in system["claims"]})
                for claim, (holds, _, strength) in run.claims().items():
                    expected = "passed" if holds else "system-out" if strength and options else "failure"
                    self.assertEqual(outcomes[claim], expected, claim)
                self.assertEqual("failure" in outcomes.values(), run.code == 1)
                self.assertEqual(outcomes["run"], "passed")
        failure = suite.find("testcase/system-out")
        self.assertIn("smallest history", failure.text)

    def test_junit_says_what_was_not_tried_and_what_broke(self):
        _, _, outcomes = self.junit(built_in("library"), "--skip", "delay_*")
        self.assertEqual({name for name, outcome in outcomes.items() if name.startswith("delay_") and outcome != "skipped"}, set())
        for port, code in ((test_port(broken, "exits_1_at_once"), 3), (test_port(broken, "aborts_on_base_7"), 3),
                           (test_port(wrong, "opaque_beyond_the_cap"), 1), (["/nonexistent"], 3)):
            with self.row(port[-2:]):
                run, _, outcomes = self.junit(port)
                self.assertEqual(run.code, code)
                self.assertEqual(outcomes["run"] == "error", code == 3)

    def test_junit_and_a_known_failure(self):
        known = self.folder / "known"
        known.write_text("delay_never_exceeds_cap * # 1\njitter_survives_the_cap * # 1\ninstances_are_independent * # 1\n"
                         "no_call_fails * # 2\n")
        run, _, outcomes = self.junit(built_in("cap-ignored"), "--known-failing", str(known), cases=2000)
        self.assertEqual(run.code, 1)
        self.assertEqual((outcomes["delay_never_exceeds_cap"], outcomes["no_call_fails"]), ("skipped", "passed"))
        self.assertEqual(outcomes["known to fail: no_call_fails *"], "failure")

    def test_names_are_escaped(self):
        for name in ("named", "named_and_throws"):
            with self.row(name):
                _, suite, _ = self.junit(port_from(name), cases=100)
                self.assertIn('<script>alert("|")</script> `|` & *x*', suite.get("name"))
                page = check(port_from(name), "--format", "markdown", cases=100).out
                self.assertNotIn("<script>", page)
                self.assertNotIn("\x1b", page)
                for line in page.splitlines():
                    if line.startswith("|"):
                        self.assertEqual(len(re.findall(r"(?<!\\)\|", line)), 5, line)
                self.assertEqual(len(re.findall(r"^`{3,}", page, re.M)) % 2, 0)
                self.assertIsInstance(json.loads(check(port_from(name), "--format", "json", cases=100).out), dict)

    def test_markdown_says_what_the_verdict_says(self):
        for port, code in ((built_in("library"), 0), (built_in("cap-ignored"), 1), (test_port(broken, "aborts_on_base_7"), 3)):
            with self.row(port[-2]):
                human, page = check(port), check(port, "--format", "markdown")
                self.assertEqual((human.code, page.code), (code, code))
                self.assertIn(human.last.removeprefix("verdict: ").split(":")[0].replace("_", "\\_"), page.out)
                for claim, (holds, at_stake, _) in human.claims().items():
                    self.assertRegex(page.out.replace("\\_", "_"),
                                     rf"\| {claim} \| \w+ \| {'holds' if holds else re.escape('**broken**')} \| {at_stake} \|")


class Outputs(ReportTest):
    def test_what_a_port_says_is_text_in_every_one(self):
        """No byte moves a cursor; what is read by programs is well-formed; the name never opens an element, nor ends a cell."""
        results = self.folder / "results"
        ports = {"escapes": test_port(broken, "has_escapes"), "dies": test_port(broken, "shouts"), "markup": port_from("named_and_throws")}
        for name, port in ports.items():
            check(port, "--results", str(results), cases=50)
            vectors = self.folder / "vectors"
            vectors.write_text(oracle("vectors", SYSTEM, "--count", "20").out)
            asked, answers = json.loads(vectors.read_text()), self.folder / "answers"
            refused = [{"id": case["id"], "rejected": f"{broken.ESCAPES}<script>|`"} for case in asked["cases"]]
            answers.write_text(vectors_test.sealed(vectors_test.as_json(asked["header"], refused), True))
            token = f"{SYSTEM}/base_ms=7,max_ms=9,max_attempts=3/next:8@2"
            words = {"check": [SYSTEM, "--cases", "50"], "replay": [token], "report": [str(results)],
                     "verify": [str(vectors), str(answers)]}
            for verb, output in running.outputs():
                with self.row(name, verb, output):
                    written = self.folder / "written.html"
                    said = output.startswith("--format")
                    run = oracle(verb, *words[verb], *([output] if said else [output, str(written)]),
                                 port=port if verb in ("check", "replay") else ())
                    self.assertIn(run.code, (1, 2, 3, 5), run.err)
                    self.assertTrue(said or written.exists() or run.code == 2, run.err)
                    text = run.out + run.err if said else written.read_text() if written.exists() else ""
                    self.assertIsNone(re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029]", text))
                    if output == "--junit" and text:
                        xml.etree.ElementTree.fromstring(text)
                    if output in ("--output", "--format=markdown"):
                        self.assertNotIn("<script>alert", text)
                    if output == "--results":
                        self.assertTrue([json.loads(line) for line in text.splitlines()])
                    for whole in [text] if output == "--certificate" else [run.out] if output == "--format=json" else []:
                        self.assertIsInstance(json.loads(whole or "{}"), dict)
                    written.unlink(missing_ok=True)


class Interrupted(ReportTest):
    def until(self, condition):
        end = time.monotonic() + 30
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def started(self, port, *options):
        out = self.folder / "out"
        command = [running.PROGRAMS["backoff-oracle"], "check", SYSTEM, "--level", "2", *options, "--", *port]
        with out.open("w") as to:
            return subprocess.Popen(command, stdout=to, stderr=subprocess.PIPE, text=True), out

    def test_a_signal_ends_a_run_with_a_verdict_on_what_was_judged(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for port, code, says in ((built_in("library"), 5, "interrupted after "), (built_in("cap-ignored"), 1, "does not conform"),
                                     (port_from("slow"), 5, "interrupted after ")):
                with self.row(number.name, port[-2]):
                    path = self.folder / "r.jsonl"
                    program, out = self.started(port, "--results", str(path), "--jobs", "2")
                    self.until(lambda: any(self.folder.glob("r.jsonl.tmp*")) and
                               next(self.folder.glob("r.jsonl.tmp*")).stat().st_size > 100_000)
                    program.send_signal(number)
                    _, err = program.communicate(timeout=20)
                    text = out.read_text()
                    self.assertEqual((program.returncode, err), (code, ""), text)
                    self.assertIn(says, text.splitlines()[-1])
                    self.assertIn("; interrupted\n", text)
                    self.assertIn("the rest of the run: it was interrupted", text)
                    again = self.report(path)
                    self.assertEqual((again.code, again.last), (code, text.splitlines()[-1]))
                    path.unlink()
                    self.assertEqual(self.files(), ["out"])

    def test_a_port_that_is_silent_is_interrupted_too(self):
        path = self.folder / "r.jsonl"
        program, out = self.started(port_from("silent"), "--timeout", "60", "--results", str(path))
        self.until(lambda: any(file.stat().st_size > 300 for file in self.folder.glob("r.jsonl.tmp*")))  # it has started
        program.send_signal(signal.SIGTERM)
        program.communicate(timeout=20)
        self.assertEqual(program.returncode, 5, out.read_text())
        self.assertIn("inconclusive", out.read_text().splitlines()[-1])
        self.assertEqual(self.report(path).code, 5)
        self.assertEqual(running.left_over(), [])

    def test_a_port_that_does_not_start_is_interrupted_too(self):
        program, out = self.started(test_port(broken, "never_starts"), "--timeout", "60")
        self.until(lambda: len(running.marked()) >= 2)
        time.sleep(0.2)  # until the oracle knows of the port too
        program.send_signal(signal.SIGTERM)
        _, err = program.communicate(timeout=20)
        self.assertEqual((program.returncode, out.read_text(), err.count("\n")), (5, "", 1))
        self.assertEqual(running.left_over(), [])

    def test_on_a_terminal_progress_is_shown_and_ctrl_c_ends_the_run(self):
        out = self.folder / "out"
        process, terminal = pty.fork()
        if process == 0:
            with out.open("w") as to:
                os.dup2(to.fileno(), 1)
            program = running.PROGRAMS["backoff-oracle"]
            os.execv(program, [program, "check", SYSTEM, "--level", "2", "--", *built_in("library")])
        seen = b""
        while not re.search(rb"\rjudging: [1-9]\d* of 10000000 histories, \d+/s, .* left", seen):
            seen += os.read(terminal, 4096)
        os.write(terminal, b"\x03")
        with contextlib.suppress(OSError):  # the terminal is gone
            while more := os.read(terminal, 4096):
                seen += more
        _, status = os.waitpid(process, 0)
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(status), 5)
        self.assertTrue(seen.rstrip().endswith(b"\x1b[K"), "the line is taken away again")
        self.assertIn("interrupted after", out.read_text().splitlines()[-1])
        self.assertEqual(running.left_over(), [])

    def test_no_progress_is_shown_in_a_pipe(self):
        run = check(built_in("library"), cases=20_000)
        self.assertEqual((run.code, run.err), (0, ""))


class Resuming(ReportTest):
    def cut(self, port, at, *options, name="cut.jsonl", cases=3000):
        path, run = self.results(port, *options, name=name, cases=cases, env={**os.environ, "CUT": str(at)})
        self.assertIn("; interrupted", run.out)
        return path, sum(run.counts())

    def test_a_run_that_was_cut_off_anywhere_comes_to_the_same_bytes(self):
        for name, cuts in (("interrupts", (0, 1, 255, 700, 2047, 2048, 2500, 2995)), ("interrupts_and_breaks", (0, 1, 255, 700)),
                           ("interrupts_and_breaks_without_a_cap", (0, 1, 100, 300, 700, 2500))):
            port = port_from(name)
            whole, uncut = self.results(port, name="whole.jsonl", cases=3000)
            for at in cuts:
                with self.row(name, at):
                    path, judged = self.cut(port, at)
                    self.assertLess(judged, 3000)
                    resumed, run = self.results(port, "--resume", str(path), name="resumed.jsonl", cases=3000)
                    self.assertEqual(run._replace(cpu_seconds=0), uncut._replace(cpu_seconds=0))
                    self.assertEqual(resumed.read_bytes(), whole.read_bytes())

    def test_a_run_can_be_cut_off_again_and_resumed_onto_its_own_file(self):
        port = port_from("interrupts")
        whole, _ = self.results(port, name="whole.jsonl", cases=3000)
        path, first = self.cut(port, 300)
        again, second = self.cut(port, 900, "--resume", str(path))
        self.assertEqual(again, path)
        self.assertGreater(second, first)
        self.results(port, "--resume", str(path), name=path.name, cases=3000)
        self.assertEqual(path.read_bytes(), whole.read_bytes())

    def test_what_is_no_run_to_resume_is_refused_by_name(self):
        port = port_from("interrupts")
        path, _ = self.cut(port, 700)
        for options, names in ((["--seed", "2"], ["seed"]), (["--strict"], ["strict"]), (["--cases", "2999"], ["cases"]),
                               (["--shard", "1/2"], ["shard"]), (["--claim", "delay_*"], ["claims"]), (["--alpha", "1e-6"], ["alpha"])):
            with self.row(*options):
                self.refused(check(port, *options, "--resume", str(path), cases=3000) if options[0] != "--cases" else
                             check(port, "--resume", str(path), cases=2999), str(path), "of another run", *names)
        self.refused(check(port_from("plain"), "--resume", str(path), cases=3000), str(path), "of another run", "command")
        done, _ = self.results(port, name="done.jsonl", cases=300)
        self.refused(check(port, "--resume", str(done), cases=300), "nothing to resume")
        self.refused(check(port, "--resume", str(path), "--junit", str(path), cases=3000), "--resume", "--junit", "both are")
        damaged = self.folder / "damaged"
        damaged.write_bytes(path.read_bytes()[:-200])
        self.refused(check(port, "--resume", str(damaged), cases=3000), str(damaged), "truncated")


class DrawingAgain(ReportTest):
    def test_a_finding_of_a_port_that_draws_for_itself_replays_each_time(self):
        port = port_from("rarely_wrong")
        token = "aws_backoff_algorithm/base_ms=2,max_ms=9,max_attempts=3/next"
        for _ in range(6):
            run = oracle("replay", token, port=port)
            self.assertEqual((run.code, run.err), (1, ""), run.out)

    def test_where_it_does_not_the_program_says_how_rare_it_must_be(self):
        port = [running.PROGRAMS["backoff-port"], "library", "--draws", "random", running.MARK]
        run = oracle("replay", "aws_backoff_algorithm/base_ms=2,max_ms=9,max_attempts=3/next", port=port)
        self.assertEqual((run.code, run.counts()), (5, [10_000, 0, 0]))
        self.assertIn("nothing failed in 10000 tries; what fails in one of 2171 would have failed, with probability 0.99", run.err)


if __name__ == "__main__":
    running.main(__doc__)
