#include "explain/diagnosis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "explain/changes.hpp"
#include "judge/nearest_decimal.hpp"
#include "judge/plan.hpp"

namespace backoff::systems {

#define BACKOFF_SYSTEM(stem) std::vector<diagnosis> stem##_diagnoses();
#include "systems.def"
#undef BACKOFF_SYSTEM

}  // namespace backoff::systems

namespace backoff::explain {

namespace {

constexpr std::size_t values_max = std::size_t{1} << 23;  // 64 MiB
constexpr double absent = -1e300;                         // no answer has these
constexpr double no_number = -2e300;

bool alike(double a, double b) noexcept {
  return a == b || std::abs(a - b) <= std::ldexp(std::max(std::abs(a), std::abs(b)), -40);
}

bool alike(answer const& a, answer const& b) noexcept {
  return std::ranges::equal(a, b, [](observed const& x, observed const& y) {
    bool const same_kind = x.kind == y.kind;
    return same_kind && alike(encoded(x), encoded(y));
  });
}

bool alike(std::span<answer const> a, std::span<answer const> b) noexcept {
  return std::ranges::equal(a, b, [](answer const& x, answer const& y) { return alike(x, y); });
}

// --- what any system can have ---

std::vector<answer> thousandfold(history const& h, documented& document) {
  return other_delays(h, document, [](std::size_t, double d) { return d * 1'000; });
}
std::vector<answer> thousandth(history const& h, documented& document) {
  return other_delays(h, document, [](std::size_t, double d) { return d * 0.001; });
}
std::vector<answer> whole_thousandth(history const& h, documented& document) {
  return other_delays(h, document, [](std::size_t, double d) { return std::floor(d / 1'000); });
}

std::vector<answer> on_one_instance(history const& h, documented& document) {
  auto shared = h;
  for (auto& step : shared.steps) step.on = 0;
  return document.answers(shared);
}

// Delays that a signed 32-bit integer cannot hold.
template <class Change>
std::vector<answer> beyond_i32(history const& h, documented& document, Change change) {
  return other_delays(h, document, [&](std::size_t, double d) { return d > 0x7fff'ffff ? change(d) : d; });
}
std::vector<answer> negative(history const& h, documented& document) {
  return beyond_i32(h, document, [](double d) { return d - std::ldexp(1.0, 32); });
}
std::vector<answer> one(history const& h, documented& document) {
  return beyond_i32(h, document, [](double) { return 1.0; });
}

// Every call that is documented to wait.
template <class Change>
std::vector<answer> every_wait(history const& h, documented& document, Change change) {
  auto all = document.answers(h);
  auto const delay = document.shape().delay;
  for (auto& a : all) {
    if (a[delay].kind == observed_kind::number) change(a);
  }
  return all;
}
std::vector<answer> without_delay(history const& h, documented& document) {
  auto const delay = document.shape().delay;
  return every_wait(h, document, [&](answer& a) { a[delay] = observed::of(0); });
}
std::vector<answer> no_numbers(history const& h, documented& document) {
  auto const delay = document.shape().delay;
  return every_wait(h, document, [&](answer& a) { a[delay] = {observed_kind::not_a_number, 0, {}}; });
}

std::vector<answer> fails(history const& h, documented& document) {
  auto const error = observed::word(document.shape().error_word);
  return every_wait(h, document, [&](answer& a) { a = {error}; });
}

std::vector<answer> exhausted(history const& h, documented& document) {
  auto const says = says_exhausted(document.shape());
  if (!says) return document.answers(h);
  return every_wait(h, document, [&](answer& a) { a = *says; });
}

// The limit that max_attempts sets; nothing where its value means no limit.
std::optional<std::int64_t> limit_of(history const& h, documented& document) {
  auto const& s = document.shape();
  auto const at = s.find_param("max_attempts");
  if (!at || h.params[*at].kind != value_kind::integer) return std::nullopt;
  auto const n = h.params[*at].n;
  if (n > 0) return n;
  auto const all = document.answers(h);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (h.steps[i].op == 0 && all[i][s.delay].kind == observed_kind::number) return std::nullopt;
  }
  return n;
}
std::vector<answer> with_limit(history h, documented& document, std::int64_t limit) {
  h.params[*document.shape().find_param("max_attempts")].n = limit;
  return document.answers(h);
}
std::vector<answer> one_too_many(history const& h, documented& document) {
  auto const limit = limit_of(h, document);
  return limit ? with_limit(h, document, *limit + 1) : document.answers(h);
}
std::vector<answer> no_limit(history const& h, documented& document) {
  constexpr std::int64_t most = 0xffff'ffff;
  return limit_of(h, document) ? with_limit(h, document, most) : document.answers(h);
}
// The last call of a cycle that should be granted is the first that is not.
std::vector<answer> one_too_few(history const& h, documented& document) {
  auto all = document.answers(h);
  auto const& s = document.shape();
  auto const limit = limit_of(h, document);
  auto const says = says_exhausted(s);
  if (!limit || !says) return all;
  auto const attempts = attempts_of(s, h);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (attempts[i] == *limit && attempts[i] != 0) all[i] = *says;
  }
  return all;
}

std::vector<diagnosis> common() {
  return {
      {"seconds-for-milliseconds", "answers a thousand times the delay, as if a unit were mistaken", thousandfold},
      {"milliseconds-for-seconds", "answers a thousandth of the delay, as if a unit were mistaken", thousandth},
      {"milliseconds-for-seconds", "answers a thousandth of the delay, as if a unit were mistaken", whole_thousandth},
      {"shared-state", "keeps one state for all instances", on_one_instance},
      {"negative-beyond-i32", "holds delays in a signed 32-bit integer, which turns negative", negative},
      {"timer-wraps", "waits 1 where a delay does not fit a signed 32-bit integer", one},
      {"reset-does-nothing", "does nothing at a reset", without_resets},
      {"one-attempt-too-many", "grants one retry more than max_attempts", one_too_many},
      {"one-attempt-too-few", "grants one retry fewer than max_attempts", one_too_few},
      {"never-gives-up", "never gives up", no_limit},
      {"no-delay", "does not wait", without_delay},
      {"not-a-number", "answers no number", no_numbers},
      {"fails", "fails", fails},
      {"exhausted", "says that its retries are exhausted", exhausted},
  };
}

// A hypothesis, and the attempt from which on the port follows it.
struct trial {
  diagnosis const* hypothesis;
  std::int64_t from;
};

std::vector<answer> predicted(trial const& t, history const& h, documented& document) {
  auto all = t.hypothesis->answers(h, document);
  auto const& s = document.shape();
  if (t.from > 1) {
    auto const before = document.answers(h);
    auto const attempts = attempts_of(s, h);
    for (std::size_t i = 0; i < std::min(all.size(), before.size()); ++i) {
      if (attempts[i] != 0 && attempts[i] < t.from) all[i] = before[i];
    }
  }
  cut_behind_error(s, all);
  return all;
}

// The first call to which the port's answer is none of the documented ones.
std::optional<std::size_t> first_wrong_call(evidence const& e, documented& document) {
  document.answered_by_the_port(e.got.answers);
  auto const right = document.answers(e.tried);
  for (std::size_t i = 0; i < std::min(e.got.answers.size(), right.size()); ++i) {
    if (!alike(e.got.answers[i], right[i])) return i;
  }
  return {};
}

// Hypotheses that the first wrong answer suggests.
std::vector<diagnosis> suggested_by(std::span<evidence const> failed, documented& document) {
  auto const& s = document.shape();
  for (auto const& e : failed) {
    auto const i = first_wrong_call(e, document);
    if (!i) continue;
    auto all = likenesses_of(s, e.tried.steps[*i]);
    std::ranges::move(bounds_at(s, e.got.answers[*i][s.delay]), std::back_inserter(all));
    return all;
  }
  return {};
}

// The first attempt that is answered otherwise than documented.
std::int64_t first_wrong(std::span<evidence const> failed, documented& document) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (auto const& e : failed) {
    auto const i = first_wrong_call(e, document);
    auto const attempt = i ? attempts_of(document.shape(), e.tried)[*i] : 0;
    if (attempt != 0) first = std::min(first, attempt);
  }
  return first;
}

// Whether the hypothesis predicts most of the first wrong answers. It may predict nothing for some calls.
bool tells_most(trial const& t, std::span<evidence const> failed, documented& document) {
  std::size_t wrong = 0;
  std::size_t told = 0;
  for (auto const& e : failed) {
    auto const first = first_wrong_call(e, document);
    if (!first) continue;
    ++wrong;
    document.fill_up(false);
    told += predicted(t, e.tried, document).size() > *first ? 1 : 0;
    document.fill_up(true);
  }
  return 2 * told >= wrong;
}

}  // namespace

std::optional<answer> says_exhausted(shape const& s) {
  auto const words = s.answers.front().words;
  auto const word = std::ranges::find(words, "exhausted");
  if (word == words.end()) return std::nullopt;
  return answer{observed::word(static_cast<std::uint8_t>(word - words.begin()))};
}

void cut_behind_error(shape const& s, std::vector<answer>& all) {
  auto const error = std::ranges::find(all, observed::word(s.error_word), [](answer const& a) { return a[0]; });
  if (error != all.end()) all.erase(error + 1, all.end());
}

std::vector<std::int64_t> attempts_of(shape const& s, history const& h) {
  auto const reset = s.find_operation("reset");
  std::array<std::int64_t, instances_max> now{};
  std::vector<std::int64_t> all;
  for (auto const& step : h.steps) {
    if (reset && step.op == *reset) now[step.on] = 0;
    all.push_back(step.op == 0 ? ++now[step.on] : 0);
  }
  return all;
}

double encoded(observed const& o) noexcept {
  if (o.kind == observed_kind::absent) return absent;
  if (o.kind == observed_kind::not_a_number) return no_number;
  if (o.kind == observed_kind::keyword) return o.keyword;
  return static_cast<double>(o.value.mantissa) * std::pow(10.0, o.value.exponent);
}

std::vector<answer> without_resets(history const& h, documented& document) {
  auto all = document.answers(h);
  auto const reset = document.shape().find_operation("reset");
  if (!reset) return all;
  std::array<bool, instances_max> begun{};
  std::vector<bool> is_made;
  auto calls = h;
  calls.steps.clear();
  for (auto const& s : h.steps) {
    is_made.push_back(s.op != *reset || !begun[s.on]);
    begun[s.on] = true;
    if (is_made.back()) calls.steps.push_back(s);
  }
  auto const rest = document.answers(calls);
  std::size_t next = 0;
  for (std::size_t i = 0; i < all.size() && next < rest.size(); ++i) {
    if (is_made[i]) all[i] = rest[next++];
  }
  return all;
}

observed real(double x) noexcept {
  if (std::abs(x) < 9e15 && x == std::floor(x)) return observed::of(static_cast<std::int64_t>(x));
  auto exponent = static_cast<std::int32_t>(std::floor(std::log10(std::abs(x)))) - 16;
  auto const mantissa = static_cast<std::int64_t>(std::llround(x / std::pow(10.0, exponent)));
  return observed::of(spec::decimal{mantissa, exponent, false});
}

namespace {

bool is_declared(judged_system const& system) { return std::ranges::count(judged_systems(), &system) == 0; }

// The upper end of an interval, or of two numbers; nothing where it has none.
std::optional<observed> largest_of(spec::admissible const& a) noexcept {
  using kind = spec::admissible_kind;
  if (a.kind() != kind::interval && a.kind() != kind::either) return {};
  return observed::of(nearest_decimal(a.ends().high));
}

}  // namespace

documented::documented(run const& judged, spec::cube assignment)
    : judged_(&judged), assignment_(assignment), examiner_(judged.system()) {
  auto const& table = judged.system().readings();
  auto const is = [&](std::string_view reading, std::string_view alternative) {
    auto const r = table.find(reading);
    auto const a = r ? table.find(*r, alternative) : std::nullopt;
    return a && (assignment.bits & table.bit(*r, *a)) != 0;
  };
  using enum spec::draw_mapping;
  auto const rule_of = [&](std::string_view reading, std::string_view bound) -> draw_rule {
    bool const excludes_end = is(bound, "exclusive");
    if (is(reading, "modulo")) return {modulo, excludes_end};
    if (is(reading, "scaled")) return {scaled, excludes_end};
    if (is(reading, "divided")) return {divided, excludes_end};
    return {real, excludes_end};
  };
  sleep_ = rule_of("draw-mapping", "upper-bound");
  reset_ = rule_of("jitter-mapping", "jitter-bound");
}

std::vector<answer> documented::answers(history const& h) {
  if (h == asked_ && !answered_.empty()) return answered_;
  answered_ = answers(h, examiner_);
  asked_ = h;
  return answered_;
}

std::vector<answer> documented::answers(history const& h, examiner& variant) const {
  auto const& takes = judged_->about().takes;
  random_bits random(1);
  // Of several admitted answers the port's, if it is one of them; otherwise the largest number, because a port computes
  // that before its fault changes it.
  auto const choose = [&](std::size_t step, spec::expectation const& admitted) noexcept {
    auto chosen = play(admitted, random);
    for (std::size_t i = 0; i < admitted.size(); ++i) {
      if (step < port_.size() && admitted[i].admits(port_[step][i])) {
        chosen[i] = port_[step][i];
      } else if (auto const most = largest_of(admitted[i])) {
        chosen[i] = *most;
      }
    }
    return chosen;
  };
  auto all = variant.play(h, takes.draws, assignment_, choose).answers;
  // After a call that may be answered in any way, nothing is judged. In a variant of a policy there is no such call:
  // the answers end where its formula has no value. What a port makes of a number that some type cannot hold is no part
  // of its fault.
  auto const error = observed::word(shape().error_word);
  bool is_open = true;
  if (is_declared(judged_->system())) {
    auto const at = first_too_large(all);
    is_open = at < port_.size() && is_too_large(port_[at]);
    if (is_open) all.resize(std::min(all.size(), at));
  }
  if (fills_up_ && is_open && (all.empty() || all.back()[0] != error)) {
    for (auto i = all.size(); i < std::min(port_.size(), h.steps.size()); ++i) all.push_back(port_[i]);
  }
  for (std::size_t i = 0; i < shape().answers.size(); ++i) {
    auto const& field = shape().answers[i];
    bool const is_lacking = field.needs && !takes.offers(*field.needs);
    for (std::size_t step = 0; step < all.size(); ++step) {
      bool const is_untold = field.optional && step < port_.size() && port_[step][i].kind == observed_kind::absent;
      if (is_lacking || is_untold) all[step][i] = {};
    }
  }
  return all;
}

bool documented::is_too_large(answer const& a) const noexcept {
  constexpr double held_by_all = 0x7fff'ffff;
  auto const& delay = a[shape().delay];
  bool const fails = a[0] == observed::word(shape().error_word) || delay.kind == observed_kind::not_a_number;
  return fails || encoded(delay) >= held_by_all;
}

// The first answer that is too large and differs from the port's; the end where there is none.
std::size_t documented::first_too_large(std::span<answer const> all) const noexcept {
  std::size_t at = 0;
  while (at < all.size() && !(is_too_large(all[at]) && at < port_.size() && !alike(all[at], port_[at]))) ++at;
  return at;
}

double documented::mapped(std::uint64_t draw, double window, draw_rule how) const noexcept {
  constexpr double longest = 0x1p61;  // far beyond every cap
  auto const whole = std::floor(std::min(window, longest));
  if (whole <= 0) return 0;
  auto const size = judged_->about().takes.draws.size;
  auto const values = whole + (how.excludes_end ? 0 : 1);
  auto const u = static_cast<double>(draw) / static_cast<double>(size);
  if (how.maps == spec::draw_mapping::modulo) return std::fmod(draw, values);
  if (how.maps == spec::draw_mapping::scaled) return std::floor(u * values);
  if (how.maps == spec::draw_mapping::divided)
    return static_cast<double>(draw / ((size - 1) / static_cast<std::uint64_t>(values) + 1));
  return u * whole;
}

bool repeats_itself(run const& judged) noexcept {
  bool const draws = judged.system().shape().has_draws();
  return !draws || judged.about().takes.draws.kind != spec::draw_kind::hidden;
}

std::vector<diagnosis> diagnoses_of(judged_system const& system) {
  std::vector<diagnosis> all;
#define BACKOFF_SYSTEM(name) \
  if (system.shape().stem == #name) all = systems::name##_diagnoses();
#include "systems.def"
#undef BACKOFF_SYSTEM
  auto variants = system.variants();
  // The variants of a policy cover its formulas. A policy gets no changes of input: a formula may have no value for
  // other parameters.
  bool const is_declared = !variants.empty();
  for (auto& v : variants) {
    all.push_back({std::move(v.name), std::move(v.sentence),
                   [system = v.system, asked = std::make_shared<examiner>(*v.system)](
                       history const& h, documented& document) { return document.answers(h, *asked); }});
  }
  std::ranges::move(common(), std::back_inserter(all));
  if (!is_declared) std::ranges::move(changes_of(system.shape()), std::back_inserter(all));
  return all;
}

void answers_log::add(result const& r) {
  bool const answered = r.kind == result_kind::answered;
  if (values_.size() + r.answers.size() * fields_ > values_max) whole_ = false;
  if (!whole_) return;
  for (auto const& a : r.answers) {
    for (std::size_t i = 0; i < fields_ && answered; ++i) values_.push_back(encoded(a[i]));
  }
  ends_.push_back(values_.size());
  is_answer_.push_back(answered);
}

std::vector<answer> answers_log::at(std::size_t index) const {
  std::vector<answer> all;
  for (auto at = index == 0 ? 0 : ends_[index - 1]; at < ends_[index]; at += fields_) {
    auto& a = all.emplace_back();
    for (std::size_t i = 0; i < fields_; ++i) {
      auto const x = values_[at + i];
      if (x == no_number) a[i] = {observed_kind::not_a_number, 0, {}};
      if (x == absent || x == no_number) continue;
      a[i] = shape_->answers[i].words.empty() ? real(x) : observed::word(static_cast<std::uint8_t>(x));
    }
  }
  return all;
}

bool answers_log::has(std::size_t index, std::span<answer const> answers) const noexcept {
  std::size_t at = index == 0 ? 0 : ends_[index - 1];
  if (ends_[index] - at != answers.size() * fields_) return false;
  for (auto const& a : answers) {
    for (std::size_t i = 0; i < fields_; ++i) {
      if (!alike(values_[at++], encoded(a[i]))) return false;
    }
  }
  return true;
}

namespace {

// Adds the simplest assignment with each alternative of a policy. A wrong port may follow any of them, and its fault
// hides which.
void add_alternatives(run const& judged, std::vector<spec::cube>& all) {
  auto const& table = judged.system().readings();
  auto const mapping = *table.find("draw-mapping");
  for (unsigned r = 0; r < table.readings().size(); ++r) {
    for (unsigned a = 0; r != mapping && a < table.readings()[r].alternatives.size(); ++a) {
      std::vector<spec::cube> with;
      for (auto const c : judged.readings().initial()) {
        if (auto const both = table.common(c, table.with(c, r, a))) with.push_back(*both);
      }
      auto const simplest = with.empty() ? all.front() : simplest_among(table, with);
      if (std::ranges::count(all, simplest) == 0) all.push_back(simplest);
    }
  }
}

// The assignments under which hypotheses are tried. Where the port's mapping of draws is known: the one that explains
// the run, and the simplest one. Where it is not, because a fault may hide it: the simplest with each listed mapping.
std::vector<spec::cube> assignments_of(run const& judged) {
  if (judged.mapping() == mapped::exactly) {  // a fault may look like another reading
    auto const plainest = simplest_among(judged.system().readings(), judged.readings().initial());
    std::vector<spec::cube> all{judged.explained_by()};
    if (plainest != judged.explained_by()) all.push_back(plainest);
    if (is_declared(judged.system())) add_alternatives(judged, all);
    return all;
  }
  auto const& table = judged.system().readings();
  auto const mapping = *table.find("draw-mapping");
  std::vector<spec::cube> all;
  for (unsigned i = 0; i < table.readings()[mapping].alternatives.size(); ++i) {
    std::vector<spec::cube> with;
    for (auto const c : judged.system().assignments(judged.about().takes.draws.kind)) {
      auto const both = table.common(c, table.with(spec::exactly_mapped(table), mapping, i));
      if (both && (both->bits & spec::exactly_mapped(table).bits) == both->bits) with.push_back(*both);
    }
    if (!with.empty()) all.push_back(simplest_among(table, with));
  }
  return all;
}

// The answers that are to be explained.
struct answered {
  std::span<evidence const> failed;
  answers_log const& log;
  histories_again const& again;
  std::vector<std::vector<constraint>> const& elsewhere;
  [[nodiscard]] bool leaves_out(shape const& s, history const& h) const {
    return std::ranges::any_of(elsewhere, [&](auto const& where) { return matches(s, where, h); });
  }
};

// Of the other hypotheses that explain the run, the first that differs from the best one in another run, at a call that
// is judged and whose delay fits every type. The port may have either fault.
diagnosis const* rival_of(std::vector<trial> const& alive, documented& document, run const& judged) {
  constexpr std::uint64_t tried = 300;
  constexpr std::uint64_t seed = 2;
  auto const& best = alive.front();
  auto others = alive;
  // A hypothesis that two words are not told apart may only restate another one.
  std::erase_if(others, [&](trial const& t) {
    return t.hypothesis->name == best.hypothesis->name || t.hypothesis->name == "not-told-apart" || t.from != best.from;
  });
  if (others.empty()) return nullptr;
  document.answered_by_the_port({});
  plan fresh(document.shape(), judged.about().takes, tried, seed);
  for (auto const& h : fresh.next(tried)) {
    auto const judged_calls = document.answers(h).size();
    auto const answers = [&](trial const& t) {
      auto all = predicted(t, h, document);
      all.resize(std::min(all.size(), judged_calls));
      all.erase(std::ranges::find_if(all, [&](answer const& a) { return document.is_too_large(a); }), all.end());
      return all;
    };
    auto const of_the_best = answers(best);
    auto const rival = std::ranges::find_if(others, [&](trial const& t) { return !alike(answers(t), of_the_best); });
    if (rival != others.end()) return rival->hypothesis;
  }
  return nullptr;
}

std::optional<probable> diagnose(answered const& by, documented& document, std::vector<diagnosis> const& all,
                                 run const& judged) {
  auto const& [failed, log, again, elsewhere] = by;
  auto const first = first_wrong(failed, document);
  auto const suggested = suggested_by(failed, document);
  diagnosis const no_fault{"", "", [](history const& h, documented& d) { return d.answers(h); }};
  std::vector<trial> alive{{&no_fault, 1}};
  for (auto const& d : all) alive.push_back({&d, 1});
  for (auto const& d : suggested) alive.push_back({&d, 1});
  bool const late = first > 1 && first != std::numeric_limits<std::int64_t>::max();
  auto const simplest = common();  // goes first: others may be the same from that attempt on
  for (auto const& d : simplest) {
    if (late) alive.push_back({&d, first});
  }
  // How a cycle starts says nothing of what goes wrong later.
  auto const is_of_the_start = [](diagnosis const& d) {
    return d.name.starts_with("first") || d.name.starts_with("start");
  };
  for (auto const& d : all) {
    if (late && !is_of_the_start(d)) alive.push_back({&d, first});
  }
  for (auto const& e : failed) {
    if (e.got.kind != result_kind::answered) return {};
    document.answered_by_the_port(e.got.answers);
    std::erase_if(alive, [&](trial const& t) { return !alike(predicted(t, e.tried, document), e.got.answers); });
    if (alive.empty()) return {};
  }
  std::erase_if(alive, [&](trial const& t) { return t.hypothesis != &no_fault && !tells_most(t, failed, document); });
  std::size_t index = 0;
  std::uint64_t explained = 0;
  auto const histories = again();
  for (auto some = histories(); !some.empty() && index < log.size(); some = histories()) {
    for (auto const& h : some) {
      if (index == log.size()) break;
      auto const at = index++;
      if (!log.is_answered(at) || by.leaves_out(document.shape(), h)) continue;
      auto const answers = log.at(at);
      document.answered_by_the_port(answers);
      std::erase_if(alive, [&](trial const& t) { return !log.has(at, predicted(t, h, document)); });
      if (alive.empty()) return {};
      ++explained;
    }
  }
  if (index != log.size()) return {};
  auto const& best = alive.front();
  if (best.hypothesis == &no_fault) return {};
  auto const* const rival = rival_of(alive, document, judged);
  auto const sentence = best.hypothesis->sentence + (rival == nullptr ? "" : ", or " + rival->sentence);
  return probable{best.hypothesis->name, sentence, best.from, explained, !elsewhere.empty(), best.hypothesis->claim};
}

}  // namespace

std::optional<probable> diagnose(run const& judged, std::span<evidence const> failed, answers_log const& log,
                                 histories_again const& again, std::vector<std::vector<constraint>> const& elsewhere) {
  if ((failed.empty() && judged.mapping() == mapped::exactly) || !log.is_whole() || !repeats_itself(judged)) return {};
  answered by{failed, log, again, elsewhere};
  std::vector<evidence> here;
  if (!elsewhere.empty()) {
    auto const& s = judged.system().shape();
    std::ranges::copy_if(failed, std::back_inserter(here),
                         [&](evidence const& e) { return !by.leaves_out(s, e.tried); });
    if (here.empty()) return {};
    by.failed = here;
  }
  auto const all = diagnoses_of(judged.system());
  for (auto const assignment : assignments_of(judged)) {
    documented document(judged, assignment);
    if (auto found = diagnose(by, document, all, judged)) return found;
  }
  return {};
}

}  // namespace backoff::explain
