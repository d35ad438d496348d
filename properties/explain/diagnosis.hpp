// What the code of a port probably does. A hypothesis answers as a port with one fault would. It is tried on all
// answers of the port, and is told only if it explains every one, from the first call on or from a later attempt on.
// The hypotheses of a system are in properties/systems/STEM/diagnoses.cpp; those of a policy are its variants; those
// for every system are in diagnosis.cpp. Checked by: properties/explain/diagnosis_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/constraint.hpp"
#include "judge/run.hpp"

namespace backoff::explain {

// The document, as hypotheses ask it: under one joint reading, with the port's kind of draws.
class documented {
 public:
  documented(run const& judged, spec::cube assignment);
  // One documented answer to each call.
  [[nodiscard]] std::vector<answer> answers(history const& h);
  // What a variant of the document answers.
  [[nodiscard]] std::vector<answer> answers(history const& h, examiner& variant) const;
  // Sets the port's answers to the history that hypotheses are asked next. Where several answers are documented, the
  // port's is taken if it is one of them.
  void answered_by_the_port(std::span<answer const> answers) {
    port_ = answers;
    answered_.clear();
  }
  // Sets whether the port's answers stand in for the calls at which nothing is judged.
  void fill_up(bool whether) {
    fills_up_ = whether;
    answered_.clear();
  }
  [[nodiscard]] answer const* of_the_port(std::size_t step) const noexcept {
    return step < port_.size() ? &port_[step] : nullptr;
  }
  // How many values a draw has.
  [[nodiscard]] std::uint64_t draws() const noexcept { return judged_->about().takes.draws.size; }
  // The number in [0, window] that the port's mapping makes of a draw; and of the draw of a reset, whose mapping may be
  // another.
  [[nodiscard]] double jitter(std::uint64_t draw, double window) const noexcept { return mapped(draw, window, sleep_); }
  [[nodiscard]] double jitter_of_reset(std::uint64_t draw, double most) const noexcept {
    return mapped(draw, most, reset_);
  }
  [[nodiscard]] histories::shape const& shape() const noexcept { return judged_->system().shape(); }

  // Whether the delay is 2^31 - 1 or more; or the answer is an error or no number, which an overflow may lead to.
  [[nodiscard]] bool is_too_large(answer const& a) const noexcept;

 private:
  struct draw_rule {
    spec::draw_mapping maps = spec::draw_mapping::real;
    bool excludes_end = false;
  };
  [[nodiscard]] double mapped(std::uint64_t draw, double window, draw_rule how) const noexcept;
  [[nodiscard]] std::size_t first_too_large(std::span<answer const> all) const noexcept;

  run const* judged_;
  spec::cube assignment_;
  examiner examiner_;
  history asked_;  // the last history: the next hypothesis asks for the same
  std::vector<answer> answered_;
  std::span<answer const> port_;
  bool fills_up_ = true;
  draw_rule sleep_;
  draw_rule reset_;
};

struct diagnosis {
  std::string name;
  std::string sentence;  // the port probably …
  std::function<std::vector<answer>(history const&, documented&)> answers;
  std::string_view claim{};  // the broken claim whose finding tells it; empty: the first of the broken claims
};

// The hypotheses of the system, then those of every system; the most telling first.
[[nodiscard]] std::vector<diagnosis> diagnoses_of(judged_system const& system);

// The answers of a port that acknowledges every reset, but does nothing at it unless it is the first call of its
// instance.
[[nodiscard]] std::vector<answer> without_resets(history const& h, documented& document);

// The answer that says that the retries are exhausted, where the system has a word for it.
[[nodiscard]] std::optional<answer> says_exhausted(histories::shape const& s);

// Removes the answers after the first error.
void cut_behind_error(histories::shape const& s, std::vector<answer>& all);

// The number, or the index of the word.
[[nodiscard]] double encoded(observed const& o) noexcept;

// Which attempt of its cycle and instance each call is, from 1; 0 of other operations.
[[nodiscard]] std::vector<std::int64_t> attempts_of(histories::shape const& s, history const& h);

// The number as an answer: a whole number exactly, any other in 17 digits.
[[nodiscard]] observed real(double x) noexcept;

// The documented answers, with change(i, delay) for the delay of each call i that has one.
template <class Change>
std::vector<answer> other_delays(history const& h, documented& document, Change change) {
  auto all = document.answers(h);
  auto const delay = document.shape().delay;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i][delay].kind == observed_kind::number) all[i][delay] = real(change(i, encoded(all[i][delay])));
  }
  return all;
}

// All answers of a run, a few bytes each, in the order of its histories. Histories are not kept: the run's plan gives
// them again.
class answers_log {
 public:
  explicit answers_log(histories::shape const& s) : shape_(&s), fields_(s.answers.size()) {}
  void add(result const& r);
  [[nodiscard]] bool is_answered(std::size_t index) const noexcept { return is_answer_[index]; }
  // Whether these are the answers of that history, which was answered. Reals may differ by 2^-40 of the larger one.
  [[nodiscard]] bool has(std::size_t index, std::span<answer const> answers) const noexcept;
  // The answers, in as many digits as were kept.
  [[nodiscard]] std::vector<answer> at(std::size_t index) const;
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  // Whether all answers were kept: the log stops at a limit of memory.
  [[nodiscard]] bool is_whole() const noexcept { return whole_; }

 private:
  histories::shape const* shape_;
  std::size_t fields_;
  std::vector<double> values_;
  std::vector<std::size_t> ends_;  // of each history's values
  std::vector<bool> is_answer_;
  bool whole_ = true;
};

struct probable {
  std::string name;
  std::string sentence;
  std::int64_t from = 1;        // the attempt of a cycle from which on it explains the answers
  std::uint64_t histories = 0;  // how many it explains: all that were answered
  bool apart = false;           // histories in which another fault may show are left out
  std::string_view claim{};     // whose finding tells it
};

// Begins the run's histories anew, and gives them some at a time; none after the last.
using histories_again = std::function<std::function<std::span<history const>()>()>;

// Whether the port answers the same when it is asked the same: it does not draw for itself.
[[nodiscard]] bool repeats_itself(run const& judged) noexcept;

// The diagnosis that explains all answers. None where no hypothesis explains them, or where they show no fault.
// `failed` are some of the answers that are wrong. `elsewhere`: regions of other faults, whose histories need no
// explanation.
[[nodiscard]] std::optional<probable> diagnose(run const& judged, std::span<evidence const> failed,
                                               answers_log const& log, histories_again const& again,
                                               std::vector<std::vector<constraint>> const& elsewhere = {});

}  // namespace backoff::explain
