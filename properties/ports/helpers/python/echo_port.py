"""What helpers_test.py asks of a helper: says what arrived, and answers numbers of each kind from its own."""
from backoff_port import Rejected, serve


def port(params, steps):
    if "reject" in params:
        raise Rejected(params["reject"])
    if "nothing" in params:
        return None
    calls = 0

    def answer(step):
        nonlocal calls
        calls += 1
        kind, value = step["op"], step.get("value")
        if kind == "integer":
            return {"status": "ok", "value": int(value)}
        if kind == "real":
            return {"status": "ok", "value": float(value)}
        if kind == "truth":
            return {"status": "ok", "value": value is True}
        if kind == "fail":
            raise ArithmeticError(value)
        return {"status": "ok", "calls": calls, "of": len(steps), "step": step, "params": params}
    return answer


serve(port, {"port": {"name": "echo", "version": "1", "language": "Python"}, "systems": ["echo", "other"],
             "features": ["instances"], "ranges": {"value": ["0", "18446744073709551615"]}})
