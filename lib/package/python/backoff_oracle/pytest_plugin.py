"""The fixture `oracle`: oracle.check("aws_backoff_algorithm", MyPort)."""
import pytest

import backoff_oracle


@pytest.fixture(scope="session")
def oracle():
    return backoff_oracle
