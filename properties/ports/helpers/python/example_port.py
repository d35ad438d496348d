#!/usr/bin/env python3
"""A port of backoffAlgorithm that the oracle can judge. Replace `window` and `draw % …` with your code."""
from backoff_port import serve


def port(params, _):
    base, cap, limit = (params[name] for name in ("base_ms", "max_ms", "max_attempts"))
    attempts = 0

    def answer(step):
        nonlocal attempts
        if step["op"] == "reset":
            attempts = 0
            return {"status": "ok"}
        if limit != "forever" and attempts >= int(limit):
            return {"status": "exhausted"}
        window = min(int(base) * 2 ** attempts, int(cap))
        attempts += 1
        return {"status": "retry", "delay_ms": int(step["draw"]) % (window + 1)}
    return answer


serve(port, {"port": {"name": "example", "version": "1", "language": "Python"},
             "systems": ["aws_backoff_algorithm"], "features": ["instances"]})
