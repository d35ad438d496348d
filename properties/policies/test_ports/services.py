"""The policies of job queues, webhooks, proxies and orchestrators, each written from its document."""
import math

from formulas import Params, Row, around, doubled, granted, listed, power, times


def qstash(p: Params, n: int, u: float, prev: float | None) -> float:
    return min(86400, math.exp(min(2.5 * (n + 1), 700)))


def crash_loop(p: Params, n: int, u: float, prev: float | None) -> float:
    return doubled(10, n, 300)


def job(p: Params, n: int, u: float, prev: float | None) -> float:
    return doubled(10, n, 360)


def temporal(p: Params, n: int, u: float, prev: float | None) -> float:
    most = p.get("maximum_interval", 100 * p["initial_interval"])
    return min(most, p["initial_interval"] * power(p["backoff_coefficient"], n))


def collector(p: Params, n: int, u: float, prev: float | None) -> float:
    window = min(p["max_interval"], p["initial_interval"] * power(p["multiplier"], n))
    return around(window, p["randomization_factor"], u)


def envoy(p: Params, n: int, u: float, prev: float | None) -> float:
    most = p.get("max_interval", 10 * p["base_interval"])
    return int(u * min(most, p["base_interval"] * (2 ** (n + 1) - 1)))


def sidekiq(p: Params, n: int, u: float, prev: float | None) -> float:
    return n ** 4 + 15 + int(u * 10) * (n + 1)


def active_job(p: Params, n: int, u: float, prev: float | None) -> float:
    executions = n + 1
    return executions ** 4 + u * executions ** 4 * p["jitter"] + 2


def bullmq(p: Params, n: int, u: float, prev: float | None) -> float:
    longest = doubled(p["base_delay"], n)
    return longest * (1 - p["jitter"] + u * p["jitter"])


def docker(p: Params, n: int, u: float, prev: float | None) -> float:
    return doubled(100, n, 60000)


def messenger(p: Params, n: int, u: float, prev: float | None) -> float:
    delay = p["base_delay"] * power(p["multiplier"], n)
    return around(min(delay, p["max_delay"] or delay), p["jitter"], u)


def tasks(p: Params, n: int, u: float, prev: float | None) -> float:
    interval = step = p["min_backoff"]
    for retry in range(min(n, 100000)):
        if retry < p["max_doublings"]:
            interval = step = 2 * interval
        else:
            interval += step
    return min(interval, p["max_backoff"])


def supervisor(p: Params, n: int, u: float, prev: float | None) -> float:
    return doubled(p["min_backoff"], n, p["max_backoff"]) * (1 + u * p["random_factor"])


def fluentd(p: Params, n: int, u: float, prev: float | None) -> float:
    wait = p["retry_wait"] * power(p["retry_exponential_backoff_base"], n)
    return min(around(wait, 0.125 * p["retry_randomize"], u), p.get("retry_max_interval", float("inf")))


def fluent_bit(p: Params, n: int, u: float, prev: float | None) -> float:
    return p["base"] + int(u * (doubled(p["base"], n + 1, p["cap"]) - p["base"] + 1))


def celery(p: Params, n: int, u: float, prev: float | None) -> float:
    most = doubled(p["retry_backoff"], n, p["retry_backoff_max"])
    return int(u * (most + 1)) if p["retry_jitter"] else most


def knative(p: Params, n: int, u: float, prev: float | None) -> float:
    return p["backoff_delay"] * (2 ** (n + 1) if p["exponential"] else n + 1)


def spout(p: Params, n: int, u: float, prev: float | None) -> float:
    failures = n + 1
    return min(p["max_delay"], p["delay_period"] * power(2, failures - 1) if failures > 1 else p["initial_delay"])


def dagster(p: Params, n: int, u: float, prev: float | None) -> float:
    delay = p["base_delay"]
    grown = times(delay, (1, n + 1, 2 ** (n + 1) - 1)[int(p["backoff"])])
    return (grown, u * grown, grown + 2 * u * delay - delay)[int(p["jitter"])]


ROWS = {
    "qstash_retry": Row(qstash, "s", granted("retries")),
    "kubernetes_crash_loop": Row(crash_loop, "s", renews=lambda p: p["up"] >= 600),
    "kubernetes_job": Row(job, "s", granted("backoff_limit")),
    "temporal_retry_policy": Row(temporal, "ms", granted("maximum_retries")),
    "opentelemetry_collector_exporter": Row(collector),
    "svix_webhooks": Row(listed(5, 300, 1800, 7200, 18000, 36000, 36000), "s", 7),
    "resque_exponential_backoff": Row(listed(0, 60, 600, 3600, 10800, 21600), "s", 6),
    "envoy_retry": Row(envoy, "ms", granted("num_retries")),
    "sidekiq_retry": Row(sidekiq, "s", granted("max_retries")),
    "active_job_retry": Row(active_job, "s", granted("attempts_option")),
    "bullmq_exponential": Row(bullmq, "ms", granted("attempts_option")),
    "docker_restart_policy": Row(docker, renews=lambda p: p["up"] >= 10000),
    "symfony_messenger": Row(messenger, "ms", granted("max_retries")),
    "google_cloud_tasks": Row(tasks, "s", granted("max_attempts", first_counts=True)),
    "akka_restart_with_backoff": Row(supervisor),
    "fluentd_buffer": Row(fluentd, "s", granted("retry_max_times")),
    "fluent_bit_scheduler": Row(fluent_bit, "s", granted("retry_limit")),
    "celery_retry": Row(celery, "s", granted("max_retries")),
    "knative_delivery": Row(knative, "ms", granted("retry")),
    "storm_kafka_spout": Row(spout, "ms", granted("max_retries")),
    "dagster_retry_policy": Row(dagster, "s", granted("max_retries")),
}
