#include "explain/formulas.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>

#include "explain/delay_cycles.hpp"
#include "explain/number_search.hpp"
#include "explain/translation.hpp"
#include "histories/random.hpp"
#include "judge/catalogue.hpp"
#include "judge/drawn.hpp"
#include "relation/rational.hpp"

namespace backoff::explain {
namespace {

constexpr int delays_min = 4;  // in a history: fewer fit too many formulas
constexpr int delays_max = 12;
constexpr double longest_s = 3'600;        // of a parameter
constexpr std::size_t sample = 80;         // histories by which parameters are found
constexpr std::size_t part_of_them = 20;   // one in so many histories must be comparable
constexpr std::size_t give_up_after = 12;  // histories of which none is explained

// --- one document ---

class comparison {
 public:
  comparison(judged_system const& spoken, judged_system const& document, draw_source const& draws,
             std::vector<cycle> const& all)
      : document_(&document),
        words_(spoken, document, draws, all),
        all_(&all),
        draws_(spoken.shape().has_draws() ? draws : draw_source{spec::draw_kind::hidden, draws.size}) {}

  // How well the document explains the delays at best; nothing where it explains none, or where too few histories can
  // be compared.
  std::optional<likeness> best() {
    std::optional<likeness> found;
    if (is_given()) found = best_with(draws_);
    if (found && found->explains()) return found;
    auto const unseen = best_with(hidden());
    if (!found) return unseen;
    if (!unseen) return found;
    bool const tells = unseen->how != likeness::kind::inside && unseen->explained > found->explained;
    return tells || 20 * found->explained < found->compared ? unseen : found;
  }

  // The same with numbers for the parameters that the port does not have. Of the port's own, all are used, or none.
  std::optional<likeness> fitted() {
    constexpr std::size_t starts = 2;
    if (words_.is_none() || all_->empty()) return std::nullopt;
    settle_assignments(hidden());
    if (alive_.empty()) return std::nullopt;
    number_search search(words_, *all_, alive_);
    auto const used = [](binding const& b) {
      return std::ranges::count_if(b, [](auto const& s) { return s.has_value(); });
    };
    auto const bindings = words_.bindings();
    auto const most = bindings.empty() ? 0 : used(std::ranges::max(bindings, {}, used));
    std::vector<std::pair<double, binding>> first;
    for (auto const& b : bindings) {
      if (used(b) == most) first.emplace_back(search.likely(b), b);
    }
    std::ranges::sort(first, std::ranges::greater());
    first.resize(std::min(first.size(), starts));
    auto const none = std::ranges::find(bindings, 0, used);
    if (most > 0 && none != bindings.end()) first.emplace_back(0, *none);
    std::optional<number_search::fitting> best;
    for (auto const& [_, b] : first) {
      auto found = search.from(b);
      if (found && (!best || found->likely > best->likely)) best = std::move(found);
    }
    if (!best) return std::nullopt;
    if (is_given()) {
      settle_assignments(draws_);
      if (auto found = best_of({best->with}, draws_); found && found->explains()) return found;
      settle_assignments(hidden());
    }
    return best_of({best->with}, hidden());
  }

 private:
  struct tried {
    std::uint64_t explained = 0;
    std::uint64_t compared = 0;
    std::uint64_t whole = 0;
    double likely = 0;  // log-likelihood: a narrower range explains more
    bool draws = false;
  };

  [[nodiscard]] draw_source hidden() const noexcept { return {spec::draw_kind::hidden, draws_.size}; }
  // Whether the port takes draws, and the document has any.
  [[nodiscard]] bool is_given() const noexcept {
    return draws_.kind != spec::draw_kind::hidden && document_->shape().has_draws();
  }

  std::optional<likeness> best_with(draw_source const& draws) {
    settle_assignments(draws);
    return best_of(words_.bindings(), draws);
  }

  std::optional<likeness> best_of(std::vector<binding> const& bindings, draw_source const& draws) {
    std::optional<binding> best;
    tried most;
    auto const enough = std::max<std::size_t>(1, std::min(sample, all_->size()) / part_of_them);
    for (auto const& b : bindings) {
      auto const t = compare(b, draws, std::min(sample, all_->size()), most);
      if (t.compared < enough || t.explained == 0) continue;
      auto const share = [](tried const& of) {
        return static_cast<double>(of.explained) / static_cast<double>(of.compared);
      };
      auto const rank = [&](tried const& of, binding const& by) {
        auto const bound = std::ranges::count_if(by, [](auto const& s) { return s.has_value(); });
        return std::tuple(share(of), std::round(1e6 * of.likely) / static_cast<double>(of.compared), -bound);
      };
      if (best && rank(t, b) <= rank(most, *best)) continue;
      best = b;
      most = t;
    }
    if (!best) return std::nullopt;
    shown_ = expected_ = {};
    auto const t = compare(*best, draws, all_->size(), {});
    if (t.explained == 0) return std::nullopt;
    likeness found{document_, likeness::kind::exactly, t.explained, t.compared, t.whole, {}};
    if (t.draws) found.how = spread_as_documented() ? likeness::kind::spread : likeness::kind::inside;
    for (std::size_t i = 0; i < best->size(); ++i) {
      if (!(*best)[i]) continue;
      auto const& from = words_.sources()[*(*best)[i]];
      found.with.emplace_back(document_->shape().params[i].name, from.name);
      if (from.fits) found.fitted.emplace_back(document_->shape().params[i].name);
    }
    return found;
  }

  // The readings that a port may follow. Where draws are given, only those with an exact mapping.
  void settle_assignments(draw_source const& draws) {
    auto const& table = document_->readings();
    spec::cube admitted = table.admitting(spec::standing::open);
    if (draws.kind != spec::draw_kind::hidden) admitted.bits &= spec::exactly_mapped(table).bits;
    alive_ = spec::common_cubes(table, document_->assignments(draws.kind), {admitted});
  }

  tried compare(binding const& b, draw_source const& draws, std::size_t count, std::optional<tried> const& bound) {
    tried t;
    if (alive_.empty()) return t;
    bool const hidden = draws.kind == spec::draw_kind::hidden;
    std::vector<std::uint64_t> by_assignment(alive_.size());
    auto const& table = document_->readings();
    for (std::size_t i = 0; i < count; ++i) {
      auto const& c = (*all_)[i];
      auto h = words_.history_of(c, b, hidden, c.draws.size());
      if (!h) continue;
      auto const answers = words_.answers_of(*h, c, draws, alive_.front());
      if (answers.size() <= words_.calls_before()) continue;
      ++t.compared;
      auto const outcomes = words_.judged_by().judge(*h, answers, draws, alive_, ~claim_mask{0}, ~claim_mask{0});
      std::vector<bool> explains(alive_.size());
      for (std::size_t a = 0; a < alive_.size(); ++a) {
        explains[a] = std::ranges::any_of(
            outcomes, [&](assignment_outcome const& f) { return f.alive && table.common(f.where, alive_[a]); });
        by_assignment[a] += explains[a] ? 1U : 0U;
      }
      auto const first = std::ranges::find(explains, true);
      bool const is_whole = answers.size() - words_.calls_before() == c.delays.size();
      t.whole += first != explains.end() && is_whole ? 1U : 0U;
      if (document_->shape().has_draws() && first != explains.end()) {
        auto const reading = alive_[static_cast<std::size_t>(first - explains.begin())];
        note(*h, answers, draws, reading, t, shown_);
        if (!bound && t.draws) note_expected(*h, reading, i);
      }
      t.explained = *std::ranges::max_element(by_assignment);
      // The remaining histories cannot make this binding the best.
      auto const missed = t.compared - t.explained;
      if (bound && bound->compared * (count - missed) < bound->explained * count) break;
      if (bound && t.explained == 0 && missed == give_up_after) break;
    }
    return t;
  }

  // How many delays lie in each sixteenth of their ranges, by retry. The last count is that of delays at the upper end,
  // where a maximum may cut them.
  using places = std::array<std::uint64_t, 17>;
  using places_by_retry = std::array<places, delays_max>;

  void note(history const& h, std::span<answer const> answers, draw_source const& draws, spec::cube reading, tried& t,
            places_by_retry& counts) {
    constexpr double rounding = 1e-6;
    constexpr spec::integer values_min = 256;
    auto const field = document_->shape().delay;
    auto const admitted = words_.judged_by().admitted(h, answers, draws, reading);
    for (std::size_t at = words_.calls_before(); at < admitted.size(); ++at) {
      auto const& all = admitted[at][field];
      auto const part = part_of(all, answers[at][field]);
      if (!part) continue;
      bool const whole = all.kind() == spec::admissible_kind::lattice;
      auto const width =
          whole ? static_cast<double>(all.count()) : static_cast<double>(all.ends().high - all.ends().low);
      if (!whole && width < rounding * as_double(answers[at][field].value)) continue;
      t.draws = true;
      t.likely -= std::log(std::max(width, 1e-9));
      if (whole && all.count() < values_min) continue;
      bool const at_end = part->below > 1 - 1e-9 || (whole && part->upto > 1 - 1e-12);
      ++counts[at - words_.calls_before()][at_end ? 16 : static_cast<std::size_t>(std::min(part->below, 0.9999) * 16)];
    }
  }

  // The same for the delays of a right port, which the model makes from random draws.
  void note_expected(history h, spec::cube reading, std::uint64_t index) {
    constexpr draw_source u32{};
    random_bits random(1, index);
    std::vector<value> draws(h.steps.size() - words_.calls_before());
    for (auto& d : draws) d = value::of(random.between(0, static_cast<std::int64_t>(u32.size - 1)));
    auto const& table = document_->readings();
    auto same = reading.bits;
    for (auto const name : spec::draw_mappings) {
      auto const mapping = table.find(name);
      if (mapping) same |= table.field(*mapping) & spec::exactly_mapped(table).bits;
    }
    for (auto const c : document_->assignments(u32.kind)) {
      auto const both = table.common(c, {same & spec::exactly_mapped(table).bits});
      if (!both || !add_calls(h, document_->shape(), words_.takes(), draws)) continue;
      auto const answers = words_.judged_by().play(h, u32, *both, random).answers;
      static_cast<void>(add_calls(h, document_->shape(), words_.takes(), std::vector<value>(draws.size())));
      tried none;
      note(h, answers, hidden(), reading, none, expected_);
      return;
    }
  }

  // Chi-squared tests of two samples: of all retries together, and of each one, summed up. Both refute a right port in
  // less than one of a billion runs. False where there are too few delays.
  [[nodiscard]] bool spread_as_documented() const {
    constexpr double least = 320;
    constexpr double least_of_retry = 30;
    places shown{};
    places expected{};
    double sum = 0;
    double retries = 0;
    for (std::size_t retry = 0; retry < shown_.size(); ++retry) {
      if (std::min(count(shown_[retry]), count(expected_[retry])) >= least_of_retry) {
        sum += chi_squared(shown_[retry], expected_[retry]);
        ++retries;
      }
      std::ranges::transform(shown, shown_[retry], shown.begin(), std::plus());
      std::ranges::transform(expected, expected_[retry], expected.begin(), std::plus());
    }
    if (std::min(count(shown), count(expected)) < least) return false;
    return chi_squared(shown, expected) < most_of(1) && sum <= most_of(retries);
  }

  [[nodiscard]] static double count(places const& of) {
    return static_cast<double>(std::accumulate(of.begin(), of.end(), std::uint64_t{0}));
  }

  [[nodiscard]] static double chi_squared(places const& shown, places const& expected) {
    auto const a = count(shown);
    auto const b = count(expected);
    double chi = 0;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      auto const x = static_cast<double>(shown[i]);
      auto const y = static_cast<double>(expected[i]);
      if (x + y > 0) chi += std::pow(x * std::sqrt(b / a) - y * std::sqrt(a / b), 2) / (x + y);
    }
    return chi;
  }

  // The quantile of so many tests, by the approximation of Wilson and Hilferty.
  [[nodiscard]] static double most_of(double tests) {
    constexpr double normal = 6.4;
    double const degrees = static_cast<double>(places().size() - 1) * std::max(tests, 1.0);
    double const part = 2 / (9 * degrees);
    return degrees * std::pow(1 - part + normal * std::sqrt(part), 3);
  }

  judged_system const* document_;
  translation words_;
  std::vector<cycle> const* all_;
  draw_source draws_;
  std::vector<spec::cube> alive_;
  places_by_retry shown_{};     // the port's delays
  places_by_retry expected_{};  // the document's
};

// Swaps parameters so that no cap is below a time that it caps: otherwise every delay would be the cap.
void put_caps_last(history& h, shape const& s, domain const& takes) {
  auto const is_time = [&](std::size_t p) {
    return s.params[p].kind == field_kind::integer && !is_limit(s.params[p]) && h.params[p].kind == value_kind::integer;
  };
  for (std::size_t cap = 0; cap < s.params.size(); ++cap) {
    if (!is_time(cap) || !is_cap(s.params[cap].name)) continue;
    for (std::size_t p = 0; p < s.params.size(); ++p) {
      bool const is_less = is_time(p) && !is_cap(s.params[p].name) && h.params[cap].n < h.params[p].n;
      if (is_less && takes.params[cap].admits(h.params[p]) && takes.params[p].admits(h.params[cap]))
        std::swap(h.params[p], h.params[cap]);
    }
  }
}

}  // namespace

bool tells_delays(shape const& s) noexcept { return unit_of(s.answers[s.delay].name).has_value(); }

std::vector<history> histories_of_delays(shape const& s, domain const& takes, std::size_t count, std::uint64_t seed) {
  std::vector<history> all;
  auto const before = calls_before(s);
  auto const draw = std::ranges::find(s.operations[0].args, field_kind::draw, &field::kind);
  auto const* const drawn = takes.args[0].data() + (draw - s.operations[0].args.begin());
  for (std::size_t i = 0; i < count; ++i) {
    random_bits random(seed, i);
    history h;
    auto calls = static_cast<std::size_t>(random.between(delays_min, delays_max));
    bool const whole_seconds = i % 2 == 0;  // what documents that count in seconds allow
    for (std::size_t p = 0; p < s.params.size(); ++p) {
      auto const& f = s.params[p];
      auto const& r = takes.params[p];
      if (!takes.takes(f) || f.needs) continue;
      if (is_limit(f)) {
        h.params[p] = unlimited(f, r);
        bool const limited = h.params[p].kind == value_kind::integer && h.params[p].n != 0;
        if (limited) calls = std::min(calls, static_cast<std::size_t>(std::max<std::int64_t>(h.params[p].n, 1)));
        continue;
      }
      if (!r.numbers) {
        h.params[p] = value::word(std::countr_zero(r.words));
        continue;
      }
      auto const one = static_cast<std::int64_t>(std::pow(10, f.scale));
      if (f.kind == field_kind::decimal) {
        auto const step = f.scale == 0 ? 1 : one / 10;
        auto const high = std::min(r.high, r.low + 3 * one);
        h.params[p] = f.number(r.low + step * random.between(0, (high - r.low) / step));
        continue;
      }
      auto const unit = unit_of(f.name).value_or(unit_of(s));
      auto const high = std::min(static_cast<double>(r.high), longest_s * std::pow(10, -unit));
      auto const second = static_cast<std::int64_t>(std::pow(10, -unit));
      bool const in_seconds = whole_seconds && second <= r.high;
      auto const low = std::max(static_cast<double>(r.low), in_seconds ? static_cast<double>(second) : 1.0);
      auto const u = static_cast<double>(random.between(0, 1'000'000)) / 1e6;
      auto const n = static_cast<std::int64_t>(low * std::pow(std::max(high / low, 1.0), u));
      h.params[p] = f.number(std::clamp(in_seconds ? n / second * second : n, r.low, r.high));
    }
    std::vector<value> draws(calls);
    for (auto& d : draws) {
      if (takes.draws.kind != spec::draw_kind::hidden && draw != s.operations[0].args.end())
        d = value::of(random.between(drawn->low, drawn->high));
    }
    put_caps_last(h, s, takes);
    if (add_calls(h, s, takes, draws) && h.steps.size() > before && inside(s, takes, h)) all.push_back(std::move(h));
  }
  return all;
}

std::vector<likeness> likenesses(judged_system const& spoken, draw_source const& draws, std::span<history const> asked,
                                 std::span<result const> got, std::span<judged_system const* const> documents) {
  auto const rank = [](likeness const& l) {
    auto const share = static_cast<double>(l.whole) / static_cast<double>(l.compared);
    return std::tuple(l.explains(), l.how != likeness::kind::inside, share, -static_cast<int>(l.fitted.size()),
                      l.compared);
  };
  std::vector<likeness> all;  // the best first, equals in the order of the documents
  auto const cycles = cycles_of(spoken.shape(), asked, got);
  auto const add = [&](std::optional<likeness> found) {
    bool const is_whole = found && found->explained == found->compared;
    bool const is_some = found && 10 * found->explained >= found->compared && found->how != likeness::kind::inside;
    if (!is_whole && !is_some) return;
    auto const same = std::ranges::find(all, found->document, &likeness::document);
    if (same != all.end() && rank(*same) >= rank(*found)) return;
    if (same != all.end()) all.erase(same);
    all.insert(std::ranges::upper_bound(all, rank(*found), std::ranges::greater(), rank), std::move(*found));
  };
  for (auto const* document : documents) {
    if (tells_delays(document->shape())) add(comparison(spoken, *document, draws, cycles).best());
  }
  // That a port follows its author's own policy does not say whose formula it is.
  bool const is_known = std::ranges::any_of(all, [&](likeness const& l) {
    return l.explains() && !(l.document == &spoken && judge::catalogue_of(spoken.shape().stem).is_yours);
  });
  for (auto const* document : documents) {
    if (!is_known && tells_delays(document->shape())) add(comparison(spoken, *document, draws, cycles).fitted());
  }
  // The same spread in a few histories is likely where another document has it in more than twice as many.
  std::uint64_t most = 0;
  for (auto const& l : all) most = std::max(most, l.explains() ? l.compared : 0);
  std::erase_if(
      all, [&](likeness const& l) { return l.explains() && l.how == likeness::kind::spread && 2 * l.compared < most; });
  return all;
}

}  // namespace backoff::explain
