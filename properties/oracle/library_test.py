#!/usr/bin/python3
"""C libraries as ports, `--library`: right ones pass, wrong ones are caught, those that crash or hang are verdicts too.

    CC=gcc library_test.py --bin build/release/bin

The libraries are those of properties/systems/STEM/ports/c_library.c, compiled here with the faults that the tables name.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "test_ports"))
import broken  # noqa: E402
import running  # noqa: E402
from oracle_test import OracleTest  # noqa: E402
from running import Run, oracle, token_of  # noqa: E402

ALGORITHM, UTILS, CONTROL = "aws_backoff_algorithm", "aws_retry_utils", "azure_c_retry_control"
PROPERTIES = pathlib.Path(__file__).resolve().parents[1]
SCRATCH = tempfile.TemporaryDirectory(prefix=running.MARK)  # in the command line of every host
CRASHED = {"by division": "killed by signal 8", "by null": "killed by signal 11"}


def library(system: str, *defines: str) -> str:
    """The path of the library with these defines, compiled once."""
    path = pathlib.Path(SCRATCH.name) / re.sub(r'["/]', "_", f"{'-'.join((system, *defines))}.so")
    if not path.exists():
        subprocess.run([os.environ.get("CC", "cc"), "-w", "-O1", "-shared", "-fPIC", f"-I{PROPERTIES}", *(f"-D{name}" for name in defines),
                        PROPERTIES / "systems" / system / "ports/c_library.c", "-o", path, "-lm"], check=True)
    return str(path)


def check(system: str, path: str, *options: str, cases: int = 1500, **more: Any) -> Run:
    return oracle("check", system, "--cases", str(cases), "--library", path, *options, **more)


def params(**constants: int) -> list[str]:
    return [word for name, value in constants.items() for word in ("--param", f"{name}={value}")]


# What is compiled in, and how it is declared.
OTHER_CONSTANTS = ("MAX_RETRY_ATTEMPTS=0u", "INITIAL_RETRY_BACKOFF_SECONDS=7u", "MAX_RETRY_BACKOFF_SECONDS=100u",
                   "MAX_JITTER_VALUE_SECONDS=3u")
DECLARED = params(max_attempts=0, initial_backoff_s=7, max_backoff_s=100, max_jitter_s=3)
# How a library draws, sleeps, allocates, and that it prints and reads, makes no difference.
RIGHT = [
    (ALGORITHM, [], []), (ALGORITHM, ["PRINTS"], []), (ALGORITHM, ["READS"], []),
    *[(UTILS, by, []) for by in ([], ["BY_RANDOM"], ["BY_RAND_R"], ["UNTIL"], ["BY_MICROSECONDS"], ["BY_HOOK"])],
    (UTILS, OTHER_CONSTANTS, DECLARED),
    *[(CONTROL, by, []) for by in ([], ["BY_CALLOC"], ["BY_REALLOC"], ["SETS_ENVIRONMENT"], ["ADDS_BY_DOCUMENT"],
                                      ["COUNTS_TICKS"], ["CARRIES=100"])],
    (CONTROL, ["CLOCK_FROM_ZERO"], ["--range", "clock=0.."]), (UTILS, [], ["--range", "max_jitter_s=5..9"]),
]
# The claim that must fall, and the hazard reading that explains it.
WRONG = [
    (ALGORITHM, ["UNCAPPED"], [], "delay_never_exceeds_cap", None),
    (ALGORITHM, ["NO_JITTER_AT_CAP"], [], "jitter_survives_the_cap", None),
    (ALGORITHM, ["UNINITIALISED"], [], "retries_until_max_attempts", None),
    (ALGORITHM, ["NO_STATUS"], [], "no_call_fails", None), (ALGORITHM, ["WRITES_BEFORE"], [], "no_call_fails", None),
    (UTILS, ["MINUTES"], [], "sleep_never_exceeds_cap", None),
    (UTILS, ["SLEEPLESS"], [], "first_sleep_is_drawn_from_the_base", None),
    (UTILS, ["NO_BASE_JITTER"], [], "first_sleep_is_drawn_from_the_base", "base-jitter=none"),
    *[(UTILS, [f"SEED={seed}", *by], [], "no_call_fails", None) for seed, by in (("42", []), ("getpid()", ["BY_RANDOM"]))],
    (UTILS, OTHER_CONSTANTS, [], "exhausted_after_max_attempts", None),  # and not declared
    (UTILS, [], params(max_attempts=3), "exhausted_after_max_attempts", None),
    (CONTROL, ["WHOLE_SHARES"], [], "random_wait_is_part_of_the_initial_one", None),
    (CONTROL, ["SILENT_WHEN_LATER"], [], "no_call_fails", None),
    (CONTROL, ["CLOCK_FROM_ZERO"], [], "failed_clock_fails_the_call", None),
    (CONTROL, ["IGNORES_SECOND"], [], "no_call_fails", None),
    (CONTROL, ["LEAKS"], [], "destroy_frees_everything", None),
    (CONTROL, ["LEAKS_OPTIONS"], [], "other_calls_keep_nothing", None),
    *[(CONTROL, [f"CARRIES={hundredths}"], [], "jitter_lengthens_the_doubled_wait", None) for hundredths in (99, 101)],
]
# How a reset draws the jitter that its window shows, and what is found.
JITTERS = {
    "1u + up_to(MAX_JITTER_VALUE_SECONDS - 1u)": r"the smallest value of the window is never drawn",
    "up_to(MAX_JITTER_VALUE_SECONDS - 2u)": r"the largest value of the window is never drawn",
    "({ uint32_t const r = draw() % 11u; r > 5u ? 0u : r; })":
        r"5\d\.\d % of the draws are exactly the smallest value of the window; 16\.7 % expected",
}
# Of calls that stand for several: the claim that falls, the requirement that is cited, and how the verdict says what was called.
SEVERAL = {
    "BY_REALLOC LEAKS_LITTLE": ("other_calls_keep_nothing", "003", "probably does not free memory at create where it fails"),
    "READS_VALUE_FIRST": ("no_call_fails", "044",
                          'retry_control_set_option crashed .* for the option "" with a pointer that is not to be read'),
    "READS_LONG": ("no_call_fails", "044", 'retry_control_set_option crashed .* for the option "initial_wait_time_in_secs"'),
    "COMPARES_MEMORY": ("no_call_fails", "044", 'retry_control_set_option crashed .* for the option "'),
    "UNDOCUMENTED_OPTION": ("unknown_options_are_refused", "043",
                            'retry_control_set_option succeeded for "retry_count", a text among the library\'s constants'),
    "FEEDS_ANYTHING": ("no_call_fails", "044", "the call took for an option handler what is none"),
    "IGNORES_FIRST": ("no_call_fails", "054", "where initial_wait_time_in_secs cannot be added lack initial_wait_time_in_secs"),
    "CLONE_SHARES": ("no_call_fails", "054", "the call gave an option handler the value itself in place of a clone"),
    "CLONE_TRUSTS_MALLOC": ("no_call_fails", "054",
                            "retry_control_retrieve_options crashed .* where initial_wait_time_in_secs cannot be cloned"),
    "DESTROY_FREES_TWICE": ("no_call_fails", "054", "the call released memory twice"),
    "SET_FAILS": ("saved_options_can_be_fed", "041", "probably refuses every initial wait in saved options, or refuses saved options"),
    "SET_SUCCEEDS": ("bad_option_values_are_refused", "037", "result=not 0 live=1 result=0 live=1"),
    "SET_HIDES_FAILURES": ("bad_option_values_are_refused", "037", "result=not 0 live=1 result=0 live=1"),
}
BREAKING = [
    (ALGORITHM, ["DIVIDES_BY_WINDOW"], [], CRASHED["by division"]), (ALGORITHM, ["HANGS"], [], broken.SAYS_NOTHING),
    (UTILS, ["DIVIDES_BY_JITTER", "MAX_JITTER_VALUE_SECONDS=0u"], params(max_jitter_s=0), CRASHED["by division"]),
    (ALGORITHM, ["WRITES_LONG"], [], CRASHED["by null"]),
    (UTILS, ["HANGS"], [], broken.SAYS_NOTHING), (CONTROL, ["TRUSTS_MALLOC"], [], CRASHED["by null"]),
]
# How C programs use the functions that the host has in the system's place.
SEEDS = ["time(NULL)", "nanoseconds()", "nanoseconds() / 1000", "nanoseconds() / 1000000", "time(NULL) ^ nanoseconds() / 1000", "clock()"]
ONCE = "({ static unsigned n; n++ ? n : time(NULL); })"
MONOTONIC = ["NANOSECONDS_OF=CLOCK_MONOTONIC", "SEED=nanoseconds()"]
UNSIGNED = "DIFFERENCE=(time_t)((uint64_t)now - (uint64_t)since)"
WAYS = {
    CONTROL: [*([f"SEED={seed}"] for seed in (*SEEDS, "milliseconds()")), MONOTONIC, ["BY_TIME"], ["BY_GETTIMEOFDAY"], [UNSIGNED],
              ["DIFFERENCE=now - since"], ["DIFFERENCE=difftime(now, since)"], ["COUNTS_TICKS"], *([f"SETS_FIRST={n}"] for n in range(3)),
              ["BY_CALLOC"], ["BY_REALLOC"]],
    UTILS: [*([f"SEED={seed}", *by] for seed in SEEDS for by in ([], ["BY_RANDOM"])), MONOTONIC, [f"SEED={ONCE}"],
            *([by] for by in ("BY_RAND_R", "UNTIL", "BY_MICROSECONDS", "BY_HOOK"))],
}
# Clocks that the document does not name.
OTHER_CLOCKS = [["BY_TICKS=1000"], ["BY_TICKS=1000", UNSIGNED], ["BY_CLOCK"], ["BY_CLOCK_GETTIME"]]
REAL_FAULTS = {CONTROL: ("TWICE", "interval_waits_the_initial_time"), UTILS: ("NO_BASE_JITTER", "next_jitter_max_is_the_next_window")}
def broken_claims(run: Run) -> list[str]:
    return [name for name, (holds, *_) in run.claims().items() if not holds]


# A second too early, in time, too late, and with a clock that fails.
TIMEOUTS = f"{CONTROL}//create:NONE:0,is_timeout_reached:" + ",is_timeout_reached:".join(
    ("100:5:104", "100:5:105", "100:5:106", "100:5:-1", "0:0:0", "1600000000:60:1600000059", "1600000000:60:1600000060"))


class Libraries(OracleTest):
    def test_right_ones_conform(self) -> None:
        for system, defines, options in RIGHT:
            with self.row(system, *defines):
                run = self.ended(check(system, library(system, *defines), *options), 0)
                self.assertRegex(run.last, f"^verdict: conforms to {system}, grade exact")

    def test_wrong_ones_are_caught_by_the_named_claim_and_replay(self) -> None:
        for system, defines, options, claim, hazard in WRONG:
            with self.row(system, *defines):
                path = library(system, *defines)
                run = self.ended(check(system, path, *options), 1)
                self.assertFalse(run.claims()[claim][0])
                self.assertEqual(hazard is not None and f"(matches hazard reading {hazard})" in run.last, hazard is not None)
                unexplained = "no admitted reading explains the port" in run.out
                self.assertFalse(unexplained and "do not rule out" in run.out)
                self.assertNotRegex(run.out, r"(?m)^takes +$")
                for line in run.replay_lines():
                    self.assertNotIn(" -- ", line)
                    self.assertEqual(running.execute(shlex.split(line)).code, 1, line)
                    by_draws = " replay " not in line  # then the whole run shows it
                    right = (check(system, library(system), *options) if by_draws else
                             oracle("replay", token_of(line), "--library", library(system), *options))
                    self.assertEqual(right.code, 0 if defines else 1, line)  # or it is not as declared

    def test_a_jitter_that_is_shown_is_a_draw(self) -> None:
        for jitter, found in JITTERS.items():
            for initial in (0, 7):
                with self.row(jitter, initial):
                    path = library(UTILS, f"INITIAL_RETRY_BACKOFF_SECONDS={initial}u", f"JITTER={jitter}")
                    run = self.ended(check(UTILS, path, *params(initial_backoff_s=initial), cases=10_000), 1)
                    self.assertEqual(broken_claims(run), ["sleeps_fill_their_window"])
                    self.assertRegex(" ".join(run.out.split()), f" found {found}, where a cycle begins ")
                    self.assertIn("\n  requirement AWS-RU-013 (must)", run.out)

    def test_what_does_not_sleep_is_said_to_do_so(self) -> None:
        for initial in (0, 1, 7):
            with self.row(initial):
                path = library(UTILS, f"INITIAL_RETRY_BACKOFF_SECONDS={initial}u", "SLEEPLESS")
                run = self.ended(check(UTILS, path, *params(initial_backoff_s=initial)), 1)
                self.assertIn("\n  the port probably does not wait: ", run.out)

    def test_those_that_crash_or_hang_are_verdicts(self) -> None:
        for system, defines, options, says in BREAKING:
            with self.row(system, *defines):
                run = check(system, library(system, *defines), "--timeout", "0.5", *options, cases=300)
                self.assertEqual(run.code, 3, run.last)
                self.assertIn(says, run.last)
                self.assertRegex(run.last, r", at history \d+$")
                again = running.execute(shlex.split(run.replay_lines()[0]))
                self.assertEqual((again.code, says in again.last), (3, True), again.last)

    def test_what_is_used_beyond_documented_memory_is_named(self) -> None:
        for define, says in (("LARGER_CONTEXT", "used byte 17 of memory that has 16,"),
                             ("WRITES_LONG", "used byte 3 of memory that has 2,")):
            with self.row(define):
                run = check(ALGORITHM, library(ALGORITHM, define), cases=300)
                self.assertEqual(run.code, 3, run.last)
                self.assertIn(says, run.out)

    def test_what_divides_by_zero_is_named_and_found_again(self) -> None:
        for constant, parameter in (("INITIAL_RETRY_BACKOFF_SECONDS", "initial_backoff_s"), ("MAX_RETRY_BACKOFF_SECONDS", "max_backoff_s"),
                                    ("MAX_JITTER_VALUE_SECONDS", "max_jitter_s")):
            with self.row(parameter):
                path = library(UTILS, "DIVIDES_BY_WINDOW", f"{constant}=0u")
                run = check(UTILS, path, *params(**{parameter: 0}), cases=300)
                self.assertEqual(run.code, 3)
                self.assertRegex(run.out, f"\n  where +probably divides by {parameter}, which is 0\n")
                for word in ("lost", "readings", "claims"):
                    self.assertNotRegex(run.out, f"(?m)^ *{word}\\b")
                again = running.execute(shlex.split(run.replay_lines()[0]))
                self.assertEqual((again.code, CRASHED["by division"] in again.last), (3, True), again.last)

    def test_what_a_broken_contract_was_is_said(self) -> None:
        for system, fault, says in ((ALGORITHM, "NO_STATUS", "returned 7, which is no status"),
                                    (CONTROL, "SILENT_WHEN_LATER", "returned 0 and set no action")):
            self.assertIn(says, check(system, library(system, fault)).out)

    def test_calls_that_stand_for_several_show_the_one_that_broke(self) -> None:
        for defines, (claim, cited, says) in SEVERAL.items():
            with self.row(defines):
                run = self.ended(check(CONTROL, library(CONTROL, *defines.split()), cases=300), 1)
                self.assertIn(claim, broken_claims(run))
                self.assertRegex(run.out, f"requirement SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_{cited}")
                self.assertRegex(" ".join(run.out.split()), says)
                line = run.replay_lines()[0]
                self.assertEqual(running.execute(shlex.split(line)).code, 1, line)
                self.assertEqual(oracle("replay", token_of(line), "--library", library(CONTROL)).code, 0, line)

    def test_every_clock_is_the_scripted_one(self) -> None:
        for define, code in (("BY_TICKS=1000", 0), ("BY_TICKS=100", 1), ("BY_TIME", 0), ("BY_CLOCK", 0),
                             ("BY_GETTIMEOFDAY", 0), ("BY_CLOCK_GETTIME", 0)):
            with self.row(define):
                self.ended(oracle("replay", TIMEOUTS, "--document-only", "--library", library(CONTROL, define)), code)

    def test_what_the_library_prints_is_seen_when_it_breaks(self) -> None:
        run = check(ALGORITHM, library(ALGORITHM, "PRINTS", "DIVIDES_BY_WINDOW"), cases=300)
        self.assertEqual(run.code, 3)
        self.assertIn('"results":[]', run.out)

    def test_several_processes_say_the_same(self) -> None:
        for defines in ([], ["NO_JITTER_AT_CAP"]):
            one, other = (check(ALGORITHM, library(ALGORITHM, *defines), "--jobs", jobs, cases=5000) for jobs in "12")
            self.assertEqual(one.out, other.out)

    def test_a_library_is_found_by_its_bare_name(self) -> None:
        path = pathlib.Path(library(ALGORITHM))
        self.ended(check(ALGORITHM, path.name, cwd=path.parent), 0)

    def test_the_json_form_says_how_it_was_started(self) -> None:
        path = library(UTILS)
        report = json.loads(check(UTILS, path, "--format", "json", *params(max_jitter_s=5)).out)
        self.assertEqual(report["port"]["name"], pathlib.Path(path).name)
        self.assertEqual(report["port"]["command"][1:], [path, "max_jitter_s=5"])

    def test_results_are_reported_as_they_were(self) -> None:
        for system, defines, options in ((UTILS, OTHER_CONSTANTS, DECLARED), (ALGORITHM, ["UNCAPPED"], [])):
            with self.row(system), tempfile.TemporaryDirectory() as folder:
                results = f"{folder}/results.jsonl"
                run = check(system, library(system, *defines), *options, "--results", results)
                report = oracle("report", results)
                self.assertEqual((report.out, report.code, report.err), (run.out, run.code, ""))
                if options:
                    self.assertIn("conforms", run.last)
                else:
                    self.assertIn(" --library ", run.out)


class LibrariesInUse(OracleTest):
    def test_no_way_to_use_what_the_host_replaces_is_a_fault(self) -> None:
        for system, ways in WAYS.items():
            for defines in ways:
                with self.row(system, *defines):
                    run = self.ended(check(system, library(system, *defines), cases=300), 0)
                    self.assertRegex(run.last, f"^verdict: conforms to {system}, grade exact")

    def test_draws_from_a_clock_are_judged_as_hidden_ones(self) -> None:
        path = library(UTILS, "BY_NANOSECONDS")
        one, other = (self.ended(check(UTILS, path, "--jobs", jobs, cases=3000), 0) for jobs in "12")
        self.assertRegex(one.last, f"^verdict: conforms to {UTILS}, grade distribution")
        self.assertEqual(one.out, other.out)

    def test_another_clock_than_the_documented_one_is_told_once_and_alone(self) -> None:
        for defines in OTHER_CLOCKS:
            for options in ([], ["--range", "clock=0..9000000000000000"]):
                with self.row(*defines, *options):
                    path = library(CONTROL, *defines)
                    run = self.ended(check(CONTROL, path, *options, cases=300), 1)
                    self.assertEqual(broken_claims(run), ["clock_is_read_where_documented"])
                    if not options:  # in that range no clock fails, which the document has to be put to
                        self.ended(check(CONTROL, path, "--document-only", cases=300), 0)

    def test_a_fault_leads_however_what_the_host_replaces_is_used(self) -> None:
        for system, (fault, claim) in REAL_FAULTS.items():
            for defines in WAYS[system] + (OTHER_CLOCKS if system == CONTROL else []):
                with self.row(system, *defines):
                    run = self.ended(check(system, library(system, *defines, fault), cases=300), 1)
                    self.assertEqual(run.findings()[0][0], claim)
                    self.assertTrue(run.claims()["no_call_fails"][0])


class LibrariesThatCannotBeJudged(OracleTest):
    def test_what_cannot_be_loaded(self) -> None:
        text = pathlib.Path(SCRATCH.name) / "text.so"
        text.write_text("no library")
        for system, path, *names in (
                (ALGORITHM, "/nonexistent.so", "/nonexistent.so", "No such file"), (ALGORITHM, str(text), "text.so"),
                (ALGORITHM, SCRATCH.name, "load"),
                (ALGORITHM, library(ALGORITHM, "LACKS_NEXT"), "BackoffAlgorithm_GetNextBackoff", ALGORITHM),
                (UTILS, library(ALGORITHM), "RetryUtils_ParamsReset", UTILS),
                (CONTROL, library(UTILS), "retry_control_create", CONTROL)):
            with self.row(path):
                run = check(system, path)
                self.assertEqual((run.code, run.out, run.err.count("\n")), (3, "", 1), run.err)
                for name in names:
                    self.assertIn(name, run.err)

    def test_bad_words(self) -> None:
        rows: tuple[tuple[Sequence[str], *tuple[str, ...]], ...] = (
            ((UTILS, "--param", "max_attempts=3"), "--library"),
            ((UTILS, "--library", ""), "shared library"),
            ((UTILS, "--library", "x", "--param", "frob=3"), "'frob=3'", "max_attempts"),
            ((UTILS, "--library", "x", "--param", "max_attempts"), "'max_attempts'", "NAME=VALUE"),
            ((UTILS, "--library", "x", "--param", "max_attempts=-1"), "'-1'", "[0, 4294967295]"),
            ((UTILS, "--library", "x", "--param", "max_attempts="), "max_attempts", "[0, 4294967295]"),
            ((UTILS, "--library", "x", *params(max_attempts=3), *params(max_attempts=4)), "max_attempts", "twice"),
            ((ALGORITHM, "--library", "x", "--param", "max_ms=3"), ALGORITHM, "no constants"),
            *(((system, "--library", "x"), ALGORITHM, UTILS, CONTROL)
              for system in ("aws_step_functions", "aws_prescriptive_sample", "azure_java_retry_policy")))
        for words, *names in rows:
            with self.row(*words):
                self.refused(oracle("check", *words), *names)
        token = f"{ALGORITHM}/base_ms=2,max_ms=5,max_attempts=3/next:7"
        for verb in (("check", ALGORITHM), ("replay", token)):
            with self.row(*verb):
                self.refused(oracle(*verb, "--library", "x", port=["y"]), "--library", "PORT")
        self.refused(check(UTILS, library(UTILS), "--range", "max_jitter_s=6.."), "--range 'max_jitter_s=6..'",
                     "leaves nothing to try: expected some of max_jitter_s 5")
        self.refused(oracle("replay", token.replace("=2,", "=65536,"), "--library", library(ALGORITHM)), "outside the ranges")

    def test_a_program_without_its_host(self) -> None:
        alone = shutil.copy(running.PROGRAMS["backoff-oracle"], SCRATCH.name)
        run = running.execute([alone, "check", ALGORITHM, "--library", library(ALGORITHM)])
        self.refused(run, "backoff-host", SCRATCH.name)

    def test_a_host_without_a_library(self) -> None:
        host = pathlib.Path(running.PROGRAMS["backoff-oracle"]).with_name("backoff-host")
        run = running.execute([str(host)])
        self.assertEqual((run.code, run.out, run.err.count("\n")), (2, "", 1))


if __name__ == "__main__":
    with SCRATCH:
        running.main(__doc__)
