// Retries an upload by the headers alone: C++20, a generator of the standard library.
#include <backoff/aws_prescriptive_sample.hpp>
#include <backoff/hosted/aws_retry_utils_loop.hpp>
#include <cstdio>
#include <random>

int main() {
  namespace utils = backoff::aws_retry_utils;
  std::mt19937 random{std::random_device{}()};
  int tries = 0;
  auto const outcome = utils::retry(
      utils::parameters<std::uint32_t>{1, 128, 5, 4}, random,
      [](auto seconds) { std::printf("sleep %u s\n", unsigned(seconds.count())); }, [&] { return ++tries == 3; });
  return outcome == utils::outcome::succeeded && tries == 3 && backoff::aws_prescriptive_sample::delay_ms(2) == 300 ? 0
                                                                                                                    : 1;
}
