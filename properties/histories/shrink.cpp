#include "histories/shrink.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace backoff::histories {
namespace {

constexpr std::size_t neighbours_max = 4'000;

// A draw of [0, 1) is simpler with a smaller denominator: 0, then halves, quarters and so on. Of equal denominators the
// larger draw is simpler.
void simpler_fraction(draw_source const& draws, value const& v, std::vector<value>& out) {
  auto const size = static_cast<std::int64_t>(draws.size);
  auto const denominator = [&](std::int64_t n) { return n == 0 ? 0 : size / (n & -n); };
  auto const push = [&](std::int64_t n) {
    bool const simpler = denominator(n) < denominator(v.n) || (denominator(n) == denominator(v.n) && n != 0 && n > v.n);
    if (simpler) out.push_back(value::of(n));
  };
  push(0);
  for (std::int64_t grain = size / 2; grain > 0; grain /= 2) {
    push(grain);
    push(size - grain);
    push(v.n / grain * grain);
  }
}

std::int64_t power_of_ten(std::uint8_t exponent) {
  std::int64_t power = 1;
  for (std::uint8_t i = 0; i < exponent; ++i) power *= 10;
  return power;
}

// The values simpler than v, the simplest first: absent, nearer to zero, special, or a word listed before.
void simpler(field const& f, range const& r, draw_source const& draws, value const& v, std::vector<value>& out) {
  if (v.kind == value_kind::absent) return;
  if (may_be_left_out(f, r)) out.emplace_back();
  if (f.kind == field_kind::draw && draws.kind == spec::draw_kind::unit) {
    simpler_fraction(draws, v, out);
    return;
  }
  if (v.kind == value_kind::keyword) {
    for (std::int64_t word = 0; word < v.n; ++word) {
      if (r.admits(value::word(word))) out.push_back(value::word(word));
    }
    return;
  }
  if (v.kind == value_kind::set) {
    for (auto left = v.n; left != 0; left &= left - 1) {
      if (auto const rest = v.n & ~(left & -left); rest != 0) out.push_back(value::words(rest));
    }
    return;
  }
  auto const lowest = std::clamp<std::int64_t>(0, r.low, r.high);
  auto const push = [&](std::int64_t n) {
    bool const nearer = v.n < lowest ? n > v.n && n <= lowest : n >= lowest && n < v.n;
    if (nearer) out.push_back({v.kind, v.scale, n});
  };
  push(lowest);
  for (auto const& special : f.specials) push(special.value);
  for (std::int64_t grain = power_of_ten(f.scale); grain > 1; grain /= 10) push(v.n / grain * grain);
  for (std::int64_t gap = (v.n - lowest) / 2; gap != 0; gap /= 2) push(v.n - gap);
  if (v.n != lowest) push(v.n > lowest ? v.n - 1 : v.n + 1);
}

// Takes the simpler neighbours of a history one by one, because a neighbour with many calls is large. The boldest come
// first. Each is strictly simpler than the history, so that shrinking ends. Returns whether it needs no more.
using taker = std::function<bool(history)>;
// Makes neighbours for a taker. Returns whether the taker needs no more.
using maker = std::function<bool(taker const&)>;

// Simplifies one argument of all steps at once, except the last `spared`. The steps of a long history become alike.
bool uniform_values(shape const& s, domain const& d, history const& h, std::size_t spared, taker const& take) {
  for (std::uint8_t op = 0; op < s.operations.size(); ++op) {
    for (std::size_t i = 0; i < s.operations[op].args.size(); ++i) {
      auto const& r = d.args[op][i];
      auto const lowest = std::clamp<std::int64_t>(0, r.low, r.high);
      std::vector levels{lowest, r.high};
      for (auto const& special : s.operations[op].args[i].specials) {
        if (special.value > lowest && special.value < r.high) levels.push_back(special.value);
      }
      for (std::int64_t const n : levels) {
        history uniform = h;
        auto const end = uniform.steps.size() - std::min(spared, uniform.steps.size());
        for (auto& step : std::span(uniform.steps).first(end)) {
          if (step.op == op && step.args[i].kind == value_kind::integer && step.args[i].n > n) step.args[i].n = n;
        }
        if (uniform != h && take(std::move(uniform))) return true;
      }
    }
  }
  return false;
}

// Takes all list values from one step on, and moves them nearer to zero by the same amount: at most by their distance
// from the value before them. Times that must keep a distance move together, because one at a time they would take
// turns almost for ever. -1 stays: in a list of times it says that the clock could not be read.
bool nearer_lists(shape const& s, domain const& d, history const& h, taker const& take) {
  auto const each = [&](std::vector<step>& steps, std::size_t from, auto const& visit) {
    for (std::size_t k = from; k < steps.size(); ++k) {
      auto const args = s.operations[steps[k].op].args;
      for (std::size_t i = 0; i < args.size(); ++i) {
        bool const listed = args[i].written == field::form::list || args[i].written == field::form::item;
        auto& v = steps[k].args[i];
        if (listed && args[i].kind == field_kind::integer && v.kind == value_kind::integer && v.n != -1)
          visit(k, v.n, d.args[steps[k].op][i]);
      }
    }
  };
  std::size_t made = 0;
  bool enough = false;
  auto const shift = [&](std::size_t from, std::int64_t by) {
    history nearer = h;
    bool fits = true;
    each(nearer.steps, from, [&](std::size_t, std::int64_t& n, range const& r) {
      std::int64_t m = 0;
      bool const whole = !__builtin_sub_overflow(n, by, &m);
      fits = fits && whole && (n >= 0 ? m >= 0 && m <= n : m <= 0 && m >= n) && m >= r.low && m <= r.high;
      n = m;
    });
    if (!fits) return;
    ++made;
    enough = take(std::move(nearer));
  };
  std::int64_t before = 0;
  std::size_t tried = h.steps.size();
  auto steps = h.steps;
  each(steps, 0, [&](std::size_t k, std::int64_t n, range const&) {
    std::int64_t gap = 0;
    bool const first = k != tried;
    tried = k;
    if (first && made < neighbours_max && !__builtin_sub_overflow(n, before, &gap)) {
      for (; gap != 0 && !enough; gap /= 2) shift(k, gap);
    }
    before = n;
  });
  return enough;
}

bool fewer_steps(history const& h, taker const& take) {
  std::size_t const n = h.steps.size();
  std::size_t made = 0;
  for (std::size_t chunk = n / 2; chunk > 0; chunk /= 2) {
    auto const steps_before = [&](std::size_t end) { return std::span(h.steps).subspan(end - chunk, chunk); };
    for (std::size_t end = n; end >= chunk && made < neighbours_max; end -= chunk) {
      // Without either of two equal chunks that are neighbours, the history is the same: one of them will do.
      if (end != n && std::ranges::equal(steps_before(end), steps_before(end + chunk))) continue;
      ++made;
      history smaller = h;
      auto const first = smaller.steps.begin() + static_cast<std::ptrdiff_t>(end - chunk);
      smaller.steps.erase(first, first + static_cast<std::ptrdiff_t>(chunk));
      if (take(std::move(smaller))) return true;
    }
  }
  return false;
}

// Moves all calls of an instance to an earlier one that has none.
bool earlier_instances(history const& h, taker const& take) {
  auto const calls_on = [&](unsigned on) { return std::ranges::count(h.steps, on, &step::on); };
  unsigned last = 0;
  for (auto const& step : h.steps) last = std::max<unsigned>(last, step.on);
  unsigned to = 0;
  while (to < last && calls_on(to) != 0) ++to;
  for (auto from = to + 1; from <= last; ++from) {
    if (calls_on(from) == 0) continue;
    history earlier = h;
    for (auto& step : earlier.steps) {
      if (step.on == from) step.on = static_cast<std::uint8_t>(to);
    }
    if (take(std::move(earlier))) return true;
  }
  return false;
}

// Makes one value simpler: a parameter, an argument or the instance of a call. `at` counts them; those before it, and
// from `end` on, are spared.
bool simpler_values(shape const& s, domain const& d, history const& h, std::size_t& at, std::size_t end,
                    taker const& take) {
  std::size_t made = 0;
  std::size_t seen = 0;
  std::vector<value> values;
  auto const is_spared = [&] {
    bool const spared = seen < at || seen >= end;
    if (!spared) at = seen;
    ++seen;
    return spared;
  };
  auto const with = [&](auto const& change) {
    ++made;
    history simpler = h;
    change(simpler);
    return take(std::move(simpler));
  };
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    if (is_spared()) continue;
    values.clear();
    simpler(s.params[i], d.params[i], d.draws, h.params[i], values);
    for (auto const& v : values) {
      if (with([&](history& n) { n.params[i] = v; })) return true;
    }
  }
  for (std::size_t k = 0; k < h.steps.size() && made < neighbours_max && seen < end; ++k) {
    auto const& step = h.steps[k];
    if (!is_spared() && step.on > 0 && with([&](history& n) { --n.steps[k].on; })) return true;
    auto const args = s.operations[step.op].args;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (is_spared()) continue;
      values.clear();
      simpler(args[i], d.args[step.op][i], d.draws, step.args[i], values);
      bool const followed = i + 1 < list_end(args, i) && step.args[i + 1].kind != value_kind::absent;
      for (auto const& v : values) {
        if (followed && v.kind == value_kind::absent) continue;
        if (with([&](history& n) { n.steps[k].args[i] = v; })) return true;
      }
    }
  }
  return false;
}

// A number in a history, and the simplest that it may be.
struct number {
  std::int64_t* n;
  std::int64_t simplest;
};

std::vector<number> numbers_of(shape const& s, domain const& d, history& h) {
  std::vector<number> all;
  auto const take = [&](field const& f, range const& r, value& v) {
    bool const fraction = f.kind == field_kind::draw && d.draws.kind == spec::draw_kind::unit;
    bool const is_number = v.kind == value_kind::integer || v.kind == value_kind::decimal;
    if (is_number && !fraction) all.push_back({&v.n, std::clamp<std::int64_t>(0, r.low, r.high)});
  };
  for (std::size_t i = 0; i < s.params.size(); ++i) take(s.params[i], d.params[i], h.params[i]);
  for (auto& step : h.steps) {
    auto const args = s.operations[step.op].args;
    for (std::size_t i = 0; i < args.size(); ++i) take(args[i], d.args[step.op][i], step.args[i]);
  }
  return all;
}

// How far each number moved. None where fewer than two did, or where the histories have other numbers.
std::vector<std::int64_t> moves_of(shape const& s, domain const& d, history before, history after) {
  auto const from = numbers_of(s, d, before);
  auto const to = numbers_of(s, d, after);
  std::vector<std::int64_t> moves;
  if (before.steps.size() != after.steps.size() || from.size() != to.size()) return moves;
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::int64_t by = 0;
    if (__builtin_sub_overflow(*to[i].n, *from[i].n, &by)) return {};
    moves.push_back(by);
  }
  if (std::ranges::count(moves, 0) + 2 > std::ssize(moves)) moves.clear();
  return moves;
}

// Moves all numbers at once, as often as none passes the simplest that it may be. Numbers that hold each other at a
// distance become simpler only together: one at a time, they would take turns almost for ever.
bool moved_together(shape const& s, domain const& d, history const& h, std::vector<std::int64_t> const& moves,
                    taker const& take) {
  auto onward = h;
  auto const numbers = numbers_of(s, d, onward);
  if (numbers.size() != moves.size()) return false;
  auto times = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (moves[i] == 0) continue;
    std::int64_t left = 0;
    bool const whole = !__builtin_sub_overflow(numbers[i].simplest, *numbers[i].n, &left);
    times = std::min(times, whole ? left / moves[i] : 0);
  }
  for (; times > 0; times /= 2) {
    auto nearer = h;
    auto const moved = numbers_of(s, d, nearer);
    for (std::size_t i = 0; i < moves.size(); ++i) *moved[i].n += times * moves[i];
    if (take(std::move(nearer))) return true;
  }
  return false;
}

// Whether the document allows the neighbour's calls, if need be after repair. A repaired neighbour must have fewer
// calls than h. A limit and the calls that reach it often have to shrink together.
bool made_allowed(shape const& s, domain const& d, history const& h, history& neighbour) {
  if (allowed(s, neighbour)) return true;
  s.repair(neighbour, d);
  return neighbour.steps.size() < h.steps.size();
}

}  // namespace

std::vector<history> smaller_steps(history const& h) {
  std::vector<history> all;
  static_cast<void>(fewer_steps(h, [&](history smaller) {
    all.push_back(std::move(smaller));
    return false;
  }));
  return all;
}

history shrink(shape const& s, domain const& d, history h, still_fails const& failing) {
  // A history that must stay long has too many neighbours to try them all in each round.
  constexpr std::size_t tried_steps_max = 250'000;
  std::size_t tried_steps = 0;
  // `at`: where `make` is; behind the neighbour that was taken.
  auto const advance = [&](auto& at, maker const& make) {
    constexpr std::size_t batch_max = 64;
    constexpr std::size_t batch_steps_max = 4'096;  // copies of long histories cost more than another batch
    std::size_t batch = 4;                          // the boldest neighbours are few, and one of them often still fails
    std::vector<history> part;
    auto places = std::vector(0, at);
    std::optional<history> smaller;
    auto const judge = [&] {
      for (auto const& candidate : part) tried_steps += candidate.steps.size();
      auto const fails = failing(part);
      auto const hit = std::ranges::find(fails, true) - fails.begin();
      if (hit != std::ssize(fails)) {
        smaller = std::move(part[static_cast<std::size_t>(hit)]);
        at = places[static_cast<std::size_t>(hit)];
      }
      part.clear();
      places.clear();
      batch = std::min(batch_max, 4 * batch);
      return smaller.has_value() || tried_steps >= tried_steps_max;
    };
    if (tried_steps >= tried_steps_max) return false;
    bool const enough = make([&](history neighbour) {
      if (!made_allowed(s, d, h, neighbour)) return false;
      part.push_back(std::move(neighbour));
      places.push_back(at);
      return (part.size() == batch || part.size() * h.steps.size() >= batch_steps_max) && judge();
    });
    if (!enough && !part.empty()) static_cast<void>(judge());
    if (smaller) h = *std::move(smaller);
    return smaller.has_value();
  };
  auto const once = [&](maker const& make) {
    int nowhere = 0;
    return advance(nowhere, make);
  };
  auto const alike = [&](std::size_t spared) {
    return once([&](taker const& take) { return uniform_values(s, d, h, spared, take); });
  };
  auto const others = [&] {
    return alike(0) || once([&](taker const& take) { return fewer_steps(h, take); }) ||
           once([&](taker const& take) { return earlier_instances(h, take); }) ||
           once([&](taker const& take) { return nearer_lists(s, d, h, take); }) || alike(1);
  };
  constexpr auto all = std::numeric_limits<std::size_t>::max();
  auto const value = [&](std::size_t& at, std::size_t end) {
    return advance(at, [&](taker const& take) { return simpler_values(s, d, h, at, end, take); });
  };
  std::size_t untried = all;  // since the history changed, the values before this were not tried
  auto const values = [&] {
    std::size_t at = 0;
    bool simpler = false;
    for (auto end = std::exchange(untried, 0); value(at, end); end = all) {
      simpler = true;
      untried = alike(0) || alike(1) ? all : std::max(untried, at);
    }
    return simpler;
  };
  // At first the search begins anew after each change, so that the boldest neighbours come first.
  constexpr int changes_max = 64;
  constexpr std::size_t steps_max = 50'000;
  int changes = 0;
  for (std::size_t at = 0; changes < changes_max && tried_steps < steps_max; at = 0) {
    if (!others() && !value(at, all)) return h;
    ++changes;
  }
  // Then all values take their turns, and move on together: those that hold each other at a distance could go on almost
  // for ever.
  constexpr int rounds_max = 1'000;
  for (int round = 0; round < rounds_max; ++round) {
    auto const before = h;
    bool smaller = false;
    for (; others(); smaller = true) untried = all;
    smaller |= values();
    if (!smaller) break;
    auto const moves = moves_of(s, d, before, h);
    while (!moves.empty() && once([&](taker const& take) { return moved_together(s, d, h, moves, take); }))
      untried = all;
  }
  return h;
}

}  // namespace backoff::histories
