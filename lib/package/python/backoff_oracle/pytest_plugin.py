"""The fixture `oracle`: oracle.check("aws_backoff_algorithm", MyPort)."""
from typing import Any

import pytest

import backoff_oracle


@pytest.fixture(scope="session")
def oracle() -> Any:
    return backoff_oracle
