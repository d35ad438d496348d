// A policy of your own: waits of 1 s that grow by 1.6 up to 120 s, with a jitter of 20 %.
#include <algorithm>
#include <backoff/hosted/retry.hpp>
#include <cstdio>

struct jittered {
  double window_s = 1;
  backoff::next_step what_next(std::chrono::nanoseconds /*elapsed*/, auto& generator) {
    std::chrono::duration<double> const wait(std::uniform_real_distribution(0.8, 1.2)(generator) * window_s);
    window_s = std::min(1.6 * window_s, 120.0);
    return {backoff::advice::try_again, std::chrono::duration_cast<std::chrono::nanoseconds>(wait)};
  }
};

int main() {
  std::mt19937 random{std::random_device{}()};
  double waited_s = 0;
  backoff::retry_options const options{
      .sleep = [&](std::chrono::nanoseconds wait) { waited_s += double(wait.count()) / 1e9; }};
  int tries = 0;
  backoff::retry(jittered{}, [&] { return ++tries == 4; }, random, options);
  std::printf("%d tries, waits of %g s\n", tries, waited_s);
  return tries == 4 && waited_s >= 0.8 * 5.16 && waited_s <= 1.2 * 5.16 ? 0 : 1;
}
