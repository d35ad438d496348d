// Stands in for a port that nobody can ask: every result is `broke`, so nothing is shrunk.
#pragma once

#include <span>
#include <vector>

#include "judge/subject.hpp"

namespace backoff::oracle {

class silent_port final : public judge::subject {
 public:
  explicit silent_port(judge::capabilities const& about) noexcept : about_(&about) {}
  [[nodiscard]] judge::capabilities const& describes() const noexcept override { return *about_; }
  [[nodiscard]] std::vector<histories::result> run(std::span<histories::history const> histories) override {
    return std::vector<histories::result>(histories.size(),
                                          {histories::result_kind::broke, {}, "there is no port to ask"});
  }

 private:
  judge::capabilities const* about_;
};

}  // namespace backoff::oracle
