"""What the tests of backoff-certify share: it as a module, certificates and what it says of them."""
import argparse
import contextlib
import hashlib
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
SPEC = HERE.parents[1] / "spec"
loader = importlib.machinery.SourceFileLoader("backoff_certify", str(HERE / "backoff-certify"))
spec = importlib.util.spec_from_loader(loader.name, loader)
assert spec
certify = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
loader.exec_module(certify)

CONFORMS, DOES_NOT, REFUSED, BROKE, DISAGREES, INCONCLUSIVE = 0, 1, 2, 3, 4, 5
# Few and short histories, and few readings: many cost time here, and are certified alike.
CASES = {"aws_backoff_algorithm": 40, "aws_retry_utils": 30, "aws_step_functions": 40, "azure_java_retry_policy": 16}
SHORT = {"aws_step_functions": ["--range", "max_attempts=0..12"], "aws_backoff_algorithm": ["--range", "max_attempts=0..12"],
         "aws_retry_utils": ["--range", "max_attempts=1..12"],
         "azure_java_retry_policy": ["--reading", "inverted-bounds=taken", "--reading", "total-time=would-be-exceeded"]}
programs = pathlib.Path("build/release/bin")


def program(name: str) -> pathlib.Path:
    return programs / name


def certificate(system: str, port: str | list[str], *options: str, cases: int | None = None) -> tuple[int, bytes]:
    """(what check ends with, the certificate). port: of backoff-port, or a command of its own"""
    command = [program("backoff-port"), *port.split()] if isinstance(port, str) else port
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "certificate"
        run = subprocess.run([program("backoff-oracle"), "check", system, "--cases", str(cases or CASES.get(system, 60)),
                              "--certificate", path, *options, *([] if options else SHORT.get(system, [])), "--", *command],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return run.returncode, path.read_bytes() if path.exists() else run.stderr


def certified(data: bytes, *arguments: str) -> tuple[int, str]:
    """(what it ends with, what it says)"""
    out = io.StringIO()
    with tempfile.NamedTemporaryFile() as file, contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        file.write(data)
        file.flush()
        argv, sys.argv = sys.argv, ["backoff-certify", file.name, *arguments]
        try:
            code = certify.main()
        finally:
            sys.argv = argv
    return code, out.getvalue()


def sealed(document: dict[str, Any]) -> bytes:
    """As if the oracle had written it."""
    last, braces = (document["end"], "}}") if "end" in document else (document, "}")
    del last["sha256"]
    text = json.dumps(document, separators=(",", ":")).removesuffix(braces) + ',"sha256":"'
    return (text + hashlib.sha256(text.encode()).hexdigest() + f'"{braces}\n').encode()


def main(usage: str | None) -> None:
    global programs
    parser = argparse.ArgumentParser(description=usage, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("tests", nargs="*")
    given = parser.parse_args()
    programs = given.bin.resolve()
    unittest.main(argv=[sys.argv[0], *given.tests])
