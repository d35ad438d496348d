#include "judge/model_subject.hpp"

namespace backoff::judge {

model_subject::model_subject(judged_system const& system, spec::cube assignment, draw_source draws, std::uint64_t seed)
    : examiner_(system), assignment_(assignment), random_(seed) {
  about_.takes = documented_domain(system.shape(), draws);
  about_.takes.features = system.shape().features;
}

std::vector<result> model_subject::run(std::span<history const> histories) {
  std::vector<result> results;
  for (auto const& h : histories) {
    auto game = examiner_.play(h, about_.takes.draws, assignment_, random_);
    results.push_back({result_kind::answered, std::move(game.answers), {}});
  }
  return results;
}

}  // namespace backoff::judge
