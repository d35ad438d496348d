// The body that every system's fuzz target shares: bytes are a history, the history is run on the library, and every
// claim is held against the model in the canonical readings. A finding prints the history in the forms that the other
// engines take, then aborts.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "history/decode.hpp"
#include "history/json.hpp"
#include "history/text.hpp"
#include "judge/judged_system.hpp"
#include "ports/built_in.hpp"

namespace backoff::fuzz {

// A subject is chosen by the environment only to show that the target finds faults: BACKOFF_FUZZ_PORT=linear.
inline conformance::built_in const& subject_of(std::string_view stem) {
  char const* const name = std::getenv("BACKOFF_FUZZ_PORT");
  auto const* const port = conformance::find_built_in(stem, name != nullptr ? name : "library");
  if (port != nullptr) return *port;
  std::fprintf(stderr, "BACKOFF_FUZZ_PORT: no such port: %s\n", name);
  std::exit(2);
}

inline int one_input(std::string_view stem, std::uint8_t const* data, std::size_t size) {
  static auto const& system = *conformance::find_judged_system(stem);
  static auto const& port = subject_of(stem);
  static auto const takes = conformance::built_in_subject(system.shape(), port).describes().takes;
  static conformance::examiner examines(system);
  static auto const canonical = system.readings().admitting(spec::standing::canonical);
  auto const h = conformance::decode(system.shape(), takes, {data, size});
  auto const answers = port.run(h);
  auto const& report = examines.broken_claims(h, answers, takes.draws, canonical);
  if (report.broken == 0) return 0;
  for (std::size_t i = 0; i < system.claims().size(); ++i) {
    if (((report.broken >> i) & 1U) != 0)
      std::fprintf(stderr, "broken: %s\n", std::string(system.claims()[i].name).c_str());
  }
  conformance::history_set const set{&system.shape(), {h}};
  std::fprintf(stderr, "%s\nbackoff-oracle replay %s -- PORT\n", conformance::to_json(set).c_str(),
               conformance::to_token(set).c_str());
  std::abort();
}

}  // namespace backoff::fuzz
