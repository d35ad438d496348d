// The examples of backoffAlgorithm as tests of the functions for C at both widths.
#include <cstdint>
#include <cstring>
#include <string>

#include "backoff.h"
#include "tests/examples.hpp"

namespace backoff::examples {
namespace {

// In memory that holds no known values before, as that of a stack.
template <class State, class Word, auto init, auto init_forever, auto next, auto reset>
instance of_functions(parameters const& p) {
  State state;
  std::memset(&state, 0xa5, sizeof state);
  auto const base = as<Word>(p, "base_ms"), max = as<Word>(p, "max_ms");
  auto const limit = number(p.at("max_attempts"));
  limit ? init(&state, base, max, as<std::uint32_t>(*limit)) : init_forever(&state, base, max);
  return [state](call const& c) mutable -> std::string {
    if (c.name == "reset") return reset(&state), "ok";
    Word delay = 99;
    auto const status = next(&state, as<std::uint32_t>(c.numbers[0]), &delay);
    if (status == BACKOFF_OK) return std::to_string(delay);
    return status == BACKOFF_EXHAUSTED && delay == 0 ? "exhausted" : "neither";
  };
}

bool const registered = answers(
    "aws_backoff_algorithm",
    {{"C, u16", of_functions<backoff_aws_backoff_algorithm_u16, std::uint16_t, backoff_aws_backoff_algorithm_u16_init,
                             backoff_aws_backoff_algorithm_u16_init_forever, backoff_aws_backoff_algorithm_u16_next,
                             backoff_aws_backoff_algorithm_u16_reset>},
     {"C, u32", of_functions<backoff_aws_backoff_algorithm, std::uint32_t, backoff_aws_backoff_algorithm_init,
                             backoff_aws_backoff_algorithm_init_forever, backoff_aws_backoff_algorithm_next,
                             backoff_aws_backoff_algorithm_reset>}});

}  // namespace
}  // namespace backoff::examples
