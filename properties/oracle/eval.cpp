// The verb eval: the documented answers for one history, without a port; a line for each reading that changes them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "explain/admitted_delays.hpp"
#include "explain/delay_cycles.hpp"
#include "histories/text_parts.hpp"
#include "judge/examiner.hpp"
#include "judge/nearest_decimal.hpp"
#include "oracle/terminal.hpp"
#include "oracle/verbs.hpp"
#include "reports/history_table.hpp"

namespace backoff::oracle {
namespace {

constexpr std::int64_t shown_retries = 8;
constexpr field drawn{"draw", field_kind::draw};

struct line {
  std::vector<std::string> names;
  std::vector<std::string> answers;
};

struct asked_history {
  history asked;
  draw_source draws{spec::draw_kind::hidden, 1};
};

// The first operation, once for each draw; without draws, until the retries are used up or enough is shown.
void add_default_steps(shape const& s, std::vector<value> const& draws, asked_history& q) {
  if (s.example != nullptr) {
    q.asked.steps = s.example(q.asked, draws);
    return;
  }
  step next;
  if (!draws.empty()) {
    for (auto const& draw : draws) {
      next.args[s.draw_of(next.op)] = draw;
      q.asked.steps.push_back(next);
    }
    return;
  }
  auto const limit = s.find_param("max_attempts");
  bool const limited = limit && q.asked.params[*limit].kind == value_kind::integer;
  auto const steps = limited ? std::min(q.asked.params[*limit].n + 1, shown_retries) : shown_retries;
  q.asked.steps.assign(static_cast<std::size_t>(steps), next);
}

asked_history parse(shape const& s, std::vector<std::string> const& assignments) {
  domain const d = documented_domain(s, {});
  asked_history q;
  std::vector<value> draws;
  bool steps_given = false;
  for (std::string_view const text : assignments) {
    auto const equals = text.find('=');
    auto const key = text.substr(0, equals);
    std::string const expected = text_parts::comma_separated(s.params, &field::name) + (s.params.empty() ? "" : ", ") +
                                 (s.has_draws() ? "draw, steps" : "steps");
    if (equals == std::string_view::npos)
      throw usage_error("'" + std::string(text) + "': expected KEY=VALUE with KEY one of: " + expected);
    auto const value_text = text.substr(equals + 1);
    if (auto const i = s.find_param(key)) {
      if (q.asked.params[*i].kind != value_kind::absent) throw usage_error(std::string(key) + " is given twice");
      q.asked.params[*i] = parse_value(s.params[*i], d.params[*i], value_text);
    } else if (key == "draw" && s.has_draws()) {
      for (auto const part : text_parts::split(value_text, ','))
        draws.push_back(
            parse_value(drawn, {0, static_cast<std::int64_t>(draw_source{}.size) - 1, 0, true, false}, part));
    } else if (key == "steps") {
      if (steps_given) throw usage_error("steps is given twice");
      if (value_text.empty()) throw usage_error("steps='': expected steps such as next:7,reset");
      q.asked.steps = parse_steps(s, d, value_text);
      steps_given = true;
    } else {
      throw usage_error("unknown key '" + std::string(key) + "', expected one of: " + expected);
    }
  }
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    if (q.asked.params[i].kind == value_kind::absent) q.asked.params[i] = s.defaults[i];
    if (q.asked.params[i].kind == value_kind::absent && !s.params[i].optional())
      throw usage_error(std::string(s.params[i].name) + " is missing: expected " +
                        text_parts::comma_separated(s.params, &field::name));
  }
  if (steps_given && !draws.empty())
    throw usage_error("draw and steps exclude each other: a step carries its own draw, as in steps=next:7,reset");
  if (!steps_given) add_default_steps(s, draws, q);
  text_parts::demand_allowed(s, q.asked);
  auto const has_draw = [&](step const& call) {
    auto const args = s.operations[call.op].args;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (args[i].kind == field_kind::draw && call.args[i].kind != value_kind::absent) return true;
    }
    return false;
  };
  if (std::ranges::any_of(q.asked.steps, has_draw)) q.draws = {};
  return q;
}

// Either end of a range, and a retry where one may be granted.
answer end_of(shape const& s, spec::expectation const& admitted, answer chosen, bool is_high) {
  using kind = spec::admissible_kind;
  auto const& delay = admitted[s.delay];
  if (delay.kind() == kind::lattice) chosen[s.delay] = observed::of(is_high ? delay.last() : delay.first());
  if (delay.kind() == kind::interval)
    chosen[s.delay] = observed::of(judge::nearest_decimal(is_high ? delay.ends().high : delay.ends().low));
  auto const& only = s.answers[s.delay].only;
  if (only && admitted_delay_of(s, admitted).may_retry) chosen[only->field] = observed::word(only->word);
  return chosen;
}

// What is admitted after some earlier answers, and after others.
spec::admissible either_of(spec::admissible const& a, spec::admissible const& b) {
  using kind = spec::admissible_kind;
  if (a == b || b.kind() == kind::absent || a.kind() == kind::unjudged) return a;
  if (a.kind() == kind::absent || b.kind() == kind::unjudged) return b;
  if (a.kind() == kind::keyword && b.kind() == kind::keyword) return spec::admissible::words(a.words() | b.words());
  if (!ends_of(a) || !ends_of(b)) return spec::admissible::unjudged();
  auto const low = [](auto const& x) { return x.kind() == kind::lattice ? spec::rational(x.first()) : x.ends().low; };
  auto const high = [](auto const& x) { return x.kind() == kind::lattice ? spec::rational(x.last()) : x.ends().high; };
  if (a.kind() == kind::lattice && b.kind() == kind::lattice) {
    auto const first = std::min(a.first(), b.first());
    return spec::admissible::integers(first, 1, std::max(a.last(), b.last()) - first + 1);
  }
  return spec::admissible::between({std::min(low(a), low(b)), std::max(high(a), high(b))});
}

// Where answers depend on earlier draws, those follow from each end of each earlier range.
std::vector<std::string> answers(judged_system const& system, asked_history const& q, spec::cube assignment) {
  constexpr std::size_t ends_max = 8;  // of calls; later calls have the ends of these again
  auto const& s = system.shape();
  auto const calls = std::min(q.asked.steps.size(), ends_max);
  bool const has_ways = system.learns_from_answers() && s.has_draws();
  std::size_t const ways = has_ways ? std::size_t{1} << calls : 1;
  judge::examiner examiner(system);
  random_bits random(1);  // of what doubles leave open, the calls that follow go on from one outcome
  std::vector<spec::expectation> all;
  for (std::size_t way = 0; way < ways; ++way) {
    auto const choose = [&](std::size_t step, spec::expectation const& admitted) {
      auto const any = judge::play(admitted, random);
      return has_ways ? end_of(s, admitted, any, (way >> (step % ends_max) & 1U) != 0) : any;
    };
    auto const admitted = examiner.play(q.asked, q.draws, assignment, choose).admitted;
    if (way == 0) all = admitted;
    all.resize(std::min(all.size(), admitted.size()));
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t field = 0; field < s.answers.size(); ++field)
        all[i][field] = either_of(all[i][field], admitted[i][field]);
    }
  }
  std::vector<std::string> result;
  result.reserve(all.size() + 1);
  for (auto const& e : all) result.push_back(answer_text(s, e));
  if (all.size() < q.asked.steps.size()) result.emplace_back("not judged from here on");
  return result;
}

// Canonical first; then every alternative that differs from it in one reading, and in whatever that one entails.
std::vector<line> lines(judged_system const& system, asked_history const& q, std::vector<std::string>& same) {
  auto const& table = system.readings();
  auto const possible = system.assignments(q.draws.kind);
  auto const canonical = table.admitting(spec::standing::canonical);
  std::vector<line> result{{{"canonical"}, answers(system, q, canonical)}};
  for (unsigned r = 0; r < table.readings().size(); ++r) {
    for (unsigned a = 0; a < table.readings()[r].alternatives.size(); ++a) {
      auto const& alternative = table.readings()[r].alternatives[a];
      if (alternative.standing == spec::standing::canonical) continue;
      std::vector<spec::cube> candidates;
      for (auto const c : possible) {
        if (auto const both = table.common(c, table.with(c, r, a))) candidates.push_back(table.simplest(*both));
      }
      auto const nearest = std::ranges::min_element(candidates, {}, [&](spec::cube c) { return table.deviations(c); });
      if (nearest == candidates.end()) continue;
      auto const* const hazard = alternative.standing == spec::standing::hazard ? " (hazard)" : "";
      auto const name = fmt::format("{}={}{}", table.readings()[r].name, alternative.name, hazard);
      auto said = answers(system, q, *nearest);
      auto const twin = std::ranges::find(result, said, &line::answers);
      if (twin == result.begin()) {
        same.push_back(name);
      } else if (twin != result.end()) {
        twin->names.push_back(name);
      } else {
        result.push_back({{name}, std::move(said)});
      }
    }
  }
  return result;
}

}  // namespace

exit_code eval(eval_options const& options) {
  auto const& system = named_system(options.system);
  asked_history q;
  try {
    q = parse(system.shape(), options.assignments);
  } catch (text_error const& e) {
    throw usage_error(e.what());
  }
  std::vector<std::string> same;
  auto const all = lines(system, q, same);
  std::size_t width = 0;
  for (auto const& l : all) {
    for (auto const& name : l.names) width = std::max(width, name.size());
  }
  std::string text;
  for (auto const& l : all) {
    for (auto const& name : l.names)
      text += fmt::format("{:<{}}  {}\n", name, width, text_parts::comma_separated(l.answers));
  }
  if (!same.empty()) text += fmt::format("as canonical: {}\n", text_parts::comma_separated(same));
  std::fwrite(text.data(), 1, text.size(), stdout);
  return conforms;
}

}  // namespace backoff::oracle
