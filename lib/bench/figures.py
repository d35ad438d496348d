"""What benchmarks in Python share, as figures.hpp is for those in C++."""
import resource


def print_figure(value: float, goal: float, what: str) -> None:
    """The figure beside its goal, on a line that lib/bench/bench collects. Lower is better."""
    print(f"{'met' if value <= goal else 'MISSED':6} {value:9.3f} {goal:9.3f}  {what}", flush=True)


def cpu_seconds_of_children() -> float:
    """Of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
