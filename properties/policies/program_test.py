#!/usr/bin/python3
"""Policies through the program: hidden draws of the shelf, every verb, and files that are no policy.

Usage: program_test.py --bin FOLDER [CLASS]
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SHELF = ROOT / "spec/policies"
PORT = HERE / "test_ports/shelf.py"
BIN = pathlib.Path()  # from the command line


def oracle(*words: object, folder: str | pathlib.Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(BIN / "backoff-oracle"), *map(str, words)], capture_output=True, text=True, cwd=folder,
                          timeout=300)


def check(name: str, fault: str, draws: str, cases: str) -> subprocess.CompletedProcess[str]:
    return oracle("check", SHELF / f"{name}.yaml", "--cases", cases, "--format", "json", "--", sys.executable, PORT, name,
                  fault, draws)


class HiddenShelfOracleTest(unittest.TestCase):
    def test_hidden_draws_are_judged_by_their_distribution(self) -> None:
        for name, fault in (("aws_blog_equal_jitter", "half-the-jitter"), ("grpc_connection_backoff", "no-jitter"),
                            ("aws_blog_decorrelated_jitter", "half-the-jitter"),
                            ("aws_sdk_standard_retry", "half-the-jitter"),
                            ("opentelemetry_collector_exporter", "no-jitter")):
            with self.subTest(name):
                right = check(name, "right", "hidden", "2000")
                self.assertEqual(right.returncode, 0, right.stdout + right.stderr)
                self.assertEqual(json.loads(right.stdout)["grade"], "distribution")
                wrong = check(name, fault, "hidden", "2000")
                self.assertEqual(wrong.returncode, 1, wrong.stdout + wrong.stderr)

    def test_draws_that_a_bound_ends_are_tested_to_the_last(self) -> None:
        for name, last in (("google_cloud_truncated", 12), ("urllib3_retry", 9)):
            with self.subTest(name):
                right = check(name, "right", "hidden", "1000")
                self.assertEqual(right.returncode, 0, right.stdout + right.stderr)
                self.assertIn(f"hidden draws beyond attempt {last}: no sample goes further", right.stdout)
                self.assertEqual(check(name, "half-the-jitter", "hidden", "1000").returncode, 1)


class VerbsOracleTest(unittest.TestCase):
    def test_every_verb_takes_the_file_in_place_of_a_name(self) -> None:
        file = SHELF / "grpc_connection_backoff.yaml"
        listed = oracle("list", file)
        self.assertIn("window_never_exceeds_cap", listed.stdout)
        self.assertRegex(listed.stdout, r"\n  as you declared it in grpc_connection_backoff\.yaml, sha-256 [0-9a-f]{12}\n")
        explained = oracle("explain", "grpc_connection_backoff.delay", "--policy", file)
        self.assertIn("uniform(window * (1 - jitter), window * (1 + jitter))", explained.stdout)
        worth = oracle("eval", file, "jitter=0", "steps=next:0@3")
        self.assertEqual(worth.stdout.splitlines()[0].split("  ")[-1], "1000, 1600, 2560")
        made = oracle("vectors", file, "--count", "50")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(json.loads(made.stdout)["header"]["system"], "grpc_connection_backoff")

    def test_a_fault_nearly_everywhere_is_said_to_be(self) -> None:
        port = ("from backoff_port import serve\n"
                "def port(params, _):\n"
                "    base = int(params['base'])\n"
                "    return lambda step: {'status': 'ok'} if step['op'] == 'reset' else {\n"
                "        'status': 'retry', 'delay_ms': base + (base * 7919 % 31 > 0)}\n"
                "serve(port, {'port': {'name': 'mine'}, 'systems': ['mine']})\n")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "mine.yaml"
            file.write_text("name: mine\nunit: ms\nparameters: {base: {default: 5, range: [1, 100000]}}\ndelay: base\n")
            with mock.patch.dict(os.environ, PYTHONPATH=str(ROOT / "properties/ports/helpers/python")):
                said = oracle("check", file, "--cases", "500", "--", sys.executable, "-c", port).stdout
        self.assertRegex(" ".join(said.split()), r"where breaks almost everywhere: in 4\d\d of 500 fresh histories ")

    def test_a_verdict_says_whose_words_they_are_and_its_replay_line_works(self) -> None:
        file = SHELF / "tcp_rto_backoff.yaml"
        wrong = oracle("check", file, "--cases", "300", "--", sys.executable, PORT, "tcp_rto_backoff", "one-late", "given")
        self.assertEqual(wrong.returncode, 1, wrong.stderr)
        self.assertIn("as you declared it in tcp_rto_backoff.yaml, sha-256 ", wrong.stdout)
        line = next(each for each in wrong.stdout.splitlines() if each.startswith("  replay"))
        words = shlex.split(line)[1:]
        self.assertIn("--policy", words)
        again = subprocess.run(words, capture_output=True, text=True, timeout=60)
        self.assertEqual(again.returncode, 1, again.stdout + again.stderr)

    def test_a_finding_of_hidden_draws_is_run_again_by_its_replay_line(self) -> None:
        wrong = check("grpc_connection_backoff", "half-the-jitter", "hidden", "1500")
        line = json.loads(wrong.stdout)["findings"][0]["replay"]
        again = subprocess.run(shlex.split(line), capture_output=True, text=True, timeout=120)
        self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
        self.assertIn("your policy grpc_connection_backoff: delays_fill_their_window", again.stdout)

    def test_a_policy_of_the_shelf_is_known_by_its_name(self) -> None:
        name = "grpc_connection_backoff"
        for path in sorted(SHELF.glob("*.yaml")):
            self.assertIn(path.stem, oracle("list").stdout.split())
            listed = oracle("list", path.stem)
            self.assertEqual((listed.returncode, listed.stderr), (0, ""), path.stem)
        after = "after gRPC Connection Backoff Protocol, Proposed Backoff Algorithm, sha-256 "
        self.assertIn(f"{name}\n  {after}", oracle("list", name).stdout)
        self.assertIn("uniform(window", oracle("explain", name).stdout)
        self.assertIn("uniform(window", oracle("explain", f"{name}.delay").stdout)
        self.assertIn("canonical  1000, 1600", oracle("eval", name, "jitter=0", "steps=next:0@2").stdout)
        with tempfile.TemporaryDirectory() as folder:
            port = ("--", sys.executable, PORT, name, "one-late", "given")
            wrong = oracle("check", name, "--cases", "300", "--results", "kept", *port, folder=folder)
            self.assertEqual(wrong.returncode, 1, wrong.stderr)
            self.assertIn(f"verdict: does not conform to {name}: ", wrong.stdout)
            self.assertNotIn("--policy", wrong.stdout)
            line = next(each for each in wrong.stdout.splitlines() if each.startswith("  replay"))
            again = subprocess.run(shlex.split(line)[1:], capture_output=True, text=True, timeout=60)
            self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
            self.assertEqual(oracle("report", "kept", folder=folder).stdout, wrong.stdout)
            made = oracle("vectors", name, "--count", "20")
            (pathlib.Path(folder) / "vectors").write_text(made.stdout)
            self.assertIn("expected answers to the vectors", oracle("verify", "vectors", "/dev/null", folder=folder).stderr)
            mine = pathlib.Path(folder) / f"{name}.yaml"  # a copy that was changed wins
            mine.write_text((SHELF / f"{name}.yaml").read_text().replace("default: 1000,", "default: 2000,"))
            self.assertIn("canonical  2000, 3200", oracle("eval", mine, "jitter=0", "steps=next:0@2").stdout)
        self.assertIn("did you mean 'kubernetes_crash_loop'?", oracle("list", "kubernetes_crash_lop").stderr)

    def test_results_are_reported_with_the_file_that_declares_them_and_no_other(self) -> None:
        file = SHELF / "kubernetes_crash_loop.yaml"
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder) / "results"
            ran = oracle("check", file, "--cases", "200", "--results", kept, "--", sys.executable, PORT,
                         "kubernetes_crash_loop", "right", "given")
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
            self.assertEqual(oracle("report", kept, "--policy", file).stdout, ran.stdout)
            self.assertEqual(oracle("report", kept).returncode, 0)  # the shelf has the same text
            other = pathlib.Path(folder) / "other.yaml"
            other.write_text(file.read_text() + "# changed\n")
            changed = oracle("report", kept, "--policy", other)
            self.assertEqual(changed.returncode, 2, changed.stdout)
            self.assertIn("which is sha-256 ", changed.stderr)

    def test_results_of_a_policy_that_is_nowhere_ask_for_its_file(self) -> None:
        port = ("import sys; sys.path.insert(0, sys.argv[1])\nfrom backoff_port import serve\n"
                "serve(lambda p, _: lambda step: {'status': 'retry', 'delay_ms': 5} if step['op'] == 'next' else {'status': 'ok'},\n"
                "      {'port': {'name': 'mine'}, 'systems': ['mine']})\n")
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "port.py").write_text(port)
            (pathlib.Path(folder) / "mine.yaml").write_text("name: mine\nunit: ms\ndelay: 5\n")
            ran = oracle("check", "mine.yaml", "--cases", "50", "--results", "kept", "--", sys.executable, "port.py",
                         HERE.parent / "ports/helpers/python", folder=folder)
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
            without = oracle("report", "kept", folder=folder)
            self.assertEqual(without.returncode, 2)
            self.assertIn("expected --policy FILE", without.stderr)


GOOD = "name: mine\nunit: ms\nparameters: {base: {default: 100, range: [1, 1000]}, cap: 5000}\ndelay: min(cap, base * 2^n)\n"


class PageOracleTest(unittest.TestCase):
    def test_each_sentence_of_the_page_has_the_delays_that_stand_beside_it(self) -> None:
        page = (HERE / "README.md").read_text()
        rows = re.findall(r"^\| ([^|]+) \| (`[^|]+`) \| `([^|]+)` \|$", page.split("## Sentences and formulas")[1].split("##")[0], re.M)
        self.assertEqual(len(rows), 16)
        for sentence, formulas, delays in rows:
            with self.subTest(sentence), tempfile.TemporaryDirectory() as folder:
                lines = ["name: mine", *re.findall(r"`([^`]+)`", formulas)]
                (pathlib.Path(folder) / "mine.yaml").write_text("\n".join(lines) + "\n")
                worth = oracle("eval", "mine.yaml", "steps=next@4", folder=folder)
                self.assertEqual(worth.stderr, "")
                self.assertEqual(worth.stdout.splitlines()[0], f"canonical  {delays}")


class LanguageOracleTest(unittest.TestCase):
    """What a policy says beside a formula of the retries."""

    def delays(self, text: str, *words: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "mine.yaml").write_text("name: mine\nunit: s\n" + text)
            worth = oracle("eval", "mine.yaml", *words, folder=folder)
            self.assertEqual(worth.stderr, "")
            return worth.stdout.splitlines()[0].split(maxsplit=1)[1]

    def test_delays_one_after_the_other(self) -> None:
        listed = "delays: [5, 300, 1800]\n"
        self.assertEqual(self.delays(listed, "steps=next@5"), "5, 300, 1800, 1800, 1800")
        self.assertEqual(self.delays(listed + "then: exhausted\n", "steps=next@5"), "5, 300, 1800, exhausted, exhausted")
        self.assertEqual(self.delays(listed + "attempts: 4\n", "steps=next@5"), "5, 300, 1800, 1800, exhausted")
        self.assertEqual(self.delays(listed + "delay: uniform(0.5 * listed, listed)\n",
                                     "steps=next@3"), "[2.5, 5], [150, 300], [900, 1800]")
        self.assertEqual(self.delays(listed + "window: min(listed, 600)\ndelay: window / 2\n", "steps=next@4"), "2.5, 150, 300, 300")
        two = "parameters: {base: {default: 2, range: [1, 9]}}\ndelays: [base, 10 * base]\n"
        self.assertEqual(self.delays(two, "base=3", "steps=next@3"), "3, 30, 30")

    def test_words_for_no_limit_and_for_what_is_not_set(self) -> None:
        limit = "parameters: {limit: {default: forever, range: [0, 9]}}\ndelay: 1\nattempts: limit - 1\n"
        self.assertEqual(self.delays(limit, "limit=3", "steps=next@3"), "1, 1, exhausted")
        self.assertEqual(self.delays(limit, "steps=next@3"), "1, 1, 1")
        zero = "parameters: {limit: {default: 0, range: [0, 9]}}\ndelay: 1\nattempts: if(limit == 0, forever, limit)\n"
        self.assertEqual(self.delays(zero, "steps=next@3"), "1, 1, 1")
        self.assertEqual(self.delays(zero, "limit=2", "steps=next@3"), "1, 1, exhausted")
        cap = "parameters: {cap: {default: forever, range: [1, 99]}}\ndelay: min(cap, 10^n)\n"
        self.assertEqual(self.delays(cap, "steps=next@4"), "1, 10, 100, 1000")
        self.assertEqual(self.delays(cap, "cap=50", "steps=next@4"), "1, 10, 50, 50")
        unset = "parameters: {cap: {default: unset, range: [1, 99]}}\ndelay: if(cap == unset, 10^n, min(cap, 10^n))\n"
        self.assertEqual(self.delays(unset, "steps=next@3"), "1, 10, 100")
        self.assertEqual(self.delays(unset, "cap=50", "steps=next@3"), "1, 10, 50")
        name = "parameters: {base: {default: 7, range: [1, 9]}, cap: {default: base, range: [1, 99]}}\ndelay: min(cap, base * 4^n)\n"
        self.assertEqual(self.delays(name, "steps=next@2"), "7, 7")
        formula = ("parameters: {base: {default: 1, range: [1, 9]}, cap: {default: 10 * base, range: [1, 99]}}\n"
                   "delay: min(cap, base * 4^n)\n")
        self.assertEqual(self.delays(formula, "base=2", "steps=next@4"), "2, 8, 20, 20")
        self.assertEqual(self.delays(formula, "base=2", "cap=30", "steps=next@4"), "2, 8, 30, 30")

    def test_delays_that_depend_on_the_two_before(self) -> None:
        self.assertEqual(self.delays("prev: 0\nprev2: 0\nfirst: 1\ndelay: min(10, prev + prev2)\n", "steps=next@7,reset,next@2"),
                         "1, 1, 2, 3, 5, 8, 10, ok, 1, 1")

    def test_functions_of_reals(self) -> None:
        self.assertEqual(self.delays("delay: 4^(attempt / 2) + sqrt(9 * attempt^2)\n", "steps=next"), "5")
        self.assertEqual(self.delays("delay: floor(exp(2.5 * attempt))\n", "steps=next@4"), "12, 148, 1808, 22026")
        self.assertEqual(self.delays("delay: floor(10 * tanh(attempt) + log(attempt))\n", "steps=next@3"), "7, 10, 11")

    def test_trunc_rounds_towards_zero(self) -> None:
        self.assertEqual(self.delays("delay: max(0, 10 + trunc(0 - 3.5 * n))\n", "steps=next@3"), "10, 7, 3")
        self.assertEqual(self.delays("delay: trunc(uniform(1.5, 3.5))\n", "steps=next:0"), "1")

    def test_where_keeps_histories_to_a_condition(self) -> None:
        text = ("name: mine\nunit: s\nparameters: {base: {default: 1, range: [1, 1000]}, cap: {default: 10, range: [1, 1000]}}\n"
                "where: base <= cap\ndelay: min(cap, base * 2^n)\n")
        port = ("import sys; sys.path.insert(0, sys.argv[1])\nfrom backoff_port import serve\ndef port(p, _):\n"
                " n = 0\n def answer(step):\n  nonlocal n\n  if step['op'] == 'reset':\n   n = 0\n   return {'status': 'ok'}\n"
                "  if int(p['base']) > int(p['cap']): raise ValueError('base > cap')\n"
                "  n += 1\n  return {'status': 'retry', 'delay_s': min(int(p['cap']), int(p['base']) * 2 ** (n - 1))}\n return answer\n"
                "serve(port, {'port': {'name': 'mine'}, 'systems': ['mine'], 'features': ['instances']})\n")
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "port.py").write_text(port)
            run = ("--cases", "600", "--", sys.executable, "port.py", HERE.parent / "ports/helpers/python")
            for name, code in (("with.yaml", 0), ("without.yaml", 1)):
                (pathlib.Path(folder) / name).write_text(text if code == 0 else text.replace("where: base <= cap\n", ""))
                judged = oracle("check", name, *run, folder=folder)
                self.assertEqual(judged.returncode, code, judged.stdout + judged.stderr)
                self.assertEqual("parameters that do not meet base <= cap: the policy rules them out" in judged.stdout, code == 0)
            refused = oracle("eval", "with.yaml", "base=5", "cap=4", folder=folder)
            self.assertEqual(refused.returncode, 2)
            self.assertIn("this history is not allowed: expected base <= cap", refused.stderr)

    def test_where_keeps_to_the_ranges_that_a_port_declares(self) -> None:
        text = ("name: mine\nunit: s\nparameters: {base: {default: 1, range: [1, 1000]}, cap: {default: 300, range: [1, 1000]}}\n"
                "where: CONDITION\ndelay: min(cap, base * 2^n)\n")
        port = ("import sys; sys.path.insert(0, sys.argv[1])\nfrom backoff_port import serve\ndef port(p, _):\n"
                " n, base, cap = 0, int(p['base']), int(p['cap'])\n"
                " if not (50 <= base <= 900 and 20 <= cap <= 500): raise ValueError('a range that it does not declare')\n"
                " def answer(step):\n  nonlocal n\n  if step['op'] == 'reset':\n   n = 0\n   return {'status': 'ok'}\n"
                "  n += 1\n  return {'status': 'retry', 'delay_s': min(cap, base * 2 ** (n - 1))}\n return answer\n"
                "serve(port, {'port': {'name': 'mine'}, 'systems': ['mine'], 'features': ['instances'],\n"
                " 'ranges': {'base': ['50', '900'], 'cap': ['20', '500']}})\n")
        for condition in ("base <= cap", "base + 100 < cap", "base * 8 <= cap"):
            with tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "port.py").write_text(port)
                (pathlib.Path(folder) / "mine.yaml").write_text(text.replace("CONDITION", condition))
                judged = oracle("check", "mine.yaml", "--cases", "500", "--", sys.executable, "port.py",
                                HERE.parent / "ports/helpers/python", folder=folder)
                self.assertEqual(judged.returncode, 0, judged.stdout + judged.stderr)

    def test_a_parameter_that_no_formula_uses_is_warned_of(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "mine.yaml").write_text(GOOD.replace("cap: 5000", "cap: 5000, factor: 2"))
            listed = oracle("list", "mine.yaml", folder=folder)
            self.assertEqual(listed.returncode, 0, listed.stderr)
            self.assertEqual(listed.stderr, "backoff-oracle: warning: mine.yaml:3:65: no formula uses 'factor'\n")


class BadInputOracleTest(unittest.TestCase):
    def refused(self, text: str | bytes, *parts: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "mine.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
            result = oracle("list", "mine.yaml", folder=folder)
            self.assertEqual(result.returncode, 2, result.stdout)
            for part in parts:
                self.assertIn(part, result.stderr)

    def test_each_error_names_its_line_and_what_was_expected(self) -> None:
        self.refused(GOOD.replace("cap, base", "cpa, base"), "mine.yaml:4:12:", "unknown name 'cpa'", "did you mean 'cap'?")
        self.refused(GOOD.replace("delay:", "dealy:"), "mine.yaml:4:1:", "unknown key 'dealy'", "did you mean 'delay'?")
        self.refused(GOOD.replace("unit: ms", "unit: min"), "mine.yaml:2:7:", "ns, us, ms, s")
        self.refused(GOOD.replace("[1, 1000]", "[1000, 1]"), "mine.yaml:3:", "inverted range")
        self.refused(GOOD.replace("default: 100,", "default: 0,"), "outside of its range")
        self.refused(GOOD.replace("cap: 5000", "cap: 4.6e18"), "mine.yaml:3:59:", "expected a number of at most 15 digits")
        self.refused(GOOD.replace("2^n", "uniform(0, uniform(0, 1))"), "a draw inside a draw")
        self.refused(GOOD.replace("base * 2^n", "base / n"), "mine.yaml:4:22:", "division by zero", "n=0")
        self.refused(GOOD.replace("base * 2^n", "base - 2^n"), "a delay below 0", "base=")
        self.refused(GOOD.replace("min(cap, base * 2^n)", "uniform(cap, base)"), "its low end above its high end")
        self.refused(GOOD.replace("base * 2^n", "base * log(n)"), "mine.yaml:4:24:", "log of a number that is not above 0")
        self.refused(GOOD.replace("base * 2^n", "prev * 2"), "expected the key 'prev'")
        self.refused(GOOD.replace("name: mine", "name: aws_step_functions"), "is that of a system")
        self.refused(GOOD + "attempts: 0\n", "mine.yaml:5:11:", "no retry is ever granted")
        self.refused(GOOD + "attempts: -1\n", "mine.yaml:5:11:", "expected a whole number of retries")
        self.refused(GOOD + "attempts: 3.5\n", "mine.yaml:5:11:", "expected a whole number of retries")
        self.refused(GOOD.replace("min(cap", "1e17 * 1e17 + min(cap"), "mine.yaml:4:8:", "no delay is below 10^18")
        self.refused(GOOD + "attempts: nevr\n", "mine.yaml:5:11:", "expected one of: a number, forever, base, cap",
                     "did you mean 'forever'?")
        self.refused(GOOD + "attempts: bas\n", "did you mean 'base'?")
        self.refused(GOOD.replace("min(cap, base * 2^n)", "min(cap)"), "min of 1 argument: expected 2 to 8")
        self.refused(GOOD + "seeds: must\n", "mine.yaml:5:8:", "nothing is drawn", "uniform(LOW, HIGH)")
        self.refused(GOOD.replace("min(cap", "uniform(0, cap) + min(cap") + "seeds: mst\n", "mine.yaml:5:8:", "did you mean 'must'?")
        self.refused("[1, 2", "not YAML")
        self.refused("", "expected")

    def test_lists_conditions_and_words_are_refused_with_their_place(self) -> None:
        delays = "name: mine\nunit: s\nparameters: {base: {default: 2, range: [1, 9]}}\ndelays: [1, 5, base]\n"
        self.refused(delays.replace("[1, 5, base]", "[]"), "mine.yaml:4:9:", "expected delays one after the other")
        self.refused(delays.replace("[1, 5, base]", "5"), "mine.yaml:4:9:", "such as [5, 300, 1800]")
        self.refused(delays.replace("base]", "n]"), "mine.yaml:4:16:", "unknown name 'n'")
        self.refused(delays + "then: lst\n", "mine.yaml:5:7:", "did you mean 'last'?")
        self.refused(delays + "then: exhausted\nattempts: 3\n", "mine.yaml:5:7:", "expected no key 'attempts'")
        self.refused(delays + "delay: 3\n", "mine.yaml:4:9:", "no formula uses listed")
        self.refused(GOOD + "then: last\n", "mine.yaml:5:7:", "'delays'")
        self.refused(GOOD + "where: base < 100\n", "mine.yaml:5:8:", "the defaults do not meet it: expected base < 100")
        self.refused(GOOD + "where: base\n", "mine.yaml:5:8:", "expected a comparison")
        self.refused(GOOD + "where: [base <= cap, n < 3]\n", "mine.yaml:5:22:", "unknown name 'n'")
        self.refused(GOOD.replace("cap: 5000", "cap: {default: unset, range: [1, 9000]}"), "a value that is not set", "cap=unset")
        self.refused(GOOD.replace("min(cap", "min(unset"), "mine.yaml:4:12:", "unset: expected it beside == or != only")
        self.refused(GOOD.replace("cap: 5000", "cap: 10 * base"), "the default of 'cap' is a formula: expected a range too")
        self.refused(GOOD.replace("cap: 5000", "cap: {default: bass, range: [1, 9000]}"), "unknown name 'bass'", "did you mean 'base'?")
        self.refused(GOOD.replace("cap: 5000", "cap: {default: 10 * cap, range: [1, 9000]}"), "uses itself")
        self.refused(GOOD.replace("cap: 5000", "cap: {default: 10 * cpa, range: [1, 9000]}"), "mine.yaml:3:74:", "did you mean 'cap'?")

    def test_slips_of_writing_are_refused(self) -> None:
        self.refused(GOOD.replace("cap: 5000}", "cap: 5000,}"), "mine.yaml:3:63:", "a comma before '}'")
        self.refused(GOOD.replace("1000]", "1000 ,\n  ]"), "mine.yaml:3:51:", "a comma before ']'")
        self.refused(GOOD.replace("{base", "{,base"), "mine.yaml:3:")
        self.refused(GOOD + 'document: "page 3, first\n', "mine.yaml:5:11:", "an open quote")
        self.refused(GOOD + "document: 'it''s\n", "mine.yaml:5:11:", "an open quote")
        self.refused(GOOD.replace("2^n", "2\0^n"), "mine.yaml:4:25:", "a control character (byte 0)")
        with tempfile.TemporaryDirectory() as folder:
            text = GOOD + "document: \"Author's \\\"page\\\", [a,\" # don't, }\nhazards: {delay: {'late': 'min(cap, base * 2^(n + 1))'}}\n"
            (pathlib.Path(folder) / "mine.yaml").write_text(text)
            self.assertEqual(oracle("list", "mine.yaml", folder=folder).stderr, "")

    def test_what_is_no_file_is_told_apart(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "folder.yaml").mkdir()
            os.mkfifo(place / "fifo.yaml")
            for name, told in (("folder.yaml", "'folder.yaml' is a folder: expected a policy"),
                               ("none.yaml", f"'none.yaml' does not exist in '{folder}': expected a policy"),
                               ("/none.yaml", "'/none.yaml' does not exist: expected a policy"),
                               ("fifo.yaml", "'fifo.yaml' is a FIFO that nobody writes to: expected a policy")):
                with self.subTest(name):
                    result = oracle("list", name, folder=folder)
                    self.assertEqual(result.returncode, 2)
                    self.assertIn(told, result.stderr)
            writer = subprocess.Popen(["cp", SHELF / "kubernetes_crash_loop.yaml", place / "fifo.yaml"])
            self.assertEqual(oracle("list", "fifo.yaml", folder=folder).returncode, 0)
            writer.wait()

    def test_what_is_no_text_or_too_deep_is_named_with_its_place(self) -> None:
        for name, broken, place in (("FF FE", b"\xff\xfe", ":1:1:"), ("in a name", b"name: mi\xffne\n", ":1:9:"),
                                    ("after a letter", "# é\n# é".encode() + b"\xa9\n", ":2:4:"),
                                    ("cut off", b"# \xe2\x82", ":1:3:"), ("overlong", b"\xe0\x80\x80", ":1:1:"),
                                    ("half a pair", b"\n\xed\xa0\x80", ":2:1:"), ("beyond", b"\xf4\x90\x80\x80", ":1:1:"),
                                    ("UTF-16", GOOD.encode("utf-16"), ":1:1:")):
            with self.subTest(name):
                self.refused(broken, "mine.yaml" + place, "bytes that are not UTF-8: expected a policy in UTF-8")
        for letters in ("é", "€", "\U0001f600", "\ufeff"):
            with self.subTest(letters), tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "mine.yaml").write_bytes(f"{GOOD}document: {letters}\n".encode())
                self.assertEqual(oracle("list", "mine.yaml", folder=folder).stderr, "")
        for deep in ("[", "{a: ", "- "):
            with self.subTest(deep):
                self.refused(deep * 100_000, "levels deep: expected fewer")
        self.refused(GOOD.replace("2^n", "(" * 100_000 + "2" + ")" * 100_000), "mine.yaml:4:8:", "expected at most 1000")
        self.refused(GOOD + "# " + "x" * 2_000_000, "more than 1 MiB")
        self.refused(GOOD.replace("cap: 5000", "cap: 5000, steps: 3"), ":3:65:",
                     "the name 'steps' is reserved: expected a name other than and, attempt, ")

    def test_a_parameter_may_have_the_name_of_a_function(self) -> None:
        names = ("exp", "log", "min", "max", "clamp", "floor", "if", "uniform", "integer", "draw", "op", "on", "sleep")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "mine.yaml"
            for name in names:
                with self.subTest(name):
                    file.write_text(f"name: mine\nunit: ms\nparameters: {{{name}: {{default: 3, range: [1, 9]}}}}\n"
                                    f"delay: max({name}, min({name} * 2, 500)) + exp(0) * {name}\n")
                    worth = oracle("eval", file, f"{name}=4", "steps=next")
                    self.assertEqual((worth.stdout, worth.stderr), ("canonical  12\n", ""))
                    self.assertIn(f"max({name}, ", oracle("list", file).stdout)

    def test_what_stands_behind_the_end_is_refused(self) -> None:
        policy = '{"name": "mine", "unit": "s", "delay": 1}'
        for text, place in ((policy + ",", ":1:42:"), (policy + "\n, 2\n", ":2:1:"), (",", ":1:1:"), ('"mine", 2', ":1:7:")):
            with self.subTest(text):
                self.refused(text, "mine.yaml" + place, "something behind the end of the policy")
        self.refused(policy + "\n---\n" + policy, "mine.yaml:2:1:", "a second document: expected one policy")
        self.refused("# nothing\n", "mine.yaml:1:1:", "an empty text: expected a policy")

    def test_a_formula_of_several_lines_has_its_place(self) -> None:
        for lines in ("|\n  min(cap,\n  bass)\n", ">\n  min(cap,\n  bass)\n", '"min(c\\x61p, bass)"\n'):
            with self.subTest(lines):
                self.refused(GOOD.replace("min(cap, base * 2^n)\n", lines), "mine.yaml:4:", ": unknown name 'bass'")
        self.refused(GOOD.replace("min(cap, base * 2^n)", "|\n  base /\n  n"), "mine.yaml:4:9: division by zero in 'base / n'")
        self.refused(GOOD.replace("min(cap, base * 2^n)", '"\\x01"'), "mine.yaml:4:9: found '?': expected a number")
        self.refused(GOOD.replace("min(cap, base * 2^n)", '"\\é"'), "mine.yaml:4:11: not YAML: unknown escape character")
        of_default = GOOD.replace("cap: 5000", "cap: {default: 9000 + 1 / (base - 100), range: [1, 9000]}")
        self.refused(of_default, "mine.yaml:4:12: division by zero")

    def test_formulas_of_formulas_are_limited(self) -> None:
        of_each_other = "".join(f"  p{i}: {{default: {' + '.join([f'p{i - 1}'] * 150)}, range: [1, 2]}}\n" for i in range(1, 7))
        too_long = "expected at most 10000 numbers, names and operations"
        self.refused("name: mine\nunit: s\nparameters:\n  p0: 1\n" + of_each_other + "delay: p6\n", "mine.yaml:6:", too_long)
        sums = ", ".join(["+".join("1" * 400)] * 90)
        self.refused(f"name: mine\nunit: s\ndelays: [{sums}]\n", "mine.yaml:3:9:", "expected at most 10000")
        self.refused(GOOD + f"where: [{', '.join(['base > 0'] * 21)}]\n", "mine.yaml:5:8:", "expected at most 20 conditions")

    def test_keys_that_no_policy_has_are_told_what_to_write(self) -> None:
        for key, told in (("max_delay: 8000", "write min(8000, x)"), ("cap_ms: 8000", "write min(8000, x)"),
                          ("jitter: full", "write uniform(low, high)"), ("retries: 5", "write attempts"),
                          ("multiplier: 2", "write parameters: {multiplier: 2}")):
            self.refused(GOOD + key + "\n", "mine.yaml:5:1:", told)
        self.refused("name: mine\nunit: ms\nparameters:\n\tcap: 5\ndelay: cap\n", "mine.yaml:4:", "spaces instead of a tab")
        self.refused(GOOD.replace("min(cap, base * 2^n)", "250, 500"), ":4:11:", "delays: [250, 500]")

    def test_what_people_write_instead_is_told_what_to_write(self) -> None:
        for written, *parts in (("base * 2 ** n", ":17:", "expected ^ for a power"), ("base << n", ":13:", "expected ^ for a power"),
                                ("base * (1 << n)", "expected ^ for a power"), ("base * pow(2, n)", "write ^ for a power"),
                                ("100ms * 2^n", ":11:", "without a unit"), ("1 s \u00d7 1.6", ":10:", "without a unit"),
                                ("base ± 20 %", ":13:", "uniform(0.8 * x, 1.2 * x)"), ("base + 20 %", ":18:", "such as 0.2 for 20 %"),
                                ("random(0, base)", ":8:", "write uniform(low, high)"), ("base * rand", ":15:", "write uniform(low, high)"),
                                ("base * 2^retries", ":17:", "write n, the retries granted before"),
                                ("sleep * 3", ":8:", "write prev, the delay before"),
                                (".5 * base", ":8:", "expected a digit before the point"),
                                ("if(n = 0, 0, base)", ":13:", "expected == for a comparison"),
                                ("if(n > 0 && n < 3, 0, base)", ":17:", "expected and"),
                                ("n == 0", ":10:", "a comparison: expected a number here"),
                                ("base * 1e100", ":15:", "expected a number from 1e-80 to 1e80"),
                                ("n > 0 ? base : cap", "not YAML", "expected quotes around a text that has a colon"),
                                ("[min(cap, base), base]", ":16:", "a comma in [ ] or { } ends a formula: expected quotes"),
                                ("[100, 200, 400]", ":8:", "one after the other, delays: [100, 200]")):
            with self.subTest(written):
                self.refused(GOOD.replace("min(cap, base * 2^n)", written), "mine.yaml:4:", *parts)
        with tempfile.TemporaryDirectory() as folder:  # what is far from every name is near to none
            (pathlib.Path(folder) / "mine.yaml").write_text(GOOD.replace("base * 2^n", "fib(n)"))
            self.assertNotIn("did you mean", oracle("list", "mine.yaml", folder=folder).stderr)

    def test_a_name_that_is_no_system_is_told_how_a_file_is_named(self) -> None:
        for words in (("check", "mine", "--", "/no/such/port"), ("list", "mine"), ("eval", "mine"), ("vectors", "mine"),
                      ("explain", "mine")):
            with self.subTest(words[0]):
                result = oracle(*words)
                self.assertEqual(result.returncode, 2, result.stdout)
                self.assertIn("or a policy file, whose name ends in .yaml, .yml or .json", result.stderr)

    def test_json_is_taken_too_and_what_does_not_exist_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "mine.json").write_text(
                json.dumps({"name": "mine", "unit": "s", "delay": "min(60, 2^n)", "attempts": 5}, indent=1))
            self.assertEqual(oracle("eval", "mine.json", folder=folder).stdout,
                             "canonical  1, 2, 4, 8, 16, exhausted\n")
            self.assertIn("nothing.yaml", oracle("list", "nothing.yaml", folder=folder).stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    known, rest = parser.parse_known_args()
    BIN = known.bin.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
