#!/usr/bin/python3
"""botocore's standard retry mode as a port: ExponentialBackoff with its random number injected.

It takes the maximum in seconds and never gives up by itself. Its base is fixed: one second in 1.29, 50 ms in 1.44 for
errors that are not throttling, which is the argument of this program.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "helpers/python"))
from backoff_port import serve
import botocore
from botocore.retries.standard import ExponentialBackoff, RetryContext

BASE_MS = sys.argv[1] if len(sys.argv) > 1 else "1000"
FAILURE = {"Error": {"Code": "InternalError"}}


def port(params, _):
    draw, attempt = 0.0, 0
    policy = ExponentialBackoff(max_backoff=int(params["max_ms"]) / 1000, random=lambda: draw)

    def answer(step):
        nonlocal draw, attempt
        attempt = attempt + 1 if step["op"] == "next" else 0
        if step["op"] == "reset":
            return {"status": "ok"}
        draw = float(step["draw"]["value"])
        return {"status": "retry", "delay_ms": 1000 * policy.delay_amount(RetryContext(attempt_number=attempt, parsed_response=FAILURE))}
    return answer


serve(port, {"port": {"name": "botocore ExponentialBackoff", "version": botocore.__version__, "language": "Python"},
             "systems": ["aws_backoff_algorithm"], "draw_kind": "unit",
             "ranges": {"base_ms": [BASE_MS, BASE_MS], "max_ms": ["0", "4294967295"], "max_attempts": {"forever": True}}})
