#!/usr/bin/python3
"""The command line as a user meets it: verbs, options, exit codes, bad input.

    oracle_test.py --bin build/release/bin

The ports are in test_ports/. No process of theirs may be left after any run.
"""
import contextlib
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from collections.abc import Iterator
from typing import Any

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "test_ports"))
sys.dont_write_bytecode = True
import bad_input  # noqa: E402
import broken  # noqa: E402
import correct  # noqa: E402
import hand_computed  # noqa: E402
import running  # noqa: E402
import wrong  # noqa: E402
from running import SYSTEM, Run, built_in, check, listed, oracle, test_port, token_of  # noqa: E402


class OracleTest(unittest.TestCase):
    maxDiff = None

    @contextlib.contextmanager
    def row(self, *names: object) -> Iterator[None]:
        """A row of a table, that leaves nothing behind."""
        with self.subTest(str(names)[:100]):
            yield
            self.assertEqual(running.left_over(), [], "processes left over")

    def ended(self, run: Run, code: int) -> Run:
        """This exit code, and nothing on standard error."""
        self.assertEqual((run.err, run.code), ("", code), run.last)
        return run

    def refused(self, run: Run, *names: str) -> None:
        """Exit 2, nothing on standard output, one line that has these names in it."""
        self.assertEqual((run.code, run.out, run.err.count("\n")), (2, "", 1), run.err)
        for name in names:
            self.assertIn(name, run.err)

    def breaks_again(self, run: Run, claim: str) -> None:
        """As a finding, or as what one of them explains: in a few histories another claim may account for it."""
        self.ended(run, 1)
        explained = [name for names in run.explained().values() for name in names]
        self.assertIn(claim, [*(name for name, _ in run.findings()), *explained], run.out)
        self.assertFalse(run.claims().get(claim, (False,))[0], run.out)


def closed(**members: Any) -> dict[str, Any]:
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
    def test_list_json_has_its_form(self) -> None:
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

    def test_list_and_explain_know_all_that_list_json_names(self) -> None:
        names = self.ended(oracle("list"), 0).out
        self.assertTrue(len(names.splitlines()) < 50 and max(map(len, names.splitlines())) <= 80, names)
        for system in listed():
            listed_alone = self.ended(oracle("list", system["name"]), 0).out
            self.assertRegex(names, rf"(?m)^  {system['name']}  +\w.*\w$")
            for words in (*system["claims"], *(r["id"] for r in system["requirements"]), *(r["name"] for r in system["readings"])):
                self.assertIn(f"\n    {words} ", listed_alone)
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
                self.assertIn(name, listed_alone)
                page = self.ended(oracle("explain", name), 0).out
                self.assertTrue(page.startswith(name), page)
                for fact in facts:
                    self.assertIn(fact, page)

    @staticmethod
    def names_shown(port: list[str]) -> Any:
        """What a run names in JSON, in JUnit XML and in a file of known failures."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            run = check(port, "--format", "json", "--junit", str(folder / "junit.xml"), "--write-known-failing", str(folder / "known"),
                        cases=10_000)
            j = json.loads(run.out)
            cases = xml.etree.ElementTree.parse(folder / "junit.xml").iter("testcase")
            lines = (folder / "known").read_text().splitlines()[1:]
        names = {case.get("name") for case in cases} | {line.split()[0] for line in lines}
        names |= {claim["name"] for claim in j["claims"]} | {power["fault"] for power in j.get("randomness", {}).get("power", [])}
        for finding in j["findings"]:
            names |= {finding["claim"], *finding["requirements"], *([finding["sampled"]["test"]] if "sampled" in finding else [])}
        for reading in j["readings"]:
            names |= {reading["name"], *(f"{reading['name']}={left}" for left in (*reading["left"], *reading.get("hazards_left", [])))}
        return names - {"run"}

    def test_explain_knows_every_name_that_a_result_shows(self) -> None:
        names = set()
        for port in ([*built_in("library")[:2], "--draws", "random", "1"], built_in("cap-ignored"),
                     test_port(broken, "aborts_on_base_7"), test_port(wrong, "rejects_all_declared")):
            names |= self.names_shown(port)
        self.assertLessEqual({"no-jitter", "near-other-process", "no_history_breaks_the_port", "declared_histories_are_answered",
                              "window-growth=min", "delay_never_exceeds_cap"}, names)
        for name in sorted({*names, "instances"}):
            with self.subTest(name):
                page = self.ended(oracle("explain", name), 0).out
                self.assertRegex(page, rf"^{re.escape(name.split('=')[0])}(,| \()")
        for name, near in (("no-jiter", "no-jitter"), ("no_history_breaks_the_prot", "no_history_breaks_the_port")):
            self.refused(oracle("explain", name), f"did you mean '{near}'?")
        self.refused(oracle("explain", "window-growth=never"), "'window-growth=never'")

    def test_a_convention_of_the_protocol_is_called_so(self) -> None:
        for system in listed():
            for reading in system["readings"]:
                page = self.ended(oracle("explain", reading["name"]), 0).out
                named = {"draw-mapping", "delay-resolution", "jitter-mapping", "jitter-resolution"}
                self.assertEqual(reading["convention"], reading["name"] in named)
                self.assertEqual(reading["convention"], "No document decides this" in page)

    def test_lists_no_system_that_there_is_not(self) -> None:
        run = oracle("list", "aws_backof")
        self.assertEqual(run.code, 2)
        self.assertIn("'aws_backof', expected one of: aws_backoff_algorithm, ", run.err)

    def test_help_and_version(self) -> None:
        for words, text in ((["--help"], "check"), (["check", "--help"], "--cases"), (["--version"], running.VERSION)):
            self.assertIn(text, self.ended(oracle(*words), 0).out)

    def test_full_disk_is_an_error(self) -> None:
        with open("/dev/full", "w") as full:
            done = subprocess.run([running.PROGRAMS["backoff-oracle"], "list"], stdout=full, stderr=subprocess.PIPE,
                                  check=False)
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1))


class Evaluating(OracleTest):
    def test_eval_gives_hand_computed_answers_under_every_reading(self) -> None:
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

    def test_two_numbers_are_listed_and_more_are_counted(self) -> None:
        # A feed that fails sets each option, or none.
        fed = "set_option:retry_control_options::{}:60::option_feed"
        for waits, said in (((200,), "128 or 200"), ((200, 272), "128..272 in steps of 72"), ((129,), "128 or 129")):
            with self.row(*waits):
                feeds = ",".join(fed.format(wait) for wait in waits)
                out = oracle("eval", "azure_c_retry_control", "steps=create:INTERVAL:0,set_option:initial_wait_time_in_secs:128,"
                             f"{feeds},retrieve_options").out
                self.assertRegex(out, f"^canonical  ok, result=0, .*, initial_wait_time_in_secs={said} max_jitter_percent=5 or 60\n")


# A built-in wrong port, the claim that must fall, the hazard reading that explains it, options that it takes.
WRONG: list[tuple[str, str, str | None, list[str]]] = [
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
    def test_right_ports_conform(self) -> None:
        followed = {"library": "", "plain": "", "rand15": "", "counts-from-one": "attempt-origin=one",
                    "exclusive": "upper-bound=exclusive", "scaled-unit": "draw-mapping=scaled",
                    "real-unit": "draw-mapping=real, delay-resolution=real"}
        for name, reading in followed.items():
            with self.row(name):
                verdict = self.ended(check(built_in(name)), 0).last
                self.assertEqual(verdict, f"verdict: conforms to {SYSTEM}, grade exact" +
                                 (f", as read with {reading}" if reading else ""))

    def test_a_pass_names_the_calls_that_no_history_reaches(self) -> None:
        beyond = re.compile(r"calls beyond the first (\d+) of an instance: no history has more")
        for system in (SYSTEM, "azure_c_retry_control"):
            with self.row(system):
                run = self.ended(check(built_in("library"), system=system, cases=500), 0)
                self.assertGreater(int(running.found(beyond, run.out)[1]), 20)
        forgets = check(built_in("library"), system="azure_java_retry_policy", cases=500)
        self.assertNotRegex(self.ended(forgets, 0).out, beyond)

    def test_ports_that_look_different_or_are_wrong_or_say_too_little(self) -> None:
        for module in (correct, wrong):
            for name, expected in module.PORTS.items():
                with self.row(name):
                    run = self.ended(check(test_port(module, name)), expected.code)
                    self.assertIn(expected.says, run.last)
                    self.assertEqual(sum(run.counts()), 200)
                    self.assertEqual(run.counts()[2] > 0, name == "short_lines" or name.startswith("skips_"))
                    self.assertEqual("out of luck" in run.out, name == "throws")

    def test_wrong_ports_that_only_many_histories_show(self) -> None:
        for name, expected in wrong.IN_MANY.items():
            with self.row(name):
                run = self.ended(check(test_port(wrong, name), cases=4000), expected.code)
                self.assertIn(expected.says, run.last)

    def test_two_faults_of_one_claim_are_two_findings(self) -> None:
        run = self.ended(check(test_port(wrong, "two_faults_of_one_claim"), "--format", "json", cases=4000), 1)
        findings = json.loads(run.out)["findings"]
        self.assertEqual(len({f["claim"] for f in findings}), 1, run.out)
        self.assertEqual({c for f in findings for c in f["region"]["constraints"]}, {"base_ms>max_ms", "attempts>40"})
        late = next(f for f in findings if "attempts>40" in f["region"]["constraints"])
        self.assertEqual((late["diagnosis"]["name"], late["diagnosis"]["from_attempt"]), ("no-delay", 41))
        for finding in findings:
            replayed = self.ended(oracle("replay", finding["token"], "--", *test_port(wrong, "two_faults_of_one_claim")), 1)
            self.assertIn(finding["claim"], replayed.out)

    def test_what_depends_on_other_instances_is_one_finding(self) -> None:
        run = self.ended(check(built_in("shared"), "--format", "json", system="azure_c_retry_control", cases=2000), 1)
        verdict = json.loads(run.out)
        self.assertEqual([f["claim"] for f in verdict["findings"]], ["instances_are_independent"])
        follow = {c["name"] for c in verdict["claims"] if c.get("follows_from") == "instances_are_independent"}
        self.assertIn("immediate_grants_every_retry", follow)

    def test_wrong_ports_are_caught_and_their_hazard_named_and_pinned(self) -> None:
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

    def test_a_finding_cites_the_requirement_that_its_call_breaks(self) -> None:
        for system, name, requirement in CITED:
            with self.row(system, name):
                report = json.loads(check(built_in(name), "--format", "json", system=system, cases=1000).out)
                self.assertEqual(report["findings"][0]["requirements"][0], requirement)

    def test_what_breaks_the_interface_fails_and_says_that_it_follows_the_document(self) -> None:
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

    def test_a_wrong_delay_after_a_reset_is_no_fault_of_the_reset(self) -> None:
        run = self.ended(check(built_in("cap-ignored"), cases=1000), 1)
        self.assertTrue(run.claims()["reset_starts_a_fresh_cycle"][0])
        self.assertNotIn("interface", run.last)
        self.assertNotIn("reset_starts_a_fresh_cycle", dict(run.findings()))

    def test_a_claim_that_breaks_only_with_another_is_its_consequence(self) -> None:
        run = self.ended(check(built_in("negative-beyond-i32"), cases=1000), 1)
        cause, consequence = "delay_is_never_negative", "window_doubles_with_each_retry"
        self.assertIn(consequence, run.explained()[cause])
        self.assertNotIn(consequence, dict(run.findings()))
        report = json.loads(check(built_in("negative-beyond-i32"), "--format", "json", cases=1000).out)
        claims = {claim["name"]: claim for claim in report["claims"]}
        self.assertEqual(claims[consequence]["follows_from"], cause)
        self.assertIn(consequence, report["also_broken"])

    def test_a_port_says_what_of_the_interface_it_has_not(self) -> None:
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

    def test_strict_admits_canonical_readings_of_the_document_only(self) -> None:
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

    def test_an_open_reading_can_be_pinned(self) -> None:
        for name, code in (("exclusive", 0), ("library", 1)):
            self.ended(check(built_in(name), "--reading", "upper-bound=exclusive"), code)

    def test_claim_and_skip_select(self) -> None:
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

    def test_a_range_narrows_what_a_port_is_put_to(self) -> None:
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

    def test_finer_decimals_than_a_system_has_are_not_checked(self) -> None:
        port = built_in("library")
        run = self.ended(check(port, "--range", "backoff_rate=1.5..2", system="aws_step_functions", cases=300), 0)
        self.assertIn("\n  backoff_rate with more than 3 decimal places\n", run.out)
        run = self.ended(check(port, "--range", "backoff_rate=1.5..1.5", system="aws_step_functions", cases=300), 0)
        self.assertNotIn("decimal places", run.out)

    def test_ends_that_differ_beyond_what_is_shown_are_one_number(self) -> None:
        token = "aws_step_functions/interval_s=1,backoff_rate=8.028,max_attempts=9/next@9"
        run = self.ended(oracle("replay", token, port=built_in("saturates-and-goes-on")), 1)
        self.assertRegex(run.out, r"\n +7  next  retry ~267697\.418339376339 +retry 267697\.4183393764\n")

    def test_options_may_stand_before_the_system(self) -> None:
        for words in (["--seed", "9"], ["--strict"], ["--document-only"], ["--claim", "no_*"], ["--reading", "upper-bound=inclusive"]):
            with self.row(*words):
                self.ended(oracle("check", *words, SYSTEM, "--cases", "40", port=built_in("library")), 0)

    def test_same_seed_same_bytes(self) -> None:
        for port in (built_in("library"), built_in("mixed-growth"), test_port(correct, "opaque")):
            for form in ("human", "json"):
                with self.row(port[-2], form):
                    first, again, other = (check(port, "--seed", seed, "--format", form) for seed in ("5", "5", "6"))
                    self.assertEqual((first.out, first.code), (again.out, again.code))
                    self.assertNotEqual(*(re.sub(r"seed\W+\d+", "", run.out) for run in (first, other)))

    def test_same_bytes_from_several_processes(self) -> None:
        ports = [built_in(name) for name in ("library", "mixed-growth", "throws-on-empty", "one-attempt-too-many")]
        for port in (*ports, test_port(wrong, "throws"), test_port(wrong, "skips_some_declared")):
            with self.row(port[-2]):
                one, *others = (check(port, "--jobs", jobs, cases=5000) for jobs in ("1", "2", "5"))
                self.assertEqual({one.out}, {other.out for other in others})
        self.refused(check(built_in("library"), "--jobs", "0"), "--jobs", "'0'", "[1, 64]")

    def test_json_and_human_forms_agree(self) -> None:
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

    def test_the_json_form_of_a_port_that_does_not_start(self) -> None:
        run = check(test_port(broken, "exits_1_at_once"), "--format", "json")
        report = json.loads(run.out)
        self.assertEqual((run.code, report["exit"], report["verdict"], len(report["broke"])), (3, 3, "port broke", 1))

    def test_cases_and_max_failures_end_a_run(self) -> None:
        self.assertEqual(check(built_in("library"), cases=1).counts(), [1, 0, 0])
        self.assertEqual(check(built_in("library"), "--level", "2", cases=7).counts(), [7, 0, 0])
        for failures in ("1", "2", "3"):
            with self.row(failures):
                run = self.ended(check(test_port(wrong, "two_faults"), "--max-failures", failures), 1)
                self.assertEqual(run.counts(), [int(failures), 0, 0])
        run = self.ended(check(built_in("cap-ignored"), "--max-failures", "2", "--claim", "delay_never_exceeds_cap"), 1)
        self.assertIn("broken in 2 histories", run.out)


class Refusing(OracleTest):
    def test_bad_words(self) -> None:
        for words, names in bad_input.WORDS:
            with self.row(*words):
                self.refused(oracle(*words), *names)
        for words, names in bad_input.WORDS_OF_CHECK:
            with self.row(*words):
                self.refused(oracle("check", *words, port=built_in("library")), *names)

    def test_bad_tokens(self) -> None:
        for token, names in bad_input.TOKENS:
            with self.row(token):
                self.refused(oracle("replay", token, port=built_in("library")), *names)
        for name, token in (("rand15", bad_input.TOKEN.replace("7", "32768")), ("narrow", bad_input.TOKEN)):
            with self.row(name):
                self.refused(oracle("replay", token, port=test_port(correct, name)), token, "outside the ranges")

    def test_bad_files(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "history.json"
            for name, content in bad_input.FILES.items():
                with self.row(name):
                    file.write_bytes(content if isinstance(content, bytes) else content.encode())
                    self.refused(oracle("replay", str(file), port=built_in("library")), str(file))
            self.refused(oracle("replay", directory, port=built_in("library")), directory)


if __name__ == "__main__":
    running.main(__doc__)
