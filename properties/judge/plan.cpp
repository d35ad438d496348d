#include "judge/plan.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "histories/generate.hpp"
#include "judge/catalogue.hpp"
#include "judge/dependence.hpp"

namespace backoff::judge {
namespace {

constexpr std::uint64_t samples_max = 20'000;
constexpr std::uint64_t for_two = 48;   // samples that two processes answer
constexpr std::size_t kept_steps = 64;  // the memory of longer histories, which are rare, is not kept for the next

// Which argument of that operation is a draw.
std::optional<std::size_t> draw_in(shape const& s, std::uint8_t op) noexcept {
  auto const args = s.operations[op].args;
  auto const at = std::ranges::find(args, field_kind::draw, &field::kind);
  return at == args.end() ? std::nullopt : std::optional(static_cast<std::size_t>(std::distance(args.begin(), at)));
}

}  // namespace

plan::plan(shape const& s, domain const& takes, std::uint64_t total, std::uint64_t seed, bool sampled)
    : shape_(&s), takes_(&takes), total_(total), seed_(seed) {
  auto const takeable = [&](std::vector<history> all) {
    all = without_hidden_draws(std::move(all), s, takes);
    std::erase_if(all, [&](history const& h) { return !inside(s, takes, h) || leaves_to_default(s, takes, h); });
    return all;
  };
  curated_ = takeable(distinguishing_histories(s.stem));
  random_bits random(seed);
  if (s.corners != nullptr) corners_ = takeable(s.corners(takes, random));
  if (curated_.size() + corners_.size() > total) corners_.clear();
  auto const sampling = [&](hook<std::vector<history>(domain const&)> const& of) {
    auto all = takeable(of(takes));
    std::erase_if(all, [](history const& h) { return h.steps.empty(); });
    return all;
  };
  if (sampled) samples_ = sampling(s.samples);
  if (samples_.empty()) return;
  std::uint64_t const left = total - std::min<std::uint64_t>(total, curated_.size() + corners_.size());
  end_of_samples_ = total - corners_.size();
  first_sample_ = end_of_samples_ - std::min(left / 2, samples_max);
  auto const short_ones = samples_.size();
  if (s.long_samples != nullptr) std::ranges::move(sampling(s.long_samples), std::back_inserter(samples_));
  schedule(short_ones, std::max(end_of_samples_ - first_sample_, for_two));
}

// Each round begins with a block of each short sample, whose repetition shows whether fresh instances draw alike. Then
// come the long samples, with a third as many calls, of which each has an equal share.
void plan::schedule(std::size_t short_ones, std::uint64_t count) {
  constexpr std::uint64_t block = 16;
  std::uint64_t calls = 0;  // of the short samples in a round
  for (std::size_t i = 0; i < short_ones; ++i) calls += block * samples_[i].steps.size();
  auto const shares = samples_.size() - short_ones;
  for (std::uint64_t round = 1; schedule_.size() < count; ++round) {
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      auto const often = [&](std::uint64_t rounds) {
        return i < short_ones ? rounds * block : rounds * calls / (3 * shares * samples_[i].steps.size());
      };
      schedule_.insert(schedule_.end(), static_cast<std::size_t>(often(round) - often(round - 1)),
                       static_cast<std::uint8_t>(i));
    }
  }
}

std::vector<history> plan::for_two_processes() const {
  bool const are_hidden = takes_->draws.kind == spec::draw_kind::hidden;
  std::vector<history> result(samples_.empty() || !are_hidden ? 0 : for_two);
  std::uint64_t i = 0;
  for (auto& h : result) sample(h, i++);
  return result;
}

void plan::sample(history& h, std::uint64_t index) const {
  h = samples_[schedule_[static_cast<std::size_t>(index)]];
  if (takes_->draws.kind == spec::draw_kind::hidden) return;
  random_bits random(seed_, given_);
  for (auto& step : h.steps) {
    if (auto const at = draw_in(*shape_, step.op)) {
      auto const& draws = takes_->args[step.op][*at];
      step.args[*at] = value::of(random.between(draws.low, draws.high));
    }
  }
}

std::span<history const> plan::next(std::size_t count) {
  batch_.swap(before_);
  batch_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(count, total_ - given_)));
  for (auto& h : batch_) {
    if (given_ < curated_.size()) {
      h = curated_[static_cast<std::size_t>(given_)];
    } else if (total_ - given_ <= corners_.size()) {
      h = corners_[static_cast<std::size_t>(total_ - given_) - 1];
    } else if (samples(given_)) {
      sample(h, given_ - first_sample_);
    } else {
      random_bits random(seed_, given_);
      if (h.steps.capacity() > kept_steps) h.steps = std::vector<step>();  // not {}: that keeps the memory
      generate(h, *shape_, *takes_, random);
    }
    ++given_;
  }
  return batch_;
}

std::vector<history> without_hidden_draws(std::vector<history> histories, shape const& s,
                                          domain const& takes) noexcept {
  if (takes.draws.kind != spec::draw_kind::hidden) return histories;
  for (auto& h : histories) {
    for (auto& step : h.steps) {
      if (auto const at = draw_in(s, step.op)) step.args[*at] = {};
    }
  }
  return histories;
}

std::vector<history> mapping_probes(run const& judged, std::uint64_t seed) {
  auto const& probes_of = judged.system().shape().mapping_probes;
  if (probes_of == nullptr || judged.grade() != grade::exact) return {};
  random_bits random(seed);
  return probes_of(judged.about().takes, random);
}

void drive(run& judged, subject& port, std::uint64_t cases, std::uint64_t seed) {
  auto const probes = mapping_probes(judged, seed);
  judged.settle_mapping(probes, port.run(probes));
  plan histories(judged.system().shape(), judged.about().takes, cases, seed, judged.draws().are_tested());
  auto const size = port.describes().max_batch;
  for (auto batch = histories.next(size); !batch.empty(); batch = histories.next(size)) {
    auto const results = port.run(batch);
    std::uint64_t const first = histories.given() - batch.size();
    for (std::size_t i = 0; i < batch.size(); ++i)
      judged.judge(batch[i], results[i], histories.kind_of(first + i, batch[i]));
    if (judged.draws().are_settled()) break;
  }
  judged.settle_blame();
  judged.settle_dependence(compare_with_itself(judged, port));
  judged.settle_power();
}

}  // namespace backoff::judge
