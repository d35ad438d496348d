#!/usr/bin/python3
"""Clients whose delays are whole nanoseconds, microseconds or milliseconds conform, and the verdict says so; coarser ones, and those
that are off by two units, do not.

cases/resolutions.json has the policies, and what a client does with each (test_ports/resolutions.py). backoff-certify agrees.

Usage: resolutions_test.py --bin FOLDER [CLASS]
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
PORT = HERE / "test_ports/resolutions.py"
POLICIES: list[dict[str, Any]] = json.loads((HERE / "cases/resolutions.json").read_text())
CERTIFY = HERE.parent / "certify/backoff-certify"
NAMES = {"ns": "nanoseconds", "us": "microseconds", "ms": "milliseconds"}
BIN = pathlib.Path()  # from the command line


def run(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=300)


class ResolutionsOracleTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check(self, policy: dict[str, Any], port: tuple[str, ...], *options: object, off: str = "") -> subprocess.CompletedProcess[str]:
        """off: what the client adds to each delay."""
        file = self.folder / "mine.yaml"
        file.write_text("\n".join(policy["policy"]) + "\n")
        fields = dict(line.split(": ", 1) for line in policy["policy"] if line[0] != " " and ": " in line)
        formulas = [policy["delay"] + off, policy.get("limit", "math.inf"), policy.get("while", "True")]
        command = [sys.executable, PORT, fields["name"], fields["unit"], *port, *formulas]
        return run(BIN / "backoff-oracle", "check", file, "--cases", 150, *options, "--", *command)

    def test_each_resolution_conforms(self) -> None:
        for policy in POLICIES:
            finest = policy["resolutions"][0]
            for resolution, rounding, arithmetic in ((finest, "nearest", "doubles"), (finest, "up", "fractions"),
                                                     *((r, "down", "doubles") for r in policy["resolutions"])):
                with self.subTest(policy["policy"][0], resolution=resolution, rounding=rounding):
                    draws = "given" if "u *" in policy["delay"] else "hidden"
                    done = self.check(policy, (resolution, rounding, arithmetic, draws), "--format", "json")
                    self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout[:2000])
                    report = json.loads(done.stdout)
                    left = {each["name"]: each["left"] for each in report["readings"]}["delay-resolution"]
                    self.assertEqual((report["grade"], left), ("exact", [f"{NAMES[resolution]}-{rounding}"]))

    def test_hidden_draws_do_not_show_it(self) -> None:
        for policy in POLICIES:
            if "u *" in policy["delay"]:
                with self.subTest(policy["policy"][0]):
                    done = self.check(policy, (policy["resolutions"][0], "down", "doubles", "hidden"))
                    self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout[:2000])

    def test_others_do_not_conform(self) -> None:
        for policy in POLICIES:
            draws = "given" if "u *" in policy["delay"] else "hidden"
            for resolution, off in (*([("tenths", "")] if draws == "hidden" else []), (policy["resolutions"][-1], " + 0.0025")):
                with self.subTest(policy["policy"][0], resolution=resolution, off=off):
                    done = self.check(policy, (resolution, "down", "doubles", draws), off=off)
                    self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout[:2000])

    def test_backoff_certify_agrees(self) -> None:
        certificate = self.folder / "certificate"
        for policy in POLICIES:
            for resolution in (policy["resolutions"][0], "tenths"):
                for draws in ("given", "hidden") if "u *" in policy["delay"] else ("hidden",):
                    with self.subTest(policy["policy"][0], resolution=resolution, draws=draws):
                        done = self.check(policy, (resolution, "down", "doubles", draws), "--cases", 40, "--certificate", certificate)
                        certified = run(CERTIFY, certificate, "--policy", self.folder / "mine.yaml")
                        self.assertEqual(certified.returncode, done.returncode, certified.stdout + certified.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    given, rest = parser.parse_known_args()
    BIN = given.bin.resolve()
    os.environ["PYTHONPATH"] = str(HERE.parent / "ports/helpers/python")
    unittest.main(argv=sys.argv[:1] + rest)
