#include "explain/number_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <ranges>
#include <utility>

#include "judge/drawn.hpp"

namespace backoff::explain {
namespace {

constexpr std::size_t readings_max = 24;
constexpr std::size_t first_ones_max = 20;  // delays of a retry that are asked for one by one
constexpr std::array<std::size_t, 3> horizons{
    1, 3, 12};  // a first delay shows the base and the jitter, three the growth, all the cap
constexpr std::size_t histories_at_first = 12;  // where each has ranges of its own
constexpr std::size_t histories_at_last = 60;
constexpr std::size_t beam = 4;       // candidates that are followed from one horizon to the next
constexpr double hopeless = 0.4;      // fewer of the delays are inside
constexpr double settled = 0.7;       // the same, once the growth is known
constexpr double outside = 14;        // what a delay outside of its range costs; as much more where it is far from it
constexpr double finest = 1e-6;       // parts of the longest delay that a range can be narrow
constexpr double impossible = -1e30;  // the document allows no such numbers

// What a parameter of a document may be where the port has none for it: numbers that people write, and those that its
// first and its longest delays show, as times of the document's unit.
std::vector<double> usual_numbers(field const& f, range const& r, std::vector<double> const& times,
                                  std::vector<double> const& exactly) {
  constexpr std::array ratios{0.0, 0.05, 0.1,  0.15, 0.2, 0.25, 0.3, 0.333, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1.0,
                              1.1, 1.2,  1.25, 1.3,  1.4, 1.5,  1.6, 1.618, 1.7, 1.8, 2.0, 2.2, 2.5,  3.0, 4.0, 5.0};
  constexpr std::array shares{1.0, 0.5, 2.0, 1 / 1.5, 1 / 1.25, 1 / 1.2, 1 / 1.1, 1 / 0.9, 1 / 0.8, 1 / 0.75};
  std::vector<double> all(ratios.begin(), ratios.end());
  for (double const power : {1.0, 10.0, 100.0, 1e3, 1e4, 1e5}) {
    for (double const digit : {1.0, 2.0, 3.0, 5.0, 6.0}) all.push_back(digit * power);
  }
  for (double const t : times) {
    for (double const share : shares) {
      double const unit = std::pow(10, std::floor(std::log10(std::max(t * share, 1e-9))) - 1);
      all.insert(all.end(), {std::round(t * share / unit) * unit, std::round(t * share / unit * 2) * unit / 2});
    }
  }
  all.insert(all.end(), exactly.begin(), exactly.end());
  double const one = std::pow(10, f.scale);
  for (auto& x : all) x = std::round(x * one);
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  std::erase_if(all, [&](double x) { return x < static_cast<double>(r.low) || x > static_cast<double>(r.high); });
  return all;
}

}  // namespace

number_search::number_search(translation& of, std::span<cycle const> all, std::vector<spec::cube> const& readings)
    : of_(&of),
      all_(all),
      readings_(single_readings(of.document().readings(), readings, readings_max)),
      numbers_(of.words().params.size()),
      columns_(horizons.back()) {
  for (auto const& c : all) {
    for (std::size_t i = 0; i < std::min(c.delays.size(), columns_.size()); ++i) {
      auto const delay = of.delay_of(c.delays[i]);
      if (columns_[i].first_ones.size() < first_ones_max) columns_[i].first_ones.push_back(spec::observed::of(delay));
      columns_[i].sorted.push_back(as_double(delay));
      longest_delay_ = std::max(longest_delay_, as_double(delay));
    }
  }
  for (auto& c : columns_) std::ranges::sort(c.sorted);
  longest_ = &*std::ranges::max_element(all, {}, [](cycle const& c) { return c.delays.size(); });
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    auto const& f = of.words().params[i];
    if (is_number(f) && !counts_attempts(f) && !f.needs && of.takes().params[i].numbers) add_numbers(i);
  }
}

void number_search::add_numbers(std::size_t param) {
  auto const& first = columns_.front().sorted;
  std::vector<double> exactly;  // what is always the same
  if (first.front() == first.back()) exactly = {first.front(), longest_delay_};
  std::vector const times{first.front(), first[first.size() / 2], first.back(), (first.front() + first.back()) / 2,
                          longest_delay_};
  for (double const n : usual_numbers(of_->words().params[param], of_->takes().params[param], times, exactly))
    numbers_[param].push_back(of_->add_number(param, static_cast<std::int64_t>(n)));
}

std::vector<spec::expectation> number_search::ranges_of(candidate const& c, cycle const& of) {
  draw_source const hidden{spec::draw_kind::hidden, of_->takes().draws.size};
  auto h = of_->history_of(of, c.with, true, horizon_);
  if (!h) return {};
  auto const answers = of_->answers_of(*h, of, hidden, readings_[c.reading]);
  return answers.empty() ? std::vector<spec::expectation>()
                         : of_->judged_by().admitted(*h, answers, hidden, readings_[c.reading]);
}

number_search::weight number_search::weight_of(spec::admissible const& range, column const& of) const {
  constexpr double slack = 1e-9;
  auto const count = static_cast<double>(of.sorted.size());
  auto const ends = ends_of(range);
  if (!ends) return {-2 * outside * count, 0};
  auto const [low, high] = *ends;
  auto const begin = std::ranges::lower_bound(of.sorted, low - slack * std::abs(low));
  auto const end = std::ranges::upper_bound(of.sorted, high + slack * std::abs(high));
  weight w;
  auto const add_apart = [&](auto from, auto to) {
    for (; from != to; ++from) {
      double const apart = std::max(low - *from, *from - high) / std::max(*from, slack);
      w.likely -= outside * (1 + std::clamp(apart, 0.0, 1.0));
    }
  };
  add_apart(of.sorted.begin(), begin);
  if (end < begin) return w;
  add_apart(end, of.sorted.end());
  auto const between = static_cast<double>(end - begin);
  double looked_at = 0;
  double admitted = 0;
  for (auto const& o : of.first_ones) {
    double const x = as_double(o.value);
    if (x < low - slack * std::abs(low) || x > high + slack * std::abs(high)) continue;
    ++looked_at;
    admitted += range.admits(o) ? 1 : 0;
  }
  w.inside = looked_at > 0 ? between * admitted / looked_at : between;
  w.likely -= w.inside * std::log(std::max((high - low) / std::max(longest_delay_, slack), finest));
  w.likely -= (between - w.inside) * outside;
  return w;
}

void number_search::measure(candidate& c) {
  auto const uses_own = std::ranges::any_of(c.with, [&](auto const& s) { return s && of_->sources()[*s].param; });
  auto const field = of_->words().delay;
  auto const before = of_->calls_before();
  weight sum;
  double count = 0;
  auto const add = [&](std::vector<spec::expectation> const& ranges, std::size_t retry, column const& delays) {
    bool const is_granted = before + retry < ranges.size();
    auto const n = static_cast<double>(delays.sorted.size());
    auto const w = is_granted ? weight_of(ranges[before + retry][field], delays) : weight{-2 * outside * n, 0};
    sum.likely += w.likely;
    sum.inside += w.inside;
    count += n;
  };
  auto const end = [&] {
    c.likely = count > 0 ? sum.likely / count : impossible;
    c.share = count > 0 ? sum.inside / count : 0;
  };
  if (!uses_own && !of_->document().learns_from_answers()) {
    auto const ranges = ranges_of(c, *longest_);
    for (std::size_t retry = 0; !ranges.empty() && retry < std::min(horizon_, columns_.size()); ++retry)
      add(ranges, retry, columns_[retry]);
    return end();
  }
  std::size_t refused = 0;
  auto const histories = std::min(histories_, all_.size());
  for (auto const& of : all_.first(histories)) {
    auto const ranges = ranges_of(c, of);
    refused += ranges.empty() ? 1U : 0U;
    for (std::size_t retry = 0; !ranges.empty() && retry < std::min(horizon_, of.delays.size()); ++retry) {
      auto const delay = of_->delay_of(of.delays[retry]);
      add(ranges, retry, {{spec::observed::of(delay)}, {as_double(delay)}});
    }
  }
  if (3 * refused > 2 * histories) count = 0;  // the others are none that the document allows
  end();
}

bool number_search::is_free(candidate const& c, std::size_t param) const {
  return !numbers_[param].empty() && (!c.with[param] || of_->sources()[*c.with[param]].fits);
}

number_search::candidate number_search::begun(binding const& start) const {
  candidate c{start};
  for (std::size_t i = 0; i < start.size(); ++i) {
    bool const needs_number = is_cap(of_->words().params[i].name) || !of_->has_default(i);
    if (is_free(c, i) && needs_number) c.with[i] = numbers_[i].back();
  }
  return c;
}

double number_search::likely(binding const& start) {
  horizon_ = horizons.back();
  histories_ = histories_at_first;
  auto best = impossible;
  for (auto c = begun(start); c.reading < readings_.size(); ++c.reading) {
    measure(c);
    best = std::max(best, c.likely);
  }
  return best;
}

number_search::candidate number_search::with(candidate c, std::size_t param, std::size_t from) {
  c.with[param] = from;
  measure(c);
  return c;
}

// The one change that makes the delays likeliest, until none does.
void number_search::sweep(candidate& best) {
  constexpr int turns = 8;
  for (int turn = 0; turn < turns; ++turn) {
    auto const now = best;
    auto const take = [&](candidate c) {
      if (c.likely > best.likely) best = std::move(c);
    };
    for (auto c = now; auto const r : std::views::iota(std::size_t{0}, readings_.size())) {
      c.reading = r;
      measure(c);
      take(c);
    }
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (!is_free(now, i)) continue;
      for (auto const from : numbers_[i]) take(with(now, i, from));
    }
    if (best.likely <= now.likely) return;
  }
}

// A longer base and less jitter have to change together.
std::vector<number_search::candidate> number_search::swept_in_pairs(candidate const& best) {
  std::vector all{best};
  auto const keep = [&](candidate const& c) {
    if (all.size() == beam && c.likely <= all.back().likely) return;
    auto const at = std::ranges::lower_bound(all, c.likely, std::greater(), &candidate::likely);
    if (at != all.end() && at->likely == c.likely) return;
    all.insert(at, c);
    all.resize(std::min(all.size(), beam));
  };
  std::vector<std::size_t> that_matter;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    bool const matters = is_free(best, i) && std::ranges::any_of(numbers_[i], [&](std::size_t from) {
                           auto const there = with(best, i, from).likely;
                           return there != best.likely && there != impossible;
                         });
    if (matters) that_matter.push_back(i);
  }
  for (std::size_t i = 0; i < that_matter.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      for (auto const one : numbers_[that_matter[i]]) {
        auto c = best;
        c.with[that_matter[i]] = one;
        for (auto const other : numbers_[that_matter[k]]) keep(with(c, that_matter[k], other));
      }
    }
  }
  return all;
}

std::span<std::size_t const> number_search::near(candidate const& c, std::size_t param) const {
  constexpr std::size_t beside = 4;
  std::span const all(numbers_[param]);
  if (!is_free(c, param) || !c.with[param]) return all.first(0);
  auto const at = static_cast<std::size_t>(std::ranges::find(all, *c.with[param]) - all.begin());
  auto const first = at - std::min(at, beside);
  return all.subspan(first, std::min(at + beside + 1, all.size()) - first);
}

// By more histories, what is near by.
void number_search::settle(candidate& best) {
  constexpr int turns = 3;
  histories_ = histories_at_last;
  measure(best);
  for (int turn = 0; turn < turns; ++turn) {
    double const before = best.likely;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      for (std::size_t k = 0; k <= i; ++k) {
        for (auto const one : near(best, i)) {
          auto c = best;
          c.with[i] = one;
          for (auto const other : k < i ? near(best, k) : std::span(&one, 1)) {
            if (auto there = with(c, k, other); there.likely > best.likely) best = std::move(there);
          }
        }
      }
    }
    if (best.likely <= before) return;
  }
}

std::optional<number_search::fitting> number_search::from(binding const& start) {
  histories_ = histories_at_first;
  std::vector all{begun(start)};
  for (auto const horizon : horizons) {
    horizon_ = horizon;
    for (auto& c : all) {
      measure(c);
      sweep(c);
    }
    if (horizon == horizons.front() && of_->words().has_draws() && all.front().share > hopeless)
      all = swept_in_pairs(all.front());
    std::erase_if(all,
                  [&](candidate const& c) { return c.share < (horizon == horizons.front() ? hopeless : settled); });
    if (all.empty()) return std::nullopt;
  }
  auto best = *std::ranges::max_element(all, {}, &candidate::likely);
  settle(best);
  return fitting{best.with, best.likely};
}

}  // namespace backoff::explain
