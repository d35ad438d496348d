// Fuzz target: the library's retry control through long sequences of calls on one clock that goes on: waits, polls,
// resets, options, and readings that fail. In the histories of fuzz_azure_c_retry_control each reading stands for
// itself, so that such sequences are rare.
#include <algorithm>
#include <array>

#include "library_target.hpp"
#include "systems/azure_c_retry_control/history.hpp"

namespace backoff::fuzz {
namespace {

using namespace oracle;
namespace control = systems::azure_c_calls;

constexpr std::size_t calls_max = 400;

// A byte is a call. The upper five bits are what it is about: how far the clock goes on, which option, which failure.
class byte_sequence {
 public:
  explicit byte_sequence(shape const& s, domain const& takes) noexcept : shape_(&s), takes_(&takes) {}

  history of(std::span<std::uint8_t const> bytes) {
    history h;
    auto const at = [&](std::size_t i) { return i < bytes.size() ? bytes[i] : std::uint8_t{0}; };
    h.steps.push_back({control::create, 0, {value::word(at(0) % 7), value::of(limits[at(1) % limits.size()])}});
    for (std::size_t i = 2; i < bytes.size() && i < calls_max; ++i) add(h, bytes[i] % 8U, bytes[i] / 8U);
    shape_->repair(h, *takes_);
    return h;
  }

 private:
  static constexpr std::array<std::int64_t, 8> limits{0, 1, 10, 60, 600, 3'600, 0x8000'0000, 0xffff'ffff};
  static constexpr std::array<std::int64_t, 16> waits{
      1, 2, 3, 5, 7, 16, 25, 50, 99, 60, 100, 0x0fff'ffff, 0x7fff'ffff, 0x8000'0000, 0xffff'ffff, 0};

  void add(history& h, unsigned call, unsigned about) {
    draw_ = draw_ * 2'654'435'761U + about;
    switch (call) {
      case 0:
      case 1:
      case 2:  // the clock goes on: by little, by a power of two, or back
        now_ += call == 2 ? std::int64_t{1} << about : call == 1 && about == 31 ? -7 : static_cast<std::int64_t>(about);
        return ask(h, {value::of(now_)});
      case 3:  // one of up to three readings fails
        return about % 4 == 0   ? ask(h, {value::of(-1)})
               : about % 4 == 1 ? ask(h, {value::of(now_), value::of(-1)})
                                : ask(h, {value::of(now_), value::of(now_ + about), value::of(-1)});
      case 4:
        return set(h, about % 2, waits[about / 2]);
      case 5:  // what was retrieved is set again, or others are
        h.steps.push_back({control::retrieve_options, 0, {}});
        if (about % 2 != 0) {
          step s{control::set_option, 0, {value::word(2)}};
          s.args[control::saved_wait_at] = value::of(waits[about / 2]);
          s.args[control::saved_jitter_at] = value::of(about);
          h.steps.push_back(s);
        }
        return;
      case 6:
        return h.steps.push_back({control::reset, 0, {}});
      default:
        h.steps.push_back(
            {control::is_timeout_reached, 0, {value::of(now_ - about), value::of(about / 2), value::of(now_)}});
    }
  }

  void ask(history& h, std::initializer_list<value> readings) {
    step s{control::should_retry, 0, {}};
    std::ranges::copy(readings, s.args.begin());
    s.args[control::draw_at] = value::of(static_cast<std::int64_t>(draw_ % takes_->draws.size));
    h.steps.push_back(s);
  }
  static void set(history& h, std::int64_t name, std::int64_t n) {
    h.steps.push_back({control::set_option, 0, {value::word(name), value::of(n)}});
  }

  shape const* shape_;
  domain const* takes_;
  std::int64_t now_ = 1'000;
  std::uint64_t draw_ = 0;
};

class sequence_target final : public library_target {
 public:
  sequence_target() : library_target("azure_c_retry_control") {}
  [[nodiscard]] history decode(std::span<std::uint8_t const> bytes) const override {
    return byte_sequence(shape(), takes()).of(bytes);
  }
  [[nodiscard]] bool has_codec() const override { return false; }
};

}  // namespace
}  // namespace backoff::fuzz

backoff::fuzz::target& backoff::fuzz::the_target() {
  static sequence_target the;
  return the;
}
