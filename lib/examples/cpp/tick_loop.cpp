// Reconnects in the main loop of a microcontroller: a counter of milliseconds that wraps, no operating system, no heap,
// nothing that blocks. Headers of the core alone.
#include <backoff/aws_backoff_algorithm.hpp>
#include <cstdint>

namespace {

namespace aws = backoff::aws_ba;

class connection {
 public:
  // To be called from the main loop, as often as it comes round, with the counter and whatever the hardware has for a
  // random number.
  void tick(std::uint32_t now_ms, std::uint32_t draw) {
    if (state_ != state::waiting || now_ms - since_ms_ < delay_ms_) return;  // a difference survives the wrap
    if (connect()) {
      state_ = state::connected;
      return;
    }
    auto const decided = cycle_.next(draw);
    if (decided.status == aws::status::exhausted) {
      state_ = state::failed;
      return;
    }
    since_ms_ = now_ms;
    delay_ms_ = decided.delay_ms;
  }
  [[nodiscard]] bool connected() const { return state_ == state::connected; }
  [[nodiscard]] int tries() const { return tries_; }

 private:
  enum class state : std::uint8_t { waiting, connected, failed };

  bool connect() { return ++tries_ == 4; }  // stands for the radio

  aws::full_jitter<std::uint16_t> cycle_{{500, 60'000, aws::attempt_limit::of(8)}};
  std::uint32_t since_ms_ = 0;
  std::uint16_t delay_ms_ = 0;
  state state_ = state::waiting;
  int tries_ = 0;
};

}  // namespace

int main() {
  connection radio;
  std::uint32_t x = 2463534242U;  // xorshift, for this example
  for (std::uint32_t now_ms = 0xffff'fe00U, ticks = 0; ticks < 5'000; ++now_ms, ++ticks) {
    x ^= x << 13U;
    x ^= x >> 17U;
    x ^= x << 5U;
    radio.tick(now_ms, x);
  }
  return radio.connected() && radio.tries() == 4 ? 0 : 1;
}
