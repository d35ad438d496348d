// What the code of a port probably does: hypotheses that answer as a port with one fault would. Each is tried on all
// that the port answered, and is told only if it explains every answer, from the first call on or from a later attempt
// on. Those of a system are in properties/systems/STEM/diagnoses.cpp, those of a policy are its variants, and what any
// system can have is in diagnosis.cpp. Checked by: properties/explain/diagnosis_test.cpp.
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
  // What the port answered to the history that hypotheses are asked about: of several documented answers, these are
  // taken where they are among them.
  void answered_by_the_port(std::span<answer const> answers) {
    port_ = answers;
    answered_.clear();
  }
  // Whether the port's answers stand also where nothing is judged.
  void fill_up(bool whether) {
    fills_up_ = whether;
    answered_.clear();
  }
  [[nodiscard]] answer const* of_the_port(std::size_t step) const noexcept {
    return step < port_.size() ? &port_[step] : nullptr;
  }
  // How many values a draw has.
  [[nodiscard]] std::uint64_t draws() const noexcept { return judged_->about().takes.draws.size; }
  // What the port's mapping makes of a draw in [0, window]; and of the draw of a reset, where that has one of its own.
  [[nodiscard]] double jitter(std::uint64_t draw, double window) const noexcept { return mapped(draw, window, sleep_); }
  [[nodiscard]] double jitter_of_reset(std::uint64_t draw, double most) const noexcept {
    return mapped(draw, most, reset_);
  }
  [[nodiscard]] histories::shape const& shape() const noexcept { return judged_->system().shape(); }

  // Whether a 32-bit integer cannot hold the delay, or there is none because of it.
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
  history asked_;  // last: hypotheses ask for the same
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
  std::string_view claim{};  // of several that are broken, the one that tells it; empty: whichever comes first
};

// Those of the system, then those of all; the most telling first.
[[nodiscard]] std::vector<diagnosis> diagnoses_of(judged_system const& system);

// As if there were no resets but the one with which an instance may begin, and all were acknowledged.
[[nodiscard]] std::vector<answer> without_resets(history const& h, documented& document);

// What says that retries are used up, where the system has a word for that.
[[nodiscard]] std::optional<answer> says_exhausted(histories::shape const& s);

// Behind an error nothing is answered.
void cut_behind_error(histories::shape const& s, std::vector<answer>& all);

// The number, or the index of the word.
[[nodiscard]] double encoded(observed const& o) noexcept;

// Which attempt of its cycle and instance each call is, from 1; 0 of other operations.
[[nodiscard]] std::vector<std::int64_t> attempts_of(histories::shape const& s, history const& h);

// A number with as many digits as matter.
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
  // Whether these are the answers of that history, which was answered; reals within relative 2^-40.
  [[nodiscard]] bool has(std::size_t index, std::span<answer const> answers) const noexcept;
  // The answers, in as many digits as were kept.
  [[nodiscard]] std::vector<answer> at(std::size_t index) const;
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  // Whether all were kept: there is an end to memory.
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
  std::int64_t from = 1;        // attempt of a cycle
  std::uint64_t histories = 0;  // all that were answered, which it explains
  bool apart = false;           // but for those in which another fault may show
  std::string_view claim{};     // that tells it
};

// Begins the run's histories anew, and gives them some at a time; none after the last.
using histories_again = std::function<std::function<std::span<history const>()>()>;

// Whether the port answers the same when it is asked the same: it does not draw for itself.
[[nodiscard]] bool repeats_itself(run const& judged) noexcept;

// What explains all answers; nothing where nothing does, or where nothing is broken. `failed` are some of the answers
// that are wrong. `elsewhere`: regions of other faults, whose histories need no explanation.
[[nodiscard]] std::optional<probable> diagnose(run const& judged, std::span<evidence const> failed,
                                               answers_log const& log, histories_again const& again,
                                               std::vector<std::vector<constraint>> const& elsewhere = {});

}  // namespace backoff::explain
