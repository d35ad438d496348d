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

// Whether it is the least of several values, one of which stays the same.
bool is_bounded(policy const& p, expression const& e) noexcept {
  auto const stays = [&](expression const& part) noexcept { return p.stays(part); };
  return e.op == operation::min && std::ranges::any_of(e.of, stays) && !std::ranges::all_of(e.of, stays);
}

std::string decimal_text(rational const& x) { return x.str().substr(0, 40); }

}  // namespace

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
  using enum spec::standing;
  if (of.exclusive.size() == 2) {
    ends_ = static_cast<unsigned>(rows_.size());
    auto const end = [](bool exclusive) { return exclusive ? "exclusive" : "inclusive"; };
    rows_.push_back({"ends", {{end(of.exclusive[0]), canonical}, {end(of.exclusive[1]), open}}});
  }
  if (of.draws()) add_mapping();
  for (auto const& r : rows_) readings_.push_back({r.name, r.alternatives});
  table_.emplace(readings_);
  has_bound_ = std::ranges::any_of(of.window, [&](formula const& f) { return is_bounded(of, f.tree); }) ||
               std::ranges::any_of(of.delay, [&](formula const& f) { return is_bounded(of, f.tree); });
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
  bool const by_window_alone =
      !delay.tree.uses(p.n()) && !delay.tree.uses(p.attempt()) && !delay.tree.uses(p.previous());
  auto const bound = bound_of(window->tree, names);
  if (!bound || !by_window_alone) return std::nullopt;
  scope at_bound = names;
  at_bound.set(p.window_name(), *bound);
  evaluator v(at_bound, 1);
  auto const d = v.draw(delay.tree);
  return v.found() ? std::nullopt : std::optional(d.highest());
}

scope model::names_in(histories::history const& h) const noexcept {
  auto const& p = *policy_;
  scope names;
  for (unsigned i = 0; i < p.parameters.size(); ++i) {
    auto const& v = h.params[i];
    rational units = 1;
    for (unsigned k = 0; k < p.parameters[i].scale; ++k) units *= 10;
    if (v.kind == histories::value_kind::keyword) {
      bool const is_set = p.parameters[i].words()[static_cast<std::size_t>(v.n)] == "forever";
      names.set(i, number{is_set ? endless() : unset(), false});
      continue;
    }
    rational const value = rational(v.n) / units;
    bool const held = (denominator(value) & (denominator(value) - 1)) == 0;
    names.set(i, number{value, !held});
  }
  return names;
}

state model::start(histories::history const& h) const noexcept {
  auto const& p = *policy_;
  auto given = std::make_shared<setting>();
  given->names = names_in(h);
  for (auto const& f : p.attempts) {
    evaluator v(given->names, 1);
    auto const limit = v.value(f.tree);
    bool const none = v.found() || limit.value > largest;
    if (v.found() && !v.found()->too_large) note(f, v.found()->column, v.found()->what, {given, 0, false, false, {}});
    given->limits.push_back(none ? std::nullopt
                                 : std::optional(static_cast<integer>(
                                       numerator(rounded(std::max<rational>(limit.value, 0), 1, rounding::floor)))));
  }
  auto const windows = std::max<std::size_t>(p.window.size(), 1);
  given->longest.resize(has_bound_ ? p.delay.size() * windows : 0);
  for (std::size_t i = 0; i < given->longest.size(); ++i) {
    given->longest[i] =
        longest(given->names, p.delay[i / windows], p.window.empty() ? nullptr : &p.window[i % windows]);
  }
  state s;
  if (p.prev) {
    evaluator v(given->names, 1);
    s.previous = v.value(p.prev->tree);
    if (v.found()) note(*p.prev, v.found()->column, v.found()->what, {given, 0, false, false, {}});
  }
  s.given = std::move(given);
  return s;
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

void model::note(formula const& of, std::size_t column, std::string_view what, state const& s) const noexcept {
  std::scoped_lock const lock(noting_);
  if (!fault_.empty()) return;
  auto const& p = *policy_;
  std::string where;
  for (unsigned i = 0; i < p.parameters.size(); ++i) {
    auto const& value = s.given->names.exact[i].value;
    where += (where.empty() ? "" : ", ") + p.parameters[i].name + "=" +
             (value == unset()     ? "unset"
              : value == endless() ? "forever"
                                   : decimal_text(value));
  }
  where += (where.empty() ? "n=" : ", n=") + std::to_string(s.retries);
  if (p.prev) where += ", prev=" + decimal_text(s.previous.value);
  fault_ = located(p.file, {of.at.line, of.at.column + column},
                   std::string(what) + " in '" + of.text + "' at " + where + ": expected a value for every history");
}

std::string model::own_fault() const {
  std::scoped_lock const lock(noting_);
  return fault_;
}

std::optional<drawn> model::make(state const& s, choice const& c, int lean, bool& leaned,
                                 bool& at_bound) const noexcept {
  auto const& p = *policy_;
  scope names = s.given->names;
  names.set(p.n(), s.retries);
  names.set(p.attempt(), s.retries + 1);
  if (p.prev) names.set(p.previous(), s.previous);
  auto const failed = [&](evaluator const& v, formula const& f) noexcept {
    if (!v.found()) return false;
    if (!v.found()->too_large) note(f, v.found()->column, v.found()->what, s);
    return true;
  };
  if (c.window != nullptr) {
    evaluator v(names, lean);
    auto const window = v.value(c.window->tree);
    if (failed(v, *c.window)) return std::nullopt;
    if (window.value < 0) {
      note(*c.window, 0, "a window below 0", s);
      return std::nullopt;
    }
    leaned |= v.leaned();
    auto const bound = bound_of(c.window->tree, names);
    at_bound = bound && window.value == bound->value;
    names.set(p.window_name(), window);
  }
  evaluator v(names, lean, c.exclusive);
  auto d = v.draw(c.delay->tree);
  if (failed(v, *c.delay)) return std::nullopt;
  leaned |= v.leaned();
  if (d.lowest() < 0) {
    note(*c.delay, 0, "a delay below 0", s);
    return std::nullopt;
  }
  if (d.highest() > largest) return std::nullopt;
  if (auto const bound = bound_of(c.delay->tree, names)) at_bound = d.highest() == bound->value;
  return d;
}

std::shared_ptr<made const> model::make(state const& s, choice const& c) const noexcept {
  auto const computed = [&]() noexcept {
    auto m = make_anew(s, c);
    return m ? std::make_shared<made const>(std::move(*m)) : nullptr;
  };
  auto const depends = [&](formula const* f) noexcept { return f != nullptr && f->tree.uses(policy_->previous()); };
  if (depends(c.delay) || depends(c.window)) return computed();
  auto const [at, is_new] = s.given->known.try_emplace(static_cast<std::uint64_t>(s.retries) << 16U | c.alternatives);
  if (is_new) at->second = computed();
  return at->second;
}

std::optional<made> model::make_anew(state const& s, choice const& c) const noexcept {
  made m;
  bool leaned = false;
  auto down = make(s, c, -1, leaned, m.at_bound);
  if (!down) return std::nullopt;
  m.delay = std::move(*down);
  if (leaned) {
    auto up = make(s, c, 1, leaned, m.at_bound);
    if (!up) return std::nullopt;
    if (!(*up == m.delay)) m.otherwise = std::move(up);
  }
  m.tells_draw = m.delay.is_random() && m.delay.fills_doubles() && (!m.otherwise || m.otherwise->is_drawn_as(m.delay));
  return m;
}

spec::expectation model::granted(made const& m, spec::draw const& from, spec::chooser& readings) const noexcept {
  spec::expectation answer;
  answer[field_status] = spec::admissible::word(static_cast<std::uint8_t>(status::retry));
  bool const random = m.delay.is_random() || (m.otherwise && m.otherwise->is_random());
  auto mapping = draw_mapping::other;
  if (random && from.kind != spec::draw_kind::hidden) mapping = mappings_[chosen(mapping_, readings)];
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
      auto const end = [](spec::admissible const& a) { return a.first() + a.step() * (a.count() - 1); };
      auto const last = std::max(end(here), end(other));
      answer[field_delay] = spec::admissible::integers(first, here.step(), (last - first) / here.step() + 1);
    } else {
      answer[field_delay] = spec::admissible::between(
          {std::min(m.delay.lowest(), m.otherwise->lowest()), std::max(m.delay.highest(), m.otherwise->highest())});
    }
  }
  return answer;
}

outcome model::next(state& s, spec::draw const& from, spec::chooser& readings) const noexcept {
  outcome result;
  facts& f = result.facts;
  f.after_reset = s.after_reset;
  f.retries = s.retries;
  std::optional<integer> limit;
  if (!policy_->attempts.empty()) limit = s.given->limits[chosen(attempts_, readings)];
  f.limited = limit.has_value();
  if (limit && s.retries >= *limit) {
    f.announces = !s.exhausted;
    s.exhausted = true;
    result.answer[field_status] = spec::admissible::word(static_cast<std::uint8_t>(status::exhausted));
    return result;
  }
  f.grants = true;
  auto const c = choose(s, readings);
  auto found = make(s, c);
  if (!found) {
    result.answer[field_status] = spec::admissible::unjudged();
    result.answer[field_delay] = spec::admissible::unjudged();
    ++s.retries;
    return result;
  }
  f.where = has(region::capped) && found->at_bound                          ? region::capped
            : has(region::first) && s.retries == 0                          ? region::first
            : has(region::later) && !(s.retries == 0 && has(region::first)) ? region::later
            : has(region::first)                                            ? region::first
                                                                            : region::capped;
  if (c.longest < s.given->longest.size()) {
    f.limit = s.given->longest[c.longest];
    auto const highest =
        found->otherwise ? std::max(found->delay.highest(), found->otherwise->highest()) : found->delay.highest();
    if (f.limit && *f.limit < highest) f.limit = highest;
  }
  result.answer = granted(*found, from, readings);
  if (policy_->prev) s.previous = {found->delay.highest(), !found->delay.highest().is_whole()};
  f.made_of = std::move(found);
  ++s.retries;
  return result;
}

outcome model::reset(state& s) const noexcept {
  auto given = std::move(s.given);
  state fresh;
  if (policy_->prev) {
    evaluator v(given->names, 1);
    fresh.previous = v.value(policy_->prev->tree);
  }
  fresh.given = std::move(given);
  fresh.after_reset = true;
  s = std::move(fresh);
  outcome result;
  result.answer[field_status] = spec::admissible::word(static_cast<std::uint8_t>(status::ok));
  return result;
}

void model::observe(state& s, spec::answer const& port) const noexcept {
  if (!policy_->prev || port[field_delay].kind != spec::observed_kind::number) return;
  auto const value = spec::to_rational(port[field_delay].value);
  s.previous = {value, !value.is_whole()};
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

std::optional<drawn> model::delay(histories::history const& h, integer retries) const noexcept {
  auto s = start(h);
  s.retries = retries;
  auto found = make(s, canonical(retries));
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
  auto const s = start(h);
  scope names = s.given->names;
  names.set(p.n(), retries);
  names.set(p.attempt(), retries + 1);
  if (p.prev) names.set(p.previous(), s.previous);
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
