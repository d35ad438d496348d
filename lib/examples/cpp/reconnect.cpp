// Reconnects and blocks meanwhile: at most five retries with full jitter, thirty seconds in all.
#include <backoff/hosted/policies.hpp>
#include <backoff/hosted/retry.hpp>
#include <cstdio>
#include <random>
#include <system_error>

// Stands for a connection that comes at the third try.
static int connect() {
  static int tries = 0;
  if (++tries < 3) throw std::system_error(std::make_error_code(std::errc::connection_refused));
  return tries;
}

int main() {
  using namespace std::chrono_literals;
  using backoff::aws_ba::attempt_limit;

  std::mt19937 random{std::random_device{}()};  // entropy of this machine's own: not all clients return at once
  backoff::policies::aws_backoff_algorithm const policy(20ms, 1s, attempt_limit::of(5));
  auto const end = backoff::retry(policy, connect, random,
                                  backoff::retry_options{
                                      .total_time = 30s,
                                      .retry_results = [](int descriptor) { return descriptor < 0; },
                                      .retry_exceptions = backoff::exceptions_of<std::system_error>{},
                                  });
  std::printf("%s after %u tries\n", end.answered() ? "connected" : "no connection", unsigned(end.tries));
  return end.answered() && end.tries == 3 ? 0 : 1;
}
