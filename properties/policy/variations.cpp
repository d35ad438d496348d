#include "policy/variations.hpp"

#include <functional>
#include <optional>
#include <utility>

namespace backoff::declared {
namespace {

using spec::rational;
using expressions = std::vector<expression>;

// What a part of a formula becomes; nothing where it stays.
using rule = std::function<std::optional<expression>(expression const&)>;

expression plus(expression a, std::int64_t n) { return expression_of(operation::add, {std::move(a), number_of(n)}); }

// The formula, with every part replaced to which the rule applies. The rule is not applied again inside what it made.
expression changed(expression const& e, rule const& by, bool& any) {
  if (auto other = by(e)) {
    any = true;
    return *std::move(other);
  }
  if (e.of.empty()) return e;
  expressions of;
  for (auto const& part : e.of) of.push_back(changed(part, by, any));
  return expression_of(e.is, std::move(of));
}

class varied {
 public:
  explicit varied(policy const& p) : p_(&p) {}

  std::vector<variation> all() {
    counts();
    bounds();
    draws();
    growth();
    parameters();
    limits();
    firsts();
    return std::move(all_);
  }

 private:
  // Whether the rule applied.
  static bool apply(policy& to, rule const& by) {
    bool any = false;
    for (auto* all : {&to.window, &to.delay, &to.first}) {
      for (auto& f : *all) f.tree = changed(f.tree, by, any);
    }
    return any;
  }

  void add(std::string name, std::string sentence, policy of) {
    all_.push_back({std::move(name), std::move(sentence), std::move(of)});
  }
  void add(std::string name, std::string sentence, rule const& by) {
    auto other = *p_;
    if (apply(other, by)) add(std::move(name), std::move(sentence), std::move(other));
  }

  [[nodiscard]] bool counts_retries(expression const& e) const noexcept {
    return e.uses(p_->n()) || e.uses(p_->attempt());
  }

  void counts() {
    auto const by = [&](std::int64_t more) -> rule {
      return [this, more](expression const& e) -> std::optional<expression> {
        bool const is_attempt = e.is == operation::name && e.name == p_->attempt();
        if (!is_attempt && (e.is != operation::name || e.name != p_->n())) return std::nullopt;
        return expression_of(operation::max, {plus(e, more), number_of(is_attempt ? 1 : 0)});
      };
    };
    add("count-ahead", "counts one retry more in its formula, as if it began with the second", by(1));
    add("count-behind", "counts one retry less in its formula, as if the first did not count", by(-1));
  }

  // A least of several values of which some stay the same: these bound the others.
  struct bounded {
    expression bound;
    expression rest;
  };
  [[nodiscard]] std::optional<bounded> bounded_by(expression const& e) const {
    if (e.is != operation::min) return std::nullopt;
    expressions bound;
    expressions rest;
    for (auto const& part : e.of) (p_->stays(part) ? bound : rest).push_back(part);
    if (bound.empty() || rest.empty()) return std::nullopt;
    auto const least = [](expressions of) {
      return of.size() == 1 ? of.front() : expression_of(operation::min, std::move(of));
    };
    return bounded{least(std::move(bound)), least(std::move(rest))};
  }
  [[nodiscard]] std::string words_of(expression const& e) const {
    if (e.is == operation::name) return p_->parameters[e.name].name;
    bool const is_whole = e.is == operation::number && denominator(e.number) == 1;
    return is_whole ? numerator(e.number).str() : "its bound";
  }

  // Growing parts that do not draw, each bounded by itself.
  [[nodiscard]] expression bounded_inside(expression const& e, expression const& bound) const {
    bool any = false;
    return changed(
        e,
        [&](expression const& part) -> std::optional<expression> {
          if (part.draws || p_->stays(part)) return std::nullopt;
          return expression_of(operation::min, {bound, part});
        },
        any);
  }

  void bounds() {
    std::optional<expression> found;
    rule const uncapped = [&](expression const& e) -> std::optional<expression> {
      auto const b = bounded_by(e);
      if (!b) return std::nullopt;
      found = b->bound;
      return b->rest;
    };
    auto without = *p_;
    if (!apply(without, uncapped) || !found) return;
    auto const bound = words_of(*found);
    add("never-caps", "does not bound its delays by " + bound, without);
    if (!p_->draws()) return;
    auto const least = [&](policy to) {
      for (auto* all : {&to.delay, &to.first}) {
        for (auto& f : *all) f.tree = expression_of(operation::min, {*found, f.tree});
      }
      return to;
    };
    add("caps-the-delay", "bounds the delay by " + bound + " after the draw, not what it draws from", least(without));
    add("caps-before-the-draw", "bounds what it draws from by " + bound + ", not the delay after the draw",
        [&](expression const& e) -> std::optional<expression> {
          auto const b = bounded_by(e);
          if (!b || !b->rest.draws) return std::nullopt;
          return bounded_inside(b->rest, b->bound);
        });
    add("caps-twice", "bounds the delay by " + bound + " once more, after the draw", least(*p_));
  }

  void draws() {
    auto const ends = [](auto of) -> rule {
      return [of](expression const& e) -> std::optional<expression> {
        if (!draws_itself(e.is)) return std::nullopt;
        auto [low, high] = of(e.is == operation::integer, e.of[0], e.of[1]);
        return expression_of(e.is, {std::move(low), std::move(high)});
      };
    };
    using two = std::pair<expression, expression>;
    auto const middle = [](bool is_whole, expression const& low, expression const& high) {
      auto const half = expression_of(operation::divide, {expression_of(operation::add, {low, high}), number_of(2)});
      return is_whole ? expression_of(operation::floor, {half}) : half;
    };
    auto const longest = ends([](bool, auto const&, auto const& high) { return two{high, high}; });
    auto const average = ends([=](bool is_whole, auto const& low, auto const& high) {
      auto const m = middle(is_whole, low, high);
      return two{m, m};
    });
    add("no-jitter", "does not draw: it always waits the longest delay", longest);
    add("no-jitter-in-the-middle", "does not draw: it always waits the delay in the middle", average);
    add("no-jitter-at-all", "does not draw: it always waits the shortest delay",
        ends([](bool, auto const& low, auto const&) { return two{low, low}; }));
    add("upper-half", "draws from the upper half alone",
        ends([=](bool is_whole, auto const& low, auto const& high) { return two{middle(is_whole, low, high), high}; }));
    add("lower-half", "draws from the lower half alone",
        ends([=](bool is_whole, auto const& low, auto const& high) { return two{low, middle(is_whole, low, high)}; }));
    add("draws-from-0", "draws from 0 on",
        ends([](bool, auto const&, auto const& high) { return two{number_of(0), high}; }));
    without_draws_at_the_bound("no-jitter-at-the-cap", "does not draw where the window has reached its bound", longest);
    without_draws_at_the_bound(
        "no-jitter-at-the-cap",
        "does not draw where the window has reached its bound, and waits the delay in the middle", average);
  }

  void without_draws_at_the_bound(std::string name, std::string sentence, rule const& fixed) {
    std::optional<expression> bound;
    for (auto const& f : p_->window) {
      if (auto const b = bounded_by(f.tree)) bound = b->bound;
    }
    if (!bound) return;
    add(std::move(name), std::move(sentence), [&](expression const& e) -> std::optional<expression> {
      if (!e.draws || !e.uses(p_->window_name())) return std::nullopt;
      bool any = false;
      auto const is_below = expression_of(operation::less, {named(p_->window_name()), *bound});
      return expression_of(operation::choose, {is_below, e, changed(e, fixed, any)});
    });
  }

  // In place of each power whose exponent counts retries.
  void power(std::string name, std::string sentence, std::function<expression(expression const&)> const& by) {
    add(std::move(name), std::move(sentence), [&](expression const& e) -> std::optional<expression> {
      if (e.is != operation::power || !counts_retries(e.of[1])) return std::nullopt;
      return by(e);
    });
  }

  // In place of each product of such a power and a base that counts none.
  void product(std::string name, std::string sentence,
               std::function<expression(expression const& base, expression const& power)> const& by) {
    add(std::move(name), std::move(sentence), [&](expression const& e) -> std::optional<expression> {
      bool const is_product = e.is == operation::multiply && e.of[1].is == operation::power;
      if (!is_product || !counts_retries(e.of[1].of[1]) || counts_retries(e.of[0])) return std::nullopt;
      return by(e.of[0], e.of[1]);
    });
  }

  void growth() {
    power("linear", "grows by the same step at each retry, where it should multiply",
          [](expression const& e) { return plus(e.of[1], 1); });
    power("linear", "grows by the same step at each retry, where it should multiply",
          [](expression const& e) { return e.of[1]; });
    power("square", "grows with the square of the retries, where it should multiply",
          [](expression const& e) { return expression_of(operation::power, {plus(e.of[1], 1), number_of(2)}); });
    power("constant", "does not grow", [](expression const&) { return number_of(1); });
    power("doubles", "doubles, whatever its factor is",
          [](expression const& e) { return expression_of(operation::power, {number_of(2), e.of[1]}); });
    for (std::int64_t const more : {0, 1}) {
      product("power-of-base", "raises the base to the power of the retries, in place of the factor",
              [&](expression const& base, expression const& power) {
                return expression_of(operation::power, {base, plus(power.of[1], more)});
              });
    }
    product("without-the-base", "leaves the base out, and takes the power alone",
            [](expression const&, expression const& power) { return power; });
    if (!p_->prev) return;
    add("forgets-the-delay-before", "counts what stands before the first delay as the delay before, at each retry",
        [&](expression const& e) -> std::optional<expression> {
          if (e.is != operation::name || e.name != p_->previous()) return std::nullopt;
          return p_->prev->tree;
        });
  }

  void parameters() {
    for (unsigned i = 0; i < p_->parameters.size(); ++i) {
      if (p_->parameters[i].scale == 0) continue;
      add("truncated-" + p_->parameters[i].name, "cuts " + p_->parameters[i].name + " to a whole number",
          [&](expression const& e) -> std::optional<expression> {
            if (e.is != operation::name || e.name != i) return std::nullopt;
            return expression_of(operation::floor, {e});
          });
    }
  }

  void limits() {
    if (p_->attempts.empty()) return;
    auto const limited = [&](std::string name, std::string sentence, auto by) {
      auto other = *p_;
      for (auto& f : other.attempts) f.tree = by(f.tree);
      add(std::move(name), std::move(sentence), std::move(other));
    };
    limited("one-attempt-too-many", "grants one retry more than its limit", [](auto& e) { return plus(e, 1); });
    limited("one-attempt-too-few", "grants one retry less than its limit, as if that counted the first try",
            [](auto& e) { return plus(e, -1); });
    limited("never-gives-up", "never gives up", [](auto&) { return number_of(1'000'000'000); });
  }

  void firsts() {
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

  policy const* p_;
  std::vector<variation> all_;
};

}  // namespace

std::vector<variation> variations_of(policy const& p) { return varied(p).all(); }

}  // namespace backoff::declared
