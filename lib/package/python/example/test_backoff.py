"""Replace `window` and `draw % …` with your code."""


class MyPort:
    def __init__(self, params, steps):
        self.base, self.cap, self.limit = (params[name] for name in ("base_ms", "max_ms", "max_attempts"))
        self.attempts = 0

    def __call__(self, step):
        if step["op"] == "reset":
            self.attempts = 0
            return {"status": "ok"}
        if self.limit != "forever" and self.attempts >= int(self.limit):
            return {"status": "exhausted"}
        window = min(int(self.base) * 2 ** self.attempts, int(self.cap))
        self.attempts += 1
        return {"status": "retry", "delay_ms": int(step["draw"]) % (window + 1)}


def test_backoff(oracle):
    oracle.check("aws_backoff_algorithm", MyPort)
