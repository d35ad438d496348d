// The hidden draws of a run: whether they can be tested, what samples show of them, and how sure a pass is.
// Checked by: properties/judge/judged_draws_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "histories/present.hpp"
#include "judge/draw_mapping.hpp"
#include "judge/draw_power.hpp"
#include "judge/evidence.hpp"
#include "judge/hidden_draws.hpp"

namespace backoff::judge {

// exact: draws were given, and the port maps them as the document does; or its calls draw nothing. distribution: the
// draws are hidden, or mapped in another way, and were tested. membership: they were not tested.
enum class grade : std::uint8_t { exact, membership, distribution };

// How the hidden draws of a history count. none: not at all. once: for their distribution. repeated: for their
// distribution and, as the plan repeats the history, for the power of the tests.
enum class sample_kind : std::uint8_t { none, once, repeated };

class judged_draws {
 public:
  judged_draws(terms const& held_to, mapped how, readings_left const& left);

  [[nodiscard]] judge::grade grade() const noexcept { return grade_; }
  // Whether samples count for anything.
  [[nodiscard]] bool are_tested() const noexcept { return tests_.has_value(); }

  // The reading that explains the run. blamed: answers or draws have refuted all admitted readings.
  struct explanation {
    spec::cube reading;
    bool blamed;
  };
  struct shown {
    bool tells = false;         // draws were seen under the reading that explains the run
    bool refutes_some = false;  // whether draws refute readings
    bool is_a_finding = false;  // whether they refute all admitted readings, or the blamed one
  };
  // Takes a sample. elsewhere: the answers of a second process, where one answered it too. is_clean: the answers break
  // no claim that fails the port.
  [[nodiscard]] shown judge(judged_history const& seen, std::span<answer const> elsewhere, sample_kind kind,
                            bool is_clean, readings_left const& left, explanation const& by);
  // Accepts the finding. The refuted reading is tested further, as later draws show better what is wrong with them.
  void find(explanation const& by);
  // The finding is a known failure: ends the testing of draws.
  void excuse() noexcept;
  // Whether two processes drew alike under the reading that explains the run. That reading is tested even if answers
  // have refuted it. Always false where drawing alike refutes readings, which judge() finds.
  [[nodiscard]] bool are_alike(judged_history const& seen, std::span<answer const> elsewhere, readings_left const& left,
                               spec::cube explained_by);

  // refute_all: draws have refuted all admitted readings. are_broken_too: answers have, and draws are wrong as well.
  // are_excused: draws are wrong, and known to be.
  [[nodiscard]] bool refute_all() const noexcept { return found_ == found::refute_all; }
  [[nodiscard]] bool are_broken_too() const noexcept { return found_ == found::broken_too; }
  [[nodiscard]] bool are_excused() const noexcept { return found_ == found::excused; }
  // Whether draws refute all admitted readings, after enough samples to refute hazards too.
  [[nodiscard]] bool are_settled() const;
  [[nodiscard]] bool refute(spec::cube assignment) const { return present(tests_).refutes(assignment); }
  [[nodiscard]] std::vector<spec::cube> living(std::vector<spec::cube> const& of) const {
    return present(tests_).living(of);
  }
  // Claims that draws break as that assignment sees them.
  [[nodiscard]] claim_mask broken_under(spec::cube assignment) const;
  // The samples as the assignment sees them, of one process or of two; null where the assignment was not tested to the
  // end.
  [[nodiscard]] sampled_draws const* samples_under(spec::cube assignment) const;
  [[nodiscard]] sampled_draws const* of_two_processes(spec::cube assignment) const;

  // After the last history: computes which faults the samples would have shown under that assignment.
  void settle_power(spec::cube explained_by);
  [[nodiscard]] std::vector<power> const& powers() const noexcept { return powers_; }
  // Up to which attempt draws were tested.
  [[nodiscard]] attempts_tested const& attempts() const noexcept { return attempts_; }
  // Whether the tests would have caught all gross faults that they look for; also those that begin late, up to the
  // attempts that retry code usually makes.
  [[nodiscard]] bool exclude_gross_faults() const noexcept;
  // The probability that a test refutes a right port. All tests together have the probability that the options allow.
  [[nodiscard]] double alpha_of_a_test() const noexcept { return alpha_of_a_test_; }

 private:
  enum class found : std::uint8_t { nothing, refute_all, broken_too, excused };
  [[nodiscard]] draw_tests_mask tests_where(bool refutes_readings) const;

  terms const* held_to_;
  judge::grade grade_;
  draw_tests_mask which_ = 0;  // tests of the judged claims that refute readings
  double alpha_of_a_test_;
  std::optional<hidden_draws> tests_;
  std::optional<hidden_draws> of_two_;  // of two processes, where drawing alike refutes no reading
  std::uint64_t samples_ = 0;
  std::uint64_t wrong_samples_ = 0;  // samples whose answers break a claim that fails the port
  found found_ = found::nothing;
  std::vector<power> powers_;
  attempts_tested attempts_;
};

}  // namespace backoff::judge
