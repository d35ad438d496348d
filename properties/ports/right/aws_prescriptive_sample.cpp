// Right ports of the sample loop that follow an open reading: each must pass, and its reading be reported.
#include <array>
#include <cmath>
#include <cstdio>

#include "ports/built_in.hpp"
#include "ports/plain_sample_loop.hpp"

namespace backoff::conformance {
namespace {

using namespace plain_loop;

struct checked_conversion : as_documented {  // to a signed 32-bit number, refused where it does not fit
  static bool fails(loop const& l) { return hundreds(l.n) > longest_ms; }
};
struct in_doubles : as_documented {  // min((2 ** n - 1) * 100, longest); past a double's exponent the power is infinite
  static observed delay(loop const& l) {
    std::array<char, 32> text{};
    double const delay = (std::pow(2.0, static_cast<double>(l.n)) - 1) * 100;
    std::snprintf(text.data(), text.size(), "%.17g", std::fmin(delay, static_cast<double>(longest_ms)));
    return observed::of(*spec::parse_decimal(text.data()));
  }
};

}  // namespace

std::span<built_in const> aws_prescriptive_sample_right_ports() {
  static std::array const ports{
      built_in{"plain",
               "written from the document in plain steps",
               run<as_documented>,
               {},
               longest_ms,
               {},
               {"overflow=saturates", "status-filter=code"}},
      built_in{"checked-conversion",
               "fails where a wait does not fit 31 bits",
               run<checked_conversion>,
               {},
               longest_ms,
               {},
               {"overflow=error", "status-filter=code"}},
      built_in{"in-doubles",
               "computes in floating point, and cuts at the longest wait",
               run<in_doubles>,
               {},
               longest_ms,
               {},
               {"overflow=saturates"}},
  };
  return ports;
}

}  // namespace backoff::conformance
