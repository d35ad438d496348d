"""The sample loop of the Prescriptive Guidance once more: a wait of (2^n - 1) * 100 ms before each request, n requests
made before; 429 and 504 call for another while fewer than MAX_RETRIES were made."""
FEATURES = {"instances"}
LONGEST_MS = 2**31 - 1  # what Convert.ToInt32 can give


def go_together(reading, about):
    return True


def answers(case, reading, about):
    limit = int(case["params"]["max_retries"])
    made = {}  # requests, of each run
    for step in case["steps"]:
        on = step.get("on", "0")
        delay = (2 ** made.get(on, 0) - 1) * 100
        made[on] = made.get(on, 0) + 1
        if delay > LONGEST_MS and reading["overflow"] == "error":
            yield {"status": "error"}
            return  # the run has failed
        again = step["http_status"] in ("429", "504") and made[on] < limit
        yield {"delay_ms": str(min(delay, LONGEST_MS)), "retry": again}
