#!/usr/bin/python3
"""The command line as a user meets it: verbs, options, exit codes, bad input, ports that misbehave.

    oracle_test.py --bin build/release/bin

The ports are in test_ports/. No process of theirs may be left after any run.
"""
import contextlib
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "test_ports"))
sys.dont_write_bytecode = True
import bad_input  # noqa: E402
import broken  # noqa: E402
import chance  # noqa: E402
import correct  # noqa: E402
import hand_computed  # noqa: E402
import lengthy  # noqa: E402
import running  # noqa: E402
import slow  # noqa: E402
import wrong  # noqa: E402
from running import SYSTEM, built_in, check, listed, oracle, test_port, token_of  # noqa: E402


class OracleTest(unittest.TestCase):
    maxDiff = None

    @contextlib.contextmanager
    def row(self, *names):
        """A row of a table, that leaves nothing behind."""
        with self.subTest(str(names)[:100]):
            yield
            self.assertEqual(running.left_over(), [], "processes left over")

    def ended(self, run, code):
        """This exit code, and nothing on standard error."""
        self.assertEqual((run.err, run.code), ("", code), run.last)
        return run

    def refused(self, run, *names):
        """Exit 2, nothing on standard output, one line that has these names in it."""
        self.assertEqual((run.code, run.out, run.err.count("\n")), (2, "", 1), run.err)
        for name in names:
            self.assertIn(name, run.err)

    def breaks_again(self, run, claim):
        """As a finding, or as what one of them explains: in a few histories another claim may account for it."""
        self.ended(run, 1)
        explained = [name for names in run.explained().values() for name in names]
        self.assertIn(claim, [*(name for name, _ in run.findings()), *explained], run.out)
        self.assertFalse(run.claims().get(claim, (False,))[0], run.out)


def closed(**members):
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}


NAMES = {"type": "array", "items": {"type": "string", "minLength": 1}, "uniqueItems": True}
TEXT = {"type": "string", "minLength": 1}
REQUIREMENT = {"id": TEXT, "place": TEXT, "checks": NAMES, "strength": {"enum": ["must", "recommended", "may", "interface"]}}
LIST = closed(systems={"type": "array", "minItems": 1, "items": closed(
    name=TEXT, claims=NAMES, theorems={"type": "array", "minItems": 1, "items": closed(
        name=TEXT, widths=TEXT, requirements={**NAMES, "minItems": 1})}, readings={"items": closed(
            name=TEXT, convention={"type": "boolean"}, canonical=TEXT, open=NAMES, hazard=NAMES)},
    requirements={"items": {"if": {"required": ["unchecked"]}, "then": closed(**REQUIREMENT, unchecked=TEXT),
                            "else": closed(**REQUIREMENT)}})})


class Explaining(OracleTest):
    def test_list_json_has_its_form(self):
        jsonschema.validate(json.loads(self.ended(oracle("list", "--json"), 0).out), LIST)
        for system in listed():
            checks = {name for r in system["requirements"] for name in r["checks"]}
            self.assertEqual({name for name in checks if "." not in name}, set(system["claims"]))  # others are specs
            self.assertTrue(any("." in name for name in checks), system["name"])
            for requirement in system["requirements"]:
                page = self.ended(oracle("explain", requirement["id"]), 0).out
                self.assertEqual(requirement["checks"] == [], "  checks    none: " in page, page)
                self.assertEqual(requirement["checks"] == [], "unchecked" in requirement)
                self.assertIn(requirement.get("unchecked", ""), page)

    def test_list_and_explain_know_all_that_list_json_names(self):
        everything = self.ended(oracle("list"), 0).out
        for system in listed():
            listed_alone = self.ended(oracle("list", system["name"]), 0).out
            self.assertIn(listed_alone, everything)
            self.assertTrue(everything.partition("Each document and its formula")[2].find("\n  " + system["name"] + "\n") > 0)
            explained = " ".join(self.ended(oracle("explain", system["name"]), 0).out.split())
            places = (" ".join(r["place"].split()) for r in system["requirements"])
            for words in (*places, *system["claims"], *(r["name"] + ": " for r in system["readings"])):
                self.assertIn(words, explained)
            alone = json.loads(self.ended(oracle("list", system["name"], "--json"), 0).out)
            self.assertEqual(alone, {"systems": [system]})
            behind = {name: [r["place"] for r in system["requirements"] if name in r["checks"]]
                      for name in system["claims"]}
            named = {r["id"] for r in system["requirements"]}
            for theorem in system["theorems"]:
                behind[theorem["name"]] = [theorem["widths"], ", ".join(theorem["requirements"]), "\n  given  "]
                for requirement in named & set(theorem["requirements"]):
                    self.assertIn(theorem["name"], oracle("explain", requirement).out)
            things = {system["name"]: [], **behind,
                      **{r["id"]: [r["place"], r["strength"], *r["checks"]] for r in system["requirements"]},
                      **{r["name"]: [r["canonical"], *r["open"], *r["hazard"]] for r in system["readings"]}}
            for name, facts in things.items():
                self.assertIn(name, everything)
                page = self.ended(oracle("explain", name), 0).out
                self.assertTrue(page.startswith(name), page)
                for fact in facts:
                    self.assertIn(fact, page)

    def test_a_convention_of_the_protocol_is_called_so(self):
        for system in listed():
            for reading in system["readings"]:
                page = self.ended(oracle("explain", reading["name"]), 0).out
                named = {"draw-mapping", "delay-resolution", "jitter-mapping", "jitter-resolution"}
                self.assertEqual(reading["convention"], reading["name"] in named)
                self.assertEqual(reading["convention"], "No document decides this" in page)

    def test_lists_no_system_that_there_is_not(self):
        run = oracle("list", "aws_backof")
        self.assertEqual(run.code, 2)
        self.assertIn("'aws_backof', expected one of: aws_backoff_algorithm, ", run.err)

    def test_help_and_version(self):
        for words, text in ((["--help"], "check"), (["check", "--help"], "--cases"), (["--version"], "0.1.0")):
            self.assertIn(text, self.ended(oracle(*words), 0).out)

    def test_full_disk_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([running.PROGRAMS["backoff-oracle"], "list"], stdout=full, stderr=subprocess.PIPE,
                                  check=False)
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1))


class Evaluating(OracleTest):
    def test_eval_gives_hand_computed_answers_under_every_reading(self):
        alternatives = {f"{r['name']}={a}" + (" (hazard)" if a in r["hazard"] else "")
                        for r in listed()[0]["readings"] for a in r["open"] + r["hazard"]}
        for params, asked, canonical, differing in hand_computed.EVALUATED:
            with self.row(params, asked):
                names = ("base_ms", "max_ms", "max_attempts")
                words = [f"{name}={value}" for name, value in zip(names, params.split(), strict=True)]
                out = self.ended(oracle("eval", SYSTEM, *words, *asked.split()), 0).out
                lines, _, same = out.partition("as canonical: ")
                answers = dict(re.split("  +", line) for line in lines.splitlines())
                self.assertEqual(answers.pop("canonical"), canonical)
                if differing is not None:
                    self.assertEqual(answers, differing)
                self.assertEqual({*answers, *same.strip().split(", ")}, alternatives | ({""} if not same else set()))

    def test_two_numbers_are_listed_and_more_are_counted(self):
        # A feed that fails sets each option, or none.
        fed = "set_option:retry_control_options::{}:60::option_feed"
        for waits, said in (((200,), "128 or 200"), ((200, 272), "128..272 in steps of 72"), ((129,), "128 or 129")):
            with self.row(*waits):
                feeds = ",".join(fed.format(wait) for wait in waits)
                out = oracle("eval", "azure_c_retry_control", "steps=create:INTERVAL:0,set_option:initial_wait_time_in_secs:128,"
                             f"{feeds},retrieve_options").out
                self.assertRegex(out, f"^canonical  ok, result=0, .*, initial_wait_time_in_secs={said} max_jitter_percent=5 or 60\n")


# A built-in wrong port, the claim that must fall, the hazard reading that explains it, options that it takes.
WRONG = [
    ("cap-ignored", "delay_never_exceeds_cap", None, []), ("linear", "window_doubles_with_each_retry", None, []),
    ("no-jitter", "first_delay_is_drawn_from_the_base", None, []),
    ("mixed-growth", "first_delay_is_drawn_from_the_base", None, []),
    ("negative-beyond-i32", "delay_is_never_negative", None, []),
    ("compare-half", "window_doubles_with_each_retry", "window-growth=compare-half", []),
    ("freeze", "jitter_survives_the_cap", None, []), ("comment", "jitter_survives_the_cap", None, []),
    ("first-window-uncapped", "delay_never_exceeds_cap", "first-window=uncapped", []),
    ("throws-on-empty", "no_call_fails", "empty-window=undefined", []),
    ("not-a-number", "delay_is_a_number", "empty-window=undefined", []),
]
# Those that break the interface alone.
UNAGREED = [
    ("reset-keeps-the-window", "reset_starts_a_fresh_cycle", None), ("starts-again", "exhaustion_is_sticky", None),
    ("ends-after-ten", "forever_never_exhausts", None), ("one-attempt-too-many", "exhausted_after_max_attempts", None),
    ("one-attempt-too-few", "retries_until_max_attempts", "exhaustion-call=n"),
]
# The requirement that the first finding cites, where its claim is of several.
CITED = [
    ("azure_c_retry_control", "null-destroy-fails", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_055"),
    ("azure_c_retry_control", "null-reset-fails", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_034"),
    ("azure_c_retry_control", "wait-is-an-int", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_038"),
    ("azure_c_retry_control", "saves-no-jitter", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_051"),
    ("azure_c_retry_control", "waits-one-second-first", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_006"),
    ("azure_c_retry_control", "null-has-options", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_045"),
    ("azure_java_retry_policy", "throws-after-1024", "AZ-JR-012"),
    ("azure_java_retry_policy", "custom-policies-throw", "AZ-JR-020"),
    ("aws_retry_utils", "throws-on-empty", "AWS-RU-013"),
    ("aws_prescriptive_sample", "no-request-without-retries", "AWS-PS-019"),
    ("aws_prescriptive_sample", "gives-up-after-ten", "AWS-PS-019"),
]
VERDICTS = {0: {"conforms"}, 1: {"does not conform", "breaks the interface"}, 3: {"port broke"}, 5: {"inconclusive"}}


class Checking(OracleTest):
    def test_right_ports_conform(self):
        followed = {"library": "", "plain": "", "rand15": "", "counts-from-one": "attempt-origin=one",
                    "exclusive": "upper-bound=exclusive", "scaled-unit": "draw-mapping=scaled",
                    "real-unit": "draw-mapping=real, delay-resolution=real"}
        for name, reading in followed.items():
            with self.row(name):
                verdict = self.ended(check(built_in(name)), 0).last
                self.assertEqual(verdict, f"verdict: conforms to {SYSTEM}, grade exact" +
                                 (f", as read with {reading}" if reading else ""))

    def test_a_pass_names_the_calls_that_no_history_reaches(self):
        beyond = re.compile(r"calls beyond the first (\d+) of an instance: no history has more")
        for system in (SYSTEM, "azure_c_retry_control"):
            with self.row(system):
                run = self.ended(check(built_in("library"), system=system, cases=500), 0)
                self.assertGreater(int(beyond.search(run.out)[1]), 20)
        forgets = check(built_in("library"), system="azure_java_retry_policy", cases=500)
        self.assertNotRegex(self.ended(forgets, 0).out, beyond)

    def test_ports_that_look_different_or_are_wrong_or_say_too_little(self):
        for module in (correct, wrong):
            for name, expected in module.PORTS.items():
                with self.row(name):
                    run = self.ended(check(test_port(module, name)), expected.code)
                    self.assertIn(expected.says, run.last)
                    self.assertEqual(sum(run.counts()), 200)
                    self.assertEqual(run.counts()[2] > 0, name == "short_lines" or name.startswith("skips_"))
                    self.assertEqual("out of luck" in run.out, name == "throws")

    def test_wrong_ports_that_only_many_histories_show(self):
        for name, expected in wrong.IN_MANY.items():
            with self.row(name):
                run = self.ended(check(test_port(wrong, name), cases=4000), expected.code)
                self.assertIn(expected.says, run.last)

    def test_two_faults_of_one_claim_are_two_findings(self):
        run = self.ended(check(test_port(wrong, "two_faults_of_one_claim"), "--format", "json", cases=4000), 1)
        findings = json.loads(run.out)["findings"]
        self.assertEqual(len({f["claim"] for f in findings}), 1, run.out)
        self.assertEqual({c for f in findings for c in f["region"]["constraints"]}, {"base_ms>max_ms", "attempts>40"})
        late = next(f for f in findings if "attempts>40" in f["region"]["constraints"])
        self.assertEqual((late["diagnosis"]["name"], late["diagnosis"]["from_attempt"]), ("no-delay", 41))
        for finding in findings:
            replayed = self.ended(oracle("replay", finding["token"], "--", *test_port(wrong, "two_faults_of_one_claim")), 1)
            self.assertIn(finding["claim"], replayed.out)

    def test_what_depends_on_other_instances_is_one_finding(self):
        run = self.ended(check(built_in("shared"), "--format", "json", system="azure_c_retry_control", cases=2000), 1)
        verdict = json.loads(run.out)
        self.assertEqual([f["claim"] for f in verdict["findings"]], ["instances_are_independent"])
        follow = {c["name"] for c in verdict["claims"] if c.get("follows_from") == "instances_are_independent"}
        self.assertIn("immediate_grants_every_retry", follow)

    def test_wrong_ports_are_caught_and_their_hazard_named_and_pinned(self):
        for name, claim, hazard, options in WRONG:
            with self.row(name):
                run = self.ended(check(built_in(name), *options, cases=300), 1)
                self.assertRegex(run.last, rf"^verdict: does not conform to {SYSTEM}: .*\b{claim}\b")
                self.assertFalse(run.claims()[claim][0])
                if hazard:
                    self.assertIn(f"(matches hazard reading {hazard})", run.last)
                    self.ended(check(built_in(name), *options, "--reading", hazard, cases=300), 0)
                else:
                    self.assertNotIn("hazard", run.last)

    def test_a_finding_cites_the_requirement_that_its_call_breaks(self):
        for system, name, requirement in CITED:
            with self.row(system, name):
                report = json.loads(check(built_in(name), "--format", "json", system=system, cases=1000).out)
                self.assertEqual(report["findings"][0]["requirements"][0], requirement)

    def test_what_breaks_the_interface_fails_and_says_that_it_follows_the_document(self):
        for name, claim, hazard in UNAGREED:
            for options in ([], ["--strict"]):
                with self.row(name, *options):
                    run = self.ended(check(built_in(name), *options, cases=1000), 1)
                    self.assertRegex(run.last, rf"^verdict: follows the document {SYSTEM}, grade exact; "
                                     rf"breaks the interface: .*\b{claim}\b")
                    self.assertEqual(run.last.endswith(f" (matches hazard reading {hazard})"), hazard is not None, run.last)
                    self.assertEqual(run.claims()[claim], (False, run.claims()[claim][1], "interface"))
                    waived = self.ended(check(built_in(name), *options, "--document-only", cases=1000), 0)
                    self.assertRegex(waived.last, rf"^verdict: conforms to {SYSTEM}, grade exact; "
                                     rf"findings that do not fail it: .*\b{claim}\b")
                    self.assertIn("; by the document only: what breaks the interface is reported\n", waived.out)
            report = json.loads(check(built_in(name), "--format", "json", cases=1000).out)
            self.assertEqual((report["verdict"], report["document_only"]), ("breaks the interface", False))
            self.assertTrue(report["findings"][0]["fails"])
            self.assertIn("## aws_backoff_algorithm: breaks the interface\n", check(built_in(name), "--format", "markdown").out)
        self.ended(check(built_in("cap-ignored"), "--document-only"), 1)

    def test_a_wrong_delay_after_a_reset_is_no_fault_of_the_reset(self):
        run = self.ended(check(built_in("cap-ignored"), cases=1000), 1)
        self.assertTrue(run.claims()["reset_starts_a_fresh_cycle"][0])
        self.assertNotIn("interface", run.last)
        self.assertNotIn("reset_starts_a_fresh_cycle", dict(run.findings()))

    def test_a_claim_that_breaks_only_with_another_is_its_consequence(self):
        run = self.ended(check(built_in("negative-beyond-i32"), cases=1000), 1)
        cause, consequence = "delay_is_never_negative", "window_doubles_with_each_retry"
        self.assertIn(consequence, run.explained()[cause])
        self.assertNotIn(consequence, dict(run.findings()))
        report = json.loads(check(built_in("negative-beyond-i32"), "--format", "json", cases=1000).out)
        claims = {claim["name"]: claim for claim in report["claims"]}
        self.assertEqual(claims[consequence]["follows_from"], cause)
        self.assertIn(consequence, report["also_broken"])

    def test_a_port_says_what_of_the_interface_it_has_not(self):
        """Then it is not at stake; where it says nothing, it is."""
        for name, limits, claims in (("without_a_reset", "op next", {"reset_starts_a_fresh_cycle", "reset_is_acknowledged"}),
                                     ("without_a_limit", "max_attempts forever",
                                      {"retries_until_max_attempts", "exhausted_after_max_attempts", "exhaustion_is_sticky"})):
            with self.row(name):
                run = self.ended(check(test_port(correct, name), cases=1000), 0)
                self.assertNotIn("no history put it at stake", run.out)
                self.assertIn(limits, run.out)
                self.assertEqual({claim for claim in claims if claim in run.claims()}, set())
                undeclared = self.ended(check(test_port(wrong, name + "_unsaid"), cases=1000), 1)
                self.assertIn("; breaks the interface: ", undeclared.last)
        self.refused(oracle("replay", f"{SYSTEM}/base_ms=1,max_ms=2,max_attempts=3/reset", port=test_port(correct, "without_a_reset")),
                     "outside the ranges")

    def test_strict_admits_canonical_readings_of_the_document_only(self):
        for name, says in (("counts-from-one", "attempt-origin=one"), ("exclusive", "upper-bound=exclusive")):
            with self.row(name):
                self.ended(check(built_in(name)), 0)
                verdict = self.ended(check(built_in(name), "--strict"), 1).last
                self.assertIn(says, verdict)
                self.assertNotIn("hazard", verdict)  # an open reading is none
        for name, reading in (("scaled-unit", "draw-mapping=scaled"), ("real-unit", "draw-mapping=real, delay-resolution=real")):
            with self.row(name):  # how a draw is mapped is no reading of the document
                self.assertEqual(self.ended(check(built_in(name), "--strict"), 0).last,
                                 f"verdict: conforms to {SYSTEM}, grade exact, as read with {reading}")
        self.assertNotIn("as documented", check(built_in("library"), "--strict").out)

    def test_an_open_reading_can_be_pinned(self):
        for name, code in (("exclusive", 0), ("library", 1)):
            self.ended(check(built_in(name), "--reading", "upper-bound=exclusive"), code)

    def test_claim_and_skip_select(self):
        everything = set(check(built_in("library")).claims())
        delays = {name for name in everything if name.startswith("delay_")}
        for options, left in ((["--claim", "delay_*"], delays), (["--skip", "delay_*"], everything - delays),
                              (["--claim", "delay_*", "--claim", "no_call_fails"], delays | {"no_call_fails"}),
                              (["--claim", "delay_*", "--skip", "*cap"], delays - {"delay_never_exceeds_cap"})):
            with self.row(*options):
                run = self.ended(check(built_in("library"), *options), 0)
                self.assertEqual(set(run.claims()), left)
                self.assertEqual(set(re.findall(r"^  (\w+): not selected$", run.out, re.M)), everything - left)
        self.ended(check(built_in("cap-ignored"), "--skip", "*_cap", "--skip", "instances_*", "--skip", "reset_starts_*"), 0)

    def test_a_range_narrows_what_a_port_is_put_to(self):
        self.ended(check(built_in("timer-wraps")), 1)
        small = ("--range", "base_ms=..1000", "--range", "max_ms=..100000")
        run = self.ended(check(built_in("timer-wraps"), *small, "--range", "max_attempts=1..20"), 0)
        self.assertIn("takes       base_ms 0..1000, max_ms 0..100000, max_attempts 1..20; narrowed by --range "
                      "base_ms=..1000, max_ms=..100000, max_attempts=1..20\n", run.out)
        report = json.loads(check(built_in("library"), *small, "--format", "json").out)
        self.assertEqual(report["ranges"], ["base_ms=..1000", "max_ms=..100000"])
        run = self.ended(check(built_in("cap-ignored"), *small), 1)
        self.assertTrue(run.replay_lines())
        for line in run.replay_lines():
            self.assertIn(" --range base_ms=..1000 --range max_ms=..100000 -- ", line)
            self.assertEqual(running.execute(shlex.split(line)).code, 1)
            self.refused(oracle("replay", token_of(line), "--range", "max_ms=4294967295..", port=built_in("library")),
                         "outside the ranges that the port declares, or that --range gives")

    def test_finer_decimals_than_a_system_has_are_not_checked(self):
        port = built_in("library")
        run = self.ended(check(port, "--range", "backoff_rate=1.5..2", system="aws_step_functions", cases=300), 0)
        self.assertIn("\n  backoff_rate with more than 3 decimal places\n", run.out)
        run = self.ended(check(port, "--range", "backoff_rate=1.5..1.5", system="aws_step_functions", cases=300), 0)
        self.assertNotIn("decimal places", run.out)

    def test_options_may_stand_before_the_system(self):
        for words in (["--seed", "9"], ["--strict"], ["--document-only"], ["--claim", "no_*"], ["--reading", "upper-bound=inclusive"]):
            with self.row(*words):
                self.ended(oracle("check", *words, SYSTEM, "--cases", "40", port=built_in("library")), 0)

    def test_same_seed_same_bytes(self):
        for port in (built_in("library"), built_in("mixed-growth"), test_port(correct, "opaque")):
            for form in ("human", "json"):
                with self.row(port[-2], form):
                    first, again, other = (check(port, "--seed", seed, "--format", form) for seed in ("5", "5", "6"))
                    self.assertEqual((first.out, first.code), (again.out, again.code))
                    self.assertNotEqual(*(re.sub(r"seed\W+\d+", "", run.out) for run in (first, other)))

    def test_same_bytes_from_several_processes(self):
        ports = [built_in(name) for name in ("library", "mixed-growth", "throws-on-empty", "one-attempt-too-many")]
        for port in (*ports, test_port(wrong, "throws"), test_port(wrong, "skips_some_declared")):
            with self.row(port[-2]):
                one, *others = (check(port, "--jobs", jobs, cases=5000) for jobs in ("1", "2", "5"))
                self.assertEqual({one.out}, {other.out for other in others})
        self.refused(check(built_in("library"), "--jobs", "0"), "--jobs", "'0'", "[1, 64]")

    def test_json_and_human_forms_agree(self):
        for port in (built_in("library"), built_in("mixed-growth"), built_in("one-attempt-too-many"),
                     test_port(correct, "opaque"), test_port(wrong, "rejects_all"),
                     test_port(wrong, "rejects_all_declared"), test_port(broken, "aborts_on_base_7")):
            with self.row(port[-2]):
                human, other = check(port), check(port, "--format", "json")
                report = json.loads(other.out)
                self.assertEqual((human.code, human.code), (other.code, report["exit"]))
                self.assertIn(report["verdict"], VERDICTS[human.code])
                self.assertIn(report["verdict"], human.last)
                self.assertEqual(human.counts(), [report["cases"][name] for name in ("judged", "rejected", "skipped")])
                self.assertEqual(human.claims(), {
                    claim["name"]: (claim["holds"], claim["at_stake"], claim["strength"].replace("must", ""))
                    for claim in report["claims"]})
                tokens = [shown["token"] for shown in report["findings"] + report.get("broke", []) if shown["token"]]
                self.assertEqual([token_of(line) for line in human.replay_lines()], tokens)

    def test_the_json_form_of_a_port_that_does_not_start(self):
        run = check(test_port(broken, "exits_1_at_once"), "--format", "json")
        report = json.loads(run.out)
        self.assertEqual((run.code, report["exit"], report["verdict"], len(report["broke"])), (3, 3, "port broke", 1))

    def test_cases_and_max_failures_end_a_run(self):
        self.assertEqual(check(built_in("library"), cases=1).counts(), [1, 0, 0])
        self.assertEqual(check(built_in("library"), "--level", "2", cases=7).counts(), [7, 0, 0])
        for failures in ("1", "2", "3"):
            with self.row(failures):
                run = self.ended(check(test_port(wrong, "two_faults"), "--max-failures", failures), 1)
                self.assertEqual(run.counts(), [int(failures), 0, 0])
        run = self.ended(check(built_in("cap-ignored"), "--max-failures", "2", "--claim", "delay_never_exceeds_cap"), 1)
        self.assertIn("broken in 2 histories", run.out)


class Replaying(OracleTest):
    def test_every_replay_line_shows_its_claim_again_and_the_right_port_passes(self):
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

    def test_replay_lines_of_test_ports(self):
        for name in ("throws", "writes_null", "opaque_beyond_the_cap", "rejects_all_declared"):
            for claim, line in check(test_port(wrong, name)).findings():
                with self.row(name, claim):
                    self.breaks_again(running.execute(shlex.split(line)), claim)

    def test_a_replay_line_can_be_pasted_into_a_shell(self):
        command = [*built_in("cap-ignored"), "it is", "$HOME; \"quoted\""]
        for line in check(command).replay_lines():
            self.assertEqual(shlex.split(line)[-len(command):], command)

    def test_the_history_of_a_finding_replays_from_a_file(self):
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

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def judged(self, name, *options, code=1, **more):
        run = check(test_port(lengthy, name), *options, cwd=self.folder, **more)
        self.assertEqual((run.err, run.code), ("", code), run.last)
        return run

    def within_bounds(self, run):
        lines = run.out.splitlines()
        self.assertLessEqual(len(lines), 200)
        self.assertLessEqual(len(run.out.encode()), 100_000)
        self.assertLessEqual(max(len(line.encode()) for line in lines), 4096)
        return lines

    def test_what_is_left_out_is_in_the_file_that_the_text_names(self):
        run = self.judged("fails_after_69_histories")
        lines = self.within_bounds(run)
        whole = (self.folder / f"{SYSTEM}.verdict").read_text()
        left_out, of = map(int, re.search(rf"^\[(\d+) of (\d+) lines are left out from here on; {SYSTEM}\.verdict holds the whole "
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

    def test_a_verdict_that_is_short_leaves_no_file(self):
        check(built_in("cap-ignored"), cwd=self.folder)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_history_that_is_long_is_replayed_from_a_file(self):
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

    def test_what_cannot_be_written_is_an_error_behind_the_verdict(self):
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

    def test_what_depends_on_time_says_so(self):
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

    def setUp(self):
        file = self.enterContext(tempfile.NamedTemporaryFile("r"))
        self.environment = {**os.environ, "LIVES": file.name}

    def first_finding(self, name, *options, cases=2000):
        run = check(test_port(chance, name), "--format", "json", *options, cases=cases, env=self.environment)
        self.ended(run, 1)
        return json.loads(run.out)["findings"][0]

    def replayed(self, found):
        run = running.execute(shlex.split(found["replay"]), env=self.environment)
        self.breaks_again(run, found["claim"])
        return run

    def test_a_fault_by_chance_is_small_and_replays_each_time(self):
        chance = {"by_chance": "the port draws for itself", "ignores_its_draws": "asked the same, the port answers differently"}
        for name in chance:
            with self.row(name):
                found = self.first_finding(name)
                self.assertEqual((found["shown"], len(found["tables"]), len(found["tables"][0])), ("together", 1, 1))
                self.assertTrue(found["tables"][0][0]["breaks"])
                self.assertLess(abs(found["again"]["broke"] / found["again"]["tries"] - 0.4), 0.2)
                for _ in range(4):
                    self.assertRegex(self.replayed(found).out, rf"by chance +{chance[name]}: \d+ of 32 tries showed it")

    def test_a_rare_fault_is_no_sequence_though_each_process_draws_alike(self):
        found = self.first_finding("seeded_alike", cases=200)
        self.assertEqual(found["shown"], "together")
        self.replayed(found)

    def test_a_port_that_remembers_is_shown_in_sequence(self):
        for name in ("remembers", "remembers_and_draws"):
            with self.row(name):
                found = self.first_finding(name)
                self.assertEqual((found["shown"], len(found["tables"])), ("in sequence", 2))
                self.replayed(found)

    def test_chance_is_no_sequence(self):
        self.assertEqual(self.first_finding("wrong_at_times")["shown"], "unsteady")

    def test_what_chance_does_not_explain_is_lost(self):
        self.assertEqual(self.first_finding("forgets", cases=300)["shown"], "lost")

    def test_what_chance_explains_is_unsteady(self):
        self.assertEqual(self.first_finding("forgets_a_rare_fault", cases=300)["shown"], "unsteady")


class Refusing(OracleTest):
    def test_bad_words(self):
        for words, names in bad_input.WORDS:
            with self.row(*words):
                self.refused(oracle(*words), *names)
        for words, names in bad_input.WORDS_OF_CHECK:
            with self.row(*words):
                self.refused(oracle("check", *words, port=built_in("library")), *names)

    def test_bad_tokens(self):
        for token, names in bad_input.TOKENS:
            with self.row(token):
                self.refused(oracle("replay", token, port=built_in("library")), *names)
        for name, token in (("rand15", bad_input.TOKEN.replace("7", "32768")), ("narrow", bad_input.TOKEN)):
            with self.row(name):
                self.refused(oracle("replay", token, port=test_port(correct, name)), token, "outside the ranges")

    def test_bad_files(self):
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "history.json"
            for name, content in bad_input.FILES.items():
                with self.row(name):
                    file.write_bytes(content if isinstance(content, bytes) else content.encode())
                    self.refused(oracle("replay", str(file), port=built_in("library")), str(file))
            self.refused(oracle("replay", directory, port=built_in("library")), directory)


SOON_7 = ["--seed", "31"]  # one of the first two histories has base_ms=7, and few steps: shrinking takes processes


class Breaking(OracleTest):
    def broken(self, name, *options, code=3, **more):
        """The run; how many processes it took is in self.lives, of ports that count them."""
        with tempfile.NamedTemporaryFile("r") as lives:
            environment = {**os.environ, "LIVES": lives.name}
            timeout = "0.5" if broken.SAYS_NOTHING in (broken.PORTS | broken.SPECIAL)[name].says else "10"
            run = check(test_port(broken, name), "--timeout", timeout, *options, env=environment, **more)
            self.lives = len(lives.read())
        self.assertEqual(run.code, code, run.last)
        self.assertNotRegex(run.out + run.err, "Traceback|terminate called|std::")
        return run

    def test_what_happened_is_said_in_one_line_and_the_history_where_it_is_known(self):
        for name, expected in broken.PORTS.items():
            with self.row(name):
                run = self.broken(name, *SOON_7, cases=2)
                self.assertIn(expected.says, run.last)
                if name.endswith("_on_base_7"):
                    self.assertRegex(run.last, r", at history \d+$")
                    self.assertIn("base_ms=7,", token_of(run.replay_lines()[0]))

    def test_the_replay_line_of_a_broken_port_breaks_it_again(self):
        for name in ("aborts_on_base_7", "hangs_on_base_7", "unknown_status_on_base_7"):
            with self.row(name):
                line = self.broken(name, *SOON_7, cases=2).replay_lines()[0]
                if name == "hangs_on_base_7":
                    self.assertIn("--timeout 0.5", line)
                run = running.execute(shlex.split(line))
                self.assertEqual(run.code, 3)
                self.assertIn(broken.PORTS[name].says, run.last)

    def test_programs_that_cannot_be_started(self):
        for program, says in (("/nonexistent", "no such file"), ("", "no such file"),
                              ("/", "denied"), (wrong.__file__, "denied")):
            with self.row(program):
                run = check([program])
                self.assertEqual((run.code, run.out, run.err.count("\n"), says in run.err), (3, "", 1, True), run.err)

    def test_the_history_named_is_the_first_that_breaks_the_port(self):
        number = int(re.search(r"at history (\d+)", self.broken("aborts_on_base_7").last)[1])
        self.broken("aborts_on_base_7", cases=number)
        self.assertNotEqual(check(test_port(broken, "aborts_on_base_7"), cases=number - 1).code, 3)

    def test_a_port_that_breaks_on_every_history_is_shown_on_one(self):
        run = self.broken("never_makes_sense")
        self.assertRegex(run.last, r"unknown word '\"perhaps\"'.*, at history 1$")
        self.assertEqual(len(run.replay_lines()), 1)

    def test_what_the_port_wrote_to_standard_error_is_shown(self):
        self.assertIn("last words", self.broken("exits_in_the_middle").out)

    def test_a_port_that_does_not_answer_costs_little_more_than_the_time_out(self):
        for name in ("never_starts", "never_answers", "answers_late"):
            with self.row(name):
                self.assertIn(broken.SAYS_NOTHING, self.broken(name).last)
                self.assertLessEqual(self.lives, 3)  # in a batch, alone, and one more

    def test_several_processes_break_like_one(self):
        one = self.broken("dies_of_rare_draws", cases=5000)
        self.assertIn("killed by signal 6", one.last)
        for jobs in ("2", "3"):
            with self.row(jobs):
                self.assertEqual(self.broken("dies_of_rare_draws", "--jobs", jobs, cases=5000).out, one.out)

    def test_a_port_that_dies_for_some_parameters_is_judged_for_the_others(self):
        one = self.broken("dies_without_a_cap", cases=3000)
        self.assertRegex(" ".join(one.out.split()), r"where max_ms = 0: in all 12 such histories, and in 0 of \d+ that the port had "
                                                    r"answered by then; \d+ more were not sent")
        self.assertEqual(re.findall(r"^violation 1: (\w+)", one.out, re.MULTILINE), ["delay_is_never_negative"])
        self.assertIn("also broken: delay_is_never_negative", one.last)
        self.assertNotIn("the rest was not judged", one.out)
        for jobs in ("2", "3"):
            with self.row(jobs):
                self.assertEqual(self.broken("dies_without_a_cap", "--jobs", jobs, cases=3000).out, one.out)

    def test_a_port_that_cannot_start_again_is_not_blamed_for_another_history(self):
        run = self.broken("dies_for_good")
        self.assertIn("killed by signal 6", run.last)
        self.assertNotRegex(run.out, r"replay \S+/base_ms=(?!7,)")

    def test_what_was_found_before_a_port_breaks_is_reported(self):
        run = check(test_port(broken, "wrong_and_dies_when_asked_again"), cases=1)
        self.assertIn(run.code, (1, 3), run.last)
        self.assertIn("delay_is_never_negative", [claim for claim, _ in run.findings()])
        self.assertIn("the port broke before it could be shown again", run.out)
        self.assertNotIn("it did not show again", run.out)

    def test_what_does_not_show_again_is_shown_as_it_was_seen(self):
        run = self.broken("fails_once", code=1, cases=6000)
        found = [claim for claim, _ in run.findings()]
        self.assertIn("delay_is_never_negative", found)
        self.assertEqual(found[-1], "no_call_fails")
        self.assertEqual(run.out.count("it did not show again"), 1, run.out)
        self.assertIn("says: only once", run.out)

    def test_a_port_that_says_something_else_of_itself_when_it_is_started_again(self):
        for name in sorted(name for name in broken.SPECIAL if name.endswith("_otherwise")):
            for jobs in ("1", "3"):
                with self.row(name, jobs):
                    expected = broken.SPECIAL[name]
                    run = self.broken(name, "--jobs", jobs, code=expected.code, cases=500)
                    self.assertIn(expected.says, run.last)

    def test_nothing_is_left_of_a_port_that_does_not_end(self):
        for name in ("leaves_a_child", "leaves_a_daemon", "dies_and_leaves_a_daemon"):
            for jobs in ("1", "3"):
                with self.row(name, jobs):
                    before = time.monotonic()
                    self.broken(name, "--jobs", jobs, code=broken.SPECIAL[name].code)
                    self.assertEqual(running.marked(), [])
                    self.assertLess(time.monotonic() - before, 20)

    def test_what_a_port_writes_moves_no_cursor_and_is_no_verdict_of_ours(self):
        control = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029]")
        for name in ("shouts", "has_escapes"):
            for form in ("human", "json", "markdown"):
                with self.row(name, form):
                    run = self.broken(name, "--format", form, code=broken.SPECIAL[name].code, cases=20)
                    self.assertIsNone(control.search(run.out + run.err))
                    if form == "human":
                        self.assertEqual(len(re.findall(r"^verdict: ", run.out, re.M)), 1, run.out)
        run = self.broken("name_of_256", code=0)
        self.assertIn("é" * 128, run.out)

    def test_a_run_ends_in_its_time_with_a_verdict_on_what_was_judged(self):
        for jobs in ("1", "3"):
            with self.row(jobs):
                before = time.monotonic()
                run = self.broken("lags", "--max-time", "3", "--jobs", jobs, code=5, cases=5000)
                self.assertLess(time.monotonic() - before, 10)
                self.assertIn(f"out of time after {run.counts()[0]} histories", run.last)
                self.assertIn("\n  the rest of the run: its time was over\n", run.out)
                self.assertGreater(run.counts()[0], 1)
        before = time.monotonic()
        with mock.patch.dict(os.environ, {"LAG": "0.4"}):
            run = self.broken("lags", "--max-time", "1", code=5)
        self.assertLess(time.monotonic() - before, 6)
        self.assertIn("out of time after 0 histories", run.last)
        self.refused(check(built_in("library"), "--max-time", "0"), "--max-time", "seconds in")

    def test_a_port_that_turns_most_away_conforms_by_what_it_took(self):
        for name in ("takes_half", "takes_few"):
            with self.row(name):
                expected = broken.SPECIAL[name]
                run = self.broken(name, code=expected.code, cases=2000)
                self.assertIn(expected.says, run.last)
                skipped = run.counts()[2]
                said = f"\n  {skipped} of 2000 histories: the port rejected or skipped them" in run.out
                self.assertEqual(said, name == "takes_few")

    def test_closed_streams_and_too_few_descriptors(self):
        program = shlex.join([running.PROGRAMS["backoff-oracle"], "check", SYSTEM, "--cases", "20", "--", *built_in("library")])
        for words, code, says in ((f"{program} <&-", 0, "conforms"), (f"{program} >&-", 2, "standard output is closed"),
                                  (f"{program} 2>&-", 0, "conforms"), (f"{program} <&- 2>&-", 0, "conforms"),
                                  (f"ulimit -n 8; {program}", 2, "too many open files")):
            with self.row(words):
                run = running.execute(["sh", "-c", words])
                self.assertEqual(run.code, code, run.err)
                self.assertIn(says, run.out + run.err)

    def test_a_port_that_does_not_stop_as_it_should(self):
        for name in ("ignores_stop", "exits_7_at_stop", "aborts_at_stop", "wrong_and_aborts_at_stop"):
            for jobs in ("1", "2"):
                with self.row(name, jobs):
                    run = self.broken(name, "--jobs", jobs)
                    self.assertIn(broken.SPECIAL[name].says, run.last)
                    self.assertEqual([claim for claim, _ in run.findings()] != [], name.startswith("wrong_"))

    def test_nothing_is_left_when_the_oracle_is_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            command = [running.PROGRAMS["backoff-oracle"], "check", SYSTEM, "--", *test_port(broken, "never_reads")]
            with self.row(number.name), subprocess.Popen(command, stdout=subprocess.DEVNULL) as oracle_itself:
                while len(running.marked()) < 2:
                    time.sleep(0.01)
                time.sleep(0.1)  # until the oracle knows of the port too
                oracle_itself.send_signal(number)
                self.assertNotEqual(oracle_itself.wait(10), 0)


class Bounds(OracleTest):
    """Each bound of --help: what is at it passes, what is one beyond it does not."""

    def run_of(self, name, *options, **more):
        expected = broken.SPECIAL[name]
        with tempfile.NamedTemporaryFile("r") as lives:
            timeout = "2" if "hangs" in name else "10"
            run = check(test_port(broken, name), "--timeout", timeout, *options, env={**os.environ, "LIVES": lives.name}, **more)
        self.assertEqual(run.code, expected.code, run.err or run.last)
        self.assertIn(expected.says, run.out + run.err)
        return run

    def test_a_reply(self):
        for name in ("reply_of_16_mib", "reply_beyond_16_mib", "describes_65536_values", "describes_65537_values", "nested_32",
                     "nested_33"):
            with self.row(name):
                self.run_of(name)

    def test_a_name(self):
        self.run_of("name_of_256")
        self.assertIn("longer than 256 bytes", check(test_port(broken, "long_name")).err)

    def test_a_reason(self):
        for name, kept in (("says_1000", "y" * 1_000), ("says_1001", "y" * 1_000 + "\\u2026")):
            with self.row(name), tempfile.TemporaryDirectory() as folder:
                results = pathlib.Path(folder) / "results"
                self.run_of(name, "--results", str(results))
                self.assertIn(kept, re.findall(r'"why":"(.*?)"', results.read_text()))

    def test_standard_error(self):
        self.assertIn("BEGINee", self.run_of("errors_of_4096").err)
        self.assertNotIn("BEGIN", self.run_of("errors_of_4097").err)

    def test_restarts(self):
        """A process answers two histories before it breaks down: what was answered is judged, whatever comes then. With this
        seed the histories that it breaks on have nothing in common."""
        for name, judged in (("breaks_11_times", 29), ("breaks_12_times", 24), ("hangs_2_times", 38), ("hangs_3_times", 6)):
            with self.row(name):
                run = self.run_of(name, "--seed", "2", cases=40)
                self.assertEqual(sum(run.counts()), judged)
                self.assertEqual("the rest was not judged" in run.out, judged < 29)

    def test_options(self):
        for words in (["--timeout", "0.01"], ["--timeout", "86400"], ["--max-time", "86400"], ["--jobs", "64"]):
            with self.row(*words):
                self.assertNotEqual(check(built_in("library"), *words, cases=2).code, 2)
        for words in (["--timeout", "0.009"], ["--timeout", "86400.1"], ["--max-time", "0.009"], ["--max-time", "86400.1"],
                      ["--jobs", "65"]):
            with self.row(*words):
                self.refused(check(built_in("library"), *words), words[0])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "token"
            token = "aws_backoff_algorithm/base_ms=2,max_ms=5,max_attempts=3/next:7"
            for size, code in ((64 << 20, 0), ((64 << 20) + 1, 2)):
                path.write_text(token + " " * (size - len(token)))
                run = oracle("replay", str(path), port=built_in("library"))
                self.assertEqual((run.code, "larger than 64 MiB" in run.err), (code, code == 2), run.err)
                path.write_text("#" * (size - 1) + "\n")
                run = check(built_in("library"), "--known-failing", str(path))
                self.assertEqual((run.code, "larger than 64 MiB" in run.err), (code, code == 2), run.err)
        endless = "/dev/zero"
        for words in (["replay", endless], ["check", SYSTEM, "--known-failing", endless]):
            with self.row(*words):
                self.refused(oracle(*words, port=built_in("library")), "larger than 64 MiB")
        for words in (["report", endless], ["verify", endless, endless]):
            with self.row(*words):
                self.refused(oracle(*words), endless)


if __name__ == "__main__":
    running.main(__doc__)
