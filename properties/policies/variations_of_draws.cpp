// Variations that draw otherwise: not at all, from another range, or for another part of the delay.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "policies/varied.hpp"

namespace backoff::policies {
namespace {

auto const longest = [](bool, auto const&, auto const& high) { return ends_of_a_draw{high, high}; };

auto const halfway = [](bool is_whole, auto const& low, auto const& high) {
  auto const m = middle(is_whole, low, high);
  return ends_of_a_draw{m, m};
};

expression range(expression const& low, expression const& high) { return less(high, low); }
expression half(bool is_whole, expression const& width) {
  auto part = two(operation::divide, width, number_of(2));
  return is_whole ? floor_of(std::move(part)) : part;
}

// Other ends for each draw of a whole number.
rule whole_ends(std::int64_t to_low, std::int64_t to_high) {
  auto const moved = [](expression const& e, std::int64_t n) { return n == 0 ? e : plus(e, n); };
  return [=](expression const& e) -> maybe {
    if (e.op != operation::integer) return std::nullopt;
    return two(e.op, moved(e.of[0], to_low), moved(e.of[1], to_high));
  };
}

// Of a draw between equal ends, that end.
expression without_draws(expression const& e) {
  return changed(e, [](expression const& part) { return draws_itself(part.op) ? maybe(part.of[1]) : std::nullopt; });
}

// Whether a larger draw makes the delay shorter, as the first part that draws shows.
bool is_subtracted(expression const& e) noexcept {
  auto const draws = std::ranges::find_if(e.of, [](expression const& part) { return part.draws; });
  if (draws_itself(e.op) || draws == e.of.end()) return false;
  bool const turns = e.op == operation::negate || (e.op == operation::subtract && draws != e.of.begin());
  return turns != is_subtracted(*draws);
}

// What the ends of a draw are to the delay.
struct words_for_ends {
  std::string_view high = "longest";
  std::string_view low = "shortest";
  std::string_view upper = "upper";
  std::string_view lower = "lower";
};
words_for_ends words_for(policy const& p) noexcept {
  bool const turned = std::ranges::any_of(p.delay, [](formula const& f) { return is_subtracted(f.tree); });
  return turned ? words_for_ends{"shortest", "longest", "lower", "upper"} : words_for_ends();
}

}  // namespace

void varied::without_draws_at_the_bound(std::string name, std::string sentence, rule const& fixed) {
  maybe bound;
  for (auto const& f : p_->window) {
    if (auto const b = bounded_by(f.tree)) bound = b->bound;
  }
  if (!bound) return;
  add(std::move(name), std::move(sentence), [&](expression const& e) -> maybe {
    if (!e.draws || !e.uses(p_->window_name())) return std::nullopt;
    auto const is_below = expression_of(operation::less, {named(p_->window_name()), *bound});
    return chosen(is_below, e, changed(e, fixed));
  });
}

void varied::draws() {
  using two = ends_of_a_draw;
  auto const average = ends(halfway);
  auto const words = words_for(*p_);
  add("no-jitter", fmt::format("does not draw: it always waits the {} delay", words.high), ends(longest));
  add("no-jitter-in-the-middle", "does not draw: it always waits the delay in the middle", average);
  add("no-jitter-at-all", fmt::format("does not draw: it always waits the {} delay", words.low),
      ends([](bool, auto const& low, auto const&) { return two{low, low}; }));
  add("upper-half", fmt::format("draws from the {} half only", words.upper),
      ends([](bool is_whole, auto const& low, auto const& high) { return two{middle(is_whole, low, high), high}; }));
  add("lower-half", fmt::format("draws from the {} half only", words.lower),
      ends([](bool is_whole, auto const& low, auto const& high) { return two{low, middle(is_whole, low, high)}; }));
  add("draws-from-0", "draws from 0, not from its lower end",
      ends([](bool, auto const&, auto const& high) { return two{number_of(0), high}; }));
  std::string const at_the_bound = "does not draw where the window has reached its bound";
  without_draws_at_the_bound("no-jitter-at-the-cap", at_the_bound, ends(longest));
  without_draws_at_the_bound("no-jitter-at-the-cap", at_the_bound + ", and waits the delay in the middle", average);
}

// A draw from as much to either side, or from one side; from more or less; from what the delay grows from.
void varied::widths() {
  if (!p_->draws()) return;
  using pair = ends_of_a_draw;
  whole_ranges();
  auto const words = words_for(*p_);
  add("both-sides", fmt::format("draws on both sides of the {} delay, half of the range to each side", words.low),
      ends([](bool is_whole, auto const& low, auto const& high) {
        auto const part = half(is_whole, range(low, high));
        return pair{less(low, part), less(high, part)};
      }));
  add("both-sides", fmt::format("draws on both sides of the {} delay instead of one", words.low),
      ends([](bool, auto const& low, auto const& high) { return pair{less(low, range(low, high)), high}; }));
  std::string const down = words.low == "shortest" ? "subtracts the random part instead of adding it"
                                                   : "adds the random part instead of subtracting it";
  add("one-side", down,
      ends([](bool, auto const& low, auto const& high) { return pair{less(low, range(low, high)), low}; }));
  add("one-side", down, [](expression const& e) -> maybe {
    if (!draws_itself(e.op)) return std::nullopt;
    return less(e.of[0], two(e.op, number_of(0), range(e.of[0], e.of[1])));
  });
  add("shifted", "draws from 0 to the width of its range, and does not add its lower end",
      ends([](bool, auto const& low, auto const& high) { return pair{number_of(0), range(low, high)}; }));
  whole_numbers();
  other_draws();
  of_the_first_window();
  choices();
}

// Full jitter and equal jitter.
void varied::whole_ranges() {
  auto const from = [&](std::string name, std::string sentence, auto low) {
    auto other = *p_;
    each_delay(other, [&](formula& f) {
      if (!f.tree.draws) return;
      // Its ends are the same, so that it only says how long the delay can be.
      auto const most = without_draws(changed(f.tree, ends(longest)));
      f.tree = two(f.tree.draws_whole ? operation::integer : operation::uniform, low(f.tree.draws_whole, most), most);
    });
    add(std::move(name), std::move(sentence), std::move(other));
  };
  from("full-jitter", "draws from 0 to the longest delay (full jitter)",
       [](bool, auto const&) { return number_of(0); });
  from("equal-jitter", "draws from the upper half of the longest delay (equal jitter)",
       [](bool is_whole, auto const& most) { return middle(is_whole, number_of(0), most); });
}

// Ends that are one off; more or less than the range.
void varied::whole_numbers() {
  using pair = ends_of_a_draw;
  add("end-off", "never draws the upper end", whole_ends(0, -1));
  add("end-off", "also draws the upper end plus 1", whole_ends(0, 1));
  add("end-off", "never draws the lower end", whole_ends(1, 0));
  add("end-off", "draws a number that is 1 too large", whole_ends(1, 1));
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
  add("draws-whole-numbers", "draws whole numbers", [](expression const& e) -> maybe {
    if (e.op != operation::uniform) return std::nullopt;
    return floor_of(two(e.op, e.of[0], plus(floor_of(e.of[1]), 1)));
  });
}

// A random part that is added becomes a random factor; one that grows is drawn as at the first delay.
void varied::other_draws() {
  auto const factor = [](bool is_a_share) {
    return [=](expression const& e) -> maybe {
      bool const adds = e.op == operation::add && draws_itself(e.of[1].op);
      if (!adds) return std::nullopt;
      auto const& draw = e.of[1];
      auto const share = is_a_share ? two(operation::divide, draw, draw.of[1]) : draw;
      return two(operation::multiply, e.of[0], plus(share, 1));
    };
  };
  add("jitter-as-a-factor", "multiplies by 1 plus the random part instead of adding it", factor(false));
  add("jitter-as-a-factor", "adds a random share of the delay instead of the random part", factor(true));
  auto const counted = [&](std::string name, std::string sentence, auto by) {
    add(std::move(name), std::move(sentence), [&](expression const& e) -> maybe {
      bool const multiplies = e.op == operation::multiply && draws_itself(e.of[0].op);
      if (!multiplies || e.of[1].has_power || !counts_retries(e.of[1])) return std::nullopt;
      return by(e.of[0], e.of[1]);
    });
  };
  counted("jitter-does-not-grow", "does not multiply its random part by the count",
          [](auto const& draw, auto const&) { return draw; });
  for (int const by : {-1, 1}) {
    counted("jitter-count",
            fmt::format("multiplies its random part by a count that is one too {}", by < 0 ? "low" : "high"),
            [=](auto const& draw, auto const& count) { return two(operation::multiply, draw, plus(count, by)); });
  }
}

// The random part of each delay is that of the first.
void varied::of_the_first_window() {
  if (p_->window.empty()) return;
  auto const first = at_first(p_->window.front().tree);
  auto const window = named(p_->window_name());
  auto const with = [&](expression const& e, expression const& by) {
    return changed(e, [&](expression const& part) {
      return part.op == operation::name && part.name == p_->window_name() ? maybe(by) : std::nullopt;
    });
  };
  auto const drawn_from = [&](std::string sentence, expression const& by) {
    add("jitter-does-not-grow", std::move(sentence), [&](expression const& e) -> maybe {
      if (!draws_itself(e.op) || !e.uses(p_->window_name())) return std::nullopt;
      auto const low = with(e.of[0], by);
      auto const high = with(e.of[1], by);
      if (!e.of[0].uses(p_->window_name())) return two(e.op, low, high);
      return two(operation::add, window, two(e.op, less(low, by), less(high, by)));
    });
  };
  char const* const as_for_the_first = "draws the random part as for its first delay";
  drawn_from(as_for_the_first, first);
  if (first.op == operation::min) {
    for (auto const& part : first.of) drawn_from(as_for_the_first, part);
  }
  for (unsigned i = 0; i < p_->parameters.size(); ++i)
    drawn_from("takes " + p_->parameters[i].name + " for the window in its random part", named(i));
  drawn_from("draws a random part that does not depend on the window", number_of(1));
}

void varied::choices() {
  auto const choice = [&](std::string name, std::string sentence, auto of) {
    add(std::move(name), std::move(sentence), [&](expression const& e) -> maybe {
      if (e.op != operation::choose || !e.draws) return std::nullopt;
      return of(e.of[0], e.of[1], e.of[2]);
    });
  };
  using part = expression const&;
  choice("draws-always", "draws whatever the condition is",
         [](part, part yes, part no) { return yes.draws ? yes : no; });
  choice("draws-never", "never draws, whatever the condition is", [](part, part yes, part no) {
    // Both draw, the one between equal ends: what draws is of the same kind.
    return two(operation::add, times(yes.draws ? yes : no, 0), yes.draws ? no : yes);
  });
  auto const fixed = [](part e) { return without_draws(changed(e, ends(halfway))); };
  choice("no-jitter-in-a-branch", "does not draw where the condition of its if holds",
         [&](part condition, part yes, part no) {
           return yes.draws && no.draws ? maybe(chosen(condition, fixed(yes), no)) : maybe();
         });
  choice("no-jitter-in-a-branch", "does not draw where the condition of its if fails",
         [&](part condition, part yes, part no) {
           return yes.draws && no.draws ? maybe(chosen(condition, yes, fixed(no))) : maybe();
         });
  choice("condition-reversed", "inverts its condition",
         [](part condition, part yes, part no) { return chosen(condition, no, yes); });
}

}  // namespace backoff::policies
