#include "reports/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace backoff::reports {

std::string_view unbroken_word(report const& r, claim_line const& line) noexcept {
  if (line.known) return "known";
  // A single hidden draw shows only that a delay is possible.
  bool const draws_are_wrong =
      std::ranges::any_of(r.claims, [](claim_line const& l) { return l.broken && l.claim->draws.has_value(); });
  return r.judged->grade() == grade::membership || draws_are_wrong ? "inside" : "holds";
}

std::string odds_text(double log_odds) {
  constexpr double largest = 690;  // e^690 still fits a double
  return log_odds > largest ? "more than 1e+299" : fmt::format("{:.1e}", std::exp(log_odds));
}

std::string_view history_word(finding const& f) noexcept {
  if (f.how == how_shown::lost || f.how == how_shown::seen || f.how == how_shown::unsteady) return "history";
  return f.cut_short ? "smallest history found in time" : "smallest history";
}

std::string_view as_seen_text(finding const& f) noexcept {
  return f.cut_short ? "time ran out before it could be shown again" : "the port broke before it could be shown again";
}

std::string again_text(report const& r, finding const& f) {
  auto const& [asked, broke] = f.again;
  if (asked == 0) return "";
  double const holds = 1 - static_cast<double>(broke) / static_cast<double>(asked);
  return fmt::format(
      "{}: {} of {} tries showed it; the replay line tries up to {} times, which shows it with a probability of "
      "0.999999",
      r.judged->about().takes.draws.kind == spec::draw_kind::hidden
          ? "the port draws for itself"
          : "given the same calls, the port answers differently",
      broke, asked, std::ceil(std::log(1e-6) / std::log(holds)));
}

}  // namespace backoff::reports
