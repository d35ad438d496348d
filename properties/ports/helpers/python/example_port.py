#!/usr/bin/env python3
"""The adapter that lets the oracle judge a port of backoffAlgorithm; `window` and `draw % …` stand for your code."""
import json
import sys

START = {"protocol": 1, "port": {"name": "example", "version": "1", "language": "Python"},
         "systems": ["aws_backoff_algorithm"], "max_batch": 256}


def run(case):
    base, cap, limit = (case["params"][name] for name in ("base_ms", "max_ms", "max_attempts"))
    attempts, answers = 0, []
    for step in case["steps"]:
        if step["op"] == "reset":
            attempts = 0
            answers.append({"status": "ok"})
        elif limit != "forever" and attempts >= int(limit):
            answers.append({"status": "exhausted"})
        else:
            window = min(int(base) * 2 ** attempts, int(cap))
            answers.append({"status": "retry", "delay_ms": str(int(step["draw"]) % (window + 1))})
            attempts += 1
    return {"steps": answers}


for request in map(json.loads, sys.stdin):
    if request["cmd"] == "stop":
        break
    reply = START if request["cmd"] == "start" else {"id": request["id"], "results": [run(c) for c in request["cases"]]}
    print(json.dumps(reply), flush=True)
