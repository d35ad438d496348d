// What the document answers to a history, as hypotheses ask it, and what they make their answers of. Checked by:
// properties/explain/diagnosis_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "judge/run.hpp"

namespace backoff::explain {

// Where a delay may lie whose draw is hidden.
struct drawn_range {
  double low = 0;
  double high = 0;
  double cell = 0;  // between two numbers, where it holds so few; 0: any number
  [[nodiscard]] bool is_drawn() const noexcept { return low < high; }
  friend bool operator==(drawn_range const&, drawn_range const&) noexcept = default;
};

// The document, as hypotheses ask it: under one joint reading, with the port's kind of draws. Where these are hidden, a
// port answers as documented if its answers are among those that are.
class documented {
 public:
  documented(run const& judged, spec::cube assignment);
  // One documented answer to each call.
  [[nodiscard]] std::vector<answer> answers(history const& h);
  // What a variant of the document answers.
  [[nodiscard]] std::vector<answer> answers(history const& h, examiner& variant);
  // What the document answers to other calls than those of the port, which are answered so.
  [[nodiscard]] std::vector<answer> answers(history const& h, std::span<answer const> port);
  // Of the answers that were given last, where hidden draws may have put each delay.
  [[nodiscard]] std::vector<drawn_range> const& ranges() const noexcept { return ranges_; }
  void set_ranges(std::vector<drawn_range> ranges) noexcept { ranges_ = std::move(ranges); }
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
  [[nodiscard]] std::uint64_t draws() const { return judged_->about().takes.draws.size; }
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
  std::vector<drawn_range> ranges_;
  std::vector<drawn_range> answered_ranges_;
  std::span<answer const> port_;
  bool fills_up_ = true;
  draw_rule sleep_;
  draw_rule reset_;
};

// The answers of a port that acknowledges every reset, but does nothing at it unless it is the first call of its
// instance.
[[nodiscard]] std::vector<answer> without_resets(history const& h, documented& document);

// The answer that says that the retries are exhausted, where the system has a word for it.
[[nodiscard]] std::optional<answer> says_exhausted(histories::shape const& s);

// Removes the answers after the first error.
void cut_behind_error(histories::shape const& s, std::vector<answer>& all);

// The number, or the index of the word; of what is neither, one that no answer has.
[[nodiscard]] double encoded(observed const& o) noexcept;
inline constexpr double absent = -1e300;
inline constexpr double no_number = -2e300;

// Which attempt of its cycle and instance each call is, from 1; 0 of other operations.
[[nodiscard]] std::vector<std::int64_t> attempts_of(histories::shape const& s, history const& h);

// The number as an answer: a whole number exactly, any other in 17 digits.
[[nodiscard]] observed real(double x);

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

// Whether they are the same; reals within relative 2^-40.
[[nodiscard]] bool alike(double a, double b) noexcept;
[[nodiscard]] bool alike(answer const& a, answer const& b) noexcept;
[[nodiscard]] bool alike(std::span<answer const> a, std::span<answer const> b) noexcept;

// Whether it draws where no one sees: asked the same again, it may answer otherwise.
[[nodiscard]] bool draws_for_itself(run const& judged) noexcept;

// Whether a file declares the system.
[[nodiscard]] bool is_declared(judged_system const& system);

}  // namespace backoff::explain
