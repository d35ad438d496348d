// What a run is held to: which claims are judged, which of them refute readings, which fail the port, and which
// readings are admitted. It is settled before the first history. Checked by: properties/judge/terms_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "judge/judged_system.hpp"
#include "judge/subject.hpp"

namespace backoff::judge {

struct run_options {
  claim_mask claims = ~claim_mask{0};                   // which are judged
  bool strict = false;                                  // the document's canonical readings only; advice fails too
  std::vector<std::pair<unsigned, unsigned>> pinned{};  // (reading, alternative)
  bool whole = true;                                    // a pass needs every `must` claim at stake; false for a replay
  double alpha = 1e-9;                                  // probability, per run, that hidden draws refute a right port
  bool document_only = false;                           // claims about the interface are reported, and do not fail
  claim_mask known_everywhere = 0;                      // known to fail on every history: a pass does without them
};

// Whether a reading is a convention of the protocol: how the harness turns a draw into a delay, of which no document
// says anything. Under --strict, all its open alternatives stay admitted: the port declares or shows which one it
// follows.
[[nodiscard]] bool is_convention(std::string_view reading) noexcept;

class terms {
 public:
  // The terms, or one line that says why there are none: the port names an unknown mapping. `about` must outlive them.
  [[nodiscard]] static std::variant<terms, std::string> of(judged_system const& system, capabilities const& about,
                                                           run_options options);

  [[nodiscard]] judged_system const& system() const noexcept { return *system_; }
  [[nodiscard]] capabilities const& about() const { return *about_; }
  [[nodiscard]] draw_source const& draws() const { return about_->takes.draws; }
  [[nodiscard]] run_options const& options() const noexcept { return options_; }
  // The admitted alternatives of each reading.
  [[nodiscard]] spec::cube admitted() const { return admitted_; }

  // Claims whose break refutes readings of the document; claims whose break fails the port.
  [[nodiscard]] claim_mask must_claims() const noexcept { return must_claims_; }
  [[nodiscard]] claim_mask failing_claims() const noexcept { return failing_claims_; }
  // The judged claims about hidden draws.
  [[nodiscard]] claim_mask claims_about_draws() const noexcept;
  [[nodiscard]] bool selected(unsigned claim) const noexcept { return includes(options_.claims, claim); }
  [[nodiscard]] bool refutes_readings(unsigned claim) const noexcept { return includes(must_claims_, claim); }
  [[nodiscard]] bool fails(unsigned claim) const noexcept { return includes(failing_claims_, claim); }

  // The claims that `which` accepts, given a claim and its index.
  template <class Which>
  [[nodiscard]] claim_mask claims_where(Which which) const {
    claim_mask found = 0;
    unsigned i = 0;
    for (auto const& c : system_->claims()) {
      if (which(c, i)) found |= claim_mask{1} << i;
      ++i;
    }
    return found;
  }

 private:
  terms(judged_system const& system, capabilities const& about, run_options options) noexcept;

  judged_system const* system_;
  capabilities const* about_;
  run_options options_;
  claim_mask must_claims_;
  claim_mask failing_claims_;
  spec::cube admitted_;
};

}  // namespace backoff::judge
