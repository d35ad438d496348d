#include "policies/variations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "policies/varied.hpp"

namespace backoff::policies {

expression two(operation op, expression a, expression b) { return expression_of(op, {std::move(a), std::move(b)}); }
expression plus(expression a, std::int64_t n) { return two(operation::add, std::move(a), number_of(n)); }
expression less(expression a, expression b) { return two(operation::subtract, std::move(a), std::move(b)); }
expression times(expression a, rational const& n) { return two(operation::multiply, std::move(a), number_of(n)); }
expression floor_of(expression a) { return expression_of(operation::floor, {std::move(a)}); }
expression chosen(expression condition, expression yes, expression no) {
  return expression_of(operation::choose, {std::move(condition), std::move(yes), std::move(no)});
}
expression modulo(expression const& a, rational const& n) {
  return less(a, times(floor_of(two(operation::divide, a, number_of(n))), n));
}
expression middle(bool is_whole, expression const& low, expression const& high) {
  auto half = two(operation::divide, two(operation::add, low, high), number_of(2));
  return is_whole ? floor_of(std::move(half)) : half;
}

namespace {

// With what it draws as the same draw of several.
expression drawn_as(expression const& e, unsigned which) {
  return rewritten(e, [&](expression const& part) -> maybe {
    if (!draws_itself(part.op)) return std::nullopt;
    auto same = part;
    same.name = which;
    return same;
  });
}

}  // namespace

expression changed(expression const& e, rule const& by, bool& any) {
  return rewritten(e, [&](expression const& part) -> maybe {
    auto other = by(part);
    any |= other.has_value();
    if (other && draws_itself(part.op)) *other = drawn_as(*other, part.name);
    return !other && asks_for_a_word(part) ? maybe(part) : other;  // what is compared with a word stays
  });
}
expression changed(expression const& e, rule const& by) {
  bool any = false;
  return changed(e, by, any);
}
bool replace(policy& to, rule const& by) {
  bool any = false;
  for (auto* all : {&to.window, &to.delay, &to.first}) {
    for (auto& f : *all) f.tree = changed(f.tree, by, any);
  }
  return any;
}

void each_formula(policy& of, std::function<void(formula&)> const& by) {
  for (auto* all : {&of.window, &of.delay, &of.first, &of.attempts, &of.going_on}) std::ranges::for_each(*all, by);
  for (auto* one : {&of.prev, &of.prev2, &of.counts, &of.renews}) {
    if (*one) by(**one);
  }
}

expression varied::at_first(expression const& e) const {
  return changed(e, [&](expression const& part) -> maybe {
    if (part.op != operation::name) return std::nullopt;
    if (part.name == p_->n()) return number_of(0);
    return part.name == p_->attempt() ? maybe(number_of(1)) : std::nullopt;
  });
}

std::vector<variation> varied::all() {
  conditions();
  words();
  counts();
  bounds();
  draws();
  widths();
  growth();
  powers();
  previous();
  roundings();
  parameters();
  limits();
  firsts();
  return std::move(all_);
}

// Of whole delays, and of what the formula rounds.
void varied::roundings() {
  struct rounds {
    operation op;
    char const* how;
    char const* to;
  };
  constexpr std::array all{rounds{operation::floor, "down", "down to a"}, rounds{operation::ceil, "up", "up to a"},
                           rounds{operation::round, "to the nearest", "to the nearest"}};
  auto const is_rounding = [](expression const& e) {
    return e.op == operation::floor || e.op == operation::ceil || e.op == operation::round;
  };
  add("not-rounded", "does not round",
      [&](expression const& e) { return is_rounding(e) ? maybe(e.of[0]) : std::nullopt; });
  for (auto const& [op, how, to] : all) {
    add("rounded", fmt::format("rounds {}", how), [&](expression const& e) {
      return is_rounding(e) && e.op != op ? maybe(expression_of(op, e.of)) : std::nullopt;
    });
  }
  for (std::int64_t const unit : {1, 10, 100, 1'000}) {
    for (auto const& [op, how, to] : all) {
      auto other = *p_;
      each_delay(other, [&](formula& f) { f.tree = two(op, f.tree, number_of(unit)); });
      add("rounded",
          fmt::format("rounds delays {} {}", to, unit == 1 ? "whole number" : fmt::format("multiple of {}", unit)),
          std::move(other));
    }
  }
  add("rounded", "rounds a quotient down",
      [](expression const& e) { return e.op == operation::divide ? maybe(floor_of(e)) : std::nullopt; });
}

void varied::parameters() {
  for (unsigned i = 0; i < p_->n(); ++i) {
    auto const& parameter = p_->named_by(i);
    if (!parameter.choices.empty()) continue;
    auto const taken = [&](std::string const& name, std::string sentence, expression const& for_it) {
      auto other = *p_;
      rule const by = [&](expression const& e) -> maybe {
        bool const asks = e.op == operation::choose && asks_whether_set(e.of[0], i);
        bool const is_argument = i >= p_->parameters.size();  // which has no default: the formula is its author's
        if (asks && is_argument && for_it.uses(i))
          return chosen(e.of[0], with(e.of[1], i, for_it), with(e.of[2], i, for_it));
        if (asks) return with(for_it, i, e);
        return e.op == operation::name && e.name == i ? maybe(for_it) : std::nullopt;
      };
      bool any = false;
      each_formula(other, [&](formula& f) { f.tree = changed(f.tree, by, any); });
      if (any) add(name + parameter.name, std::move(sentence), std::move(other));
    };
    if (parameter.scale != 0) taken("truncated-", "cuts " + parameter.name + " to a whole number", floor_of(named(i)));
    auto const units = parameter.units();
    auto const constant = [&](rational const& n, std::string const& text) {
      taken("ignored-", fmt::format("ignores {}: it is always {}", parameter.name, text), number_of(n));
    };
    if (parameter.by_default) {
      constant(rational(*parameter.by_default) / units,
               fmt::format("{}, its default", static_cast<double>(*parameter.by_default) / static_cast<double>(units)));
    }
    for (auto const& [n, text] : {std::pair{rational(0), "0"},
                                  {rational(1), "1"},
                                  {rational(2), "2"},
                                  {rational(1) / 2, "0.5"},
                                  {rational(1) / 10, "0.1"},
                                  {rational(1) / 5, "0.2"},
                                  {rational(1) / 4, "0.25"},
                                  {rational(3) / 2, "1.5"},
                                  {rational(3), "3"},
                                  {rational(10), "10"},
                                  {rational(100), "100"},
                                  {rational(1'000), "1000"},
                                  {rational(30), "30"},
                                  {rational(60), "60"},
                                  {rational(30'000), "30000"},
                                  {rational(60'000), "60000"}}) {
      bool const is_one_of_them = n * units >= parameter.low && n * units <= parameter.high;
      if (is_one_of_them || n == 0) constant(n, text);
    }
    for (auto const& [factor, what] :
         {std::pair{rational(1'000), "a thousand times"}, {rational(1) / 1'000, "a thousandth of"}}) {
      taken("unit-of-", fmt::format("takes {} {}, as if a unit were mistaken", what, parameter.name),
            times(named(i), factor));
    }
  }
}

// A parameter is taken for unset, or for one of its words: in every formula, or only in those of the delay.
void varied::words() {
  for (unsigned i = 0; i < p_->n(); ++i) {
    auto const& parameter = p_->named_by(i);
    auto const always = [&](rational const& value, std::string_view text) {
      rule const by = [&](expression const& e) -> maybe {
        return e.op == operation::name && e.name == i ? maybe(number_of(value)) : std::nullopt;
      };
      auto everywhere = *p_;
      each_formula(everywhere, [&](formula& f) { f.tree = rewritten(f.tree, by); });
      auto in_delays = *p_;
      bool elsewhere = false;
      for (auto* all : {&in_delays.window, &in_delays.delay, &in_delays.first}) {
        for (auto& f : *all) f.tree = rewritten(f.tree, by);
      }
      each_formula(in_delays, [&](formula const& f) { elsewhere |= f.tree.uses(i); });
      add("ignored-" + parameter.name, fmt::format("ignores {}: it is always {}", parameter.name, text),
          std::move(everywhere));
      if (!elsewhere) return;
      add("ignored-" + parameter.name, fmt::format("ignores {} in its delays: it is always {}", parameter.name, text),
          std::move(in_delays));
    };
    if (parameter.may_be_unset) always(unset(), "unset");
    for (std::size_t k = 0; k < parameter.choices.size(); ++k) always(word_value(k), parameter.choices[k]);
  }
}

// Under which a retry is granted, counts, or begins a fresh cycle.
void varied::conditions() {
  auto const without = [&](std::string name, std::string sentence, auto part) {
    auto other = *p_;
    if (part(other)) add(std::move(name), std::move(sentence), std::move(other));
  };
  without("counts-every-retry", "counts each retry, also where the condition of counts fails",
          [](policy& p) { return std::exchange(p.counts, std::nullopt).has_value(); });
  without("never-begins-anew", "does not begin a fresh cycle by the condition of reset",
          [](policy& p) { return std::exchange(p.renews, std::nullopt).has_value(); });
  without("goes-on", "grants retries whatever the condition of while says",
          [](policy& p) { return !std::exchange(p.going_on, {}).empty(); });
  auto const otherwise = [&](std::string name, std::string sentence, rule const& by) {
    auto other = *p_;
    bool any = false;
    for (auto& f : other.going_on) f.tree = changed(f.tree, by, any);
    if (any) add(std::move(name), std::move(sentence), std::move(other));
  };
  otherwise("time-without-the-delay", "leaves the delay out of the condition of while", [&](expression const& e) {
    return e.op == operation::name && e.name == p_->delay_name() ? maybe(number_of(0)) : std::nullopt;
  });
  otherwise("time-with-the-delay", "adds the delay to the time in the condition of while",
            [&](expression const& e) -> maybe {
              if (e.op == operation::add && e.uses(p_->delay_name())) return e;
              if (e.op != operation::name || e.name != p_->elapsed()) return std::nullopt;
              return two(operation::add, e, named(p_->delay_name()));
            });
  rule const at_the_edge = [](expression const& e) -> maybe {
    using enum operation;
    auto const op = e.op == less ? at_most : e.op == at_most ? less : e.op == greater ? at_least : greater;
    bool const is_order = e.op == less || e.op == at_most || e.op == greater || e.op == at_least;
    return is_order ? maybe(two(op, e.of[0], e.of[1])) : std::nullopt;
  };
  otherwise("edge-of-while", "takes the other side where both sides of the condition of while are equal", at_the_edge);
  for (auto const& [name, part] : {std::pair{"reset", &policy::renews}, {"counts", &policy::counts}}) {
    auto other = *p_;
    bool any = false;
    if (auto& f = other.*part) f->tree = changed(f->tree, at_the_edge, any);
    if (any)
      add(fmt::format("edge-of-{}", name),
          fmt::format("takes the other side where both sides of the condition of {} are equal", name),
          std::move(other));
  }
}

void varied::limits() {
  if (p_->attempts.empty()) return;
  auto const limited = [&](std::string name, std::string sentence, auto by) {
    auto other = *p_;
    for (auto& f : other.attempts) f.tree = by(f.tree);
    add(std::move(name), std::move(sentence), std::move(other));
  };
  auto never = number_of(1'000'000'000);
  limited("one-attempt-too-many", "grants one retry more than its limit", [](auto& e) { return plus(e, 1); });
  limited("one-attempt-too-few", "grants one retry fewer than its limit, as if the limit counted the first try",
          [](auto& e) { return plus(e, -1); });
  limited("never-gives-up", "never gives up", [&](auto&) { return expression(never); });
  limited("0-is-no-limit", "takes a limit of 0 for no limit",
          [&](auto& e) { return chosen(two(operation::equal, e, number_of(0)), never, e); });
}

void varied::firsts() {
  auto other = *p_;
  if (p_->first.empty()) {
    other.first = {p_->delay.front()};
    other.first.front().tree = number_of(0);
    add("first-at-once", "does not wait before the first retry", std::move(other));
    return;
  }
  for (auto& f : other.first) f.tree = p_->delay.front().tree;
  add("first-as-the-others", "has no formula of its own for the first delay", std::move(other));
}

std::vector<variation> variations_of(policy const& p) { return varied(p).all(); }

}  // namespace backoff::policies
