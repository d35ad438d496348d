#include "policies/variations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <optional>
#include <utility>

namespace backoff::policies {
namespace {

using spec::rational;
using expressions = std::vector<expression>;

// What a part of a formula becomes; nothing where it stays.
using rule = std::function<std::optional<expression>(expression const&)>;

expression two(operation op, expression a, expression b) { return expression_of(op, {std::move(a), std::move(b)}); }
expression plus(expression a, std::int64_t n) { return two(operation::add, std::move(a), number_of(n)); }
expression less(expression a, expression b) { return two(operation::subtract, std::move(a), std::move(b)); }
expression times(expression a, rational const& n) { return two(operation::multiply, std::move(a), number_of(n)); }
expression floor_of(expression a) { return expression_of(operation::floor, {std::move(a)}); }
// What is left of it when it is divided by n.
expression modulo(expression const& a, rational const& n) {
  return less(a, times(floor_of(two(operation::divide, a, number_of(n))), n));
}

// The formula, with every part replaced to which the rule applies. The rule is not applied again inside what it made.
expression changed(expression const& e, rule const& by, bool& any) {
  if (auto other = by(e)) {
    any = true;
    return *std::move(other);
  }
  if (e.of.empty()) return e;
  expressions of;
  for (auto const& part : e.of) of.push_back(changed(part, by, any));
  return expression_of(e.op, std::move(of));
}

class varied {
 public:
  explicit varied(policy const& p) : p_(&p) {}

  std::vector<variation> all() {
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

  // In place of the count of retries; from: what the formula counts from.
  void count(std::string name, std::string sentence,
             std::function<expression(expression const& count, std::int64_t from)> const& by) {
    add(std::move(name), std::move(sentence), [&](expression const& e) -> std::optional<expression> {
      bool const is_attempt = e.op == operation::name && e.name == p_->attempt();
      if (!is_attempt && (e.op != operation::name || e.name != p_->n())) return std::nullopt;
      return by(e, is_attempt ? 1 : 0);
    });
  }

  void counts() {
    char const* const too_many = "counts one retry too many in its formula";
    char const* const too_few = "counts one retry too few in its formula";
    count("count-ahead", too_many, [](auto const& e, std::int64_t) { return plus(e, 1); });
    count("count-behind", too_few,
          [](auto const& e, std::int64_t from) { return two(operation::max, plus(e, -1), number_of(from)); });
    count("count-behind", too_few, [](auto const& e, std::int64_t) { return plus(e, -1); });
    for (unsigned const bits : {16U, 32U, 64U}) {
      count("count-wraps", fmt::format("counts retries modulo {} in its formula", bits),
            [=](auto const& e, std::int64_t) { return modulo(e, bits); });
    }
    for (std::int64_t const most : {1, 2, 3, 4, 5, 6, 8, 10, 15, 16, 20, 30, 31, 32, 62, 63}) {
      count("stops-counting", fmt::format("counts no more than {} retries in its formula", most),
            [=](auto const& e, std::int64_t from) { return two(operation::min, e, number_of(most + from)); });
    }
  }

  // A least of several values of which some stay the same: these bound the others.
  struct bounded {
    expression bound;
    expression rest;
  };
  [[nodiscard]] std::optional<bounded> bounded_by(expression const& e) const {
    if (e.op != operation::min) return std::nullopt;
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
    if (e.op == operation::name) return p_->parameters[e.name].name;
    bool const is_whole = e.op == operation::number && e.number.is_whole();
    return is_whole ? numerator(e.number).str() : "its bound";
  }

  // A product without the factor that draws; nothing where all of it draws.
  static std::optional<expression> fixed_factor(expression const& e) {
    if (!e.draws) return e;
    if (e.op != operation::multiply) return std::nullopt;
    auto a = fixed_factor(e.of[0]);
    auto b = fixed_factor(e.of[1]);
    if (!a || !b) return a ? a : b;
    return two(operation::multiply, *std::move(a), *std::move(b));
  }
  static expression drawing_factor(expression const& e) {
    return e.op == operation::multiply ? drawing_factor(e.of[e.of[0].draws ? 0 : 1]) : e;
  }

  // Growing parts that do not draw, each bounded by itself.
  [[nodiscard]] expression bounded_inside(expression const& e, expression const& bound) const {
    bool any = false;
    return changed(
        e,
        [&](expression const& part) -> std::optional<expression> {
          auto const fixed = fixed_factor(part);
          if (!fixed || p_->stays(*fixed)) return std::nullopt;
          auto least = two(operation::min, bound, *fixed);
          return part.draws ? two(operation::multiply, drawing_factor(part), std::move(least)) : least;
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
    add("greater-for-less", "takes the larger of the delay and " + bound + ", not the smaller",
        [&](expression const& e) -> std::optional<expression> {
          auto const b = bounded_by(e);
          return b ? std::optional(two(operation::max, b->rest, b->bound)) : std::nullopt;
        });
    add("0-is-no-bound", "takes " + bound + " = 0 for no bound", [&](expression const& e) -> std::optional<expression> {
      auto const b = bounded_by(e);
      if (!b) return std::nullopt;
      return expression_of(operation::choose, {two(operation::equal, b->bound, number_of(0)), b->rest, e});
    });
    if (p_->first.empty() && p_->delay.front().tree.draws == p_->draws()) {
      add("first-uncapped", "does not bound its first delay by " + bound,
          [&](expression const& e) -> std::optional<expression> {
            auto const b = bounded_by(e);
            if (!b || b->rest.draws) return std::nullopt;
            return expression_of(operation::choose, {is_first(), b->rest, e});
          });
    }
    if (!p_->draws()) return;
    auto const least = [&](policy to) {
      for (auto* all : {&to.delay, &to.first}) {
        for (auto& f : *all) f.tree = expression_of(operation::min, {*found, f.tree});
      }
      return to;
    };
    add("caps-the-delay", "bounds the delay by " + bound + " after the draw, not what it draws from", least(without));
    bool const is_added = std::ranges::any_of(p_->delay, [&](formula const& f) {
      auto const b = bounded_by(f.tree);
      return b && b->rest.op == operation::add;
    });
    add("caps-before-the-draw",
        is_added ? "applies the bound " + bound + " before the random part is added"
                 : "bounds by " + bound + " what it draws from, not the delay that it draws",
        [&](expression const& e) -> std::optional<expression> {
          auto const b = bounded_by(e);
          if (!b || !b->rest.draws) return std::nullopt;
          return bounded_inside(b->rest, b->bound);
        });
    add("caps-twice", "bounds the delay by " + bound + " once more, after the draw", least(*p_));
  }

  [[nodiscard]] expression is_first() const { return two(operation::equal, named(p_->n()), number_of(0)); }

  // Other ends for each draw; of: the two, by whether they are whole, and by those that it has.
  template <class Of>
  static rule ends(Of of) {
    return [of](expression const& e) -> std::optional<expression> {
      if (!draws_itself(e.op)) return std::nullopt;
      auto [low, high] = of(e.op == operation::integer, e.of[0], e.of[1]);
      return two(e.op, std::move(low), std::move(high));
    };
  }
  static expression middle(bool is_whole, expression const& low, expression const& high) {
    auto half = two(operation::divide, two(operation::add, low, high), number_of(2));
    return is_whole ? floor_of(std::move(half)) : half;
  }

  void draws() {
    using two = std::pair<expression, expression>;
    auto const longest = ends([](bool, auto const&, auto const& high) { return two{high, high}; });
    auto const average = ends([](bool is_whole, auto const& low, auto const& high) {
      auto const m = middle(is_whole, low, high);
      return two{m, m};
    });
    add("no-jitter", "does not draw: it always waits the longest delay", longest);
    add("no-jitter-in-the-middle", "does not draw: it always waits the delay in the middle", average);
    add("no-jitter-at-all", "does not draw: it always waits the shortest delay",
        ends([](bool, auto const& low, auto const&) { return two{low, low}; }));
    add("upper-half", "draws from the upper half alone",
        ends([](bool is_whole, auto const& low, auto const& high) { return two{middle(is_whole, low, high), high}; }));
    add("lower-half", "draws from the lower half alone",
        ends([](bool is_whole, auto const& low, auto const& high) { return two{low, middle(is_whole, low, high)}; }));
    add("draws-from-0", "draws from 0, not from its lower end",
        ends([](bool, auto const&, auto const& high) { return two{number_of(0), high}; }));
    without_draws_at_the_bound("no-jitter-at-the-cap", "does not draw where the window has reached its bound", longest);
    without_draws_at_the_bound(
        "no-jitter-at-the-cap",
        "does not draw where the window has reached its bound, and waits the delay in the middle", average);
  }

  // A draw from as much to either side, or from one side; from more or less; from what the delay grows from.
  void widths() {
    if (!p_->draws()) return;
    using pair = std::pair<expression, expression>;
    whole_ranges();
    char const* const around = "draws on both sides of the shortest delay, half of the range to each side";
    auto const range = [](auto const& low, auto const& high) { return less(high, low); };
    auto const half = [](bool is_whole, expression const& width) {
      auto part = two(operation::divide, width, number_of(2));
      return is_whole ? floor_of(std::move(part)) : part;
    };
    add("both-sides", around, ends([=](bool is_whole, auto const& low, auto const& high) {
          auto const part = half(is_whole, range(low, high));
          return pair{less(low, part), less(high, part)};
        }));
    add("both-sides", "draws on both sides of the shortest delay in place of one",
        ends([=](bool, auto const& low, auto const& high) { return pair{less(low, range(low, high)), high}; }));
    char const* const down = "subtracts the random part in place of adding it";
    add("one-side", down,
        ends([=](bool, auto const& low, auto const& high) { return pair{less(low, range(low, high)), low}; }));
    add("one-side", down, [=](expression const& e) -> std::optional<expression> {
      if (!draws_itself(e.op)) return std::nullopt;
      return less(e.of[0], two(e.op, number_of(0), range(e.of[0], e.of[1])));
    });
    add("shifted", "draws from 0 to the width of its range, and does not add its lower end",
        ends([=](bool, auto const& low, auto const& high) { return pair{number_of(0), range(low, high)}; }));
    add("end-off", "never draws the upper end",
        whole_ends([](auto const& low, auto const& high) { return pair{low, plus(high, -1)}; }));
    add("end-off", "also draws the upper end plus 1",
        whole_ends([](auto const& low, auto const& high) { return pair{low, plus(high, 1)}; }));
    add("end-off", "never draws the lower end",
        whole_ends([](auto const& low, auto const& high) { return pair{plus(low, 1), high}; }));
    add("end-off", "draws a number that is 1 too large",
        whole_ends([](auto const& low, auto const& high) { return pair{plus(low, 1), plus(high, 1)}; }));
    for (auto const& [factor, much] : {std::pair{rational(1) / 2, "half"},
                                       {rational(2), "double"},
                                       {rational(1) / 10, "a tenth of"},
                                       {rational(10), "ten times"},
                                       {rational(1) / 4, "a quarter of"},
                                       {rational(4), "four times"},
                                       {rational(1) / 100, "a hundredth of"},
                                       {rational(100), "a hundred times"},
                                       {rational(1) / 1'000, "a thousandth of"},
                                       {rational(1'000), "a thousand times"}}) {
      auto const sentence = fmt::format("draws from {} the width of its range", much);
      auto const scaled = [factor](bool is_whole, expression const& width) {
        return is_whole ? floor_of(times(width, factor)) : times(width, factor);
      };
      add("width", sentence, ends([=](bool is_whole, auto const& low, auto const& high) {
            return pair{low, two(operation::add, low, scaled(is_whole, range(low, high)))};
          }));
      add("width", sentence + ", about its middle", ends([=](bool is_whole, auto const& low, auto const& high) {
            auto const m = middle(is_whole, low, high);
            auto const part = half(is_whole, scaled(is_whole, range(low, high)));
            return pair{less(m, part), two(operation::add, m, part)};
          }));
    }
    char const* const whole = "draws whole numbers";
    add("draws-whole-numbers", whole, [](expression const& e) -> std::optional<expression> {
      if (e.op != operation::uniform) return std::nullopt;
      return floor_of(two(e.op, e.of[0], plus(floor_of(e.of[1]), 1)));
    });
    // A random part that is added becomes a random factor; one that grows is drawn as at the first delay.
    auto const factor = [](bool is_a_share) {
      return [=](expression const& e) -> std::optional<expression> {
        bool const adds = e.op == operation::add && draws_itself(e.of[1].op);
        if (!adds) return std::nullopt;
        auto const& draw = e.of[1];
        auto const share = is_a_share ? two(operation::divide, draw, draw.of[1]) : draw;
        return two(operation::multiply, e.of[0], plus(share, 1));
      };
    };
    add("jitter-as-a-factor", "multiplies by 1 plus the random part in place of adding it", factor(false));
    add("jitter-as-a-factor", "adds a random share of the delay in place of the random part", factor(true));
    add("jitter-does-not-grow", "does not multiply its random part by the count",
        [&](expression const& e) -> std::optional<expression> {
          bool const multiplies = e.op == operation::multiply && draws_itself(e.of[0].op);
          if (!multiplies || e.of[1].has_power || !counts_retries(e.of[1])) return std::nullopt;
          return e.of[0];
        });
    for (int const by : {-1, 1}) {
      add("jitter-count",
          fmt::format("multiplies its random part by a count that is one too {}", by < 0 ? "low" : "high"),
          [&](expression const& e) -> std::optional<expression> {
            bool const multiplies = e.op == operation::multiply && draws_itself(e.of[0].op);
            if (!multiplies || e.of[1].has_power || !counts_retries(e.of[1])) return std::nullopt;
            return two(operation::multiply, e.of[0], plus(e.of[1], by));
          });
    }
    of_the_first_window();
    choices();
  }

  template <class Of>
  static rule whole_ends(Of of) {
    return [of](expression const& e) -> std::optional<expression> {
      if (e.op != operation::integer) return std::nullopt;
      auto [low, high] = of(e.of[0], e.of[1]);
      return two(e.op, std::move(low), std::move(high));
    };
  }

  // Full jitter and equal jitter.
  void whole_ranges() {
    auto const longest = ends([](bool, auto const&, auto const& high) { return std::pair{high, high}; });
    auto const from = [&](std::string name, std::string sentence, auto low) {
      auto other = *p_;
      for (auto* all : {&other.delay, &other.first}) {
        for (auto& f : *all) {
          if (!f.tree.draws) continue;
          auto const op = f.tree.draws_whole ? operation::integer : operation::uniform;
          bool any = false;
          // Its ends are the same, so that it only says how long the delay can be.
          auto const most = without_draws(changed(f.tree, longest, any));
          f.tree = two(op, low(f.tree.draws_whole, most), most);
        }
      }
      add(std::move(name), std::move(sentence), std::move(other));
    };
    from("full-jitter", "draws from 0 to the longest delay (full jitter)",
         [](bool, auto const&) { return number_of(0); });
    from("equal-jitter", "draws from the upper half of the longest delay (equal jitter)",
         [](bool is_whole, auto const& most) { return middle(is_whole, number_of(0), most); });
  }
  // Of a draw between equal ends, that end.
  static expression without_draws(expression const& e) {
    bool any = false;
    return changed(
        e,
        [](expression const& part) -> std::optional<expression> {
          return draws_itself(part.op) ? std::optional(part.of[1]) : std::nullopt;
        },
        any);
  }

  // The random part of each delay is that of the first.
  void of_the_first_window() {
    if (p_->window.empty()) return;
    auto const first = at_first(p_->window.front().tree);
    auto const window = named(p_->window_name());
    auto const with = [&](expression const& e, expression const& by) {
      bool any = false;
      return changed(
          e,
          [&](expression const& part) -> std::optional<expression> {
            return part.op == operation::name && part.name == p_->window_name() ? std::optional(by) : std::nullopt;
          },
          any);
    };
    auto const is_of_the_window = [&](expression const& e) { return draws_itself(e.op) && e.uses(p_->window_name()); };
    auto const drawn_from = [&](expression const& by) -> rule {
      return [&, by](expression const& e) -> std::optional<expression> {
        if (!is_of_the_window(e)) return std::nullopt;
        auto const low = with(e.of[0], by);
        auto const high = with(e.of[1], by);
        if (!e.of[0].uses(p_->window_name())) return two(e.op, low, high);
        return two(operation::add, window, two(e.op, less(low, by), less(high, by)));
      };
    };
    add("jitter-does-not-grow", "draws the random part as for its first delay", drawn_from(first));
    if (first.op == operation::min) {
      for (auto const& part : first.of)
        add("jitter-does-not-grow", "draws the random part as for its first delay", drawn_from(part));
    }
    for (unsigned i = 0; i < p_->parameters.size(); ++i) {
      add("jitter-does-not-grow", "takes " + p_->parameters[i].name + " for the window in its random part",
          drawn_from(named(i)));
    }
    add("jitter-does-not-grow", "draws a random part that does not depend on the window", drawn_from(number_of(1)));
  }

  void choices() {
    auto const chosen = [&](std::string name, std::string sentence, auto of) {
      add(std::move(name), std::move(sentence), [&](expression const& e) -> std::optional<expression> {
        if (e.op != operation::choose || !e.draws) return std::nullopt;
        return of(e.of[0], e.of[1], e.of[2]);
      });
    };
    using part = expression const&;
    chosen("draws-always", "draws whatever the condition is",
           [](part, part yes, part no) { return yes.draws ? yes : no; });
    chosen("draws-never", "never draws, whatever the condition is", [&](part condition, part yes, part no) {
      // Both draw, the one between equal ends: what draws is of the same kind.
      auto const fixed = yes.draws ? no : yes;
      auto const& drawing = yes.draws ? yes : no;
      auto const none = times(drawing, 0);
      static_cast<void>(condition);
      return two(operation::add, none, fixed);
    });
    chosen("condition-reversed", "inverts its condition",
           [](part condition, part yes, part no) { return expression_of(operation::choose, {condition, no, yes}); });
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
      if (e.op != operation::power || !counts_retries(e.of[1])) return std::nullopt;
      return by(e);
    });
  }

  // In place of each product of such a power and a base that counts none.
  void product(std::string name, std::string sentence,
               std::function<expression(expression const& base, expression const& power)> const& by) {
    add(std::move(name), std::move(sentence), [&](expression const& e) -> std::optional<expression> {
      bool const is_product = e.op == operation::multiply && e.of[1].op == operation::power;
      if (!is_product || !counts_retries(e.of[1].of[1]) || counts_retries(e.of[0])) return std::nullopt;
      return by(e.of[0], e.of[1]);
    });
  }

  void growth() {
    char const* const linear = "adds a constant in place of multiplying";
    auto const by = [](operation op) { return [op](expression const& e) { return two(op, e.of[0], e.of[1]); }; };
    power("linear", linear, [](expression const& e) { return plus(e.of[1], 1); });
    power("linear", linear, [](expression const& e) { return e.of[1]; });
    power("linear", linear,
          [&](expression const& e) { return plus(two(operation::multiply, plus(e.of[0], -1), e.of[1]), 1); });
    power("linear", "multiplies the factor by the count in place of raising it to that power", by(operation::multiply));
    power("linear", "multiplies the factor by the count in place of raising it to that power", [](expression const& e) {
      auto const none = two(operation::equal, e.of[1], number_of(0));
      return expression_of(operation::choose, {none, number_of(1), two(operation::multiply, e.of[0], e.of[1])});
    });
    power("linear", "adds the count to the factor in place of raising the factor to that power", by(operation::add));
    for (std::int64_t const more : {1, 0}) {
      power("square", "grows with the square of the count of retries in place of multiplying",
            [=](expression const& e) { return two(operation::power, plus(e.of[1], more), number_of(2)); });
    }
    power("constant", "does not grow", [](expression const&) { return number_of(1); });
    power("doubles", "doubles, whatever its factor is",
          [](expression const& e) { return two(operation::power, number_of(2), e.of[1]); });
    for (auto const& [factor, how] : {std::pair{rational(2), "doubles"},
                                      {rational(3), "triples"},
                                      {rational(4), "grows fourfold"},
                                      {rational(10), "grows tenfold"},
                                      {rational(3) / 2, "grows by half"}}) {
      power("other-factor", fmt::format("{} at each retry, whatever its factor is", how),
            [&](expression const& e) { return two(operation::power, number_of(factor), e.of[1]); });
    }
    for (std::int64_t const more : {0, 1}) {
      product("power-of-base", more == 0 ? "computes base^n" : "computes base^(n+1)",
              [&](expression const& base, expression const& power) {
                return two(operation::power, base, plus(power.of[1], more));
              });
    }
    product("power-of-product", "raises the whole product to the power, not its last factor alone",
            [](expression const& base, expression const& power) {
              return two(operation::power, two(operation::multiply, base, power.of[0]), power.of[1]);
            });
    product("power-of-product",
            "raises the whole product to the power, not its last factor alone, from the second delay on",
            [](expression const& base, expression const& power) {
              auto const none = two(operation::equal, power.of[1], number_of(0));
              return expression_of(
                  operation::choose,
                  {none, base, two(operation::power, two(operation::multiply, base, power.of[0]), power.of[1])});
            });
    product("without-the-base", "leaves the base out and computes the power alone",
            [](expression const&, expression const& power) { return power; });
    add("without-a-part", "leaves out a term of its sum", [&](expression const& e) -> std::optional<expression> {
      if (e.op != operation::add) return std::nullopt;
      for (unsigned const i : {1U, 0U}) {
        if (p_->stays(e.of[i])) return e.of[1 - i];
      }
      return std::nullopt;
    });
  }

  // What an operator or a type makes of a power; powers of the count; delays made of the delay before.
  void powers() {
    power("xor", "computes the exclusive or of 2 and the count in place of the power", [](expression const& e) {
      auto const half = floor_of(two(operation::divide, e.of[1], number_of(2)));
      return less(plus(e.of[1], 2), times(modulo(half, 2), 4));
    });
    for (unsigned const bits : {16U, 31U, 32U, 63U, 64U}) {
      add("wraps", fmt::format("keeps {} bits of what it computes", bits),
          [&](expression const& e) -> std::optional<expression> {
            bool const is_product = e.op == operation::multiply || e.op == operation::power;
            if (!is_product || !e.has_power || e.draws || !counts_retries(e)) return std::nullopt;
            return modulo(e, rational(spec::integer{1} << bits));
          });
    }
    auto const of_the_count = [&](std::string name, std::string sentence, auto by) {
      add(std::move(name), std::move(sentence), [&](expression const& e) -> std::optional<expression> {
        if (e.op != operation::power || !counts_retries(e.of[0]) || counts_retries(e.of[1])) return std::nullopt;
        return by(e.of[0], e.of[1]);
      });
    };
    for (int const more : {-1, 1}) {
      of_the_count("other-power",
                   fmt::format("raises the count to a power that is one too {}", more < 0 ? "low" : "high"),
                   [&](auto const& n, auto const& k) { return two(operation::power, n, plus(k, more)); });
    }
    of_the_count("base-for-power", "swaps base and exponent",
                 [](auto const& n, auto const& k) { return two(operation::power, k, n); });
    of_the_count("linear", "multiplies the count in place of raising it to a power",
                 [](auto const& n, auto const& k) { return two(operation::multiply, n, k); });
    from_the_delay_before();
  }

  // The formula's value at the first retry.
  [[nodiscard]] expression at_first(expression const& e) const {
    bool any = false;
    return changed(
        e,
        [&](expression const& part) -> std::optional<expression> {
          if (part.op != operation::name) return std::nullopt;
          if (part.name == p_->n()) return number_of(0);
          return part.name == p_->attempt() ? std::optional(number_of(1)) : std::nullopt;
        },
        any);
  }

  void from_the_delay_before() {
    if (p_->prev) return;
    auto const with = [&](std::string name, std::string sentence, auto rounds) {
      auto other = *p_;
      other.prev = p_->delay.front();
      other.prev->tree = number_of(0);
      bool const any = apply(other, [&](expression const& e) -> std::optional<expression> {
        bool const is_power = e.op == operation::power && counts_retries(e.of[1]);
        bool const is_product = e.op == operation::multiply && e.of[1].op == operation::power && !e.of[0].draws &&
                                !counts_retries(e.of[0]) && counts_retries(e.of[1].of[1]);
        if (!is_power && !is_product) return std::nullopt;
        auto const& factor = is_power ? e.of[0] : e.of[1].of[0];
        auto const next = two(operation::multiply, named(p_->previous()), factor);
        return expression_of(operation::choose, {is_first(), rounds(at_first(e)), rounds(next)});
      });
      if (any) add(std::move(name), std::move(sentence), std::move(other));
    };
    if (p_->draws()) {
      with("compounds", "multiplies the delay before it, with its random part", [](expression e) { return e; });
      return;
    }
    for (auto const& [op, how] : {std::pair{operation::floor, "down"}, std::pair{operation::ceil, "up"},
                                  std::pair{operation::round, "to the nearest"}}) {
      with("rounds-each-step", fmt::format("rounds {} at each retry and multiplies the rounded delay", how),
           [op](expression e) { return expression_of(op, {std::move(e)}); });
    }
  }

  void previous() {
    if (!p_->prev) return;
    auto const prev = named(p_->previous());
    auto const is_prev = [&](expression const& e) { return e.op == operation::name && e.name == p_->previous(); };
    add("forgets-the-delay-before", "never updates prev: it stays at its first value",
        [&](expression const& e) -> std::optional<expression> {
          if (!is_prev(e)) return std::nullopt;
          return p_->prev->tree;
        });
    for (std::int64_t const factor : {1, 2, 3, 4}) {
      add("other-factor", fmt::format("multiplies prev by {}", factor),
          [&](expression const& e) -> std::optional<expression> {
            if (e.op != operation::multiply) return std::nullopt;
            bool const fits = (is_prev(e.of[0]) && p_->stays(e.of[1])) || (is_prev(e.of[1]) && p_->stays(e.of[0]));
            return fits ? std::optional(times(prev, factor)) : std::nullopt;
          });
    }
    add("draws-from-prev", "draws from prev on",
        ends([&](bool, auto const&, auto const& high) { return std::pair{prev, high}; }));
    auto const starts = [&](std::string const& with, expression tree) {
      auto other = *p_;
      other.prev->tree = std::move(tree);
      // Its ends may lie the other way round then.
      static_cast<void>(apply(other, ends([](bool, auto const& low, auto const& high) {
                                return std::pair{low, two(operation::max, low, high)};
                              })));
      add("start-of-prev", fmt::format("starts with prev = {}", with), std::move(other));
    };
    for (std::int64_t const n : {0, 1}) starts(std::to_string(n), number_of(n));
    for (unsigned i = 0; i < p_->parameters.size(); ++i) starts(p_->parameters[i].name, named(i));
  }

  // Of whole delays, and of what the formula rounds.
  void roundings() {
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
    add("not-rounded", "does not round", [&](expression const& e) -> std::optional<expression> {
      return is_rounding(e) ? std::optional(e.of[0]) : std::nullopt;
    });
    for (auto const& [op, how, to] : all) {
      add("rounded", fmt::format("rounds {}", how), [&](expression const& e) -> std::optional<expression> {
        return is_rounding(e) && e.op != op ? std::optional(expression_of(op, e.of)) : std::nullopt;
      });
    }
    for (std::int64_t const unit : {1, 10, 100, 1'000}) {
      for (auto const& [op, how, to] : all) {
        auto other = *p_;
        for (auto* formulas : {&other.delay, &other.first}) {
          for (auto& f : *formulas) f.tree = two(op, f.tree, number_of(unit));
        }
        add("rounded",
            fmt::format("rounds delays {} {}", to, unit == 1 ? "whole number" : fmt::format("multiple of {}", unit)),
            std::move(other));
      }
    }
    add("rounded", "rounds a quotient down", [](expression const& e) -> std::optional<expression> {
      return e.op == operation::divide ? std::optional(floor_of(e)) : std::nullopt;
    });
  }

  void parameters() {
    for (unsigned i = 0; i < p_->parameters.size(); ++i) {
      auto const& parameter = p_->parameters[i];
      auto const taken = [&](std::string const& name, std::string sentence, expression const& for_it) {
        auto other = *p_;
        rule const by = [&](expression const& e) -> std::optional<expression> {
          return e.op == operation::name && e.name == i ? std::optional(for_it) : std::nullopt;
        };
        bool any = apply(other, by);
        for (auto& f : other.attempts) f.tree = changed(f.tree, by, any);
        if (other.prev) other.prev->tree = changed(other.prev->tree, by, any);
        if (any) add(name + parameter.name, std::move(sentence), std::move(other));
      };
      if (parameter.scale != 0)
        taken("truncated-", "cuts " + parameter.name + " to a whole number", floor_of(named(i)));
      rational units = 1;
      for (unsigned k = 0; k < parameter.scale; ++k) units *= 10;
      auto const constant = [&](rational const& n, std::string const& text) {
        taken("ignored-", fmt::format("ignores {}: it is always {}", parameter.name, text), number_of(n));
      };
      if (parameter.by_default) {
        auto const n = rational(*parameter.by_default) / units;
        constant(n, fmt::format("{}, its default", fmt::format("{}", static_cast<double>(*parameter.by_default) /
                                                                         static_cast<double>(units))));
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

  void limits() {
    if (p_->attempts.empty()) return;
    auto const limited = [&](std::string name, std::string sentence, auto by) {
      auto other = *p_;
      for (auto& f : other.attempts) f.tree = by(f.tree);
      add(std::move(name), std::move(sentence), std::move(other));
    };
    limited("one-attempt-too-many", "grants one retry more than its limit", [](auto& e) { return plus(e, 1); });
    limited("one-attempt-too-few", "grants one retry fewer than its limit, as if the limit counted the first try",
            [](auto& e) { return plus(e, -1); });
    limited("never-gives-up", "never gives up", [](auto&) { return number_of(1'000'000'000); });
    limited("0-is-no-limit", "takes a limit of 0 for no limit", [](auto& e) {
      auto const none = two(operation::equal, e, number_of(0));
      return expression_of(operation::choose, {none, number_of(1'000'000'000), e});
    });
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

}  // namespace backoff::policies
