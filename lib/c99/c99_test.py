#!/usr/bin/python3
"""The sources in C99: compilers take them without a word, `check --library` finds them right, and so does `verify` on the
processors of lib/examples/firmware/judge. The same with a fault in them is found wrong.

    c99_test.py --bin build/release/bin [Host|Processor]

lib/c99/equality_test.cpp compares them with the headers of the core.
"""
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
HEADERS, JUDGE = HERE.parent / "drop_in", HERE.parent / "examples/firmware/judge"
BIN = pathlib.Path("build/release/bin").resolve()
SCRATCH = tempfile.TemporaryDirectory(prefix="backoff-c99-")
ALGORITHM, UTILS, CONTROL = "aws_backoff_algorithm", "aws_retry_utils", "azure_c_retry_control"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Wstrict-prototypes",
            "-Wmissing-prototypes", "-Wvla", "-Werror"]
# Retry control's own interface has a bool, which C90 has not.
STANDARDS = {ALGORITHM: "c90 c99 c11 c17 c2x", UTILS: "c90 c99 c11 c17 c2x", CONTROL: "c99 c11 c17 c2x"}
OTHER_CONSTANTS = {"MAX_RETRY_ATTEMPTS": ("max_attempts", 0), "INITIAL_RETRY_BACKOFF_SECONDS": ("initial_backoff_s", 7),
                   "MAX_RETRY_BACKOFF_SECONDS": ("max_backoff_s", 100), "MAX_JITTER_VALUE_SECONDS": ("max_jitter_s", 3)}
# Part of a source, and what it is mistaken for.
FAULTS = [
    (ALGORITHM, "within(2U * window, cap)", "within(2U * window + 1U, cap)"),
    (ALGORITHM, "done < limit", "done <= limit"),
    (ALGORITHM, "(window + 1U)", "(window + 2U)"),
    (UTILS, "draw % values", "draw % (values + 1U)"),
    (UTILS, "limit != 0U && done >= limit", "limit != 0U && done + 1U >= limit"),
    (UTILS, "= widened(window, window,", "= widened(window, 1U,"),
    (CONTROL, ">= 100U * (uint64_t)rand_max) ? 1U", ">= 100U * (uint64_t)rand_max) ? 0U"),
    (CONTROL, "doublings >= 32U || base > (UINT32_MAX >> doublings)", "doublings >= 32U"),
    (CONTROL, "percent > 100U", "percent > 99U"),
    (CONTROL, "OptionHandler_Destroy(saved);\n", "\n"),
]
# What ends an image before its last answer.
HANGS = ("= 0U;\n  pContext->nextJitterMax", "= 0U;\n  while (maxAttempts == 1U) continue;\n  pContext->nextJitterMax")
CRASHES = ("*pNextBackOff = ", "if (window == 0U) __builtin_trap();\n  *pNextBackOff = ")


def ends(*command: object) -> tuple[int, str]:
    done = subprocess.run([str(word) for word in command], cwd=SCRATCH.name, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    return done.returncode, done.stdout


def with_fault(stem: str, right: str, wrong: str) -> pathlib.Path:
    """The path of the source with this part of it replaced."""
    text = (HERE / f"{stem}.c").read_text()
    assert text.count(right) == 1, f"{stem}.c: {right}"
    path = pathlib.Path(SCRATCH.name) / f"{stem}.c"
    path.write_text(text.replace(right, wrong))
    return path


class Host(unittest.TestCase):
    def check(self, stem: str, source: pathlib.Path, *defines: tuple[str, tuple[str, int]]) -> tuple[int, str]:
        """Its verdict on the source, compiled as a library."""
        library = pathlib.Path(SCRATCH.name) / f"{stem}.so"
        sources = [source, HERE / "retry_utils_system.c"] if stem == UTILS else [source]
        self.assertEqual(ends("gcc", "-O2", "-shared", "-fPIC", f"-I{HEADERS}",
                              *(f"-D{name}={value}" for name, (_, value) in defines), *sources, "-o", library), (0, ""))
        params = [word for _, (name, value) in defines for word in ("--param", f"{name}={value}")]
        return ends(BIN / "backoff-oracle", "check", stem, "--strict", *params, "--library", library)

    def test_compilers_take_them_without_a_word(self) -> None:
        for stem, standards in STANDARDS.items():
            for standard in standards.split():
                for compiler in ("gcc", "clang-19"):
                    with self.subTest(stem, compiler=compiler, standard=standard):
                        self.assertEqual(ends(compiler, f"-std={standard}", "-O2", *WARNINGS, f"-I{HEADERS}", "-c", HERE / f"{stem}.c",
                                              "-o", "/dev/null"), (0, ""))

    def test_compilers_of_small_processors_take_them_without_a_word(self) -> None:
        avr = ["avr-gcc", "-mmcu=atmega2560", "-Wall", "-Wextra", "-Wpedantic"]  # whose int has 16 bits; and gcc 5 knows fewer warnings
        riscv = ["riscv64-unknown-elf-gcc", "-march=rv32imac", "-mabi=ilp32", "-specs=picolibc.specs", *WARNINGS]
        for stem in STANDARDS:
            for compiler in (avr, riscv):
                with self.subTest(stem, compiler=compiler[0]):
                    self.assertEqual(ends(*compiler, "-Werror", "-std=c99", "-Os", f"-I{HEADERS}", "-c", HERE / f"{stem}.c", "-o",
                                          pathlib.Path(SCRATCH.name) / "small.o"), (0, ""))

    def test_they_take_no_more_than_they_say(self) -> None:
        allowed = {ALGORITHM: set(), UTILS: {"backoff_retry_utils_random", "backoff_retry_utils_sleep"},
                   CONTROL: {"malloc", "free", "rand", "strcmp", "get_time", *(f"OptionHandler_{name}" for name in (
                       "Create", "AddOption", "FeedOptions", "Destroy"))}}
        for stem, names in allowed.items():
            for build in ("-DNDEBUG", "-UNDEBUG"):
                with self.subTest(stem, build=build):
                    compiled = pathlib.Path(SCRATCH.name) / "own.o"
                    self.assertEqual(ends("gcc", "-fno-stack-protector", build, f"-I{HEADERS}", "-c", HERE / f"{stem}.c", "-o", compiled),
                                     (0, ""))
                    symbols = ends("nm", compiled)[1]
                    asserts = build == "-UNDEBUG" and stem != CONTROL
                    self.assertEqual(set(re.findall(r" U (\w+)", symbols)) - {"_GLOBAL_OFFSET_TABLE_"},
                                     names | ({"__assert_fail"} if asserts else set()))
                    self.assertEqual(re.findall(r" [bBdDC] \w+", symbols), [], "no state of its own")

    def test_debug_builds_assert_that_no_pointer_is_null(self) -> None:
        program = pathlib.Path(SCRATCH.name) / "null"
        for stem, call, pointer in (
                (ALGORITHM, "BackoffAlgorithm_InitializeParams(NULL, 1U, 1U, 1U)", "pContext"),
                (ALGORITHM, "BackoffAlgorithm_GetNextBackoff(NULL, 1U, &(uint16_t){0})", "pRetryContext"),
                (ALGORITHM, "BackoffAlgorithm_GetNextBackoff(&(BackoffAlgorithmContext_t){0}, 1U, NULL)", "pNextBackOff"),
                (UTILS, "RetryUtils_ParamsReset(NULL)", "pRetryParams"), (UTILS, "RetryUtils_BackoffAndSleep(NULL)", "pRetryParams")):
            program.with_suffix(".c").write_text(f'#include "{HERE / stem}.c"\nint main(void) {{ {call}; }}\n')
            for compiler in ("gcc", "clang-19"):
                with self.subTest(call, compiler=compiler):
                    self.assertEqual(ends(compiler, "-O2", f"-I{HEADERS}", program.with_suffix(".c"), HERE / "retry_utils_system.c", "-o",
                                          program), (0, ""))
                    code, said = ends(program)
                    self.assertIn(f"Assertion `{pointer} != NULL' failed", said)
                    self.assertEqual(code, -signal.SIGABRT)

    def test_they_conform(self) -> None:
        for stem, defines in ((ALGORITHM, ()), (UTILS, ()), (UTILS, OTHER_CONSTANTS.items()), (CONTROL, ())):
            with self.subTest(stem, defines=defines):
                code, said = self.check(stem, HERE / f"{stem}.c", *defines)
                self.assertRegex(said, f"\nverdict: conforms to {stem}, grade exact\n$")
                self.assertEqual(code, 0)

    def test_faults_are_found(self) -> None:
        for stem, right, wrong in FAULTS:
            with self.subTest(stem, wrong=wrong):
                self.assertEqual(self.check(stem, with_fault(stem, right, wrong))[0], 1)


class Processor(unittest.TestCase):
    def judge(self, *words: object) -> tuple[int, str]:
        return ends(JUDGE, "--oracle", BIN / "backoff-oracle", "--count", "60", *words)

    def test_they_conform(self) -> None:
        for stem, board in ((ALGORITHM, "microbit"), (UTILS, "mps2-an385"), (CONTROL, "mps2-an386"),
                            *((stem, "virt") for stem in STANDARDS)):
            with self.subTest(stem, board=board):
                code, said = self.judge(stem, "--board", board)
                self.assertRegex(said, rf"\nverdict: conforms to {stem}, grade exact\non {board}, (Cortex-M\d|RV32IMAC): \d+ bytes of "
                                       r"code, frames of at most \d+ bytes, \d+ to \d+ instructions a step\n$")
                self.assertEqual(code, 0)

    def test_so_do_sources_in_cpp(self) -> None:
        for stem in STANDARDS:
            with self.subTest(stem):
                source = pathlib.Path(SCRATCH.name) / f"{stem}.cpp"
                source.write_text(f'extern "C" {{\n#include "{HERE}/{stem}.c"\n}}\n')
                self.assertEqual(self.judge(stem, source)[0], 0)

    def test_a_fault_is_found(self) -> None:
        for (stem, right, wrong), board in ((FAULTS[0], "microbit"), (FAULTS[5], "virt"), (FAULTS[8], "mps2-an385")):
            with self.subTest(stem, wrong=wrong):
                code, said = self.judge(stem, with_fault(stem, right, wrong), "--board", board)
                self.assertRegex(said, f"\nverdict: does not conform to {stem}")
                self.assertEqual(code, 1)
                replay = shlex.split(said.partition("\n  replay ")[2].partition("\n")[0])
                self.assertEqual(replay[1:], ["verify", f"{stem}-{board}.vectors", f"{stem}-{board}.answers"])
                self.assertIn(said.partition("\non ")[0].rpartition("\n")[2], ends(*replay)[1])

    def test_constants_are_the_ones_that_are_compiled_in(self) -> None:
        defines = [word for name, (_, value) in OTHER_CONSTANTS.items() for word in ("-D", f"{name}={value}")]
        self.assertEqual(self.judge(UTILS, *defines)[0], 0)
        code, said = self.judge(UTILS, "-D", "MAX_RETRY_ATTEMPTS=some")
        self.assertEqual((code, said), (2, "judge: -D MAX_RETRY_ATTEMPTS=some: expected a whole number\n"))

    def test_a_crash_and_a_hang_name_their_vector(self) -> None:
        for board in ("microbit", "virt"):
            for fault, said, seconds in (CRASHES, "the processor faulted in", 300), (HANGS, "no end after 5 seconds, in", 5):
                with self.subTest(board, fault=fault):
                    code, message = self.judge(ALGORITHM, with_fault(ALGORITHM, *fault), "--timeout", seconds, "--board", board)
                    self.assertRegex(message, f"^judge: {said} vector [0-9a-f]{{16}}\n$")
                    self.assertEqual(code, 3)

    def test_what_is_of_no_use_is_said(self) -> None:
        text = pathlib.Path(SCRATCH.name) / "library.txt"
        text.write_text("")
        empty = pathlib.Path(SCRATCH.name) / "empty.c"
        empty.write_text("int nothing;\n")
        for words, said in ((("nothing",), "nothing: expected one of aws_backoff_algorithm, "), ((), "no SYSTEM: expected one of "),
                            (("--table", ALGORITHM), "--table takes no SYSTEM"),
                            ((ALGORITHM, "--timeout", "0"), "0: expected a whole number of at least 1"),
                            ((ALGORITHM, "--oracle", "absent"), "judge: --oracle absent: no such file"),
                            ((ALGORITHM, "absent.c"), "judge: absent.c: no such file"),
                            ((ALGORITHM, text), "expected a source in C or C\\+\\+"),
                            ((ALGORITHM, empty), "judge: neither the library nor the image defines BackoffAlgorithm_GetNextBackoff, "
                                                 "BackoffAlgorithm_InitializeParams\n")):
            with self.subTest(words):
                code, message = self.judge(*words)
                self.assertRegex(message, said)
                self.assertEqual(code, 2)


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "--bin":
        BIN = pathlib.Path(sys.argv[2]).resolve()
        del sys.argv[1:3]
    unittest.main()
