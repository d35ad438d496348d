#!/usr/bin/python3
"""Every file that the program writes, on a disk that fails and in a process that is killed, at each call of writing.

    CC=gcc writing_test.py --bin build/release/bin

failing_writes.c, preloaded, strikes at the n-th call that writes, for n = 1, 2, … until a run ends without a strike. Afterwards
each file is what it was or the whole new one. A call that fails ends the run with exit 2 and one line that names the file, and
leaves nothing beside it. Filed findings: fuzz/campaign_test.py.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Sequence

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "test_ports"))
sys.dont_write_bytecode = True
import reporting  # noqa: E402
import running  # noqa: E402
import vectors_test  # noqa: E402
from running import SYSTEM, built_in  # noqa: E402

SHIM = pathlib.Path(__file__).with_name("failing_writes.c")
CALLS_MAX = 200
CASES = "40"
OLD = b"what was there before\n"
CHECK = ["check", SYSTEM, "--cases", CASES]
PORT = "cap-ignored"


def without_times(content: bytes) -> bytes:
    """JUnit and pages may say how long a run took."""
    return re.sub(rb' time(stamp)?="[^"]*"', b"", content)


class ReportTest(unittest.TestCase):
    scratch: str
    shim: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.scratch = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.shim = pathlib.Path(cls.scratch) / "failing_writes.so"
        subprocess.run([os.environ.get("CC", "cc"), "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", SHIM, "-o", cls.shim, "-ldl"],
                       check=True)

    def setUp(self) -> None:
        self.kept = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))  # what a run reads
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))  # what it writes

    def run_with(self, words: Sequence[str], strike: int | None = None, how: str = "full", **environment: str) -> tuple[int, str, str]:
        """Exit, standard error, and the call that was struck, if any."""
        told, tells = os.pipe()
        # LD_PRELOAD takes a blank for the end of a path.
        more = {"LD_PRELOAD": self.shim.name, "LD_LIBRARY_PATH": str(self.shim.parent),
                "BACKOFF_WRITES_BELOW": f"{self.folder}/", "BACKOFF_WRITES_STRIKE": str(strike),
                "BACKOFF_WRITES_HOW": how, "BACKOFF_WRITES_TELL": str(tells)} if strike else {}
        try:
            done = subprocess.run([running.PROGRAMS["backoff-oracle"], *words], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                                  env={**os.environ, **more, **environment}, pass_fds=[tells], timeout=60, check=False)
        finally:
            os.close(tells)
        call = os.read(told, 100).decode() if strike else ""
        os.close(told)
        return done.returncode, done.stderr, call

    def held(self, names: Sequence[str], words: Sequence[str], before: bytes | None = OLD) -> list[str]:
        """The calls that were struck."""
        paths = [self.folder / name for name in names]

        def put_back() -> None:
            for path in self.folder.iterdir():
                path.unlink()
            for path in paths:
                if before is not None:
                    path.write_bytes(before)

        put_back()
        good, _, _ = self.run_with(words)
        whole = {path: without_times(path.read_bytes()) for path in paths}
        self.assertEqual(sorted(self.folder.iterdir()), sorted(paths))
        struck = []
        for how in ("full", "kill"):
            for n in range(1, CALLS_MAX):
                put_back()
                code, err, call = self.run_with(words, n, how)
                with self.subTest(f"{' '.join(words[:1])} {names} {how} {n} {call}"):
                    is_new = []
                    for path in paths:
                        now = path.read_bytes() if path.exists() else None
                        is_new.append(now is not None and without_times(now) == whole[path])
                        self.assertTrue(is_new[-1] or now == before, f"{path.name} is neither the old file nor the whole new one")
                    if call and how == "kill":
                        self.assertEqual(code, -9, err)
                    else:
                        self.assertEqual(sorted(self.folder.iterdir()), sorted(path for path in paths if path.exists()), "left over")
                        if code == good:  # not struck, or where nothing depends on it
                            self.assertTrue(all(is_new), err)
                        else:
                            self.assertEqual((code, err.count("\n")), (2, 1), err)
                            self.assertTrue(any(f"cannot write '{path}'" in err for path in paths), err)
                if not call:
                    self.assertEqual(code, good)
                    break
                struck.append(call)
            else:
                self.fail(f"more than {CALLS_MAX} calls")
        return struck


class Writing(ReportTest):
    def port(self, name: str = PORT) -> list[str]:
        return ["--", *built_in(name)]

    def made(self) -> str:
        path = self.kept / "results.jsonl"
        self.run_with([*CHECK, "--results", str(path), *self.port()])
        return str(path)

    def option(self, option: str, name: str) -> list[str]:
        return [option, str(self.folder / name)]

    def test_what_check_writes(self) -> None:
        words = [*CHECK, *self.option("--results", "r"), *self.option("--junit", "j"), *self.option("--write-known-failing", "k"),
                 *self.option("--certificate", "c"), *self.port()]
        for before in (OLD, None):
            struck = self.held(["r", "j", "k", "c"], words, before)
            self.assertLessEqual({"fwrite", "fflush", "fsync", "fclose", "rename"}, set(struck))
            self.assertTrue({"open", "open64"} & set(struck), struck)
            self.assertGreaterEqual(struck.count("rename"), 2 * 4)  # each file, failing and killed

    def test_results_that_a_run_resumes_and_replaces(self) -> None:
        port = [sys.executable, "-B", "-S", "-E", reporting.__file__, "interrupts", "0", running.MARK]
        cut = self.kept / "cut"
        self.run_with([*CHECK, "--results", str(cut), "--", *port], CUT="12")
        self.held(["r"], [*CHECK, *self.option("--resume", "r"), *self.option("--results", "r"), "--", *port], cut.read_bytes())

    def test_the_page_and_what_report_writes(self) -> None:
        results = self.made()
        self.held(["p.html"], ["report", results, *self.option("-o", "p.html")])
        self.held(["p.html", "j"], ["report", results, *self.option("-o", "p.html"), *self.option("--junit", "j")], None)

    def test_what_replay_writes(self) -> None:
        self.held(["j"], ["replay", f"{SYSTEM}/base_ms=2,max_ms=9,max_attempts=3/next:8@2", *self.option("--junit", "j"), *self.port()])

    def test_what_verify_writes(self) -> None:
        vectors, answers = self.kept / "vectors.json", self.kept / "answers"
        vectors.write_text(running.oracle("vectors", SYSTEM, "--count", "20").out)
        asked = json.loads(vectors.read_text())
        with vectors_test.Port(SYSTEM, built_in("library")) as port:
            answers.write_text(vectors_test.sealed(vectors_test.as_lines(asked["header"], port.answers(asked)), False))
        self.held(["j"], ["verify", str(vectors), str(answers), *self.option("--junit", "j")])


if __name__ == "__main__":
    running.main(__doc__)
