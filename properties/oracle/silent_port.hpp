// There is no port to ask: nothing can be made smaller.
#pragma once

#include <span>
#include <vector>

#include "judge/subject.hpp"

namespace backoff::oracle {

class silent_port final : public conformance::subject {
 public:
  explicit silent_port(conformance::capabilities const& about) noexcept : about_(&about) {}
  [[nodiscard]] conformance::capabilities const& describes() const noexcept override { return *about_; }
  [[nodiscard]] std::vector<conformance::result> run(
      std::span<conformance::history const> histories) noexcept override {
    return std::vector<conformance::result>(histories.size(),
                                            {conformance::result::kind::broke, {}, "there is no port to ask"});
  }

 private:
  conformance::capabilities const* about_;
};

}  // namespace backoff::oracle
