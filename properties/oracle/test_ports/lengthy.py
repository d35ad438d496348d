"""Ports whose verdicts are long: lengthy.py NAME."""
from full_jitter import Expected, Fields, Port, main

FAILS = {"status": "error", "why": "too much"}


class fails_after_69_histories(Port):
    """A process answers so many, then fails in each."""

    asked = 0

    def steps(self, case: Fields) -> list[Fields]:
        self.asked += 1
        return super().steps(case) if self.asked < 70 else [FAILS]


class fails_after_400_different_draws(Port):
    """In a history."""

    def steps(self, case: Fields) -> list[Fields]:
        answers, draws = super().steps(case), set()
        for i, step in enumerate(case["steps"]):
            draws.add(step.get("draw"))
            if len(draws) > 400:
                return [*answers[:i], FAILS]
        return answers


PORTS = {"fails_after_69_histories": Expected(fails_after_69_histories, 1, "no_call_fails"),
         "fails_after_400_different_draws": Expected(fails_after_400_different_draws, 1, "no_call_fails")}

if __name__ == "__main__":
    main(PORTS)
