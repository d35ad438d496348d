#!/usr/bin/python3
"""botocore's standard retry mode as a port: ExponentialBackoff with its random number injected.

It takes the maximum in seconds and never gives up by itself. Its base is fixed: one second in 1.29, 50 ms in 1.44 for
errors that are not throttling, which is the argument of this program.
"""
import json
import sys

import botocore
from botocore.retries.standard import ExponentialBackoff, RetryContext

BASE_MS = sys.argv[1] if len(sys.argv) > 1 else "1000"
START = {"protocol": 1, "port": {"name": "botocore ExponentialBackoff", "version": botocore.__version__, "language": "Python"},
         "systems": ["aws_backoff_algorithm"], "draw_kind": "unit", "max_batch": 256,
         "ranges": {"base_ms": [BASE_MS, BASE_MS], "max_ms": ["0", "4294967295"], "max_attempts": {"forever": True}}}
FAILURE = {"Error": {"Code": "InternalError"}}


def run(case):
    draw, attempt, answers = [0.0], 0, []
    policy = ExponentialBackoff(max_backoff=int(case["params"]["max_ms"]) / 1000, random=lambda: draw[0])
    for step in case["steps"]:
        attempt = attempt + 1 if step["op"] == "next" else 0
        if step["op"] == "reset":
            answers.append({"status": "ok"})
            continue
        draw[0] = float(step["draw"]["value"])
        try:
            delay = policy.delay_amount(RetryContext(attempt_number=attempt, parsed_response=FAILURE))
        except Exception as error:
            return answers + [{"status": "error", "why": repr(error)}]
        answers.append({"status": "retry", "delay_ms": delay * 1000})
    return answers


for line in sys.stdin:
    request = json.loads(line)
    if request["cmd"] == "stop":
        break
    reply = START if request["cmd"] == "start" else {"id": request["id"], "results": [{"steps": run(c)} for c in request["cases"]]}
    print(json.dumps(reply), flush=True)
