#include "explain/edge.hpp"

#include <algorithm>
#include <array>

#include "histories/generate.hpp"
#include "histories/mutate.hpp"

namespace backoff::explain {
namespace {

using kind = quantity_kind;
using relation = constraint::relation;

constexpr std::size_t calls_max = 1'200;

class tuner {
 public:
  tuner(history& h, examples const& seen, random_bits& random)
      : h_(h), s_(seen.shape()), takes_(seen.takes()), random_(random) {}

  void set(quantity q, std::int64_t to) {
    switch (q.kind) {
      case kind::param:
        return set_param(q.one, to);
      case kind::parity:
        return set_param(q.one, h_.params[q.one].n + random_.between(-1, 1));
      case kind::product:
        return random_.one_in(2) ? set_factor(q.one, q.other, to) : set_factor(q.other, q.one, to);
      case kind::growth:
        return set_growth(q.one, to);
      case kind::calls:
      case kind::attempts:
        return set_calls(to);
      case kind::calls_of:
        return set_calls_of(q.one, to);
      case kind::instances:
        return set_instances(to);
      case kind::argument:
        return set_argument(q, to);
    }
  }

  void set_word(quantity q, value const& word) {
    if (q.kind == kind::param) {
      if (takes_.params[q.one].admits(word)) h_.params[q.one] = word;
    } else {
      put_argument(q, word);
    }
  }

  // New draws for all calls.
  void draw_again() {
    for (auto& step : h_.steps) {
      auto const args = s_.operations[step.op].args;
      for (std::size_t i = 0; i < args.size(); ++i) {
        if (args[i].kind == field_kind::draw && step.args[i].kind != value_kind::absent)
          step.args[i] = generate_any(args[i], takes_.args[step.op][i], takes_, random_);
      }
    }
  }
  void change_a_param() {
    if (s_.params.empty()) return;
    auto const i = random_() % s_.params.size();
    h_.params[i] = generate_any(s_.params[i], takes_.params[i], takes_, random_);
  }

 private:
  void set_param(std::size_t i, std::int64_t to) {
    auto const& r = takes_.params[i];
    if (!takes_.takes(s_.params[i]) || !r.numbers) return;
    h_.params[i] = s_.params[i].number(std::clamp(to, r.low, r.high));
  }

  void set_factor(std::size_t i, std::size_t other, std::int64_t product) {
    auto const by = value_of(s_, h_, other);
    if (is_number(by) && by.n > 0) set_param(i, product / by.n + random_.between(-1, 1));
  }

  // Sets the base, or the number of calls, so that doubling leads to that number.
  void set_growth(std::size_t i, std::int64_t to) {
    auto const now = values_of(s_, h_, {kind::growth, static_cast<std::uint8_t>(i)}).front();
    auto const base = value_of(s_, h_, i);
    if (!is_number(now) || !is_number(base) || base.n <= 0) return;
    if (random_.one_in(2) && s_.remembers) {
      std::int64_t calls = 1;
      for (auto window = base.n; window < to; ++calls) window = window > to / 2 ? to : 2 * window;
      set_calls(calls);
    } else {
      set_param(i, to / std::max<std::int64_t>(now.n / base.n, 1) + random_.between(-1, 1));
    }
  }

  void set_calls(std::int64_t to) {
    auto const count = static_cast<std::size_t>(std::clamp<std::int64_t>(to, 0, calls_max));
    if (count <= h_.steps.size()) return h_.steps.resize(count);
    history more;
    generate(more, s_, takes_, random_, count - h_.steps.size());
    auto const on = h_.steps.empty() ? std::uint8_t{0} : h_.steps.back().on;
    for (auto& step : more.steps) {
      if (step.op != 0) step = main_call();
      step.on = on;
      h_.steps.push_back(step);
    }
  }

  step main_call() {
    step made;
    auto const args = s_.operations.front().args;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (args[i].written == field::form::item && made.args[i - 1].kind == value_kind::absent) continue;
      made.args[i] = generate_any(args[i], takes_.args.front()[i], takes_, random_);
    }
    return made;
  }

  void set_calls_of(std::uint8_t op, std::int64_t to) {
    if (to <= 0) {
      std::erase_if(h_.steps, [&](step const& c) { return c.op == op; });
      return;
    }
    step made{op, 0, {}};
    auto const args = s_.operations[op].args;
    for (std::size_t i = 0; i < args.size(); ++i)
      made.args[i] = generate_any(args[i], takes_.args[op][i], takes_, random_);
    auto const at = h_.steps.empty() ? 0 : random_() % h_.steps.size();
    h_.steps.insert(h_.steps.begin() + static_cast<std::ptrdiff_t>(at), made);
  }

  void set_instances(std::int64_t to) {
    auto const last = std::clamp<std::int64_t>(to, 1, takes_.instances()) - 1;
    for (auto& step : h_.steps) step.on = static_cast<std::uint8_t>(random_.between(0, last));
  }

  // Sets the argument in one call, or in all calls that have it.
  void put_argument(quantity q, value const& v) {
    auto const& f = s_.operations[q.one].args[q.other];
    bool const everywhere = random_.one_in(2);
    std::size_t const only = h_.steps.empty() ? 0 : random_() % h_.steps.size();
    for (std::size_t i = 0; i < h_.steps.size(); ++i) {
      auto& step = h_.steps[i];
      auto const args = s_.operations[step.op].args;
      for (std::size_t k = 0; k < args.size(); ++k) {
        bool const named = args[k].name == f.name && step.args[k].kind != value_kind::absent;
        if (named && (everywhere || i == only) && takes_.args[step.op][k].admits(v)) step.args[k] = v;
      }
    }
  }

  void set_argument(quantity q, std::int64_t to) {
    auto const& r = takes_.args[q.one][q.other];
    put_argument(q, s_.operations[q.one].args[q.other].number(std::clamp(to, r.low, r.high)));
  }

  history& h_;
  shape const& s_;
  domain const& takes_;
  random_bits& random_;
};

// A number to try: at the bound or close to it, at the nearest number at which the claim held or next to that, between
// the two, or far from the bound.
std::int64_t target(constraint const& c, std::optional<std::int64_t> nearest, random_bits& random) {
  auto const n = c.with.n;
  auto const known = nearest.value_or(n);
  auto const u = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
  switch (random.between(0, 5)) {
    case 0:
      return known + random.between(-1, 1);
    case 1:
    case 2:
      return known < n ? random.between(known, n) : random.between(n, known);
    case 3:
      return static_cast<std::int64_t>(u(n) + (random() >> random.between(1, 63)));
    default:
      return static_cast<std::int64_t>(u(n) + u(random.between(-2, 2)));
  }
}

void aim(tuner& at, history const& h, examples const& seen, constraint const& c, std::optional<std::int64_t> nearest,
         random_bits& random) {
  auto const& s = seen.shape();
  if (c.param) {
    auto const left = values_of(s, h, c.left);
    auto const right = value_of(s, h, *c.param);
    bool const numbers = !left.empty() && is_number(left.front()) && is_number(right);
    if (!numbers) return;
    auto const off = random.one_in(3) ? random.between(-100, 100) : random.between(-1, 1);
    if (random.one_in(2)) return at.set(c.left, right.n + off);
    return at.set({kind::param, *c.param}, left.front().n + off);
  }
  if (is_number(c.with)) return at.set(c.left, target(c, nearest, random));
  auto const* f = field_of(s, c.left);
  auto const other = static_cast<std::int64_t>(random() % std::max<std::size_t>(f->words.size(), 1));
  at.set_word(c.left, random.one_in(2) ? c.with : value::word(other));
}

}  // namespace

history near_edge(examples const& seen, region const& r, random_bits& random) {
  auto const& s = seen.shape();
  auto const& takes = seen.takes();
  history h;
  auto const& from = random.one_in(3) && !seen.held().empty() ? seen.held() : seen.broken();
  if (random.one_in(8)) {
    h = generate(s, takes, random);
  } else {
    constexpr int tries_max = 8;  // to find a broken example inside: most may belong to another part
    for (int i = 0; i < tries_max && (i == 0 || (&from == &seen.broken() && !matches(s, r.where, h))); ++i)
      h = from[random() % from.size()].tried;
  }
  tuner at(h, seen, random);
  if (random.one_in(4)) at.change_a_param();
  if (random.one_in(4)) mutate(h, s, takes, calls_max, random);
  for (std::size_t i = 0; i < r.where.size(); ++i) {
    if (!random.one_in(3)) aim(at, h, seen, r.where[i], r.nearest[i], random);
  }
  if (!random.one_in(4)) at.draw_again();
  s.repair(h, takes);
  return h;
}

history with_other_draws(history h, examples const& seen, random_bits& random) {
  tuner(h, seen, random).draw_again();
  return h;
}

}  // namespace backoff::explain
