// The library as a target: each history is run on it, and every claim is held against the model in the canonical
// readings. A finding ends the process, as fuzzers want it. Checked by: coverage/gate, fuzzing, which plants a fault.
#pragma once

#include <optional>

#include "histories.hpp"
#include "judge/judged_system.hpp"
#include "ports/built_in.hpp"

namespace backoff::fuzz {

class library_target : public target {
 public:
  explicit library_target(std::string_view stem);
  [[nodiscard]] histories::shape const& shape() const override { return system_->shape(); }
  [[nodiscard]] histories::domain const& takes() const override { return takes_; }
  void run(std::vector<histories::history> const& histories) override;
  bool file(std::vector<histories::history> const& histories) override;

 private:
  // The first claim that the history breaks.
  [[nodiscard]] std::optional<unsigned> broken_by(histories::history const& h);
  void file_claim(histories::history const& h, unsigned claim);

  judge::judged_system const* system_;
  ports::built_in const* port_;
  histories::domain takes_;
  judge::examiner examines_;
  backoff::spec::cube canonical_;
};

}  // namespace backoff::fuzz
