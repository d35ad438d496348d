#!/usr/bin/python3
"""Prints the shelf, spec/policies, as a table in Markdown: each policy, its document and its delay.

Checked by: coverage/readme_test.py, which compares the table in shelf.md with what this prints.
"""
import pathlib
from typing import Any

import yaml

SHELF = pathlib.Path(__file__).resolve().parents[2] / "spec/policies"


def formulas(value: Any) -> str:
    """A formula, or the first of several readings."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return f"`{value[0]}` (one of {len(value)} readings)"
    return f"`{value}`"


print("| policy | document | delay |\n|---|---|---|")
for path in sorted(SHELF.glob("*.yaml")):
    policy = yaml.safe_load(path.read_text())
    after = f", then {policy.get('then', 'the last')}"
    listed = f"{', '.join(map(str, policy['delays']))}{after}" if "delays" in policy else ""
    delay = formulas(policy["delay"]) if "delay" in policy else listed
    if "window" in policy:
        delay += f", window {formulas(policy['window'])}"
    print(f"| [{policy['name']}](../../spec/policies/{path.name}) | {policy['document']} | {delay} |")
