"""The policies of libraries that retry calls or connect again, each written from its document."""
from formulas import Params, Row, around, doubled, granted, listed, power, times


def full(p: Params, n: int, u: float, prev: float | None) -> float:
    return u * doubled(p["base"], n, p["cap"])


def equal(p: Params, n: int, u: float, prev: float | None) -> float:
    half = doubled(p["base"], n, p["cap"]) / 2
    return half + u * half


def decorrelated(p: Params, n: int, u: float, prev: float | None) -> float:
    low = p["base"]
    before = low if prev is None else prev
    return min(p["cap"], low + u * (before * 3 - low))


def aws_sdk(p: Params, n: int, u: float, prev: float | None) -> float:
    return min(p["max_backoff"], u * power(2, n))


def google(p: Params, n: int, u: float, prev: float | None) -> float:
    return min(1000 * power(2, n) + u * 1000, p["maximum_backoff"])


def google_http(p: Params, n: int, u: float, prev: float | None) -> float:
    interval = 500
    for _ in range(min(n, 20)):
        interval = min(60000, interval * 3 // 2)
    return around(interval, p["randomization_factor"], u)


def urllib3(p: Params, n: int, u: float, prev: float | None) -> float:
    return min(p["backoff_max"], times(p["backoff_factor"], power(2, n)) + u * p["backoff_jitter"]) if n else 0


def kafka_reconnect(p: Params, n: int, u: float, prev: float | None) -> float:
    return int(around(doubled(p["reconnect_backoff_ms"], n, p["reconnect_backoff_max_ms"]), 0.2, u))


def kafka_retry(p: Params, n: int, u: float, prev: float | None) -> float:
    return min(p["retry_backoff_max_ms"], doubled(p["retry_backoff_ms"], n) * (0.8 + u * 0.4))


def spring(p: Params, n: int, u: float, prev: float | None) -> float:
    if n == 0:
        return p["initial_interval"]
    assert prev is not None
    return min(p["max_interval"], int(prev * p["multiplier"]))


def faraday(p: Params, n: int, u: float, prev: float | None) -> float:
    return times(p["interval"], power(p["backoff_factor"], n)) + u * p["interval_randomness"] * p["interval"]


def node_retry(p: Params, n: int, u: float, prev: float | None) -> float:
    random = 1 + u if p["randomize"] else 1
    return min(random * p["min_timeout"] * power(p["factor"], n), p.get("max_timeout", float("inf")))


def linear_jitter(p: Params, n: int, u: float, prev: float | None) -> float:
    return (p["retry_wait_min"] + u * (p["retry_wait_max"] - p["retry_wait_min"])) * (n + 1)


def curl(p: Params, n: int, u: float, prev: float | None) -> float:
    return p.get("retry_after", doubled(1, n, 600))


def wget(p: Params, n: int, u: float, prev: float | None) -> float:
    return min(p["waitretry"], n + 1)


def ky(p: Params, n: int, u: float, prev: float | None) -> float:
    return p.get("retry_after", doubled(300, n, p.get("backoff_limit", float("inf"))))


def ky_tries_again(p: Params, waited: float, delay: float) -> bool:
    return p.get("retry_after", 0) <= p.get("max_retry_after", float("inf"))


def got(p: Params, n: int, u: float, prev: float | None) -> float:
    return 1000 * power(2, n) + u * 100


def retriable(p: Params, n: int, u: float, prev: float | None) -> float:
    return around(min(p["max_interval"], times(p["base_interval"], power(p["multiplier"], n))), p["rand_factor"], u)


def polly(p: Params, n: int, u: float, prev: float | None) -> float:
    grown = {"constant": 1, "linear": n + 1, "exponential": power(2, n)}[p.words["backoff_type"]]
    window = times(p["base_delay"], grown)
    wait = around(window, 0.25, u) if p["use_jitter"] else window
    return min(wait, p.get("max_delay", wait))


def nats_net(p: Params, n: int, u: float, prev: float | None) -> float:
    return doubled(p["reconnect_wait_min"], n, max(p["reconnect_wait_min"], p["reconnect_wait_max"])) + u * p["reconnect_jitter"]


def node_redis(p: Params, n: int, u: float, prev: float | None) -> float:
    return min(2000, 50 << min(n, 20)) + int(u * 200)


def fibonacci(p: Params, n: int, u: float, prev: float | None) -> float:
    one, other = p["initial_delay1"], p["initial_delay2"]
    for _ in range(min(n, 100)):
        one, other = other, min(p.get("max_delay", one + other), one + other)
    return one


ROWS = {
    "perl_algorithm_backoff_fibonacci": Row(fibonacci, "s"),
    "aws_blog_full_jitter": Row(full),
    "aws_blog_equal_jitter": Row(equal),
    "aws_blog_decorrelated_jitter": Row(decorrelated),
    "aws_sdk_standard_retry": Row(aws_sdk, "s", granted("max_attempts", first_counts=True)),
    "google_cloud_truncated": Row(google),
    "google_http_client_backoff": Row(google_http, goes_on=lambda p, waited, delay: waited <= p["max_elapsed_time"]),
    "urllib3_retry": Row(urllib3, "s", granted("total")),
    "kafka_reconnect_backoff": Row(kafka_reconnect),
    "kafka_retry_kip580": Row(kafka_retry),
    "spring_framework_backoff": Row(spring, goes_on=lambda p, waited, delay: waited < p.get("max_elapsed_time", waited + 1)),
    "spring_retry_exponential": Row(spring),
    "faraday_retry": Row(faraday, "s", granted("max_retries")),
    "node_retry": Row(node_retry, "ms", granted("retries")),
    "go_retryablehttp_linear_jitter": Row(linear_jitter, "ms", granted("retry_max")),
    "curl_retry": Row(curl, "s", granted("retry")),
    "wget_waitretry": Row(wget, "s", granted("tries", first_counts=True)),
    "ky_retry": Row(ky, "ms", granted("limit"), ky_tries_again),
    "got_retry": Row(got, "ms", granted("limit")),
    "retriable_gem": Row(retriable, "s", granted("tries", first_counts=True)),
    "nats_net_reconnect": Row(nats_net, "ms", lambda p: int(p["max_reconnect_retry"]) % 10**9),  # -1: no limit
    "polly_retry": Row(polly, "ms", granted("max_retry_attempts")),
    "node_redis_reconnect": Row(node_redis),
    "signalr_automatic_reconnect": Row(listed(0, 2, 10, 30), "s", 4),
    "phoenix_socket_reconnect": Row(listed(10, 50, 100, 150, 200, 250, 500, 1000, 2000, 5000)),
}
