#!/usr/bin/python3
"""Every verb and option that `backoff-oracle --help` names is on the documentation's pages of commands and options, of watch or of plan.

Usage: coverage/options_test.py --bin DIR        Exit: 0 all are documented, 1 some are not, each on a line.
"""
import argparse
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

import places

DOCS = pathlib.Path(__file__).resolve().parents[1] / "properties/oracle/docs"
OPTION = re.compile(r"^ +(?:-\w,)?(--[a-z-]+)", re.MULTILINE)
VERB = re.compile(r"^  ([a-z]+) ", re.MULTILINE)
OF_ALL = {"--help", "--version"}


def help_of(program: pathlib.Path, *words: str) -> str:
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout


def undocumented(program: pathlib.Path, commands: str, options: str, watch: str, plan: str) -> Iterator[str]:
    verbs = VERB.findall(help_of(program).partition("Subcommands:")[2].partition("Exit codes:")[0])
    if not verbs:
        yield "--help names no verb"
    for verb in verbs:
        if f"`{verb}" not in commands:
            yield f"{verb}: not on commands.md"
        own = {"check": (options, "options.md"), "watch": (watch, "watch.md"), "plan": (plan, "plan.md")}
        page, name = own.get(verb, (commands + options, "commands.md or options.md"))
        for option in sorted(set(OPTION.findall(help_of(program, verb))) - OF_ALL):
            if not re.search(rf"`[^`\n]*{option}\b(?!-)", page):
                yield f"{verb} {option}: not on {name}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, metavar="DIR")
    program = parser.parse_args().bin / "backoff-oracle"
    missing = undocumented(program, *((DOCS / f"{page}.md").read_text() for page in ("commands", "options", "watch", "plan")))
    return places.report(missing, "options: {} not documented")


if __name__ == "__main__":
    sys.exit(main())
