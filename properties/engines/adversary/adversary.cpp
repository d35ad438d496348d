#include "engines/adversary/adversary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "histories/generate.hpp"
#include "histories/text.hpp"
#include "judge/blame.hpp"
#include "judge/catalogue.hpp"
#include "judge/counterexample.hpp"
#include "judge/nearest_decimal.hpp"
#include "judge/plan.hpp"
#include "judge/run.hpp"
#include "relation/full_jitter.hpp"

namespace backoff::engines::adversary {
namespace {

using spec::admissible;
using spec::admissible_kind;
using spec::cube;
using spec::rational;
using kind = admissible_kind;

constexpr std::uint64_t u32_size = std::uint64_t{1} << 32;
constexpr std::size_t combinations = 6;  // random ones, beside the alternatives one by one
constexpr std::size_t readings_a_history = 4;
constexpr std::size_t looked_up = 16;  // calls of the longest history in which each answer is compared at once
rational const tolerance = rational(1) / (std::int64_t{1} << 40);

// Open joint readings that fit the draws; where these are given, with an exact mapping.
std::vector<cube> admitted_readings(judged_system const& system, draw_source const& draws) {
  auto const& table = system.readings();
  auto open = table.admitting(spec::standing::open);
  if (draws.kind != spec::draw_kind::hidden) open.bits &= spec::exactly_mapped(table).bits;
  return one_by_one(table, spec::common_cubes(table, system.assignments(draws.kind), {open}));
}

// The same mapping of draws, which is the port's own affair, and all else as canonical as it can be.
cube canonical_beside(judged_system const& system, std::vector<cube> const& admitted, cube reading) {
  auto const& table = system.readings();
  std::uint64_t mapped = 0;
  for (unsigned r = 0; r < table.readings().size(); ++r) {
    if (is_convention(table.readings()[r].name)) mapped |= table.field(r);
  }
  auto const same = [&](cube c) { return ((c.bits ^ reading.bits) & mapped) == 0; };
  return *std::ranges::find_if(admitted, same);  // the first has the fewest deviations
}

enum class taste : std::uint8_t { lowest, highest, farthest };

rational distance(rational const& a, rational const& b) { return a < b ? rational(b - a) : rational(a - b); }

// Of the numbers that the field admits, the nearest to x.
std::optional<rational> nearest(admissible const& a, rational const& x) {
  std::optional<rational> best;
  auto const consider = [&](rational const& y) {
    if (!best || distance(x, y) < distance(x, *best)) best = y;
  };
  if (a.kind() == kind::interval) consider(std::clamp(x, a.ends().low, a.ends().high));
  if (a.kind() == kind::either) {
    consider(a.ends().low);
    consider(a.ends().high);
  }
  if (a.kind() == kind::lattice) {
    rational const position = (x - a.first()) / a.step();
    auto const below = numerator(position) / denominator(position);
    for (int k = -1; k <= 1; ++k) {
      auto const at = std::clamp<rational>(rational(below) + k, 0, a.count() - 1);
      consider(a.first() + at * a.step());
    }
    if (a.has_ends()) consider(a.ends().low);
  }
  return best;
}

// The ends of what is admitted, as a port could write them: of real numbers, as far off as is tolerated.
std::vector<observed> extremes(admissible const& a) {
  switch (a.kind()) {
    case kind::keyword: {
      auto const words = a.words();
      return {observed::word(static_cast<std::uint8_t>(std::countr_zero(words))),
              observed::word(static_cast<std::uint8_t>(std::bit_width(words) - 1))};
    }
    case kind::not_zero:
      return {observed::of(-1), observed::of(1)};
    case kind::lattice: {
      std::vector<std::int64_t> ends{a.first(), a.last()};
      if (a.has_ends()) ends.push_back(static_cast<std::int64_t>(a.ends().low));
      auto const [low, high] = std::ranges::minmax(ends);
      return {observed::of(low), observed::of(high)};
    }
    case kind::either:
    case kind::interval: {
      std::vector<observed> both;
      for (bool const up : {false, true}) {
        rational const& end = up ? a.ends().high : a.ends().low;
        rational const off = abs(end) * tolerance * rational(999, 1'000);
        auto const beyond = observed::of(nearest_decimal(up ? end + off : end - off));
        both.push_back(a.admits(beyond) ? beyond : observed::of(nearest_decimal(end)));
      }
      return both;
    }
    case kind::not_finite:
      return {{observed_kind::not_a_number, {}, {}}};
    default:
      return {{}};
  }
}

rational off_canonical(admissible const& canonical, observed const& answer) {
  if (answer.kind != observed_kind::number) return canonical.admits(answer) ? 0 : 1;
  auto const x = spec::to_rational(answer.value);
  auto const y = nearest(canonical, x);
  return y ? distance(x, *y) : 0;
}

struct player {
  judged_system const& system;
  draw_source const& draws;
  std::vector<cube> const& admitted;
  examiner follower{system};
  examiner reference{system};

  // The answers of one history under one reading, with what is admitted under it.
  played play(history const& h, cube reading, taste what) {
    auto const canonical = canonical_beside(system, admitted, reading);
    std::vector<answer> before;
    return follower.play(h, draws, reading, [&](std::size_t step, spec::expectation const& e) {
      answer chosen;
      std::vector<spec::expectation> usual;
      if (what == taste::farthest && h.steps.size() <= looked_up) {
        history upto = h;
        upto.steps.resize(step + 1);
        usual = reference.admitted(upto, before, draws, canonical);
      }
      for (std::size_t f = 0; f < system.shape().answers.size(); ++f) {
        auto const ends = extremes(e[f]);
        chosen[f] = what == taste::lowest ? ends.front() : ends.back();
        if (usual.size() <= step) continue;
        chosen[f] =
            *std::ranges::max_element(ends, {}, [&](observed const& o) { return off_canonical(usual[step][f], o); });
      }
      before.push_back(chosen);
      return chosen;
    });
  }
};

std::string named(judged_system const& system, cube reading) {
  auto const off = deviations(system.readings(), reading);
  return off.empty() ? "canonical" : fmt::format("{}", fmt::join(off, ", "));
}

void measure_width(field_range& range, admissible const& a, std::size_t step, auto const& describe) {
  widest here;
  if (a.kind() == kind::keyword) here.values = static_cast<std::uint64_t>(std::popcount(a.words()));
  if (a.kind() == kind::lattice) here.values = static_cast<std::uint64_t>(a.count()) + (a.has_ends() ? 1 : 0);
  if (a.kind() == kind::either) here.values = 2;
  if (a.kind() == kind::interval) {
    auto const larger = std::max<rational>(abs(a.ends().low), abs(a.ends().high));
    if (larger != 0) here.width = static_cast<double>(rational((a.ends().high - a.ends().low) / larger));
  }
  auto& most = range.admitted;
  bool const wider = std::pair(here.values, here.width) > std::pair(most.values, most.width);
  if (!wider) return;
  here.step = step + 1;
  std::tie(here.reading, here.token) = describe();
  most = here;
}

void measure_deviation(field_range& range, admissible const& canonical, observed const& answer, auto const& describe) {
  if (answer.kind != observed_kind::number) return;
  auto const x = spec::to_rational(answer.value);
  auto const usual = nearest(canonical, x);
  if (!usual) return;  // another kind of answer altogether
  auto const off = distance(x, *usual);
  auto& most = range.deviation;
  if (*usual != 0) most.relative = std::max(most.relative, static_cast<double>(rational(off / abs(*usual))));
  if (auto const absolute = static_cast<double>(off); absolute > most.absolute) {
    most.absolute = absolute;
    std::tie(most.reading, most.token) = describe();
  }
}

}  // namespace

std::vector<draw_source> kinds_of_draws(judged_system const& system) {
  using enum spec::draw_kind;
  std::vector<draw_source> const all{{u32, u32_size}, {rand, 32'768}, {unit, u32_size}, {hidden, 1}};
  return system.shape().has_draws() ? all : std::vector<draw_source>{all.front()};
}

played_worst worst_port(judged_system const& system, draw_source draws, std::uint64_t histories, std::uint64_t seed,
                        restriction restricted) {
  auto const& s = system.shape();
  auto const all = admitted_readings(system, draws);
  played_worst result{&system, draws, 0, 0, 0, 0, {}};
  for (auto const& field : s.answers) result.fields.push_back({field.name, {}, {}, 0});
  auto takes = documented_domain(s, draws);
  takes.features = s.features;
  if (restricted != nullptr) restricted(takes);
  player port{system, draws, all};

  // Alternatives one by one stand first: their assignments deviate least.
  auto const& table = system.readings();
  auto const few = static_cast<std::size_t>(
      std::ranges::count_if(all, [&](cube c) { return table.deviations(c) <= table.deviations(all.front()) + 1; }));
  auto const told = distinguishing_histories(s.stem);
  for (std::uint64_t i = 0; i < histories + told.size(); ++i) {
    random_bits random(seed, i);
    auto h = i < told.size() ? told[i] : generate(s, takes, random);
    if (i < told.size()) h = without_hidden_draws({h}, s, takes).front();
    if (!inside(s, takes, h)) continue;
    ++result.histories;
    for (std::size_t k = 0; k < readings_a_history; ++k) {
      auto const turn = i * readings_a_history + k;
      cube const reading =
          turn % (few + combinations) < few ? all[turn % (few + combinations)] : all[random() % all.size()];
      auto const what = static_cast<taste>(random() % 3);
      auto const game = port.play(h, reading, what);
      result.calls += game.answers.size();
      if (game.answers.size() < h.steps.size()) ++result.unjudged;
      auto const usual = system.admitted(h, game.answers, draws, canonical_beside(system, all, reading));
      auto const describe = [&] { return std::pair(named(system, reading), to_token({&s, {h}})); };
      for (std::size_t step = 0; step < game.answers.size(); ++step) {
        for (std::size_t f = 0; f < s.answers.size(); ++f) {
          auto const& a = game.admitted[step][f];
          if (a.kind() == kind::absent) continue;
          ++result.fields[f].calls;
          measure_width(result.fields[f], a, step, describe);
          if (step < usual.size()) measure_deviation(result.fields[f], usual[step][f], game.answers[step][f], describe);
        }
      }
    }
  }
  result.readings = all.size();
  return result;
}

std::string table_row(played_worst const& played) {
  using enum spec::draw_kind;
  auto const kind_name = [&]() -> std::string_view {
    if (!played.system->shape().has_draws()) return "none";
    switch (played.draws.kind) {
      case u32:
        return "u32";
      case rand:
        return "rand";
      case unit:
        return "unit";
      default:
        return "hidden";
    }
  }();
  std::string rows;
  for (auto const& f : played.fields) {
    bool const is_one_value = f.admitted.values < 2 && f.admitted.width == 0;
    if (f.deviation.absolute == 0 && is_one_value) continue;
    auto const reading = f.deviation.absolute == 0 ? std::string("none") : "`" + f.deviation.reading + "`";
    auto const several = f.admitted.values > 1  ? fmt::format("{}", f.admitted.values)
                         : f.admitted.width > 0 ? fmt::format("one, within {:.2g} of it", f.admitted.width)
                                                : "one";
    rows += fmt::format("| `{}` | {} | `{}` | {:.6g} | {:.3g} | {} | {} |\n", played.system->shape().stem, kind_name,
                        f.field, f.deviation.absolute, f.deviation.relative, reading, several);
  }
  return rows;
}

}  // namespace backoff::engines::adversary
