// Which histories a run tries, in the canonical order: those of the catalogue that tell readings apart, generated ones,
// samples of hidden draws, then the corner cases that the system names. History i depends on nothing but i and the
// arguments of the plan. Checked by: properties/judge/plan_test.cpp.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "judge/run.hpp"

namespace backoff::judge {

class plan {
 public:
  plan(shape const& s, domain const& takes, std::uint64_t total, std::uint64_t seed, bool sampled = false);

  // Up to `count` further histories; none when all have been given. They stand until the next but one are asked for.
  [[nodiscard]] std::span<history const> next(std::size_t count);
  // Passes over histories, as if they had been given.
  void skip(std::uint64_t count) noexcept { given_ += std::min(count, total_ - given_); }
  [[nodiscard]] std::uint64_t given() const { return given_; }
  // Samples for two fresh processes to answer; none where draws are given, even if the port maps them in a way of its
  // own: both would get the same ones.
  [[nodiscard]] std::vector<history> for_two_processes() const;
  // Whether history i of the run is a sample of hidden draws.
  [[nodiscard]] bool samples(std::uint64_t i) const { return i >= first_sample_ && i < end_of_samples_; }
  // How the hidden draws of history i count; h is that history. The draws of a sample count. Where there are samples
  // and draws are hidden, the draws of a generated history count too, if its answers show them. Draws that are given to
  // generated histories do not count: they are often special values.
  [[nodiscard]] sample_kind kind_of(std::uint64_t i, history const& h) const {
    if (samples(i)) return sample_kind::repeated;
    bool const is_generated = i >= curated_.size() && i < first_sample_;
    bool const is_hidden = !samples_.empty() && takes_->draws.kind == spec::draw_kind::hidden;
    bool const tells = shape_->tells_draws.in != nullptr && shape_->tells_draws.in(h);
    return is_generated && is_hidden && tells ? sample_kind::once : sample_kind::none;
  }

 private:
  void schedule(std::size_t short_ones, std::uint64_t count);
  void sample(history& h, std::uint64_t index) const;

  shape const* shape_;
  domain const* takes_;
  std::uint64_t total_;
  std::uint64_t seed_;
  std::uint64_t given_ = 0;
  std::uint64_t first_sample_ = 0;
  std::uint64_t end_of_samples_ = 0;
  std::vector<history> curated_;        // first
  std::vector<history> samples_;        // to be repeated
  std::vector<std::uint8_t> schedule_;  // which of them, in the order of the run
  std::vector<history> corners_;        // last, so that what ordinary histories show is found on shorter ones first
  std::vector<history> batch_;
  std::vector<history> before_;  // the one before, which still stands
};

// The histories as the port can take them: without draws where it makes its own.
[[nodiscard]] std::vector<history> without_hidden_draws(std::vector<history> histories, shape const& s,
                                                        domain const& takes) noexcept;

// The histories that settle the port's mapping of draws; none where the system or the port leaves nothing to settle.
[[nodiscard]] std::vector<history> mapping_probes(run const& judged, std::uint64_t seed);

// A whole run in this process: settles the mapping, then judges every history of the plan.
void drive(run& judged, subject& port, std::uint64_t cases, std::uint64_t seed);

}  // namespace backoff::judge
