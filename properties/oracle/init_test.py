#!/usr/bin/python3
"""`init`: what it writes conforms in every language by the commands that it prints, and no longer once it has a fault.

    init_test.py --bin build/release/bin
"""
import contextlib
import itertools
import os
import pathlib
import pty
import re
import resource
import select
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "test_ports"))
sys.dont_write_bytecode = True
import running  # noqa: E402

HELPERS = pathlib.Path(__file__).resolve().parents[1] / "ports/helpers"
# Language -> what it writes beside the policy my_policy: the adapter and the helper.
FILES = {"python": ("my_policy_port.py", "backoff_port.py"), "javascript": ("my_policy_port.cjs", "backoff_port.cjs"),
         "go": ("my_policy_port.go", "backoffport.go"), "java": ("MyPolicyPort.java", "BackoffPort.java"),
         "rust": ("my_policy_port.rs", "backoff_port.rs"), "c": ("my_policy_port.c", "backoff_port.h"),
         "cpp": ("my_policy_port.cpp", "backoff_port.hpp")}
PART = ("--base", "1s", "--factor", "1.6", "--jitter", "20%", "--cap", "120s", "--retries", "10")
GRADED = {PART: "distribution", ("--base", "100ms"): "exact",
          ("--base", "0.5s", "--unit", "ms", "--jitter", "decorrelated", "--cap", "20s"): "distribution",
          ("--base", "0.25s", "--factor", "linear", "--jitter", "equal", "--retries", "3", "--draws", "given"): "exact",
          ("--base", "1s", "--unit", "ms", "--jitter", "+100ms", "--cap", "10s"): "distribution",
          ("--base", "2min", "--factor", "constant", "--cap", "3min", "--jitter", "full", "--draws", "given"): "exact"}
# Patterns of adapters of PART, what stands there instead, and the claim that this breaks.
FAULTS = {"the first delay": (r"(delay :?= )(\S*base_?\b)", r"\g<1>2.0 * \2", "first_delay_within_window"),
          "the jitter": (r"0\.4 \* u", "0.3 * u", "delays_fill_their_window"),
          "the number of retries": (r"(granted_?) >= ", r"\1 > ", "attempts_limited")}


class InitCase(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def init(self, *words: str, exit_code: int = 0, bytes_max: int = 0) -> str:
        """What it prints, or its error; in a pipe."""
        def limit() -> None:
            if bytes_max:
                resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_max, bytes_max))
        done = subprocess.run([running.PROGRAMS["backoff-oracle"], "init", *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, preexec_fn=limit)
        self.assertEqual(done.returncode, exit_code, done.stderr)
        self.assertEqual(done.stderr if exit_code == 0 else done.stdout, "")
        return done.stdout + done.stderr

    def run_commands(self, printed: str) -> tuple[int, str]:
        commands = re.findall(r"(?m)^  (.*)$", printed.partition("test the adapter:\n")[2])
        self.assertIn(" check ", commands[-1])
        self.assertTrue(printed.endswith(commands[-1] + "\n"))
        done = subprocess.run(["sh", "-e", "-c", "\n".join(commands)], cwd=self.folder, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def written(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}

    def conforms(self, printed: str, grade: str) -> None:
        code, said = self.run_commands(printed)
        self.assertEqual(code, 0, said)
        self.assertRegex(said, rf"\nverdict: conforms to your policy my_policy, grade {grade}(, as read with \S+)?\n$")
        self.assertNotIn("instances", said.partition("not checked")[2])


class AdapterTest(InitCase):
    """Of each language, in a class of its own."""
    language = ""
    graded = tuple(GRADED.items())[::2]  # where a compiler takes its time

    @classmethod
    def setUpClass(cls) -> None:
        if not cls.language:
            raise unittest.SkipTest("of no language")

    def test_what_is_written_conforms(self) -> None:
        for words, grade in self.graded:
            with self.subTest(words), contextlib.ExitStack() as folders:
                self.folder = pathlib.Path(folders.enter_context(tempfile.TemporaryDirectory()))
                printed = self.init("--language", self.language, *words)
                files = self.written()
                self.assertEqual(set(files), {"my_policy.yaml", *FILES[self.language]})
                self.assertNotIn(b"$", files[FILES[self.language][0]])
                self.conforms(printed, grade)

    def test_a_fault_that_is_planted_is_found(self) -> None:
        printed = self.init("--language", self.language, *PART)
        adapter = self.folder / FILES[self.language][0]
        right = adapter.read_text()
        for fault, (pattern, instead, claim) in FAULTS.items():
            with self.subTest(fault):
                wrong, count = re.subn(pattern, instead, right)
                self.assertEqual(count, 1)
                adapter.write_text(wrong)
                code, said = self.run_commands(printed)
                self.assertEqual(code, 1, said)
                self.assertIn(claim, said.splitlines()[-1])

    def test_the_helper_is_that_of_the_repository(self) -> None:
        self.init("--language", self.language)
        name = FILES[self.language][1]
        ours = (HELPERS / self.language / name).read_text()
        if self.language == "go":
            ours = ours.replace("\npackage backoffport\n", "\npackage main\n")
        self.assertEqual((self.folder / name).read_text(), ours)


class InitPython(AdapterTest):
    language = "python"
    graded = tuple(GRADED.items())


class InitJavaScript(AdapterTest):
    language = "javascript"


class InitGo(AdapterTest):
    language = "go"


class InitJava(AdapterTest):
    language = "java"


class InitRust(AdapterTest):
    language = "rust"


class InitC(AdapterTest):
    language = "c"


class InitCpp(AdapterTest):
    language = "cpp"


class InitTest(InitCase):
    """Once for all languages."""


class InitPolicies(InitTest):
    def delays(self, *words: str) -> str:
        """The first line of delays that the policy admits."""
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.init("p", *words)
        done = running.oracle("eval", "p.yaml", "steps=next@4", cwd=self.folder)
        self.assertEqual((done.code, done.err), (0, ""), words)
        return re.sub(r"^canonical +", "", done.out.splitlines()[0])

    def test_they_say_the_sentence(self) -> None:
        for words, expected in ((PART, "[0.8, 1.2], [1.28, 1.92], [2.048, 3.072], [3.2768, 4.9152]"),
                                ((), "1000, 2000, 4000, 8000"),
                                (("--base", "1.5s", "--unit", "ms", "--cap", "5s"), "1500, 3000, 5000, 5000"),
                                (("--base", "1.5 s", "--cap", "5000ms"), "1.5, 3, 5, 5"),
                                (("--base", "1", "--unit", "s", "--cap", "2.5", "--factor", "linear"), "1, 2, 2.5, 2.5"),
                                (("--base", "2min", "--factor", "1"), "120, 120, 120, 120"),
                                (("--base", "100us", "--factor", "10"), "100, 1000, 10000, 100000"),
                                (("--base", "8s", "--jitter", "full", "--retries", "2"), "[0, 8], [0, 16], exhausted, exhausted"),
                                (("--base", "1s", "--jitter", "+500ms"), "[1, 1.5], [2, 2.5], [4, 4.5], [8, 8.5]"),
                                (("--base", "8s", "--jitter", "equal", "--retries", "0"), "exhausted, exhausted, exhausted, exhausted"),
                                (("--base", "8s", "--jitter", "± 0.25", "--factor", "constant"), "[6, 10], [6, 10], [6, 10], [6, 10]"),
                                (("--base", "8s", "--jitter", "+/-12.5 %", "--factor", "1.0"), "[7, 9], [7, 9], [7, 9], [7, 9]")):
            with self.subTest(words):
                self.assertEqual(self.delays(*words), expected)
        self.assertTrue(self.delays("--base", "1s", "--jitter", "decorrelated").startswith("[1, 3], "))
        self.assertTrue(self.delays("--base", "1s", "--jitter", "decorrelated", "--factor", "2").startswith("[1, 2], "))

    def test_any_answers_make_a_policy(self) -> None:
        jitters = ("none", "full", "equal", "0.3%", "100%", "decorrelated")
        for jitter, factor, base, cap, retries in itertools.product(jitters, ("1.5", "constant", "linear"), ("1s", "1.25ms"),
                                                                    ("none", "168h"), ("forever", "9")):
            if jitter == "decorrelated" and not factor[0].isdigit():
                continue
            self.delays("--jitter", jitter, "--factor", factor, "--base", base, "--cap", cap, "--retries", retries)

    def judged(self, right: str, instead: str, *words: str) -> tuple[int, str]:
        """Of an adapter in Python, with one thing instead of another."""
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        printed = self.init(*words)
        adapter = self.folder / "my_policy_port.py"
        self.assertEqual(adapter.read_text().count(right), 1)
        adapter.write_text(adapter.read_text().replace(right, instead))
        code, said = self.run_commands(printed)
        return code, said.splitlines()[-1]

    def test_what_a_sentence_leaves_open_is_open(self) -> None:
        part = [*PART, "--unit", "ms"]
        after = "min(self.cap, self.base * 1.6 ** self.granted * (0.8 + 0.4 * u))"
        for delay, reading in (("delay", "real"), ("int(delay)", "floor"), ("round(delay)", "round")):
            code, verdict = self.judged("return delay", f"return {delay}", *part)
            self.assertEqual((code, f"cap-before-jitter-{reading}" in verdict), (0, reading != "real"), verdict)
            code, verdict = self.judged("return delay", f"self.granted -= 1; delay = {after}; self.granted += 1; return {delay}", *part)
            self.assertEqual((code, f"delay=cap-after-jitter-{reading}" in verdict), (0, True), verdict)
        added = ["--base", "1s", "--unit", "ms", "--jitter", "+100ms", "--cap", "20s"]
        code, verdict = self.judged("delay += 100.0 * u", "delay += random.randint(0, 100)", *added)
        self.assertEqual((code, "delay=cap-before-jitter-whole" in verdict), (0, True), verdict)
        full = ["--jitter", "full", "--cap", "20s"]
        code, verdict = self.judged("delay *= u", "delay = random.randint(0, int(delay))", *full)
        self.assertEqual((code, "delay=whole" in verdict), (0, True), verdict)
        code, verdict = self.judged("min(self.cap, delay)", "delay", *full)
        self.assertEqual(code, 1, verdict)

    def test_a_value_that_is_fixed_is_one_edit(self) -> None:
        printed = self.init(*PART)
        policy = self.folder / "my_policy.yaml"
        for name, value in (("base", "1"), ("cap", "120"), ("retries", "10")):
            policy.write_text(re.sub(rf"(  {name}: .*range: )\[.*?\]", rf"\g<1>[{value}, {value}]", policy.read_text()))
            adapter = self.folder / "my_policy_port.py"
            adapter.write_text(adapter.read_text().replace(f'params["{name}"]', value))
        self.conforms(printed, "distribution")


class InitFiles(InitTest):
    def test_no_file_is_overwritten(self) -> None:
        for name in ("my_policy.yaml", *FILES["python"]):
            for kind in ("file", "link", "folder"):
                with self.subTest(name, kind=kind), contextlib.ExitStack() as folders:
                    self.folder = pathlib.Path(folders.enter_context(tempfile.TemporaryDirectory()))
                    if kind == "file":
                        (self.folder / name).write_text("mine")
                    elif kind == "link":
                        (self.folder / name).symlink_to("nowhere")
                    else:
                        (self.folder / name).mkdir()
                    before = self.written()
                    self.assertIn(f"error: '{name}' exists", self.init(exit_code=2))
                    self.assertEqual((self.written(), os.listdir(self.folder)), (before, [name]))

    def test_one_helper_serves_several_adapters(self) -> None:
        self.init("first")
        helper = self.folder / "backoff_port.py"
        before = helper.stat()
        self.init("second")
        self.assertEqual((helper.stat().st_ino, helper.stat().st_mtime_ns), (before.st_ino, before.st_mtime_ns))
        self.assertEqual(sorted(self.written()), ["backoff_port.py", "first.yaml", "first_port.py", "second.yaml", "second_port.py"])

    def test_what_cannot_be_written_leaves_nothing(self) -> None:
        self.assertIn("cannot write 'backoff_port.py'", self.init(exit_code=2, bytes_max=2500))
        self.assertEqual(os.listdir(self.folder), [])


class InitFlags(InitTest):
    def test_each_that_is_wrong_is_named_with_what_was_expected(self) -> None:
        for words, error in ((("My",), "NAME: 'My': expected small letters"), (("_a",), "NAME: '_a': expected small"),
                             (("a" * 41,), "at most 40"), (("backoff",), "NAME: 'backoff': expected another name"),
                             (("a/b",), "NAME: 'a/b': expected small"), (("",), "NAME: '': expected small"),
                             (("aws_retry_utils",), "NAME: 'aws_retry_utils': expected another name"),
                             (("--language", "rst"), "--language: 'rst': expected one of: python, javascript, go, java, rust, c, cpp"),
                             (("--language", "pyton"), "did you mean 'python'?"), (("--unit", "min"), "--unit: 'min': expected one of: ns"),
                             (("--base", "1000"), "--base: '1000': expected a number with a unit, such as"),
                             (("--base", "0s"), "above 0"), (("--base", "-1s"), "--base: '-1s': expected"),
                             (("--base", "1.2.3s"), "expected"),
                             (("--base", "8d"), "--base: '8d': expected"), (("--base", "169h"), "at most 7 days"),
                             (("--base", "1e3s"), "expected"), (("--base", "99999999999999999999999s"), "at most 7 days"),
                             (("--base", "0.0000000000001s"), "expected"), (("--base", "168h", "--unit", "ns"), "name a larger unit"),
                             (("--base", "s"), "expected"), (("--base", "."), "expected"), (("--base", ""), "expected"),
                             (("--jitter", "ful"), "did you mean 'full'?"), (("--jitter", "0"), "expected one of: none, full"),
                             (("--jitter", "20"), "expected one of"), (("--jitter", "101%"), "expected one of"),
                             (("--jitter", "20%%"), "expected one of"), (("--jitter", "0.0000001"), "expected one of"),
                             (("--factor", "0.5"), "--factor: '0.5': expected a number from 1 to 10, constant or linear"),
                             (("--factor", "11"), "from 1 to 10"), (("--factor", "x2"), "from 1 to 10"),
                             (("--factor", "linear", "--jitter", "decorrelated"), "--factor: 'linear': expected a number above 1"),
                             (("--factor", "1", "--jitter", "decorrelated"), "above 1"),
                             (("--cap", "never"), "--cap: 'never': expected none, or a duration"), (("--cap", "0"), "expected"),
                             (("--base", "1s", "--cap", "999ms"), "--cap: '999ms': expected at least the first delay, 1 s"),
                             (("--base", "1.5us", "--unit", "ns", "--cap", "160h"), "name a larger unit"),
                             (("--retries", "-1"), "--retries: '-1': expected forever, or a whole number in [0, 1000]"),
                             (("--retries", "1001"), "in [0, 1000]"), (("--retries", "1.5"), "whole number"),
                             (("--draws", "none"), "--draws: 'none': expected one of: hidden, given"),
                             (("a", "b"), "unexpected argument 'b'"), (("--capp", "1s"), "unknown option '--capp'")):
            with self.subTest(words):
                self.assertIn(error, self.init(*words, exit_code=2))
                self.assertEqual(os.listdir(self.folder), [])


class InitQuestions(InitTest):
    def asked(self, answers: list[str], *words: str) -> tuple[int, str, list[str]]:
        """Exit code, what the terminal showed, and the questions; each answer is given when a question is there."""
        command = [running.PROGRAMS["backoff-oracle"], "init", *words]
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.execve(command[0], command, {**os.environ, "TERM": "xterm"})
        seen, questions, left, end = "", [], list(answers), time.monotonic() + 20
        with contextlib.suppress(OSError):  # the terminal is gone
            while time.monotonic() < end:
                if not select.select([terminal], [], [], 1)[0]:
                    continue
                seen += os.read(terminal, 4096).decode().replace("\r\n", "\n")
                if seen.endswith("]: "):
                    questions.append(seen.splitlines()[-1])
                    os.write(terminal, left.pop(0).encode() + b"\n" if left else b"\x04")
        _, status = os.waitpid(process, 0)
        os.close(terminal)
        return os.waitstatus_to_exitcode(status), seen, questions

    def test_the_answers_are_what_the_flags_are(self) -> None:
        code, seen, questions = self.asked(["my_client", "python", "1s", "20%", "1.6", "120s", "10"])
        self.assertEqual((code, len(questions)), (0, 7), seen)
        self.assertIn("\nmy_client: 1 s, x 1.6 each time, +/- 20 %, at most 120 s, 10 retries\n", seen)
        asked = self.written()
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.init("my_client", *PART)
        self.assertEqual(self.written(), asked)

    def test_enter_takes_what_is_in_brackets_which_is_what_no_flag_means(self) -> None:
        code, seen, questions = self.asked([""] * 7)
        self.assertEqual((code, [re.findall(r"\[(.*)\]: $", question)[0] for question in questions]),
                         (0, ["my_policy", "python", "1000ms", "none", "2", "none", "forever"]), seen)
        asked = self.written()
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.init()
        self.assertEqual(self.written(), asked)

    def test_a_wrong_answer_is_asked_again(self) -> None:
        code, seen, questions = self.asked(["My Client", "mine", "cobol", "go", "1", "1s", "a lot", "decorrelated", "linear", "", "1ms",
                                            "9s", "3"])
        self.assertEqual((code, len(questions)), (0, 13), seen)
        for answer, error in (("My Client", "small letters"), ("cobol", "one of: python"), ("1", "a number with a unit"),
                              ("a lot", "one of: none"), ("linear", "a number above 1"), ("1ms", "at least the first delay")):
            self.assertRegex(seen, rf"\]: {answer}\n  '{answer}': expected {error}")
        self.assertIn("\nmine: 1 s, decorrelated jitter up to 3 times the last delay, at most 9 s, 3 retries\n", seen)

    def test_what_a_flag_says_is_not_asked(self) -> None:
        code, seen, questions = self.asked(["5"], "mine", *PART[:-2], "--language", "c")
        self.assertEqual((code, [question.partition(",")[0] for question in questions]), (0, ["Retries"]), seen)

    def test_the_end_of_the_answers_writes_nothing(self) -> None:
        code, seen, _ = self.asked(["mine", "go"])
        self.assertEqual((code, os.listdir(self.folder)), (2, []))
        self.assertIn("no answer: nothing is written", seen)


if __name__ == "__main__":
    running.main(__doc__)
