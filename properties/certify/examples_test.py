#!/usr/bin/python3
"""backoff-certify against the rows of spec/STEM/examples.yaml.

Usage: examples_test.py --bin DIR [CLASS…]
"""
import itertools
import re
import unittest
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import yaml
from certify_runs import SPEC, certify, main


def words(listed: list[Any]) -> list[str]:
    """Of calls or answers; @N after a word stands for N of it in all."""
    found: list[str] = []
    for word in " ".join(map(str, listed)).split():
        found += [found[-1]] * (int(word[1:]) - 1) if word[0] == "@" else [word]
    return found


def number(word: str) -> int | Fraction | None:
    """Decimal, or whole and hexadecimal."""
    if not re.fullmatch(r"0x[0-9a-f]+|[0-9]+(\.[0-9]+)?", word):
        return None
    return Fraction(word) if "." in word else int(word, 0)


def fields(answer: str, granted: dict[str, Any], delay: str, **other: dict[str, Any]) -> dict[str, Any]:
    """Of the first part of an answer: a number is the delay of what is granted, a word is among the others or the status."""
    n = number(answer)
    return other.get(answer, {"status": answer}) if n is None else {**granted, delay: n}


CONTROL: dict[str, dict[str, Any]] = {
    "ok": {"status": "ok"}, "held": {"status": "ok"}, "none": {"status": "ok"}, "no_instance": {"status": "null"},
    "error": {"status": "error"}, "set": {"result": 0}, "refused": {"result": 1}, "fails": {"result": 1},
    "now": {"result": 0, "action": "RETRY_NOW"}, "later": {"result": 0, "action": "RETRY_LATER"},
    "stop": {"result": 0, "action": "STOP_RETRYING"},
    "true": {"result": 0, "timed_out": True}, "false": {"result": 0, "timed_out": False}}


def control(what: str, *costs: str) -> dict[str, Any]:
    """An answer of retry control as fields: a word and its costs, or two options. Memory is not among them."""
    wait, said = number(what), CONTROL.get(what, {})
    of = ["max_jitter_percent"] if wait is not None else ["clock_reads", "draws_used"] if "action" in said else ["clock_reads"]
    return {"status": "answered", **said, **({} if wait is None else {"initial_wait_time_in_secs": wait}),
            **dict(zip(of, map(number, [*costs, "0"] if costs else [])))}


class Examples(unittest.TestCase):
    """The rows of spec/STEM/examples.yaml: each answer is admitted under the canonical readings, and no other one is."""
    # Of systems that have rows: the parts of an answer as fields.
    FIELDS: dict[str, Callable[..., dict[str, Any]]] = {
        "aws_backoff_algorithm": lambda delay: fields(delay, {"status": "retry"}, "delay_ms"),
        "aws_prescriptive_sample": lambda delay, again="": {
            **fields(delay, {"status": "answered"}, "delay_ms"), **({"retry": {"retry": True, "stop": False}.get(again)} if again else {})},
        "aws_retry_utils": lambda sleep, done, window: {
            **fields(sleep, {"status": "retry"}, "slept_s"), "attempts_done": number(done), "next_jitter_max": number(window)},
        "aws_step_functions": lambda delay: fields(delay, {"status": "retry"}, "delay_s"),
        "azure_c_retry_control": control,
        "azure_java_retry_policy": lambda delay, unasked="": {
            **fields(delay, {"status": "answered", "retry": True}, "delay_ms", stop={"status": "answered", "retry": False}),
            "consulted": {"": True, "unasked": False}.get(unasked)},
    }

    def steps(self, of: list[str], calls: dict[str, list[str]]) -> Iterator[dict[str, str]]:
        for i, text in enumerate(of):
            on, *rest = words([text])
            name, *given = [on, *rest] if on in calls else rest
            taken = [argument for argument in calls[name] if argument[-1] != "="]
            begun: list[dict[str, str]] = []
            arguments = iter(given if taken else [name, *given])
            for word in arguments:
                argument, named, value = word.partition("=")
                if named:
                    begun[-1][argument] = value
                    continue
                with_it = zip(taken, itertools.chain([word], arguments))
                begun.append({"op": name, "on": "0" if on in calls else f"new {i} {len(begun)}" if on == "new" else on,
                              **{argument: word if argument == "clock" else str(number(word) or word) for argument, word in with_it}})
            yield from begun

    def as_certified(self, stem: str, params: dict[str, str], steps: list[dict[str, Any]]) -> dict[str, Any]:
        """A history. What is not given is left out, and a custom policy decides at each step."""
        if stem == "azure_c_retry_control":
            for step in steps:
                step.update({name: [step[name].removeprefix("second_")] for name in ("null", "fails") if name in step})
                step["fail"] = step.pop("fails", [])
                step["clock"] = [str(number(word) or word) for word in step.get("clock", "").split(".")]
                r, most = step.pop("draw", params["draw"]).split("/")
                step["draws"] = [{"num": r, "den": most}]
                if "/" in step.get("value", ""):
                    saved = zip(certify.SYSTEMS[stem].OPTIONS, step["value"].split("/"))
                    step["value"] = {name: word for name, word in saved if word != "-"}
        if stem == "azure_java_retry_policy":
            custom = number(params.pop("custom_ms"))
            for step in steps:
                error = step.get("error", "retryable")
                if error in ("retryable", "not_retryable"):
                    step.pop("error", None)
                    step["retryable"] = error == "retryable"
                step.update({"elapsed_ms": step.get("elapsed_ms", "0"), "custom_retry": custom is not None, "custom_delay_ms": str(custom)})
            given = {name: value for name, value in params.items() if value not in ("default", "forever")}
            params = {"policy": certify.SYSTEMS[stem].JITTER, **given}
        return {"params": params, "steps": steps}

    def wrong(self, stem: str, case: dict[str, Any], answers: list[str]) -> list[bool]:
        system = certify.SYSTEMS[stem]
        canonical = {name: next(iter(of)) for name, of in system.READINGS.items()}
        if stem == "azure_c_retry_control":
            canonical["difference-overflow"] = "exact"
        about = certify.About({"features": ["state", "custom_policy", "clock_script"]})
        judged = system(case, canonical, about).judge([self.FIELDS[stem](*answer.split("/")) for answer in answers])
        return [bool(of) for of in judged]

    def others(self, answer: str, said: list[set[str]]) -> Iterator[str]:
        """The answers that differ from this one in one part: another word of the field, or a number with another last digit."""
        parts = answer.split("/")
        for i, part in enumerate(parts):
            numbers = {"0"}
            if number(part) is not None:
                exact, last = Decimal(part if "." in part else int(part, 0)), Decimal(10) ** -len(part.partition(".")[2])
                numbers = {str(n) for n in (exact - last, exact + last) if n >= 0}
            for other in {*numbers, *said[i], *(["error"] if i == 0 else [])} - {part}:
                yield "/".join([*parts[:i], other, *parts[i + 1:]])

    def test_each_row(self) -> None:
        files = sorted(SPEC.glob("*/examples.yaml"))
        self.assertEqual([file.parent.name for file in files], sorted(self.FIELDS))
        for stem, page in ((file.parent.name, yaml.safe_load(file.read_text())) for file in files):
            rows = [row for row in page["examples"] if "under" not in row]
            said = [{word for word in place if word and number(word) is None} for place in itertools.zip_longest(
                *(answer.split("/") for row in rows for answer in words(row["answers"])))]
            for row in rows:
                params = {name: str(value) for name, value in {**page["parameters"], **row["with"]}.items()}
                case = self.as_certified(stem, params, list(self.steps(row["calls"], page["calls"])))
                answers = words(row["answers"])
                self.assertEqual(self.wrong(stem, case, answers), [False] * len(case["steps"]), row["id"])
                for i, right in enumerate(answers):
                    for other in self.others(right, said):
                        if self.FIELDS[stem](*other.split("/")) == self.FIELDS[stem](*right.split("/")):
                            continue  # the same to it
                        self.assertTrue(self.wrong(stem, case, [*answers[:i], other])[i],
                                        f"{row['id']}: {other} instead of answer {i + 1}, {right}")


if __name__ == "__main__":
    main(__doc__)
