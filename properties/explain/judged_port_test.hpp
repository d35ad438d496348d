// A run of a port in this process, with all that a diagnosis needs of it.
#pragma once

#include "explain/diagnosis.hpp"
#include "explain/where.hpp"
#include "judge/plan.hpp"
#include "judge/subject.hpp"

namespace backoff::explain {

struct judged_port {
  judged_port(judged_system const& system, subject& port, std::uint64_t cases)
      : judged(std::get<run>(run::begin(system, port.describes(), {}))),
        whole(system.shape(), port.describes().takes, cases, 1),
        log(system.shape()) {
    auto const probes = mapping_probes(judged, 1);
    judged.settle_mapping(probes, port.run(probes));
    auto histories = whole;
    for (auto some = histories.next(500); !some.empty(); some = histories.next(500)) {
      auto const results = port.run(some);
      for (std::size_t i = 0; i < some.size(); ++i) {
        auto const failing = judged.failing_histories();
        judged.judge(some[i], results[i]);
        kept.take(some[i], results[i], judged.failing_histories() != failing);
        log.add(results[i]);
      }
    }
    judged.settle_blame();
  }
  [[nodiscard]] std::optional<probable> diagnosed(std::vector<std::vector<constraint>> const& elsewhere = {}) const {
    auto const again = [&] { return [again = whole]() mutable { return again.next(300); }; };
    return diagnose(judged, kept.failed(), log, again, elsewhere);
  }

  run judged;
  plan whole;
  answers_kept kept;
  answers_log log;
};

}  // namespace backoff::explain
