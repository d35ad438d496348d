#include "reports/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "explain/admitted_delays.hpp"
#include "histories/json.hpp"
#include "histories/present.hpp"
#include "histories/text.hpp"

namespace backoff::reports {

namespace {

// The value at an end of the windows, and how often it is drawn.
std::string at_an_end(bool upper, event_count const& of) {
  auto const value = upper ? "largest" : "smallest";
  if (of.seen == 0) return fmt::format("the {} value of the window is never drawn", value);
  auto const in_percent = [&](double n) { return 100 * n / static_cast<double>(of.tried); };
  return fmt::format("{:.1f} % of the draws are exactly the {} value of the window; {:.1f} % expected",
                     in_percent(static_cast<double>(of.seen)), value, in_percent(of.expected));
}

// The half, quarter or sixteenth of the range whose share of the draws is least likely; empty where none is unlikely.
std::string most_uneven_part(std::span<double const> sixteenths, double draws) {
  constexpr double likely = 5;  // standard deviations
  struct division {
    std::size_t parts;
    std::string_view name;
  };
  std::string found;
  double most = likely;
  for (auto const [parts, name] : {division{2, "half"}, division{4, "quarter"}, division{16, "sixteenth"}}) {
    double const expected = 1.0 / static_cast<double>(parts);
    auto const each = sixteenths.size() / parts;
    for (std::size_t at = 0; at < parts; ++at) {
      auto const part = sixteenths.subspan(at * each, each);
      double const share = std::accumulate(part.begin(), part.end(), 0.0);
      double const away = std::abs(share - expected) / std::sqrt(expected * (1 - expected) / draws);
      if (away <= most) continue;
      most = away;
      auto const which = at == 0           ? fmt::format("the lowest {}", name)
                         : at == parts - 1 ? fmt::format("the highest {}", name)
                                           : fmt::format("{} {} from below", name, at + 1);
      found = fmt::format("{:.1f} % of the draws are in {} of what can be drawn; {} % expected", 100 * share, which,
                          100 * expected);
    }
  }
  return found;
}

// What a port probably does whose draws all lie in one part of their windows; empty: unknown. Draws in a half of the
// window must be spread evenly over it.
std::string in_a_part(draw_bets::part all, std::span<double const> sixteenths, bool from_0) {
  constexpr double even = 0.3;  // spread evenly over eight sixteenths, even few draws put no larger share in one
  if (all.high <= 0) return "always waits the shortest delay, because it does not draw or rounds every delay down";
  if (all.low >= 1) return "always waits the longest delay and does not draw";
  if (from_0 && all.high > 0.0003 && all.high <= 0.00101)
    return "answers a thousandth of the delay, as if a unit were mistaken";
  if (std::ranges::max(sixteenths) > even) return "";
  auto const what = from_0 ? "window" : "range";
  if (all.low >= 0.5 && all.low < 0.6)
    return fmt::format("draws from the upper half of the {}{}", what, from_0 ? " (equal jitter)" : "");
  if (all.high > 0.4 && all.high <= 0.5) return fmt::format("draws from the lower half of the {}", what);
  return "";
}

// Whether no delay of the history is drawn from more than 0 up.
bool draws_from_0(run const& judged, evidence const& e) {
  auto const admitted =
      judged.system().admitted(e.tried, e.got.answers, {spec::draw_kind::hidden, 1}, judged.explained_by());
  return std::ranges::none_of(explain::admitted_delays(judged.system().shape(), admitted), [](auto const& d) {
    return d.range && d.range->first > 0 && d.range->first < d.range->second;
  });
}

std::string where_of(draw_bets::late_place const& place) {
  auto const [attempt, and_later] = place.attempt;
  return fmt::format("{}, {} attempt {}{}", place.after_reset ? ", after a reset" : "", and_later ? "from" : "at",
                     attempt, and_later ? " on" : "");
}

sampled_finding sampled(run const& judged, unsigned claim, evidence const& last) {
  auto const& samples = judged.samples_against(claim);
  auto const& bets = samples.bets_so_far();
  auto const& s = judged.system().shape();
  auto const tests = tests_of(present(judged.system().claims()[claim].draws));
  auto at_the_start = bets.found_at_the_start();
  if (at_the_start && (tests & bit(*at_the_start)) == 0) at_the_start.reset();
  bool const is_of_the_start = at_the_start.has_value();
  auto const best = at_the_start.value_or(bets.best(tests));
  auto const& text = text_of(best);
  auto const is = [&](auto... some) { return ((best == some) || ...); };
  bool const upper = is(draw_test::upper_end, draw_test::late_upper_end);
  bool const is_end = upper || is(draw_test::lower_end, draw_test::late_lower_end);
  auto const late = late_test(best);
  auto const place = is_of_the_start || !late ? draw_bets::late_place{} : bets.found(*late);
  auto const at_the_end = [&] { return at_an_end(upper, late ? bets.at_an_end(upper, place) : bets.at_an_end(upper)); };
  bool const all_draws = text.claim == about_draws::uniform && !late;
  auto const sixteenths = bets.sixteenths();
  bool const is_of_parts =
      is(draw_test::halves, draw_test::quarters, draw_test::sixteenths, draw_test::grains, draw_test::single_values);
  auto const uneven = is_of_parts ? most_uneven_part(sixteenths, static_cast<double>(bets.draws())) : "";
  auto const found = is_end ? at_the_end() : uneven.empty() ? std::string(text.finding) : uneven;
  auto const where = is_of_the_start ? ", where a cycle begins" : late ? where_of(place) : "";
  auto const parameters = parameters_text(s, last.tried);
  auto const calls = std::to_string(last.tried.steps.size()) + " calls";
  sampled_finding f{samples.bets().draws(), parameters.empty() ? calls : parameters + ", " + calls, found + where,
                    std::string(text.name), samples.bets().gained()};
  f.is_of_the_start = is_of_the_start;
  if (all_draws) {
    f.all_draws = bets.draws();
    f.sixteenths = sixteenths;
    f.probably = in_a_part(bets.spread(), sixteenths, draws_from_0(judged, last));
  }
  return f;
}

// The alternatives that a replay must pin to show the finding, because its histories alone may be read otherwise. These
// are the non-canonical ones; and, if breaking the claim refutes no reading, those without which the last history would
// not break it.
std::vector<std::string> pinned_by(run const& judged, counterexample const& c) {
  if (!c.shows.is_of_a_claim()) return {};
  auto const& table = judged.system().readings();
  auto left = judged.readings().initial();
  std::vector<std::string> pinned;
  auto const pin = [&](unsigned reading, unsigned alternative) {
    auto const& of = table.readings()[reading];
    auto const field = table.with(table.admitting(spec::standing::hazard), reading, alternative);
    left = spec::common_cubes(table, left, {field});
    pinned.push_back(std::string(of.name) + "=" + std::string(of.alternatives[alternative].name));
  };
  auto const each_reading = [&](auto visit) {
    for (unsigned r = 0; r < table.readings().size(); ++r) {
      auto const is_pinned = [&](auto const& p) { return p.first == r; };
      if (is_convention(table.readings()[r].name) || std::ranges::any_of(judged.options().pinned, is_pinned)) continue;
      for (unsigned a = 0; a < table.readings()[r].alternatives.size(); ++a) {
        if ((c.explained_by.bits & table.bit(r, a)) != 0) visit(r, a);
      }
    }
  };
  each_reading([&](unsigned r, unsigned a) {
    if (table.readings()[r].alternatives[a].standing != spec::standing::canonical) pin(r, a);
  });
  if (judged.held_to().refutes_readings(c.shows.claim)) return pinned;
  auto const claim = claim_mask{1} << c.shows.claim;
  auto const& last = c.histories.back();
  std::vector<spec::cube> unbroken;
  for (auto const& f :
       judged.system().judge(last.tried, last.got.answers, judged.about().takes.draws, left, claim, claim)) {
    if (f.alive) unbroken.push_back(f.where);
  }
  left = std::move(unbroken);
  each_reading([&](unsigned r, unsigned a) {
    auto const others = table.field(r) & ~table.bit(r, a);
    if (std::ranges::any_of(left, [&](spec::cube l) { return (l.bits & others) != 0; })) pin(r, a);
  });
  return pinned;
}

// The parameters by which a port that divides by zero may divide: those that are 0, unless 0 means no limit.
std::string divisor_of(shape const& s, history const& h) {
  std::string names;
  int count = 0;
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    auto const& v = h.params[i];
    bool const is_no_limit =
        std::ranges::any_of(s.params[i].specials, [](auto const& at) { return at.why == "no limit"; });
    if (v.kind == value_kind::absent || v.kind == value_kind::keyword || v.n != 0 || is_no_limit) continue;
    names.append(count++ == 0 ? "" : " or ").append(s.params[i].name);
  }
  return count == 0 ? "" : "probably divides by " + names + (count == 1 ? ", which is 0" : ", which are 0");
}

}  // namespace

finding make_finding(run const& judged, counterexample const& c) {
  finding f;
  f.fails = c.shows.fails;
  f.histories = c.shows.histories;
  f.excuses = c.excuses;
  f.how = c.how;
  f.cut_short = c.cut_short;
  if (c.again.broke != c.again.asked) f.again = c.again;
  f.reading = deviations(judged.system().readings(), c.explained_by);
  if (c.shows.claim == breach::no_answer) {
    f.claim = no_answer_name;
    f.sentence = "the port answers every history inside the ranges that it declares";
    f.strength = strength_name(strength::must);
  } else {
    auto const& claim = judged.system().claims()[c.shows.claim];
    f.claim = claim.name;
    f.sentence = claim.sentence;
    f.strength = strength_name(claim.strength);
    f.requirements.assign(claim.requirements.begin(), claim.requirements.end());
  }
  auto const cite = [&](std::string_view id) {
    std::erase(f.requirements, id);
    f.requirements.insert(f.requirements.begin(), std::string(id));
  };
  if (c.how == how_shown::samples) {
    f.sampled = sampled(judged, c.shows.claim, c.histories.front());
    auto const id = judged.system().claims()[c.shows.claim].of_the_start;
    if (f.sampled->is_of_the_start && !id.empty()) cite(id);
    return f;
  }
  auto const& last = c.histories.back();
  auto const report =
      judged.system().broken_claims(last.tried, last.got.answers, judged.about().takes.draws, c.explained_by);
  if (auto const id = report.cited.find(c.shows.claim); id != report.cited.end()) cite(id->second);
  history_set set{&judged.system().shape(), {}};
  for (auto const& e : c.histories) {
    f.shown.push_back(show_history(judged, e, c.explained_by));
    f.why = e.got.why;
    set.cases.push_back(e.tried);
  }
  f.each_fits_some = std::ranges::none_of(c.histories, [&](evidence const& e) {
    return left_by(judged, std::span(&e, 1), judged.readings().initial()).empty();
  });
  if (f.excuses.empty()) f.fits = fits_of(judged, c.shows, c.histories);
  f.pinned = pinned_by(judged, c);
  f.token = to_token(set);
  f.json = histories::to_json(set);
  return f;
}

shown_breakdown make_breakdown(run const& judged, broken_port const& b) {
  shown_breakdown shown{b.what.what, b.what.stderr_tail, b.what.where, {}, b.cut_short, {}};
  if (b.what.index) shown.what += ", at history " + std::to_string(*b.what.index + 1);
  if (!b.smallest) return shown;
  if (shown.where.empty() && b.what.what.find("signal 8 ") != std::string::npos)
    shown.where = divisor_of(judged.system().shape(), *b.smallest);
  shown.shown = show_history(judged, {0, *b.smallest, {}}, judged.explained_by());
  shown.token = to_token({&judged.system().shape(), {*b.smallest}});
  return shown;
}

}  // namespace backoff::reports
