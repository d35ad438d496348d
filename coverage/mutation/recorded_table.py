"""A table of measurements: a program measures them, a JSON file beside the script records them, and tables show them."""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def lines_of(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout.splitlines()


def main(script, usage, measured, table, others=None, program=None, numbers=None):
    """The command line of `script`: --record FILE, --table, and --others where it has them.

    `measured(program, options)` returns what is recorded; `table` and `others` print what was. `numbers`: option -> default.
    """
    recorded = pathlib.Path(script).with_suffix(".json")
    program = program or pathlib.Path(script).name
    parser = argparse.ArgumentParser(usage=usage)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--record", type=pathlib.Path)
    what.add_argument("--table", action="store_true")
    if others:
        what.add_argument("--others", action="store_true")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "release" / "bin")
    for name, default in (numbers or {}).items():
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    if not options.record:
        (table if options.table else others)(json.loads(recorded.read_text()))
        return 0
    if not (options.bin / program).exists():
        print(f"not built: cmake --build --preset release --target {program}", file=sys.stderr)
        return 2
    options.record.write_text(json.dumps(measured(options.bin / program, options), indent=1, sort_keys=True) + "\n")
    return 0
