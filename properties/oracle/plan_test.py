#!/usr/bin/python3
"""`plan`: what formulas do to one client and to many, in each form.

    plan_test.py --bin build/release/bin
"""
import csv
import io
import json
import pathlib
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "test_ports"))
import running  # noqa: E402


def plan(*words: str) -> running.Run:
    return running.oracle("plan", *words)


class PlanTest(unittest.TestCase):
    def test_a_schedule_says_what_the_formula_says(self) -> None:
        found = json.loads(plan("curl_retry:retry=5", "--format", "json").out)["formulas"][0]
        self.assertEqual([row["delay_s"]["mean"] for row in found["retries"]], [1, 2, 4, 8, 16])
        self.assertEqual([row["passed_s"]["greatest"] for row in found["retries"]], [1, 3, 7, 15, 31])
        self.assertEqual(found["gives_up_after"], {"least": 5, "most": 5, "least_s": 31, "greatest_s": 31, "is_simulated": False})
        self.assertEqual(found["warnings"], ["no jitter: clients that fail together come back together"])

    def test_every_system_that_answers_delays_can_be_planned(self) -> None:
        settings = {"aws_backoff_algorithm": "base_ms=100,max_ms=9000,max_attempts=9", "aws_retry_utils": "max_attempts=4",
                    "aws_step_functions": "interval_s=1,max_attempts=4,backoff_rate=2", "aws_prescriptive_sample": "max_retries=5",
                    "azure_java_retry_policy": "retry_count=5"}
        listed = running.oracle("list").out
        shelf = [name for line in listed.partition("The shelf:")[2].splitlines() if line.startswith("  ") for name in line.split()]
        self.assertGreater(len(shelf), 50)
        for name in shelf:
            with self.subTest(name):
                run = plan(name, "--retries", "100", "--format", "json")
                if run.code == 2:
                    self.assertIn("the document has no default for it", run.err)
                    continue
                self.assertEqual(run.code, 0, run)
                found = json.loads(run.out)["formulas"][0]
                for row in found["retries"][-1:] if found["error"]["mean"] == 0 else []:
                    self.assertLess(found["error"]["seconds"], 0.001 * row["passed_s"]["p99"] + 1e-9)
                for row in found["retries"]:
                    for of in (row["delay_s"], row["passed_s"]):
                        self.assertLessEqual(of["least"], of["mean"] + 1e-9)
                        self.assertLessEqual(of["mean"], of["greatest"] + 1e-9)
                        self.assertLessEqual(of["p99"], of["greatest"] + 1e-9)
        for name, given in settings.items():
            run = plan(f"{name}:{given}", "--format", "json")
            if run.code == 2:
                self.assertIn("--param", run.err, name)
            else:
                self.assertEqual(run.code, 0, run)

    def test_the_forms_say_the_same(self) -> None:
        words = ["grpc_connection_backoff", "--retries", "3", "--clients", "100", "--outage", "5s", "--compare"]
        made = {form: plan(*words, "--format", form).out for form in ("human", "json", "markdown", "svg")}
        made["csv"] = plan(*words[:3], "--format", "csv").out
        rows = list(csv.DictReader(io.StringIO(made["csv"])))
        found = json.loads(made["json"])["formulas"][0]
        self.assertEqual([float(row["delay_greatest"]) for row in rows], [1, 1.92, 3.072])
        self.assertEqual([round(row["delay_s"]["greatest"], 3) for row in found["retries"]], [1, 1.92, 3.072])
        self.assertIn("1.92 s", made["human"])
        self.assertIn("| 1.92 s |", made["markdown"])
        self.assertIn("retry 2: 2.28 s to 2.92 s", "".join(xml.etree.ElementTree.fromstring(made["svg"]).itertext()))
        self.assertEqual(made["json"], plan(*words, "--format", "json").out)
        self.assertNotEqual(made["json"], plan(*words, "--format", "json", "--seed", "2").out)
        self.assertEqual([herd["clients"] for herd in found["herds"]],
                         ["as documented", "without jitter", "equal jitter", "decorrelated jitter"])
        for herd in found["herds"]:
            self.assertEqual((herd["served"], sum(herd["requests_by_second"])), (100, herd["requests"]))

    def test_retries_are_those_that_are_shown_and_limits_are_those_of_the_document(self) -> None:
        endless = plan("aws_blog_full_jitter", "--retries", "6").out
        self.assertIn("aws_blog_full_jitter, base=100 cap=20000: never gives up", endless)
        self.assertEqual(len(re.findall(r"^ +\d+ ", endless, re.M)), 6)
        self.assertEqual(len(re.findall(r"^ +\d+ ", plan("aws_blog_full_jitter", "--retries", "40").out, re.M)), 40)
        limited = plan("curl_retry", "--param", "retry=6", "--retries", "2").out
        self.assertIn("curl_retry, retry=6: gives up after 6 retries, 63 s after the first failure", limited)
        self.assertEqual(len(re.findall(r"^ +\d+ ", limited, re.M)), 2)
        self.assertIn("max_attempts=forever: never gives up", plan("aws_backoff_algorithm:base_ms=100,max_ms=20000").out)
        unlimited = plan("aws_retry_utils:initial_backoff_s=1,max_backoff_s=60,max_jitter_s=5").out
        self.assertIn("max_jitter_s=5 max_attempts=0: never gives up", unlimited)
        self.assertIn("curl_retry, retry=0: does not retry", plan("curl_retry:retry=0").out)
        within = json.loads(plan("curl_retry:retry=9", "--retries", "2", "--within", "20s", "--format", "json").out)
        self.assertEqual(within["formulas"][0]["within"]["most"], 4)
        for words in ([], ["--clients", "9"]):
            row = next(csv.DictReader(io.StringIO(plan("curl_retry:retry=9", "--within", "20s", "--format", "csv", *words).out)))
            self.assertEqual([row[f"within_{of}"] for of in ("least", "mean", "most")], ["4", "4", "4"])

    def test_who_gave_up_is_in_every_form(self) -> None:
        herd = ["--clients", "5000", "--outage", "30s"]
        words = ["aws_backoff_algorithm:base_ms=200,max_ms=20000,max_attempts=6", *herd]
        said = "none served: 6 retries last at most 12.6 s, the outage 30 s"
        human = plan(*words).out
        self.assertRegex(human, "gave up +5,000\n")
        self.assertRegex(human, "(?m)^  99 % served after +never$")
        self.assertIn(f"warning: {said}\n", human)
        both = plan(words[0], "aws_blog_full_jitter", *herd).out
        self.assertRegex(both, "gave up +5,000 +none\n")
        self.assertIn(f"A: warning: {said}\n", both)
        markdown = plan(*words, "--format", "markdown").out
        self.assertIn("| gave up | 5,000 |", markdown)
        self.assertIn(f"Warning: {said}.", markdown)
        row, = csv.DictReader(io.StringIO(plan(*words, "--format", "csv").out))
        self.assertEqual((row["gave_up"], row["served"], row["served_all_s"]), ("5000", "0", ""))
        herds, = json.loads(plan(*words, "--format", "json").out)["formulas"][0]["herds"]
        self.assertEqual((herds["gave_up"], herds["served"], herds["served_all_s"]), (5000, 0, None))
        picture = " ".join(xml.etree.ElementTree.fromstring(plan(*words, "--format", "svg").out).itertext())
        self.assertIn("5,000 gave up", " ".join(picture.split()))
        some = plan("aws_backoff_algorithm:base_ms=200,max_ms=20000,max_attempts=8", *herd).out
        self.assertRegex(some, r"warning: [\d,]+ of 5,000 clients give up: 8 retries last at most 45.4 s, the outage 30 s")
        crowded = plan("curl_retry:retry=2", "--clients", "90", "--capacity", "10/s").out
        self.assertIn("warning: 70 of 90 clients give up: 2 retries last 3 s, and the server answers 10 a second", crowded)

    def test_the_return_of_the_server_is_told(self) -> None:
        # Clients without jitter come at 0, 1, 3 and 7 s.
        all_at_once = plan("curl_retry:retry=9", "--clients", "40", "--outage", "6.5s", "--format", "json")
        herd, = json.loads(all_at_once.out)["formulas"][0]["herds"]
        self.assertEqual((herd["requests_after_outage"], herd["peak"], herd["peak_s"], herd["served_99_percent_s"], herd["gave_up"]),
                         (40, 40, 6.5, 7, 0))
        few = plan("curl_retry:retry=9", "--clients", "40", "--outage", "6s", "--capacity", "30/s", "--format", "json")
        herd, = json.loads(few.out)["formulas"][0]["herds"]
        self.assertEqual((herd["requests_after_outage"], herd["peak"], herd["peak_s"], herd["served_half_s"], herd["served_99_percent_s"]),
                         (0, 40, 7, 7, 15))

    def test_examples_of_the_help_run(self) -> None:
        examples = plan("--help").out.partition("Examples:\n")[2].partition("Exit codes:")[0].replace("\\\n", " ")
        lines = [line.split()[2:] for line in examples.splitlines() if line.strip().startswith("backoff-oracle plan ")]
        self.assertGreaterEqual(len(lines), 2)
        with tempfile.TemporaryDirectory() as folder:
            for line in lines:
                run = plan(*(str(pathlib.Path(folder) / word) if word.endswith(".html") else word for word in line))
                self.assertEqual(run.code, 0, run)

    def test_boundaries_are_exact(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for number, (rules, said) in enumerate((
                    ("delay: 0.1 * 2^n\nwhile: elapsed < 0.7", "gives up after 3 retries, 700 ms after the first failure"),
                    ("delay: 0.3 * 2^n\nwhile: elapsed < 2.1", "gives up after 3 retries, 2.1 s after the first failure"),
                    ("delay: min(0.1 * 2^n, 1 - elapsed)\nwhile: elapsed < 1", "gives up after 4 retries, 1 s after the first failure"),
                    ("delay: min(uniform(1, 2), 4.5 - elapsed)\nwhile: elapsed < 4.5",
                     "gives up after 3 to 5 retries, 4.5 s after the first failure, in 4,096 simulated clients"),
                    ("delay: uniform(0.5, 1.5)\nwhile: elapsed + delay <= 5", "% of the clients get retry 4"))):
                path = pathlib.Path(folder) / f"b{number}.yaml"
                path.write_text(f"name: b{number}\nunit: s\n{rules}\n")
                out = plan(str(path)).out
                self.assertIn(said, out)
                self.assertNotIn("delays do not grow", out if number < 3 else "")
                self.assertEqual("depends on the delays" in out, number >= 3, out)

    def test_what_is_known_to_hurt_is_warned_of(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for number, (delay, warned) in enumerate((
                    ("min(3, uniform(0.8, 1.2) * 2^n)", "no jitter at the longest delay"), ("uniform(0, 2^n)", "no cap: before retry 18"),
                    ("uniform(0, 1)", "delays do not grow"), ("uniform(0, 1) * n", "the first delay is 0"), ("2^n", "no jitter: "),
                    ("uniform(0, min(60, 2^n))", None))):
                path = pathlib.Path(folder) / f"p{number}.yaml"
                path.write_text(f"name: p{number}\nunit: s\ndocument: d\ndelay: {delay}\n")
                warnings = json.loads(plan(str(path), "--retries", "3", "--format", "json").out)["formulas"][0]["warnings"]
                self.assertEqual(any(warned in each for each in warnings) if warned else warnings == [], True, (delay, warnings))

    def test_a_page_is_written(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "plan.html"
            run = plan("grpc_connection_backoff", "curl_retry:retry=3", "--clients", "50", "--outage", "9s", "-o", str(page))
            self.assertEqual((run.code, run.out), (0, ""))
            text = page.read_text()
            self.assertEqual(text.count("role=\"img\""), 2)
            self.assertIn("No jitter: clients that fail together come back together", text)

    def test_what_is_wrong_is_said(self) -> None:
        for words, said in ((["foo"], "unknown system 'foo'"),
                            (["curl_retry", "--within", "3x"], "--within: '3x': expected a time such as 250ms"),
                            (["curl_retry:retrx=1"], "--param retrx=1: expected NAME=VALUE with NAME one of: retry"),
                            (["curl_retry", "--capacity", "0/s", "--clients", "5"], "--capacity: '0/s': expected N/s, N a whole number"),
                            (["curl_retry", "--capacity", "10/min", "--clients", "5"], "--capacity: '10/min': expected N/s"),
                            (["curl_retry", "--outage", "1000000h", "--clients", "5"], "'1000000h': expected at most 1000000000s"),
                            (["curl_retry", "--outage", "3s"], "--outage requires --clients"),
                            (["azure_c_retry_control"], "there is nothing to plan"),
                            (["curl_retry", "--clients", "0"], "expected a whole number in [1, 10000000]"),
                            (["curl_retry", "--seed", "1", "--seed", "2"], "--seed is given twice"),
                            (["curl_retry", "--ramp", "5s", "--outage", "4s", "--clients", "9"],
                             "--ramp 5 s is longer than --outage 4 s: the first request of each client fails"),
                            (["curl_retry", "--compare"], "--compare requires --clients"),
                            (["aws_backoff_algorithm:base_ms=1"], "--param max_ms=… is missing"),
                            ([], "SYSTEM is required")):
            with self.subTest(words):
                run = plan(*words)
                self.assertEqual((run.code, said in run.err), (2, True), run)


if __name__ == "__main__":
    running.main(__doc__)
