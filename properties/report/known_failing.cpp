#include "report/known_failing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "history/text.hpp"
#include "report/exit_codes.hpp"
#include "report/input_file.hpp"

namespace backoff::oracle {
namespace {

using namespace conformance;

constexpr std::string_view calls_name = "calls";
constexpr std::size_t kept_max = 256;    // of a line
constexpr std::size_t seen_max = 4'096;  // of a claim, that failed or held

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  auto const first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// The next word of the text, which loses it.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  auto const end = std::min(text.find_first_of(" \t"), text.size());
  auto const word = text.substr(0, end);
  text = trimmed(text.substr(end));
  return word;
}

// The claims that have this name or this requirement; 0: none.
claim_mask named_claims(judged_system const& system, std::string_view id) {
  if (id == no_answer_name) return run::no_answer;
  claim_mask mask = 0;
  auto const claims = system.claims();
  for (unsigned i = 0; i < claims.size(); ++i) {
    bool const required = std::ranges::find(claims[i].requirements, id) != claims[i].requirements.end();
    if (claims[i].name == id || required) mask |= claim_mask{1} << i;
  }
  return mask;
}

claim_mask about_draws(judged_system const& system) {
  claim_mask mask = 0;
  for (unsigned i = 0; i < system.claims().size(); ++i) {
    if (system.claims()[i].draws) mask |= claim_mask{1} << i;
  }
  return mask;
}

// A parameter, or how many calls there are; a parameter that is left out is its default.
value valued(shape const& s, history const& h, std::size_t param) noexcept {
  if (param == s.params.size()) return value::of(static_cast<std::int64_t>(h.steps.size()));
  auto const& v = h.params[param];
  auto const& f = s.params[param];
  return v.is == value::kind::absent && f.by_default ? f.number(*f.by_default) : v;
}

bool is_number(value const& v) noexcept { return v.is == value::kind::integer || v.is == value::kind::decimal; }

std::string constraint_text(shape const& s, std::size_t param, std::string_view relation, value const& v) {
  if (param == s.params.size()) return fmt::format("{}{}{}", calls_name, relation, v.n);
  return fmt::format("{}{}{}", s.params[param].name, relation, to_text(s.params[param], v));
}

}  // namespace

// --- patterns ---

history_pattern::history_pattern(shape const& s, std::string_view text) : shape_(&s) {
  if (text == "*") return;
  if (text.find('/') != std::string_view::npos) {
    auto set = parse_token(text);
    if (set.system != &s) throw text_error("is a history of another system");
    if (set.cases.size() != 1) throw text_error("is several histories, expected one");
    exactly_ = std::move(set.cases.front());
    return;
  }
  for (;;) {
    auto const comma = text.find(',');
    constraints_.push_back(parse_constraint(text.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
  }
}

history_pattern::constraint history_pattern::parse_constraint(std::string_view text) const {
  auto const at = text.find_first_of("=!<>");
  auto const name = text.substr(0, at);
  auto const expected = "'" + std::string(text) +
                        "': expected NAME=VALUE, NAME!=VALUE, NAME<VALUE, NAME<=VALUE, "
                        "NAME>VALUE or NAME>=VALUE";
  if (at == std::string_view::npos || name.empty()) throw text_error(expected);
  std::size_t const length = at + 1 < text.size() && text[at + 1] == '=' ? 2 : 1;
  auto const sign = text.substr(at, length);
  constexpr std::string_view signs[] = {"=", "!=", "<", "<=", ">", ">="};
  auto const* const known = std::ranges::find(signs, sign);
  if (known == std::end(signs)) throw text_error(expected);
  constraint c{0, static_cast<relation>(known - std::begin(signs)), {}};
  auto const written = text.substr(at + length);
  if (name == calls_name) {
    c.param = shape_->params.size();
    static constexpr field calls{calls_name, field::kind::integer, 0, 1'000'000};
    c.with = parse_value(calls, {calls.low, calls.high}, written);
    return c;
  }
  auto const param = shape_->find_param(name);
  if (!param) {
    std::string names;
    for (auto const& p : shape_->params) names.append(p.name).append(", ");
    throw text_error("'" + std::string(name) + "' is not a parameter, expected one of: " + names +
                     std::string(calls_name));
  }
  c.param = *param;
  c.with = parse_value(shape_->params[*param], documented_domain(*shape_, {}).params[*param], written);
  if (!is_number(c.with) && c.is != relation::equal && c.is != relation::unequal)
    throw text_error("'" + std::string(text) + "': expected = or != before a word");
  return c;
}

bool history_pattern::matches(history const& h) const noexcept {
  if (exactly_) return *exactly_ == h;
  return std::ranges::all_of(constraints_, [&](constraint const& c) noexcept {
    auto const v = valued(*shape_, h, c.param);
    if (v.is == value::kind::absent) return false;
    if (c.is == relation::equal) return v == c.with;
    if (c.is == relation::unequal) return v != c.with;
    if (!is_number(v)) return false;
    if (c.is == relation::below) return v.n < c.with.n;
    if (c.is == relation::at_most) return v.n <= c.with.n;
    return c.is == relation::above ? v.n > c.with.n : v.n >= c.with.n;
  });
}

// --- the file ---

known_failing known_failing::read(judged_system const& system, std::string const& path) {
  std::istringstream text(read_whole_file(path, "a file of known failures"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return parse(system, path, lines);
}

known_failing known_failing::parse(judged_system const& system, std::string const& name,
                                   std::vector<std::string> const& lines) {
  known_failing all;
  all.name_ = name;
  all.text_ = lines;
  std::size_t number = 0;
  for (std::string_view text : lines) {
    auto const place = name + ":" + std::to_string(++number);
    auto const fail = [&](std::string const& why) { throw usage_error(place + ": " + why); };
    text = trimmed(text);
    if (text.empty() || text.front() == '#') continue;
    auto const id = take_word(text);
    auto const pattern = take_word(text);
    if (pattern.empty() || pattern.front() == '#')
      fail("expected a pattern after '" + std::string(id) + "', such as *");
    auto const reason = text.starts_with('#') ? trimmed(text.substr(1)) : std::string_view();
    if (reason.empty()) fail("expected '# reason or link' after the pattern");
    claim_mask const claims = named_claims(system, id);
    if (claims == 0)
      fail("'" + std::string(id) + "' is not a claim or checked requirement of " + std::string(system.shape().stem));
    bool const again =
        std::ranges::any_of(all.lines_, [&](line const& l) { return l.id == id && l.pattern == pattern; });
    if (again) fail("repeats the id and pattern of an earlier line");
    try {
      all.lines_.push_back({std::string(id), std::string(pattern), std::string(reason), place, claims,
                            history_pattern(system.shape(), pattern)});
    } catch (text_error const& e) {
      fail("pattern " + std::string(e.what()));
    }
    all.lines_.back().number = number;
    claim_mask const uneven = claims & about_draws(system);
    if (uneven == claims && !all.lines_.back().on.everything())
      fail("a claim about hidden draws takes only the pattern *");
  }
  return all;
}

claim_mask known_failing::excused(history const& h) const noexcept {
  claim_mask mask = 0;
  for (auto const& l : lines_) {
    if (l.on.matches(h)) mask |= l.claims;
  }
  return mask;
}

void known_failing::note(history const& h, result const& r, claim_mask failed) {
  for (auto& l : lines_) {
    if (!l.on.matches(h)) continue;
    if ((l.claims & failed) != 0) ++l.failed;
    l.failed_claims |= l.claims & failed;
    if (l.kept.size() < kept_max) l.kept.push_back({0, h, r});
  }
}

// What failed under a reading that other answers have refuted since has not failed. Draws, and histories that were not
// answered, fail under any reading.
void known_failing::settle(run const& judged) {
  auto const& system = judged.system();
  for (auto& l : lines_) {
    bool const many = l.failed > kept_max;
    l.claims_seen = l.failed_claims & (many ? ~claim_mask{0} : run::no_answer | about_draws(system));
    for (auto const& e : l.kept) {
      if (!judged.counts_as_answered(e.got)) continue;
      auto const report =
          system.broken_claims(e.tried, e.got.answers, judged.about().takes.draws, judged.explained_by());
      l.claims_seen |= report.broken & judged.options().claims & l.claims;
    }
  }
}

// --- lines from a run ---

void failures_seen::observe(run const& judged, history const& h, result const& r) {
  auto const keep = [&](unsigned claim, bool failed) {
    auto& to = failed ? claims_[claim].failed : claims_[claim].held;
    if (to.size() < seen_max) to.push_back(h);
  };
  if (!judged.counts_as_answered(r)) {
    if (r.is == result::kind::rejected || r.is == result::kind::skipped) keep(breach::no_answer, true);
    return;
  }
  keep(breach::no_answer, false);
  auto const report = judged.system().broken_claims(h, r.answers, judged.about().takes.draws, judged.explained_by());
  for (unsigned i = 0; i < judged.system().claims().size(); ++i) {
    if (((report.at_stake >> i) & 1U) != 0) keep(i, ((report.broken >> i) & 1U) != 0);
  }
}

std::string failures_seen::pattern(shape const& s, about_claim const& seen) {
  std::vector<std::string> constraints;
  for (std::size_t param = 0; param <= s.params.size() && !seen.failed.empty(); ++param) {
    auto const of = [&](history const& h) { return valued(s, h, param); };
    auto const first = of(seen.failed.front());
    if (std::ranges::all_of(seen.failed, [&](history const& h) { return of(h) == first; })) {
      if (first.is != value::kind::absent) constraints.push_back(constraint_text(s, param, "=", first));
      continue;
    }
    if (!std::ranges::all_of(seen.failed, [&](history const& h) { return is_number(of(h)); })) continue;
    auto const less = [&](history const& a, history const& b) { return of(a).n < of(b).n; };
    constraints.push_back(constraint_text(s, param, ">=", of(*std::ranges::min_element(seen.failed, less))));
    bool const counts_calls =
        param == s.params.size();  // how long histories grow is the generator's affair, not the port's
    if (!counts_calls)
      constraints.push_back(constraint_text(s, param, "<=", of(*std::ranges::max_element(seen.failed, less))));
  }
  auto const covered = [&](std::vector<std::string> const& some) {
    auto const text = some.empty() ? std::string("*") : fmt::format("{}", fmt::join(some, ","));
    history_pattern const p(s, text);
    return std::ranges::count_if(seen.held, [&](history const& h) { return p.matches(h); });
  };
  auto const least = covered(constraints);
  for (std::size_t i = constraints.size(); i-- > 0;) {
    auto fewer = constraints;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (covered(fewer) == least) constraints = std::move(fewer);
  }
  return constraints.empty() ? "*" : fmt::format("{}", fmt::join(constraints, ","));
}

std::string failures_seen::text(run const& judged, known_failing const& known, bool all_judged) const {
  std::string all;
  std::size_t number = 0;
  for (auto const& text : known.text()) {
    auto const line = std::ranges::find(known.lines(), ++number, &known_failing::line::number);
    bool const stale = all_judged && line != known.lines().end() && !line->seen();
    bool const heading = text == known_failing::about.substr(0, known_failing::about.size() - 1);  // written anew
    if (!stale && !heading) all += text + "\n";
  }
  auto const listed = judged.breaches();
  for (auto const& b : listed) {
    if (!b.fails) continue;
    bool const unanswered = b.claim == breach::no_answer;
    bool const drawn = !unanswered && judged.system().claims()[b.claim].draws.has_value();
    auto const seen = claims_.find(b.claim);
    auto const on = drawn || seen == claims_.end() ? "*" : pattern(judged.system().shape(), seen->second);
    all += fmt::format("{} {} # to be explained: failed in {} {}\n",
                       unanswered ? no_answer_name : judged.system().claims()[b.claim].name, on, b.histories,
                       b.histories == 1 ? "history" : "histories");
  }
  // Claims of dependence that were withdrawn: what their histories break is listed above, and excused there as well.
  for (auto const& [claim, seen] : claims_) {
    bool const is_listed = std::ranges::count(listed, claim, &breach::claim) != 0;
    if (is_listed || listed.empty() || seen.failed.empty() || claim == breach::no_answer) continue;
    auto const& text = judged.system().claims()[claim];
    if (!text.compares) continue;
    all +=
        fmt::format("{} {} # the same calls fail by themselves\n", text.name, pattern(judged.system().shape(), seen));
  }
  return all;
}

}  // namespace backoff::oracle
