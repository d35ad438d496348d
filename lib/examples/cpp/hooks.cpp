// What an application can pass to the loop: a random source, a server's Retry-After, a clock, a sleep, a log, a stop.
#include <algorithm>
#include <backoff/hosted/policies.hpp>
#include <backoff/hosted/retry.hpp>
#include <backoff/hosted/stop.hpp>
#include <cstdio>
#include <thread>

using namespace std::chrono_literals;
using backoff::aws_ba::attempt_limit;
using backoff::policies::aws_backoff_algorithm;
using std::chrono::nanoseconds;

struct device_random {  // stands for the device's; every std::uniform_random_bit_generator serves
  using result_type = std::uint32_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return 0xffff'ffff; }
  result_type operator()() { return state = state * 1664525U + 1013904223U; }
  result_type state = 1;
};

int main() {
  device_random random;
  int tries = 0;
  nanoseconds retry_after{};
  nanoseconds clock{};
  auto const request = [&] {  // stands for a server that is busy twice, and asks for 2 s each time
    retry_after = ++tries < 3 ? 2s : 0s;
    return tries < 3 ? 429 : 200;
  };
  backoff::adjusted const policy(aws_backoff_algorithm(500ms, 60s, attempt_limit::of(5)),
                                 [&](nanoseconds wait) { return std::max(wait, retry_after); });
  backoff::retry_options const options{
      .total_time = 30s,
      .retry_results = [](int status) { return status == 429; },
      .sleep = [&](nanoseconds wait) { clock += wait; },  // a clock that only sleeps move, as tests want it
      .now = [&] { return clock; },
      .on_retry =
          [](backoff::failed_try<int> const& failed) {
            std::printf("try %u: status %d, next in %g s\n", failed.tries, *failed.result,
                        double(failed.wait.count()) / 1e9);
          }};
  int const status = backoff::retry(policy, request, random, options).result;

  backoff::ending end{};
  std::jthread worker([&](std::stop_token const& stop) {
    backoff::retry_options const stopped{.sleep = backoff::sleep_unless_stopped(stop)};
    auto const never = [] { return false; };
    end = backoff::retry(aws_backoff_algorithm(1h, 1h, attempt_limit::forever()), never, random, stopped).ending;
  });
  worker.request_stop();
  worker.join();
  return status == 200 && clock == 4s && end == backoff::ending::interrupted ? 0 : 1;
}
