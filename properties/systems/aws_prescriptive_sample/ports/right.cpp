// Right ports of the sample loop, written as different people would: each must pass, and its reading be reported. What
// waits no longer than 31 bits hold saturates, or fails as the sample's conversion does.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

#include "ports/built_in.hpp"
#include "systems/aws_prescriptive_sample/ports/documented.hpp"

namespace backoff::systems {
namespace {

using namespace reference_loop;

struct checked_conversion : as_documented {  // to a signed 32-bit number, refused where it does not fit
  static bool fails(loop const& l) { return hundreds(l.n) > delay_ms_max; }
};
struct in_doubles : as_documented {  // min((2 ** n - 1) * 100, longest); past a double's exponent the power is infinite
  static observed delay(loop const& l) {
    std::array<char, 32> text{};
    double const delay = (std::pow(2.0, static_cast<double>(l.n)) - 1) * 100;
    std::snprintf(text.data(), text.size(), "%.17g", std::fmin(delay, static_cast<double>(delay_ms_max)));
    return observed::of(*spec::parse_decimal(text.data()));
  }
};

// ---- Waits before request n, as different people compute them; past the last that 31 bits hold, any that do not fit
// ----

constexpr number past = number{1} << 50;
constexpr number last_that_fits = 24;  // (2^24 - 1) * 100 < 2^31 < (2^25 - 1) * 100

number mask(number n) { return n > last_that_fits ? past : static_cast<number>(~(~std::uint64_t{0} << n)) * 100; }
number recursive(number n) { return n == 0 ? 0 : n > last_that_fits ? past : 2 * recursive(n - 1) + 100; }
number horner(number n) {
  number w = 0;
  for (number i = 0; i < n && w < delay_ms_max; ++i) w = w * 2 + 1;
  return w * 100;
}
number sum_of_steps(number n) {
  number sum = 0;
  for (number step = 100; n > 0 && sum <= delay_ms_max; step *= 2, --n) sum += step;
  return sum;
}
number tabulated(number n) {
  static auto const table = [] {
    std::array<number, last_that_fits + 1> all{};
    for (std::size_t i = 1; i < all.size(); ++i) all[i] = all[i - 1] + (number{100} << (i - 1));
    return all;
  }();
  return n < static_cast<number>(table.size()) ? table[static_cast<std::size_t>(n)] : past;
}
number in_128_bits(number n) {
  __extension__ using wide = unsigned __int128;
  auto const ms = ((wide{1} << std::min<number>(n, 100)) - 1) * 100;
  return ms > delay_ms_max ? past : static_cast<number>(ms);
}
number by_exp2(number n) { return static_cast<number>(std::fmin((std::exp2(static_cast<double>(n)) - 1) * 100, 1e15)); }
number by_ldexp(number n) {
  return static_cast<number>(std::fmin((std::ldexp(1.0, static_cast<int>(std::min<number>(n, 60))) - 1) * 100, 1e15));
}
number by_expm1(number n) {
  constexpr double ln2 = 0.693147180559945309417;
  return static_cast<number>(std::fmin(std::round(std::expm1(static_cast<double>(n) * ln2)) * 100, 1e15));
}
number by_shift(number n) { return n < 25 ? (number{1} << n) * 100 - 100 : past; }
// Digits of decimal, doubled by hand.
number in_decimal_digits(number n) {
  if (n > last_that_fits) return past;
  std::string power = "1";
  for (; n > 0; --n) {
    int carry = 0;
    for (auto digit = power.rbegin(); digit != power.rend(); ++digit) {
      int const twice = (*digit - '0') * 2 + carry;
      *digit = static_cast<char>('0' + twice % 10);
      carry = twice / 10;
    }
    if (carry != 0) power.insert(power.begin(), '1');
  }
  return (std::stoll(power) - 1) * 100;
}
number by_squaring(number n) {
  number result = 1, base = 2;
  if (n > last_that_fits) return past;
  for (; n > 0; n /= 2, base *= base) {
    if (n % 2 != 0) result *= base;
  }
  return (result - 1) * 100;
}

template <number (*Wait)(number)>
struct saturates : as_documented {
  static observed delay(loop const& l) { return observed::of(std::min(Wait(l.n), delay_ms_max)); }
};
template <number (*Wait)(number)>
struct fails_beyond : as_documented {
  static observed delay(loop const& l) { return observed::of(Wait(l.n)); }
  static bool fails(loop const& l) { return Wait(l.n) > delay_ms_max; }
};

// ---- Other ways to write the loop ----

struct switches : checked_conversion {
  static bool retries(number http_status) {
    switch (http_status) {
      case 200:
        return false;
      case 429:
      case 504:
        return true;
      default:
        return false;
    }
  }
};
struct looks_statuses_up : checked_conversion {
  static bool retries(number http_status) {
    static auto const table = [] {
      std::array<bool, 600> all{};
      all[429] = all[504] = true;
      return all;
    }();
    return table[static_cast<std::size_t>(http_status)];
  }
};

// A port with a state of its own: made of the limit, it says the wait before a request, then whether another follows.
template <class Port>
std::vector<answer> serve(history const& h) {
  std::vector<Port> instances(instances_max, Port(h.params[0].n));
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    auto& port = instances[step.on];
    auto const wait = port.wait();
    if (!wait) {
      answers.push_back({observed::word(1)});
      return answers;
    }
    bool const again = port.again(step.args[0].n);
    answers.push_back({observed::word(0), observed::of(*wait), observed::word(again ? 1 : 0)});
  }
  return answers;
}

bool is_transient(number http_status) { return http_status == 429 || http_status == 504; }

// Computes the wait of the next request as soon as this one is answered, and counts what is left.
struct one_wait_ahead {
  explicit one_wait_ahead(number limit) : left(limit > 1 ? limit - 1 : 0) {}
  [[nodiscard]] std::optional<number> wait() const { return ready; }
  bool again(number http_status) {
    ready = std::min(2 * ready + 100, delay_ms_max);
    bool const more = left > 0 && is_transient(http_status);
    if (left > 0) --left;
    return more;
  }
  number left;
  number ready = 0;
};
// Adds in 32 bits; what overflows is an error.
struct adds_in_32_bits {
  explicit adds_in_32_bits(number limit) : requests(limit) {}
  std::optional<number> wait() {
    if (overflowed) return {};
    number const now = sum;
    overflowed = __builtin_add_overflow(sum, step, &sum) || __builtin_mul_overflow(step, 2, &step);
    return now;
  }
  bool again(number http_status) { return is_transient(http_status) && ++made < requests; }
  number requests;
  number made = 0;
  std::int32_t sum = 0;
  std::int32_t step = 100;
  bool overflowed = false;
};
// A generator of waits, in a closure.
struct closure {
  explicit closure(number limit) : last(limit) {
    next = [w = number{-100}]() mutable {
      w = w < 0 ? 0 : std::min(w + w + 100, delay_ms_max);
      return w;
    };
  }
  std::optional<number> wait() { return next(); }
  bool again(number http_status) { return ++request < last && is_transient(http_status); }
  number last;
  number request = 0;
  std::function<number()> next;
};

built_in right(std::string_view name, std::string_view sentence, std::vector<answer> (*how)(history const&),
               std::string_view overflow) {
  return {.name = name,
          .sentence = sentence,
          .run = how,
          .widest = delay_ms_max,
          .follows = {overflow, "status-filter=code", "limit-counts=requests"}};
}
constexpr std::string_view is_error = "overflow=error";
constexpr std::string_view is_longest = "overflow=saturates";

}  // namespace

std::span<built_in const> aws_prescriptive_sample_right_ports() {
  static std::vector<built_in> const ports{
      built_in{"plain",
               "written from the document in plain steps",
               run<as_documented>,
               {},
               delay_ms_max,
               {},
               {"overflow=saturates", "status-filter=code"}},
      built_in{"checked-conversion",
               "fails where a wait does not fit 31 bits",
               run<checked_conversion>,
               {},
               delay_ms_max,
               {},
               {"overflow=error", "status-filter=code"}},
      built_in{"in-doubles",
               "computes in floating point, and cuts at the longest wait",
               run<in_doubles>,
               {},
               delay_ms_max,
               {},
               {"overflow=saturates"}},
      right("mask", "counts up to a mask of n bits", run<fails_beyond<mask>>, is_error),
      right("recursive", "twice the wait before and 100 ms", run<fails_beyond<recursive>>, is_error),
      right("horner", "doubles and adds one, n times", run<fails_beyond<horner>>, is_error),
      right("sum-of-steps", "adds 100, 200, 400 and so on", run<saturates<sum_of_steps>>, is_longest),
      right("tabulated", "looks its waits up, and fails beyond", run<fails_beyond<tabulated>>, is_error),
      right("tabulated-to-the-last", "looks its waits up, the last for all beyond", run<saturates<tabulated>>,
            is_longest),
      right("in-128-bits", "shifts in 128 bits", run<fails_beyond<in_128_bits>>, is_error),
      right("exp2", "takes a power of two in floating point", run<fails_beyond<by_exp2>>, is_error),
      right("ldexp", "scales a double", run<saturates<by_ldexp>>, is_longest),
      right("expm1", "takes a power of e, less one", run<saturates<by_expm1>>, is_longest),
      right("shifts", "shifts as far as fits", run<saturates<by_shift>>, is_longest),
      right("decimal-digits", "doubles decimal digits", run<fails_beyond<in_decimal_digits>>, is_error),
      right("squares", "squares and multiplies", run<saturates<by_squaring>>, is_longest),
      right("switches", "tells statuses apart by a switch", run<switches>, is_error),
      right("looks-statuses-up", "tells statuses apart by a table", run<looks_statuses_up>, is_error),
      right("one-wait-ahead", "computes each wait before it is asked for", serve<one_wait_ahead>, is_longest),
      right("adds-in-32-bits", "adds in 32 bits, and fails where that overflows", serve<adds_in_32_bits>, is_error),
      right("closure", "is a closure", serve<closure>, is_longest),
  };
  return ports;
}

}  // namespace backoff::systems
