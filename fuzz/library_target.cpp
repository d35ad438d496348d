#include "library_target.hpp"

#include <bit>
#include <cstdio>
#include <cstdlib>

#include "finding.hpp"
#include "histories/present.hpp"
#include "histories/shrink.hpp"
#include "reports/history_table.hpp"

namespace backoff::fuzz {
namespace {

using namespace oracle;
using namespace ports;

// A subject is chosen by the environment only to show that the target finds faults: BACKOFF_FUZZ_PORT=linear.
built_in const* subject_of(std::string_view stem) {
  char const* const name = std::getenv("BACKOFF_FUZZ_PORT");
  auto const* const port = find_built_in(stem, name != nullptr ? name : "library");
  if (port != nullptr) return port;
  std::fprintf(stderr, "BACKOFF_FUZZ_PORT: no such port: %s\n", name);
  std::exit(2);
}

}  // namespace

library_target::library_target(std::string_view stem)
    : system_(find_judged_system(stem)),
      port_(subject_of(stem)),
      takes_(built_in_subject(system_->shape(), *port_).describes().takes),
      examines_(*system_),
      canonical_(system_->readings().admitting(spec::standing::canonical)) {}

std::optional<unsigned> library_target::broken_by(history const& h) {
  auto const answers = port_->run(h);
  auto const broken = examines_.broken_claims(h, answers, takes_.draws, canonical_).broken;
  if (broken == 0) return std::nullopt;
  return static_cast<unsigned>(std::countr_zero(broken));
}

void library_target::run(std::vector<history> const& histories) {
  for (auto const& h : histories) {
    if (auto const claim = broken_by(h)) {
      file_claim(h, *claim);
      std::abort();
    }
  }
}

void library_target::file_claim(history const& h, unsigned claim) {
  auto const smallest = shrink(shape(), takes_, h, [&](std::vector<history> const& candidates) {
    std::vector<bool> fails(candidates.size());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      auto const broken = broken_by(candidates[i]);
      fails[i] = broken && *broken <= claim;  // that a reset starts anew is broken by whatever comes after it
      if (fails[i]) break;
    }
    return fails;
  });
  auto const broken = present(broken_by(smallest));
  evidence const answered{0, smallest, {result_kind::answered, port_->run(smallest), ""}};
  auto const shown = reports::show_history(*system_, takes_.draws, claim_mask{1} << broken, answered,
                                           system_->readings().simplest(canonical_));
  file_finding({system_, broken, "", {smallest}, "", reports::table_text(shown)});
}

bool library_target::file(std::vector<history> const& histories) {
  static constexpr auto run_alone = [](std::vector<history> const& all) {
    auto& library = dynamic_cast<library_target&>(the_target());
    for (auto const& h : all) static_cast<void>(library.broken_by(h));
  };
  for (auto const& h : histories) {
    auto const how = breaks_alone(run_alone, {h}).how;
    if (how.empty()) {
      if (auto const claim = broken_by(h)) {
        file_claim(h, *claim);
        return true;
      }
      continue;
    }
    auto const smallest = smallest_breaking(shape(), takes_, h, how, run_alone);
    auto const answered = until_it_breaks(smallest, [&](history const& beginning) {
      return breaks_alone(run_alone, {beginning}).how.empty() ? std::optional(port_->run(beginning)) : std::nullopt;
    });
    auto const shown = reports::show_history(*system_, takes_.draws, claim_mask{0}, answered,
                                             system_->readings().simplest(canonical_));
    file_finding({system_,
                  finding::no_claim,
                  how,
                  {smallest},
                  "",
                  table_until_it_breaks(shown, answered),
                  breaks_alone(run_alone, {smallest}).said});
    return true;
  }
  return false;
}

}  // namespace backoff::fuzz
