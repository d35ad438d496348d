#include "explain/admitted_delays.hpp"

#include <algorithm>

#include "explain/delay_cycles.hpp"

namespace backoff::explain {

std::optional<history> asking_for(history const& with, shape const& s, domain const& takes, std::vector<value> draws) {
  for (; !draws.empty(); draws.pop_back()) {
    history h = with;
    if (add_calls(h, s, takes, draws)) return h;
  }
  return std::nullopt;
}

admitted_delay admitted_delay_of(shape const& s, spec::expectation const& admitted) {
  admitted_delay d{.range = ends_of(admitted[s.delay])};
  if (auto const& only = s.answers[s.delay].only) {
    bool const is_word = admitted[only->field].kind() == spec::admissible_kind::keyword;
    auto const words = is_word ? admitted[only->field].words() : 0;
    d.may_retry = ((words >> only->word) & 1U) != 0;
    d.may_end = (words & ~(std::uint32_t{1} << only->word)) != 0;
  }
  return d;
}

std::vector<admitted_delay> admitted_delays(shape const& s, std::span<spec::expectation const> admitted) {
  std::vector<admitted_delay> all;
  for (auto const& e : admitted.subspan(std::min(calls_before(s), admitted.size())))
    all.push_back(admitted_delay_of(s, e));
  return all;
}

}  // namespace backoff::explain
