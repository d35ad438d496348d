// Right ports of retry control: in plain integers, one for each open reading, and ports that show less. Each must pass,
// and its reading be reported.
#include <cmath>

#include "ports/built_in.hpp"
#include "ports/plain_retry_control.hpp"

namespace backoff::conformance {
namespace {

using namespace retry_control;

struct nearest : plain {
  using plain::plain;
  std::uint64_t rounded(quotient const& x) override {
    return static_cast<std::uint64_t>((2 * x.over + x.under) / (2 * x.under));
  }
};
struct ceil : plain {
  using plain::plain;
  std::uint64_t rounded(quotient const& x) override {
    return static_cast<std::uint64_t>((x.over + x.under - 1) / x.under);
  }
};
// The formulas as a C programmer types them.
struct doubles : plain {
  using plain::plain;
  std::uint64_t next_wait() override {
    using enum model::policy;
    if (policy == random) return to_seconds(initial * share());
    if (policy != exponential_backoff_with_jitter) return plain::next_wait();
    double const base = std::pow(2, static_cast<double>(count - 1)) * initial;
    return to_seconds(base * (1 + jitter / 100.0 * share()));
  }

 private:
  double share() { return world_->rand() / static_cast<double>(rand_max); }
  static std::uint64_t to_seconds(double secs) {
    return secs >= static_cast<double>(seconds_max) ? seconds_max : static_cast<std::uint64_t>(secs);
  }
};
// What a retry changes is computed before its time is read, which then fails.
struct draws_first : plain {
  using plain::plain;
  int unnoted(std::int64_t) override {
    wait = next_wait();
    return 1;
  }
};
struct rolled_back : plain {
  using plain::plain;
  int should_retry(model::action& what) override {
    last_before = last;
    return plain::should_retry(what);
  }
  int unnoted(std::int64_t first_before) override {
    --count;
    last = last_before;
    first = first_before;
    return 1;
  }
  std::int64_t last_before = -1;
};
struct uncounted : rolled_back {
  using rolled_back::rolled_back;
  int unnoted(std::int64_t) override {
    --count;
    last = last_before;
    return 1;
  }
};
struct returns_zero : plain {
  using plain::plain;
  int unnoted(std::int64_t) override {
    wait = next_wait();
    return 0;
  }
};
// Differences of times as C computes them, where the processor wraps what is too large.
struct subtracts_times : plain {
  using plain::plain;
  bool elapsed(std::int64_t since, std::int64_t now, std::uint64_t secs) override {
    auto const difference = static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(since);
    return static_cast<std::int64_t>(difference) >= static_cast<std::int64_t>(secs);
  }
};
struct immediate_first : plain {
  using plain::plain;
  bool is_over(std::int64_t now) override { return policy != model::policy::immediate && plain::is_over(now); }
};
struct reset_to_defaults : plain {
  using plain::plain;
  void reset() override {
    if (is_null()) return;
    clear();
    set_defaults();
  }
};

built_in right(std::string_view name, std::string_view sentence, std::vector<answer> (*run)(history const&),
               std::vector<std::string_view> follows) {
  return {.name = name, .sentence = sentence, .run = run, .follows = std::move(follows)};
}

}  // namespace

std::span<built_in const> azure_c_retry_control_right_ports() {
  static std::vector<built_in> const ports{
      right("plain", "in plain integers", run<plain>,
            {"quotients=real", "wait-rounding=truncate", "count-origin=one", "overflow=saturates", "failed-016=fails",
             "clock-backwards=signed", "first-call=ends", "stop-sticky=re-evaluated", "immediate-limit=limit-first",
             "reset-options=survive"}),
      right("nearest", "rounds a wait to the nearest second", run<nearest>, {"wait-rounding=nearest"}),
      right("ceil", "rounds a wait up", run<ceil>, {"wait-rounding=ceil"}),
      right("doubles", "multiplies doubles", run<doubles>, {"product-rounding=doubles"}),
      right("draws-first", "draws the wait of a retry whose time it cannot note", run<draws_first>,
            {"failed-016=fails"}),
      right("rolled-back", "undoes a retry whose time it cannot note", run<rolled_back>, {"failed-016=rolled-back"}),
      right("uncounted", "does not count a retry whose time it cannot note", run<uncounted>, {"failed-016=uncounted"}),
      right("returns-zero", "grants a retry whose time it cannot note", run<returns_zero>, {"failed-016=returns-zero"}),
      right("subtracts-times", "subtracts times in their own type", run<subtracts_times>,
            {"difference-overflow=undefined"}),
      right("immediate-first", "has no limit for immediate retries", run<immediate_first>,
            {"immediate-limit=immediate-first"}),
      right("reset-to-defaults", "forgets its options at a reset", run<reset_to_defaults>, {"reset-options=defaults"}),
      built_in{.name = "one-reading",
               .sentence = "can be asked for nothing but the document's calls",
               .run = run<plain>,
               .lacks = ~feature_mask{0}},
  };
  return ports;
}

}  // namespace backoff::conformance
