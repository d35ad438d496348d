#!/usr/bin/env python3
"""Small ports of the policies in spec/policies, as their authors might write them: `shelf.py NAME FAULT hidden|given`.

FAULT: right, or a mistake that retry code has shipped. Each policy has one right formula and at least one wrong one.
"""
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "ports/helpers/python"))
from backoff_port import serve


def power(base, n):
    """What a double can hold, so that a cap still works."""
    try:
        return float(base) ** n
    except OverflowError:
        return math.inf


def full(p, n, u, prev):
    return u * min(p["cap"], p["base"] * power(2, n))


def equal(p, n, u, prev):
    half = min(p["cap"], p["base"] * power(2, n)) / 2
    return half + u * half


def decorrelated(p, n, u, prev):
    low = p["base"]
    before = low if prev is None else prev
    return min(p["cap"], low + u * (before * 3 - low))


def grpc(p, n, u, prev):
    window = min(p["cap"], p["initial"] * power(p["multiplier"], n))
    return window if n == 0 else window * (1 + p["jitter"] * (2 * u - 1))


def google(p, n, u, prev):
    return min(1000 * power(2, n) + u * 1000, p["maximum_backoff"])


def kubernetes(p, n, u, prev):
    return min(300, 10 * power(2, n))


def temporal(p, n, u, prev):
    return min(p.get("maximum_interval", 100 * p["initial_interval"]), p["initial_interval"] * power(p["backoff_coefficient"], n))


def job(p, n, u, prev):
    return min(360, 10 * power(2, n))


def dhcp(p, n, u, prev):
    return min(64, 4 * power(2, n)) + 2 * u - 1


def coap(p, n, u, prev):
    return 2 * prev if n else p["ack_timeout"] * (1 + (p["ack_random_factor"] - 1) * u)


def invite(p, n, u, prev):
    return p["t1"] * power(2, n)


def non_invite(p, n, u, prev):
    return min(p["t2"], p["t1"] * power(2, n))


def quic(p, n, u, prev):
    return (p["smoothed_rtt"] + max(4 * p.get("rttvar", p["smoothed_rtt"] / 2), 1) + p["max_ack_delay"]) * power(2, n)


def ethernet(p, n, u, prev):
    return p["slot_time"] * int(u * 2 ** min(n + 1, 10))


def listed(*delays):
    def one(p, n, u, prev):
        return delays[min(n, len(delays) - 1)]
    return one


def kafka(p, n, u, prev):
    window = min(p["reconnect_backoff_max_ms"], p["reconnect_backoff_ms"] * power(2, n))
    return int(window * (0.8 + 0.4 * u))


def tcp(p, n, u, prev):
    return min(p["maximum"], p["rto"] * power(2, n + 1))


def urllib3(p, n, u, prev):
    if n == 0:
        return 0
    grown = p["backoff_factor"] * power(2, n) if p["backoff_factor"] else 0  # the power may be infinite
    return min(p["backoff_max"], grown + u * p["backoff_jitter"])


def aws_sdk(p, n, u, prev):
    return min(p["max_backoff"], u * power(2, n))


def collector(p, n, u, prev):
    window = min(p["max_interval"], p["initial_interval"] * power(p["multiplier"], n))
    return window * (1 + p["randomization_factor"] * (2 * u - 1))


FORMULAS = {"aws_blog_full_jitter": full, "aws_blog_equal_jitter": equal, "aws_blog_decorrelated_jitter": decorrelated,
            "grpc_connection_backoff": grpc, "google_cloud_truncated": google, "kubernetes_crash_loop": kubernetes,
            "temporal_retry_policy": temporal, "kafka_reconnect_backoff": kafka, "tcp_rto_backoff": tcp,
            "urllib3_retry": urllib3, "aws_sdk_standard_retry": aws_sdk, "opentelemetry_collector_exporter": collector,
            "kubernetes_job": job, "dhcp_rfc2131": dhcp, "coap_rfc7252": coap, "sip_invite_rfc3261": invite,
            "sip_non_invite_rfc3261": non_invite, "quic_pto_rfc9002": quic, "ethernet_csma_cd": ethernet,
            "svix_webhooks": listed(5, 300, 1800, 7200, 18000, 36000, 36000),
            "resque_exponential_backoff": listed(0, 60, 600, 3600, 10800, 21600)}

# Of policies without a parameter for it.
LIMITS = {"svix_webhooks": 7, "resque_exponential_backoff": 6, "sip_invite_rfc3261": 6, "ethernet_csma_cd": 15}

UNITS = {"kubernetes_crash_loop": "s", "svix_webhooks": "s", "resque_exponential_backoff": "s", "kubernetes_job": "s",
         "dhcp_rfc2131": "s", "ethernet_csma_cd": "ns", "urllib3_retry": "s", "aws_sdk_standard_retry": "s"}

# What a wrong port makes of the right formula.
FAULTS = {
    "right": lambda formula, p, n, u, prev: formula(p, n, u, prev),
    "one-late": lambda formula, p, n, u, prev: formula(p, n + 1, u, prev),            # counts from 1
    "one-percent-long": lambda formula, p, n, u, prev: formula(p, n, u, prev) * 1.01,
    "half-the-jitter": lambda formula, p, n, u, prev: formula(p, n, u / 2, prev),     # never the upper half
    "no-jitter": lambda formula, p, n, u, prev: formula(p, n, 0.999999, prev),
    "wraps": lambda formula, p, n, u, prev: formula(p, n % 31, u, prev),              # a shift of 31 bits at most
    "one-retry-more": lambda formula, p, n, u, prev: formula(p, n, u, prev),          # than the limit: see limit_of
}


def limit_of(name, params, fault):
    """How many retries the parameters grant."""
    if name in LIMITS:
        return LIMITS[name] + (1 if fault == "one-retry-more" else 0)
    if "max_attempts" in params:  # the first request is an attempt too
        return int(params["max_attempts"]) - (0 if fault == "one-retry-more" else 1)
    for limit in ("backoff_limit", "max_retransmit"):
        if limit in params:
            return int(params[limit]) + (1 if fault == "one-retry-more" else 0)
    limit = params.get("maximum_retries", params.get("total", "forever"))
    return math.inf if limit == "forever" else int(limit)


def main():
    name, fault, draws = sys.argv[1:4]
    source = random.Random()

    def port(params, _):
        limit = limit_of(name, params, fault)
        settings = {key: float(text) for key, text in params.items() if text not in ("forever", "unset")}
        n, prev = 0, None

        def answer(step):
            nonlocal n, prev
            if step["op"] == "reset":
                n, prev = 0, None
                return {"status": "ok"}
            if n >= limit:
                return {"status": "exhausted"}
            u = int(step["draw"]["num"]) / int(step["draw"]["den"]) if "draw" in step else source.random()
            prev = FAULTS[fault](FORMULAS[name], settings, n, u, prev)
            n += 1
            return {"status": "retry", f"delay_{UNITS.get(name, 'ms')}": prev}
        return answer

    serve(port, {"port": {"name": f"{name} {fault}", "version": "1", "language": "Python"}, "systems": [name],
                 "draws": "injected" if draws == "given" else "opaque", "draw_kind": "unit", "features": ["instances"]})


if __name__ == "__main__":
    main()
