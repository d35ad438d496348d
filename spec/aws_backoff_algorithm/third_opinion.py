"""backoffAlgorithm 1.3.0 once more: sleep_ms = random_between(0, min(2^n * base_ms, maximum_ms)), n retries before it."""
from fractions import Fraction

from answers import HUNDREDTH, draw_of, mapped, near, number, real_numbers, sorts_of_mapping, whole_numbers

FEATURES = {"instances"}
go_together = sorts_of_mapping


def delay(window, step, reading, about):
    """A random number between 0 and window."""
    numbers = window + 1 if reading["upper-bound"] == "inclusive" else max(window, 1)  # of no number at all: 0
    mapping = reading["draw-mapping"]
    if mapping == "other":
        if reading["delay-resolution"] == "real":
            return real_numbers(0, window)
        return whole_numbers(0, numbers - 1)
    r, size = draw_of(step["draw"], about)
    if mapping == "real":
        return number(Fraction(r, size) * window)
    if mapping == "near" and reading["delay-resolution"] == "real":
        return real_numbers(*near(r, size, window, window, HUNDREDTH))
    return whole_numbers(*mapped(r, size, window, numbers, mapping))


def answers(case, reading, about):
    base, most = int(case["params"]["base_ms"]), int(case["params"]["max_ms"])
    limit = case["params"]["max_attempts"]
    counted = 1 if reading["attempt-origin"] == "one" else 0  # of attempts, at the first delay
    cycles = {}  # of each instance: retries granted
    for step in case["steps"]:
        on = step.get("on", "0")
        granted = cycles.get(on, 0)
        if step["op"] == "reset":
            cycles[on] = 0
            yield {"status": "ok"}
        elif limit != "forever" and granted >= int(limit):
            yield {"status": "exhausted"}
        else:
            cycles[on] = granted + 1
            window = min(2 ** (granted + counted) * base, most)
            yield {"status": "retry", "delay_ms": delay(window, step, reading, about)}
