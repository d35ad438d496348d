"""The fixture `oracle`: oracle.check("aws_backoff_algorithm", MyPort), and the verdicts of the ports that conform in the summary."""
from typing import Any

import pytest

import backoff_oracle
from backoff_oracle.judged import verdicts

PROPERTY = "backoff-oracle"


@pytest.fixture(scope="session")
def oracle() -> Any:
    return backoff_oracle


def pytest_runtest_makereport(item: pytest.Item) -> None:
    """Before pytest makes the report, which copies the properties."""
    item.user_properties += [(PROPERTY, verdict) for verdict in verdicts]
    verdicts.clear()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    passed = [report for report in terminalreporter.getreports("passed") if report.when == "call"]
    lines = [f"{report.nodeid}: {said}" for report in passed for name, said in report.user_properties if name == PROPERTY]
    if lines and terminalreporter.verbosity >= 0:
        terminalreporter.section(PROPERTY)
        for line in lines:
            terminalreporter.line(line)
