from backoff_port import serve


def port(params, _):
    window, cap = int(params["base_ms"]), int(params["max_ms"])

    def answer(step):  # your code goes here: it returns the delay before the next retry
        nonlocal window
        delay, window = int(step["draw"]) % (min(window, cap) + 1), 2 * window
        return {"status": "retry", "delay_ms": delay}
    return answer


serve(port, {"port": {"name": "short"}, "systems": ["aws_backoff_algorithm"],
             "ranges": {"max_attempts": {"forever": True}, "op": ["next"]}})
