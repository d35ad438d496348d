#!/usr/bin/python3
"""Arguments of calls, conditions that end retries, count them or begin anew, and draws with a name: what they are worth,
right and wrong ports, and what is refused.

Usage: calls_test.py --bin FOLDER [CLASS]
"""
import argparse
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PORT = HERE / "test_ports/calls.py"
BIN = pathlib.Path()  # from the command line

POLICIES = {
    "client": (HERE / "example/my_client.yaml").read_text(),
    "budget": """name: budget
unit: s
parameters: {budget: {default: 10, range: [1, 500]}}
delay: uniform(0, min(30, 2^n))
while: elapsed + delay <= budget
""",
    "remainder": """name: remainder
unit: ms
parameters: {budget: {default: 1000, range: [1, 5000]}}
delay: min(budget - elapsed, 100 * 2^n)
while: elapsed < budget
""",
    "tenths": """name: tenths
unit: s
parameters: {budget: {default: 1.0, range: [0.1, 5.0]}}
delay: 0.1
while: {within: elapsed + delay <= budget, may-pass: elapsed < budget}
""",
    "classes": """name: classes
unit: s
parameters: {jitter: [none, full, equal], cap: {default: 20, range: [1, 100]}}
call: {error: [transient, throttled], retry_after: {default: unset, range: [0.0, 60.0]}}
window: min(cap, if(error == throttled, 2, 1) * 2^n)
delay: >-
  if(retry_after != unset, retry_after, if(jitter == none, window,
  if(jitter == full, uniform(0, window), window / 2 + uniform(0, window / 2))))
attempts: if(error == throttled, 5, 3)
""",
    "timeout": """name: timeout
unit: s
parameters: {mrt: {default: 30, range: [1, 3600]}}
prev: 1
draws: {rand: "uniform(-0.1, 0.1)"}
first: if(1 + rand > mrt, mrt + rand * mrt, 1 + rand)
delay: if(2 * prev + rand * prev > mrt, mrt + rand * mrt, 2 * prev + rand * prev)
""",
    "smooth": """name: smooth
unit: s
parameters: {base: {default: 1.0, range: [0.1, 10.0]}}
draws: {u: "uniform(0, 1)"}
delay: base * 2^(n + u) * tanh(sqrt(4 * (n + u))) - elapsed
""",
    "several": """name: several
unit: ms
parameters: {base: {default: 100, range: [1, 10000]}}
draws: {factor: "uniform(0.5, 1.5)", extra: "uniform(0, 1000)"}
delay: min(60000, base * 2^n) * factor + extra
""",
    "hinted": """name: hinted
unit: ms
parameters: {base: {default: 100, range: [1, 1000]}}
call: {hint: {default: unset, range: [1, 60000]}}
delay: if(hint == unset, integer(0, base * 2^n), hint)
""",
    "steps": """name: steps
unit: ms
draws: {k: "integer(0, 3)"}
delay: 100 * 2^k
""",
}

JITTER = "delays_fill_their_window|delays_are_independent|within_window"

# Of each policy: the ports that must fail, and the claim that must catch each.
WRONG = {
    "client": {"ignores-retry-after": "delay_is_as_declared|condition_starts_a_fresh_cycle", "at-least-backed-off": "delay_is_as_declared",
               "late-reset": "condition_starts_a_fresh_cycle", "no-reset": "condition_starts_a_fresh_cycle",
               "without-delay": "condition_ends_retries", "no-budget": "condition_ends_retries",
               "retries-fatal": "condition_ends_retries", "counts-polls": "delay_is_as_declared"},
    "budget": {"without-delay": "condition_ends_retries", "no-budget": "condition_ends_retries",
               "half-the-jitter": "delays_fill_their_window|condition_ends_retries"},
    "remainder": {"uncut": "delay_is_as_declared"},
    "tenths": {"one-early": "retries_while_the_condition_holds"},
    "classes": {"one-limit": "attempts_limited", "one-base": "delay_within_window", "equal-as-full": "delay_within_window",
                "whole-retry-after": "delay_within_window"},
    "timeout": {"half-the-jitter": JITTER, "no-jitter-at-the-cap": JITTER, "draws-again": "delay_within_window", "cuts": JITTER},
    "smooth": {"half-the-jitter": JITTER, "no-start": "delay_within_window", "forgets": "delay_within_window"},
    "several": {"one-draw": JITTER, "no-extra": JITTER, "no-factor": JITTER},
    "steps": {"never-the-last": JITTER},
}


def oracle(*words: object, folder: str | pathlib.Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(BIN / "backoff-oracle"), *map(str, words)], capture_output=True, text=True, cwd=folder,
                          timeout=300)


class Written(unittest.TestCase):
    """With policies as files in a folder."""

    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name, text in POLICIES.items():
            (self.folder / f"{name}.yaml").write_text(text)

    def check(self, name: str, fault: str, draws: str, *words: object) -> subprocess.CompletedProcess[str]:
        return oracle("check", f"{name}.yaml", "--cases", "500", *words, "--", sys.executable, PORT, name, fault, draws,
                      folder=self.folder)


class CallsOracleTest(Written):
    def delays(self, name: str, *words: str) -> str:
        worth = oracle("eval", f"{name}.yaml", *words, folder=self.folder)
        self.assertEqual(worth.stderr, "")
        return worth.stdout.splitlines()[0].split(maxsplit=1)[1]

    def test_arguments_and_conditions_are_worth_what_the_page_says(self) -> None:
        for name, steps, delays in (
                ("client", "next,next:throttled,next:throttled:30,next:fatal", "1, 2, 30, exhausted"),
                ("client", "next@3,next:failed::3600,next", "1, 2, 4, 1, 2"),
                ("client", "next:pending@3,next,next", "3, 3, 3, 1, 2"),
                ("client", "next:failed:500,next:failed:401,next:failed:400", "500, exhausted, not judged"),
                ("client", "next:failed:500,next:failed:401,reset,next:failed:400", "500, exhausted, ok, 400"),
                ("remainder", "next@5", "100, 200, 400, 300, exhausted"),
                ("classes", "next:throttled@2,next:transient:7.5,next:transient,next:transient", "2, 4, 7.5, exhausted, exhausted")):
            with self.subTest(steps):
                self.assertEqual(self.delays(name, f"steps={steps}"), delays)
        self.assertRegex(self.delays("budget", "budget=3"), r"^\[0, 1\], \[0, 2\], \[0, ~3\.\d+\] or exhausted, ")

    def test_a_time_that_a_sum_of_doubles_may_miss_is_left_open(self) -> None:
        worth = oracle("eval", "tenths.yaml", "budget=0.3", "steps=next@5", folder=self.folder).stdout
        self.assertIn("0.1, 0.1, 0.1 or exhausted", worth)

    def test_right_ports_conform_and_wrong_ones_do_not(self) -> None:
        for name, faults in WRONG.items():
            for draws in ("hidden", "given") if name in ("budget", "classes", "timeout", "smooth", "steps") else ("hidden",):
                with self.subTest(f"{name} {draws}"):
                    judged = self.check(name, "right", draws)
                    self.assertEqual(judged.returncode, 0, judged.stdout + judged.stderr)
                for fault, claim in faults.items():
                    with self.subTest(f"{name} {fault} {draws}"):
                        judged = self.check(name, fault, draws)
                        self.assertEqual(judged.returncode, 1, judged.stdout + judged.stderr)
                        self.assertRegex(judged.stdout.split("verdict:")[1], claim)
        judged = self.check("tenths", "may-pass", "hidden")
        self.assertIn("as read with while=may-pass", judged.stdout)

    def test_what_broke_is_told_by_its_cause_and_replayed(self) -> None:
        for name, fault, cause in (("client", "ignores-retry-after", "ignores retry_after: it is always unset"),
                                   ("client", "no-reset", "does not begin a fresh cycle by the condition of reset"),
                                   ("client", "reset-above", "where both sides of the condition of reset are equal"),
                                   ("client", "counts-polls", "counts each retry"),
                                   ("client", "without-delay", "leaves the delay out of the condition of while"),
                                   ("client", "retries-fatal", "takes answer fatal for failed"),
                                   ("timeout", "no-jitter-at-the-cap", "does not draw where the condition of its if holds"),
                                   ("smooth", "half-the-jitter", "draws from"),
                                   ("classes", "one-base", "ignores error in its delays: it is always transient")):
            with self.subTest(fault):
                judged = self.check(name, fault, "given")
                self.assertIn(cause, judged.stdout)
                replay = shlex.split(next(line for line in judged.stdout.splitlines() if line.startswith("  replay")))[1:]
                again = subprocess.run(replay, capture_output=True, text=True, cwd=self.folder, timeout=60)
                self.assertEqual(again.returncode, 1, again.stdout + again.stderr)

    def test_a_fault_of_an_argument_is_told_with_the_calls_that_give_it(self) -> None:
        for fault, cause in (("ignores-the-hint", "ignores hint: it is always unset"),
                             ("hint-in-seconds", "takes a thousand times hint, as if a unit were mistaken"), ("hint-twice", "")):
            for draws in ("given", "hidden"):
                with self.subTest(f"{fault} {draws}"):
                    said = " ".join(self.check("hinted", fault, draws).stdout.split())
                    self.assertIn(cause, said)
                    self.assertRegex(said, "(breaks only|seen) where hint is given")
                    self.assertIn(" conforms where no call gives hint: ", said)

    def test_a_port_that_is_asked_after_the_end_may_begin_anew_or_stay(self) -> None:
        judged = self.check("client", "not-sticky", "hidden")
        self.assertEqual(judged.returncode, 0, judged.stdout + judged.stderr)
        self.assertEqual(self.delays("client", "steps=next:failed:500,next:failed:401,next:failed::3600,reset,next"),
                         "500, exhausted, not judged, ok, 1")

    def test_a_time_is_kept_also_where_the_condition_is_put_together(self) -> None:
        for condition in ("elapsed + delay <= budget", "not (elapsed + delay > budget)",
                          "budget == 7 or elapsed + delay <= budget", "elapsed + max(delay, 0.5) <= budget",
                          "elapsed + delay <= if(budget == 7, forever, budget)", "n < 90 and not budget < elapsed + delay"):
            with self.subTest(condition):
                (self.folder / "budget.yaml").write_text(
                    POLICIES["budget"].replace("while: elapsed + delay <= budget", f"while: {condition}"))
                self.assertRegex(self.delays("budget", "budget=3"), r"^\[0, 1\], \[0, 2\], \[0, ~3\.\d+\] or exhausted, ")
        (self.folder / "budget.yaml").write_text(
            POLICIES["budget"].replace("elapsed + delay <= budget", "elapsed + delay <= budget or delay >= 1.5"))
        self.assertTrue(self.delays("budget", "budget=1", "steps=next@2").startswith("[0, 1] or exhausted, "))

    def test_halves_are_exact_in_a_condition(self) -> None:
        (self.folder / "half.yaml").write_text("name: half\nunit: s\nparameters: {budget: {default: 7.5, range: [0.5, 60.0]}}\n"
                                               "delay: 0.5 * 2^n\nwhile: elapsed + delay <= budget\n")
        self.assertEqual(self.delays("half", "steps=next@5"), "0.5, 1, 2, 4, exhausted")

    def test_an_argument_is_never_sent_or_always(self) -> None:
        port = ("import sys; sys.path.insert(0, sys.argv[1])\nfrom backoff_port import serve\ndef port(p, _):\n"
                " n = 0\n def answer(step):\n  nonlocal n\n  if step['op'] == 'reset':\n   n = 0\n   return {'status': 'ok'}\n"
                "  n += 1\n  delay = int(step['after']) if sys.argv[2] == 'always' else 2 ** min(n - 1, 40)\n"
                "  assert sys.argv[2] == 'always' or 'after' not in step\n"
                "  return {'status': 'retry', 'delay_s': delay}\n return answer\n"
                "serve(port, {'port': {'name': 'mine'}, 'systems': ['mine'], 'features': ['instances'], 'ranges': {'after':\n"
                " {'range': ['1', '600'], 'unset': False} if sys.argv[2] == 'always' else {'unset': True}}})\n")
        (self.folder / "port.py").write_text(port)
        (self.folder / "mine.yaml").write_text("name: mine\nunit: s\ncall: {after: {default: unset, range: [1, 600]}}\n"
                                               "delay: if(after == unset, 2^min(n, 40), after)\n")
        for how, takes in (("never", "after unset"), ("always", "after 1..600")):
            with self.subTest(how):
                judged = oracle("check", "mine.yaml", "--cases", "300", "--", sys.executable, "port.py",
                                HERE.parent / "ports/helpers/python", how, folder=self.folder)
                self.assertEqual(judged.returncode, 0, judged.stdout + judged.stderr)
                self.assertIn(takes, judged.stdout)

    def test_a_port_without_an_argument_declares_its_range(self) -> None:
        port = ("import sys; sys.path.insert(0, sys.argv[1])\nfrom backoff_port import serve\ndef port(p, _):\n"
                " n = 0\n def answer(step):\n  nonlocal n\n  if step['op'] == 'reset':\n   n = 0\n   return {'status': 'ok'}\n"
                "  assert step['up'] == '0' and step['error'] == 'failed'\n"
                "  n += 1\n  return {'status': 'retry', 'delay_s': 2 ** min(n - 1, 40)}\n return answer\n"
                "serve(port, {'port': {'name': 'mine'}, 'systems': ['mine'], 'features': ['instances'],\n"
                " 'ranges': {'up': ['0', '0'], 'error': ['failed']}})\n")
        (self.folder / "port.py").write_text(port)
        (self.folder / "mine.yaml").write_text(
            "name: mine\nunit: s\ncall: {up: {default: 0, range: [0, 99]}, error: [failed, fatal]}\n"
            "delay: 2^min(n, 40)\nreset: up >= 60\n")
        judged = oracle("check", "mine.yaml", "--cases", "300", "--", sys.executable, "port.py",
                        HERE.parent / "ports/helpers/python", folder=self.folder)
        self.assertEqual(judged.returncode, 0, judged.stdout + judged.stderr)
        self.assertIn("condition_starts_a_fresh_cycle: the ranges that the port declares exclude it", judged.stdout)

    def test_results_vectors_and_other_verbs_take_such_a_policy(self) -> None:
        kept = self.check("client", "right", "hidden", "--results", "kept")
        self.assertEqual(oracle("report", "kept", "--policy", "client.yaml", folder=self.folder).stdout, kept.stdout)
        vectors = oracle("vectors", "client.yaml", "--count", "50", folder=self.folder)
        self.assertEqual(vectors.returncode, 0, vectors.stderr)
        self.assertIn('"answer":"pending"', vectors.stdout.replace(" ", ""))
        explained = oracle("explain", "client.yaml", folder=self.folder)
        self.assertEqual(explained.returncode, 0, explained.stderr)


class BadCallsOracleTest(Written):
    HEAD = "name: mine\nunit: s\nparameters: {budget: {default: 9, range: [1, 99]}}\n"

    def refused(self, text: str, *parts: str) -> None:
        (self.folder / "mine.yaml").write_text(self.HEAD + text)
        result = oracle("list", "mine.yaml", folder=self.folder)
        self.assertEqual(result.returncode, 2, result.stdout)
        for part in parts:
            self.assertIn(part, result.stderr)

    def test_each_error_names_its_place_and_what_was_expected(self) -> None:
        call = "call: {error: [transient, fatal], up: {default: 0, range: [0, 9]}}\n"
        self.refused(call + "delay: 2\nwhile: error != fattal\n", "mine.yaml:6:17:", "expected a word of 'error', one of: "
                     "transient, fatal; did you mean 'fatal'?")
        self.refused(call + "delay: 2\nwhile: error > fatal\n", "mine.yaml:6:8:", "expected a comparison, such as error == ")
        self.refused(call + "delay: error + 1\n", "mine.yaml:5:8:", "'error' is one of several words")
        self.refused(call + "delay: 2\nwhile: elapsed + 1\n", "mine.yaml:6:16:", "expected a comparison here")
        self.refused("delay: 2^n\nuntil: elapsed < 9\n", "mine.yaml:5:1:", "write while: elapsed + delay <= budget")
        self.refused("delay: 2^n\nmax_elapsed: 9\n", "mine.yaml:5:1:", "unknown key")
        self.refused("call: {up: 5}\ndelay: 2^n\n", "mine.yaml:4:12:", "is the same in every call: expected a range")
        self.refused("call: {up: {default: 5, range: [0, 9], unset: true}}\ndelay: 2^n\n", "expected default: unset")
        self.refused("call: {up: {default: forever, range: [0, 9]}}\ndelay: 2^n\n", "may be forever: expected a number")
        self.refused("call: {budget: {default: 1, range: [0, 9]}}\ndelay: 2^n\n", "argument 'budget' is given twice")
        self.refused("call: {error: [fatal]}\ndelay: 2^n\n", "expected 2 to 12 words of 'error'")
        self.refused("call: {error: [fatal, fatal]}\ndelay: 2^n\n", "'fatal' is given twice")
        self.refused("call: {error: [Fatal, x]}\ndelay: 2^n\n", "mine.yaml:4:16:", "the words of 'error'")
        self.refused("call: []\ndelay: 2^n\n", "mine.yaml:4:7:", "expected arguments of each call")
        self.refused(call + "prev: up\ndelay: prev + 1\n", "mine.yaml:5:7:", "'up' has no value here: expected one of: budget")
        self.refused(call + "delay: 2\nreset: elapsed > 4\n", "mine.yaml:6:8:", "'elapsed' has no value here")
        self.refused(call + "delay: 2\nwhile: error\n", "mine.yaml:6:8:", "'error' is one of several words")
        self.refused(call + "delay: 2\nwhile: [elapsed < 4, n < 3]\n", "mine.yaml:6:8:", "expected one condition, with and or")
        self.refused(call + "delay: 2\nwhile: error == fatal and error == transient\n", "mine.yaml:6:8:", "no retry is ever granted")
        self.refused(call + "delay: 2\nwhile: ! (error == fatal)\n", "mine.yaml:6:", "found '!'", "expected not")
        self.refused(call + "delay: 2\nwhile: !(error == fatal)\n", "mine.yaml:6:", "found '!'", "expected not")
        self.refused(call + "delay: 2\nwhile: n < 3 and !(error == fatal)\n", "mine.yaml:6:18:", "found '!': expected not")
        self.refused("window: 2^n\ndelay: window\nwhile: window < 9\n", "expected delay, the delay of this retry")
        self.refused("delay: 2\nwhile: 1 / (8 - elapsed) > 0\n", "mine.yaml:5:10:", "division by zero")

    def test_each_error_of_draws_names_its_place(self) -> None:
        u = "draws: {u: 'uniform(0, 1)'}\n"
        self.refused("draws: {u: 'uniform(0, 1'}\ndelay: u\n", "mine.yaml:4:", "expected ')'")
        self.refused("draws: {u: budget}\ndelay: u\n", "mine.yaml:4:12:", "expected uniform(LOW, HIGH) or integer(LOW, HIGH)")
        self.refused("draws: {u: 2 * uniform(0, 1)}\ndelay: u\n", "mine.yaml:4:")
        self.refused("draws: [u]\ndelay: u\n", "mine.yaml:4:8:", "expected draws with a name each")
        self.refused("draws: {budget: 'uniform(0, 1)'}\ndelay: 1\n", "mine.yaml:4:9:", "draw 'budget' is given twice")
        self.refused("draws: {prev: 'uniform(0, 1)'}\ndelay: 1\n", "mine.yaml:4:9:", "the name 'prev' is reserved")
        for name in ("draw", "on", "op"):
            self.refused(f"call: {{{name}: {{default: 1, range: [0, 9]}}}}\ndelay: {name}\n", f"the name '{name}' is reserved")
        self.refused(u + "window: u\ndelay: window\n", "mine.yaml:5:9:", "unknown name 'u'")
        self.refused(u + "delay: v\n", "mine.yaml:5:8:", "unknown name 'v'")
        self.refused(u + "delay: u + uniform(0, 1)\n", "mine.yaml:5:8:", "expected a name for it in 'draws' too")
        self.refused("draws: {u: 'uniform(0, 1)', v: 'uniform(0, 1)'}\ndelay: u * u + v\n", "mine.yaml:5:8:",
                     "'u' is used more than once or compared: expected each once")
        self.refused("draws: {u: 'uniform(0, 1)', k: 'integer(0, 1)'}\ndelay: if(budget > 3, u, k)\n", "mine.yaml:5:8:",
                     "expected the same in both")
        self.refused(u + "delay: 1 / u\n", "mine.yaml:5:10:", "division by zero")
        self.refused(u + "delay: u - 0.5\n", "mine.yaml:5:8:", "a delay below 0")
        self.refused("delay: uniform(0, 1) * uniform(0, 2)\n", "mine.yaml:4:22:", "two draws in one formula", "draws: {u: ")
        (self.folder / "mine.yaml").write_text(self.HEAD + u + "delay: budget\n")
        self.assertIn("no formula uses 'u'", oracle("list", "mine.yaml", folder=self.folder).stderr)

    def test_a_port_makes_several_draws_itself(self) -> None:
        judged = self.check("several", "right", "given")
        self.assertEqual(judged.returncode, 3)
        self.assertIn('a delay of several has several draws, which the port makes itself: expected "draws":"opaque"', judged.stderr)

    def test_an_argument_that_no_formula_uses_is_warned_of(self) -> None:
        (self.folder / "mine.yaml").write_text(self.HEAD.replace("budget", "base") + "call: {up: {default: 0, range: [0, 9]}}\n"
                                               "delay: base\n")
        self.assertIn("no formula uses 'up'", oracle("list", "mine.yaml", folder=self.folder).stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    known, rest = parser.parse_known_args()
    BIN = known.bin.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
