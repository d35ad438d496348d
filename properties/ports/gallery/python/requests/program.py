#!/usr/bin/python3
"""A GET with requests, whose HTTPAdapter has urllib3's Retry: four retries, and a back-off factor of 0.2 s."""
import sys

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

session = requests.Session()
session.mount("http://", HTTPAdapter(max_retries=Retry(total=4, backoff_factor=0.2, status_forcelist=[503])))
try:
    session.get(sys.argv[1])
except requests.exceptions.RetryError:
    sys.exit(1)
