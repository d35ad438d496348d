#!/usr/bin/python3
"""botocore's standard retry mode as a port: ExponentialBackoff with its random number injected, and MaxAttemptsChecker, which
counts the first request too.

It takes the maximum in seconds. Its base is fixed: one second in 1.29, 50 ms in 1.44 for errors that are not throttling, which is
the argument of this program. A client ends when its quota of retries is spent: how many it grants for this error is asked first,
and no history has more. A reset is the next operation, of a client whose quota is whole.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "helpers/python"))
from backoff_port import serve
import botocore
from botocore.retries.quota import RetryQuota
from botocore.retries.standard import ExponentialBackoff, MaxAttemptsChecker, RetryContext, RetryQuotaChecker

BASE_MS = sys.argv[1] if len(sys.argv) > 1 else "1000"


def failure(attempt):
    return RetryContext(attempt_number=attempt, parsed_response={"Error": {"Code": "InternalError"}})


def granted(quota):
    return 1 + granted(quota) if quota.acquire_retry_quota(failure(1)) else 0


def port(params, _):
    draw, attempt = 0.0, 0
    checker = MaxAttemptsChecker(int(params["max_attempts"]) + 1)
    policy = ExponentialBackoff(max_backoff=int(params["max_ms"]) / 1000, random=lambda: draw)

    def answer(step):
        nonlocal draw, attempt
        attempt = attempt + 1 if step["op"] == "next" else 0
        if step["op"] == "reset":
            return {"status": "ok"}
        if not checker.is_retryable(failure(attempt)):
            return {"status": "exhausted"}
        draw = float(step["draw"]["value"])
        return {"status": "retry", "delay_ms": 1000 * policy.delay_amount(failure(attempt))}
    return answer


serve(port, {"port": {"name": "botocore ExponentialBackoff", "version": botocore.__version__, "language": "Python"},
             "systems": ["aws_backoff_algorithm"], "draw_kind": "unit",
             "ranges": {"base_ms": [BASE_MS, BASE_MS], "max_ms": ["0", "4294967295"],
                        "max_attempts": {"range": ["0", str(granted(RetryQuotaChecker(RetryQuota())))], "forever": False}}})
