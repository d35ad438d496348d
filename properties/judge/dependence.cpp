#include "judge/dependence.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <ranges>
#include <set>
#include <utility>

namespace backoff::judge {
namespace {

constexpr std::size_t compared_max = 8;  // histories a claim
// For hidden draws, each history is asked this often. If the whole goes wrong at least wrong_of_hidden times, and the
// part never, chance explains it with a probability below 10^-6.
constexpr std::size_t asked_of_hidden = 64;
constexpr std::size_t wrong_of_hidden = 20;

claim_report report_on(run const& judged, history const& h, result const& r) {
  return judged.system().broken_claims(h, r.answers, judged.about().takes.draws, judged.explained_by());
}

// The first step at which the claim is broken.
std::size_t step_of(run const& judged, evidence const& e, unsigned claim) {
  auto const report = report_on(judged, e.tried, e.got);
  auto const first = std::ranges::find_if(report.broken_at, [&](claim_mask m) { return includes(m, claim); });
  return static_cast<std::size_t>(first - report.broken_at.begin());
}

// Whether the result breaks any claim, judged or not: an answer does not become right because its claim is switched
// off.
bool is_wrong(run const& judged, history const& h, result const& r) { return any(report_on(judged, h, r).broken); }

result answers_to(calls_alone const& of, result const& whole) {
  result r;
  for (auto const step : of.steps) r.answers.push_back(whole.answers[step]);
  return r;
}

// One of the claims of dependence that these calls break, where they break no other claim.
std::optional<unsigned> depends_by_itself(run const& judged, evidence const& e) {
  auto const claims = judged.system().claims();
  auto const report = report_on(judged, e.tried, e.got);
  std::optional<unsigned> found;
  for (claim_mask left = report.broken; left != 0; left &= left - 1) {
    auto const claim = static_cast<unsigned>(std::countr_zero(left));
    if (!claims[claim].compares) return {};
    found = claim;
  }
  return found;
}

// The port's answers to the calls alone, if the last answer is the same. asked: whether the port could be asked any of
// them; if not, returns its answers to the calls in the whole history.
std::optional<evidence> same_alone(run const&, shape const& s, subject& port, evidence const& seen, std::size_t step,
                                   dependence on, bool& asked) {
  auto all = alone(s, seen.tried, step, on);
  asked = false;
  for (auto& a : all) {
    auto got = port.run(std::span(&a.calls, 1)).front();
    asked |= got.kind != result_kind::unsent;
    bool const whole = got.kind == result_kind::answered && got.answers.size() == a.calls.steps.size();
    if (whole && got.answers.back() == seen.got.answers[step])
      return evidence{seen.index, std::move(a.calls), std::move(got)};
  }
  if (asked || all.empty()) return {};
  auto got = answers_to(all.front(), seen.got);
  return evidence{seen.index, std::move(all.front().calls), std::move(got)};
}

std::size_t how_often_wrong(run const& judged, subject& port, history const& h) {
  std::vector<history> const asked(asked_of_hidden, h);
  auto const results = port.run(asked);
  return static_cast<std::size_t>(
      std::ranges::count_if(results, [&](result const& r) { return is_wrong(judged, h, r); }));
}

// The calls alone, with their answers from the whole history; nothing if they go wrong in the whole history only.
std::optional<evidence> as_wrong_alone(run const& judged, shape const& s, subject& port, evidence const& seen,
                                       std::size_t step, dependence on, bool& asked) {
  auto first = alone(s, seen.tried, step, on).front();
  bool const together = how_often_wrong(judged, port, seen.tried) >= wrong_of_hidden;
  if (together && how_often_wrong(judged, port, first.calls) == 0) return {};
  asked = port.run(std::span(&first.calls, 1)).front().kind != result_kind::unsent;
  auto got = answers_to(first, seen.got);
  return evidence{seen.index, std::move(first.calls), std::move(got)};
}

bool is_reset(shape const& s, step const& call) noexcept {
  auto const& args = call.args;  // a reset of NULL is none
  bool const is_set = std::ranges::any_of(args, [](value const& v) { return v.kind == value_kind::set; });
  return s.operations[call.op].name == "reset" && !is_set;
}

// How many calls come before the second that the dependence is about, or before the first reset that is not the first
// call.
std::size_t calls_before(shape const& s, history const& h, dependence on) noexcept {
  auto const is_about = [&](step const& call) {
    if (on == dependence::reset) return is_reset(s, call);
    return on == dependence::repeats || call.on != h.steps.front().on;
  };
  std::size_t calls = 0;
  while (calls < h.steps.size() && (calls == 0 || !is_about(h.steps[calls]))) ++calls;
  return calls;
}

// What one history puts at stake and breaks.
struct outcome {
  claim_mask at_stake = 0;
  claim_mask broken = 0;
};

// Of each history that was answered, as far as `calls` says.
template <class Calls>
std::vector<outcome> outcomes(run const& judged, std::span<history const> all, std::span<result const> got,
                              Calls calls) {
  std::vector<outcome> found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (got[i].kind != result_kind::answered) continue;
    auto h = all[i];
    auto r = got[i];
    r.answers.resize(std::min(calls(h), r.answers.size()));
    h.steps.resize(r.answers.size());
    auto const report = report_on(judged, h, r);
    found.push_back({report.at_stake, report.broken});
  }
  return found;
}

std::uint64_t how_many(std::span<outcome const> of, claim_mask outcome::* which, claim_mask claims) noexcept {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(of, [&](outcome const& o) { return any(o.*which & claims); }));
}

// The probability that `broken` of `dependent` + `others` histories, picked at random, are all dependent ones.
double by_chance(std::uint64_t broken, std::uint64_t dependent, std::uint64_t others) noexcept {
  double p = 1;
  for (std::uint64_t i = 0; i < broken; ++i)
    p *= static_cast<double>(dependent - i) / static_cast<double>(dependent + others - i);
  return p;
}

}  // namespace

std::vector<calls_alone> alone(shape const& s, history const& h, std::size_t step, dependence on) {
  std::vector<std::size_t> own;  // the calls on that instance
  for (std::size_t i = 0; i <= step; ++i) {
    if (h.steps[i].on == h.steps[step].on) own.push_back(i);
  }
  std::vector<calls_alone> tried;
  auto const consider = [&](std::vector<std::size_t> steps) {
    calls_alone a{{h.params, {}}, std::move(steps)};
    for (auto const i : a.steps) {
      a.calls.steps.push_back(h.steps[i]);
      a.calls.steps.back().on = 0;
    }
    if (allowed(s, a.calls)) tried.push_back(std::move(a));
  };
  if (on == dependence::instances) consider(own);
  if (on == dependence::repeats) consider({step});
  if (on != dependence::reset) return tried;
  auto const resets = [&](std::size_t i) { return is_reset(s, h.steps[i]); };
  auto const last = std::find_if(own.rbegin() + 1, own.rend(), resets).base();  // behind the reset
  if (last == own.begin()) return tried;
  std::vector<std::size_t> outlasting;
  std::copy_if(own.begin(), last, std::back_inserter(outlasting),
               [&](std::size_t i) { return ((s.outlasts_reset >> h.steps[i].op) & 1U) != 0; });
  auto const behind = [&](std::vector<std::size_t> before, auto from) {
    before.insert(before.end(), from, own.end());
    return before;
  };
  consider(behind({}, last));
  if (tried.empty()) consider(behind({}, last - 1));  // an instance begins with a reset
  if (outlasting.empty()) return tried;
  consider(behind(outlasting, last));
  consider(behind({outlasting.front()}, last));
  return tried;
}

std::vector<compared> compare_with_itself(run& judged, subject& port) {
  std::vector<compared> all;
  for (auto const& b : judged.breaches()) {
    auto const on = b.is_of_a_claim() ? judged.system().claims()[b.claim].compares : std::nullopt;
    if (!on) continue;
    auto seen = judged.witnesses_of(b);
    std::ranges::sort(seen, {}, [](evidence const& e) { return std::pair(e.tried.steps.size(), e.index); });
    if (seen.size() > compared_max) seen.resize(compared_max);
    for (auto const& e : std::views::reverse(seen)) {
      auto const compare = judged.grade() == grade::exact ? same_alone : as_wrong_alone;
      bool asked = true;
      auto const without = [&](evidence const& whole, unsigned claim) {
        return compare(judged, judged.system().shape(), port, whole, step_of(judged, whole, claim),
                       *judged.system().claims()[claim].compares, asked);
      };
      auto same = without(e, b.claim);
      // The shorter history may break another claim of dependence and nothing else. Then still fewer calls show what is
      // wrong.
      auto const next = same ? depends_by_itself(judged, *same) : std::nullopt;
      if (auto fewer = next ? without(*same, *next) : std::nullopt) same = std::move(fewer);
      all.push_back({b.claim, same.has_value(), same.value_or(e), 0, asked});
    }
  }
  return all;
}

void confirm_by_the_others(run const& judged, std::vector<compared>& found, std::span<history const> all,
                           std::span<result const> got) {
  constexpr double too_rare = 1e-4;
  auto const& system = judged.system();
  auto const on = [&](compared const& c) { return *system.claims()[c.claim].compares; };
  claim_mask const of_dependence =
      judged.held_to().claims_where([](claim_text const& text, unsigned) { return text.compares.has_value(); });
  auto const whole = outcomes(judged, all, got, [](history const& h) { return h.steps.size(); });
  std::map<dependence, std::vector<outcome>> before;
  std::set<dependence> confirmed;
  for (auto& c : found) {
    if (c.asked) continue;
    auto const calls = [&](history const& h) { return calls_before(system.shape(), h, on(c)); };
    if (!before.contains(on(c))) before.emplace(on(c), outcomes(judged, all, got, calls));
    claim_mask const alone = report_on(judged, c.seen.tried, c.seen.got).broken & ~of_dependence;
    claim_mask const claim = claim_mask{1} << c.claim;
    auto const others = how_many(before.at(on(c)), &outcome::at_stake, alone);
    bool const hold = how_many(before.at(on(c)), &outcome::broken, alone) == 0;
    auto const p =
        by_chance(how_many(whole, &outcome::broken, claim), how_many(whole, &outcome::at_stake, claim), others);
    if (!hold || p >= too_rare) continue;
    confirmed.insert(on(c));
    c = {c.claim, false, {c.seen.index, all[c.seen.index], got[c.seen.index]}};
  }
  for (auto& c : found) {
    auto const& h = all[c.seen.index];
    c.explained = !c.asked && std::ranges::any_of(confirmed, [&](dependence kind) {
      return calls_before(system.shape(), h, kind) < h.steps.size();
    });
  }
}

}  // namespace backoff::judge
