#!/usr/bin/python3
"""The verbs that write, under limits of the system on memory: each run ends as it does without one, or with exit 2 and one message.

    memory_limit_test.py --bin build/release/bin

Each file is then what it was or the whole new one, and no other file and no process is left. Ports and programs are not limited.
Each call that takes memory, in turn: out_of_memory/memory_test.cpp.
"""
import json
import pathlib
import shlex
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "test_ports"))
sys.dont_write_bytecode = True
import running  # noqa: E402
import vectors_test  # noqa: E402
from running import SYSTEM, built_in  # noqa: E402

MEGABYTES = (30, 45, 70, 100, 150, 220)
MESSAGE = "backoff-oracle: error: not enough memory\n"
OLD = b"what was there before\n"
NOT_LOADED = 127  # the system's loader had no room for the program
CLIENT = ": <&3; ".join(["exec 3<>/dev/tcp/{host}/{port}; read -r -u 3"] * 3)


def unlimited(command: list[str]) -> list[str]:
    return ["--", "sh", "-c", f"ulimit -S -v unlimited; exec {shlex.join(command)}", running.MARK]


class OracleTest(unittest.TestCase):
    def setUp(self) -> None:
        self.kept = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))  # what a run reads
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))  # what it writes

    def run_limited(self, words: list[str], megabytes: int | None) -> running.Run:
        limit = "" if megabytes is None else f"ulimit -S -v {megabytes * 1000}; "
        return running.execute(["sh", "-c", limit + 'exec "$@"', "-", running.PROGRAMS["backoff-oracle"], *words], cwd=self.folder)

    def written(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.iterdir()}

    def hold(self, words: list[str], files: tuple[str, ...] = (), *, code: int = 0, is_repeatable: bool = True) -> list[int]:
        """The sizes that were too small."""
        before = dict.fromkeys(files, OLD)
        whole: running.Run | None = None
        written, failed = before, list[int]()
        for megabytes in (None, *MEGABYTES):
            for path in self.folder.iterdir():
                path.unlink()
            for name, content in before.items():
                (self.folder / name).write_bytes(content)
            run, now = self.run_limited(words, megabytes), self.written()
            with self.subTest(f"{' '.join(words[:2])}, {megabytes} MB"):
                self.assertEqual(running.left_over(), [])
                if whole is None:
                    self.assertEqual(run.code, code, run.err)
                    whole, written = run, now
                elif run.code == NOT_LOADED:
                    self.assertRegex(run.err, "error while loading shared libraries|cannot allocate memory")
                    self.assertEqual(now, before)
                elif run.code == whole.code:
                    self.assertEqual(run.err, whole.err)
                    if is_repeatable:
                        self.assertEqual((run.out, now), (whole.out, written))
                    else:
                        self.assertTrue(all(now[name] != OLD for name in files))
                elif megabytes is not None:
                    failed.append(megabytes)
                    self.assertEqual((run.code, run.err), (2, MESSAGE))
                    self.assertEqual(now.keys(), before.keys())
                    if is_repeatable:
                        self.assertTrue(whole.out.startswith(run.out))
                        self.assertTrue(all(content in (OLD, written[name]) for name, content in now.items()))
        return failed


class Limits(OracleTest):
    def test_vectors_and_verify(self) -> None:
        count = ["--count", "6000"]
        self.assertTrue(self.hold(["vectors", SYSTEM, *count]))
        vectors, answers = self.kept / "vectors.json", self.kept / "answers"
        vectors.write_text(running.oracle("vectors", SYSTEM, *count).out)
        asked = json.loads(vectors.read_text())
        with vectors_test.Port(SYSTEM, built_in("library")) as port:
            answers.write_text(vectors_test.sealed(vectors_test.as_lines(asked["header"], port.answers(asked)), False))
        self.assertTrue(self.hold(["verify", str(vectors), str(answers), "--junit", "j"], ("j",)))

    def test_check_and_report(self) -> None:
        words = ["check", SYSTEM, "--cases", "2000", "--junit", "j", "--certificate", "c", "--results"]
        self.assertTrue(self.hold([*words, "r", *unlimited(built_in("cap-ignored"))], ("r", "j", "c"), code=1))
        kept = str(self.kept / "r")
        running.oracle(*words, kept, port=built_in("cap-ignored"), cwd=self.folder)
        self.assertTrue(self.hold(["report", kept, "--junit", "j"], ("j",), code=1))
        self.assertTrue(self.hold(["report", kept, "-o", "p.html"], ("p.html",), code=1))

    def test_plan(self) -> None:
        formula = f"{SYSTEM}:base_ms=100,max_ms=20000,max_attempts=8"
        self.assertTrue(self.hold(["plan", formula, "--clients", "300000", "--outage", "60s", "-o", "p.html"], ("p.html",)))

    def test_watch(self) -> None:
        client = unlimited(["bash", "-c", CLIENT])
        params = ["--param", "base_ms=1000", "--param", "max_ms=1000", "--param", "max_attempts=2", "--slack", "100"]
        words = ["watch", SYSTEM, *params, "--fail", "close", "--runs", "2", "--results", "r", "--junit", "j", *client]
        self.hold(words, ("r", "j"), code=5, is_repeatable=False)


if __name__ == "__main__":
    running.main(__doc__)
