#include "histories/generate.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace backoff::histories {
namespace {

// Mostly a few calls. Sometimes enough to overflow a u16 or a u32 by doubling; seldom a u64, or a counter of eight
// bits; very rarely the exponent of a double.
std::size_t generate_length(random_bits& random) {
  auto const dice = random.between(0, 999);
  if (dice < 700) return static_cast<std::size_t>(random.between(1, 6));
  if (dice < 900) return static_cast<std::size_t>(random.between(7, 18));
  if (dice < 968) return static_cast<std::size_t>(random.between(19, 40));
  if (dice < 995) return static_cast<std::size_t>(random.between(41, 80));
  if (dice < 998) return static_cast<std::size_t>(random.between(120, 300));
  return static_cast<std::size_t>(random.between(1'030, 1'100));
}

constexpr std::size_t everyday_length = 40;

std::int64_t any_magnitude(range const& r, random_bits& random) {
  auto const span = static_cast<std::uint64_t>(r.high) - static_cast<std::uint64_t>(r.low);
  auto const bits = random.between(0, static_cast<std::int64_t>(std::bit_width(span)));
  std::uint64_t const mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(r.low) + std::min(span, random() & mask));
}

std::int64_t generate_draw(range const& r, random_bits& random) {
  if (random.one_in(4)) {
    std::array const edges{r.low, r.low + 1, r.high / 2, r.high / 2 + 1, r.high - 1, r.high};
    return std::clamp(edges[random() % edges.size()], r.low, r.high);
  }
  return random.one_in(6) ? any_magnitude(r, random) : random.between(r.low, r.high);
}

// Mostly one of the words; nothing where none is admitted.
value generate_set(std::uint64_t words, random_bits& random) {
  if (words == 0) return {};
  auto chosen = random() & words;
  if (chosen == 0 || !random.one_in(4)) {
    auto left = words;
    for (auto skip = random.between(0, std::popcount(words) - 1); skip > 0; --skip) left &= left - 1;
    chosen = left & (~left + 1);
  }
  return value::words(static_cast<std::int64_t>(chosen));
}

}  // namespace

value generate_value(field const& f, range const& r, random_bits& random) {
  if (f.kind == field_kind::draw) return value::of(generate_draw(r, random));
  if (r.words != 0 && (!r.numbers || random.one_in(3))) {
    auto const skip = random.between(0, std::popcount(r.words) - 1);
    std::uint64_t left = r.words;
    for (std::int64_t i = 0; i < skip; ++i) left &= left - 1;
    return value::word(std::countr_zero(left));
  }
  auto const dice = random.between(0, 9);
  if (dice < 4 && !f.specials.empty()) {
    auto const wanted = random.pick(f.specials).value;
    if (wanted >= r.low && wanted <= r.high) return f.number(wanted);
  }
  if (dice == 4) return f.number(random.one_in(2) ? r.low : r.high);
  return f.number(any_magnitude(r, random));
}

value generate_any(field const& f, range const& r, domain const& d, random_bits& random) {
  if (!d.takes(f)) return {};
  if (may_be_left_out(f, r) && random.between(0, 15) < f.left_out) return {};
  if (f.kind == field_kind::set) return generate_set(r.words, random);
  return generate_value(f, r, random);
}

history generate(shape const& s, domain const& d, random_bits& random) {
  history h;
  generate(h, s, d, random);
  return h;
}

void generate(history& h, shape const& s, domain const& d, random_bits& random, std::optional<std::size_t> steps) {
  h.params = {};
  for (std::size_t i = 0; i < s.params.size(); ++i) h.params[i] = generate_any(s.params[i], d.params[i], d, random);
  unsigned total = 0;
  for (auto const& op : s.operations) total += op.weight;
  bool const repeats_the_first = random.one_in(2);  // half of all histories
  std::size_t length = generate_length(random);
  if (!s.remembers) length = std::min(length, everyday_length);
  h.steps.assign(steps.value_or(length), {});
  for (auto& step : h.steps) {
    auto dice = repeats_the_first ? 0 : random.between(0, static_cast<std::int64_t>(total) - 1);
    while (dice >= s.operations[step.op].weight) dice -= s.operations[step.op++].weight;
    if (!d.answers(step.op)) step.op = 0;
    auto const args = s.operations[step.op].args;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (args[i].written == field::form::item && step.args[i - 1].kind == value_kind::absent) continue;
      step.args[i] = generate_any(args[i], d.args[step.op][i], d, random);
    }
  }
  if (d.instances() > 1 && random.one_in(4)) {
    for (auto& step : h.steps) step.on = static_cast<std::uint8_t>(random.between(0, d.instances() - 1));
  }
  if (s.correlate != nullptr) s.correlate(h, d, random);
  s.repair(h, d);
}

namespace {

// The last draw that scales to some delay in [0, numbers), and the first that scales to the next delay. Where there are
// at least as many delays as draws: a draw whose scaled value is just below a whole number, and one just above.
std::array<std::int64_t, 2> scaled_border(std::int64_t numbers, std::int64_t size, random_bits& random) {
  if (size > numbers) {
    auto const delay = random.between(1, std::max<std::int64_t>(numbers - 1, 1));
    auto const begins = delay * (size / numbers) + (delay * (size % numbers) + numbers - 1) / numbers;
    return {begins - 1, begins};
  }
  constexpr int tries = 2'000;
  std::array<std::int64_t, 2> found{0, 0};
  auto const part = [&](std::int64_t draw) { return draw * (numbers % size) % size; };
  for (int i = 0; i < tries; ++i) {
    auto const draw = random.between(std::min<std::int64_t>(1, size - 1), size - 1);
    if (part(draw) > part(found[0])) found[0] = draw;
    if (i == 0 || part(draw) < part(found[1])) found[1] = draw;
  }
  return found;
}

}  // namespace

std::vector<std::int64_t> probing_windows(domain const& d, std::int64_t most) {
  constexpr std::int64_t usual = 50'400;
  constexpr std::int64_t wide = 825'753'637;
  constexpr std::uint64_t parts_of_a_float = 1U << 24U;
  if (d.draws.size < parts_of_a_float) return {std::min(usual, most), (std::min(wide, most) - 1) | 1};
  return {std::min(usual, most)};
}

std::vector<std::int64_t> probing_draws(domain const& d, range const& draws, std::int64_t window, random_bits& random) {
  constexpr std::size_t probes = 64;
  constexpr std::int64_t widest = 1 << 30;
  auto const size = static_cast<std::int64_t>(d.draws.size);
  std::vector<std::int64_t> all{draws.low, draws.high};
  auto const add = [&](std::int64_t draw) { all.push_back(std::clamp(draw, draws.low, draws.high)); };
  while (all.size() < probes) {
    for (int const more : {0, 1}) {
      auto const numbers = std::clamp<std::int64_t>(window, 1, widest) + more;
      for (auto const draw : scaled_border(numbers, size, random)) add(draw);
      auto const by = (size - 1) / numbers + 1;
      auto const divided = by * random.between(1, std::max<std::int64_t>(size / by, 1));
      for (auto const draw : {divided - 1, divided}) add(draw);
    }
    add(random.between(draws.low, draws.high));
  }
  all.resize(probes);
  return all;
}

}  // namespace backoff::histories
