#include "policies/model.hpp"

#include <algorithm>
#include <limits>
#include <ranges>
#include <utility>

#include "histories/present.hpp"

namespace backoff::policies {
namespace {

using spec::draw_mapping;
using spec::integer;
using spec::rational;

constexpr integer largest_in_words = 1'000'000'000'000'000'000;  // of a delay that is judged
rational const largest = rational(largest_in_words);
std::optional<longest_delay> const no_longest_delay;
std::optional<quick_number> const no_bound;

std::string_view name_of(draw_mapping m) noexcept {
  constexpr std::array<std::string_view, 6> names{"modulo", "scaled", "real", "divided", "near", "other"};
  return names[static_cast<std::size_t>(m)];
}

bool uses_window(policy const& p, formula const& f) noexcept { return f.tree.uses(p.window_name()); }

// Whether nothing but the window changes it.
bool is_of_window_alone(policy const& p, formula const& f) {
  auto const changing = ~std::uint32_t{0} << p.parameters.size();
  return (f.tree.names & changing) == std::uint32_t{1} << p.window_name();
}

// Whether it is the least of several values, one of which stays the same.
bool is_bounded(policy const& p, expression const& e) {
  auto const stays = [&](expression const& part) { return p.stays(part); };
  return e.op == operation::min && std::ranges::any_of(e.of, stays) && !std::ranges::all_of(e.of, stays);
}

// Whether it is no less than that in every history.
bool is_at_least(policy const& p, expression const& e, int least) {
  auto const part = [&](std::size_t i, int k) { return is_at_least(p, e.of[i], k); };
  switch (e.op) {
    case operation::number:
      return e.number >= least;
    case operation::name:
      if (e.name < p.parameters.size()) {
        auto const& q = p.parameters[e.name];
        return q.choices.empty() && !q.may_be_unset && rational(q.low) >= q.units() * least;
      }
      return (e.name == p.n() && least <= 0) || (e.name == p.attempt() && least <= 1);
    case operation::add:
      return (part(0, least) && part(1, 0)) || (part(0, 0) && part(1, least));
    case operation::multiply:
      return part(0, least) && part(1, least) && least <= 1 && least >= 0;
    case operation::power:
      return least <= 1 && part(0, 1) && part(1, 0);
    default:
      return false;
  }
}

// Whether it surely does not fall as the number of retries grows.
bool never_falls(policy const& p, expression const& e) {
  auto const grows = [&](expression const& part) { return never_falls(p, part); };
  auto const is_positive = [&](expression const& part) { return is_at_least(p, part, 0); };
  if (p.stays(e)) return true;
  switch (e.op) {
    case operation::name:
      return e.name == p.n() || e.name == p.attempt();
    case operation::add:
    case operation::min:
    case operation::max:
      return std::ranges::all_of(e.of, grows);
    case operation::subtract:
      return grows(e.of[0]) && p.stays(e.of[1]);
    case operation::multiply:
      return std::ranges::all_of(e.of, grows) && std::ranges::all_of(e.of, is_positive);
    case operation::power:
      return p.stays(e.of[0]) && is_at_least(p, e.of[0], 1) && grows(e.of[1]);
    default:
      return false;
  }
}

std::string decimal_text(rational const& x) { return x.str().substr(0, 40); }

std::string text_of(parameter const& p, rational const& value) {
  for (std::size_t i = 0; i < p.choices.size(); ++i) {
    if (value == word_value(i)) return p.choices[i];
  }
  return value == unset() ? "unset" : value == endless() ? "forever" : decimal_text(value);
}

// Than any delay that is judged.
bool is_surely_larger(quick_number const& n) noexcept {
  if (n.is == quick_number::kind::exact) return is_less(quick(largest_in_words), n);
  return n.about() > static_cast<double>(largest_in_words) * 2;
}

number worth_of(parameter const& p, histories::value const& v) {
  if (v.kind == histories::value_kind::keyword) {
    if (!p.choices.empty()) return {word_value(static_cast<std::size_t>(v.n)), false};
    bool const is_forever = p.words()[static_cast<std::size_t>(v.n)] == "forever";
    return {is_forever ? endless() : unset(), false};
  }
  auto const n = quick_decimal(v.n, p.scale);
  return {n.value(), n.rough};
}

// The same on machine words.
quick_number quick_worth_of(parameter const& p, histories::value const& v) {
  return v.kind == histories::value_kind::keyword ? quick(worth_of(p, v)) : quick_decimal(v.n, p.scale);
}

}  // namespace

histories::value value_of(parameter const& p, std::int64_t n) noexcept {
  return {p.scale == 0 ? histories::value_kind::integer : histories::value_kind::decimal, p.scale, n};
}

histories::value default_of(parameter const& p) noexcept {
  return p.by_default ? value_of(p, *p.by_default) : histories::value::word(0);
}

model::model(policy const& of) : policy_(&of) {
  auto const named = [&](char const* name, std::vector<formula> const& all, std::optional<unsigned>& at) {
    if (all.size() < 2) return;
    at = static_cast<unsigned>(rows_.size());
    add_reading(name, all);
  };
  named("window", of.window, window_);
  named("delay", of.delay, delay_);
  named("first", of.first, first_);
  named("attempts", of.attempts, attempts_);
  named("while", of.going_on, while_);
  using enum spec::standing;
  if (of.exclusive.size() == 2) {
    ends_ = static_cast<unsigned>(rows_.size());
    auto const end = [](bool exclusive) { return exclusive ? "exclusive" : "inclusive"; };
    rows_.push_back({"ends", {{end(of.exclusive[0]), canonical}, {end(of.exclusive[1]), open}}});
  }
  if (of.draws()) add_mapping();
  for (auto const& r : rows_) readings_.push_back({r.name, r.alternatives});
  table_.emplace(readings_);
  tracks_time_ = of.any_uses(of.elapsed());
  n_ = of.n();
  window_name_ = of.window_name();
  delays_ = compiled_of(of.delay);
  firsts_ = compiled_of(of.first);
  windows_ = compiled_of(of.window);
  limits_ = compiled_of(of.attempts);
  conditions_ = compiled_of(of.going_on);
  if (of.counts) counts_.emplace(of.counts->tree);
  if (of.renews) renews_.emplace(of.renews->tree);
  for (auto const* all : {&of.delay, &of.first, &of.window, &of.attempts, &of.going_on}) {
    for (auto const& f : *all) used_ |= f.tree.names;
  }
  for (auto const* one : {&of.counts, &of.renews}) used_ |= *one ? (*one)->tree.names : 0;
  bool const is_window_bounded =
      std::ranges::any_of(of.window, [&](formula const& f) { return is_bounded(of, f.tree); });
  has_bound_ = std::ranges::any_of(of.delay, [&](formula const& f) {
    return is_bounded(of, f.tree) || (is_window_bounded && is_of_window_alone(of, f));
  });
}

std::vector<model::compiled> model::compiled_of(std::vector<formula> const& all) const {
  std::vector<compiled> result;
  for (auto const& f : all) {
    auto const& p = *policy_;
    auto const changing =
        std::uint32_t{1} << p.previous() | std::uint32_t{1} << p.before_previous() | std::uint32_t{1} << p.elapsed();
    auto& one = result.emplace_back(compiled{quick_formula(f.tree)});
    one.uses_window = uses_window(p, f);
    one.draws_whole = f.tree.draws_whole;
    one.depends_on_count = f.tree.uses(p.n()) || f.tree.uses(p.attempt());
    one.depends_on_more = (f.tree.names & changing) != 0 || p.depends_on_call(f.tree);
    if (&all == &p.going_on) add_without_delay(one.without_delay, f, f.tree);
    if (!is_bounded(p, f.tree)) continue;
    one.keeps_bound = never_falls(p, f.tree);
    for (auto const& part : f.tree.of) {
      if (policy_->stays(part)) one.bounds.emplace_back(part);
    }
  }
  return result;
}

void model::add_without_delay(std::vector<part_of_condition>& to, formula const& of, expression const& part) const {
  if (part.uses(policy_->delay_name())) {
    if (part.op != operation::both) return;
    for (auto const& each : part.of) add_without_delay(to, of, each);
    return;
  }
  formula alone = of;
  alone.tree = part;
  to.push_back({std::move(alone), quick_formula(part)});
}

void model::add_reading(std::string name, std::vector<formula> const& of) {
  auto& r = rows_.emplace_back(row{std::move(name), {}});
  for (auto const& f : of) r.alternatives.push_back({f.name, f.standing});
}

// As a document's: a remainder or a scaled draw where whole numbers are drawn, a fraction of the range where real ones.
void model::add_mapping() {
  auto const& p = *policy_;
  bool const whole_first = p.delay.front().tree.draws ? p.delay.front().tree.draws_whole : p.draws_whole();
  if (whole_first) mappings_ = {draw_mapping::modulo, draw_mapping::scaled};
  if (p.draws_real()) mappings_.push_back(draw_mapping::real);
  if (!whole_first && p.draws_whole()) mappings_.insert(mappings_.end(), {draw_mapping::modulo, draw_mapping::scaled});
  if (p.draws_whole()) mappings_.push_back(draw_mapping::divided);
  mappings_.insert(mappings_.end(), {draw_mapping::near, draw_mapping::other});
  mapping_ = static_cast<unsigned>(rows_.size());
  auto& r = rows_.emplace_back(row{"draw-mapping", {}});
  for (auto const m : mappings_)
    r.alternatives.push_back({name_of(m), r.alternatives.empty() ? spec::standing::canonical : spec::standing::open});
}

std::vector<spec::cube> model::assignments(spec::draw_kind draws) const {
  auto const all = readings().admitting(spec::standing::hazard);
  if (!mapping_ || draws == spec::draw_kind::hidden) return {all};
  // Of the alternatives that draw, those that draw so; all where none does.
  auto const kept = [&](spec::cube from, std::optional<unsigned> reading, std::vector<formula> const& of, bool whole) {
    if (!reading) return from;
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < of.size(); ++i) {
      if (!of[i].tree.draws || of[i].tree.draws_whole == whole) bits |= readings().bit(*reading, i);
    }
    if (bits != 0) from.bits &= ~readings().field(*reading) | bits;
    return from;
  };
  std::vector<spec::cube> result;
  for (unsigned i = 0; i < mappings_.size(); ++i) {
    auto const m = mappings_[i];
    bool const is_exact = m != draw_mapping::near && m != draw_mapping::other;
    bool const is_of_integers = m == draw_mapping::modulo || m == draw_mapping::divided;
    if (is_of_integers && draws == spec::draw_kind::unit) continue;
    if (!is_exact && !other_mapping_) continue;
    auto cube = readings().with(all, *mapping_, i);
    if (is_exact) {
      bool const whole = m != draw_mapping::real;
      cube = kept(kept(cube, delay_, policy_->delay, whole), first_, policy_->first, whole);
    }
    result.push_back(cube);
  }
  spec::join_cubes(readings(), result);
  return result;
}

std::optional<number> model::bound_of(expression const& e, scope const& names) const {
  if (!is_bounded(*policy_, e)) return std::nullopt;
  std::optional<number> least;
  for (auto const& part : e.of) {
    if (!policy_->stays(part)) continue;
    evaluator v(names, 1);
    auto n = v.value(part);
    if (v.found()) return std::nullopt;
    if (n.value <= largest && (!least || n.value < least->value)) least = std::move(n);
  }
  return least;
}

// The longest delay at the bound of the windows, where nothing but the window changes it; or its own bound.
std::optional<rational> model::longest(scope const& names, formula const& delay, formula const* window) const {
  if (auto const own = bound_of(delay.tree, names)) return own->value;
  if (window == nullptr) return std::nullopt;
  auto const& p = *policy_;
  auto const bound = bound_of(window->tree, names);
  if (!bound || !is_of_window_alone(p, delay)) return std::nullopt;
  scope at_bound = names;
  at_bound.set(p.window_name(), *bound);
  evaluator v(at_bound, 1);
  auto const d = v.draw(delay.tree);
  return v.found() ? std::nullopt : std::optional(d.highest());
}

scope model::names_in(std::array<histories::value, histories::params_max> const& params) const {
  auto const& p = *policy_;
  scope names;
  for (unsigned i = 0; i < p.parameters.size(); ++i) names.set(i, worth_of(p.parameters[i], params[i]));
  for (std::size_t i = 0; i < p.arguments.size(); ++i)
    names.set(p.argument(i), worth_of(p.arguments[i], default_of(p.arguments[i])));
  return names;
}

scope const& model::names_of(setting const& given) const {
  if (!given.names) given.names = names_in(given.params);
  return *given.names;
}

std::optional<integer> model::limit_of(formula const& f, scope const& names) const {
  evaluator v(names, 1);
  auto const limit = v.value(f.tree);
  if (has_failed(v, f, names) || limit.value > largest) return std::nullopt;
  return static_cast<integer>(numerator(rounded(std::max<rational>(limit.value, 0), 1, rounding::floor)));
}

std::optional<integer> model::limit_of(setting const& given, std::size_t which) const {
  auto& known = given.limits[which];
  if (known) return *known;
  quick_number limit;
  bool const is_quick = limits_[which].formula.value(given.quick.data(), limit);
  if (is_quick && is_surely_larger(limit)) {
    known = std::optional<integer>();
  } else if (is_quick && limit.is == quick_number::kind::exact && limit.den == 1 && limit.num >= 0) {
    known = std::optional(limit.num);
  } else {
    known = limit_of(policy_->attempts[which], names_of(given));
  }
  return *known;
}

// The bound of that formula; words may not hold it. which: its place among the bounds of the setting.
std::optional<quick_number> const& model::bound_of(compiled const& c, formula const& f, std::size_t which,
                                                   setting const& given) const {
  if (c.bounds.empty()) return no_bound;
  auto& known = given.bounds[which];
  if (known) return *known;
  std::optional<quick_number> least;
  for (auto const& part : c.bounds) {
    quick_number n;
    bool const is_told =
        part.value(given.quick.data(), n) && (n.is == quick_number::kind::exact || is_surely_larger(n));
    if (!is_told) {
      auto const bound = bound_of(f.tree, names_of(given));
      least = bound ? std::optional(quick(*bound)) : std::nullopt;
      break;
    }
    if (!is_surely_larger(n) && (!least || is_less(n, *least))) least = n;
  }
  known = least;
  return *known;
}

std::optional<longest_delay> const& model::longest_of(setting const& given, choice const& c) const {
  if (c.is_first || !has_bound_) return no_longest_delay;
  auto const windows = std::max<std::size_t>(policy_->window.size(), 1);
  auto& known = given.longest[c.delay * windows + c.window];
  if (known) return *known;
  auto const& f = delay_of(c);
  auto const* const window = policy_->window.empty() ? nullptr : &policy_->window[c.window];
  auto const quickly = [&]() -> std::optional<quick_number> {
    auto const is_held = [](auto const& bound) { return bound && bound->is == quick_number::kind::exact; };
    auto const& own = bound_of(delays_[c.delay], f, c.delay, given);
    if (own || window == nullptr || !is_of_window_alone(*policy_, f)) return is_held(own) ? own : std::nullopt;
    auto const which = delays_.size() + firsts_.size() + c.window;
    auto const& bound = bound_of(windows_[c.window], *window, which, given);
    given.quick[window_name_] = bound.value_or(quick(0));
    quick_draw delay;
    bool const is_told = is_held(bound) && delays_[c.delay].formula.draw(given.quick.data(), false, delay);
    return is_told ? std::optional(delay.high) : std::nullopt;
  };
  known.emplace();
  if (auto const n = quickly()) {
    *known = longest_delay{n->value(), *n};
  } else if (auto const exact = longest(names_of(given), f, window)) {
    *known = longest_delay{*exact, quick(number{*exact, false})};
  }
  return *known;
}

state model::start(histories::history const& h) const {
  auto const& p = *policy_;
  boost::intrusive_ptr const given(new setting);
  given->params = h.params;
  for (unsigned i = 0; i < p.parameters.size(); ++i) given->quick[i] = quick_worth_of(p.parameters[i], h.params[i]);
  given->limits.resize(p.attempts.size());
  given->longest.resize(has_bound_ ? p.delay.size() * std::max<std::size_t>(p.window.size(), 1) : 0);
  given->bounds.resize(delays_.size() + firsts_.size() + windows_.size());
  given->bound_from.resize(windows_.size(), std::numeric_limits<integer>::max());
  return fresh(given);
}

state model::fresh(boost::intrusive_ptr<setting const> given) const {
  state s;
  if (policy_->prev || policy_->prev2 || tracks_time_) {
    boost::intrusive_ptr const times(new waited);
    auto const begin = [&](number& with, std::optional<formula> const& as) {
      if (!as) return;
      auto const& names = names_of(*given);
      evaluator v(names, 1);
      with = v.value(as->tree);
      if (v.found()) note(*as, v.found()->column, v.found()->what, names);
    };
    begin(times->previous, policy_->prev);
    begin(times->before_previous, policy_->prev2);
    s.times = times;
  }
  s.given = std::move(given);
  return s;
}

scope model::names_at(state const& s, histories::step const& call) const {
  auto const& p = *policy_;
  scope names = names_of(*s.given);
  for (std::size_t i = 0; i < p.arguments.size(); ++i) {
    auto const& v = call.args[i];
    auto const& a = p.arguments[i];
    if (v.kind != histories::value_kind::absent) names.set(p.argument(i), worth_of(a, v));
  }
  names.set(p.n(), s.retries);
  names.set(p.attempt(), s.retries + 1);
  if (p.prev) names.set(p.previous(), s.times->previous);
  if (p.prev2) names.set(p.before_previous(), s.times->before_previous);
  names.set(p.elapsed(), s.times ? s.times->elapsed : number{});
  return names;
}

void model::set_quick_names(state const& s, histories::step const& call) const {
  auto const& p = *policy_;
  auto& names = s.given->quick;
  auto const is_used = [&](unsigned name) { return ((used_ >> name) & 1U) != 0; };
  for (auto name = static_cast<unsigned>(p.parameters.size()); name < n_; ++name) {
    if (!is_used(name)) continue;
    auto const& a = p.named_by(name);
    auto const& v = call.args[name - p.parameters.size()];
    names[name] = quick_worth_of(a, v.kind == histories::value_kind::absent ? default_of(a) : v);
  }
  set(names[n_], s.retries);
  set(names[n_ + 1], s.retries + 1);  // attempt
  if (!s.times) return;
  if (is_used(p.previous())) names[p.previous()] = quick(s.times->previous);
  if (is_used(p.before_previous())) names[p.before_previous()] = quick(s.times->before_previous);
  if (is_used(p.elapsed())) names[p.elapsed()] = quick(s.times->elapsed);
}

unsigned model::chosen(std::optional<unsigned> reading, spec::chooser& readings) const {
  return reading ? readings.choose(*reading) : 0;
}

choice model::canonical(integer retries) const noexcept {
  choice c;
  c.is_first = retries == 0 && !policy_->first.empty();
  c.has_window = compiled_delay_of(c).uses_window;
  c.exclusive = policy_->exclusive.front();
  return c;
}

choice model::choose(state const& s, spec::chooser& readings) const {
  auto const& p = *policy_;
  choice c = canonical(s.retries);
  c.delay = static_cast<std::uint16_t>(chosen(c.is_first ? first_ : delay_, readings));
  auto const& of = compiled_delay_of(c);
  c.has_window = of.uses_window;
  if (c.has_window) c.window = static_cast<std::uint16_t>(chosen(window_, readings));
  if (of.draws_whole && p.exclusive.size() > 1) c.exclusive = p.exclusive[chosen(ends_, readings)];
  return c;
}

void model::note(formula const& of, std::size_t column, std::string_view what, scope const& names) const {
  std::scoped_lock const lock(noting_);
  if (!fault_.empty()) return;
  auto const& p = *policy_;
  std::string where;
  for (unsigned i = 0; i < p.n(); ++i)
    where += p.named_by(i).name + "=" + text_of(p.named_by(i), names.exact[i].value) + ", ";
  where += "n=" + decimal_text(names.exact[p.n()].value);
  if (p.prev) where += ", prev=" + decimal_text(names.exact[p.previous()].value);
  fault_ = located(p.file, {of.at.line, of.at.column + column},
                   std::string(what) + " in '" + of.text + "' at " + where + ": expected a value for every history");
}

bool model::has_failed(evaluator const& v, formula const& of, scope const& names) const {
  auto const& found = v.found();
  if (!found) return false;
  if (!found->too_large) note(of, found->column, found->what, names);
  return true;
}

std::string model::own_fault() const {
  std::scoped_lock const lock(noting_);
  return fault_;
}

std::optional<drawn> model::make(scope& names, choice const& c, int lean, bool needs_value, bool& leaned,
                                 bool& at_bound) const {
  auto const& p = *policy_;
  auto const has_none = [&](evaluator const& v, formula const& of) {
    return needs_value ? has_failed(v, of, names) : v.found().has_value();
  };
  auto const is_below_0 = [&](rational const& lowest, formula const& of, char const* what) {
    if (lowest < 0 && needs_value) note(of, 0, what, names);
    return lowest < 0;
  };
  if (auto const* const w = window_of(c)) {
    evaluator v(names, lean);
    auto window = v.value(w->tree);
    if (window.value < 0 && window.value + window.slack() >= 0) window.value = 0;
    if (has_none(v, *w) || is_below_0(window.value, *w, "a window below 0")) return std::nullopt;
    leaned |= v.leaned();
    auto const bound = bound_of(w->tree, names);
    at_bound = bound && window.value == bound->value;
    names.set(p.window_name(), window);
  }
  auto const& f = delay_of(c);
  evaluator v(names, lean, c.exclusive);
  auto d = v.draw(f.tree);
  if (has_none(v, f)) return std::nullopt;
  leaned |= v.leaned();
  if (d.lowest() < 0 && d.lowest() + d.slack() >= 0) d.at_least({0, false});
  if (is_below_0(d.lowest(), f, "a delay below 0")) return std::nullopt;
  if (d.highest() > largest) return std::nullopt;
  if (auto const bound = bound_of(f.tree, names)) at_bound = d.highest() == bound->value;
  return d;
}

std::shared_ptr<made const> model::make(state const& s, histories::step const& call, choice const& c, integer retries,
                                        bool needs_value) const {
  auto const computed = [&]() {
    state at = s;
    at.retries = retries;
    auto m = make_anew(names_at(at, call), c, needs_value);
    return m ? std::make_shared<made const>(std::move(*m)) : nullptr;
  };
  if (depends_on_more(c)) return computed();
  auto const alternatives =
      std::uint64_t{c.delay} << 8U | std::uint64_t{c.window} << 2U | (c.exclusive ? 2U : 0U) | (c.is_first ? 1U : 0U);
  auto const count = static_cast<std::uint64_t>(depends_on_count(c) ? retries : 0);
  auto const [at, is_new] = s.given->known.try_emplace(count << 16U | alternatives);
  if (is_new) at->second = computed();
  return at->second;
}

std::shared_ptr<made const> model::made_by(state const& s, histories::step const& call, facts const& of) const {
  return of.made_of || !of.grants ? of.made_of : make(s, call, of.chosen, of.retries);
}

// Of random delays, those that may be made again: a port's answer may tell of its draw.
bool model::make_quickly(state const& s, choice const& c, quick_draw& delay, bool& at_bound) const {
  auto& names = s.given->quick;
  auto const is_at = [](std::optional<quick_number> const& bound, quick_number const& n) {
    return bound && bound->is == quick_number::kind::exact && is_equal(*bound, n);
  };
  if (c.has_window) {
    auto& window = names[window_name_];
    auto const& of = windows_[c.window];
    auto const& bound = bound_of(of, *window_of(c), delays_.size() + firsts_.size() + c.window, *s.given);
    auto& from = s.given->bound_from[c.window];
    if (s.retries >= from) {
      set(window, present(bound).num, present(bound).den);
      at_bound = true;
    } else {
      bool const is_told = of.formula.value(names.data(), window) && window.is == quick_number::kind::exact;
      if (!is_told || window.num < 0) return false;
      at_bound = is_at(bound, window);
      if (at_bound && of.keeps_bound && !present(bound).rough && !window.rough) from = s.retries;
    }
  }
  auto const& of = compiled_delay_of(c);
  if (!of.formula.draw(names.data(), c.exclusive, delay)) return false;
  if (delay.low.num < 0 || is_less(quick(largest_in_words), delay.high)) return false;
  if (delay.is != quick_draw::kind::none && depends_on_more(c)) return false;
  if (!of.bounds.empty()) {
    auto const& bound = bound_of(of, delay_of(c), c.is_first ? delays_.size() + c.delay : c.delay, *s.given);
    if (bound) at_bound = is_at(bound, delay.high);
  }
  return true;
}

// As `granted` has it; false where that must be asked.
bool model::grant_quickly(quick_draw const& d, spec::draw const& from, spec::chooser& readings,
                          spec::expectation& answer) const {
  using kind = quick_draw::kind;
  auto& delay = answer[field_delay];
  answer[field_status] = spec::admissible::word(static_cast<std::uint8_t>(status::retry));
  if (d.is == kind::none) {
    delay = d.low.den == 1 ? spec::admissible::between(d.low.num, d.low.num)
                           : spec::admissible::between({d.low.value(), d.low.value()});
    return true;
  }
  bool const is_hidden = from.kind == spec::draw_kind::hidden;
  auto const mapping = is_hidden ? draw_mapping::other : mappings_[chosen(mapping_, readings)];
  bool const is_other = mapping == draw_mapping::other;
  if (d.is == kind::real) {
    if (is_other) delay = spec::admissible::between({d.low.value(), d.high.value()});
    return is_other;
  }
  if (is_exact_) return false;
  auto const r = static_cast<integer>(from.value);
  bool const is_remainder = mapping == draw_mapping::modulo;
  if (is_other && d.count > 1) {
    delay = spec::admissible::integers(d.low.num, 1, d.count);
  } else if (is_remainder || mapping == draw_mapping::divided) {
    auto const share = is_remainder ? r % d.count : r / ((static_cast<integer>(from.size) - 1) / d.count + 1);
    delay = spec::admissible::exactly(d.low.num + share);
  } else {
    return false;
  }
  return true;
}

std::optional<made> model::make_anew(scope names, choice const& c, bool needs_value) const {
  made m;
  bool leaned = false;
  auto down = make(names, c, is_exact_ ? 0 : -1, needs_value, leaned, m.at_bound);
  if (!down) return std::nullopt;
  m.delay = std::move(*down);
  if (leaned && !is_exact_) {
    auto up = make(names, c, 1, needs_value, leaned, m.at_bound);
    if (!up) return std::nullopt;
    if (!(*up == m.delay)) m.otherwise = std::move(up);
  }
  m.tells_draw = m.delay.is_random() && m.delay.fills_doubles() && (!m.otherwise || m.otherwise->is_drawn_as(m.delay));
  return m;
}

spec::expectation model::granted(made const& m, spec::draw const& from, spec::chooser& readings,
                                 std::optional<rational> const& room) const {
  if (room) {
    made in_time = m;
    in_time.delay.at_most({*room, false});
    if (in_time.otherwise) in_time.otherwise->at_most({*room, false});
    return granted(in_time, from, readings, {});
  }
  spec::expectation answer;
  answer[field_status] = spec::admissible::word(static_cast<std::uint8_t>(status::retry));
  if (is_exact_) {
    if (from.kind == spec::draw_kind::hidden) {
      answer[field_delay] = spec::admissible::between({m.delay.lowest(), m.delay.highest()});
      return answer;
    }
    auto const exact = m.delay.values(from, draw_mapping::scaled);
    auto const& delay = exact[exact.size() / 2];  // its neighbours are what doubles may take it for
    answer[field_delay] = spec::admissible::between({delay, delay});
    return answer;
  }
  bool const random = m.delay.is_random() || (m.otherwise && m.otherwise->is_random());
  auto mapping = draw_mapping::other;
  if (random && from.kind != spec::draw_kind::hidden) mapping = mappings_[chosen(mapping_, readings)];
  if (!m.delay.is_of_one_draw()) mapping = draw_mapping::other;
  bool const is_near = mapping == draw_mapping::near;
  if (!random || (!is_near && mapping != draw_mapping::other)) {
    auto values = m.delay.values(from, mapping);
    if (m.otherwise) {
      auto const more = m.otherwise->values(from, mapping);
      values.insert(values.end(), more.begin(), more.end());
    }
    answer[field_delay] = m.delay.admitted(std::move(values));
    return answer;
  }
  auto const possible = [&](drawn const& d) { return is_near && d.is_random() ? d.near(from) : d.possible(); };
  answer[field_delay] = possible(m.delay);
  if (m.otherwise) {
    auto const other = possible(*m.otherwise);
    using kind = spec::admissible_kind;
    auto const& here = answer[field_delay];
    bool const lattices = here.kind() == kind::lattice && other.kind() == kind::lattice &&
                          here.step() == other.step() && !here.has_ends() && !other.has_ends();
    if (lattices) {
      auto const first = std::min(here.first(), other.first());
      auto const last = std::max(here.last(), other.last());
      answer[field_delay] = spec::admissible::integers(first, here.step(), (last - first) / here.step() + 1);
    } else {
      answer[field_delay] = spec::admissible::between(
          {std::min(m.delay.lowest(), m.otherwise->lowest()), std::max(m.delay.highest(), m.otherwise->highest())});
    }
  }
  return answer;
}

bool model::draws_hide_none(histories::history const& h) const {
  if (!policy_->prev) return true;
  bool const one = std::ranges::all_of(h.steps, [&](auto const& s) { return s.on == h.steps.front().on; });
  auto const s = start(h);
  auto const is_small = [&](std::size_t i) {
    auto const windows = std::max<std::size_t>(policy_->window.size(), 1);
    choice c;
    c.delay = static_cast<std::uint16_t>(i / windows);
    c.window = static_cast<std::uint16_t>(i % windows);
    auto const& bound = longest_of(*s.given, c);
    return bound && bound->value <= largest;
  };
  auto const all = s.given->longest.size();
  return one || (all > 0 && std::ranges::all_of(std::views::iota(std::size_t{0}, all), is_small));
}

formula const* model::ruled_out(histories::history const& h) const {
  auto const names = names_in(h.params);
  for (auto const& f : policy_->where) {
    evaluator v(names, 1);
    bool const holds = v.holds(f.tree);
    if (v.found() || !holds) return &f;
  }
  return nullptr;
}

std::optional<integer> model::limit(histories::history const& h) const {
  return policy_->attempts.empty() ? std::nullopt : limit_of(*start(h).given, 0);
}

std::int64_t model::surely_granted(histories::history const& h, histories::step const& call, std::int64_t calls) const {
  if (policy_->going_on.empty()) return std::min(calls, static_cast<std::int64_t>(limit(h).value_or(calls)));
  std::vector<spec::cube> others;
  auto const& table = this->readings();
  spec::chooser readings(table, table.admitting(spec::standing::canonical), others);
  auto s = start(h);
  for (std::int64_t n = 0; n < calls; ++n) {
    auto const o = next(s, call, {}, readings);
    if (!o.facts.grants || o.facts.may_end) return n;
  }
  return calls;
}

std::optional<drawn> model::delay(histories::history const& h, integer retries, histories::step const& call) const {
  auto s = start(h);
  s.retries = retries;
  auto found = make(s, call, canonical(retries), retries);
  return found ? std::optional(found->delay) : std::nullopt;
}

std::optional<rational> model::beside_bound(histories::history const& h, std::size_t parameter, integer retries) const {
  auto const& p = *policy_;
  auto const& tree =
      is_bounded(p, p.delay.front().tree) || p.window.empty() ? p.delay.front().tree : p.window.front().tree;
  if (!is_bounded(p, tree)) return std::nullopt;
  auto const is_it = [&](expression const& e) { return e.op == operation::name && e.name == parameter; };
  if (std::ranges::none_of(tree.of, is_it)) return std::nullopt;
  auto s = start(h);
  s.retries = retries;
  auto const names = names_at(s, {});
  std::optional<rational> least;
  for (auto const& part : tree.of) {
    if (is_it(part)) continue;
    evaluator v(names, 1);
    auto const d = v.draw(part);
    if (v.found()) return std::nullopt;
    if (!least || d.highest() < *least) least = d.highest();
  }
  return least;
}

}  // namespace backoff::policies
