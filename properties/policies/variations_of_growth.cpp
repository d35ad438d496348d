// Variations that grow otherwise: by another count, power or product, or from another delay before.
#include <fmt/format.h>

#include <initializer_list>

#include "policies/varied.hpp"

namespace backoff::policies {

// In place of the count of retries; from: what the formula counts from.
void varied::count(std::string name, std::string sentence,
                   std::function<expression(expression const& count, std::int64_t from)> const& by) {
  add(std::move(name), std::move(sentence), [&](expression const& e) -> maybe {
    bool const is_attempt = e.op == operation::name && e.name == p_->attempt();
    if (!is_attempt && (e.op != operation::name || e.name != p_->n())) return std::nullopt;
    return by(e, is_attempt ? 1 : 0);
  });
}

// In place of each power whose exponent counts retries.
void varied::power(std::string name, std::string sentence, std::function<expression(expression const&)> const& by) {
  add(std::move(name), std::move(sentence), [&](expression const& e) -> maybe {
    if (e.op != operation::power || !counts_retries(e.of[1])) return std::nullopt;
    return by(e);
  });
}

// In place of each product of such a power and a base that counts none.
void varied::product(std::string name, std::string sentence,
                     std::function<expression(expression const& base, expression const& power)> const& by) {
  add(std::move(name), std::move(sentence), [&](expression const& e) -> maybe {
    bool const is_product = e.op == operation::multiply && e.of[1].op == operation::power;
    if (!is_product || !counts_retries(e.of[1].of[1]) || counts_retries(e.of[0])) return std::nullopt;
    return by(e.of[0], e.of[1]);
  });
}

void varied::counts() {
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

void varied::growth() {
  char const* const linear = "adds a constant instead of multiplying";
  auto const by = [](operation op) { return [op](expression const& e) { return two(op, e.of[0], e.of[1]); }; };
  power("linear", linear, [](expression const& e) { return plus(e.of[1], 1); });
  power("linear", linear, [](expression const& e) { return e.of[1]; });
  power("linear", linear,
        [&](expression const& e) { return plus(two(operation::multiply, plus(e.of[0], -1), e.of[1]), 1); });
  power("linear", "multiplies the factor by the count instead of raising it to that power", by(operation::multiply));
  power("linear", "multiplies the factor by the count instead of raising it to that power", [](expression const& e) {
    auto const none = two(operation::equal, e.of[1], number_of(0));
    return chosen(none, number_of(1), two(operation::multiply, e.of[0], e.of[1]));
  });
  power("linear", "adds the count to the factor instead of raising the factor to that power", by(operation::add));
  for (std::int64_t const more : {1, 0}) {
    power("square", "grows with the square of the count of retries instead of multiplying",
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
  product("power-of-product", "raises the whole product to the power, not only its last factor",
          [](expression const& base, expression const& power) {
            return two(operation::power, two(operation::multiply, base, power.of[0]), power.of[1]);
          });
  product("power-of-product",
          "raises the whole product to the power, not only its last factor, from the second delay on",
          [](expression const& base, expression const& power) {
            auto const none = two(operation::equal, power.of[1], number_of(0));
            return chosen(none, base, two(operation::power, two(operation::multiply, base, power.of[0]), power.of[1]));
          });
  product("without-the-base", "leaves out the base and computes only the power",
          [](expression const&, expression const& power) { return power; });
  add("without-a-part", "leaves out a term of its sum", [&](expression const& e) -> maybe {
    if (e.op != operation::add) return std::nullopt;
    for (unsigned const i : {1U, 0U}) {
      if (p_->stays(e.of[i])) return e.of[1 - i];
    }
    return std::nullopt;
  });
}

// What an operator or a type makes of a power; powers of the count; delays made of the delay before.
void varied::powers() {
  power("xor", "computes the exclusive or of 2 and the count instead of the power", [](expression const& e) {
    auto const half = floor_of(two(operation::divide, e.of[1], number_of(2)));
    return less(plus(e.of[1], 2), times(modulo(half, 2), 4));
  });
  for (unsigned const bits : {16U, 31U, 32U, 63U, 64U}) {
    add("wraps", fmt::format("keeps {} bits of what it computes", bits), [&](expression const& e) -> maybe {
      bool const is_product = e.op == operation::multiply || e.op == operation::power;
      if (!is_product || !e.has_power || e.draws || !counts_retries(e)) return std::nullopt;
      return modulo(e, rational(spec::integer{1} << bits));
    });
  }
  auto const of_the_count = [&](std::string name, std::string sentence, auto by) {
    add(std::move(name), std::move(sentence), [&](expression const& e) -> maybe {
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
  of_the_count("linear", "multiplies the count instead of raising it to a power",
               [](auto const& n, auto const& k) { return two(operation::multiply, n, k); });
  from_the_delay_before();
}

void varied::from_the_delay_before() {
  if (p_->prev) return;
  auto const with = [&](std::string name, std::string sentence, auto rounds) {
    auto other = *p_;
    other.prev = p_->delay.front();
    other.prev->tree = number_of(0);
    bool const any = replace(other, [&](expression const& e) -> maybe {
      bool const is_power = e.op == operation::power && counts_retries(e.of[1]);
      bool const is_product = e.op == operation::multiply && e.of[1].op == operation::power && !e.of[0].draws &&
                              !counts_retries(e.of[0]) && counts_retries(e.of[1].of[1]);
      if (!is_power && !is_product) return std::nullopt;
      auto const& factor = is_power ? e.of[0] : e.of[1].of[0];
      auto const next = two(operation::multiply, named(p_->previous()), factor);
      return chosen(is_first(), rounds(at_first(e)), rounds(next));
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

void varied::previous() {
  if (!p_->prev) return;
  auto const prev = named(p_->previous());
  auto const is_prev = [&](expression const& e) { return e.op == operation::name && e.name == p_->previous(); };
  add("forgets-the-delay-before", "never updates prev: it stays at its first value",
      [&](expression const& e) { return is_prev(e) ? maybe(p_->prev->tree) : std::nullopt; });
  for (std::int64_t const factor : {1, 2, 3, 4}) {
    add("other-factor", fmt::format("multiplies prev by {}", factor), [&](expression const& e) -> maybe {
      if (e.op != operation::multiply) return std::nullopt;
      bool const fits = (is_prev(e.of[0]) && p_->stays(e.of[1])) || (is_prev(e.of[1]) && p_->stays(e.of[0]));
      return fits ? maybe(times(prev, factor)) : std::nullopt;
    });
  }
  add("draws-from-prev", "draws from prev on",
      ends([&](bool, auto const&, auto const& high) { return std::pair{prev, high}; }));
  auto const starts = [&](std::string const& with, expression tree) {
    auto other = *p_;
    other.prev->tree = std::move(tree);
    // Its ends may lie the other way round then.
    static_cast<void>(replace(other, ends([](bool, auto const& low, auto const& high) {
                                return std::pair{low, two(operation::max, low, high)};
                              })));
    add("start-of-prev", fmt::format("starts with prev = {}", with), std::move(other));
  };
  for (std::int64_t const n : {0, 1}) starts(std::to_string(n), number_of(n));
  for (unsigned i = 0; i < p_->parameters.size(); ++i) starts(p_->parameters[i].name, named(i));
}

}  // namespace backoff::policies
