#!/usr/bin/python3
"""What a run leaves for others: results files and the reports on them, shards, and a run that is
interrupted.

    results_test.py --bin build/release/bin
"""
import contextlib
import gzip
import hashlib
import json
import os
import pathlib
import pty
import re
import resource
import shlex
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable, Iterator, Sequence
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "test_ports"))
sys.dont_write_bytecode = True
import broken  # noqa: E402
import correct  # noqa: E402
import reporting  # noqa: E402
import running  # noqa: E402
import wrong  # noqa: E402
from running import SYSTEM, Run, built_in, check, oracle, test_port  # noqa: E402


def port_from(name: str, first: int = 0) -> list[str]:
    return [sys.executable, "-B", "-S", "-E", reporting.__file__, name, str(first), running.MARK]


class ReportTest(unittest.TestCase):
    maxDiff = None

    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    @contextlib.contextmanager
    def row(self, *names: object) -> Iterator[None]:
        with self.subTest(str(names)[:100]):
            yield
            self.assertEqual(running.left_over(), [], "processes left over")

    def refused(self, run: Run, *names: str) -> None:
        """Exit 2, nothing on standard output, one line that has these names in it."""
        self.assertEqual((run.code, run.out, run.err.count("\n")), (2, "", 1), run.err)
        for name in names:
            self.assertIn(name, run.err)

    def results(self, port: Sequence[str], *options: str, name: str = "r.jsonl", **more: Any) -> tuple[pathlib.Path, Run]:
        path = self.folder / name
        return path, check(port, *options, "--results", str(path), **more)

    def report(self, *paths: str | pathlib.Path, options: Sequence[str] = ()) -> Run:
        return oracle("report", *options, *map(str, paths))

    def sealed(self, header: Any, *lines: Any) -> pathlib.Path:
        """A file with the digest that its bytes have."""
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in (header, *lines))
        text = text[:-2] + ',"sha256":"'
        path = self.folder / "sealed.jsonl"
        path.write_text(text + hashlib.sha256(text.encode()).hexdigest() + '"}\n')
        return path

    def files(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())


def shapes() -> list[tuple[list[str], int]]:
    """Ports, and how many cases."""
    drawing = [running.PROGRAMS["backoff-port"], "library", "--draws", "random", running.MARK]
    return [(built_in("library"), 1000), (built_in("cap-ignored"), 400), (built_in("mixed-growth"), 3000),
            (built_in("one-attempt-too-many"), 400), (built_in("throws-on-empty"), 400), (built_in("counts-from-one"), 300),
            (test_port(correct, "rand15"), 300), (test_port(correct, "opaque"), 600), (test_port(wrong, "throws"), 200),
            (test_port(wrong, "skips_some_declared"), 200), (test_port(wrong, "rejects_all_declared"), 50), (drawing, 900),
            (test_port(wrong, "two_faults_of_one_claim"), 2000), (built_in("shared-state"), 600),
            (port_from("rarely_wrong"), 200)]


class Results(ReportTest):
    def test_the_configuration_of_the_hosts_cryptographic_library_does_not_matter(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            unusable = pathlib.Path(folder, "openssl.cnf")
            unusable.write_text("openssl_conf = a\n[a]\nproviders = b\n[b]\nnone = c\n[c]\nmodule = /nonexistent\nactivate = 1\n")
            run = check(built_in("library"), "--results", f"{folder}/results", cases=20, env=os.environ | {"OPENSSL_CONF": str(unusable)})
        self.assertEqual((run.code, run.err), (0, ""))

    def test_a_report_on_one_file_is_the_verdict_of_the_run_to_the_byte(self) -> None:
        for port, cases in shapes():
            for form in ("human", "json", "markdown"):
                with self.row(port[-3:], form):
                    path, run = self.results(port, "--format", form, cases=cases)
                    again = self.report(path, options=["--format", form])
                    self.assertEqual((again.code, again.err), (run.code, ""))
                    self.assertEqual(again.out, run.out)
        self.assertEqual(self.files(), ["r.jsonl"])

    def test_a_report_reads_what_comes_through_a_pipe(self) -> None:
        path, run = self.results(built_in("mixed-growth"), cases=2000)
        packed = self.folder / "r.jsonl.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        begins = f"TMPDIR='{self.folder}'; export TMPDIR; gzip -dc '{packed}' | "

        def piped(*words: str, first: str = "") -> Run:
            return running.execute(["sh", "-c", first + begins + shlex.join([running.PROGRAMS["backoff-oracle"], "report", *words])])

        self.assertEqual(piped("/dev/stdin")[:2], (1, run.out))
        pages = [self.folder / name for name in ("piped.html", "file.html")]
        piped("/dev/stdin", "-o", str(pages[0]))
        self.report(path, options=["-o", str(pages[1])])
        self.assertEqual(*(page.read_text() for page in pages))
        self.refused(piped("/dev/stdin", first="trap '' XFSZ; ulimit -f 8; "), "'/dev/stdin': cannot be copied to '" + str(self.folder))
        self.assertEqual(self.files(), ["file.html", "piped.html", "r.jsonl", "r.jsonl.gz"])

    def test_results_are_written_to_a_pipe(self) -> None:
        path, _ = self.results(built_in("library"), cases=50)
        words = [running.PROGRAMS["backoff-oracle"], "check", SYSTEM, "--cases", "50", "--results", "/dev/fd/3", "--", *built_in("library")]
        piped = running.execute(["sh", "-c", "{ " + shlex.join(words) + " >/dev/null; } 3>&1 | cat"])
        self.assertEqual((piped.err, piped.out), ("", path.read_text()))

    def test_what_does_not_end_is_refused_before_it_fills_the_disk(self) -> None:
        path, _ = self.results(built_in("mixed-growth"), cases=20)
        reports = f"trap '' XFSZ; ulimit -f 64; {shlex.quote(running.PROGRAMS['backoff-oracle'])} report /dev/stdin"
        for begins, said in (("", "line 1: longer than 64 MiB"), (f"head -n 1 '{path}'; ", "line 2: longer than 64 MiB")):
            with self.row(begins):
                self.refused(running.execute(["sh", "-c", f"({begins}cat /dev/zero) | ({reports})"]), said)

    def test_options_that_a_verdict_depends_on_are_kept(self) -> None:
        for options in (["--strict"], ["--document-only"], ["--claim", "delay_*", "--skip", "*cap"], ["--reading", "upper-bound=exclusive"],
                        ["--max-failures", "3"], ["--seed", "9"], ["--timeout", "4"], ["--range", "base_ms=5..", "--range", "max_ms=9.."]):
            with self.row(*options):
                path, run = self.results(built_in("cap-ignored"), *options, cases=300)
                self.assertEqual(self.report(path).out, run.out)

    def test_enough_failures_of_a_port_that_draws_for_itself(self) -> None:
        port = [running.PROGRAMS["backoff-port"], "cap-ignored", "--draws", "random", running.MARK]
        for failures in ("1", "3", "50"):
            with self.row(failures):
                path, run = self.results(port, "--max-failures", failures, cases=300)
                self.assertEqual(self.report(path)._replace(cpu_seconds=run.cpu_seconds), run)
                self.assertLess(run.counts()[0], 300)

    def test_ports_that_break(self) -> None:
        for name in ("aborts_on_base_7", "never_makes_sense"):
            with self.row(name):
                path, run = self.results(test_port(broken, name), cases=100)
                again = self.report(path)
                self.assertEqual((again.code, again.last), (run.code, run.last))
                self.assertEqual(again.code, 3)

    def test_each_change_of_a_file_is_refused(self) -> None:
        path, _ = self.results(built_in("library"), cases=600)
        whole = path.read_bytes()
        lines = whole.splitlines(keepends=True)
        self.assertGreater(len(lines), 4)
        digest = re.search(rb'"sha256":"([0-9a-f]{64})"}\n$', whole)
        assert digest is not None
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

    def test_a_file_that_contradicts_itself_is_refused_though_its_digest_is_right(self) -> None:
        path, _ = self.results(built_in("library"), cases=600)
        header, *lines = [json.loads(line) for line in path.read_text().splitlines()]
        del lines[-1]["sha256"]
        self.assertEqual(self.report(self.sealed(header, *lines)).code, 0)
        self.refused(self.report(self.sealed({**header, "seed": 2}, *lines)), "build of the oracle")
        self.refused(self.report(self.sealed(header, *lines[:-1], {**lines[-1], "plan": "0" * 16})), "build of the oracle")
        self.refused(self.report(self.sealed(header, *lines[:-1], {**lines[-1], "histories": 601})), "not the number that it states")
        self.refused(self.report(self.sealed({**header, "version": "0.0.9"}, *lines)), "0.0.9")
        of_the_version_before = {**header, "version": "0.1.0", "options": {**header["options"], "sandbox": False}}
        self.assertEqual(self.report(self.sealed(of_the_version_before, *lines)).code, 0)
        for shard in ([0, 0], [2, 1], [1, 1001], [1, 2**32], [-1, 1]):
            self.refused(self.report(self.sealed({**header, "shard": shard}, *lines)), "sealed.jsonl", "expected a shard")
        for port in (None, {"protocol": 2}):
            self.refused(self.report(self.sealed({**header, "port": port}, *lines)), "sealed.jsonl", "its port: expected")
        self.refused(self.report(self.sealed({**header, "cases": 500}, *lines)), "more answers")
        self.refused(self.report(self.sealed(header, lines[0], *lines[2:])), "sealed.jsonl")
        self.refused(self.report(self.sealed({**header, "system": "nope"}, *lines)), "nope")
        disagreeing = {**lines[-1], "state": {**lines[-1]["state"], "survivors": []}}
        run = self.report(self.sealed(header, *lines[:-1], disagreeing))
        self.assertEqual((run.code, run.out, run.err.count("\n")), (4, "", 1))
        self.assertIn("disagrees with itself", run.err)

    def test_what_cannot_be_written_is_an_error_before_the_port_is_driven(self) -> None:
        driven = self.folder / "driven"
        port = ["sh", "-c", f"touch {shlex.quote(str(driven))}; exec {shlex.join(built_in('library')[:1])}", "sh", running.MARK]
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

    def test_nothing_half_written_is_left_and_what_was_there_stays(self) -> None:
        path = self.folder / "r.jsonl"
        path.write_text("as it was")

        def little_room() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

        run = oracle("check", SYSTEM, "--results", str(path), port=built_in("library"), preexec_fn=little_room)
        self.refused(run, str(path), "too large")
        self.assertEqual((path.read_text(), self.files()), ("as it was", ["r.jsonl"]))
        self.assertEqual(running.left_over(), [])

    def test_a_file_is_rewritten_with_its_mode_through_a_link(self) -> None:
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

    def test_two_outputs_are_two_files(self) -> None:
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

    def test_json_nested_deep_is_refused(self) -> None:
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

    def test_a_report_that_cannot_be_written_is_an_error(self) -> None:
        path, _ = self.results(built_in("library"), cases=50)
        self.refused(self.report(path, options=["--junit", "/dev/full"]), "/dev/full")


# A port by the number of its first history, cases, whether the shown histories are the same too.
SHARDED: list[tuple[Callable[[int], list[str]], int, bool]] = [
    (lambda first: built_in("library"), 1000, True), (lambda first: built_in("counts-from-one"), 500, True),
    (lambda first: built_in("cap-ignored"), 600, True), (lambda first: built_in("mixed-growth"), 3000, False),
    (lambda first: built_in("one-attempt-too-many"), 600, False), (lambda first: port_from("exclusive_if_base_is_0"), 500, False),
    (lambda first: port_from("by_position", first), 600, True),
    (lambda first: port_from("biased_by_position", first), 600, True), (lambda first: built_in("library"), 3, True)]


def without_explanations(verdict: str) -> str:
    """A shard asks its port for nothing but its share: the verdict of all does not say where a claim breaks, where none does, and why."""
    return re.sub(r"^  where .*\n(?: {10,}.*\n)*\n|^(?:diagnosis|elsewhere)\n(?:  .*\n)*\n", "", verdict, flags=re.MULTILINE)


class Shards(ReportTest):
    def shards(self, port: Callable[[int], list[str]], cases: int, count: int, *options: str) -> list[pathlib.Path]:
        paths = []
        for number in range(1, count + 1):
            path, run = self.results(port(cases * (number - 1) // count), "--shard", f"{number}/{count}", *options,
                                     name=f"{number}-of-{count}.jsonl", cases=cases)
            self.assertIn(run.code, (0, 1) if count > 1 else (0, 1, 5), run.err)
            self.assertEqual(run.code == 1, "does not conform" in run.last or "breaks the interface" in run.last)
            self.assertNotIn("follows the document", run.last if count > 1 else "")  # what only all shards together show
            if count > 1:
                self.assertEqual(sum(run.counts()), cases * number // count - cases * (number - 1) // count)
            paths.append(path)
        return paths

    def test_all_shards_together_have_the_verdict_of_the_whole_run(self) -> None:
        for port, cases, same_histories in SHARDED:
            whole = check(port(0), cases=cases)
            for count in (1, 2, 3, 5):
                with self.row(port(0)[-3:], count):
                    run = self.report(*reversed(self.shards(port, cases, count)))
                    self.assertEqual((run.code, run.last, run.err), (whole.code, whole.last, ""))
                    if same_histories:
                        self.assertEqual(run.out, whole.out if count == 1 else without_explanations(whole.out))
                    self.assertEqual(run.out.partition("\nviolation")[0], whole.out.partition("\nviolation")[0])

    def test_a_shard_that_was_cut_off_is_named(self) -> None:
        one, two = (str(self.folder / name) for name in ("one", "two"))
        for number, path, words in ((1, one, ()), (2, two, ("--max-time", "0.01"))):
            check(port_from("slow"), "--shard", f"{number}/2", "--results", path, *words, cases=2_000)
        run = self.report(one, two)
        self.assertEqual(run.code, 5, run.out)
        self.assertIn(f"note: the shard in '{two}' did not come to its end: check --resume '{two}' continues it\n", run.err)
        self.assertEqual(run.err.count("note: "), 1)

    def test_a_fault_that_no_shard_sees_alone(self) -> None:
        """Each shard follows one reading, but not the same one."""
        paths = []
        for number, name in ((1, "library"), (2, "counts-from-one")):
            path = self.folder / name
            port = ["sh", "-c", f'exec {shlex.join(built_in(name)[:2])}', running.MARK]
            self.results(port, "--shard", f"{number}/2", name=name, cases=2000)
            text = path.read_text().replace('"name":"counts-from-one"', '"name":"library"')
            text = text[:text.rindex('"sha256":"') + len('"sha256":"')]
            path.write_text(text + hashlib.sha256(text.encode()).hexdigest() + '"}\n')
            paths.append(path)
        run = self.report(*paths)
        self.assertEqual(run.code, 1, run.err)
        self.assertIn("does not conform", run.last)

    def test_shards_that_are_missing_repeated_or_foreign_are_refused_by_name(self) -> None:
        def library(_first: int) -> list[str]:
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

    def test_what_is_no_shard_is_refused(self) -> None:
        for word in ("0/3", "4/3", "1", "1/", "/3", "a/b", "1/0", "-1/3", "1/1001", "1/2/3", ""):
            with self.row(word):
                self.refused(check(built_in("library"), "--shard", word), "--shard")
        self.refused(check(built_in("library"), "--shard", "1/2", "--max-failures", "3"), "--max-failures", "--shard")

    def test_a_shard_that_was_broken_off_is_said(self) -> None:
        def port(_first: int) -> list[str]:
            return test_port(broken, "aborts_on_base_7")
        paths = []
        for number in (1, 2):
            path, _ = self.results(port(0), "--shard", f"{number}/2", name=str(number), cases=100)
            paths.append(path)
        self.assertEqual(self.report(*paths).code, 3)


class Interrupted(ReportTest):
    def until(self, condition: Callable[[], object]) -> None:
        end = time.monotonic() + 30
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def started(self, port: Sequence[str], *options: str) -> tuple[subprocess.Popen[str], pathlib.Path]:
        out = self.folder / "out"
        command = [running.PROGRAMS["backoff-oracle"], "check", SYSTEM, "--level", "2", *options, "--", *port]
        with out.open("w") as to:
            return subprocess.Popen(command, stdout=to, stderr=subprocess.PIPE, text=True), out

    def test_a_signal_ends_a_run_with_a_verdict_on_what_was_judged(self) -> None:
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

    def test_a_port_that_is_silent_is_interrupted_too(self) -> None:
        path = self.folder / "r.jsonl"
        program, out = self.started(port_from("silent"), "--timeout", "60", "--results", str(path))
        self.until(lambda: any(file.stat().st_size > 300 for file in self.folder.glob("r.jsonl.tmp*")))  # it has started
        program.send_signal(signal.SIGTERM)
        program.communicate(timeout=20)
        self.assertEqual(program.returncode, 5, out.read_text())
        self.assertIn("inconclusive", out.read_text().splitlines()[-1])
        self.assertEqual(self.report(path).code, 5)
        self.assertEqual(running.left_over(), [])

    def test_a_port_that_does_not_start_is_interrupted_too(self) -> None:
        program, out = self.started(test_port(broken, "never_starts"), "--timeout", "60")
        self.until(lambda: len(running.marked()) >= 2)
        time.sleep(0.2)  # until the oracle knows of the port too
        program.send_signal(signal.SIGTERM)
        _, err = program.communicate(timeout=20)
        self.assertEqual((program.returncode, out.read_text(), err.count("\n")), (5, "", 1))
        self.assertEqual(running.left_over(), [])

    def test_on_a_terminal_progress_is_shown_and_ctrl_c_ends_the_run(self) -> None:
        out = self.folder / "out"
        process, terminal = pty.fork()
        if process == 0:
            with out.open("w") as to:
                os.dup2(to.fileno(), 1)
            program = running.PROGRAMS["backoff-oracle"]
            os.execve(program, [program, "check", SYSTEM, "--level", "2", "--", *built_in("library")], {**os.environ, "TERM": "xterm"})
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

    def test_no_progress_is_shown_in_a_pipe(self) -> None:
        run = check(built_in("library"), cases=20_000)
        self.assertEqual((run.code, run.err), (0, ""))


class Resuming(ReportTest):
    def cut(self, port: Sequence[str], at: int, *options: str, name: str = "cut.jsonl", cases: int = 3000) -> tuple[pathlib.Path, int]:
        path, run = self.results(port, *options, name=name, cases=cases, env={**os.environ, "CUT": str(at)})
        self.assertIn("; interrupted", run.out)
        return path, sum(run.counts())

    def test_a_run_that_was_cut_off_anywhere_comes_to_the_same_bytes(self) -> None:
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

    def test_a_run_can_be_cut_off_again_and_resumed_onto_its_own_file(self) -> None:
        port = port_from("interrupts")
        whole, _ = self.results(port, name="whole.jsonl", cases=3000)
        path, first = self.cut(port, 300)
        again, second = self.cut(port, 900, "--resume", str(path))
        self.assertEqual(again, path)
        self.assertGreater(second, first)
        self.results(port, "--resume", str(path), name=path.name, cases=3000)
        self.assertEqual(path.read_bytes(), whole.read_bytes())

    def test_what_is_no_run_to_resume_is_refused_by_name(self) -> None:
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
    def test_a_finding_of_a_port_that_draws_for_itself_replays_each_time(self) -> None:
        port = port_from("rarely_wrong")
        token = "aws_backoff_algorithm/base_ms=2,max_ms=9,max_attempts=3/next"
        for _ in range(6):
            run = oracle("replay", token, port=port)
            self.assertEqual((run.code, run.err), (1, ""), run.out)

    def test_where_it_does_not_the_program_says_how_rare_it_must_be(self) -> None:
        port = [running.PROGRAMS["backoff-port"], "library", "--draws", "random", running.MARK]
        run = oracle("replay", "aws_backoff_algorithm/base_ms=2,max_ms=9,max_attempts=3/next", port=port)
        self.assertEqual((run.code, run.counts()), (0, [10_000, 0, 0]))
        self.assertIn("nothing refutes the port in ", run.last)
        self.assertIn("nothing failed in 10000 tries; a fault that shows once in 2171 tries would have shown with probability 0.99",
                      run.err)


if __name__ == "__main__":
    running.main(__doc__)
