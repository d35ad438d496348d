#include "waits/wait_patterns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace backoff::waits {
namespace {

constexpr std::size_t retries_min = 3;
constexpr double grows_min = 1.2;  // from one delay to the next, for growth to be seen
constexpr double alike = 0.02;     // two numbers that differ by less are told as one

double middle(range_ns r) { return (r.low + r.high) / 2; }
double middle(wait_row const& r) { return r.seen[(r.seen.size() - 1) / 2].ns; }

// The range that a rule gives to a row; nothing: it leaves that one open.
using rule = std::function<std::optional<range_ns>(std::size_t row)>;

class seen_rows {
 public:
  seen_rows(std::span<wait_row const> rows, std::optional<range_ns> next, tolerance const& allowed)
      : rows_(rows),
        next_(next),
        early_(static_cast<double>(allowed.early_ns)),
        late_(static_cast<double>(allowed.varies_ns)) {}

  [[nodiscard]] std::optional<std::string> pattern() const {
    bool const is_whole = std::ranges::all_of(
        rows_, [&](wait_row const& r) { return r.retry == static_cast<std::size_t>(&r - rows_.data()) + 1; });
    bool const is_wrong = std::ranges::any_of(rows_, [](wait_row const& r) { return r.early + r.late > 0; });
    if (rows_.size() < retries_min || !is_whole || !is_wrong) return std::nullopt;
    for (auto const& find : {&seen_rows::constant, &seen_rows::shifted, &seen_rows::scaled, &seen_rows::moved,
                             &seen_rows::uncapped, &seen_rows::capped, &seen_rows::grown}) {
      if (auto text = (this->*find)()) return text;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] range_ns documented(std::size_t row) const { return rows_[row].documented; }
  [[nodiscard]] std::size_t last() const { return rows_.size() - 1; }

  // Whether each wait fits, fills what the rule gives to it, and is no nearer to one documented delay: waits that are
  // right have nothing in common with wrong ones.
  [[nodiscard]] bool fits(rule const& of) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      auto const range = of(i);
      if (!range) continue;
      auto const& seen = rows_[i].seen;
      auto const aside =
          seen.size() < 10 ? 0 : (seen.size() + 19) / 20;  // what the machine may have moved, on each side
      double const least = seen[aside].ns;
      double const most = seen[seen.size() - 1 - aside].ns;
      if (least < range->low - early_ || most > range->high + late_) return false;
      auto const off = [&](range_ns from) { return std::abs(middle(rows_[i]) - middle(from)); };
      bool const is_one = documented(i).high - documented(i).low <= late_;
      if (is_one && off(*range) > off(documented(i))) return false;
      double const width = range->high - range->low;
      if (width > late_ && most - least < width / 2) return false;
    }
    return true;
  }

  [[nodiscard]] bool grows() const { return middle(documented(last())) > grows_min * middle(documented(0)); }
  // By how much the documented delays grow from each to the next, before they reach their cap; 1: they do not.
  [[nodiscard]] double growth() const {
    if (middle(documented(0)) <= 0) return 1;
    return std::max(1.0, middle(documented(1)) / std::max(1.0, middle(documented(0))));
  }

  [[nodiscard]] std::optional<std::string> constant() const {
    auto const least = std::ranges::min(rows_, {}, [](auto const& r) { return middle(r); });
    double const ns = middle(least);
    if (!grows() || !fits([&](std::size_t) { return range_ns{ns, ns}; })) return std::nullopt;
    return fmt::format("each wait is about {:.0f} ms: they do not grow", ns / 1e6);
  }

  [[nodiscard]] std::optional<std::string> shifted() const {
    if (!grows()) return std::nullopt;
    auto const ahead = [&](std::size_t i) { return i < last() ? documented(i + 1) : next_.value_or(range_ns{-1, -1}); };
    if (next_ && fits(ahead)) return "each wait is the documented delay of the next retry: the first one is left out";
    auto const behind = [&](std::size_t i) { return i == 0 ? std::nullopt : std::optional(documented(i - 1)); };
    if (!fits(behind)) return std::nullopt;
    return fmt::format(
        "from the second on, each wait is the documented delay of the retry before; the first is {:.0f} ms",
        middle(rows_[0]) / 1e6);
  }

  [[nodiscard]] std::optional<std::string> scaled() const {
    double const k = middle(rows_[last()]) / middle(documented(last()));
    if (middle(documented(last())) <= 0 || !grows() || std::abs(k - 1) < alike || !(k > 0)) return std::nullopt;
    if (!fits([&](std::size_t i) { return range_ns{k * documented(i).low, k * documented(i).high}; }))
      return std::nullopt;
    return fmt::format("each wait is about {:.3g} times the documented delay", k);
  }

  [[nodiscard]] std::optional<std::string> moved() const {
    double const by = middle(rows_[last()]) - middle(documented(last()));
    if (std::abs(by) <= late_ || !fits([&](std::size_t i) {
          return range_ns{std::max(0.0, documented(i).low + by), std::max(0.0, documented(i).high + by)};
        }))
      return std::nullopt;
    return fmt::format("each wait is about {:.0f} ms {} than documented", std::abs(by) / 1e6,
                       by > 0 ? "longer" : "shorter");
  }

  [[nodiscard]] std::optional<std::string> uncapped() const {
    double const g = growth();
    auto const free = [&](std::size_t i) {
      double const k = std::pow(g, i);
      return range_ns{k * documented(0).low, k * documented(0).high};
    };
    if (g < grows_min || !fits(free)) return std::nullopt;
    return fmt::format("waits grow on, to {:.0f} ms, where the document holds them at {:.0f} ms at most",
                       rows_.back().seen.back().ns / 1e6, documented(last()).high / 1e6);
  }

  [[nodiscard]] std::optional<std::string> capped() const {
    double const cap = rows_[last()].seen.back().ns;
    auto const held = [&](std::size_t i) {
      return range_ns{std::min(cap, documented(i).low), std::min(cap, documented(i).high)};
    };
    bool const is_seen_twice = last() >= 1 && std::abs(rows_[last() - 1].seen.back().ns - cap) < late_;
    if (!is_seen_twice || documented(last()).low < cap + late_ || !fits(held)) return std::nullopt;
    return fmt::format("waits stop growing at {:.0f} ms, where the document lets them grow", cap / 1e6);
  }

  [[nodiscard]] std::optional<std::string> grown() const {
    double const most = std::ranges::max(rows_, {}, [](auto const& r) { return middle(r.documented); }).documented.high;
    double const q = std::pow(middle(rows_[last()]) / middle(documented(0)), 1 / static_cast<double>(last()));
    auto const by_q = [&](std::size_t i) {
      double const k = std::pow(q, i);
      return range_ns{k * documented(0).low, k * documented(0).high};
    };
    if (growth() < grows_min || q < grows_min || std::abs(q - growth()) < alike * growth() ||
        middle(rows_[last()]) > most || !fits(by_q))
      return std::nullopt;
    return fmt::format("each wait is about {:.2f} times the one before, where the document has {:.2f} times", q,
                       growth());
  }

  std::span<wait_row const> rows_;
  std::optional<range_ns> next_;
  double early_;
  double late_;
};

}  // namespace

std::optional<std::string> pattern_of(std::span<wait_row const> rows, std::optional<range_ns> next,
                                      tolerance const& allowed) {
  return seen_rows(rows, next, allowed).pattern();
}

}  // namespace backoff::waits
