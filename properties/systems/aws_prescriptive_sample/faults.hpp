// The faults of the sample loop, each once. A row is a wrong port, a hypothesis of the diagnosis, or both. They share
// the fault's formula and nothing else: ports/wrong.cpp computes the rest in plain steps, and so does diagnoses.cpp
// beside the port's answers.
// Checked by: properties/explain/faults_test.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace backoff::systems::sample_faults {

inline constexpr double longest_ms = 0x7fff'ffff;
// 2^n, cut where it is far beyond every limit.
inline double power(double n) { return std::ldexp(1, static_cast<int>(std::min(n, 40.0))); }
constexpr bool is_documented(std::int64_t status) { return status == 429 || status == 504; }

// What a fault does otherwise than documented.
struct doing {
  std::function<double(double n)> wait = [](double n) { return 100 * (power(n) - 1); };  // before request n
  std::function<bool(std::int64_t)> retries = is_documented;                             // after that status
  std::function<double(double)> limit = [](double max_retries) { return max_retries; };
};
inline doing wait(std::function<double(double)> f) { return {.wait = std::move(f)}; }
inline doing retries(std::function<bool(std::int64_t)> f) { return {.retries = std::move(f)}; }
inline doing limit(std::function<double(double)> f) { return {.limit = std::move(f)}; }

// A fault as a port. What follows `steps` is no part of a hypothesis.
struct wrong_port {
  std::string_view name{};
  std::string_view claim{};  // that must catch it
  std::string_view hazard{};
  std::size_t steps = 3;  // at most, to show it
  std::function<double(double)> held = [](double ms) { return std::min(ms, longest_ms); };
  std::function<bool(double n, double max_retries)> fails = [](double, double) { return false; };
  bool shares_count = false;  // all instances
};

struct fault {
  std::string name;  // of the hypothesis; empty: the diagnosis has none here
  std::string sentence;
  doing does{};
  wrong_port port{};
};
inline fault row(std::string name, std::string sentence, doing does, wrong_port port = {}) {
  return {std::move(name), std::move(sentence), std::move(does), std::move(port)};
}
// The documented waits in another unit.
inline doing of_unit(double unit) {
  return wait([=](double n) { return unit * (power(n) - 1); });
}
inline doing retries_too(std::int64_t from, std::int64_t to) {
  return retries([=](std::int64_t status) { return is_documented(status) || (status >= from && status <= to); });
}
inline wrong_port holding(std::string_view name, std::string_view claim, std::function<double(double)> const& held,
                          std::size_t steps = 26) {
  return {.name = name, .claim = claim, .steps = steps, .held = held};
}
inline wrong_port failing_where(std::string_view name, std::string_view claim, std::size_t steps,
                                std::function<bool(double, double)> const& f) {
  return {.name = name, .claim = claim, .steps = steps, .fails = f};
}

constexpr std::string_view first = "first_request_is_not_waited_for";
constexpr std::string_view formula = "delay_doubles_and_adds_100_ms";
constexpr std::string_view overflow = "overflow_saturates_or_fails";
constexpr std::string_view negative = "delay_is_never_negative";
constexpr std::string_view longest = "delay_never_exceeds_31_bits";
constexpr std::string_view failing = "no_request_fails";
constexpr std::string_view others = "other_answers_end_the_run";
constexpr std::string_view transient = "throttling_and_time_outs_are_retried";
constexpr std::string_view limited = "max_retries_limits_the_requests";

// Of hypotheses the most telling first.
inline std::vector<fault> const& all_faults() {
  static auto const table = [] {
    std::vector<fault> all{
        row("starts-early", "starts one doubling early", wait([](double n) { return 100 * (power(n + 1) - 1); }),
            {"exponent-from-one", first}),
        row("starts-late", "starts one doubling late",
            wait([](double n) { return n == 0 ? 0 : 100 * (power(n - 1) - 1); }), {"exponent-too-late", formula}),
        row("one-not-subtracted", "waits 2^n instead of 2^n - 1 times 100 ms",
            wait([](double n) { return 100 * power(n); }), {"one-not-subtracted", first}),
        row("one-not-subtracted", "waits 2^n times 100 ms, but 0 at first",
            wait([](double n) { return n == 0 ? 0 : 100 * power(n); })),
        row("one-not-subtracted", "waits 2^(n-1) times 100 ms", wait([](double n) { return 100 * power(n - 1); })),
        row("one-not-subtracted", "waits 2^(n-1) times 100 ms, but 0 at first",
            wait([](double n) { return n == 0 ? 0 : 100 * power(n - 1); })),
        row("one-not-subtracted", "waits 2^n * 100 - 1 instead of (2^n - 1) * 100 ms",
            wait([](double n) { return 100 * power(n) - 1; })),
        row("one-not-subtracted", "waits 2^n * 100 - 1 instead of (2^n - 1) * 100 ms, but 0 at first",
            wait([](double n) { return n == 0 ? 0 : 100 * power(n) - 1; })),
        row("xor", "takes the exclusive or of 2 and n instead of 2^n",
            wait([](double n) { return 100.0 * ((2 ^ static_cast<int>(n)) - 1); })),
        row("unit", "waits (2^n - 1) seconds", of_unit(1'000)),
        row("unit", "waits (2^n - 1) * 10 ms", of_unit(10)),
        row("unit", "waits (2^n - 1) * 200 ms", of_unit(200)),
        row("unit", "waits (2^n - 1) * 50 ms", of_unit(50)),
        row("unit", "waits (2^n - 1) * 1 ms", of_unit(1)),
        row("starts-early", "waits (2^(n+1) - 2) * 100 ms", wait([](double n) { return 100 * (power(n + 1) - 2); })),
        row("one-attempt-too-many", "makes one request more than max_retries", limit([](double n) { return n + 1; }),
            {"one-request-too-many", limited, "limit-counts=retries", 1}),
        row("one-attempt-too-few", "makes one request fewer than max_retries", limit([](double n) { return n - 1; }),
            {"one-request-too-few", transient, "", 1}),
        row("never-gives-up", "ignores max_retries",
            limit([](double) { return std::numeric_limits<double>::infinity(); }), {"limit-ignored", limited, "", 1}),
        row("one-status-alone", "does not retry 504", retries([](std::int64_t status) { return status == 429; }),
            {"throttling-only", transient, "", 1}),
        row("one-status-alone", "does not retry 429", retries([](std::int64_t status) { return status == 504; }),
            {"time-outs-only", transient, "", 1}),
        row("retries-nothing", "never retries", retries([](std::int64_t) { return false; })),
        row("retries-a-class", "retries every 5xx status", retries_too(500, 599), {"all-server-errors", others, "", 1}),
        row("retries-a-class", "retries every 4xx status", retries_too(400, 499)),
        row("retries-a-class", "retries every status from 400 on",
            retries([](std::int64_t status) { return status >= 400; })),
        row("retries-a-class", "retries 2xx statuses too", retries_too(200, 299)),
        row("retries-a-class", "retries 2xx statuses but 200 too", retries_too(201, 299)),
        row("retries-a-class", "retries 3xx statuses too", retries_too(300, 399)),
        row("retries-a-class", "retries every status but 200",
            retries([](std::int64_t status) { return status != 200; }), {"all-but-success", others, "", 1}),
        row("retries-everything", "retries whatever the status is", retries([](std::int64_t) { return true; })),
        row("linear", "adds 100 ms each time where it should double", wait([](double n) { return 100 * n; }),
            {"linear", formula}),
        row("triangle", "grows with n * (n + 1) / 2 instead of doubling",
            wait([](double n) { return 100 * n * (n + 1) / 2; })),
        row("square", "grows with the square of the count instead of doubling",
            wait([](double n) { return 100 * n * n; }), {"square", formula}),
        row("power-of-ten", "computes 10^n instead of 2^n", wait([](double n) { return 100 * (std::pow(10, n) - 1); }),
            {"power-of-ten", formula}),
        row("constant", "always waits 100 ms", wait([](double) { return 100; })),
        row("shift-masked", "shifts by the count modulo 32",
            wait([](double n) { return 100 * (power(std::fmod(n, 32)) - 1); }), {"shift-masked", overflow, "", 33}),
        // Of these the diagnosis of any system has some.
        row("", "waits 100 ms before each request but the first", wait([](double n) { return n == 0 ? 0 : 100; }),
            {"constant", formula}),
        row("", "adds a few milliseconds", wait([](double n) { return 100 * (power(n) - 1) + std::fmod(n * 37, 100); }),
            {"jittered", formula}),
        row("", "waits are a thousand times too short", {},
            holding(
                "in-seconds", formula, [](double ms) { return std::min(ms, longest_ms) / 1'000; }, 3)),
        row("", "a double's exponent overflows",
            wait([](double n) { return n > 1'023 ? std::numeric_limits<double>::quiet_NaN() : 100 * (power(n) - 1); }),
            {"infinite", "delay_is_a_number", "", 1'025}),
        row("", "waits are a thousand times too long", {},
            holding(
                "in-microseconds", longest, [](double ms) { return 1'000 * std::min(ms, longest_ms); }, 16)),
        row("", "32 bits of the product, signed", {},
            {.name = "wraps",
             .claim = negative,
             .hazard = "overflow=wraps",
             .steps = 26,
             .held = [](double ms) { return std::remainder(ms, 0x1p32); }}),
        row("", "32 bits of the product, unsigned", {},
            holding("wraps-unsigned", longest, [](double ms) { return std::fmod(ms, 0x1p32); })),
        row("", "overflow gives no wait at all", {},
            holding("overflow-to-zero", overflow, [](double ms) { return ms > longest_ms ? 0 : ms; })),
        row("", "overflow gives 1 ms", {},
            holding("timer-wraps", overflow, [](double ms) { return ms > longest_ms ? 1 : ms; })),
        row("", "overflow gives -2^31", {},
            holding("smallest-integer", negative, [](double ms) { return ms > longest_ms ? -0x1p31 : ms; })),
        row("", "waits of months", {}, holding("no-limit", longest, [](double ms) { return ms; })),
        row("", "waits a minute at most", {},
            holding(
                "capped-early", formula, [](double ms) { return std::min(ms, 60'000.0); }, 11)),
        row("", "a double's exponent overflows, and throws", {},
            failing_where("throws-after-1023", overflow, 1'025, [](double n, double) { return n > 1'023; })),
        row("", "fails at a wait that fits", {},
            failing_where("throws-too-early", failing, 25, [](double n, double) { return n > 23; })),
        row("", "the longest wait once, then fails", {},
            failing_where("saturates-then-throws", overflow, 27, [](double n, double) { return n > 25; })),
        row("", "fails where max_retries is 0", {},
            failing_where("no-request-without-retries", failing, 1,
                          [](double, double max_retries) { return max_retries == 0; })),
        row("", "retries 408, 502 and 503", retries([](std::int64_t status) {
              return is_documented(status) || status == 408 || status == 502 || status == 503;
            }),
            {"all-that-may-pass", others, "status-filter=prose", 1}),
        row("", "a limit of its own", limit([](double n) { return std::min(n, 10.0); }),
            {"gives-up-after-ten", transient, "", 10}),
        row("", "keeps 16 bits of max_retries", limit([](double n) { return std::fmod(n, 0x1p16); }),
            {"limit-in-16-bits", transient}),
        row("", "all instances count together", {},
            {.name = "shared-count", .claim = "instances_are_independent", .shares_count = true}),
    };
    auto const add_status = [&](std::int64_t status, wrong_port const& port = {}) {
      auto const name = std::to_string(status);
      all.push_back({"retries-another-status", "retries " + name + " too", retries_too(status, status), port});
      for (auto const& [kept, other] : {std::pair{429, "504"}, {504, "429"}})
        all.push_back({"retries-another-status", "retries " + name + " instead of " + other,
                       retries([=](std::int64_t s) { return s == kept || s == status; })});
    };
    add_status(408, {"all-time-outs", others, "", 1});
    add_status(500);
    add_status(502);
    add_status(503, {"unavailable-too", others, "status-filter=prose", 1});
    add_status(200, {"success-too", "success_ends_the_run", "", 1});
    add_status(0);
    return all;
  }();
  return table;
}

}  // namespace backoff::systems::sample_faults
