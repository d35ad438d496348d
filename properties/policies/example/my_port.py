"""A port of my_policy.yaml; the two lines with `window` stand for your code."""
import random

from backoff_port import serve

random.seed(1)  # so that the page shows the same delays each time: leave it out


def port(params, _):  # called for each fresh instance
    base, cap = float(params["base"]), float(params["cap"])
    granted = 0

    def answer(step):  # called for each step
        nonlocal granted
        if step["op"] == "reset":
            granted = 0
            return {"status": "ok"}
        if params["limit"] != "forever" and granted >= int(params["limit"]):
            return {"status": "exhausted"}
        window = min(cap, base * 1.6 ** min(granted, 1000))
        granted += 1
        return {"status": "retry", "delay_ms": window * random.uniform(0.8, 1.2)}
    return answer


serve(port, {"port": {"name": "mine", "version": "1", "language": "Python"}, "systems": ["my_policy"],
             "draws": "opaque", "features": ["instances"]})
