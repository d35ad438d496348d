// Right ports of retry control: in plain integers, one for each open reading, the document's own written as different
// people would, and ports that show less. Each must pass, and its reading be reported.
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>

#include "ports/built_in.hpp"
#include "systems/azure_c_retry_control/ports/documented.hpp"

namespace backoff::systems {
namespace {

using namespace retry_control;

struct nearest : reference_port {
  std::uint64_t rounded(quotient const& x) override {
    return static_cast<std::uint64_t>((2 * x.over + x.under) / (2 * x.under));
  }
};
struct ceil : reference_port {
  std::uint64_t rounded(quotient const& x) override {
    return static_cast<std::uint64_t>((x.over + x.under - 1) / x.under);
  }
};
// The formulas as a C programmer types them.
struct doubles : reference_port {
  std::uint64_t next_wait() override {
    using enum model::policy;
    if (policy == random) return to_seconds(initial * share());
    if (policy != exponential_backoff_with_jitter) return reference_port::next_wait();
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
struct draws_first : reference_port {
  int unnoted(std::int64_t) override {
    wait = next_wait();
    return 1;
  }
};
struct rolled_back : reference_port {
  int should_retry(model::action& what) override {
    last_before = last;
    return reference_port::should_retry(what);
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
  int unnoted(std::int64_t) override {
    --count;
    last = last_before;
    return 1;
  }
};
struct returns_zero : reference_port {
  int unnoted(std::int64_t) override {
    wait = next_wait();
    return 0;
  }
};
// Differences of times as C computes them, where the processor wraps what is too large.
struct subtracts_times : reference_port {
  bool elapsed(std::int64_t since, std::int64_t now, std::uint64_t secs) override {
    auto const difference = static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(since);
    return static_cast<std::int64_t>(difference) >= static_cast<std::int64_t>(secs);
  }
};
struct immediate_first : reference_port {
  bool is_over(std::int64_t now) override { return policy != model::policy::immediate && reference_port::is_over(now); }
};
struct reset_to_defaults : reference_port {
  void reset() override {
    if (is_null()) return;
    clear();
    set_defaults();
  }
};

// ---- Other ways to write the same ----

// Doubles once for each retry before; stops at the longest wait.
struct loops : reference_port {
  std::uint64_t doubled() override {
    std::uint64_t base = initial;
    for (std::uint64_t i = 1; i < count && base < seconds_max; ++i) base += base;
    return base;
  }
  std::uint64_t linear(std::uint64_t n) override {
    std::uint64_t sum = 0;
    while (n-- > 0 && sum < seconds_max) sum += initial;
    return sum;
  }
};
// Powers of two from a table.
struct tabulated : reference_port {
  std::uint64_t doubled() override {
    static auto const powers = [] {
      std::array<std::uint64_t, 33> all{1};
      for (std::size_t i = 1; i < all.size(); ++i) all[i] = 2 * all[i - 1];
      return all;
    }();
    return initial * powers[std::min<std::size_t>(count - 1, powers.size() - 1)];
  }
};
// 32 bits, in which products saturate.
struct in_32_bits : reference_port {
  std::uint64_t linear(std::uint64_t n) override {
    std::uint32_t product = 0;
    auto const factor = static_cast<std::uint32_t>(std::min(n, seconds_max));
    return __builtin_mul_overflow(initial, factor, &product) ? seconds_max : product;
  }
  std::uint64_t doubled() override {
    auto const room = static_cast<std::uint64_t>(std::countl_zero(initial));
    return count - 1 > room ? seconds_max : initial << (count - 1);
  }
};
// Notes when a wait and the limit end, in place of when they began.
struct deadlines : reference_port {
  bool elapsed(std::int64_t since, std::int64_t now, std::uint64_t secs) override {
    return i128{now} >= i128{since} + static_cast<i128>(secs);
  }
  __extension__ using i128 = __int128;
};
// A strategy for each policy.
struct strategies : reference_port {
  explicit strategies(scripted& world) : reference_port(world) {
    using enum model::policy;
    waits[interval] = [this] { return std::uint64_t{initial}; };
    waits[linear_backoff] = [this] { return capped(initial * count); };
    waits[exponential_backoff] = [this] { return backed_off(); };
    waits[exponential_backoff_with_jitter] = [this] { return capped(rounded(jittered(backed_off()))); };
    waits[random] = [this] { return static_cast<std::uint64_t>(u128{initial} * world_->rand() / rand_max); };
  }
  std::uint64_t next_wait() override { return waits.at(policy)(); }

 private:
  std::uint64_t backed_off() { return capped(doubled()); }
  std::map<model::policy, std::function<std::uint64_t()>> waits;
};
// A reset is only noted, and takes place when the next retry is asked for.
struct lazily_reset : reference_port {
  void reset() override { stale = stale || !is_null(); }
  int should_retry(model::action& what) override {
    bool const looked_at = !is_null() && !world_->is_null(null_action);
    if (stale && looked_at) {
      clear();
      stale = false;
    }
    return reference_port::should_retry(what);
  }
  bool stale = false;
};
// The jitter apart from what it is added to.
struct adds_the_jitter : reference_port {
  quotient jittered(std::uint64_t base) override {
    auto const share = u128{base} * jitter * world_->rand();
    constexpr u128 whole = u128{100} * rand_max;
    return {(base + share / whole) * whole + share % whole, whole};
  }
};
// Long doubles, whose 64 digits hold more than a double's 53.
struct long_doubles : reference_port {
  std::uint64_t next_wait() override {
    using enum model::policy;
    if (policy == random) return to_seconds(initial * share());
    if (policy != exponential_backoff_with_jitter) return reference_port::next_wait();
    auto const base =
        std::ldexp(static_cast<long double>(initial), static_cast<int>(std::min<std::uint64_t>(count - 1, 99)));
    return to_seconds(base * (1 + jitter * share() / 100));
  }

 private:
  long double share() { return world_->rand() / static_cast<long double>(rand_max); }
  static std::uint64_t to_seconds(long double secs) {
    return secs >= static_cast<long double>(seconds_max) ? seconds_max : static_cast<std::uint64_t>(secs);
  }
};
// Only multiplies by what remains of the jitter: base + base·jitter·rand as one product of doubles, rounded otherwise.
template <double (*Round)(double)>
struct rounds_doubles : reference_port {
  std::uint64_t next_wait() override {
    using enum model::policy;
    if (policy == random)
      return to_seconds(static_cast<double>(initial) * world_->rand() / static_cast<double>(rand_max));
    if (policy != exponential_backoff_with_jitter) return reference_port::next_wait();
    auto const base = static_cast<double>(capped(doubled()));
    return to_seconds(base + base * jitter / 100.0 * world_->rand() / static_cast<double>(rand_max));
  }

 private:
  static std::uint64_t to_seconds(double secs) {
    return static_cast<std::uint64_t>(std::fmin(Round(secs), static_cast<double>(seconds_max)));
  }
};
double half_up(double secs) { return std::floor(secs + 0.5); }
double up(double secs) { return std::ceil(secs); }
// A count that stays at its largest.
struct counts_in_32_bits : reference_port {
  int should_retry(model::action& what) override {
    int const failed = reference_port::should_retry(what);
    count = std::min(count, seconds_max);
    return failed;
  }
};
// Several open readings at once.
struct other_readings : immediate_first {
  std::uint64_t rounded(quotient const& x) override {
    return static_cast<std::uint64_t>((x.over + x.under - 1) / x.under);
  }
  void reset() override {
    if (is_null()) return;
    clear();
    set_defaults();
  }
  int unnoted(std::int64_t) override {
    wait = next_wait();
    return 0;
  }
};

built_in right(std::string_view name, std::string_view sentence, std::vector<answer> (*run)(history const&),
               std::vector<std::string_view> follows) {
  return {.name = name, .sentence = sentence, .run = run, .follows = std::move(follows)};
}

}  // namespace

std::span<built_in const> azure_c_retry_control_right_ports() {
  static std::vector<built_in> const ports{
      right("plain", "in plain integers", run<reference_port>,
            {"quotients=real", "wait-rounding=truncate", "count-origin=one", "overflow=saturates", "failed-016=fails",
             "clock-backwards=signed", "first-call=ends", "stop-sticky=re-evaluated", "immediate-limit=limit-first",
             "reset-options=survive"}),
      right("nearest", "rounds a wait to the nearest second", run<scripted_port<nearest>>, {"wait-rounding=nearest"}),
      right("ceil", "rounds a wait up", run<scripted_port<ceil>>, {"wait-rounding=ceil"}),
      right("doubles", "multiplies doubles", run<scripted_port<doubles>>, {"product-rounding=doubles"}),
      right("draws-first", "draws the wait of a retry whose time it cannot note", run<scripted_port<draws_first>>,
            {"failed-016=fails"}),
      right("rolled-back", "undoes a retry whose time it cannot note", run<scripted_port<rolled_back>>,
            {"failed-016=rolled-back"}),
      right("uncounted", "does not count a retry whose time it cannot note", run<scripted_port<uncounted>>,
            {"failed-016=uncounted"}),
      right("returns-zero", "grants a retry whose time it cannot note", run<scripted_port<returns_zero>>,
            {"failed-016=returns-zero"}),
      right("subtracts-times", "subtracts times in their own type", run<scripted_port<subtracts_times>>,
            {"difference-overflow=undefined"}),
      right("immediate-first", "has no limit for immediate retries", run<scripted_port<immediate_first>>,
            {"immediate-limit=immediate-first"}),
      right("reset-to-defaults", "forgets its options at a reset", run<scripted_port<reset_to_defaults>>,
            {"reset-options=defaults"}),
      right("loops", "doubles and adds in loops", run<scripted_port<loops>>,
            {"wait-rounding=truncate", "overflow=saturates"}),
      right("tabulated", "looks powers of two up", run<scripted_port<tabulated>>,
            {"wait-rounding=truncate", "overflow=saturates"}),
      right("in-32-bits", "saturates in 32 bits", run<scripted_port<in_32_bits>>,
            {"wait-rounding=truncate", "overflow=saturates"}),
      right("deadlines", "notes when waits end", run<scripted_port<deadlines>>, {"clock-backwards=signed"}),
      right("strategies", "has a function for each policy", run<strategies>, {"wait-rounding=truncate"}),
      right("lazily-reset", "resets at the next call", run<scripted_port<lazily_reset>>, {"reset-options=survive"}),
      right("adds-the-jitter", "computes the jitter apart", run<scripted_port<adds_the_jitter>>,
            {"quotients=real", "wait-rounding=truncate"}),
      right("long-doubles", "multiplies long doubles", run<scripted_port<long_doubles>>, {"wait-rounding=truncate"}),
      right("nearest-doubles", "rounds doubles to the nearest second", run<scripted_port<rounds_doubles<half_up>>>,
            {"wait-rounding=nearest"}),
      right("ceil-doubles", "rounds doubles up", run<scripted_port<rounds_doubles<up>>>, {"wait-rounding=ceil"}),
      right("counts-in-32-bits", "counts no further than 32 bits", run<scripted_port<counts_in_32_bits>>,
            {"count-origin=one"}),
      right("other-readings", "follows four open readings at once", run<scripted_port<other_readings>>,
            {"wait-rounding=ceil", "failed-016=returns-zero", "immediate-limit=immediate-first",
             "reset-options=defaults"}),
      built_in{.name = "one-reading",
               .sentence = "can be asked for nothing but the document's calls",
               .run = run<reference_port>,
               .lacks = ~feature_mask{0}},
  };
  return ports;
}

}  // namespace backoff::systems
