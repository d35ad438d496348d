#include "reports/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "histories/json.hpp"
#include "histories/text.hpp"

namespace backoff::reports {

namespace {

// The value at an end of the windows, and how often it is drawn.
std::string at_an_end(bool upper, double share) {
  auto const value = upper ? "largest" : "smallest";
  if (share == 0) return fmt::format("the {} value of the window is never drawn", value);
  return fmt::format("{:.1f} % of the draws are exactly the {} value of the window", 100 * share, value);
}

// What a port probably does whose draws all lie in one part of their windows; empty: unknown. Draws in a half of the
// window must be spread evenly over it.
std::string in_a_part(draw_bets::part all, std::span<double const> sixteenths) {
  constexpr double even = 0.3;  // spread evenly over eight sixteenths, even few draws put no larger share in one
  if (all.high <= 0) return "always waits the shortest delay, because it does not draw or rounds every delay down";
  if (all.low >= 1) return "always waits the longest delay and does not draw";
  if (all.high > 0.0003 && all.high <= 0.00101) return "answers a thousandth of the delay, as if a unit were mistaken";
  if (std::ranges::max(sixteenths) > even) return "";
  if (all.low >= 0.5 && all.low < 0.6) return "draws from the upper half of the window (equal jitter)";
  if (all.high > 0.4 && all.high <= 0.5) return "draws from the lower half of the window";
  return "";
}

sampled_finding sampled(run const& judged, unsigned claim, evidence const& last) {
  auto const& samples = judged.samples_against(claim);
  auto const& bets = samples.bets_so_far();
  auto const& s = judged.system().shape();
  auto const best = bets.best(tests_of(*judged.system().claims()[claim].draws));
  auto const& text = text_of(best);
  bool const is_end = best == draw_test::upper_end || best == draw_test::lower_end;
  auto const found =
      is_end ? at_an_end(best == draw_test::upper_end, bets.at(best).share()) : std::string(text.finding);
  std::string where;
  if (auto const late = late_test(best)) {
    auto const [place, after_reset] = bets.found(*late);
    auto const [attempt, and_later] = place;
    where = after_reset ? ", after a reset" : "";
    where += (and_later ? ", from attempt " : ", at attempt ") + std::to_string(attempt) + (and_later ? " on" : "");
  }
  auto const parameters = parameters_text(s, last.tried);
  auto const calls = std::to_string(last.tried.steps.size()) + " calls";
  sampled_finding f{samples.bets().draws(), parameters.empty() ? calls : parameters + ", " + calls, found + where,
                    std::string(text.name), samples.bets().gained()};
  bool const all_draws = text.claim == about_draws::uniform && !late_test(best);
  if (all_draws) {
    f.all_draws = bets.draws();
    f.sixteenths = bets.sixteenths();
    f.probably = in_a_part(bets.spread(), f.sixteenths);
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
  if (c.how == how_shown::samples) {
    f.sampled = sampled(judged, c.shows.claim, c.histories.front());
    return f;
  }
  auto const& last = c.histories.back();
  auto const report =
      judged.system().broken_claims(last.tried, last.got.answers, judged.about().takes.draws, c.explained_by);
  if (auto const id = report.cited.find(c.shows.claim); id != report.cited.end()) {
    std::erase(f.requirements, id->second);
    f.requirements.insert(f.requirements.begin(), std::string(id->second));
  }
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
