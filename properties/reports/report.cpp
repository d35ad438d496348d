#include "reports/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>

#include "histories/json.hpp"
#include "histories/printable.hpp"
#include "judge/catalogue.hpp"
#include "relation/rational.hpp"

namespace backoff::reports {
namespace {

std::string decimal_text(spec::decimal const& d) {
  std::string digits = std::to_string(d.mantissa);
  if (d.exponent == 0) return digits;
  bool const negative = digits.front() == '-';
  if (negative) digits.erase(0, 1);
  constexpr std::size_t digits_max = 24;
  if (d.exponent > 0 && digits.size() + static_cast<std::size_t>(d.exponent) <= digits_max)
    return (negative ? "-" : "") + digits + std::string(static_cast<std::size_t>(d.exponent), '0');
  if (d.exponent > 0 || d.exponent < -24) return (negative ? "-" : "") + digits + "e" + std::to_string(d.exponent);
  auto const places = static_cast<std::size_t>(-d.exponent);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  digits.insert(digits.size() - places, ".");
  return (negative ? "-" : "") + digits;
}

// Exact where a dozen decimals and 18 digits say it all, else rounded down and marked.
std::string rational_text(spec::rational const& x) {
  spec::rational const digits_end = 1'000'000'000'000'000'000;
  spec::rational scaled = x * 1'000'000'000'000;
  std::int32_t exponent = -12;
  while (abs(scaled) >= digits_end) {
    scaled /= 10;
    ++exponent;
  }
  auto const whole = static_cast<spec::integer>(numerator(scaled) / denominator(scaled));
  spec::decimal d{whole, exponent, false};
  while (d.exponent != 0 && d.mantissa % 10 == 0) {
    d.mantissa /= 10;
    ++d.exponent;
  }
  return (scaled.is_whole() ? "" : "~") + decimal_text(d);
}

// Whether the value says of which field it is: a word does, and a number that is the only one.
bool is_plain(shape const& s, answer_field const& f) noexcept {
  auto const is_number = [](answer_field const& one) { return one.words.empty() && !one.needs; };
  bool const is_one_of_many = is_number(f) && std::ranges::count_if(s.answers, is_number) > 1;
  return f.written != answer_field::form::boolean && !f.needs && !is_one_of_many;
}

// A value of an answer's field as people read it.
std::string named(shape const& s, answer_field const& f, std::string const& text) {
  return is_plain(s, f) ? text : std::string(f.name) + "=" + text;
}

std::string word_text(shape const& s, answer_field const& f, std::uint8_t word) {
  bool const silent = f.written == answer_field::form::implied && word == 0;
  return silent ? "" : named(s, f, std::string(f.words[word]));
}

std::string observed_text(shape const& s, std::size_t field, observed const& o) {
  auto const& f = s.answers[field];
  if (o.kind == observed_kind::number) return named(s, f, decimal_text(o.value));
  if (o.kind == observed_kind::keyword) return word_text(s, f, o.keyword);
  return o.kind == observed_kind::absent ? "" : "not a number";
}

void append_word(std::string& out, std::string const& word) {
  if (!word.empty()) out.append(out.empty() ? "" : " ").append(word);
}

// A draw of [0, 1) as a decimal where that is short.
std::string draw_text(std::int64_t numerator, draw_source const& draws) {
  auto const text = std::to_string(numerator);
  if (draws.kind != spec::draw_kind::unit) return text;
  auto const decimal = rational_text(spec::rational(numerator) / spec::rational(draws.size));
  return decimal.starts_with('~') ? text + "/2^32" : decimal;
}

// Whether it is a fraction that breaks it: a whole number there would be admitted.
bool admits_whole_ones(spec::admissible const& a, observed const& o) noexcept {
  bool const is_fraction = o.kind == observed_kind::number && o.value.exponent < 0;
  return is_fraction && a.kind() == spec::admissible_kind::lattice && a.count() > 1;
}

table_row show_step(shape const& s, history const& h, std::size_t i, spec::expectation const* admitted,
                    answer const* port, draw_source const& draws) {
  auto const& op = s.operations[h.steps[i].op];
  table_row row{i + 1, std::string(op.name), {}, "", "", false};
  if (h.steps[i].on != 0) row.call += " on " + std::to_string(h.steps[i].on);
  for (std::size_t k = 0; k < op.args.size(); ++k) {
    auto const& v = h.steps[i].args[k];
    if (v.kind == value_kind::absent) continue;
    bool const is_draw = op.args[k].kind == field_kind::draw;
    auto text = is_draw ? draw_text(v.n, draws) : to_text(op.args[k], v);
    if (bool const is_listed = !row.with.empty() && row.with.back().name == op.args[k].name; is_listed) {
      row.with.back().text += "," + text;
    } else {
      row.with.push_back({op.args[k].name, std::move(text), is_draw});
    }
  }
  for (std::size_t k = 0; k < s.answers.size(); ++k) {
    bool const seen = port == nullptr || !s.answers[k].needs || (*port)[k].kind != observed_kind::absent;
    if (admitted != nullptr && seen) append_word(row.admitted, admitted_text(s, k, (*admitted)[k]));
    if (port != nullptr) append_word(row.port, observed_text(s, k, (*port)[k]));
    if (admitted != nullptr && port != nullptr && admits_whole_ones((*admitted)[k], (*port)[k]))
      row.admitted += " (whole)";
  }
  if (admitted == nullptr) row.admitted = "not judged";
  if (port == nullptr) row.port = "-";
  return row;
}

std::vector<reading_line> reading_lines(run const& judged) {
  auto const& table = judged.system().readings();
  auto const unblemished = judged.readings().admitted_of(judged.readings().never_broken());
  auto const left = unblemished.empty() ? judged.readings().admitted() : unblemished;
  auto const& wide = unblemished.empty() ? judged.readings().with_hazards() : judged.readings().never_broken();
  auto const survives = [](std::vector<spec::cube> const& cubes, std::uint64_t bit) {
    return std::ranges::any_of(cubes, [&](spec::cube c) { return (c.bits & bit) != 0; });
  };
  std::vector<reading_line> lines;
  for (unsigned r = 0; r < table.readings().size(); ++r) {
    auto const name = table.readings()[r].name;
    bool const maps = std::ranges::find(spec::draw_mappings, name) != spec::draw_mappings.end();
    bool const is_asked = !maps || judged.about().takes.draws.kind != spec::draw_kind::hidden;
    auto& line = lines.emplace_back(reading_line{std::string(name), {}, {}, is_asked});
    for (unsigned a = 0; a < table.readings()[r].alternatives.size(); ++a) {
      auto const& alternative = table.readings()[r].alternatives[a];
      if (survives(left, table.bit(r, a))) line.left.emplace_back(alternative.name);
      bool const hazard = alternative.standing == spec::standing::hazard;
      if (hazard && survives(wide, table.bit(r, a))) line.hazards.emplace_back(alternative.name);
    }
  }
  return lines;
}

// What is seen only of ports that have the feature.
std::string_view what_shows(feature f) {
  switch (f) {
    case feature::instances:
      return "several instances at once";
    case feature::clock_script:
      return "a clock that moves during a call";
    case feature::nulls:
      return "null arguments";
    case feature::faults:
      return "failures of what the port calls";
    case feature::live:
      return "memory that stays behind";
    case feature::state:
      return "the documented fields of its state";
    case feature::total_time:
      return "a limit on the total time";
    case feature::errors:
      return "which errors are retried";
    case feature::custom_policy:
      return "policies of the caller's own";
    case feature::fresh_process:
      return "whether two processes draw the same";
  }
  return "";
}

// Whether no limit that the port takes grants more retries than that.
bool grants_no_more(run const& judged, std::uint64_t retries) {
  auto const& s = judged.system().shape();
  auto const at = s.find_param("max_attempts");
  if (!at) return false;
  auto const& limit = judged.about().takes.params[*at];
  bool const may_be_endless = limit.words != 0 || (s.params[*at].words.empty() && limit.low == 0);
  return !may_be_endless && static_cast<std::uint64_t>(limit.high) <= retries;
}

// What was not tried because it comes late; nothing where a call depends on none before, or where the port takes no
// more.
std::string beyond_calls(run const& judged) {
  auto const most = judged.counts().most_calls;
  if (!judged.system().shape().remembers || grants_no_more(judged, most)) return "";
  return fmt::format("calls beyond the first {} of an instance: no history has more", most);
}

// What was not tested of hidden draws because it comes late; nothing where the port cannot be asked for more.
std::string beyond_attempts(run const& judged) {
  auto const [tested, drawn] = judged.draws().attempts();
  if (judged.draws().powers().empty() || grants_no_more(judged, tested)) return "";
  std::string why = "no sample goes further";
  if (tested < drawn && group_of(tested) != group_of(drawn)) why = "there were too few draws";
  if (judged.about().max_line != 0) why += ", as requests are no longer than the port's max_line";
  return "hidden draws beyond attempt " + std::to_string(tested) + ": " + why;
}

// Why no history put the claim at stake; empty where one did, or where the port has nothing that the claim is about.
std::string not_at_stake(run const& judged, unsigned claim) {
  auto const& c = judged.system().claims()[claim];
  auto const& takes = judged.about().takes;
  if (!judged.held_to().selected(claim)) return "not selected";
  if (judged.is_not_compared(claim))
    return "recorded answers do not tell what the port answers without the other calls";
  if (judged.counts().at_stake[claim] != 0 || (c.needs && !takes.offers(*c.needs))) return {};
  if (c.possible != nullptr && !c.possible(takes)) return "not with the ranges that the port declares";
  if (!judged.counts().tells(c)) return untold(judged.system().shape(), c);
  if (c.draws && *c.draws != about_draws::seeded) return "no answer told of a draw whose window is known";
  return "no history put it at stake";
}

std::vector<std::string> not_checked(run const& judged, std::vector<reading_line> const& readings) {
  std::vector<std::string> lines;
  std::string hazards;
  for (auto const& line : readings) {
    for (auto const& hazard : line.hazards)
      hazards.append(hazards.empty() ? "" : ", ").append(line.name).append("=").append(hazard);
  }
  // What no reading explains matches hazards, or does not: its finding says so.
  bool const is_explained = std::ranges::any_of(readings, [](auto const& line) { return !line.left.empty(); });
  if (!hazards.empty() && is_explained)
    lines.push_back("hazard readings that these answers do not rule out: " + hazards);
  if (!judged.system().shape().has_draws()) {
    // Nothing here is random.
  } else if (judged.grade() == grade::exact) {
    lines.emplace_back("the distribution of the port's own randomness: its draws were given to it");
  } else {
    for (auto const name : spec::draw_mappings) {
      auto const how = mapping_of(judged.held_to(), judged.readings(), name);
      bool const of_jitter = name != spec::draw_mappings.front();
      if (how == mapped::nearly) {
        lines.push_back(
            fmt::format("the last unit of each {}: no listed mapping gives it, so that the draws count as hidden too "
                        "({}: near)",
                        of_jitter ? "jitter" : "delay", name));
      } else if (how == mapped::otherwise) {
        lines.push_back(
            fmt::format("the mapping of {}: it is none of the listed ones, so that draws count as hidden ({}: other)",
                        of_jitter ? "jitters" : "draws", name));
      }
    }
  }
  if (judged.draws().are_excused()) {
    lines.emplace_back("the distribution of the delays, beyond what is known to fail");
  }
  if (judged.grade() == grade::membership) {
    lines.emplace_back(
        "the distribution of the delays: that they lie inside their windows does not show that they are random");
  }
  if (judged.grade() == grade::distribution) {
    lines.emplace_back(
        "dependence of a draw on any but the one before it, and the same one of the cycle before, of the history "
        "before and of another instance");
    auto const& tells_draws = judged.system().shape().tells_draws;
    if (tells_draws.in != nullptr) {
      lines.emplace_back("a fault of hidden draws in a small region of the parameters: few draws are made there");
      if (!tells_draws.not_with.empty()) lines.push_back(fmt::format("hidden draws with {}", tells_draws.not_with));
    } else {
      lines.emplace_back("hidden draws with other values of the parameters than the samples have");
    }
  }
  auto const args = judged.system().shape().operations.front().args;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i].usual_low && !judged.about().takes.args[0][i].declared)
      lines.push_back(fmt::format("{} below {}: a port is asked for it only if its ranges say so", args[i].name,
                                  *args[i].usual_low));
  }
  auto const params = judged.system().shape().params;
  for (std::size_t i = 0; i < params.size(); ++i) {
    auto const& r = judged.about().takes.params[i];
    if (params[i].kind == field_kind::decimal && r.low != r.high)
      lines.push_back(fmt::format("{} with more than {} decimal place{}", params[i].name, params[i].scale,
                                  params[i].scale == 1 ? "" : "s"));
  }
  for (auto const& p : judged.draws().powers()) {
    if (p.caught < p.tried)
      lines.push_back(std::string(p.fault->name) + ": " + std::string(p.fault->sentence) + " (" +
                      std::to_string(p.caught) + " of " + std::to_string(p.tried) +
                      " such runs would have been caught)");
  }
  for (auto const& beyond : {beyond_attempts(judged), beyond_calls(judged)}) {
    if (!beyond.empty()) lines.push_back(beyond);
  }
  lines.emplace_back("a fault at a single value of a parameter: most values are tried by chance");
  auto const claims = judged.system().claims();
  if (judged.counts().judged == 0) return {"anything: no history was answered"};
  if (auto const& n = judged.counts(); n.turned_most_away()) {
    lines.push_back(
        fmt::format("{} of {} histories: the port rejected or skipped them, or they were not sent; ranges that it "
                    "declares would have it "
                    "asked what it takes",
                    n.rejected + n.skipped, n.all()));
  }
  for (unsigned i = 0; i < claims.size(); ++i) {
    std::string const name(claims[i].name);
    if (claims[i].draws && judged.grade() != grade::distribution) continue;  // said above
    if (auto const why = not_at_stake(judged, i); !why.empty()) lines.push_back(name + ": " + why);
  }
  for (std::size_t i = 0; i < feature_names.size(); ++i) {
    feature const f{static_cast<std::uint8_t>(i)};
    bool const known = (judged.system().shape().features & bit(f)) != 0;
    bool const drawn = f != feature::fresh_process || judged.grade() != grade::exact;
    if (known && drawn && !judged.about().takes.offers(f))
      lines.push_back(std::string(what_shows(f)) + ": the port does not list the feature " +
                      std::string(feature_names[i]));
  }
  auto const tried = [&](std::string_view requirement) {
    for (unsigned i = 0; i < claims.size(); ++i) {
      if (judged.counts().at_stake[i] != 0 &&
          std::ranges::find(claims[i].requirements, requirement) != claims[i].requirements.end())
        return true;
    }
    return false;
  };
  std::vector<std::string> advice;
  std::string only;
  for (auto const& r : catalogue_of(judged.system().shape().stem).requirements) {
    if (r.strength != "recommended" || tried(r.id)) continue;
    advice.push_back(r.id);
    only = r.text;
  }
  if (advice.size() == 1) lines.push_back(advice.front() + " (recommended): " + only);
  if (advice.size() > 1)
    lines.push_back(fmt::format("{}", fmt::join(advice, ", ")) +
                    " (recommended): no history tries them; backoff-oracle explain ID prints each");
  return lines;
}

// Only where draws are given, and no other mapping explains the port.
std::vector<remainder_bias> uneven_windows(run const& judged, std::vector<reading_line> const& readings) {
  auto const mapping = std::ranges::find(readings, "draw-mapping", &reading_line::name);
  bool const by_remainder = mapping != readings.end() && mapping->left == std::vector<std::string>{"modulo"};
  if (!by_remainder || judged.grade() != grade::exact) return {};
  auto const size = judged.about().takes.draws.size;
  std::vector<remainder_bias> result;
  for (std::uint64_t const window : {100U, 10'000U}) {
    if (size % window == 0) continue;
    auto const least = size / window;
    result.push_back({window, least == 0 ? std::nullopt : std::optional(1 / static_cast<double>(least))});
  }
  return result;
}

// The value at an end of the windows, and how often it is drawn.
std::string at_an_end(bool upper, double share) {
  auto const value = upper ? "largest" : "smallest";
  if (share == 0) return fmt::format("the {} value of the window is never drawn", value);
  return fmt::format("{:.1f} % of the draws are exactly the {} value of the window", 100 * share, value);
}

// What a port does whose draws all lie in one part of their windows: evenly in it, where it is a half.
std::string in_a_part(draw_bets::part all, std::span<double const> sixteenths) {
  constexpr double even = 0.3;  // of the draws in one of eight sixteenths, at most, also if they are few
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

// The readings under which a finding is shown, where its histories alone may be read otherwise: all that are not
// canonical, and, if breaking the claim refutes no reading, those under which the last history would break nothing.
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
    f.sentence = "what lies inside the ranges that the port declares is neither rejected nor skipped";
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
  f.each_fits_some = std::ranges::none_of(c.histories, [&](evidence const& e) noexcept {
    return left_by(judged, std::span(&e, 1), judged.readings().initial()).empty();
  });
  if (f.excuses.empty()) f.fits = fits_of(judged, c.shows, c.histories);
  f.pinned = pinned_by(judged, c);
  f.token = to_token(set);
  f.json = histories::to_json(set);
  return f;
}

// Of a port that divides by zero, where no comparison tells which parameter it is: those that are 0, unless that means
// that there is no limit.
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

// A part of a run is not asked whether it says enough: all parts together are.
exit_code ending(report const& r) {
  if (!r.broke.empty()) return port_broke;
  auto const verdict = r.judged->verdict();
  bool const fails = verdict == verdict::does_not_conform || verdict == verdict::breaks_the_interface;
  if (fails || !r.stale.empty()) return does_not_conform;
  if (r.called.interrupted) return inconclusive;
  return verdict == verdict::conforms || !r.called.part.is_whole() ? conforms : inconclusive;
}

}  // namespace

bool answered_nothing(report const& r) noexcept {
  return r.judged->counts().judged == 0 && r.judged->counts().rejected == 0;
}

std::string parameters_text(shape const& s, history const& h) {
  std::string out;
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    if (h.params[i].kind == value_kind::absent) continue;
    append_word(out, std::string(s.params[i].name) + "=" + histories::to_text(s.params[i], h.params[i]));
  }
  return out;
}

std::string admitted_text(shape const& s, std::size_t field, spec::admissible const& a) {
  using kind = spec::admissible_kind;
  auto const& f = s.answers[field];
  if (a.kind() == kind::absent) return "";
  if (a.kind() == kind::unjudged) return "not judged";
  if (a.kind() == kind::not_finite) return named(s, f, "not a number");
  if (a.kind() == kind::not_zero) return named(s, f, "not 0");
  if (a.kind() == kind::keyword) {
    std::string text;
    auto const count = static_cast<std::size_t>(std::popcount(a.words()));
    if (count == f.words.size() && count > 1 && !is_plain(s, f)) return named(s, f, "any");
    for (auto left = a.words(); left != 0; left &= left - 1) {
      auto const word = static_cast<std::uint8_t>(std::countr_zero(left));
      text += text.empty() ? word_text(s, f, word) : fmt::format(" or {}", f.words[word]);
    }
    return text;
  }
  if (a.kind() == kind::lattice) {
    auto text = std::to_string(a.first());
    bool const has_gaps = a.count() > 1 && a.step() != 1;
    if (a.count() > 1)
      text += (a.count() == 2 ? " or " : "..") + std::to_string(a.first() + a.step() * (a.count() - 1));
    if (has_gaps && a.count() > 2) text += " in steps of " + std::to_string(a.step());
    if (a.has_ends()) text += " or " + rational_text(a.ends().low);
    return named(s, f, text);
  }
  if (a.kind() == kind::either) return named(s, f, rational_text(a.ends().low) + " or " + rational_text(a.ends().high));
  if (a.ends().low == a.ends().high) return named(s, f, rational_text(a.ends().low));
  static spec::rational const beyond_all = pow(spec::big_integer(10), 60U);
  if (a.ends().high > beyond_all) return named(s, f, rational_text(a.ends().low) + " or more");
  return named(s, f, "[" + rational_text(a.ends().low) + ", " + rational_text(a.ends().high) + "]");
}

std::string answer_text(shape const& s, spec::expectation const& admitted) {
  std::string text;
  for (std::size_t k = 0; k < s.answers.size(); ++k) {
    bool const status_of_a_number =
        k == 0 && s.answers.size() > 1 && admitted[1].kind() != spec::admissible_kind::absent;
    if (status_of_a_number || s.answers[k].needs) continue;
    append_word(text, admitted_text(s, k, admitted[k]));
  }
  return text;
}

shown_history show_history(run const& judged, evidence const& e, spec::cube assignment) {
  return show_history(judged.system(), judged.about().takes.draws, judged.options().claims, e, assignment);
}

shown_history show_history(judged_system const& system, draw_source const& draws, claim_mask claims, evidence const& e,
                           spec::cube assignment) {
  auto const& s = system.shape();
  shown_history shown{{}, parameters_text(s, e.tried), {}};
  auto const admitted = system.admitted(e.tried, e.got.answers, draws, assignment);
  auto const report = system.broken_claims(e.tried, e.got.answers, draws, assignment);
  for (std::size_t i = 0; i < e.tried.steps.size(); ++i) {
    auto const* port = i < e.got.answers.size() ? &e.got.answers[i] : nullptr;
    shown.rows.push_back(show_step(s, e.tried, i, i < admitted.size() ? &admitted[i] : nullptr, port, draws));
    shown.rows.back().breaks = i < report.broken_at.size() && (report.broken_at[i] & claims) != 0;
  }
  return shown;
}

namespace {

std::string command_line(report const& r, char const* verb, std::string const& what,
                         std::vector<std::string> const& more) {
  auto const quoted = [](std::string const& word) {
    bool const plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
      return std::isalnum(c) != 0 ||
             std::string_view("-_./=,:+@%~").find(static_cast<char>(c)) != std::string_view::npos;
    });
    if (plain && word.front() != '~') return word;
    std::string text = "'";
    if (printable(word) != word) {  // it is shown, too
      text = "$'";
      for (char const c : word) {
        auto const byte = static_cast<unsigned char>(c);
        bool const itself = byte >= ' ' && byte <= '~' && c != '\'' && c != '\\';
        text += itself ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
      }
      return text + "'";
    }
    for (char const c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
  };
  std::string line = quoted(r.called.program) + " " + verb;
  if (r.called.vector_id) {
    for (auto const& word : r.called.command) line += " " + quoted(word);
  } else {
    line += " " + quoted(what);
  }
  for (auto const& word : more) line += " " + word;
  for (auto const& word : r.called.options) line += " " + quoted(word);
  if (!r.called.command_follows || r.called.vector_id) return line;
  line += " --";
  for (auto const& word : r.called.command) line += " " + quoted(word);
  return line;
}

// The line for the histories of a token, or of the file that holds it.
std::string replay_line(report const& r, std::string const& token, std::string const& file) {
  if (r.called.in_process) return ".replay = \"" + token + "\"";
  return command_line(r, r.called.vector_id ? "verify" : "replay", file.empty() ? token : file, {});
}

}  // namespace

std::string replay_line(report const& r, shown_breakdown const& b) { return replay_line(r, b.token, b.file); }

std::string_view unbroken_word(report const& r, claim_line const& line) noexcept {
  if (line.known) return "known";
  return r.judged->grade() == grade::membership ? "inside" : "holds";
}

bool is_known_to_fail(report const& r, unsigned claim) noexcept {
  return std::ranges::any_of(
      r.excused, [&](known_failing::line const& l) noexcept { return ((l.claims_seen >> claim) & 1U) != 0; });
}

std::string replay_line(report const& r, finding const& f) {
  // Of vectors all are judged again, by all claims: together they say how the port was read.
  if (r.called.vector_id || (!f.sampled && r.called.in_process)) return replay_line(r, f.token, f.file);
  if (r.called.in_process)
    return ".cases = " + std::to_string(r.called.cases) + ", .seed = " + std::to_string(r.called.seed);
  report of = r;
  if (!f.sampled) {
    for (auto const& reading : f.pinned) of.called.options.insert(of.called.options.end(), {"--reading", reading});
    return replay_line(of, f.token, f.file);
  }
  std::string system(r.judged->system().shape().stem);
  auto& words = of.called.options;
  if (auto const at = std::ranges::find(words, "--policy"); at != words.end()) {  // `check` takes the file in its place
    system = at[1];
    words.erase(at, at + 2);
  }
  return command_line(of, "check", system,
                      {"--cases", std::to_string(r.called.cases), "--seed", std::to_string(r.called.seed)});
}

tested_region const* explanations::region_of(shape const& s, counterexample const& shown) const {
  auto const known = regions.find(shown.shows.claim);
  if (known == regions.end()) return nullptr;
  auto const& h = shown.histories.back().tried;
  auto const at = std::ranges::find_if(known->second, [&](tested_region const& r) { return matches(s, r.where, h); });
  return at == known->second.end() ? nullptr : &*at;
}

std::vector<std::vector<constraint>> explanations::regions_of(shape const& s,
                                                              std::vector<counterexample> const& shown) const {
  std::vector<std::vector<constraint>> all;
  for (auto const& c : shown) {
    if (!c.shows.fails) continue;
    auto const* region = region_of(s, c);
    if (region == nullptr || !region->separates() || region->where.empty()) return {};
    all.push_back(region->where);
  }
  return all;
}

void explanations::fold(run const& judged, std::vector<counterexample>& shown) {
  auto const& s = judged.system().shape();
  auto const claims = judged.system().claims();
  auto const reset = s.find_operation("reset");
  auto const needs = [&](constraint const& c, dependence on) {
    using kind = quantity_kind;
    if (c.op != constraint::relation::above) return false;
    if (on == dependence::instances) return c.left.kind == kind::instances;
    return on == dependence::reset && reset && c.left.kind == kind::calls_of && c.left.one == *reset;
  };
  // What explains all answers is one fault, be it a hazard reading, and its first finding tells it.
  auto const is_cause = [](counterexample const& c) { return c.shows.fails && c.shows.is_of_a_claim(); };
  auto first = std::ranges::find_if(shown, [&](counterexample const& c) {
    return diagnosis && is_cause(c) && claims[c.shows.claim].name == diagnosis->claim;
  });
  if (first == shown.end()) first = std::ranges::find_if(shown, is_cause);
  bool const is_a_reading = judged.readings().admitted().empty() && !judged.readings().with_hazards().empty();
  bool const is_one_fault = (diagnosis || is_a_reading) && first != shown.end();
  auto const explained_by = [&](counterexample const& c) -> std::optional<unsigned> {
    if (is_one_fault && c.shows.claim != first->shows.claim) return first->shows.claim;
    auto const* region = region_of(s, c);
    if (region == nullptr || !region->separates() || claims[c.shows.claim].compares) return {};
    for (auto const& other : shown) {
      if (!other.shows.is_of_a_claim() || !other.shows.fails) continue;
      auto const on = claims[other.shows.claim].compares;
      if (on && std::ranges::any_of(region->where, [&](constraint const& r) { return needs(r, *on); }))
        return other.shows.claim;
    }
    return {};
  };
  std::vector<counterexample> left;
  for (auto const& c : shown) {
    auto const into = c.shows.is_of_a_claim() ? explained_by(c) : std::nullopt;
    if (into) {
      dependent.push_back({c, *into});
    } else {
      left.push_back(c);
    }
  }
  shown = std::move(left);
}

void explanations::tell_apart(
    shape const& s, std::vector<counterexample> const& shown,
    std::function<std::optional<probable>(std::vector<std::vector<constraint>> const&)> const& diagnosed) {
  auto const all = regions_of(s, shown);
  if (diagnosis || all.size() < 2 || all.size() != shown.size()) return;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    auto elsewhere = all;
    elsewhere.erase(elsewhere.begin() + static_cast<std::ptrdiff_t>(k));
    apart.push_back(diagnosed(elsewhere));
  }
}

report make_report(run const& judged, std::vector<counterexample> const& shown, std::vector<broken_port> broke,
                   invocation called, explanations const& explained) {
  report r{&judged, std::move(called), {}, reading_lines(judged), {}, {}, {}, {}, {}, {}, {}, conforms};
  for (auto const& l : r.called.known) {
    if (l.seen()) r.excused.push_back(l);
    bool const asked = l.breaks() ? !r.called.vector_id && !r.called.in_process
                                  : (l.claims & (judged.options().claims | no_answer_mask)) != 0;
    if (!l.seen() && !l.sometimes && asked && r.called.part.is_whole() && !r.called.cut_short) r.stale.push_back(l);
  }
  for (auto const& b : broke) r.broke.push_back(make_breakdown(judged, b));
  r.not_checked = not_checked(judged, r.readings);
  r.uneven = uneven_windows(judged, r.readings);
  if (r.called.interrupted)
    r.not_checked.insert(r.not_checked.begin(), r.called.out_of_time ? "the rest of the run: its time was over"
                                                                     : "the rest of the run: it was interrupted");
  if (!r.called.part.is_whole())
    r.not_checked.insert(r.not_checked.begin(),
                         "the other shards of the run: backoff-oracle report judges all of them");
  auto const claims = judged.system().claims();
  auto const breaches = judged.breaches();
  // The claim whose break explains this one.
  auto const leads_to = [&](breach const& b) {
    auto const folded = std::ranges::find(explained.dependent, b.claim,
                                          [](explanations::folded const& f) { return f.shown.shows.claim; });
    return folded == explained.dependent.end() ? b.follows_from : std::optional(folded->into);
  };
  for (unsigned i = 0; i < claims.size(); ++i) {
    if (!judged.held_to().selected(i) || judged.counts().at_stake[i] == 0 || judged.is_not_compared(i)) continue;
    bool const is_shown = std::ranges::any_of(shown, [&](counterexample const& c) { return c.shows.claim == i; });
    bool const is_broken = std::ranges::count(breaches, i, &breach::claim) != 0;
    r.claims.push_back({&claims[i], judged.counts().at_stake[i], is_broken, is_shown, is_known_to_fail(r, i)});
    for (auto const& b : breaches) {
      if (b.claim == i && leads_to(b)) r.claims.back().follows_from = claims[*leads_to(b)].name;
      if (b.claim == i && b.told_with) r.claims.back().told_with = claims[*b.told_with].name;
    }
  }
  for (auto const& c : shown) {
    r.findings.push_back(make_finding(judged, c));
    if (!explained.apart.empty()) r.findings.back().diagnosis = explained.apart[r.findings.size() - 1];
    r.findings.back().region_cut_short = explained.cut_short.contains(c.shows.claim);
    if (auto const* region = explained.region_of(judged.system().shape(), c)) {
      r.findings.back().region = *region;
      r.findings.back().regions = explained.regions.at(c.shows.claim).size();
    }
    auto& tables = r.findings.back().shown;
    for (std::size_t i = 0; r.called.vector_id && i < tables.size(); ++i)
      tables[i].vector = r.called.vector_id(c.histories[i].tried);
  }
  for (auto const& b : breaches) {
    bool const is_shown = std::ranges::any_of(shown, [&](counterexample const& c) { return c.shows.claim == b.claim; });
    if (is_shown) continue;
    std::string name(claim_name(judged.system(), b.claim));
    auto const leads = leads_to(b) ? leads_to(b) : b.told_with;
    auto const named_by =
        leads ? std::ranges::find(r.findings, claims[*leads].name, &finding::claim) : r.findings.end();
    if (named_by == r.findings.end()) {
      r.also_broken.push_back(std::move(name));
    } else if (leads_to(b)) {
      named_by->consequences.push_back(std::move(name));
    } else {
      named_by->rule = claims[b.claim].rule;
      named_by->same_rule.push_back({std::move(name), b.histories});
    }
  }
  r.ends_with = ending(r);
  if (!r.findings.empty()) r.diagnosis = explained.diagnosis;
  if (!r.findings.empty() && r.broke.empty()) {
    if (explained.outside && explained.outside->conforms()) r.outside = explained.outside;
    r.outside_cut_short = explained.outside_cut_short;
  }
  return r;
}

std::string_view head_of_arguments(shown_history const& h) noexcept {
  std::string_view head;
  for (auto const& row : h.rows) {
    for (auto const& a : row.with) {
      if (!a.is_draw) return "with";
      head = "draw";
    }
  }
  return head;
}

std::string arguments_text(table_row const& row, std::string_view head) {
  bool const are_named = head == "with";
  std::string text;
  for (auto const& a : row.with) append_word(text, are_named ? fmt::format("{}={}", a.name, a.text) : a.text);
  return text;
}

std::string odds_text(double log_odds) {
  constexpr double largest = 690;  // its power is a double still
  return log_odds > largest ? "more than 1e+299" : fmt::format("{:.1e}", std::exp(log_odds));
}

std::string_view history_word(finding const& f) noexcept {
  if (f.how == how_shown::lost || f.how == how_shown::seen || f.how == how_shown::unsteady) return "history";
  return f.cut_short ? "smallest history found in time" : "smallest history";
}

std::string_view as_seen_text(finding const& f) noexcept {
  return f.cut_short ? "the time was over before it could be shown again"
                     : "the port broke before it could be shown again";
}

std::string again_text(report const& r, finding const& f) {
  auto const& [asked, broke] = f.again;
  if (asked == 0) return "";
  double const holds = 1 - static_cast<double>(broke) / static_cast<double>(asked);
  return fmt::format(
      "{}: {} of {} tries showed it; a replay tries until it shows, within {} tries with a probability of 0.999999",
      r.judged->about().takes.draws.kind == spec::draw_kind::hidden ? "the port draws for itself"
                                                                    : "asked the same, the port answers differently",
      broke, asked, std::ceil(std::log(1e-6) / std::log(holds)));
}

std::string untold(shape const& s, claim_text const& claim) {
  return fmt::format("no answer of the port says {}", s.answers[*claim.told_by].name);
}

}  // namespace backoff::reports
