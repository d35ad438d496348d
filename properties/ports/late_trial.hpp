// Each late fault on trial as `check` would have it: with the histories of a whole run, up to the one that settles it.
// Checked by: properties/ports/late_test.cpp.
#pragma once

#include <algorithm>
#include <vector>

#include "judge/plan.hpp"
#include "ports/late.hpp"

namespace backoff::ports {

inline constexpr std::uint64_t usual_cases = 10'000;

// Where faults begin: at every attempt that retry code usually reaches, and where 7, 8 and 10 bits end.
[[nodiscard]] inline std::vector<std::uint32_t> late_attempts() {
  std::vector<std::uint32_t> all;
  for (std::uint32_t k = 1; k <= 70; ++k) all.push_back(k);
  for (std::uint32_t const end : {128U, 256U, 1'024U}) {
    for (std::uint32_t k = end - 2; k <= end + 2; ++k) all.push_back(k);
  }
  return all;
}

// caught: some claim is broken. unseen: no answer of the run is other than the right one.
enum class late_outcome : std::uint8_t { caught, passed, unseen };

class late_trial {
 public:
  explicit late_trial(judged_system const& system, std::uint64_t seed = 1) : system_(&system), seed_(seed) {
    late_subject right(system.shape(), no_fault());
    plan histories(system.shape(), right.describes().takes, usual_cases, seed);
    auto const all = histories.next(usual_cases);
    histories_.assign(all.begin(), all.end());
    right_ = right.run(histories_);
  }

  // Draws given. What right answers tell of the readings is only asked where the wrong ones do not settle it.
  [[nodiscard]] late_outcome given(late_fault const& fault) const {
    late_subject port(system_->shape(), fault);
    auto judged = begun(port);
    std::vector<std::size_t> changed;
    std::vector<result> wrong;
    for (std::size_t i = 0; i < histories_.size(); ++i) {
      if (histories_[i].steps.size() < least_calls(fault) || !fault.where->holds(histories_[i])) continue;
      auto said = port.run(std::span(&histories_[i], 1));
      if (said.front().answers == right_[i].answers) continue;
      judged.judge(histories_[i], said.front());
      if (!judged.breaches().empty()) return late_outcome::caught;
      changed.push_back(i);
    }
    if (changed.empty()) return late_outcome::unseen;
    auto whole = begun(port);
    drive(whole, port, usual_cases, seed_);
    return whole.breaches().empty() ? late_outcome::passed : late_outcome::caught;
  }

  // Draws hidden in the port.
  [[nodiscard]] late_outcome hidden(late_fault const& fault) const {
    constexpr std::size_t some = 64;
    late_subject port(system_->shape(), fault, &generators().front());
    auto judged = begun(port);
    plan histories(system_->shape(), port.describes().takes, usual_cases, seed_, judged.draws().are_tested());
    for (auto batch = histories.next(some); !batch.empty(); batch = histories.next(some)) {
      auto const first = histories.given() - batch.size();
      auto const results = port.run(batch);
      for (std::size_t i = 0; i < batch.size(); ++i)
        judged.judge(batch[i], results[i], histories.kind_of(first + i, batch[i]));
      if (!judged.breaches().empty()) return late_outcome::caught;
    }
    return given(fault) == late_outcome::unseen ? late_outcome::unseen : late_outcome::passed;
  }

 private:
  [[nodiscard]] late_fault no_fault() const {
    return {late_kind::zero, ~std::uint32_t{0}, late_ports_of(system_->shape().stem).regions.data()};
  }
  // A port that remembers nothing is asked for any count at once.
  [[nodiscard]] std::size_t least_calls(late_fault const& fault) const {
    return system_->shape().remembers ? fault.from : 1;
  }
  [[nodiscard]] run begun(late_subject& port) const {
    auto judged = std::get<run>(run::begin(*system_, port.describes(), {}));
    auto const probes = mapping_probes(judged, seed_);
    judged.settle_mapping(probes, port.run(probes));
    return judged;
  }

  judged_system const* system_;
  std::uint64_t seed_;
  std::vector<history> histories_;
  std::vector<result> right_;
};

}  // namespace backoff::ports
