#include "policies/model.hpp"

#include <algorithm>
#include <utility>

namespace backoff::policies {
namespace {

using spec::draw_mapping;
using spec::integer;
using spec::rational;

rational const largest = rational(integer{1'000'000'000'000'000'000});  // of a delay that is judged

std::string_view name_of(draw_mapping m) noexcept {
  constexpr std::array<std::string_view, 6> names{"modulo", "scaled", "real", "divided", "near", "other"};
  return names[static_cast<std::size_t>(m)];
}

bool uses_window(policy const& p, formula const& f) noexcept { return f.tree.uses(p.window_name()); }

// Whether nothing but the window changes it.
bool is_of_window_alone(policy const& p, formula const& f) noexcept {
  auto const changing = ~std::uint32_t{0} << p.parameters.size();
  return (f.tree.names & changing) == std::uint32_t{1} << p.window_name();
}

// Whether it is the least of several values, one of which stays the same.
bool is_bounded(policy const& p, expression const& e) noexcept {
  auto const stays = [&](expression const& part) noexcept { return p.stays(part); };
  return e.op == operation::min && std::ranges::any_of(e.of, stays) && !std::ranges::all_of(e.of, stays);
}

std::string decimal_text(rational const& x) { return x.str().substr(0, 40); }

std::string text_of(parameter const& p, rational const& value) {
  for (std::size_t i = 0; i < p.choices.size(); ++i) {
    if (value == word_value(i)) return p.choices[i];
  }
  return value == unset() ? "unset" : value == endless() ? "forever" : decimal_text(value);
}

number worth_of(parameter const& p, histories::value const& v) noexcept {
  if (v.kind == histories::value_kind::keyword) {
    if (!p.choices.empty()) return {word_value(static_cast<std::size_t>(v.n)), false};
    bool const is_forever = p.words()[static_cast<std::size_t>(v.n)] == "forever";
    return {is_forever ? endless() : unset(), false};
  }
  rational const value = rational(v.n) / p.units();
  bool const held = (denominator(value) & (denominator(value) - 1)) == 0;
  return {value, !held};
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
  bool const is_window_bounded =
      std::ranges::any_of(of.window, [&](formula const& f) { return is_bounded(of, f.tree); });
  has_bound_ = std::ranges::any_of(of.delay, [&](formula const& f) {
    return is_bounded(of, f.tree) || (is_window_bounded && is_of_window_alone(of, f));
  });
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

std::vector<spec::cube> model::assignments(spec::draw_kind draws) const noexcept {
  auto const all = table_->admitting(spec::standing::hazard);
  if (!mapping_ || draws == spec::draw_kind::hidden) return {all};
  // Of the alternatives that draw, those that draw so; all where none does.
  auto const kept = [&](spec::cube from, std::optional<unsigned> reading, std::vector<formula> const& of,
                        bool whole) noexcept {
    if (!reading) return from;
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < of.size(); ++i) {
      if (!of[i].tree.draws || of[i].tree.draws_whole == whole) bits |= table_->bit(*reading, i);
    }
    if (bits != 0) from.bits &= ~table_->field(*reading) | bits;
    return from;
  };
  std::vector<spec::cube> result;
  for (unsigned i = 0; i < mappings_.size(); ++i) {
    auto const m = mappings_[i];
    bool const is_exact = m != draw_mapping::near && m != draw_mapping::other;
    bool const is_of_integers = m == draw_mapping::modulo || m == draw_mapping::divided;
    if (is_of_integers && draws == spec::draw_kind::unit) continue;
    if (!is_exact && !other_mapping_) continue;
    auto cube = table_->with(all, *mapping_, i);
    if (is_exact) {
      bool const whole = m != draw_mapping::real;
      cube = kept(kept(cube, delay_, policy_->delay, whole), first_, policy_->first, whole);
    }
    result.push_back(cube);
  }
  spec::join_cubes(*table_, result);
  return result;
}

std::optional<number> model::bound_of(expression const& e, scope const& names) const noexcept {
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
std::optional<rational> model::longest(scope const& names, formula const& delay, formula const* window) const noexcept {
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

scope model::names_in(histories::history const& h) const noexcept {
  auto const& p = *policy_;
  scope names;
  for (unsigned i = 0; i < p.parameters.size(); ++i) names.set(i, worth_of(p.parameters[i], h.params[i]));
  for (std::size_t i = 0; i < p.arguments.size(); ++i)
    names.set(p.argument(i), worth_of(p.arguments[i], default_of(p.arguments[i])));
  return names;
}

std::optional<integer> model::limit_of(formula const& f, scope const& names) const noexcept {
  evaluator v(names, 1);
  auto const limit = v.value(f.tree);
  if (has_failed(v, f, names) || limit.value > largest) return std::nullopt;
  return static_cast<integer>(numerator(rounded(std::max<rational>(limit.value, 0), 1, rounding::floor)));
}

state model::start(histories::history const& h) const noexcept {
  auto const& p = *policy_;
  auto given = std::make_shared<setting>();
  given->names = names_in(h);
  for (auto const& f : p.attempts) given->limits.push_back(limit_of(f, given->names));
  auto const windows = std::max<std::size_t>(p.window.size(), 1);
  given->longest.resize(has_bound_ ? p.delay.size() * windows : 0);
  for (std::size_t i = 0; i < given->longest.size(); ++i) {
    given->longest[i] =
        longest(given->names, p.delay[i / windows], p.window.empty() ? nullptr : &p.window[i % windows]);
  }
  return fresh(std::move(given));
}

state model::fresh(std::shared_ptr<setting const> given) const noexcept {
  state s;
  auto const begin = [&](number& with, std::optional<formula> const& as) noexcept {
    if (!as) return;
    evaluator v(given->names, 1);
    with = v.value(as->tree);
    if (v.found()) note(*as, v.found()->column, v.found()->what, given->names);
  };
  begin(s.previous, policy_->prev);
  begin(s.before_previous, policy_->prev2);
  s.given = std::move(given);
  return s;
}

scope model::names_at(state const& s, histories::step const& call) const noexcept {
  auto const& p = *policy_;
  scope names = s.given->names;
  for (std::size_t i = 0; i < p.arguments.size(); ++i) {
    auto const& v = call.args[i];
    auto const& a = p.arguments[i];
    if (v.kind != histories::value_kind::absent) names.set(p.argument(i), worth_of(a, v));
  }
  names.set(p.n(), s.retries);
  names.set(p.attempt(), s.retries + 1);
  if (p.prev) names.set(p.previous(), s.previous);
  if (p.prev2) names.set(p.before_previous(), s.before_previous);
  names.set(p.elapsed(), s.elapsed);
  return names;
}

unsigned model::chosen(std::optional<unsigned> reading, spec::chooser& readings) const noexcept {
  return reading ? readings.choose(*reading) : 0;
}

model::choice model::canonical(integer retries) const noexcept {
  auto const& p = *policy_;
  choice c;
  bool const first = retries == 0 && !p.first.empty();
  c.delay = first ? &p.first.front() : &p.delay.front();
  if (uses_window(p, *c.delay)) c.window = &p.window.front();
  c.exclusive = p.exclusive.front();
  return c;
}

model::choice model::choose(state const& s, spec::chooser& readings) const noexcept {
  auto const& p = *policy_;
  choice c = canonical(s.retries);
  bool const first = s.retries == 0 && !p.first.empty();
  auto const which = chosen(first ? first_ : delay_, readings);
  c.delay = first ? &p.first[which] : &p.delay[which];
  unsigned window = 0;
  c.window = nullptr;
  if (uses_window(p, *c.delay)) {
    window = chosen(window_, readings);
    c.window = &p.window[window];
  }
  if (c.delay->tree.draws_whole && p.exclusive.size() > 1) c.exclusive = p.exclusive[chosen(ends_, readings)];
  c.alternatives = which << 8U | window << 2U | (c.exclusive ? 2U : 0U) | (first ? 1U : 0U);
  c.longest = first ? s.given->longest.size() : which * std::max<std::size_t>(p.window.size(), 1) + window;
  return c;
}

void model::note(formula const& of, std::size_t column, std::string_view what, scope const& names) const noexcept {
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

bool model::has_failed(evaluator const& v, formula const& of, scope const& names) const noexcept {
  if (!v.found()) return false;
  if (!v.found()->too_large) note(of, v.found()->column, v.found()->what, names);
  return true;
}

std::string model::own_fault() const {
  std::scoped_lock const lock(noting_);
  return fault_;
}

std::optional<drawn> model::make(scope names, choice const& c, int lean, bool& leaned, bool& at_bound) const noexcept {
  auto const& p = *policy_;
  if (c.window != nullptr) {
    evaluator v(names, lean);
    auto const window = v.value(c.window->tree);
    if (has_failed(v, *c.window, names)) return std::nullopt;
    if (window.value < 0) {
      note(*c.window, 0, "a window below 0", names);
      return std::nullopt;
    }
    leaned |= v.leaned();
    auto const bound = bound_of(c.window->tree, names);
    at_bound = bound && window.value == bound->value;
    names.set(p.window_name(), window);
  }
  evaluator v(names, lean, c.exclusive);
  auto d = v.draw(c.delay->tree);
  if (has_failed(v, *c.delay, names)) return std::nullopt;
  leaned |= v.leaned();
  if (d.lowest() < 0) {
    note(*c.delay, 0, "a delay below 0", names);
    return std::nullopt;
  }
  if (d.highest() > largest) return std::nullopt;
  if (auto const bound = bound_of(c.delay->tree, names)) at_bound = d.highest() == bound->value;
  return d;
}

std::shared_ptr<made const> model::make(state const& s, histories::step const& call, choice const& c) const noexcept {
  auto const& p = *policy_;
  auto const computed = [&]() noexcept {
    auto m = make_anew(names_at(s, call), c);
    return m ? std::make_shared<made const>(std::move(*m)) : nullptr;
  };
  auto const depends = [&](formula const* f) noexcept {
    auto const changing =
        std::uint32_t{1} << p.previous() | std::uint32_t{1} << p.before_previous() | std::uint32_t{1} << p.elapsed();
    return f != nullptr && ((f->tree.names & changing) != 0 || p.depends_on_call(f->tree));
  };
  if (depends(c.delay) || depends(c.window)) return computed();
  auto const [at, is_new] = s.given->known.try_emplace(static_cast<std::uint64_t>(s.retries) << 16U | c.alternatives);
  if (is_new) at->second = computed();
  return at->second;
}

std::optional<made> model::make_anew(scope const& names, choice const& c) const noexcept {
  made m;
  bool leaned = false;
  auto down = make(names, c, -1, leaned, m.at_bound);
  if (!down) return std::nullopt;
  m.delay = std::move(*down);
  if (leaned) {
    auto up = make(names, c, 1, leaned, m.at_bound);
    if (!up) return std::nullopt;
    if (!(*up == m.delay)) m.otherwise = std::move(up);
  }
  m.tells_draw = m.delay.is_random() && m.delay.fills_doubles() && (!m.otherwise || m.otherwise->is_drawn_as(m.delay));
  return m;
}

spec::expectation model::granted(made const& m, spec::draw const& from, spec::chooser& readings,
                                 std::optional<rational> const& room) const noexcept {
  if (room) {
    made in_time = m;
    in_time.delay.at_most({*room, false});
    if (in_time.otherwise) in_time.otherwise->at_most({*room, false});
    return granted(in_time, from, readings, {});
  }
  spec::expectation answer;
  answer[field_status] = spec::admissible::word(static_cast<std::uint8_t>(status::retry));
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
  auto const possible = [&](drawn const& d) noexcept { return is_near && d.is_random() ? d.near(from) : d.possible(); };
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

bool model::draws_hide_none(histories::history const& h) const noexcept {
  if (!policy_->prev) return true;
  bool const one = std::ranges::all_of(h.steps, [&](auto const& s) noexcept { return s.on == h.steps.front().on; });
  auto const bounds = start(h).given->longest;
  auto const is_small = [](auto const& bound) noexcept { return bound && *bound <= largest; };
  return one || (!bounds.empty() && std::ranges::all_of(bounds, is_small));
}

formula const* model::ruled_out(histories::history const& h) const noexcept {
  auto const names = names_in(h);
  for (auto const& f : policy_->where) {
    evaluator v(names, 1);
    bool const holds = v.holds(f.tree);
    if (v.found() || !holds) return &f;
  }
  return nullptr;
}

std::optional<integer> model::limit(histories::history const& h) const noexcept {
  return policy_->attempts.empty() ? std::nullopt : start(h).given->limits.front();
}

std::int64_t model::surely_granted(histories::history const& h, histories::step const& call,
                                   std::int64_t calls) const noexcept {
  if (policy_->going_on.empty()) return std::min(calls, static_cast<std::int64_t>(limit(h).value_or(calls)));
  std::vector<spec::cube> others;
  spec::chooser readings(*table_, table_->admitting(spec::standing::canonical), others);
  auto s = start(h);
  for (std::int64_t n = 0; n < calls; ++n) {
    auto const o = next(s, call, {}, readings);
    if (!o.facts.grants || o.facts.may_end) return n;
  }
  return calls;
}

std::optional<drawn> model::delay(histories::history const& h, integer retries,
                                  histories::step const& call) const noexcept {
  auto s = start(h);
  s.retries = retries;
  auto found = make(s, call, canonical(retries));
  return found ? std::optional(found->delay) : std::nullopt;
}

std::optional<rational> model::beside_bound(histories::history const& h, std::size_t parameter,
                                            integer retries) const noexcept {
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
