"""Holds a port in Python to a public document on retry back-off, in the process of its own tests.

    backoff_oracle.check("aws_backoff_algorithm", MyPort)       # raises DoesNotConform, with the verdict as its message

MyPort is a port as `backoff_port` has it: called for each fresh instance, it returns what answers a step.
"""
from backoff_port import Rejected, serve

from .judged import DoesNotConform, OracleFailed, Verdict, check, program, replay

__all__ = ["DoesNotConform", "OracleFailed", "Rejected", "Verdict", "check", "program", "replay", "serve"]
