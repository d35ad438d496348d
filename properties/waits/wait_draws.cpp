#include "waits/wait_draws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <ranges>
#include <set>
#include <string>

#include "explain/uniform.hpp"
#include "histories/text_parts.hpp"

namespace backoff::waits {
namespace {

constexpr double moved_max = 0.01;  // of the places, by the machine

// How far the places are from uniform, beyond what blurs them.
double distance(std::vector<draw> const& in_order) {
  double blur = 0;
  for (auto const& d : in_order) blur = std::max(blur, d.blur + d.cell / 2);
  return distance_from_uniform(in_order, &draw::place) - blur - moved_max;
}

// The part of a range that all but a few draws fill by chance with probability 1 - alpha at least. The machine may
// have moved one in fifty. blur: what the draws of a program may look nearer to each other by.
struct likely_part {
  std::size_t moved;
  double part;
  double blur;
};
std::optional<likely_part> likely_part_of(std::vector<draw> const& of, double alpha) {
  auto const moved = of.size() / 50 + 1;
  if (of.size() < moved + 3) return std::nullopt;
  auto const n = static_cast<double>(of.size());
  auto const left = n - static_cast<double>(moved);
  auto const ways = std::lgamma(n + 1) - std::lgamma(static_cast<double>(moved) + 1) - std::lgamma(left + 1);
  double blur = 0;
  for (auto const& d : of) blur = std::max(blur, d.blur + d.cell);
  return likely_part{moved, std::exp((std::log(alpha) - ways - std::log(left)) / (left - 1)), blur};
}

// Whether chance has so many places so near to each other with probability alpha at most.
bool are_alike(std::vector<draw> const& in_order, double alpha) {
  auto const likely = likely_part_of(in_order, alpha);
  if (!likely) return false;
  double width = 1;
  for (std::size_t i = 0; i <= likely->moved; ++i)
    width = std::min(width, in_order[i + in_order.size() - likely->moved - 1].place - in_order[i].place);
  return std::min(1.0, width + likely->blur) <= likely->part;
}

// Whether they are as near to each other as what varies leaves them.
bool stand_together(std::vector<draw> const& in_order) {
  double blur = 0;
  for (auto const& d : in_order) blur = std::max(blur, d.blur);
  auto const aside = in_order.size() / 50;  // by the machine
  return in_order[in_order.size() - 1 - aside].place - in_order.front().place <= 2 * blur + 1e-3;
}

// The sentence that says how the places are not uniform; nothing where chance may have put them so.
std::optional<std::string> uneven(std::vector<draw> draws, double alpha) {
  if (draws.empty()) return std::nullopt;
  std::ranges::sort(draws, {}, &draw::place);
  auto const n = static_cast<double>(draws.size());
  bool const is_uneven = distance(draws) > distance_by_chance(draws.size(), alpha);
  if (!is_uneven && !are_alike(draws, alpha)) return std::nullopt;
  if (stand_together(draws))
    return fmt::format("no jitter: all {} waits stand at the same place of their range", draws.size());
  auto const aside = draws.size() / 20;
  double const part = draws[draws.size() - 1 - aside].place - draws[aside].place;
  constexpr double little = 0.35;
  if (part < little)
    return fmt::format("little or no jitter: nine of ten of {} waits lie within {:.0f} % of their range", draws.size(),
                       100 * part);
  std::vector<std::string> quarters;
  for (int q = 0; q < 4; ++q) {
    auto const in =
        std::ranges::count_if(draws, [&](draw const& d) { return std::min(3, static_cast<int>(4 * d.place)) == q; });
    quarters.push_back(fmt::format("{:.0f}", 100 * static_cast<double>(in) / n));
  }
  return fmt::format("each quarter of what can be drawn, from the least up, has {} % of {} waits",
                     text_parts::comma_separated(quarters), draws.size());
}

// The draws that are wanted, for what the program takes before the first retry and before the others if these explain
// them best. The first response of a process is often the slowest.
template <typename Wanted>
std::vector<draw> explained(draws_by_own const& all, Wanted wanted) {
  draws_by_own first(all.size());
  draws_by_own others(all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (auto const& d : all[k]) {
      if (wanted(d)) (d.retry == 0 ? first : others)[k].push_back(d);
    }
    std::ranges::sort(first[k], {}, &draw::place);
    std::ranges::sort(others[k], {}, &draw::place);
  }
  std::vector<draw> best;
  double least = 2;
  for (auto const& some : first) {
    for (auto const& rest : others) {
      std::vector<draw> both;
      std::ranges::merge(some, rest, std::back_inserter(both), {}, &draw::place, &draw::place);
      double const apart = both.empty() ? 0 : distance(both);
      if (apart < least) {
        least = apart;
        best = std::move(both);
      }
    }
  }
  return best;
}

// How far each draw is above the one before it in its cycle, modulo 1, and one half more. Of independent draws these
// are as uniform and as independent as the draws.
draws_by_own steps_of(draws_by_own const& all) {
  draws_by_own steps(all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (std::size_t i = 1; i < all[k].size(); ++i) {
      auto const& last = all[k][i - 1];
      auto const& next = all[k][i];
      if (last.cycle != next.cycle) continue;
      double const up = next.place - last.place + 0.5;
      steps[k].push_back(
          {next.retry, next.cycle, up - std::floor(up), last.blur + next.blur, last.cell + next.cell, next.width});
    }
  }
  return steps;
}

// The draws that there would be if a program that takes no time itself drew these places.
template <typename Place>
draws_by_own if_drawn(draws_by_own const& all, std::span<double const> own_ns, Place place) {
  draws_by_own changed = all;
  for (std::size_t k = 0; k < changed.size(); ++k) {
    for (std::size_t i = 0; i < changed[k].size(); ++i) {
      auto& d = changed[k][i];
      d.place = std::clamp(place(d, i) - own_ns[k] / d.width, 0.0, 1.0);
    }
  }
  return changed;
}

// A number in [0, 1). Any consecutive ones are about evenly spread, and so are their differences.
double spread(std::size_t n) {
  constexpr double golden = 0.618'033'988'749'894'9;
  double const at = golden * static_cast<double>((n + 1) * (n + 1));
  return at - std::floor(at);
}

}  // namespace

std::vector<wait_finding> wrong_draws(draws_by_own const& all, double alpha) {
  auto const finding = [](std::size_t retry, std::size_t of, std::string how) {
    return wait_finding{wait_finding::fault::draws, retry, of, of, std::move(how)};
  };
  auto const found = explained(all, [](draw const&) { return true; });
  auto seen = all.front();
  std::ranges::sort(seen, {}, &draw::place);
  if (!seen.empty() && stand_together(seen)) {
    if (auto how = uneven(seen, alpha / 4)) return {finding(0, seen.size(), *std::move(how))};
  }
  std::set<std::size_t> retries;
  for (auto const& d : found) retries.insert(d.retry);
  std::vector<std::size_t> same;
  std::size_t count = 0;
  std::vector<wait_finding> of_rows;
  for (auto const retry : retries) {
    auto const of = explained(all, [&](draw const& d) { return d.retry == retry; });
    auto how = uneven(of, alpha / 4);
    if (!how) continue;
    if (stand_together(of)) {
      same.push_back(retry + 1);
      count += of.size();
    }
    of_rows.push_back(finding(retry + 1, of.size(), std::move(*how)));
  }
  // In one process a retry draws like in another, and yet retries draw differently.
  if (same.size() >= 2) {
    auto as_seen = all.front();
    std::ranges::sort(as_seen, {}, &draw::place);
    if (!stand_together(as_seen))
      return {finding(
          0, count,
          fmt::format("all runs wait alike before retry {}: every process draws the same", listed_retries(same)))};
  }
  if (auto how = uneven(found, alpha / 4)) return {finding(0, found.size(), std::move(*how))};
  if (!of_rows.empty()) return of_rows;
  auto const steps = explained(steps_of(all), [](draw const&) { return true; });
  if (uneven(steps, alpha / 4))
    return {
        finding(0, steps.size() + 1, "the draws of one run depend on each other: each follows from the one before")};
  return {};
}

power_of_draws power_of(draws_by_own const& all, std::span<double const> own_ns, double alpha) {
  auto const finds = [&](auto const& place) {
    return !wrong_draws(if_drawn(all, own_ns, place), alpha / 1'000).empty();
  };
  auto const finds_part = [&](double part) {
    return std::ranges::all_of(std::array{0.0, 0.5, 1.0}, [&](double at) {
      return finds([&](draw const&, std::size_t i) { return at * (1 - part) + part * spread(i); });
    });
  };
  auto const finds_seed = [&](std::size_t seed) {
    return finds([seed](draw const& d, std::size_t) { return spread(1'000 * seed + d.retry); });
  };
  auto const sixteenths = std::views::iota(1, 16);
  auto const passes = std::ranges::partition_point(sixteenths, finds_part, [](int n) { return n / 16.0; });
  return {finds_part(0), std::ranges::all_of(std::views::iota(std::size_t{0}, std::size_t{8}), finds_seed),
          static_cast<double>(passes - sixteenths.begin()) / 16};
}

}  // namespace backoff::waits
