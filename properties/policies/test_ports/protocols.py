"""The policies of network protocols, each written from its document."""
from formulas import Params, Row, around, doubled, granted, power


def grpc(p: Params, n: int, u: float, prev: float | None) -> float:
    window = min(p["cap"], p["initial"] * power(p["multiplier"], n))
    return window if n == 0 else around(window, p["jitter"], u)


def grpc_retry(p: Params, n: int, u: float, prev: float | None) -> float:
    return min(p["initial_backoff"] * power(p["backoff_multiplier"], n), p["max_backoff"]) * (0.8 + 0.4 * u)


def dhcp(p: Params, n: int, u: float, prev: float | None) -> float:
    return doubled(4, n, 64) + 2 * u - 1


def dhcp_v6(p: Params, n: int, u: float, prev: float | None) -> float:
    rand = u / 5 - 0.1
    if n == 0:
        return p["irt"] + rand * p["irt"]
    assert prev is not None
    most, timeout = p.get("mrt", 0), 2 * prev + rand * prev
    return most + rand * most if most and timeout > most else timeout


def coap(p: Params, n: int, u: float, prev: float | None) -> float:
    if n == 0:
        return p["ack_timeout"] * (1 + (p["ack_random_factor"] - 1) * u)
    assert prev is not None
    return 2 * prev


def invite(p: Params, n: int, u: float, prev: float | None) -> float:
    return doubled(p["t1"], n)


def non_invite(p: Params, n: int, u: float, prev: float | None) -> float:
    return doubled(p["t1"], n, p["t2"])


def quic(p: Params, n: int, u: float, prev: float | None) -> float:
    return doubled(p["smoothed_rtt"] + max(4 * p.get("rttvar", p["smoothed_rtt"] / 2), 1) + p["max_ack_delay"], n)


def ethernet(p: Params, n: int, u: float, prev: float | None) -> float:
    return p["slot_time"] * int(u * 2 ** min(n + 1, 10))


def tcp(p: Params, n: int, u: float, prev: float | None) -> float:
    return doubled(p["rto"], n + 1, p["maximum"])


def tracker(p: Params, n: int, u: float, prev: float | None) -> float:
    return 15 << min(n, 8)


def mqtt(p: Params, n: int, u: float, prev: float | None) -> float:
    return doubled(p["min_retry_interval"], n, p["max_retry_interval"])


def socket_io(p: Params, n: int, u: float, prev: float | None) -> float:
    most = p["reconnection_delay_max"]
    window = doubled(p["reconnection_delay"], n)
    return min(most, around(window, p["randomization_factor"], u)) if window < most else most


def device(p: Params, n: int, u: float, prev: float | None) -> float:
    return p["interval"] + 5 * (n + (p.words["answer"] == "slow_down"))


def device_polls(p: Params, waited: float, delay: float) -> bool:
    return p.words["answer"] in ("authorization_pending", "slow_down") and waited <= p["expires_in"]


ROWS = {
    "oauth_device_rfc8628": Row(device, "s", goes_on=device_polls, counts=lambda p: p.words["answer"] == "slow_down"),
    "grpc_connection_backoff": Row(grpc),
    "grpc_retry_a6": Row(grpc_retry, "ms", granted("max_attempts", first_counts=True)),
    "dhcp_rfc2131": Row(dhcp, "s"),
    "dhcpv6_request_rfc8415": Row(dhcp_v6, "s", granted("mrc", first_counts=True)),
    "dhcpv6_release_rfc8415": Row(dhcp_v6, "s", granted("mrc", first_counts=True)),
    "coap_rfc7252": Row(coap, "ms", granted("max_retransmit")),
    "sip_invite_rfc3261": Row(invite, "ms", 6),
    "sip_non_invite_rfc3261": Row(non_invite),
    "quic_pto_rfc9002": Row(quic),
    "ethernet_csma_cd": Row(ethernet, "ns", 15),
    "tcp_rto_backoff": Row(tcp),
    "bittorrent_udp_tracker_bep15": Row(tracker, "s", granted("retransmissions")),
    "paho_mqtt_reconnect": Row(mqtt, "s"),
    "socket_io_reconnect": Row(socket_io, "ms", granted("reconnection_attempts")),
}
