// The hidden draws of a run: whether they can be tested, what samples show of them, and how sure a pass is.
// Checked by: properties/judge/judged_draws_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "judge/draw_mapping.hpp"
#include "judge/draw_power.hpp"
#include "judge/evidence.hpp"
#include "judge/hidden_draws.hpp"

namespace backoff::judge {

// exact: the draws were given to the port. distribution: it made its own, which were tested; membership: which were
// not.
enum class grade : std::uint8_t { exact, membership, distribution };

// Whether the hidden draws of a history are independent and count for their distribution; and whether it comes again,
// as samples do by which power is stated.
enum class sample_kind : std::uint8_t { none, once, repeated };

class judged_draws {
 public:
  judged_draws(terms const& held_to, mapped how, readings_left const& left) noexcept;

  [[nodiscard]] judge::grade grade() const noexcept { return grade_; }
  // Whether samples count for anything.
  [[nodiscard]] bool are_tested() const noexcept { return tests_.has_value(); }

  // What explains the run: `blamed` where answers or draws have refuted all that was admitted.
  struct explanation {
    spec::cube reading;
    bool blamed;
  };
  struct shown {
    bool tells = false;         // draws were seen under the reading that explains the run
    bool refutes_some = false;  // readings
    bool is_a_finding = false;  // the reading that explains the run among them
  };
  // Takes a sample, and where a second process answered it too, what that one answered. is_clean: its answers break
  // nothing that fails the port.
  [[nodiscard]] shown judge(judged_history const& seen, std::span<answer const> elsewhere, sample_kind kind,
                            bool is_clean, readings_left const& left, explanation const& by) noexcept;
  // What was found stands: that reading is refuted, and is tested on, as later draws tell better what is wrong with
  // them.
  void find(explanation const& by) noexcept;
  // What was found is known to fail: draws are tested no more.
  void excuse() noexcept;
  // Whether two processes drew alike under the reading that explains the run, where that refutes no reading. That one
  // is tested even if answers have refuted it: what is left of the others does not stand for it.
  [[nodiscard]] bool are_alike(judged_history const& seen, std::span<answer const> elsewhere, readings_left const& left,
                               spec::cube explained_by) noexcept;

  // Whether they have refuted all that was admitted; or are wrong beside answers that had; or as is known.
  [[nodiscard]] bool refute_all() const noexcept { return found_ == found::refute_all; }
  [[nodiscard]] bool are_broken_too() const noexcept { return found_ == found::broken_too; }
  [[nodiscard]] bool are_excused() const noexcept { return found_ == found::excused; }
  // Whether they refute all, and have had the time to refute hazards too.
  [[nodiscard]] bool are_settled() const noexcept;
  [[nodiscard]] bool refute(spec::cube assignment) const noexcept { return tests_->refutes(assignment); }
  [[nodiscard]] std::vector<spec::cube> living(std::vector<spec::cube> const& of) const noexcept {
    return tests_->living(of);
  }
  // Claims that draws break as that assignment sees them.
  [[nodiscard]] claim_mask broken_under(spec::cube assignment) const noexcept;
  // The samples under an assignment, or those that two processes answered; absent where it was not tested to the end.
  [[nodiscard]] sampled_draws const* samples_under(spec::cube assignment) const noexcept;
  [[nodiscard]] sampled_draws const* of_two_processes(spec::cube assignment) const noexcept;

  // After the last history: what the samples would have shown under that assignment.
  void settle_power(spec::cube explained_by) noexcept;
  [[nodiscard]] std::vector<power> const& powers() const noexcept { return powers_; }
  // Up to which attempt draws were tested.
  [[nodiscard]] attempts_tested const& attempts() const noexcept { return attempts_; }
  // Whether all of the gross faults that the tests look for would have been caught, as far as retry code usually goes
  // also those that begin late.
  [[nodiscard]] bool exclude_gross_faults() const noexcept;
  // That each test refutes a right port: all of them together have what the options allow.
  [[nodiscard]] double alpha_of_a_test() const noexcept { return alpha_of_a_test_; }

 private:
  enum class found : std::uint8_t { nothing, refute_all, broken_too, excused };
  [[nodiscard]] draw_tests_mask tests_where(bool refutes_readings) const noexcept;

  terms const* held_to_;
  judge::grade grade_;
  draw_tests_mask which_ = 0;  // of the claims about draws that are judged
  double alpha_of_a_test_;
  std::optional<hidden_draws> tests_;
  std::optional<hidden_draws> of_two_;  // of two processes, where drawing alike refutes no reading
  std::uint64_t samples_ = 0;
  std::uint64_t wrong_samples_ = 0;  // by their answers
  found found_ = found::nothing;
  std::vector<power> powers_;
  attempts_tested attempts_;
};

}  // namespace backoff::conformance
