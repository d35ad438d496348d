#!/usr/bin/python3
"""Clients that stop at a deadline: right ones conform in every arithmetic, those with a fault break the claim that is named.

cases/deadlines.json has the policies, what a port does with each (test_ports/deadlines.py), and the first finding for each fault.

The same is found by backoff-certify.

Usage: deadlines_test.py --bin FOLDER [CLASS]
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
PORT = HERE / "test_ports/deadlines.py"
POLICIES: list[dict[str, Any]] = json.loads((HERE / "cases/deadlines.json").read_text())
CERTIFY = HERE.parent / "certify/backoff-certify"
ARITHMETICS = ("doubles", "decimals", "fractions", "ns", "ms")
BIN = pathlib.Path()  # from the command line


def run(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=300)


def check(policy: dict[str, Any], file: pathlib.Path, port: tuple[str, str, str], *options: object) -> subprocess.CompletedProcess[str]:
    file.write_text("\n".join(policy["policy"]) + "\n")
    fields = dict(line.split(": ", 1) for line in policy["policy"] if line[0] != " " and ": " in line)
    return run(BIN / "backoff-oracle", "check", file, *options, "--", sys.executable, PORT, fields["name"], fields["unit"],
               policy["delay"], policy["ends"], *port)


def verdict(policy: dict[str, Any], *port: str) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as folder:
        cases = 3000 if port[-1] == "hidden" else 600
        return check(policy, pathlib.Path(folder) / "mine.yaml", (port[0], port[1], port[2]), "--cases", cases, "--format", "json")


def kinds_of_draws(policy: dict[str, Any]) -> tuple[str, ...]:
    return ("given", "hidden") if "drawn" in policy["delay"] else ("hidden",)


def can_follow(policy: dict[str, Any], arithmetic: str) -> bool:
    """Whether the arithmetic can follow: milliseconds do not hold nanoseconds, whole numbers no share or draw, and fractions of
    shares get too long."""
    if policy["delay"] in ("share", "half", "root"):
        return arithmetic in ("doubles", "decimals")
    is_drawn = "drawn" in policy["delay"]
    return arithmetic not in ("ns", "ms") or (not is_drawn and (arithmetic == "ns" or "unit: ns" not in policy["policy"]))


class DeadlinesOracleTest(unittest.TestCase):
    def test_right_clients_conform_in_every_arithmetic(self) -> None:
        for policy in POLICIES:
            for draws in kinds_of_draws(policy):
                for arithmetic in ARITHMETICS:
                    if not can_follow(policy, arithmetic):
                        continue
                    with self.subTest(policy["policy"][0], arithmetic=arithmetic, draws=draws):
                        done = verdict(policy, arithmetic, "right", draws)
                        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout[:2000])

    def test_clients_with_a_fault_break_the_claim(self) -> None:
        for policy in POLICIES:
            for draws in kinds_of_draws(policy):
                for fault, claim in policy["wrong"].items():
                    with self.subTest(policy["policy"][0], fault=fault, draws=draws):
                        done = verdict(policy, "doubles", fault, draws)
                        self.assertEqual(done.returncode, 1, done.stdout[:2000] + done.stderr)
                        wanted = claim if isinstance(claim, str) else claim[draws]
                        self.assertEqual(json.loads(done.stdout)["findings"][0]["claim"], wanted)

    def test_eval_shows_both_outcomes_at_the_deadline(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "mine.yaml"
            file.write_text("\n".join(POLICIES[0]["policy"]) + "\n")
            done = run(BIN / "backoff-oracle", "eval", file, "base=0.3", "deadline=2.1", "steps=next@6")
            self.assertEqual(done.stdout, "canonical  0.3, 0.6, 1.2, ~0 or exhausted, ~0 or exhausted, exhausted\n")

    def test_backoff_certify_agrees(self) -> None:
        for policy in POLICIES:
            for draws in kinds_of_draws(policy):
                for fault in ("right", *policy["wrong"]):
                    with self.subTest(policy["policy"][0], fault=fault, draws=draws), tempfile.TemporaryDirectory() as folder:
                        file, certificate = pathlib.Path(folder) / "mine.yaml", pathlib.Path(folder) / "certificate"
                        done = check(policy, file, ("doubles", fault, draws), "--cases", 60, "--certificate", certificate)
                        certified = run(CERTIFY, certificate, "--policy", file)
                        self.assertEqual(certified.returncode, done.returncode, certified.stdout + certified.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    given, rest = parser.parse_known_args()
    BIN = given.bin.resolve()
    os.environ["PYTHONPATH"] = str(HERE.parent / "ports/helpers/python")
    unittest.main(argv=sys.argv[:1] + rest)
