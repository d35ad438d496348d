#include "histories/mutate.hpp"

#include <algorithm>

#include "histories/generate.hpp"

namespace backoff::histories {
namespace {

// One value of a history, with its field and its range.
struct place {
  field const* f;
  range const* r;
  value* v;
};

std::vector<place> places_of(history& h, shape const& s, domain const& d) {
  std::vector<place> all;
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    if (d.takes(s.params[i])) all.push_back({&s.params[i], &d.params[i], &h.params[i]});
  }
  return all;
}

void add_places(std::vector<place>& all, step& of, shape const& s, domain const& d) {
  auto const args = s.operations[of.op].args;
  for (std::size_t i = 0; i < args.size(); ++i) {
    bool const follows_nothing = args[i].written == field::form::item && of.args[i - 1].kind == value_kind::absent;
    if (d.takes(args[i]) && !follows_nothing) all.push_back({&args[i], &d.args[of.op][i], &of.args[i]});
  }
}

bool is_number(value const& v) noexcept { return v.kind == value_kind::integer || v.kind == value_kind::decimal; }

// n moved by 1, doubled or halved; or an end of the range, a number near a power of two, near a multiple of another
// value of the history, or any number of the range.
std::int64_t boundary(std::int64_t n, place const& at, std::vector<place> const& others, random_bits& random) {
  auto const u = static_cast<std::uint64_t>(n);
  auto const near = static_cast<std::uint64_t>(random.between(-1, 1));
  switch (random.between(0, 6)) {
    case 0:
      return static_cast<std::int64_t>(u + static_cast<std::uint64_t>(random.one_in(2) ? 1 : -1));
    case 1:
      return static_cast<std::int64_t>(2 * u + near);
    case 2:
      return n / 2;
    case 3:
      return random.one_in(2) ? at.r->low : at.r->high;
    case 4:
      return static_cast<std::int64_t>((std::uint64_t{1} << random.between(0, 62)) + near);
    case 5: {
      auto const& other = random.pick(std::span(others));
      if (!is_number(*other.v)) return n;
      return static_cast<std::int64_t>((static_cast<std::uint64_t>(other.v->n) << random.between(0, 5)) + near);
    }
    default:
      return random.between(at.r->low, at.r->high);
  }
}

void change_value(place const& at, std::vector<place> const& others, domain const& d, random_bits& random) {
  auto const moved = at.f->number(boundary(at.v->n, at, others, random));
  if (is_number(*at.v) && at.r->numbers && !random.one_in(3) && at.r->admits(moved)) {
    *at.v = moved;
  } else {
    *at.v = generate_any(*at.f, *at.r, d, random);
  }
}

// A list has no gap: what follows a value that is left out is left out too.
void close_gaps(step& of, shape const& s) noexcept {
  auto const args = s.operations[of.op].args;
  for (std::size_t i = 1; i < args.size(); ++i) {
    if (args[i].written == field::form::item && of.args[i - 1].kind == value_kind::absent) of.args[i] = {};
  }
}

std::size_t any_index(std::size_t size, random_bits& random) noexcept { return random() % size; }

// How often a step is repeated: a few times, seldom until a counter or an exponent overflows.
std::size_t repetitions(random_bits& random) noexcept {
  return static_cast<std::size_t>(random.one_in(8) ? random.between(8, 1'100) : random.between(1, 8));
}

void mutate_once(history& h, shape const& s, domain const& d, std::size_t steps_max, random_bits& random) {
  auto& steps = h.steps;
  auto const at = [&](std::size_t i) { return steps.begin() + static_cast<std::ptrdiff_t>(i); };
  std::size_t const room = steps_max - std::min(steps_max, steps.size());
  switch (random.between(0, 9)) {
    case 0: {
      history made;
      generate(made, s, d, random, std::min<std::size_t>(room, static_cast<std::size_t>(random.between(1, 4))));
      if (random.one_in(4)) h.params = made.params;
      steps.insert(at(any_index(steps.size() + 1, random)), made.steps.begin(), made.steps.end());
      return;
    }
    case 1:
      if (steps.empty()) return;
      steps.erase(at(any_index(steps.size(), random)));
      return;
    case 2: {  // cut the end or the beginning
      if (steps.empty()) return;
      auto const cut = at(any_index(steps.size(), random));
      random.one_in(2) ? steps.erase(cut, steps.end()) : steps.erase(steps.begin(), cut);
      return;
    }
    case 3:
    case 4: {
      if (steps.empty()) return;
      std::size_t const i = any_index(steps.size(), random);
      step const again = steps[i];
      steps.insert(at(i), std::min(room, repetitions(random)), again);
      return;
    }
    case 5:
      if (steps.empty()) return;
      std::swap(steps[any_index(steps.size(), random)], steps[any_index(steps.size(), random)]);
      return;
    case 6:
      if (s.correlate != nullptr && !steps.empty()) s.correlate(h, d, random);
      return;
    default: {
      auto all = places_of(h, s, d);
      std::size_t const params = all.size();
      std::size_t const i = steps.empty() ? 0 : any_index(steps.size(), random);
      if (!steps.empty()) add_places(all, steps[i], s, d);
      if (all.empty()) return;
      bool const of_step = all.size() > params && (params == 0 || !random.one_in(3));
      auto const which = of_step ? params + any_index(all.size() - params, random) : any_index(params, random);
      change_value(all[which], all, d, random);
      if (!steps.empty()) close_gaps(steps[i], s);
      return;
    }
  }
}

}  // namespace

void mutate(history& h, shape const& s, domain const& d, std::size_t steps_max, random_bits& random) {
  for (auto changes = random.between(1, 4); changes > 0; --changes) mutate_once(h, s, d, steps_max, random);
  if (h.steps.size() > steps_max) h.steps.resize(steps_max);
  for (std::size_t i = 0; i < s.params.size(); ++i) {  // a history of another policy may lack parameters of this one
    bool const missing = h.params[i].kind == value_kind::absent && !may_be_left_out(s.params[i], d.params[i]);
    if (missing) h.params[i] = generate_any(s.params[i], d.params[i], d, random);
  }
  s.repair(h, d);
}

void put_number(history& h, shape const& s, domain const& d, std::int64_t n, random_bits& random) {
  auto all = places_of(h, s, d);
  std::size_t const i = h.steps.empty() ? 0 : any_index(h.steps.size(), random);
  if (!h.steps.empty()) add_places(all, h.steps[i], s, d);
  if (random.one_in(4)) n = static_cast<std::int64_t>(static_cast<std::uint64_t>(n) + (random.one_in(2) ? 1U : ~0ULL));
  std::erase_if(all, [&](place const& at) { return !at.r->numbers || !at.r->admits(at.f->number(n)); });
  if (all.empty()) return;
  auto const& at = random.pick(std::span<place const>(all));
  *at.v = at.f->number(n);
  if (!h.steps.empty()) close_gaps(h.steps[i], s);
  s.repair(h, d);
}

history crossed(shape const& s, domain const& d, history const& one, history const& other, std::size_t steps_max,
                random_bits& random) {
  history h = one;
  h.steps.resize(any_index(one.steps.size() + 1, random));
  auto const from = other.steps.begin() + static_cast<std::ptrdiff_t>(any_index(other.steps.size() + 1, random));
  h.steps.insert(h.steps.end(), from, other.steps.end());
  if (h.steps.size() > steps_max) h.steps.resize(steps_max);
  s.repair(h, d);
  return h;
}

}  // namespace backoff::histories
