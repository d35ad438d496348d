// Variations that bound a delay otherwise, or not at all.
#include <algorithm>

#include "histories/present.hpp"
#include "policies/varied.hpp"

namespace backoff::policies {
namespace {

// A product without the factor that draws; nothing where all of it draws.
maybe fixed_factor(expression const& e) {
  if (!e.draws) return e;
  if (e.op != operation::multiply) return std::nullopt;
  auto a = fixed_factor(e.of[0]);
  auto b = fixed_factor(e.of[1]);
  if (!a || !b) return a ? a : b;
  return two(operation::multiply, *std::move(a), *std::move(b));
}
expression drawing_factor(expression const& e) {
  return e.op == operation::multiply ? drawing_factor(e.of[e.of[0].draws ? 0 : 1]) : e;
}

}  // namespace

std::optional<varied::bounded> varied::bounded_by(expression const& e) const {
  if (e.op != operation::min) return std::nullopt;
  std::vector<expression> bound;
  std::vector<expression> rest;
  for (auto const& part : e.of) (p_->stays(part) ? bound : rest).push_back(part);
  if (bound.empty() || rest.empty()) return std::nullopt;
  auto const least = [](std::vector<expression> of) {
    return of.size() == 1 ? of.front() : expression_of(operation::min, std::move(of));
  };
  return bounded{least(std::move(bound)), least(std::move(rest))};
}

std::string varied::words_of(expression const& e) const {
  if (e.op == operation::name) return p_->parameters[e.name].name;
  bool const is_whole = e.op == operation::number && e.number.is_whole();
  return is_whole ? numerator(e.number).str() : "its bound";
}

// Growing parts that do not draw, each bounded by itself.
expression varied::bounded_inside(expression const& e, expression const& bound) const {
  return changed(e, [&](expression const& part) -> maybe {
    auto const fixed = fixed_factor(part);
    if (!fixed || p_->stays(*fixed)) return std::nullopt;
    auto least = two(operation::min, bound, *fixed);
    return part.draws ? two(operation::multiply, drawing_factor(part), std::move(least)) : least;
  });
}

void varied::bounds() {
  maybe found;
  auto without = *p_;
  bool const is_bounded = replace(without, [&](expression const& e) -> maybe {
    auto const b = bounded_by(e);
    if (!b) return std::nullopt;
    found = b->bound;
    return b->rest;
  });
  if (!is_bounded) return;
  auto const bound = words_of(histories::present(found));
  // In place of each part that is bounded.
  auto const add_for = [&](std::string name, std::string sentence, auto by) {
    add(std::move(name), std::move(sentence), [&](expression const& e) -> maybe {
      auto const b = bounded_by(e);
      if (!b) return std::nullopt;
      return by(*b, e);
    });
  };
  add("never-caps", "does not bound its delays by " + bound, without);
  add_for("greater-for-less", "takes the larger of the delay and " + bound + ", not the smaller",
          [](bounded const& b, auto const&) { return two(operation::max, b.rest, b.bound); });
  add_for("0-is-no-bound", "takes " + bound + " = 0 for no bound", [](bounded const& b, auto const& e) {
    return chosen(two(operation::equal, b.bound, number_of(0)), b.rest, e);
  });
  if (p_->first.empty() && p_->delay.front().tree.draws == p_->draws()) {
    add_for("first-uncapped", "does not bound its first delay by " + bound, [&](bounded const& b, auto const& e) {
      return b.rest.draws ? std::nullopt : maybe(chosen(is_first(), b.rest, e));
    });
  }
  if (!p_->draws()) return;
  auto const least = [&](policy to) {
    each_delay(to, [&](formula& f) { f.tree = expression_of(operation::min, {*found, f.tree}); });
    return to;
  };
  add("caps-the-delay", "bounds the delay by " + bound + " after the draw, not what it draws from", least(without));
  bool const is_added = std::ranges::any_of(p_->delay, [&](formula const& f) {
    auto const b = bounded_by(f.tree);
    return b && b->rest.op == operation::add;
  });
  add_for("caps-before-the-draw",
          is_added ? "applies the bound " + bound + " before the random part is added"
                   : "bounds by " + bound + " what it draws from, not the delay that it draws",
          [&](bounded const& b, auto const&) {
            return b.rest.draws ? maybe(bounded_inside(b.rest, b.bound)) : std::nullopt;
          });
  add("caps-twice", "bounds the delay by " + bound + " once more, after the draw", least(*p_));
}

}  // namespace backoff::policies
