#include "policies/histories.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "histories/generate.hpp"
#include "relation/linear_mapping.hpp"

namespace backoff::policies {
namespace {

using histories::domain;
using histories::field;
using histories::field_kind;
using histories::history;
using histories::random_bits;
using histories::special;
using histories::value;
using histories::value_kind;

constexpr std::array<std::string_view, 4> status_words{"retry", "exhausted", "ok", "error"};
constexpr field the_draw{"draw", field_kind::draw, 0, 0, {}, {}};

// Of whole numbers; those of a decimal are as many of its last places.
// Caps and waits that people configure.
constexpr std::array everyday_ms{
    special{1'000, "a second"},         special{5'000, "five seconds"},  special{60'000, "a minute"},
    special{100'000, "a round number"}, special{120'000, "two minutes"}, special{300'000, "five minutes"},
    special{600'000, "ten minutes"},    special{3'600'000, "an hour"},   special{86'400'000, "a day"},
};
constexpr std::array everyday_s{
    special{1, "a second"},       special{5, "five seconds"}, special{60, "a minute"},
    special{300, "five minutes"}, special{3'600, "an hour"},  special{86'400, "a day"},
};
constexpr std::array word_ends{
    special{0, "nothing"},
    special{1, "the least that grows"},
    special{2, "the least even number"},
    special{3, "odd"},
    special{5, "odd: half of it is rounded"},
    special{0x7f, "the largest of a signed byte"},
    special{0xff, "the largest of a byte"},
    special{0x7fff, "the largest i16"},
    special{0x8000, "i16: the first beyond"},
    special{0xffff, "the largest u16"},
    special{0x1'0000, "u16: the first beyond"},
    special{0x7fff'ffff, "the largest i32"},
    special{0x8000'0000, "i32: the first beyond"},
    special{0xffff'ffff, "the largest u32"},
    special{0x1'0000'0000, "u32: the first beyond"},
    special{0x20'0000'0000'0001, "the first whole number that no double holds"},
};
constexpr std::array limit_ends{
    special{0, "no retry at all"}, special{1, "one retry"},
    special{2, "two retries"},     special{16, "one doubling short of u16's end"},
    special{17, "past u16's end"}, special{32, "past i32's end"},
    special{33, "past u32's end"}, special{65, "past u64's end"},
};

// In units of the parameter; numbers near the end of their type as they are.
std::int64_t in_units_of(parameter const& p, std::int64_t n) noexcept {
  for (unsigned k = 0; k < p.scale && n < (std::int64_t{1} << 55); ++k) n *= 10;
  return n;
}

// The numbers in the formulas: arguments are compared with some of them.
std::vector<spec::rational> numbers_in(policy const& p) {
  std::vector<spec::rational> all;
  std::function<void(expression const&)> const add = [&](expression const& e) {
    if (e.op == operation::number && e.number > 0 && e.number < endless()) all.push_back(e.number);
    std::ranges::for_each(e.of, add);
  };
  for (auto const* formulas : {&p.window, &p.delay, &p.first, &p.attempts, &p.going_on}) {
    for (auto const& f : *formulas) add(f.tree);
  }
  for (auto const* one : {&p.counts, &p.renews}) {
    if (*one) add((*one)->tree);
  }
  return all;
}

void add_special(std::int64_t n, std::string_view why, parameter const& p, std::vector<special>& to) {
  bool const is_known = std::ranges::find(to, n, &special::value) != to.end();
  if (n >= p.low && n <= p.high && !is_known) to.push_back({n, why});
}

void add_beside(std::vector<spec::rational> const& numbers, parameter const& p, std::vector<special>& to) {
  for (auto const& number : numbers) {
    spec::rational const n = number * p.units();
    if (!n.is_whole() || n > spec::rational(p.high) + 1) continue;
    auto const at = static_cast<std::int64_t>(numerator(n));
    add_special(at, "a number of the formula", p, to);
    add_special(at - 1, "one less than a number of the formula", p, to);
    add_special(at + 1, "one more than a number of the formula", p, to);
  }
}

std::vector<special> specials_of(parameter const& p, std::string_view unit, bool is_limit) {
  std::vector<special> all;
  auto const add = [&](std::int64_t n, std::string_view why) { add_special(n, why, p, all); };
  if (p.by_default) {
    add(*p.by_default, "the default");
    add(*p.by_default - 1, "one less than the default");
    add(*p.by_default + 1, "one more than the default");
  }
  for (auto const& s : is_limit ? std::span<special const>(limit_ends) : std::span<special const>(word_ends)) {
    auto const scaled = in_units_of(p, s.value);
    add(s.value, s.why);
    if (scaled != s.value) add(scaled, s.why);
  }
  std::int64_t const of_a_ms = unit == "ns" ? 1'000'000 : unit == "us" ? 1'000 : 1;
  auto const everyday = unit == "s" ? std::span<special const>(everyday_s) : everyday_ms;
  for (auto const& s : everyday) {
    if (!is_limit) add(in_units_of(p, s.value * of_a_ms), s.why);
  }
  add(p.low + 1, "one above the least");
  add(p.high - 1, "one below the largest");
  return all;
}

field field_of(parameter const& p, std::span<special const> specials, std::span<std::string_view const> words) {
  field f{p.name, p.scale == 0 ? field_kind::integer : field_kind::decimal, p.low, p.high};
  f.words = words;
  bool const is_a_word = !p.choices.empty() || (!words.empty() && !p.by_default && p.low == p.high);
  if (is_a_word) f.kind = field_kind::keyword;
  f.specials = specials;
  f.scale = p.scale;
  return f;
}

// The histories of one policy, for the functions of its shape.
class maker {
 public:
  maker(policy const& p, model const& m) : policy_(&p), model_(&m) {}

  // Some bounds stand beside the value that the other side of the minimum has after a few retries; half of the limits
  // stand where the history ends, and of the budgets where a delay ends. Calls have arguments that are all alike,
  // mostly as by default, or each of its own.
  void correlate(history& h, domain const& d, random_bits& random) const {
    auto const& p = *policy_;
    arguments(h, d, random);
    for (std::size_t i = 0; i < p.parameters.size(); ++i) {
      auto const& r = d.params[i];
      if (!r.numbers || r.low == r.high) continue;
      if (is_budget(i)) {
        if (random.one_in(2)) place_beside(h, d, i, time_after(h, random.between(1, 8)), random);
      } else if (p.only_limits(i)) {
        auto const near = static_cast<std::int64_t>(h.steps.size()) - random.between(0, 3);
        if (random.one_in(2) && near >= r.low && near <= r.high) h.params[i] = value_of(p.parameters[i], near);
      } else if (!random.one_in(3)) {
        auto const switches = model_->beside_bound(h, i, random.between(0, 12));
        if (switches) place_beside(h, d, i, *switches, random);
      }
    }
  }

  // More retries than a double's exponent can follow, at the ends of the parameters.
  std::vector<history> corners(domain const& d, random_bits& random) const {
    constexpr std::int64_t calls = 1'100;
    std::vector<history> all;
    for (auto const& h : settings(d)) with_calls(all, h, d, usual_call(d), {calls, 1}, &random);
    for (auto& h : all) h.steps.push_back(h.steps.empty() ? usual_call(d) : h.steps.back());  // past the limit
    return all;
  }

  // Two instances in turns, and once more after a reset. Where a bound ends all randomness soon, to the last draw.
  [[nodiscard]] std::vector<history> samples(domain const& d) const {
    constexpr std::int64_t calls = 6;  // of each instance
    constexpr std::int64_t soon = 24;
    auto const instances = std::min<std::int64_t>(d.instances(), 2);
    std::vector<history> all;
    for (auto const& h : settings(d)) {
      for (auto const& call : calls_of_each_kind(d)) {
        auto const drawn = calls_that_draw(h, call, soon);
        with_calls(all, h, d, call, {drawn < soon ? drawn : calls, instances}, nullptr);
      }
    }
    if (all.empty() || !d.answers(call_reset)) return all;
    auto& everyday = all.front().steps;
    auto const cycle = everyday;
    for (std::int64_t on = 0; on < instances; ++on) everyday.push_back({call_reset, static_cast<std::uint8_t>(on), {}});
    everyday.insert(everyday.end(), cycle.begin(), cycle.end());
    return all;
  }

  [[nodiscard]] std::vector<history> long_samples(domain const& d) const {
    std::vector<history> all;
    for (std::int64_t const calls : {72, 300, 1'100}) {
      for (auto const& h : settings(d)) {
        for (auto const& call : calls_of_each_kind(d))
          with_calls(all, h, d, call, {calls_that_draw(h, call, calls), 1}, nullptr);
      }
    }
    return all;
  }

  // The first delay of a fresh instance that draws, from ranges as near to the probing windows as there are in the
  // settings and mixtures of them; those that no bound cuts, if there are any.
  std::vector<history> mapping_probes(domain const& d, random_bits& random) const {
    std::vector<history> all;
    for (auto const window : probing_windows(d, std::numeric_limits<std::int64_t>::max())) {
      auto const tried = settings_about(window, d);
      std::optional<history> nearest;
      double numbers = 0;
      std::pair<bool, double> least_apart;  // cut, and by how much
      for (std::size_t retries = 0; retries <= retries_before_a_draw() && !nearest; ++retries) {
        for (auto const& h : tried) {
          auto const delay = model_->delay(h, static_cast<spec::integer>(retries));
          if (!delay || !delay->is_random() || delay->is_curve()) continue;
          auto const width = static_cast<double>(delay->highest() - delay->lowest());
          std::pair const apart(delay->is_cut(), std::abs(std::log(width / static_cast<double>(window))));
          if (!nearest || apart < least_apart) {
            nearest = h;
            nearest->steps.resize(retries + 1, usual_call(d));
            numbers = width;
            least_apart = apart;
          }
        }
      }
      if (!nearest) continue;
      auto const drawn = policy_->draw_place();
      auto const& draws = d.args[call_next][drawn];
      for (auto& call : nearest->steps) call.args[drawn] = value::of(draws.low);
      for (auto const draw : probing_draws(d, draws, static_cast<std::int64_t>(std::min(numbers, 0x1p62)), random)) {
        nearest->steps.back().args[drawn] = value::of(draw);
        all.push_back(*nearest);
      }
    }
    return all;
  }

  // Where the formula takes the draw away, delays fall as draws rise; turned round, they rise. What bounds make of the
  // draws beyond them is left out.
  [[nodiscard]] bool follows_a_listed_mapping(std::span<spec::drawn_delay const> delays) const {
    auto turned = between_bounds(delays);
    if (falls()) {
      for (auto& d : turned) d.delay.value.mantissa = -d.delay.value.mantissa;
    }
    return spec::follows_a_linear_mapping(turned);
  }

  [[nodiscard]] bool tells_draws(history const& h) const { return model_->draws_hide_none(h); }

  [[nodiscard]] std::string_view misuse(history const& h) const {
    auto const* const condition = model_->ruled_out(h);
    return condition == nullptr ? std::string_view() : condition->name;
  }

  // Where a condition of `where` is not met: two numbers change places, one takes the value of the other, or parameters
  // become what they are by default, or an end of their range.
  void repair(history& h, domain const& d) const {
    if (misuse(h).empty()) return;
    auto const count = policy_->parameters.size();
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < count; ++k) {
        if (i == k || !takes(d, i, h.params[k])) continue;
        auto copied = h;
        copied.params[i] = h.params[k];
        auto swapped = copied;
        swapped.params[k] = h.params[i];
        for (auto* const other : {&swapped, &copied}) {
          bool const is_taken = other == &copied || takes(d, k, h.params[i]);
          if (!is_taken || !misuse(*other).empty()) continue;
          h = std::move(*other);
          return;
        }
      }
    }
    auto const defaults = of_defaults(*policy_);
    for (std::size_t i = count; i-- > 0 && !misuse(h).empty();) {
      if (takes(d, i, defaults.params[i])) h.params[i] = defaults.params[i];
    }
    for (std::size_t ends = 0; ends < (std::size_t{1} << count) && !misuse(h).empty(); ++ends) {
      for (std::size_t i = 0; i < count; ++i) {
        auto const& r = d.params[i];
        if (r.numbers) h.params[i] = value_of(policy_->parameters[i], ((ends >> i) & 1U) != 0 ? r.high : r.low);
      }
    }
  }

  [[nodiscard]] std::vector<histories::step> example(history const& h, std::span<value const> draws) const {
    constexpr std::int64_t shown = 8;
    auto const usual = usual_call({});
    std::vector<histories::step> steps;
    for (auto const& draw : draws) steps.emplace_back(usual).args[policy_->draw_place()] = draw;
    if (!steps.empty()) return steps;
    return {static_cast<std::size_t>(std::min(model_->limit(h).value_or(shown) + 1, shown)), usual};
  }

 private:
  // A call with the arguments of the defaults, as far as the port takes them.
  [[nodiscard]] histories::step usual_call(domain const& d) const {
    histories::step call;
    for (std::size_t i = 0; i < policy_->arguments.size(); ++i) {
      auto const& a = policy_->arguments[i];
      call.args[i] = default_of(a);
      if (d.args.empty() || d.args[call_next][i].admits(call.args[i])) continue;
      auto const& r = d.args[call_next][i];
      call.args[i] = r.words != 0 ? value::word(std::countr_zero(r.words)) : value_of(a, r.low);
    }
    return call;
  }

  // That call, and one with each other word of an argument.
  [[nodiscard]] std::vector<histories::step> calls_of_each_kind(domain const& d) const {
    std::vector all{usual_call(d)};
    for (std::size_t i = 0; i < policy_->arguments.size(); ++i) {
      auto const words = policy_->arguments[i].choices.empty() ? 0 : d.args[call_next][i].words;
      for (auto const& other : with_each_word(words, all.front().args[i]))
        all.emplace_back(all.front()).args[i] = other;
    }
    return all;
  }

  // The words, a bit each, but for that one.
  [[nodiscard]] static std::vector<value> with_each_word(std::uint64_t words, value const& but) {
    std::vector<value> all;
    for (; words != 0; words &= words - 1) {
      auto const word = value::word(std::countr_zero(words));
      if (word != but) all.push_back(word);
    }
    return all;
  }

  void arguments(history& h, domain const& d, random_bits& random) const {
    auto const& p = *policy_;
    if (p.arguments.empty()) return;
    auto const how = random.between(0, 2);
    auto const usual = usual_call(d);
    auto const first = std::ranges::find(h.steps, call_next, &histories::step::op);
    for (auto& call : h.steps) {
      if (call.op != call_next || how == 2) continue;
      auto const& from = how == 0 ? *first : usual;
      for (std::size_t i = 0; i < p.arguments.size(); ++i) {
        if (how == 0 || !random.one_in(4)) call.args[i] = from.args[i];
      }
    }
  }

  // Whether the parameter ends retries by the time.
  [[nodiscard]] bool is_budget(std::size_t parameter) const {
    auto const uses = [&](formula const& f) {
      return f.tree.uses(static_cast<unsigned>(parameter)) && f.tree.uses(policy_->elapsed());
    };
    return std::ranges::any_of(policy_->going_on, uses);
  }

  // The sum of so many delays, each as long as may be.
  [[nodiscard]] spec::rational time_after(history const& h, std::int64_t retries) const {
    spec::rational sum = 0;
    for (std::int64_t n = 0; n < retries; ++n) {
      auto const delay = model_->delay(h, n);
      if (!delay) break;
      sum += delay->highest();
    }
    return sum;
  }

  void place_beside(history& h, domain const& d, std::size_t parameter, spec::rational units,
                    random_bits& random) const {
    auto const& p = policy_->parameters[parameter];
    auto const& r = d.params[parameter];
    units *= p.units();
    if (abs(units) > spec::rational(r.high) + 1) return;
    auto const near = static_cast<std::int64_t>(numerator(rounded(units, 1, rounding::floor))) + random.between(-1, 1);
    if (near >= r.low && near <= r.high) h.params[parameter] = value_of(p, near);
  }

  // Whether the port takes the value for that parameter.
  [[nodiscard]] bool takes(domain const& d, std::size_t parameter, value const& v) const {
    auto const& r = d.params[parameter];
    if (v.kind == value_kind::keyword) return ((r.words >> static_cast<unsigned>(v.n)) & 1U) != 0;
    return r.numbers && v.scale == policy_->parameters[parameter].scale && v.n >= r.low && v.n <= r.high;
  }

  // The second delay may be the first that draws, if it does not depend on the one before.
  [[nodiscard]] std::size_t retries_before_a_draw() const { return policy_->depends_on_delays() ? 0 : 1; }

  // Whether the first delay that draws is shortest where the draw is largest.
  [[nodiscard]] bool falls() const {
    for (std::size_t retries = 0; retries <= retries_before_a_draw(); ++retries) {
      auto const delay = model_->delay(of_defaults(*policy_), static_cast<spec::integer>(retries));
      if (delay && delay->is_random()) return delay->falls();
    }
    return false;
  }

  // The defaults, the least, a little more than that, and the most, as far as the port takes them; no limit where there
  // need be none.
  [[nodiscard]] std::vector<history> settings(domain const& d) const {
    auto const& p = *policy_;
    std::vector<history> all;
    for (int which = 0; which < 5; ++which) {
      history h;
      for (std::size_t i = 0; i < p.parameters.size(); ++i) {
        auto const& r = d.params[i];
        auto const& q = p.parameters[i];
        bool const is_limit = p.only_limits(i) || is_budget(i);
        bool const is_word_by_default = which == 0 && !q.by_default;
        if (r.words != 0 && (is_limit || !r.numbers || is_word_by_default)) {
          h.params[i] = value::word(std::countr_zero(r.words));
          continue;
        }
        auto const low = is_limit ? r.high : r.low;
        std::array const wanted{q.by_default.value_or(r.high), low, low + 1, std::max<std::int64_t>(low, 5), r.high};
        h.params[i] = value_of(q, std::clamp(wanted[static_cast<std::size_t>(which)], r.low, r.high));
      }
      auto const add = [&](history one) {
        repair(one, d);
        if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
      };
      add(h);
      for (std::size_t i = 0; i < p.parameters.size(); ++i) {
        auto const words = p.parameters[i].choices.empty() ? 0 : d.params[i].words;
        for (auto const& other : with_each_word(words, h.params[i])) {
          auto one = h;
          one.params[i] = other;
          add(std::move(one));
        }
      }
    }
    return all;
  }

  // Those, and mixtures of them in which about half of the numbers are that one.
  [[nodiscard]] std::vector<history> settings_about(std::int64_t number, domain const& d) const {
    constexpr int mixed = 200;
    auto all = settings(d);
    auto const plain = static_cast<std::int64_t>(all.size());
    random_bits same(1);  // a policy has such a delay or not, whatever the run's seed is
    for (int i = 0; i < mixed; ++i) {
      history h;
      for (std::size_t k = 0; k < policy_->parameters.size(); ++k) {
        auto const& q = policy_->parameters[k];
        auto const& r = d.params[k];
        h.params[k] = all[static_cast<std::size_t>(same.between(0, plain - 1))].params[k];
        bool const takes_it = r.numbers && same.one_in(2);
        if (takes_it) h.params[k] = value_of(q, std::clamp(in_units_of(q, number), r.low, r.high));
      }
      repair(h, d);
      all.push_back(std::move(h));
    }
    return all;
  }

  [[nodiscard]] static std::vector<spec::drawn_delay> between_bounds(std::span<spec::drawn_delay const> delays) {
    constexpr std::ptrdiff_t several = 4;
    std::vector<spec::drawn_delay> all(delays.begin(), delays.end());
    auto const value = [](spec::drawn_delay const& d) { return spec::to_rational(d.delay.value); };
    auto const [least, most] = std::ranges::minmax(all, {}, value);
    for (auto const& end : {value(least), value(most)}) {
      bool const is_bound = std::ranges::count(all, end, value) > several;
      if (is_bound) std::erase_if(all, [&](spec::drawn_delay const& d) { return value(d) == end; });
    }
    return all;
  }

  // So many of these calls of one instance are left where those at the end that draw nothing are not made: a bound has
  // made their delays all the same. Of delays that depend on those before, all.
  [[nodiscard]] std::int64_t calls_that_draw(history const& h, histories::step const& call, std::int64_t calls) const {
    auto const draws = [&](std::int64_t n) {
      auto const delay = model_->delay(h, n, call);
      return delay && delay->is_random();
    };
    if (policy_->depends_on_delays() || draws(calls - 1)) return calls;
    std::int64_t drawing = draws(0) || !draws(1) ? 0 : 1;  // the first delay may have a formula of its own
    if (!draws(drawing)) return 0;
    std::int64_t fixed = calls - 1;
    while (fixed - drawing > 1) {
      auto const middle = (drawing + fixed) / 2;
      (draws(middle) ? drawing : fixed) = middle;
    }
    return drawing + 1;
  }

  struct how_many {
    std::int64_t calls;  // of each instance
    std::int64_t instances;
  };
  void with_calls(std::vector<history>& to, history h, domain const& d, histories::step const& call,
                  how_many const& many, random_bits* random) const {
    auto const calls = model_->surely_granted(h, call, many.calls) * many.instances;
    auto const drawn = policy_->draw_place();
    auto const& draws = d.args[call_next][drawn];
    for (std::int64_t i = 0; i < calls; ++i) {
      auto next = call;
      next.on = static_cast<std::uint8_t>(i % many.instances);
      if (random != nullptr && policy_->draws()) next.args[drawn] = value::of(random->between(draws.low, draws.high));
      h.steps.push_back(next);
    }
    if (!h.steps.empty() && std::ranges::find(to, h) == to.end()) to.push_back(std::move(h));
  }

  policy const* policy_;
  model const* model_;
};

}  // namespace

history of_defaults(policy const& p) {
  history h;
  for (std::size_t i = 0; i < p.parameters.size(); ++i) h.params[i] = default_of(p.parameters[i]);
  return h;
}

histories::shape shape_of(policy const& p, model const& m, words_of_shape& words) {
  words.delay = "delay_" + p.unit;
  for (std::size_t i = 0; i < p.parameters.size(); ++i) {
    auto const& specials = words.specials.emplace_back(specials_of(p.parameters[i], p.unit, p.only_limits(i)));
    words.params.push_back(field_of(p.parameters[i], specials, words.words.emplace_back(p.parameters[i].words())));
  }
  auto const numbers = numbers_in(p);
  for (auto const& a : p.arguments) {
    auto& specials = words.specials.emplace_back();
    add_beside(numbers, a, specials);
    if (specials.empty()) specials = specials_of(a, p.unit, false);
    auto& f = words.args.emplace_back(field_of(a, specials, words.words.emplace_back(a.words())));
    if (a.may_be_unset) f.written = field::form::implied;
    if (a.by_default || !a.choices.empty()) f.by_default = a.by_default.value_or(0);
  }
  if (p.draws()) words.args.push_back(the_draw);
  words.operations = {{"next", words.args, 6}, {"reset", {}, 1, true}};
  words.answers = {{"status", status_words}, {words.delay, {}, histories::answer_field::companion{0, 0}}};
  auto const made = std::make_shared<maker const>(p, m);
  auto const& make = *made;
  words.maker = made;
  histories::shape s;
  s.stem = p.name;
  s.params = words.params;
  for (auto const& f : p.where) words.conditions.emplace_back(f.text);
  s.conditions = words.conditions;
  s.operations = words.operations;
  s.answers = words.answers;
  s.error_word = static_cast<std::uint8_t>(status::error);
  s.features = bit(histories::feature::instances) | bit(histories::feature::fresh_process);
  s.correlate = decltype(s.correlate)::of<&maker::correlate>(make);
  s.corners = decltype(s.corners)::of<&maker::corners>(make);
  s.example = decltype(s.example)::of<&maker::example>(make);
  s.misuse = decltype(s.misuse)::of<&maker::misuse>(make);
  s.repair = decltype(s.repair)::of<&maker::repair>(make);
  s.defaults = of_defaults(p).params;
  if (!p.draws()) return s;
  s.draws_are_hidden = p.draws_several();
  s.mapping_probes = decltype(s.mapping_probes)::of<&maker::mapping_probes>(make);
  s.follows_a_listed_mapping = decltype(s.follows_a_listed_mapping)::of<&maker::follows_a_listed_mapping>(make);
  s.samples = decltype(s.samples)::of<&maker::samples>(make);
  s.long_samples = decltype(s.long_samples)::of<&maker::long_samples>(make);
  s.tells_draws.in = decltype(s.tells_draws.in)::of<&maker::tells_draws>(make);
  return s;
}

}  // namespace backoff::policies
