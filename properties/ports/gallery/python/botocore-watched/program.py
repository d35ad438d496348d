#!/usr/bin/python3
"""A request of botocore's client of SQS, in the standard retry mode: five retries. DynamoDB would have a base of its own."""
import sys

from botocore.config import Config
from botocore.exceptions import ClientError
from botocore.session import get_session

client = get_session().create_client("sqs", "us-east-1", endpoint_url=sys.argv[1], aws_access_key_id="a", aws_secret_access_key="b",
                                     config=Config(retries={"mode": "standard", "total_max_attempts": 6}))
try:
    client.list_queues()
except ClientError:
    sys.exit(1)
