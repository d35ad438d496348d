// Holds a port that lives in this process to its document, inside its own tests:
//
//   TEST(my_backoff, conforms) {
//     EXPECT_TRUE(backoff::conforms<backoff::systems::aws_backoff_algorithm>([](auto const& p) { return my_port(p);
//     }));
//   }
//
// The port is any type with the calls of its system: backoff/conformance/STEM.hpp has them, with the parameters that
// one is made from. Each history runs on fresh ones. A failure is the finding that `backoff-oracle check` prints: the
// claim, the smallest history that breaks it, the requirement, and a token to be given to `options::replay` while the
// port is mended.
//
// A port that hangs or crashes takes the test with it, and two processes are never compared: `backoff-oracle` sees
// both. Link backoff::conformance. Not to be called from several threads at once.
#pragma once

#include "backoff/conformance/aws_backoff_algorithm.hpp"
#include "backoff/conformance/aws_prescriptive_sample.hpp"
#include "backoff/conformance/aws_retry_utils.hpp"
#include "backoff/conformance/aws_step_functions.hpp"
#include "backoff/conformance/azure_c_retry_control.hpp"
#include "backoff/conformance/azure_java_retry_policy.hpp"

namespace backoff {

// `make` is given the parameters and returns a port. Throws std::invalid_argument for options that name nothing.
template <class System, class Make>
judgement conforms(Make make, options how = {}) {
  using parameters = typename System::parameters;
  using made = decltype(make(std::declval<parameters const&>()));
  static_assert(!std::is_reference_v<made>, "return the port itself: each history has a fresh one");
  if (System::template draws_itself<made>) how.draws = draws::hidden();
  if constexpr (requires { System::template shows_state<made>; }) {
    if (System::template shows_state<made>) how.features.emplace_back("state");
  }
  return System::judge(
      [&make](parameters const& given) { return std::make_unique<typename System::template typed<made>>(make, given); },
      how);
}

// The same of a port that speaks the port protocol: a line of JSON in, a line of JSON out. `draws`, `ranges` and
// `features` are those of its reply to `start`. Throws std::invalid_argument too where a reply is none.
[[nodiscard]] judgement conforms(std::string_view system, std::function<std::string(std::string_view)> const& answer,
                                 options const& how = {});

}  // namespace backoff
