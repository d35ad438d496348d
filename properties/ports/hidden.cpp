#include "ports/hidden.hpp"

#include <algorithm>
#include <array>

namespace backoff::ports {

using kept_number = std::optional<std::uint64_t>;

std::span<generator const> generators() {
  static constexpr std::array all{
      generator{"random", "a good generator, seeded once for each process",
                [](random_bits& process, random_bits&, kept_number&) { return process(); }},
      generator{"seeded-alike", "each fresh instance seeds a generator of its own with the same number",
                [](random_bits&, random_bits& fresh, kept_number&) { return fresh(); }},
      generator{"sticky", "every second number repeats the one before",
                [](random_bits& process, random_bits&, kept_number& kept) {
                  if (!kept || process.one_in(2)) kept = process();
                  return *kept;
                }},
      generator{"drawn-once", "one number for all draws of an instance",
                [](random_bits& process, random_bits&, kept_number& kept) {
                  if (!kept) kept = process();
                  return *kept;
                }},
      generator{"15-bits", "a generator of 15 bits",
                [](random_bits& process, random_bits&, kept_number&) { return process() % 32'768; }},
  };
  return all;
}

generator const* find_generator(std::string_view name) {
  auto const at = std::ranges::find(generators(), name, &generator::name);
  return at == generators().end() ? nullptr : &*at;
}

history with_draws(shape const& s, history h, draw_source const& draws, generator const& from, random_bits& process) {
  random_bits fresh(1);
  kept_number kept;
  for (auto& step : h.steps) {
    auto const args = s.operations[step.op].args;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (args[i].kind != field_kind::draw) continue;
      step.args[i] = value::of(static_cast<std::int64_t>(from.next(process, fresh, kept) % draws.size));
    }
  }
  return h;
}

hidden_subject::hidden_subject(shape const& s, built_in const& port, generator const& from, std::uint64_t seed)
    : shape_(&s), port_(s, port), from_(&from), process_(seed), capabilities_(port_.describes()) {
  capabilities_.takes.draws = {spec::draw_kind::hidden, 1};
}

std::vector<result> hidden_subject::run(std::span<history const> histories) {
  std::vector<history> drawn;
  for (auto const& h : histories)
    drawn.push_back(with_draws(*shape_, h, port_.describes().takes.draws, *from_, process_));
  return port_.run(drawn);
}

}  // namespace backoff::ports
