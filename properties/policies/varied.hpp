// How variations of a policy are made: rules that replace parts of its formulas. variations_of_*.cpp have the rules.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "policies/variations.hpp"

namespace backoff::policies {

using spec::rational;
using maybe = std::optional<expression>;
using ends_of_a_draw = std::pair<expression, expression>;

// What a part of a formula becomes; nothing where it stays.
using rule = std::function<maybe(expression const&)>;

[[nodiscard]] expression two(operation op, expression a, expression b);
[[nodiscard]] expression plus(expression a, std::int64_t n);
[[nodiscard]] expression less(expression a, expression b);
[[nodiscard]] expression times(expression a, rational const& n);
[[nodiscard]] expression floor_of(expression a);
[[nodiscard]] expression chosen(expression condition, expression yes, expression no);
// What is left of it when it is divided by n.
[[nodiscard]] expression modulo(expression const& a, rational const& n);

// The formula, with every part replaced to which the rule applies. The rule is not applied again inside what it made.
[[nodiscard]] expression changed(expression const& e, rule const& by, bool& any);
[[nodiscard]] expression changed(expression const& e, rule const& by);
// Whether the rule applied to a formula of the policy.
bool replace(policy& to, rule const& by);

// All of them.
void each_formula(policy& of, std::function<void(formula&)> const& by);

// The delays, and the first one.
void each_delay(policy& of, auto by) {
  for (auto* all : {&of.delay, &of.first}) {
    for (auto& f : *all) by(f);
  }
}

// Other ends for each draw; of: the two, by whether they are whole, and by those that it has.
[[nodiscard]] rule ends(auto const& of) {
  return [of](expression const& e) -> maybe {
    if (!draws_itself(e.op)) return std::nullopt;
    auto [low, high] = of(e.op == operation::integer, e.of[0], e.of[1]);
    return two(e.op, std::move(low), std::move(high));
  };
}
[[nodiscard]] expression middle(bool is_whole, expression const& low, expression const& high);

class varied {
 public:
  explicit varied(policy const& p) : p_(&p) {}

  std::vector<variation> all();

 private:
  void add(std::string name, std::string sentence, policy of) {
    all_.push_back({std::move(name), std::move(sentence), std::move(of)});
  }
  void add(std::string name, std::string sentence, rule const& by) {
    auto other = *p_;
    if (replace(other, by)) add(std::move(name), std::move(sentence), std::move(other));
  }

  [[nodiscard]] bool counts_retries(expression const& e) const noexcept {
    return e.uses(p_->n()) || e.uses(p_->attempt());
  }
  [[nodiscard]] expression is_first() const { return two(operation::equal, named(p_->n()), number_of(0)); }
  // The formula's value at the first retry.
  [[nodiscard]] expression at_first(expression const& e) const;

  // A least of several values of which some stay the same: these bound the others.
  struct bounded {
    expression bound;
    expression rest;
  };
  [[nodiscard]] std::optional<bounded> bounded_by(expression const& e) const;
  [[nodiscard]] std::string words_of(expression const& e) const;
  [[nodiscard]] expression bounded_inside(expression const& e, expression const& bound) const;
  void bounds();

  void count(std::string name, std::string sentence,
             std::function<expression(expression const& count, std::int64_t from)> const& by);
  void power(std::string name, std::string sentence, std::function<expression(expression const&)> const& by);
  void product(std::string name, std::string sentence,
               std::function<expression(expression const& base, expression const& power)> const& by);
  void counts();
  void growth();
  void powers();
  void from_the_delay_before();
  void previous();

  void without_draws_at_the_bound(std::string name, std::string sentence, rule const& fixed);
  void draws();
  void widths();
  void whole_ranges();
  void whole_numbers();
  void other_draws();
  void of_the_first_window();
  void choices();

  void roundings();
  void parameters();
  void words();
  void limits();
  void conditions();
  void firsts();

  policy const* p_;
  std::vector<variation> all_;
};

}  // namespace backoff::policies
