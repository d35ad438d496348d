#include "explain/admitted_delays.hpp"

#include "explain/delay_cycles.hpp"

namespace backoff::explain {

std::optional<history> asking_for(history const& with, shape const& s, domain const& takes, std::vector<value> draws) {
  for (; !draws.empty(); draws.pop_back()) {
    history h = with;
    if (add_calls(h, s, takes, draws)) return h;
  }
  return std::nullopt;
}

std::vector<admitted_delay> admitted_delays(shape const& s, std::span<spec::expectation const> admitted) {
  std::vector<admitted_delay> all;
  for (auto at = calls_before(s); at < admitted.size(); ++at) {
    auto const& e = admitted[at];
    admitted_delay d{.range = ends_of(e[s.delay])};
    if (auto const& only = s.answers[s.delay].only) {
      bool const is_word = e[only->field].kind() == spec::admissible_kind::keyword;
      auto const words = is_word ? e[only->field].words() : 0;
      d.may_retry = ((words >> only->word) & 1U) != 0;
      d.may_end = (words & ~(std::uint32_t{1} << only->word)) != 0;
    }
    all.push_back(d);
  }
  return all;
}

}  // namespace backoff::explain
